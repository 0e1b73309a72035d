/*
 * fmt::Arguments, from the code that makes one.
 *
 * A fmt::Arguments is a template and an array of pairs (value, formatter) on
 * the stack. Nobody formats in a kernel; the template, which is constant, goes
 * to the host, and the values are read here through the pointers of the pairs.
 * A pair is written once, often by way of copies; where that is not so, or a
 * formatter is unknown, {..} stands in the value's place: never a wrong value.
 *
 * The layout is that of rustc 1.95 to 1.97 (library/core/src/fmt/mod.rs,
 * "Arguments"). Whatever does not look like it, on the way, is not taken for
 * it.
 */
#include "base/text.h"
#include "cc/formatter.h"
#include "cc/lower.h"

#include <string.h>

/* ---- what is in a local ---- */

struct writers {
	struct cc *cc;
	LLVMTargetDataRef layout;
	uint64_t from, to; /* the bytes that are wanted */
	LLVMValueRef only; /* the instruction that writes them all */
	uint64_t at;	   /* where it begins to write */
	bool unclear;
};

static void
note_writer(struct writers *w, LLVMValueRef writer, uint64_t at, uint64_t size)
{
	if (at >= w->to || at + size <= w->from)
		return;
	if (w->only || at > w->from || at + size < w->to)
		w->unclear = true;
	w->only = writer;
	w->at = at;
}

static uint64_t
copied_size(LLVMValueRef copy)
{
	LLVMValueRef size = LLVMGetOperand(copy, 2);

	return LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size)
					: UINT64_MAX / 2;
}

/* A call that writes nothing through the pointers that it is given. */
static bool
is_reader(struct cc *cc, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	return lower_is_lifetime(call) ||
	       (LLVMIsAFunction(callee) &&
		(panic_function(&cc->arena, callee) ||
		 formatter_call(cc, call, NULL) != NOT_FORMATTER));
}

static void
find_writers(struct writers *w, LLVMValueRef pointer, uint64_t at)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		uint64_t offset;

		if (LLVMIsAGetElementPtrInst(user)) {
			if (cc_pointer_base(w->cc->module, user, &offset))
				find_writers(w, user, offset);
			else
				w->unclear = true;
		} else if (LLVMIsAStoreInst(user) &&
			   LLVMGetOperand(user, 1) == pointer) {
			LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(user, 0));

			note_writer(w, user, at,
				    LLVMStoreSizeOfType(w->layout, type));
		} else if (LLVMIsAMemCpyInst(user)) {
			if (LLVMGetOperand(user, 0) == pointer)
				note_writer(w, user, at, copied_size(user));
		} else if (LLVMIsACallInst(user) && !is_reader(w->cc, user)) {
			w->unclear = true;
		}
	}
}

/* What a single store put into `size` bytes of a local; NULL if there is none
 * or another. */
static LLVMValueRef
stored(struct cc *cc, LLVMValueRef pointer, uint64_t offset, uint64_t size,
       unsigned depth)
{
	struct writers w = {.cc = cc,
			    .layout = LLVMGetModuleDataLayout(cc->module)};
	uint64_t base_offset;
	LLVMValueRef base = cc_pointer_base(cc->module, pointer, &base_offset);

	if (!base || !LLVMIsAAllocaInst(base) || !depth)
		return NULL;
	w.from = base_offset + offset;
	w.to = w.from + size;
	find_writers(&w, base, 0);
	if (!w.only || w.unclear)
		return NULL;
	if (LLVMIsAMemCpyInst(w.only))
		return stored(cc, LLVMGetOperand(w.only, 1), w.from - w.at,
			      size, depth - 1);
	return w.at == w.from ? LLVMGetOperand(w.only, 0) : NULL;
}

LLVMValueRef
message_fixed(struct cc *cc, LLVMValueRef pointer, uint64_t offset,
	      uint64_t size)
{
	uint64_t base_offset, target, number = 0;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->context);
	LLVMTypeRef byte = LLVMInt8TypeInContext(cc->context);
	LLVMValueRef base = cc_constant_base(cc->module, pointer, &base_offset);
	LLVMValueRef found, index;

	if (!base || !LLVMIsAGlobalVariable(base))
		return NULL;
	found = cc_constant_pointer(cc->module, base, base_offset + offset,
				    &target);
	if (found && size == 8) {
		index = LLVMConstInt(i64, target, false);
		return LLVMConstGEP2(byte, found, &index, 1);
	}
	if (size > 8 || !cc_constant_bytes(cc->module, base,
					   base_offset + offset, &number, size))
		return NULL;
	return LLVMConstInt(
		LLVMIntTypeInContext(cc->context, (unsigned)size * 8), number,
		false);
}

LLVMValueRef
message_stored(struct cc *cc, LLVMValueRef pointer, uint64_t offset,
	       uint64_t size)
{
	LLVMValueRef value = message_fixed(cc, pointer, offset, size);

	return value ? value : stored(cc, pointer, offset, size, 8);
}

