/*
 * Arguments passed by value in memory, each in memory of its own.
 *
 * rustc passes a large struct as a pointer to memory that the callee then owns.
 * The shims of core::ops::Fn, through which every kernel is called, pass one
 * that lies in the middle of their tuple of arguments. Once they are inlined, a
 * table in it that is read at a computed index reaches, as far as LLVM can
 * tell, over the whole tuple: nothing of it becomes a register, and each thread
 * begins by copying the table to its stack. A piece of the tuple that is copied
 * to memory of its own before the call is taken apart like all else.
 *
 * What is left, tables read at computed indices, is then a local variable that
 * is copied from the parameter block once. It is read in the block instead,
 * which costs a GPU no stack (LLVM does so for a whole argument only, not for a
 * part of the block).
 */
#include "cc/lower.h"

#include <string.h>

/* ---- memory of its own ---- */

static unsigned
kind_of(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* Bytes that an argument passed by value in memory has; 0: it is none. Only
 * such memory is dead when the callee returns. */
static uint64_t
bytes_by_value(LLVMValueRef callee, unsigned argument)
{
	LLVMAttributeRef size = LLVMGetEnumAttributeAtIndex(
		callee, argument + 1, kind_of("dereferenceable"));

	if (!size || !LLVMGetEnumAttributeAtIndex(callee, argument + 1,
						  kind_of("dead_on_return")))
		return 0;
	return LLVMGetEnumAttributeValue(size);
}

/* The local variable that a pointer leads to the inside of, or NULL. */
static LLVMValueRef
outer_variable(LLVMValueRef pointer)
{
	if (!LLVMIsAGetElementPtrInst(pointer))
		return NULL;
	while (LLVMIsAGetElementPtrInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAAllocaInst(pointer);
}

static unsigned
alignment_of(LLVMValueRef call, unsigned argument)
{
	LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(
		call, argument + 1, kind_of("align"));

	return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
}

static void
copy_argument(struct cc *cc, LLVMBuilderRef builder, LLVMValueRef call,
	      unsigned argument, uint64_t size)
{
	LLVMValueRef inside = LLVMGetOperand(call, argument), own;
	LLVMValueRef bytes =
		LLVMConstInt(LLVMInt64TypeInContext(cc->context), size, false);
	unsigned align = alignment_of(call, argument);

	LLVMPositionBuilderBefore(builder, outer_variable(inside));
	own = LLVMBuildAlloca(
		builder,
		LLVMArrayType2(LLVMInt8TypeInContext(cc->context), size), "");
	LLVMSetAlignment(own, align);
	LLVMPositionBuilderBefore(builder, call);
	LLVMBuildMemCpy(builder, own, align, inside, align, bytes);
	LLVMSetOperand(call, argument, own);
}

static void
separate_arguments(struct cc *cc, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	unsigned count;

	if (!LLVMIsAFunction(callee))
		return;
	count = LLVMCountParams(callee);
	if (count > LLVMGetNumArgOperands(call))
		return;
	for (unsigned i = 0; i < count; i++) {
		uint64_t size = bytes_by_value(callee, i);

		if (size && outer_variable(LLVMGetOperand(call, i)))
			copy_argument(cc, builder, call, i, size);
	}
}

/*
 * Requires: all that the kernels reach. Keeps: what they compute.
 */
void
cc_separate_arguments(struct cc *cc)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(cc->context);

	for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				if (LLVMIsACallInst(i))
					separate_arguments(cc, builder, i);
	LLVMDisposeBuilder(builder);
}

/* ---- read in the block ---- */

enum { most_seen = 256 };

/* What is known of a local variable. */
struct variable {
	uint64_t size;
	LLVMValueRef copy; /* the memcpy that fills it */
	/* Pointers into it that were looked at. */
	LLVMValueRef seen[most_seen];
	size_t seen_count;
};

static bool
is_plain_load(LLVMValueRef user)
{
	return LLVMIsALoadInst(user) && !LLVMGetVolatile(user) &&
	       LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic;
}

/* A memcpy of a constant size that is not volatile; 0: none. */
static uint64_t
bytes_copied(LLVMValueRef user)
{
	LLVMValueRef size;

	if (!LLVMIsAMemCpyInst(user) ||
	    LLVMConstIntGetZExtValue(LLVMGetOperand(user, 3)))
		return 0;
	size = LLVMGetOperand(user, 2);
	return LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0;
}

/* What gives a pointer into the variable when it is given one. */
static bool
is_pointer_step(LLVMValueRef user)
{
	return LLVMIsAGetElementPtrInst(user) || LLVMIsAPHINode(user) ||
	       LLVMIsASelectInst(user);
}

static bool
is_only_read(struct variable *variable, LLVMValueRef pointer, bool start);

static bool
is_reader(struct variable *variable, LLVMValueRef pointer, LLVMValueRef user,
	  bool start)
{
	uint64_t bytes = bytes_copied(user);

	if (is_plain_load(user) || LLVMIsAICmpInst(user) ||
	    lower_is_lifetime(user))
		return true;
	if (is_pointer_step(user))
		return is_only_read(variable, user, false);
	if (LLVMIsAAddrSpaceCastInst(user))
		return start && is_only_read(variable, user, true);
	if (bytes && LLVMGetOperand(user, 0) != pointer)
		return true;
	if (!start || !bytes || bytes != variable->size || variable->copy)
		return false;
	variable->copy = user;
	return true;
}

/* Whether all that is done with the pointer is to read through it, but for one
 * copy that fills the whole variable. `start`: it is the variable's address. */
static bool
is_only_read(struct variable *variable, LLVMValueRef pointer, bool start)
{
	for (size_t i = 0; i < variable->seen_count; i++)
		if (variable->seen[i] == pointer)
			return true;
	if (variable->seen_count == most_seen)
		return false;
	variable->seen[variable->seen_count++] = pointer;
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use;
	     use = LLVMGetNextUse(use))
		if (!is_reader(variable, pointer, LLVMGetUser(use), start))
			return false;
	return true;
}

