/*
 * Uninitialised values in scalar instructions, and in what only they do:
 * branches, jumps, registers by index.
 */
#include "undef.h"

#include <string.h>

/* An instruction run aside with other operands. */
struct outcome {
	uint64_t d;
	uint64_t exec;
	bool scc;
};

static struct outcome
run_aside(const struct wave *w, const struct inst *i, uint64_t a, uint64_t b,
	  bool scc)
{
	struct wave aside = *w;
	struct scalar_args x = {
		.a = a, .b = b, .scc = scc, .wave = &aside, .inst = i};
	i->op->scalar(&x);
	return (struct outcome){x.d, aside.s2[SGPR_EXEC / 2], x.scc};
}

struct scalar_flow {
	uint64_t a, b; /* values */
	uint64_t ua, ub;
	bool scc, uscc;
	/* Results: bits that differ between fillings. */
	uint64_t d, exec;
	bool scc_differs;
	bool scc_kept; /* the instruction leaves it alone */
};

static void
try_fillings(const struct wave *w, const struct inst *i, struct scalar_flow *f)
{
	struct outcome first = {0};
	f->scc_kept = true;
	for (int k = 0; k < 8; k++) {
		uint64_t a = k & 1 ? f->a | f->ua : f->a & ~f->ua;
		uint64_t b = k & 2 ? f->b | f->ub : f->b & ~f->ub;
		bool scc = f->uscc ? k & 4 : f->scc;
		struct outcome o = run_aside(w, i, a, b, scc);
		if (k == 0)
			first = o;
		f->d |= o.d ^ first.d;
		f->exec |= o.exec ^ first.exec;
		f->scc_differs |= o.scc != first.scc;
		f->scc_kept &= run_aside(w, i, a, b, false).scc == false &&
			       run_aside(w, i, a, b, true).scc == true;
	}
}

/* The wider rules, once the fillings have told what SCC has to do with it. */
static void
widen(const struct inst *i, struct scalar_flow *f)
{
	uint64_t any = f->ua | f->ub;
	enum flow flow = undef_flow(i);
	bool all = flow == FLOW_BITS ? undef_governed(i, f->ua, f->ub, 0) : any;
	if (flow == FLOW_UPWARD)
		f->d |= undef_upward(any);
	else if (all)
		f->d = ~(uint64_t)0;
	f->scc_differs |= all && !f->scc_kept;
}

static void
put_scalar(struct wave *w, const struct inst *i, uint64_t d,
	   const struct inst *origin)
{
	struct undef *u = w->undef;
	unsigned reg = i->dst.reg, next = (reg + 1) % SGPRS;
	if (i->op->dst == T_NONE || reg == SGPR_NULL)
		return;
	u->wave.s[reg] = (uint32_t)d;
	u->scalar[reg] = origin;
	if (i->op->dst == T_B64) {
		u->wave.s[next] = (uint32_t)(d >> 32);
		u->scalar[next] = origin;
	}
	undef_exec(w, origin);
}

void
undef_scalar(struct wave *w, const struct inst *i)
{
	const struct op *op = i->op;
	struct undef *u = w->undef;
	const struct operand *b = op->src[1]		      ? &i->src[1]
				  : op->flags & OP_ACCUMULATE ? &i->dst
							      : NULL;
	struct scalar_flow f = {.scc = w->scc, .uscc = u->wave.scc};
	if (op->src[0])
		f.ua = undef_bits(w, &i->src[0]);
	if (b)
		f.ub = undef_bits(w, b);
	/* With SCC undefined, only running it tells whether that matters. */
	if (!f.ua && !f.ub && !f.uscc) {
		put_scalar(w, i, 0, NULL);
		return;
	}
	f.a = op->src[0] ? operand_scalar(w, &i->src[0]) : 0;
	f.b = b ? operand_scalar(w, b) : 0;
	try_fillings(w, i, &f);
	widen(i, &f);
	const struct inst *origin = f.ua | f.ub ? undef_origin(w, i)
				    : u->scc	? u->scc
						: w->current;
	if (f.scc_differs && !f.scc_kept)
		u->scc = origin;
	u->wave.scc = f.scc_differs;
	if (f.exec & w->lane_mask)
		undef_report(w, origin, "which lanes go on (EXEC)");
	put_scalar(w, i, f.d, origin);
}

/* Operands that must be defined, and results that are. */
void
undef_needs_operand(struct wave *w, const struct inst *i)
{
	if (i->op->src[0] && undef_bits(w, &i->src[0]))
		undef_report(w, undef_origin(w, i), "the operand (s%u)",
			     i->src[0].reg);
	put_scalar(w, i, 0, NULL);
}

/* It goes into M0. */
void
undef_set_index(struct wave *w, const struct inst *i)
{
	undef_needs_operand(w, i);
	w->undef->wave.s[SGPR_M0] = 0;
}

void
undef_is_clock(struct wave *w, const struct inst *i)
{
	if (i->dst.reg + 1 < SGPRS)
		memset(&w->undef->wave.s[i->dst.reg], 0, 2 * sizeof(uint32_t));
}

void
undef_on_scc(struct wave *w, const struct inst *i)
{
	(void)i;
	if (w->undef->wave.scc)
		undef_report(w, w->undef->scc, "which way to branch (SCC)");
}

/* One lane that is certain to be in it decides. */
void
undef_on_vcc(struct wave *w, const struct inst *i)
{
	uint64_t undefined = wave_mask(&w->undef->wave, SGPR_VCC);
	(void)i;
	if (undefined && !(wave_mask(w, SGPR_VCC) & ~undefined))
		undef_report(w, w->undef->scalar[SGPR_VCC],
			     "which way to branch (VCC)");
}

/* Moves undefined bits by the instruction itself, with the wave's own EXEC and
 * M0. */
void
undef_run_on_bits(struct wave *w, const struct inst *i)
{
	struct wave *s = &w->undef->wave;
	uint32_t m0 = s->s[SGPR_M0];
	s->s2[SGPR_EXEC / 2] = w->s2[SGPR_EXEC / 2];
	s->s[SGPR_M0] = w->s[SGPR_M0];
	s->current = w->current;
	i->exec(s, i);
	s->s2[SGPR_EXEC / 2] = 0;
	s->s[SGPR_M0] = m0;
}

/* Registers by M0. */
void
undef_by_index(struct wave *w, const struct inst *i)
{
	if (w->undef->wave.s[SGPR_M0])
		undef_report(w, w->undef->scalar[SGPR_M0],
			     "the register's index (M0)");
	else
		undef_run_on_bits(w, i);
}
