/*
 * The processor: instruction tables, decoded instructions, waves.
 *
 * An instruction is described once, as a row (struct op) of the table of its
 * format: its opcode on each generation, the types of its operands and the
 * function that does it. Decoding (decode.c) finds the row and resolves the
 * operands; an instruction is then run by calling its exec function.
 *
 * Sections named in comments are of "AMD Instinct MI200 Instruction Set
 * Architecture" unless said otherwise.
 */
#ifndef SIM_ISA_H
#define SIM_ISA_H

#include "sim.h"

/* ---- architectures ---- */

enum generation {
	GEN_GFX90A,
	GEN_GFX942,
	GEN_GFX11,
	GENERATIONS,
};

struct arch {
	const char *name;
	const char *isa_name;
	const char *product;
	enum generation generation;
	uint32_t wave_size; /* what HSA says; a kernel may ask for another */
	uint32_t elf_mach;  /* EF_AMDGPU_MACH_* */
	uint32_t chip_id;
	bool has_sramecc;
	bool architected_scratch; /* flat scratch is not set up by the kernel */
};

/* NULL if there is none of this name. */
const struct arch *
arch_find(const char *name);

/* Apertures of flat addresses: above all addresses of a process. */
#define SHARED_APERTURE ((uint64_t)1 << 48)
#define PRIVATE_APERTURE ((uint64_t)2 << 48)

/* ---- registers ---- */

enum { LANES = 64, SGPRS = 128, VGPRS = 512, ACC_BASE = 256 };
/* Operands of several registers may end beyond the last. */
enum { SPARE_ROWS = 16 };

/* Numbers of special scalar registers, as operands encode them (gfx9; decoding
 * brings gfx11's M0 and NULL here). Section 5.1, "Scalar ALU operands". */
enum {
	SGPR_FLAT_SCRATCH = 102,
	SGPR_XNACK_MASK = 104,
	SGPR_VCC = 106,
	SGPR_TTMP = 108,
	SGPR_M0 = 124,
	SGPR_NULL = 125,
	SGPR_EXEC = 126,
};

/* A vector register, or a temporary: one element a lane. 64-bit elements take
 * two registers, which fetch and write join and part. */
union row {
	uint32_t u[LANES];
	int32_t i[LANES];
	float f[LANES];
	uint64_t q[LANES];
	int64_t l[LANES];
	double d[LANES];
} __attribute__((aligned(64)));

typedef uint32_t vgpr_row[LANES] __attribute__((aligned(64)));

/* ---- instructions ---- */

enum format {
	FORMAT_SOP2,
	FORMAT_SOPK,
	FORMAT_SOP1,
	FORMAT_SOPC,
	FORMAT_SOPP,
	FORMAT_SMEM,
	FORMAT_VOP1,
	FORMAT_VOP2,
	FORMAT_VOPC,
	FORMAT_VOP3,
	FORMAT_VOP3P,
	FORMAT_DS,
	FORMAT_FLAT,
	FORMAT_MUBUF,
	FORMATS,
};

/* Type of an operand: what is fetched, and which modifiers may be on it. */
enum type {
	T_NONE,
	T_B16, /* low 16 bits, zero-extended */
	T_F16,
	T_B32,
	T_F32,
	T_B64,
	T_F64,
	T_MASK, /* one bit a lane, in scalar registers */
	T_P16,	/* two 16-bit halves; selection and signs apply to each */
	T_P32,	/* two 32-bit halves of a register pair (v_pk_*_f32) */
	T_MIX,	/* f32, or one f16 half, as op_sel_hi says (v_fma_mix) */
};

enum op_flag {
	OP_CARRY_OUT = 1 << 1,	/* VOP2: VCC; VOP3: sdst */
	OP_CARRY_IN = 1 << 2,	/* VOP2: VCC; VOP3: src2, a mask */
	OP_ACCUMULATE = 1 << 3, /* dst is src2 as well */
	OP_CMPX = 1 << 4,	/* writes EXEC too (gfx9), or only (gfx11) */
	OP_INT_CLAMP = 1 << 5,	/* clamp means saturate */
	OP_KEEP_HIGH = 1 << 6,	/* 16-bit result leaves the other half alone */
	OP_LITERAL_K = 1 << 7,	/* a literal of 32 bits follows always */
	OP_SCALAR_DST = 1 << 8, /* dst is an SGPR (readlane) */
	OP_NO_EXEC = 1 << 9,	/* runs also where EXEC is 0, on all lanes */
	OP_SDST = 1 << 10,   /* VOP3 with a scalar second result, not carry */
	OP_VCC_IN = 1 << 11, /* reads VCC besides its operands */
	OP_FLUSH = 1 << 12,  /* takes and gives no denormals */
	OP_ONLY_90A = 1 << 13,
	OP_ONLY_942 = 1 << 14,
	OP_RTN = 1 << 17,	/* DS: gives the old value */
	OP_HIGH_D16 = 1 << 18,	/* result, or data, in the high half */
	OP_MASK_SRC2 = 1 << 19, /* VOP3: src2 is a mask (cndmask) */
};