/* AMD's locals lie in a space of their own; then only casts of them are used
 * like the block. */
static bool
has_only_casts(const struct variable *variable, LLVMValueRef alloca)
{
	for (LLVMUseRef use = LLVMGetFirstUse(alloca); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (!LLVMIsAAddrSpaceCastInst(user) &&
		    !lower_is_lifetime(user) && user != variable->copy)
			return false;
	}
	return true;
}

/* The address in the block that a pointer leads to, made anew at the kernel's
 * beginning; NULL: it does not. */
static LLVMValueRef
address_in_block(struct cc_job *job, LLVMBuilderRef builder,
		 LLVMValueRef kernel, LLVMValueRef pointer)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(job->context);
	LLVMValueRef base, index, block = LLVMGetParam(kernel, 0);
	uint64_t offset;

	base = cc_pointer_base(job->module, pointer, &offset);
	if (base && LLVMIsAAddrSpaceCastInst(base))
		base = LLVMGetOperand(base, 0);
	if (base != block)
		return NULL;
	LLVMPositionBuilderBefore(
		builder,
		LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
	if (LLVMTypeOf(block) != LLVMTypeOf(pointer))
		block = LLVMBuildAddrSpaceCast(builder, block,
					       LLVMTypeOf(pointer), "");
	index = LLVMConstInt(LLVMInt64TypeInContext(job->context), offset,
			     false);
	return LLVMBuildInBoundsGEP2(builder, byte, block, &index, 1, "");
}

/* Has the variable's readers read there. */
static void
redirect(LLVMValueRef alloca, LLVMValueRef there)
{
	LLVMUseRef use, next;

	for (use = LLVMGetFirstUse(alloca); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (LLVMIsAAddrSpaceCastInst(user))
			LLVMReplaceAllUsesWith(user, there);
		else if (!lower_is_lifetime(user))
			continue;
		LLVMInstructionEraseFromParent(user);
	}
	if (LLVMGetFirstUse(alloca))
		LLVMReplaceAllUsesWith(alloca, there);
}

/* Replaces a variable that is a copy of a part of the block. */
static bool
read_in_block(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef kernel,
	      LLVMValueRef alloca)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(job->module);
	struct variable variable = {
		.size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(alloca)),
	};
	LLVMValueRef from, there;

	if (!is_only_read(&variable, alloca, true) || !variable.copy ||
	    alignment_of(variable.copy, 1) < LLVMGetAlignment(alloca))
		return false;
	from = LLVMGetOperand(variable.copy, 1);
	if (LLVMTypeOf(alloca) != LLVMTypeOf(from) &&
	    !has_only_casts(&variable, alloca))
		return false;
	there = address_in_block(job, builder, kernel, from);
	if (!there)
		return false;
	LLVMInstructionEraseFromParent(variable.copy);
	redirect(alloca, there);
	return true;
}

/*
 * Requires: kernels are functions of one pointer to their block; copies of
 * copies are gone. Keeps: what they compute.
 */
void
cc_read_in_block(struct cc_job *job, LLVMValueRef kernel)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
	LLVMValueRef next;

	for (LLVMValueRef i =
		     LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel));
	     i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsAAllocaInst(i) &&
		    LLVMIsAConstantInt(LLVMGetOperand(i, 0)) &&
		    LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) == 1 &&
		    read_in_block(job, builder, kernel, i)) {
			next = LLVMGetNextInstruction(i);
			LLVMInstructionEraseFromParent(i);
		}
	}
	LLVMDisposeBuilder(builder);
}
