/*
 * Checks that hold for a whole range of x, taken out of the loop over x.
 *
 * Safe code checks indices, and each check is a way out of the loop that LLVM's
 * vectoriser does not accept. Nearly all of them compare a + b * x, where a and
 * b are the same for a whole row of threads, with something that is the same
 * too. For these the x that pass are a range that can be worked out in front of
 * the loop: the loop over that range then runs without the checks (and
 * vectorises), the rest of the row with them. No check is lost: a thread
 * outside the range meets it as before.
 *
 * Why not LLVM's InductiveRangeCheckElimination: it wants counted loops whose
 * checks are likely by profile, signed lengths, and no merged conditions; the
 * checks of a stencil (x - 1, in unsigned arithmetic that wraps) it leaves
 * alone.
 *
 * Arithmetic is modulo 2^bits, as in the machine. What is worked out in front
 * of the loop may be an operation that the thread would not have come to; so
 * nothing that traps is moved, and the results are frozen.
 */
#include "cc/checks.h"
#include "cc/cpu.h"
#include "cc/lower.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <string.h>

enum { max_depth = 40 };

/* base + scale * x; scale NULL: 0. Both of the type of the value. */
struct affine {
	LLVMValueRef base;
	LLVMValueRef scale;
};

/* Working out bounds in a wrapper. */
struct bounds {
	struct cc_job *job;
	LLVMBuilderRef builder;
	LLVMValueRef thread;
	LLVMValueRef wrapper;
	struct cc_map *copies; /* of the thread function's values */
	LLVMValueRef range;    /* {low, high} so far */
};

static LLVMValueRef
callee_of(LLVMValueRef value)
{
	return LLVMIsAInstruction(value) ? lower_callee(value) : NULL;
}

static bool
is_call_of(LLVMValueRef value, const char *name)
{
	LLVMValueRef callee = callee_of(value);

	return callee && strcmp(LLVMGetValueName(callee), name) == 0;
}

/* ---- values that are the same for a row ---- */

static LLVMValueRef
copy_of(struct bounds *bounds, LLVMValueRef value, int depth);

static bool
is_uniform_call(LLVMValueRef call)
{
	static const char *const names[] = {
		"__smelt_thread_idx_y", "__smelt_thread_idx_z",
		"__smelt_shared",	"__smelt_dynamic_shared",
		"__smelt_ended",	"__smelt_uniform_in",
		"llvm.umin.i64",	"llvm.umax.i64",
		"llvm.smin.i64",	"llvm.smax.i64",
		"llvm.umin.i32",	"llvm.umax.i32",
		"llvm.smin.i32",	"llvm.smax.i32",
		"llvm.usub.sat.i64",	"llvm.uadd.sat.i64",
		"llvm.usub.sat.i32",	"llvm.uadd.sat.i32",
	};
	LLVMValueRef callee = callee_of(call);
	const char *name = callee ? LLVMGetValueName(callee) : "";

	if (starts_with(name, "__smelt_block_") ||
	    starts_with(name, "__smelt_grid_"))
		return true;
	for (size_t i = 0; i < array_count(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* The thread function's parameter, at a constant distance, or what a part of it
 * got from the one before: memory that is there whatever the thread does, and
 * that nobody writes meanwhile. */
static bool
is_block_address(struct bounds *bounds, LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer)) {
		for (int i = 1; i < LLVMGetNumOperands(pointer); i++)
			if (!LLVMIsAConstantInt(
				    LLVMGetOperand(pointer, (unsigned)i)))
				return false;
		pointer = LLVMGetOperand(pointer, 0);
	}
	return pointer == LLVMGetParam(bounds->thread, 0) ||
	       is_call_of(pointer, "__smelt_uniform_in");
}

static bool
is_movable(struct bounds *bounds, LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMICmp:
	case LLVMSelect:
	case LLVMGetElementPtr:
	case LLVMPtrToInt:
		return true;
	case LLVMLoad:
		return !LLVMGetVolatile(instruction) &&
		       LLVMGetOrdering(instruction) ==
			       LLVMAtomicOrderingNotAtomic &&
		       is_block_address(bounds, LLVMGetOperand(instruction, 0));
	case LLVMCall:
		return is_uniform_call(instruction);
	default:
		return false;
	}
}

