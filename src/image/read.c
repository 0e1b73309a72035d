/*
 * The reader of kernel tables and offload binaries.
 *
 * A table has one layout only: header, kernels, targets, resources, sites,
 * terms, strings, each beginning where the one before ends. Any other
 * arrangement is refused, so that no two parts can overlap and no byte is left
 * unlooked at.
 */
#include "image.h"

#include <string.h>

static bool
aligned(const void *data)
{
	return (uintptr_t)data % 8 == 0;
}

/* Moves *end behind count items; false if they do not begin at *end or do not
 * fit into size. All sums are of 32-bit numbers in 64 bits, which cannot
 * overflow with items below 2^31 bytes. */
static bool
take_part(uint64_t *end, uint32_t offset, uint64_t count, uint64_t item,
	  uint64_t size)
{
	if (offset != *end || count > size / item)
		return false;
	*end += count * item;
	return *end <= size;
}

static const char *
check_header(const struct smelt_table_header *header, size_t size)
{
	uint64_t end = sizeof(*header);
	uint64_t pairs = (uint64_t)header->kernel_count * header->target_count;

	if (memcmp(header->magic, SMELT_TABLE_MAGIC, 8))
		return "kernel table: wrong magic";
	if (header->version != SMELT_TABLE_VERSION)
		return "kernel table: written by another version of smelt";
	if (header->size != size)
		return "kernel table: wrong size";
	if (header->fp_mode > SMELT_FP_EXACT)
		return "kernel table: unknown floating-point mode";
	if (!take_part(&end, header->kernel_offset, header->kernel_count,
		       sizeof(struct smelt_table_kernel), size))
		return "kernel table: kernels lie outside";
	if (!take_part(&end, header->target_offset, header->target_count,
		       sizeof(struct smelt_table_target), size))
		return "kernel table: targets lie outside";
	if (!take_part(&end, header->resource_offset, pairs,
		       sizeof(struct smelt_table_resources), size))
		return "kernel table: resources lie outside";
	if (!take_part(&end, header->site_offset, header->site_count,
		       sizeof(struct smelt_table_site), size))
		return "kernel table: panic sites lie outside";
	/* Sizes in front of the terms are multiples of 4 only. */
	end = (end + 7) & ~(uint64_t)7;
	if (!take_part(&end, header->term_offset, header->term_count,
		       sizeof(struct smelt_table_term), size))
		return "kernel table: terms lie outside";
	if (!take_part(&end, header->string_offset, header->string_size, 1,
		       size) ||
	    end != size)
		return "kernel table: strings lie outside";
	return NULL;
}

/* A field may only name the beginning of a string: the byte before it ends the
 * string in front. The last byte of all is known to be 0. */
static bool
is_string(const struct image_table *table, uint32_t offset)
{
	if (offset >= table->header->string_size)
		return false;
	return offset == 0 || table->strings[offset - 1] == 0;
}

static bool
ids_increase(const struct smelt_table_kernel *a,
	     const struct smelt_table_kernel *b)
{
	if (a->id[1] != b->id[1])
		return a->id[1] < b->id[1];
	return a->id[0] < b->id[0];
}

static const char *
check_kernel(const struct image_table *table, uint32_t index)
{
	const struct smelt_table_kernel *kernel = &table->kernels[index];
	const unsigned known =
		SMELT_KERNEL_INDEX1 | SMELT_KERNEL_INDEX2 |
		SMELT_KERNEL_INDEX3 | SMELT_KERNEL_BARRIER |
		SMELT_KERNEL_COROUTINE | SMELT_KERNEL_DYNAMIC_SHARED |
		SMELT_KERNEL_DEEP | SMELT_KERNEL_WATCHED | SMELT_KERNEL_PRINT |
		SMELT_KERNEL_JOINED | SMELT_KERNEL_ALONE | SMELT_KERNEL_PARTS;

	if (index && !ids_increase(kernel - 1, kernel))
		return "kernel table: kernels are not in order";
	if (!is_string(table, kernel->symbol) ||
	    !is_string(table, kernel->name) || !is_string(table, kernel->file))
		return "kernel table: a kernel's string lies outside";
	if (!*image_table_string(table, kernel->symbol))
		return "kernel table: a kernel without a symbol";
	if (!kernel->block_align ||
	    (kernel->block_align & (kernel->block_align - 1)))
		return "kernel table: alignment is not a power of two";
	if (kernel->block_size < sizeof(struct smelt_block_header) ||
	    kernel->block_size % kernel->block_align)
		return "kernel table: impossible size of a parameter block";
	if (kernel->flags & ~known)
		return "kernel table: unknown kernel flag";
	return NULL;
}

