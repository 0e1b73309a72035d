/*
 * SMEM: scalar loads through the constant cache (section 8), and the clocks.
 */
#include "isa.h"

#include <string.h>

uint64_t
smem_offset(const struct wave *w, const struct inst *i)
{
	uint64_t offset = (uint64_t)i->offset;
	if (i->flags & INST_SOFFSET)
		offset += (uint32_t)operand_scalar(w, &i->src[1]);
	return offset;
}

/* Registers beyond the file's end are not written. */
static void
load_words(struct wave *w, const struct inst *i, const uint8_t *from)
{
	uint32_t words[16];
	memory_read(words, from, i->op->bytes);
	for (unsigned k = 0; k < i->op->bytes / 4u; k++)
		if (i->dst.reg + k < SGPRS && i->dst.reg + k != SGPR_NULL)
			w->s[i->dst.reg + k] = words[k];
}

void
exec_smem(struct wave *w, const struct inst *i)
{
	unsigned base = i->src[0].reg;
	uint64_t address = (uint64_t)w->s[base + 1] << 32 | w->s[base];
	address = (address + smem_offset(w, i)) & ~(uint64_t)3;
	const uint8_t *from = memory_at(w, address, i->op->bytes, false);
	if (from)
		load_words(w, i, from);
}

/* Words beyond the buffer read as 0. */
static void
exec_buffer_load(struct wave *w, const struct inst *i)
{
	const uint32_t *s = &w->s[i->src[0].reg];
	uint64_t base = (uint64_t)(s[1] & 0xffff) << 32 | s[0];
	uint64_t stride = s[1] >> 16 & 0x3fff;
	uint64_t size = stride ? stride * s[2] : s[2];
	uint64_t offset = smem_offset(w, i) & ~(uint64_t)3;
	uint8_t words[64] = {0};
	for (uint32_t k = 0; k < i->op->bytes; k += 4) {
		if (offset + k + 4 > size)
			break;
		const uint8_t *from = memory_at(w, base + offset + k, 4, false);
		if (!from)
			return;
		memory_read(words + k, from, 4);
	}
	load_words(w, i, words);
}

static void
put_time(struct wave *w, const struct inst *i, uint64_t ticks)
{
	w->s[i->dst.reg] = (uint32_t)ticks;
	w->s[i->dst.reg + 1] = (uint32_t)(ticks >> 32);
}

/* Core clocks; one instruction counts as four. */
static void
exec_memtime(struct wave *w, const struct inst *i)
{
	put_time(w, i, w->instructions * 4 + sim_now());
}

/* A clock of 100 MHz. */
static void
exec_memrealtime(struct wave *w, const struct inst *i)
{
	put_time(w, i, sim_now() / 10);
}

static void
exec_invalidate(struct wave *w, const struct inst *i)
{
	(void)w;
	(void)i;
	atomic_thread_fence(memory_order_seq_cst);
}

#define LOAD(n, g9, g11, size, f)                                              \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = f,                \
		.kind = MEMORY_LOAD, .bytes = size                             \
	}
#define PLAIN(n, g9, g11, f)                                                   \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = f                 \
	}

static const struct op ops[] = {
	LOAD("s_load_dword", 0x00, 0x00, 4, exec_smem),
	LOAD("s_load_dwordx2", 0x01, 0x01, 8, exec_smem),
	LOAD("s_load_dwordx4", 0x02, 0x02, 16, exec_smem),
	LOAD("s_load_dwordx8", 0x03, 0x03, 32, exec_smem),
	LOAD("s_load_dwordx16", 0x04, 0x04, 64, exec_smem),
	LOAD("s_buffer_load_dword", 0x08, 0x08, 4, exec_buffer_load),
	LOAD("s_buffer_load_dwordx2", 0x09, 0x09, 8, exec_buffer_load),
	LOAD("s_buffer_load_dwordx4", 0x0a, 0x0a, 16, exec_buffer_load),
	LOAD("s_buffer_load_dwordx8", 0x0b, 0x0b, 32, exec_buffer_load),
	LOAD("s_buffer_load_dwordx16", 0x0c, 0x0c, 64, exec_buffer_load),
	PLAIN("s_dcache_inv", 0x20, 0x21, exec_invalidate),
	PLAIN("s_gl1_inv", -1, 0x20, exec_invalidate),
	PLAIN("s_dcache_wb", 0x21, -1, exec_invalidate),
	PLAIN("s_dcache_inv_vol", 0x22, -1, exec_invalidate),
	PLAIN("s_dcache_wb_vol", 0x23, -1, exec_invalidate),
	PLAIN("s_memtime", 0x24, -1, exec_memtime),
	PLAIN("s_memrealtime", 0x25, -1, exec_memrealtime),
};

const struct table table_smem = {ops, array_count(ops)};
