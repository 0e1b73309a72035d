/*
 * The names of an enum without fields.
 *
 * Its derived Debug is a function that chooses a name by the value and writes
 * it. So that function is run here, for each value that it tells apart, as far
 * as its few instructions go; whatever else it does, it is not a plain enum's.
 */
#include "cc/panics.h"

#include <string.h>

enum { most_steps = 200, most_values = 64, most_names = 1024 };

/* What is known while it runs. Integers and pointers to constants are LLVM's
 * own constants; a local is known by its instruction. */
struct known {
	LLVMValueRef value; /* instruction, or the local for a store to it */
	uint64_t offset;    /* into the local */
	LLVMValueRef is;    /* constant; NULL: something */
	bool stored;
};

struct run {
	struct cc *cc;
	LLVMValueRef function;
	LLVMValueRef self;
	uint64_t input;		/* the enum's value */
	LLVMTypeRef input_type; /* found at the load of it */
	struct known known[most_steps];
	unsigned count;
	const char *name; /* once it was written */
};

static LLVMValueRef
find_known(const struct run *run, LLVMValueRef value, bool stored,
	   uint64_t offset)
{
	if (LLVMIsConstant(value) && !stored)
		return value;
	for (unsigned i = run->count; i-- > 0;)
		if (run->known[i].value == value &&
		    run->known[i].stored == stored &&
		    run->known[i].offset == offset)
			return run->known[i].is;
	return NULL;
}

static LLVMValueRef
value_of(const struct run *run, LLVMValueRef value)
{
	return find_known(run, value, false, 0);
}

static bool
learn(struct run *run, LLVMValueRef value, LLVMValueRef is)
{
	if (run->count == most_steps)
		return false;
	run->known[run->count++] = (struct known){value, 0, is, false};
	return true;
}

static bool
run_store(struct run *run, LLVMValueRef store)
{
	LLVMValueRef is = value_of(run, LLVMGetOperand(store, 0));
	uint64_t offset;
	LLVMValueRef local = cc_pointer_base(run->cc->module,
					     LLVMGetOperand(store, 1), &offset);

	if (!local || !LLVMIsAAllocaInst(local) || run->count == most_steps)
		return false;
	run->known[run->count++] = (struct known){local, offset, is, true};
	return true;
}

static bool
run_load(struct run *run, LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	uint64_t offset;
	LLVMValueRef from = cc_pointer_base(run->cc->module,
					    LLVMGetOperand(load, 0), &offset);

	if (!from)
		return false;
	if (LLVMIsAAllocaInst(from))
		return learn(run, load, find_known(run, from, true, offset));
	if (from != run->self || offset ||
	    LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
	    LLVMGetIntTypeWidth(type) > 64 ||
	    (run->input_type && run->input_type != type))
		return false;
	run->input_type = type;
	return learn(run, load, LLVMConstInt(type, run->input, false));
}

static uint64_t
number(LLVMValueRef constant)
{
	return LLVMConstIntGetZExtValue(constant);
}

static bool
run_cast(struct run *run, LLVMValueRef cast)
{
	LLVMValueRef from = value_of(run, LLVMGetOperand(cast, 0));
	LLVMTypeRef type = LLVMTypeOf(cast);

	if (!from || !LLVMIsAConstantInt(from) ||
	    LLVMGetIntTypeWidth(type) > 64)
		return false;
	return learn(
		run, cast,
		LLVMConstInt(type,
			     LLVMIsASExtInst(cast)
				     ? (uint64_t)LLVMConstIntGetSExtValue(from)
				     : number(from),
			     false));
}

static bool
run_compare(struct run *run, LLVMValueRef compare)
{
	LLVMValueRef a = value_of(run, LLVMGetOperand(compare, 0));
	LLVMValueRef b = value_of(run, LLVMGetOperand(compare, 1));
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);

	if (!a || !b || !LLVMIsAConstantInt(a) || !LLVMIsAConstantInt(b) ||
	    (predicate != LLVMIntEQ && predicate != LLVMIntNE))
		return false;
	return learn(run, compare,
		     LLVMConstInt(LLVMTypeOf(compare),
				  (number(a) == number(b)) ==
					  (predicate == LLVMIntEQ),
				  false));
}

static bool
run_select(struct run *run, LLVMValueRef select)
{
	LLVMValueRef condition = value_of(run, LLVMGetOperand(select, 0));

	if (!condition || !LLVMIsAConstantInt(condition))
		return false;
	return learn(run, select,
		     value_of(run, LLVMGetOperand(select,
						  number(condition) ? 1 : 2)));
}

static bool
run_phi(struct run *run, LLVMValueRef phi, LLVMBasicBlockRef from)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) == from)
			return learn(
				run, phi,
				value_of(run, LLVMGetIncomingValue(phi, i)));
	return false;
}

/* The name is written once; marks of locals do nothing. */
static bool
run_call(struct run *run, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call), text, len;
	const char *path;
	size_t size;

	if (!LLVMIsAFunction(callee))
		return false;
	if (LLVMGetIntrinsicID(callee)) {
		path = LLVMGetValueName2(callee, &size);
		if (starts_with(path, "llvm.expect."))
			return learn(run, call,
				     value_of(run, LLVMGetOperand(call, 0)));
		return starts_with(path, "llvm.lifetime.") ||
		       starts_with(path, "llvm.assume");
	}
	path = cc_demangle(&run->cc->arena, LLVMGetValueName2(callee, &size));
	if (run->name || strcmp(path, "<core::fmt::Formatter>::write_str") ||
	    LLVMGetNumArgOperands(call) != 3)
		return false;
	text = value_of(run, LLVMGetOperand(call, 1));
	len = value_of(run, LLVMGetOperand(call, 2));
	if (text && len && LLVMIsAConstantInt(len))
		run->name = message_constant(run->cc, text, 0, number(len));
	return run->name && learn(run, call, LLVMConstNull(LLVMTypeOf(call)));
}

