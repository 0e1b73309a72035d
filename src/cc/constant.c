/*
 * Reading constants: TypeIds, panic locations, message pieces.
 *
 * rustc writes them as packed structs of byte arrays and pointers, in shapes
 * that change between its releases. Reading by byte offset does not depend on
 * them.
 */
#include "cc.h"

#include <llvm-c/Target.h>

#include <string.h>

struct reader {
	LLVMTargetDataRef layout;
	uint64_t offset; /* of the wanted bytes, in the outermost constant */
	unsigned char *bytes;
	uint64_t size;
	uint64_t done;
	LLVMValueRef pointer; /* the pointer found at offset, if one was */
};

static bool
read_part(struct reader *reader, LLVMValueRef constant, uint64_t at);

/* Puts n bytes that stand at offset `at` where they are wanted. */
static void
put(struct reader *reader, uint64_t at, const void *bytes, uint64_t n)
{
	const unsigned char *from = bytes;

	for (uint64_t i = 0; i < n; i++) {
		if (at + i < reader->offset ||
		    at + i >= reader->offset + reader->size)
			continue;
		reader->bytes[at + i - reader->offset] = from[i];
		reader->done++;
	}
}

static bool
read_integer(struct reader *reader, LLVMValueRef constant, uint64_t at,
	     uint64_t size)
{
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(constant));
	uint64_t words[2];

	if (bits > 128)
		return false;
	if (bits <= 64) {
		words[0] = LLVMConstIntGetZExtValue(constant);
		words[1] = 0;
	} else {
		/* The C API gives wide integers as text only. */
		char *text = LLVMPrintValueToString(constant);
		const char *digit = strchr(text, ' ');
		bool negative = digit && digit[1] == '-';
		__extension__ unsigned __int128 value = 0;

		for (digit += 1 + negative; *digit; digit++)
			value = value * 10 + (unsigned)(*digit - '0');
		if (negative)
			value = -value;
		words[0] = (uint64_t)value;
		words[1] = (uint64_t)(value >> 64);
		LLVMDisposeMessage(text);
	}
	put(reader, at, words, size < 16 ? size : 16);
	return true;
}

static bool
read_elements(struct reader *reader, LLVMValueRef constant, uint64_t at)
{
	LLVMTypeRef type = LLVMTypeOf(constant);
	bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
	uint64_t stride = 0;
	unsigned count;

	if (is_struct) {
		count = LLVMCountStructElementTypes(type);
	} else {
		count = (unsigned)LLVMGetArrayLength2(type);
		stride = LLVMABISizeOfType(reader->layout,
					   LLVMGetElementType(type));
	}
	for (unsigned i = 0; i < count; i++) {
		uint64_t offset =
			is_struct ? LLVMOffsetOfElement(reader->layout, type, i)
				  : i * stride;

		if (at + offset >= reader->offset + reader->size)
			break;
		if (!read_part(reader, LLVMGetAggregateElement(constant, i),
			       at + offset))
			return false;
	}
	return true;
}

/* Whatever of the wanted bytes lies in this constant, which stands at `at`. */
static bool
read_part(struct reader *reader, LLVMValueRef constant, uint64_t at)
{
	LLVMTypeRef type = LLVMTypeOf(constant);
	uint64_t size = LLVMABISizeOfType(reader->layout, type);

	if (at + size <= reader->offset || at >= reader->offset + reader->size)
		return true;
	if (LLVMIsNull(constant) || LLVMIsUndef(constant)) {
		static const char zeros[16];

		for (uint64_t i = 0; i < size; i += 16)
			put(reader, at + i, zeros,
			    size - i < 16 ? size - i : 16);
		return true;
	}
	if (LLVMIsAConstantInt(constant))
		return read_integer(reader, constant, at, size);
	if (LLVMIsAConstantDataArray(constant) &&
	    LLVMABISizeOfType(reader->layout, LLVMGetElementType(type)) == 1) {
		size_t len;

		put(reader, at, LLVMGetRawDataValues(constant, &len), size);
		return true;
	}
	if (LLVMGetTypeKind(type) == LLVMStructTypeKind ||
	    LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		return read_elements(reader, constant, at);
	if (LLVMIsAConstantExpr(constant) &&
	    LLVMGetConstOpcode(constant) == LLVMIntToPtr)
		return read_part(reader, LLVMGetOperand(constant, 0), at);
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
	    at == reader->offset) {
		reader->pointer = constant;
		return true;
	}
	return false;
}

/* Looks through to the initializer of a constant global. */
static LLVMValueRef
contents(LLVMValueRef constant)
{
	if (!LLVMIsAGlobalVariable(constant))
		return constant;
	if (!LLVMIsGlobalConstant(constant))
		return NULL;
	return LLVMGetInitializer(constant);
}

bool
cc_constant_bytes(LLVMModuleRef module, LLVMValueRef constant, uint64_t offset,
		  void *bytes, size_t n)
{
	struct reader reader = {
		.layout = LLVMGetModuleDataLayout(module),
		.offset = offset,
		.bytes = bytes,
		.size = n,
	};

	constant = contents(constant);
	return constant && read_part(&reader, constant, 0) && !reader.pointer &&
	       reader.done == n;
}

LLVMValueRef
cc_pointer_base(LLVMModuleRef module, LLVMValueRef pointer, uint64_t *offset)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);

	*offset = 0;
	while (LLVMIsAConstantExpr(pointer) ||
	       LLVMIsAGetElementPtrInst(pointer)) {
		LLVMTypeRef type;

		if (LLVMIsAConstantExpr(pointer) &&
		    LLVMGetConstOpcode(pointer) != LLVMGetElementPtr)
			return NULL;
		type = LLVMGetGEPSourceElementType(pointer);
		if (LLVMGetNumOperands(pointer) != 2 ||
		    !LLVMIsAConstantInt(LLVMGetOperand(pointer, 1)))
			return NULL;
		*offset += (uint64_t)LLVMConstIntGetSExtValue(
				   LLVMGetOperand(pointer, 1)) *
			   LLVMABISizeOfType(layout, type);
		pointer = LLVMGetOperand(pointer, 0);
	}
	return pointer;
}

LLVMValueRef
cc_constant_base(LLVMModuleRef module, LLVMValueRef pointer, uint64_t *offset)
{
	LLVMValueRef base = cc_pointer_base(module, pointer, offset);

	return base && LLVMIsAGlobalValue(base) ? base : NULL;
}

LLVMValueRef
cc_constant_pointer(LLVMModuleRef module, LLVMValueRef constant,
		    uint64_t offset, uint64_t *target_offset)
{
	unsigned char bytes[8];
	struct reader reader = {
		.layout = LLVMGetModuleDataLayout(module),
		.offset = offset,
		.bytes = bytes,
		.size = sizeof(bytes),
	};

	constant = contents(constant);
	if (!constant || !read_part(&reader, constant, 0) || !reader.pointer)
		return NULL;
	return cc_constant_base(module, reader.pointer, target_offset);
}
