/*
 * Bounds checks of counted loops, decided before the loop.
 *
 * A check `a + c*i < n` with invariant a, c, n holds in every iteration if it
 * holds in the last and nothing wraps on the way, all of it unsigned; one with
 * `a - c*i`, c constant, if it holds in the first and the last is not below 0;
 * and one that does not vary, if it holds. The conjunction of that for all
 * checks of a loop is computed in front of it. Where it is true a copy of the
 * loop runs that has no checks, and so may load ahead and unroll; else the loop
 * itself, in which one of the checks is going to fail: the panic comes in its
 * iteration, with its index, after all that comes before it. LLVM's own pass
 * for this (irce) splits the range instead, and a loop of constant length is
 * then no longer one; its unswitching leaves GPUs alone.
 */
#include "cc/checks.h"
#include "cc/lower.h"

#include <stdlib.h>

/* One check: it goes on inside the loop iff `index less bound`, with less < or
 * <= of unsigned numbers. Without a step nothing of it varies in the loop, and
 * the branch's condition stands for all. */
struct counted {
	struct check check;
	LLVMValueRef index;
	struct cc_scev *step;
	LLVMIntPredicate less;
	LLVMValueRef bound;
};

/* The work on one loop. */
struct hoist {
	struct cc_job *job;
	struct cc_analyses *analyses;
	struct cc_loop *loop;
	const LLVMBasicBlockRef *blocks;
	size_t block_count;
	LLVMBasicBlockRef preheader;
	LLVMBasicBlockRef latch;
	/* At the preheader's end. */
	LLVMBuilderRef builder;
	LLVMValueRef at;
	/* At most one a block. */
	struct counted *checks;
	size_t check_count;
};

/* An exit that ends in a panic: nothing of the loop is used after it. */
static bool
is_panic(LLVMBasicBlockRef block)
{
	for (unsigned i = 0; i < 4; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

		if (LLVMIsAUnreachableInst(end))
			return true;
		if (LLVMGetNumSuccessors(end) != 1)
			return false;
		block = LLVMGetSuccessor(end, 0);
	}
	return false;
}

static bool
is_inside(const struct hoist *hoist, LLVMValueRef value)
{
	return LLVMIsAInstruction(value) &&
	       cc_shim_loop_has(hoist->loop, LLVMGetInstructionParent(value));
}

/* What an index grows by in each iteration, as an unsigned number; NULL if that
 * changes. */
static struct cc_scev *
step_of(const struct hoist *hoist, LLVMValueRef index)
{
	struct cc_scev *scev = cc_shim_scev(hoist->analyses, index);

	return cc_shim_scev_kind(scev) == CC_SCEV_STEPS &&
			       cc_shim_scev_loop(scev) == hoist->loop &&
			       !cc_shim_scev_operand(scev, 2)
		       ? cc_shim_scev_operand(scev, 1)
		       : NULL;
}

/* ---- finding checks ---- */

static void
add_check(struct hoist *hoist, LLVMBasicBlockRef block)
{
	struct counted *check = &hoist->checks[hoist->check_count];
	LLVMValueRef branch = checks_branch(block);
	struct compare compare;
	bool first_stays, second_stays;

	if (!branch)
		return;
	first_stays =
		cc_shim_loop_has(hoist->loop, LLVMGetSuccessor(branch, 0));
	second_stays =
		cc_shim_loop_has(hoist->loop, LLVMGetSuccessor(branch, 1));
	if (first_stays == second_stays ||
	    !is_panic(LLVMGetSuccessor(branch, first_stays)))
		return;
	*check = (struct counted){.check = {branch, first_stays}};
	if (!is_inside(hoist, LLVMGetCondition(branch))) {
		hoist->check_count++;
		return;
	}
	if (!checks_compare_less(LLVMGetCondition(branch), first_stays,
				 &compare))
		return;
	check->index = compare.a;
	check->less = compare.is;
	check->bound = compare.b;
	check->step = step_of(hoist, compare.a);
	hoist->check_count +=
		(compare.is == LLVMIntULT || compare.is == LLVMIntULE) &&
		!is_inside(hoist, compare.b) && check->step;
}

/* ---- conditions ---- */

/* Opcodes of what first_value may repeat: nothing that traps or takes long. */
static bool
is_plain(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
		return false;
	default:
		return LLVMIsABinaryOperator(inst) || LLVMIsACastInst(inst);
	}
}

/* What a value of the loop is in the first iteration, computed in front of it;
 * NULL if that takes more than arithmetic. Not by cc_shim_expand: that will not
 * repeat a division that the index was made of, and need not, since the
 * quotient is at hand. */
