/*
 * Stage `sites`: every panic becomes a call of __smelt_panic(site, a, b).
 *
 * A panic of core formats its message; a kernel cannot, and need not: which
 * check failed, where, and the two numbers of a failed index say it all. What
 * is known here (kind, text, place) goes into the table of sites, what is only
 * known to the thread is passed on. The call that replaces a panic does not
 * return, as the one before it, so what follows it stays as unreachable as it
 * was; the check in front of it is never touched.
 *
 * Where a panic's place or text is a parameter of the function that it is in
 * (#[track_caller]), that function is inlined first, so that the place becomes
 * that of the user's line.
 */
#include "cc.h"

#include <llvm-c/DebugInfo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PANIC "__smelt_panic"

/* What stands before the last argument, the &Location. */
enum shape {
	PLACE_ONLY,
	TEXT,	      /* pointer and length */
	TEXT_ALONE,   /* and no &Location behind it */
	FORMAT,	      /* fmt::Arguments */
	FORMAT_ALONE, /* followed by a bool at most */
	INDEX,	      /* index, length */
	SLICE,	      /* start, end, length */
	LENGTHS,      /* of destination, of source */
	ASSERT,	      /* kind of comparison, then operands */
	ALONE,	      /* nothing that is known */
};

/* Functions that panic, by path without generic arguments. A path that ends in
 * :: stands for all below it. */
