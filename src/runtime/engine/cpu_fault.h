/*
 * Telling of what is wrong with a watched launch: places of the source by
 * number, and words.
 */
#ifndef SMELT_ENGINE_CPU_FAULT_H
#define SMELT_ENGINE_CPU_FAULT_H

#include "cpu.h"

/* A thread, where it was, and what it did there. */
struct cpu_party {
	uint64_t block;
	uint32_t thread; /* linear in the block */
	uint32_t site;	 /* cpu_site_number() */
	const char *what;
};

/* The number of a site, the same for the life of the process, from any thread;
 * 0: no memory. */
uint32_t
cpu_site_number(struct smelt_cpu_site *site);

/* Fills in launch->fault. other is NULL if it is a read of unwritten memory;
 * memory says in words what they touch, "" for barriers. */
void
cpu_fault_tell(const struct engine_launch *launch, enum smelt_fault kind,
	       const struct cpu_party *here, const struct cpu_party *other,
	       const char *memory);

#endif
