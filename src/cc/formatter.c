/*
 * The calls by which a function gives text to a Formatter, as core has them
 * (library/core/src/fmt, rustc 1.95 to 1.97), and what they say.
 */
#include "cc/formatter.h"

#include "cc/lower.h"

#include <string.h>

static const struct {
	const char *path;
	enum formatter_call call;
} calls[] = {
	{"<core::fmt::Formatter>::write_str", WRITE_STR},
	{"<core::fmt::Formatter>::pad", PAD},
	{"<core::fmt::Formatter as core::fmt::Write>::write_str", WRITE_STR},
	{"core::fmt::write", WRITE_FORMAT},
	{"<core::fmt::Arguments>::as_statically_known_str", CONSTANT_TEXT},
	{"<core::fmt::Formatter>::debug_tuple_fields_finish", FINISH_TUPLES},
	{"<core::fmt::Formatter>::debug_struct_fields_finish", FINISH_STRUCTS},
	{"<core::fmt::Formatter>::debug_tuple", OPEN_TUPLE},
	{"<core::fmt::Formatter>::debug_struct", OPEN_STRUCT},
	{"<core::fmt::Formatter>::debug_list", OPEN_LIST},
	{"<core::fmt::builders::DebugTuple>::field", TUPLE_FIELD},
	{"<core::fmt::builders::DebugStruct>::field", STRUCT_FIELD},
	{"<core::fmt::builders::DebugList>::entry", LIST_ENTRY},
	{"<core::fmt::builders::DebugTuple>::finish", CLOSE},
	{"<core::fmt::builders::DebugStruct>::finish", CLOSE},
	{"<core::fmt::builders::DebugList>::finish", CLOSE},
};

static const char *
path_of(struct cc *cc, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t len;

	if (!LLVMIsAFunction(callee))
		return NULL;
	return cc_demangle(&cc->arena, LLVMGetValueName2(callee, &len));
}

/* ---- a Formatter's fields: writer (data, vtable), options ---- */

enum { DATA = 0, VTABLE = 8, FLAGS = 16 };

/* Whether it is a load from `base`, so many bytes into it. */
static bool
is_load_of(struct cc *cc, LLVMValueRef value, LLVMValueRef base, uint64_t at)
{
	uint64_t offset;

	return base && LLVMIsALoadInst(value) &&
	       cc_pointer_base(cc->module, LLVMGetOperand(value, 0), &offset) ==
		       base &&
	       offset == at;
}

/* write_str of the writer's vtable, as optimised code has it. */
static bool
is_dyn_write(struct cc *cc, LLVMValueRef call, LLVMValueRef self)
{
	LLVMValueRef callee = LLVMGetCalledValue(call), vtable;
	uint64_t offset;

	if (LLVMGetNumArgOperands(call) != 3 || !LLVMIsALoadInst(callee))
		return false;
	vtable =
		cc_pointer_base(cc->module, LLVMGetOperand(callee, 0), &offset);
	return vtable && offset == 24 && is_load_of(cc, vtable, self, VTABLE) &&
	       is_load_of(cc, LLVMGetOperand(call, 0), self, DATA);
}

bool
formatter_is_read(struct cc *cc, LLVMValueRef instruction, LLVMValueRef self,
		  bool *flags)
{
	uint64_t offset;

	*flags = false;
	if (!LLVMIsALoadInst(instruction) ||
	    cc_pointer_base(cc->module, LLVMGetOperand(instruction, 0),
			    &offset) != self ||
	    offset == DATA || offset == VTABLE)
		return false;
	*flags = offset == FLAGS &&
		 LLVMTypeOf(instruction) == LLVMInt32TypeInContext(cc->context);
	return true;
}

enum formatter_call
formatter_call(struct cc *cc, LLVMValueRef call, LLVMValueRef self)
{
	const char *path = path_of(cc, call);
	static const char prefix[] = "<core::fmt::Formatter>::debug_";

	if (!path)
		return is_dyn_write(cc, call, self) ? WRITE_DYN : NOT_FORMATTER;
	for (size_t i = 0; i < array_count(calls); i++)
		if (!strcmp(calls[i].path, path))
			return calls[i].call;
	if (starts_with(path, prefix) && ends_with(path, "_finish"))
		return starts_with(path + strlen(prefix), "tuple_field")
			       ? FINISH_TUPLE
			       : FINISH_STRUCT;
	return strstr(path, " as core::fmt::") && ends_with(path, ">::fmt")
		       ? VALUE
		       : NOT_FORMATTER;
}