/* What metadata promised held where the thread stood, not here. */
static void
drop_metadata(LLVMValueRef instruction)
{
	size_t count;
	LLVMValueMetadataEntry *entries =
		LLVMInstructionGetAllMetadataOtherThanDebugLoc(instruction,
							       &count);

	for (size_t i = 0; i < count; i++)
		LLVMSetMetadata(
			instruction,
			LLVMValueMetadataEntriesGetKind(entries, (unsigned)i),
			NULL);
	LLVMDisposeValueMetadataEntries(entries);
}

static LLVMValueRef
copy_instruction(struct bounds *bounds, LLVMValueRef original, int depth)
{
	LLVMValueRef operands[8], copy;
	unsigned count = (unsigned)LLVMGetNumOperands(original);

	if (LLVMIsACallInst(original))
		count--; /* the callee stays */
	if (count > array_count(operands) || !is_movable(bounds, original))
		return NULL;
	for (unsigned i = 0; i < count; i++) {
		operands[i] =
			copy_of(bounds, LLVMGetOperand(original, i), depth - 1);
		if (!operands[i])
			return NULL;
	}
	copy = LLVMInstructionClone(original);
	for (unsigned i = 0; i < count; i++)
		LLVMSetOperand(copy, i, operands[i]);
	LLVMInsertIntoBuilder(bounds->builder, copy);
	drop_metadata(copy);
	LLVMInstructionSetDebugLoc(copy, NULL);
	return copy;
}

/* The value in front of the wrapper's loop; NULL if it is not the same for a
 * row or cannot be computed there. */
static LLVMValueRef
copy_of(struct bounds *bounds, LLVMValueRef value, int depth)
{
	LLVMValueRef copy;

	if (value == LLVMGetParam(bounds->thread, 0))
		return LLVMGetParam(bounds->wrapper, 0);
	if (LLVMIsAConstant(value))
		return LLVMIsAConstantExpr(value) ? NULL : value;
	if (!LLVMIsAInstruction(value) || depth == 0)
		return NULL;
	copy = cc_map_get(bounds->copies, value);
	if (copy)
		return copy;
	copy = copy_instruction(bounds, value, depth);
	if (copy)
		cc_map_set(bounds->job->arena, bounds->copies, value, copy);
	return copy;
}

/* ---- values that grow evenly with x ---- */

static void
clip(struct bounds *bounds, struct affine value, LLVMValueRef last,
     LLVMValueRef never);

static LLVMValueRef
number(LLVMValueRef like, uint64_t value)
{
	return LLVMConstInt(LLVMTypeOf(like), value, false);
}

static LLVMValueRef
add_or(struct bounds *bounds, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b)
{
	if (!b)
		return a;
	if (!a)
		return op == LLVMSub ? LLVMBuildNeg(bounds->builder, b, "") : b;
	return LLVMBuildBinOp(bounds->builder, op, a, b, "");
}

static bool
affine_of(struct bounds *bounds, LLVMValueRef value, struct affine *result,
	  int depth);

static bool
affine_sum(struct bounds *bounds, LLVMValueRef value, LLVMOpcode op,
	   struct affine *result, int depth)
{
	struct affine a, b;

	if (!affine_of(bounds, LLVMGetOperand(value, 0), &a, depth - 1) ||
	    !affine_of(bounds, LLVMGetOperand(value, 1), &b, depth - 1))
		return false;
	result->base = add_or(bounds, op, a.base, b.base);
	result->scale = add_or(bounds, op, a.scale, b.scale);
	return true;
}

