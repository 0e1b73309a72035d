/*
 * Addresses as the machine likes them: a base in scalar registers and 32 bits a
 * lane.
 *
 * A thread's element lies at base + 8 * (block * size + thread). The sum in
 * brackets is computed once for all slices, in 64 bits of vector registers, and
 * added to each slice's base there: three vector instructions a slice. But all
 * that differs between the lanes of a wave is the thread's place in its block.
 * So an index is taken apart into what is the same in all lanes, which is added
 * to the base by the scalar unit, and the rest, where that is small enough for
 * the 32 bits of offset that a load or store has beside a scalar base.
 */
#include "cc/lower.h"

#include "amdgpu.h"

#include <string.h>

enum { deepest = 8, most_threads = 1024 };

/* ---- positions ---- */

static bool
is_called(LLVMValueRef value, const char *prefix)
{
	LLVMValueRef callee =
		LLVMIsACallInst(value) ? lower_callee(value) : NULL;

	return callee && starts_with(LLVMGetValueName(callee), prefix);
}

/* The i32 that is widened to this i64; NULL if it is none. */
static LLVMValueRef
narrow_of(LLVMValueRef value)
{
	LLVMValueRef narrow =
		LLVMIsAZExtInst(value) ? LLVMGetOperand(value, 0) : NULL;

	return narrow && LLVMTypeOf(narrow) ==
				       LLVMInt32TypeInContext(
					       LLVMGetTypeContext(
						       LLVMTypeOf(narrow)))
		       ? narrow
		       : NULL;
}

/* The other operand's i32 if one of them is this value, widened. */
static LLVMValueRef
partner_of(LLVMValueRef inst, LLVMValueRef narrow)
{
	for (unsigned i = 0; i < 2; i++)
		if (narrow_of(LLVMGetOperand(inst, i)) == narrow)
			return narrow_of(LLVMGetOperand(inst, 1 - i));
	return NULL;
}

/* Does an operation of widened numbers in 32 bits, which must be enough. */
static LLVMValueRef
in_narrow(LLVMBuilderRef builder, LLVMValueRef inst, LLVMValueRef narrow)
{
	LLVMValueRef partner = partner_of(inst, narrow), result;

	LLVMPositionBuilderBefore(builder, inst);
	result = LLVMGetInstructionOpcode(inst) == LLVMMul
			 ? LLVMBuildNUWMul(builder, narrow, partner, "")
			 : LLVMBuildNUWAdd(builder, narrow, partner, "");
	LLVMReplaceAllUsesWith(
		inst, LLVMBuildZExt(builder, result, LLVMTypeOf(inst), ""));
	return result;
}

/* The first use of the widened number in this operation, with a value that is
 * called `with`; NULL if there is none. */
static LLVMValueRef
use_in(LLVMValueRef narrow, LLVMOpcode opcode, const char *with)
{
	for (LLVMUseRef u = LLVMGetFirstUse(narrow); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef wide = LLVMGetUser(u);

		if (narrow_of(wide) != narrow)
			continue;
		for (LLVMUseRef v = LLVMGetFirstUse(wide); v;
		     v = LLVMGetNextUse(v)) {
			LLVMValueRef inst = LLVMGetUser(v), partner;

			if (!LLVMIsABinaryOperator(inst) ||
			    LLVMGetInstructionOpcode(inst) != opcode ||
			    !LLVMGetFirstUse(inst))
				continue;
			partner = partner_of(inst, narrow);
			if (partner && is_called(partner, with))
				return inst;
		}
	}
	return NULL;
}

/*
 * block * size + thread, which the crate computes in 64 bits, in 32: a
 * dimension of a grid has fewer than 2^32 threads on AMD. Requires the
 * primitives still to be calls.
 */
