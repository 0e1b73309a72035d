/* Parts of the NVPTX target that lie in files of their own. */
#ifndef SMELT_CC_NVPTX_H
#define SMELT_CC_NVPTX_H

#include "cc/lower.h"

/* ---- ptxas.c ---- */

/* ptxas and libdevice of the CUDA toolkit; NULL where there is none, and for
 * libdevice also with SMELT_NO_LIBDEVICE=1. */
const char *
nvptx_ptxas(struct arena *arena);
const char *
nvptx_libdevice(struct arena *arena);
/* Puts a cubin in place of the PTX in job->result, and fills in the resources.
 * gpu is an architecture as ptxas spells it. */
void
nvptx_assemble(struct cc_job *job, const char *gpu);

/* ---- nvptx_null.c: NULL beside pointers to local and shared memory ---- */

/* Before each pass over address spaces, the back end's own included. */
void
nvptx_hide_nulls(struct cc_job *job);

/* ---- nvptx_ptxas.c: what ptxas gets wrong ---- */

/* Integers of float bits are narrowed by a permutation. The last thing before
 * emit. */
void
nvptx_narrowed_floats(struct cc_job *job);
/* PTX without neg.s16 and abs.s16; the text ends with NUL, before and after. */
void
nvptx_negations(struct cc_job *job, char **data, size_t *size);

#endif
