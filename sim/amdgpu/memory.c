/*
 * Accesses to memory by waves: global memory, LDS, and private (scratch)
 * memory, which of them is told by the address (flat addressing, section 10.1).
 *
 * Private memory is interleaved: dword k of lane l lies at 4 * (k * lanes + l)
 * in the wave's scratch, so that both ways to it, flat and swizzled buffer,
 * meet.
 */
#include "check.h"
#include "counts.h"

#include "rows.h"
#include "undef.h"

#include <string.h>

/* From the worker's copies, or the space. */
const struct range *
memory_range(struct worker *worker, uint64_t address, uint32_t bytes)
{
	uint64_t generation = atomic_load(&space_generation);
	if (worker->generation != generation) {
		memset(worker->cache, 0, sizeof(worker->cache));
		worker->generation = generation;
	}
	for (int k = 0; k < RANGE_CACHE; k++) {
		const struct range *range = &worker->cache[k];
		if (address - range->base < range->mapped &&
		    bytes <= range->mapped - (address - range->base))
			return range;
	}
	struct range found;
	if (!space_find(address, &found) ||
	    bytes > found.mapped - (address - found.base))
		return NULL;
	struct range *slot = &worker->cache[worker->next++ % RANGE_CACHE];
	*slot = found;
	return slot;
}

uint8_t *
memory_at(struct wave *w, uint64_t address, uint32_t bytes, bool store)
{
	const struct range *range = memory_range(w->worker, address, bytes);
	if (range && range->agents >> w->code->agent & 1 &&
	    !(store && range->read_only))
		return (uint8_t *)(uintptr_t)address;
	wave_memory_fault(w, address, bytes, store);
	return NULL;
}

/* LDS is given out in units of 512 bytes; what lies beyond is a mistake, which
 * hardware does not tell (loads give 0 there). */
static uint8_t *
lds_at(struct wave *w, uint64_t offset, uint32_t bytes)
{
	uint64_t size = (w->group->lds_size + 511u) & ~(uint64_t)511;
	if (offset + bytes <= size)
		return w->group->lds + offset;
	wave_fault(w, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
		   "%s of %u bytes at LDS offset 0x%llx of %u",
		   w->current->op->name, bytes, (unsigned long long)offset,
		   w->group->lds_size);
	return NULL;
}

uint64_t
memory_private(const struct wave *w, uint64_t address, int lane)
{
	uint64_t offset = address & UINT32_MAX;
	uint64_t lanes = w->wave32 ? 32 : 64;
	return (offset / 4 * lanes + (uint64_t)lane) * 4 + offset % 4;
}

static uint8_t *
private_at(struct wave *w, uint64_t address, int lane)
{
	uint64_t offset = address & UINT32_MAX;
	uint64_t lanes = w->wave32 ? 32 : 64;
	uint64_t at = memory_private(w, address, lane);
	if (at < w->scratch_size)
		return (uint8_t *)(uintptr_t)(w->scratch + at);
	wave_fault(w, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
		   "%s at private offset 0x%llx of %llu bytes",
		   w->current->op->name, (unsigned long long)offset,
		   (unsigned long long)(w->scratch_size / (lanes * 4) * 4));
	return NULL;
}

/* Where the bytes are, if they lie together. *piecewise: private memory, to be
 * gone through byte by byte. */
static uint8_t *
locate(struct wave *w, const struct inst *i, uint64_t address, int lane,
       uint32_t bytes, bool store, bool *piecewise)
{
	*piecewise = false;
	if (i->op->exec == exec_ds)
		return lds_at(w, address, bytes);
	if (address >> 48 == SHARED_APERTURE >> 48 &&
	    i->segment == SEGMENT_FLAT)
		return lds_at(w, address & UINT32_MAX, bytes);
	if (address >> 48 == PRIVATE_APERTURE >> 48 &&
	    (i->segment != SEGMENT_GLOBAL || i->exec == exec_mubuf)) {
		*piecewise = bytes > 4 || address % 4;
		return private_at(w, address, lane);
	}
	return memory_at(w, address, bytes, store);
}

static void
copy_private(struct wave *w, uint64_t address, int lane, uint8_t *data,
	     uint32_t bytes, bool store)
{
	for (uint32_t k = 0; k < bytes && !w->stop; k++) {
		uint8_t *at = private_at(w, address + k, lane);
		if (!at)
			return;
		if (store)
			*at = data[k];
		else
			data[k] = *at;
	}
}

/* Memory is shared with other threads and the host, whose programs may race on
 * it: each aligned word is one relaxed atomic access, as it is on the device.
 */