static bool
affine_product(struct bounds *bounds, LLVMValueRef value, struct affine *result,
	       int depth)
{
	struct affine a, b;

	if (!affine_of(bounds, LLVMGetOperand(value, 0), &a, depth - 1) ||
	    !affine_of(bounds, LLVMGetOperand(value, 1), &b, depth - 1) ||
	    (a.scale && b.scale))
		return false;
	result->base = LLVMBuildMul(bounds->builder, a.base, b.base, "");
	result->scale = NULL;
	if (a.scale)
		result->scale =
			LLVMBuildMul(bounds->builder, a.scale, b.base, "");
	if (b.scale)
		result->scale =
			LLVMBuildMul(bounds->builder, b.scale, a.base, "");
	return true;
}

static bool
affine_shift(struct bounds *bounds, LLVMValueRef value, struct affine *result,
	     int depth)
{
	LLVMValueRef by = LLVMGetOperand(value, 1);
	struct affine a;

	if (!LLVMIsAConstantInt(by) ||
	    !affine_of(bounds, LLVMGetOperand(value, 0), &a, depth - 1))
		return false;
	result->base = LLVMBuildShl(bounds->builder, a.base, by, "");
	result->scale =
		a.scale ? LLVMBuildShl(bounds->builder, a.scale, by, "") : NULL;
	return true;
}

/* Widening is even only while the narrow value does not wrap: one more thing
 * that the range has to keep to. */
static bool
affine_widen(struct bounds *bounds, LLVMValueRef value, bool is_signed,
	     struct affine *result, int depth)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMValueRef inner = LLVMGetOperand(value, 0);
	struct affine a, shifted;
	unsigned bits;

	if (is_call_of(inner, "__smelt_thread_idx_x") && !is_signed) {
		result->base = LLVMConstInt(type, 0, false);
		result->scale = LLVMConstInt(type, 1, false);
		return true;
	}
	bits = LLVMGetIntTypeWidth(LLVMTypeOf(inner));
	if (bits != 32 || LLVMGetIntTypeWidth(type) != 64 ||
	    !affine_of(bounds, inner, &a, depth - 1) || !a.scale)
		return false;
	result->base =
		LLVMBuildIntCast2(bounds->builder, a.base, type, is_signed, "");
	result->scale = LLVMBuildIntCast2(bounds->builder, a.scale, type,
					  is_signed, "");
	shifted = *result;
	if (is_signed)
		shifted.base =
			LLVMBuildAdd(bounds->builder, shifted.base,
				     LLVMConstInt(type, 1u << 31, false), "");
	clip(bounds, shifted, LLVMConstInt(type, 0xffffffff, false), NULL);
	return true;
}

static bool
affine_narrow(struct bounds *bounds, LLVMValueRef value, struct affine *result,
	      int depth)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	struct affine a;

	if (!affine_of(bounds, LLVMGetOperand(value, 0), &a, depth - 1))
		return false;
	result->base = LLVMBuildTrunc(bounds->builder, a.base, type, "");
	result->scale =
		a.scale ? LLVMBuildTrunc(bounds->builder, a.scale, type, "")
			: NULL;
	return true;
}

static bool
affine_of(struct bounds *bounds, LLVMValueRef value, struct affine *result,
	  int depth)
{
	LLVMValueRef same = copy_of(bounds, value, max_depth);

	*result = (struct affine){same, NULL};
	if (same)
		return true;
	if (!LLVMIsAInstruction(value) || depth == 0)
		return false;
	if (is_call_of(value, "__smelt_thread_idx_x")) {
		result->base = number(value, 0);
		result->scale = number(value, 1);
		return true;
	}
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMAdd:
		return affine_sum(bounds, value, LLVMAdd, result, depth);
	case LLVMSub:
		return affine_sum(bounds, value, LLVMSub, result, depth);
	case LLVMOr:
		return LLVMGetIsDisjoint(value) &&
		       affine_sum(bounds, value, LLVMAdd, result, depth);
	case LLVMMul:
		return affine_product(bounds, value, result, depth);
	case LLVMShl:
		return affine_shift(bounds, value, result, depth);
	case LLVMZExt:
		return affine_widen(bounds, value, false, result, depth);
	case LLVMSExt:
		return affine_widen(bounds, value, true, result, depth);
	case LLVMTrunc:
		return affine_narrow(bounds, value, result, depth);
	default:
		return false;
	}
}

