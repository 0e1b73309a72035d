/*
 * Barriers and warp operations in a ramp: each becomes a suspension point.
 *
 * A suspension is a switch with three ways out, so it ends its basic block. The
 * part in front of the call moves to a block of its own, and the block itself
 * keeps what follows: phis of its successors stay right as they are.
 */
#include "cc/cpu.h"
#include "cc/lower.h"

#include <string.h>

struct ramp {
	struct cc_job *job;
	LLVMValueRef function;
	LLVMValueRef frame;
	LLVMValueRef turns;
	LLVMValueRef linear;
	LLVMValueRef total;
	LLVMBasicBlockRef suspended; /* where a suspended thread returns */
	LLVMBasicBlockRef destroyed;
	LLVMBuilderRef builder;
};

static LLVMBasicBlockRef
block_named(LLVMValueRef function, const char *name)
{
	LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function);

	while (b && strcmp(LLVMGetBasicBlockName(b), name) != 0)
		b = LLVMGetNextBasicBlock(b);
	return b;
}

static void
redirect(LLVMValueRef function, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

		for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
			if (LLVMGetSuccessor(end, i) == from)
				LLVMSetSuccessor(end, i, to);
	}
}

/* Moves what stands in front of the instruction to a new block that takes over
 * all the edges into the old one. The new block has no terminator yet. */
static LLVMBasicBlockRef
split_front(struct ramp *ramp, LLVMValueRef instruction)
{
	LLVMBasicBlockRef tail = LLVMGetInstructionParent(instruction), front;
	LLVMValueRef i;

	front = LLVMInsertBasicBlockInContext(ramp->job->context, tail,
					      "before.wait");
	redirect(ramp->function, tail, front);
	LLVMPositionBuilderAtEnd(ramp->builder, front);
	while ((i = LLVMGetFirstInstruction(tail)) != instruction) {
		LLVMInstructionRemoveFromParent(i);
		LLVMInsertIntoBuilder(ramp->builder, i);
	}
	return front;
}

static LLVMValueRef
number(struct ramp *ramp, unsigned bits, uint64_t value)
{
	return LLVMConstInt(LLVMIntTypeInContext(ramp->job->context, bits),
			    value, false);
}

/* Suspends in front of the instruction. */
static void
suspend(struct ramp *ramp, LLVMValueRef instruction,
	enum smelt_cpu_suspend reason)
{
	static const char noduplicate[] = "noduplicate";
	LLVMTypeRef byte = LLVMInt8TypeInContext(ramp->job->context);
	LLVMBasicBlockRef resumed;
	LLVMValueRef at, slot, state, way;
	LLVMValueRef args[2];

	split_front(ramp, instruction);
	resumed = LLVMGetInstructionParent(instruction);
	at = number(ramp, 64, offsetof(struct smelt_cpu_frame, suspend));
	slot = LLVMBuildInBoundsGEP2(ramp->builder, byte, ramp->frame, &at, 1,
				     "");
	state = LLVMBuildStore(ramp->builder, number(ramp, 32, reason), slot);
	LLVMSetAlignment(state, 4);
	args[0] = LLVMConstNull(LLVMTokenTypeInContext(ramp->job->context));
	args[1] = number(ramp, 1, 0);
	way = lower_intrinsic(ramp->job, ramp->builder, "llvm.coro.suspend",
			      NULL, 0, args, 2);
	LLVMAddCallSiteAttribute(
		way, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(
			ramp->job->context,
			LLVMGetEnumAttributeKindForName(noduplicate,
							strlen(noduplicate)),
			0));
	way = LLVMBuildSwitch(ramp->builder, way, ramp->suspended, 2);
	LLVMAddCase(way, number(ramp, 8, 0), resumed);
	LLVMAddCase(way, number(ramp, 8, 1), ramp->destroyed);
}

static LLVMValueRef
call_helper(struct ramp *ramp, const char *name, LLVMValueRef *args,
	    unsigned count)
{
	LLVMValueRef f = LLVMGetNamedFunction(ramp->job->module, name);

	return LLVMBuildCall2(ramp->builder, LLVMGlobalGetValueType(f), f, args,
			      count, "");
}

/* Shows the value, and a second one or NULL, to the warp and waits for the
 * others'. */
static void
exchange(struct ramp *ramp, LLVMValueRef call, LLVMValueRef value,
	 LLVMValueRef more)
{
	LLVMTypeRef word = LLVMInt32TypeInContext(ramp->job->context);
	LLVMValueRef args[4] = {ramp->frame, ramp->turns, ramp->linear};

	LLVMPositionBuilderBefore(ramp->builder, call);
	args[3] = LLVMBuildIntCast2(ramp->builder, value, word, false, "");
	call_helper(ramp, "smelt_cpu_offer", args, 4);
	if (more) {
		args[3] = more;
		call_helper(ramp, "smelt_cpu_offer_more", args, 4);
	}
	suspend(ramp, call, SMELT_CPU_WARP);
	LLVMPositionBuilderBefore(ramp->builder, call);
}

