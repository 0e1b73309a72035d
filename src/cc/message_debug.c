/*
 * A value whose text is made by a function: Debug as it is derived, that of
 * tuples and Option, the user's own.
 *
 * Such a function gives its text to a Formatter, by calls of a few kinds, and
 * which it makes may depend on the value. A copy of it is made here without
 * those calls. Instead it leaves words, through the pointer that was the
 * Formatter: which way it went, and the values on that way. The texts of the
 * ways are alternatives of the message. So whatever the function asks of the
 * value is asked by its own code; a function that does anything else but ask
 * and give text is not understood, and {..} stands for its value.
 */
#include "cc/formatter.h"

#include <string.h>

enum {
	most_ways = 64,
	most_depth = 24,
	most_slots = 2 * SMELT_WORDS,
	most_blocks = 400
};

/* From the entry to a return. */
struct way {
	struct message message;
	struct formatter formatter;
	LLVMValueRef last; /* call of the Formatter */
};

struct slot {
	bool is_text; /* pointer and length, else a word */
	uint64_t offset;
};

struct debug {
	struct message *message; /* that it becomes part of */
	const struct message_hole *hole;
	LLVMValueRef function; /* the copy */
	struct way *ways[most_ways];
	unsigned way_count;
	struct slot slots[most_slots];
	unsigned slot_count;
	unsigned steps;
	bool reads; /* what is not known of the Formatter */
	struct {
		LLVMBasicBlockRef block; /* with calls */
		LLVMValueRef behind;	 /* the one before them */
	} said[most_blocks];
	unsigned said_count;
	LLVMValueRef calls[most_blocks]; /* of the Formatter, to be erased */
	unsigned call_count;
};

static LLVMValueRef
formatter_of(const struct debug *d)
{
	return LLVMGetLastParam(d->function);
}

/* ---- the copy ---- */

/* No call fails: text does not. That a fmt::Arguments may be a mere text is
 * not asked. */
static void
replace_result(struct cc *cc, LLVMValueRef call, LLVMValueRef self)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	LLVMValueRef result = NULL;
	enum formatter_call kind = formatter_call(cc, call, self);

	if (kind == NOT_FORMATTER)
		return;
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		result = LLVMGetOperand(call, 0);
	else if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
		result = LLVMConstNull(type);
	if (result)
		LLVMReplaceAllUsesWith(call, result);
	if (kind == CONSTANT_TEXT)
		LLVMInstructionEraseFromParent(call);
}

/* What is known of the Formatter that it would be given. */
static void
replace_known(struct debug *d, LLVMValueRef instruction)
{
	struct cc *cc = d->message->cc;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(cc->context);
	bool flags;

	if (LLVMIsACallInst(instruction))
		replace_result(cc, instruction, formatter_of(d));
	else if (formatter_is_read(cc, instruction, formatter_of(d), &flags) &&
		 flags)
		LLVMReplaceAllUsesWith(
			instruction, LLVMConstInt(i32, d->hole->flags, false));
}

/* Calls `visit` for each instruction, which it may erase. */
static void
each_instruction(struct debug *d,
		 void (*visit)(struct debug *d, LLVMValueRef instruction))
{
	LLVMValueRef next;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(d->function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
			next = LLVMGetNextInstruction(i);
			visit(d, i);
		}
}

static void
copy(struct debug *d, LLVMValueRef function)
{
	d->function = cc_shim_copy_function(function, false);
	LLVMSetLinkage(d->function, LLVMInternalLinkage);
	LLVMSetValueName2(d->function, MESSAGE_COPY, strlen(MESSAGE_COPY));
	cc_inline_always(d->function);
	cc_run_passes_on(d->function, "sroa");
	each_instruction(d, replace_known);
	cc_run_passes_on(d->function, "sroa,sccp,simplifycfg,dce");
}

/* Where it depends on a width or the like, which nobody has here. */
static void
note_read(struct debug *d, LLVMValueRef instruction)
{
	bool flags;

	d->reads |= formatter_is_read(d->message->cc, instruction,
				      formatter_of(d), &flags);
}

/* ---- its ways ---- */

static bool
walk(struct debug *d, LLVMBasicBlockRef block, const struct way *so_far);

