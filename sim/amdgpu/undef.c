/*
 * Uninitialised values: what a wave begins with, memory, addresses, branches,
 * and what is told of a finding. Arithmetic is in undef_alu.c.
 */
#include "undef.h"

#include "check.h"
#include "dispatch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
undef_start(struct wave *w, struct undef *u, unsigned sgprs)
{
	struct wave *s = &u->wave;
	w->undef = u;
	*s = *w;
	s->undef = NULL;
	s->v = u->rows;
	s->mode = 0xf0; /* nothing is rounded or flushed */
	s->scc = true;
	memset(u->rows, 0xff, sizeof(u->rows));
	memset(u->rows[0], 0, sizeof(u->rows[0]));
	memset(s->s, 0xff, sizeof(s->s));
	memset(s->s, 0, sgprs * sizeof(s->s[0]));
	/* What the hardware sets up by itself. */
	memset(&s->s[SGPR_FLAT_SCRATCH], 0, 4 * sizeof(s->s[0]));
	memset(&s->s[SGPR_TTMP], 0, 16 * sizeof(s->s[0]));
	memset(&s->s[SGPR_NULL], 0, 3 * sizeof(s->s[0]));
	memset(u->vector, 0, sizeof(u->vector));
	memset(u->scalar, 0, sizeof(u->scalar));
	memset(u->unwritten, 0, sizeof(u->unwritten));
	u->scc = NULL;
	u->private = NULL;
	if (w->group->dispatch->undefined) {
		u->private = w->group->dispatch->undefined +
			     (w->scratch - w->group->dispatch->scratch);
		memset(u->private, 0xff, w->scratch_size);
	}
}

void
undef_report(struct wave *w, const struct inst *origin, const char *format, ...)
{
	char what[80], from[280] = "";
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (origin && origin != w->current) {
		char line[160] = "no line", name[64];
		code_line(w->code,
			  w->code->text +
				  (uint64_t)(origin - w->code->insts) * 4,
			  line, sizeof(line));
		snprintf(from, sizeof(from), ", read first at %s (%s)", line,
			 inst_name(origin, name, sizeof(name)));
	}
	wave_fault(w, HSA_STATUS_ERROR_EXCEPTION, "%s is uninitialised%s", what,
		   from);
}

/* ---- memory ---- */

enum place { PLACE_LDS, PLACE_PRIVATE, PLACE_GLOBAL };

/* As memory.c decides it. *at: the offset, or the address. */
static enum place
place_of(const struct wave *w, const struct inst *i, uint64_t address, int lane,
	 uint64_t *at)
{
	uint64_t aperture = address >> 48;
	*at = address;
	if (i->op->exec == exec_ds)
		return PLACE_LDS;
	if (aperture == SHARED_APERTURE >> 48 && i->segment == SEGMENT_FLAT) {
		*at = address & UINT32_MAX;
		return PLACE_LDS;
	}
	if (aperture == PRIVATE_APERTURE >> 48) {
		*at = memory_private(w, address, lane);
		return PLACE_PRIVATE;
	}
	if (address - w->scratch < w->scratch_size) {
		*at = address - w->scratch;
		return PLACE_PRIVATE;
	}
	return PLACE_GLOBAL;
}

/* The byte that holds the byte's bit, which is set where that is defined; so
 * many bytes on is one that is set where something was stored. NULL: all are,
 * or the access will fault. Not for private memory. */
static uint8_t *
find_bit(struct wave *w, enum place place, uint64_t at, uint8_t *bit,
	 size_t *stored)
{
	if (place == PLACE_LDS) {
		*bit = (uint8_t)(1u << at % 8);
		*stored = check_bits(SIM_LDS_SIZE);
		return at < SIM_LDS_SIZE ? &w->group->lds_defined[at / 8]
					 : NULL;
	}
	const struct range *range = memory_range(w->worker, at, 1);
	if (!range || !range->written || at - range->base >= range->size)
		return NULL;
	at -= range->base;
	*bit = (uint8_t)(1u << at % 8);
	*stored = check_bits(range->size);
	return &range->written[at / 8];
}