void
memory_read(void *to, const uint8_t *at, uint32_t bytes)
{
	uint8_t *out = to;
	while (bytes) {
		uintptr_t low = (uintptr_t)at;
		uint32_t step = 1;
		if (bytes >= 8 && low % 8 == 0) {
			uint64_t v = __atomic_load_n((const uint64_t *)at,
						     __ATOMIC_RELAXED);
			memcpy(out, &v, step = 8);
		} else if (bytes >= 4 && low % 4 == 0) {
			uint32_t v = __atomic_load_n((const uint32_t *)at,
						     __ATOMIC_RELAXED);
			memcpy(out, &v, step = 4);
		} else if (bytes >= 2 && low % 2 == 0) {
			uint16_t v = __atomic_load_n((const uint16_t *)at,
						     __ATOMIC_RELAXED);
			memcpy(out, &v, step = 2);
		} else {
			*out = __atomic_load_n(at, __ATOMIC_RELAXED);
		}
		at += step;
		out += step;
		bytes -= step;
	}
}

static void
write_memory(uint8_t *at, const void *from, uint32_t bytes)
{
	const uint8_t *in = from;
	while (bytes) {
		uintptr_t low = (uintptr_t)at;
		uint32_t step = 1;
		if (bytes >= 8 && low % 8 == 0) {
			uint64_t v;
			memcpy(&v, in, step = 8);
			__atomic_store_n((uint64_t *)at, v, __ATOMIC_RELAXED);
		} else if (bytes >= 4 && low % 4 == 0) {
			uint32_t v;
			memcpy(&v, in, step = 4);
			__atomic_store_n((uint32_t *)at, v, __ATOMIC_RELAXED);
		} else if (bytes >= 2 && low % 2 == 0) {
			uint16_t v;
			memcpy(&v, in, step = 2);
			__atomic_store_n((uint16_t *)at, v, __ATOMIC_RELAXED);
		} else {
			__atomic_store_n(at, *in, __ATOMIC_RELAXED);
		}
		at += step;
		in += step;
		bytes -= step;
	}
}

/* ---- loads ---- */

static uint32_t
extend(uint32_t value, uint32_t bytes, bool sign)
{
	if (bytes == 1)
		return sign ? (uint32_t)(int8_t)value : value & 0xff;
	return sign ? (uint32_t)(int16_t)value : value & 0xffff;
}

void
memory_put_lane(struct wave *w, const struct inst *i, int lane,
		const uint8_t *data)
{
	uint32_t bytes = i->op->bytes;
	uint32_t words[4] = {0};
	vgpr_row *v = &w->v[i->dst.reg];
	memcpy(words, data, bytes);
	if (bytes < 4) {
		uint32_t value = extend(words[0], bytes, i->op->sign);
		uint32_t old = v[0][lane];
		if (i->op->flags & OP_HIGH_D16)
			value = (old & 0xffff) | value << 16;
		else if (i->op->flags & OP_KEEP_HIGH)
			value = (old & 0xffff0000) | (value & 0xffff);
		v[0][lane] = value;
		return;
	}
	for (uint32_t k = 0; k < bytes / 4; k++)
		v[k][lane] = words[k];
}

static void
load(struct wave *w, const struct inst *i, const uint64_t *addresses,
     uint64_t mask)
{
	uint32_t bytes = i->op->bytes;
	for (; mask && !w->stop; mask &= mask - 1) {
		int lane = __builtin_ctzll(mask);
		uint8_t data[16];
		bool piecewise;
		uint8_t *at = locate(w, i, addresses[lane], lane, bytes, false,
				     &piecewise);
		if (!at)
			return;
		if (piecewise)
			copy_private(w, addresses[lane], lane, data, bytes,
				     false);
		else
			memory_read(data, at, bytes);
		memory_put_lane(w, i, lane, data);
	}
}

/* The common case, a dword from global memory, in one range. */
static bool
load_dwords(struct wave *w, const struct inst *i, const uint64_t *addresses,
	    uint64_t mask)
{
	uint32_t bytes = i->op->bytes, words = bytes / 4;
	if (i->op->exec == exec_ds || bytes < 4 || !mask)
		return false;
	int first = __builtin_ctzll(mask);
	uint64_t address = addresses[first];
	if (i->segment == SEGMENT_FLAT && address >> 48)
		return false;
	const struct range *range = memory_range(w->worker, address, bytes);
	if (!range || !(range->agents >> w->code->agent & 1))
		return false;
	uint64_t base = range->base, last = range->mapped - bytes;
	for (uint64_t m = mask; m; m &= m - 1)
		if (addresses[__builtin_ctzll(m)] - base > last)
			return false;
	vgpr_row *v = &w->v[i->dst.reg];
	for (uint64_t m = mask; m; m &= m - 1) {
		int lane = __builtin_ctzll(m);
		uint32_t data[4];
		memory_read(data, (uint8_t *)(uintptr_t)addresses[lane], bytes);
		for (uint32_t k = 0; k < words; k++)
			v[k][lane] = data[k];
	}
	return true;
}

