/*
 * Dominators, loops, scalar evolution and copies of blocks for C; see
 * analyses.h. Nothing is decided here.
 */
#include "analyses.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <cstdlib>
#include <cstring>

using namespace llvm;

DEFINE_SIMPLE_CONVERSION_FUNCTIONS(Loop, cc_loop *)
DEFINE_SIMPLE_CONVERSION_FUNCTIONS(SCEV, cc_scev *)

struct cc_analyses {
	DominatorTree dt;
	LoopInfo loops;
	AssumptionCache assumed;
	TargetLibraryInfoImpl names;
	TargetLibraryInfo library;
	ScalarEvolution se;
	SCEVExpander expander;

	cc_analyses(Function &f)
	    : dt(f), loops(dt), assumed(f),
	      names(f.getParent()->getTargetTriple()), library(names),
	      se(f, library, assumed, dt, loops), expander(se, "check")
	{
	}
};

cc_analyses *
cc_shim_analyse(LLVMValueRef function)
{
	return new cc_analyses(*unwrap<Function>(function));
}

void
cc_shim_analyses_free(cc_analyses *analyses)
{
	delete analyses;
}

bool
cc_shim_dominates(cc_analyses *analyses, LLVMValueRef instruction,
		  LLVMValueRef at)
{
	return analyses->dt.dominates(unwrap<Instruction>(instruction),
				      unwrap<Instruction>(at));
}

bool
cc_shim_edge_dominates(cc_analyses *analyses, LLVMBasicBlockRef from,
		       LLVMBasicBlockRef to, LLVMBasicBlockRef block)
{
	return analyses->dt.dominates(BasicBlockEdge(unwrap(from), unwrap(to)),
				      unwrap(block));
}

LLVMBasicBlockRef
cc_shim_dominator(cc_analyses *analyses, LLVMBasicBlockRef block)
{
	auto *node = analyses->dt.getNode(unwrap(block));

	return node && node->getIDom() ? wrap(node->getIDom()->getBlock())
				       : nullptr;
}

LLVMBasicBlockRef *
cc_shim_dominated(cc_analyses *analyses, LLVMBasicBlockRef block, size_t *count)
{
	SmallVector<BasicBlock *, 16> all;

	analyses->dt.getDescendants(unwrap(block), all);
	*count = all.size();
	size_t size = all.size() * sizeof(all[0]);
	return (LLVMBasicBlockRef *)memcpy(safe_malloc(size), all.data(), size);
}

cc_loop *
cc_shim_loop_of(cc_analyses *analyses, LLVMBasicBlockRef block)
{
	return wrap(analyses->loops.getLoopFor(unwrap(block)));
}

bool
cc_shim_loop_has(cc_loop *loop, LLVMBasicBlockRef block)
{
	return unwrap(loop)->contains(unwrap(block));
}

const LLVMBasicBlockRef *
cc_shim_loop_blocks(cc_loop *loop, size_t *count)
{
	*count = unwrap(loop)->getBlocks().size();
	return (const LLVMBasicBlockRef *)unwrap(loop)->getBlocks().data();
}

LLVMBasicBlockRef
cc_shim_loop_block(cc_loop *loop, cc_loop_part part)
{
	const Loop *l = unwrap(loop);

	return wrap(part == CC_LOOP_HEADER	  ? l->getHeader()
		    : part == CC_LOOP_PREDECESSOR ? l->getLoopPredecessor()
		    : part == CC_LOOP_PREHEADER	  ? l->getLoopPreheader()
						  : l->getLoopLatch());
}

void
cc_shim_loop_tell(cc_loop *loop, const char *name)
{
	addStringMetadataToLoop(unwrap(loop), name);
}

cc_scev *
cc_shim_scev(cc_analyses *analyses, LLVMValueRef value)
{
	return wrap(analyses->se.getSCEV(unwrap(value)));
}

cc_scev *
cc_shim_exit_count(cc_analyses *analyses, cc_loop *loop,
		   LLVMBasicBlockRef block)
{
	const SCEV *count =
		analyses->se.getExitCount(unwrap(loop), unwrap(block));

	return isa<SCEVCouldNotCompute>(count) ? nullptr : wrap(count);
}

