/*
 * Mathematics on a GPU: which names there are, and what each library calls
 * them. The GPUs select only a handful of operations themselves (sqrt, fma,
 * rounding, abs, min and max); all else is a call.
 *
 * frem is among the rest on purpose: NVPTX selects it, as x - trunc(x / y) * y,
 * whose error grows with the quotient. Rust's % is exact.
 */
#include "cc/lower.h"
#include "cc/shim.h"

#include <stdlib.h>
#include <string.h>

/* The shape of a function's parameters beside its result. */
enum shape {
	ONE,  /* f(x) */
	TWO,  /* f(x, y) */
	INT,  /* f(x, i32) */
	SIGN, /* f(x, pointer to i32) */
};

struct function {
	const char *name;
	enum shape shape;
	bool intrinsic;	   /* llvm.NAME.f64 is one as well */
	const char *ocml;  /* its name there, where another */
	bool only_devmath; /* the vendors' differ in shape or lack it */
};

static const struct function functions[] = {
	{"acos", ONE, true, NULL, false},
	{"acosh", ONE, false, NULL, false},
	{"asin", ONE, true, NULL, false},
	{"asinh", ONE, false, NULL, false},
	{"atan", ONE, true, NULL, false},
	{"atan2", TWO, true, NULL, false},
	{"atanh", ONE, false, NULL, false},
	{"cbrt", ONE, false, NULL, false},
	{"cos", ONE, true, NULL, false},
	{"cosh", ONE, true, NULL, false},
	{"erf", ONE, false, NULL, false},
	{"erfc", ONE, false, NULL, false},
	{"exp", ONE, true, NULL, false},
	{"exp10", ONE, true, NULL, false},
	{"exp2", ONE, true, NULL, false},
	{"expm1", ONE, false, NULL, false},
	{"fdim", TWO, false, NULL, false},
	{"fmod", TWO, false, NULL, false},
	{"hypot", TWO, false, NULL, false},
	{"ldexp", INT, false, NULL, false},
	{"lgamma", ONE, false, NULL, false},
	{"lgamma_r", SIGN, false, NULL, true},
	{"log", ONE, true, NULL, false},
	{"log10", ONE, true, NULL, false},
	{"log1p", ONE, false, NULL, false},
	{"log2", ONE, true, NULL, false},
	{"pow", TWO, true, NULL, false},
	{"powi", INT, true, "pown", false},
	{"remainder", TWO, false, NULL, false},
	{"sin", ONE, true, NULL, false},
	{"sinh", ONE, true, NULL, false},
	{"tan", ONE, true, NULL, false},
	{"tanh", ONE, true, NULL, false},
	{"tgamma", ONE, false, NULL, false},
};

/* C names of what an intrinsic says as well and the targets select. */
static const char *const selected[] = {
	"sqrt",	 "fma",	 "fabs",  "floor",    "ceil",
	"trunc", "rint", "round", "copysign",
};

const struct lower_library lower_libdevice = {"__nv_", "", "f", false};
const struct lower_library lower_ocml = {"__ocml_", "_f64", "_f32", true};
const struct lower_library lower_devmath = {"__smelt_math_", "_f64", "_f32",
					    false};

static const char library_mark[] = "smelt-library";

bool
lower_is_library(LLVMValueRef function)
{
	return LLVMGetStringAttributeAtIndex(
		       function, LLVMAttributeFunctionIndex, library_mark,
		       sizeof(library_mark) - 1) != NULL;
}

static LLVMTypeRef
float_type(struct cc_job *job, bool wide)
{
	return wide ? LLVMDoubleTypeInContext(job->context)
		    : LLVMFloatTypeInContext(job->context);
}

static LLVMTypeRef
function_type(struct cc_job *job, const struct function *f, bool wide)
{
	LLVMTypeRef x = float_type(job, wide), params[2] = {x, x};

	if (f->shape == INT)
		params[1] = LLVMInt32TypeInContext(job->context);
	if (f->shape == SIGN)
		params[1] = LLVMPointerTypeInContext(job->context, 0);
	return LLVMFunctionType(x, params, f->shape == ONE ? 1 : 2, false);
}

/* The library's function, declared. */
static LLVMValueRef
library_function(struct cc_job *job, const struct lower_library *library,
		 const struct function *f, bool wide)
{
	static const char *const promises[] = {
		"nounwind", "willreturn", "nosync", "nofree", "nocallback",
	};
	const char *name, *word;
	LLVMValueRef function;

	if (f->only_devmath)
		library = &lower_devmath;
	word = library->ocml && f->ocml ? f->ocml : f->name;
	name = arena_printf(job->arena, "%s%s%s", library->prefix, word,
			    wide ? library->suffix64 : library->suffix32);
	function = LLVMGetNamedFunction(job->module, name);
	if (function)
		return function;
	function =
		LLVMAddFunction(job->module, name, function_type(job, f, wide));
	for (size_t i = 0; i < array_count(promises); i++)
		lower_add(job, function, promises[i], 0);
	if (f->shape != SIGN)
		lower_add(job, function, "memory", 0);
	return function;
}