void
amdgpu_positions(struct cc_job *job)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);

	for (unsigned d = 0; d < 3; d++) {
		const char *size = arena_printf(
			job->arena, "__smelt_block_dim_%c", "xyz"[d]);
		const char *thread = arena_printf(
			job->arena, "__smelt_thread_idx_%c", "xyz"[d]);
		LLVMValueRef block = LLVMGetNamedFunction(
			job->module,
			arena_printf(job->arena, "__smelt_block_idx_%c",
				     "xyz"[d]));

		for (LLVMUseRef use = block ? LLVMGetFirstUse(block) : NULL;
		     use; use = LLVMGetNextUse(use)) {
			LLVMValueRef call = LLVMGetUser(use), inst, narrow;

			while ((inst = use_in(call, LLVMMul, size))) {
				narrow = in_narrow(builder, inst, call);
				while ((inst = use_in(narrow, LLVMAdd, thread)))
					in_narrow(builder, inst, narrow);
			}
		}
	}
	LLVMDisposeBuilder(builder);
}

/* ---- addresses ---- */

/* `lane` is NULL where nothing differs between lanes, else an i32 that is at
 * most `most`; `uniform` is NULL for 0, else an i64. */
struct parts {
	LLVMValueRef uniform;
	LLVMValueRef lane;
	uint64_t most;
};

struct splitter {
	struct cc_job *job;
	LLVMBuilderRef builder;
	LLVMTypeRef i32, i64;
};

/* Equal in all lanes of a wave, as far as can be seen without a look at
 * branches: so no phi is. */
static bool
is_uniform(LLVMValueRef value, unsigned depth)
{
	unsigned count;

	if (LLVMIsAConstant(value) || LLVMIsAArgument(value) ||
	    is_called(value, "llvm.amdgcn.workgroup.id") ||
	    is_called(value, "llvm.amdgcn.implicitarg.ptr"))
		return true;
	if (!depth)
		return false;
	if (LLVMIsALoadInst(value))
		return LLVMGetPointerAddressSpace(
			       LLVMTypeOf(LLVMGetOperand(value, 0))) == 4 &&
		       !LLVMGetVolatile(value) &&
		       is_uniform(LLVMGetOperand(value, 0), depth - 1);
	if (!LLVMIsABinaryOperator(value) && !LLVMIsACastInst(value) &&
	    !LLVMIsAGetElementPtrInst(value) && !LLVMIsASelectInst(value) &&
	    !LLVMIsAICmpInst(value) && !is_called(value, "llvm.umin") &&
	    !is_called(value, "llvm.umax"))
		return false;
	count = LLVMIsACallInst(value) ? LLVMGetNumArgOperands(value)
				       : (unsigned)LLVMGetNumOperands(value);
	for (unsigned i = 0; i < count; i++)
		if (!is_uniform(LLVMGetOperand(value, i), depth - 1))
			return false;
	return true;
}

static bool
split(struct splitter *s, LLVMValueRef value, unsigned depth,
      struct parts *parts);

static LLVMValueRef
sum(struct splitter *s, LLVMValueRef a, LLVMValueRef b)
{
	return !a ? b : !b ? a : LLVMBuildAdd(s->builder, a, b, "");
}

static bool
split_sum(struct splitter *s, LLVMValueRef value, unsigned depth,
	  struct parts *parts)
{
	struct parts a, b;

	if (!split(s, LLVMGetOperand(value, 0), depth, &a) ||
	    !split(s, LLVMGetOperand(value, 1), depth, &b))
		return false;
	parts->uniform = sum(s, a.uniform, b.uniform);
	parts->lane = sum(s, a.lane, b.lane);
	parts->most = a.most + b.most;
	return parts->most <= UINT32_MAX;
}

static bool
scale(struct splitter *s, uint64_t by, struct parts *parts)
{
	if (parts->most > UINT32_MAX / by)
		return false;
	if (parts->uniform)
		parts->uniform =
			LLVMBuildMul(s->builder, parts->uniform,
				     LLVMConstInt(s->i64, by, false), "");
	if (parts->lane)
		parts->lane =
			LLVMBuildNUWMul(s->builder, parts->lane,
					LLVMConstInt(s->i32, by, false), "");
	parts->most *= by;
	return true;
}

/* A multiplication or shift by a constant. */
static bool
split_product(struct splitter *s, LLVMValueRef value, unsigned depth,
	      struct parts *parts)
{
	LLVMValueRef by = LLVMGetOperand(value, 1);
	uint64_t number;

