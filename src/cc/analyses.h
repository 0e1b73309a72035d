/*
 * What LLVM knows of a function and its C API cannot say: dominators, loops,
 * scalar evolution, copies of blocks. Plain functions over opaque handles;
 * usable from C and C++.
 */
#ifndef SMELT_CC_ANALYSES_H
#define SMELT_CC_ANALYSES_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of one function that has a body, as it was when they were made: who changes
 * its blocks makes them anew. Instructions may be added. */
struct cc_analyses;
/* A loop and an expression; they live as long as the analyses. */
struct cc_loop;
struct cc_scev;

struct cc_analyses *
cc_shim_analyse(LLVMValueRef function);
void
cc_shim_analyses_free(struct cc_analyses *analyses);

/* ---- dominators ---- */

/* Whether the value of an instruction is there when another one runs. */
bool
cc_shim_dominates(struct cc_analyses *analyses, LLVMValueRef instruction,
		  LLVMValueRef at);
/* Whether every way to the block goes over the edge. */
bool
cc_shim_edge_dominates(struct cc_analyses *analyses, LLVMBasicBlockRef from,
		       LLVMBasicBlockRef to, LLVMBasicBlockRef block);
/* The last block through which every way to this one goes; NULL of the entry
 * and of what is out of reach. */
LLVMBasicBlockRef
cc_shim_dominator(struct cc_analyses *analyses, LLVMBasicBlockRef block);
/* The block and all that it dominates; to be freed. */
LLVMBasicBlockRef *
cc_shim_dominated(struct cc_analyses *analyses, LLVMBasicBlockRef block,
		  size_t *count);

/* ---- loops ---- */

/* The innermost loop that a block is in; NULL if none. */
struct cc_loop *
cc_shim_loop_of(struct cc_analyses *analyses, LLVMBasicBlockRef block);
bool
cc_shim_loop_has(struct cc_loop *loop, LLVMBasicBlockRef block);
/* Its blocks, the header first. */
const LLVMBasicBlockRef *
cc_shim_loop_blocks(struct cc_loop *loop, size_t *count);

/* Blocks that a loop has, or NULL. */
enum cc_loop_part {
	CC_LOOP_HEADER,
	/* The only one outside that goes to the header; as PREHEADER it goes
	 * nowhere else. */
	CC_LOOP_PREDECESSOR,
	CC_LOOP_PREHEADER,
	/* The only one inside that goes to the header. */
	CC_LOOP_LATCH,
};

LLVMBasicBlockRef
cc_shim_loop_block(struct cc_loop *loop, enum cc_loop_part part);
/* Adds !{name, i32 0} to what is said of the loop for LLVM's passes. */
void
cc_shim_loop_tell(struct cc_loop *loop, const char *name);

/* ---- scalar evolution ---- */

enum cc_scev_kind {
	CC_SCEV_CONSTANT,
	CC_SCEV_VALUE, /* of the program, not looked into */
	CC_SCEV_STEPS, /* start, and what is added in each iteration, ... */
	CC_SCEV_ZEXT,
	CC_SCEV_TRUNC,
	CC_SCEV_CAST, /* any other */
	CC_SCEV_DIV,  /* unsigned */
	CC_SCEV_SUM,
	CC_SCEV_PRODUCT, /* a constant factor first */
	CC_SCEV_UMAX,
	CC_SCEV_UMIN,
	CC_SCEV_OTHER,
};

/* The value has an integer type. */
struct cc_scev *
cc_shim_scev(struct cc_analyses *analyses, LLVMValueRef value);
/* How often the loop goes on at the end of a block that may leave it; NULL if
 * that is not known. */
struct cc_scev *
cc_shim_exit_count(struct cc_analyses *analyses, struct cc_loop *loop,
		   LLVMBasicBlockRef block);
struct cc_scev *
cc_shim_scev_negative(struct cc_analyses *analyses, struct cc_scev *scev);
enum cc_scev_kind
cc_shim_scev_kind(struct cc_scev *scev);
LLVMTypeRef
cc_shim_scev_type(struct cc_scev *scev);
/* Of a CONSTANT (a constant integer) or a VALUE. */
LLVMValueRef
cc_shim_scev_value(struct cc_scev *scev);
/* Of all other kinds; NULL beyond the last. */
struct cc_scev *
cc_shim_scev_operand(struct cc_scev *scev, size_t index);
/* Of STEPS. */
struct cc_loop *
cc_shim_scev_loop(struct cc_scev *scev);
/* Computes it in front of an instruction; NULL if that might trap there, or if
 * what it is made of is not at hand. */
LLVMValueRef
cc_shim_expand(struct cc_analyses *analyses, struct cc_scev *scev,
	       LLVMValueRef at);

/* ---- instructions ---- */

/* The greatest number that an integer of up to 64 bits can be, by its bits
 * alone; `at`: any instruction of its module. */
uint64_t
cc_shim_greatest(LLVMValueRef value, LLVMValueRef at);
/* Whether anything besides its result tells that it was done: it writes, or may
 * not return. */
bool
cc_shim_has_effects(LLVMValueRef instruction);
bool
cc_shim_uses_memory(LLVMValueRef instruction);
/* Whether it can be done where it would not have been: it cannot trap. */
bool
cc_shim_is_harmless(LLVMValueRef instruction);
/* Whether its result may be poison though its operands are not. */
bool
cc_shim_makes_poison(LLVMValueRef instruction);

/* ---- copies ---- */

/* A copy that promises nothing but !invariant.load: what made its promises true
 * may not have happened where it is put. In no block. */
LLVMValueRef
cc_shim_copy_plain(LLVMValueRef instruction);
/* Copies of blocks at the end of their function, which refer to each other as
 * the originals do. The phis of other blocks do not know of them. */
void
cc_shim_copy_blocks(const LLVMBasicBlockRef *blocks, size_t count,
		    const char *suffix, LLVMBasicBlockRef *copies);

#ifdef __cplusplus
}
#endif
#endif
