#include "fill.h"

#include <string.h>

bool
fill_prepare(struct fill_block *block, uint32_t *blocks, void *dst,
	     const void *pattern, uint64_t pattern_size, uint64_t size)
{
	uint64_t at = (uint64_t)(uintptr_t)dst, length = pattern_size;
	uint64_t head = -at % 16, wanted;

	while (length % 16 && length <= FILL_PATTERN)
		length += pattern_size;
	if (length > FILL_PATTERN || size < 16 + head)
		return false;
	block->start = at + head;
	block->count = (size - head) / 16;
	block->period = (uint32_t)(length / 16);
	block->head = (uint32_t)head;
	block->tail = (uint32_t)((size - head) % 16);
	block->tail_at = (uint32_t)(block->count % block->period * 16);
	for (uint64_t i = 0; i < length; i++)
		block->pattern[i] =
			((const char *)pattern)[(head + i) % pattern_size];
	wanted = (block->count + FILL_THREADS - 1) / FILL_THREADS;
	if (wanted > FILL_BLOCKS)
		wanted = FILL_BLOCKS;
	*blocks = (uint32_t)((wanted + block->period - 1) / block->period *
			     block->period);
	return true;
}

/* clang-format off */
const char fill_ptx[] =
".version 6.4\n"
".target sm_75\n"
".address_size 64\n"
".visible .entry smelt_fill(.param .align 16 .b8 block[1056])\n"
".maxntid 256, 1, 1\n"
"{\n"
"	.reg .pred %done;\n"
"	.reg .b16 %byte;\n"
"	.reg .b32 %i, %t, %step, %period, %head, %tail, %at;\n"
"	.reg .b32 %v0, %v1, %v2, %v3;\n"
"	.reg .b64 %block, %start, %count, %index, %steps, %stride;\n"
"	.reg .b64 %from, %to, %less;\n"
"	mov.b64 %block, block;\n"
"	ld.param.u64 %start, [block];\n"
"	ld.param.u64 %count, [block+8];\n"
"	ld.param.u32 %period, [block+16];\n"
"	ld.param.u32 %head, [block+20];\n"
"	ld.param.u32 %tail, [block+24];\n"
"	cvta.to.global.u64 %start, %start;\n"
"	mov.u32 %t, %tid.x;\n"
"	mov.u32 %i, %ctaid.x;\n"
"	shl.b32 %i, %i, 8;\n"
"	add.u32 %i, %i, %t;\n"
"	mov.u32 %step, %nctaid.x;\n"
"	shl.b32 %step, %step, 8;\n"
"	rem.u32 %at, %i, %period;\n"
"	mul.wide.u32 %from, %at, 16;\n"
"	add.u64 %from, %from, %block;\n"
"	ld.param.v4.u32 {%v0, %v1, %v2, %v3}, [%from+32];\n"
"	mul.wide.u32 %to, %i, 16;\n"
"	add.u64 %to, %to, %start;\n"
"	mul.wide.u32 %stride, %step, 16;\n"
"	cvt.u64.u32 %index, %i;\n"
"	cvt.u64.u32 %steps, %step;\n"
"MORE:\n"
"	setp.ge.u64 %done, %index, %count;\n"
"	@%done bra HEAD;\n"
"	st.global.v4.u32 [%to], {%v0, %v1, %v2, %v3};\n"
"	add.u64 %to, %to, %stride;\n"
"	add.u64 %index, %index, %steps;\n"
"	bra MORE;\n"
"HEAD:\n"
"	setp.ge.u32 %done, %i, %head;\n"
"	@%done bra TAIL;\n"
"	shl.b32 %at, %period, 4;\n"
"	sub.u32 %at, %at, %head;\n"
"	add.u32 %at, %at, %i;\n"
"	cvt.u64.u32 %from, %at;\n"
"	add.u64 %from, %from, %block;\n"
"	ld.param.u8 %byte, [%from+32];\n"
"	cvt.u64.u32 %to, %i;\n"
"	add.u64 %to, %to, %start;\n"
"	cvt.u64.u32 %less, %head;\n"
"	sub.u64 %to, %to, %less;\n"
"	st.global.u8 [%to], %byte;\n"
"TAIL:\n"
"	setp.ge.u32 %done, %i, %tail;\n"
"	@%done bra END;\n"
"	ld.param.u32 %at, [block+28];\n"
"	add.u32 %at, %at, %i;\n"
"	cvt.u64.u32 %from, %at;\n"
"	add.u64 %from, %from, %block;\n"
"	ld.param.u8 %byte, [%from+32];\n"
"	shl.b64 %to, %count, 4;\n"
"	add.u64 %to, %to, %start;\n"
"	cvt.u64.u32 %index, %i;\n"
"	add.u64 %to, %to, %index;\n"
"	st.global.u8 [%to], %byte;\n"
"END:\n"
"	ret;\n"
"}\n";
/* clang-format on */
const size_t fill_ptx_size = sizeof(fill_ptx);
