/*
 * Line tables of the wrappers, so that a debugger or profiler sees the kernel's
 * lines within them.
 *
 * LLVM writes lines only for functions that have a debug-info subprogram, and
 * one subprogram cannot serve two functions. So each wrapper gets one of its
 * own, at the kernel's line, and the thread function is inlined into it by a
 * call that stands there.
 */
#include "cc/cpu.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

struct cpu_lines {
	struct cc_job *job;
	LLVMDIBuilderRef builder;
	LLVMMetadataRef file;
	LLVMMetadataRef type;
};

struct cpu_lines *
cpu_lines_begin(struct cc_job *job)
{
	static const char producer[] = "smelt-cc";
	struct cpu_lines *lines = arena_alloc(job->arena, sizeof(*lines));

	lines->job = job;
	lines->builder = LLVMCreateDIBuilder(job->module);
	lines->file = LLVMDIBuilderCreateFile(lines->builder, producer,
					      strlen(producer), "", 0);
	LLVMDIBuilderCreateCompileUnit(
		lines->builder, LLVMDWARFSourceLanguageRust, lines->file,
		producer, strlen(producer), true, "", 0, 0, "", 0,
		LLVMDWARFEmissionLineTablesOnly, 0, false, false, "", 0, "", 0);
	lines->type = LLVMDIBuilderCreateSubroutineType(
		lines->builder, lines->file, NULL, 0, LLVMDIFlagZero);
	return lines;
}

/* A call of a function that has lines needs some itself: the inliner builds on
 * it. */
static void
place_calls(LLVMValueRef wrapper, LLVMMetadataRef place)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(wrapper); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i))
				LLVMInstructionSetDebugLoc(i, place);
}

void
cpu_lines_add(struct cpu_lines *lines, LLVMValueRef wrapper,
	      LLVMValueRef thread)
{
	LLVMMetadataRef kernel = LLVMGetSubprogram(thread), own, place, file;
	const char *name = LLVMGetValueName(wrapper);
	unsigned line;

	if (!kernel)
		return;
	line = LLVMDISubprogramGetLine(kernel);
	file = LLVMDIScopeGetFile(kernel);
	own = LLVMDIBuilderCreateFunction(
		lines->builder, file ? file : lines->file, name, strlen(name),
		name, strlen(name), file ? file : lines->file, line,
		lines->type, true, true, line, LLVMDIFlagArtificial, true);
	LLVMSetSubprogram(wrapper, own);
	place = LLVMDIBuilderCreateDebugLocation(lines->job->context, line, 0,
						 own, NULL);
	place_calls(wrapper, place);
}

void
cpu_lines_end(struct cpu_lines *lines)
{
	LLVMDIBuilderFinalize(lines->builder);
	LLVMDisposeDIBuilder(lines->builder);
}
