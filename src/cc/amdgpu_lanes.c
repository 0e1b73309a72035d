/*
 * Values of other lanes by way of DPP ("Data Parallel Primitives" in AMD's
 * manuals of the instruction sets, and LLVM's AMDGPUUsage): a move, or an
 * operand of the instruction that uses the value, instead of a trip through
 * LDS. Lanes come in rows of 16, and within a row in banks of four.
 */
#include "cc/amdgpu.h"

#include <string.h>

enum {
	quad_perm = 0x000, /* and the four lanes to read from, two bits each */
	row_shl = 0x100,   /* lane i reads i + n */
	row_shr = 0x110,
	row_ror = 0x120,
	row_xmask = 0x160, /* lane i reads i ^ n; from gfx10 on */
	all_banks = 0xf,
	even_banks = 0x5,
	odd_banks = 0xa,
	swizzle_lanes = 0x1f, /* of ds_swizzle: keep these bits of the lane */
	swizzle_xor = 10,     /* and flip those from here on */
};

/* What follows "gfx", without the last two digits: 7, 9, 10, 11, .. */
static unsigned
generation(const char *arch)
{
	unsigned gfx = 0;

	/* The last two may be letters. */
	for (size_t i = 3; i + 2 < strlen(arch); i++)
		gfx = 10 * gfx + (unsigned)(arch[i] - '0');
	return gfx;
}

static LLVMValueRef
number(struct cc_job *job, unsigned value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(job->context), value, false);
}

/* The lanes of those banks read as `how` says, the others have `old`. */
static LLVMValueRef
dpp(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef old,
    LLVMValueRef value, unsigned how, unsigned banks)
{
	LLVMTypeRef i1 = LLVMInt1TypeInContext(job->context);
	LLVMTypeRef i32 = LLVMTypeOf(value);
	/* All rows; no lane of these reads outside its row, so the last, what
	 * such a one gets, is free: LLVM folds moves that have it set. */
	LLVMValueRef args[6] = {old ? old : LLVMGetPoison(i32),
				value,
				number(job, how),
				number(job, 0xf),
				number(job, banks),
				LLVMConstInt(i1, banks == all_banks, false)};

	return lower_intrinsic(job, builder, "llvm.amdgcn.update.dpp", &i32, 1,
			       args, 6);
}

/* Lane i reads i ^ mask, within a quad. */
static unsigned
quad(unsigned mask)
{
	unsigned how = quad_perm;

	for (unsigned lane = 0; lane < 4; lane++)
		how |= (lane ^ mask) << 2 * lane;
	return how;
}

/* The other row of two, lane by lane: from gfx10 on. */
static LLVMValueRef
other_row(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef value)
{
	LLVMTypeRef i1 = LLVMInt1TypeInContext(job->context);
	LLVMTypeRef i32 = LLVMTypeOf(value);
	LLVMValueRef args[6] = {
		LLVMGetPoison(i32),	    value,
		number(job, 0x76543210),    number(job, 0xfedcba98),
		LLVMConstInt(i1, 0, false), LLVMConstInt(i1, 1, false)};

	return lower_intrinsic(job, builder, "llvm.amdgcn.permlanex16", &i32, 1,
			       args, 6);
}

LLVMValueRef
amdgpu_near(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef value,
	    unsigned mask)
{
	unsigned gfx = generation(job->arch);
	LLVMValueRef args[2] = {
		value, number(job, mask << swizzle_xor | swizzle_lanes)};

	if (gfx >= 8 && mask < 4)
		return dpp(job, builder, NULL, value, quad(mask), all_banks);
	if (gfx >= 10 && mask < 16)
		return dpp(job, builder, NULL, value, row_xmask + mask,
			   all_banks);
	if (gfx >= 10 && mask == 16)
		return other_row(job, builder, value);
	if (gfx >= 8 && mask == 4)
		return dpp(
			job, builder,
			dpp(job, builder, NULL, value, row_shl + 4, even_banks),
			value, row_shr + 4, odd_banks);
	if (gfx >= 8 && mask == 8)
		return dpp(job, builder, NULL, value, row_ror + 8, all_banks);
	if (mask < 32)
		return lower_intrinsic(job, builder, "llvm.amdgcn.ds.swizzle",
				       NULL, 0, args, 2);
	return NULL;
}