static struct way *
extended(struct debug *d, const struct way *way)
{
	struct way *more =
		arena_alloc(&d->message->cc->arena, sizeof(struct way));
	struct buf text = {0};

	*more = *way;
	if (way->message.text.len)
		buf_add(&d->message->cc->arena, &text, way->message.text.data,
			way->message.text.len);
	more->message.text = text;
	return more;
}

static bool
end_way(struct debug *d, const struct way *way)
{
	if (!way->last || way->formatter.open || d->way_count == most_ways)
		return false;
	d->ways[d->way_count++] = extended(d, way);
	return true;
}

/* Values are where they were loaded, so a block that says something must always
 * come behind the same; then it is looked at once. False if it does not. */
static bool
visit(struct debug *d, LLVMBasicBlockRef block, LLVMValueRef last, bool *again)
{
	*again = false;
	for (unsigned i = 0; i < d->said_count; i++)
		if (d->said[i].block == block) {
			*again = true;
			return d->said[i].behind == last;
		}
	if (d->said_count == most_blocks)
		return false;
	d->said[d->said_count].block = block;
	d->said[d->said_count++].behind = last;
	return true;
}

static bool
says(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
	     i = LLVMGetNextInstruction(i))
		if (LLVMIsACallInst(i) && !formatter_is_harmless(i))
			return true;
	return false;
}

/* What the calls of a block say. */
static bool
say_block(struct debug *d, LLVMBasicBlockRef block, struct way *way)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
	     i = LLVMGetNextInstruction(i)) {
		if (!LLVMIsACallInst(i) || formatter_is_harmless(i))
			continue;
		way->message.call = way->last = i;
		LLVMPositionBuilderBefore(way->message.builder, i);
		if (d->call_count == most_blocks ||
		    !formatter_say(&way->formatter, &way->message, i,
				   formatter_of(d)))
			return false;
		d->calls[d->call_count++] = i;
	}
	return true;
}

static bool
leave_block(struct debug *d, LLVMBasicBlockRef block, const struct way *way)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	unsigned count = LLVMGetNumSuccessors(end);

	if (LLVMIsAReturnInst(end))
		return end_way(d, way);
	if (LLVMIsAUnreachableInst(end))
		return true;
	for (unsigned i = 0; i < count; i++) {
		LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
		bool again = false;

		for (unsigned k = 0; k < i; k++)
			again |= LLVMGetSuccessor(end, k) == next;
		if (!again && !walk(d, next, way))
			return false;
	}
	return count > 0;
}

static bool
walk(struct debug *d, LLVMBasicBlockRef block, const struct way *so_far)
{
	struct way *way = extended(d, so_far);
	bool again = false;

	if (d->steps++ == most_blocks)
		return false;
	if (says(block) && !visit(d, block, way->last, &again))
		return false;
	return again ||
	       (say_block(d, block, way) && leave_block(d, block, way));
}

/* ---- words ---- */

static bool
is_text(const struct message *message, unsigned index)
{
	LLVMTypeRef type = LLVMTypeOf(message->values[index]);

	return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

/* How many values stand at one place of the text, from this one on. */
static unsigned
group_size(const struct message *m, unsigned first)
{
	unsigned n = 0;

	while (first + n < m->count && m->at[first + n] == m->at[first])
		n++;
	return n;
}

/* Whether the slots from `from` on are of a group's kinds, as far as there are
 * any. */
static bool
has_place(const struct debug *d, unsigned from, const struct message *m,
	  unsigned first)
{
	unsigned end = first + group_size(m, first);

	for (unsigned i = first; i < end && from < d->slot_count;
	     i += 1 + is_text(m, i))
		if (d->slots[from++].is_text != is_text(m, i))
			return false;
	return true;
}

static void
add_slot(struct debug *d, bool text)
{
	struct slot *slot = &d->slots[d->slot_count];

	slot->is_text = text;
	slot->offset = d->slot_count ? slot[-1].offset + 8 : 0;
	if (d->slot_count && slot[-1].is_text)
		slot->offset += 8;
	d->slot_count++;
}

/* Slots for a group, side by side since nothing can be passed over within a
 * hole: the first from `from` on, or new ones. The slot behind them, 0 if there
 * is no room. */
static unsigned
place_group(struct debug *d, unsigned from, const struct message *m,
	    unsigned first)
{
	unsigned end = first + group_size(m, first);

	while (!has_place(d, from, m, first))
		from++;
	for (unsigned i = first; i < end; i += 1 + is_text(m, i)) {
		if (from == most_slots)
			return 0;
		if (from == d->slot_count)
			add_slot(d, is_text(m, i));
		from++;
	}
	return from;
}

static bool
make_slots(struct debug *d)
{
	unsigned begin = d->way_count > 1, slot;

	if (begin)
		add_slot(d, false);
	for (unsigned w = 0; w < d->way_count; w++) {
		const struct message *m = &d->ways[w]->message;

		slot = begin;
		for (unsigned i = 0; i < m->count; i += group_size(m, i)) {
			slot = place_group(d, slot, m, i);
			if (!slot)
				return false;
		}
	}
	return true;
}

static void
store(struct debug *d, LLVMBuilderRef builder, LLVMValueRef value,
      uint64_t offset)
{
	LLVMContextRef context = d->message->cc->context;
	LLVMValueRef at =
		LLVMConstInt(LLVMInt64TypeInContext(context), offset, false);

	at = LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(context),
				   formatter_of(d), &at, 1, "");
	LLVMSetAlignment(LLVMBuildStore(builder, value, at), 8);
}

