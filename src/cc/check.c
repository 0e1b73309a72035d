/*
 * Stage `check`: what cannot run on a device, and where it is.
 *
 * After `resolve` everything is defined that can be. What a kernel reaches and
 * is still declared, a static that is written to, thread-local storage, or the
 * host's own instructions: each is one error, with the calls that lead there
 * from the kernel. All are reported, not only the first; two that begin at the
 * same line of the user's code for the same reason are one.
 */
#include "cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is wrong with functions of these paths. The first that fits. */
static const struct reason {
	const char *part; /* of the demangled path, or the whole symbol */
	const char *text;
} reasons[] = {
	{"std::io::", "I/O is not possible in a kernel"},
	{"std::fs::", "files cannot be used in a kernel"},
	{"std::net::", "the network cannot be used in a kernel"},
	{"std::thread::local::", "a kernel cannot use thread-locals"},
	{"std::thread::", "threads of the host cannot be used in a kernel"},
	{"std::sync::", "the host's locks cannot be used in a kernel"},
	{"std::time::", "the host's clock cannot be read in a kernel"},
	{"std::env::", "the environment cannot be read in a kernel"},
	{"std::process::", "processes cannot be used in a kernel"},
	{"std::panicking::", "a kernel cannot unwind"},
	{"std::panic::", "a kernel cannot unwind"},
	{"__rust_alloc", "a kernel cannot allocate memory"},
	{"__rust_dealloc", "a kernel cannot allocate memory"},
	{"__rust_realloc", "a kernel cannot allocate memory"},
	{"__rust_no_alloc_shim", "a kernel cannot allocate memory"},
	{"alloc::", "a kernel cannot allocate memory"},
	{"std::alloc::", "a kernel cannot allocate memory"},
	{"std::", "this part of the standard library is not available in a "
		  "kernel"},
};

struct checker {
	struct cc *cc;
	const struct cc_graph *graph;
	struct list said;	/* reason and place of what was reported */
	unsigned kernel_errors; /* of the kernel at hand */
};

struct offence {
	const char *reason;
	const char *culprit; /* readable */
	size_t node;	     /* where the chain ends */
	LLVMValueRef where;  /* the instruction */
};

static const char *
path_of(struct checker *checker, LLVMValueRef function)
{
	size_t len;

	return cc_demangle(&checker->cc->arena,
			   LLVMGetValueName2(function, &len));
}

static const char *
reason_of(struct checker *checker, const char *path)
{
	for (size_t i = 0; i < array_count(reasons); i++) {
		const char *part = reasons[i].part;
		const char *at = strstr(path, part);

		if (at && (at == path || at[-1] == '<' || part[0] == '_'))
			return reasons[i].text;
	}
	if (starts_with(path, "__smelt_"))
		return "this primitive is not known to this smelt-cc";
	(void)checker;
	return NULL;
}

/* ---- reporting ---- */

#define FRAMES_MAX 256

/* Every function on the way from a kernel to an offence, inlined ones included.
 */
struct route {
	struct cc_frame frames[FRAMES_MAX];
	size_t count;
	size_t first; /* the kernel function, behind what leads into it */
	size_t user;  /* the last one that is in the user's code */
};

static LLVMValueRef
function_at(struct checker *checker, size_t node)
{
	return checker->graph->nodes[node].function;
}

static void
add_frames(struct checker *checker, struct route *route, LLVMValueRef where)
{
	route->count +=
		cc_frames_of(checker->cc, where, route->frames + route->count,
			     FRAMES_MAX - route->count);
}

/* From the kernel's entry to a node: the walk's edges lead the other way. */
static void
add_way(struct checker *checker, struct route *route,
	const struct cc_walk *walk, size_t node)
{
	size_t *ways = arena_alloc(&checker->cc->arena,
				   (checker->graph->count + 1) * sizeof(*ways));
	size_t count = 0;

	for (size_t at = node; walk->from[at] != SIZE_MAX; at = walk->from[at])
		ways[count++] = at;
	while (count-- > 0 && route->count < FRAMES_MAX - 64)
		add_frames(checker, route, walk->edge[ways[count]]->where);
}