static unsigned
count_uses(LLVMValueRef value)
{
	unsigned count = 0;

	for (LLVMUseRef use = LLVMGetFirstUse(value); use;
	     use = LLVMGetNextUse(use))
		count++;
	return count;
}

/* Every use of the declaration `from` becomes one of the library's function.
 * false if there is none, or if it is not what the name says (a user's own
 * extern "C" function of that name). */
static unsigned
redirect(struct cc_job *job, const char *from,
	 const struct lower_library *library, const struct function *f,
	 bool wide)
{
	LLVMValueRef old = LLVMGetNamedFunction(job->module, from), new;
	unsigned count;

	if (!old || !LLVMIsDeclaration(old) ||
	    LLVMGlobalGetValueType(old) != function_type(job, f, wide))
		return 0;
	count = count_uses(old);
	if (count) {
		new = library_function(job, library, f, wide);
		LLVMReplaceAllUsesWith(old, new);
	}
	LLVMDeleteFunction(old);
	return count;
}

static unsigned
redirect_all(struct cc_job *job, const struct lower_library *library,
	     const struct function *f, bool wide)
{
	unsigned count = 0;
	const char *bits = wide ? "f64" : "f32";

	if (f->intrinsic)
		count += redirect(job,
				  arena_printf(job->arena, "llvm.%s.%s%s",
					       f->name, bits,
					       f->shape == INT ? ".i32" : ""),
				  library, f, wide);
	if (strcmp(f->name, "ldexp") == 0)
		count += redirect(
			job,
			arena_printf(job->arena, "llvm.ldexp.%s.i32", bits),
			library, f, wide);
	/* C has gamma's reentrant form as lgammaf_r. */
	if (f->shape == SIGN)
		return count + redirect(job, wide ? "lgamma_r" : "lgammaf_r",
					library, f, wide);
	return count + redirect(job,
				arena_printf(job->arena, "%s%s", f->name,
					     wide ? "" : "f"),
				library, f, wide);
}

static LLVMValueRef
call_fmod(struct cc_job *job, LLVMBuilderRef builder,
	  const struct lower_library *library, LLVMValueRef frem)
{
	static const struct function fmod = {"fmod", TWO, false, NULL, false};
	LLVMTypeRef type = LLVMTypeOf(frem);
	bool wide = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
	LLVMValueRef args[2] = {LLVMGetOperand(frem, 0),
				LLVMGetOperand(frem, 1)};
	LLVMValueRef f = library_function(job, library, &fmod, wide);

	return LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, args, 2,
			      "");
}

static unsigned
replace_frem(struct cc_job *job, LLVMBuilderRef builder,
	     const struct lower_library *library, LLVMBasicBlockRef block)
{
	LLVMValueRef i, next;
	unsigned count = 0;

	for (i = LLVMGetFirstInstruction(block); i; i = next) {
		LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));

		next = LLVMGetNextInstruction(i);
		if (LLVMGetInstructionOpcode(i) != LLVMFRem ||
		    (kind != LLVMDoubleTypeKind && kind != LLVMFloatTypeKind))
			continue;
		LLVMPositionBuilderBefore(builder, i);
		LLVMReplaceAllUsesWith(i, call_fmod(job, builder, library, i));
		LLVMInstructionEraseFromParent(i);
		count++;
	}
	return count;
}

/* A call of the C name of a selected operation becomes its intrinsic. */
static void
select_names(struct cc_job *job)
{
	for (size_t i = 0; i < array_count(selected); i++)
		for (int wide = 0; wide < 2; wide++) {
			LLVMTypeRef type = float_type(job, wide);
			char *name = arena_printf(job->arena, "llvm.%s",
						  selected[i]);
			LLVMValueRef old = LLVMGetNamedFunction(
				job->module,
				arena_printf(job->arena, "%s%s", selected[i],
					     wide ? "" : "f"));
			LLVMValueRef new;

			if (!old || !LLVMIsDeclaration(old))
				continue;
			new = LLVMGetIntrinsicDeclaration(
				job->module,
				LLVMLookupIntrinsicID(name, strlen(name)),
				&type, 1);
			if (LLVMGlobalGetValueType(new) !=
			    LLVMGlobalGetValueType(old))
				continue;
			LLVMReplaceAllUsesWith(old, new);
			LLVMDeleteFunction(old);
		}
}