bool
formatter_is_harmless(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee);
}

LLVMValueRef
formatter_local(struct message *message, LLVMTypeRef type)
{
	LLVMBasicBlockRef here = LLVMGetInstructionParent(message->call);
	LLVMBasicBlockRef entry =
		LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(here));
	LLVMValueRef local;

	LLVMPositionBuilderBefore(message->builder,
				  LLVMGetFirstInstruction(entry));
	local = LLVMBuildAlloca(message->builder, type, "");
	LLVMSetAlignment(local, 8);
	LLVMPositionBuilderBefore(message->builder, message->call);
	return local;
}

/* ---- values ---- */

static const struct message_hole plain = {.options = ""};

static void
give_up(struct message *message)
{
	if (!message->unknown)
		message->unknown = "";
	message_text(message, "{..}");
}

/* The fmt of a &dyn Debug: behind drop, size and alignment in its vtable. */
static void
add_dyn(struct formatter *f, struct message *message, LLVMValueRef value,
	LLVMValueRef vtable)
{
	LLVMValueRef fmt =
		vtable ? message_stored(message->cc, vtable, 24, 8) : NULL;

	if (fmt && LLVMIsAFunction(fmt))
		message_value(message, f->hole, value, fmt);
	else
		give_up(message);
}

/* Whether it is constant and of one line. */
static bool
is_line(struct cc *cc, LLVMValueRef pointer, LLVMValueRef len)
{
	const char *text = NULL;

	if (LLVMIsAConstantInt(len))
		text = message_constant(cc, pointer, 0,
					LLVMConstIntGetZExtValue(len));
	return text && !strchr(text, '\n');
}

/* Text of the program's own; {:#?} would put spaces behind its line ends. */
static void
add_str(struct message *message, const struct message_hole *hole,
	LLVMValueRef pointer, LLVMValueRef len)
{
	if (message->indent && !is_line(message->cc, pointer, len))
		give_up(message);
	else
		message_str(message, hole, pointer, len, "");
}

/* Names of types and fields have no line ends. */
static void
add_name(struct message *message, LLVMValueRef pointer, LLVMValueRef len)
{
	message_str(message, &plain, pointer, len, "");
}

/* ---- tuples, structs, lists ---- */

static void
add_line(struct message *message)
{
	message_text(message, "\n");
	for (unsigned i = 0; i < message->indent; i++)
		message_text(message, "    ");
}

static void
begin(struct formatter *f, char open, LLVMValueRef builder)
{
	f->open = open;
	f->builder = builder;
	f->fields = 0;
}

static void
begin_named(struct formatter *f, struct message *message, char open,
	    LLVMValueRef pointer, LLVMValueRef len)
{
	begin(f, open, NULL);
	f->unnamed = LLVMIsAConstantInt(len) && LLVMIsNull(len);
	if (!f->unnamed)
		add_name(message, pointer, len);
}

static void
begin_field(struct formatter *f, struct message *message)
{
	static const char *const opens[][2] = {
		{"(", "("}, {" { ", " {"}, {"[", "["}};
	bool lines = f->hole->alternate;
	unsigned kind = f->open == '(' ? 0 : f->open == '{' ? 1 : 2;

	if (!f->fields++)
		message_text(message, opens[kind][lines]);
	else
		message_text(message, lines ? "" : ", ");
	if (!lines)
		return;
	message->indent++;
	add_line(message);
}

static void
end_field(struct formatter *f, struct message *message)
{
	if (!f->hole->alternate)
		return;
	message_text(message, ",");
	message->indent--;
}

static void
add_field(struct formatter *f, struct message *message, LLVMValueRef value,
	  LLVMValueRef vtable)
{
	begin_field(f, message);
	add_dyn(f, message, value, vtable);
	end_field(f, message);
}

static void
add_named_field(struct formatter *f, struct message *message, LLVMValueRef name,
		LLVMValueRef len, LLVMValueRef value, LLVMValueRef vtable)
{
	begin_field(f, message);
	add_name(message, name, len);
	message_text(message, ": ");
	add_dyn(f, message, value, vtable);
	end_field(f, message);
}

