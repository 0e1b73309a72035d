/*
 * Code generation, and the programs that take it further: ptxas and ld.lld.
 * Both read and write files only, so each run gets a folder of its own under
 * TMPDIR; its name reaches no output.
 */
#define _GNU_SOURCE
#include "cc/lower.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *
with_paths(const char *argument, const char *input, const char *output)
{
	if (strcmp(argument, "%i") == 0)
		return input;
	if (strcmp(argument, "%o") == 0)
		return output;
	return argument;
}

const char *
tool_lld(struct arena *arena)
{
	/* The last is where Debian's packages keep it. */
	static const char *const names[] = {
		"ld.lld-22",
		"ld.lld",
		"/usr/lib/llvm-22/bin/ld.lld",
	};

	for (size_t i = 0; i < array_count(names); i++) {
		const char *path = path_find(arena, names[i]);

		if (path)
			return path;
	}
	return NULL;
}

void
tool_run(struct cc_job *job, const char *const *argv, const char *suffix,
	 const void *input, size_t input_size, char **output,
	 size_t *output_size, struct buf *printed)
{
	const char *base = getenv("TMPDIR");
	char *folder = arena_printf(job->arena, "%s/smelt-XXXXXX",
				    base && *base ? base : "/tmp");
	char *in, *out;
	struct list command = {0};
	int status;
	bool read = false;

	if (!mkdtemp(folder))
		die("cannot make the folder %s: %s", folder, strerror(errno));
	in = arena_printf(job->arena, "%s/kernels%s", folder, suffix);
	out = arena_printf(job->arena, "%s/kernels.out", folder);
	for (size_t i = 0; argv[i]; i++)
		list_add(job->arena, &command, with_paths(argv[i], in, out));
	if (!file_write(in, input, input_size))
		die("cannot write %s: %s", in, strerror(errno));
	status = process_capture(job->arena, command.data, printed);
	if (status == 0)
		read = file_read(job->arena, out, output, output_size);
	unlink(in);
	unlink(out);
	rmdir(folder);
	if (status < 0)
		die("%s: cannot start %s: %s", job->arch, argv[0],
		    strerror(errno));
	if (status != 0)
		die("%s: %s failed with status %d:\n%s", job->arch, argv[0],
		    status, printed->data ? printed->data : "");
	if (!read)
		die("%s: %s wrote no output", job->arch, argv[0]);
}

void
lower_emit(struct cc_job *job, LLVMCodeGenFileType type, char **data,
	   size_t *size)
{
	LLVMMemoryBufferRef buffer;
	char *message;

	if (LLVMTargetMachineEmitToMemoryBuffer(job->machine, job->module, type,
						&message, &buffer))
		die("%s: LLVM cannot emit code: %s", job->arch, message);
	*size = LLVMGetBufferSize(buffer);
	*data = arena_dup(job->arena, LLVMGetBufferStart(buffer), *size);
	LLVMDisposeMemoryBuffer(buffer);
}