unsigned
lower_math(struct cc_job *job, const struct lower_library *library)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
	unsigned count = 0;

	for (size_t i = 0; i < array_count(functions); i++)
		for (int wide = 0; wide < 2; wide++)
			count +=
				redirect_all(job, library, &functions[i], wide);
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			count += replace_frem(job, builder, library, b);
	LLVMDisposeBuilder(builder);
	select_names(job);
	lower_wide_conversions(job);
	return count;
}

static LLVMModuleRef
open_library(struct cc_job *job, const char *path)
{
	char *data, *message = NULL;
	LLVMModuleRef module;
	size_t size;

	if (!file_read(job->arena, path, &data, &size))
		die("%s: cannot read the math library %s", job->arch, path);
	module = cc_shim_open(job->context, data, size, path, &message);
	if (!module)
		die("%s: math library %s: %s", job->arch, path, message);
	/* The reader takes allocas only where the layout at hand puts them. */
	if (starts_with(LLVMGetTarget(module), "x86_64") &&
	    !cc_shim_materialize_all(module, &message))
		die("%s: math library %s: %s", job->arch, path, message);
	LLVMSetTarget(module, LLVMGetTarget(job->module));
	LLVMSetDataLayout(module, LLVMGetDataLayoutStr(job->module));
	return module;
}

/* What was linked in is internal, and is left as its authors wrote it. */
static void
claim_functions(struct cc_job *job, const struct list *before)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) ||
		    list_has(before, LLVMGetValueName(f)))
			continue;
		LLVMSetLinkage(f, LLVMInternalLinkage);
		LLVMSetVisibility(f, LLVMDefaultVisibility);
		lower_drop_host(f);
		lower_add_string(job, f, library_mark, "");
		lower_drop(f, "noinline");
		lower_drop(f, "optnone");
	}
}

void
lower_link(struct cc_job *job, const char *path)
{
	struct list before = {0};
	LLVMModuleRef library = open_library(job, path);

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			list_add(job->arena, &before, LLVMGetValueName(f));
	if (!cc_shim_link_needed(job->module, library))
		die("%s: the math library %s does not link", job->arch, path);
	claim_functions(job, &before);
}

/* Whether a function that only devmath has is still without a body. */
static bool
wants_devmath(struct cc_job *job)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f)) {
		const char *name = LLVMGetValueName(f);

		if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) &&
		    (starts_with(name, lower_devmath.prefix) ||
		     strcmp(name, "memcmp") == 0 || strcmp(name, "bcmp") == 0 ||
		     strcmp(name, "strlen") == 0))
			return true;
	}
	return false;
}

/* devmath names its own of the C functions __smelt_memcmp and so on, so that
 * rustc does not take its loops for calls of themselves. */
static void
rename_memory_functions(struct cc_job *job)
{
	static const char *const names[] = {"memcmp", "bcmp", "strlen"};

	for (size_t i = 0; i < array_count(names); i++) {
		LLVMValueRef f = LLVMGetNamedFunction(job->module, names[i]);
		char *name = arena_printf(job->arena, "%s%s",
					  lower_devmath.prefix, names[i]);

		if (f && LLVMIsDeclaration(f) && LLVMGetFirstUse(f))
			LLVMSetValueName2(f, name, strlen(name));
	}
}

static LLVMValueRef
trap(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	(void)call;
	lower_intrinsic(job, builder, "llvm.trap", NULL, 0, NULL, 0);
	return NULL;
}

/* The libm crate indexes its own tables with checks that LLVM cannot always
 * prove. Their failure would be our mistake, not the program's: it stops the
 * device. */
static void
trap_own_checks(struct cc_job *job)
{
	LLVMValueRef f, next;

	for (f = LLVMGetFirstFunction(job->module); f; f = next) {
		const char *name = LLVMGetValueName(f);

		next = LLVMGetNextFunction(f);
		if (LLVMIsDeclaration(f) && strstr(name, "panic_bounds_check"))
			cc_replace_calls(job, name, trap);
	}
}

void
cc_devmath(struct cc_job *job)
{
	const char *path;

	if (!wants_devmath(job))
		return;
	rename_memory_functions(job);
	path = arena_printf(job->arena, "%s/devmath.bc",
			    job->cc->options.lib_dir);
	if (!file_exists(path))
		die("%s: the device math library %s is missing; install smelt "
		    "again or run `make`",
		    job->arch, path);
	lower_link(job, path);
	trap_own_checks(job);
}
