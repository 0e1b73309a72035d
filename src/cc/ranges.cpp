/*
 * Ranges of a kernel's values as terms; see held.cpp for what they are for and
 * why facts may be carried from a branch to what it dominates.
 *
 * Walks from a value to what it is computed from. A value that is met again on
 * the way (the phi of a loop) stands for all numbers there, as far as the
 * branches in between say no more; so the walk ends, and what it says of the
 * next value of a counter is right for every iteration.
 */
#include "ranges.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace
{

/* Values on one way, and steps of all walks for one check. */
enum { deepest = 32, longest = 5000 };

uint64_t
mask_of(unsigned width)
{
	return width < 64 ? (uint64_t(1) << width) - 1 : ~uint64_t(0);
}

bool
is_need(unsigned op)
{
	return op >= SMELT_TERM_NEED_BELOW;
}

/* Where a thread stands, and how many there are: the term, and its dimension.
 */
bool
is_position(Intrinsic::ID id, unsigned &op, unsigned &dimension)
{
	static const struct {
		unsigned op;
		Intrinsic::ID ids[3];
	} known[] = {
		{SMELT_TERM_THREAD,
		 {Intrinsic::nvvm_read_ptx_sreg_tid_x,
		  Intrinsic::nvvm_read_ptx_sreg_tid_y,
		  Intrinsic::nvvm_read_ptx_sreg_tid_z}},
		{SMELT_TERM_BLOCK,
		 {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
		  Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
		  Intrinsic::nvvm_read_ptx_sreg_ctaid_z}},
		{SMELT_TERM_BLOCK_DIM,
		 {Intrinsic::nvvm_read_ptx_sreg_ntid_x,
		  Intrinsic::nvvm_read_ptx_sreg_ntid_y,
		  Intrinsic::nvvm_read_ptx_sreg_ntid_z}},
		{SMELT_TERM_GRID_DIM,
		 {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
		  Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
		  Intrinsic::nvvm_read_ptx_sreg_nctaid_z}},
		{SMELT_TERM_THREAD,
		 {Intrinsic::amdgcn_workitem_id_x,
		  Intrinsic::amdgcn_workitem_id_y,
		  Intrinsic::amdgcn_workitem_id_z}},
		{SMELT_TERM_BLOCK,
		 {Intrinsic::amdgcn_workgroup_id_x,
		  Intrinsic::amdgcn_workgroup_id_y,
		  Intrinsic::amdgcn_workgroup_id_z}},
	};

	for (const auto &one : known)
		for (dimension = 0; dimension < 3; dimension++)
			if (one.ids[dimension] == id) {
				op = one.op;
				return true;
			}
	return false;
}

/* The hidden arguments of target_amdgpu.c: block counts, then block sizes. */
bool
is_hidden(const LoadInst &load, unsigned &op, unsigned &dimension)
{
	APInt offset(64, 0);
	const Value *base =
		load.getPointerOperand()->stripAndAccumulateConstantOffsets(
			load.getDataLayout(), offset, false);
	auto *call = dyn_cast<IntrinsicInst>(base);
	uint64_t at = offset.getZExtValue();
	unsigned bits = load.getType()->getIntegerBitWidth();

	if (!call ||
	    call->getIntrinsicID() != Intrinsic::amdgcn_implicitarg_ptr)
		return false;
	if (bits == 32 && at < 12 && at % 4 == 0) {
		op = SMELT_TERM_GRID_DIM;
		dimension = at / 4;
		return true;
	}
	op = SMELT_TERM_BLOCK_DIM;
	dimension = (at - 12) / 2;
	return bits == 16 && at >= 12 && at < 18 && at % 2 == 0;
}

} // namespace

bool
splits(Value *condition, bool is, Value *&a, Value *&b)
{
	return is ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
		  : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
}

