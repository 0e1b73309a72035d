/*
 * The reader and writer of kernel tables and offload binaries: what is written
 * is read back; each field out of its range is refused with a reason; and no
 * change of any byte makes the reader look outside (the sanitizers watch).
 */
#include "unit.h"

#include "image/image.h"

static struct arena arena;

static const struct image_kernel kernels[] = {
	{.id = {9, 1},
	 .symbol = "saxpy_1",
	 .name = "app::saxpy",
	 .file = "src/main.rs",
	 .line = 3,
	 .block_size = 56,
	 .block_align = 8,
	 .flags = SMELT_KERNEL_INDEX1},
	{.id = {1, 2},
	 .symbol = "other_2",
	 .name = "app::other",
	 .file = "src/main.rs",
	 .line = 9,
	 .block_size = 16,
	 .block_align = 16,
	 .max_threads = 128,
	 .min_blocks = 2,
	 .flags = SMELT_KERNEL_BARRIER | SMELT_KERNEL_COROUTINE},
};

static const struct image_target targets[] = {
	{SMELT_TARGET_CPU, "x86_64", SMELT_UNKNOWN, 0},
	{SMELT_TARGET_NVPTX, "sm_75", 0, 75},
	{SMELT_TARGET_AMDGPU, "gfx90a", 1, 90},
};

static const struct image_site sites[] = {
	{SMELT_PANIC_BOUNDS, "index out of bounds", "src/main.rs", 4, 5},
	{SMELT_PANIC_OTHER, "", "", 0, 0},
};

static struct buf
make_table(void)
{
	static const struct smelt_table_resources resources[6] = {
		{1, 2, 3, 4, 0, 0},
		{5, 6, 7, 8, 0, 0},
		[4] = {1, 1, 1, 1, 1, 2},
		[5] = {21, 22, 23, 24, 0, 1}};
	static const struct smelt_table_term terms[3] = {
		{.op = SMELT_TERM_FIELD, .width = 32, .value = 12},
		{.op = SMELT_TERM_THREAD, .width = 32, .a = 2},
		{.op = SMELT_TERM_NEED_BELOW, .width = 64},
	};
	struct image_contents contents = {
		.fp = SMELT_FP_EXACT,
		.kernels = kernels,
		.kernel_count = 2,
		.targets = targets,
		.target_count = 3,
		.resources = resources,
		.sites = sites,
		.site_count = 2,
		.terms = terms,
		.term_count = 3,
	};
	struct buf out = {0};

	image_table_write(&arena, &out, &contents);
	return out;
}

static struct buf
make_images(void)
{
	struct image_binary ptx = {SMELT_IMAGE_PTX, "nvptx64-nvidia-cuda",
				   "sm_75", "PTX text", 8};
	struct image_binary object = {SMELT_IMAGE_OBJECT, "amdgcn-amd-amdhsa",
				      "gfx90a", "\177ELF object", 11};
	struct buf out = {0};

	image_binary_write(&arena, &out, &ptx);
	image_binary_write(&arena, &out, &object);
	return out;
}

/* A copy of exactly this size, so that the sanitizer sees a read behind it. */
static char *
exact(const struct buf *buf, size_t size)
{
	char *copy = malloc(size ? size : 1);

	memcpy(copy, buf->data, size);
	return copy;
}

static void
table_round_trip(void)
{
	struct buf buf = make_table();
	char *data = exact(&buf, buf.len);
	struct image_table table;
	const uint64_t id[2] = {1, 2}, none[2] = {2, 1};
	const struct smelt_table_term *terms;
	size_t count;

	CHECK(!image_table_read(data, buf.len, &table));
	CHECK_INT(table.header->kernel_count, 2);
	CHECK_INT(table.header->fp_mode, SMELT_FP_EXACT);
	CHECK_TEXT(image_table_string(&table, table.kernels[0].name),
		   "app::saxpy");
	CHECK_TEXT(image_table_string(&table, table.kernels[1].symbol),
		   "other_2");
	CHECK_INT(table.kernels[0].file, table.kernels[1].file);
	CHECK_INT(table.kernels[1].max_threads, 128);
	CHECK_TEXT(image_table_string(&table, table.targets[2].arch), "gfx90a");
	CHECK_INT(table.targets[2].check, 90);
	CHECK_INT(image_table_resources(&table, 0, 1)->registers, 5);
	CHECK_INT(image_table_resources(&table, 1, 2)->shared_bytes, 24);
	terms = image_table_terms(&table, image_table_resources(&table, 1, 1),
				  &count);
	CHECK_INT(count, 2);
	CHECK_INT(terms[0].op, SMELT_TERM_THREAD);
	CHECK_INT(terms[1].op, SMELT_TERM_NEED_BELOW);
	CHECK(!image_table_terms(&table, image_table_resources(&table, 0, 1),
				 &count));
	CHECK_TEXT(image_table_string(&table, table.sites[0].message),
		   "index out of bounds");
	CHECK_INT(table.sites[0].column, 5);
	CHECK_INT(image_table_find(&table, id), 1);
	CHECK_INT(image_table_find(&table, kernels[0].id), 0);
	CHECK_INT(image_table_find(&table, none), SMELT_UNKNOWN);
	free(data);
}

