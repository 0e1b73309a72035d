/*
 * The parts of a thread function (cpu_parts.cpp), made: each a copy that begins
 * behind its point with what was kept there, and ends at the next.
 */
#include "cpu_cutter.h"

#include "smelt/image.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

namespace cut
{

uint64_t
Cutter::take(uint64_t bytes)
{
	uint64_t at = (parts.size + 63) & ~UINT64_C(63);

	parts.size = at + bytes;
	return at;
}

uint64_t
Cutter::size_of(Type *type)
{
	return layout.getTypeAllocSize(stored(type));
}

Type *
Cutter::stored(Type *type)
{
	return type->isIntegerTy(1) ? Type::getInt8Ty(context()) : type;
}

uint64_t
Cutter::take_array(uint64_t element)
{
	return take(element * most_threads + 64);
}

void
Cutter::lay_out()
{
	uint64_t uniform = 0;

	for (auto &list : kept)
		for (Instruction *v : list)
			if (!divergent.count(v) && !slots.count(v)) {
				slots[v] = uniform;
				uniform += (size_of(v->getType()) + 15) &
					   ~UINT64_C(15);
			}
	parts.uniform_size = (uniform + 63) & ~UINT64_C(63);
	parts.uniform = take(2 * parts.uniform_size);
	parts.votes = take(32 * 8);
	parts.ended = ends_early ? take(4 * most_threads) : 0;
	for (auto &list : kept)
		for (Instruction *v : list)
			if (divergent.count(v) && !slots.count(v))
				slots[v] = take_array(size_of(v->getType()));
}

void
Cutter::show_all()
{
	for (unsigned p = 0; p < points.size(); p++) {
		Point &point = points[p];

		for (CallInst *call : point.calls)
			if (!call->arg_empty())
				point.rows.push_back(take(2 * CPU_PARTS_NEXT));
		show(point);
		if (is_vote(point.calls[0]))
			parts.polls[p + 1] = point.rows[0];
	}
}

CallInst *
Cutter::primitive(IRBuilder<> &b, StringRef what, Type *type)
{
	FunctionCallee f = module.getOrInsertFunction(
		what, FunctionType::get(type, false));
	auto *function = cast<Function>(f.getCallee());

	function->setDoesNotAccessMemory();
	function->setDoesNotThrow();
	function->setWillReturn();
	function->addFnAttr(Attribute::Speculatable);
	return b.CreateCall(f);
}

Value *
Cutter::bytes(IRBuilder<> &b, Value *base, uint64_t offset)
{
	return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
}

Value *
Cutter::place(IRBuilder<> &b, uint64_t offset)
{
	return bytes(b, primitive(b, "__smelt_context", b.getPtrTy()), offset);
}

Value *
Cutter::linear(IRBuilder<> &b)
{
	return primitive(b, "__smelt_linear_wide", b.getInt64Ty());
}

Value *
Cutter::in_frame(IRBuilder<> &b, uint64_t offset)
{
	return bytes(b, primitive(b, "__smelt_frame", b.getPtrTy()), offset);
}

Value *
Cutter::slot(IRBuilder<> &b, Instruction *v, bool write)
{
	if (divergent.count(v))
		return b.CreateInBoundsGEP(stored(v->getType()),
					   place(b, slots[v]), linear(b));
	return bytes(
		b,
		primitive(b,
			  write ? "__smelt_uniform_out" : "__smelt_uniform_in",
			  b.getPtrTy()),
		slots[v]);
}

void
Cutter::keep(IRBuilder<> &b, Instruction *v, Value *value)
{
	bool differs = divergent.count(v);
	StoreInst *store;

	if (value->getType() != stored(value->getType()))
		value = b.CreateZExt(value, stored(value->getType()));
	store = b.CreateStore(value, slot(b, v, true));
	scoped(store, differs ? slots[v] : (uint64_t)key_out);
}

Value *
Cutter::fetch(IRBuilder<> &b, Instruction *v)
{
	bool differs = divergent.count(v);
	LoadInst *load = b.CreateLoad(stored(v->getType()), slot(b, v, false));

	scoped(load, differs ? slots[v] : (uint64_t)key_in);
	if (!differs)
		load->setMetadata(LLVMContext::MD_invariant_load,
				  MDNode::get(context(), {}));
	return load->getType() == v->getType()
		       ? static_cast<Value *>(load)
		       : b.CreateTrunc(load, v->getType());
}

Value *
Cutter::row(IRBuilder<> &b, uint64_t offset, Value *index, bool next)
{
	Value *turn = primitive(b, "__smelt_turn", b.getInt32Ty());
	Value *odd = b.CreateAnd(next ? b.CreateNot(turn) : turn, 1);
	Value *skip = b.CreateMul(b.CreateZExt(odd, b.getInt64Ty()),
				  b.getInt64(CPU_PARTS_NEXT));
	Value *start =
		b.CreateInBoundsGEP(b.getInt8Ty(), place(b, offset), skip);

	return b.CreateInBoundsGEP(b.getInt32Ty(), start, index);
}

void
Cutter::show(Point &point)
{
	IRBuilder<> b(point.block->getSinglePredecessor()->getTerminator());

	for (unsigned k = 0; k < point.rows.size(); k++) {
		Value *word = point.calls[k]->getArgOperand(0);
		Value *at = row(b, point.rows[k], linear(b), true);

		word = b.CreateZExt(word, b.getInt32Ty());
		scoped(b.CreateStore(word, at), point.rows[k] + 1);
		point.calls[k]->setArgOperand(
			0,
			PoisonValue::get(
				point.calls[k]->getArgOperand(0)->getType()));
	}
}

Value *
Cutter::ended_word(IRBuilder<> &b, Value *index)
{
	return b.CreateInBoundsGEP(b.getInt32Ty(), place(b, parts.ended),
				   index);
}

Value *
Cutter::took_part(IRBuilder<> &b, Value *index)
{
	Value *turn, *when, *none;

	if (!parts.ended)
		return b.getTrue();
	turn = primitive(b, "__smelt_turn", b.getInt32Ty());
	when = scoped(b.CreateLoad(b.getInt32Ty(), ended_word(b, index)),
		      parts.ended);
	none = b.CreateICmpEQ(primitive(b, "__smelt_ended", b.getInt32Ty()),
			      b.getInt32(0));
	return b.CreateOr(none, b.CreateOr(b.CreateICmpEQ(when, b.getInt32(0)),
					   b.CreateICmpUGE(when, turn)));
}

Value *
Cutter::threads(IRBuilder<> &b)
{
	Value *total = b.getInt32(1);

	for (const char *dim : {"__smelt_block_dim_x", "__smelt_block_dim_y",
				"__smelt_block_dim_z"})
		total = b.CreateMul(total, primitive(b, dim, b.getInt32Ty()));
	return total;
}

Value *
Cutter::source_lane(IRBuilder<> &b, StringRef kind, Value *lane, Value *by)
{
	if (kind == "__smelt_shuffle_up_b32")
		return b.CreateSub(lane, by);
	if (kind == "__smelt_shuffle_down_b32")
		return b.CreateBinaryIntrinsic(Intrinsic::uadd_sat, lane, by);
	if (kind == "__smelt_shuffle_xor_b32" ||
	    kind == "__smelt_shuffle_near_b32")
		return b.CreateXor(lane, by);
	return by;
}

Value *
Cutter::shuffled(IRBuilder<> &b, CallInst *call, Value *by, uint64_t offset)
{
	Value *own = linear(b);
	Value *narrow = b.CreateTrunc(own, b.getInt32Ty());
	Value *from =
		source_lane(b, callee_name(call), b.CreateAnd(narrow, 31), by);
	Value *index = b.CreateAdd(b.CreateAnd(narrow, ~31u), from);
	Value *there = b.CreateAnd(b.CreateICmpULT(from, b.getInt32(32)),
				   b.CreateICmpULT(index, threads(b)));

	index = b.CreateSelect(there, b.CreateZExt(index, b.getInt64Ty()), own);
	index = b.CreateSelect(took_part(b, index), index, own);
	return scoped(
		b.CreateLoad(b.getInt32Ty(), row(b, offset, index, false)),
		offset + 1);
}

Value *
Cutter::voted(IRBuilder<> &b, CallInst *call)
{
	Value *warp = b.CreateLShr(linear(b), 5);
	Value *at = b.CreateInBoundsGEP(b.getInt64Ty(), place(b, parts.votes),
					warp);
	Value *votes = scoped(b.CreateLoad(b.getInt64Ty(), at), parts.votes);
	Value *yes = b.CreateAnd(votes, 0xffffffff);
	StringRef kind = callee_name(call);

	if (kind == "__smelt_any")
		yes = b.CreateICmpNE(yes, b.getInt64(0));
	else if (kind == "__smelt_all")
		yes = b.CreateICmpEQ(yes, b.CreateLShr(votes, 32));
	return b.CreateZExtOrTrunc(yes, call->getType());
}

Value *
Cutter::remake(IRBuilder<> &b, Value *v, DenseMap<Value *, Value *> &made)
{
	auto *i = dyn_cast<Instruction>(v);
	Instruction *copy;

	if (!i)
		return isa<Argument>(v)
			       ? b.GetInsertBlock()->getParent()->getArg(0)
			       : v;
	if (Value *known = made.lookup(v))
		return known;
	if (!is_pure(i))
		return made[v] = fetch(b, i);
	copy = i->clone();
	for (Use &use : copy->operands())
		use.set(remake(b, use.get(), made));
	copy->setDebugLoc(DebugLoc());
	b.Insert(copy);
	return made[v] = copy;
}

void
Cutter::arrive(BasicBlock *head, unsigned p, ValueToValueMapTy &map)
{
	Instruction *end = head->getTerminator();
	IRBuilder<> b(end);
	StoreInst *store;

	for (Instruction *v : kept[p])
		keep(b, v, map[v]);
	store = b.CreateStore(
		b.getInt32(p + 1),
		in_frame(b, offsetof(struct smelt_cpu_frame, next)));
	scoped(store, key_next);
	ReturnInst::Create(context(), nullptr, end->getIterator());
	end->eraseFromParent();
}

BasicBlock *
Cutter::skip_ended(Function &part, BasicBlock *go)
{
	BasicBlock *ask, *look, *out;

	if (!parts.ended)
		return go;
	out = BasicBlock::Create(context(), "gone", &part, go);
	look = BasicBlock::Create(context(), "look", &part, out);
	ask = BasicBlock::Create(context(), "ask", &part, look);
	ReturnInst::Create(context(), out);
	IRBuilder<> b(ask);
	b.CreateCondBr(
		b.CreateICmpEQ(primitive(b, "__smelt_ended", b.getInt32Ty()),
			       b.getInt32(0)),
		go, look);
	b.SetInsertPoint(look);
	b.CreateCondBr(
		b.CreateICmpEQ(scoped(b.CreateLoad(b.getInt32Ty(),
						   ended_word(b, linear(b))),
				      parts.ended),
			       b.getInt32(0)),
		go, out);
	return ask;
}

void
Cutter::note_end(ReturnInst *end)
{
	IRBuilder<> b(end);
	Value *turn = primitive(b, "__smelt_turn", b.getInt32Ty());

	scoped(b.CreateStore(turn, ended_word(b, linear(b))), parts.ended);
	scoped(b.CreateStore(
		       b.getInt32(1),
		       in_frame(b, offsetof(struct smelt_cpu_frame, ended))),
	       key_next);
}

void
Cutter::enter_value(BasicBlock *start, Value *old, Value *first)
{
	auto *v = cast<Instruction>(old);
	SmallVector<Use *, 16> uses;
	SSAUpdater updater;

	updater.Initialize(v->getType(), "kept");
	updater.AddAvailableValue(start, first);
	updater.AddAvailableValue(v->getParent(), v);
	for (Use &use : v->uses())
		uses.push_back(&use);
	for (Use *use : uses) {
		auto *user = cast<Instruction>(use->getUser());

		if (isa<PHINode>(user) || user->getParent() != v->getParent())
			updater.RewriteUse(*use);
	}
}

BasicBlock *
Cutter::begin_at(Function &part, unsigned p, BasicBlock *body,
		 ValueToValueMapTy &map)
{
	BasicBlock *start = BasicBlock::Create(context(), "start", &part, body);
	IRBuilder<> b(start);
	DenseMap<Value *, Value *> made;
	SmallVector<std::pair<Value *, Value *>, 16> values;
	Point &point = points[p];

	for (Instruction *v : kept[p])
		values.push_back({map[v], made[v] = fetch(b, v)});
	for (Instruction *v : remade[p])
		values.push_back({map[v], remake(b, v, made)});
	for (unsigned k = 0; k < point.rows.size(); k++) {
		CallInst *call = point.calls[k];
		Value *result;

		if (is_vote(call))
			result = voted(b, call);
		else
			result = shuffled(b, call, lane_operand(b, call, made),
					  point.rows[k]);
		map[call]->replaceAllUsesWith(result);
	}
	b.CreateBr(body);
	for (auto [old, first] : values)
		enter_value(start, old, first);
	return start;
}

Value *
Cutter::lane_operand(IRBuilder<> &b, CallInst *call,
		     DenseMap<Value *, Value *> &made)
{
	return remake(b, call->getArgOperand(1), made);
}

Function *
Cutter::make_part(unsigned number)
{
	ValueToValueMapTy map;
	Function *part = CloneFunction(&thread, map);
	SmallVector<BasicBlock *, 16> bodies;
	SmallVector<ReturnInst *, 8> ends;
	BasicBlock *entry = &part->getEntryBlock();
	SmallVector<AllocaInst *, 8> locals;
	SmallVector<Instruction *, 16> calls;

	part->setName(name + "_part" + std::to_string(number));
	part->setLinkage(GlobalValue::ExternalLinkage);
	for (Instruction &i : *entry)
		if (auto *local = dyn_cast<AllocaInst>(&i))
			locals.push_back(local);
	for (BasicBlock &block : *part)
		if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
			ends.push_back(end);
	/* The map follows what takes their place. */
	for (Point &point : points)
		for (CallInst *call : point.calls)
			calls.push_back(cast<Instruction>(map[call]));
	for (Point &point : points) {
		auto *last = cast<Instruction>(map[point.calls.back()]);

		bodies.push_back(SplitBlock(last->getParent(),
					    std::next(last->getIterator())));
	}
	for (unsigned p = 0; p < points.size(); p++)
		arrive(cast<BasicBlock>(map[points[p].block]), p, map);
	if (number > 0) {
		BasicBlock *start =
			begin_at(*part, number - 1, bodies[number - 1], map);
		BasicBlock *first = skip_ended(*part, start);

		first->moveBefore(entry);
		for (AllocaInst *local : reverse(locals))
			local->moveBefore(*first, first->begin());
	}
	finish(*part, number, ends, calls);
	return part;
}

void
Cutter::finish(Function &part, unsigned number, ArrayRef<ReturnInst *> ends,
	       ArrayRef<Instruction *> calls)
{
	BasicBlock *from =
		number ? points[number - 1].block : &thread.getEntryBlock();

	if (parts.ended && ahead[from].any())
		for (ReturnInst *end : ends)
			note_end(end);
	for (Instruction *call : calls) {
		call->replaceAllUsesWith(PoisonValue::get(call->getType()));
		call->eraseFromParent();
	}
	removeUnreachableBlocks(part);
}

void
Cutter::part_scopes(Function &part)
{
	unsigned noalias = LLVMContext::MD_noalias;

	for (BasicBlock &block : part)
		for (Instruction &i : block) {
			MDNode *own, *all;
			SmallVector<Metadata *, 16> others(scopes);

			if (!i.mayReadOrWriteMemory())
				continue;
			own = i.getMetadata(LLVMContext::MD_alias_scope);
			if (own)
				erase_if(others, [&](Metadata *m) {
					return is_contained(own->operands(), m);
				});
			all = MDNode::get(context(), others);
			i.setMetadata(noalias,
				      MDNode::concatenate(
					      i.getMetadata(noalias), all));
		}
}

void
Cutter::move_local(AllocaInst *local)
{
	IRBuilder<> b(local);
	uint64_t size = *local->getAllocationSize(layout);
	uint64_t align = local->getAlign().value(), step, offset;
	SmallVector<Instruction *, 8> marks;
	Value *at;

	step = (size + align - 1) & ~(align - 1);
	offset = take_array(step);
	at = b.CreateInBoundsGEP(ArrayType::get(b.getInt8Ty(), step),
				 place(b, offset), linear(b));
	for (User *user : local->users())
		if (cast<Instruction>(user)->isLifetimeStartOrEnd())
			marks.push_back(cast<Instruction>(user));
	for (Instruction *mark : marks)
		mark->eraseFromParent();
	local->replaceAllUsesWith(at);
	local->eraseFromParent();
}

} // namespace cut
