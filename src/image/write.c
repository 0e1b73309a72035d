/*
 * The writer of kernel tables and offload binaries. Equal contents give equal
 * bytes; each string is stored once.
 */
#include "image.h"

#include <assert.h>
#include <string.h>

struct writer {
	struct arena *arena;
	struct buf strings;
	/* Offsets of the strings by hash, 0 where free: "" needs no slot. */
	uint32_t *slots;
	uint32_t slot_count;
};

static uint32_t
hash_text(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

static uint32_t
put_string(struct writer *writer, const char *text)
{
	uint32_t slot = hash_text(text) & (writer->slot_count - 1);
	uint32_t offset;

	if (!*text)
		return 0;
	while ((offset = writer->slots[slot])) {
		if (!strcmp(writer->strings.data + offset, text))
			return offset;
		slot = (slot + 1) & (writer->slot_count - 1);
	}
	offset = (uint32_t)writer->strings.len;
	writer->slots[slot] = offset;
	buf_add(writer->arena, &writer->strings, text, strlen(text) + 1);
	return offset;
}

static void
start_strings(struct writer *writer, const struct image_contents *contents)
{
	size_t most = 3 * (size_t)contents->kernel_count +
		      contents->target_count + 2 * (size_t)contents->site_count;

	writer->slot_count = 64;
	while (writer->slot_count < 2 * most)
		writer->slot_count *= 2;
	writer->slots = arena_alloc(writer->arena,
				    writer->slot_count * sizeof(uint32_t));
	buf_add(writer->arena, &writer->strings, "", 1);
}

static void
put_kernels(struct writer *writer, struct buf *out,
	    const struct image_contents *contents)
{
	for (uint32_t i = 0; i < contents->kernel_count; i++) {
		const struct image_kernel *kernel = &contents->kernels[i];
		struct smelt_table_kernel entry = {
			.id = {kernel->id[0], kernel->id[1]},
			.symbol = put_string(writer, kernel->symbol),
			.name = put_string(writer, kernel->name),
			.file = put_string(writer, kernel->file),
			.line = kernel->line,
			.block_size = kernel->block_size,
			.block_align = kernel->block_align,
			.max_threads = kernel->max_threads,
			.min_blocks = kernel->min_blocks,
			.flags = kernel->flags,
		};

		buf_add(writer->arena, out, &entry, sizeof(entry));
	}
}

static void
put_targets(struct writer *writer, struct buf *out,
	    const struct image_contents *contents)
{
	for (uint32_t i = 0; i < contents->target_count; i++) {
		const struct image_target *target = &contents->targets[i];
		struct smelt_table_target entry = {
			.kind = target->kind,
			.arch = put_string(writer, target->arch),
			.image = target->image,
			.check = target->check,
		};

		buf_add(writer->arena, out, &entry, sizeof(entry));
	}
}

static void
put_sites(struct writer *writer, struct buf *out,
	  const struct image_contents *contents)
{
	for (uint32_t i = 0; i < contents->site_count; i++) {
		const struct image_site *site = &contents->sites[i];
		struct smelt_table_site entry = {
			.kind = site->kind,
			.message = put_string(writer, site->message),
			.file = put_string(writer, site->file),
			.line = site->line,
			.column = site->column,
		};

		buf_add(writer->arena, out, &entry, sizeof(entry));
	}
}

void
image_table_write(struct arena *arena, struct buf *out,
		  const struct image_contents *contents)
{
	struct smelt_table_header header = {
		.magic = SMELT_TABLE_MAGIC,
		.version = SMELT_TABLE_VERSION,
		.fp_mode = contents->fp,
		.kernel_count = contents->kernel_count,
		.target_count = contents->target_count,
		.site_count = contents->site_count,
		.term_count = contents->term_count,
	};
	struct writer writer = {.arena = arena};

	assert(!out->len);
	start_strings(&writer, contents);
	buf_add(arena, out, &header, sizeof(header));
	header.kernel_offset = (uint32_t)out->len;
	put_kernels(&writer, out, contents);
	header.target_offset = (uint32_t)out->len;
	put_targets(&writer, out, contents);
	header.resource_offset = (uint32_t)out->len;
	buf_add(arena, out, contents->resources,
		sizeof(*contents->resources) * contents->kernel_count *
			contents->target_count);
	header.site_offset = (uint32_t)out->len;
	put_sites(&writer, out, contents);
	buf_align(arena, out, 8);
	header.term_offset = (uint32_t)out->len;
	buf_add(arena, out, contents->terms,
		sizeof(*contents->terms) * contents->term_count);
	header.string_offset = (uint32_t)out->len;
	header.string_size = (uint32_t)writer.strings.len;
	buf_add(arena, out, writer.strings.data, writer.strings.len);
	header.size = (uint32_t)out->len;
	memcpy(out->data, &header, sizeof(header));
}

void
image_binary_write(struct arena *arena, struct buf *out,
		   const struct image_binary *binary)
{
	const char *const text[4] = {"triple", binary->triple, "arch",
				     binary->arch};
	struct smelt_offload_header header = {
		.magic = {0x10, 0xff, 0x10, 0xad},
		.version = 1,
		.entry_offset = sizeof(header),
		.entry_size = sizeof(struct smelt_offload_entry),
	};
	struct smelt_offload_entry entry = {
		.image_kind = binary->kind,
		.string_offset = sizeof(header) + sizeof(entry),
		.string_count = 2,
		.image_size = binary->size,
	};
	struct smelt_offload_string strings[2];
	uint64_t offset = entry.string_offset + sizeof(strings);
	size_t start = out->len;

	for (int i = 0; i < 2; i++) {
		strings[i].key_offset = offset;
		strings[i].value_offset = offset + strlen(text[2 * i]) + 1;
		offset = strings[i].value_offset + strlen(text[2 * i + 1]) + 1;
	}
	entry.image_offset = (offset + 7) & ~(uint64_t)7;
	header.size = (entry.image_offset + binary->size + 7) & ~(uint64_t)7;
	buf_add(arena, out, &header, sizeof(header));
	buf_add(arena, out, &entry, sizeof(entry));
	buf_add(arena, out, strings, sizeof(strings));
	for (int i = 0; i < 4; i++)
		buf_add(arena, out, text[i], strlen(text[i]) + 1);
	buf_align(arena, out, 8);
	buf_add(arena, out, binary->data, binary->size);
	buf_align(arena, out, 8);
	assert(out->len - start == header.size);
}