bool
block_field(const LoadInst &load, uint64_t &offset)
{
	APInt at(64, 0);
	const DataLayout &layout = load.getDataLayout();

	if (!load.isSimple())
		return false;
	auto *base = dyn_cast<Argument>(
		load.getPointerOperand()->stripAndAccumulateConstantOffsets(
			layout, at, false));
	if (!base || !(base->hasByValAttr() || base->hasByRefAttr()) ||
	    !(base->onlyReadsMemory() ||
	      base->getType()->getPointerAddressSpace() == 4))
		return false;
	Type *block = base->hasByValAttr() ? base->getParamByValType()
					   : base->getParamByRefType();
	uint64_t size = layout.getTypeStoreSize(load.getType());
	uint64_t all = layout.getTypeAllocSize(block);
	offset = at.getZExtValue();
	return at.ule(all) && size <= all - offset;
}

/* ---- terms ---- */

bool
Ranges::is_bounded(unsigned term) const
{
	return terms[term].bounded;
}

bool
Ranges::is_number(unsigned term, uint64_t value) const
{
	return terms[term].term.op == SMELT_TERM_NUMBER &&
	       terms[term].term.value == value;
}

bool
Ranges::begins_with_0(const struct smelt_table_term &term) const
{
	if (term.op <= SMELT_TERM_ANY)
		return term.op == SMELT_TERM_NUMBER
			       ? term.value == 0
			       : term.op == SMELT_TERM_THREAD ||
					 term.op == SMELT_TERM_BLOCK ||
					 term.op == SMELT_TERM_ANY;
	bool left = terms[term.a].zero, right = terms[term.b].zero;
	switch (term.op) {
	case SMELT_TERM_UPTO:
	case SMELT_TERM_AND:
		return true;
	case SMELT_TERM_ADD:
	case SMELT_TERM_MAX:
	case SMELT_TERM_MEET:
	case SMELT_TERM_ATLEAST:
		return left && right;
	case SMELT_TERM_MUL:
	case SMELT_TERM_MIN:
	case SMELT_TERM_JOIN:
		return left || right;
	case SMELT_TERM_BELOW:
	case SMELT_TERM_ATMOST:
		return left && !(term.value >> 63);
	case SMELT_TERM_OTHER:
		return left && !is_number(term.b, 0);
	case SMELT_TERM_ABOVE:
	case SMELT_TERM_SUB:
		return false;
	default:
		return left;
	}
}

unsigned
Ranges::put(unsigned op, unsigned width, unsigned a, unsigned b, uint64_t value)
{
	auto key = std::make_tuple(op, width, a, b, value);
	auto found = same.find(key);

	if (found != same.end()) {
		terms[found->second].dropped = false;
		return found->second;
	}
	Term made = {};
	made.term.op = (uint8_t)op;
	made.term.width = (uint8_t)width;
	made.term.a = (uint16_t)a;
	made.term.b = (uint16_t)b;
	made.term.value = value;
	bool leaf = op <= SMELT_TERM_ANY;
	bool left = !leaf && terms[a].bounded;
	bool right = !leaf && terms[b].bounded;
	made.varies = leaf ? op == SMELT_TERM_THREAD ||
				      op == SMELT_TERM_BLOCK ||
				      op == SMELT_TERM_ANY
			   : terms[a].varies || terms[b].varies;
	switch (op) {
	case SMELT_TERM_ANY:
		made.bounded = width <= 8;
		break;
	case SMELT_TERM_ADD:
	case SMELT_TERM_MUL:
	case SMELT_TERM_MAX:
	case SMELT_TERM_JOIN:
		made.bounded = left && right;
		break;
	case SMELT_TERM_SUB:
		/* The difference of two varying numbers is hardly ever as
		 * wild as their ranges say; that of 0 and more wraps. */
		made.bounded = left && right &&
			       !(terms[a].varies && terms[b].varies) &&
			       (!terms[a].zero || is_number(b, 0));
		break;
	case SMELT_TERM_AND:
	case SMELT_TERM_REM:
	case SMELT_TERM_MIN:
	case SMELT_TERM_MEET:
		made.bounded = left || right;
		break;
	case SMELT_TERM_BELOW:
	case SMELT_TERM_ATMOST:
		made.bounded = left || (right && (!value || value >> 63));
		break;
	default:
		made.bounded = leaf || left;
	}
	if (op == SMELT_TERM_JOIN || op == SMELT_TERM_UPTO)
		made.varies = true;
	made.zero = begins_with_0(made.term);
	terms.push_back(made);
	same[key] = terms.size() - 1;
	return terms.size() - 1;
}