static const char *
check_target(const struct image_table *table,
	     const struct smelt_table_target *target)
{
	if (target->kind < SMELT_TARGET_CPU ||
	    target->kind > SMELT_TARGET_AMDGPU)
		return "kernel table: unknown kind of target";
	if (!is_string(table, target->arch))
		return "kernel table: a target's string lies outside";
	if ((target->kind == SMELT_TARGET_CPU) !=
	    (target->image == SMELT_UNKNOWN))
		return "kernel table: target and image do not fit";
	return NULL;
}

static const char *
check_site(const struct image_table *table, const struct smelt_table_site *site)
{
	if (site->kind > SMELT_PANIC_TEXT)
		return "kernel table: unknown kind of panic";
	if (!is_string(table, site->message) || !is_string(table, site->file))
		return "kernel table: a panic site's string lies outside";
	return NULL;
}

static const char *
check_terms(const struct image_table *table, uint32_t kernel, uint32_t target)
{
	const struct smelt_table_resources *resources =
		image_table_resources(table, kernel, target);
	uint32_t first = resources->first_term, count = resources->term_count;

	if (!count)
		return NULL;
	if (first > table->header->term_count ||
	    count > table->header->term_count - first)
		return "kernel table: a kernel's terms lie outside";
	return image_terms_check(&table->terms[first], count,
				 table->kernels[kernel].block_size);
}

static const char *
check_entries(const struct image_table *table)
{
	const struct smelt_table_header *header = table->header;
	const char *wrong = NULL;

	if (!header->string_size || table->strings[0] ||
	    table->strings[header->string_size - 1])
		return "kernel table: strings are not terminated";
	for (uint32_t i = 0; !wrong && i < header->kernel_count; i++)
		wrong = check_kernel(table, i);
	for (uint32_t i = 0; !wrong && i < header->target_count; i++)
		wrong = check_target(table, &table->targets[i]);
	for (uint32_t i = 0; !wrong && i < header->site_count; i++)
		wrong = check_site(table, &table->sites[i]);
	for (uint32_t k = 0; !wrong && k < header->kernel_count; k++)
		for (uint32_t t = 0; !wrong && t < header->target_count; t++)
			wrong = check_terms(table, k, t);
	return wrong;
}

const char *
image_table_read(const void *data, size_t size, struct image_table *table)
{
	const struct smelt_table_header *header = data;
	const char *base = data;
	const char *wrong;

	if (!data || size < sizeof(*header))
		return "kernel table: too short";
	if (!aligned(data))
		return "kernel table: not aligned";
	wrong = check_header(header, size);
	if (wrong)
		return wrong;
	table->header = header;
	table->kernels = (const void *)(base + header->kernel_offset);
	table->targets = (const void *)(base + header->target_offset);
	table->resources = (const void *)(base + header->resource_offset);
	table->sites = (const void *)(base + header->site_offset);
	table->terms = (const void *)(base + header->term_offset);
	table->strings = base + header->string_offset;
	return check_entries(table);
}

const char *
image_table_string(const struct image_table *table, uint32_t offset)
{
	return table->strings + offset;
}

const struct smelt_table_resources *
image_table_resources(const struct image_table *table, uint32_t kernel,
		      uint32_t target)
{
	return &table->resources[(size_t)kernel * table->header->target_count +
				 target];
}

const struct smelt_table_term *
image_table_terms(const struct image_table *table,
		  const struct smelt_table_resources *resources, size_t *count)
{
	*count = resources->term_count;
	return *count ? &table->terms[resources->first_term] : NULL;
}

uint32_t
image_table_find(const struct image_table *table, const uint64_t id[2])
{
	struct smelt_table_kernel wanted = {.id = {id[0], id[1]}};
	uint32_t low = 0, high = table->header->kernel_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ids_increase(&table->kernels[middle], &wanted))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < table->header->kernel_count &&
	    table->kernels[low].id[0] == id[0] &&
	    table->kernels[low].id[1] == id[1])
		return low;
	return SMELT_UNKNOWN;
}

/* ---- offload binaries ---- */

/* Whether count items at offset lie within size bytes, 8-aligned. */
static bool
lies_within(uint64_t offset, uint64_t count, uint64_t item, uint64_t size)
{
	return offset % 8 == 0 && offset <= size &&
	       count <= (size - offset) / item;
}

