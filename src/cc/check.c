/*
 * Stage `check`: what cannot run on a device, and where it is.
 *
 * After `resolve` everything is defined that can be. What a kernel reaches and
 * is still declared, a static that is written to, thread-local storage, or the
 * host's own instructions: each is one error, with the calls that lead there
 * from the kernel. All are reported, not only the first; but one call of the
 * standard library may come to a dozen of them, so that of those at one place
 * of the user's code only the most telling is.
 */
#include "cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much a reason tells, where there are several. */
enum rank {
	RANK_EXACT,   /* the very thing that stands in the source */
	RANK_KIND,    /* what the standard library was used for */
	RANK_LIBRARY, /* that it was used */
	RANK_DETAIL,  /* a by-product of how it is made */
};

#define THREAD_LOCAL "a kernel cannot use thread-locals"
#define NO_THREAD_LOCAL                                                        \
	"pass the value as an argument, or keep it in a variable of the "      \
	"kernel"
#define ALLOCATE "a kernel cannot allocate memory"
#define NO_ALLOCATE                                                            \
	"use an array of fixed size, or a slice that the launch passes"

/* What is wrong with functions of these paths, and what to do instead (or
 * NULL). The first that fits. */
static const struct reason {
	const char *part; /* of the demangled path, or the whole symbol */
	enum rank rank;
	const char *text;
	const char *help;
} reasons[] = {
	{"std::io::", RANK_KIND, "I/O is not possible in a kernel",
	 "print with smelt::println!, or write to a slice that the launch "
	 "passes"},
	{"std::fs::", RANK_KIND, "files cannot be used in a kernel",
	 "read them before the launch and pass a slice"},
	{"std::net::", RANK_KIND, "the network cannot be used in a kernel",
	 NULL},
	{"std::thread::local::", RANK_KIND, THREAD_LOCAL, NO_THREAD_LOCAL},
	{"std::thread::", RANK_KIND,
	 "threads of the host cannot be used in a kernel",
	 "the grid of the launch says how many threads run the kernel"},
	{"std::sync::", RANK_KIND,
	 "the host's locks cannot be used in a kernel",
	 "use atomics; the threads of a block can meet at "
	 "`smelt::sync::barrier`"},
	{"std::time::", RANK_KIND,
	 "the host's clock cannot be read in a kernel",
	 "read it before the launch and after `wait`"},
	{"std::env::", RANK_KIND, "the environment cannot be read in a kernel",
	 "read it before the launch and pass the value"},
	{"std::process::", RANK_KIND, "processes cannot be used in a kernel",
	 "return, or panic: the launch then gives an error"},
	{"std::panicking::", RANK_DETAIL, "a kernel cannot unwind", NULL},
	{"std::panic::", RANK_KIND, "a kernel cannot unwind",
	 "a thread that panics ends, and the launch gives the error"},
	{"__rust_alloc", RANK_KIND, ALLOCATE, NO_ALLOCATE},
	{"__rust_dealloc", RANK_DETAIL, ALLOCATE, NO_ALLOCATE},
	{"__rust_realloc", RANK_KIND, ALLOCATE, NO_ALLOCATE},
	{"__rust_no_alloc_shim", RANK_KIND, ALLOCATE, NO_ALLOCATE},
	{"alloc::", RANK_KIND, ALLOCATE, NO_ALLOCATE},
	{"std::alloc::", RANK_KIND, ALLOCATE, NO_ALLOCATE},
	{"std::", RANK_LIBRARY,
	 "this part of the standard library is not available in a kernel",
	 NULL},
};

static const struct reason
	unknown_primitive = {"", RANK_EXACT,
			     "this primitive is not known to this smelt-cc",
			     "crate and tools are of different versions"},
	host_instruction = {"", RANK_EXACT,
			    "this is an instruction of the host's processor",
			    "kernels get what stands under "
			    "`cfg(target_arch = \"x86_64\")`: a plain version "
			    "must be chosen at run time or by a feature"},
	assembly = {"", RANK_EXACT,
		    "inline assembly of the host cannot run in a kernel",
		    "write it in Rust: kernels run on other processors"},
	no_symbol = {"", RANK_EXACT, "unresolved function",
		     "functions of other languages have no code for devices"},
	no_code = {"", RANK_LIBRARY, "function without device code", NULL},
	thread_local_static = {"", RANK_LIBRARY, THREAD_LOCAL, NO_THREAD_LOCAL},
	no_static = {"", RANK_DETAIL, "unresolved static", NULL},
	changing_static = {"", RANK_EXACT,
			   "a kernel cannot use a static that changes: host "
			   "and device would each have their own",
			   "pass it to the launch, as `&[AtomicU32]` for "
			   "example"};

struct offence {
	const struct reason *reason;
	const char *culprit; /* readable */
	size_t node;	     /* where the chain ends */
	LLVMValueRef where;  /* the instruction */
};

struct checker {
	struct cc *cc;
	const struct cc_graph *graph;
	struct list said; /* places of what was reported */
	/* Of the kernel at hand, one a place. */
	struct finding *findings;
	size_t count, cap;
};

static const char *
path_of(struct checker *checker, LLVMValueRef function)
{
	size_t len;

	return cc_demangle(&checker->cc->arena,
			   LLVMGetValueName2(function, &len));
}

