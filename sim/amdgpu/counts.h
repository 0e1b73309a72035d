/*
 * Counts of what kernels do, for SMELT_SIM_COUNTS=FILE: a table, written when
 * the program ends, with a row for each kernel.
 */
#ifndef SIM_COUNTS_H
#define SIM_COUNTS_H

#include "isa.h"

/* Classes of instructions; INST_CLASS_* in struct inst. */
#define COUNT_CLASSES(XX)                                                      \
	XX(SALU, "salu")                                                       \
	XX(SMEM, "smem")                                                       \
	XX(VALU, "valu")                                                       \
	XX(BRANCH, "branch")                                                   \
	XX(LDS, "lds")                                                         \
	XX(LOAD, "load")                                                       \
	XX(STORE, "store")                                                     \
	XX(ATOMIC, "atomic")                                                   \
	XX(BARRIER, "barrier")                                                 \
	XX(OTHER, "other") /* waits, nops, cache control */

enum count_class {
#define XX(name, text) CLASS_##name,
	COUNT_CLASSES(XX)
#undef XX
		CLASSES,
};

struct counts {
	uint64_t launches;
	uint64_t groups;
	uint64_t waves;
	uint64_t instructions[CLASSES];
	uint64_t vector_lanes; /* active lanes, summed over VALU instructions */
	uint64_t vector_room;  /* lanes that there were */
	uint64_t load64, load128; /* transactions after coalescing */
	uint64_t store64, store128;
	uint64_t bank_conflicts; /* LDS: passes beyond the first */
};

/* Whether the program asked for counts. */
bool
counts_wanted(void);
/* Adds to the kernel's row. Any thread. */
void
counts_add(const char *kernel, const struct counts *counts);
enum count_class
counts_class(const struct inst *inst);
/* One instruction that is about to run. */
void
counts_instruction(struct counts *counts, const struct wave *wave,
		   const struct inst *inst);
/* The addresses of a global access. */
void
counts_transactions(struct counts *counts, const uint64_t *addresses,
		    uint64_t mask, uint32_t bytes, bool store);
/* The offsets of an LDS access. */
void
counts_banks(struct counts *counts, const uint64_t *offsets, uint64_t mask,
	     uint32_t bytes);

#endif