/* An address as a number: what a pointer that is the same for the row is, plus
 * the bytes that even indices add. */
static bool
affine_address(struct bounds *bounds, LLVMValueRef pointer,
	       struct affine *result, int depth)
{
	LLVMBuilderRef b = bounds->builder;
	LLVMTypeRef wide = LLVMInt64TypeInContext(bounds->job->context);
	LLVMValueRef same = copy_of(bounds, pointer, max_depth), size;
	struct affine index;

	if (same) {
		*result = (struct affine){LLVMBuildPtrToInt(b, same, wide, ""),
					  NULL};
		return true;
	}
	if (!LLVMIsAGetElementPtrInst(pointer) || depth == 0 ||
	    LLVMGetNumOperands(pointer) != 2 ||
	    LLVMTypeOf(LLVMGetOperand(pointer, 1)) != wide ||
	    !affine_address(bounds, LLVMGetOperand(pointer, 0), result,
			    depth - 1) ||
	    !affine_of(bounds, LLVMGetOperand(pointer, 1), &index, depth - 1))
		return false;
	size = LLVMConstInt(
		wide,
		LLVMABISizeOfType(LLVMGetModuleDataLayout(bounds->job->module),
				  LLVMGetGEPSourceElementType(pointer)),
		false);
	result->base = LLVMBuildAdd(b, result->base,
				    LLVMBuildMul(b, index.base, size, ""), "");
	if (index.scale)
		result->scale = add_or(bounds, LLVMAdd, result->scale,
				       LLVMBuildMul(b, index.scale, size, ""));
	return true;
}

static bool
affine_operand(struct bounds *bounds, LLVMValueRef value, struct affine *result)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
		return affine_address(bounds, value, result, 12);
	return affine_of(bounds, value, result, 12);
}

/* ---- comparisons ---- */

/* Constant and negative, as a signed number. */
static bool
is_negative(LLVMValueRef value)
{
	return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) < 0;
}

/* Narrows the range to x with value <= last (unsigned). never: no x at all. */
static void
clip(struct bounds *bounds, struct affine value, LLVMValueRef last,
     LLVMValueRef never)
{
	LLVMBuilderRef b = bounds->builder;
	LLVMTypeRef wide = LLVMInt64TypeInContext(bounds->job->context);
	LLVMTypeRef type = LLVMTypeOf(value.base);
	unsigned bits = LLVMGetIntTypeWidth(type);
	LLVMValueRef scale = value.scale ? value.scale : number(last, 0);
	LLVMValueRef f =
		LLVMGetNamedFunction(bounds->job->module, "smelt_cpu_clip");
	LLVMValueRef args[6] = {bounds->range};

	if (is_negative(scale)) {
		/* value <= last is last - value <= last */
		value.base = LLVMBuildSub(b, last, value.base, "");
		scale = LLVMBuildNeg(b, scale, "");
	}
	args[1] = LLVMBuildFreeze(b, value.base, "");
	args[2] = LLVMBuildFreeze(b, scale, "");
	args[3] = LLVMBuildFreeze(b, last, "");
	for (int i = 1; i < 4; i++)
		args[i] = LLVMBuildIntCast2(b, args[i], wide, false, "");
	args[4] = LLVMConstInt(wide, bits == 64 ? ~0ull : (1ull << bits) - 1,
			       false);
	args[5] = never ? LLVMBuildFreeze(b, never, "")
			: LLVMConstInt(
				  LLVMInt1TypeInContext(bounds->job->context),
				  0, false);
	bounds->range =
		LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, 6, "");
}

/* Signed comparisons are unsigned ones of both sides plus 2^(bits-1). */
static LLVMIntPredicate
make_unsigned(struct bounds *bounds, LLVMIntPredicate predicate,
	      struct affine *left, LLVMValueRef *right)
{
	LLVMTypeRef type = LLVMTypeOf(*right);
	LLVMValueRef half = LLVMConstInt(
		type, 1ull << (LLVMGetIntTypeWidth(type) - 1), false);