/* ---- stores ---- */

void
memory_get_lane(const struct wave *w, const struct inst *i, int lane,
		uint8_t *data)
{
	uint32_t bytes = i->op->bytes;
	uint32_t words[4];
	vgpr_row *v = &w->v[i->src[1].reg];
	for (uint32_t k = 0; k < (bytes + 3) / 4; k++)
		words[k] = v[k][lane];
	if (i->op->flags & OP_HIGH_D16)
		words[0] >>= 16;
	memcpy(data, words, bytes);
}

static void
store(struct wave *w, const struct inst *i, const uint64_t *addresses,
      uint64_t mask)
{
	uint32_t bytes = i->op->bytes;
	for (; mask && !w->stop; mask &= mask - 1) {
		int lane = __builtin_ctzll(mask);
		uint8_t data[16];
		bool piecewise;
		uint8_t *at = locate(w, i, addresses[lane], lane, bytes, true,
				     &piecewise);
		if (!at)
			return;
		memory_get_lane(w, i, lane, data);
		if (piecewise)
			copy_private(w, addresses[lane], lane, data, bytes,
				     true);
		else
			write_memory(at, data, bytes);
	}
}

/* ---- atomics ---- */

static uint32_t
combine_f32(enum atomic_op op, uint32_t old, uint32_t data)
{
	float a = as_float(old), b = as_float(data);
	return float_bits(op == ATOMIC_FADD   ? a + b
			  : op == ATOMIC_FMIN ? min_f32(a, b, true)
					      : max_f32(a, b, true));
}

static uint64_t
combine_f64(enum atomic_op op, uint64_t old, uint64_t data)
{
	double a = as_double(old), b = as_double(data);
	return double_bits(op == ATOMIC_FADD   ? a + b
			   : op == ATOMIC_FMIN ? min_f64(a, b, true)
					       : max_f64(a, b, true));
}

static uint32_t
add_halves(uint32_t old, uint32_t data)
{
	uint32_t low = float_to_half(from_half(old) + from_half(data));
	uint32_t high =
		float_to_half(from_half(old >> 16) + from_half(data >> 16));
	return low | high << 16;
}

