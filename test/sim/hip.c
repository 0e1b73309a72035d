/*
 * The few functions of HIP that benches/native uses, on liboffload: so that
 * kernels which HIP's own compiler made for AMD, with their unchanged host
 * code, run through the same library as ours, on the simulated GPU or a real
 * one.
 *
 * A launch's arguments come as an array of pointers; their sizes and places are
 * in the code object's metadata (LLVM's AMDGPUUsage, "Code Object V5
 * Metadata"), which is MessagePack in an ELF note.
 */
#include "launch.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
	uint32_t x, y, z;
};

struct fat_binary {
	uint32_t magic;
	uint32_t version;
	const void *image;
	void *unused;
};

enum { MAX_KERNELS = 512, MAX_ARGS = 32, MAX_MODULES = 128 };

struct argument {
	uint64_t offset;
	uint64_t size;
};

struct module {
	const uint8_t *image; /* of this device's architecture */
	size_t size;
	ol_program_handle_t program; /* once a kernel of it is launched */
};

struct kernel {
	const void *host; /* the stub by which the program knows it */
	const char *name;
	struct module *module;
	ol_symbol_handle_t symbol;
	struct argument args[MAX_ARGS];
	int arg_count;
};

struct variable {
	const void *host;
	const char *name;
	struct module *module;
};

static struct {
	struct variable variables[MAX_KERNELS];
	int variable_count;
	struct device device;
	bool open;
	struct module modules[MAX_MODULES];
	int module_count;
	struct kernel kernels[MAX_KERNELS];
	int kernel_count;
	struct dim3 grid, block;
	size_t shared;
} hip;

static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "hip: %s: %s\n", what, why);
	exit(3);
}

static void
check(const char *what, ol_result_t result)
{
	if (result)
		fail(what, result->Details);
}

/* ---- MessagePack, as far as metadata uses it ---- */

struct pack {
	const uint8_t *at;
	const uint8_t *end;
};

struct item {
	enum { PACK_NONE, PACK_UINT, PACK_STRING, PACK_ARRAY, PACK_MAP } type;
	uint64_t number; /* value, or number of elements, or length */
	const char *text;
};

static uint64_t
big_endian(struct pack *p, int bytes)
{
	uint64_t value = 0;
	while (bytes--)
		value = value << 8 | (p->at < p->end ? *p->at++ : 0);
	return value;
}

static struct item
string(struct pack *p, uint64_t length)
{
	struct item item = {PACK_STRING, length, (const char *)p->at};
	if (length > (uint64_t)(p->end - p->at))
		fail("metadata", "cut off");
	p->at += length;
	return item;
}

static struct item
next_item(struct pack *p)
{
	uint8_t tag = (uint8_t)big_endian(p, 1);
	if (tag < 0x80)
		return (struct item){PACK_UINT, tag, NULL};
	if (tag < 0x90)
		return (struct item){PACK_MAP, tag & 15, NULL};
	if (tag < 0xa0)
		return (struct item){PACK_ARRAY, tag & 15, NULL};
	if (tag < 0xc0)
		return string(p, tag & 31);
	switch (tag) {
	case 0xc2: /* false, true */
	case 0xc3:
		return (struct item){PACK_UINT, tag & 1, NULL};
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf:
		return (struct item){PACK_UINT,
				     big_endian(p, 1 << (tag - 0xcc)), NULL};
	case 0xd9:
	case 0xda:
		return string(p, big_endian(p, tag - 0xd8));
	case 0xdc:
	case 0xdd:
		return (struct item){PACK_ARRAY,
				     big_endian(p, tag == 0xdc ? 2 : 4), NULL};
	case 0xde:
	case 0xdf:
		return (struct item){PACK_MAP,
				     big_endian(p, tag == 0xde ? 2 : 4), NULL};
	}
	fail("metadata", "a type that is not known");
	return (struct item){0};
}