static const struct panic_function {
	const char *path;
	enum shape shape;
	enum smelt_panic_kind kind;
	const char *message; /* NULL: from the call */
} functions[] = {
	{"core::panicking::panic_bounds_check", INDEX, SMELT_PANIC_BOUNDS,
	 "index out of bounds"},
	{"core::panicking::panic_const::panic_const_add_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to add with overflow"},
	{"core::panicking::panic_const::panic_const_sub_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to subtract with overflow"},
	{"core::panicking::panic_const::panic_const_mul_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to multiply with overflow"},
	{"core::panicking::panic_const::panic_const_div_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to divide with overflow"},
	{"core::panicking::panic_const::panic_const_rem_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to calculate the remainder with overflow"},
	{"core::panicking::panic_const::panic_const_neg_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to negate with overflow"},
	{"core::panicking::panic_const::panic_const_shl_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to shift left with overflow"},
	{"core::panicking::panic_const::panic_const_shr_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to shift right with overflow"},
	{"core::panicking::panic_const::panic_const_div_by_zero", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to divide by zero"},
	{"core::panicking::panic_const::panic_const_rem_by_zero", PLACE_ONLY,
	 SMELT_PANIC_ARITH,
	 "attempt to calculate the remainder with a divisor of zero"},
	{"core::panicking::panic_const::", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "resumed after completion"},
	{"core::num::overflow_panic::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "arithmetic overflow"},
	{"core::num::imp::overflow_panic::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "arithmetic overflow"},
	{"core::num::int_log10::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "argument of integer logarithm must be positive"},
	{"core::num::imp::int_log10::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "argument of integer logarithm must be positive"},
	{"core::num::int_sqrt::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "argument of integer square root cannot be negative"},
	{"core::num::imp::int_sqrt::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "argument of integer square root cannot be negative"},
	{"core::num::from_ascii_radix_panic", ALONE, SMELT_PANIC_OTHER,
	 "radix must lie in the range `[2, 36]`"},
	{"core::panicking::panic", TEXT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_fmt", FORMAT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::const_panic_fmt", FORMAT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_nounwind", TEXT_ALONE, SMELT_PANIC_OTHER,
	 NULL},
	{"core::panicking::panic_nounwind_nobacktrace", TEXT_ALONE,
	 SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_nounwind_fmt", FORMAT_ALONE, SMELT_PANIC_OTHER,
	 NULL},
	{"core::panicking::panic_str_literal", TEXT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_str_2015", TEXT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_explicit", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "explicit panic"},
	{"core::panicking::unreachable_display", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "internal error: entered unreachable code"},
	{"core::panicking::panic_display", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "explicit panic"},
	{"core::panicking::panic_misaligned_pointer_dereference", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "misaligned pointer dereference"},
	{"core::panicking::panic_null_pointer_dereference", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "null pointer dereference occurred"},
	{"core::panicking::panic_invalid_enum_construction", PLACE_ONLY,
	 SMELT_PANIC_OTHER,
	 "trying to construct an enum from an invalid value"},
	{"core::panicking::panic_cannot_unwind", ALONE, SMELT_PANIC_OTHER,
	 "panic in a function that cannot unwind"},
	{"core::panicking::panic_in_cleanup", ALONE, SMELT_PANIC_OTHER,
	 "panic in a destructor during cleanup"},
	{"core::panicking::assert_failed", ASSERT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::assert_failed_inner", ASSERT, SMELT_PANIC_OTHER,
	 NULL},
	{"core::panicking::assert_matches_failed", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "assertion `left matches right` failed"},
	{"core::option::unwrap_failed", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "called `Option::unwrap()` on a `None` value"},
	{"core::option::expect_failed", TEXT, SMELT_PANIC_OTHER, NULL},
	{"core::result::unwrap_failed", TEXT, SMELT_PANIC_OTHER, NULL},
	{"core::cell::panic_already_borrowed", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "RefCell already borrowed"},
	{"core::cell::panic_already_mutably_borrowed", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "RefCell already mutably borrowed"},
	{"core::cell::lazy::panic_poisoned", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "LazyCell instance has previously been poisoned"},
	{"core::slice::index::slice_index_fail", SLICE, SMELT_PANIC_RANGE,
	 NULL},
	{"core::slice::index::slice_start_index_len_fail", INDEX,
	 SMELT_PANIC_RANGE,
	 "range start index {} out of range for slice of length {}"},
	{"core::slice::index::slice_end_index_len_fail", INDEX,
	 SMELT_PANIC_RANGE,
	 "range end index {} out of range for slice of length {}"},
	{"core::slice::index::slice_index_order_fail", INDEX, SMELT_PANIC_RANGE,
	 "slice index starts at {} but ends at {}"},
	{"core::slice::index::slice_start_index_overflow_fail", PLACE_ONLY,
	 SMELT_PANIC_OTHER,
	 "attempted to index slice from after maximum usize"},
	{"core::slice::index::slice_end_index_overflow_fail", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "attempted to index slice up to maximum usize"},
	{"core::slice::copy_from_slice_impl::len_mismatch_fail", LENGTHS,
	 SMELT_PANIC_RANGE,
	 "copy_from_slice: source slice length ({}) does not match "
	 "destination slice length ({})"},
	{"core::slice::sort::shared::smallsort::panic_on_ord_violation",
	 PLACE_ONLY, SMELT_PANIC_OTHER,
	 "user-provided comparison function does not correctly implement a "
	 "total order"},
	{"core::str::slice_error_fail", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "string index out of range or not on a character boundary"},
	{"core::str::slice_error_fail_rt", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "string index out of range or not on a character boundary"},
	{"core::str::slice_error_fail_ct", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "string index out of range or not on a character boundary"},
	{"core::wtf8::slice_error_fail", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "string index out of range or not on a character boundary"},
	{"std::panicking::begin_panic", TEXT, SMELT_PANIC_OTHER, NULL},
	{"std::rt::panic_fmt", FORMAT, SMELT_PANIC_OTHER, NULL},
	{"std::rt::begin_panic", TEXT, SMELT_PANIC_OTHER, NULL},
	{"std::rt::panic_display", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "explicit panic"},
	{"std::process::abort", ALONE, SMELT_PANIC_OTHER, "abort"},
	{"core::intrinsics::abort", ALONE, SMELT_PANIC_OTHER, "abort"},
	{"llvm.trap", ALONE, SMELT_PANIC_OTHER, "abort"},
};

/* The path without "::<...>" and generic arguments. */
static char *
without_generics(struct arena *arena, const char *path)
{
	char *out = arena_alloc(arena, strlen(path) + 1), *to = out;
	int depth = 0;

	/* A leading < belongs to <T as Trait>, which none of them is. */
	if (*path == '<')
		return arena_dup(arena, path, strlen(path));
	for (; *path; path++) {
		if (starts_with(path, "::<"))
			path += 2;
		if (*path == '<')
			depth++;
		else if (*path == '>' && depth)
			depth--;
		else if (!depth)
			*to++ = *path;
	}
	return out;
}

static const struct panic_function *
panic_function(struct arena *arena, LLVMValueRef function)
{
	size_t len;
	const char *symbol = LLVMGetValueName2(function, &len);
	const char *path;

	if (!starts_with(symbol, "_R") && !starts_with(symbol, "_ZN") &&
	    strcmp(symbol, "llvm.trap"))
		return NULL;
	if (symbol[0] == '_' && !strstr(symbol, "panic") &&
	    !strstr(symbol, "fail") && !strstr(symbol, "abort") &&
	    !strstr(symbol, "unreachable_display"))
		return NULL;
	path = without_generics(arena, cc_demangle(arena, symbol));
	for (size_t i = 0; i < array_count(functions); i++) {
		const char *wanted = functions[i].path;

		if (ends_with(wanted, "::") ? starts_with(path, wanted)
					    : !strcmp(path, wanted))
			return &functions[i];
	}
	return NULL;
}

/* ---- sites ---- */

static unsigned
site_number(struct cc *cc, const struct cc_site *site)
{
	for (size_t i = 0; i < cc->site_count; i++) {
		const struct cc_site *old = &cc->sites[i];

		if (old->kind == site->kind && old->line == site->line &&
		    old->column == site->column &&
		    !strcmp(old->file, site->file) &&
		    !strcmp(old->message, site->message))
			return (unsigned)i;
	}
	if ((cc->site_count & (cc->site_count - 1)) == 0) {
		size_t cap = cc->site_count ? 2 * cc->site_count : 1;
		struct cc_site *grown =
			arena_alloc(&cc->arena, cap * sizeof(*grown));

		if (cc->site_count)
			memcpy(grown, cc->sites,
			       cc->site_count * sizeof(*grown));
		cc->sites = grown;
	}
	cc->sites[cc->site_count] = *site;
	return (unsigned)cc->site_count++;
}

/* The bytes that a pointer to constant data points to; NULL if it does not. */
static char *
constant_text(struct cc *cc, LLVMValueRef pointer, uint64_t offset,
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

/* A &Location: file (pointer, length), line, column. */
static bool
read_location(struct cc *cc, LLVMValueRef pointer, struct cc_site *site)
{
	uint64_t offset, file_offset, len;
	uint32_t at[2];
	LLVMValueRef base = cc_constant_base(cc->module, pointer, &offset);
	LLVMValueRef file;

	if (!base || !LLVMIsAGlobalVariable(base))
		return false;
	file = cc_constant_pointer(cc->module, base, offset, &file_offset);
	if (!file ||
	    !cc_constant_bytes(cc->module, base, offset + 8, &len, 8) ||
	    !cc_constant_bytes(cc->module, base, offset + 16, at, 8))
		return false;
	site->file = constant_text(cc, file, file_offset, len);
	site->line = at[0];
	site->column = at[1];
	return site->file != NULL;
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
		const char *byte = constant_text(cc, pointer, at, 1);
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
		} else if ((piece = constant_text(cc, pointer, at, 2))) {
			len = (unsigned char)piece[0] |
			      (unsigned)(unsigned char)piece[1] << 8;
			at += 2;
		}
		piece = constant_text(cc, pointer, at, len);
		if (!piece)
			return NULL;
		buf_add(&cc->arena, &out, piece, len);
		at += len;
	}
	return out.len && strcmp(out.data, "{}") ? out.data : NULL;
}

static const char *
format_text(struct cc *cc, LLVMValueRef template, LLVMValueRef args)
{
	uint64_t len;

	if (LLVMIsAConstantExpr(args) &&
	    LLVMGetConstOpcode(args) == LLVMIntToPtr) {
		len = LLVMConstIntGetZExtValue(LLVMGetOperand(args, 0));
		return constant_text(cc, template, 0, len >> 1);
	}
	return template_text(cc, template);
}

static const char *
assert_text(LLVMValueRef call)
{
	static const char *const texts[] = {
		"assertion `left == right` failed",
		"assertion `left != right` failed",
		"assertion `left matches right` failed",
	};
	LLVMValueRef kind = LLVMGetOperand(call, 0);

	if (LLVMIsAConstantInt(kind) && LLVMConstIntGetZExtValue(kind) < 3)
		return texts[LLVMConstIntGetZExtValue(kind)];
	return "assertion failed";
}

/* ---- one panic ---- */

struct panic {
	struct cc *cc;
	const struct panic_function *function;
	LLVMValueRef call;
	unsigned args;
	struct cc_site site;
	LLVMBuilderRef builder;
};

static const char *
message_of(struct panic *panic)
{
	LLVMValueRef call = panic->call, len;
	const char *text = NULL;

	if (panic->function->message)
		return panic->function->message;
	switch (panic->function->shape) {
	case TEXT:
	case TEXT_ALONE:
		len = panic->args >= 2 ? LLVMGetOperand(call, 1) : NULL;
		if (len && LLVMIsAConstantInt(len))
			text = constant_text(panic->cc, LLVMGetOperand(call, 0),
					     0, LLVMConstIntGetZExtValue(len));
		break;
	case FORMAT:
	case FORMAT_ALONE:
		if (panic->args >= 2)
			text = format_text(panic->cc, LLVMGetOperand(call, 0),
					   LLVMGetOperand(call, 1));
		break;
	case ASSERT:
		text = assert_text(call);
		break;
	default:
		break;
	}
	return text ? text : "panicked";
}

static bool
has_location(const struct panic_function *function)
{
	return function->shape != TEXT_ALONE &&
	       function->shape != FORMAT_ALONE && function->shape != ALONE;
}

static void
describe(struct panic *panic)
{
	struct cc_place place;

	panic->site.kind = panic->function->kind;
	panic->site.message = message_of(panic);
	if (has_location(panic->function) && panic->args &&
	    read_location(panic->cc,
			  LLVMGetOperand(panic->call, panic->args - 1),
			  &panic->site))
		return;
	place = cc_place_of(panic->cc, panic->call);
	panic->site.file = place.file ? place.file : "";
	panic->site.line = place.line;
	panic->site.column = place.column;
}

static LLVMValueRef
panic_declaration(struct cc *cc, LLVMTypeRef *type)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->context);
	LLVMTypeRef params[3] = {LLVMInt32TypeInContext(cc->context), i64, i64};
	LLVMValueRef function = LLVMGetNamedFunction(cc->module, PANIC);
	static const char *const attributes[] = {"noreturn", "cold",
						 "nounwind"};

	*type = LLVMFunctionType(LLVMVoidTypeInContext(cc->context), params, 3,
				 false);
	if (function)
		return function;
	function = LLVMAddFunction(cc->module, PANIC, *type);
	for (size_t i = 0; i < array_count(attributes); i++) {
		const char *name = attributes[i];
		unsigned kind =
			LLVMGetEnumAttributeKindForName(name, strlen(name));

		LLVMAddAttributeAtIndex(
			function, LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(cc->context, kind, 0));
	}
	return function;
}

/* An operand of the old call as i64. */
static LLVMValueRef
number(struct panic *panic, unsigned index)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(panic->cc->context);
	LLVMValueRef value = LLVMGetOperand(panic->call, index);

	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
		return LLVMConstInt(i64, 0, false);
	return LLVMBuildIntCast2(panic->builder, value, i64, false, "");
}

static void
build_panic(struct panic *panic, const char *message, LLVMValueRef a,
	    LLVMValueRef b)
{
	struct cc *cc = panic->cc;
	struct cc_site site = panic->site;
	LLVMTypeRef type;
	LLVMValueRef function = panic_declaration(cc, &type), args[3], call;

	site.message = message;
	args[0] = LLVMConstInt(LLVMInt32TypeInContext(cc->context),
			       site_number(cc, &site), false);
	args[1] = a;
	args[2] = b;
	call = LLVMBuildCall2(panic->builder, type, function, args, 3, "");
	LLVMInstructionSetDebugLoc(call,
				   LLVMInstructionGetDebugLoc(panic->call));
}

/* A block with one panic in it. */
static LLVMBasicBlockRef
panic_block(struct panic *panic, const char *message, LLVMValueRef a,
	    LLVMValueRef b)
{
	LLVMValueRef function =
		LLVMGetBasicBlockParent(LLVMGetInstructionParent(panic->call));
	LLVMBasicBlockRef block =
		LLVMAppendBasicBlockInContext(panic->cc->context, function, "");

	LLVMPositionBuilderAtEnd(panic->builder, block);
	build_panic(panic, message, a, b);
	LLVMBuildUnreachable(panic->builder);
	return block;
}

/* Core decides at run time which of the three it was; so does this. */
static void
replace_slice_panic(struct panic *panic)
{
	LLVMValueRef next = LLVMGetNextInstruction(panic->call);
	LLVMBasicBlockRef here = LLVMGetInstructionParent(panic->call);
	LLVMBasicBlockRef start_block, rest, end_block, order_block;
	LLVMValueRef start, end, len;

	start = number(panic, 0);
	end = number(panic, 1);
	len = number(panic, 2);
	start_block = panic_block(
		panic,
		"range start index {} out of range for slice of length {}",
		start, len);
	end_block = panic_block(
		panic, "range end index {} out of range for slice of length {}",
		end, len);
	order_block = panic_block(
		panic, "slice index starts at {} but ends at {}", start, end);
	rest = LLVMAppendBasicBlockInContext(panic->cc->context,
					     LLVMGetBasicBlockParent(here), "");
	LLVMInstructionEraseFromParent(next);
	LLVMPositionBuilderAtEnd(panic->builder, here);
	LLVMBuildCondBr(
		panic->builder,
		LLVMBuildICmp(panic->builder, LLVMIntUGT, start, len, ""),
		start_block, rest);
	LLVMPositionBuilderAtEnd(panic->builder, rest);
	LLVMBuildCondBr(
		panic->builder,
		LLVMBuildICmp(panic->builder, LLVMIntUGT, start, end, ""),
		order_block, end_block);
}

static void
replace_panic(struct panic *panic)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(panic->cc->context);
	LLVMValueRef zero = LLVMConstInt(i64, 0, false);
	LLVMValueRef next = LLVMGetNextInstruction(panic->call);

	LLVMPositionBuilderBefore(panic->builder, panic->call);
	if (panic->function->shape == SLICE && panic->args >= 3 && next &&
	    LLVMIsAUnreachableInst(next))
		replace_slice_panic(panic);
	else if (panic->function->shape == INDEX && panic->args >= 2)
		build_panic(panic, panic->site.message, number(panic, 0),
			    number(panic, 1));
	else if (panic->function->shape == LENGTHS && panic->args >= 2)
		build_panic(panic, panic->site.message, number(panic, 1),
			    number(panic, 0));
	else
		build_panic(panic, panic->site.message, zero, zero);
	if (LLVMGetFirstUse(panic->call))
		LLVMReplaceAllUsesWith(panic->call,
				       LLVMGetPoison(LLVMTypeOf(panic->call)));
	LLVMInstructionEraseFromParent(panic->call);
}

/* ---- what only prepares the message ---- */

static bool
is_alloca(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAAllocaInst(pointer) != NULL;
}

/* A call that makes a piece of fmt::Arguments. */
static bool
is_formatting(struct cc *cc, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *path;
	size_t len;

	if (!LLVMIsAFunction(callee))
		return false;
	path = cc_demangle(&cc->arena, LLVMGetValueName2(callee, &len));
	return strstr(path, "core::fmt::rt::") ||
	       strstr(path, "core::fmt::Arguments");
}

static bool
is_intrinsic(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee);
}

/* What stores the arguments of a message is dead once nobody formats it: stores
 * to the stack between here and the last call that could look at them. They
 * would otherwise hold on to the whole of core's formatting. */
static void
drop_message(struct cc *cc, LLVMValueRef panic_call)
{
	LLVMValueRef i = LLVMGetPreviousInstruction(panic_call), previous;

	for (; i; i = previous) {
		previous = LLVMGetPreviousInstruction(i);
		if (LLVMIsAStoreInst(i)) {
			if (is_alloca(LLVMGetOperand(i, 1)))
				LLVMInstructionEraseFromParent(i);
		} else if (LLVMIsACallInst(i) && is_intrinsic(i)) {
			if (LLVMIsAMemCpyInst(i) &&
			    is_alloca(LLVMGetOperand(i, 0)))
				LLVMInstructionEraseFromParent(i);
		} else if (LLVMIsACallInst(i)) {
			if (!is_formatting(cc, i))
				return;
			if (LLVMGetFirstUse(i))
				LLVMReplaceAllUsesWith(
					i, LLVMGetPoison(LLVMTypeOf(i)));
			LLVMInstructionEraseFromParent(i);
		}
	}
}

/* ---- track_caller ---- */

/* Whether this value comes from the function's own parameters. */
static bool
is_parameter(LLVMValueRef value)
{
	return LLVMIsAArgument(value) != NULL;
}

static bool
wants_inlining(const struct panic_function *function, LLVMValueRef call)
{
	unsigned args = LLVMGetNumArgOperands(call);

	if (!args)
		return false;
	if (has_location(function) &&
	    is_parameter(LLVMGetOperand(call, args - 1)))
		return true;
	return (function->shape == TEXT || function->shape == TEXT_ALONE) &&
	       !function->message && is_parameter(LLVMGetOperand(call, 0));
}

static bool
is_kernel(struct cc *cc, LLVMValueRef function)
{
	size_t len;
	const char *name = LLVMGetValueName2(function, &len);

	for (size_t i = 0; i < cc->kernel_count; i++)
		if (!strcmp(cc->kernels[i].symbol, name))
			return true;
	return false;
}

static bool
calls_itself(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsAInstruction(user) &&
		    LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) ==
			    function)
			return true;
	}
	return false;
}

