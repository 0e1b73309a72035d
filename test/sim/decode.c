/*
 * Prints how the simulator decodes instructions: lines of hex words in, a name
 * and operands out, in the form to which test/sim/oracle brings the output of
 * LLVM's disassembler.
 *
 *     decode gfx90a < words
 */
#include "../../sim/amdgpu/isa.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
width_of(int type)
{
	return type == T_B64 || type == T_F64 || type == T_P32 ? 2 : 1;
}

static void
print_reg(char kind, unsigned reg, int width)
{
	if (kind == 'v' && reg >= ACC_BASE)
		kind = 'a', reg -= ACC_BASE;
	if (width == 1)
		printf(" %c%u", kind, reg);
	else
		printf(" %c%u:%u", kind, reg, reg + (unsigned)width - 1);
}

static void
print_scalar(unsigned reg, int width)
{
	static const struct {
		unsigned reg;
		const char *name;
	} names[] = {{SGPR_FLAT_SCRATCH, "flat_scratch"},
		     {SGPR_XNACK_MASK, "xnack_mask"},
		     {SGPR_VCC, "vcc"},
		     {SGPR_EXEC, "exec"}};
	for (size_t k = 0; k < array_count(names); k++) {
		if (reg / 2 != names[k].reg / 2)
			continue;
		printf(" %s%s", names[k].name,
		       width == 2 ? ""
		       : reg % 2  ? "_hi"
				  : "_lo");
		return;
	}
	if (reg == SGPR_M0)
		printf(" m0");
	else if (reg == SGPR_NULL)
		printf(" null");
	else if (reg >= SGPR_TTMP)
		print_reg('t', reg - SGPR_TTMP, width);
	else
		print_reg('s', reg, width);
}

static void
print_operand(const struct operand *o, int width)
{
	switch (o->kind) {
	case OPERAND_VGPR:
		print_reg('v', o->reg, width);
		break;
	case OPERAND_SGPR:
		print_scalar(o->reg, width);
		break;
	case OPERAND_CONST:
		printf(" #");
		break;
	case OPERAND_VCCZ:
	case OPERAND_EXECZ:
	case OPERAND_SCC:
		printf(" flag");
		break;
	default:
		return;
	}
	if (o->mods & MOD_ABS)
		printf("|");
	if (o->mods & MOD_NEG)
		printf("-");
	if (o->mods & MOD_SEXT)
		printf("~");
}

static void
print_memory(const struct inst *i)
{
	int words = i->op->bytes < 4 ? 1 : i->op->bytes / 4;
	bool atomic = i->op->kind == MEMORY_ATOMIC;
	bool result =
		i->op->kind == MEMORY_LOAD ||
		(atomic && (i->flags & INST_GLC || i->op->flags & OP_RTN));
	int data =
		atomic && i->op->atomic == ATOMIC_CMPSWAP && i->exec != exec_ds
			? words * 2
			: words;
	if (result && !(atomic && i->exec == exec_mubuf))
		print_reg('v', i->dst.reg,
			  i->exec == exec_ds && i->op->count == 2 ? words * 2
								  : words);
	else if (i->exec == exec_mubuf)
		print_reg('v', i->src[1].reg, data);
	bool pair = i->segment == SEGMENT_FLAT ||
		    (i->segment == SEGMENT_GLOBAL && !(i->flags & INST_SADDR));
	if (i->exec == exec_ds)
		print_reg('v', i->src[0].reg, 1);
	else if (i->exec == exec_flat && !(i->flags & INST_NO_VADDR))
		print_reg('v', i->src[0].reg, pair ? 2 : 1);
	if (i->exec == exec_mubuf) {
		int n = !!(i->flags & INST_OFFEN) + !!(i->flags & INST_IDXEN);
		if (n)
			print_reg('v', i->src[0].reg, n);
		print_scalar(i->sdst, 4);
		print_operand(&i->src[2], 1);
	}
	if (i->exec != exec_mubuf && i->op->kind != MEMORY_LOAD) {
		print_reg('v', i->src[1].reg, data);
		if (i->exec == exec_ds &&
		    (i->op->count == 2 || i->op->atomic == ATOMIC_CMPSWAP))
			print_reg('v', i->src[2].reg, words);
	}
	if (i->exec == exec_flat && i->flags & INST_SADDR)
		print_scalar(i->sdst, i->segment == SEGMENT_SCRATCH ? 1 : 2);
	if (i->offset)
		printf(" @%" PRId64, i->offset);
}

