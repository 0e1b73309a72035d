/*
 * How fast the simulator is: lane operations a second, on all threads that it
 * uses. Prints a PASS line if the least that docs/amd.md promises is reached.
 */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double
cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Lane operations a second of processor time, of a loop with so many vector
 * instructions a round. */
static void
report(const char *name, double lanes, double seconds, double busy)
{
	double rate = lanes / busy / 1e6;
	printf("  %s: %.0f M lane operations in %.2f s (%.2f s of processor)\n",
	       name, lanes / 1e6, seconds, busy);
	printf("%s speed %s: %.0f M lane operations/s a core\n",
	       rate >= 50 ? "PASS" : "FAIL", name, rate);
}

int
main(int argc, char **argv)
{
	enum { GROUPS = 256, ROUNDS = 500 };
	struct device d;
	if (argc < 2)
		return 2;
	launch_open(&d, argv[1]);
	struct {
		void *out;
		uint32_t rounds;
	} args = {launch_alloc(&d, GROUPS * 256 * 4), ROUNDS};
	double start = now(), busy = cpu();
	launch(&d, "arithmetic", GROUPS, 256, &args, sizeof(args));
	report("arithmetic", 4.0 * ROUNDS * GROUPS * 256, now() - start,
	       cpu() - busy);
	enum { STREAM = 16 };
	struct {
		void *y, *x;
		double a;
		uint32_t rounds;
	} sargs = {launch_alloc(&d, STREAM * 65536 * 8),
		   launch_alloc(&d, STREAM * 65536 * 8), 2.5, STREAM};
	for (int k = 0; k < 2; k++) { /* the first touches the pages */
		start = now();
		busy = cpu();
		launch(&d, "stream", 256, 256, &sargs, sizeof(sargs));
	}
	/* Two loads, one sum of products, one store, two address sums. */
	report("stream", 6.0 * STREAM * 65536, now() - start, cpu() - busy);
	launch_close(&d);
	return 0;
}
