/*
 * Terms of ranges, each of them written down once, and with them what is to be
 * hoped for: a term that says no more than its width does would only make a
 * launch's conditions fail.
 */
#include "cc/ranges.h"

#include <string.h>

struct term {
	struct smelt_table_term term;
	bool bounded;
	/* Differs between threads or iterations. */
	bool varies;
	/* Begins with 0 in every launch. */
	bool zero;
	bool dropped;
};

static bool
is_need(unsigned op)
{
	return op >= SMELT_TERM_NEED_BELOW;
}

static bool
is_leaf(unsigned op)
{
	return op <= SMELT_TERM_ANY;
}

static bool
is_number(const struct terms *terms, unsigned term, uint64_t value)
{
	const struct smelt_table_term *one = &terms->list[term].term;

	return one->op == SMELT_TERM_NUMBER && one->value == value;
}

/* ---- what is known of a term ---- */

static bool
is_spread(unsigned op)
{
	return op == SMELT_TERM_THREAD || op == SMELT_TERM_BLOCK ||
	       op == SMELT_TERM_ANY;
}

static bool
begins_with_0(const struct terms *terms, const struct smelt_table_term *term)
{
	bool left, right;

	if (is_leaf(term->op))
		return term->op == SMELT_TERM_NUMBER ? term->value == 0
						     : is_spread(term->op);
	left = terms->list[term->a].zero;
	right = terms->list[term->b].zero;
	switch (term->op) {
	case SMELT_TERM_UPTO:
	case SMELT_TERM_AND:
		return true;
	case SMELT_TERM_ADD:
	case SMELT_TERM_MAX:
	case SMELT_TERM_MEET:
	case SMELT_TERM_ATLEAST:
		return left && right;
	case SMELT_TERM_MUL:
	case SMELT_TERM_MIN:
	case SMELT_TERM_JOIN:
		return left || right;
	case SMELT_TERM_BELOW:
	case SMELT_TERM_ATMOST:
		return left && !(term->value >> 63);
	case SMELT_TERM_OTHER:
		return left && !is_number(terms, term->b, 0);
	case SMELT_TERM_ABOVE:
	case SMELT_TERM_SUB:
		return false;
	default:
		return left;
	}
}

static bool
is_bounded(const struct terms *terms, const struct smelt_table_term *term)
{
	const struct term *a = &terms->list[term->a], *b;

	if (is_leaf(term->op))
		return term->op != SMELT_TERM_ANY || term->width <= 8;
	b = &terms->list[term->b];
	switch (term->op) {
	case SMELT_TERM_ADD:
	case SMELT_TERM_MUL:
	case SMELT_TERM_MAX:
	case SMELT_TERM_JOIN:
		return a->bounded && b->bounded;
	case SMELT_TERM_SUB:
		/* The difference of two varying numbers is hardly ever as wild
		 * as their ranges say; that of 0 and more wraps. */
		return a->bounded && b->bounded && !(a->varies && b->varies) &&
		       (!a->zero || is_number(terms, term->b, 0));
	case SMELT_TERM_AND:
	case SMELT_TERM_REM:
	case SMELT_TERM_MIN:
	case SMELT_TERM_MEET:
		return a->bounded || b->bounded;
	case SMELT_TERM_BELOW:
	case SMELT_TERM_ATMOST:
		return a->bounded ||
		       (b->bounded && (!term->value || term->value >> 63));
	default:
		return a->bounded;
	}
}

static bool
varies(const struct terms *terms, const struct smelt_table_term *term)
{
	if (is_leaf(term->op))
		return is_spread(term->op);
	return term->op == SMELT_TERM_JOIN || term->op == SMELT_TERM_UPTO ||
	       terms->list[term->a].varies || terms->list[term->b].varies;
}

/* ---- the list ---- */

static size_t
slot_of(const struct terms *terms, const struct smelt_table_term *term)
{
	uint64_t hash = term->value;
	size_t slot;

	hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
	hash += term->op | (uint64_t)term->width << 8 |
		(uint64_t)term->a << 16 | (uint64_t)term->b << 32;
	slot = (size_t)(hash * 0x9e3779b97f4a7c15u >> 32);
	for (;; slot++) {
		uint32_t held = terms->slots[slot &= terms->slot_count - 1];
		const struct smelt_table_term *other;

		if (!held)
			return slot;
		other = &terms->list[held - 1].term;
		if (other->op == term->op && other->width == term->width &&
		    other->a == term->a && other->b == term->b &&
		    other->value == term->value)
			return slot;
	}
}

