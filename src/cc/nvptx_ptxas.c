/*
 * Mistakes of ptxas (CUDA 13.0, and the same in the driver's compiler), worked
 * around. Both were wrong results on an H200, found by test/conform:
 *
 * 1. neg.s16 and abs.s16, followed by a signed comparison, are done in 32 bits
 *    and not wrapped: -(-32768) is 32768 > 0. mul.lo.s16 by -1 is right.
 *
 * 2. A store of the low byte (16 bits, 32 of 64) of a register whose bits a
 * float operation made (f32::to_bits() as u8 in the end: SROA cuts an enum's
 * payload into bytes) becomes a conversion of the float's value to u8. LLVM's
 * PTX no longer tells registers of floats from others, and ptxas guesses. A
 * byte permutation in between leaves it no choice.
 */
#include "cc/lower.h"

#include "nvptx.h"

#include <string.h>

/* ---- narrowed floats ---- */

/* Whether the bits of an integer may be those of a float, as far as depth goes.
 */
static bool
may_be_float(LLVMValueRef value, int depth)
{
	unsigned first = 0, count;

	if (LLVMIsABitCastInst(value)) {
		LLVMTypeKind kind =
			LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(value, 0)));

		return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
	}
	if (!depth)
		return true;
	if (LLVMIsAPHINode(value)) {
		count = LLVMCountIncoming(value);
		for (unsigned i = 0; i < count; i++)
			if (may_be_float(LLVMGetIncomingValue(value, i),
					 depth - 1))
				return true;
		return false;
	}
	if (LLVMIsASelectInst(value))
		first = 1;
	else if (!LLVMIsAFreezeInst(value))
		return false;
	count = (unsigned)LLVMGetNumOperands(value);
	for (unsigned i = first; i < count; i++)
		if (may_be_float(LLVMGetOperand(value, i), depth - 1))
			return true;
	return false;
}

/* 4 bytes are the low word of 8. */
static const char *
permutation(unsigned bytes, bool wide)
{
	if (bytes == 4)
		return "{.reg .b32 h; mov.b64 {$0, h}, $1;}";
	if (!wide)
		return bytes == 1 ? "prmt.b32 $0, $1, 0, 0x4440;"
				  : "prmt.b32 $0, $1, 0, 0x4410;";
	return bytes == 1 ? "{.reg .b32 l, h; mov.b64 {l, h}, $1; "
			    "prmt.b32 $0, l, 0, 0x4440;}"
			  : "{.reg .b32 l, h; mov.b64 {l, h}, $1; "
			    "prmt.b32 $0, l, 0, 0x4410;}";
}

/* The low bytes of value, the rest zero, made by a permutation. */
static LLVMValueRef
permuted(LLVMBuilderRef b, LLVMValueRef value, unsigned bytes)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
	LLVMTypeRef param = LLVMTypeOf(value);
	LLVMTypeRef type = LLVMFunctionType(i32, &param, 1, false);
	bool wide = LLVMGetIntTypeWidth(param) == 64;
	const char *text = permutation(bytes, wide);
	const char *operands = wide ? "=r,l" : "=r,r";
	LLVMValueRef assembly = LLVMGetInlineAsm(
		type, text, strlen(text), operands, strlen(operands), false,
		false, LLVMInlineAsmDialectATT, false);

	return LLVMBuildCall2(b, type, assembly, &value, 1, "");
}

static void
protect_trunc(LLVMBuilderRef b, LLVMValueRef trunc)
{
	LLVMValueRef value = LLVMGetOperand(trunc, 0);
	LLVMTypeRef from = LLVMTypeOf(value), to = LLVMTypeOf(trunc);
	unsigned width, bits;

	if (LLVMGetTypeKind(from) != LLVMIntegerTypeKind)
		return;
	width = LLVMGetIntTypeWidth(from);
	bits = LLVMGetIntTypeWidth(to);
	if ((width != 32 && width != 64) ||
	    (bits != 8 && bits != 16 && (bits != 32 || width != 64)) ||
	    !may_be_float(value, 4))
		return;
	LLVMPositionBuilderBefore(b, trunc);
	value = permuted(b, value, bits / 8);
	LLVMReplaceAllUsesWith(trunc,
			       LLVMBuildTruncOrBitCast(b, value, to, ""));
	LLVMInstructionEraseFromParent(trunc);
}