	if (predicate < LLVMIntSGT)
		return predicate;
	left->base = LLVMBuildXor(bounds->builder, left->base, half, "");
	*right = LLVMBuildXor(bounds->builder, *right, half, "");
	return predicate - LLVMIntSGT + LLVMIntUGT;
}

/* Narrows the range to x with left PREDICATE right. Every form becomes "left
 * plus something is at most something": see clip. */
static void
clip_compare(struct bounds *bounds, LLVMIntPredicate predicate,
	     struct affine left, LLVMValueRef right)
{
	LLVMBuilderRef b = bounds->builder;
	LLVMValueRef zero = number(right, 0), one = number(right, 1);
	LLVMValueRef all = LLVMConstAllOnes(LLVMTypeOf(right));
	LLVMValueRef never = NULL;

	predicate = make_unsigned(bounds, predicate, &left, &right);
	switch (predicate) {
	case LLVMIntULT:
		never = LLVMBuildICmp(b, LLVMIntEQ, right, zero, "");
		right = LLVMBuildSub(b, right, one, "");
		break;
	case LLVMIntULE:
		break;
	case LLVMIntUGT: /* left - right - 1 <= -1 - right - 1 */
		never = LLVMBuildICmp(b, LLVMIntEQ, right, all, "");
		right = LLVMBuildAdd(b, right, one, "");
		left.base = LLVMBuildSub(b, left.base, right, "");
		right = LLVMBuildSub(b, all, right, "");
		break;
	case LLVMIntUGE:
		left.base = LLVMBuildSub(b, left.base, right, "");
		right = LLVMBuildSub(b, all, right, "");
		break;
	case LLVMIntEQ:
		left.base = LLVMBuildSub(b, left.base, right, "");
		right = zero;
		break;
	default: /* left - right - 1 <= -2 */
		right = LLVMBuildAdd(b, right, one, "");
		left.base = LLVMBuildSub(b, left.base, right, "");
		right = LLVMConstInt(LLVMTypeOf(right), ~1ull, true);
		break;
	}
	clip(bounds, left, right, never);
}

/* Narrows the range by one check; false (and no narrower) if it does not grow
 * evenly with x. */
static bool
bound_check(struct bounds *bounds, const struct cpu_check *check)
{
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(check->compare);
	LLVMValueRef before = bounds->range;
	struct affine left, right;

	if (!affine_operand(bounds, LLVMGetOperand(check->compare, 0), &left) ||
	    !affine_operand(bounds, LLVMGetOperand(check->compare, 1),
			    &right)) {
		bounds->range = before;
		return false;
	}
	if (!check->wanted)
		predicate = checks_inverse(predicate);
	if (left.scale && right.scale) {
		/* x on both sides: only where the difference says all */
		bounds->range = before;
		return false;
	}
	if (right.scale) {
		struct affine other = left;

		left = right;
		right = other;
		predicate = checks_mirrored(predicate);
	}
	clip_compare(bounds, predicate, left, right.base);
	return true;
}

/* ---- in the thread function and in the wrapper ---- */

static LLVMValueRef
marker(struct cc_job *job)
{
	LLVMTypeRef bit = LLVMInt1TypeInContext(job->context);
	LLVMTypeRef params[2] = {bit, bit};
	LLVMValueRef f = LLVMGetNamedFunction(job->module, "smelt.check");

	if (f)
		return f;
	f = LLVMAddFunction(job->module, "smelt.check",
			    LLVMFunctionType(bit, params, 2, false));
	lower_add(job, f, "memory", 0);
	lower_add(job, f, "nounwind", 0);
	lower_add(job, f, "willreturn", 0);
	return f;
}

/* Puts the comparison behind smelt.check. */
static void
mark(struct cc_job *job, LLVMBuilderRef builder, const struct cpu_check *check)
{
	LLVMTypeRef bit = LLVMInt1TypeInContext(job->context);
	LLVMValueRef f = marker(job);
	LLVMValueRef args[2] = {check->compare,
				LLVMConstInt(bit, check->wanted, false)};
	LLVMValueRef call;

	LLVMPositionBuilderBefore(builder,
				  LLVMGetNextInstruction(check->compare));
	call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, args, 2,
			      "");
	LLVMReplaceAllUsesWith(check->compare, call);
	LLVMSetOperand(call, 0, check->compare);
}

