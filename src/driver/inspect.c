/*
 * `cargo smelt inspect`: the kernels in a program, from the two sections that
 * smelt-cc's object left in it. Works on a stripped program, and never runs it.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include "image/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { usual_block = 256 }; /* threads, where the kernel names no bound */

struct inspect {
	struct arena *arena;
	const char *program;
	const char *kernel; /* -k: part of a name */
	const char *target; /* -t */
	const char *extract;
	bool ir, assembly;
	struct image_table table;
	const char *images;
	size_t images_size;
};

static const char help[] =
	"Kernels in a program: resources, code\n"
	"\n"
	"Usage: cargo smelt inspect [BIN] [OPTIONS]\n"
	"\n"
	"BIN is a program, cdylib or object file; without it, the newest "
	"binary\n"
	"of the current package.\n"
	"\n"
	"  -k NAME        kernels with NAME in their names only\n"
	"  -t TARGET      this target only\n"
	"  --table        the table of kernels (default)\n"
	"  --asm          code of each target\n"
	"  --ir           optimised LLVM IR, if the build and this command "
	"have\n"
	"                 SMELT_KEEP=DIR\n"
	"  --extract DIR  writes each target's image to DIR\n";

/* ---- the table ---- */

static const char *
text_of(const struct inspect *inspect, uint32_t offset)
{
	return image_table_string(&inspect->table, offset);
}

static bool
kernel_wanted(const struct inspect *inspect,
	      const struct smelt_table_kernel *kernel)
{
	return !inspect->kernel ||
	       strstr(text_of(inspect, kernel->name), inspect->kernel) ||
	       strstr(text_of(inspect, kernel->symbol), inspect->kernel);
}

static bool
target_wanted(const struct inspect *inspect,
	      const struct smelt_table_target *target)
{
	return !inspect->target ||
	       !strcmp(text_of(inspect, target->arch), inspect->target) ||
	       (!strcmp(inspect->target, "cpu") &&
		target->kind == SMELT_TARGET_CPU);
}

static const char *
number(struct arena *arena, uint32_t value)
{
	return value == SMELT_UNKNOWN ? "-" : arena_printf(arena, "%u", value);
}

static const char *
percent(struct arena *arena, int value)
{
	return value < 0 ? "-" : arena_printf(arena, "%d%%", value);
}

/* "", ", PTX", ", cubin": two targets may have one architecture's name. */
static const char *
form_of(const struct inspect *inspect, const struct smelt_table_target *target)
{
	struct image_binary binary;

	if (target->kind != SMELT_TARGET_NVPTX ||
	    image_binary_get(inspect->images, inspect->images_size,
			     target->image, &binary))
		return "";
	return binary.kind == SMELT_IMAGE_PTX ? " PTX" : " cubin";
}

static void
print_resources(const struct inspect *inspect, uint32_t kernel)
{
	const struct image_table *table = &inspect->table;
	struct arena *arena = inspect->arena;
	unsigned most = table->kernels[kernel].max_threads;
	unsigned threads = most ? most : usual_block;

	printf("    %-14s %9s %8s %8s %8s  occupancy at %u\n", "target",
	       "registers", "spills", "stack", "shared", threads);
	for (uint32_t t = 0; t < table->header->target_count; t++) {
		const struct smelt_table_target *target = &table->targets[t];
		const struct smelt_table_resources *r =
			image_table_resources(table, kernel, t);

		if (!target_wanted(inspect, target))
			continue;
		printf("    %-14s %9s %8s %8s %8s %10s\n",
		       arena_printf(arena, "%s%s",
				    text_of(inspect, target->arch),
				    form_of(inspect, target)),
		       number(arena, r->registers),
		       number(arena, r->spill_bytes),
		       number(arena, r->stack_bytes),
		       number(arena, r->shared_bytes),
		       percent(arena,
			       occupancy_percent(text_of(inspect, target->arch),
						 r, threads)));
	}
}

static void
print_kernel(const struct inspect *inspect, uint32_t index)
{
	const struct smelt_table_kernel *kernel =
		&inspect->table.kernels[index];
	const char *file = text_of(inspect, kernel->file);

	printf("%s\n", text_of(inspect, kernel->name));
	if (*file)
		printf("    at %s:%u\n", file, kernel->line);
	printf("    symbol %s, id %016llx%016llx\n",
	       text_of(inspect, kernel->symbol),
	       (unsigned long long)kernel->id[1],
	       (unsigned long long)kernel->id[0]);
	printf("    parameter block %u bytes, aligned to %u",
	       kernel->block_size, kernel->block_align);
	if (kernel->max_threads)
		printf("; at most %u threads a block", kernel->max_threads);
	if (kernel->min_blocks)
		printf("; at least %u blocks a processor", kernel->min_blocks);
	if (kernel->flags & SMELT_KERNEL_BARRIER)
		printf("; barriers");
	if (kernel->flags & SMELT_KERNEL_DYNAMIC_SHARED)
		printf("; dynamic shared memory");
	printf("\n");
	print_resources(inspect, index);
}

