/*
 * Positions and the frame's other values: in a wrapper they are its own values,
 * of the same names; elsewhere they are read through smelt_cpu_current at the
 * function's entry, at most once each.
 */
#include "cc/cpu.h"
#include "cc/lower.h"

#include <stddef.h>
#include <string.h>

/* Where the frame holds what __smelt_NAME() gives, for functions that are not
 * inlined. */
static const struct {
	const char *name;
	unsigned offset;
} values[] = {
	{"frame", 0},
	{"thread_idx_x", offsetof(struct smelt_cpu_frame, current[0])},
	{"thread_idx_y", offsetof(struct smelt_cpu_frame, current[1])},
	{"thread_idx_z", offsetof(struct smelt_cpu_frame, current[2])},
	{"block_idx_x", offsetof(struct smelt_cpu_frame, block_idx[0])},
	{"block_idx_y", offsetof(struct smelt_cpu_frame, block_idx[1])},
	{"block_idx_z", offsetof(struct smelt_cpu_frame, block_idx[2])},
	{"block_dim_x", offsetof(struct smelt_cpu_frame, block_dim[0])},
	{"block_dim_y", offsetof(struct smelt_cpu_frame, block_dim[1])},
	{"block_dim_z", offsetof(struct smelt_cpu_frame, block_dim[2])},
	{"grid_dim_x", offsetof(struct smelt_cpu_frame, grid_dim[0])},
	{"grid_dim_y", offsetof(struct smelt_cpu_frame, grid_dim[1])},
	{"grid_dim_z", offsetof(struct smelt_cpu_frame, grid_dim[2])},
	{"shared", offsetof(struct smelt_cpu_frame, shared)},
	{"dynamic_shared", offsetof(struct smelt_cpu_frame, dynamic_shared)},
	/* Only in parts of kernels, which are wrapped. */
	{"linear_wide", 0},
	{"turn", offsetof(struct smelt_cpu_frame, turn)},
	{"ended", offsetof(struct smelt_cpu_frame, ended)},
	{"context", offsetof(struct smelt_cpu_frame, context)},
	{"uniform_in", offsetof(struct smelt_cpu_frame, uniform_in)},
	{"uniform_out", offsetof(struct smelt_cpu_frame, uniform_out)},
};

LLVMValueRef
cpu_named(LLVMValueRef function, const char *name)
{
	for (LLVMValueRef p = LLVMGetFirstParam(function); p;
	     p = LLVMGetNextParam(p))
		if (strcmp(LLVMGetValueName(p), name) == 0)
			return p;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			if (strcmp(LLVMGetValueName(i), name) == 0)
				return i;
	return NULL;
}

/* The frame at the entry of a function that is not inlined. */
static LLVMValueRef
current_frame(struct cc_job *job, LLVMBuilderRef builder)
{
	LLVMValueRef slot =
		LLVMGetNamedGlobal(job->module, "smelt_cpu_current");
	LLVMTypeRef pointer = LLVMTypeOf(slot);

	slot = lower_intrinsic(job, builder, "llvm.threadlocal.address",
			       &pointer, 1, &slot, 1);
	return LLVMBuildLoad2(builder, pointer, slot, "current_frame");
}

static LLVMValueRef
read_current(struct cc_job *job, LLVMValueRef function, LLVMTypeRef type,
	     unsigned offset)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMTypeRef byte = LLVMInt8TypeInContext(job->context);
	LLVMValueRef frame = cpu_named(function, "current_frame"), value, at;

	if (frame)
		LLVMPositionBuilderBefore(builder,
					  LLVMGetNextInstruction(frame));
	else
		LLVMPositionBuilderBefore(builder,
					  LLVMGetFirstInstruction(entry));
	if (!frame)
		frame = current_frame(job, builder);
	at = LLVMConstInt(LLVMInt64TypeInContext(job->context), offset, false);
	value = LLVMBuildLoad2(
		builder, type,
		LLVMBuildInBoundsGEP2(builder, byte, frame, &at, 1, ""), "");
	LLVMDisposeBuilder(builder);
	return value;
}

/* Replaces this function's calls of a primitive. */
static void
bind_value(struct cc_job *job, LLVMValueRef function, size_t which,
	   bool wrapper)
{
	const char *name = values[which].name;
	LLVMValueRef value = wrapper ? cpu_named(function, name) : NULL;
	LLVMValueRef primitive;
	LLVMUseRef use, next;

	primitive = LLVMGetNamedFunction(
		job->module, arena_printf(job->arena, "__smelt_%s", name));
	for (use = primitive ? LLVMGetFirstUse(primitive) : NULL; use;
	     use = next) {
		LLVMValueRef call = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (!LLVMIsACallInst(call) ||
		    lower_function_of(call) != function)
			continue;
		if (!value)
			value = read_current(job, function, LLVMTypeOf(call),
					     values[which].offset);
		LLVMReplaceAllUsesWith(call, value);
		LLVMInstructionEraseFromParent(call);
	}
}

/* The lane, from what the function reads of its position. */
static LLVMValueRef
lane_of_current(struct cc_job *job, LLVMBuilderRef builder)
{
	LLVMValueRef f = LLVMGetNamedFunction(job->module, "smelt_cpu_lane");

	return LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, NULL, 0,
			      "");
}

static void
bind_lane(struct cc_job *job, LLVMValueRef function, bool wrapper)
{
	LLVMValueRef primitive =
		LLVMGetNamedFunction(job->module, "__smelt_lane_id");
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
	LLVMUseRef use, next;

	for (use = primitive ? LLVMGetFirstUse(primitive) : NULL; use;
	     use = next) {
		LLVMValueRef call = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (!LLVMIsACallInst(call) ||
		    lower_function_of(call) != function)
			continue;
		LLVMPositionBuilderBefore(builder, call);
		LLVMReplaceAllUsesWith(call,
				       wrapper ? cpu_named(function, "lane_id")
					       : lane_of_current(job, builder));
		LLVMInstructionEraseFromParent(call);
	}
	LLVMDisposeBuilder(builder);
}

/* x widened is the loop's own counter, which says more to LLVM than a narrowed
 * counter widened again. */
static void
use_counter(LLVMValueRef function)
{
	LLVMValueRef narrow = cpu_named(function, "thread_idx_x");
	LLVMValueRef wide = cpu_named(function, "x");
	LLVMUseRef use, next;

	if (!wide)
		return;
	for (use = LLVMGetFirstUse(narrow); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (!LLVMIsAZExtInst(user) ||
		    LLVMTypeOf(user) != LLVMTypeOf(wide))
			continue;
		LLVMReplaceAllUsesWith(user, wide);
		LLVMInstructionEraseFromParent(user);
	}
}

void
cpu_bind(struct cc_job *job, LLVMValueRef function, bool wrapper)
{
	for (size_t i = 0; i < array_count(values); i++)
		bind_value(job, function, i, wrapper);
	bind_lane(job, function, wrapper);
	if (wrapper)
		use_counter(function);
}