/* NULL: nothing that is known of the path itself. */
static const struct reason *
reason_of(const char *path)
{
	for (size_t i = 0; i < array_count(reasons); i++) {
		const char *part = reasons[i].part;
		const char *at = strstr(path, part);

		if (at && (at == path || at[-1] == '<' || part[0] == '_'))
			return &reasons[i];
	}
	if (starts_with(path, "__smelt_"))
		return &unknown_primitive;
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

/* The most telling offence at a place so far. */
struct finding {
	const char *mark; /* the place, as text */
	struct offence offence;
	enum rank rank;
	struct route *route;
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
		if (i == 0 || (!cc_same_path(frame->path, kernel->name) &&
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

static struct finding *
finding_at(struct checker *checker, const char *mark)
{
	struct finding *grown;

	for (size_t i = 0; i < checker->count; i++)
		if (!strcmp(checker->findings[i].mark, mark))
			return &checker->findings[i];
	if (checker->count == checker->cap) {
		checker->cap = checker->cap ? 2 * checker->cap : 16;
		grown = arena_alloc(&checker->cc->arena,
				    checker->cap * sizeof(*grown));
		if (checker->count)
			memcpy(grown, checker->findings,
			       checker->count * sizeof(*grown));
		checker->findings = grown;
	}
	checker->findings[checker->count] = (struct finding){.mark = mark};
	return &checker->findings[checker->count++];
}

static enum rank
rank_of(const struct route *route, const struct offence *offence)
{
	if (starts_with(step_name(route, route->user, offence),
			"core::ptr::drop_in_place"))
		return RANK_DETAIL;
	return offence->reason->rank;
}

static void
note(struct checker *checker, const struct cc_kernel *kernel,
     const struct cc_walk *walk, const struct offence *offence)
{
	struct arena *arena = &checker->cc->arena;
	struct route *route = arena_alloc(arena, sizeof(*route));
	struct finding *finding;
	struct cc_place place;
	enum rank rank;

	find_route(checker, route, kernel, walk, offence);
	rank = rank_of(route, offence);
	place = route->frames[route->user].place;
	finding = finding_at(
		checker, place.file
				 ? arena_printf(arena, "%s:%u:%u", place.file,
						place.line, place.column)
				 : step_name(route, route->user, offence));
	if (finding->route && finding->rank <= rank)
		return;
	finding->offence = *offence;
	finding->rank = rank;
	finding->route = route;
}

static void
report(struct checker *checker, const struct cc_kernel *kernel,
       const struct finding *finding)
{
	const struct offence *offence = &finding->offence;
	const struct route *route = finding->route;
	const char *what = step_name(route, route->user, offence);

	cc_error(checker->cc, route->frames[route->user].place, "%s: `%s`",
		 offence->reason->text, what);
	if (*kernel->file)
		cc_error_note("in kernel `%s` (%s:%u)", kernel->name,
			      kernel->file, kernel->line);
	else
		cc_error_note("in kernel `%s`", kernel->name);
	for (size_t i = route->first; i <= route->user; i++)
		note_step(&route->frames[i], step_name(route, i, offence));
	if (strcmp(what, offence->culprit))
		cc_error_note("which needs `%s`", offence->culprit);
	if (offence->reason->help)
		cc_error_help(offence->reason->help);
}

/* What happens at the end of scopes tells a user little: only said where
 * nothing else is wrong. */
static void
report_all(struct checker *checker, const struct cc_kernel *kernel)
{
	bool only_details = true;

	for (size_t i = 0; i < checker->count; i++)
		if (checker->findings[i].rank != RANK_DETAIL)
			only_details = false;
	for (size_t i = 0; i < checker->count; i++) {
		const struct finding *finding = &checker->findings[i];

		if (!only_details && finding->rank == RANK_DETAIL)
			continue;
		if (list_has(&checker->said, finding->mark))
			continue;
		list_add(&checker->cc->arena, &checker->said, finding->mark);
		report(checker, kernel, finding);
	}
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
	path = path_of(checker, function);
	offence.culprit = path;
	offence.where = walk->edge[node]->where;
	offence.reason = reason_of(path);
	if (starts_with(symbol, "llvm.")) {
		if (!starts_with(symbol, "llvm.x86."))
			return;
		offence.reason = &host_instruction;
	}
	if (!offence.reason)
		offence.reason = path == symbol ? &no_symbol : &no_code;
	note(checker, kernel, walk, &offence);
}

static const struct reason *
wrong_with_global(LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);

	if (LLVMIsThreadLocal(global))
		return &thread_local_static;
	if (LLVMIsDeclaration(global))
		return &no_static;
	if (LLVMIsGlobalConstant(global) ||
	    (section && !strcmp(section, ".smelt.shared")))
		return NULL;
	return &changing_static;
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
			note(checker, kernel, walk, &offence);
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
				.reason = &assembly,
				.culprit = "asm!",
				.node = node,
				.where = i,
			};

			if (LLVMIsACallInst(i) &&
			    LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
				note(checker, kernel, walk, &offence);
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

static void
check_kernel(struct checker *checker, const struct cc_kernel *kernel,
	     const struct cc_walk *walk, size_t root)
{
	checker->count = 0;
	for (size_t n = 0; n < checker->graph->count; n++) {
		if (!walk->reached[n])
			continue;
		if (n != root)
			check_declaration(checker, kernel, walk, n);
		check_globals(checker, kernel, walk, n);
		check_assembly(checker, kernel, walk, n);
	}
	report_all(checker, kernel);
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
	/* That target needs the names of functions, and strips by itself. */
	if (!list_has(&cc->options.targets, CC_CPU_CHECK))
		cc_shim_strip_types(cc->module);
}