static const char *
string_at(const char *base, uint64_t offset, uint64_t size)
{
	if (offset >= size || !memchr(base + offset, 0, size - offset))
		return NULL;
	return base + offset;
}

static const char *
read_strings(const char *base, uint64_t size,
	     const struct smelt_offload_entry *entry,
	     struct image_binary *binary)
{
	const struct smelt_offload_string *strings =
		(const void *)(base + entry->string_offset);

	for (uint64_t i = 0; i < entry->string_count; i++) {
		const char *key = string_at(base, strings[i].key_offset, size);
		const char *value =
			string_at(base, strings[i].value_offset, size);

		if (!key || !value)
			return "image: a string lies outside";
		if (!strcmp(key, "triple"))
			binary->triple = value;
		else if (!strcmp(key, "arch"))
			binary->arch = value;
	}
	if (!binary->triple || !binary->arch)
		return "image: triple or arch is missing";
	return NULL;
}

static const char *
read_entry(const char *base, uint64_t size,
	   const struct smelt_offload_entry *entry, struct image_binary *binary)
{
	if (entry->image_kind != SMELT_IMAGE_OBJECT &&
	    entry->image_kind != SMELT_IMAGE_CUBIN &&
	    entry->image_kind != SMELT_IMAGE_PTX)
		return "image: unknown kind";
	if (!lies_within(entry->string_offset, entry->string_count,
			 sizeof(struct smelt_offload_string), size))
		return "image: the string table lies outside";
	if (!lies_within(entry->image_offset, entry->image_size, 1, size))
		return "image: its contents lie outside";
	if (!entry->image_size)
		return "image: empty";
	memset(binary, 0, sizeof(*binary));
	binary->kind = entry->image_kind;
	binary->data = base + entry->image_offset;
	binary->size = (size_t)entry->image_size;
	return read_strings(base, size, entry, binary);
}

const char *
image_binary_read(const void *data, size_t size, size_t *offset,
		  struct image_binary *binary)
{
	const struct smelt_offload_header *header;
	const char *base = data;
	size_t left;

	if (!data || !aligned(data) || *offset % 8 || *offset > size)
		return "image: not aligned";
	base += *offset;
	left = size - *offset;
	if (left < sizeof(*header))
		return "image: too short";
	header = (const void *)base;
	if (memcmp(header->magic, SMELT_OFFLOAD_MAGIC, 4))
		return "image: wrong magic";
	if (header->version != 1)
		return "image: unknown version of the container";
	if (header->size > left || header->size < sizeof(*header) ||
	    header->size % 8)
		return "image: wrong size";
	if (header->entry_size != sizeof(struct smelt_offload_entry) ||
	    !lies_within(header->entry_offset, 1, header->entry_size,
			 header->size))
		return "image: its entry lies outside";
	*offset += (size_t)header->size;
	return read_entry(base, header->size,
			  (const void *)(base + header->entry_offset), binary);
}

const char *
image_binary_get(const void *data, size_t size, uint32_t index,
		 struct image_binary *binary)
{
	size_t offset = 0;

	while (offset < size) {
		const char *wrong =
			image_binary_read(data, size, &offset, binary);

		if (wrong)
			return wrong;
		if (index-- == 0)
			return NULL;
	}
	return "image: missing";
}

uint32_t
image_checksum(const void *data, size_t size)
{
	const char *p = data;
	uint64_t sum = size, word;

	for (; size >= 8; p += 8, size -= 8) {
		memcpy(&word, p, 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
		sum ^= sum >> 32;
	}
	word = 0;
	if (size)
		memcpy(&word, p, size);
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(sum ^ sum >> 32);
}

/* The target that names this image, or NULL. */
static const struct smelt_table_target *
image_target(const struct image_table *table, uint32_t index)
{
	for (uint32_t i = 0; i < table->header->target_count; i++)
		if (table->targets[i].image == index)
			return &table->targets[i];
	return NULL;
}

const char *
image_check(const struct image_table *table, const void *images, size_t size)
{
	uint32_t count = 0, wanted = 0;
	size_t offset = 0;

	while (offset < size) {
		struct image_binary binary;
		const struct smelt_table_target *target;
		const char *wrong =
			image_binary_read(images, size, &offset, &binary);

		if (wrong)
			return wrong;
		target = image_target(table, count++);
		if (!target || strcmp(image_table_string(table, target->arch),
				      binary.arch))
			return "image: no target of the table is its own";
	}
	for (uint32_t i = 0; i < table->header->target_count; i++)
		wanted += table->targets[i].kind != SMELT_TARGET_CPU;
	return wanted == count ? NULL : "image: missing";
}
