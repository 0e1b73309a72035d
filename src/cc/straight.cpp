/*
 * Bounds checks of straight-line code, decided together: what the C API cannot
 * say, since it has no dominators and cannot copy blocks.
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
#include "ranges.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace
{

/* What is copied of one kernel in all, in instructions, and how much may be
 * computed early for one condition. */
enum { largest_copy = 600, deepest = 12 };

/* A branch that goes on iff its condition is `stays`. */
struct Check {
	BranchInst *branch;
	bool stays;
};

/* Copies of instructions, in front of `at`, that come later. */
struct Early {
	Instruction *at;
	DominatorTree &dt;
	DenseMap<Value *, Value *> made;
	SmallVector<Instruction *, 16> order;

	Early(Instruction *where, DominatorTree &tree) : at(where), dt(tree)
	{
	}
};

/* Only a call of __smelt_panic between the branch and the end. */
bool
is_panic(const BasicBlock *block)
{
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
	return panics && isa<UnreachableInst>(block->getTerminator());
}

bool
find_check(BasicBlock *block, Check &check)
{
	auto *branch = dyn_cast<BranchInst>(block->getTerminator());

	if (!branch || !branch->isConditional() ||
	    isa<Constant>(branch->getCondition()))
		return false;
	bool first = is_panic(branch->getSuccessor(0));
	bool second = is_panic(branch->getSuccessor(1));
	check = {branch, second};
	return first != second;
}

/* Whether the value can be had at early.at, and what must be copied for it. */
bool
is_early(Early &early, Value *value, unsigned depth)
{
	uint64_t offset; /* of no interest: it is there, and the same, everywhere */
	auto *inst = dyn_cast<Instruction>(value);

	if (!inst || early.made.count(inst) ||
	    early.dt.dominates(inst, early.at))
		return true;
	auto *load = dyn_cast<LoadInst>(inst);
	if (!depth || isa<PHINode>(inst) ||
	    !(load ? block_field(*load, offset)
		   : !inst->mayReadOrWriteMemory() && !isa<CallBase>(inst) &&
			      isSafeToSpeculativelyExecute(inst)))
		return false;
	for (Value *operand : inst->operands())
		if (!is_early(early, operand, depth - 1))
			return false;
	early.made[inst] = inst;
	early.order.push_back(inst);
	return true;
}

/* Whether checks stay in a loop of the region: a second way out of two loops to
 * one panic costs a GPU more in every iteration than checks in front of the
 * loop cost once. */
bool
loops_check(ArrayRef<BasicBlock *> region, LoopInfo &loops)
{
	Check check;

	return any_of(region, [&](BasicBlock *block) {
		return loops.getLoopFor(block) && find_check(block, check);
	});
}

/* Whether all of the region may run twice in the text and once in fact. */
bool
may_be_copied(ArrayRef<BasicBlock *> region, unsigned &budget)
{
	unsigned size = 0;

	for (const BasicBlock *block : region)
		for (const Instruction &inst : *block) {
			auto *call = dyn_cast<CallBase>(&inst);
			if (call &&
			    (call->isConvergent() || call->cannotDuplicate()))
				return false;
			if (inst.getType()->isTokenTy() ||
			    isa<IndirectBrInst>(inst))
				return false;
			size += !is_panic(block);
		}
	if (size > budget)
		return false;
	budget -= size;
	return true;
}

/* `base + more < bound`; more does not make base wrap. */
struct Test {
	Value *base;
	APInt more;
	Value *bound;
};

/* The strongest of the tests of one base against one bound stands for all. */
bool
join_test(SmallVectorImpl<Test> &tests, Value *condition, bool stays,
	  const DataLayout &layout)
{
	auto *compare = dyn_cast<ICmpInst>(condition);

	if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
		return false;
	CmpInst::Predicate is = stays ? compare->getPredicate()
				      : compare->getInversePredicate();
	Value *index = compare->getOperand(0), *bound = compare->getOperand(1);
	if (is == CmpInst::ICMP_UGT) {
		std::swap(index, bound);
		is = CmpInst::ICMP_ULT;
	}
	if (is != CmpInst::ICMP_ULT)
		return false;
	APInt more(index->getType()->getIntegerBitWidth(), 0);
	auto *sum = dyn_cast<BinaryOperator>(index);
	auto *plus = sum && sum->getOpcode() == Instruction::Add
			     ? dyn_cast<ConstantInt>(sum->getOperand(1))
			     : nullptr;
	if (plus) {
		bool wraps;
		(void)computeKnownBits(sum->getOperand(0), layout)
			.getMaxValue()
			.uadd_ov(plus->getValue(), wraps);
		if (!wraps) {
			index = sum->getOperand(0);
			more = plus->getValue();
		}
	}
	for (Test &test : tests)
		if (test.base == index && test.bound == bound) {
			if (more.ugt(test.more))
				test.more = more;
			return true;
		}
	tests.push_back({index, more, bound});
	return true;
}

/* Makes the copies. They promise nothing: what made the promises true may not
 * have happened yet. */
void
copy_early(Early &early, IRBuilder<> &b)
{
	for (Instruction *inst : early.order) {
		Instruction *copy = inst->clone();
		copy->dropPoisonGeneratingFlags();
		copy->dropUnknownNonDebugMetadata(
			{LLVMContext::MD_invariant_load});
		b.Insert(copy, inst->getName());
		for (Use &operand : copy->operands())
			if (Value *made = early.made.lookup(operand.get()))
				operand = made;
		early.made[inst] = copy;
	}
}