static void
find_route(struct checker *checker, struct route *route,
	   const struct cc_kernel *kernel, const struct cc_walk *walk,
	   const struct offence *offence)
{
	bool begun = false;

	route->count = route->first = route->user = 0;
	add_way(checker, route, walk, offence->node);
	add_frames(checker, route, offence->where);
	for (size_t i = 0; i < route->count; i++) {
		const struct cc_frame *frame = &route->frames[i];

		/* The first is the entry, under its symbol. */
		if (i == 0 || (strcmp(frame->path, kernel->name) &&
			       cc_frame_is_glue(frame)))
			continue;
		if (!begun)
			route->first = i;
		begun = true;
		route->user = i;
	}
	if (!begun)
		route->first = route->user = 0;
	if (!route->first)
		route->frames[0].path = kernel->name;
}

static void
note_step(const struct cc_frame *frame, const char *callee)
{
	if (frame->place.file)
		cc_error_note("`%s` uses `%s` at %s:%u:%u", frame->path, callee,
			      frame->place.file, frame->place.line,
			      frame->place.column);
	else
		cc_error_note("`%s` uses `%s`", frame->path, callee);
}

static const char *
step_name(const struct route *route, size_t i, const struct offence *offence)
{
	return i + 1 < route->count ? route->frames[i + 1].path
				    : offence->culprit;
}

static void
report(struct checker *checker, const struct cc_kernel *kernel,
       const struct cc_walk *walk, const struct offence *offence)
{
	struct arena *arena = &checker->cc->arena;
	struct route *route = arena_alloc(arena, sizeof(*route));
	struct cc_place place;
	const char *mark, *what;

	find_route(checker, route, kernel, walk, offence);
	checker->kernel_errors++;
	place = route->frames[route->user].place;
	what = step_name(route, route->user, offence);
	mark = arena_printf(arena, "%s\n%s:%u:%u\n%s", offence->reason,
			    place.file ? place.file : "", place.line,
			    place.column, place.file ? "" : what);
	if (list_has(&checker->said, mark))
		return;
	list_add(arena, &checker->said, mark);
	cc_error(checker->cc, place, "%s: `%s`", offence->reason, what);
	if (*kernel->file)
		cc_error_note("in kernel `%s` (%s:%u)", kernel->name,
			      kernel->file, kernel->line);
	else
		cc_error_note("in kernel `%s`", kernel->name);
	for (size_t i = route->first; i <= route->user; i++)
		note_step(&route->frames[i], step_name(route, i, offence));
	if (strcmp(what, offence->culprit))
		cc_error_note("which needs `%s`", offence->culprit);
}

/* ---- looking ---- */

static void
check_declaration(struct checker *checker, const struct cc_kernel *kernel,
		  const struct cc_walk *walk, size_t node)
{
	LLVMValueRef function = function_at(checker, node);
	struct offence offence = {.node = walk->from[node]};
	const char *symbol, *path;
	size_t len;

	symbol = LLVMGetValueName2(function, &len);
	if (!LLVMIsDeclaration(function) || cc_is_primitive(symbol) ||
	    cc_is_math(symbol) || cc_is_memory(symbol))
		return;
	if (starts_with(symbol, "llvm.")) {
		if (!starts_with(symbol, "llvm.x86."))
			return;
		offence.reason = "this is an instruction of the host's "
				 "processor";
	}
	path = path_of(checker, function);
	offence.culprit = path;
	if (!offence.reason)
		offence.reason = reason_of(checker, path);
	if (!offence.reason)
		offence.reason = path == symbol
					 ? "unresolved function"
					 : "function without device code";
	offence.where = walk->edge[node]->where;
	report(checker, kernel, walk, &offence);
}