/* The call of smelt.low or smelt.high in the wrapper. */
static LLVMValueRef
find_call(LLVMValueRef function, const char *name)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			if (is_call_of(i, name))
				return i;
	return NULL;
}

static void
replace_call(LLVMValueRef call, LLVMValueRef value)
{
	LLVMReplaceAllUsesWith(call, value);
	LLVMInstructionEraseFromParent(call);
}

/* low at most the end of the row, high at least low: the three parts of the row
 * follow one another even where the range is empty. */
static void
set_bounds(struct bounds *bounds, LLVMValueRef low_call, LLVMValueRef high_call)
{
	LLVMBuilderRef b = bounds->builder;
	LLVMTypeRef wide = LLVMTypeOf(low_call);
	LLVMValueRef low[2] = {LLVMBuildExtractValue(b, bounds->range, 0, ""),
			       LLVMGetOperand(low_call, 1)};
	LLVMValueRef high[2] = {LLVMBuildExtractValue(b, bounds->range, 1, "")};

	high[1] =
		lower_intrinsic(bounds->job, b, "llvm.umin", &wide, 1, low, 2);
	replace_call(high_call, lower_intrinsic(bounds->job, b, "llvm.umax",
						&wide, 1, high, 2));
	replace_call(low_call, high[1]);
}

/* Works out the range for one wrapper. */
static void
bound_wrapper(struct cc_job *job, struct cpu_checks *checks,
	      LLVMValueRef wrapper)
{
	LLVMValueRef low = find_call(wrapper, "smelt.low");
	LLVMValueRef high = find_call(wrapper, "smelt.high");
	LLVMTypeRef wide = LLVMTypeOf(low), pair[2] = {wide, wide};
	LLVMTypeRef type =
		LLVMStructTypeInContext(job->context, pair, 2, false);
	struct bounds bounds = {
		.job = job,
		.builder = LLVMCreateBuilderInContext(job->context),
		.thread = checks->thread,
		.wrapper = wrapper,
		.copies = cc_map_new(job->arena),
	};

	LLVMPositionBuilderBefore(bounds.builder, low);
	bounds.range = LLVMBuildInsertValue(bounds.builder, LLVMGetPoison(type),
					    LLVMGetOperand(low, 0), 0, "");
	bounds.range = LLVMBuildInsertValue(bounds.builder, bounds.range,
					    LLVMGetOperand(low, 1), 1, "");
	for (size_t i = 0; i < checks->count; i++)
		checks->list[i].bound = bound_check(&bounds, &checks->list[i]);
	set_bounds(&bounds, low, high);
	LLVMDisposeBuilder(bounds.builder);
}

void
cpu_ranges_apply(struct cc_job *job, LLVMValueRef thread,
		 const LLVMValueRef *wrappers, size_t count)
{
	struct cpu_checks checks = {.thread = thread};
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);

	cpu_checks_find(&checks);
	for (size_t i = 0; i < count; i++)
		bound_wrapper(job, &checks, wrappers[i]);
	for (size_t i = 0; i < checks.count; i++)
		if (checks.list[i].bound)
			mark(job, builder, &checks.list[i]);
	LLVMDisposeBuilder(builder);
}

/* Replaces smelt.check in a function by its operand of this number. */
static void
settle(struct cc_job *job, LLVMValueRef function, unsigned operand)
{
	LLVMValueRef f = LLVMGetNamedFunction(job->module, "smelt.check");
	LLVMUseRef use, next;

	for (use = f ? LLVMGetFirstUse(f) : NULL; use; use = next) {
		LLVMValueRef call = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (lower_function_of(call) == function)
			replace_call(call, LLVMGetOperand(call, operand));
	}
}

void
cpu_ranges_keep(struct cc_job *job, LLVMValueRef function)
{
	settle(job, function, 0);
}

void
cpu_ranges_assume(struct cc_job *job, LLVMValueRef function)
{
	settle(job, function, 1);
}
