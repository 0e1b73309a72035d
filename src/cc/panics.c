/*
 * Stage `sites`: every panic becomes a call of __smelt_panic(site, a, b).
 *
 * A panic of core formats its message; a kernel cannot, and need not. What is
 * known here (kind, text, place) goes into the table of sites, what is only
 * known to the thread is passed on: the two numbers of a failed index, or the
 * words that the text's values are made of, as operand bundle "smelt.words" of
 * the call. The call that replaces a panic does not return, as the one before
 * it, so what follows it stays as unreachable as it was; the check in front of
 * it is never touched.
 *
 * smelt::print! comes the same way, and becomes __smelt_print(site) with a
 * bundle; it returns.
 *
 * Where a panic's place or text is a parameter of the function that it is in
 * (#[track_caller]), that function is inlined first, so that the place becomes
 * that of the user's line.
 */
#include "cc/panics.h"

#include <llvm-c/DebugInfo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PANIC "__smelt_panic"
#define PRINT_NAME "__smelt_print"

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
	site->file = message_constant(cc, file, file_offset, len);
	site->line = at[0];
	site->column = at[1];
	return site->file != NULL;
}

/* ---- one panic ---- */

struct panic {
	struct cc *cc;
	const struct panic_function *function;
	LLVMValueRef call;
	unsigned args;
	struct cc_site site;
	LLVMBuilderRef builder;
	struct message message;
};

static bool
has_location(const struct panic_function *function)
{
	return function->shape != TEXT_ALONE &&
	       function->shape != FORMAT_ALONE && function->shape != PRINT &&
	       function->shape != ALONE;
}

static void
find_place(struct panic *panic)
{
	struct cc_place place;

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

/* Kind and text, and the loads of the values in front of the call. */
static void
describe(struct panic *panic)
{
	struct message *message = &panic->message;

	panic->site.kind = panic->function->kind;
	panic->site.message = panic->function->message;
	find_place(panic);
	if (panic->site.message)
		return;
	message->cc = panic->cc;
	message->call = panic->call;
	message->builder = panic->builder;
	message_of_call(message, panic->function);
	if (message->count)
		panic->site.kind = SMELT_PANIC_TEXT;
	panic->site.message =
		message->count ? message->text.data : message_plain(message);
	if (!*panic->site.message && panic->function->shape != PRINT)
		panic->site.message = "panicked";
}

static LLVMValueRef
declare(struct cc *cc, const char *name, LLVMTypeRef type,
	const char *const attributes[3])
{
	LLVMValueRef function = LLVMGetNamedFunction(cc->module, name);

	if (function)
		return function;
	function = LLVMAddFunction(cc->module, name, type);
	for (size_t i = 0; i < 3 && attributes[i]; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(
			attributes[i], strlen(attributes[i]));

		LLVMAddAttributeAtIndex(
			function, LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(cc->context, kind, 0));
	}
	return function;
}

static LLVMValueRef
panic_declaration(struct cc *cc, LLVMTypeRef *type)
{
	static const char *const attributes[3] = {"noreturn", "cold",
						  "nounwind"};
	LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->context);
	LLVMTypeRef params[3] = {LLVMInt32TypeInContext(cc->context), i64, i64};

	*type = LLVMFunctionType(LLVMVoidTypeInContext(cc->context), params, 3,
				 false);
	return declare(cc, PANIC, *type, attributes);
}

