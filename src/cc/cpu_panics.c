/*
 * Panics and prints on the CPU, and saying which thread runs before a call that
 * may panic.
 *
 * In its kernel a panicking thread is recorded and returns: its wrapper goes on
 * with the next one. Below the kernel there is no way back, so the engine is
 * asked to leave the block's code altogether (smelt_cpu_leave); it begins it
 * again behind frame->current, which therefore has to be right before such a
 * call, and is not kept up to date otherwise.
 */
#include "cc/cpu.h"
#include "cc/lower.h"

#include <string.h>

static LLVMValueRef
call_primitive(struct cc_job *job, LLVMBuilderRef builder, const char *name,
	       LLVMTypeRef result)
{
	LLVMTypeRef type = LLVMFunctionType(result, NULL, 0, false);
	LLVMValueRef f = LLVMGetNamedFunction(job->module, name);

	if (!f)
		f = LLVMAddFunction(job->module, name, type);
	return LLVMBuildCall2(builder, type, f, NULL, 0, "");
}

/* The frame and the thread's position, as they will be in the wrapper. */
static void
read_place(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef *frame,
	   LLVMValueRef position[3])
{
	static const char *const names[3] = {
		"__smelt_thread_idx_x",
		"__smelt_thread_idx_y",
		"__smelt_thread_idx_z",
	};
	LLVMTypeRef word = LLVMInt32TypeInContext(job->context);

	*frame = call_primitive(job, builder, "__smelt_frame",
				LLVMPointerTypeInContext(job->context, 0));
	for (int i = 0; i < 3; i++)
		position[i] = call_primitive(job, builder, names[i], word);
}

static LLVMValueRef
call_helper(struct cc_job *job, LLVMBuilderRef builder, const char *name,
	    LLVMValueRef *args, unsigned count)
{
	LLVMValueRef f = LLVMGetNamedFunction(job->module, name);

	return LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, args,
			      count, "");
}

/* ---- calls that want frame->current ---- */

static bool
wants_position(struct cpu_graph *graph, LLVMValueRef call)
{
	LLVMValueRef callee = lower_callee(call);
	struct cpu_function *f;

	if (!callee)
		return !LLVMIsAInlineAsm(LLVMGetCalledValue(call));
	f = cpu_graph_find(graph, callee);
	return f && f->reach & (CPU_REACH_POSITION | CPU_REACH_PANIC |
				CPU_REACH_INDIRECT);
}

static void
say_before(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef at)
{
	LLVMValueRef args[4];

	LLVMPositionBuilderBefore(builder, at);
	read_place(job, builder, &args[0], &args[1]);
	call_helper(job, builder, "smelt_cpu_here", args, 4);
}

static void
say_in_kernel(struct cc_job *job, struct cpu_graph *graph, LLVMValueRef kernel)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);

	/* Who watches asks at any time which thread runs. */
	if (cpu_watches(job))
		say_before(job, builder,
			   LLVMGetFirstInstruction(
				   LLVMGetEntryBasicBlock(kernel)));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) && wants_position(graph, i))
				say_before(job, builder, i);
	LLVMDisposeBuilder(builder);
}

void
cpu_here(struct cc_job *job)
{
	struct cpu_graph *graph = cpu_graph_new(job);

	for (size_t k = 0; k < job->cc->kernel_count; k++)
		say_in_kernel(job, graph,
			      cc_kernel_function(job, &job->cc->kernels[k]));
}

/* ---- values ---- */

struct words {
	struct cc_job *job;
	LLVMBuilderRef builder;
	LLVMValueRef frame;
};

static void
keep_word(void *data, LLVMValueRef offset, LLVMValueRef word)
{
	struct words *w = data;
	LLVMValueRef args[3] = {w->frame, offset, word};

	call_helper(w->job, w->builder, "smelt_cpu_record_word", args, 3);
}

static void
keep_text(void *data, LLVMValueRef offset, LLVMValueRef text, LLVMValueRef len)
{
	struct words *w = data;
	LLVMValueRef args[4] = {w->frame, offset, text, len};

	call_helper(w->job, w->builder, "smelt_cpu_record_text", args, 4);
}

