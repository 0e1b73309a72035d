/*
 * Shared statics: a place in the memory of the block for each.
 *
 * All kernels of a module share functions that are not inlined, so a static has
 * one offset for all of them. It lies behind every other static that some
 * kernel uses with it; two that no kernel uses together may lie in one place.
 */
#include "cc/cpu.h"
#include "cc/lower.h"

#include <llvm-c/Target.h>

#include <string.h>

/* Statics begin at multiples of the first; the second is what the engine gives
 * the block's memory. */
enum { least_alignment = 16, most_alignment = 64 };

/* A place for an instruction's operand to be computed at. */
struct use {
	LLVMValueRef user;
	unsigned operand;
};

static bool
is_shared(LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);

	return section && strcmp(section, ".smelt.shared") == 0;
}

/* Whether the constant is, or has within it, the global. */
static bool
mentions(LLVMValueRef constant, LLVMValueRef global)
{
	if (constant == global)
		return true;
	if (!LLVMIsAConstantExpr(constant) &&
	    !LLVMIsAConstantStruct(constant) &&
	    !LLVMIsAConstantArray(constant) && !LLVMIsAConstantVector(constant))
		return false;
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(constant); i++)
		if (mentions(LLVMGetOperand(constant, i), global))
			return true;
	return false;
}

static bool
uses_directly(LLVMValueRef function, LLVMValueRef global)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			for (int k = 0; k < LLVMGetNumOperands(i); k++)
				if (mentions(LLVMGetOperand(i, (unsigned)k),
					     global))
					return true;
	return false;
}

/* Looked for: a function that mentions the global. */
struct search {
	LLVMValueRef global;
	bool found;
};

static void
search_function(void *context, struct cpu_function *f)
{
	struct search *search = context;

	search->found =
		search->found || uses_directly(f->function, search->global);
}

static bool
kernel_uses(struct cc_job *job, struct cpu_graph *graph, size_t kernel,
	    LLVMValueRef global)
{
	struct search search = {.global = global};
	struct cpu_function *start = cpu_graph_find(
		graph, cc_kernel_function(job, &job->cc->kernels[kernel]));

	cpu_graph_walk(graph, start, search_function, &search);
	return search.found;
}

/* A number of bytes from the start of the block's static shared memory. */
static uint64_t
place(struct cc_job *job, struct cpu_graph *graph, LLVMValueRef global)
{
	struct cpu_state *state = job->state;
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(job->module);
	uint64_t size =
		LLVMABISizeOfType(layout, LLVMGlobalGetValueType(global));
	uint64_t align = LLVMGetAlignment(global), offset = 0;
	bool *uses = arena_alloc(job->arena, job->cc->kernel_count + 1);

	if (align < least_alignment)
		align = least_alignment;
	if (align > most_alignment)
		die("%s: the shared static `%s` wants an alignment of %llu; "
		    "%d is the most there is",
		    job->arch,
		    cc_demangle(job->arena, LLVMGetValueName(global)),
		    (unsigned long long)align, (int)most_alignment);
	for (size_t k = 0; k < job->cc->kernel_count; k++) {
		uses[k] = kernel_uses(job, graph, k, global);
		if (uses[k] && state->kernels[k].shared_bytes > offset)
			offset = state->kernels[k].shared_bytes;
	}
	offset = (offset + align - 1) & ~(align - 1);
	for (size_t k = 0; k < job->cc->kernel_count; k++)
		if (uses[k])
			state->kernels[k].shared_bytes = offset + size;
	return offset;
}

static LLVMValueRef
expand(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef constant,
       LLVMValueRef global, LLVMValueRef replacement);

/* A vector or aggregate, put together part by part: what the vectoriser makes
 * of several uses of one address. */
static LLVMValueRef
expand_parts(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef constant,
	     LLVMValueRef global, LLVMValueRef replacement)
{
	LLVMValueRef whole = LLVMGetPoison(LLVMTypeOf(constant));
	bool is_vector = LLVMIsAConstantVector(constant);
	unsigned count = (unsigned)LLVMGetNumOperands(constant);

	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef part =
			expand(job, builder, LLVMGetOperand(constant, i),
			       global, replacement);
		LLVMValueRef at = LLVMConstInt(
			LLVMInt32TypeInContext(job->context), i, false);

		whole = is_vector ? LLVMBuildInsertElement(builder, whole, part,
							   at, "")
				  : LLVMBuildInsertValue(builder, whole, part,
							 i, "");
	}
	return whole;
}