static LLVMValueRef
first_value(const struct hoist *hoist, LLVMValueRef value, unsigned depth)
{
	LLVMValueRef first[2], copy;

	if (!is_inside(hoist, value))
		return value;
	if (LLVMIsAPHINode(value)) {
		if (LLVMGetInstructionParent(value) !=
		    cc_shim_loop_block(hoist->loop, CC_LOOP_HEADER))
			return NULL;
		return region_incoming(value, hoist->preheader);
	}
	if (!depth || !is_plain(value))
		return NULL;
	for (int i = 0; i < LLVMGetNumOperands(value); i++) {
		first[i] = first_value(
			hoist, LLVMGetOperand(value, (unsigned)i), depth - 1);
		if (!first[i])
			return NULL;
	}
	copy = cc_shim_copy_plain(value);
	for (int i = 0; i < LLVMGetNumOperands(value); i++)
		LLVMSetOperand(copy, (unsigned)i, first[i]);
	LLVMInsertIntoBuilder(hoist->builder, copy);
	return copy;
}

/* i1: no value on the way from start to the last index wraps, and the greatest
 * of them is below the bound. */
static LLVMValueRef
reaches(const struct hoist *hoist, const struct counted *check,
	LLVMValueRef start, LLVMValueRef last, LLVMValueRef step, bool down)
{
	LLVMBuilderRef b = hoist->builder;
	LLVMTypeRef type = LLVMTypeOf(start);
	LLVMValueRef way, end, wraps, greatest, below;

	way = lower_intrinsic(hoist->job, b, "llvm.umul.with.overflow", &type,
			      1, (LLVMValueRef[]){last, step}, 2);
	end = lower_intrinsic(
		hoist->job, b,
		down ? "llvm.usub.with.overflow" : "llvm.uadd.with.overflow",
		&type, 1,
		(LLVMValueRef[]){start, LLVMBuildExtractValue(b, way, 0, "")},
		2);
	wraps = LLVMBuildExtractValue(b, end, 1, "");
	wraps = LLVMBuildOr(b, LLVMBuildExtractValue(b, way, 1, ""), wraps, "");
	greatest = down ? start : LLVMBuildExtractValue(b, end, 0, "");
	below = LLVMBuildICmp(b, check->less, greatest, check->bound, "");
	return LLVMBuildAnd(b, LLVMBuildNot(b, wraps, ""), below, "");
}

/* What the index grows by, or with *down sinks by. NULL if it cannot be had in
 * front of the loop. */
static LLVMValueRef
step_value(const struct hoist *hoist, struct cc_scev *step, bool *down)
{
	LLVMValueRef constant = cc_shim_scev_kind(step) == CC_SCEV_CONSTANT
					? cc_shim_scev_value(step)
					: NULL;

	*down = constant && LLVMConstIntGetSExtValue(constant) < 0;
	return *down ? LLVMConstNeg(constant)
		     : cc_shim_expand(hoist->analyses, step, hoist->at);
}

/* i1: the check holds in iterations 0 to last. NULL if that cannot be said. */
static LLVMValueRef
holds_throughout(const struct hoist *hoist, const struct counted *check,
		 LLVMValueRef last)
{
	LLVMValueRef stays = LLVMGetCondition(check->check.branch);
	LLVMTypeRef type;
	LLVMValueRef start, step;
	bool down;

	if (!check->step)
		return check->check.stays
			       ? stays
			       : LLVMBuildNot(hoist->builder, stays, "");
	type = LLVMTypeOf(check->index);
	if (LLVMGetIntTypeWidth(LLVMTypeOf(last)) > LLVMGetIntTypeWidth(type))
		return NULL;
	start = first_value(hoist, check->index, 8);
	if (!start)
		return NULL;
	step = step_value(hoist, check->step, &down);
	if (!step)
		return NULL;
	return reaches(hoist, check, start,
		       LLVMBuildZExt(hoist->builder, last, type, ""), step,
		       down);
}

/* The conjunction of what can be said; leaves the checks that it is of. Each is
 * frozen by itself: a check that is not reached may be poison, and must not
 * hide that another fails. */
static LLVMValueRef
all_hold(struct hoist *hoist, LLVMValueRef count)
{
	LLVMBuilderRef b = hoist->builder;
	LLVMValueRef all = LLVMConstInt(
		LLVMInt1TypeInContext(hoist->job->context), 1, false);
	size_t kept = 0;

	count = LLVMBuildFreeze(b, count, "");
	for (size_t i = 0; i < hoist->check_count; i++) {
		LLVMValueRef one =
			holds_throughout(hoist, &hoist->checks[i], count);

		if (!one)
			continue;
		all = LLVMBuildAnd(b, all, LLVMBuildFreeze(b, one, ""), "");
		hoist->checks[kept++] = hoist->checks[i];
	}
	hoist->check_count = kept;
	return all;
}

/* ---- copying ---- */

/* Copies the loop; `all` decides between the copy, in which the checks are
 * known to hold, and the loop itself, which stays small, since it hardly ever
 * runs. The analyses are out of date afterwards. */