/* A byte is stored of which these bits are undefined. */
static void
put_byte(struct wave *w, const struct inst *i, uint64_t address, int lane,
	 uint8_t undefined)
{
	uint64_t at;
	size_t stored;
	uint8_t bit, *byte;
	enum place place = place_of(w, i, address, lane, &at);
	if (place == PLACE_PRIVATE) {
		if (at < w->scratch_size)
			w->undef->private[at] = undefined;
		return;
	}
	byte = find_bit(w, place, at, &bit, &stored);
	if (!byte)
		return;
	if (!undefined)
		__atomic_fetch_or(byte, bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(byte, (uint8_t)~bit, __ATOMIC_RELAXED);
	__atomic_fetch_or(byte + stored, bit, __ATOMIC_RELAXED);
}

/* The bits of a byte that are undefined. *unwritten is set where nothing was
 * stored to it, and it is not private. */
static uint8_t
get_byte(struct wave *w, const struct inst *i, uint64_t address, int lane,
	 bool *unwritten)
{
	uint64_t at;
	size_t stored;
	uint8_t bit, *byte;
	enum place place = place_of(w, i, address, lane, &at);
	if (place == PLACE_PRIVATE)
		return at < w->scratch_size ? w->undef->private[at] : 0;
	byte = find_bit(w, place, at, &bit, &stored);
	if (!byte || __atomic_load_n(byte, __ATOMIC_RELAXED) & bit)
		return 0;
	if (!(__atomic_load_n(byte + stored, __ATOMIC_RELAXED) & bit))
		*unwritten = true;
	return 0xff;
}

/* Ones in data for what is not defined; false if all is. */
static bool
undefined_bytes(struct wave *w, const struct inst *i, uint64_t address,
		int lane, uint32_t bytes, uint8_t *data, bool *unwritten)
{
	uint8_t any = 0;
	*unwritten = false;
	for (uint32_t k = 0; k < bytes; k++)
		any |= data[k] = get_byte(w, i, address + k, lane, unwritten);
	return any;
}

static void
set_origin(struct undef *u, unsigned reg, uint32_t bytes,
	   const struct inst *origin, bool unwritten)
{
	for (uint32_t k = 0; k < (bytes + 3) / 4; k++) {
		u->vector[reg + k] = origin;
		u->unwritten[reg + k] = unwritten;
	}
}

static void
load_lane(struct wave *w, const struct inst *i, uint64_t address, int lane)
{
	uint8_t data[16];
	bool unwritten;
	if (undefined_bytes(w, i, address, lane, i->op->bytes, data,
			    &unwritten))
		set_origin(w->undef, i->dst.reg, i->op->bytes, w->current,
			   unwritten);
	memory_put_lane(&w->undef->wave, i, lane, data);
}

static void
store_lane(struct wave *w, const struct inst *i, uint64_t address, int lane)
{
	uint8_t data[16];
	uint64_t at;
	unsigned reg = i->src[1].reg;
	bool all = true, unwritten = false;
	memory_get_lane(&w->undef->wave, i, lane, data);
	for (uint32_t k = 0; k < i->op->bytes; k++) {
		put_byte(w, i, address + k, lane, data[k]);
		all &= data[k] == 0xff;
	}
	for (uint32_t k = 0; all && k < (i->op->bytes + 3u) / 4; k++)
		unwritten |= w->undef->unwritten[reg + k];
	if (unwritten && place_of(w, i, address, lane, &at) == PLACE_GLOBAL)
		undef_report(w, w->undef->vector[reg],
			     "what is stored (v%u of lane %d)", reg, lane);
}

/* Any bit of an atomic's operands or of what is there decides what it leaves;
 * an exchange only passes the old value on. */
static void
atomic_lane(struct wave *w, const struct inst *i, uint64_t address, int lane)
{
	struct undef *u = w->undef;
	uint64_t data, compare;
	uint8_t old[16];
	memory_atomic_operands(&u->wave, i, lane, &data, &compare);
	if (data | compare) {
		undef_report(w, u->vector[i->src[1].reg],
			     "an atomic's operand (v%u of lane %d)",
			     i->src[1].reg, lane);
		return;
	}
	bool unwritten, any = undefined_bytes(w, i, address, lane, i->op->bytes,
					      old, &unwritten);
	if (any && i->op->atomic != ATOMIC_SWAP) {
		undef_report(w, NULL, "the memory of an atomic (lane %d)",
			     lane);
		return;
	}
	for (uint32_t k = 0; k < i->op->bytes; k++)
		put_byte(w, i, address + k, lane, 0);
	if (!(i->flags & INST_GLC) && !(i->op->flags & OP_RTN))
		return;
	memory_put_lane(&u->wave, i, lane, old);
	if (any)
		set_origin(u, i->dst.reg, i->op->bytes, w->current, unwritten);
}

void
undef_access(struct wave *w, const struct inst *i, const uint64_t *addresses,
	     uint64_t mask)
{
	for (; mask && !w->stop; mask &= mask - 1) {
		int lane = __builtin_ctzll(mask);
		if (i->op->kind == MEMORY_LOAD)
			load_lane(w, i, addresses[lane], lane);
		else if (i->op->kind == MEMORY_STORE)
			store_lane(w, i, addresses[lane], lane);
		else
			atomic_lane(w, i, addresses[lane], lane);
	}
}

void
undef_zero(struct wave *w, unsigned reg, unsigned count, int lane)
{
	for (unsigned k = 0; w->undef && k < count; k++)
		w->undef->rows[reg + k][lane] = 0;
}

/* ---- addresses ---- */

static void
scalar_address(struct wave *w, unsigned reg, unsigned count)
{
	for (unsigned k = reg; k < reg + count && k < SGPRS && !w->stop; k++)
		if (w->undef->wave.s[k])
			undef_report(w, w->undef->scalar[k],
				     "the address (s%u)", k);
}

static void
vector_address(struct wave *w, unsigned reg, unsigned count)
{
	uint64_t exec = wave_exec(w);
	for (unsigned k = reg; k < reg + count; k++)
		for (uint64_t m = exec; m && !w->stop; m &= m - 1) {
			int lane = __builtin_ctzll(m);
			if (w->undef->rows[k][lane])
				undef_report(w, w->undef->vector[k],
					     "the address (v%u of lane %d)", k,
					     lane);
		}
}

static void
flat_address(struct wave *w, const struct inst *i)
{
	bool scratch = i->segment == SEGMENT_SCRATCH;
	bool base = i->flags & INST_SADDR;
	if (base)
		scalar_address(w, i->sdst, scratch ? 1 : 2);
	if (!(i->flags & INST_NO_VADDR))
		vector_address(w, i->src[0].reg, base || scratch ? 1 : 2);
}

static void
buffer_address(struct wave *w, const struct inst *i)
{
	bool index = i->flags & INST_IDXEN, offset = i->flags & INST_OFFEN;
	scalar_address(w, i->sdst, 4);
	if (i->src[2].kind == OPERAND_SGPR)
		scalar_address(w, i->src[2].reg, 1);
	vector_address(w, i->src[0].reg, (unsigned)index + (unsigned)offset);
}

void
undef_addresses(struct wave *w, const struct inst *i)
{
	if (wave_exec(w) == 0)
		return;
	if (i->exec == exec_mubuf)
		buffer_address(w, i);
	else if (i->exec == exec_flat)
		flat_address(w, i);
	else
		vector_address(w, i->src[0].reg, 1);
}

/* Scalar loads run whatever EXEC is. */
void
undef_smem(struct wave *w, const struct inst *i)
{
	struct wave *s = &w->undef->wave;
	bool buffer = strncmp(i->op->name, "s_buffer", 8) == 0;
	unsigned base = i->src[0].reg;
	scalar_address(w, base, buffer ? 3 : 2);
	if (i->flags & INST_SOFFSET && i->src[1].kind == OPERAND_SGPR)
		scalar_address(w, i->src[1].reg, 1);
	if (w->stop)
		return;
	uint64_t address = (uint64_t)w->s[base + 1] << 32 | w->s[base];
	if (buffer)
		address &= ((uint64_t)1 << 48) - 1;
	address = (address + smem_offset(w, i)) & ~(uint64_t)3;
	for (unsigned k = 0; k < i->op->bytes / 4u; k++) {
		uint8_t data[4];
		bool unwritten;
		unsigned reg = i->dst.reg + k;
		if (reg >= SGPRS || reg == SGPR_NULL)
			continue;
		if (undefined_bytes(w, i, address + k * 4, 0, 4, data,
				    &unwritten))
			w->undef->scalar[reg] = w->current;
		memcpy(&s->s[reg], data, 4);
	}
}
