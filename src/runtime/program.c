/*
 * Kernels: what objects of the program registered, and what devices loaded.
 *
 * A lookup is one probe of a hash table that is never changed once published:
 * a later registration (a shared object) makes a new one. Old tables stay, as a
 * launch may be reading them; there is one for each shared object at most.
 */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
	uint32_t mask;
	struct table *older;
	struct rt_kernel *slots[];
};

static pthread_mutex_t kernel_lock = PTHREAD_MUTEX_INITIALIZER;
static const struct smelt_image **registered;
static uint32_t registered_count;
static bool registered_lost; /* no memory for one */
static struct rt_image *images;
static uint32_t image_count; /* of registered, opened */
static const char *image_wrong;
static _Atomic(struct table *) kernel_table;
static atomic_uint pending; /* registered, not yet in the table */
static atomic_uint registered_any;

void
smelt_image_register(const struct smelt_image *image)
{
	const struct smelt_image **more;

	if (!image)
		return;
	pthread_mutex_lock(&kernel_lock);
	more = realloc(registered, (registered_count + 1) * sizeof(*more));
	if (more) {
		registered = more;
		registered[registered_count++] = image;
	} else {
		registered_lost = true;
	}
	atomic_fetch_add(&pending, 1);
	atomic_fetch_add(&registered_any, 1);
	pthread_mutex_unlock(&kernel_lock);
}

int
smelt_has_kernels(void)
{
	return atomic_load(&registered_any) != 0;
}

/* ---- opening ---- */

static const char *
check_image(const struct smelt_image *image, struct image_table *table)
{
	const char *wrong;

	if (image->abi != SMELT_TABLE_VERSION ||
	    image->size < sizeof(struct smelt_image))
		return "made by another version of smelt-cc";
	wrong = image_table_read(image->table, image->table_size, table);
	if (!wrong)
		wrong = image_check(table, image->images, image->images_size);
	if (!wrong && image->cpu_kernels &&
	    image->cpu_kernel_count != table->header->kernel_count)
		wrong = "kernel table: not one CPU function for each kernel";
	return wrong;
}

/* NULL, or what is wrong. */
static const char *
open_image(const struct smelt_image *source, struct rt_image *image)
{
	uint32_t count;
	const char *wrong = check_image(source, &image->table);

	if (wrong)
		return wrong;
	count = image->table.header->kernel_count;
	image->image = source;
	image->kernels = calloc(count ? count : 1, sizeof(*image->kernels));
	if (!image->kernels)
		return "no memory to read it";
	for (uint32_t i = 0; i < count; i++) {
		struct rt_kernel *kernel = &image->kernels[i];

		kernel->image = image;
		kernel->index = i;
		kernel->entry = &image->table.kernels[i];
		kernel->name =
			image_table_string(&image->table, kernel->entry->name);
	}
	return NULL;
}

static uint32_t
hash_id(const uint64_t id[2])
{
	/* Ids are hashes already. */
	return (uint32_t)(id[0] ^ id[0] >> 32);
}

static struct rt_kernel *
probe(const struct table *table, const uint64_t id[2])
{
	uint32_t at = hash_id(id) & table->mask;

	for (;; at = (at + 1) & table->mask) {
		struct rt_kernel *kernel = table->slots[at];

		if (!kernel || (kernel->entry->id[0] == id[0] &&
				kernel->entry->id[1] == id[1]))
			return kernel;
	}
}

/* Of two with one id the first stays: both are the same function. */
static void
insert(struct table *table, struct rt_kernel *kernel)
{
	uint32_t at = hash_id(kernel->entry->id) & table->mask;

	if (probe(table, kernel->entry->id))
		return;
	while (table->slots[at])
		at = (at + 1) & table->mask;
	table->slots[at] = kernel;
}

