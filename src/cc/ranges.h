/* The terms of ranges (struct smelt_table_term), made from a kernel's code.
 * C++, for held.cpp. */
#ifndef SMELT_CC_RANGES_H
#define SMELT_CC_RANGES_H

#include "analyses.h"
#include "smelt/image.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <map>
#include <tuple>

/* In the block, or, with `to`, on the edge from it. */
struct Place {
	llvm::BasicBlock *block;
	llvm::BasicBlock *to;
};

/* Whether a condition is `is` exactly if both a and b are. */
bool
splits(llvm::Value *condition, bool is, llvm::Value *&a, llvm::Value *&b);
/* Whether a load reads the kernel's parameter block, which is the same
 * everywhere, and where. */
bool
block_field(const llvm::LoadInst &load, uint64_t &offset);

/* All term numbers are indices of `terms` until write(). */
class Ranges
{
      public:
	Ranges(llvm::DominatorTree &dt, llvm::LoopInfo &loops,
	       llvm::ScalarEvolution &se)
	    : dt(dt), loops(loops), se(se)
	{
	}
	/* The term of a value's range at a place. */
	unsigned
	of(llvm::Value *value, Place place);
	/* Whether that says more than the value's width does, and may be hoped
	 * to be the range of what a program computes. */
	bool
	is_bounded(unsigned term) const;
	unsigned
	put(unsigned op, unsigned width, unsigned a = 0, unsigned b = 0,
	    uint64_t value = 0);
	/* Begins with a check: what is put from now on is its own. */
	size_t
	mark()
	{
		steps = 0;
		return terms.size();
	}
	/* Forgets the needs put since the mark. */
	void
	drop_needs(size_t mark);
	/* The needs and what they are made of; 0 if there are no needs, or too
	 * many terms. */
	size_t
	write(struct smelt_table_term *out, size_t room) const;

      private:
	struct Term {
		struct smelt_table_term term;
		bool bounded;
		/* Differs between threads or iterations. */
		bool varies;
		/* Begins with 0 in every launch. */
		bool zero;
		bool dropped;
	};
	/* `value + more is than`, all of it unsigned. */
	struct Fact {
		llvm::Value *value;
		llvm::APInt more;
		llvm::CmpInst::Predicate is;
		llvm::Value *than;
	};
	using Facts = llvm::SmallVector<Fact, 8>;

	llvm::DominatorTree &dt;
	llvm::LoopInfo &loops;
	llvm::ScalarEvolution &se;
	llvm::SmallVector<Term, 64> terms;
	std::map<std::tuple<unsigned, unsigned, unsigned, unsigned, uint64_t>,
		 unsigned>
		same;
	std::map<std::tuple<llvm::Value *, llvm::BasicBlock *,
			    llvm::BasicBlock *>,
		 unsigned>
		known;
	std::map<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>, Facts>
		facts;
	/* Values whose range is being made, outermost first; which of them were
	 * met again and narrowed; the outermost that was met since. */
	llvm::SmallVector<llvm::Value *, 32> open;
	llvm::SmallPtrSet<llvm::Value *, 8> narrowing;
	unsigned lowest = ~0u;
	unsigned steps = 0;

	bool
	is_number(unsigned term, uint64_t value) const;
	bool
	begins_with_0(const struct smelt_table_term &term) const;
	unsigned
	number(uint64_t value, unsigned width);
	unsigned
	any(unsigned width);
	/* 0 to most. */
	unsigned
	upto(uint64_t most);
	const Facts &
	facts_at(Place place);
	void
	learn(Facts &facts, llvm::Value *condition, bool is);
	void
	learn_compare(Facts &facts, llvm::Value *value,
		      llvm::CmpInst::Predicate is, llvm::Value *than);
	unsigned
	narrowed(unsigned term, llvm::Value *value, Place place);
	unsigned
	narrow(unsigned term, const Fact &fact, unsigned than);
	unsigned
	describe(llvm::Instruction &inst, unsigned width, Place place);
	unsigned
	describe_select(llvm::SelectInst &select, unsigned width, Place place);
	unsigned
	describe_binary(llvm::BinaryOperator &inst, unsigned width,
			Place place);
	unsigned
	describe_call(llvm::CallBase &call, unsigned width, Place place);
	unsigned
	describe_load(llvm::LoadInst &load, unsigned width);
	unsigned
	describe_phi(llvm::PHINode &phi, unsigned width);
	unsigned
	add(unsigned width, unsigned a, unsigned b);
	unsigned
	subtract(unsigned width, unsigned a, unsigned b);
	unsigned
	of_scev(const llvm::SCEV *scev, Place place);
	unsigned
	of_sum(const llvm::SCEVNAryExpr *sum, unsigned width, Place place);
	unsigned
	of_steps(const llvm::SCEVAddRecExpr *rec);
	bool
	most_rounds(llvm::Loop &loop, Place before, unsigned &rounds);
};

#endif