unsigned
Ranges::number(uint64_t value, unsigned width)
{
	return put(SMELT_TERM_NUMBER, 64, 0, 0, value & mask_of(width));
}

unsigned
Ranges::any(unsigned width)
{
	return put(SMELT_TERM_ANY, width);
}

unsigned
Ranges::upto(uint64_t most)
{
	unsigned last = number(most, 64);

	return put(SMELT_TERM_UPTO, 64, last, last);
}

unsigned
Ranges::add(unsigned width, unsigned a, unsigned b)
{
	return put(SMELT_TERM_ADD, width, a, b);
}

unsigned
Ranges::subtract(unsigned width, unsigned a, unsigned b)
{
	return put(SMELT_TERM_SUB, width, a, b);
}

void
Ranges::drop_needs(size_t mark)
{
	for (size_t i = mark; i < terms.size(); i++)
		terms[i].dropped = is_need(terms[i].term.op);
}

size_t
Ranges::write(struct smelt_table_term *out, size_t room) const
{
	SmallVector<bool, 64> used(terms.size(), false);
	SmallVector<uint16_t, 64> place(terms.size(), 0);
	size_t count = 0;
	bool needs = false;

	if (terms.size() > 0xffff)
		return 0;
	for (size_t i = terms.size(); i-- > 0;) {
		const Term &one = terms[i];
		if (is_need(one.term.op) && !one.dropped)
			needs = used[i] = true;
		if (used[i] && one.term.op > SMELT_TERM_ANY)
			used[one.term.a] = used[one.term.b] = true;
	}
	for (size_t i = 0; needs && i < terms.size(); i++) {
		if (!used[i])
			continue;
		if (count == room)
			return 0;
		out[count] = terms[i].term;
		if (terms[i].term.op > SMELT_TERM_ANY) {
			out[count].a = place[out[count].a];
			out[count].b = place[out[count].b];
		}
		place[i] = (uint16_t)count++;
	}
	return count;
}

/* ---- what branches say ---- */

void
Ranges::learn_compare(Facts &facts, Value *value, CmpInst::Predicate is,
		      Value *than)
{
	unsigned width = value->getType()->getIntegerBitWidth();
	ConstantInt *more;
	Value *base;

	if (isa<Constant>(value))
		return;
	if (CmpInst::isSigned(is)) {
		auto *constant = dyn_cast<ConstantInt>(than);
		bool less = is == CmpInst::ICMP_SLT || is == CmpInst::ICMP_SLE;
		const SimplifyQuery query(
			cast<Instruction>(value)->getDataLayout());
		if (less ? !isKnownNonNegative(value, query)
			 : !constant || constant->isNegative())
			return;
		is = ICmpInst::getUnsignedPredicate(is);
	}
	facts.push_back({value, APInt(width, 0), is, than});
	if ((is == CmpInst::ICMP_ULT || is == CmpInst::ICMP_ULE) &&
	    match(value, m_Add(m_Value(base), m_ConstantInt(more))))
		facts.push_back({base, more->getValue(), is, than});
}

void
Ranges::learn(Facts &facts, Value *condition, bool is)
{
	Value *a, *b;

	facts.push_back({condition, APInt(1, 0), CmpInst::ICMP_EQ,
			 ConstantInt::getBool(condition->getContext(), is)});
	if (match(condition, m_Not(m_Value(a)))) {
		learn(facts, a, !is);
	} else if (splits(condition, is, a, b)) {
		learn(facts, a, is);
		learn(facts, b, is);
	} else if (auto *compare = dyn_cast<ICmpInst>(condition)) {
		a = compare->getOperand(0);
		b = compare->getOperand(1);
		auto pred = is ? compare->getPredicate()
			       : compare->getInversePredicate();
		if (!a->getType()->isIntegerTy() ||
		    a->getType()->getIntegerBitWidth() > 64)
			return;
		learn_compare(facts, a, pred, b);
		learn_compare(facts, b, CmpInst::getSwappedPredicate(pred), a);
	}
}