static struct table *
make_table(void)
{
	uint64_t count = 0;
	uint32_t size = 16;
	struct table *table;

	for (uint32_t i = 0; i < image_count; i++)
		if (images[i].image)
			count += images[i].table.header->kernel_count;
	while (size < count * 2)
		size *= 2;
	table = calloc(1, sizeof(*table) + size * sizeof(table->slots[0]));
	if (!table)
		return NULL;
	table->mask = size - 1;
	for (uint32_t i = 0; i < image_count; i++)
		for (uint32_t k = 0; images[i].image &&
				     k < images[i].table.header->kernel_count;
		     k++)
			insert(table, &images[i].kernels[k]);
	return table;
}

/* Kernels point back to their image, so the array of images may not move: there
 * is room for as many as one program can sensibly hold. */
#define MOST_IMAGES 1024

static int
open_registered(void)
{
	struct table *table;

	if (registered_lost)
		return rt_error(SMELT_ENO_MEMORY,
				"no memory to register kernels");
	if (!images)
		images = calloc(MOST_IMAGES, sizeof(*images));
	if (!images || registered_count > MOST_IMAGES)
		return rt_error(SMELT_ENO_MEMORY, "no memory for %u images",
				registered_count);
	for (; image_count < registered_count; image_count++) {
		const char *wrong = open_image(registered[image_count],
					       &images[image_count]);
		if (wrong && !image_wrong)
			image_wrong = wrong;
	}
	if (image_wrong)
		return rt_error(SMELT_EBAD_IMAGE, "damaged image: %s",
				image_wrong);
	table = make_table();
	if (!table)
		return rt_error(SMELT_ENO_MEMORY, "no memory for kernels");
	table->older = atomic_load(&kernel_table);
	atomic_store_explicit(&kernel_table, table, memory_order_release);
	atomic_store(&pending, 0);
	return 0;
}

static int
current_table(struct table **table)
{
	int result = 0;

	if (atomic_load_explicit(&pending, memory_order_acquire)) {
		pthread_mutex_lock(&kernel_lock);
		if (atomic_load(&pending))
			result = open_registered();
		pthread_mutex_unlock(&kernel_lock);
	}
	*table = atomic_load_explicit(&kernel_table, memory_order_acquire);
	return result;
}

bool
rt_kernels_have(uint32_t flag)
{
	struct table *table;

	if (current_table(&table))
		return false;
	for (uint32_t i = 0; table && i <= table->mask; i++)
		if (table->slots[i] && table->slots[i]->entry->flags & flag)
			return true;
	return false;
}

int
rt_kernel_find(const uint64_t id[2], struct rt_kernel **kernel)
{
	struct table *table;
	int result = current_table(&table);

	if (result)
		return result;
	*kernel = table ? probe(table, id) : NULL;
	if (*kernel)
		return 0;
	if (!smelt_has_kernels())
		return rt_error(SMELT_ENO_KERNEL,
				"this program holds no kernels: it was built "
				"without cargo smelt");
	return rt_error(SMELT_ENO_KERNEL,
			"no kernel with id %016llx%016llx in this program",
			(unsigned long long)id[1], (unsigned long long)id[0]);
}

int
smelt_kernel_find(const char *name, uint64_t kernel[2])
{
	struct rt_kernel *found = NULL;
	struct table *table;
	int result;

	if (!name || !kernel)
		return rt_error(SMELT_EINVALID, "name or kernel is NULL");
	result = current_table(&table);
	if (result)
		return result;
	for (uint32_t i = 0; table && i <= table->mask; i++) {
		struct rt_kernel *one = table->slots[i];

		if (!one || strcmp(one->name, name) != 0)
			continue;
		if (found)
			return rt_error(SMELT_EINVALID,
					"several kernels are called %s", name);
		found = one;
	}
	if (!found)
		return rt_error(SMELT_ENO_KERNEL, "no kernel is called %s",
				name);
	memcpy(kernel, found->entry->id, sizeof(found->entry->id));
	return 0;
}

/* ---- the image that fits a device ---- */

