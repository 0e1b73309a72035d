/*
 * Checks and what they compare. A check is known by where it goes: one of its
 * ways ends in __smelt_panic.
 */
#include "cc/checks.h"
#include "cc/lower.h"

#include <string.h>

void
checks_add(struct arena *arena, struct checks *checks, struct check check)
{
	if (checks->count == checks->capacity) {
		size_t capacity = checks->capacity ? checks->capacity * 2 : 16;
		struct check *list =
			arena_alloc(arena, capacity * sizeof(*list));

		if (checks->count)
			memcpy(list, checks->list,
			       checks->count * sizeof(*list));
		checks->list = list;
		checks->capacity = capacity;
	}
	checks->list[checks->count++] = check;
}

LLVMValueRef
checks_branch(LLVMBasicBlockRef block)
{
	LLVMValueRef branch =
		LLVMIsABranchInst(LLVMGetBasicBlockTerminator(block));

	return branch && LLVMIsConditional(branch) &&
			       !LLVMIsAConstant(LLVMGetCondition(branch))
		       ? branch
		       : NULL;
}

static bool
is_panic_call(LLVMValueRef instruction)
{
	LLVMValueRef callee = lower_callee(instruction);

	return callee && strcmp(LLVMGetValueName(callee), "__smelt_panic") == 0;
}

bool
checks_is_panic(LLVMBasicBlockRef block, unsigned depth)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block), inst;
	bool panics = false;

	for (inst = LLVMGetFirstInstruction(block); inst;
	     inst = LLVMGetNextInstruction(inst))
		if (is_panic_call(inst))
			panics = true;
		else if (cc_shim_has_effects(inst))
			return false;
	if (LLVMIsAUnreachableInst(end))
		return panics;
	if (!depth || !LLVMIsABranchInst(end))
		return false;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
		if (!checks_is_panic(LLVMGetSuccessor(end, i), depth - 1))
			return false;
	return true;
}

bool
checks_find(LLVMBasicBlockRef block, unsigned depth, struct check *check)
{
	LLVMValueRef branch = checks_branch(block);
	bool first, second;

	if (!branch)
		return false;
	first = checks_is_panic(LLVMGetSuccessor(branch, 0), depth);
	second = checks_is_panic(LLVMGetSuccessor(branch, 1), depth);
	*check = (struct check){branch, second};
	return first != second;
}

uint64_t
checks_mask(LLVMTypeRef type)
{
	unsigned width = LLVMGetIntTypeWidth(type);

	return width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
}

void
checks_settle(LLVMValueRef branch, bool stays)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetCondition(branch));

	LLVMSetCondition(branch, LLVMConstInt(type, stays, false));
}

static bool
is_bool(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);

	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(type) == 1;
}

/* `and`, `or`, and the selects that are one but for poison. */
bool
checks_splits(LLVMValueRef condition, bool is, LLVMValueRef *a, LLVMValueRef *b)
{
	LLVMValueRef decided;

	if (!LLVMIsAInstruction(condition) || !is_bool(condition))
		return false;
	*a = LLVMGetOperand(condition, 0);
	if (LLVMGetInstructionOpcode(condition) == (is ? LLVMAnd : LLVMOr)) {
		*b = LLVMGetOperand(condition, 1);
		return true;
	}
	if (!LLVMIsASelectInst(condition))
		return false;
	decided = LLVMGetOperand(condition, is ? 2 : 1);
	*b = LLVMGetOperand(condition, is ? 1 : 2);
	return LLVMIsAConstantInt(decided) &&
	       LLVMConstIntGetZExtValue(decided) == !is;
}

/* ---- fields of the parameter block ---- */

/* The type of the memory that an argument stands for; NULL if it is no kernel's
 * block, or may be written. */
static LLVMTypeRef
block_type(LLVMValueRef argument)
{
	static const char *const names[] = {"byval", "byref"};
	static const char *const constant[] = {"readonly", "readnone"};
	LLVMValueRef function = LLVMGetParamParent(argument);
	LLVMAttributeIndex at = 1;
	LLVMTypeRef type = NULL;
	bool is_constant =
		LLVMGetPointerAddressSpace(LLVMTypeOf(argument)) == 4;

	while (LLVMGetParam(function, at - 1) != argument)
		at++;
	for (size_t i = array_count(names); i-- > 0;) {
		LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(
			function, at,
			LLVMGetEnumAttributeKindForName(names[i],
							strlen(names[i])));

		if (attribute)
			type = LLVMGetTypeAttributeValue(attribute);
	}
	for (size_t i = 0; i < array_count(constant); i++)
		is_constant |= LLVMGetEnumAttributeAtIndex(
				       function, at,
				       LLVMGetEnumAttributeKindForName(
					       constant[i],
					       strlen(constant[i]))) != NULL;
	return is_constant ? type : NULL;
}

