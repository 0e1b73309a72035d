/*
 * The machine's own processor: x86-64, into the program itself.
 *
 * A kernel is compiled twice over. First as the function of one thread, where
 * its position is an unknown and a panic a call, until everything is inlined
 * and simplified. Then inside its wrapper, where the position is a loop's
 * counter and LLVM sees an ordinary loop. The other order would hide from the
 * range analysis (cpu_ranges.c) what the checks compare.
 *
 * A kernel here gives, bit for bit, what the same Rust gives in the program, on
 * every processor: mathematics stays calls of the host's libm, and nothing is
 * contracted, whatever --fp says. (x86-64-v3 has fused multiply-add; with it a
 * program would give other last digits on other machines of the same kind.)
 */
#include "cc/cpu.h"
#include "cc/lower.h"
#include "cc/shim.h"

#include <llvm-c/Target.h>

#include <string.h>

static const char *const known[] = {"cpu", CC_CPU_CHECK, NULL};

static bool
cpu_accepts(const char *arch)
{
	for (size_t i = 0; known[i]; i++)
		if (strcmp(arch, known[i]) == 0)
			return true;
	return false;
}

static void
cpu_depends(struct cc_job *job, struct hash *hash)
{
	(void)job;
	(void)hash;
}

/*
 * Requires: nothing. Gives: machine, triple and layout; no convergence (a CPU
 * thread waits alone) and, of debug info, line tables only.
 */
static void
cpu_retarget(struct cc_job *job)
{
	LLVMTargetRef target;
	char *message;

	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	LLVMInitializeX86AsmParser(); /* for what asks cpuid */
	if (LLVMGetTargetFromTriple(cc_target_cpu.triple, &target, &message))
		die("%s: %s", job->arch, message);
	job->machine = LLVMCreateTargetMachine(
		target, cc_target_cpu.triple, "x86-64", "",
		LLVMCodeGenLevelAggressive, LLVMRelocPIC, LLVMCodeModelDefault);
	if (!cpu_watches(job)) /* it needs the names; see there */
		cc_shim_strip_types(job->module);
	cc_retarget(job);
	job->state = arena_alloc(job->arena, sizeof(struct cpu_state));
	((struct cpu_state *)job->state)->kernels =
		arena_alloc(job->arena, (job->cc->kernel_count + 1) *
						sizeof(struct cpu_kernel));
}

static LLVMValueRef
warp_size(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	(void)job;
	(void)builder;
	return LLVMConstInt(LLVMTypeOf(call), 32, false);
}

/* The primitives that only read; the rest may do anything, which is what keeps
 * memory accesses on their side of a barrier. */
static void
declare_positions(struct cc_job *job)
{
	static const char *const promises[] = {
		"nounwind", "willreturn", "speculatable",
		"nosync",   "nofree",	  "nocallback",
	};
	static const char *const prefixes[] = {
		"__smelt_thread_idx_", "__smelt_block_",
		"__smelt_grid_dim_",   "__smelt_lane_id",
		"__smelt_shared",      "__smelt_dynamic_shared",
	};

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (size_t i = 0; i < array_count(prefixes); i++) {
			if (!starts_with(LLVMGetValueName(f), prefixes[i]))
				continue;
			lower_add(job, f, "memory", 0);
			for (size_t p = 0; p < array_count(promises); p++)
				lower_add(job, f, promises[p], 0);
		}
}

/* Threads meet at these: one in the source stays one, for the sake of the GPUs'
 * rules and of who counts them. */
static void
declare_meetings(struct cc_job *job)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f)) {
		if (!cpu_is_meeting(LLVMGetValueName(f)))
			continue;
		lower_add(job, f, "convergent", 0);
		lower_add(job, f, "noduplicate", 0);
		lower_add(job, f, "nounwind", 0);
	}
}