/* "sm_90" is 90; *exact for "sm_90a", which runs on nothing newer. */
static unsigned
sm_number(const char *arch, bool *exact)
{
	char *end;
	unsigned long number;

	*exact = false;
	if (strncmp(arch, "sm_", 3) != 0)
		return 0;
	number = strtoul(arch + 3, &end, 10);
	*exact = *end == 'a' || *end == 'f';
	return number < 10000 ? (unsigned)number : 0;
}

static unsigned
fit_nvidia(const char *device_arch, uint16_t image_kind, const char *arch)
{
	bool exact, ignored;
	unsigned have = sm_number(device_arch, &ignored);
	unsigned want = sm_number(arch, &exact);

	if (!have || !want || want > have || (exact && want != have))
		return 0;
	if (image_kind == SMELT_IMAGE_PTX)
		return want;
	/* A cubin runs on its major version only; it beats any PTX. */
	return want / 10 == have / 10 ? 10000 + want : 0;
}

unsigned
rt_image_fit(uint32_t device_kind, const char *device_arch, uint32_t target,
	     uint16_t image_kind, const char *arch)
{
	size_t len;

	switch (device_kind) {
	case SMELT_DEVICE_CPU:
		return target == SMELT_TARGET_CPU;
	case SMELT_DEVICE_NVIDIA:
		return target == SMELT_TARGET_NVPTX
			       ? fit_nvidia(device_arch, image_kind, arch)
			       : 0;
	case SMELT_DEVICE_AMD:
		/* The device may name features too: gfx90a:xnack-. */
		len = strcspn(device_arch, ":");
		return target == SMELT_TARGET_AMDGPU && strlen(arch) == len &&
		       !strncmp(arch, device_arch, len);
	default:
		return 1;
	}
}

/* What target number i of the image would load; its fit. */
static unsigned
target_code(const smelt_device *device, const struct rt_image *image,
	    uint32_t i, struct engine_code *code)
{
	const struct smelt_table_target *target = &image->table.targets[i];
	struct image_binary binary = {0};

	memset(code, 0, sizeof(*code));
	code->target = (enum smelt_target_kind)target->kind;
	if (target->kind == SMELT_TARGET_CPU) {
		code->cpu_kernels = image->image->cpu_kernels;
		code->cpu_kernel_count = image->image->cpu_kernel_count;
		if (!code->cpu_kernels)
			return 0;
	} else if (image_binary_get(image->image->images,
				    image->image->images_size, target->image,
				    &binary)) {
		return 0;
	}
	code->image_kind = binary.kind;
	code->data = binary.data;
	code->size = binary.size;
	return rt_image_fit(device->found.info.kind, device->found.info.arch,
			    target->kind, binary.kind,
			    image_table_string(&image->table, target->arch));
}

/* What a user calls a target: PTX is compiled for whatever is newer, and a
 * cubin is named sm_90c to tell it from that. */
static int
name_target(const struct rt_image *image, uint32_t i, char *name, size_t size)
{
	const struct smelt_table_target *target = &image->table.targets[i];
	const char *arch = image_table_string(&image->table, target->arch);
	struct image_binary binary = {0};
	size_t len = strlen(arch);

	if (target->kind == SMELT_TARGET_CPU)
		return snprintf(name, size, "the CPU");
	if (target->kind == SMELT_TARGET_AMDGPU)
		return snprintf(name, size, "AMD %s", arch);
	image_binary_get(image->image->images, image->image->images_size,
			 target->image, &binary);
	if (len && arch[len - 1] == 'c')
		len--;
	return snprintf(name, size, "NVIDIA %.*s%s", (int)len, arch,
			binary.kind == SMELT_IMAGE_PTX ? " and newer" : "");
}