const Ranges::Facts &
Ranges::facts_at(Place place)
{
	auto [found, made] = facts.try_emplace({place.block, place.to});

	if (!made)
		return found->second;
	Facts list;
	auto take = [&](BasicBlock *from, auto taken) {
		auto *branch = dyn_cast<BranchInst>(from->getTerminator());
		if (!branch || !branch->isConditional() ||
		    branch->getSuccessor(0) == branch->getSuccessor(1))
			return;
		for (unsigned i = 0; i < 2; i++)
			if (taken(branch->getSuccessor(i)))
				learn(list, branch->getCondition(), i == 0);
	};
	if (place.to)
		take(place.block,
		     [&](BasicBlock *next) { return next == place.to; });
	for (auto *node = dt.getNode(place.block); node && node->getIDom();
	     node = node->getIDom()) {
		BasicBlock *from = node->getIDom()->getBlock();
		take(from, [&](BasicBlock *next) {
			return dt.dominates(BasicBlockEdge(from, next),
					    place.block);
		});
	}
	return found->second = list;
}

unsigned
Ranges::narrow(unsigned term, const Fact &fact, unsigned than)
{
	unsigned width = fact.more.getBitWidth();
	/* Sign-extended, so that put() sees which way it goes. */
	uint64_t more = (uint64_t)fact.more.getSExtValue();

	switch (fact.is) {
	case CmpInst::ICMP_ULT:
		return put(SMELT_TERM_BELOW, width, term, than, more);
	case CmpInst::ICMP_ULE:
		return put(SMELT_TERM_ATMOST, width, term, than, more);
	case CmpInst::ICMP_UGT:
		return put(SMELT_TERM_ABOVE, width, term, than);
	case CmpInst::ICMP_UGE:
		return put(SMELT_TERM_ATLEAST, width, term, than);
	case CmpInst::ICMP_EQ:
		return put(SMELT_TERM_MEET, width, term, than);
	case CmpInst::ICMP_NE:
		return put(SMELT_TERM_OTHER, width, term, than);
	default:
		return term;
	}
}

unsigned
Ranges::narrowed(unsigned term, Value *value, Place place)
{
	/* A copy: the map grows on the way. */
	const Facts list = facts_at(place);

	for (const Fact &fact : list) {
		/* What only a lower bound or a number of the block is compared
		 * with is worth a look if it is known at the launch. */
		bool less = fact.is == CmpInst::ICMP_ULT ||
			    fact.is == CmpInst::ICMP_ULE;
		bool plain = isa<ConstantInt>(fact.than) ||
			     (less ? !isa<LoadInst>(value)
				   : isa<LoadInst>(fact.than) &&
					      !isa<LoadInst>(value));
		if (fact.value != value || !plain)
			continue;
		unsigned than = of(fact.than, place);
		if (terms[than].bounded)
			term = narrow(term, fact, than);
	}
	return term;
}

/* ---- how values are computed ---- */

unsigned
Ranges::of(Value *value, Place place)
{
	auto *type = dyn_cast<IntegerType>(value->getType());
	unsigned width = type ? type->getBitWidth() : 64;

	if (!type || width > 64)
		return any(64);
	if (auto *constant = dyn_cast<ConstantInt>(value))
		return number(constant->getZExtValue(), width);
	auto *inst = dyn_cast<Instruction>(value);
	auto key = std::make_tuple(value, place.block, place.to);
	auto found = known.find(key);
	if (found != known.end())
		return found->second;
	if (!inst)
		return any(width);
	if (++steps > longest || open.size() == deepest) {
		/* Not to be kept: it may be known better another time. */
		lowest = 0;
		return any(width);
	}
	unsigned index = open.size(), outer = lowest;
	auto again = find(open, value);
	if (again != open.end()) {
		lowest = std::min<unsigned>(lowest, again - open.begin());
		if (!narrowing.insert(value).second)
			return any(width);
		unsigned term = narrowed(any(width), value, place);
		narrowing.erase(value);
		return term;
	}
	lowest = ~0u;
	open.push_back(value);
	unsigned term = narrowed(describe(*inst, width, place), value, place);
	open.pop_back();
	/* Of use elsewhere only if it left out nothing that is open still. */
	bool whole = lowest >= index;
	if (whole)
		known[key] = term;
	lowest = whole ? outer : std::min(outer, lowest);
	return term;
}