static uint32_t
round_bf16(float value)
{
	uint32_t bits = float_bits(value);
	if (value != value)
		return bits >> 16 | 0x40;
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t
add_bf16(uint32_t old, uint32_t data)
{
	uint32_t low = round_bf16(as_float(old << 16) + as_float(data << 16));
	uint32_t high = round_bf16(as_float(old & 0xffff0000) +
				   as_float(data & 0xffff0000));
	return low | high << 16;
}

/* Values of 32 bits come zero-extended. */
static uint64_t
combine(enum atomic_op op, uint64_t old, uint64_t data, bool wide)
{
	int64_t sold = wide ? (int64_t)old : (int32_t)old;
	int64_t sdata = wide ? (int64_t)data : (int32_t)data;
	switch (op) {
	case ATOMIC_SWAP:
		return data;
	case ATOMIC_ADD:
		return old + data;
	case ATOMIC_SUB:
		return old - data;
	case ATOMIC_RSUB:
		return data - old;
	case ATOMIC_CSUB:
		return old < data ? 0 : old - data;
	case ATOMIC_SMIN:
		return sold < sdata ? old : data;
	case ATOMIC_UMIN:
		return old < data ? old : data;
	case ATOMIC_SMAX:
		return sold > sdata ? old : data;
	case ATOMIC_UMAX:
		return old > data ? old : data;
	case ATOMIC_AND:
		return old & data;
	case ATOMIC_OR:
		return old | data;
	case ATOMIC_XOR:
		return old ^ data;
	case ATOMIC_INC: /* wraps to 0 beyond data */
		return old >= data ? 0 : old + 1;
	case ATOMIC_DEC: /* wraps to data below 0 and from beyond it */
		return old == 0 || old > data ? data : old - 1;
	case ATOMIC_FADD:
	case ATOMIC_FMIN:
	case ATOMIC_FMAX:
		return wide ? combine_f64(op, old, data)
			    : combine_f32(op, (uint32_t)old, (uint32_t)data);
	case ATOMIC_PK_ADD_F16:
		return add_halves((uint32_t)old, (uint32_t)data);
	case ATOMIC_PK_ADD_BF16:
		return add_bf16((uint32_t)old, (uint32_t)data);
	default:
		return old;
	}
}

/* Other workers, the host and other devices work on the same memory: every
 * operation is an atomic of this machine. Gives the old value. */
static uint64_t
atomic32(uint8_t *at, const struct op *op, uint32_t data, uint32_t compare)
{
	uint32_t *p = (uint32_t *)at;
	uint32_t old = __atomic_load_n(p, __ATOMIC_SEQ_CST), now;
	if (op->atomic == ATOMIC_CMPSWAP) {
		old = compare;
		__atomic_compare_exchange_n(p, &old, data, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return old;
	}
	do
		now = (uint32_t)combine((enum atomic_op)op->atomic, old, data,
					false);
	while (!__atomic_compare_exchange_n(
		p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return old;
}

static uint64_t
atomic64(uint8_t *at, const struct op *op, uint64_t data, uint64_t compare)
{
	uint64_t *p = (uint64_t *)at;
	uint64_t old = __atomic_load_n(p, __ATOMIC_SEQ_CST), now;
	if (op->atomic == ATOMIC_CMPSWAP) {
		old = compare;
		__atomic_compare_exchange_n(p, &old, data, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return old;
	}
	do
		now = combine((enum atomic_op)op->atomic, old, data, true);
	while (!__atomic_compare_exchange_n(
		p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return old;
}

static uint64_t
lane_value(const struct wave *w, unsigned reg, int lane, bool wide)
{
	uint64_t value = w->v[reg][lane];
	return wide ? value | (uint64_t)w->v[reg + 1][lane] << 32 : value;
}

/* Compare-and-swap takes two values: vector memory has the new one first and
 * both in one group of registers; DS has two operands, the expected value first
 * (gfx11: the new one first). */
void
memory_atomic_operands(const struct wave *w, const struct inst *i, int lane,
		       uint64_t *data, uint64_t *compare)
{
	bool wide = i->op->bytes == 8;
	bool ds = i->op->exec == exec_ds;
	unsigned first = i->src[1].reg;
	unsigned second = ds ? i->src[2].reg : first + (wide ? 2u : 1u);
	*data = lane_value(w, first, lane, wide);
	*compare = 0;
	if (i->op->atomic != ATOMIC_CMPSWAP)
		return;
	*compare = lane_value(w, second, lane, wide);
	if (ds && w->code->arch->generation != GEN_GFX11) {
		uint64_t swap = *data;
		*data = *compare;
		*compare = swap;
	}
}

static void
atomic(struct wave *w, const struct inst *i, const uint64_t *addresses,
       uint64_t mask)
{
	bool wide = i->op->bytes == 8;
	bool result = i->flags & INST_GLC || i->op->flags & OP_RTN;
	for (; mask && !w->stop; mask &= mask - 1) {
		int lane = __builtin_ctzll(mask);
		bool piecewise;
		uint64_t data, compare;
		if (addresses[lane] % i->op->bytes) {
			wave_fault(
				w, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
				"%s at misaligned address 0x%llx", i->op->name,
				(unsigned long long)addresses[lane]);
			return;
		}
		uint8_t *at = locate(w, i, addresses[lane], lane, i->op->bytes,
				     true, &piecewise);
		if (!at)
			return;
		if (piecewise) {
			wave_fault(w,
				   HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
				   "%s on private memory", i->op->name);
			return;
		}
		memory_atomic_operands(w, i, lane, &data, &compare);
		uint64_t old = wide ? atomic64(at, i->op, data, compare)
				    : atomic32(at, i->op, (uint32_t)data,
					       (uint32_t)compare);
		if (!result)
			continue;
		w->v[i->dst.reg][lane] = (uint32_t)old;
		if (wide)
			w->v[i->dst.reg + 1][lane] = (uint32_t)(old >> 32);
	}
}

static bool
is_private(const struct wave *w, uint64_t address)
{
	return address >> 48 || address - w->scratch < w->scratch_size;
}

/* Private memory counts for nothing here: it is the registers' overflow. */
static void
count(struct wave *w, const struct inst *i, const uint64_t *addresses,
      uint64_t mask)
{
	bool stores = i->op->kind != MEMORY_LOAD;
	if (i->op->exec == exec_ds)
		counts_banks(w->worker->counts, addresses, mask, i->op->bytes);
	else if (mask && !is_private(w, addresses[__builtin_ctzll(mask)]))
		counts_transactions(w->worker->counts, addresses, mask,
				    i->op->bytes, stores);
}

void
memory_access(struct wave *w, const struct inst *i, const uint64_t *addresses,
	      uint64_t mask)
{
	if (w->worker->counts)
		count(w, i, addresses, mask);
	if (w->group->cells) {
		check_access(w, i, addresses, mask);
		if (w->undef)
			undef_access(w, i, addresses, mask);
		if (w->stop)
			return;
	}
	switch (i->op->kind) {
	case MEMORY_LOAD:
		if (!load_dwords(w, i, addresses, mask))
			load(w, i, addresses, mask);
		break;
	case MEMORY_STORE:
		store(w, i, addresses, mask);
		break;
	default:
		atomic(w, i, addresses, mask);
	}
}