static void
skip(struct pack *p)
{
	struct item item = next_item(p);
	uint64_t inside = item.type == PACK_ARRAY ? item.number
			  : item.type == PACK_MAP ? item.number * 2
						  : 0;
	while (inside--)
		skip(p);
}

static bool
is(struct item item, const char *text)
{
	return item.type == PACK_STRING && item.number == strlen(text) &&
	       memcmp(item.text, text, item.number) == 0;
}

/* Goes to the value of a map's key; false if it is not there. */
static bool
enter(struct pack *p, const char *key)
{
	struct item map = next_item(p);
	for (uint64_t k = 0; k < map.number; k++) {
		if (is(next_item(p), key))
			return true;
		skip(p);
	}
	return false;
}

static void
read_arguments(struct pack args, struct kernel *kernel)
{
	struct item list = next_item(&args);
	for (uint64_t k = 0; k < list.number; k++) {
		struct pack value = args;
		struct argument arg;
		if (!enter(&value, ".value_kind"))
			fail(kernel->name, "argument without a kind");
		struct item kind = next_item(&value);
		value = args;
		enter(&value, ".offset");
		arg.offset = next_item(&value).number;
		value = args;
		enter(&value, ".size");
		arg.size = next_item(&value).number;
		skip(&args);
		if (kind.number > 7 && memcmp(kind.text, "hidden_", 7) == 0)
			continue;
		if (kernel->arg_count == MAX_ARGS)
			fail(kernel->name, "too many arguments");
		kernel->args[kernel->arg_count++] = arg;
	}
}

static void
find_arguments(struct pack metadata, struct kernel *kernel)
{
	if (!enter(&metadata, "amdhsa.kernels"))
		fail(kernel->name, "no kernels in the metadata");
	struct item list = next_item(&metadata);
	for (uint64_t k = 0; k < list.number; k++) {
		struct pack entry = metadata;
		if (!enter(&entry, ".name"))
			fail(kernel->name, "kernel without a name");
		struct item name = next_item(&entry);
		entry = metadata;
		if (is(name, kernel->name) && enter(&entry, ".args"))
			read_arguments(entry, kernel);
		skip(&metadata);
	}
}

/* The note of type 32 is the metadata. */
static struct pack
metadata_of(const struct module *module)
{
	const Elf64_Ehdr *header = (const void *)module->image;
	const Elf64_Phdr *ph = (const void *)(module->image + header->e_phoff);
	for (int k = 0; k < header->e_phnum; k++) {
		if (ph[k].p_type != PT_NOTE)
			continue;
		const uint8_t *at = module->image + ph[k].p_offset;
		const Elf64_Nhdr *note = (const void *)at;
		at += sizeof(*note) + (note->n_namesz + 3) / 4 * 4;
		if (note->n_type == 32)
			return (struct pack){at, at + note->n_descsz};
	}
	fail("code object", "no metadata");
	return (struct pack){0};
}

/* ---- what clang's host code calls ---- */

void **
__hipRegisterFatBinary(const struct fat_binary *binary);
void
__hipUnregisterFatBinary(void **modules);
void
__hipRegisterFunction(void **modules, const void *host, char *device,
		      const char *name, unsigned limit, void *tid, void *bid,
		      void *block, void *grid, int *warp);
void
__hipRegisterVar(void **modules, void *var, char *host, char *device, int ext,
		 size_t size, int constant, int global);
unsigned
__hipPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
			   void *stream);
unsigned
__hipPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared,
			  void **stream);
int
hipLaunchKernel(const void *host, struct dim3 grid, struct dim3 block,
		void **args, size_t shared, void *stream);

/* The code object itself, not a bundle of several (see sim.mk). Its section
 * headers are its end. */
