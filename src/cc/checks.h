/* See checks.cpp. Usable from C and C++. */
#ifndef SMELT_CC_CHECKS_H
#define SMELT_CC_CHECKS_H

#include "smelt/image.h"

#include <llvm-c/Types.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Decides the bounds checks of innermost counted loops in front of them,
 * whether there were any. Requires loop-simplify and LCSSA form, rotated loops,
 * and panics that end in unreachable. */
bool
cc_shim_hoist_checks(LLVMModuleRef module);
/* Decides runs of checks in straight-line code in front of the first (see
 * straight.cpp), whether there were any. Requires panics as lower_declare_panic
 * leaves them; leaves constant branches. */
bool
cc_shim_straight_checks(LLVMModuleRef module);
/* Makes a copy of a kernel, called name, without the checks that the terms say
 * a launch decides (held.cpp); their number, 0: nothing was made. Room for
 * SMELT_MOST_TERMS. Requires what cc_shim_hoist_checks does. */
size_t
cc_shim_held(LLVMValueRef kernel, const char *name,
	     struct smelt_table_term *terms);
/* Debug info for .loc directives alone, without DWARF sections. */
void
cc_shim_line_directives(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