static void
store_text(struct debug *d, LLVMBuilderRef builder, const struct slot *slot,
	   LLVMValueRef pointer, LLVMValueRef len)
{
	store(d, builder, pointer, slot->offset);
	store(d, builder, len, slot->offset + 8);
}

/* A slot that this way has no value for. Nothing else would say how long a str
 * in it is. */
static void
clear_slot(struct debug *d, LLVMBuilderRef builder, const struct slot *slot)
{
	LLVMContextRef context = d->message->cc->context;
	LLVMTypeRef address = LLVMPointerTypeInContext(context, 0);
	LLVMValueRef zero =
		LLVMConstInt(LLVMInt64TypeInContext(context), 0, false);

	if (slot->is_text)
		store_text(d, builder, slot, LLVMConstNull(address), zero);
	else
		store(d, builder, zero, slot->offset);
}

/* Text of a way that goes over the slots it does not use. */
struct passing {
	struct buf text;
	size_t copied; /* of the way's own */
};

static void
pass_slot(struct debug *d, const struct way *way, struct passing *passing,
	  const struct slot *slot, size_t at)
{
	struct arena *arena = &d->message->cc->arena;

	if (at > passing->copied)
		buf_add(arena, &passing->text,
			way->message.text.data + passing->copied,
			at - passing->copied);
	passing->copied = at;
	buf_puts(arena, &passing->text, slot->is_text ? "{-str}" : "{-}");
}

static void
store_group(struct debug *d, const struct message *m, unsigned first,
	    unsigned slot)
{
	unsigned end = first + group_size(m, first);

	for (unsigned i = first; i < end; i += 1 + is_text(m, i), slot++)
		if (is_text(m, i))
			store_text(d, m->builder, &d->slots[slot], m->values[i],
				   m->values[i + 1]);
		else
			store(d, m->builder, m->values[i],
			      d->slots[slot].offset);
}

/* Leaves a way's number and values in their slots. */
static void
store_way(struct debug *d, unsigned number)
{
	struct way *way = d->ways[number];
	struct message *m = &way->message;
	unsigned slot = d->way_count > 1, value = 0, end;
	struct passing passing = {.copied = 0};
	LLVMTypeRef i64 = LLVMInt64TypeInContext(m->cc->context);

	LLVMPositionBuilderBefore(m->builder, way->last);
	if (slot)
		store(d, m->builder, LLVMConstInt(i64, number, false), 0);
	while (slot < d->slot_count) {
		if (value == m->count || !has_place(d, slot, m, value)) {
			clear_slot(d, m->builder, &d->slots[slot]);
			pass_slot(d, way, &passing, &d->slots[slot++],
				  value < m->count ? m->at[value]
						   : m->text.len);
			continue;
		}
		store_group(d, m, value, slot);
		for (end = value + group_size(m, value); value < end; slot++)
			value += 1 + is_text(m, value);
	}
	if (m->text.len > passing.copied)
		buf_add(&m->cc->arena, &passing.text,
			m->text.data + passing.copied,
			m->text.len - passing.copied);
	m->text = passing.text;
}

