/*
 * Uninitialised values, for SMELT_SIM_CHECK=init: for each bit of each register
 * and of private memory, where masks of lanes are spilled to, and each byte of
 * other memory, whether anything has defined it.
 *
 * Compilers read registers that nothing has written, on purpose: to keep a half
 * of one, to save it, as an operand that does not matter, as the payload of an
 * enum's variant that has none. So neither a read nor a store is a mistake in
 * itself. The bits travel with the values, and a finding is made where an
 * undefined one decides something: which way a branch goes, which lanes run,
 * what an address is, what an atomic does. Only what is loaded from LDS or
 * device memory to which nothing was ever stored may not be stored elsewhere
 * either.
 */
#ifndef SIM_UNDEF_H
#define SIM_UNDEF_H

#include "isa.h"

struct undef {
	/* Its registers and SCC: a bit that is set is undefined. EXEC's never
	 * are. */
	struct wave wave;
	/* The instruction that first read each register's undefined value;
	 * NULL: none did. Right for the last one written; for messages only. */
	const struct inst *vector[VGPRS + SPARE_ROWS];
	const struct inst *scalar[SGPRS];
	/* What is undefined in it came unchanged from LDS or device memory to
	 * which nothing was ever stored. */
	bool unwritten[VGPRS + SPARE_ROWS];
	const struct inst *scc;
	uint8_t *private; /* bits of the wave's private memory */
	vgpr_row rows[VGPRS + SPARE_ROWS];
};

enum flow {
	FLOW_ALL,    /* any undefined bit leaves all of the result so */
	FLOW_BITS,   /* each bit of the result has its own of the operands */
	FLOW_UPWARD, /* carries */
	FLOW_MOVE,   /* src0 comes unchanged, from whatever lane */
	FLOW_HALVES, /* the low half is of src0, the high one of src1 */
};

/* How undefined bits go through instructions of a name. */
struct rule {
	const char *name; /* ends in '*': all that begin so */
	enum flow flow;
	/* FLOW_BITS: bits of each operand that govern all of the result.
	 * FLOW_ALL: those that are looked at, 0 for all. */
	uint32_t bits[3];
	void (*step)(struct wave *, const struct inst *);
};

/* NULL: as FLOW_ALL. */
const struct rule *
undef_rule(const struct op *op);

/* A wave that begins: v0 and so many scalar registers are set up. */
void
undef_start(struct wave *wave, struct undef *undef, unsigned sgprs);
/* Before an instruction runs: what it leaves undefined. The wave may have
 * stopped afterwards. */
void
undef_step(struct wave *wave, const struct inst *inst);
/* The same for a memory instruction's data, once its addresses are known. */
void
undef_access(struct wave *wave, const struct inst *inst,
	     const uint64_t *addresses, uint64_t mask);
/* Buffer loads out of range give 0. */
void
undef_zero(struct wave *wave, unsigned reg, unsigned count, int lane);

/* ---- undef.c ---- */

/* Tells that a value which is used as this is undefined. origin: the
 * instruction that read it first, or NULL. */
void
undef_report(struct wave *wave, const struct inst *origin, const char *format,
	     ...) __attribute__((format(printf, 3, 4)));

/* ---- undef_rules.c ---- */

enum flow
undef_flow(const struct inst *inst);
/* Whether bits are undefined that govern all of the result. */
bool
undef_governed(const struct inst *inst, uint64_t a, uint64_t b, uint64_t c);
/* Ones from the lowest bit that is set on. */
uint64_t
undef_upward(uint64_t bits);
bool
undef_row(const uint32_t *row);
/* Where the instruction's undefined operand comes from. */
const struct inst *
undef_origin(const struct wave *wave, const struct inst *inst);
/* EXEC is always defined: that it is not now is told. */
void
undef_exec(struct wave *wave, const struct inst *origin);
/* Of a scalar operand. */
uint64_t
undef_bits(const struct wave *wave, const struct operand *operand);

/* ---- steps: an instruction's undefined bits, before it runs ---- */

typedef void
undef_fn(struct wave *wave, const struct inst *inst);
undef_fn undef_scalar, undef_vector, undef_compare, undef_dual, undef_smem,
	undef_addresses, undef_on_scc, undef_on_vcc, undef_needs_operand,
	undef_set_index, undef_by_index, undef_run_on_bits, undef_is_clock,
	undef_write_lane, undef_exchange;

#endif
