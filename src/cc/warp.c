/*
 * Warp operations on a GPU, built from a lane number, a ballot and a permute.
 *
 * All lanes of the warp that have not ended must take part; a ballot of `true`
 * tells which those are. A shuffle from any other lane gives the thread's own
 * value: the hardware would give whatever is left in a register, and block
 * sizes that are no multiple of the warp make such lanes without anyone asking.
 */
#include "cc/lower.h"

#include <string.h>

/* The operations of the target at work; a forked process has one. */
static const struct lower_warp *warp;

static LLVMValueRef
make_lane(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	(void)call;
	return warp->lane(job, builder);
}

static LLVMValueRef
make_size(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	(void)call;
	return warp->size(job, builder);
}

/* The value of lane `from`, or `own` where there is no such lane. */
static LLVMValueRef
shuffle_from(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef own,
	     LLVMValueRef from)
{
	LLVMTypeRef i1 = LLVMInt1TypeInContext(job->context);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(job->context);
	LLVMValueRef size = warp->size(job, builder), inside, lane, taken,
		     alive;

	inside = LLVMBuildICmp(builder, LLVMIntULT, from, size, "inside");
	/* A warp has a power of two of lanes. */
	lane = LLVMBuildAnd(
		builder, from,
		LLVMBuildSub(builder, size,
			     LLVMConstInt(LLVMTypeOf(size), 1, false), ""),
		"lane");
	alive = warp->ballot(job, builder, LLVMConstInt(i1, 1, false));
	alive = LLVMBuildLShr(builder, alive,
			      LLVMBuildZExt(builder, lane, i64, ""), "");
	alive = LLVMBuildTrunc(builder, alive, i1, "alive");
	taken = warp->permute(job, builder, own, lane);
	return LLVMBuildSelect(builder,
			       LLVMBuildAnd(builder, inside, alive, ""), taken,
			       own, "shuffle");
}

static LLVMValueRef
shuffle_idx(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	return shuffle_from(job, builder, LLVMGetOperand(call, 0),
			    LLVMGetOperand(call, 1));
}

/* A difference below zero is a lane outside, as an unsigned number. */
static LLVMValueRef
shuffle_up(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef from = LLVMBuildSub(builder, warp->lane(job, builder),
					 LLVMGetOperand(call, 1), "");

	return shuffle_from(job, builder, LLVMGetOperand(call, 0), from);
}

/* A sum that wraps would land inside again, so the delta is cut to one warp. */
static LLVMValueRef
shuffle_down(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef delta = LLVMGetOperand(call, 1), args[2], from;
	LLVMTypeRef type = LLVMTypeOf(delta);

	args[0] = delta;
	args[1] = LLVMConstInt(type, 64, false);
	delta = lower_intrinsic(job, builder, "llvm.umin", &type, 1, args, 2);
	from = LLVMBuildAdd(builder, warp->lane(job, builder), delta, "");
	return shuffle_from(job, builder, LLVMGetOperand(call, 0), from);
}

static LLVMValueRef
shuffle_xor(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef from = LLVMBuildXor(builder, warp->lane(job, builder),
					 LLVMGetOperand(call, 1), "");

	return shuffle_from(job, builder, LLVMGetOperand(call, 0), from);
}

/* The lane is one that takes part, says the caller, or the value is not used.
 */
static LLVMValueRef
shuffle_raw(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	return warp->permute(job, builder, LLVMGetOperand(call, 0),
			     LLVMGetOperand(call, 1));
}

/* The same of the lane whose number has other bits where the mask has ones:
 * most often a constant, for which a target may have an instruction. */
static LLVMValueRef
shuffle_near(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef value = LLVMGetOperand(call, 0), taken = NULL;
	LLVMValueRef mask = LLVMGetOperand(call, 1);

	if (LLVMIsAConstantInt(mask))
		taken = warp->near(job, builder, value,
				   (unsigned)LLVMConstIntGetZExtValue(mask));
	if (taken)
		return taken;
	return warp->permute(
		job, builder, value,
		LLVMBuildXor(builder, warp->lane(job, builder), mask, ""));
}

static LLVMValueRef
make_ballot(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	return warp->ballot(job, builder, LLVMGetOperand(call, 0));
}

static LLVMValueRef
make_any(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef votes =
		warp->ballot(job, builder, LLVMGetOperand(call, 0));

	return LLVMBuildICmp(builder, LLVMIntNE, votes,
			     LLVMConstInt(LLVMTypeOf(votes), 0, false), "any");
}

static LLVMValueRef
make_all(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef against = warp->ballot(
		job, builder,
		LLVMBuildNot(builder, LLVMGetOperand(call, 0), ""));

	return LLVMBuildICmp(builder, LLVMIntEQ, against,
			     LLVMConstInt(LLVMTypeOf(against), 0, false),
			     "all");
}

void
lower_warp_operations(struct cc_job *job, const struct lower_warp *ops)
{
	static const struct {
		const char *name;
		cc_replace_fn *make;
	} operations[] = {
		{"__smelt_lane_id", make_lane},
		{"__smelt_warp_size", make_size},
		{"__smelt_shuffle_idx_b32", shuffle_idx},
		{"__smelt_shuffle_up_b32", shuffle_up},
		{"__smelt_shuffle_down_b32", shuffle_down},
		{"__smelt_shuffle_xor_b32", shuffle_xor},
		{"__smelt_shuffle_raw_b32", shuffle_raw},
		{"__smelt_shuffle_near_b32", shuffle_near},
		{"__smelt_ballot", make_ballot},
		{"__smelt_any", make_any},
		{"__smelt_all", make_all},
	};

	warp = ops;
	for (size_t i = 0; i < array_count(operations); i++)
		cc_replace_calls(job, operations[i].name, operations[i].make);
}

static bool
is_constant_call(LLVMValueRef call)
{
	for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
		if (!LLVMIsConstant(LLVMGetOperand(call, k)))
			return false;
	return true;
}

static bool
is_same_call(LLVMValueRef a, LLVMValueRef b)
{
	for (int k = 0; k < LLVMGetNumOperands(a); k++)
		if (LLVMGetOperand(a, (unsigned)k) !=
		    LLVMGetOperand(b, (unsigned)k))
			return false;
	return true;
}

static void
join_votes_of(LLVMBasicBlockRef block, LLVMValueRef vote)
{
	LLVMValueRef first = NULL, next, callee;

	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (!LLVMIsACallInst(i))
			continue;
		callee = lower_callee(i);
		/* A lane may end in a function. */
		if (!callee || !LLVMGetIntrinsicID(callee))
			first = NULL;
		if (callee != vote || !is_constant_call(i))
			continue;
		if (first && is_same_call(first, i)) {
			LLVMReplaceAllUsesWith(i, first);
			LLVMInstructionEraseFromParent(i);
		} else {
			first = i;
		}
	}
}

void
lower_join_votes(struct cc_job *job, const char *intrinsic)
{
	LLVMValueRef vote = LLVMGetNamedFunction(job->module, intrinsic);

	if (!vote)
		return;
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			join_votes_of(b, vote);
}
