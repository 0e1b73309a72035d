/*
 * What functions give in 113 bits, and how far off results of 24 or 53 bits
 * are.
 *
 * libquadmath's own error is below 2^-110 of a result, so what is measured is
 * right to all digits shown, except where a range says otherwise.
 */
#include <quadmath.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef __float128 quad;

struct ulp_worst {
	double ulp; /* of the worst result that is not counted in `wrong` */
	double x, y, z;
	size_t wrong; /* NaN, infinity or a zero's sign where another is due */
	double wrong_x, wrong_y, wrong_z; /* the first of them */
};

static quad
add(quad x, quad y)
{
	return x + y;
}

static quad
sub(quad x, quad y)
{
	return x - y;
}

static quad
mul(quad x, quad y)
{
	return x * y;
}

static quad
divide(quad x, quad y)
{
	return x / y;
}

static quad
recip(quad x)
{
	return 1 / x;
}

static quad
rem_euclid(quad x, quad y)
{
	quad r = fmodq(x, y);

	return r < 0 ? r + fabsq(y) : r;
}

static quad
exp10_(quad x)
{
	return powq(10, x);
}

static quad
log_base(quad x, quad base)
{
	return logq(x) / logq(base);
}

static quad
ldexp_(quad x, quad n)
{
	return scalbnq(x, (int)n);
}

static quad
to_degrees(quad x)
{
	return x * (180 / M_PIq);
}

static quad
to_radians(quad x)
{
	return x * (M_PIq / 180);
}

/* By the function's name up to a space: "lgamma x<0" is lgamma. */
static const struct function {
	const char *name;
	quad (*one)(quad);
	quad (*two)(quad, quad);
	quad (*three)(quad, quad, quad);
} functions[] = {
	{"add", .two = add},
	{"sub", .two = sub},
	{"mul", .two = mul},
	{"div", .two = divide},
	{"mul_add", .three = fmaq},
	{"sqrt", .one = sqrtq},
	{"recip", .one = recip},
	{"rem", .two = fmodq},
	{"rem_euclid", .two = rem_euclid},
	{"floor", .one = floorq},
	{"ceil", .one = ceilq},
	{"trunc", .one = truncq},
	{"round", .one = roundq},
	{"round_ties_even", .one = rintq},
	{"to_degrees", .one = to_degrees},
	{"to_radians", .one = to_radians},
	{"sin", .one = sinq},
	{"cos", .one = cosq},
	{"tan", .one = tanq},
	{"asin", .one = asinq},
	{"acos", .one = acosq},
	{"atan", .one = atanq},
	{"atan2", .two = atan2q},
	{"sinh", .one = sinhq},
	{"cosh", .one = coshq},
	{"tanh", .one = tanhq},
	{"asinh", .one = asinhq},
	{"acosh", .one = acoshq},
	{"atanh", .one = atanhq},
	{"exp", .one = expq},
	{"exp2", .one = exp2q},
	{"exp10", .one = exp10_},
	{"exp_m1", .one = expm1q},
	{"ln", .one = logq},
	{"ln_1p", .one = log1pq},
	{"log2", .one = log2q},
	{"log10", .one = log10q},
	{"log", .two = log_base},
	{"powf", .two = powq},
	{"powi", .two = powq},
	{"cbrt", .one = cbrtq},
	{"hypot", .two = hypotq},
	{"erf", .one = erfq},
	{"erfc", .one = erfcq},
	{"tgamma", .one = tgammaq},
	{"lgamma", .one = lgammaq},
	{"fdim", .two = fdimq},
	{"fmod", .two = fmodq},
	{"remainder", .two = remainderq},
	{"ldexp", .two = ldexp_},
};

static const struct function *
find(const char *name)
{
	size_t length = strcspn(name, " ");

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strlen(functions[i].name) == length &&
		    !memcmp(functions[i].name, name, length))
			return &functions[i];
	return NULL;
}

/* A format: bits of the significand, least and greatest exponent. */
struct format {
	int digits, least, greatest;
};

static quad
unit(const struct format *format, quad exact)
{
	int exponent;

	frexpq(exact, &exponent);
	exponent--;
	if (exact == 0 || exponent < format->least)
		exponent = format->least;
	return scalbnq(1, exponent - format->digits + 1);
}

/* Units in the last place between them, or -1 where they differ in kind: NaN
 * and not, a zero's sign, infinity for what is well within the format. */
static double
distance(const struct format *format, quad exact, quad got)
{
	quad limit = scalbnq(1, format->greatest + 1);

	if (isnanq(exact) || isnanq(got))
		return isnanq(exact) && isnanq(got) ? 0 : -1;
	if (isinfq(exact))
		return got == exact ? 0 : -1;
	if (exact == 0 && got == 0)
		return signbitq(exact) == signbitq(got) ? 0 : -1;
	/* Beyond the format: infinity stands for the number after the greatest.
	 */
	if (fabsq(exact) > limit)
		exact = copysignq(limit, exact);
	if (isinfq(got) && fabsq(exact) < limit / 2)
		return -1;
	if (isinfq(got))
		got = copysignq(limit, got);
	if (fabsq(exact) == limit)
		return (double)(fabsq(got - exact) /
				scalbnq(limit, -format->digits));
	return (double)(fabsq(got - exact) / unit(format, exact));
}

static quad
value(bool wide, const void *all, size_t i)
{
	return wide ? (quad)((const double *)all)[i]
		    : (quad)((const float *)all)[i];
}

/* Judges n results of the function; all five arrays hold doubles if wide, else
 * floats. false if the function is not known here. */
bool
ulp_judge(const char *name, bool wide, const void *x, const void *y,
	  const void *z, const void *got, size_t n, struct ulp_worst *worst);
bool
ulp_judge(const char *name, bool wide, const void *x, const void *y,
	  const void *z, const void *got, size_t n, struct ulp_worst *worst)
{
	static const struct format formats[] = {{24, -126, 127},
						{53, -1022, 1023}};
	const struct function *f = find(name);

	memset(worst, 0, sizeof(*worst));
	if (!f)
		return false;
	for (size_t i = 0; i < n; i++) {
		quad a = value(wide, x, i), b = value(wide, y, i),
		     c = value(wide, z, i);
		quad exact = f->one   ? f->one(a)
			     : f->two ? f->two(a, b)
				      : f->three(a, b, c);
		double ulp =
			distance(&formats[wide], exact, value(wide, got, i));

		if (ulp < 0 && !worst->wrong++) {
			worst->wrong_x = (double)a;
			worst->wrong_y = (double)b;
			worst->wrong_z = (double)c;
		}
		if (ulp > worst->ulp) {
			worst->ulp = ulp;
			worst->x = (double)a;
			worst->y = (double)b;
			worst->z = (double)c;
		}
	}
	return true;
}
