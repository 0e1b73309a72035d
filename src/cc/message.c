/*
 * What a panic says, as far as it is constant.
 */
#include "cc/panics.h"

#include <string.h>

char *
message_constant(struct cc *cc, LLVMValueRef pointer, uint64_t offset,
		 uint64_t len)
{
	uint64_t base_offset;
	LLVMValueRef base = cc_constant_base(cc->module, pointer, &base_offset);
	char *text;

	if (!base || !LLVMIsAGlobalVariable(base) || len > 64 * 1024)
		return NULL;
	text = arena_alloc(&cc->arena, len + 1);
	if (!cc_constant_bytes(cc->module, base, base_offset + offset, text,
			       len))
		return NULL;
	return text;
}

/* fmt::Arguments without arguments is the text itself, with twice its length
 * plus one in place of the pointer to them; else a template: a byte below 0x80
 * is the length of a piece of text, 0x80 is followed by a longer length, 0xC0
 * and above stand for an argument with options, 0 ends it
 * (library/core/src/fmt/mod.rs of rustc 1.96, "Arguments"). */
static const char *
template_text(struct cc *cc, LLVMValueRef pointer)
{
	struct buf out = {0};
	uint64_t at = 0;

	for (;;) {
		const char *byte = message_constant(cc, pointer, at, 1);
		const char *piece;
		unsigned code, len = 0;

		if (!byte)
			return NULL;
		code = (unsigned char)*byte;
		at++;
		if (!code)
			break;
		if (code >= 0xc0) {
			at += (code & 1 ? 4 : 0) + (code & 2 ? 2 : 0) +
			      (code & 4 ? 2 : 0) + (code & 8 ? 2 : 0);
			buf_puts(&cc->arena, &out, "{}");
			continue;
		}
		if (code < 0x80) {
			len = code;
		} else if ((piece = message_constant(cc, pointer, at, 2))) {
			len = (unsigned char)piece[0] |
			      (unsigned)(unsigned char)piece[1] << 8;
			at += 2;
		}
		piece = message_constant(cc, pointer, at, len);
		if (!piece)
			return NULL;
		buf_add(&cc->arena, &out, piece, len);
		at += len;
	}
	return out.len && strcmp(out.data, "{}") ? out.data : NULL;
}

const char *
message_format(struct cc *cc, LLVMValueRef template, LLVMValueRef args)
{
	uint64_t len;

	if (LLVMIsAConstantExpr(args) &&
	    LLVMGetConstOpcode(args) == LLVMIntToPtr) {
		len = LLVMConstIntGetZExtValue(LLVMGetOperand(args, 0));
		return message_constant(cc, template, 0, len >> 1);
	}
	return template_text(cc, template);
}