unsigned
Ranges::describe(Instruction &inst, unsigned width, Place place)
{
	if (auto *phi = dyn_cast<PHINode>(&inst))
		return describe_phi(*phi, width);
	if (auto *binary = dyn_cast<BinaryOperator>(&inst))
		return describe_binary(*binary, width, place);
	if (auto *load = dyn_cast<LoadInst>(&inst))
		return describe_load(*load, width);
	if (auto *call = dyn_cast<CallBase>(&inst))
		return describe_call(*call, width, place);
	if (isa<FreezeInst>(inst) || isa<ZExtInst>(inst))
		return of(inst.getOperand(0), place);
	if (isa<TruncInst>(inst)) {
		unsigned a = of(inst.getOperand(0), place);
		return put(SMELT_TERM_TRUNC, width, a, a);
	}
	if (isa<SExtInst>(inst)) {
		unsigned a = of(inst.getOperand(0), place);
		return put(SMELT_TERM_SEXT, width, a, a,
			   inst.getOperand(0)->getType()->getIntegerBitWidth());
	}
	if (auto *select = dyn_cast<SelectInst>(&inst))
		return describe_select(*select, width, place);
	auto *part = dyn_cast<ExtractValueInst>(&inst);
	auto *sum = part ? dyn_cast<WithOverflowInst>(part->getOperand(0))
			 : nullptr;
	if (!sum || part->getIndices()[0] != 0)
		return any(width);
	unsigned a = of(sum->getLHS(), place), b = of(sum->getRHS(), place);
	switch (sum->getBinaryOp()) {
	case Instruction::Add:
		return add(width, a, b);
	case Instruction::Sub:
		return subtract(width, a, b);
	default:
		return put(SMELT_TERM_MUL, width, a, b);
	}
}

/* Only one of the two where the condition has decided a branch on the way. */
unsigned
Ranges::describe_select(SelectInst &select, unsigned width, Place place)
{
	for (const Fact &fact : facts_at(place))
		if (fact.value == select.getCondition())
			return of(match(fact.than, m_One())
					  ? select.getTrueValue()
					  : select.getFalseValue(),
				  place);
	return put(SMELT_TERM_JOIN, width, of(select.getTrueValue(), place),
		   of(select.getFalseValue(), place));
}

unsigned
Ranges::describe_binary(BinaryOperator &inst, unsigned width, Place place)
{
	Value *right = inst.getOperand(1);
	auto *constant = dyn_cast<ConstantInt>(right);
	uint64_t by = constant ? constant->getZExtValue() : 0;
	unsigned a = of(inst.getOperand(0), place);

	switch (inst.getOpcode()) {
	case Instruction::Add:
		if (constant && constant->isNegative())
			return subtract(width, a, number(0 - by, width));
		return add(width, a, of(right, place));
	case Instruction::Sub:
		return subtract(width, a, of(right, place));
	case Instruction::Mul:
		return put(SMELT_TERM_MUL, width, a, of(right, place));
	case Instruction::UDiv:
		return put(SMELT_TERM_DIV, width, a, of(right, place));
	case Instruction::URem:
		return put(SMELT_TERM_REM, width, a, of(right, place));
	case Instruction::Shl:
		if (constant && by < width)
			return put(SMELT_TERM_MUL, width, a,
				   number(uint64_t(1) << by, width));
		break;
	case Instruction::LShr:
		if (constant && by < width)
			return put(SMELT_TERM_DIV, width, a,
				   number(uint64_t(1) << by, width));
		break;
	case Instruction::And:
		return put(SMELT_TERM_AND, width, a, of(right, place));
	case Instruction::Or:
		a = add(width, a, of(right, place));
		return cast<PossiblyDisjointInst>(inst).isDisjoint()
			       ? a
			       : put(SMELT_TERM_UPTO, width, a, a);
	default:
		break;
	}
	return any(width);
}