static const char *
wrong_with_global(LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);

	if (LLVMIsThreadLocal(global))
		return "a kernel cannot use thread-locals";
	if (LLVMIsDeclaration(global))
		return "unresolved static";
	if (LLVMIsGlobalConstant(global) ||
	    (section && !strcmp(section, ".smelt.shared")))
		return NULL;
	return "a kernel cannot use a static that changes: host and device "
	       "would each have their own";
}

static void
check_globals(struct checker *checker, const struct cc_kernel *kernel,
	      const struct cc_walk *walk, size_t node)
{
	const struct cc_node *at = &checker->graph->nodes[node];

	for (size_t i = 0; i < at->use_count; i++) {
		struct offence offence = {
			.reason = wrong_with_global(at->uses[i].global),
			.culprit = path_of(checker, at->uses[i].global),
			.node = node,
			.where = at->uses[i].where,
		};

		if (offence.reason)
			report(checker, kernel, walk, &offence);
	}
}

static void
check_assembly(struct checker *checker, const struct cc_kernel *kernel,
	       const struct cc_walk *walk, size_t node)
{
	LLVMBasicBlockRef b;
	LLVMValueRef i;

	for (b = LLVMGetFirstBasicBlock(function_at(checker, node)); b;
	     b = LLVMGetNextBasicBlock(b))
		for (i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			struct offence offence = {
				.reason = "inline assembly of the host cannot "
					  "run in a kernel",
				.culprit = "asm!",
				.node = node,
				.where = i,
			};

			if (LLVMIsACallInst(i) &&
			    LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
				report(checker, kernel, walk, &offence);
		}
}

/* core::hint::black_box is an empty piece of assembly. */
static void
drop_empty_assembly(struct cc *cc)
{
	LLVMValueRef f, i, next;
	LLVMBasicBlockRef b;

	for (f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f))
		for (b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (i = LLVMGetFirstInstruction(b); i; i = next) {
				size_t len;

				next = LLVMGetNextInstruction(i);
				if (!LLVMIsACallInst(i) ||
				    !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) ||
				    LLVMGetFirstUse(i))
					continue;
				LLVMGetInlineAsmAsmString(LLVMGetCalledValue(i),
							  &len);
				if (!len)
					LLVMInstructionEraseFromParent(i);
			}
}

static bool
is_release(struct checker *checker, size_t node)
{
	return strstr(path_of(checker, function_at(checker, node)),
		      "__rust_dealloc");
}

/* Memory is given back at the end of scopes, which tells a user little: only
 * said where nothing else is wrong. */
static void
check_kernel(struct checker *checker, const struct cc_kernel *kernel,
	     const struct cc_walk *walk, size_t root)
{
	size_t release = checker->graph->count;

	checker->kernel_errors = 0;
	for (size_t n = 0; n < checker->graph->count; n++) {
		if (!walk->reached[n])
			continue;
		if (is_release(checker, n))
			release = n;
		else if (n != root)
			check_declaration(checker, kernel, walk, n);
		check_globals(checker, kernel, walk, n);
		check_assembly(checker, kernel, walk, n);
	}
	if (release < checker->graph->count && !checker->kernel_errors)
		check_declaration(checker, kernel, walk, release);
}

void
cc_check(struct cc *cc)
{
	struct checker checker = {.cc = cc};

	drop_empty_assembly(cc);
	checker.graph = cc_graph_make(cc);
	for (size_t k = 0; k < cc->kernel_count; k++) {
		const struct cc_kernel *kernel = &cc->kernels[k];
		size_t root = cc_graph_find(
			checker.graph,
			LLVMGetNamedFunction(cc->module, kernel->symbol));
		struct cc_walk walk = cc_graph_walk(cc, checker.graph, root);

		check_kernel(&checker, kernel, &walk, root);
	}
	cc_error_check(cc);
	cc_shim_strip_types(cc->module);
}