static void
drop_param_attribute(LLVMValueRef function, const char *name)
{
	LLVMRemoveEnumAttributeAtIndex(
		function, 1,
		LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* Its block is there, whole, and nobody writes to it. */
static void
describe_block(struct cc_job *job, LLVMValueRef f,
	       const struct cc_kernel *kernel)
{
	lower_add_block(job, f, kernel->block_size);
	lower_add(job, f, "nounwind", 0);
}

static void
note_reach(struct cc_job *job)
{
	struct cpu_state *state = job->state;
	struct cpu_graph *graph = cpu_graph_new(job);

	for (size_t k = 0; k < job->cc->kernel_count; k++) {
		LLVMValueRef f = cc_kernel_function(job, &job->cc->kernels[k]);

		state->kernels[k].reach = cpu_graph_find(graph, f)->reach;
	}
}

/*
 * Requires: kernels as functions of their block. Gives: the same, simplified,
 * with everything in them that asks for a position or may wait.
 */
static void
cpu_entry(struct cc_job *job)
{
	static const struct lower_scopes scopes = {
		.name = {"singlethread", "", ""}};

	cpu_shared(job);
	cc_replace_calls(job, "__smelt_warp_size", warp_size);
	lower_float_atomics(job, &scopes);
	declare_positions(job);
	declare_meetings(job);
	lower_declare_panic(job);
	note_reach(job);
	cpu_force_inline(job);
	if (cpu_watches(job))
		cpu_watch(job);
	for (size_t k = 0; k < job->cc->kernel_count; k++)
		describe_block(job,
			       cc_kernel_function(job, &job->cc->kernels[k]),
			       &job->cc->kernels[k]);
	cc_arguments(job);
	cc_passes(job, "thinlto-pre-link<O3>");
}

bool
cpu_is_kernel(struct cc_job *job, LLVMValueRef function)
{
	for (size_t k = 0; k < job->cc->kernel_count; k++)
		if (cc_kernel_function(job, &job->cc->kernels[k]) == function)
			return true;
	return false;
}

static void
cpu_intrinsics(struct cc_job *job)
{
	cpu_support(job);
	cpu_here(job);
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && !cpu_is_kernel(job, f))
			cpu_bind(job, f, false);
}

static bool
meets(const struct cpu_kernel *kernel)
{
	return kernel->reach & (CPU_REACH_BARRIER | CPU_REACH_WARP);
}

/* Whether it is a coroutine. */
static bool
suspends(const struct cpu_kernel *kernel)
{
	return meets(kernel) && kernel->parts.count == 0;
}

/* Loops that a kernel consists of. */
static size_t
piece_count(const struct cpu_kernel *kernel)
{
	return kernel->parts.count ? kernel->parts.count : 1;
}

static LLVMValueRef
piece(struct cc_job *job, size_t k, size_t p)
{
	const struct cpu_state *state = job->state;
	const struct cc_kernel *kernel = &job->cc->kernels[k];
	const char *symbol = kernel->symbol;

	if (state->kernels[k].parts.count)
		symbol = arena_printf(job->arena, "%s_part%zu", symbol, p);
	return LLVMGetNamedFunction(job->module, symbol);
}

static struct cpu_names
names_of(struct cc_job *job, size_t k, size_t p)
{
	const struct cpu_state *state = job->state;
	const char *name = job->cc->kernels[k].cpu_symbol;
	const char *alone = NULL;

	if (state->kernels[k].parts.count)
		name = arena_printf(job->arena, "%s_part%zu", name, p);
	if (state->kernels[k].alone)
		alone = arena_printf(job->arena, "%s_alone", name);
	return (struct cpu_names){
		.kernel = name,
		.loops = {arena_printf(job->arena, "%s_v1", name),
			  arena_printf(job->arena, "%s_v3", name), alone},
		.checked = arena_printf(job->arena, "%s_checked", name),
	};
}

/* Whether a call of it may leave the block's code in the middle: what runs
 * parts could not be begun again there. */
static bool
leaves(LLVMValueRef thread)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(thread); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = lower_callee(i);

			if (callee &&
			    !strcmp(LLVMGetValueName(callee), "smelt_cpu_here"))
				return true;
		}
	return false;
}

/* Finds out what the engine may do with the kernel, and the compiler here. */
static void
look_at(struct cc_job *job, size_t k)
{
	struct cpu_kernel *kernel =
		&((struct cpu_state *)job->state)->kernels[k];
	LLVMValueRef thread = cc_kernel_function(job, &job->cc->kernels[k]);

	if (cpu_watches(job))
		return;
	cpu_atomics_of_block(thread);
	if (meets(kernel) && !leaves(thread))
		cc_shim_parts(thread, job->cc->kernels[k].symbol,
			      &kernel->parts);
	if (suspends(kernel))
		return;
	kernel->joined = !meets(kernel) && cpu_rows_join(thread);
	kernel->alone = cpu_atomics_alone(thread);
}