/* The constant as instructions, with the global replaced. */
static LLVMValueRef
expand(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef constant,
       LLVMValueRef global, LLVMValueRef replacement)
{
	LLVMValueRef operands[16];
	unsigned count = (unsigned)LLVMGetNumOperands(constant);
	LLVMOpcode op;

	if (constant == global)
		return replacement;
	if (!mentions(constant, global))
		return constant;
	if (LLVMIsAConstantVector(constant) ||
	    LLVMIsAConstantStruct(constant) || LLVMIsAConstantArray(constant))
		return expand_parts(job, builder, constant, global,
				    replacement);
	if (!LLVMIsAConstantExpr(constant) || count > array_count(operands))
		die("%s: the shared static `%s` is part of a constant of a "
		    "shape that cannot be taken apart",
		    job->arch,
		    cc_demangle(job->arena, LLVMGetValueName(global)));
	for (unsigned i = 0; i < count; i++)
		operands[i] = expand(job, builder, LLVMGetOperand(constant, i),
				     global, replacement);
	op = LLVMGetConstOpcode(constant);
	if (op == LLVMGetElementPtr)
		return LLVMBuildGEP2(builder,
				     LLVMGetGEPSourceElementType(constant),
				     operands[0], operands + 1, count - 1, "");
	if (count == 2)
		return LLVMBuildBinOp(builder, op, operands[0], operands[1],
				      "");
	return LLVMBuildCast(builder, op, operands[0], LLVMTypeOf(constant),
			     "");
}

/* Puts the builder where an operand has to be ready. */
static void
position_for(LLVMBuilderRef builder, struct use use)
{
	LLVMBasicBlockRef from;

	if (!LLVMIsAPHINode(use.user)) {
		LLVMPositionBuilderBefore(builder, use.user);
		return;
	}
	from = LLVMGetIncomingBlock(use.user, use.operand);
	LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(from));
}

/* base is __smelt_shared(), to be called where the address is needed: it is
 * without effects, and the same throughout a block. */
static LLVMValueRef
address(struct cc_job *job, LLVMBuilderRef builder, uint64_t offset)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(job->context);
	LLVMTypeRef pointer = LLVMPointerTypeInContext(job->context, 0);
	LLVMTypeRef type = LLVMFunctionType(pointer, NULL, 0, false);
	LLVMValueRef f = LLVMGetNamedFunction(job->module, "__smelt_shared");
	LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(job->context),
				       offset, false);

	if (!f)
		f = LLVMAddFunction(job->module, "__smelt_shared", type);
	return LLVMBuildInBoundsGEP2(
		builder, byte, LLVMBuildCall2(builder, type, f, NULL, 0, ""),
		&at, 1, "");
}

/* A phi has the same value for each edge from one block: that of an edge before
 * this operand's, if there is one. */
static LLVMValueRef
known_for_edge(struct use use)
{
	if (!LLVMIsAPHINode(use.user))
		return NULL;
	for (unsigned k = 0; k < use.operand; k++)
		if (LLVMGetIncomingBlock(use.user, k) ==
		    LLVMGetIncomingBlock(use.user, use.operand))
			return LLVMGetOperand(use.user, k);
	return NULL;
}

static void
replace_operand(struct cc_job *job, LLVMBuilderRef builder, struct use use,
		LLVMValueRef global, uint64_t offset)
{
	LLVMValueRef old = LLVMGetOperand(use.user, use.operand), new;

	if (!mentions(old, global))
		return;
	new = known_for_edge(use);
	if (!new) {
		position_for(builder, use);
		new = expand(job, builder, old, global,
			     address(job, builder, offset));
	}
	LLVMSetOperand(use.user, use.operand, new);
}

static void
replace_in_function(struct cc_job *job, LLVMBuilderRef builder,
		    LLVMValueRef function, LLVMValueRef global, uint64_t offset)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			for (int k = 0; k < LLVMGetNumOperands(i); k++)
				replace_operand(job, builder,
						(struct use){i, (unsigned)k},
						global, offset);
}

static void
replace(struct cc_job *job, LLVMValueRef global, uint64_t offset)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		replace_in_function(job, builder, f, global, offset);
	LLVMDisposeBuilder(builder);
}

/* A static whose initialiser holds the address has no value before launch. */
static void
refuse_initialisers(struct cc_job *job, LLVMValueRef global)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(job->module); g;
	     g = LLVMGetNextGlobal(g)) {
		LLVMValueRef value = LLVMGetInitializer(g);

		if (value && LLVMGetFirstUse(g) && mentions(value, global))
			die("%s: the constant `%s` holds the address of the "
			    "shared static `%s`, which is another in each "
			    "block",
			    job->arch,
			    cc_demangle(job->arena, LLVMGetValueName(g)),
			    cc_demangle(job->arena, LLVMGetValueName(global)));
	}
}

void
cpu_shared(struct cc_job *job)
{
	struct cpu_graph *graph = cpu_graph_new(job);
	LLVMValueRef global, next;

	for (global = LLVMGetFirstGlobal(job->module); global; global = next) {
		next = LLVMGetNextGlobal(global);
		if (!is_shared(global))
			continue;
		refuse_initialisers(job, global);
		replace(job, global, place(job, graph, global));
		if (!LLVMGetFirstUse(global))
			LLVMDeleteGlobal(global);
	}
}