struct wave;
struct inst;

/* Operands of a vector function. d may be the same row as a, b or c: each lane
 * reads its own element only. */
struct args {
	union row *d;
	const union row *a;
	const union row *b;
	const union row *c;
	uint64_t in;  /* carry in, VCC, or the mask of cndmask */
	uint64_t out; /* carry out, or the result of a compare */
	uint64_t exec;
	bool clamp; /* OP_INT_CLAMP */
	struct wave *wave;
	const struct inst *inst;
};

typedef void
row_fn(struct args *args);

/* Operands of a scalar function; 32-bit values are zero-extended. */
struct scalar_args {
	uint64_t d;
	uint64_t a;
	uint64_t b;
	bool scc; /* in and out */
	struct wave *wave;
	const struct inst *inst;
};

typedef void
scalar_fn(struct scalar_args *args);

typedef void
exec_fn(struct wave *wave, const struct inst *inst);

/* What a memory instruction does at each lane's address. */
enum memory_kind {
	MEMORY_LOAD,
	MEMORY_STORE,
	MEMORY_ATOMIC,
};

enum atomic_op {
	ATOMIC_NONE,
	ATOMIC_SWAP,
	ATOMIC_CMPSWAP,
	ATOMIC_ADD,
	ATOMIC_SUB,
	ATOMIC_RSUB,
	ATOMIC_SMIN,
	ATOMIC_UMIN,
	ATOMIC_SMAX,
	ATOMIC_UMAX,
	ATOMIC_AND,
	ATOMIC_OR,
	ATOMIC_XOR,
	ATOMIC_INC,
	ATOMIC_DEC,
	ATOMIC_FADD,
	ATOMIC_FMIN,
	ATOMIC_FMAX,
	ATOMIC_PK_ADD_F16,
	ATOMIC_PK_ADD_BF16,
	ATOMIC_CSUB,
};

struct op {
	const char *name;
	int16_t gfx9; /* opcode, or -1 */
	int16_t gfx11;
	uint8_t dst; /* enum type */
	uint8_t src[3];
	uint32_t flags; /* enum op_flag */
	exec_fn *exec;
	row_fn *row;
	scalar_fn *scalar;
	/* Memory: */
	uint8_t kind;	/* enum memory_kind */
	uint8_t atomic; /* enum atomic_op */
	uint8_t bytes;	/* of each lane's element */
	uint8_t count;	/* DS: elements (read2, write2) */
	bool sign;	/* loads: extend the sign */
	uint8_t stride; /* DS: of the two offsets, in elements */
};

struct table {
	const struct op *ops;
	size_t count;
};

extern const struct table table_sop, table_sopk, table_sopp, table_smem;
extern const struct table table_vop1, table_vop2, table_vop3, table_vop3p;
extern const struct table table_vopc, table_ds, table_flat, table_mubuf;
extern const struct table table_sop1, table_sopc, table_vop2_moved;

enum operand_kind {
	OPERAND_NONE,
	OPERAND_VGPR, /* index into the wave's rows; AGPRs from ACC_BASE */
	OPERAND_SGPR,
	OPERAND_CONST,
	OPERAND_VCCZ,
	OPERAND_EXECZ,
	OPERAND_SCC,
};

enum modifier { MOD_NEG = 1, MOD_ABS = 2, MOD_SEXT = 4 };

/* SDWA selections; also which half 16-bit operands take. Section 6.5. */
enum select {
	SEL_BYTE0,
	SEL_BYTE1,
	SEL_BYTE2,
	SEL_BYTE3,
	SEL_WORD0,
	SEL_WORD1,
	SEL_DWORD,
};

struct operand {
	uint8_t kind;	/* enum operand_kind */
	uint8_t type;	/* enum type */
	uint8_t mods;	/* enum modifier */
	uint8_t select; /* enum select */
	uint16_t reg;
	uint8_t neg_hi; /* T_P16, T_P32: sign of the high half */
	uint8_t hi; /* T_P16, T_P32: which half is the high one, the low one */
	uint64_t value; /* OPERAND_CONST, of the operand's type */
};