static void
print_vector(const struct inst *i, bool wave32)
{
	const struct op *op = i->op;
	int mask = wave32 ? 1 : 2;
	if (op->exec == exec_compare) {
		if (!(op->flags & OP_CMPX && wave32))
			print_scalar(i->sdst, mask);
	} else {
		print_operand(&i->dst, width_of(op->dst));
	}
	if (op->flags & (OP_CARRY_OUT | OP_SDST))
		print_scalar(i->sdst, mask);
	for (int k = 0; k < 3; k++) {
		bool is_mask = i->src[k].type == T_MASK;
		if (k == 2 && op->flags & OP_ACCUMULATE)
			continue;
		if (op->src[k] || is_mask)
			print_operand(&i->src[k],
				      is_mask ? mask : width_of(op->src[k]));
	}
	if (op->flags & OP_CARRY_IN && i->src[2].kind == OPERAND_NONE)
		print_scalar(SGPR_VCC, mask);
	if (i->omod)
		printf(" omod%d", i->omod);
	if (i->flags & INST_CLAMP)
		printf(" clamp");
	if (i->flags & INST_DPP)
		printf(" dpp");
	if (i->flags & INST_SDWA)
		printf(" sdwa%d%d%d", i->select, i->src[0].select,
		       op->src[1] ? i->src[1].select : 0);
}

static const char *
segment_prefix(const struct inst *i)
{
	if (i->exec == exec_mubuf)
		return "buffer_";
	return i->segment == SEGMENT_FLAT     ? "flat_"
	       : i->segment == SEGMENT_GLOBAL ? "global_"
					      : "scratch_";
}

static void
print_inst(const struct inst *i, bool wave32)
{
	if (i->exec == exec_illegal) {
		printf("?\n");
		return;
	}
	bool flat = i->exec == exec_flat || i->exec == exec_mubuf;
	printf("%s%s", flat ? segment_prefix(i) : "", i->op->name);
	if (flat || i->exec == exec_ds)
		print_memory(i);
	else if (i->op->name[0] == 'v')
		print_vector(i, wave32);
	else if (i->op->name[0] == 'd' && i->op->exec != exec_ds) {
		if (strcmp(i->op->name, "ds_nop") != 0) {
			print_reg('v', i->dst.reg, 1);
			print_reg('v', i->src[0].reg, 1);
			if (strstr(i->op->name, "permute"))
				print_reg('v', i->src[1].reg, 1);
			if (i->offset)
				printf(" @%" PRId64, i->offset);
		}
	} else if (strstr(i->op->name, "time")) {
		print_scalar(i->dst.reg, 2);
	} else if (i->op->kind == MEMORY_LOAD && i->op->bytes) {
		print_scalar(i->dst.reg, i->op->bytes / 4);
		print_scalar(i->src[0].reg,
			     strstr(i->op->name, "buffer") ? 4 : 2);
		if (i->flags & INST_SOFFSET)
			print_scalar(i->src[1].reg, 1);
	} else if (i->op->exec == exec_scalar) {
		if (i->op->dst)
			print_scalar(i->dst.reg, width_of(i->op->dst));
		for (int k = 0; k < 2; k++)
			if (i->op->src[k])
				print_operand(&i->src[k],
					      width_of(i->op->src[k]));
	}
	printf("\n");
}

int
main(int argc, char **argv)
{
	const struct arch *arch = arch_find(argc > 1 ? argv[1] : "");
	if (!arch) {
		fprintf(stderr, "usage: decode ARCH < words\n");
		return 2;
	}
	char line[256];
	while (fgets(line, sizeof(line), stdin)) {
		uint32_t words[4] = {0};
		size_t count = 0;
		for (char *at = line, *end; count < 4; at = end) {
			unsigned long word = strtoul(at, &end, 16);
			if (end == at)
				break;
			words[count++] = (uint32_t)word;
		}
		struct inst inst;
		if (!count)
			continue;
		decode_words(arch, words, count, false, &inst);
		print_inst(&inst, arch->wave_size == 32);
		if (inst.pair)
			print_inst(inst.pair, true);
		free(inst.pair);
	}
	return 0;
}
