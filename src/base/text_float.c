/*
 * Floating point numbers as Rust formats them: the fewest digits that give the
 * number back, or exactly as many as asked for, half to even.
 *
 * Digits come from printf, which is exact for any count, and are judged by
 * strtod. Both know a decimal point of the locale's: so digits are picked out
 * of what is printed, and read back as a whole number with an exponent. Of all
 * numbers with n digits the nearest may not read back where the next one up
 * does: below a power of two the numbers lie twice as close as above it. Of two
 * that are equally near Rust takes the upper one here, printf the even one.
 */
#include "base/text_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough for every digit that an f64 has; what is asked for beyond is zeros. */
enum { most_digits = 1100 };

/* 0.DIGITS * 10^point; no digits: zero. */
struct decimal {
	char digits[most_digits + 4];
	int count;
	int point;
};

static void
print_digits(struct decimal *d, double value, int count)
{
	char text[most_digits + 32], *c;

	snprintf(text, sizeof(text), "%.*e", count - 1, value);
	d->count = 0;
	for (c = text; *c != 'e'; c++)
		if (*c >= '0' && *c <= '9')
			d->digits[d->count++] = *c;
	d->point = atoi(c + 1) + 1;
}

static bool
reads_back(const struct decimal *d, double value, bool single)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*se%d", d->count, d->digits,
		 d->point - d->count);
	return single ? (double)strtof(text, NULL) == value
		      : strtod(text, NULL) == value;
}

/* The next number up with as many digits. */
static void
step_up(struct decimal *d)
{
	int i = d->count - 1;

	while (i >= 0 && d->digits[i] == '9')
		d->digits[i--] = '0';
	if (i >= 0) {
		d->digits[i]++;
		return;
	}
	d->digits[0] = '1';
	d->point++;
}

static void
trim(struct decimal *d)
{
	while (d->count > 1 && d->digits[d->count - 1] == '0')
		d->count--;
}

/* The first digits of a number, rounded; half goes up. */
static void
round_digits(struct decimal *d, const struct decimal *all, int count)
{
	memcpy(d->digits, all->digits, (size_t)count);
	d->count = count;
	d->point = all->point;
	if (all->digits[count] >= '5')
		step_up(d);
}

/* value is finite, not negative and not 0. */
static void
shortest(struct decimal *d, double value, bool single)
{
	struct decimal all;

	/* No f64 is so near to the middle of two numbers of 17 digits that 60
	 * would not tell. */
	print_digits(&all, value, 60);
	for (int count = 1; count <= 17; count++) {
		round_digits(d, &all, count);
		if (reads_back(d, value, single))
			break;
		step_up(d);
		if (reads_back(d, value, single))
			break;
	}
	trim(d);
}

/* The number without exponent and at least so many digits behind the point. */
static void
put_plain(const struct text_sink *sink, const struct text_spec *spec,
	  const char *sign, const struct decimal *d, size_t least)
{
	char text[most_digits + 400];
	struct text_number number = {.head = text};
	size_t len = 0, fraction;
	int i;

	for (i = 0; i < d->point; i++)
		text[len++] = i < d->count ? d->digits[i] : '0';
	if (!len)
		text[len++] = '0';
	fraction = d->count > d->point ? (size_t)(d->count - d->point) : 0;
	if (fraction || least)
		text[len++] = '.';
	for (i = d->point < 0 ? d->point : 0; i < 0; i++)
		text[len++] = '0';
	for (i = d->point > 0 ? d->point : 0; i < d->count; i++)
		text[len++] = d->digits[i];
	number.head_len = len;
	number.zeros = least > fraction ? least - fraction : 0;
	text_put_number(sink, spec, sign, &number);
}

static void
put_scientific(const struct text_sink *sink, const struct text_spec *spec,
	       const char *sign, const struct decimal *d, size_t zeros)
{
	char text[most_digits + 8], tail[16];
	struct text_number number = {.head = text, .tail = tail};
	size_t len = 0;

	text[len++] = d->digits[0];
	if (d->count > 1 || zeros)
		text[len++] = '.';
	memcpy(text + len, d->digits + 1, (size_t)d->count - 1);
	number.head_len = len + (size_t)d->count - 1;
	number.zeros = zeros;
	number.tail_len =
		(size_t)snprintf(tail, sizeof(tail), "%c%d",
				 spec->kind == 'E' ? 'E' : 'e', d->point - 1);
	text_put_number(sink, spec, sign, &number);
}

static void
put_exact_scientific(const struct text_sink *sink, const struct text_spec *spec,
		     const char *sign, double value)
{
	struct decimal d;
	size_t most = most_digits - 1;
	size_t count = spec->precision < most ? spec->precision : most;

	print_digits(&d, value, (int)count + 1);
	put_scientific(sink, spec, sign, &d, spec->precision - count);
}

/* printf's %f, which has the digits before the point as well. */
static void
put_exact(const struct text_sink *sink, const struct text_spec *spec,
	  const char *sign, double value)
{
	char text[most_digits + 400];
	struct text_number number = {.head = text};
	size_t most = most_digits;
	size_t count = spec->precision < most ? spec->precision : most;
	size_t before = 0, len;

	len = (size_t)snprintf(text, sizeof(text), "%.*f", (int)count, value);
	while (text[before] >= '0' && text[before] <= '9')
		before++;
	if (spec->precision)
		memmove(text + before + 1, text + len - count, count);
	text[before] = '.';
	number.head_len = spec->precision ? before + 1 + count : before;
	number.zeros = spec->precision - count;
	text_put_number(sink, spec, sign, &number);
}

static void
put_shortest(const struct text_sink *sink, const struct text_spec *spec,
	     const char *sign, double value, bool single)
{
	struct decimal d = {.digits = "0", .count = 1, .point = 1};
	bool debug = spec->kind == '?';
	/* 1e-4 and 1e16 as the type itself has them. */
	double least = single ? (double)1e-4f : 1e-4;
	double most = single ? (double)1e16f : 1e16;

	if (value > 0)
		shortest(&d, value, single);
	if (spec->kind == 'e' || spec->kind == 'E' ||
	    (debug && value > 0 && (value < least || value >= most)))
		put_scientific(sink, spec, sign, &d, 0);
	else
		put_plain(sink, spec, sign, &d, debug);
}

static double
from_bits(uint64_t bits, bool single)
{
	uint32_t low = (uint32_t)bits;
	double value;
	float narrow;

	if (!single) {
		memcpy(&value, &bits, sizeof(value));
		return value;
	}
	memcpy(&narrow, &low, sizeof(narrow));
	return narrow;
}

void
text_put_float(const struct text_sink *sink, const struct text_spec *spec,
	       uint64_t bits, bool single)
{
	double value = from_bits(bits, single);
	const char *sign = signbit(value) ? "-" : spec->plus ? "+" : "";
	bool scientific = spec->kind == 'e' || spec->kind == 'E';
	struct text_number word = {.head = isnan(value) ? "NaN" : "inf",
				   .head_len = 3};

	value = fabs(value);
	if (isnan(value))
		text_put_number(sink, spec, "", &word);
	else if (isinf(value))
		text_put_number(sink, spec, sign, &word);
	else if (!spec->has_precision)
		put_shortest(sink, spec, sign, value, single);
	else if (scientific)
		put_exact_scientific(sink, spec, sign, value);
	else
		put_exact(sink, spec, sign, value);
}