static _Noreturn void
die_no_kernel(const struct inspect *inspect)
{
	die("%s: no kernel has `%s` in its name", inspect->program,
	    inspect->kernel);
}

static int
print_table(const struct inspect *inspect)
{
	const struct smelt_table_header *header = inspect->table.header;
	unsigned shown = 0;

	for (uint32_t i = 0; i < header->kernel_count; i++) {
		if (!kernel_wanted(inspect, &inspect->table.kernels[i]))
			continue;
		if (shown++)
			printf("\n");
		print_kernel(inspect, i);
	}
	if (!shown && inspect->kernel)
		die_no_kernel(inspect);
	if (!shown)
		printf("%s: no kernels\n", inspect->program);
	return 0;
}

/* ---- images ---- */

static const char *
extension_of(const struct image_binary *binary)
{
	switch (binary->kind) {
	case SMELT_IMAGE_PTX:
		return "ptx";
	case SMELT_IMAGE_CUBIN:
		return "cubin";
	default:
		return "co";
	}
}

static bool
binary_wanted(const struct inspect *inspect, const struct image_binary *binary)
{
	return !inspect->target || !strcmp(binary->arch, inspect->target);
}

static char *
write_image(const struct inspect *inspect, const char *dir,
	    const struct image_binary *binary)
{
	char *path =
		arena_printf(inspect->arena, "%s/%s.%s", dir,
			     path_name(binary->arch), extension_of(binary));

	if (!file_write(path, binary->data, binary->size))
		die("cannot write %s: %s", path, strerror(errno));
	return path;
}

static int
extract_images(const struct inspect *inspect)
{
	struct image_binary binary;
	size_t at = 0;

	if (!dir_make(inspect->extract))
		die("cannot make %s: %s", inspect->extract, strerror(errno));
	while (at < inspect->images_size) {
		const char *wrong = image_binary_read(
			inspect->images, inspect->images_size, &at, &binary);

		if (wrong)
			die("%s: %s", inspect->program, wrong);
		if (binary_wanted(inspect, &binary))
			printf("%s\n",
			       write_image(inspect, inspect->extract, &binary));
	}
	return 0;
}

/* The disassembler's line for an image, or NULL with what to install. */
static const char *
disassembler(struct arena *arena, const struct image_binary *binary,
	     struct list *argv)
{
	char *program;

	if (binary->kind != SMELT_IMAGE_CUBIN) {
		program = tool_llvm(arena, "llvm-objdump");
		if (!program)
			return "install Debian's `llvm-22` for llvm-objdump";
		list_add(arena, argv, program);
		list_add(arena, argv, "-d");
		return NULL;
	}
	program = tool_cuda(arena, "nvdisasm");
	if (!program) {
		program = tool_cuda(arena, "cuobjdump");
		if (!program)
			return "install NVIDIA's CUDA toolkit for nvdisasm";
		list_add(arena, argv, program);
		list_add(arena, argv, "-sass");
		return NULL;
	}
	list_add(arena, argv, program);
	return NULL;
}

/* The functions of the kernels that were asked for: each kernel's own, and its
 * variant for launches that cannot fail its checks. */
static struct list
wanted_symbols(const struct inspect *inspect)
{
	const struct image_table *table = &inspect->table;
	struct list symbols = {0};

	for (uint32_t i = 0; inspect->kernel && i < table->header->kernel_count;
	     i++) {
		const char *symbol = text_of(inspect, table->kernels[i].symbol);
		bool held = false;

		if (!kernel_wanted(inspect, &table->kernels[i]))
			continue;
		list_add(inspect->arena, &symbols, symbol);
		for (uint32_t t = 0; t < table->header->target_count; t++)
			held |= image_table_resources(table, i, t)->term_count;
		if (held)
			list_addf(inspect->arena, &symbols,
				  "%s" SMELT_HELD_SUFFIX, symbol);
	}
	return symbols;
}

