/*
 * Bounds checks of counted loops, decided before the loop: what the C API
 * cannot say, since it has no scalar evolution.
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
#include "checks.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;

namespace
{

/* One check: the branch goes on inside the loop iff `index less bound`, with
 * less < or <= of unsigned numbers. Without a step nothing of it varies in the
 * loop, and the branch's condition stands for all. */
struct Check {
	BranchInst *branch;
	bool stays_if_true;
	Value *index;
	const SCEV *step;
	CmpInst::Predicate less;
	Value *bound;
};

/* An exit that ends in a panic: nothing of the loop is used after it. */
bool
is_panic(const BasicBlock *block)
{
	for (unsigned i = 0; i < 4 && block; i++) {
		if (isa<UnreachableInst>(block->getTerminator()))
			return true;
		block = block->getSingleSuccessor();
	}
	return false;
}

/* What an index grows by in each iteration, as an unsigned number; null if that
 * changes. */
const SCEV *
step_of(ScalarEvolution &se, Loop &loop, Value *index)
{
	auto *rec = dyn_cast<SCEVAddRecExpr>(se.getSCEV(index));

	return rec && rec->getLoop() == &loop && rec->isAffine()
		       ? rec->getStepRecurrence(se)
		       : nullptr;
}

/* What a value of the loop is in the first iteration, computed at b; null if
 * that takes more than arithmetic. Not by SCEVExpander: it will not repeat a
 * division that the index was made of, and need not, since the quotient is at
 * hand. */
Value *
first_value(IRBuilder<> &b, Loop &loop, Value *value, unsigned depth)
{
	auto *inst = dyn_cast<Instruction>(value);

	if (!inst || !loop.contains(inst))
		return value;
	if (auto *phi = dyn_cast<PHINode>(inst))
		return phi->getParent() == loop.getHeader()
			       ? phi->getIncomingValueForBlock(
					 loop.getLoopPreheader())
			       : nullptr;
	if (!depth || !(isa<BinaryOperator>(inst) || isa<CastInst>(inst)) ||
	    inst->isIntDivRem())
		return nullptr;
	Instruction *copy = inst->clone();
	for (Use &operand : copy->operands()) {
		Value *first = first_value(b, loop, operand, depth - 1);
		if (!first) {
			copy->deleteValue();
			return nullptr;
		}
		operand = first;
	}
	copy->dropPoisonGeneratingFlags();
	return b.Insert(copy);
}

void
find_check(ScalarEvolution &se, Loop &loop, BasicBlock *block,
	   SmallVectorImpl<Check> &checks)
{
	auto *branch = dyn_cast<BranchInst>(block->getTerminator());

	if (!branch || !branch->isConditional() ||
	    isa<Constant>(branch->getCondition()))
		return;
	bool first_stays = loop.contains(branch->getSuccessor(0));
	bool second_stays = loop.contains(branch->getSuccessor(1));
	if (first_stays == second_stays ||
	    !is_panic(branch->getSuccessor(first_stays)))
		return;
	Check check = {branch,	first_stays,	   nullptr,
		       nullptr, CmpInst::ICMP_ULT, nullptr};
	if (loop.isLoopInvariant(branch->getCondition())) {
		checks.push_back(check);
		return;
	}
	auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
	if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
		return;

	check.less = first_stays ? compare->getPredicate()
				 : compare->getInversePredicate();
	check.index = compare->getOperand(0);
	check.bound = compare->getOperand(1);
	if (check.less == CmpInst::ICMP_UGT ||
	    check.less == CmpInst::ICMP_UGE) {
		std::swap(check.index, check.bound);
		check.less = CmpInst::getSwappedPredicate(check.less);
	}
	check.step = step_of(se, loop, check.index);
	if ((check.less == CmpInst::ICMP_ULT ||
	     check.less == CmpInst::ICMP_ULE) &&
	    loop.isLoopInvariant(check.bound) && check.step)
		checks.push_back(check);
}