LLVMValueRef
checks_pointer_base(LLVMModuleRef module, LLVMValueRef pointer,
		    uint64_t *offset)
{
	uint64_t more;

	*offset = 0;
	while ((pointer = cc_pointer_base(module, pointer, &more))) {
		*offset += more;
		if (!LLVMIsAAddrSpaceCastInst(pointer))
			break;
		pointer = LLVMGetOperand(pointer, 0);
	}
	return pointer;
}

bool
checks_block_field(LLVMValueRef load, uint64_t *offset)
{
	LLVMModuleRef module = LLVMGetGlobalParent(lower_function_of(load));
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
	LLVMValueRef base;
	LLVMTypeRef type;
	uint64_t size, all;

	if (LLVMGetVolatile(load) ||
	    LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic)
		return false;
	base = checks_pointer_base(module, LLVMGetOperand(load, 0), offset);
	type = base && LLVMIsAArgument(base) ? block_type(base) : NULL;
	if (!type)
		return false;
	size = LLVMStoreSizeOfType(layout, LLVMTypeOf(load));
	all = LLVMABISizeOfType(layout, type);
	return *offset <= all && size <= all - *offset;
}

/* ---- comparisons ---- */

LLVMIntPredicate
checks_inverse(LLVMIntPredicate is)
{
	static const LLVMIntPredicate other[] = {
		[LLVMIntEQ - LLVMIntEQ] = LLVMIntNE,
		[LLVMIntNE - LLVMIntEQ] = LLVMIntEQ,
		[LLVMIntUGT - LLVMIntEQ] = LLVMIntULE,
		[LLVMIntUGE - LLVMIntEQ] = LLVMIntULT,
		[LLVMIntULT - LLVMIntEQ] = LLVMIntUGE,
		[LLVMIntULE - LLVMIntEQ] = LLVMIntUGT,
		[LLVMIntSGT - LLVMIntEQ] = LLVMIntSLE,
		[LLVMIntSGE - LLVMIntEQ] = LLVMIntSLT,
		[LLVMIntSLT - LLVMIntEQ] = LLVMIntSGE,
		[LLVMIntSLE - LLVMIntEQ] = LLVMIntSGT,
	};

	return other[is - LLVMIntEQ];
}

LLVMIntPredicate
checks_mirrored(LLVMIntPredicate is)
{
	static const LLVMIntPredicate other[] = {
		[LLVMIntEQ - LLVMIntEQ] = LLVMIntEQ,
		[LLVMIntNE - LLVMIntEQ] = LLVMIntNE,
		[LLVMIntUGT - LLVMIntEQ] = LLVMIntULT,
		[LLVMIntUGE - LLVMIntEQ] = LLVMIntULE,
		[LLVMIntULT - LLVMIntEQ] = LLVMIntUGT,
		[LLVMIntULE - LLVMIntEQ] = LLVMIntUGE,
		[LLVMIntSGT - LLVMIntEQ] = LLVMIntSLT,
		[LLVMIntSGE - LLVMIntEQ] = LLVMIntSLE,
		[LLVMIntSLT - LLVMIntEQ] = LLVMIntSGT,
		[LLVMIntSLE - LLVMIntEQ] = LLVMIntSGE,
	};

	return other[is - LLVMIntEQ];
}

bool
checks_compare(LLVMValueRef condition, bool is, struct compare *compare)
{
	LLVMTypeRef type;

	if (!LLVMIsAICmpInst(condition))
		return false;
	compare->is = LLVMGetICmpPredicate(condition);
	if (!is)
		compare->is = checks_inverse(compare->is);
	compare->a = LLVMGetOperand(condition, 0);
	compare->b = LLVMGetOperand(condition, 1);
	type = LLVMTypeOf(compare->a);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(type) <= 64;
}

struct compare
checks_swapped(struct compare compare)
{
	return (struct compare){checks_mirrored(compare.is), compare.b,
				compare.a};
}

bool
checks_compare_less(LLVMValueRef condition, bool is, struct compare *compare)
{
	if (!checks_compare(condition, is, compare))
		return false;
	if (compare->is == LLVMIntUGT || compare->is == LLVMIntUGE)
		*compare = checks_swapped(*compare);
	return true;
}
