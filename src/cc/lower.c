/*
 * Steps that several targets share: pass pipelines, replacing the primitives,
 * leaving the host's target behind, contraction.
 *
 * They change the module in place and look only at names and types, so that a
 * target may call them in any stage.
 */
#include "cc/lower.h"

#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <string.h>

static void
check_passes(LLVMErrorRef error, const char *pipeline)
{
	if (error)
		die("LLVM refuses the passes \"%s\": %s", pipeline,
		    LLVMGetErrorMessage(error));
}

void
cc_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine,
	      const char *pipeline)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

	check_passes(LLVMRunPasses(module, pipeline, machine, options),
		     pipeline);
	LLVMDisposePassBuilderOptions(options);
}

void
cc_run_passes_on(LLVMValueRef function, const char *pipeline)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

	check_passes(LLVMRunPassesOnFunction(function, pipeline, NULL, options),
		     pipeline);
	LLVMDisposePassBuilderOptions(options);
}

void
cc_passes(struct cc_job *job, const char *pipeline)
{
	cc_run_passes(job->module, job->machine, pipeline);
}

void
lower_plain_passes(struct cc_job *job, const char *pipeline)
{
	cc_run_passes(job->module, NULL, pipeline);
}

/* The use is a call of the function itself, not its address passed on. */
static bool
is_call_of(LLVMValueRef user, LLVMValueRef function)
{
	return LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function;
}

void
cc_replace_calls(struct cc_job *job, const char *name, cc_replace_fn *make)
{
	LLVMValueRef function = LLVMGetNamedFunction(job->module, name);
	LLVMBuilderRef builder;
	LLVMUseRef use;

	if (!function)
		return;
	builder = LLVMCreateBuilderInContext(job->context);
	while ((use = LLVMGetFirstUse(function))) {
		LLVMValueRef call = LLVMGetUser(use), value = NULL;

		if (!is_call_of(call, function))
			die("%s: `%s` is used as a function pointer; call it "
			    "directly",
			    job->arch, name);
		LLVMPositionBuilderBefore(builder, call);
		if (make)
			value = make(job, builder, call);
		if (value)
			LLVMReplaceAllUsesWith(call, value);
		else if (LLVMGetFirstUse(call))
			LLVMReplaceAllUsesWith(call,
					       LLVMGetPoison(LLVMTypeOf(call)));
		LLVMInstructionEraseFromParent(call);
	}
	LLVMDisposeBuilder(builder);
	LLVMDeleteFunction(function);
}

void
cc_retarget(struct cc_job *job)
{
	LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(job->machine);
	char *triple = LLVMGetTargetMachineTriple(job->machine);
	LLVMValueRef f, next;

	LLVMSetTarget(job->module, triple);
	LLVMSetModuleDataLayout(job->module, layout);
	LLVMDisposeMessage(triple);
	LLVMDisposeTargetData(layout);
	for (f = LLVMGetFirstFunction(job->module); f; f = next) {
		next = LLVMGetNextFunction(f);
		lower_drop_host(f);
		if (LLVMIsDeclaration(f) && !LLVMGetFirstUse(f))
			LLVMDeleteFunction(f);
	}
}

/* A division of a square root is contracted too, to the reciprocal of one,
 * where a target has that: AMD, as hipcc has it. */
static bool
is_contracted(LLVMValueRef i)
{
	LLVMValueRef callee;

	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
		return true;
	case LLVMCall:
		callee = lower_callee(i);
		return callee &&
		       starts_with(LLVMGetValueName(callee), "llvm.sqrt.");
	default:
		return false;
	}
}

static void
contract_function(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!is_contracted(i))
				continue;
			LLVMSetFastMathFlags(i,
					     LLVMGetFastMathFlags(i) |
						     LLVMFastMathAllowContract);
		}
}

void
cc_contract(struct cc_job *job)
{
	if (job->cc->options.fp != SMELT_FP_FAST)
		return;
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		if (!lower_is_library(f))
			contract_function(f);
}

LLVMValueRef
cc_kernel_function(struct cc_job *job, const struct cc_kernel *kernel)
{
	LLVMValueRef function =
		LLVMGetNamedFunction(job->module, kernel->symbol);

	if (!function)
		die("%s: kernel `%s` was lost from the module", job->arch,
		    kernel->name);
	return function;
}

static const char *
held_name(struct cc_job *job, const struct cc_kernel *kernel)
{
	return arena_printf(job->arena, "%s" SMELT_HELD_SUFFIX, kernel->symbol);
}

LLVMValueRef
cc_kernel_held(struct cc_job *job, const struct cc_kernel *kernel)
{
	return LLVMGetNamedFunction(job->module, held_name(job, kernel));
}

static bool
is_symbol_of(struct cc_job *job, const struct cc_kernel *kernel,
	     const char *symbol, size_t len)
{
	const char *held = held_name(job, kernel);

	return (strlen(held) == len || strlen(kernel->symbol) == len) &&
	       !memcmp(held, symbol, len);
}

static void
raise_to(uint32_t *known, uint32_t taken)
{
	if (*known == SMELT_UNKNOWN || *known < taken)
		*known = taken;
}

const struct cc_kernel *
cc_kernel_takes(struct cc_job *job, const char *symbol, size_t len,
		const struct smelt_table_resources *taken)
{
	for (size_t k = 0; k < job->cc->kernel_count; k++) {
		struct smelt_table_resources *r = &job->result->resources[k];

		if (!is_symbol_of(job, &job->cc->kernels[k], symbol, len))
			continue;
		raise_to(&r->registers, taken->registers);
		raise_to(&r->spill_bytes, taken->spill_bytes);
		raise_to(&r->stack_bytes, taken->stack_bytes);
		raise_to(&r->shared_bytes, taken->shared_bytes);
		return &job->cc->kernels[k];
	}
	return NULL;
}
