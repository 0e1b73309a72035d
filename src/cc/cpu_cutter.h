/* A thread function that is being cut into parts: cpu_parts.cpp finds out where
 * and whether, cpu_parts_make.cpp makes them. C++, for those two. */
#ifndef SMELT_CC_CPU_CUTTER_H
#define SMELT_CC_CPU_CUTTER_H

#include "cpu_parts.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueMap.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace cut
{

using namespace llvm;

/* Bytes of a thread's locals; instructions in a row that are made again. */
enum { most_locals = 4096, deepest = 12, most_threads = 1024 };

/* A place where threads meet; its block begins with the calls. */
struct Point {
	BasicBlock *block;
	SmallVector<CallInst *, 2> calls; /* more than one: shuffles */
	SmallVector<uint64_t, 2> rows;	  /* of what they show */
};

using Blocks = SmallPtrSet<BasicBlock *, 8>;

StringRef
callee_name(const Value *v);
bool
is_shuffle(const Value *v);
bool
is_vote(const Value *v);
bool
is_meeting(const Value *v);
/* Primitives that only say where a thread is. */
bool
is_position(const Value *v);

struct Cutter {
	Function &thread;
	Module &module;
	const DataLayout &layout;
	struct cpu_parts &parts;
	std::string name;
	std::vector<Point> points;
	DenseMap<BasicBlock *, unsigned> point_at;
	DenseMap<BasicBlock *, BitVector> ahead; /* points that may be next */
	Blocks ending; /* blocks from which a thread may end before a point */
	DenseSet<const Value *> divergent;
	bool ends_early = false;
	MapVector<Instruction *, Blocks> live; /* blocks it is live into */
	DenseMap<Instruction *, uint64_t> slots;
	std::vector<SetVector<Instruction *>> kept, remade; /* by point */
	SmallVector<Metadata *, 16> scopes;
	DenseMap<uint64_t, MDNode *> scope_of;
	MDNode *domain;
	std::vector<Function *> made;

	Cutter(Function &f, const char *prefix, struct cpu_parts &result)
	    : thread(f), module(*f.getParent()), layout(module.getDataLayout()),
	      parts(result), name(prefix)
	{
		domain = MDNode::get(
			context(),
			{MDString::get(context(), "smelt.parts." + name)});
	}

	LLVMContext &
	context()
	{
		return module.getContext();
	}

	/* ---- where threads meet ---- */

	/* Moves in front of the point what the instruction is made of, if that
	 * stands behind it and is of no memory; whether that was possible. */
	bool
	lift(Value *v, Instruction *point);

	/* Shuffles that follow with nothing between that could tell are done at
	 * the same meeting: words of 64 bits are two shuffles. */
	void
	gather_calls(Point &point);

	void
	find_points();

	/* Whether all that it is made of is there in front of the point, and
	 * with it nothing of that is wanted behind. */
	bool
	shortens(Instruction &i, Point &point);

	/* Arithmetic that LLVM sank to its use behind the point goes back in
	 * front of it: its result is less to keep than what it is made of. */
	void
	hurry(Point &point);

	std::vector<std::reference_wrapper<Instruction>>
	instructions_of();

	BitVector
	first_points(BasicBlock *block);

	void
	look_ahead();

	/* ---- what is the same for all threads ---- */

	bool
	is_fixed_load(const LoadInst *load);

	bool
	differs(Instruction &i);

	/* The ways that lead to points. */
	SmallVector<BasicBlock *, 4>
	ways_on(BasicBlock &block);

	bool
	parts_threads(BasicBlock &block);

	/* Where threads that went different ways come together, values depend
	 * on the way. true: something new was found. */
	bool
	mark_joins(BasicBlock &block);

	void
	find_divergent();

	/* Whether all threads that do not end come to one point next; notes
	 * whether some may end before others. */
	bool
	stay_together();

	/* ---- what a thread keeps ---- */

	void
	live_from(Instruction *v, BasicBlock *block);

	void
	find_live();

	bool
	is_pure(Instruction *i);

	/* Whether it can be made again from what is at hand anywhere and values
	 * that are the same for all threads; those go to leaves. (A leaf that
	 * may have changed since the root was made is none.) */
	bool
	can_remake(Value *v, Instruction *root,
		   SetVector<Instruction *> &leaves, int depth);

	void
	sort_live();

	bool
	sort_live_at(unsigned p);

	/* ---- the context ---- */

	uint64_t
	take(uint64_t bytes);

	uint64_t
	size_of(Type *type);

	/* Bits are bytes in memory. */
	Type *
	stored(Type *type);

	/* Some space between, or all arrays would begin in the same lines of
	 * the cache. */
	uint64_t
	take_array(uint64_t element);

	void
	lay_out();

	/* Has threads leave in front of each point what they show there. */
	void
	show_all();

	/* ---- IR ---- */

	CallInst *
	primitive(IRBuilder<> &b, StringRef what, Type *type);

	Value *
	bytes(IRBuilder<> &b, Value *base, uint64_t offset);

	Value *
	place(IRBuilder<> &b, uint64_t offset);

	Value *
	linear(IRBuilder<> &b);

	Value *
	in_frame(IRBuilder<> &b, uint64_t offset);

	/* Nothing but accesses to this same thing reaches its memory. */
	template <class Access>
	Access *
	scoped(Access *access, uint64_t what)
	{
		MDNode *&scope = scope_of[what];

		if (!scope) {
			std::string id = "smelt.parts." + name + "." +
					 std::to_string(what);

			scope = MDNode::get(
				context(),
				{MDString::get(context(), id), domain});
			scopes.push_back(scope);
		}
		access->setMetadata(LLVMContext::MD_alias_scope,
				    MDNode::get(context(), {scope}));
		return access;
	}

	/* Keys of scopes that are no offsets of the context. */
	enum : uint64_t { key_next = ~UINT64_C(0) - 8, key_in, key_out };

	Value *
	slot(IRBuilder<> &b, Instruction *v, bool write);

	void
	keep(IRBuilder<> &b, Instruction *v, Value *value);

	Value *
	fetch(IRBuilder<> &b, Instruction *v);

	/* The thread's own word of a row; next: of the row for the next turn.
	 */
	Value *
	row(IRBuilder<> &b, uint64_t offset, Value *index, bool next);

	/* In front of a point, in the thread function itself. */
	void
	show(Point &point);

	Value *
	ended_word(IRBuilder<> &b, Value *index);

	/* Whether the thread of this index took part in the last meeting. */
	Value *
	took_part(IRBuilder<> &b, Value *index);

	Value *
	threads(IRBuilder<> &b);

	Value *
	source_lane(IRBuilder<> &b, StringRef kind, Value *lane, Value *by);

	Value *
	shuffled(IRBuilder<> &b, CallInst *call, Value *by, uint64_t offset);

	Value *
	voted(IRBuilder<> &b, CallInst *call);

	/* ---- a part ---- */

	Value *
	remake(IRBuilder<> &b, Value *v, DenseMap<Value *, Value *> &made);

	/* Saves what is live and says which point comes next. */
	void
	arrive(BasicBlock *head, unsigned p, ValueToValueMapTy &map);

	/* Threads that have ended have no part in the others'. */
	BasicBlock *
	skip_ended(Function &part, BasicBlock *go);

	/* The thread's end, where others go on without it. */
	void
	note_end(ReturnInst *end);

	/* A value that the part begins with, or makes itself on the way. */
	void
	enter_value(BasicBlock *start, Value *old, Value *first);

	/* Begins at the point, with its values. */
	BasicBlock *
	begin_at(Function &part, unsigned p, BasicBlock *body,
		 ValueToValueMapTy &map);

	/* Behind the point its operand is one of the values that live there. */
	Value *
	lane_operand(IRBuilder<> &b, CallInst *call,
		     DenseMap<Value *, Value *> &made);

	Function *
	make_part(unsigned number);

	void
	finish(Function &part, unsigned number, ArrayRef<ReturnInst *> ends,
	       ArrayRef<Instruction *> calls);

	/* All else reaches none of the context. */
	void
	part_scopes(Function &part);

	/* Locals whose addresses or contents outlive a point. */
	SmallVector<AllocaInst *, 8>
	lasting_locals();

	/* Whether the locals may lie in the context. */
	bool
	fits();

	/* Whether it is used on both sides of a point, or nobody knows. */
	bool
	outlives(AllocaInst *local);

	void
	move_local(AllocaInst *local);

	/* Whether it was cut: parts says how then. */
	bool
	cut();
};

} // namespace cut

#endif
