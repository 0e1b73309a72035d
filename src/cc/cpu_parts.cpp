/*
 * A thread function whose threads meet, cut at the points where they do: what
 * the C API cannot say.
 *
 * Each part runs from one point to the next, for all threads of the block in
 * one loop, which is an ordinary loop to all that follows; a coroutine a thread
 * (cpu_suspend.c) costs two calls through pointers at each point and hides the
 * loop. What a thread needs beyond a point waits in its block's *context*:
 * arrays over the threads, or one word where it is the same for all. What can
 * be worked out again (an index, a field of the block) is.
 *
 * The cut needs all threads to come to the same point next, whichever way they
 * take. They do where each branch with several ways to points either asks for
 * something that is the same for all threads, or has one point ahead on all
 * its ways. A thread may also end, at any time: then the others go on without
 * it. Other kernels stay coroutines.
 *
 * One word for all is read by threads of a part after others have left the next
 * part's: so there are two such areas, used in turn; likewise two rows for what
 * threads of a warp show each other.
 */
#include "cpu_cutter.h"

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace cut
{

StringRef
callee_name(const Value *v)
{
	auto *call = dyn_cast<CallInst>(v);
	const Function *f = call ? call->getCalledFunction() : nullptr;

	return f ? f->getName() : StringRef();
}

bool
is_shuffle(const Value *v)
{
	return callee_name(v).starts_with("__smelt_shuffle_");
}

bool
is_vote(const Value *v)
{
	StringRef name = callee_name(v);

	return name == "__smelt_ballot" || name == "__smelt_any" ||
	       name == "__smelt_all";
}

bool
is_meeting(const Value *v)
{
	return callee_name(v) == "__smelt_barrier" || is_shuffle(v) ||
	       is_vote(v);
}

bool
is_position(const Value *v)
{
	return callee_name(v).starts_with("__smelt_") &&
	       cast<CallInst>(v)->doesNotAccessMemory();
}

bool
Cutter::lift(Value *v, Instruction *point)
{
	auto *i = dyn_cast<Instruction>(v);

	if (!i || i->getParent() != point->getParent() || i->comesBefore(point))
		return true;
	if (is_meeting(i) || isa<PHINode>(i) || i->mayReadOrWriteMemory() ||
	    i->isTerminator())
		return false;
	for (Value *operand : i->operands())
		if (!lift(operand, point))
			return false;
	i->moveBefore(point->getIterator());
	return true;
}

void
Cutter::gather_calls(Point &point)
{
	Instruction *first = point.calls[0];
	Instruction *i = first->getNextNode(), *next;

	for (; is_shuffle(first) && !i->isTerminator(); i = next) {
		next = i->getNextNode();
		if (is_shuffle(i)) {
			auto *call = cast<CallInst>(i);

			if (!lift(call->getArgOperand(0), first) ||
			    !lift(call->getArgOperand(1), first))
				return;
			call->moveAfter(point.calls.back());
			point.calls.push_back(call);
		} else if (i->mayReadOrWriteMemory()) {
			return;
		}
	}
}

void
Cutter::find_points()
{
	SmallVector<CallInst *, 16> calls;
	SmallPtrSet<Instruction *, 16> seen;

	for (Instruction &i : instructions_of())
		if (is_meeting(&i))
			calls.push_back(cast<CallInst>(&i));
	for (CallInst *call : calls) {
		Point point;

		if (!seen.insert(call).second)
			continue;
		if (callee_name(call) == "__smelt_barrier")
			replaceAndRecursivelySimplify(
				call, Constant::getNullValue(call->getType()));
		point.calls.push_back(call);
		gather_calls(point);
		for (CallInst *other : point.calls)
			seen.insert(other);
		SplitBlock(call->getParent(), call->getIterator());
		point.block = call->getParent();
		points.push_back(point);
	}
	/* The loop around a barrier was one for the front end only. */
	for (BasicBlock &block : thread)
		ConstantFoldTerminator(&block, true);
	removeUnreachableBlocks(thread);
	for (unsigned p = 0; p < points.size(); p++)
		point_at[points[p].block] = p;
	for (BasicBlock &block : make_early_inc_range(thread))
		if (!point_at.count(&block))
			MergeBlockIntoPredecessor(&block);
	for (Point &point : points)
		hurry(point);
}

bool
Cutter::shortens(Instruction &i, Point &point)
{
	bool some = false;

	for (Value *operand : i.operands()) {
		auto *from = dyn_cast<Instruction>(operand);

		if (!from)
			continue;
		if (!from->hasOneUse() ||
		    (from->getParent() == point.block && !isa<PHINode>(from)))
			return false;
		some = true;
	}
	return some;
}

void
Cutter::hurry(Point &point)
{
	Instruction *front =
		point.block->getSinglePredecessor()->getTerminator();

	for (Instruction &i : make_early_inc_range(*point.block))
		if ((isa<UnaryOperator>(i) || isa<BinaryOperator>(i)) &&
		    !i.isIntDivRem() && shortens(i, point))
			i.moveBefore(front->getIterator());
}

std::vector<std::reference_wrapper<Instruction>>
Cutter::instructions_of()
{
	std::vector<std::reference_wrapper<Instruction>> list;

	for (BasicBlock &block : thread)
		for (Instruction &i : block)
			list.push_back(i);
	return list;
}

BitVector
Cutter::first_points(BasicBlock *block)
{
	BitVector set(points.size());

	if (auto it = point_at.find(block); it != point_at.end())
		set.set(it->second);
	else
		set = ahead[block];
	return set;
}

void
Cutter::look_ahead()
{
	bool changed = true;

	for (BasicBlock &block : thread)
		ahead[&block].resize(points.size());
	while (changed) {
		changed = false;
		for (BasicBlock &block : thread) {
			BitVector set = ahead[&block];
			bool end = isa<ReturnInst>(block.getTerminator());

			for (BasicBlock *next : successors(&block)) {
				set |= first_points(next);
				end |= !point_at.count(next) &&
				       ending.count(next);
			}
			if (end && ending.insert(&block).second)
				changed = true;
			if (set != ahead[&block]) {
				ahead[&block] = set;
				changed = true;
			}
		}
	}
}

bool
Cutter::is_fixed_load(const LoadInst *load)
{
	const Value *at = load->getPointerOperand();

	if (load->isVolatile() || load->isAtomic())
		return false;
	return load->hasMetadata(LLVMContext::MD_invariant_load) ||
	       at->stripInBoundsConstantOffsets() == thread.getArg(0);
}

bool
Cutter::differs(Instruction &i)
{
	if (isa<AllocaInst>(i))
		return true;
	if (auto *load = dyn_cast<LoadInst>(&i)) {
		if (!is_fixed_load(load))
			return true;
	} else if (auto *call = dyn_cast<CallInst>(&i)) {
		StringRef at = callee_name(call);

		if (at.starts_with("__smelt_thread_idx_") ||
		    at == "__smelt_lane_id" || is_meeting(call) ||
		    !call->doesNotAccessMemory())
			return true;
	} else if (i.mayReadOrWriteMemory()) {
		return true;
	}
	for (Value *operand : i.operands())
		if (divergent.count(operand))
			return true;
	return false;
}

SmallVector<BasicBlock *, 4>
Cutter::ways_on(BasicBlock &block)
{
	SmallVector<BasicBlock *, 4> ways;

	for (BasicBlock *next : successors(&block))
		if (first_points(next).any() && !is_contained(ways, next))
			ways.push_back(next);
	return ways;
}

bool
Cutter::parts_threads(BasicBlock &block)
{
	Instruction *end = block.getTerminator();

	return end->getNumSuccessors() > 1 &&
	       divergent.count(end->getOperand(0));
}

bool
Cutter::mark_joins(BasicBlock &block)
{
	SmallVector<BasicBlock *, 16> work(ways_on(block));
	Blocks seen;
	bool changed = false;

	if (work.size() < 2)
		return false;
	while (!work.empty()) {
		BasicBlock *at = work.pop_back_val();

		if (point_at.count(at) || !seen.insert(at).second)
			continue;
		for (PHINode &phi : at->phis())
			changed |= divergent.insert(&phi).second;
		append_range(work, successors(at));
	}
	return changed;
}

void
Cutter::find_divergent()
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (Instruction &i : instructions_of())
			if (!divergent.count(&i) && differs(i))
				changed |= divergent.insert(&i).second;
		for (BasicBlock &block : thread)
			if (parts_threads(block))
				changed |= mark_joins(block);
	}
}

