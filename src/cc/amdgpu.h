/* Parts of the AMDGPU target that lie in files of their own. */
#ifndef SMELT_CC_AMDGPU_H
#define SMELT_CC_AMDGPU_H

#include "cc/lower.h"

/* ---- amdgpu_note.c ---- */

/* Reads the kernels' metadata from a linked code object into job->result, and
 * checks each kernel's argument size against its block. */
void
amdgpu_read_note(struct cc_job *job);

/* ---- amdgpu_ocml.c ---- */

/* The folder with ocml.bc; NULL if there is none, or with SMELT_NO_OCML=1. */
const char *
amdgpu_ocml_folder(struct arena *arena);
/* Links OCML in and settles its switches for this GPU. */
void
amdgpu_link_ocml(struct cc_job *job, const char *folder, bool wave64);

/* ---- amdgpu_lanes.c ---- */

/* lower_warp.near. */
LLVMValueRef
amdgpu_near(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef value,
	    unsigned mask);

/* ---- amdgpu_carry.c ---- */

/* Keeps LLVM from losing carries. The last thing before emit: what is
 * simplified after it may be simplified wrongly. Requires that there are no
 * assumptions. */
void
amdgpu_carries(struct cc_job *job);

/* ---- amdgpu_small.c ---- */

/* Has the variants for small arguments (extents.c) compute addresses in 32
 * bits. Requires the main pipeline done; leaves dead code. */
void
amdgpu_small(struct cc_job *job);

/* ---- amdgpu_phis.c ---- */

/* Keeps LLVM's structurizer from losing values where ways join. Behind all that
 * simplifies. */
void
amdgpu_phis(struct cc_job *job);

/* ---- amdgpu_bases.c ---- */

/* Positions in a grid in 32 bits. Before intrinsics. */
void
amdgpu_positions(struct cc_job *job);
/* Addresses as a base in scalar registers and 32 bits a lane, where that can be
 *. */
void
amdgpu_bases(struct cc_job *job);

#endif