/* Leaves the call's values in the frame; how many words they are. */
static LLVMValueRef
keep_words(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call,
	   LLVMValueRef frame)
{
	static const struct lower_words ops = {keep_word, keep_text};
	struct words words = {job, builder, frame};

	return lower_words(job, builder, call, &ops, &words);
}

/* The frame of the block that runs, in a function that a kernel calls. */
static LLVMValueRef
running_frame(struct cc_job *job, LLVMBuilderRef builder)
{
	return call_helper(job, builder, "smelt_cpu_record_frame", NULL, 0);
}

/* ---- panics ---- */

/* Site and arguments, in the helpers' types. */
static void
read_panic(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call,
	   LLVMValueRef args[3])
{
	LLVMTypeRef word = LLVMInt32TypeInContext(job->context);
	LLVMTypeRef wide = LLVMInt64TypeInContext(job->context);

	for (unsigned i = 0; i < 3; i++)
		args[i] = LLVMBuildIntCast2(builder, LLVMGetOperand(call, i),
					    i ? wide : word, false, "");
}

/* The thread returns; what follows the panic in its block goes. */
static void
end_thread(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef args[7], i, next;

	LLVMPositionBuilderBefore(builder, call);
	read_place(job, builder, &args[0], &args[4]);
	read_panic(job, builder, call, &args[1]);
	keep_words(job, builder, call, args[0]);
	call_helper(job, builder, "smelt_cpu_record", args, 7);
	LLVMBuildRetVoid(builder);
	for (i = call; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsATerminatorInst(i) && !LLVMIsAUnreachableInst(i))
			die("%s: internal error: a panic returns", job->arch);
		LLVMInstructionEraseFromParent(i);
	}
}

static void
leave_block(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef args[3];

	LLVMPositionBuilderBefore(builder, call);
	read_panic(job, builder, call, args);
	if (lower_has_words(call))
		keep_words(job, builder, call, running_frame(job, builder));
	call_helper(job, builder, "smelt_cpu_panic", args, 3);
	LLVMInstructionEraseFromParent(call);
}

static void
replace_panics(struct cc_job *job, LLVMBuilderRef builder)
{
	LLVMValueRef panic = LLVMGetNamedFunction(job->module, "__smelt_panic");
	LLVMUseRef use;

	while (panic && (use = LLVMGetFirstUse(panic))) {
		LLVMValueRef call = LLVMGetUser(use);

		if (cpu_is_kernel(job, lower_function_of(call)))
			end_thread(job, builder, call);
		else
			leave_block(job, builder, call);
	}
	if (panic)
		LLVMDeleteFunction(panic);
}

/* ---- prints ---- */

static void
replace_print(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	bool kernel = cpu_is_kernel(job, lower_function_of(call));
	LLVMTypeRef word = LLVMInt32TypeInContext(job->context);
	LLVMValueRef args[6], count;

	LLVMPositionBuilderBefore(builder, call);
	if (kernel)
		read_place(job, builder, &args[0], &args[3]);
	else
		args[0] = running_frame(job, builder);
	args[1] = LLVMGetOperand(call, 0);
	count = keep_words(job, builder, call, args[0]);
	args[2] = LLVMBuildIntCast2(builder, count, word, false, "");
	call_helper(job, builder,
		    kernel ? "smelt_cpu_print" : "smelt_cpu_print_here", args,
		    kernel ? 6 : 3);
	LLVMInstructionEraseFromParent(call);
}

static void
replace_prints(struct cc_job *job, LLVMBuilderRef builder)
{
	LLVMValueRef print = LLVMGetNamedFunction(job->module, "__smelt_print");
	LLVMUseRef use;

	while (print && (use = LLVMGetFirstUse(print)))
		replace_print(job, builder, LLVMGetUser(use));
	if (print)
		LLVMDeleteFunction(print);
}

/*
 * Requires: the helpers. Takes away: __smelt_panic, __smelt_print.
 */
void
cpu_panics(struct cc_job *job)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);

	replace_panics(job, builder);
	replace_prints(job, builder);
	LLVMDisposeBuilder(builder);
}