	if (!LLVMIsAConstantInt(by))
		return false;
	number = LLVMConstIntGetZExtValue(by);
	if (LLVMIsAInstruction(value) &&
	    LLVMGetInstructionOpcode(value) == LLVMShl) {
		if (number > 31)
			return false;
		number = (uint64_t)1 << number;
	}
	return number && number <= UINT32_MAX &&
	       split(s, LLVMGetOperand(value, 0), depth, parts) &&
	       scale(s, number, parts);
}

/* A widened i32. */
static bool
split_narrow(struct splitter *s, LLVMValueRef narrow, struct parts *parts)
{
	struct parts a = {0}, b = {0};

	*parts = (struct parts){0};
	if (is_uniform(narrow, deepest)) {
		parts->uniform = LLVMBuildZExt(s->builder, narrow, s->i64, "");
		return true;
	}
	if (is_called(narrow, "llvm.amdgcn.workitem.id")) {
		parts->lane = narrow;
		parts->most = most_threads - 1;
		return true;
	}
	if (!LLVMIsABinaryOperator(narrow) ||
	    LLVMGetInstructionOpcode(narrow) != LLVMAdd ||
	    !LLVMGetNUW(narrow) ||
	    !split_narrow(s, LLVMGetOperand(narrow, 0), &a) ||
	    !split_narrow(s, LLVMGetOperand(narrow, 1), &b))
		return false;
	parts->uniform = sum(s, a.uniform, b.uniform);
	parts->lane = sum(s, a.lane, b.lane);
	parts->most = a.most + b.most;
	return parts->most <= UINT32_MAX;
}

/* Takes an i64 apart; false if it has a part that neither is the same in all
 * lanes nor known to be small. What was built by then is dead. */
static bool
split(struct splitter *s, LLVMValueRef value, unsigned depth,
      struct parts *parts)
{
	*parts = (struct parts){0};
	if (is_uniform(value, deepest)) {
		parts->uniform = value;
		return true;
	}
	if (!depth || !LLVMIsAInstruction(value))
		return false;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMZExt:
		return narrow_of(value) &&
		       split_narrow(s, narrow_of(value), parts);
	case LLVMOr:
		return LLVMGetIsDisjoint(value) &&
		       split_sum(s, value, depth - 1, parts);
	case LLVMAdd:
		return split_sum(s, value, depth - 1, parts);
	case LLVMMul:
	case LLVMShl:
		return split_product(s, value, depth - 1, parts);
	default:
		return false;
	}
}

static LLVMValueRef
step(struct splitter *s, LLVMValueRef base, LLVMValueRef bytes)
{
	return LLVMBuildGEP2(s->builder, LLVMInt8TypeInContext(s->job->context),
			     base, &bytes, 1, "");
}

/* An address of device memory with one index. */
static void
rebase(struct splitter *s, LLVMValueRef gep)
{
	LLVMValueRef base = LLVMGetOperand(gep, 0), address;
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(s->job->module);
	uint64_t size =
		LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(gep));
	struct parts parts;

	if (LLVMGetNumOperands(gep) != 2 ||
	    LLVMGetTypeKind(LLVMTypeOf(gep)) != LLVMPointerTypeKind ||
	    LLVMGetPointerAddressSpace(LLVMTypeOf(gep)) != 1 || !size ||
	    size > UINT32_MAX || !is_uniform(base, deepest))
		return;
	LLVMPositionBuilderBefore(s->builder, gep);
	if (!split(s, LLVMGetOperand(gep, 1), deepest, &parts) || !parts.lane ||
	    !scale(s, size, &parts))
		return;
	address = parts.uniform ? step(s, base, parts.uniform) : base;
	address = step(s, address,
		       LLVMBuildZExt(s->builder, parts.lane, s->i64, ""));
	LLVMReplaceAllUsesWith(gep, address);
}

/* Requires: the main pipeline done. Leaves dead code. */
void
amdgpu_bases(struct cc_job *job)
{
	struct splitter s = {
		.job = job,
		.builder = LLVMCreateBuilderInContext(job->context),
		.i32 = LLVMInt32TypeInContext(job->context),
		.i64 = LLVMInt64TypeInContext(job->context),
	};

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f);
		     LLVMGetFunctionCallConv(f) == LLVMAMDGPUKERNELCallConv &&
		     b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				if (LLVMIsAGetElementPtrInst(i))
					rebase(&s, i);
	LLVMDisposeBuilder(s.builder);
}
