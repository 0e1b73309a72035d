/*
 * Which function refers to which, and through which instruction.
 *
 * A reference is a call or any other use of a function's address, also one that
 * lies in the initializer of a constant (a table of methods): what a kernel
 * could call through a pointer counts as reached. Edges are in the order of the
 * instructions, so that everything derived from a graph is the same in each
 * run.
 */
#include "cc.h"

#include <stdlib.h>
#include <string.h>

struct cc_index {
	LLVMValueRef value;
	size_t node;
};

/* The references of one function while they are collected. */
struct collector {
	struct cc *cc;
	struct cc_graph *graph;
	struct cc_node *node;
	LLVMValueRef where;
	size_t edge_cap;
	size_t use_cap;
	/* Initializers under way: constants may refer to themselves. */
	LLVMValueRef *seen;
	size_t seen_count;
	size_t seen_cap;
};

static int
compare(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct cc_index *)a)->value;
	uintptr_t y = (uintptr_t)((const struct cc_index *)b)->value;

	return x < y ? -1 : x > y;
}

size_t
cc_graph_find(const struct cc_graph *graph, LLVMValueRef function)
{
	struct cc_index key = {.value = function};
	struct cc_index *found =
		bsearch(&key, graph->index, graph->count, sizeof(key), compare);

	return found ? found->node : graph->count;
}

/* Room for one more element in an array of the arena. */
static void *
grow(struct arena *arena, void *data, size_t count, size_t *cap, size_t item)
{
	void *grown;

	if (count < *cap)
		return data;
	*cap = *cap ? 2 * *cap : 8;
	grown = arena_alloc(arena, *cap * item);
	if (count)
		memcpy(grown, data, count * item);
	return grown;
}

static void
add_edge(struct collector *c, LLVMValueRef function)
{
	struct cc_node *node = c->node;

	node->edges = grow(&c->cc->arena, node->edges, node->edge_count,
			   &c->edge_cap, sizeof(*node->edges));
	node->edges[node->edge_count].target =
		cc_graph_find(c->graph, function);
	node->edges[node->edge_count++].where = c->where;
}

static void
add_use(struct collector *c, LLVMValueRef global)
{
	struct cc_node *node = c->node;

	node->uses = grow(&c->cc->arena, node->uses, node->use_count,
			  &c->use_cap, sizeof(*node->uses));
	node->uses[node->use_count].global = global;
	node->uses[node->use_count++].where = c->where;
}

static bool
first_time(struct collector *c, LLVMValueRef global)
{
	for (size_t i = 0; i < c->seen_count; i++)
		if (c->seen[i] == global)
			return false;
	c->seen = grow(&c->cc->arena, c->seen, c->seen_count, &c->seen_cap,
		       sizeof(*c->seen));
	c->seen[c->seen_count++] = global;
	return true;
}

static void
collect(struct collector *c, LLVMValueRef value)
{
	if (LLVMIsAFunction(value)) {
		add_edge(c, value);
	} else if (LLVMIsAGlobalVariable(value)) {
		if (!first_time(c, value))
			return;
		add_use(c, value);
		if (LLVMGetInitializer(value))
			collect(c, LLVMGetInitializer(value));
	} else if (LLVMIsAGlobalAlias(value)) {
		collect(c, LLVMAliasGetAliasee(value));
	} else if (LLVMIsAConstant(value)) {
		int count = LLVMGetNumOperands(value);

		for (int i = 0; i < count; i++)
			collect(c, LLVMGetOperand(value, (unsigned)i));
	}
}