static void
split_loop(struct hoist *hoist, LLVMValueRef all)
{
	LLVMBasicBlockRef slow = cc_shim_split(hoist->at);
	size_t count = hoist->block_count + 1;
	size_t size = count * sizeof(LLVMBasicBlockRef);
	LLVMBasicBlockRef *region = arena_alloc(hoist->job->arena, size);
	LLVMBasicBlockRef *copies = arena_alloc(hoist->job->arena, size);
	struct cc_map *map;

	region[0] = slow;
	for (size_t i = 1; i < count; i++)
		region[i] = hoist->blocks[i - 1];
	map = region_copy(hoist->job->arena, region, count, ".checked", copies);
	for (size_t i = 0; i < count; i++)
		LLVMMoveBasicBlockBefore(copies[i], slow);
	for (size_t i = 0; i < hoist->check_count; i++) {
		struct check check = hoist->checks[i].check;

		checks_settle(cc_map_get(map, check.branch), check.stays);
	}
	region_decide(hoist->job, hoist->preheader, all, true, copies[0], slow);
	cc_shim_loop_tell(hoist->loop, "llvm.loop.unroll.disable");
	cc_shim_loop_tell(hoist->loop, "llvm.loop.vectorize.enable");
}

/* Whether the loop was changed. Requires loop-simplify and LCSSA form; works on
 * rotated loops, whose latch decides, so that every check runs as often as it.
 */
static bool
hoist_from(struct hoist *hoist)
{
	struct cc_scev *last =
		cc_shim_exit_count(hoist->analyses, hoist->loop, hoist->latch);
	LLVMValueRef count, all;

	if (!last)
		return false;
	hoist->checks = arena_alloc(
		hoist->job->arena, hoist->block_count * sizeof(*hoist->checks));
	for (size_t i = 0; i < hoist->block_count; i++)
		if (hoist->blocks[i] != hoist->latch)
			add_check(hoist, hoist->blocks[i]);
	count = hoist->check_count
			? cc_shim_expand(hoist->analyses, last, hoist->at)
			: NULL;
	if (!count)
		return false;
	all = all_hold(hoist, count);
	if (hoist->check_count)
		split_loop(hoist, all);
	return hoist->check_count != 0;
}

/* ---- loops of a function ---- */

static bool
is_innermost(const struct hoist *hoist)
{
	for (size_t i = 0; i < hoist->block_count; i++)
		if (cc_shim_loop_of(hoist->analyses, hoist->blocks[i]) !=
		    hoist->loop)
			return false;
	return true;
}

/* The loop that begins with the block, if there is one to work on. */
static bool
hoist_at(struct cc_job *job, struct cc_analyses *analyses,
	 LLVMBasicBlockRef header)
{
	struct hoist hoist = {.job = job, .analyses = analyses};
	bool changed;

	hoist.loop = cc_shim_loop_of(analyses, header);
	if (!hoist.loop ||
	    cc_shim_loop_block(hoist.loop, CC_LOOP_HEADER) != header)
		return false;
	hoist.blocks = cc_shim_loop_blocks(hoist.loop, &hoist.block_count);
	hoist.preheader = cc_shim_loop_block(hoist.loop, CC_LOOP_PREHEADER);
	hoist.latch = cc_shim_loop_block(hoist.loop, CC_LOOP_LATCH);
	if (!hoist.preheader || !hoist.latch || !is_innermost(&hoist) ||
	    !region_may_leave(hoist.loop, hoist.latch) ||
	    !region_may_be_copied(hoist.blocks, hoist.block_count))
		return false;
	hoist.at = LLVMGetBasicBlockTerminator(hoist.preheader);
	hoist.builder = LLVMCreateBuilderInContext(job->context);
	LLVMPositionBuilderBefore(hoist.builder, hoist.at);
	changed = hoist_from(&hoist);
	LLVMDisposeBuilder(hoist.builder);
	return changed;
}

/* The first loop that is changed, of those not in `seen`. */
static bool
hoist_one(struct cc_job *job, LLVMValueRef function, struct cc_map *seen)
{
	struct cc_analyses *analyses = cc_shim_analyse(function);
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	bool changed = false;

	for (; block && !changed; block = LLVMGetNextBasicBlock(block)) {
		if (cc_map_get(seen, block))
			continue;
		cc_map_set(job->arena, seen, block, block);
		changed = hoist_at(job, analyses, block);
	}
	cc_shim_analyses_free(analyses);
	return changed;
}

bool
cc_hoist_checks(struct cc_job *job)
{
	LLVMValueRef f = LLVMGetFirstFunction(job->module);
	bool changed = false;

	for (; f; f = LLVMGetNextFunction(f)) {
		struct cc_map *seen = cc_map_new(job->arena);

		while (!LLVMIsDeclaration(f) && hoist_one(job, f, seen))
			changed = true;
	}
	return changed;
}