static void
grow(struct terms *terms)
{
	struct term *old = terms->list;

	terms->capacity = terms->capacity ? terms->capacity * 2 : 64;
	terms->list = arena_alloc(terms->arena,
				  terms->capacity * sizeof(*terms->list));
	if (terms->count)
		memcpy(terms->list, old, terms->count * sizeof(*old));
	terms->slot_count = terms->capacity * 2;
	terms->slots = arena_alloc(terms->arena,
				   terms->slot_count * sizeof(*terms->slots));
	for (size_t i = 0; i < terms->count; i++)
		terms->slots[slot_of(terms, &terms->list[i].term)] =
			(uint32_t)i + 1;
}

unsigned
terms_put(struct terms *terms, unsigned op, unsigned width, unsigned a,
	  unsigned b, uint64_t value)
{
	struct smelt_table_term term = {
		.op = (uint8_t)op,
		.width = (uint8_t)width,
		.a = (uint16_t)a,
		.b = (uint16_t)b,
		.value = value,
	};
	struct term *made;
	size_t slot;

	if (terms->count == terms->capacity)
		grow(terms);
	slot = slot_of(terms, &term);
	if (terms->slots[slot]) {
		terms->list[terms->slots[slot] - 1].dropped = false;
		return terms->slots[slot] - 1;
	}
	made = &terms->list[terms->count++];
	made->term = term;
	made->bounded = is_bounded(terms, &term);
	made->varies = varies(terms, &term);
	made->zero = begins_with_0(terms, &term);
	terms->slots[slot] = (uint32_t)terms->count;
	return terms->slots[slot] - 1;
}

unsigned
terms_of(struct terms *terms, enum smelt_term op, unsigned width, unsigned a,
	 unsigned b)
{
	return terms_put(terms, op, width, a, b, 0);
}

unsigned
terms_number(struct terms *terms, uint64_t value, unsigned width)
{
	uint64_t mask = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;

	return terms_put(terms, SMELT_TERM_NUMBER, 64, 0, 0, value & mask);
}

unsigned
terms_any(struct terms *terms, unsigned width)
{
	return terms_put(terms, SMELT_TERM_ANY, width, 0, 0, 0);
}

unsigned
terms_upto(struct terms *terms, uint64_t most)
{
	unsigned last = terms_number(terms, most, 64);

	return terms_of(terms, SMELT_TERM_UPTO, 64, last, last);
}

bool
terms_is_bounded(const struct terms *terms, unsigned term)
{
	return terms->list[term].bounded;
}

void
terms_drop_needs(struct terms *terms, size_t mark)
{
	for (size_t i = mark; i < terms->count; i++)
		terms->list[i].dropped = is_need(terms->list[i].term.op);
}

/* ---- writing ---- */

/* Marks the needs and what they are made of; whether there are any. */
static bool
mark_used(const struct terms *terms, bool *used)
{
	bool any = false;

	for (size_t i = terms->count; i-- > 0;) {
		const struct term *one = &terms->list[i];

		if (is_need(one->term.op) && !one->dropped)
			any = used[i] = true;
		if (used[i] && !is_leaf(one->term.op))
			used[one->term.a] = used[one->term.b] = true;
	}
	return any;
}

size_t
terms_write(const struct terms *terms, struct smelt_table_term *out,
	    size_t room)
{
	bool *used = arena_alloc(terms->arena, terms->count + 1);
	uint16_t *place =
		arena_alloc(terms->arena, terms->count * sizeof(*place));
	size_t count = 0;

	/* Operands have 16 bits. */
	if (terms->count > 0xffff || !mark_used(terms, used))
		return 0;
	for (size_t i = 0; i < terms->count; i++) {
		struct smelt_table_term term = terms->list[i].term;

		if (!used[i])
			continue;
		if (count == room)
			return 0;
		if (!is_leaf(term.op)) {
			term.a = place[term.a];
			term.b = place[term.b];
		}
		place[i] = (uint16_t)count;
		out[count++] = term;
	}
	return count;
}