void **
__hipRegisterFatBinary(const struct fat_binary *binary)
{
	const Elf64_Ehdr *header = binary->image;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		fail("fat binary", "not a code object");
	if (hip.module_count == MAX_MODULES)
		fail("fat binary", "too many");
	struct module *module = &hip.modules[hip.module_count++];
	module->image = binary->image;
	module->size =
		header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	return (void **)module;
}

void
__hipUnregisterFatBinary(void **modules)
{
	(void)modules;
}

void
__hipRegisterFunction(void **modules, const void *host, char *device,
		      const char *name, unsigned limit, void *tid, void *bid,
		      void *block, void *grid, int *warp)
{
	(void)device, (void)limit, (void)tid, (void)bid, (void)block;
	(void)grid, (void)warp;
	if (hip.kernel_count == MAX_KERNELS)
		fail(name, "too many kernels");
	hip.kernels[hip.kernel_count++] = (struct kernel){
		.host = host, .name = name, .module = (struct module *)modules};
}

void
__hipRegisterVar(void **modules, void *var, char *host, char *device, int ext,
		 size_t size, int constant, int global)
{
	(void)host, (void)ext, (void)size, (void)constant, (void)global;
	if (hip.variable_count == MAX_KERNELS)
		fail(device, "too many variables");
	hip.variables[hip.variable_count++] =
		(struct variable){var, device, (struct module *)modules};
}

unsigned
__hipPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
			   void *stream)
{
	(void)stream;
	hip.grid = grid;
	hip.block = block;
	hip.shared = shared;
	return 0;
}

unsigned
__hipPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared,
			  void **stream)
{
	*grid = hip.grid;
	*block = hip.block;
	*shared = hip.shared;
	*stream = NULL;
	return 0;
}

static struct device *
device(void)
{
	if (!hip.open)
		launch_start(&hip.device);
	hip.open = true;
	return &hip.device;
}

static ol_program_handle_t
program_of(struct module *module)
{
	if (!module->program)
		check("olCreateProgram",
		      olCreateProgram(device()->device, module->image,
				      module->size, &module->program));
	return module->program;
}

static struct kernel *
find_kernel(const void *host)
{
	struct kernel *kernel = NULL;
	for (int k = 0; k < hip.kernel_count; k++)
		if (hip.kernels[k].host == host)
			kernel = &hip.kernels[k];
	if (!kernel || !kernel->module->image)
		fail("launch", "kernel not in the fat binary");
	struct module *module = kernel->module;
	if (!kernel->symbol) {
		check(kernel->name,
		      olGetSymbol(program_of(module), kernel->name,
				  OL_SYMBOL_KIND_KERNEL, &kernel->symbol));
		find_arguments(metadata_of(module), kernel);
	}
	return kernel;
}

int
hipLaunchKernel(const void *host, struct dim3 grid, struct dim3 block,
		void **args, size_t shared, void *stream)
{
	(void)stream;
	struct kernel *kernel = find_kernel(host);
	uint8_t flat[4096] = {0};
	size_t size = 0;
	for (int k = 0; k < kernel->arg_count; k++) {
		struct argument arg = kernel->args[k];
		if (arg.offset + arg.size > sizeof(flat))
			fail(kernel->name, "arguments too large");
		memcpy(flat + arg.offset, args[k], arg.size);
		size = arg.offset + arg.size;
	}
	ol_kernel_launch_size_args_t sizes = {3,
					      {grid.x, grid.y, grid.z},
					      {block.x, block.y, block.z},
					      shared};
	check(kernel->name, olLaunchKernel(device()->queue, device()->device,
					   kernel->symbol, flat, size, &sizes));
	return 0;
}

/* ---- what the programs call; declared as HIP's headers do ---- */