/* ---- the message ---- */

static unsigned
words_of_slots(const struct debug *d)
{
	unsigned words = 0;

	for (unsigned i = 0; i < d->slot_count; i++)
		words += d->slots[i].is_text ? message_text_words : 1;
	return words;
}

static void
add_alternatives(struct debug *d)
{
	struct arena *arena = &d->message->cc->arena;
	struct buf *text = &d->message->text;

	for (unsigned i = 0; i < d->way_count; i++) {
		const struct way *way = d->ways[i];

		if (d->way_count > 1)
			buf_puts(arena, text, i ? "{|}" : "{?}");
		if (way->message.text.len)
			buf_puts(arena, text, way->message.text.data);
		if (way->message.unknown && !d->message->unknown) {
			d->message->unknown = way->message.unknown;
			d->message->too_long = way->message.too_long;
		}
	}
	if (d->way_count > 1)
		buf_puts(arena, text, "{;}");
}

/* Calls the copy, and has its words. */
static void
add_words(struct debug *d, const LLVMValueRef *operands, unsigned count)
{
	struct message *m = d->message;
	LLVMContextRef context = m->cc->context;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
	LLVMTypeRef address = LLVMPointerTypeInContext(context, 0);
	LLVMValueRef args[3] = {operands[0], operands[count - 1]};
	LLVMValueRef words;
	size_t at = m->text.len;

	words = formatter_local(m, LLVMArrayType2(i64, most_slots));
	args[count] = words;
	LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(d->function),
		       d->function, args, count + 1, "");
	for (unsigned i = 0; i < d->slot_count; i++) {
		const struct slot *s = &d->slots[i];
		bool text = s->is_text;

		message_push(m, at,
			     formatter_load(m, text ? address : i64, words,
					    s->offset));
		if (text)
			message_push(
				m, at,
				formatter_load(m, i64, words, s->offset + 8));
	}
	m->words += words_of_slots(d);
}

/* The calls of the copy are what its ways were read from; with what they were
 * given, formatters too, and loads from the Formatter that now is none. */
static void
erase_calls(struct debug *d)
{
	for (unsigned i = 0; i < d->call_count; i++) {
		LLVMValueRef call = d->calls[i];

		if (LLVMGetFirstUse(call))
			LLVMReplaceAllUsesWith(call,
					       LLVMGetPoison(LLVMTypeOf(call)));
		LLVMInstructionEraseFromParent(call);
	}
	cc_run_passes_on(d->function, "sroa,dce");
}

static bool
describe(struct debug *d, const LLVMValueRef *operands, unsigned count)
{
	struct message *m = d->message;
	struct way start = {
		.message = {.cc = m->cc,
			    .depth = m->depth + 1,
			    .words = m->words,
			    .indent = m->indent,
			    .builder =
				    LLVMCreateBuilderInContext(m->cc->context)},
		.formatter = {.hole = d->hole},
	};
	bool good = walk(d, LLVMGetEntryBasicBlock(d->function), &start) &&
		    d->way_count && make_slots(d);

	if (good && m->words + words_of_slots(d) > SMELT_WORDS) {
		m->too_long = !m->unknown;
		good = false;
	}
	if (good) {
		for (unsigned i = 0; i < d->way_count; i++)
			store_way(d, i);
		erase_calls(d);
		add_words(d, operands, count);
		add_alternatives(d);
	}
	LLVMDisposeBuilder(start.message.builder);
	return good;
}

bool
message_debug(struct message *message, const struct message_hole *hole,
	      const LLVMValueRef *operands, unsigned count,
	      LLVMValueRef function)
{
	struct debug *d = arena_alloc(&message->cc->arena, sizeof(*d));
	bool good;

	/* A width that is a value would have to be passed on. */
	if (LLVMIsDeclaration(function) || hole->count ||
	    message->depth == most_depth ||
	    LLVMCountParams(function) != count + 1)
		return false;
	memset(d, 0, sizeof(*d));
	d->message = message;
	d->hole = hole;
	copy(d, function);
	each_instruction(d, note_read);
	good = !d->reads && describe(d, operands, count);
	if (!good)
		LLVMDeleteFunction(d->function);
	return good;
}
