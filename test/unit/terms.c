/*
 * The terms of a launch: no number that an operation can give lies outside the
 * range that it is said to be in, tried with all ranges of three bits; what
 * they decide for the checks that kernels have; and which terms are refused.
 */
#include "unit.h"

#include "image/image.h"

#include <string.h>

enum { bits = 3, numbers = 1 << bits, mask = numbers - 1 };

static const uint32_t one[3] = {1, 1, 1};

static struct smelt_table_term
make(unsigned op, unsigned width, unsigned a, unsigned b, uint64_t value)
{
	return (struct smelt_table_term){.op = (uint8_t)op,
					 .width = (uint8_t)width,
					 .a = (uint16_t)a,
					 .b = (uint16_t)b,
					 .value = value};
}

/* Puts three terms, the last of which is the range from low to high. */
static void
put_range(struct smelt_table_term *terms, unsigned at, uint64_t low,
	  uint64_t high)
{
	terms[at] = make(SMELT_TERM_NUMBER, 64, 0, 0, low);
	terms[at + 1] = make(SMELT_TERM_NUMBER, 64, 0, 0, high);
	terms[at + 2] = make(SMELT_TERM_JOIN, bits, at, at + 1, 0);
}

/* The numbers that the operation gives for x and y; false if it gives none:
 * what a fact excludes, and division by 0. */
static bool
gives(unsigned op, unsigned x, unsigned y, unsigned value, unsigned *result)
{
	*result = x;
	switch (op) {
	case SMELT_TERM_UPTO:
		return true;
	case SMELT_TERM_ADD:
		*result = (x + y) & mask;
		return true;
	case SMELT_TERM_SUB:
		*result = (x - y) & mask;
		return true;
	case SMELT_TERM_MUL:
		*result = (x * y) & mask;
		return true;
	case SMELT_TERM_DIV:
		*result = y ? x / y : 0;
		return y != 0;
	case SMELT_TERM_REM:
		*result = y ? x % y : 0;
		return y != 0;
	case SMELT_TERM_AND:
		*result = x & y;
		return true;
	case SMELT_TERM_MIN:
		*result = x < y ? x : y;
		return true;
	case SMELT_TERM_MAX:
		*result = x > y ? x : y;
		return true;
	case SMELT_TERM_JOIN:
		return true;
	case SMELT_TERM_MEET:
		return x == y;
	case SMELT_TERM_BELOW:
		return ((x + value) & mask) < y;
	case SMELT_TERM_ATMOST:
		return ((x + value) & mask) <= y;
	case SMELT_TERM_ABOVE:
		return x > y;
	case SMELT_TERM_ATLEAST:
		return x >= y;
	case SMELT_TERM_OTHER:
		return x != y;
	default:
		return false;
	}
}

/* Whether the range of the last term excludes the number. */
static bool
excludes(struct smelt_table_term *terms, unsigned count, unsigned number)
{
	terms[count] = make(SMELT_TERM_NUMBER, 64, 0, 0, number);
	terms[count + 1] = make(SMELT_TERM_NEED_OTHER, 64, count - 1, count, 0);
	return image_terms_hold(terms, count + 2, "", one, one);
}

/* All x and y of two ranges. */
static unsigned
try_ranges(unsigned op, const unsigned range[4], unsigned value)
{
	struct smelt_table_term terms[16];
	unsigned wrong = 0, result;

	put_range(terms, 0, range[0], range[1]);
	put_range(terms, 3, range[2], range[3]);
	terms[6] = make(op, bits, 2, 5, value);
	for (unsigned x = range[0]; x <= range[1]; x++)
		for (unsigned y = range[2]; y <= range[3]; y++)
			if (gives(op, x, y, value, &result))
				wrong += excludes(terms, 7, result);
	return wrong;
}

static void
operations(void)
{
	for (unsigned op = SMELT_TERM_UPTO; op < SMELT_TERM_NEED_BELOW; op++) {
		bool fact = op == SMELT_TERM_BELOW || op == SMELT_TERM_ATMOST;
		unsigned wrong = 0, i = 0;

		for (; i < numbers * numbers * numbers * numbers; i++) {
			const unsigned range[4] = {i & mask, i >> 3 & mask,
						   i >> 6 & mask, i >> 9};

			if (range[0] > range[1] || range[2] > range[3])
				continue;
			for (unsigned v = 0; v < (fact ? numbers : 1); v++)
				wrong += try_ranges(op, range, v);
		}
		CHECK_INT(wrong, 0);
	}
}

