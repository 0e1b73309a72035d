/* See checks.cpp. Usable from C and C++. */
#ifndef SMELT_CC_CHECKS_H
#define SMELT_CC_CHECKS_H

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
/* Debug info for .loc directives alone, without DWARF sections. */
void
cc_shim_line_directives(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