cc_scev *
cc_shim_scev_negative(cc_analyses *analyses, cc_scev *scev)
{
	return wrap(analyses->se.getNegativeSCEV(unwrap(scev)));
}

cc_scev_kind
cc_shim_scev_kind(cc_scev *scev)
{
	switch (unwrap(scev)->getSCEVType()) {
	case scConstant:
		return CC_SCEV_CONSTANT;
	case scUnknown:
		return CC_SCEV_VALUE;
	case scAddRecExpr:
		return CC_SCEV_STEPS;
	case scZeroExtend:
		return CC_SCEV_ZEXT;
	case scTruncate:
		return CC_SCEV_TRUNC;
	case scUDivExpr:
		return CC_SCEV_DIV;
	case scAddExpr:
		return CC_SCEV_SUM;
	case scMulExpr:
		return CC_SCEV_PRODUCT;
	case scUMaxExpr:
		return CC_SCEV_UMAX;
	case scUMinExpr:
	case scSequentialUMinExpr:
		return CC_SCEV_UMIN;
	default:
		return isa<SCEVCastExpr>(unwrap(scev)) ? CC_SCEV_CAST
						       : CC_SCEV_OTHER;
	}
}

LLVMTypeRef
cc_shim_scev_type(cc_scev *scev)
{
	return wrap(unwrap(scev)->getType());
}

LLVMValueRef
cc_shim_scev_value(cc_scev *scev)
{
	if (auto *constant = dyn_cast<SCEVConstant>(unwrap(scev)))
		return wrap(constant->getValue());
	return wrap(cast<SCEVUnknown>(unwrap(scev))->getValue());
}

cc_scev *
cc_shim_scev_operand(cc_scev *scev, size_t index)
{
	auto operands = unwrap(scev)->operands();

	return index < operands.size() ? wrap(operands[index]) : nullptr;
}

cc_loop *
cc_shim_scev_loop(cc_scev *scev)
{
	auto *steps = cast<SCEVAddRecExpr>(unwrap(scev));

	return wrap(const_cast<Loop *>(steps->getLoop()));
}

LLVMValueRef
cc_shim_expand(cc_analyses *analyses, cc_scev *scev, LLVMValueRef at)
{
	auto *before = unwrap<Instruction>(at);
	const SCEV *what = unwrap(scev);

	if (!analyses->expander.isSafeToExpandAt(what, before))
		return nullptr;
	return wrap(analyses->expander.expandCodeFor(what, what->getType(),
						     before));
}

uint64_t
cc_shim_greatest(LLVMValueRef value, LLVMValueRef at)
{
	return computeKnownBits(unwrap(value),
				unwrap<Instruction>(at)->getDataLayout())
		.getMaxValue()
		.getZExtValue();
}

bool
cc_shim_has_effects(LLVMValueRef instruction)
{
	return unwrap<Instruction>(instruction)->mayHaveSideEffects();
}

bool
cc_shim_uses_memory(LLVMValueRef instruction)
{
	return unwrap<Instruction>(instruction)->mayReadOrWriteMemory();
}

bool
cc_shim_is_harmless(LLVMValueRef instruction)
{
	return isSafeToSpeculativelyExecute(unwrap<Instruction>(instruction));
}

bool
cc_shim_makes_poison(LLVMValueRef instruction)
{
	return canCreatePoison(unwrap<Operator>(instruction));
}

LLVMValueRef
cc_shim_copy_plain(LLVMValueRef instruction)
{
	Instruction *copy = unwrap<Instruction>(instruction)->clone();

	copy->dropPoisonGeneratingFlags();
	copy->dropUnknownNonDebugMetadata({LLVMContext::MD_invariant_load});
	return wrap(copy);
}

void
cc_shim_copy_blocks(const LLVMBasicBlockRef *blocks, size_t count,
		    const char *suffix, LLVMBasicBlockRef *copies)
{
	ValueToValueMapTy map;
	SmallVector<BasicBlock *, 16> made;

	for (size_t i = 0; i < count; i++) {
		BasicBlock *block = unwrap(blocks[i]);
		BasicBlock *copy = CloneBasicBlock(block, map, suffix,
						   block->getParent());
		map[block] = copy;
		made.push_back(copy);
		copies[i] = wrap(copy);
	}
	remapInstructionsInBlocks(made, map);
}
