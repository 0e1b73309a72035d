/*
 * The whole of the unit-test framework. Each test runs in a process of its own,
 * since the runtime looks for devices once in a process: a test may set the
 * environment first, and a crash is one failed test.
 * Include it first.
 */
#ifndef UNIT_H
#define UNIT_H

#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int unit_failures; /* of the test that runs */
static int unit_failed;	  /* tests */

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			unit_failures++;                                       \
		}                                                              \
	} while (0)

#define CHECK_INT(got, wanted)                                                 \
	do {                                                                   \
		long long unit_got = (long long)(got);                         \
		long long unit_wanted = (long long)(wanted);                   \
		if (unit_got != unit_wanted) {                                 \
			printf("%s:%d: %s is %lld, not %lld\n", __FILE__,      \
			       __LINE__, #got, unit_got, unit_wanted);         \
			unit_failures++;                                       \
		}                                                              \
	} while (0)

#define CHECK_TEXT(text, part)                                                 \
	do {                                                                   \
		const char *unit_text = (text);                                \
		if (!strstr(unit_text, (part))) {                              \
			printf("%s:%d: \"%s\" lacks \"%s\"\n", __FILE__,       \
			       __LINE__, unit_text, (part));                   \
			unit_failures++;                                       \
		}                                                              \
	} while (0)

#define RUN(test) unit_run(#test, test)

static void
unit_run(const char *name, void (*test)(void))
{
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		test();
		fflush(stdout);
		exit(unit_failures != 0);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	if (status == 0) {
		printf("PASS %s\n", name);
		return;
	}
	printf("FAIL %s: %s\n", name,
	       WIFEXITED(status) ? "a check failed" : "crashed");
	unit_failed++;
}

#endif
