/*
 * One condition for many checks, computed in front of the first of them; see
 * straight.c for what it is for.
 */
#include "cc/checks.h"
#include "cc/lower.h"

/* How much may be computed early for one check. */
enum { deepest = 12 };

static void
add_early(struct early *early, LLVMValueRef inst)
{
	struct arena *arena = early->job->arena;

	if (early->count == early->capacity) {
		LLVMValueRef *old = early->order;

		early->capacity = early->capacity ? early->capacity * 2 : 16;
		early->order = arena_alloc(
			arena, early->capacity * sizeof(*early->order));
		for (size_t i = 0; i < early->count; i++)
			early->order[i] = old[i];
	}
	early->order[early->count++] = inst;
	cc_map_set(arena, early->made, inst, inst);
}

/* Whether an instruction may run where it would not have; a field of the block
 * is there, and the same, everywhere. */
static bool
is_movable(LLVMValueRef inst)
{
	uint64_t offset;

	if (LLVMIsALoadInst(inst))
		return checks_block_field(inst, &offset);
	return !LLVMIsAPHINode(inst) && !LLVMIsACallInst(inst) &&
	       !cc_shim_uses_memory(inst) && cc_shim_is_harmless(inst);
}

/* Whether the value can be had at early.at, and what must be copied for it. */
static bool
is_early(struct early *early, LLVMValueRef value, unsigned depth)
{
	if (!LLVMIsAInstruction(value) || cc_map_get(early->made, value) ||
	    cc_shim_dominates(early->analyses, value, early->at))
		return true;
	if (!depth || !is_movable(value))
		return false;
	for (int i = 0; i < LLVMGetNumOperands(value); i++)
		if (!is_early(early, LLVMGetOperand(value, (unsigned)i),
			      depth - 1))
			return false;
	add_early(early, value);
	return true;
}

bool
early_can(struct early *early, LLVMValueRef value)
{
	return is_early(early, value, deepest);
}

static void
copy_early(struct early *early, LLVMBuilderRef builder)
{
	for (size_t i = 0; i < early->count; i++) {
		LLVMValueRef inst = early->order[i];
		LLVMValueRef copy = cc_shim_copy_plain(inst);

		for (int k = 0; k < LLVMGetNumOperands(copy); k++) {
			LLVMValueRef made = cc_map_get(
				early->made, LLVMGetOperand(copy, (unsigned)k));

			if (made)
				LLVMSetOperand(copy, (unsigned)k, made);
		}
		LLVMInsertIntoBuilderWithName(builder, copy,
					      LLVMGetValueName(inst));
		cc_map_set(early->job->arena, early->made, inst, copy);
	}
}

/* ---- one condition ---- */

/* `base + more < bound`; more does not make base wrap. */
struct test {
	LLVMValueRef base;
	uint64_t more;
	LLVMValueRef bound;
};

/* Of as many checks as there are. */
struct tests {
	struct test *list;
	size_t count;
};

/* The number that is added to a value without making it wrap; 0: none is. */
static uint64_t
summand(LLVMValueRef value)
{
	LLVMValueRef constant;
	uint64_t more, greatest;

	if (!LLVMIsAInstruction(value) ||
	    LLVMGetInstructionOpcode(value) != LLVMAdd)
		return 0;
	constant = LLVMGetOperand(value, 1);
	if (!LLVMIsAConstantInt(constant))
		return 0;
	more = LLVMConstIntGetZExtValue(constant);
	greatest = cc_shim_greatest(LLVMGetOperand(value, 0), value);
	return more <= checks_mask(LLVMTypeOf(value)) - greatest ? more : 0;
}

/* The strongest of the tests of one base against one bound stands for all. */
static bool
join_test(struct tests *tests, LLVMValueRef condition, bool stays)
{
	struct compare compare;
	struct test test;

	if (!checks_compare_less(condition, stays, &compare) ||
	    compare.is != LLVMIntULT)
		return false;
	test = (struct test){compare.a, summand(compare.a), compare.b};
	if (test.more)
		test.base = LLVMGetOperand(compare.a, 0);
	for (size_t i = 0; i < tests->count; i++) {
		struct test *other = &tests->list[i];

		if (other->base != test.base || other->bound != test.bound)
			continue;
		if (test.more > other->more)
			other->more = test.more;
		return true;
	}
	tests->list[tests->count++] = test;
	return true;
}

static void
add_failure(LLVMBuilderRef b, LLVMValueRef *any, LLVMValueRef fails)
{
	*any = LLVMBuildOr(b, *any, LLVMBuildFreeze(b, fails, ""), "");
}

static void
add_tests(LLVMBuilderRef b, const struct tests *tests, LLVMValueRef *any)
{
	for (size_t i = 0; i < tests->count; i++) {
		const struct test *test = &tests->list[i];
		LLVMTypeRef type = LLVMTypeOf(test->base);
		LLVMValueRef index = test->base;

		if (test->more)
			index = LLVMBuildAdd(
				b, index, LLVMConstInt(type, test->more, false),
				"");
		add_failure(
			b, any,
			LLVMBuildICmp(b, LLVMIntUGE, index, test->bound, ""));
	}
}

/* i1: some check fails. Each condition is frozen by itself: one that would not
 * have been reached may be poison, and must not hide that an earlier one is
 * false. Asking for failure, not for success, keeps the conditions of the
 * checks from being taken for these and held in registers all the way to them.
 */
LLVMValueRef
early_any_fails(struct early *early, const struct checks *run)
{
	struct cc_job *job = early->job;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(job->context);
	LLVMValueRef any =
		LLVMConstInt(LLVMInt1TypeInContext(job->context), 0, false);
	struct tests tests = {0};

	tests.list = arena_alloc(job->arena, run->count * sizeof(*tests.list));
	LLVMPositionBuilderBefore(b, early->at);
	copy_early(early, b);
	for (size_t i = 0; i < run->count; i++) {
		bool stays = run->list[i].stays;
		LLVMValueRef condition = LLVMGetCondition(run->list[i].branch);
		LLVMValueRef copy = cc_map_get(early->made, condition);

		if (copy)
			condition = copy;
		if (!join_test(&tests, condition, stays))
			add_failure(b, &any,
				    stays ? LLVMBuildNot(b, condition, "")
					  : condition);
	}
	add_tests(b, &tests, &any);
	LLVMDisposeBuilder(b);
	return any;
}