static void
empty_table(void)
{
	struct image_contents contents = {0};
	struct buf buf = {0};
	struct image_table table;
	char *data;

	image_table_write(&arena, &buf, &contents);
	data = exact(&buf, buf.len);
	CHECK(!image_table_read(data, buf.len, &table));
	CHECK(!image_check(&table, NULL, 0));
	free(data);
}

static void
images_round_trip(void)
{
	struct buf table_buf = make_table(), buf = make_images();
	char *data = exact(&buf, buf.len);
	struct image_table table;
	struct image_binary binary;

	CHECK(!image_table_read(table_buf.data, table_buf.len, &table));
	CHECK(!image_check(&table, data, buf.len));
	CHECK(!image_binary_get(data, buf.len, 1, &binary));
	CHECK_INT(binary.kind, SMELT_IMAGE_OBJECT);
	CHECK_INT(binary.size, 11);
	CHECK(!memcmp(binary.data, "\177ELF object", 11));
	CHECK_TEXT(binary.arch, "gfx90a");
	CHECK_TEXT(image_binary_get(data, buf.len, 2, &binary), "missing");
	CHECK_TEXT(image_check(&table, data, 0), "missing");
	free(data);
}

/* Puts a number at an offset of a fresh table and expects this reason. */
static void
refuse_table(size_t offset, uint32_t value, const char *reason)
{
	struct buf buf = make_table();
	struct image_table table;
	const char *wrong;

	memcpy(buf.data + offset, &value, sizeof(value));
	wrong = image_table_read(buf.data, buf.len, &table);
	CHECK(wrong);
	if (wrong)
		CHECK_TEXT(wrong, reason);
}

#define HEADER(field) offsetof(struct smelt_table_header, field)
#define KERNEL(field)                                                          \
	(sizeof(struct smelt_table_header) +                                   \
	 offsetof(struct smelt_table_kernel, field))
#define TARGET(field)                                                          \
	(sizeof(struct smelt_table_header) +                                   \
	 2 * sizeof(struct smelt_table_kernel) +                               \
	 offsetof(struct smelt_table_target, field))
#define RESOURCES(kernel, target, field)                                       \
	(sizeof(struct smelt_table_header) +                                   \
	 2 * sizeof(struct smelt_table_kernel) +                               \
	 3 * sizeof(struct smelt_table_target) +                               \
	 (3 * (kernel) + (target)) * sizeof(struct smelt_table_resources) +    \
	 offsetof(struct smelt_table_resources, field))

static void
damaged_table(void)
{
	struct buf buf = make_table();
	struct image_table table;

	refuse_table(HEADER(magic), 0, "magic");
	refuse_table(HEADER(version), 99, "version");
	refuse_table(HEADER(size), 12, "size");
	refuse_table(HEADER(fp_mode), 7, "mode");
	refuse_table(HEADER(kernel_count), 0xffffffff, "kernels");
	refuse_table(HEADER(kernel_count), 0x80000000, "kernels");
	refuse_table(HEADER(kernel_offset), 0, "kernels");
	refuse_table(HEADER(target_count), 0xffffffff, "targets");
	refuse_table(HEADER(target_offset), 0xfffffff8, "targets");
	refuse_table(HEADER(resource_offset), 8, "resources");
	refuse_table(HEADER(site_count), 1000, "sites");
	refuse_table(HEADER(term_count), 0x10000000, "terms");
	refuse_table(HEADER(term_offset), 8, "terms");
	refuse_table(RESOURCES(1, 1, first_term), 0xfffffff0, "terms");
	refuse_table(RESOURCES(1, 1, term_count), 3, "terms");
	refuse_table(RESOURCES(1, 2, first_term), 2, "term");
	refuse_table(HEADER(string_size), 1, "strings");
	refuse_table(HEADER(string_offset), 0xfffffff0, "strings");
	refuse_table(KERNEL(symbol), 1u << 20, "string");
	refuse_table(KERNEL(symbol), 2, "string");
	refuse_table(KERNEL(symbol), 0, "symbol");
	refuse_table(KERNEL(block_align), 0, "alignment");
	refuse_table(KERNEL(block_align), 24, "alignment");
	refuse_table(KERNEL(block_size), 8, "block");
	refuse_table(KERNEL(block_size), 57, "block");
	refuse_table(KERNEL(flags), 1u << 30, "flag");
	refuse_table(KERNEL(id) + 12, 0xff, "order");
	refuse_table(TARGET(kind), 9, "kind");
	refuse_table(TARGET(arch), 0x7fffffff, "string");
	refuse_table(TARGET(image), 0, "image");
	CHECK_TEXT(image_table_read(buf.data, 0, &table), "short");
	CHECK_TEXT(image_table_read(NULL, 100, &table), "short");
	CHECK_TEXT(image_table_read(buf.data + 4, buf.len - 4, &table),
		   "aligned");
}