static void
add_driver(struct cc_job *job, struct buf *text, size_t k)
{
	const struct cpu_kernel *kernel =
		&((struct cpu_state *)job->state)->kernels[k];
	const char *functions[CPU_MOST_PARTS];

	for (size_t p = 0; p < kernel->parts.count; p++)
		functions[p] = names_of(job, k, p).kernel;
	cpu_template_driver(job, text, job->cc->kernels[k].cpu_symbol,
			    &kernel->parts, functions);
}

/* The wrappers, calling their thread functions. */
static void
add_wrappers(struct cc_job *job)
{
	const struct cpu_state *state = job->state;
	struct buf text = {0};

	for (size_t k = 0; k < job->cc->kernel_count; k++) {
		const struct cc_kernel *kernel = &job->cc->kernels[k];
		struct cpu_names names = names_of(job, k, 0);

		if (suspends(&state->kernels[k])) {
			cpu_template_ramp(
				job, &text, names.kernel, kernel->symbol,
				state->kernels[k].reach & CPU_REACH_WARP);
			continue;
		}
		for (size_t p = 0; p < piece_count(&state->kernels[k]); p++) {
			names = names_of(job, k, p);
			cpu_template_loops(job, &text, &names,
					   LLVMGetValueName(piece(job, k, p)));
		}
		if (state->kernels[k].parts.count)
			add_driver(job, &text, k);
	}
	cpu_templates_link(job, &text);
}

/* Takes the checks out of the loops. */
static void
prepare_loops(struct cc_job *job, const struct cpu_names *names,
	      LLVMValueRef thread, struct cpu_lines *lines)
{
	LLVMValueRef loops[CPU_LOOPS];
	size_t count = 0;

	cpu_lines_add(lines, LLVMGetNamedFunction(job->module, names->checked),
		      thread);
	for (; count < CPU_LOOPS && names->loops[count]; count++) {
		loops[count] =
			LLVMGetNamedFunction(job->module, names->loops[count]);
		cpu_lines_add(lines, loops[count], thread);
	}
	cpu_scopes(job, thread);
	cpu_ranges_apply(job, thread, loops, count);
}

static void
prepare_piece(struct cc_job *job, size_t k, size_t p, struct cpu_lines *lines)
{
	const struct cpu_state *state = job->state;
	struct cpu_names names = names_of(job, k, p);
	LLVMValueRef thread = piece(job, k, p);

	if (suspends(&state->kernels[k]))
		cpu_lines_add(lines,
			      LLVMGetNamedFunction(job->module, names.kernel),
			      thread);
	else
		prepare_loops(job, &names, thread, lines);
	LLVMSetLinkage(thread, LLVMInternalLinkage);
	drop_param_attribute(thread, "noalias");
	cc_inline_always(thread);
}

static void
prepare(struct cc_job *job, size_t k, struct cpu_lines *lines)
{
	const struct cpu_state *state = job->state;

	cc_note_stage("optimise", job->arch, job->cc->kernels[k].name);
	for (size_t p = 0; p < piece_count(&state->kernels[k]); p++)
		prepare_piece(job, k, p, lines);
}

static void
complete_loop(struct cc_job *job, const struct cc_kernel *kernel,
	      const char *name, bool keep_checks)
{
	LLVMValueRef f = LLVMGetNamedFunction(job->module, name);

	describe_block(job, f, kernel);
	cpu_bind(job, f, true);
	if (keep_checks)
		cpu_ranges_keep(job, f);
	else
		cpu_ranges_assume(job, f);
	LLVMSetLinkage(f, LLVMInternalLinkage);
}

static void
complete_loops(struct cc_job *job, size_t k, size_t p)
{
	const struct cc_kernel *kernel = &job->cc->kernels[k];
	const struct cpu_state *state = job->state;
	struct cpu_names names = names_of(job, k, p);

	for (size_t i = 0; i < CPU_LOOPS && names.loops[i]; i++)
		complete_loop(job, kernel, names.loops[i], false);
	complete_loop(job, kernel, names.checked, true);
	if (state->kernels[k].alone)
		cpu_atomics_drop(
			LLVMGetNamedFunction(job->module, names.loops[2]));
}

/* A thread function that is part of its wrapper now. */
static void
drop_inlined(LLVMValueRef thread)
{
	if (thread && !LLVMGetFirstUse(thread))
		LLVMDeleteFunction(thread);
}

