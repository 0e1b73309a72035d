/*
 * Instructions of the host's processor that have a plain meaning (design D1).
 *
 * cfg(target_arch = "x86_64") holds in the device pass too, so SSE2 paths of a
 * dependency reach kernels. Most of std::arch is ordinary vector code by the
 * time it is LLVM IR; the rest are calls of llvm.x86.*. Those below become
 * vector code of the same result, bit by bit; `check` names the others.
 */
#include "cc.h"

#include <string.h>

struct lowering {
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef a; /* first two operands, where there are any */
	LLVMValueRef b;
	LLVMTypeRef type; /* of the result */
};

typedef LLVMValueRef
lower_fn(struct lowering *l);

static LLVMTypeRef
vector(LLVMTypeRef element, unsigned count)
{
	return LLVMVectorType(element, count);
}

static LLVMTypeRef
integer(struct lowering *l, unsigned bits)
{
	return LLVMIntTypeInContext(l->context, bits);
}

/* A vector of count equal integers. */
static LLVMValueRef
splat(LLVMTypeRef element, unsigned count, uint64_t value)
{
	LLVMValueRef values[16];

	for (unsigned i = 0; i < count; i++)
		values[i] = LLVMConstInt(element, value, true);
	return LLVMConstVector(values, count);
}

/* Lanes first, first + step, ... of both operands in a row. */
static LLVMValueRef
shuffle(struct lowering *l, LLVMValueRef a, LLVMValueRef b, unsigned first,
	unsigned step, unsigned count)
{
	LLVMValueRef lanes[16];

	for (unsigned i = 0; i < count; i++)
		lanes[i] =
			LLVMConstInt(integer(l, 32), first + i * step, false);
	return LLVMBuildShuffleVector(l->builder, a, b,
				      LLVMConstVector(lanes, count), "");
}

/* minps: the second operand where one is not a number or both are zero. */
static LLVMValueRef
lower_min(struct lowering *l)
{
	LLVMValueRef less =
		LLVMBuildFCmp(l->builder, LLVMRealOLT, l->a, l->b, "");

	return LLVMBuildSelect(l->builder, less, l->a, l->b, "");
}

static LLVMValueRef
lower_max(struct lowering *l)
{
	LLVMValueRef more =
		LLVMBuildFCmp(l->builder, LLVMRealOGT, l->a, l->b, "");

	return LLVMBuildSelect(l->builder, more, l->a, l->b, "");
}

/* minss: lane 0 only; the others are the first operand's. */
static LLVMValueRef
lower_scalar(struct lowering *l, lower_fn *lower)
{
	LLVMValueRef zero = LLVMConstInt(integer(l, 32), 0, false);
	LLVMValueRef whole = l->a, lane;

	l->a = LLVMBuildExtractElement(l->builder, whole, zero, "");
	l->b = LLVMBuildExtractElement(l->builder, l->b, zero, "");
	lane = lower(l);
	return LLVMBuildInsertElement(l->builder, whole, lane, zero, "");
}

static LLVMValueRef
lower_min_scalar(struct lowering *l)
{
	return lower_scalar(l, lower_min);
}

static LLVMValueRef
lower_max_scalar(struct lowering *l)
{
	return lower_scalar(l, lower_max);
}

/* The sign of each lane as a bit. */
static LLVMValueRef
lower_mask(struct lowering *l)
{
	unsigned count = LLVMGetVectorSize(LLVMTypeOf(l->a));
	LLVMTypeRef element = integer(l, 128 / count);
	LLVMValueRef lanes =
		LLVMBuildBitCast(l->builder, l->a, vector(element, count), "");
	LLVMValueRef negative =
		LLVMBuildICmp(l->builder, LLVMIntSLT, lanes,
			      LLVMConstNull(vector(element, count)), "");
	LLVMValueRef bits =
		LLVMBuildBitCast(l->builder, negative, integer(l, count), "");

	return LLVMBuildZExt(l->builder, bits, l->type, "");
}

static LLVMValueRef
wide(struct lowering *l, LLVMValueRef value, bool is_signed)
{
	LLVMTypeRef type =
		vector(integer(l, 32), LLVMGetVectorSize(LLVMTypeOf(value)));

	return is_signed ? LLVMBuildSExt(l->builder, value, type, "")
			 : LLVMBuildZExt(l->builder, value, type, "");
}

static LLVMValueRef
multiply_high(struct lowering *l, bool is_signed)
{
	LLVMValueRef product =
		LLVMBuildMul(l->builder, wide(l, l->a, is_signed),
			     wide(l, l->b, is_signed), "");

	product = LLVMBuildLShr(l->builder, product,
				splat(integer(l, 32), 8, 16), "");
	return LLVMBuildTrunc(l->builder, product, l->type, "");
}

static LLVMValueRef
lower_multiply_high(struct lowering *l)
{
	return multiply_high(l, true);
}

static LLVMValueRef
lower_multiply_high_unsigned(struct lowering *l)
{
	return multiply_high(l, false);
}