/* ---- fmt::Arguments ---- */

/* Flags of FormattingOptions. */
enum {
	FILL = 0x1fffff,
	PLUS = 1 << 21,
	ALTERNATE = 1 << 23,
	ZERO = 1 << 24,
	LOWER_HEX = 1 << 25,
	UPPER_HEX = 1 << 26,
	WIDTH = 1 << 27,
	PRECISION = 1 << 28,
	ALIGN = 29,
};

/* A placeholder of the template. */
struct placeholder {
	uint32_t flags;
	unsigned width, precision; /* or the index of one */
	bool width_indirect, precision_indirect;
	unsigned arg;
};

struct arguments {
	struct message *message;
	LLVMValueRef template;
	LLVMValueRef array;
	uint64_t at; /* in the template */
	unsigned next;
};

static bool
read_number(struct arguments *a, unsigned size, uint32_t *number)
{
	const char *bytes =
		message_constant(a->message->cc, a->template, a->at, size);

	*number = 0;
	if (!bytes)
		return false;
	a->at += size;
	for (unsigned i = 0; i < size; i++)
		*number |= (uint32_t)(unsigned char)bytes[i] << 8 * i;
	return true;
}

static bool
read_placeholder(struct arguments *a, unsigned code, struct placeholder *p)
{
	uint32_t n = 0;

	*p = (struct placeholder){.flags = MESSAGE_FLAGS, .arg = a->next};
	if (code & 1 && !read_number(a, 4, &p->flags))
		return false;
	if (code & 2 && read_number(a, 2, &n))
		p->width = n;
	if (code & 4 && read_number(a, 2, &n))
		p->precision = n;
	if (code & 8 && read_number(a, 2, &n))
		p->arg = n;
	p->width_indirect = code & 16;
	p->precision_indirect = code & 32;
	a->next = p->arg + 1;
	return true;
}

static LLVMValueRef
argument_word(struct arguments *a, unsigned index, uint64_t offset,
	      uint64_t size)
{
	return message_stored(a->message->cc, a->array,
			      16 * (uint64_t)index + offset, size);
}