typedef void
call_fn(struct cc *cc, const struct panic_function *function, LLVMValueRef call,
	void *data);

/* Calls visit for each call of a panicking function. */
static void
each_panic(struct cc *cc, call_fn *visit, void *data)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f)) {
		const struct panic_function *function =
			panic_function(&cc->arena, f);
		LLVMUseRef use, next;

		if (!function)
			continue;
		for (use = LLVMGetFirstUse(f); use; use = next) {
			LLVMValueRef user = LLVMGetUser(use);

			next = LLVMGetNextUse(use);
			if (LLVMIsACallInst(user) &&
			    LLVMGetCalledValue(user) == f)
				visit(cc, function, user, data);
		}
	}
}

static void
mark_for_inlining(struct cc *cc, const struct panic_function *function,
		  LLVMValueRef call, void *data)
{
	LLVMValueRef parent =
		LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	bool *any = data;

	if (!wants_inlining(function, call) || is_kernel(cc, parent) ||
	    panic_function(&cc->arena, parent) || calls_itself(parent))
		return;
	cc_inline_always(parent);
	*any = true;
}

/* Each round moves places one caller up. */
static void
inline_trackers(struct cc *cc)
{
	for (int round = 0; round < 8; round++) {
		bool any = false;

		each_panic(cc, mark_for_inlining, &any);
		if (!any)
			return;
		cc_run_passes(cc->module, NULL, "always-inline");
		cc_drop_unreachable(cc);
	}
}

/* ---- the stage ---- */

static void
replace_call(struct cc *cc, const struct panic_function *function,
	     LLVMValueRef call, void *data)
{
	LLVMValueRef parent =
		LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	struct panic panic = {
		.cc = cc,
		.function = function,
		.call = call,
		.args = LLVMGetNumArgOperands(call),
		.builder = data,
	};

	/* The bodies of panicking functions themselves are dropped. */
	if (panic_function(&cc->arena, parent))
		return;
	describe(&panic);
	drop_message(cc, call);
	replace_panic(&panic);
}

static void
drop_personalities(struct cc *cc)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f))
		if (LLVMHasPersonalityFn(f))
			LLVMSetPersonalityFn(f, NULL);
}

void
cc_panics(struct cc *cc)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(cc->context);

	/* Nothing unwinds. */
	cc_run_passes(cc->module, NULL,
		      "function(lower-invoke,unreachableblockelim)");
	drop_personalities(cc);
	cc_drop_unreachable(cc);
	inline_trackers(cc);
	each_panic(cc, replace_call, builder);
	LLVMDisposeBuilder(builder);
	cc_drop_unreachable(cc);
}