static int
no_image(const smelt_device *device, const struct rt_kernel *kernel)
{
	const struct smelt_device_info *info = &device->found.info;
	uint32_t count = kernel->image->table.header->target_count;
	char list[512] = "nothing";
	size_t len = 0;

	for (uint32_t i = 0; i < count && len + 2 < sizeof(list); i++) {
		if (i)
			len += (size_t)snprintf(list + len, sizeof(list) - len,
						", ");
		len += (size_t)name_target(kernel->image, i, list + len,
					   sizeof(list) - len);
	}
	return rt_error(SMELT_ENO_IMAGE,
			"kernel %s was not compiled for %s (%s): it was built "
			"for %s; `cargo smelt build --targets` takes others",
			kernel->name, info->name, info->arch, list);
}

/* A device may take damaged machine code and give wrong answers. */
static int
check_code(const struct rt_kernel *kernel, uint32_t target,
	   const struct engine_code *code)
{
	const struct image_table *table = &kernel->image->table;
	char name[64];

	if (!code->data || image_checksum(code->data, code->size) ==
				   table->targets[target].check)
		return 0;
	name_target(kernel->image, target, name, sizeof(name));
	return rt_error(SMELT_EBAD_IMAGE,
			"kernel %s: damaged image: the code for %s is not what "
			"was built",
			kernel->name, name);
}

/* Tries the targets that fit, best first: a cubin that the driver refuses may
 * still have PTX beside it. */
static int
load_image(smelt_device *device, const struct rt_kernel *kernel)
{
	struct rt_image *image = kernel->image;
	unsigned below = ~0u;
	int result = 0;

	for (;;) {
		struct engine_code code, best_code;
		unsigned best = 0;
		uint32_t target = 0;

		for (uint32_t i = 0; i < image->table.header->target_count;
		     i++) {
			unsigned fit = target_code(device, image, i, &code);

			if (fit > best && fit < below) {
				best = fit;
				target = i;
				best_code = code;
			}
		}
		if (!best)
			return result ? result : no_image(device, kernel);
		result = check_code(kernel, target, &best_code);
		if (result)
			return result;
		result = device->engine->program_load(
			device->found.device, &best_code,
			&image->programs[device->index]);
		if (!result) {
			image->targets[device->index] = target;
			return 0;
		}
		below = best;
	}
}

/* ---- kernels on a device ---- */

static uint32_t
most_threads(const smelt_device *device, const struct rt_kernel *kernel)
{
	uint32_t limit = device->found.info.max_block_threads;

	if (kernel->entry->max_threads && kernel->entry->max_threads < limit)
		limit = kernel->entry->max_threads;
	return limit;
}

static void
find_fields(struct rt_loaded *loaded)
{
	size_t *count = &loaded->field_count;

	for (size_t i = 0; i < loaded->term_count; i++)
		if (loaded->terms[i].op == SMELT_TERM_FIELD &&
		    (*count)++ < RT_TERM_FIELDS)
			loaded->fields[*count - 1] = (uint16_t)i;
}

/* The variant for launches in which the terms hold. Keeps the symbol, which the
 * engine wants for as long as the process. */
static int
load_held(smelt_device *device, const struct rt_kernel *kernel,
	  struct rt_loaded *loaded)
{
	struct rt_image *image = kernel->image;
	struct engine_kernel *held = &loaded->held;
	size_t count, len = strlen(loaded->kernel.symbol);
	char *symbol;
	int result;

	loaded->terms =
		image_table_terms(&image->table, &loaded->resources, &count);
	if (!count)
		return 0;
	symbol = malloc(len + sizeof(SMELT_HELD_SUFFIX));
	if (!symbol)
		return rt_error(SMELT_ENO_MEMORY, "no memory for a kernel");
	memcpy(symbol, loaded->kernel.symbol, len);
	memcpy(symbol + len, SMELT_HELD_SUFFIX, sizeof(SMELT_HELD_SUFFIX));
	*held = loaded->kernel;
	held->symbol = symbol;
	result = device->engine->kernel_get(
		device->found.device, image->programs[device->index], held);
	if (result) {
		free(symbol);
		return result;
	}
	if (held->suggested < loaded->kernel.suggested)
		loaded->kernel.suggested = held->suggested;
	loaded->term_count = count;
	find_fields(loaded);
	return 0;
}

