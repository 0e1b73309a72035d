/*
 * Bounds checks: those that a launch decides, out of a copy of each kernel,
 * which may count on small arguments, too; out of loops before the main
 * pipeline, out of straight-line code behind it.
 */
#include "cc/checks.h"
#include "cc/lower.h"

#include <string.h>

/* Keeps a kernel's terms behind those of the others. */
static void
keep_terms(struct cc_job *job, size_t kernel,
	   const struct smelt_table_term *terms, size_t count)
{
	struct cc_result *result = job->result;
	size_t all = result->term_count + count;
	struct smelt_table_term *list =
		arena_alloc(job->arena, all * sizeof(*list));

	if (result->term_count)
		memcpy(list, result->terms, result->term_count * sizeof(*list));
	memcpy(list + result->term_count, terms, count * sizeof(*list));
	result->resources[kernel].first_term = (uint32_t)result->term_count;
	result->resources[kernel].term_count = (uint32_t)count;
	result->terms = list;
	result->term_count = all;
}

static void
mark_small(struct cc_job *job, LLVMValueRef f, const struct lower_small *places)
{
	lower_add_string(job, f, LOWER_SMALL_POINTERS, places->pointers);
	lower_add_string(job, f, LOWER_SMALL_LENGTHS, places->lengths);
}

/* Has a kernel's variant count on small arguments, too, and makes it if there
 * is none; the number of terms. Where arguments are small in every launch, the
 * kernel itself counts on it. */
static size_t
make_small(struct cc_job *job, size_t k, const char *name,
	   struct smelt_table_term *terms, size_t count)
{
	LLVMValueRef f = cc_kernel_function(job, &job->cc->kernels[k]);
	LLVMValueRef held = cc_kernel_held(job, &job->cc->kernels[k]);
	struct lower_small places;

	if (!lower_need_small(job, k, terms, &count, &places))
		return count;
	if (count && !held) {
		held = cc_shim_copy_function(f, true);
		LLVMSetValueName2(held, name, strlen(name));
	}
	if (held)
		mark_small(job, held, &places);
	if (!*places.lengths)
		mark_small(job, f, &places);
	return count;
}

static bool
make_held(struct cc_job *job)
{
	struct smelt_table_term terms[SMELT_MOST_TERMS];
	bool any = false;

	for (size_t k = 0; k < job->cc->kernel_count; k++) {
		const struct cc_kernel *kernel = &job->cc->kernels[k];
		const char *name = arena_printf(
			job->arena, "%s" SMELT_HELD_SUFFIX, kernel->symbol);
		size_t count = cc_hold_checks(cc_kernel_function(job, kernel),
					      name, terms);

		if (job->extents)
			count = make_small(job, k, name, terms, count);
		if (count)
			keep_terms(job, k, terms, count);
		any |= count != 0;
	}
	return any;
}

/* The one call of a function; NULL if it is used in any other way. */
static LLVMValueRef
only_call(LLVMValueRef f)
{
	LLVMUseRef use = LLVMGetFirstUse(f);
	LLVMValueRef user = use ? LLVMGetUser(use) : NULL;

	return user && !LLVMGetNextUse(use) && lower_callee(user) == f ? user
								       : NULL;
}

void
lower_inline_single(struct cc_job *job)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f)) {
		LLVMValueRef call = only_call(f);

		if (call && !LLVMIsDeclaration(f) &&
		    LLVMGetLinkage(f) == LLVMInternalLinkage &&
		    lower_function_of(call) != f && !lower_has(f, "noinline") &&
		    !lower_has(f, "optnone") && !lower_has(f, "cold"))
			cc_inline_always(f);
	}
	cc_passes(job, "always-inline");
}

void
lower_checks(struct cc_job *job)
{
	cc_passes(job, "function(lower-expect,sroa,early-cse<memssa>,"
		       "instcombine<no-verify-fixpoint>,simplifycfg,"
		       "loop-simplify,lcssa,loop-mssa(loop-rotate,licm),"
		       "instcombine<no-verify-fixpoint>,simplifycfg,"
		       "loop-simplify,lcssa),"
		       /* that the block is only read */
		       "cgscc(function-attrs)");
	if (make_held(job))
		cc_passes(job, "function(simplifycfg,loop-simplify,lcssa)");
	if (cc_hoist_checks(job))
		cc_passes(job, "function(simplifycfg)");
}

void
lower_straight_checks(struct cc_job *job)
{
	if (cc_straight_checks(job))
		cc_passes(job, "function(simplifycfg,early-cse<memssa>)");
}