int
hipGetDevice(int *out);
int
hipDeviceGetAttribute(int *value, int attribute, int index);
int
hipDeviceSynchronize(void);
int
hipStreamSynchronize(void *stream);
int
hipGetLastError(void);
const char *
hipGetErrorString(int error);
int
hipMalloc(void **memory, size_t size);
int
hipFree(void *memory);
int
hipHostMalloc(void **memory, size_t size, unsigned flags);
int
hipHostFree(void *memory);
int
hipMemcpy(void *to, const void *from, size_t size, int kind);
int
hipMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream);
int
hipMemcpyToSymbol(const void *symbol, const void *from, size_t size,
		  size_t offset, int kind);
int
hipMemset(void *memory, int value, size_t size);
int
hipMemsetAsync(void *memory, int value, size_t size, void *stream);
int
hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
					     int size, size_t shared);

int
hipGetDevice(int *out)
{
	*out = 0;
	return 0;
}

/* The one that is asked for: multiprocessors. */
int
hipDeviceGetAttribute(int *value, int attribute, int index)
{
	(void)attribute, (void)index;
	uint32_t units;
	check("olGetDeviceInfo",
	      olGetDeviceInfo(device()->device,
			      OL_DEVICE_INFO_NUM_COMPUTE_UNITS, sizeof(units),
			      &units));
	*value = (int)units;
	return 0;
}

int
hipDeviceSynchronize(void)
{
	check("olSyncQueue", olSyncQueue(device()->queue));
	return 0;
}

int
hipStreamSynchronize(void *stream)
{
	(void)stream;
	return hipDeviceSynchronize();
}

int
hipGetLastError(void)
{
	return 0;
}

const char *
hipGetErrorString(int error)
{
	return error ? "error" : "no error";
}

int
hipMalloc(void **memory, size_t size)
{
	*memory = launch_alloc(device(), size);
	return 0;
}

int
hipFree(void *memory)
{
	if (memory)
		launch_free(memory);
	return 0;
}

int
hipHostMalloc(void **memory, size_t size, unsigned flags)
{
	(void)flags;
	check("olMemAlloc",
	      olMemAlloc(device()->device, OL_ALLOC_TYPE_HOST, size, memory));
	return 0;
}

int
hipHostFree(void *memory)
{
	return hipFree(memory);
}

int
hipMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream)
{
	(void)stream;
	struct device *d = device();
	if (size == 0)
		return 0;
	bool host_to = kind == 0 || kind == 2, host_from = kind <= 1;
	check("olMemcpy",
	      olMemcpy(d->queue, to, host_to ? d->host : d->device, from,
		       host_from ? d->host : d->device, size));
	return 0;
}

int
hipMemcpy(void *to, const void *from, size_t size, int kind)
{
	hipMemcpyAsync(to, from, size, kind, NULL);
	return hipDeviceSynchronize();
}

int
hipMemcpyToSymbol(const void *symbol, const void *from, size_t size,
		  size_t offset, int kind)
{
	for (int k = 0; k < hip.variable_count; k++) {
		struct variable *v = &hip.variables[k];
		ol_symbol_handle_t handle;
		void *address;
		if (v->host != symbol)
			continue;
		check(v->name,
		      olGetSymbol(program_of(v->module), v->name,
				  OL_SYMBOL_KIND_GLOBAL_VARIABLE, &handle));
		check(v->name,
		      olGetSymbolInfo(handle,
				      OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS,
				      sizeof(address), &address));
		return hipMemcpy((char *)address + offset, from, size, kind);
	}
	fail("hipMemcpyToSymbol", "no such variable");
	return 1;
}

int
hipMemsetAsync(void *memory, int value, size_t size, void *stream)
{
	(void)stream;
	uint8_t byte = (uint8_t)value;
	check("olMemFill", olMemFill(device()->queue, memory, 1, &byte, size));
	return 0;
}

int
hipMemset(void *memory, int value, size_t size)
{
	hipMemsetAsync(memory, value, size, NULL);
	return hipDeviceSynchronize();
}

int
hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
					     int size, size_t shared)
{
	(void)kernel, (void)shared;
	*blocks = 2048 / size;
	return 0;
}