static bool
run_instruction(struct run *run, LLVMValueRef i, LLVMBasicBlockRef from)
{
	if (LLVMIsAStoreInst(i))
		return run_store(run, i);
	if (LLVMIsALoadInst(i))
		return run_load(run, i);
	if (LLVMIsAZExtInst(i) || LLVMIsASExtInst(i) || LLVMIsATruncInst(i))
		return run_cast(run, i);
	if (LLVMIsAICmpInst(i))
		return run_compare(run, i);
	if (LLVMIsASelectInst(i))
		return run_select(run, i);
	if (LLVMIsAPHINode(i))
		return run_phi(run, i, from);
	if (LLVMIsACallInst(i))
		return run_call(run, i);
	return LLVMIsAAllocaInst(i) || LLVMIsAGetElementPtrInst(i);
}

static LLVMBasicBlockRef
next_block(struct run *run, LLVMValueRef end)
{
	unsigned count = LLVMGetNumSuccessors(end);
	LLVMValueRef on;

	if (count == 1)
		return LLVMGetSuccessor(end, 0);
	if (!LLVMIsABranchInst(end) && !LLVMIsASwitchInst(end))
		return NULL;
	on = value_of(run, LLVMGetOperand(end, 0));
	if (!on || !LLVMIsAConstantInt(on))
		return NULL;
	if (LLVMIsABranchInst(end))
		return LLVMGetSuccessor(end, number(on) ? 0 : 1);
	for (unsigned i = 1; i < count; i++)
		if (number(LLVMGetSwitchCaseValue(end, i)) == number(on))
			return LLVMGetSuccessor(end, i);
	return LLVMGetSwitchDefaultDest(end);
}

enum outcome { NAMED, IMPOSSIBLE, UNCLEAR };

/* What the function does with one value. */
static enum outcome
run_function(struct run *run, uint64_t input)
{
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(run->function), from;
	unsigned blocks = 0;
	LLVMValueRef i;

	run->input = input;
	run->count = 0;
	run->name = NULL;
	for (from = NULL; block && blocks++ < most_steps;
	     from = i ? LLVMGetInstructionParent(i) : from) {
		for (i = LLVMGetFirstInstruction(block);
		     !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i))
			if (!run_instruction(run, i, from))
				return UNCLEAR;
		if (LLVMIsAReturnInst(i))
			return run->name ? NAMED : UNCLEAR;
		if (LLVMIsAUnreachableInst(i))
			return IMPOSSIBLE;
		block = next_block(run, i);
	}
	return UNCLEAR;
}

/* ---- which values ---- */

struct values {
	uint64_t all[most_values];
	unsigned count;
};

static bool
add_value(struct values *values, uint64_t value)
{
	for (unsigned i = 0; i < values->count; i++)
		if (values->all[i] == value)
			return true;
	if (values->count == most_values)
		return false;
	values->all[values->count++] = value;
	return true;
}

/* 0 and 1, and what a switch tells apart. */
static bool
find_values(LLVMValueRef function, struct values *values)
{
	add_value(values, 0);
	add_value(values, 1);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

		if (!LLVMIsASwitchInst(end))
			continue;
		for (unsigned i = 1; i < LLVMGetNumSuccessors(end); i++)
			if (!add_value(values,
				       number(LLVMGetSwitchCaseValue(end, i))))
				return false;
	}
	return true;
}

/* A name that can stand in a hole. */
static bool
is_name(const char *name)
{
	return *name && !strpbrk(name, "{}:|=");
}

static const char *
name_all(struct run *run, const struct values *values)
{
	struct arena *arena = &run->cc->arena;
	struct buf names = {0};
	uint64_t mask;

	for (unsigned i = 0; i < values->count; i++) {
		enum outcome outcome = run_function(run, values->all[i]);

		if (outcome == UNCLEAR ||
		    (outcome == NAMED && !is_name(run->name)))
			return NULL;
		if (outcome == IMPOSSIBLE)
			continue;
		if (!run->input_type)
			return run->name;
		mask = UINT64_MAX >>
		       (64 - LLVMGetIntTypeWidth(run->input_type));
		buf_printf(arena, &names, "%s%llu=%s", names.len ? "|" : "",
			   (unsigned long long)(values->all[i] & mask),
			   run->name);
	}
	return names.len && names.len < most_names ? names.data : NULL;
}

const char *
message_enum(struct cc *cc, LLVMValueRef function, LLVMTypeRef *integer)
{
	struct values values = {.count = 0};
	struct run *run = arena_alloc(&cc->arena, sizeof(*run));
	const char *names;

	*integer = NULL;
	if (LLVMIsDeclaration(function) || LLVMCountParams(function) != 2 ||
	    !find_values(function, &values))
		return NULL;
	run->cc = cc;
	run->function = function;
	run->self = LLVMGetParam(function, 0);
	names = name_all(run, &values);
	*integer = run->input_type;
	return names;
}