static void
widths(void)
{
	struct smelt_table_term terms[16];
	unsigned wrong = 0;

	for (unsigned low = 0; low < 4; low++)
		for (unsigned high = low; high < 4; high++) {
			put_range(terms, 0, low, high);
			terms[3] = make(SMELT_TERM_SEXT, bits, 2, 2, 2);
			for (unsigned x = low; x <= high; x++)
				wrong += excludes(terms, 4, x < 2 ? x : x + 4);
		}
	for (unsigned low = 0; low < numbers; low++)
		for (unsigned high = low; high < numbers; high++) {
			put_range(terms, 0, low, high);
			terms[3] = make(SMELT_TERM_TRUNC, 2, 2, 2, 0);
			for (unsigned x = low; x <= high; x++)
				wrong += excludes(terms, 4, x & 3);
		}
	CHECK_INT(wrong, 0);
}

/* `a[y * n + x]` with x and y, both a thread's position, below n. */
static bool
matrix(uint64_t n, uint64_t len)
{
	const uint64_t block[2] = {n, len};
	const uint32_t grid[3] = {4, 1, 1}, threads[3] = {1000, 1, 1};
	struct smelt_table_term terms[] = {
		make(SMELT_TERM_FIELD, 64, 0, 0, 0),
		make(SMELT_TERM_FIELD, 64, 0, 0, 8),
		make(SMELT_TERM_BLOCK, 32, 0, 0, 0),
		make(SMELT_TERM_BLOCK_DIM, 32, 0, 0, 0),
		make(SMELT_TERM_THREAD, 32, 0, 0, 0),
		make(SMELT_TERM_MUL, 64, 2, 3, 0),
		make(SMELT_TERM_ADD, 64, 5, 4, 0),
		make(SMELT_TERM_BELOW, 64, 6, 0, 0),
		make(SMELT_TERM_MUL, 64, 7, 0, 0),
		make(SMELT_TERM_ADD, 64, 8, 7, 0),
		make(SMELT_TERM_NEED_BELOW, 64, 9, 1, 0),
	};

	CHECK(!image_terms_check(terms, array_count(terms), 16));
	return image_terms_hold(terms, array_count(terms), block, grid,
				threads);
}

static void
decisions(void)
{
	CHECK(matrix(5, 25));
	CHECK(!matrix(5, 24));
	/* No thread reaches the check. */
	CHECK(matrix(0, 0));
	/* The grid ends before n does. */
	CHECK(matrix(1000000, 3999ull * 1000000 + 4000));
	CHECK(!matrix(1000000, 3999ull * 1000000 + 3999));
	/* What wraps is no index. */
	CHECK(!matrix(UINT64_MAX, UINT64_MAX));
	CHECK(!matrix((uint64_t)1 << 60, UINT64_MAX));
}

static void
refused(void)
{
	static struct smelt_table_term many[SMELT_MOST_TERMS + 1];
	struct smelt_table_term terms[2];

	terms[0] = make(SMELT_TERM_NUMBER, 64, 0, 0, 0);
	terms[1] = make(SMELT_TERM_ADD, 64, 0, 0, 0);
	CHECK(!image_terms_check(terms, 2, 16));
	terms[1].b = 1;
	CHECK(image_terms_check(terms, 2, 16));
	terms[1] = make(SMELT_TERM_END, 64, 0, 0, 0);
	CHECK(image_terms_check(terms, 2, 16));
	terms[1] = make(0, 64, 0, 0, 0);
	CHECK(image_terms_check(terms, 2, 16));
	terms[1] = make(SMELT_TERM_ADD, 65, 0, 0, 0);
	CHECK(image_terms_check(terms, 2, 16));
	terms[1] = make(SMELT_TERM_ADD, 0, 0, 0, 0);
	CHECK(image_terms_check(terms, 2, 16));
	terms[1] = make(SMELT_TERM_THREAD, 32, 3, 0, 0);
	CHECK(image_terms_check(terms, 2, 16));
	terms[1] = make(SMELT_TERM_SEXT, 64, 0, 0, 0);
	CHECK(image_terms_check(terms, 2, 16));
	terms[1] = make(SMELT_TERM_FIELD, 64, 0, 0, 8);
	CHECK(!image_terms_check(terms, 2, 16));
	terms[1].value = 9;
	CHECK(image_terms_check(terms, 2, 16));
	terms[1].value = UINT64_MAX;
	CHECK(image_terms_check(terms, 2, 16));
	for (size_t i = 0; i <= SMELT_MOST_TERMS; i++)
		many[i] = terms[0];
	CHECK(!image_terms_check(many, SMELT_MOST_TERMS, 16));
	CHECK(image_terms_check(many, SMELT_MOST_TERMS + 1, 16));
}

int
main(void)
{
	RUN(operations);
	RUN(widths);
	RUN(decisions);
	RUN(refused);
	return unit_failed != 0;
}