unsigned
Ranges::describe_call(CallBase &call, unsigned width, Place place)
{
	Intrinsic::ID id = call.getIntrinsicID();
	unsigned op, dimension;

	if (is_position(id, op, dimension))
		return put(op, 32, dimension);
	switch (id) {
	case Intrinsic::umin:
	case Intrinsic::umax:
		return put(id == Intrinsic::umin ? SMELT_TERM_MIN
						 : SMELT_TERM_MAX,
			   width, of(call.getArgOperand(0), place),
			   of(call.getArgOperand(1), place));
	case Intrinsic::ctpop:
	case Intrinsic::ctlz:
	case Intrinsic::cttz:
		return upto(width);
	/* The lane: .hi where a warp has 64, .lo alone where it has 32. */
	case Intrinsic::amdgcn_mbcnt_hi:
		return upto(63);
	case Intrinsic::amdgcn_mbcnt_lo:
	case Intrinsic::nvvm_read_ptx_sreg_laneid:
		return upto(31);
	default:
		return any(width);
	}
}

unsigned
Ranges::describe_load(LoadInst &load, unsigned width)
{
	unsigned op, dimension;
	uint64_t offset;

	/* The header is filled in after the terms were evaluated. */
	if (width % 8 == 0 && block_field(load, offset) &&
	    offset >= sizeof(struct smelt_block_header))
		return put(SMELT_TERM_FIELD, width, 0, 0, offset);
	if (is_hidden(load, op, dimension))
		return put(op, 32, dimension);
	return any(width);
}

unsigned
Ranges::describe_phi(PHINode &phi, unsigned width)
{
	unsigned joined = 0;
	bool first = true;

	if (phi.getNumIncomingValues() > 8)
		return any(width);
	for (unsigned i = 0; i < phi.getNumIncomingValues(); i++) {
		Value *value = phi.getIncomingValue(i);
		if (value == &phi)
			continue;
		unsigned one =
			of(value, {phi.getIncomingBlock(i), phi.getParent()});
		if (first)
			joined = one;
		else if (one != joined)
			joined = put(SMELT_TERM_JOIN, width, joined, one);
		first = false;
	}
	if (first)
		return any(width);
	if (!loops.isLoopHeader(phi.getParent()) ||
	    !se.isSCEVable(phi.getType()))
		return joined;
	auto *rec = dyn_cast<SCEVAddRecExpr>(se.getSCEV(&phi));
	if (!rec || rec->getLoop()->getHeader() != phi.getParent())
		return joined;
	unsigned steps = of_steps(rec);
	return !terms[steps].bounded ? joined
	       : !terms[joined].bounded
		       ? steps
		       : put(SMELT_TERM_MEET, width, joined, steps);
}

/* ---- scalar evolution ---- */

/* The greatest number of times that the loop goes round. */
bool
Ranges::most_rounds(Loop &loop, Place before, unsigned &rounds)
{
	SmallVector<BasicBlock *, 4> exits;
	bool any = false;

	loop.getExitingBlocks(exits);
	for (BasicBlock *block : exits) {
		if (!dt.dominates(block, loop.getLoopLatch()))
			continue;
		const SCEV *count = se.getExitCount(&loop, block);
		if (isa<SCEVCouldNotCompute>(count))
			continue;
		unsigned one = of_scev(count, before);
		if (!terms[one].bounded)
			continue;
		rounds = any ? put(SMELT_TERM_MIN, 64, rounds, one) : one;
		any = true;
	}
	return any;
}

