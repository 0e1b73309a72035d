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
#include "cc/panics.h"

#include <llvm-c/DebugInfo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PANIC "__smelt_panic"

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
			text = message_constant(panic->cc,
						LLVMGetOperand(call, 0), 0,
						LLVMConstIntGetZExtValue(len));
		break;
	case FORMAT:
	case FORMAT_ALONE:
		if (panic->args >= 2)
			text = message_format(panic->cc,
					      LLVMGetOperand(call, 0),
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