/* No prefix of a table or of images is taken for the whole. */
static void
cut_short(void)
{
	struct buf table_buf = make_table(), buf = make_images();
	struct image_table table, whole;

	CHECK(!image_table_read(table_buf.data, table_buf.len, &whole));
	for (size_t size = 0; size < table_buf.len; size++) {
		char *data = exact(&table_buf, size);

		CHECK(image_table_read(data, size, &table));
		free(data);
	}
	for (size_t size = 0; size < buf.len; size++) {
		char *data = exact(&buf, size);

		CHECK(image_check(&whole, data, size));
		free(data);
	}
}

static size_t
touch_all(const struct image_table *table)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < table->header->kernel_count; i++) {
		const struct smelt_table_kernel *k = &table->kernels[i];

		sum += strlen(image_table_string(table, k->symbol)) +
		       strlen(image_table_string(table, k->name)) +
		       strlen(image_table_string(table, k->file));
		for (uint32_t t = 0; t < table->header->target_count; t++)
			sum += image_table_resources(table, i, t)->registers;
	}
	for (uint32_t i = 0; i < table->header->target_count; i++)
		sum += strlen(
			image_table_string(table, table->targets[i].arch));
	for (uint32_t i = 0; i < table->header->site_count; i++)
		sum += strlen(
			image_table_string(table, table->sites[i].message));
	return sum;
}

static uint32_t
next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* One to four bytes changed at random. */
static void
mutate(char *data, size_t size, uint32_t *state)
{
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
	uint32_t count = 1 + next_random(state) % 4;

	while (count--) {
		uint32_t pick = next_random(state) % 6;

		data[next_random(state) % size] =
			(char)(pick < 5 ? values[pick] : next_random(state));
	}
}

/* Every change of a bit, and every other length, has another sum. */
static void
checksums(void)
{
	unsigned char data[41];
	uint32_t state = 7, sum;

	for (size_t size = 0; size < sizeof(data); size++) {
		for (size_t i = 0; i < sizeof(data); i++)
			data[i] = (unsigned char)next_random(&state);
		sum = image_checksum(data, size);
		for (size_t bit = 0; bit < 8 * size; bit++) {
			data[bit / 8] ^= (unsigned char)(1 << bit % 8);
			CHECK(image_checksum(data, size) != sum);
			data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		CHECK_INT(image_checksum(data, size), sum);
		memset(data, 0, sizeof(data));
		CHECK(image_checksum(data, size) !=
		      image_checksum(data, size + 1));
	}
}

static void
fuzz(void)
{
	struct buf table_buf = make_table(), buf = make_images();
	struct image_table whole, table;
	uint32_t state = 1;
	volatile size_t sum = 0;

	CHECK(!image_table_read(table_buf.data, table_buf.len, &whole));
	for (int i = 0; i < 100000; i++) {
		char *data = exact(&table_buf, table_buf.len);

		mutate(data, table_buf.len, &state);
		if (!image_table_read(data, table_buf.len, &table)) {
			sum += touch_all(&table);
			image_check(&table, buf.data, buf.len);
		}
		free(data);
	}
	for (int i = 0; i < 100000; i++) {
		char *data = exact(&buf, buf.len);
		struct image_binary binary;
		size_t offset = 0;

		mutate(data, buf.len, &state);
		while (offset < buf.len &&
		       !image_binary_read(data, buf.len, &offset, &binary)) {
			sum += strlen(binary.triple) + strlen(binary.arch);
			for (size_t k = 0; k < binary.size; k++)
				sum += ((const unsigned char *)binary.data)[k];
		}
		free(data);
	}
}

int
main(void)
{
	RUN(table_round_trip);
	RUN(empty_table);
	RUN(images_round_trip);
	RUN(damaged_table);
	RUN(cut_short);
	RUN(checksums);
	RUN(fuzz);
	return unit_failed != 0;
}
