/* See cpu_parts.cpp. Usable from C and C++. */
#ifndef SMELT_CC_CPU_PARTS_H
#define SMELT_CC_CPU_PARTS_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CPU_MOST_PARTS = 64 };

/* Where a context holds what; bytes. */
struct cpu_parts {
	size_t count; /* part 0 begins the kernel, part p goes on at point p */
	uint64_t size;
	uint64_t uniform; /* what is the same for all threads: two areas */
	uint64_t uniform_size;
	uint64_t votes; /* 32 counts of 8 bytes */
	uint64_t ended; /* 1024 turns of 4 bytes; 0: none ends early */
	/* What is voted on at the point, two rows of 1024 words; 0: no vote. */
	uint64_t polls[CPU_MOST_PARTS];
};

/* Words of a row that threads show each other, and from one to the next. */
enum { CPU_PARTS_ROW = 4096, CPU_PARTS_NEXT = 4096 + 64 };

/* Makes functions NAME_part0, NAME_part1, ... of a thread function whose
 * threads meet. parts->count 0, and nothing done but to split blocks, if its
 * threads might come to different points. */
void
cc_shim_parts(LLVMValueRef thread, const char *name, struct cpu_parts *parts);

#ifdef __cplusplus
}
#endif
#endif