/* A float at a place that is not aligned for it, by pieces that are. */
static void
protect_store(LLVMBuilderRef b, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0), bits;
	LLVMValueRef place = LLVMGetOperand(store, 1);
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
	unsigned size = kind == LLVMDoubleTypeKind ? 8 : 4;
	unsigned align = LLVMGetAlignment(store);
	LLVMTypeRef byte = LLVMInt8TypeInContext(context);
	LLVMTypeRef piece_type = LLVMIntTypeInContext(context, 8 * align);
	LLVMTypeRef whole = LLVMIntTypeInContext(context, 8 * size);

	if ((kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) ||
	    align >= size)
		return;
	LLVMPositionBuilderBefore(b, store);
	bits = LLVMBuildBitCast(b, value, whole, "");
	for (unsigned at = 0; at < size; at += align) {
		LLVMValueRef by = LLVMConstInt(whole, 8 * at, false), piece;
		LLVMValueRef offset = LLVMConstInt(
			LLVMInt64TypeInContext(context), at, false);

		piece = at ? LLVMBuildLShr(b, bits, by, "")
			   : permuted(b, bits, align);
		piece = LLVMBuildTruncOrBitCast(b, piece, piece_type, "");
		piece = LLVMBuildStore(
			b, piece,
			LLVMBuildGEP2(b, byte, place, &offset, 1, ""));
		LLVMSetAlignment(piece, align);
		LLVMSetVolatile(piece, LLVMGetVolatile(store));
	}
	LLVMInstructionEraseFromParent(store);
}

void
nvptx_narrowed_floats(struct cc_job *job)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(job->context);

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block),
					  next;
			     i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (LLVMIsATruncInst(i))
					protect_trunc(b, i);
				else if (LLVMIsAStoreInst(i))
					protect_store(b, i);
			}
	LLVMDisposeBuilder(b);
}

/* ---- negation of 16 bits ---- */

struct word {
	const char *text;
	size_t len;
};

/* The register names of "d, s;" at text; NULL if there are no such. */
static const char *
two_registers(const char *text, struct word *d, struct word *s)
{
	const char *comma, *end;

	text += strspn(text, " \t");
	comma = strchr(text, ',');
	end = strchr(text, ';');
	if (!comma || !end || end < comma)
		return NULL;
	*d = (struct word){text, (size_t)(comma - text)};
	comma += 1 + strspn(comma + 1, " \t");
	*s = (struct word){comma, (size_t)(end - comma)};
	return end + 1;
}

void
nvptx_negations(struct cc_job *job, char **data, size_t *size)
{
	struct buf out = {0};
	const char *from = *data;

	for (;;) {
		const char *neg = strstr(from, "neg.s16");
		const char *abs = strstr(from, "abs.s16");
		const char *at = !neg || (abs && abs < neg) ? abs : neg;
		struct word d, s;
		const char *rest;

		if (!at || !(rest = two_registers(at + 7, &d, &s)))
			break;
		buf_add(job->arena, &out, from, (size_t)(at - from));
		buf_puts(job->arena, &out,
			 arena_printf(job->arena, "mul.lo.s16 %.*s, %.*s, -1;",
				      (int)d.len, d.text, (int)s.len, s.text));
		if (at == abs)
			buf_puts(job->arena, &out,
				 arena_printf(job->arena,
					      " max.s16 %.*s, %.*s, %.*s;",
					      (int)d.len, d.text, (int)d.len,
					      d.text, (int)s.len, s.text));
		from = rest;
	}
	if (from == *data)
		return;
	buf_puts(job->arena, &out, from);
	*data = out.data;
	*size = out.len;
}
