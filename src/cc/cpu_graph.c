/*
 * Which function reaches what, and what has to be inlined because of it.
 *
 * A thread's position is a value of the loop around it, and a suspension can
 * only stand in the coroutine itself: both ask for inlining by meaning, not by
 * size, so this cannot be left to LLVM's cost model. Recursion is the
 * exception; such a function reads its position through smelt_cpu_current.
 */
#include "cc/cpu.h"
#include "cc/lower.h"

#include <string.h>

/* Beyond this many instructions a function that only asks for its position
 * stays a function. */
enum { max_inlined = 20000 };

static const struct {
	const char *prefix;
	unsigned reach;
} primitives[] = {
	{"__smelt_thread_idx_", CPU_REACH_POSITION},
	{"__smelt_lane_id", CPU_REACH_POSITION},
	{"__smelt_block_idx_", CPU_REACH_PLACE},
	{"__smelt_block_dim_", CPU_REACH_PLACE},
	{"__smelt_grid_dim_", CPU_REACH_PLACE},
	{"__smelt_shared", CPU_REACH_PLACE},
	{"__smelt_dynamic_shared", CPU_REACH_PLACE | CPU_REACH_DYNAMIC},
	{"__smelt_barrier", CPU_REACH_BARRIER},
	{"__smelt_shuffle_", CPU_REACH_WARP},
	{"__smelt_ballot", CPU_REACH_WARP},
	{"__smelt_any", CPU_REACH_WARP},
	{"__smelt_all", CPU_REACH_WARP},
	{"__smelt_panic", CPU_REACH_PANIC},
	{"__smelt_print", CPU_REACH_POSITION},
};

static unsigned
reach_of_name(const char *name)
{
	for (size_t i = 0; i < array_count(primitives); i++)
		if (starts_with(name, primitives[i].prefix))
			return primitives[i].reach;
	return 0;
}

static void
add_callee(struct arena *arena, struct cpu_function *f,
	   struct cpu_function *callee)
{
	struct cpu_function **grown;

	for (size_t i = 0; i < f->callee_count; i++)
		if (f->callees[i] == callee)
			return;
	if ((f->callee_count & (f->callee_count - 1)) == 0) {
		size_t capacity = f->callee_count ? f->callee_count * 2 : 1;

		grown = arena_alloc(arena,
				    capacity * sizeof(struct cpu_function *));
		if (f->callee_count)
			memcpy(grown, f->callees,
			       f->callee_count * sizeof(struct cpu_function *));
		f->callees = grown;
	}
	f->callees[f->callee_count++] = callee;
}

static void
read_instruction(struct cc_job *job, struct cpu_graph *graph,
		 struct cpu_function *f, LLVMValueRef instruction)
{
	LLVMValueRef callee;
	struct cpu_function *known;
	size_t length;

	f->cost++;
	if (!LLVMIsACallInst(instruction))
		return;
	callee = lower_callee(instruction);
	if (!callee) {
		if (!LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)))
			f->reach |= CPU_REACH_INDIRECT;
		return;
	}
	known = cpu_graph_find(graph, callee);
	if (known)
		add_callee(job->arena, f, known);
	else
		f->reach |= reach_of_name(LLVMGetValueName2(callee, &length));
}

static void
read_function(struct cc_job *job, struct cpu_graph *graph,
	      struct cpu_function *f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			read_instruction(job, graph, f, i);
}

/* Reach and cost flow from callee to caller until nothing changes. */
static void
propagate(struct cpu_graph *graph)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < graph->count; i++) {
			struct cpu_function *f = &graph->functions[i];
			unsigned reach = f->reach;

			for (size_t c = 0; c < f->callee_count; c++)
				reach |= f->callees[c]->reach;
			changed |= reach != f->reach;
			f->reach = reach;
		}
	}
}

static void
walk(struct cpu_graph *graph, struct cpu_function *f,
     void (*visit)(void *, struct cpu_function *), void *context)
{
	f->mark = graph->walks;
	visit(context, f);
	for (size_t i = 0; i < f->callee_count; i++)
		if (f->callees[i]->mark != graph->walks)
			walk(graph, f->callees[i], visit, context);
}

void
cpu_graph_walk(struct cpu_graph *graph, struct cpu_function *start,
	       void (*visit)(void *, struct cpu_function *), void *context)
{
	graph->walks++;
	walk(graph, start, visit, context);
}

static void
look_for_self(void *context, struct cpu_function *f)
{
	struct cpu_function *self = context;

	for (size_t i = 0; i < f->callee_count; i++)
		self->recursive |= f->callees[i] == self;
}

struct cpu_function *
cpu_graph_find(struct cpu_graph *graph, LLVMValueRef function)
{
	return cc_map_get(graph->index, function);
}

struct cpu_graph *
cpu_graph_new(struct cc_job *job)
{
	struct cpu_graph *graph = arena_alloc(job->arena, sizeof(*graph));
	size_t count = 0;
	LLVMValueRef f;

	for (f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		count += !LLVMIsDeclaration(f);
	graph->functions =
		arena_alloc(job->arena, count * sizeof(*graph->functions));
	graph->index = cc_map_new(job->arena);
	for (f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f)) {
		struct cpu_function *entry = &graph->functions[graph->count];

		if (LLVMIsDeclaration(f))
			continue;
		entry->function = f;
		cc_map_set(job->arena, graph->index, f, entry);
		graph->count++;
	}
	for (size_t i = 0; i < graph->count; i++)
		read_function(job, graph, &graph->functions[i]);
	propagate(graph);
	for (size_t i = 0; i < graph->count; i++)
		cpu_graph_walk(graph, &graph->functions[i], look_for_self,
			       &graph->functions[i]);
	return graph;
}

/* Size with everything inlined that is not recursive. Each function is computed
 * once; mark says that it was. */
static unsigned
expand_cost(struct cpu_graph *graph, struct cpu_function *f)
{
	if (f->mark == graph->walks || f->recursive)
		return f->cost;
	f->mark = graph->walks;
	for (size_t i = 0; i < f->callee_count && f->cost < max_inlined; i++)
		f->cost += expand_cost(graph, f->callees[i]);
	return f->cost;
}

void
cpu_graph_costs(struct cpu_graph *graph)
{
	graph->walks++;
	for (size_t i = 0; i < graph->count; i++)
		expand_cost(graph, &graph->functions[i]);
}

static void
force(struct cc_job *job, struct cpu_function *f)
{
	const unsigned suspends = CPU_REACH_BARRIER | CPU_REACH_WARP;
	struct cc_place place;

	if (!(f->reach & (suspends | CPU_REACH_POSITION | CPU_REACH_PLACE)))
		return;
	if (f->recursive && f->reach & suspends) {
		place = cc_place_of(job->cc, f->function);
		cc_error(
			job->cc, place,
			"a recursive function has a barrier or a warp "
			"operation: `%s`",
			cc_demangle(job->arena, LLVMGetValueName(f->function)));
		cc_error_note("on the CPU a thread can only wait in functions "
			      "that are inlined into their kernel");
		return;
	}
	if (f->recursive || (!(f->reach & suspends) && f->cost >= max_inlined))
		return;
	cc_inline_always(f->function);
}

void
cpu_force_inline(struct cc_job *job)
{
	struct cpu_graph *graph = cpu_graph_new(job);

	cpu_graph_costs(graph);
	for (size_t i = 0; i < graph->count; i++)
		if (LLVMGetLinkage(graph->functions[i].function) !=
		    LLVMExternalLinkage)
			force(job, &graph->functions[i]);
	cc_error_check(job->cc);
}
