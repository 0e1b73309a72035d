/*
 * Whether the checks of a kernel can fail in one launch: the evaluation of
 * struct smelt_table_term. On the way of every launch of such a kernel, hence
 * one pass over the terms and no memory but a stack frame.
 */
#include "image.h"

#include <string.h>

struct range {
	uint64_t low, high; /* low above high: empty */
};

struct launch {
	const char *params;
	const uint32_t *grid;
	const uint32_t *block;
};

static uint64_t
mask_of(unsigned width)
{
	return width < 64 ? ((uint64_t)1 << width) - 1 : ~(uint64_t)0;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct range
field(const char *params, uint64_t offset, unsigned width)
{
	uint64_t value = 0;

	memcpy(&value, params + offset, width / 8);
	return (struct range){value, value};
}

/* What has no operands. */
static struct range
leaf(const struct smelt_table_term *term, const struct launch *launch)
{
	switch (term->op) {
	case SMELT_TERM_NUMBER:
		return (struct range){term->value, term->value};
	case SMELT_TERM_FIELD:
		return field(launch->params, term->value, term->width);
	case SMELT_TERM_THREAD:
		return (struct range){0, launch->block[term->a] - 1};
	case SMELT_TERM_BLOCK:
		return (struct range){0, launch->grid[term->a] - 1};
	case SMELT_TERM_BLOCK_DIM:
		return (struct range){launch->block[term->a],
				      launch->block[term->a]};
	case SMELT_TERM_GRID_DIM:
		return (struct range){launch->grid[term->a],
				      launch->grid[term->a]};
	default:
		return (struct range){0, mask_of(term->width)};
	}
}

static struct range
sum(struct range a, struct range b, uint64_t mask)
{
	uint64_t high;

	if (__builtin_add_overflow(a.high, b.high, &high) || high > mask)
		return (struct range){0, mask};
	return (struct range){a.low + b.low, high};
}

static struct range
product(struct range a, struct range b, uint64_t mask)
{
	uint64_t high;

	if (__builtin_mul_overflow(a.high, b.high, &high) || high > mask)
		return (struct range){0, mask};
	return (struct range){a.low * b.low, high};
}

/* Dividing by 0 is not reached. */
static struct range
quotient(struct range a, struct range b)
{
	return (struct range){a.low / most(b.high, 1), a.high / most(b.low, 1)};
}

static struct range
remainder_of(struct range a, struct range b)
{
	if (a.high < b.low)
		return a;
	return (struct range){0, least(a.high, b.high ? b.high - 1 : 0)};
}

/* a, where a + more < b (or <= b) as numbers that wrap at the mask. A negative
 * `more` wraps for an a that is too small for it, to a number above all of b
 * unless b reaches that far. */
static struct range
below(struct range a, struct range b, uint64_t more, uint64_t mask, bool same)
{
	uint64_t less = (0 - more) & mask, end;

	if (!same && !b.high)
		return (struct range){1, 0};
	end = b.high - !same;
	if (more <= mask / 2) {
		if (a.high > mask - more)
			return a;
		if (end < more)
			return (struct range){1, 0};
		return (struct range){a.low, least(a.high, end - more)};
	}
	if (end > mask - less)
		return a;
	return (struct range){most(a.low, less), least(a.high, end + less)};
}

static struct range
above(struct range a, struct range b, bool same)
{
	if (!same && b.low == ~(uint64_t)0)
		return (struct range){1, 0};
	return (struct range){most(a.low, b.low + !same), a.high};
}

static struct range
other(struct range a, struct range b)
{
	if (b.low != b.high)
		return a;
	if (a.low == b.low && a.high == b.low)
		return (struct range){1, 0};
	return (struct range){a.low + (a.low == b.low),
			      a.high - (a.high == b.low)};
}

static struct range
widened(struct range a, uint64_t bits, uint64_t mask)
{
	return a.high <= mask_of((unsigned)bits - 1) ? a
						     : (struct range){0, mask};
}

/* Neither of them is empty. */
static struct range
combined(const struct smelt_table_term *term, struct range a, struct range b)
{
	uint64_t mask = mask_of(term->width);

	switch (term->op) {
	case SMELT_TERM_UPTO:
		return (struct range){0, a.high};
	case SMELT_TERM_ADD:
		return sum(a, b, mask);
	case SMELT_TERM_SUB:
		return a.low < b.high
			       ? (struct range){0, mask}
			       : (struct range){a.low - b.high, a.high - b.low};
	case SMELT_TERM_MUL:
		return product(a, b, mask);
	case SMELT_TERM_DIV:
		return quotient(a, b);
	case SMELT_TERM_REM:
		return remainder_of(a, b);
	case SMELT_TERM_AND:
		return (struct range){0, least(a.high, b.high)};
	case SMELT_TERM_MIN:
		return (struct range){least(a.low, b.low),
				      least(a.high, b.high)};
	case SMELT_TERM_MAX:
		return (struct range){most(a.low, b.low), most(a.high, b.high)};
	case SMELT_TERM_JOIN:
		return (struct range){least(a.low, b.low),
				      most(a.high, b.high)};
	case SMELT_TERM_MEET:
		return (struct range){most(a.low, b.low),
				      least(a.high, b.high)};
	case SMELT_TERM_TRUNC:
		return a.high <= mask ? a : (struct range){0, mask};
	case SMELT_TERM_SEXT:
		return widened(a, term->value, mask);
	case SMELT_TERM_BELOW:
		return below(a, b, term->value, mask, false);
	case SMELT_TERM_ATMOST:
		return below(a, b, term->value, mask, true);
	case SMELT_TERM_ABOVE:
		return above(a, b, false);
	case SMELT_TERM_ATLEAST:
		return above(a, b, true);
	default:
		return other(a, b);
	}
}

/* What is needed of two ranges that are not empty. */
static bool
is_met(unsigned op, struct range a, struct range b)
{
	switch (op) {
	case SMELT_TERM_NEED_BELOW:
		return a.high < b.low;
	case SMELT_TERM_NEED_ATMOST:
		return a.high <= b.low;
	case SMELT_TERM_NEED_SAME:
		return a.low == b.high && a.high == b.low;
	default:
		return a.high < b.low || b.high < a.low;
	}
}

static bool
is_leaf(unsigned op)
{
	return op <= SMELT_TERM_ANY;
}

static bool
is_need(unsigned op)
{
	return op >= SMELT_TERM_NEED_BELOW;
}

bool
image_terms_hold(const struct smelt_table_term *terms, size_t count,
		 const void *params, const uint32_t grid[3],
		 const uint32_t block[3])
{
	const struct launch launch = {params, grid, block};
	struct range ranges[SMELT_MOST_TERMS];

	for (size_t i = 0; i < count; i++) {
		const struct smelt_table_term *term = &terms[i];
		struct range a, b;

		ranges[i] = (struct range){1, 0};
		if (is_leaf(term->op)) {
			ranges[i] = leaf(term, &launch);
			continue;
		}
		a = ranges[term->a];
		b = ranges[term->b];
		if (a.low > a.high || b.low > b.high) {
			if (term->op == SMELT_TERM_JOIN)
				ranges[i] = a.low > a.high ? b : a;
		} else if (!is_need(term->op)) {
			ranges[i] = combined(term, a, b);
		} else if (!is_met(term->op, a, b)) {
			return false;
		}
	}
	return true;
}

static bool
is_sound(const struct smelt_table_term *term, size_t index, uint32_t block_size)
{
	if (term->op < SMELT_TERM_NUMBER || term->op >= SMELT_TERM_END ||
	    !term->width || term->width > 64 || term->reserved)
		return false;
	if (!is_leaf(term->op))
		return term->a < index && term->b < index &&
		       (term->op != SMELT_TERM_SEXT ||
			(term->value && term->value <= 64));
	if (term->op == SMELT_TERM_FIELD)
		return term->width % 8 == 0 && block_size >= term->width / 8u &&
		       term->value <= block_size - term->width / 8u;
	return term->op == SMELT_TERM_NUMBER || term->op == SMELT_TERM_ANY ||
	       term->a < 3;
}

const char *
image_terms_check(const struct smelt_table_term *terms, size_t count,
		  uint32_t block_size)
{
	if (count > SMELT_MOST_TERMS)
		return "kernel table: too many terms for a kernel";
	for (size_t i = 0; i < count; i++)
		if (!is_sound(&terms[i], i, block_size))
			return "kernel table: an impossible term";
	return NULL;
}
