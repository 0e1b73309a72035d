/*
 * What a kernel uses, as flags of the kernel table, and its launch bounds.
 *
 * The runtime needs to know before a launch whether a kernel has barriers, how
 * many dimensions its index tokens span, and whether it asks for dynamic shared
 * memory. All follow from which primitives it reaches.
 */
#include "cc.h"

#include <string.h>

static unsigned
flags_of_primitive(const char *name)
{
	static const char *const meeting[] = {
		"__smelt_barrier", "__smelt_shuffle_", "__smelt_ballot",
		"__smelt_any",	   "__smelt_all",
	};

	if (!strcmp(name, "__smelt_dynamic_shared"))
		return SMELT_KERNEL_DYNAMIC_SHARED;
	if (!strcmp(name, "__smelt_print"))
		return SMELT_KERNEL_PRINT;
	for (size_t i = 0; i < array_count(meeting); i++)
		if (starts_with(name, meeting[i]))
			return SMELT_KERNEL_BARRIER;
	return 0;
}

static void
note_dimensions(struct cc *cc, struct cc_kernel *kernel, LLVMValueRef call)
{
	LLVMValueRef count = LLVMGetOperand(call, 0);
	uint64_t n =
		LLVMIsAConstantInt(count) ? LLVMConstIntGetZExtValue(count) : 0;

	if (n >= 1 && n <= 3)
		kernel->flags |= SMELT_KERNEL_INDEX1 << (n - 1);
	else
		cc_error(cc, cc_place_of(cc, call),
			 "the dimensions of an index are no constant; the "
			 "crate `smelt` and this smelt-cc do not fit together");
}

static void
note_bounds(struct cc *cc, struct cc_kernel *kernel, LLVMValueRef call)
{
	LLVMValueRef most = LLVMGetOperand(call, 0);
	LLVMValueRef least = LLVMGetOperand(call, 1);
	unsigned threads, blocks;

	if (!LLVMIsAConstantInt(most) || !LLVMIsAConstantInt(least)) {
		cc_error(cc, cc_place_of(cc, call),
			 "launch bounds of kernel `%s` are no constants",
			 kernel->name);
		cc_error_note("give them as literals or constants, in the "
			      "kernel itself");
		return;
	}
	threads = (unsigned)LLVMConstIntGetZExtValue(most);
	blocks = (unsigned)LLVMConstIntGetZExtValue(least);
	if (threads && (!kernel->max_threads || threads < kernel->max_threads))
		kernel->max_threads = threads;
	if (blocks > kernel->min_blocks)
		kernel->min_blocks = blocks;
}

static void
note_calls(struct cc *cc, struct cc_kernel *kernel, const struct cc_node *node)
{
	LLVMBasicBlockRef block;
	LLVMValueRef i;
	size_t len;

	for (block = LLVMGetFirstBasicBlock(node->function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (i = LLVMGetFirstInstruction(block); i;
		     i = LLVMGetNextInstruction(i)) {
			const char *name;

			if (!LLVMIsACallInst(i) ||
			    !LLVMIsAFunction(LLVMGetCalledValue(i)))
				continue;
			name = LLVMGetValueName2(LLVMGetCalledValue(i), &len);
			if (!starts_with(name, "__smelt_"))
				continue;
			kernel->flags |= flags_of_primitive(name);
			if (!strcmp(name, "__smelt_index_dims"))
				note_dimensions(cc, kernel, i);
			else if (!strcmp(name, "__smelt_launch_bounds"))
				note_bounds(cc, kernel, i);
		}
}

void
cc_drop_calls(struct cc *cc, const char *name)
{
	LLVMValueRef function = LLVMGetNamedFunction(cc->module, name);
	LLVMUseRef use;

	if (!function)
		return;
	while ((use = LLVMGetFirstUse(function))) {
		LLVMValueRef call = LLVMGetUser(use);

		if (!LLVMIsACallInst(call))
			die("`%s` may only be called directly", name);
		LLVMInstructionEraseFromParent(call);
	}
	LLVMDeleteFunction(function);
}

void
cc_kernel_flags(struct cc *cc)
{
	struct cc_graph *graph = cc_graph_make(cc);

	for (size_t i = 0; i < cc->kernel_count; i++) {
		struct cc_kernel *kernel = &cc->kernels[i];
		LLVMValueRef entry =
			LLVMGetNamedFunction(cc->module, kernel->symbol);
		struct cc_walk walk =
			cc_graph_walk(cc, graph, cc_graph_find(graph, entry));

		for (size_t n = 0; n < graph->count; n++)
			if (walk.reached[n])
				note_calls(cc, kernel, &graph->nodes[n]);
	}
	cc_error_check(cc);
	cc_drop_calls(cc, "__smelt_index_dims");
	cc_drop_calls(cc, "__smelt_launch_bounds");
}