enum inst_flag {
	INST_DPP = 1 << 0,
	INST_SDWA = 1 << 1,
	INST_CLAMP = 1 << 2,
	INST_GLC = 1 << 3, /* atomics: give the old value */
	INST_OFFEN = 1 << 4,
	INST_IDXEN = 1 << 5,
	INST_SADDR = 1 << 6, /* FLAT: scalar base */
	INST_GDS = 1 << 7,
	INST_NO_VADDR = 1 << 8, /* SCRATCH without a vector address */
	INST_SOFFSET = 1 << 10,
	INST_DPP8 = 1 << 11,
	INST_FI = 1 << 12,	 /* DPP: fetch from inactive lanes too */
	INST_PLAIN = 1 << 13,	 /* one 32-bit VGPR result, nothing special */
	INST_COHERENT = 1 << 14, /* loads past the caches: atomic ones */
};

enum segment { SEGMENT_FLAT, SEGMENT_SCRATCH, SEGMENT_GLOBAL };

struct inst {
	exec_fn *exec; /* NULL: not decoded yet; stored last */
	const struct op *op;
	struct operand dst;
	struct operand src[3];
	uint16_t sdst;	/* carry out, compare result: number of the SGPR */
	uint16_t flags; /* enum inst_flag */
	uint8_t dwords;
	uint8_t class;	   /* enum count_class */
	uint8_t omod;	   /* 0, or 1: *2, 2: *4, 3: /2 */
	uint8_t segment;   /* FLAT */
	uint8_t select;	   /* SDWA dst_sel */
	uint8_t unused;	   /* SDWA dst_unused: 0 zero, 1 sign, 2 keep */
	uint16_t dpp;	   /* dpp_ctrl */
	uint8_t dpp_masks; /* row_mask << 4 | bank_mask */
	bool bound_ctrl;
	uint32_t dpp8;
	int64_t offset;	   /* branches: relative to the next; memory: bytes */
	uint32_t word[2];  /* as encoded, for messages */
	struct inst *pair; /* VOPD: the second half; owned */
	const struct rule *rule; /* undef.c */
};

#define INST_SIZE sizeof(struct inst)

/* Decodes the instruction at code's dword index into its slot; thread-safe.
 * Unknown instructions get an exec function that faults. */
void
decode(struct code *code, uint64_t index);
/* Decodes words (as many as there are) into inst, for code->arch's tables. */
void
decode_words(const struct arch *arch, const uint32_t *words, size_t count,
	     bool wave32, struct inst *inst);

/* ---- waves ---- */

enum wave_state {
	WAVE_RUNS,
	WAVE_AT_BARRIER,
	WAVE_ENDED,
};

enum { RANGE_CACHE = 4 };

struct group;
struct worker;
struct undef;

struct wave {
	union {
		uint32_t s[SGPRS];
		uint64_t s2[SGPRS / 2]; /* even pairs */
	};
	vgpr_row *v;	    /* VGPRS rows */
	uint64_t lane_mask; /* lanes this wave size has */
	bool wave32;
	bool scc;
	uint8_t state;	   /* enum wave_state */
	bool stop;	   /* leave the loop after this instruction */
	uint32_t mode;	   /* MODE register */
	uint32_t index;	   /* within the group */
	struct inst *inst; /* the next instruction, a slot of code->insts */
	const struct inst *current; /* what runs, for messages */
	struct code *code;
	uint64_t scratch;      /* base of this wave's scratch memory */
	uint64_t scratch_size; /* bytes of it */
	struct group *group;
	struct worker *worker;
	uint64_t instructions;
	uint32_t barriers;
	struct undef *undef; /* what of it is undefined; NULL: not asked for */
};

/* EXEC of the lanes that there are. */
static inline uint64_t
wave_exec(const struct wave *wave)
{
	return wave->s2[SGPR_EXEC / 2] & wave->lane_mask;
}

/* A mask of lanes in scalar registers: a pair, or one in wave32. */
static inline uint64_t
wave_mask(const struct wave *wave, unsigned reg)
{
	if (wave->wave32)
		return wave->s[reg];
	return (uint64_t)wave->s[(reg + 1) % SGPRS] << 32 | wave->s[reg];
}

static inline void
wave_set_mask(struct wave *wave, unsigned reg, uint64_t mask)
{
	if (reg == SGPR_NULL)
		return;
	wave->s[reg] = (uint32_t)mask;
	if (!wave->wave32)
		wave->s[(reg + 1) % SGPRS] = (uint32_t)(mask >> 32);
}