void
add_failure(IRBuilder<> &b, Value *&any, Value *fails)
{
	any = b.CreateOr(any, b.CreateFreeze(fails));
}

/* i1: some check fails. Each condition is frozen by itself: one that would not
 * have been reached may be poison, and must not hide that an earlier one is
 * false. Asking for failure, not for success, keeps the conditions of the
 * checks from being taken for these and held in registers all the way to them.
 */
Value *
any_fails(Early &early, ArrayRef<Check> checks)
{
	IRBuilder<> b(early.at);
	Value *any = b.getFalse();
	SmallVector<Test, 8> tests;

	copy_early(early, b);
	for (const Check &check : checks) {
		Value *condition = check.branch->getCondition();
		if (Value *copy = early.made.lookup(condition))
			condition = copy;
		if (!join_test(tests, condition, check.stays,
			       early.at->getDataLayout()))
			add_failure(b, any,
				    check.stays ? b.CreateNot(condition)
						: condition);
	}
	for (const Test &test : tests) {
		Value *index = test.base;
		if (!test.more.isZero())
			index = b.CreateAdd(
				index,
				ConstantInt::get(index->getType(), test.more));
		add_failure(b, any, b.CreateICmpUGE(index, test.bound));
	}
	return any;
}

/* Copies the region that begins with `slow`, whose only way in is `decides`.
 * Values of a region that holds all that its first block dominates are used
 * behind it by phis alone. */
void
split_region(BasicBlock *decides, BasicBlock *slow,
	     ArrayRef<BasicBlock *> region, ArrayRef<Check> checks, Value *any)
{
	ValueToValueMapTy map;
	SmallVector<BasicBlock *, 16> copies;
	Function *f = decides->getParent();

	for (BasicBlock *block : region) {
		BasicBlock *copy = CloneBasicBlock(block, map, ".hold", f);
		map[block] = copy;
		copies.push_back(copy);
	}
	remapInstructionsInBlocks(copies, map);
	for (BasicBlock *block : region)
		for (BasicBlock *next : successors(block)) {
			if (map.count(next))
				continue;
			auto *copy = cast<BasicBlock>(map[block]);
			for (PHINode &phi : next->phis()) {
				Value *value =
					phi.getIncomingValueForBlock(block);
				Value *mapped = map.lookup(value);
				phi.addIncoming(mapped ? mapped : value, copy);
			}
		}
	for (const Check &check : checks)
		cast<BranchInst>(map[check.branch])
			->setCondition(ConstantInt::getBool(any->getContext(),
							    check.stays));
	Instruction *old = decides->getTerminator();
	IRBuilder<>(old).CreateCondBr(
		any, slow, cast<BasicBlock>(map[slow]),
		MDBuilder(any->getContext()).createUnlikelyBranchWeights());
	old->eraseFromParent();
}

/* The checks that follow the first without a choice between them, as far as
 * they can be decided there. */
void
find_run(const Check &first, Early &early, LoopInfo &loops,
	 SmallVectorImpl<Check> &run)
{
	SmallPtrSet<BasicBlock *, 16> seen;

	for (BasicBlock *block = early.at->getParent();
	     block && seen.insert(block).second && !loops.getLoopFor(block);) {
		Check check;
		auto *branch = dyn_cast<BranchInst>(block->getTerminator());
		if (find_check(block, check)) {
			if (is_early(early, check.branch->getCondition(),
				     deepest))
				run.push_back(check);
			block = check.branch->getSuccessor(!check.stays);
		} else {
			block = branch && branch->isUnconditional()
					? branch->getSuccessor(0)
					: nullptr;
		}
		if (block &&
		    !early.dt.dominates(first.branch->getParent(), block))
			block = nullptr;
	}
}

bool
decide_together(const Check &first, DominatorTree &dt, LoopInfo &loops,
		unsigned &budget, SmallPtrSetImpl<BasicBlock *> &seen)
{
	BasicBlock *decides = first.branch->getParent();
	Early early(first.branch, dt);
	SmallVector<Check, 16> run;
	SmallVector<BasicBlock *, 16> region;

	find_run(first, early, loops, run);
	if (run.size() < 2)
		return false;
	dt.getDescendants(decides, region);
	llvm::erase(region, decides);
	if (loops_check(region, loops) || !may_be_copied(region, budget))
		return false;
	Value *any = any_fails(early, run);
	BasicBlock *slow = SplitBlock(decides, first.branch, &dt, &loops);
	auto *condition = dyn_cast<Instruction>(first.branch->getCondition());
	if (condition && condition->getParent() == decides &&
	    condition->hasOneUse() && !condition->mayReadOrWriteMemory() &&
	    !isa<PHINode>(condition))
		condition->moveBefore(first.branch->getIterator());
	region.push_back(slow);
	seen.insert(region.begin(), region.end());
	split_region(decides, slow, region, run, any);
	return true;
}

} // namespace

bool
cc_shim_straight_checks(LLVMModuleRef module)
{
	bool changed = false;

	for (Function &f : *unwrap(module)) {
		unsigned budget = largest_copy;
		SmallPtrSet<BasicBlock *, 16> seen;

		for (bool again = !f.isDeclaration(); again;) {
			DominatorTree dt(f);
			LoopInfo loops(dt);
			ReversePostOrderTraversal<Function *> order(&f);
			Check check;

			again = false;
			for (BasicBlock *block : order)
				if (!again && seen.insert(block).second &&
				    !loops.getLoopFor(block) &&
				    find_check(block, check))
					again = decide_together(
						check, dt, loops, budget, seen);
			changed |= again;
		}
	}
	return changed;
}