enum shuffle { SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };

/* The lane to read from, 32 or more for none. */
static LLVMValueRef
source_lane(struct ramp *ramp, enum shuffle kind, LLVMValueRef operand)
{
	LLVMBuilderRef b = ramp->builder;
	LLVMTypeRef word = LLVMInt32TypeInContext(ramp->job->context);
	LLVMValueRef own =
		LLVMBuildAnd(b, ramp->linear, number(ramp, 32, 31), "");
	LLVMValueRef args[2] = {own, operand};

	switch (kind) {
	case SHUFFLE_UP:
		return LLVMBuildSub(b, own, operand, "");
	case SHUFFLE_DOWN:
		return lower_intrinsic(ramp->job, b, "llvm.uadd.sat", &word, 1,
				       args, 2);
	case SHUFFLE_XOR:
		return LLVMBuildXor(b, own, operand, "");
	default:
		return operand;
	}
}

/* Whether the value is computed behind the call, in its block in front of
 * end. */
static bool
is_between(LLVMValueRef value, LLVMValueRef call, LLVMValueRef end)
{
	for (LLVMValueRef i = call; i && i != end;
	     i = LLVMGetNextInstruction(i))
		if (i == value)
			return true;
	return false;
}

/* Whether all that it is made of is there in front of the call. */
static bool
can_precede(LLVMValueRef instruction, LLVMValueRef call)
{
	for (int k = 0; k < LLVMGetNumOperands(instruction); k++)
		if (is_between(LLVMGetOperand(instruction, (unsigned)k), call,
			       instruction))
			return false;
	return true;
}

/* Arithmetic that takes a word apart or puts it together. */
static bool
is_of_words(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMLShr:
	case LLVMShl:
	case LLVMOr:
	case LLVMBitCast:
		return true;
	default:
		return false;
	}
}

/* The shuffle that follows for the other half of a word of 64 bits: the same
 * one, of another value, with nothing between that could tell whether they are
 * done together. What its value is made of moves in front of the first. NULL if
 * there is none. */
static LLVMValueRef
other_half(struct ramp *ramp, LLVMValueRef call)
{
	LLVMValueRef i, next;

	for (i = LLVMGetNextInstruction(call); i && is_of_words(i); i = next) {
		next = LLVMGetNextInstruction(i);
		if (!can_precede(i, call))
			continue;
		LLVMInstructionRemoveFromParent(i);
		LLVMPositionBuilderBefore(ramp->builder, call);
		LLVMInsertIntoBuilder(ramp->builder, i);
	}
	if (!i || lower_callee(i) != lower_callee(call) ||
	    LLVMGetOperand(i, 1) != LLVMGetOperand(call, 1) ||
	    !can_precede(i, call))
		return NULL;
	return i;
}

static LLVMValueRef
shuffle(struct ramp *ramp, LLVMValueRef call, enum shuffle kind)
{
	LLVMValueRef half = other_half(ramp, call);
	LLVMValueRef args[5] = {ramp->frame, ramp->turns, ramp->linear,
				ramp->total};

	exchange(ramp, call, LLVMGetOperand(call, 0),
		 half ? LLVMGetOperand(half, 0) : NULL);
	args[4] = source_lane(ramp, kind, LLVMGetOperand(call, 1));
	if (half) {
		LLVMReplaceAllUsesWith(
			half,
			call_helper(ramp, "smelt_cpu_take_more", args, 5));
		LLVMInstructionEraseFromParent(half);
	}
	return call_helper(ramp, "smelt_cpu_take", args, 5);
}

static LLVMValueRef
vote(struct ramp *ramp, LLVMValueRef call, const char *name)
{
	LLVMBuilderRef b = ramp->builder;
	LLVMValueRef args[4] = {ramp->frame, ramp->turns, ramp->linear,
				ramp->total};
	LLVMValueRef votes, yes, present;

	exchange(ramp, call, LLVMGetOperand(call, 0), NULL);
	votes = call_helper(ramp, "smelt_cpu_votes", args, 4);
	yes = LLVMBuildAnd(b, votes, number(ramp, 64, 0xffffffff), "");
	if (strcmp(name, "__smelt_ballot") == 0)
		return yes;
	if (strcmp(name, "__smelt_any") == 0)
		return LLVMBuildICmp(b, LLVMIntNE, yes, number(ramp, 64, 0),
				     "");
	present = LLVMBuildLShr(b, votes, number(ramp, 64, 32), "");
	return LLVMBuildICmp(b, LLVMIntEQ, yes, present, "");
}

