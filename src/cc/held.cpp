/*
 * Checks that a launch decides: what the C API cannot say, since it has neither
 * dominators nor scalar evolution.
 *
 * Whether `a[i * n + k]` can be out of range follows, over all threads and
 * iterations, from the lengths and numbers in the parameter block and from the
 * grid; at a launch these are at hand. So for each check of a kernel the terms
 * (struct smelt_table_term) of its index's and its bound's ranges are written
 * down, and a copy of the kernel is made in which those checks are gone. The
 * runtime evaluates the terms and launches the copy if they hold, else the
 * kernel itself: there some check may fail, and the panic has its site, its
 * index and its place in the order.
 *
 * Why that is right: the ranges are of what the kernel itself computes, checks
 * included. Were one of the copy's missing checks to fail, take the first that
 * does in its thread: all that its range was made of has happened as the kernel
 * says, so it is in the range, and the range is in bounds.
 *
 * A range is made of how a value is computed (`describe`) and of the branches
 * that were taken on the way to the check (`narrowed`). A fact about a value
 * where a branch was taken still is one where the check stands: the value's
 * definition dominates the branch, so it has not been computed anew since.
 */
#include "ranges.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace
{

struct Check {
	BranchInst *branch;
	bool stays; /* the branch goes on iff its condition is this */
};

/* Every way on from the block ends in a panic, and nothing is done before. */
bool
is_panic(const BasicBlock *block, unsigned depth)
{
	const Instruction *end = block->getTerminator();
	bool panics = false;

	for (const Instruction &inst : *block) {
		auto *call = dyn_cast<CallBase>(&inst);
		const Function *callee =
			call ? call->getCalledFunction() : nullptr;
		if (callee && callee->getName() == "__smelt_panic")
			panics = true;
		else if (inst.mayHaveSideEffects())
			return false;
	}
	if (isa<UnreachableInst>(end))
		return panics;
	return depth && isa<BranchInst>(end) &&
	       all_of(successors(block), [&](const BasicBlock *next) {
		       return is_panic(next, depth - 1);
	       });
}

bool
find_check(BasicBlock &block, Check &check)
{
	auto *branch = dyn_cast<BranchInst>(block.getTerminator());

	if (!branch || !branch->isConditional() ||
	    isa<Constant>(branch->getCondition()))
		return false;
	bool first = is_panic(branch->getSuccessor(0), 4);
	bool second = is_panic(branch->getSuccessor(1), 4);
	check = {branch, second};
	return first != second;
}

/* Writes down what must be so for `condition` to be `is` there; false if it
 * cannot be said. */
bool
need(Ranges &ranges, Value *condition, bool is, Place place)
{
	Value *a, *b;

	if (splits(condition, is, a, b))
		return need(ranges, a, is, place) && need(ranges, b, is, place);
	auto *compare = dyn_cast<ICmpInst>(condition);
	if (!compare)
		return false;
	a = compare->getOperand(0);
	b = compare->getOperand(1);
	auto pred =
		is ? compare->getPredicate() : compare->getInversePredicate();
	if (pred == CmpInst::ICMP_UGT || pred == CmpInst::ICMP_UGE) {
		std::swap(a, b);
		pred = CmpInst::getSwappedPredicate(pred);
	}
	unsigned op = pred == CmpInst::ICMP_ULT	  ? SMELT_TERM_NEED_BELOW
		      : pred == CmpInst::ICMP_ULE ? SMELT_TERM_NEED_ATMOST
		      : pred == CmpInst::ICMP_EQ  ? SMELT_TERM_NEED_SAME
		      : pred == CmpInst::ICMP_NE  ? SMELT_TERM_NEED_OTHER
						  : 0;
	if (!op || !a->getType()->isIntegerTy())
		return false;
	unsigned left = ranges.of(a, place), right = ranges.of(b, place);
	if (!ranges.is_bounded(left) || !ranges.is_bounded(right))
		return false;
	ranges.put(op, 64, left, right);
	return true;
}

/* The checks whose needs could be written down. */
void
decide(Function &f, Ranges &ranges, SmallVectorImpl<Check> &decided)
{
	for (BasicBlock &block : f) {
		Check check;
		if (!find_check(block, check))
			continue;
		size_t before = ranges.mark();
		if (need(ranges, check.branch->getCondition(), check.stays,
			 {&block, nullptr}))
			decided.push_back(check);
		else
			ranges.drop_needs(before);
	}
}

void
make_copy(Function &f, const char *name, ArrayRef<Check> checks)
{
	ValueToValueMapTy map;
	Function *copy = CloneFunction(&f, map);

	copy->setName(name);
	for (const Check &check : checks)
		cast<BranchInst>(map[check.branch])
			->setCondition(ConstantInt::getBool(f.getContext(),
							    check.stays));
}

} // namespace

size_t
cc_shim_held(LLVMValueRef kernel, const char *name,
	     struct smelt_table_term *terms)
{
	Function &f = *unwrap<Function>(kernel);
	DominatorTree dt(f);
	LoopInfo loops(dt);
	AssumptionCache assumed(f);
	TargetLibraryInfoImpl names(f.getParent()->getTargetTriple());
	TargetLibraryInfo library(names);
	ScalarEvolution se(f, library, assumed, dt, loops);
	Ranges ranges(dt, loops, se);
	SmallVector<Check, 16> decided;

	decide(f, ranges, decided);
	size_t count = ranges.write(terms, SMELT_MOST_TERMS);
	if (count)
		make_copy(f, name, decided);
	return count;
}