/* i1: no value on the way from start to the last index wraps, and the greatest
 * of them is below the bound. */
Value *
reaches(IRBuilder<> &b, const Check &check, Value *start, Value *last,
	Value *step, bool down)
{
	Value *way = b.CreateBinaryIntrinsic(Intrinsic::umul_with_overflow,
					     last, step);
	Value *end =
		b.CreateBinaryIntrinsic(down ? Intrinsic::usub_with_overflow
					     : Intrinsic::uadd_with_overflow,
					start, b.CreateExtractValue(way, 0));
	Value *wraps = b.CreateOr(b.CreateExtractValue(way, 1),
				  b.CreateExtractValue(end, 1));
	Value *greatest = down ? start : b.CreateExtractValue(end, 0);

	return b.CreateAnd(b.CreateNot(wraps),
			   b.CreateICmp(check.less, greatest, check.bound));
}

/* i1: the check holds in iterations 0 to last. Null if that cannot be said. */
Value *
holds_throughout(SCEVExpander &expander, IRBuilder<> &b, Loop &loop,
		 const Check &check, Value *last)
{
	Instruction *at = &*b.GetInsertPoint();

	if (!check.step) {
		Value *stays = check.branch->getCondition();
		return check.stays_if_true ? stays : b.CreateNot(stays);
	}
	Type *type = check.index->getType();
	auto *constant = dyn_cast<SCEVConstant>(check.step);
	bool down = constant && constant->getAPInt().isNegative();
	if (last->getType()->getIntegerBitWidth() >
		    type->getIntegerBitWidth() ||
	    !expander.isSafeToExpandAt(check.step, at))
		return nullptr;
	Value *start = first_value(b, loop, check.index, 8);
	if (!start)
		return nullptr;
	Value *step = down ? ConstantInt::get(type, -constant->getAPInt())
			   : expander.expandCodeFor(check.step, type, at);
	return reaches(b, check, start, b.CreateZExt(last, type), step, down);
}

/* A barrier must stay one instruction for all threads that meet at it. */
bool
may_be_copied(const Loop &loop)
{
	for (const BasicBlock *block : loop.blocks())
		for (const Instruction &inst : *block) {
			auto *call = dyn_cast<CallBase>(&inst);
			if (call &&
			    (call->isConvergent() || call->cannotDuplicate()))
				return false;
		}
	return true;
}

/* Copies the loop; `all` decides between the copy, in which the checks are
 * known to hold, and the loop itself, which stays small, since it hardly ever
 * runs. Dominators are out of date afterwards. */
void
split_loop(Loop &loop, ArrayRef<Check> checks, Value *all, LoopInfo &info,
	   DominatorTree &dt)
{
	BasicBlock *decides = loop.getLoopPreheader();
	SmallVector<BasicBlock *, 4> exits;
	SmallVector<BasicBlock *, 8> copies;
	ValueToValueMapTy map;

	loop.getUniqueExitBlocks(exits);
	BasicBlock *slow =
		SplitBlock(decides, decides->getTerminator(), &dt, &info);
	cloneLoopWithPreheader(slow, decides, &loop, map, ".checked", &info,
			       &dt, copies);
	remapInstructionsInBlocks(copies, map);
	for (BasicBlock *exit : exits)
		for (PHINode &phi : exit->phis())
			for (unsigned i = 0, n = phi.getNumIncomingValues();
			     i < n; i++) {
				Value *from =
					map.lookup(phi.getIncomingBlock(i));
				Value *copy =
					map.lookup(phi.getIncomingValue(i));
				if (from)
					phi.addIncoming(
						copy ? copy
						     : phi.getIncomingValue(i),
						cast<BasicBlock>(from));
			}
	for (const Check &check : checks)
		cast<BranchInst>(map[check.branch])
			->setCondition(ConstantInt::getBool(
				all->getContext(), check.stays_if_true));

	Instruction *old = decides->getTerminator();
	IRBuilder<>(old).CreateCondBr(
		all, cast<BasicBlock>(map[slow]), slow,
		MDBuilder(all->getContext()).createLikelyBranchWeights());
	old->eraseFromParent();
	addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable");
	addStringMetadataToLoop(&loop, "llvm.loop.vectorize.enable", 0);
}