/* pmaddwd: products of neighbours, added. */
static LLVMValueRef
lower_multiply_add(struct lowering *l)
{
	LLVMValueRef product = LLVMBuildMul(l->builder, wide(l, l->a, true),
					    wide(l, l->b, true), "");

	return LLVMBuildAdd(l->builder, shuffle(l, product, product, 0, 2, 4),
			    shuffle(l, product, product, 1, 2, 4), "");
}

/* Lanes of both operands, held within bounds, in half the width. */
static LLVMValueRef
pack(struct lowering *l, int64_t low, int64_t high)
{
	unsigned half = LLVMGetVectorSize(LLVMTypeOf(l->a));
	LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(l->a));
	LLVMValueRef all = shuffle(l, l->a, l->b, 0, 1, 2 * half);
	LLVMValueRef least = splat(element, 2 * half, (uint64_t)low);
	LLVMValueRef most = splat(element, 2 * half, (uint64_t)high);

	all = LLVMBuildSelect(
		l->builder,
		LLVMBuildICmp(l->builder, LLVMIntSLT, all, least, ""), least,
		all, "");
	all = LLVMBuildSelect(
		l->builder,
		LLVMBuildICmp(l->builder, LLVMIntSGT, all, most, ""), most, all,
		"");
	return LLVMBuildTrunc(l->builder, all, l->type, "");
}

static LLVMValueRef
lower_pack_signed(struct lowering *l)
{
	if (LLVMGetVectorSize(LLVMTypeOf(l->a)) == 8)
		return pack(l, -128, 127);
	return pack(l, -32768, 32767);
}

static LLVMValueRef
lower_pack_unsigned(struct lowering *l)
{
	return pack(l, 0, 255);
}

static LLVMValueRef
lower_fence(struct lowering *l)
{
	LLVMBuildFence(l->builder, LLVMAtomicOrderingSequentiallyConsistent,
		       false, "");
	return NULL;
}

static LLVMValueRef
lower_nothing(struct lowering *l)
{
	(void)l;
	return NULL;
}

static const struct instruction {
	const char *name;
	lower_fn *lower;
} instructions[] = {
	{"llvm.x86.sse.min.ps", lower_min},
	{"llvm.x86.sse.max.ps", lower_max},
	{"llvm.x86.sse2.min.pd", lower_min},
	{"llvm.x86.sse2.max.pd", lower_max},
	{"llvm.x86.sse.min.ss", lower_min_scalar},
	{"llvm.x86.sse.max.ss", lower_max_scalar},
	{"llvm.x86.sse2.min.sd", lower_min_scalar},
	{"llvm.x86.sse2.max.sd", lower_max_scalar},
	{"llvm.x86.sse.movmsk.ps", lower_mask},
	{"llvm.x86.sse2.movmsk.pd", lower_mask},
	{"llvm.x86.sse2.pmovmskb.128", lower_mask},
	{"llvm.x86.sse2.pmulh.w", lower_multiply_high},
	{"llvm.x86.sse2.pmulhu.w", lower_multiply_high_unsigned},
	{"llvm.x86.sse2.pmadd.wd", lower_multiply_add},
	{"llvm.x86.sse2.packsswb.128", lower_pack_signed},
	{"llvm.x86.sse2.packssdw.128", lower_pack_signed},
	{"llvm.x86.sse2.packuswb.128", lower_pack_unsigned},
	{"llvm.x86.sse.sfence", lower_fence},
	{"llvm.x86.sse2.lfence", lower_fence},
	{"llvm.x86.sse2.mfence", lower_fence},
	{"llvm.x86.sse2.pause", lower_nothing},
};

static void
replace(struct cc *cc, LLVMBuilderRef builder, LLVMValueRef call,
	lower_fn *lower)
{
	unsigned args = LLVMGetNumArgOperands(call);
	struct lowering l = {
		.context = cc->context,
		.builder = builder,
		.a = args > 0 ? LLVMGetOperand(call, 0) : NULL,
		.b = args > 1 ? LLVMGetOperand(call, 1) : NULL,
		.type = LLVMTypeOf(call),
	};
	LLVMValueRef value;

	LLVMPositionBuilderBefore(builder, call);
	value = lower(&l);
	if (value)
		LLVMReplaceAllUsesWith(call, value);
	LLVMInstructionEraseFromParent(call);
}

void
cc_lower_x86(struct cc *cc)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(cc->context);

	for (size_t i = 0; i < array_count(instructions); i++) {
		LLVMValueRef function =
			LLVMGetNamedFunction(cc->module, instructions[i].name);
		LLVMUseRef use;

		if (!function)
			continue;
		/* An intrinsic's only uses are calls. */
		while ((use = LLVMGetFirstUse(function)))
			replace(cc, builder, LLVMGetUser(use),
				instructions[i].lower);
		LLVMDeleteFunction(function);
	}
	LLVMDisposeBuilder(builder);
}