static void
end(struct formatter *f, struct message *message)
{
	bool lines = f->hole->alternate;

	if (f->open == '[' && !f->fields)
		message_text(message, "[");
	if (f->fields && lines)
		add_line(message);
	/* (1,) */
	if (f->open == '(' && f->unnamed && f->fields == 1 && !lines)
		message_text(message, ",");
	if (f->open == '[')
		message_text(message, "]");
	else if (f->fields)
		message_text(message, f->open == '('	   ? ")"
				      : f->fields && lines ? "}"
							   : " }");
	f->open = 0;
}

/* Operands from the third on: the name, then so many for each field. */
static bool
finish(struct formatter *f, struct message *message, LLVMValueRef call,
       bool named)
{
	unsigned count = LLVMGetNumArgOperands(call), each = named ? 4 : 2;
	LLVMValueRef at[4];

	if (count < 3 || (count - 3) % each)
		return false;
	begin_named(f, message, named ? '{' : '(', LLVMGetOperand(call, 1),
		    LLVMGetOperand(call, 2));
	for (unsigned i = 3; i < count; i += each) {
		for (unsigned k = 0; k < each; k++)
			at[k] = LLVMGetOperand(call, i + k);
		if (named)
			add_named_field(f, message, at[0], at[1], at[2], at[3]);
		else
			add_field(f, message, at[0], at[1]);
	}
	end(f, message);
	return true;
}

LLVMValueRef
formatter_load(struct message *message, LLVMTypeRef type, LLVMValueRef base,
	       uint64_t offset)
{
	LLVMContextRef context = message->cc->context;
	LLVMValueRef at =
		LLVMConstInt(LLVMInt64TypeInContext(context), offset, false);

	at = LLVMBuildInBoundsGEP2(message->builder,
				   LLVMInt8TypeInContext(context), base, &at, 1,
				   "");
	return LLVMBuildLoad2(message->builder, type, at, "");
}

/* The pointer in an array at run time. */
static LLVMValueRef
load_pointer(struct message *message, LLVMValueRef array, uint64_t offset)
{
	return formatter_load(message,
			      LLVMPointerTypeInContext(message->cc->context, 0),
			      array, offset);
}

static bool
finish_array(struct formatter *f, struct message *message, LLVMValueRef call,
	     bool named)
{
	struct cc *cc = message->cc;
	unsigned operand = named ? 5 : 3;
	LLVMValueRef array, count, name, len, vtable;

	if (LLVMGetNumArgOperands(call) != operand + 2)
		return false;
	array = LLVMGetOperand(call, operand);
	count = LLVMGetOperand(call, operand + 1);
	if (!LLVMIsAConstantInt(count) || LLVMConstIntGetZExtValue(count) > 256)
		return false;
	begin_named(f, message, named ? '{' : '(', LLVMGetOperand(call, 1),
		    LLVMGetOperand(call, 2));
	for (uint64_t i = 0; i < LLVMConstIntGetZExtValue(count); i++) {
		vtable = message_stored(cc, array, 16 * i + 8, 8);
		if (!named) {
			add_field(f, message,
				  load_pointer(message, array, 16 * i), vtable);
			continue;
		}
		name = message_fixed(cc, LLVMGetOperand(call, 3), 16 * i, 8);
		len = message_fixed(cc, LLVMGetOperand(call, 3), 16 * i + 8, 8);
		if (!name || !len)
			return false;
		add_named_field(f, message, name, len,
				load_pointer(message, array, 16 * i), vtable);
	}
	end(f, message);
	return true;
}

/* Bytes of the values that a formatter is for; 0 if that is not known. */
static uint64_t
formatter_size(LLVMValueRef formatter)
{
	static const char name[] = "dereferenceable";
	LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(
		formatter, 1,
		LLVMGetEnumAttributeKindForName(name, strlen(name)));

	return attribute ? LLVMGetEnumAttributeValue(attribute) : 0;
}

/* ---- one call ---- */

/* A call of a builder that was begun. */
static bool
say_built(struct formatter *f, struct message *message, LLVMValueRef call,
	  enum formatter_call kind)
{
	unsigned count = LLVMGetNumArgOperands(call);
	static const char opens[] = {
		[TUPLE_FIELD] = '(', [STRUCT_FIELD] = '{', [LIST_ENTRY] = '['};

	if (!f->open || LLVMGetOperand(call, 0) != f->builder)
		return false;
	if (kind == CLOSE) {
		end(f, message);
		return true;
	}
	if (opens[kind] != f->open || count != (kind == STRUCT_FIELD ? 5 : 3))
		return false;
	if (kind == STRUCT_FIELD)
		add_named_field(f, message, LLVMGetOperand(call, 1),
				LLVMGetOperand(call, 2),
				LLVMGetOperand(call, 3),
				LLVMGetOperand(call, 4));
	else
		add_field(f, message, LLVMGetOperand(call, 1),
			  LLVMGetOperand(call, 2));
	return true;
}

