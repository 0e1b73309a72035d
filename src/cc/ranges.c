/*
 * Ranges of a kernel's values as terms; see held.c for what they are for.
 *
 * Walks from a value to what it is computed from. A value that is met again on
 * the way (the phi of a loop) stands for all numbers there, as far as the
 * branches in between say no more; so the walk ends, and what it says of the
 * next value of a counter is right for every iteration.
 */
#include "cc/ranges.h"

#include <limits.h>

/* Steps of all walks for one check. */
enum { longest = 5000 };

void
ranges_init(struct ranges *ranges, struct arena *arena,
	    struct cc_analyses *analyses)
{
	*ranges = (struct ranges){
		.arena = arena,
		.analyses = analyses,
		.terms = {.arena = arena},
		.places = cc_map_new(arena),
		.lowest = UINT_MAX,
	};
}

size_t
ranges_begin(struct ranges *ranges)
{
	ranges->steps = 0;
	return ranges->terms.count;
}

bool
ranges_step(struct ranges *ranges)
{
	return ++ranges->steps <= longest;
}

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static struct cc_map *
known_terms(struct ranges *ranges, struct place place)
{
	return ranges_known(ranges, place)->terms[ranges->frozen];
}

/* Of a value whose range is being made. */
static unsigned
of_open(struct ranges *ranges, unsigned index, unsigned width,
	struct place place)
{
	unsigned term = terms_any(&ranges->terms, width);

	ranges->lowest = least(ranges->lowest, index);
	if (ranges->narrowing[index])
		return term;
	ranges->narrowing[index] = true;
	term = ranges_narrowed(ranges, term, ranges->open[index], place);
	ranges->narrowing[index] = false;
	return term;
}

/* Of a value that is met for the first time on this way. It is of use elsewhere
 * only if it left out nothing that is open still. */
static unsigned
of_new(struct ranges *ranges, LLVMValueRef value, unsigned width,
       struct place place)
{
	unsigned index = ranges->open_count, outer = ranges->lowest, term;

	ranges->lowest = UINT_MAX;
	ranges->narrowing[index] = false;
	ranges->open[ranges->open_count++] = value;
	term = ranges_describe(ranges, value, width, place);
	term = ranges_narrowed(ranges, term, value, place);
	ranges->open_count--;
	if (ranges->lowest < index) {
		ranges->lowest = least(outer, ranges->lowest);
		return term;
	}
	ranges->lowest = outer;
	cc_map_set(ranges->arena, known_terms(ranges, place), value,
		   (void *)((uintptr_t)term + 1));
	return term;
}

unsigned
ranges_of(struct ranges *ranges, LLVMValueRef value, struct place place)
{
	struct terms *terms = &ranges->terms;
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind
				 ? LLVMGetIntTypeWidth(type)
				 : 65;
	void *known;

	if (width > 64)
		return terms_any(terms, 64);
	if (LLVMIsAConstantInt(value))
		return terms_number(terms, LLVMConstIntGetZExtValue(value),
				    width);
	known = cc_map_get(known_terms(ranges, place), value);
	if (known)
		return (unsigned)((uintptr_t)known - 1);
	if (!LLVMIsAInstruction(value))
		return terms_any(terms, width);
	if (!ranges_step(ranges) || ranges->open_count == ranges_deepest) {
		/* Not to be kept: it may be known better another time. */
		ranges->lowest = 0;
		return terms_any(terms, width);
	}
	for (unsigned i = 0; i < ranges->open_count; i++)
		if (ranges->open[i] == value)
			return of_open(ranges, i, width, place);
	return of_new(ranges, value, width, place);
}
