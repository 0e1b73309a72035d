/*
 * Bounds checks of straight-line code, decided together.
 *
 * A kernel that reads eight slices at one index tests it eight times, and on a
 * GPU each test is a branch over which no load moves. Where a run of checks
 * tests only what is known at the first of them (fields of the block,
 * positions, arithmetic on those), one condition is made of them all. Where it
 * is true a copy of the code behind runs that does not test; else the code
 * itself, in which one of the checks is going to fail: the panic has its site
 * and its place in the order, and what the thread stored before it stays.
 *
 * The copy reaches to the end of what the first check dominates. Where that
 * holds an instruction at which threads meet nothing is done: one thread's
 * failing check must not part it from the others there.
 */
#include "cc/checks.h"
#include "cc/lower.h"

#include <stdlib.h>

/* What is copied of one kernel in all, in instructions. Panics are looked for
 * right behind the branch. */
enum { largest_copy = 600, panic_depth = 0 };

/* The work on one function, whose analyses are of now. */
struct straight {
	struct cc_job *job;
	struct cc_analyses *analyses;
	unsigned budget;
	struct cc_map *seen; /* blocks that were looked at, or are copied */
};

static bool
is_in_loop(const struct straight *work, LLVMBasicBlockRef block)
{
	return cc_shim_loop_of(work->analyses, block) != NULL;
}

/* ---- the run and its region ---- */

/* The block that a check or a plain branch goes on to; NULL if there is a
 * choice. */
static LLVMBasicBlockRef
next_block(LLVMBasicBlockRef block, const struct check *check)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

	if (check)
		return LLVMGetSuccessor(end, !check->stays);
	return LLVMIsABranchInst(end) && !LLVMIsConditional(end)
		       ? LLVMGetSuccessor(end, 0)
		       : NULL;
}

/* The checks that follow the first without a choice between them, as far as
 * they can be decided there. */
static void
find_run(const struct straight *work, struct early *early, struct checks *run)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(early->at);

	while (!is_in_loop(work, block)) {
		struct check check;
		bool found = checks_find(block, panic_depth, &check);

		if (found && early_can(early, LLVMGetCondition(check.branch)))
			checks_add(work->job->arena, run, check);
		block = next_block(block, found ? &check : NULL);
		if (!block ||
		    !cc_shim_dominates(work->analyses, early->at,
				       LLVMGetFirstInstruction(block)))
			return;
	}
}

/* Whether checks stay in a loop of the region: a second way out of two loops to
 * one panic costs a GPU more in every iteration than checks in front of the
 * loop cost once. */
static bool
loops_check(const struct straight *work, const LLVMBasicBlockRef *region,
	    size_t count)
{
	struct check check;

	for (size_t i = 0; i < count; i++)
		if (is_in_loop(work, region[i]) &&
		    checks_find(region[i], panic_depth, &check))
			return true;
	return false;
}

/* Takes the instructions of a region from the budget, panics apart; false if
 * there are too many. */
static bool
take_budget(struct straight *work, const LLVMBasicBlockRef *region,
	    size_t count)
{
	unsigned size = 0;

	for (size_t i = 0; i < count; i++) {
		LLVMValueRef inst = LLVMGetFirstInstruction(region[i]);

		if (checks_is_panic(region[i], panic_depth))
			continue;
		for (; inst; inst = LLVMGetNextInstruction(inst))
			size++;
	}
	if (size > work->budget)
		return false;
	work->budget -= size;
	return true;
}

/* Whether all of it may be copied. */
static bool
is_worth_copying(struct straight *work, const LLVMBasicBlockRef *region,
		 size_t count)
{
	return !loops_check(work, region, count) &&
	       region_may_be_copied(region, count) &&
	       take_budget(work, region, count);
}

/* Parts the first check from what is in front of it. Its condition goes with
 * it where nothing else wants it. */
static LLVMBasicBlockRef
split_first(struct cc_job *job, LLVMValueRef branch)
{
	LLVMValueRef condition = LLVMGetCondition(branch);
	LLVMBasicBlockRef decides = LLVMGetInstructionParent(branch);
	LLVMBasicBlockRef slow = cc_shim_split(branch);
	LLVMBuilderRef builder;

	if (!LLVMIsAInstruction(condition) ||
	    LLVMGetInstructionParent(condition) != decides ||
	    LLVMGetNextUse(LLVMGetFirstUse(condition)) ||
	    LLVMIsAPHINode(condition) || cc_shim_uses_memory(condition))
		return slow;
	builder = LLVMCreateBuilderInContext(job->context);
	LLVMInstructionRemoveFromParent(condition);
	LLVMPositionBuilderBefore(builder, branch);
	LLVMSetCurrentDebugLocation2(builder, NULL); /* it has its own */
	LLVMInsertIntoBuilder(builder, condition);
	LLVMDisposeBuilder(builder);
	return slow;
}