static bool
say_open(struct formatter *f, struct message *message, LLVMValueRef call,
	 enum formatter_call kind)
{
	if (kind == OPEN_LIST)
		begin(f, '[', NULL);
	else
		begin_named(f, message, kind == OPEN_TUPLE ? '(' : '{',
			    LLVMGetOperand(call, 2), LLVMGetOperand(call, 3));
	f->builder = LLVMGetOperand(call, 0);
	return true;
}

static bool
say_format(struct message *message, LLVMValueRef call, LLVMValueRef self)
{
	if (LLVMGetNumArgOperands(call) != 4 || message->indent ||
	    !is_load_of(message->cc, LLVMGetOperand(call, 0), self, DATA) ||
	    !is_load_of(message->cc, LLVMGetOperand(call, 1), self, VTABLE))
		return false;
	message_format(message, LLVMGetOperand(call, 2),
		       LLVMGetOperand(call, 3));
	return true;
}

/* The items of a slice that is as long as an array, one by one. */
static bool
say_items(struct formatter *f, struct message *message, LLVMValueRef call,
	  LLVMValueRef item)
{
	LLVMContextRef context = message->cc->context;
	LLVMValueRef len = LLVMGetOperand(call, 1), at;
	uint64_t size = formatter_size(item);

	if (!size || !LLVMIsAConstantInt(len) ||
	    LLVMConstIntGetZExtValue(len) > SMELT_WORDS)
		return false;
	begin(f, '[', NULL);
	for (uint64_t i = 0; i < LLVMConstIntGetZExtValue(len); i++) {
		at = LLVMConstInt(LLVMInt64TypeInContext(context), i * size,
				  false);
		at = LLVMBuildInBoundsGEP2(message->builder,
					   LLVMInt8TypeInContext(context),
					   LLVMGetOperand(call, 0), &at, 1, "");
		begin_field(f, message);
		message_value(message, f->hole, at, item);
		end_field(f, message);
	}
	end(f, message);
	return true;
}

/* A type's own fmt: with a pointer, or pointer and length. */
static bool
say_value(struct formatter *f, struct message *message, LLVMValueRef call,
	  LLVMValueRef self)
{
	unsigned count = LLVMGetNumArgOperands(call);
	LLVMValueRef callee = LLVMGetCalledValue(call), item;

	if (count < 2 || count > 3 || LLVMGetOperand(call, count - 1) != self)
		return false;
	if (count == 2) {
		message_value(message, f->hole, LLVMGetOperand(call, 0),
			      callee);
		return true;
	}
	if (message_unsized(message, f->hole, LLVMGetOperand(call, 0),
			    LLVMGetOperand(call, 1), callee))
		return true;
	item = message_item(message->cc, callee);
	return item && say_items(f, message, call, item);
}

bool
formatter_say(struct formatter *f, struct message *message, LLVMValueRef call,
	      LLVMValueRef self)
{
	enum formatter_call kind = formatter_call(message->cc, call, self);
	unsigned first = kind >= OPEN_TUPLE && kind <= OPEN_LIST;

	if (kind >= TUPLE_FIELD && kind <= CLOSE)
		return say_built(f, message, call, kind);
	if (f->open || kind == NOT_FORMATTER || kind == CONSTANT_TEXT)
		return false;
	if (kind == WRITE_FORMAT)
		return say_format(message, call, self);
	if (kind == VALUE)
		return say_value(f, message, call, self);
	if (kind != WRITE_DYN && LLVMGetOperand(call, first) != self)
		return false;
	switch (kind) {
	case WRITE_STR:
	case WRITE_DYN:
		add_str(message, &plain, LLVMGetOperand(call, 1),
			LLVMGetOperand(call, 2));
		return true;
	case PAD:
		add_str(message, f->hole, LLVMGetOperand(call, 1),
			LLVMGetOperand(call, 2));
		return true;
	case FINISH_TUPLE:
	case FINISH_STRUCT:
		return finish(f, message, call, kind == FINISH_STRUCT);
	case FINISH_TUPLES:
	case FINISH_STRUCTS:
		return finish_array(f, message, call, kind == FINISH_STRUCTS);
	default:
		return first && say_open(f, message, call, kind);
	}
}
