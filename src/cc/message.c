/*
 * What a panic or a print says, as a template of base/text.h and words.
 *
 * Each kind of call has its parts elsewhere: a text, a fmt::Arguments, values
 * whose types stand in the function's name or in a vtable.
 */
#include "base/text.h"
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

void
message_push(struct message *message, size_t at, LLVMValueRef value)
{
	message->at[message->count] = at;
	message->values[message->count++] = value;
}

void
message_add(struct message *message, const char *text, size_t len)
{
	struct arena *arena = &message->cc->arena;

	for (size_t i = 0; i < len; i++) {
		buf_add(arena, &message->text, text + i, 1);
		if (text[i] == '{' || text[i] == '}')
			buf_add(arena, &message->text, text + i, 1);
	}
}

void
message_text(struct message *message, const char *text)
{
	message_add(message, text, strlen(text));
}

struct growing {
	struct arena *arena;
	struct buf text;
};

static void
put_growing(void *data, const char *text, size_t len)
{
	struct growing *out = data;

	buf_add(out->arena, &out->text, text, len);
}

const char *
message_plain(struct message *message)
{
	struct growing out = {.arena = &message->cc->arena};
	struct text_sink sink = {put_growing, &out};

	text_format(&sink, message->text.data, NULL, 0);
	return out.text.len ? out.text.data : "";
}

/* ---- calls ---- */

static const struct message_hole plain_hole = {.options = "",
					       .flags = MESSAGE_FLAGS};

static bool
is_format(const struct panic_function *function)
{
	return function->shape == FORMAT || function->shape == FORMAT_ALONE ||
	       function->shape == PRINT;
}

/* A text that a call is given as pointer and length. */
static void
add_str(struct message *message, unsigned operand)
{
	if (LLVMGetNumArgOperands(message->call) < operand + 2)
		return;
	message_str(message, &plain_hole,
		    LLVMGetOperand(message->call, operand),
		    LLVMGetOperand(message->call, operand + 1), "");
}

const char *
message_generic(struct arena *arena, LLVMValueRef function, unsigned index)
{
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);
	const char *path = cc_demangle(arena, name), *at, *from;
	int depth = 0;

	at = ends_with(path, ">") ? strstr(path, "::<") : NULL;
	if (!at)
		return NULL;
	for (from = at += 3; *at; at++) {
		if (strchr("<([", *at))
			depth++;
		if ((!depth && *at == ',') || (depth == 0 && *at == '>')) {
			if (!index--)
				return arena_dup(arena, from,
						 (size_t)(at - from));
			from = at + 1 + (at[1] == ' ');
			continue;
		}
		/* -> of a function type */
		if (strchr(")]", *at) || (*at == '>' && at[-1] != '-'))
			depth--;
	}
	return NULL;
}

static void
add_unknown(struct message *message)
{
	if (!message->unknown)
		message->unknown = "";
	message_text(message, "{..}");
}

/* A value that an operand points to; moves *operand behind it. Those that are
 * no references and have no size known are pointer and length. */
static void
add_operand(struct message *message, unsigned *operand, unsigned generic,
	    const char *trait)
{
	const char *type =
		message_generic(&message->cc->arena,
				LLVMGetCalledValue(message->call), generic);

	if (!type) {
		add_unknown(message);
		*operand = UINT32_MAX / 2;
	} else if (!strcmp(type, "str") || starts_with(type, "dyn ") ||
		   (*type == '[' && !strstr(type, "; "))) {
		if (!message_fat(message, &plain_hole,
				 LLVMGetOperand(message->call, *operand),
				 LLVMGetOperand(message->call, *operand + 1),
				 type, trait))
			add_unknown(message);
		*operand += 2;
	} else {
		message_typed(message, &plain_hole,
			      LLVMGetOperand(message->call, *operand), type,
			      trait);
		*operand += 1;
	}
}

/* An Option<fmt::Arguments>: its first word is NULL for None. */
static void
add_comment(struct message *message, LLVMValueRef template, LLVMValueRef args)
{
	if (LLVMIsALoadInst(template))
		template = message_stored(message->cc,
					  LLVMGetOperand(template, 0), 0, 8);
	if (template && LLVMIsNull(template))
		return;
	message_text(message, ": ");
	if (template)
		message_format(message, template, args);
	else
		add_unknown(message);
}

static void
add_assertion(struct message *message)
{
	static const char *const texts[] = {
		"assertion `left == right` failed",
		"assertion `left != right` failed",
		"assertion `left matches right` failed",
	};
	LLVMValueRef call = message->call, kind = LLVMGetOperand(call, 0);
	unsigned args = LLVMGetNumArgOperands(call), operand = 1;

	if (!LLVMIsAConstantInt(kind) || LLVMConstIntGetZExtValue(kind) > 2) {
		message_text(message, "assertion failed");
		return;
	}
	message_text(message, texts[LLVMConstIntGetZExtValue(kind)]);
	if (args < 6)
		return;
	add_comment(message, LLVMGetOperand(call, args - 3),
		    LLVMGetOperand(call, args - 2));
	message_text(message, "\n  left: ");
	add_operand(message, &operand, 0, "Debug");
	if (operand >= args)
		return;
	message_text(message, "\n right: ");
	add_operand(message, &operand, 1, "Debug");
}

/* The fmt of a &dyn Debug: behind drop, size and alignment in its vtable. */
static void
add_error(struct message *message)
{
	LLVMValueRef call = message->call, fmt = NULL;

	add_str(message, 0);
	if (LLVMGetNumArgOperands(call) < 5)
		return;
	message_text(message, ": ");
	fmt = message_stored(message->cc, LLVMGetOperand(call, 3), 24, 8);
	if (fmt && LLVMIsAFunction(fmt))
		message_value(message, &plain_hole, LLVMGetOperand(call, 2),
			      fmt);
	else
		add_unknown(message);
}

LLVMValueRef
message_arguments(LLVMValueRef call, const struct panic_function *function)
{
	unsigned args = LLVMGetNumArgOperands(call);

	if (is_format(function) && args >= 2)
		return LLVMGetOperand(call, 1);
	if (function->shape == ASSERT && args >= 6)
		return LLVMGetOperand(call, args - 2);
	return NULL;
}

void
message_of_call(struct message *message, const struct panic_function *function)
{
	LLVMValueRef call = message->call;
	unsigned args = LLVMGetNumArgOperands(call), operand = 0;

	if (is_format(function) && args >= 2)
		message_format(message, LLVMGetOperand(call, 0),
			       LLVMGetOperand(call, 1));
	switch (function->shape) {
	case TEXT:
	case TEXT_ALONE:
		add_str(message, 0);
		break;
	case ERROR:
		add_error(message);
		break;
	case ASSERT:
		add_assertion(message);
		break;
	case DISPLAY:
		if (args >= 2)
			add_operand(message, &operand, 0, "Display");
		break;
	default:
		break;
	}
}