/* Whether the loop was changed. Requires loop-simplify and LCSSA form; works on
 * rotated loops, whose latch decides, so that every check runs as often as it.
 */
bool
hoist(Loop &loop, ScalarEvolution &se, LoopInfo &info, DominatorTree &dt)
{
	BasicBlock *preheader = loop.getLoopPreheader();
	BasicBlock *latch = loop.getLoopLatch();

	if (!preheader || !latch || !loop.isLoopExiting(latch) ||
	    !may_be_copied(loop))
		return false;
	const SCEV *last = se.getExitCount(&loop, latch);
	if (isa<SCEVCouldNotCompute>(last))
		return false;
	SmallVector<Check, 8> checks;
	for (BasicBlock *block : loop.blocks())
		if (block != latch)
			find_check(se, loop, block, checks);
	SCEVExpander expander(se, "check");
	Instruction *at = preheader->getTerminator();
	if (checks.empty() || !expander.isSafeToExpandAt(last, at))
		return false;

	IRBuilder<> b(at);
	/* Each is frozen by itself: a check that is not reached may be poison,
	 * and must not hide that another fails. */
	Value *count = b.CreateFreeze(
		expander.expandCodeFor(last, last->getType(), at));
	Value *all = b.getTrue();
	erase_if(checks, [&](const Check &check) {
		Value *one = holds_throughout(expander, b, loop, check, count);
		if (one)
			all = b.CreateAnd(all, b.CreateFreeze(one));
		return !one;
	});
	if (!checks.empty())
		split_loop(loop, checks, all, info, dt);
	return !checks.empty();
}

} // namespace

bool
cc_shim_hoist_checks(LLVMModuleRef module)
{
	bool changed = false;

	for (Function &f : *unwrap(module)) {
		SmallPtrSet<BasicBlock *, 16> seen;
		TargetLibraryInfoImpl names(f.getParent()->getTargetTriple());
		TargetLibraryInfo library(names);

		for (bool again = !f.isDeclaration(); again;) {
			DominatorTree dt(f);
			LoopInfo info(dt);
			AssumptionCache assumed(f);
			ScalarEvolution se(f, library, assumed, dt, info);

			again = false;
			for (Loop *loop : info.getLoopsInPreorder())
				if (!again && loop->isInnermost() &&
				    seen.insert(loop->getHeader()).second)
					again = hoist(*loop, se, info, dt);
			changed |= again;
		}
	}
	return changed;
}

void
cc_shim_line_directives(LLVMModuleRef module)
{
	DebugInfoFinder finder;
	DenseMap<DICompileUnit *, DICompileUnit *> units;
	NamedMDNode *list = unwrap(module)->getNamedMetadata("llvm.dbg.cu");

	finder.processModule(*unwrap(module));
	for (DICompileUnit *old : finder.compile_units())
		units[old] = DICompileUnit::getDistinct(
			old->getContext(), old->getSourceLanguage(),
			old->getFile(), old->getProducer(), true, "", 0, "",
			DICompileUnit::DebugDirectivesOnly, nullptr, nullptr,
			nullptr, nullptr, nullptr, 0, false, false,
			DICompileUnit::DebugNameTableKind::None, false, "", "");
	for (DISubprogram *program : finder.subprograms())
		if (program->getUnit())
			program->replaceUnit(units[program->getUnit()]);
	for (unsigned i = 0; list && i < list->getNumOperands(); i++)
		list->setOperand(
			i, units[cast<DICompileUnit>(list->getOperand(i))]);
}