static void
collect_function(struct collector *c)
{
	LLVMBasicBlockRef block;
	LLVMValueRef i;

	for (block = LLVMGetFirstBasicBlock(c->node->function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (i = LLVMGetFirstInstruction(block); i;
		     i = LLVMGetNextInstruction(i)) {
			int count = LLVMGetNumOperands(i);

			c->where = i;
			for (int k = 0; k < count; k++) {
				LLVMValueRef operand =
					LLVMGetOperand(i, (unsigned)k);

				if (LLVMIsAConstant(operand))
					collect(c, operand);
			}
		}
}

struct cc_graph *
cc_graph_make(struct cc *cc)
{
	struct cc_graph *graph = arena_alloc(&cc->arena, sizeof(*graph));
	LLVMValueRef f;
	size_t n = 0;

	for (f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f))
		graph->count++;
	graph->nodes =
		arena_alloc(&cc->arena, graph->count * sizeof(*graph->nodes));
	graph->index =
		arena_alloc(&cc->arena, graph->count * sizeof(*graph->index));
	for (f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f), n++) {
		graph->nodes[n].function = f;
		graph->index[n].value = f;
		graph->index[n].node = n;
	}
	qsort(graph->index, graph->count, sizeof(*graph->index), compare);
	for (n = 0; n < graph->count; n++) {
		struct collector c = {
			.cc = cc, .graph = graph, .node = &graph->nodes[n]};

		collect_function(&c);
	}
	return graph;
}

struct cc_walk
cc_graph_walk(struct cc *cc, const struct cc_graph *graph, size_t root)
{
	size_t count = graph->count, head = 0, tail = 0;
	size_t *queue = arena_alloc(&cc->arena, count * sizeof(*queue));
	struct cc_walk walk = {
		.reached = arena_alloc(&cc->arena, count),
		.from = arena_alloc(&cc->arena, count * sizeof(*walk.from)),
		.edge = arena_alloc(&cc->arena, count * sizeof(*walk.edge)),
	};

	memset(walk.from, 0xff, count * sizeof(*walk.from));
	walk.reached[root] = true;
	queue[tail++] = root;
	while (head < tail) {
		size_t at = queue[head++];
		const struct cc_node *node = &graph->nodes[at];

		for (size_t i = 0; i < node->edge_count; i++) {
			size_t to = node->edges[i].target;

			if (walk.reached[to])
				continue;
			walk.reached[to] = true;
			walk.from[to] = at;
			walk.edge[to] = &node->edges[i];
			queue[tail++] = to;
		}
	}
	return walk;
}

/* What the kernels reach, as marks on nodes. */
static bool *
reached_nodes(struct cc *cc, const struct cc_graph *graph)
{
	bool *reached = arena_alloc(&cc->arena, graph->count + 1);
	size_t *stack =
		arena_alloc(&cc->arena, (graph->count + 1) * sizeof(*stack));
	size_t depth = 0;

	for (size_t i = 0; i < cc->kernel_count; i++) {
		LLVMValueRef f =
			LLVMGetNamedFunction(cc->module, cc->kernels[i].symbol);
		size_t node = cc_graph_find(graph, f);

		reached[node] = true;
		stack[depth++] = node;
	}
	while (depth) {
		const struct cc_node *node = &graph->nodes[stack[--depth]];

		for (size_t i = 0; i < node->edge_count; i++) {
			size_t to = node->edges[i].target;

			if (!reached[to]) {
				reached[to] = true;
				stack[depth++] = to;
			}
		}
	}
	return reached;
}

/* Global variables without uses, and then those that only they used. */
static void
drop_globals(struct cc *cc)
{
	LLVMValueRef g, next;
	bool any = true;

	while (any) {
		any = false;
		for (g = LLVMGetFirstGlobal(cc->module); g; g = next) {
			next = LLVMGetNextGlobal(g);
			if (LLVMGetFirstUse(g))
				continue;
			LLVMDeleteGlobal(g);
			any = true;
		}
	}
}

void
cc_drop_unreachable(struct cc *cc)
{
	struct cc_graph *graph = cc_graph_make(cc);
	bool *reached = reached_nodes(cc, graph);

	for (size_t i = 0; i < graph->count; i++) {
		LLVMValueRef f = graph->nodes[i].function;

		if (reached[i])
			continue;
		LLVMReplaceAllUsesWith(f, LLVMGetPoison(LLVMTypeOf(f)));
	}
	for (size_t i = 0; i < graph->count; i++)
		if (!reached[i])
			LLVMDeleteFunction(graph->nodes[i].function);
	drop_globals(cc);
}
