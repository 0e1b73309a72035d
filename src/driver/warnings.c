/*
 * Warnings about kernels that are well-formed and slow: registers spilled to
 * memory, and a stack.
 *
 * They are read from the finished object and not printed by smelt-cc, so that
 * they are said just the same when its result came out of the cache.
 */
#include "driver/driver.h"

#include "image/image.h"

#include <stdlib.h>
#include <string.h>

/* Bytes; smaller ones are what calls of the math libraries need. */
enum { least_stack = 64 };

static const char *const modes[] = {"all", "spills", "off"};

bool
warnings_known(const char *mode)
{
	for (size_t i = 0; i < array_count(modes); i++)
		if (!strcmp(modes[i], mode))
			return true;
	return false;
}

/* RUSTFLAGS and cargo, for dependencies of others, may have silenced all. */
static bool
silenced(const struct rustc_call *call)
{
	for (size_t i = 0; i < call->args.len; i++) {
		const char *arg = call->args.data[i];
		const char *next =
			i + 1 < call->args.len ? call->args.data[i + 1] : "";

		if (!strcmp(arg, "-Awarnings") ||
		    !strcmp(arg, "--cap-lints=allow") ||
		    (!strcmp(arg, "--cap-lints") && !strcmp(next, "allow")) ||
		    (!strcmp(arg, "-A") && !strcmp(next, "warnings")))
			return true;
	}
	return false;
}

/* "24 bytes (gfx90a), 8 bytes (sm_90)": the targets where the field is at least
 * that large; equal numbers in a row stand together. */
static void
describe(struct arena *arena, const struct image_table *table, uint32_t kernel,
	 size_t field, uint32_t least, struct buf *text)
{
	uint32_t last = 0;

	for (uint32_t t = 0; t < table->header->target_count; t++) {
		const struct smelt_table_resources *r =
			image_table_resources(table, kernel, t);
		const char *arch =
			image_table_string(table, table->targets[t].arch);
		uint32_t bytes;

		memcpy(&bytes, (const char *)r + field, sizeof(bytes));
		if (table->targets[t].kind == SMELT_TARGET_CPU ||
		    bytes < least || bytes == SMELT_UNKNOWN)
			continue;
		if (bytes == last)
			text->data[--text->len] = 0;
		buf_printf(arena, text, "%s%s)",
			   bytes == last ? ", "
			   : last ? arena_printf(arena, ", %u bytes (", bytes)
				  : arena_printf(arena, "%u bytes (", bytes),
			   target_public_name(arena, arch));
		last = bytes;
	}
}

static void
warn_of_kernel(struct arena *arena, const struct rustc_call *call,
	       const struct image_table *table, uint32_t index, bool stack)
{
	const struct smelt_table_kernel *kernel = &table->kernels[index];
	const char *file = image_table_string(table, kernel->file);
	struct buf spills = {0}, frame = {0}, text = {0};

	describe(arena, table, index,
		 offsetof(struct smelt_table_resources, spill_bytes), 1,
		 &spills);
	if (stack)
		describe(arena, table, index,
			 offsetof(struct smelt_table_resources, stack_bytes),
			 least_stack, &frame);
	if (!spills.len && !frame.len)
		return;
	buf_printf(arena, &text, "warning: kernel `%s` ",
		   image_table_string(table, kernel->name));
	if (spills.len)
		buf_printf(arena, &text, "spills %s of registers a thread%s",
			   spills.data, frame.len ? " and " : "");
	if (frame.len)
		buf_printf(arena, &text, "has a stack of %s a thread",
			   frame.data);
	if (*file)
		buf_printf(arena, &text, "\n --> %s:%u", file, kernel->line);
	buf_printf(arena, &text,
		   "\n  = note: that is memory, not registers; `warn = "
		   "\"%s\"` under [package.metadata.smelt] silences this\n",
		   spills.len ? "off" : "spills");
	diagnostic_print(arena, call, text.data);
}

void
warnings_print(struct arena *arena, const struct rustc_call *call,
	       const char *object, const char *mode)
{
	struct image_table table;
	char *file, *data;
	size_t size, table_size;

	if (!strcmp(mode, "off") || silenced(call))
		return;
	/* An object that cannot be read is the linker's to complain about. */
	if (!file_read(arena, object, &file, &size) ||
	    elf_section(arena, file, size, SMELT_SECTION_KERNELS, &data,
			&table_size) ||
	    !data || image_table_read(data, table_size, &table))
		return;
	for (uint32_t i = 0; i < table.header->kernel_count; i++)
		warn_of_kernel(arena, call, &table, i, !strcmp(mode, "all"));
}