static LLVMValueRef
print_declaration(struct cc *cc, LLVMTypeRef *type)
{
	static const char *const attributes[3] = {"nounwind", "willreturn",
						  NULL};
	LLVMTypeRef i32 = LLVMInt32TypeInContext(cc->context);

	*type = LLVMFunctionType(LLVMVoidTypeInContext(cc->context), &i32, 1,
				 false);
	return declare(cc, PRINT_NAME, *type, attributes);
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

/* A call with the message's words, if it has some. */
static void
build_call(struct panic *panic, LLVMTypeRef type, LLVMValueRef function,
	   LLVMValueRef *args, unsigned count)
{
	struct message *message = &panic->message;
	LLVMOperandBundleRef words = LLVMCreateOperandBundle(
		CC_WORDS, strlen(CC_WORDS), message->values, message->count);
	LLVMValueRef call = LLVMBuildCallWithOperandBundles(
		panic->builder, type, function, args, count, &words,
		message->count > 0, "");

	LLVMDisposeOperandBundle(words);
	LLVMInstructionSetDebugLoc(call,
				   LLVMInstructionGetDebugLoc(panic->call));
}

static void
build_panic(struct panic *panic, const char *message, LLVMValueRef a,
	    LLVMValueRef b)
{
	struct cc *cc = panic->cc;
	struct cc_site site = panic->site;
	LLVMTypeRef type;
	LLVMValueRef function = panic_declaration(cc, &type), args[3];

	site.message = message;
	args[0] = LLVMConstInt(LLVMInt32TypeInContext(cc->context),
			       site_number(cc, &site), false);
	args[1] = a;
	args[2] = b;
	build_call(panic, type, function, args, 3);
}

static void
refuse_print(struct panic *panic)
{
	struct cc_place place = cc_place_of(panic->cc, panic->call);
	const char *type = panic->message.unknown;

	if (panic->message.too_long) {
		cc_error(panic->cc, place,
			 "a kernel prints more values at once than fit into "
			 "%d words",
			 SMELT_WORDS);
		cc_error_help("print them by several calls of `print!`: no "
			      "other thread's text gets between");
		return;
	}
	if (*type)
		cc_error(panic->cc, place,
			 "a kernel cannot print a value of type `%s`", type);
	else
		cc_error(panic->cc, place,
			 "what is printed here is not known at compile time");
	cc_error_note("kernels print integers, floats, bool, char, &str, "
		      "pointers, references to these, arrays and slices of "
		      "them, and types whose Debug is derived or simple");
}

/* What is printed has all its values, or is refused. */
static void
build_print(struct panic *panic)
{
	struct cc *cc = panic->cc;
	LLVMTypeRef type;
	LLVMValueRef function, site;

	if (panic->message.unknown) {
		refuse_print(panic);
		return;
	}
	if (!*panic->site.message)
		return;
	function = print_declaration(cc, &type);
	site = LLVMConstInt(LLVMInt32TypeInContext(cc->context),
			    site_number(cc, &panic->site), false);
	build_call(panic, type, function, &site, 1);
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
	if (panic->function->shape == PRINT)
		build_print(panic);
	else if (panic->function->shape == SLICE && panic->args >= 3 && next &&
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
	switch (function->shape) {
	case TEXT:
	case TEXT_ALONE:
	case ERROR:
	case FORMAT:
	case FORMAT_ALONE:
	case PRINT:
		return !function->message &&
		       is_parameter(LLVMGetOperand(call, 0));
	default:
		return false;
	}
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
	LLVMValueRef message;

	/* The bodies of panicking functions themselves are dropped. */
	if (panic_function(&cc->arena, parent))
		return;
	LLVMPositionBuilderBefore(panic.builder, call);
	describe(&panic);
	message = message_arguments(call, function);
	replace_panic(&panic);
	if (message)
		message_drop(cc, message);
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

	cc_resolve_formatters(cc);
	/* Nothing unwinds. */
	cc_run_passes(cc->module, NULL,
		      "function(lower-invoke,unreachableblockelim)");
	drop_personalities(cc);
	cc_drop_unreachable(cc);
	inline_trackers(cc);
	each_panic(cc, replace_call, builder);
	LLVMDisposeBuilder(builder);
	if (LLVMGetNamedFunction(cc->module, MESSAGE_COPY))
		cc_run_passes(cc->module, NULL, "always-inline");
	cc_drop_unreachable(cc);
}