static LLVMValueRef
barrier(struct ramp *ramp, LLVMValueRef call)
{
	suspend(ramp, call, SMELT_CPU_BARRIER);
	return number(ramp, 1, 0);
}

static const struct {
	const char *name;
	enum shuffle kind;
} shuffles[] = {
	{"__smelt_shuffle_idx_b32", SHUFFLE_IDX},
	{"__smelt_shuffle_up_b32", SHUFFLE_UP},
	{"__smelt_shuffle_down_b32", SHUFFLE_DOWN},
	{"__smelt_shuffle_xor_b32", SHUFFLE_XOR},
	{"__smelt_shuffle_raw_b32", SHUFFLE_IDX},
	{"__smelt_shuffle_near_b32", SHUFFLE_XOR},
};

/* What takes the call's place; NULL: it is none of ours. */
static LLVMValueRef
lower_call(struct ramp *ramp, LLVMValueRef call, const char *name)
{
	if (strcmp(name, "__smelt_barrier") == 0)
		return barrier(ramp, call);
	if (strcmp(name, "__smelt_ballot") == 0 ||
	    strcmp(name, "__smelt_any") == 0 ||
	    strcmp(name, "__smelt_all") == 0)
		return vote(ramp, call, name);
	for (size_t i = 0; i < array_count(shuffles); i++)
		if (strcmp(name, shuffles[i].name) == 0)
			return shuffle(ramp, call, shuffles[i].kind);
	return NULL;
}

/* The value of the call's type: votes are i1 or i8 depending on how the crate
 * declares bool. */
static LLVMValueRef
fit(struct ramp *ramp, LLVMValueRef call, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(call);

	if (LLVMTypeOf(value) == type)
		return value;
	LLVMPositionBuilderBefore(ramp->builder, call);
	return LLVMBuildIntCast2(ramp->builder, value, type, false, "");
}

/* One call of those; false if there was none left. */
static bool
lower_next(struct ramp *ramp)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ramp->function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = lower_callee(i), value;

			if (!callee ||
			    !starts_with(LLVMGetValueName(callee), "__smelt_"))
				continue;
			value = lower_call(ramp, i, LLVMGetValueName(callee));
			if (!value)
				continue;
			LLVMReplaceAllUsesWith(i, fit(ramp, i, value));
			LLVMInstructionEraseFromParent(i);
			return true;
		}
	return false;
}

void
cpu_suspend(struct cc_job *job, LLVMValueRef function)
{
	struct ramp ramp = {
		.job = job,
		.function = function,
		.frame = cpu_named(function, "frame"),
		.turns = cpu_named(function, "turns"),
		.linear = cpu_named(function, "linear"),
		.total = cpu_named(function, "total"),
		.suspended = block_named(function, "suspend"),
		.destroyed = block_named(function, "cleanup"),
		.builder = LLVMCreateBuilderInContext(job->context),
	};

	while (lower_next(&ramp))
		;
	LLVMDisposeBuilder(ramp.builder);
}

static void
refuse(struct cc_job *job, LLVMValueRef call, const char *name)
{
	cc_error(job->cc, cc_place_of(job->cc, call),
		 "`%s` in a function that cannot be inlined into its kernel",
		 name);
	cc_error_note("on the CPU a thread can only wait in its kernel; this "
		      "function is recursive or called through a pointer");
}

static const char *const meetings[] = {
	"__smelt_barrier",
	"__smelt_ballot",
	"__smelt_any",
	"__smelt_all",
	"__smelt_shuffle_idx_b32",
	"__smelt_shuffle_up_b32",
	"__smelt_shuffle_down_b32",
	"__smelt_shuffle_xor_b32",
	"__smelt_shuffle_raw_b32",
	"__smelt_shuffle_near_b32",
};

bool
cpu_is_meeting(const char *name)
{
	for (size_t i = 0; i < array_count(meetings); i++)
		if (strcmp(name, meetings[i]) == 0)
			return true;
	return false;
}

void
cpu_suspend_check(struct cc_job *job)
{
	for (size_t i = 0; i < array_count(meetings); i++) {
		LLVMValueRef f = LLVMGetNamedFunction(job->module, meetings[i]);
		LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL;

		if (use && LLVMIsAInstruction(LLVMGetUser(use)))
			refuse(job, LLVMGetUser(use), meetings[i]);
	}
	cc_error_check(job->cc);
}