/* PTX between the header of one function and the end of its body; all of the
 * text where the kernel is not named. */
static void
print_ptx(const struct inspect *inspect, const struct image_binary *binary)
{
	char *text = arena_dup(inspect->arena, binary->data, binary->size);
	struct list symbols = wanted_symbols(inspect);

	if (!inspect->kernel) {
		fputs(text, stdout);
		return;
	}
	for (size_t i = 0; i < symbols.len; i++) {
		char *at, *end;

		at = strstr(text, arena_printf(inspect->arena, ".entry %s(",
					       symbols.data[i]));
		end = at ? strstr(at, "\n}") : NULL;
		if (end)
			printf("%.*s\n", (int)(end + 2 - at), at);
	}
}

static void
run_disassembler(const struct inspect *inspect, struct list *argv)
{
	struct buf out = {0};

	if (process_capture(inspect->arena, argv->data, &out) != 0)
		die("%s failed: %s", argv->data[0],
		    out.data ? out.data : strerror(errno));
	printf("%s\n", out.data ? out.data : "");
}

static void
disassemble(const struct inspect *inspect, const struct image_binary *binary)
{
	struct arena *arena = inspect->arena;
	struct list symbols = wanted_symbols(inspect);
	char dir[] = "/tmp/smelt-inspect-XXXXXX";
	struct list argv = {0};
	const char *missing = disassembler(arena, binary, &argv);
	bool llvm = binary->kind != SMELT_IMAGE_CUBIN;
	char *path;

	if (missing) {
		printf("; %zu bytes of machine code: %s\n", binary->size,
		       missing);
		return;
	}
	for (size_t i = 0; llvm && i < symbols.len; i++)
		list_addf(arena, &argv, "--disassemble-symbols=%s",
			  symbols.data[i]);
	if (!mkdtemp(dir))
		die("cannot make %s: %s", dir, strerror(errno));
	path = write_image(inspect, dir, binary);
	list_add(arena, &argv, path);
	run_disassembler(inspect, &argv);
	unlink(path);
	rmdir(dir);
}

static int
print_assembly(const struct inspect *inspect)
{
	struct image_binary binary;
	unsigned shown = 0;
	size_t at = 0;

	while (at < inspect->images_size) {
		const char *wrong = image_binary_read(
			inspect->images, inspect->images_size, &at, &binary);

		if (wrong)
			die("%s: %s", inspect->program, wrong);
		if (!binary_wanted(inspect, &binary))
			continue;
		shown++;
		printf("==> %s (%s)\n", binary.arch, extension_of(&binary));
		fflush(stdout);
		if (binary.kind == SMELT_IMAGE_PTX)
			print_ptx(inspect, &binary);
		else
			disassemble(inspect, &binary);
	}
	if (!shown && inspect->target && !strcmp(inspect->target, "cpu"))
		die("the CPU's code is part of the program: `objdump -d %s`",
		    inspect->program);
	if (!shown)
		die("%s: no image%s%s", inspect->program,
		    inspect->target ? " for " : "s",
		    inspect->target ? inspect->target : "");
	return 0;
}

static int
print_ir(const struct inspect *inspect)
{
	struct list symbols = wanted_symbols(inspect);

	if (inspect->kernel && !symbols.len)
		die_no_kernel(inspect);
	ir_print(inspect->arena, inspect->program, inspect->target, &symbols);
	return 0;
}

/* ---- which program ---- */

static void
consider(struct arena *arena, const char *path, time_t *newest, char **found)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (*found && st.st_mtime <= *newest))
		return;
	*newest = st.st_mtime;
	*found = arena_dup(arena, path, strlen(path));
}

static char *
newest_binary(struct arena *arena)
{
	static const char *const profiles[] = {"debug", "release"};
	struct list none = {0};
	struct metadata metadata = {0};
	char *found = NULL, *cwd = path_absolute(arena, "");
	time_t newest = 0;

	if (!metadata_read(arena, tool_cargo(arena), &none, &metadata))
		die("this folder belongs to no package: name a program");
	for (size_t i = 0; i < metadata.package_count; i++) {
		const struct package *package = &metadata.packages[i];
		size_t len = strlen(package->manifest_dir);

		/* In a workspace's root, all of its packages. */
		if (strncmp(cwd, package->manifest_dir, len) &&
		    strncmp(cwd, package->manifest_dir, strlen(cwd)))
			continue;
		for (size_t k = 0; k < package->bins.len; k++)
			for (size_t p = 0; p < array_count(profiles); p++)
				consider(arena,
					 arena_printf(arena, "%s/%s/%s",
						      metadata.target_dir,
						      profiles[p],
						      package->bins.data[k]),
					 &newest, &found);
	}
	if (!found)
		die("the current package has no binary that was built: "
		    "`cargo smelt build`, or name a program");
	return found;
}

