/*
 * What LLVM's C API cannot say. Strings that come back are malloc'd. Usable
 * from C and C++.
 */
#ifndef SMELT_CC_SHIM_H
#define SMELT_CC_SHIM_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NULL if it is not a v0 name. */
char *
cc_shim_demangle_v0(const char *symbol);
/* The producer string of bitcode, such as LLVM22.1.2-rust-1.95.0; NULL and the
 * reason in *message if it cannot be read. */
char *
cc_shim_producer(const char *data, size_t size, char **message);
/* A module over data, which must outlive it; bodies and metadata are read when
 * asked for. NULL and the reason in *message. */
LLVMModuleRef
cc_shim_open(LLVMContextRef context, const char *data, size_t size,
	     const char *name, char **message);
/* Parts a block in front of an instruction, which is the first of the new one.
 */
LLVMBasicBlockRef
cc_shim_split(LLVMValueRef before);
/* Its blocks and instructions are in the order of the original's; without its
 * debug info if that is not wanted. */
LLVMValueRef
cc_shim_copy_function(LLVMValueRef function, bool debug);
/* Makes an atomicrmw a load, the operation, and a store; it is gone. */
void
cc_shim_make_plain(LLVMValueRef atomic);
/* Reads all bodies. */
bool
cc_shim_materialize_all(LLVMModuleRef module, char **message);
/* Moves what dest needs of source, and what that needs in turn, into dest;
 * source is consumed. false if LLVM reported an error. */
bool
cc_shim_link_needed(LLVMModuleRef dest, LLVMModuleRef source);
/* Leaves line tables only, and in them no checksums of source files: with those
 * an edit anywhere in a file would make each of its kernels a new one. */
void
cc_shim_strip_types(LLVMModuleRef module);
/* Debug info for .loc directives alone, without DWARF sections. */
void
cc_shim_line_directives(LLVMModuleRef module);
/* The type of a function's first generic parameter, from its debug info; NULL
 * if that is absent. */
LLVMMetadataRef
cc_shim_first_generic(LLVMValueRef function);
/* The types that lie in a value of this type, by index, and the field's name
 * ("" if it has none); NULL beyond the last. */
LLVMMetadataRef
cc_shim_type_part(LLVMMetadataRef type, unsigned index, const char **field);
/* Whether it is an address: reference, pointer, function pointer. The types of
 * function items, which hold nothing, are written as pointers of size 0. */
bool
cc_shim_type_is_pointer(LLVMMetadataRef type);
/* The function that a scope of debug info lies in, and its names ("" if none);
 * they live as long as the module. NULL if there is none. */
LLVMMetadataRef
cc_shim_subprogram(LLVMMetadataRef scope, const char **name,
		   const char **linkage_name);

#ifdef __cplusplus
}
#endif
#endif
