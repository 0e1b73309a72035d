/*
 * A mistake of LLVM's AMD back end, worked around: it turns
 *
 *	uaddo_carry (add x, y), 0, c   into   uaddo_carry x, y, c
 *
 * (and the same with sub) also where the carry out is used. The sum is the
 * same, the carry is not: x + y may wrap. 64 and 128 bits are added by such
 *steps, so
 *
 *	(a * b).saturating_add(c as u64)    of u64, c a u16
 *
 * was wrong on every AMD GPU: the high word of c is the 0, that of the product
 * is an add. Found by test/conform/fuzz (seed 3); LLVM mended it after 22
 * (llvm/llvm-project pull request 204362).
 *
 * Here the operand that may be an add is passed through an empty piece of
 * assembly, which the selector does not see through. That costs no instruction.
 * Only where the carry of 64 bits may be used, and in all of 128.
 */
#include "cc/lower.h"

#include "amdgpu.h"

static unsigned
width_of(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);

	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind
		       ? LLVMGetIntTypeWidth(type)
		       : 0;
}

static bool
is_intrinsic_call(LLVMValueRef value)
{
	LLVMValueRef callee =
		LLVMIsACallInst(value) ? lower_callee(value) : NULL;

	return callee && LLVMGetIntrinsicID(callee) != 0;
}

/* Selected as a value that comes from elsewhere: neither an add nor in part a
 * constant. */
static bool
is_opaque(LLVMValueRef value)
{
	return LLVMIsALoadInst(value) || LLVMIsAArgument(value) ||
	       LLVMIsAPHINode(value) ||
	       (LLVMIsACallInst(value) && !is_intrinsic_call(value));
}

static bool
may_be_sum(LLVMValueRef value)
{
	return !is_opaque(value) && !LLVMIsAConstantInt(value) &&
	       !LLVMIsAZExtInst(value) && !LLVMIsASExtInst(value);
}

/* Whether one of the words may turn out to be 0. */
static bool
may_have_zeros(LLVMValueRef value)
{
	if (LLVMIsAConstantInt(value) && width_of(value) <= 64)
		return LLVMConstIntGetZExtValue(value) >> 32 == 0;
	return !is_opaque(value) && !LLVMIsASExtInst(value);
}

/* The value, opaque. Requires 64 bits, or 128, which go by halves. */
static LLVMValueRef
hide(LLVMBuilderRef b, LLVMValueRef value)
{
	LLVMTypeRef i64 =
		LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)));
	LLVMTypeRef type = LLVMFunctionType(i64, &i64, 1, false);
	LLVMTypeRef wide = LLVMTypeOf(value);
	LLVMValueRef assembly =
		LLVMGetInlineAsm(type, "", 0, "=v,0", 4, false, false,
				 LLVMInlineAsmDialectATT, false);
	LLVMValueRef half[2], by;

	if (width_of(value) == 64)
		return LLVMBuildCall2(b, type, assembly, &value, 1, "");
	by = LLVMConstInt(wide, 64, false);
	half[0] = LLVMBuildTrunc(b, value, i64, "");
	half[1] = LLVMBuildTrunc(b, LLVMBuildLShr(b, value, by, ""), i64, "");
	for (int i = 0; i < 2; i++) {
		half[i] = LLVMBuildCall2(b, type, assembly, &half[i], 1, "");
		half[i] = LLVMBuildZExt(b, half[i], wide, "");
	}
	return LLVMBuildOr(b, half[0], LLVMBuildShl(b, half[1], by, ""), "");
}

/* Whether the comparison is of nothing but an addition (or subtraction), what
 * it adds, and constants: only such a one may stand for its overflow. */
static bool
is_of(LLVMValueRef compare, const LLVMValueRef of[3])
{
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef operand = LLVMGetOperand(compare, i);

		if (!LLVMIsAConstant(operand) && operand != of[0] &&
		    operand != of[1] && operand != of[2])
			return false;
	}
	return true;
}

/* Whether i, an addition (or subtraction) of 64 bits, has a comparison near it
 * that LLVM may take for the question whether it overflows. */
static bool
is_compared(LLVMValueRef i)
{
	LLVMValueRef of[3] = {i, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)};

	for (int k = 0; k < 3; k++) {
		if (LLVMIsAConstant(of[k]))
			continue;
		for (LLVMUseRef use = LLVMGetFirstUse(of[k]); use;
		     use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);

			/* ~x < y asks for x + y. */
			if ((LLVMIsAICmpInst(user) && is_of(user, of)) ||
			    (LLVMIsABinaryOperator(user) &&
			     LLVMGetInstructionOpcode(user) == LLVMXor))
				return true;
		}
	}
	return false;
}

/* An intrinsic that asks for the carry or, in 128 bits, adds. */
static bool
is_carry_intrinsic(LLVMValueRef call, bool *sum)
{
	static const struct {
		const char *prefix;
		bool sum;
	} known[] = {
		{"llvm.uadd.with.overflow.", true},  {"llvm.uadd.sat.", true},
		{"llvm.sadd.with.overflow.", true},  {"llvm.sadd.sat.", true},
		{"llvm.usub.with.overflow.", false}, {"llvm.usub.sat.", false},
		{"llvm.ssub.with.overflow.", false}, {"llvm.ssub.sat.", false},
	};
	LLVMValueRef callee = lower_callee(call);
	const char *name = callee ? LLVMGetValueName(callee) : "";

	for (size_t k = 0; k < array_count(known); k++)
		if (starts_with(name, known[k].prefix)) {
			*sum = known[k].sum;
			return true;
		}
	return false;
}

/* Whether the instruction adds or subtracts and its carry matters; *sum: which
 * of the two. */
static bool
has_carry(LLVMValueRef i, bool *sum)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAdd:
	case LLVMSub:
		*sum = LLVMGetInstructionOpcode(i) == LLVMAdd;
		/* One that cannot wrap has no carry out; in 128 bits there is
		 * one between the halves all the same. */
		return width_of(i) == 128 ||
		       (width_of(i) == 64 && !LLVMGetNUW(i) && is_compared(i));
	case LLVMCall:
		return is_carry_intrinsic(i, sum);
	default:
		return false;
	}
}

static void
hide_operand(LLVMBuilderRef b, LLVMValueRef i, unsigned operand)
{
	LLVMPositionBuilderBefore(b, i);
	LLVMSetOperand(i, operand, hide(b, LLVMGetOperand(i, operand)));
}

static void
protect(LLVMBuilderRef b, LLVMValueRef i)
{
	LLVMValueRef x, y;
	unsigned width;
	bool sum;

	if (!has_carry(i, &sum))
		return;
	x = LLVMGetOperand(i, 0);
	y = LLVMGetOperand(i, 1);
	width = width_of(x);
	if (width != 64 && width != 128)
		return;
	if (may_be_sum(x) && may_have_zeros(y))
		hide_operand(b, i, 0);
	else if (sum && may_be_sum(y) && may_have_zeros(x))
		hide_operand(b, i, 1);
}

void
amdgpu_carries(struct cc_job *job)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(job->context);

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
			     i = LLVMGetNextInstruction(i))
				protect(b, i);
	LLVMDisposeBuilder(b);
}
