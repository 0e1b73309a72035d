/*
 * Checks that hardware does not make, for SMELT_SIM_CHECK=races,init,bounds (or
 * all). A finding is a fault of the wave that made it. init is in undef.c; here
 * is what it needs to know of allocations.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "isa.h"

enum check {
	CHECK_RACES = 1 << 0,
	CHECK_INIT = 1 << 1,
	CHECK_BOUNDS = 1 << 2,
};

/* What is asked for; 0 mostly. */
unsigned
check_wanted(void);

/* What is known of one byte in use: its last writer and readers. */
struct cell {
	const struct inst *write; /* NULL: not written in this dispatch */
	const struct inst *read;
	uint32_t write_group, write_epoch;
	uint32_t read_group, read_epoch;
	uint16_t writer, reader; /* waves; CHECK_MANY */
	bool atomic;		 /* the write was */
};

enum { CHECK_MANY = 0xffff };

/* Shadow of one dispatch's global memory. NULL if there is no memory for it. */
struct shadow;
struct shadow *
shadow_create(void);
void
shadow_destroy(struct shadow *shadow);

/* Looks at an access before it is made; the wave may have stopped afterwards.
 */
void
check_access(struct wave *wave, const struct inst *inst,
	     const uint64_t *addresses, uint64_t mask);
/* Bits of bytes that are defined, for an allocation of this size, and then,
 * after check_bits() bytes, of those to which something was stored; NULL where
 * that is not asked for. */
size_t
check_bits(uint64_t size);
uint8_t *
check_allocated(uint64_t size);
/* The program has written there. */
void
check_written(const void *memory, uint64_t size);
/* A copy has: what was not written at its source is not here either. */
void
check_copied(const void *to, const void *from, uint64_t size);

#endif
