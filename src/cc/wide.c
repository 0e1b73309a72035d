/*
 * Conversions between floats and integers of more than 64 bits, which LLVM
 * turns into calls of compiler-rt on targets that have none: NVPTX stops with
 * "unsupported library call" at all of them, AMD at the saturating ones, which
 * are what Rust's `as` means. They become calls of devmath.
 *
 * All are treated as saturating: where the plain form has no value, any will
 * do. A float goes in as a double, which holds every one exactly; the way back
 * must not go through a double, which would round twice.
 */
#include "cc/lower.h"

static bool
is_wide(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(type) > 64 &&
	       LLVMGetIntTypeWidth(type) <= 128;
}

/* Calls __smelt_math_NAME, which keeps nothing and reads no memory. */
static LLVMValueRef
call_devmath(struct cc_job *job, LLVMBuilderRef builder, const char *name,
	     LLVMTypeRef result, LLVMValueRef argument)
{
	static const char *const promises[] = {
		"nounwind", "willreturn", "nosync", "nofree", "nocallback",
	};
	LLVMTypeRef param = LLVMTypeOf(argument);
	LLVMTypeRef type = LLVMFunctionType(result, &param, 1, false);
	char *symbol =
		arena_printf(job->arena, "%s%s", lower_devmath.prefix, name);
	LLVMValueRef f = LLVMGetNamedFunction(job->module, symbol);

	if (!f) {
		f = LLVMAddFunction(job->module, symbol, type);
		for (size_t i = 0; i < array_count(promises); i++)
			lower_add(job, f, promises[i], 0);
		lower_add(job, f, "memory", 0);
	}
	return LLVMBuildCall2(builder, type, f, &argument, 1, "");
}

static LLVMValueRef
to_float(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef integer,
	 LLVMTypeRef type, bool is_signed)
{
	LLVMTypeRef i128 = LLVMIntTypeInContext(job->context, 128);
	bool narrow = LLVMGetTypeKind(type) == LLVMFloatTypeKind;
	LLVMValueRef wide =
		is_signed ? LLVMBuildSExtOrBitCast(builder, integer, i128, "")
			  : LLVMBuildZExtOrBitCast(builder, integer, i128, "");

	return call_devmath(job, builder,
			    arena_printf(job->arena, "%c128_to_%s",
					 is_signed ? 'i' : 'u',
					 narrow ? "f32" : "f64"),
			    type, wide);
}

/* NULL for widths between 64 and 128, whose saturation is another's: no
 * language type has them. */
static LLVMValueRef
to_integer(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef value,
	   LLVMTypeRef type, bool is_signed)
{
	LLVMTypeRef wide = LLVMDoubleTypeInContext(job->context);

	if (LLVMGetIntTypeWidth(type) != 128)
		return NULL;
	if (LLVMTypeOf(value) != wide)
		value = LLVMBuildFPExt(builder, value, wide, "");
	return call_devmath(job, builder,
			    is_signed ? "f64_to_i128" : "f64_to_u128", type,
			    value);
}

static LLVMValueRef
convert_call(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef callee = lower_callee(call);
	const char *name = callee ? LLVMGetValueName(callee) : "";
	bool is_signed = starts_with(name, "llvm.fptosi.sat.i128.");

	if (!is_signed && !starts_with(name, "llvm.fptoui.sat.i128."))
		return NULL;
	return to_integer(job, builder, LLVMGetOperand(call, 0),
			  LLVMTypeOf(call), is_signed);
}

/* What takes the instruction's place; NULL if it is no such conversion. */
static LLVMValueRef
convert(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	LLVMValueRef operand;
	LLVMTypeKind kind;

	switch (opcode) {
	case LLVMCall:
		return convert_call(job, builder, i);
	case LLVMUIToFP:
	case LLVMSIToFP:
		operand = LLVMGetOperand(i, 0);
		kind = LLVMGetTypeKind(LLVMTypeOf(i));
		if (!is_wide(LLVMTypeOf(operand)) ||
		    (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind))
			return NULL;
		return to_float(job, builder, operand, LLVMTypeOf(i),
				opcode == LLVMSIToFP);
	case LLVMFPToUI:
	case LLVMFPToSI:
		if (!is_wide(LLVMTypeOf(i)))
			return NULL;
		return to_integer(job, builder, LLVMGetOperand(i, 0),
				  LLVMTypeOf(i), opcode == LLVMFPToSI);
	default:
		return NULL;
	}
}

void
lower_wide_conversions(struct cc_job *job)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b), next;
			     i; i = next) {
				LLVMValueRef other;

				next = LLVMGetNextInstruction(i);
				LLVMPositionBuilderBefore(builder, i);
				other = convert(job, builder, i);
				if (!other)
					continue;
				LLVMReplaceAllUsesWith(i, other);
				LLVMInstructionEraseFromParent(i);
			}
	LLVMDisposeBuilder(builder);
}