/* A work-group in flight. */
struct group {
	struct dispatch *dispatch;
	uint8_t *lds;
	uint32_t lds_size;
	uint32_t id[3];
	uint32_t wave_count;
	uint32_t live;	  /* waves that have not ended */
	uint32_t waiting; /* at the barrier */
	uint32_t number;  /* in the dispatch */
	uint32_t epoch;	  /* barriers passed */
	/* Of LDS, where checks are asked for: */
	struct cell *cells;
	uint8_t *lds_defined; /* bits of bytes */
	struct wave *waves;
};

/* A thread that runs work-groups. Copies of ranges last used. */
struct worker {
	struct dispatch *dispatch;
	uint64_t generation;
	struct range cache[RANGE_CACHE];
	unsigned next;	       /* to be replaced */
	struct counts *counts; /* NULL: not wanted */
	bool failed;	       /* a fault was noted; all stops */
	uint64_t vector_lanes; /* lane operations done */
};

/* Runs until the wave ends, waits, faults, or has run this many instructions.
 */
void
wave_run(struct wave *wave, uint64_t budget);
/* Notes a fault of this wave at its current instruction and stops it. */
void
wave_fault(struct wave *wave, hsa_status_t status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void
wave_memory_fault(struct wave *wave, uint64_t address, uint32_t bytes,
		  bool store);
/* Address of the next instruction. */
uint64_t
wave_pc(const struct wave *wave);
enum { MODE_IEEE = 1 << 9, MODE_GPR_IDX = 1 << 27 };

/* Goes on at so many bytes from the next instruction. */
void
wave_branch(struct wave *wave, int64_t offset);
/* Goes on at this address, which must be in loaded code. */
void
wave_jump(struct wave *wave, uint64_t pc);
/* Its full name, with what the tables leave out. */
const char *
inst_name(const struct inst *inst, char *buffer, size_t size);
/* For the row of an instruction that decoding did not know. */
void
exec_illegal(struct wave *wave, const struct inst *inst);

/* ---- memory.c: accesses ---- */

/* Host memory behind a device address, or NULL after noting a fault. */
uint8_t *
memory_at(struct wave *wave, uint64_t address, uint32_t bytes, bool store);
/* The range that holds so many bytes there; NULL if none does. */
const struct range *
memory_range(struct worker *worker, uint64_t address, uint32_t bytes);
/* Where a private address of this lane lies in the wave's scratch. */
uint64_t
memory_private(const struct wave *wave, uint64_t address, int lane);
/* A lane's part of a load, of a store, of an atomic. */
void
memory_put_lane(struct wave *wave, const struct inst *inst, int lane,
		const uint8_t *data);
void
memory_get_lane(const struct wave *wave, const struct inst *inst, int lane,
		uint8_t *data);
void
memory_atomic_operands(const struct wave *wave, const struct inst *inst,
		       int lane, uint64_t *data, uint64_t *compare);
uint64_t
smem_offset(const struct wave *wave, const struct inst *inst);
/* Copies from memory that others may write meanwhile. */
void
memory_read(void *to, const uint8_t *at, uint32_t bytes);
/* The instruction's access at each lane of mask: addresses[lane]. space tells
 * how to read them: global addresses, or offsets into LDS. */
void
memory_access(struct wave *wave, const struct inst *inst,
	      const uint64_t *addresses, uint64_t mask);

/* ---- operands (operand.c) ---- */

/* The operand in every lane: the register itself, or tmp filled in. */
const union row *
operand_fetch(struct wave *wave, const struct operand *operand, union row *tmp);
uint64_t
operand_scalar(const struct wave *wave, const struct operand *operand);
/* DPP: row's lanes moved, as src0 of the instruction; *write loses those that
 * must keep their old result. */
const union row *
operand_dpp(struct wave *wave, const struct inst *inst, const union row *row,
	    union row *tmp, uint64_t *write);
/* Carry in, VCC, or the mask that cndmask has. */
uint64_t
operand_mask(const struct wave *wave, const struct inst *inst);
/* The instruction with M0's index added where M0 says so. */
struct inst
operand_indexed(struct wave *wave, const struct inst *inst);
/* Stores lanes of mask, after clamp and output modifiers. */
void
operand_store(struct wave *wave, const struct inst *inst, union row *row,
	      uint64_t mask);

/* ---- ds.c ---- */

/* ds_permute, ds_bpermute, ds_swizzle: wave tells which lane gives to which,
 * rows (it, or another) has the registers. */
void
ds_exchange(struct wave *wave, struct wave *rows, const struct inst *inst);

/* ---- exec functions, by format ---- */
exec_fn exec_scalar, exec_smem, exec_valu, exec_dual, exec_compare, exec_flat,
	exec_mubuf, exec_ds;

#endif