static int
load_kernel(smelt_device *device, struct rt_kernel *kernel,
	    struct rt_loaded *loaded)
{
	struct rt_image *image = kernel->image;
	struct engine_kernel *one = &loaded->kernel;
	int result = 0;

	if (!image->programs[device->index])
		result = load_image(device, kernel);
	if (result)
		return result;
	loaded->resources = *image_table_resources(
		&image->table, kernel->index, image->targets[device->index]);
	one->symbol = image_table_string(&image->table, kernel->entry->symbol);
	one->index = kernel->index;
	one->flags = kernel->entry->flags;
	one->max_threads = kernel->entry->max_threads;
	one->shared_bytes = loaded->resources.shared_bytes == SMELT_UNKNOWN
				    ? 0
				    : loaded->resources.shared_bytes;
	result = device->engine->kernel_get(
		device->found.device, image->programs[device->index], one);
	if (!result)
		result = load_held(device, kernel, loaded);
	if (result)
		return rt_error_prefix(result,
				       "kernel %s on %s: ", kernel->name,
				       device->found.info.name);
	loaded->limit = most_threads(device, kernel);
	loaded->suggested = one->suggested;
	if (!loaded->suggested)
		loaded->suggested = 256;
	if (loaded->suggested > loaded->limit)
		loaded->suggested = loaded->limit;
	return 0;
}

int
rt_kernel_load(smelt_device *device, struct rt_kernel *kernel,
	       struct rt_loaded **loaded)
{
	struct rt_loaded *made;
	int result = 0;

	*loaded = atomic_load_explicit(&kernel->loaded[device->index],
				       memory_order_acquire);
	if (*loaded)
		return 0;
	pthread_mutex_lock(&kernel_lock);
	made = atomic_load(&kernel->loaded[device->index]);
	if (!made) {
		made = calloc(1, sizeof(*made));
		result = made ? load_kernel(device, kernel, made)
			      : rt_error(SMELT_ENO_MEMORY,
					 "no memory for a kernel");
		if (result) {
			free(made);
			made = NULL;
		}
		atomic_store_explicit(&kernel->loaded[device->index], made,
				      memory_order_release);
	}
	pthread_mutex_unlock(&kernel_lock);
	*loaded = made;
	return result;
}

int
smelt_kernel_info(smelt_device *device, const uint64_t kernel[2],
		  struct smelt_kernel_info *info)
{
	struct smelt_kernel_info all = {.size = sizeof(all)};
	struct rt_kernel *found;
	struct rt_loaded *loaded;
	uint32_t size;
	int result;

	if (!device || !kernel || !info || info->size < sizeof(uint32_t))
		return rt_error(SMELT_EINVALID,
				"device, kernel or info is NULL, or info->size "
				"is not set");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	result = rt_kernel_find(kernel, &found);
	if (!result)
		result = rt_kernel_load(device, found, &loaded);
	if (result)
		return result;
	all.flags = found->entry->flags;
	all.max_threads = loaded->limit;
	all.registers = loaded->resources.registers;
	all.spill_bytes = loaded->resources.spill_bytes;
	all.stack_bytes = loaded->resources.stack_bytes;
	all.shared_bytes = loaded->resources.shared_bytes;
	all.suggested_block = loaded->suggested;
	all.line = found->entry->line;
	snprintf(all.name, sizeof(all.name), "%s", found->name);
	snprintf(all.file, sizeof(all.file), "%s",
		 image_table_string(&found->image->table, found->entry->file));
	size = info->size < sizeof(all) ? info->size : sizeof(all);
	all.size = size;
	memcpy(info, &all, size);
	return 0;
}
