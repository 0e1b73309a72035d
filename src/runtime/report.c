/*
 * The table of SMELT_PROFILE, and what to do about what it shows: first the
 * lines of source that took the time, then those whose copies could be spared.
 */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

/* Lines that matter less than this are only counted. */
#define LEAST_PART 0.001
#define MOST_ADVICE 10
/* Copies smaller than this take as long as they would if they were larger. */
#define SMALL 65536

static double
ms(uint64_t nanoseconds)
{
	return (double)nanoseconds * 1e-6;
}

/* "1.60 MB", or "" for 0. */
static const char *
size_text(uint64_t bytes, char *text, size_t room)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	double value = (double)bytes;
	size_t unit = 0;

	text[0] = 0;
	for (; value >= 999.5 && unit < 4; unit++)
		value /= 1000;
	if (bytes)
		snprintf(text, room, "%.*f %s", unit && value < 99.95 ? 2 : 0,
			 value, units[unit]);
	return text;
}

static int
by_time(const void *a, const void *b)
{
	const struct rt_entry *x = a, *y = b;

	return (x->time < y->time) - (x->time > y->time);
}

static void
print_entry(const struct rt_entry *entry, uint64_t all, bool devices)
{
	char place[64], size[24], rate[16] = "", needless[16] = "", on[16] = "";

	rt_place_text(&entry->place, place, sizeof(place));
	size_text(entry->bytes, size, sizeof(size));
	if (entry->bytes && entry->time)
		snprintf(rate, sizeof(rate), "%.2f",
			 (double)entry->bytes / (double)entry->time);
	if (entry->needless)
		snprintf(needless, sizeof(needless), "%.0f %%",
			 100 * (double)entry->needless / (double)entry->bytes);
	if (devices)
		snprintf(on, sizeof(on), "on %u: ", entry->device);
	fprintf(stderr, "%6.1f %10.3f %9llu %10.2f %9s %7s %8s  %s%s%s%s\n",
		100 * (double)entry->time / (double)(all ? all : 1),
		ms(entry->time), (unsigned long long)entry->count,
		(double)entry->time * 1e-3 / (double)entry->count, size, rate,
		needless, on,
		entry->name ? entry->name : rt_kind_name(entry->kind),
		*place ? "  " : "", place);
}

/* The time that goes into bytes that were there already. */
static uint64_t
wasted(const struct rt_entry *entry)
{
	return entry->needless ? (uint64_t)((double)entry->time *
					    (double)entry->needless /
					    (double)entry->bytes)
			       : 0;
}

static bool
many_small(const struct rt_entry *entry, uint64_t all)
{
	return (entry->kind == SMELT_PROFILE_TO ||
		entry->kind == SMELT_PROFILE_FROM) &&
	       entry->count >= 100 && entry->bytes / entry->count < SMALL &&
	       entry->time > all / 20;
}

static void
print_advice(const struct rt_entry *entry)
{
	char place[64], size[24];

	rt_place_text(&entry->place, place, sizeof(place));
	if (!*place)
		snprintf(place, sizeof(place), "(not known where)");
	if (!entry->needless) {
		fprintf(stderr,
			"  %s: %llu copies of %s each, %.3f ms: move more at a "
			"time\n",
			place, (unsigned long long)entry->count,
			size_text(entry->bytes / entry->count, size,
				  sizeof(size)),
			ms(entry->time));
		return;
	}
	fprintf(stderr,
		"  %s: %s copied %s the %s held them already, %.3f ms: %s\n",
		place, size_text(entry->needless, size, sizeof(size)),
		entry->kind == SMELT_PROFILE_TO ? "to the device although"
						: "from the device although",
		entry->kind == SMELT_PROFILE_TO ? "device" : "host",
		ms(wasted(entry)),
		entry->kind == SMELT_PROFILE_TO
			? "keep them there in an Array or a Buffer, or map "
			  "them for several launches with scope"
			: "pass what a kernel does not change by &, or copy "
			  "once after the last launch");
}

/* In the order of the time that could be spared. */
static int
by_waste(const void *a, const void *b)
{
	uint64_t x = wasted(a), y = wasted(b);

	return x == y ? by_time(a, b) : (x < y) - (x > y);
}

static void
advise(struct rt_entry *entries, uint32_t count, uint64_t all)
{
	unsigned said = 0;

	qsort(entries, count, sizeof(*entries), by_waste);
	for (uint32_t i = 0; i < count && said < MOST_ADVICE; i++) {
		if (!many_small(&entries[i], all) &&
		    (!entries[i].needless ||
		     (double)wasted(&entries[i]) < LEAST_PART * (double)all))
			continue;
		if (!said++)
			fputs("what could be spared:\n", stderr);
		print_advice(&entries[i]);
	}
}

void
rt_report_print(struct rt_entry *entries, uint32_t count)
{
	uint64_t all = 0, kernels = 0, copies = 0;
	uint32_t rest = 0;
	bool devices = false;

	if (count)
		qsort(entries, count, sizeof(*entries), by_time);
	for (uint32_t i = 0; i < count; i++) {
		all += entries[i].time;
		if (entries[i].kind == SMELT_PROFILE_KERNEL)
			kernels += entries[i].time;
		else if (entries[i].kind != SMELT_PROFILE_WAIT)
			copies += entries[i].time;
		devices |= entries[i].device != entries[0].device;
	}
	fprintf(stderr,
		"smelt profile: %.3f ms in kernels, %.3f ms in copies and "
		"fills; each piece of work was waited for\n"
		"time %%         ms     count    us each     bytes    GB/s "
		"needless  what\n",
		ms(kernels), ms(copies));
	for (uint32_t i = 0; i < count; i++)
		if (i < 10 ||
		    (double)entries[i].time >= LEAST_PART * (double)all)
			print_entry(&entries[i], all, devices);
		else
			rest++;
	if (rest)
		fprintf(stderr, "and %u lines of less than %g %% each\n", rest,
			100 * LEAST_PART);
	if (count)
		advise(entries, count, all);
}
