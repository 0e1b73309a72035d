/*
 * How many bytes lie behind a kernel's pointer arguments.
 *
 * The crate says it in a call, as a product of lengths that lie in the block
 * with the pointers. So a launch can tell whether 32 bits count the bytes of
 * each argument; if they do, the variant for which that is so may compute with
 * half the bits (amdgpu_small.c). What is noted here are places in the block:
 * those of the pointers, and those of the lengths.
 */
#include "cc/lower.h"

#include <string.h>

enum {
	most_extents = 64,
	most_lengths = 3,
	/* Bytes of an argument that is small: an offset, and what is added to
	 * it in an instruction, must stay within 32 bits. */
	small = UINT32_MAX - 0xffff,
};

/* The bytes behind an argument: the product of fields of the block and a
 * number. */
struct extent {
	uint64_t pointer; /* field of the block */
	uint64_t lengths[most_lengths];
	unsigned length_count;
	uint64_t size;
};

struct cc_extents {
	struct extent list[most_extents];
	size_t count;
};

bool
lower_is_block_field(struct cc_job *job, LLVMValueRef load, uint64_t *offset)
{
	LLVMValueRef base;

	if (!LLVMIsALoadInst(load) || LLVMGetVolatile(load) ||
	    LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic)
		return false;
	base = cc_pointer_base(job->module, LLVMGetOperand(load, 0), offset);
	while (base && LLVMIsAAddrSpaceCastInst(base))
		base = LLVMGetOperand(base, 0);
	return base == LLVMGetParam(lower_function_of(load), 0);
}

/* Multiplies the extent by a value that was computed from the block. */
static bool
take_factor(struct cc_job *job, LLVMValueRef value, struct extent *extent)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(job->context);
	LLVMValueRef by;
	uint64_t offset;

	if (LLVMIsAConstantInt(value))
		return !__builtin_mul_overflow(extent->size,
					       LLVMConstIntGetZExtValue(value),
					       &extent->size);
	if (lower_is_block_field(job, value, &offset)) {
		if (LLVMTypeOf(value) != i64 ||
		    extent->length_count == most_lengths)
			return false;
		extent->lengths[extent->length_count++] = offset;
		return true;
	}
	if (!LLVMIsABinaryOperator(value))
		return false;
	by = LLVMGetOperand(value, 1);
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMShl:
		if (!LLVMIsAConstantInt(by) ||
		    LLVMConstIntGetZExtValue(by) > 31)
			return false;
		by = LLVMConstInt(i64,
				  (uint64_t)1 << LLVMConstIntGetZExtValue(by),
				  false);
		break;
	case LLVMMul:
		break;
	default:
		return false;
	}
	return take_factor(job, LLVMGetOperand(value, 0), extent) &&
	       take_factor(job, by, extent);
}

static void
note_call(struct cc_job *job, LLVMValueRef call, struct cc_extents *extents)
{
	struct extent extent = {.size = 1};

	if (extents->count == most_extents ||
	    !lower_is_block_field(job, LLVMGetOperand(call, 0),
				  &extent.pointer) ||
	    !take_factor(job, LLVMGetOperand(call, 1), &extent) ||
	    (!extent.length_count && extent.size > small))
		return;
	extents->list[extents->count++] = extent;
}

void
lower_note_extents(struct cc_job *job, const char *name)
{
	LLVMValueRef f = LLVMGetNamedFunction(job->module, name);
	const struct cc *cc = job->cc;

	job->extents = arena_alloc(job->arena,
				   cc->kernel_count * sizeof(*job->extents));
	for (LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL; use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);

		for (size_t k = 0;
		     LLVMIsACallInst(call) && k < cc->kernel_count; k++) {
			LLVMValueRef kernel =
				cc_kernel_function(job, &cc->kernels[k]);

			if (lower_function_of(call) == kernel)
				note_call(job, call, &job->extents[k]);
		}
	}
}

/* ---- terms ---- */

/* Terms are added while there is room. */
struct writer {
	struct smelt_table_term *terms;
	size_t count;
	bool full;
};

/* The number of this term, which may be there already. */
static uint16_t
put(struct writer *w, unsigned op, size_t a, size_t b, uint64_t value)
{
	const struct smelt_table_term term = {
		.op = (uint8_t)op,
		.width = 64,
		.a = (uint16_t)a,
		.b = (uint16_t)b,
		.value = value,
	};

	for (size_t i = 0; i < w->count; i++)
		if (!memcmp(&w->terms[i], &term, sizeof(term)))
			return (uint16_t)i;
	if (w->count == SMELT_MOST_TERMS) {
		w->full = true;
		return 0;
	}
	w->terms[w->count] = term;
	return (uint16_t)w->count++;
}

/* The product, and each of its factors, since another may be 0. */
static void
need_small(struct writer *w, const struct extent *extent)
{
	uint16_t most = put(w, SMELT_TERM_NUMBER, 0, 0, small);
	uint16_t all = put(w, SMELT_TERM_NUMBER, 0, 0, extent->size);

	for (unsigned i = 0; i < extent->length_count; i++) {
		uint16_t length =
			put(w, SMELT_TERM_FIELD, 0, 0, extent->lengths[i]);

		if (extent->length_count > 1 || !extent->size)
			put(w, SMELT_TERM_NEED_ATMOST, length, most, 0);
		all = put(w, SMELT_TERM_MUL, all, length, 0);
	}
	put(w, SMELT_TERM_NEED_ATMOST, all, most, 0);
}

static const char *
add_number(struct cc_job *job, const char *list, uint64_t number)
{
	return arena_printf(job->arena, "%s%llu,", list,
			    (unsigned long long)number);
}

bool
lower_need_small(struct cc_job *job, size_t kernel,
		 struct smelt_table_term *terms, size_t *count,
		 struct lower_small *places)
{
	const struct cc_extents *extents = &job->extents[kernel];
	struct writer w = {.terms = terms, .count = *count};

	*places = (struct lower_small){"", ""};
	for (size_t i = 0; i < extents->count; i++) {
		const struct extent *extent = &extents->list[i];

		places->pointers =
			add_number(job, places->pointers, extent->pointer);
		if (extent->length_count)
			need_small(&w, extent);
		for (unsigned l = 0; l < extent->length_count; l++)
			places->lengths = add_number(job, places->lengths,
						     extent->lengths[l]);
	}
	if (w.full)
		return false;
	*count = w.count;
	return extents->count != 0;
}
