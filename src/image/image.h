/*
 * Reading and writing what smelt-cc leaves in a program: the kernel table and
 * the offload binaries of smelt/image.h.
 *
 * The reader checks every field before it hands out a pointer: whoever holds a
 * struct image_table may follow all of it without looking again. Nothing here
 * prints or ends the process on account of what it reads.
 */
#ifndef SMELT_IMAGE_LAYER_H
#define SMELT_IMAGE_LAYER_H

#include "base/base.h"
#include "smelt/image.h"

/* ---- read.c ---- */

/* A checked table. Points into the data it was read from. */
struct image_table {
	const struct smelt_table_header *header;
	/* In strictly increasing order of their ids, high half first. */
	const struct smelt_table_kernel *kernels;
	const struct smelt_table_target *targets;
	const struct smelt_table_resources *resources; /* [kernel][target] */
	const struct smelt_table_site *sites;
	const struct smelt_table_term *terms;
	const char *strings;
};

/* NULL, or what is wrong with the data (a constant text). data must be
 * 8-aligned and of exactly the table's size. */
const char *
image_table_read(const void *data, size_t size, struct image_table *table);

/* The string at an offset that stands in a field of the table. */
const char *
image_table_string(const struct image_table *table, uint32_t offset);

const struct smelt_table_resources *
image_table_resources(const struct image_table *table, uint32_t kernel,
		      uint32_t target);

/* Terms of a kernel on a target, and their number; NULL if there are none. */
const struct smelt_table_term *
image_table_terms(const struct image_table *table,
		  const struct smelt_table_resources *resources, size_t *count);

/* Index of the kernel with this id, or SMELT_UNKNOWN. */
uint32_t
image_table_find(const struct image_table *table, const uint64_t id[2]);

/* A checked offload binary. Points into the data it was read from. */
struct image_binary {
	uint16_t kind; /* enum smelt_offload_image_kind */
	const char *triple;
	const char *arch;
	const void *data;
	size_t size;
};

/* Reads the binary at *offset of a run of them and moves *offset behind it.
 * NULL, or what is wrong. Ask while *offset < size. data must be 8-aligned. */
const char *
image_binary_read(const void *data, size_t size, size_t *offset,
		  struct image_binary *binary);

/* The binary with this index in the run; NULL, or what is wrong. */
const char *
image_binary_get(const void *data, size_t size, uint32_t index,
		 struct image_binary *binary);

/* A number that another content has once in 2^32 times; for damage, not for
 * security. Reads some bytes in a nanosecond. */
uint32_t
image_checksum(const void *data, size_t size);

/* Reads the whole run and checks that each target of the table has its image
 * and each image its target; not yet the checksums of their contents. NULL,
 * or what is wrong. */
const char *
image_check(const struct image_table *table, const void *images, size_t size);

/* ---- terms.c ---- */

/* NULL, or what is wrong with the terms of a kernel whose block has this size.
 */
const char *
image_terms_check(const struct smelt_table_term *terms, size_t count,
		  uint32_t block_size);

/* Whether all that the terms need is true of a launch with this parameter block
 * on a grid of blocks of threads. Requires checked terms. */
bool
image_terms_hold(const struct smelt_table_term *terms, size_t count,
		 const void *params, const uint32_t grid[3],
		 const uint32_t block[3]);

/* ---- write.c ---- */

struct image_kernel {
	uint64_t id[2];
	const char *symbol;
	const char *name;
	const char *file;
	uint32_t line;
	uint32_t block_size;
	uint32_t block_align;
	uint32_t max_threads;
	uint32_t min_blocks;
	uint32_t flags;
};

struct image_target {
	enum smelt_target_kind kind;
	const char *arch;
	uint32_t image;
	uint32_t check;
};

struct image_site {
	enum smelt_panic_kind kind;
	const char *message;
	const char *file;
	uint32_t line;
	uint32_t column;
};

struct image_contents {
	enum smelt_fp_mode fp;
	const struct image_kernel
		*kernels; /* sorted by id, as the reader asks */
	uint32_t kernel_count;
	const struct image_target *targets;
	uint32_t target_count;
	const struct smelt_table_resources *resources; /* [kernel][target] */
	const struct image_site *sites;
	uint32_t site_count;
	const struct smelt_table_term *terms;
	uint32_t term_count;
};

/* Appends a table to out, which must be empty. */
void
image_table_write(struct arena *arena, struct buf *out,
		  const struct image_contents *contents);

/* Appends one offload binary, padded to a multiple of 8. */
void
image_binary_write(struct arena *arena, struct buf *out,
		   const struct image_binary *binary);

#endif