static void
open_program(struct inspect *inspect)
{
	struct arena *arena = inspect->arena;
	const char *path = inspect->program, *wrong;
	char *file, *table, *images;
	size_t size, table_size;

	if (!file_read(arena, path, &file, &size))
		die("cannot read %s: %s", path, strerror(errno));
	wrong = elf_section(arena, file, size, SMELT_SECTION_KERNELS, &table,
			    &table_size);
	if (!wrong)
		wrong = elf_section(arena, file, size, SMELT_SECTION_IMAGES,
				    &images, &inspect->images_size);
	if (wrong)
		die("%s: %s", path, wrong);
	if (!table)
		die("%s holds no kernels: it has none, or was built by plain "
		    "`cargo build`",
		    path);
	wrong = image_table_read(table, table_size, &inspect->table);
	inspect->images = images;
	if (!wrong)
		wrong = image_check(&inspect->table, images,
				    inspect->images_size);
	if (wrong)
		die("%s: damaged kernel table or image: %s", path, wrong);
}

/* As the runtime does before it loads one. */
static void
check_contents(const struct inspect *inspect)
{
	const struct image_table *table = &inspect->table;
	struct image_binary binary;

	for (uint32_t t = 0; t < table->header->target_count; t++) {
		const struct smelt_table_target *target = &table->targets[t];

		if (target->kind == SMELT_TARGET_CPU ||
		    image_binary_get(inspect->images, inspect->images_size,
				     target->image, &binary))
			continue;
		if (image_checksum(binary.data, binary.size) != target->check)
			die("%s: damaged image: the code for %s is not what "
			    "was built",
			    inspect->program, text_of(inspect, target->arch));
	}
}

/* Dies if the program holds nothing for the target that was asked for. */
static void
check_target(const struct inspect *inspect)
{
	const struct image_table *table = &inspect->table;
	struct list there = {0};
	struct buf names = {0};

	for (uint32_t t = 0; t < table->header->target_count; t++) {
		const struct smelt_table_target *target = &table->targets[t];
		const char *name = target->kind == SMELT_TARGET_CPU
					   ? "cpu"
					   : text_of(inspect, target->arch);

		if (target_wanted(inspect, target))
			return;
		if (list_has(&there, name))
			continue;
		list_add(inspect->arena, &there, name);
		buf_printf(inspect->arena, &names, "%s%s",
			   names.len ? ", " : "", name);
	}
	die("%s holds no kernels for %s; it has them for %s", inspect->program,
	    inspect->target, names.data ? names.data : "no target");
}

static void
parse(struct inspect *inspect, const struct list *args)
{
	for (size_t i = 1; i < args->len; i++) {
		const char *arg = args->data[i];
		const char **value = !strcmp(arg, "-k")	  ? &inspect->kernel
				     : !strcmp(arg, "-t") ? &inspect->target
				     : !strcmp(arg, "--extract")
					     ? &inspect->extract
					     : NULL;

		if (value && i + 1 >= args->len)
			die("%s needs a value", arg);
		if (value)
			*value = args->data[++i];
		else if (!strcmp(arg, "--ir"))
			inspect->ir = true;
		else if (!strcmp(arg, "--asm"))
			inspect->assembly = true;
		else if (!strcmp(arg, "--help") || !strcmp(arg, "-h"))
			exit(fputs(help, stdout) < 0);
		else if (arg[0] == '-' && strcmp(arg, "--table"))
			die("unknown option %s\n\n%s", arg, help);
		else if (arg[0] != '-' && inspect->program)
			die("one program at a time: %s, %s", inspect->program,
			    arg);
		else if (arg[0] != '-')
			inspect->program = arg;
	}
}

int
inspect_command(struct arena *arena, const struct list *args)
{
	struct inspect inspect = {.arena = arena};

	parse(&inspect, args);
	if (!inspect.program)
		inspect.program = newest_binary(arena);
	open_program(&inspect);
	check_contents(&inspect);
	check_target(&inspect);
	if (inspect.ir)
		return print_ir(&inspect);
	if (inspect.extract)
		return extract_images(&inspect);
	return inspect.assembly ? print_assembly(&inspect)
				: print_table(&inspect);
}
