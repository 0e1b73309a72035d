/*
 * Telling of a fault: see cpu_fault.h.
 */
#include "cpu_fault.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sites: numbers for what kernels pass by address ---- */

static struct {
	pthread_mutex_t lock;
	const struct smelt_cpu_site **list;
	uint32_t count;
	uint32_t room;
} sites = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
grow_sites(void)
{
	uint32_t room = sites.room ? sites.room * 2 : 256;
	const struct smelt_cpu_site **list =
		realloc(sites.list, room * sizeof(*list));

	if (!list)
		return false;
	sites.list = list;
	sites.room = room;
	return true;
}

uint32_t
cpu_site_number(struct smelt_cpu_site *site)
{
	uint32_t number = __atomic_load_n(&site->number, __ATOMIC_RELAXED);

	if (number)
		return number;
	pthread_mutex_lock(&sites.lock);
	number = site->number;
	if (!number && (sites.count < sites.room || grow_sites())) {
		sites.list[sites.count++] = site;
		number = sites.count;
		__atomic_store_n(&site->number, number, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&sites.lock);
	return number;
}

static struct smelt_cpu_site
site_of(uint32_t number)
{
	struct smelt_cpu_site site = {.file = ""};

	pthread_mutex_lock(&sites.lock);
	if (number)
		site = *sites.list[number - 1];
	pthread_mutex_unlock(&sites.lock);
	return site;
}

/* ---- the fault ---- */

static void
unfold(uint64_t linear, const uint32_t dim[3], uint32_t at[3])
{
	at[0] = (uint32_t)(linear % dim[0]);
	linear /= dim[0];
	at[1] = (uint32_t)(linear % dim[1]);
	at[2] = (uint32_t)(linear / dim[1]);
}

static void
fill_places(const struct engine_launch *launch, const struct cpu_party *here,
	    const struct cpu_party *other, struct smelt_panic *fault)
{
	struct smelt_cpu_site site = site_of(here->site);

	snprintf(fault->file, sizeof(fault->file), "%s", site.file);
	fault->line = site.line;
	fault->column = site.column;
	unfold(here->block, launch->grid, fault->block);
	unfold(here->thread, launch->block, fault->thread);
	if (!other)
		return;
	site = site_of(other->site);
	snprintf(fault->other_file, sizeof(fault->other_file), "%s", site.file);
	fault->other_line = site.line;
	fault->other_column = site.column;
	unfold(other->block, launch->grid, fault->other_block);
	unfold(other->thread, launch->block, fault->other_thread);
}

/* "src/main.rs:7:9 by block 0, thread (3, 1, 0)" */
static void
describe_other(const struct smelt_panic *fault, char *text, size_t size)
{
	const uint32_t *at[2] = {fault->other_block, fault->other_thread};
	char places[2][48];

	for (int i = 0; i < 2; i++)
		if (at[i][1] || at[i][2])
			snprintf(places[i], sizeof(places[i]), "(%u, %u, %u)",
				 at[i][0], at[i][1], at[i][2]);
		else
			snprintf(places[i], sizeof(places[i]), "%u", at[i][0]);
	snprintf(text, size, "%.200s:%u:%u by block %s, thread %s",
		 fault->other_file, fault->other_line, fault->other_column,
		 places[0], places[1]);
}

void
cpu_fault_tell(const struct engine_launch *launch, enum smelt_fault kind,
	       const struct cpu_party *here, const struct cpu_party *other,
	       const char *memory)
{
	struct smelt_panic *fault = launch->fault;
	char *message = fault->message, where[320];
	const size_t size = sizeof(fault->message);

	memset(fault, 0, sizeof(*fault));
	fault->size = sizeof(*fault);
	fault->threads = 1;
	fault->fault = kind;
	fill_places(launch, here, other, fault);
	describe_other(fault, where, sizeof(where));
	switch (kind) {
	case SMELT_FAULT_RACE:
		snprintf(message, size,
			 "data race: this %s and the %s at %s touch %s, and "
			 "nothing orders them",
			 here->what, other->what, where, memory);
		break;
	case SMELT_FAULT_UNINITIALISED:
		snprintf(message, size,
			 "this %s is of shared memory that no thread of the "
			 "block has written: %s",
			 here->what, memory);
		break;
	default:
		snprintf(message, size, "not all threads reach this %s: %s %s",
			 here->what, other->what, where);
	}
}