/* Copies the region, whose first block is `slow`: in the copies the checks of
 * the run hold. */
static void
split_region(struct cc_job *job, LLVMBasicBlockRef decides,
	     const LLVMBasicBlockRef *region, size_t count,
	     const struct checks *run, LLVMValueRef any)
{
	LLVMBasicBlockRef *copies =
		arena_alloc(job->arena, count * sizeof(*copies));
	LLVMBasicBlockRef slow = region[count - 1];
	struct cc_map *map =
		region_copy(job->arena, region, count, ".hold", copies);

	for (size_t i = 0; i < run->count; i++)
		checks_settle(cc_map_get(map, run->list[i].branch),
			      run->list[i].stays);
	region_decide(job, decides, any, false, slow, copies[count - 1]);
}

/* Whether anything was changed; the analyses are then out of date. */
static bool
decide_together(struct straight *work, LLVMValueRef first)
{
	struct arena *arena = work->job->arena;
	struct early early = {
		.job = work->job,
		.analyses = work->analyses,
		.at = first,
		.made = cc_map_new(arena),
	};
	LLVMBasicBlockRef decides = LLVMGetInstructionParent(first), *region;
	struct checks run = {0};
	size_t count;
	LLVMValueRef any;

	find_run(work, &early, &run);
	if (run.count < 2)
		return false;
	region = cc_shim_dominated(work->analyses, decides, &count);
	/* The deciding block is the first of them. */
	if (!is_worth_copying(work, region + 1, count - 1)) {
		free(region);
		return false;
	}
	any = early_any_fails(&early, &run);
	for (size_t i = 1; i < count; i++)
		region[i - 1] = region[i];
	region[count - 1] = split_first(work->job, first);
	for (size_t i = 0; i < count; i++)
		cc_map_set(arena, work->seen, region[i], region[i]);
	split_region(work->job, decides, region, count, &run, any);
	free(region);
	return true;
}

/* ---- functions ---- */

/* Blocks as they are met, each before those that can only be come to through
 * it, filled in from the end. */
struct order {
	LLVMBasicBlockRef *list;
	size_t first;
	struct cc_map *met;
};

static void
put_in_order(struct arena *arena, struct order *order, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

	if (cc_map_get(order->met, block))
		return;
	cc_map_set(arena, order->met, block, block);
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
		put_in_order(arena, order, LLVMGetSuccessor(end, i));
	order->list[--order->first] = block;
}

/* The first run that is decided, of those that begin in a block not seen. */
static bool
decide_one(struct straight *work, LLVMValueRef function)
{
	struct arena *arena = work->job->arena;
	size_t all = LLVMCountBasicBlocks(function);
	struct order order = {
		.list = arena_alloc(arena, all * sizeof(*order.list)),
		.first = all,
		.met = cc_map_new(arena),
	};
	bool changed = false;

	work->analyses = cc_shim_analyse(function);
	put_in_order(arena, &order, LLVMGetEntryBasicBlock(function));
	for (size_t i = order.first; i < all && !changed; i++) {
		LLVMBasicBlockRef block = order.list[i];
		struct check check;

		if (cc_map_get(work->seen, block))
			continue;
		cc_map_set(arena, work->seen, block, block);
		if (!is_in_loop(work, block) &&
		    checks_find(block, panic_depth, &check))
			changed = decide_together(work, check.branch);
	}
	cc_shim_analyses_free(work->analyses);
	return changed;
}

bool
cc_straight_checks(struct cc_job *job)
{
	LLVMValueRef f = LLVMGetFirstFunction(job->module);
	bool changed = false;

	for (; f; f = LLVMGetNextFunction(f)) {
		struct straight work = {
			.job = job,
			.budget = largest_copy,
			.seen = cc_map_new(job->arena),
		};

		while (!LLVMIsDeclaration(f) && decide_one(&work, f))
			changed = true;
	}
	return changed;
}
