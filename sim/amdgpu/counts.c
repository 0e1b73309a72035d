/*
 * Counting. Each worker counts for itself; rows are added up when it leaves a
 * dispatch.
 *
 * Transactions are those of one instruction: the number of different blocks of
 * 64 (128) bytes that its lanes touch. What caches keep between instructions is
 * not modelled, so the figures compare programs, not devices.
 */
#include "counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
	char *kernel;
	struct counts counts;
	struct line *next;
};

static struct {
	pthread_mutex_t lock;
	struct line *rows;
	const char *path;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t counts_once = PTHREAD_ONCE_INIT;

static uint64_t
all_instructions(const struct counts *c)
{
	uint64_t sum = 0;
	for (int k = 0; k < CLASSES; k++)
		sum += c->instructions[k];
	return sum;
}

static void
write_line(FILE *out, const struct line *row)
{
	const struct counts *c = &row->counts;
	double use = c->vector_room ? 100.0 * (double)c->vector_lanes /
					      (double)c->vector_room
				    : 0;
	fprintf(out, "%s %llu %llu %llu %llu", row->kernel,
		(unsigned long long)c->launches, (unsigned long long)c->groups,
		(unsigned long long)c->waves,
		(unsigned long long)all_instructions(c));
	for (int k = 0; k < CLASSES; k++)
		fprintf(out, " %llu", (unsigned long long)c->instructions[k]);
	fprintf(out, " %llu %.1f %llu %llu %llu %llu %llu\n",
		(unsigned long long)c->vector_lanes, use,
		(unsigned long long)c->load64, (unsigned long long)c->load128,
		(unsigned long long)c->store64, (unsigned long long)c->store128,
		(unsigned long long)c->bank_conflicts);
}

static void
write_table(void)
{
	FILE *out = fopen(table.path, "w");
	if (!out) {
		perror(table.path);
		return;
	}
	fprintf(out, "kernel launches groups waves instructions");
#define XX(name, text) fprintf(out, " " text);
	COUNT_CLASSES(XX)
#undef XX
	fprintf(out, " lanes lanes%% load64 load128 store64 store128 "
		     "conflicts\n");
	pthread_mutex_lock(&table.lock);
	for (struct line *row = table.rows; row; row = row->next)
		write_line(out, row);
	pthread_mutex_unlock(&table.lock);
	fclose(out);
}

static void
look_for_path(void)
{
	table.path = getenv("SMELT_SIM_COUNTS");
	if (table.path && *table.path)
		atexit(write_table);
	else
		table.path = NULL;
}

bool
counts_wanted(void)
{
	pthread_once(&counts_once, look_for_path);
	return table.path != NULL;
}

static struct line *
find_line(const char *kernel)
{
	struct line **at = &table.rows;
	for (; *at; at = &(*at)->next)
		if (strcmp((*at)->kernel, kernel) == 0)
			return *at;
	struct line *row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->kernel = strdup(kernel);
	if (!row->kernel) {
		free(row);
		return NULL;
	}
	*at = row;
	return row;
}

void
counts_add(const char *kernel, const struct counts *counts)
{
	const uint64_t *from = (const uint64_t *)(const void *)counts;
	pthread_mutex_lock(&table.lock);
	struct line *row = find_line(kernel);
	if (row) {
		uint64_t *to = (uint64_t *)(void *)&row->counts;
		for (size_t k = 0; k < sizeof(*counts) / sizeof(*to); k++)
			to[k] += from[k];
	}
	pthread_mutex_unlock(&table.lock);
}

enum count_class
counts_class(const struct inst *i)
{
	const char *name = i->op ? i->op->name : "";
	if (name[0] == 'v')
		return CLASS_VALU;
	if (i->exec == exec_ds || strncmp(name, "ds_", 3) == 0)
		return CLASS_LDS;
	if (i->exec == exec_flat || i->exec == exec_mubuf)
		return i->op->kind == MEMORY_LOAD    ? CLASS_LOAD
		       : i->op->kind == MEMORY_STORE ? CLASS_STORE
						     : CLASS_ATOMIC;
	if (i->exec == exec_scalar)
		return CLASS_SALU;
	if (i->op && i->op->kind == MEMORY_LOAD && i->op->bytes)
		return CLASS_SMEM;
	if (strncmp(name, "s_branch", 8) == 0 ||
	    strncmp(name, "s_cbranch", 9) == 0)
		return CLASS_BRANCH;
	return strcmp(name, "s_barrier") == 0 ? CLASS_BARRIER : CLASS_OTHER;
}

void
counts_instruction(struct counts *c, const struct wave *w, const struct inst *i)
{
	enum count_class class = (enum count_class)i->class;
	c->instructions[class]++;
	if (class != CLASS_VALU)
		return;
	c->vector_lanes += (uint64_t)__builtin_popcountll(wave_exec(w));
	c->vector_room += w->wave32 ? 32 : 64;
}

/* Number of different blocks of 1 << shift bytes. Lanes mostly go upwards, so
 * the last block is looked at first. */
static uint64_t
blocks(const uint64_t *addresses, uint64_t mask, uint32_t bytes, int shift)
{
	uint64_t seen[LANES * 2];
	size_t count = 0;
	for (; mask; mask &= mask - 1) {
		uint64_t address = addresses[__builtin_ctzll(mask)];
		uint64_t last = (address + bytes - 1) >> shift;
		for (uint64_t b = address >> shift; b <= last; b++) {
			size_t k = count;
			while (k && seen[k - 1] != b)
				k--;
			if (k == 0)
				seen[count++] = b;
		}
	}
	return count;
}

void
counts_transactions(struct counts *c, const uint64_t *addresses, uint64_t mask,
		    uint32_t bytes, bool store)
{
	*(store ? &c->store64 : &c->load64) +=
		blocks(addresses, mask, bytes, 6);
	*(store ? &c->store128 : &c->load128) +=
		blocks(addresses, mask, bytes, 7);
}

/* 32 banks of 4 bytes, 32 lanes a pass; lanes that want the same dword share.
 */
void
counts_banks(struct counts *c, const uint64_t *offsets, uint64_t mask,
	     uint32_t bytes)
{
	for (int half = 0; half < 64; half += 32) {
		uint64_t words[32];
		uint32_t load[32] = {0}, most = 0;
		size_t count = 0;
		for (uint32_t k = 0; k < (bytes + 3) / 4; k++) {
			for (int l = half; l < half + 32; l++) {
				if (!(mask >> l & 1) || count == 32)
					continue;
				uint64_t word = offsets[l] / 4 + k;
				size_t at = count;
				while (at && words[at - 1] != word)
					at--;
				if (at)
					continue;
				words[count++] = word;
				uint32_t n = ++load[word % 32];
				most = n > most ? n : most;
			}
			c->bank_conflicts += most > 1 ? most - 1 : 0;
			memset(load, 0, sizeof(load));
			most = 0;
			count = 0;
		}
	}
}
