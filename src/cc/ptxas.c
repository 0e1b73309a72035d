/*
 * ptxas: from PTX text to a cubin, and what it says about each kernel. Part of
 * the CUDA toolkit, which a machine may not have.
 */
#define _GNU_SOURCE
#include "cc/nvptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CUDA's folder by its own variables, by ptxas on PATH, by custom. */
static const char *
cuda_folder(struct arena *arena)
{
	static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
	const char *usual = "/usr/local/cuda";
	char *ptxas;

	for (size_t i = 0; i < array_count(variables); i++) {
		const char *folder = getenv(variables[i]);

		if (folder && *folder)
			return folder;
	}
	ptxas = path_find(arena, "ptxas");
	if (ptxas && !file_exists(usual))
		return path_dir(arena, path_dir(arena, ptxas));
	return usual;
}

const char *
nvptx_ptxas(struct arena *arena)
{
	char *found = path_find(arena, "ptxas");
	char *path = arena_printf(arena, "%s/bin/ptxas", cuda_folder(arena));

	if (file_exists(path))
		return path;
	return found;
}

const char *
nvptx_libdevice(struct arena *arena)
{
	const char *off = getenv("SMELT_NO_LIBDEVICE");
	char *path = arena_printf(arena, "%s/nvvm/libdevice/libdevice.10.bc",
				  cuda_folder(arena));

	if (off && strcmp(off, "1") == 0)
		return NULL;
	return file_exists(path) ? path : NULL;
}

/* The number before `word` in the line, or 0: ptxas leaves out what is zero. */
static uint32_t
number_before(const char *line, const char *end, const char *word)
{
	const char *p = memmem(line, (size_t)(end - line), word, strlen(word));

	if (!p)
		return 0;
	while (p > line && p[-1] == ' ')
		p--;
	while (p > line && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return (uint32_t)strtoul(p, NULL, 10);
}

/*
 * ptxas -v says of each entry, in this order:
 *   ptxas info : Compiling entry function 'NAME' for 'sm_90'
 *   ptxas info : Function properties for NAME
 *       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *   ptxas info : Used 16 registers, used 0 barriers, 16 bytes smem, ...
 */
static void
read_report(struct cc_job *job, const char *text)
{
	static const char entry[] = "Compiling entry function '";
	struct smelt_table_resources taken = {0};
	const char *line = text, *end, *name = NULL;

	for (; line && *line; line = *end ? end + 1 : end) {
		size_t len;
		const char *found;

		end = strchrnul(line, '\n');
		len = (size_t)(end - line);
		found = memmem(line, len, entry, sizeof(entry) - 1);
		if (found) {
			name = found + sizeof(entry) - 1;
		} else if (memmem(line, len, "bytes stack frame", 17)) {
			taken.stack_bytes =
				number_before(line, end, "bytes stack");
			taken.spill_bytes =
				number_before(line, end, "bytes spill stores");
		} else if (name && memmem(line, len, "Used ", 5)) {
			taken.registers = number_before(line, end, "registers");
			taken.shared_bytes =
				number_before(line, end, "bytes smem");
			cc_kernel_takes(job, name, strcspn(name, "'"), &taken);
			name = NULL;
		}
	}
}

void
nvptx_assemble(struct cc_job *job, const char *gpu)
{
	const char *ptxas = nvptx_ptxas(job->arena);
	const char *argv[] = {ptxas, "-O3", "-v", "-lineinfo", "-arch",
			      gpu,   "%i",  "-o", "%o",	       NULL};
	struct buf printed = {0};
	char *cubin;
	size_t size;

	if (!ptxas)
		die("target %s wants ptxas, which was not found; install the "
		    "CUDA toolkit, set CUDA_HOME, or ask for PTX (%s)",
		    job->arch, gpu);
	tool_run(job, argv, ".ptx", job->result->data, job->result->size,
		 &cubin, &size, &printed);
	read_report(job, printed.data ? printed.data : "");
	job->result->data = cubin;
	job->result->size = size;
	job->result->image_kind = SMELT_IMAGE_CUBIN;
}