/* The wrappers with their thread function inlined: primitives become values. */
static void
complete(struct cc_job *job, size_t k)
{
	const struct cc_kernel *kernel = &job->cc->kernels[k];
	const struct cpu_kernel *state =
		&((struct cpu_state *)job->state)->kernels[k];
	LLVMValueRef thread = LLVMGetNamedFunction(job->module, kernel->symbol);
	LLVMValueRef ramp =
		LLVMGetNamedFunction(job->module, kernel->cpu_symbol);

	for (size_t p = 0; p < state->parts.count; p++)
		drop_inlined(piece(job, k, p));
	drop_inlined(thread);
	if (!suspends(state)) {
		for (size_t p = 0; p < piece_count(state); p++)
			complete_loops(job, k, p);
		return;
	}
	cpu_bind(job, ramp, true);
	cpu_suspend(job, ramp);
	LLVMSetVisibility(ramp, LLVMHiddenVisibility);
}

/* The parts of kernels, simplified like the thread functions that they are of;
 * those have ended. */
static void
tidy_parts(struct cc_job *job)
{
	const struct cpu_state *state = job->state;
	bool any = false;

	for (size_t k = 0; k < job->cc->kernel_count; k++) {
		if (!state->kernels[k].parts.count)
			continue;
		any = true;
		LLVMDeleteFunction(
			cc_kernel_function(job, &job->cc->kernels[k]));
	}
	if (any)
		cc_passes(job, "function(sroa,early-cse<memssa>,"
			       "instcombine<no-verify-fixpoint>,"
			       "simplifycfg,adce)");
}

/*
 * Requires: thread functions. Gives: wrappers of the names that the table has.
 */
static void
cpu_optimise(struct cc_job *job)
{
	struct cpu_lines *lines = cpu_lines_begin(job);

	for (size_t k = 0; k < job->cc->kernel_count; k++)
		look_at(job, k);
	tidy_parts(job);
	add_wrappers(job);
	for (size_t k = 0; k < job->cc->kernel_count; k++)
		prepare(job, k, lines);
	cpu_lines_end(lines);
	cc_passes(job, "always-inline");
	for (size_t k = 0; k < job->cc->kernel_count; k++)
		complete(job, k);
	cpu_suspend_check(job);
	cpu_support_internal(job);
	cc_passes(job, "default<O3>");
}

static void
report(struct cc_job *job)
{
	struct cpu_state *state = job->state;

	for (size_t k = 0; k < job->cc->kernel_count; k++) {
		const struct cpu_kernel *kernel = &state->kernels[k];

		job->result->resources[k].shared_bytes =
			(uint32_t)kernel->shared_bytes;
		if (meets(kernel))
			job->result->flags[k] |= SMELT_KERNEL_BARRIER;
		if (suspends(kernel))
			job->result->flags[k] |= SMELT_KERNEL_COROUTINE;
		if (kernel->parts.count)
			job->result->flags[k] |= SMELT_KERNEL_PARTS;
		if (kernel->joined)
			job->result->flags[k] |= SMELT_KERNEL_JOINED;
		if (kernel->alone)
			job->result->flags[k] |= SMELT_KERNEL_ALONE;
		if (cpu_watches(job))
			job->result->flags[k] |= SMELT_KERNEL_WATCHED;
		if (kernel->reach & CPU_REACH_DYNAMIC)
			job->result->flags[k] |= SMELT_KERNEL_DYNAMIC_SHARED;
	}
}

/* That every kernel is there under its name: pack refers to it. */
static void
check_kernels(struct cc_job *job)
{
	for (size_t k = 0; k < job->cc->kernel_count; k++) {
		const struct cc_kernel *kernel = &job->cc->kernels[k];
		LLVMValueRef f =
			LLVMGetNamedFunction(job->module, kernel->cpu_symbol);

		if (!f || LLVMIsDeclaration(f))
			die("internal: the CPU target lost kernel `%s`",
			    kernel->name);
		LLVMSetVisibility(f, LLVMHiddenVisibility);
	}
}

static void
cpu_emit(struct cc_job *job)
{
	char *object;

	check_kernels(job);
	report(job);
	lower_emit(job, LLVMObjectFile, &object, &job->result->size);
	job->result->data = object;
}

const struct cc_target cc_target_cpu = {
	.family = "cpu",
	.kind = SMELT_TARGET_CPU,
	.triple = "x86_64-unknown-linux-gnu",
	.accepts = cpu_accepts,
	.known = known,
	.depends = cpu_depends,
	.retarget = cpu_retarget,
	.entry = cpu_entry,
	.intrinsics = cpu_intrinsics,
	.panics = cpu_panics,
	.optimise = cpu_optimise,
	.emit = cpu_emit,
};