unsigned
Ranges::of_steps(const SCEVAddRecExpr *rec)
{
	Loop &loop = *const_cast<Loop *>(rec->getLoop());
	BasicBlock *before = loop.getLoopPredecessor();
	unsigned width = se.getTypeSizeInBits(rec->getType()), rounds;

	if (!rec->isAffine() || !rec->getType()->isIntegerTy() || !before ||
	    !loop.getLoopLatch() || width > 64)
		return any(64);
	Place place = {before, loop.getHeader()};
	if (!most_rounds(loop, place, rounds))
		return any(width);
	rounds = put(SMELT_TERM_UPTO, 64, rounds, rounds);
	unsigned start = of_scev(rec->getStart(), place);
	const SCEV *step = rec->getStepRecurrence(se);
	auto *constant = dyn_cast<SCEVConstant>(step);
	bool down = constant && constant->getAPInt().isNegative();
	unsigned by = of_scev(down ? se.getNegativeSCEV(step) : step, place);
	unsigned way = put(SMELT_TERM_MUL, width, by, rounds);
	return down ? subtract(width, start, way) : add(width, start, way);
}

unsigned
Ranges::of_sum(const SCEVNAryExpr *sum, unsigned width, Place place)
{
	unsigned plus = number(0, width), minus = plus;

	for (const SCEV *operand : sum->operands()) {
		auto *constant = dyn_cast<SCEVConstant>(operand);
		auto *product = dyn_cast<SCEVMulExpr>(operand);
		auto *factor =
			product ? dyn_cast<SCEVConstant>(product->getOperand(0))
				: nullptr;
		bool negative = constant ? constant->getAPInt().isNegative()
				: factor ? factor->getAPInt().isNegative()
					 : false;
		unsigned one = of_scev(negative ? se.getNegativeSCEV(operand)
						: operand,
				       place);
		unsigned &side = negative ? minus : plus;
		side = add(width, side, one);
	}
	return subtract(width, plus, minus);
}

unsigned
Ranges::of_scev(const SCEV *scev, Place place)
{
	unsigned width = scev->getType()->isIntegerTy()
				 ? scev->getType()->getIntegerBitWidth()
				 : 65;

	if (width > 64 || ++steps > longest)
		return any(64);
	if (auto *constant = dyn_cast<SCEVConstant>(scev))
		return number(constant->getAPInt().getZExtValue(), width);
	if (auto *unknown = dyn_cast<SCEVUnknown>(scev))
		return of(unknown->getValue(), place);
	if (auto *rec = dyn_cast<SCEVAddRecExpr>(scev))
		return of_steps(rec);
	if (auto *cast = dyn_cast<SCEVCastExpr>(scev)) {
		unsigned a = of_scev(cast->getOperand(), place);
		if (isa<SCEVZeroExtendExpr>(cast))
			return a;
		return isa<SCEVTruncateExpr>(cast)
			       ? put(SMELT_TERM_TRUNC, width, a, a)
			       : any(width);
	}
	if (auto *div = dyn_cast<SCEVUDivExpr>(scev))
		return put(SMELT_TERM_DIV, width, of_scev(div->getLHS(), place),
			   of_scev(div->getRHS(), place));
	auto *list = dyn_cast<SCEVNAryExpr>(scev);
	if (!list)
		return any(width);
	if (isa<SCEVAddExpr>(list))
		return of_sum(list, width, place);
	unsigned op =
		isa<SCEVMulExpr>(list)	  ? SMELT_TERM_MUL
		: isa<SCEVUMaxExpr>(list) ? SMELT_TERM_MAX
		: isa<SCEVUMinExpr>(list) || isa<SCEVSequentialUMinExpr>(list)
			? SMELT_TERM_MIN
			: 0;
	if (!op)
		return any(width);
	unsigned all = of_scev(list->getOperand(0), place);
	for (unsigned i = 1; i < list->getNumOperands(); i++)
		all = put(op, width, all, of_scev(list->getOperand(i), place));
	return all;
}