bool
Cutter::stay_together()
{
	for (BasicBlock &block : thread) {
		auto ways = ways_on(block);

		if (!parts_threads(block) || ways.empty())
			continue;
		for (BasicBlock *next : successors(&block))
			ends_early |=
				!point_at.count(next) && ending.count(next);
		if (ways.size() < 2)
			continue;
		for (BasicBlock *next : ways)
			if (first_points(next) != first_points(ways[0]) ||
			    first_points(next).count() != 1)
				return false;
	}
	return true;
}

void
Cutter::live_from(Instruction *v, BasicBlock *block)
{
	SmallVector<BasicBlock *, 16> work(1, block);

	while (!work.empty()) {
		BasicBlock *at = work.pop_back_val();

		if (at == v->getParent() || !live[v].insert(at).second)
			continue;
		append_range(work, predecessors(at));
	}
}

void
Cutter::find_live()
{
	for (Instruction &v : instructions_of())
		for (Use &use : v.uses()) {
			auto *user = cast<Instruction>(use.getUser());
			auto *phi = dyn_cast<PHINode>(user);

			live_from(&v, phi ? phi->getIncomingBlock(use)
					  : user->getParent());
		}
}

bool
Cutter::is_pure(Instruction *i)
{
	if (auto *load = dyn_cast<LoadInst>(i))
		return is_fixed_load(load) && !divergent.count(load);
	if (isa<IntrinsicInst>(i))
		return !i->mayReadOrWriteMemory() && !i->getType()->isVoidTy();
	return is_position(i) || isa<CastInst>(i) || isa<CmpInst>(i) ||
	       isa<SelectInst>(i) || isa<GetElementPtrInst>(i) ||
	       isa<FreezeInst>(i) || isa<UnaryOperator>(i) ||
	       (isa<BinaryOperator>(i) && !i->isIntDivRem());
}