/* A width or precision: as a number, or as $ with the count of an argument. */
static bool
add_count(struct arguments *a, struct buf *text, struct message_hole *hole,
	  bool indirect, unsigned count)
{
	struct arena *arena = &a->message->cc->arena;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(a->message->cc->context);
	LLVMValueRef marker, value;

	if (!indirect) {
		buf_printf(arena, text, "%u", count);
		return true;
	}
	/* No value, no formatter: a null pointer, and a u16 behind it. */
	marker = argument_word(a, count, 0, 8);
	value = argument_word(a, count, 8, 2);
	if (!marker || !LLVMIsNull(marker) || !value ||
	    LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
		return false;
	buf_puts(arena, text, "$");
	hole->counts[hole->count++] =
		LLVMBuildIntCast2(a->message->builder, value, i64, false, "");
	return true;
}

static bool
read_options(struct arguments *a, const struct placeholder *p,
	     struct message_hole *hole)
{
	static const char aligns[] = "<>^";
	struct arena *arena = &a->message->cc->arena;
	unsigned align = p->flags >> ALIGN & 3;
	struct buf text = {0};
	char fill[4];

	hole->lower_hex = p->flags & LOWER_HEX;
	hole->upper_hex = p->flags & UPPER_HEX;
	hole->alternate = p->flags & ALTERNATE;
	hole->flags = p->flags;
	if (align < 3) {
		buf_add(arena, &text, fill, text_encode(p->flags & FILL, fill));
		buf_add(arena, &text, aligns + align, 1);
	}
	if (p->flags & PLUS)
		buf_puts(arena, &text, "+");
	if (p->flags & ALTERNATE)
		buf_puts(arena, &text, "#");
	if (p->flags & ZERO)
		buf_puts(arena, &text, "0");
	if (p->flags & WIDTH && (p->width || p->width_indirect) &&
	    !add_count(a, &text, hole, p->width_indirect, p->width))
		return false;
	if (p->flags & PRECISION) {
		buf_puts(arena, &text, ".");
		if (!add_count(a, &text, hole, p->precision_indirect,
			       p->precision))
			return false;
	}
	hole->options = text.len ? text.data : "";
	return true;
}

static void
add_placeholder(struct arguments *a, const struct placeholder *p)
{
	struct message_hole hole = {0};
	LLVMValueRef value = argument_word(a, p->arg, 0, 8);
	LLVMValueRef formatter = argument_word(a, p->arg, 8, 8);

	if (value && formatter && LLVMIsAFunction(formatter) &&
	    read_options(a, p, &hole)) {
		message_value(a->message, &hole, value, formatter);
		return;
	}
	if (!a->message->unknown)
		a->message->unknown = "";
	message_text(a->message, "{..}");
}

/* A byte below 0x80 is the length of a piece of text, 0x80 is followed by a
 * longer length, 0xC0 and above stand for an argument with options, 0 ends it.
 * False if it is not like that. */
static bool
read_template(struct arguments *a)
{
	struct placeholder placeholder;
	const char *piece;
	uint32_t code;

	for (;;) {
		if (!read_number(a, 1, &code))
			return false;
		if (!code)
			return true;
		if (code >= 0xc0) {
			if (!read_placeholder(a, code, &placeholder))
				return false;
			add_placeholder(a, &placeholder);
			continue;
		}
		if (code > 0x80 || (code == 0x80 && !read_number(a, 2, &code)))
			return false;
		piece = message_constant(a->message->cc, a->template, a->at,
					 code);
		if (!piece)
			return false;
		message_add(a->message, piece, code);
		a->at += code;
	}
}

/* Without arguments the template is the text itself, and twice its length plus
 * one stands in place of the pointer to them. */
static const char *
plain_text(struct cc *cc, LLVMValueRef template, LLVMValueRef args)
{
	uint64_t len;

	if (!LLVMIsAConstantExpr(args) ||
	    LLVMGetConstOpcode(args) != LLVMIntToPtr)
		return NULL;
	len = LLVMConstIntGetZExtValue(LLVMGetOperand(args, 0));
	if (len == 1)
		return "";
	return len & 1 ? message_constant(cc, template, 0, len >> 1) : NULL;
}

/* The text of Arguments::from_str, where that is still called: in a crate that
 * is not optimised. */
static const char *
made_text(struct cc *cc, LLVMValueRef template)
{
	LLVMValueRef call, callee, len;
	const char *name;
	size_t size;

	if (!LLVMIsAExtractValueInst(template))
		return NULL;
	call = LLVMGetOperand(template, 0);
	callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
	if (!callee || !LLVMIsAFunction(callee) ||
	    LLVMGetNumArgOperands(call) != 2)
		return NULL;
	name = LLVMGetValueName2(callee, &size);
	len = LLVMGetOperand(call, 1);
	if (!strstr(name, "4core3fmt") ||
	    !strstr(name, "9Arguments8from_str") || !LLVMIsAConstantInt(len))
		return NULL;
	return message_constant(cc, LLVMGetOperand(call, 0), 0,
				LLVMConstIntGetZExtValue(len));
}

void
message_format(struct message *message, LLVMValueRef template,
	       LLVMValueRef args)
{
	struct arguments a = {message, template, args, 0, 0};
	const char *text = plain_text(message->cc, template, args);
	size_t before = message->text.len;

	if (!text)
		text = made_text(message->cc, template);
	if (text) {
		message_text(message, text);
		return;
	}
	if (read_template(&a))
		return;
	if (!message->unknown)
		message->unknown = "";
	if (message->text.len == before)
		message_text(message, "{..}");
}

/* ---- what only prepares a message ---- */

static bool
is_unread_local(struct cc *cc, LLVMValueRef pointer, unsigned depth);

/* Whether nothing reads a local; addresses of it may be compared, and be stored
 * where they are not read (for a debugger). */
static bool
is_unread(struct cc *cc, LLVMValueRef pointer, unsigned depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsAGetElementPtrInst(user)) {
			if (!is_unread(cc, user, depth))
				return false;
		} else if (LLVMIsAStoreInst(user)) {
			if (LLVMGetOperand(user, 0) == pointer &&
			    !is_unread_local(cc, LLVMGetOperand(user, 1),
					     depth))
				return false;
		} else if (LLVMIsAMemCpyInst(user)) {
			if (LLVMGetOperand(user, 0) != pointer)
				return false;
		} else if (!LLVMIsAICmpInst(user) && !lower_is_lifetime(user)) {
			return false;
		}
	}
	return true;
}

static bool
is_unread_local(struct cc *cc, LLVMValueRef pointer, unsigned depth)
{
	uint64_t offset;
	LLVMValueRef base = cc_pointer_base(cc->module, pointer, &offset);

	return depth && base && LLVMIsAAllocaInst(base) &&
	       is_unread(cc, base, depth - 1);
}

static void
drop_writers(struct cc *cc, LLVMValueRef pointer)
{
	LLVMUseRef use = LLVMGetFirstUse(pointer);

	while (use) {
		LLVMValueRef user = LLVMGetUser(use), source;

		use = LLVMGetNextUse(use);
		if (LLVMIsAGetElementPtrInst(user)) {
			drop_writers(cc, user);
		} else if (LLVMIsAStoreInst(user)) {
			LLVMInstructionEraseFromParent(user);
		} else if (LLVMIsAMemCpyInst(user)) {
			source = LLVMGetOperand(user, 1);
			LLVMInstructionEraseFromParent(user);
			message_drop(cc, source);
		}
	}
}

void
message_drop(struct cc *cc, LLVMValueRef args)
{
	uint64_t offset;

	if (is_unread_local(cc, args, 4))
		drop_writers(cc, cc_pointer_base(cc->module, args, &offset));
}
