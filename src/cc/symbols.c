/*
 * Names that a kernel may leave undefined, because each target puts something
 * in their place, and which functions threads must meet at.
 */
#include "cc.h"

#include <stdlib.h>
#include <string.h>

/* Sorted. Those end in f for float as well. */
static const char *const math_names[] = {
	"acos",	  "acosh",     "asin",	"asinh",    "atan",	 "atan2",
	"atanh",  "cbrt",      "ceil",	"copysign", "cos",	 "cosh",
	"erf",	  "erfc",      "exp",	"exp10",    "exp2",	 "expm1",
	"fabs",	  "fdim",      "floor", "fma",	    "fmax",	 "fmin",
	"fmod",	  "frexp",     "hypot", "ldexp",    "lgamma",	 "lgamma_r",
	"log",	  "log10",     "log1p", "log2",	    "modf",	 "nextafter",
	"pow",	  "remainder", "rint",	"round",    "roundeven", "sin",
	"sincos", "sinh",      "sqrt",	"tan",	    "tanh",	 "tgamma",
	"trunc",
};

/* Primitives at which no thread waits for another. */
static const char *const harmless[] = {
	"__smelt_thread_idx_",	  "__smelt_block_idx_",
	"__smelt_block_dim_",	  "__smelt_grid_dim_",
	"__smelt_lane_id",	  "__smelt_warp_size",
	"__smelt_arg_",		  "__smelt_index_dims",
	"__smelt_launch_bounds",  "__smelt_atomic_",
	"__smelt_dynamic_shared", "__smelt_panic",
	"__smelt_print",	  "__smelt_kernel_id",
	"__smelt_block_layout",	  "llvm.",
};

static int
compare_name(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

static bool
is_math_name(const char *name)
{
	return bsearch(name, math_names, array_count(math_names),
		       sizeof(*math_names), compare_name);
}

bool
cc_is_math(const char *name)
{
	char base[16];
	size_t len = strlen(name);

	if (is_math_name(name))
		return true;
	if (!strcmp(name, "lgammaf_r"))
		return true;
	if (len < 2 || len >= sizeof(base) || name[len - 1] != 'f')
		return false;
	memcpy(base, name, len);
	base[len - 1] = 0;
	return is_math_name(base);
}

bool
cc_is_memory(const char *name)
{
	static const char *const names[] = {"bcmp",    "memcmp", "memcpy",
					    "memmove", "memset", "strlen"};

	for (size_t i = 0; i < array_count(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

bool
cc_is_primitive(const char *name)
{
	static const char *const prefixes[] = {
		"__smelt_thread_idx_", "__smelt_block_idx_",
		"__smelt_block_dim_",  "__smelt_grid_dim_",
		"__smelt_shuffle_",    "__smelt_atomic_",
	};
	static const char *const names[] = {
		"__smelt_lane_id",	 "__smelt_warp_size",
		"__smelt_barrier",	 "__smelt_ballot",
		"__smelt_any",		 "__smelt_all",
		"__smelt_arg_readonly",	 "__smelt_arg_unique",
		"__smelt_arg_extent",	 "__smelt_index_dims",
		"__smelt_launch_bounds", "__smelt_dynamic_shared",
		"__smelt_panic",	 "__smelt_print",
	};

	for (size_t i = 0; i < array_count(prefixes); i++)
		if (starts_with(name, prefixes[i]))
			return true;
	for (size_t i = 0; i < array_count(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool
cc_is_convergent(const char *name)
{
	for (size_t i = 0; i < array_count(harmless); i++)
		if (starts_with(name, harmless[i]))
			return false;
	return !cc_is_math(name) && !cc_is_memory(name);
}

static bool
callee_is_convergent(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t len;

	if (!LLVMIsAFunction(callee))
		return true;
	return cc_is_convergent(LLVMGetValueName2(callee, &len));
}

void
cc_mark_convergent(struct cc *cc)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
	LLVMAttributeRef attribute =
		LLVMCreateEnumAttribute(cc->context, kind, 0);
	const LLVMAttributeIndex self = LLVMAttributeFunctionIndex;

	for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f)) {
		size_t len;

		if (cc_is_convergent(LLVMGetValueName2(f, &len)))
			LLVMAddAttributeAtIndex(f, self, attribute);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				if (LLVMIsACallInst(i) &&
				    callee_is_convergent(i))
					LLVMAddCallSiteAttribute(i, self,
								 attribute);
	}
}