bool
Cutter::can_remake(Value *v, Instruction *root,
		   SetVector<Instruction *> &leaves, int depth)
{
	auto *i = dyn_cast<Instruction>(v);

	if (!i)
		return isa<Constant>(v) || isa<Argument>(v);
	if (!is_pure(i)) {
		if (i == root || divergent.count(i) ||
		    live[root].count(i->getParent()))
			return false;
		leaves.insert(i);
		return true;
	}
	if (depth == 0)
		return false;
	for (Value *operand : i->operands())
		if (!isa<Function>(operand) &&
		    !can_remake(operand, root, leaves, depth - 1))
			return false;
	return true;
}

void
Cutter::sort_live()
{
	bool changed = true;

	kept.resize(points.size());
	remade.resize(points.size());
	while (changed) {
		changed = false;
		for (unsigned p = 0; p < points.size(); p++)
			changed |= sort_live_at(p);
	}
}

bool
Cutter::sort_live_at(unsigned p)
{
	BasicBlock *block = points[p].block;
	SmallVector<Instruction *, 16> here;
	bool changed = false;

	for (auto &[v, blocks] : live)
		if (blocks.count(block) && !kept[p].contains(v) &&
		    !remade[p].contains(v))
			here.push_back(v);
	for (Instruction *v : here) {
		SetVector<Instruction *> leaves;

		changed = true;
		if (!can_remake(v, v, leaves, deepest)) {
			kept[p].insert(v);
			continue;
		}
		remade[p].insert(v);
		for (Instruction *leaf : leaves)
			live_from(leaf, block);
	}
	return changed;
}

SmallVector<AllocaInst *, 8>
Cutter::lasting_locals()
{
	SmallVector<AllocaInst *, 8> locals;

	for (Instruction &i : instructions_of())
		if (auto *local = dyn_cast<AllocaInst>(&i);
		    local && outlives(local))
			locals.push_back(local);
	return locals;
}

bool
Cutter::fits()
{
	uint64_t size = 0;

	for (Instruction &i : instructions_of())
		if (auto *local = dyn_cast<AllocaInst>(&i)) {
			if (!local->isStaticAlloca() ||
			    local->getAlign() > Align(64))
				return false;
			size += *local->getAllocationSize(layout);
		}
	return size <= most_locals;
}

bool
Cutter::outlives(AllocaInst *local)
{
	SmallVector<Instruction *, 16> work(1, local);
	SmallPtrSet<Instruction *, 16> seen;

	while (!work.empty()) {
		Instruction *v = work.pop_back_val();

		if (!seen.insert(v).second)
			continue;
		for (Point &point : points)
			if (auto it = live.find(v);
			    it != live.end() && it->second.count(point.block))
				return true;
		for (User *u : v->users()) {
			auto *user = cast<Instruction>(u);

			if (isa<GetElementPtrInst>(user) ||
			    isa<PHINode>(user) || isa<SelectInst>(user))
				work.push_back(user);
			else if (auto *store = dyn_cast<StoreInst>(user);
				 store && store->getValueOperand() == v)
				return true;
			else if (!isa<LoadInst>(user) &&
				 !isa<StoreInst>(user) &&
				 !isa<IntrinsicInst>(user))
				return true;
		}
	}
	return false;
}

bool
Cutter::cut()
{
	find_points();
	if (points.empty() || points.size() >= CPU_MOST_PARTS)
		return false;
	look_ahead();
	find_divergent();
	if (!stay_together() || !fits())
		return false;
	parts.size = 64; /* 0 says that there is none */
	show_all();
	find_live();
	for (AllocaInst *local : lasting_locals())
		move_local(local);
	live.clear();
	divergent.clear();
	find_divergent();
	find_live();
	sort_live();
	lay_out();
	for (unsigned number = 0; number <= points.size(); number++)
		made.push_back(make_part(number));
	for (Function *part : made)
		part_scopes(*part);
	return true;
}

} // namespace cut

void
cc_shim_parts(LLVMValueRef thread, const char *name, struct cpu_parts *parts)
{
	cut::Cutter cutter(*llvm::cast<llvm::Function>(llvm::unwrap(thread)),
			   name, *parts);

	*parts = {};
	if (cutter.cut())
		parts->count = cutter.points.size() + 1;
	else
		*parts = {};
}
