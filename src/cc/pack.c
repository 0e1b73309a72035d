/*
 * Stage `pack`: one object for the host's linker.
 *
 * Holds the kernel table and the images in sections of their own, the CPU code
 * of the kernels, and a constructor that registers them. The CPU code comes as
 * an object of its own, made beside the other targets and cached like theirs,
 * and is joined to the rest by `ld -r`. Its kernels are hidden: two such
 * objects may meet in one program, each in a shared library of its own.
 */
#define _GNU_SOURCE
#include "lower.h"

#include "image/image.h"

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TRIPLE "x86_64-unknown-linux-gnu"

struct packer {
	struct cc *cc;
	const struct cc_result *results;
	size_t count;
	LLVMModuleRef module;
	LLVMTypeRef ptr;
	LLVMTypeRef i32;
	LLVMTypeRef i64;
};

/* ---- the table and the images ---- */

static struct image_kernel *
table_kernels(const struct packer *packer)
{
	struct cc *cc = packer->cc;
	struct image_kernel *kernels = arena_alloc(
		&cc->arena, (cc->kernel_count + 1) * sizeof(*kernels));

	for (size_t i = 0; i < cc->kernel_count; i++) {
		const struct cc_kernel *from = &cc->kernels[i];

		kernels[i] = (struct image_kernel){
			.id = {from->id[0], from->id[1]},
			.symbol = from->symbol,
			.name = from->name,
			.file = from->file,
			.line = from->line,
			.block_size = (uint32_t)from->block_size,
			.block_align = from->block_align,
			.max_threads = from->max_threads,
			.min_blocks = from->min_blocks,
			.flags = from->flags,
		};
		for (size_t t = 0; t < packer->count; t++)
			kernels[i].flags |= packer->results[t].flags[i];
	}
	return kernels;
}

static struct image_site *
table_sites(struct cc *cc)
{
	struct image_site *sites =
		arena_alloc(&cc->arena, (cc->site_count + 1) * sizeof(*sites));

	for (size_t i = 0; i < cc->site_count; i++)
		sites[i] = (struct image_site){
			.kind = cc->sites[i].kind,
			.message = cc->sites[i].message,
			.file = cc->sites[i].file,
			.line = cc->sites[i].line,
			.column = cc->sites[i].column,
		};
	return sites;
}

static void
write_images(const struct packer *packer, struct buf *out,
	     struct image_target *targets)
{
	uint32_t images = 0;

	for (size_t t = 0; t < packer->count; t++) {
		const struct cc_result *result = &packer->results[t];
		struct image_binary binary = {
			.kind = result->image_kind,
			.triple = result->triple,
			.arch = result->arch,
			.data = result->data,
			.size = result->size,
		};

		targets[t].kind = result->kind;
		targets[t].arch = result->arch;
		targets[t].image = SMELT_UNKNOWN;
		if (result->kind == SMELT_TARGET_CPU) {
			targets[t].arch = "x86_64";
			continue;
		}
		targets[t].image = images++;
		targets[t].check = image_checksum(result->data, result->size);
		image_binary_write(&packer->cc->arena, out, &binary);
	}
}

/* The terms of all targets, one behind the other; resources count from the
 * first of all then. */
static struct smelt_table_term *
table_terms(const struct packer *packer,
	    struct smelt_table_resources *resources, uint32_t *count)
{
	struct cc *cc = packer->cc;
	struct smelt_table_term *terms;
	size_t all = 0;

	for (size_t t = 0; t < packer->count; t++)
		all += packer->results[t].term_count;
	terms = arena_alloc(&cc->arena, (all + 1) * sizeof(*terms));
	*count = 0;
	for (size_t t = 0; t < packer->count; t++) {
		const struct cc_result *result = &packer->results[t];

		for (size_t k = 0; k < cc->kernel_count; k++)
			resources[k * packer->count + t].first_term += *count;
		if (result->term_count)
			memcpy(terms + *count, result->terms,
			       result->term_count * sizeof(*terms));
		*count += (uint32_t)result->term_count;
	}
	return terms;
}

static void
write_table(const struct packer *packer, struct buf *out,
	    const struct image_target *targets)
{
	struct cc *cc = packer->cc;
	struct smelt_table_resources *resources =
		arena_alloc(&cc->arena, (cc->kernel_count * packer->count + 1) *
						sizeof(*resources));
	struct image_contents contents = {
		.fp = cc->options.fp,
		.kernels = table_kernels(packer),
		.kernel_count = (uint32_t)cc->kernel_count,
		.targets = targets,
		.target_count = (uint32_t)packer->count,
		.resources = resources,
		.sites = table_sites(cc),
		.site_count = (uint32_t)cc->site_count,
	};

	for (size_t k = 0; k < cc->kernel_count; k++)
		for (size_t t = 0; t < packer->count; t++)
			resources[k * packer->count + t] =
				packer->results[t].resources[k];
	contents.terms = table_terms(packer, resources, &contents.term_count);
	image_table_write(&cc->arena, out, &contents);
}

/* ---- the module ---- */

static LLVMValueRef
add_bytes(struct packer *packer, const char *name, const char *section,
	  const struct buf *bytes)
{
	LLVMValueRef text = LLVMConstStringInContext2(
		packer->cc->context, bytes->data ? bytes->data : "", bytes->len,
		true);
	LLVMValueRef global =
		LLVMAddGlobal(packer->module, LLVMTypeOf(text), name);

	LLVMSetInitializer(global, text);
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetAlignment(global, 8);
	LLVMSetSection(global, section);
	return global;
}

static const struct cc_result *
cpu_result(const struct packer *packer)
{
	for (size_t t = 0; t < packer->count; t++)
		if (packer->results[t].kind == SMELT_TARGET_CPU)
			return &packer->results[t];
	return NULL;
}

/* Functions of the kernels, in the table's order; NULL without a CPU target. */
static LLVMValueRef
add_functions(struct packer *packer)
{
	struct cc *cc = packer->cc;
	const struct cc_result *result = cpu_result(packer);
	LLVMValueRef *functions, array, global;
	LLVMTypeRef type;

	if (!result)
		return LLVMConstNull(packer->ptr);
	type = LLVMFunctionType(LLVMVoidTypeInContext(cc->context), NULL, 0,
				false);
	functions =
		arena_alloc(&cc->arena, cc->kernel_count * sizeof(*functions));
	for (size_t i = 0; i < cc->kernel_count; i++) {
		functions[i] = LLVMAddFunction(packer->module,
					       cc->kernels[i].cpu_symbol, type);
		LLVMSetVisibility(functions[i], LLVMHiddenVisibility);
	}
	array = LLVMConstArray2(packer->ptr, functions, cc->kernel_count);
	global = LLVMAddGlobal(packer->module, LLVMTypeOf(array),
			       "smelt_cpu_functions");
	LLVMSetInitializer(global, array);
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	return global;
}

/* struct smelt_image. */
static LLVMValueRef
add_image(struct packer *packer, const struct buf *table,
	  const struct buf *images)
{
	LLVMContextRef context = packer->cc->context;
	LLVMValueRef functions = add_functions(packer), fields[8], value,
		     global;
	bool cpu = !LLVMIsNull(functions);

	fields[0] = LLVMConstInt(packer->i32, SMELT_TABLE_VERSION, false);
	fields[1] =
		LLVMConstInt(packer->i32, sizeof(struct smelt_image), false);
	fields[2] =
		add_bytes(packer, "smelt_table", SMELT_SECTION_KERNELS, table);
	fields[3] = LLVMConstInt(packer->i64, table->len, false);
	fields[4] = images->len ? add_bytes(packer, "smelt_image_data",
					    SMELT_SECTION_IMAGES, images)
				: LLVMConstNull(packer->ptr);
	fields[5] = LLVMConstInt(packer->i64, images->len, false);
	fields[6] = functions;
	fields[7] = LLVMConstInt(packer->i64,
				 cpu ? packer->cc->kernel_count : 0, false);
	value = LLVMConstStructInContext(context, fields, 8, false);
	global = LLVMAddGlobal(packer->module, LLVMTypeOf(value),
			       "smelt_image_of_this_program");
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	return global;
}

static LLVMValueRef
add_constructor(struct packer *packer, LLVMValueRef image)
{
	LLVMContextRef context = packer->cc->context;
	LLVMTypeRef void_type = LLVMVoidTypeInContext(context);
	LLVMTypeRef type = LLVMFunctionType(void_type, NULL, 0, false);
	LLVMTypeRef register_type =
		LLVMFunctionType(void_type, &packer->ptr, 1, false);
	LLVMValueRef function, target;
	LLVMBasicBlockRef start, call, end;
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);

	target = LLVMAddFunction(packer->module, "smelt_image_register",
				 register_type);
	LLVMSetLinkage(target, LLVMExternalWeakLinkage);
	function = LLVMAddFunction(packer->module, "smelt_image_constructor",
				   type);
	LLVMSetLinkage(function, LLVMInternalLinkage);
	start = LLVMAppendBasicBlockInContext(context, function, "");
	call = LLVMAppendBasicBlockInContext(context, function, "");
	end = LLVMAppendBasicBlockInContext(context, function, "");
	LLVMPositionBuilderAtEnd(builder, start);
	LLVMBuildCondBr(builder, LLVMBuildIsNotNull(builder, target, ""), call,
			end);
	LLVMPositionBuilderAtEnd(builder, call);
	LLVMBuildCall2(builder, register_type, target, &image, 1, "");
	LLVMBuildBr(builder, end);
	LLVMPositionBuilderAtEnd(builder, end);
	LLVMBuildRetVoid(builder);
	LLVMDisposeBuilder(builder);
	return function;
}

/* Not llvm.global_ctors: through the C API that becomes a section .ctors, which
 * not every linker knows. */
static void
add_constructors(struct packer *packer, LLVMValueRef function)
{
	LLVMValueRef global = LLVMAddGlobal(packer->module, packer->ptr,
					    "smelt_image_constructors");

	LLVMSetInitializer(global, function);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetSection(global, ".init_array");
	LLVMSetAlignment(global, 8);
}

static LLVMTargetMachineRef
make_machine(void)
{
	LLVMTargetRef target;
	char *message;

	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	if (LLVMGetTargetFromTriple(TRIPLE, &target, &message))
		die("LLVM lacks the x86-64 target: %s", message);
	return LLVMCreateTargetMachine(target, TRIPLE, "x86-64", "",
				       LLVMCodeGenLevelDefault, LLVMRelocPIC,
				       LLVMCodeModelDefault);
}

/* ---- the object ---- */

static const char *
find_linker(struct arena *arena)
{
	const char *path = path_find(arena, "ld");

	if (!path)
		path = tool_lld(arena);
	if (!path)
		die("no linker was found to join the kernels' code: neither ld "
		    "nor ld.lld; install binutils");
	return path;
}

/* A file without a name that the linker can open. */
static int
memory_file(const struct cc_result *result)
{
	int fd = memfd_create("kernels", 0);
	size_t done = 0;

	if (fd < 0)
		die("cannot make a memory file: %s", strerror(errno));
	while (done < result->size) {
		ssize_t n = write(fd, (const char *)result->data + done,
				  result->size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die("cannot write a memory file: %s", strerror(errno));
		done += (size_t)n;
	}
	return fd;
}

/* The object and the CPU target's, as one. */
static void
join(struct packer *packer, const struct cc_result *cpu, char **object,
     size_t *size)
{
	struct cc *cc = packer->cc;
	struct cc_job job = {.cc = cc, .arena = &cc->arena, .arch = "pack"};
	int fd = memory_file(cpu);
	const char *argv[] = {
		find_linker(&cc->arena),
		"-r",
		"-X", /* no local labels */
		"%i",
		arena_printf(&cc->arena, "/proc/self/fd/%d", fd),
		"-o",
		"%o",
		NULL,
	};
	struct buf printed = {0};

	tool_run(&job, argv, ".o", *object, *size, object, size, &printed);
	close(fd);
}

static void
emit(struct packer *packer, LLVMTargetMachineRef machine)
{
	struct cc *cc = packer->cc;
	const struct cc_result *cpu = cpu_result(packer);
	LLVMMemoryBufferRef memory;
	char *message = NULL, *object;
	size_t size;

	cc_stage_done(&cc->options, packer->module, "host", 1, "pack");
	if (LLVMTargetMachineEmitToMemoryBuffer(
		    machine, packer->module, LLVMObjectFile, &message, &memory))
		die("cannot emit the object: %s", message);
	size = LLVMGetBufferSize(memory);
	object = arena_dup(&cc->arena, LLVMGetBufferStart(memory), size);
	LLVMDisposeMemoryBuffer(memory);
	if (cc->kernel_count && cpu)
		join(packer, cpu, &object, &size);
	cc_output(&cc->options, object, size);
	cc_object_made(cc, object, size);
}

static void
check_own_work(const struct buf *table, const struct buf *images)
{
	struct image_table read;
	const char *wrong = image_table_read(table->data, table->len, &read);

	if (!wrong)
		wrong = image_check(&read, images->data, images->len);
	if (wrong)
		die("internal: %s", wrong);
}

void
cc_pack(struct cc *cc, const struct cc_result *results, size_t count)
{
	struct packer packer = {.cc = cc, .results = results, .count = count};
	LLVMTargetMachineRef machine = make_machine();
	LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
	struct buf table = {0}, images = {0};
	struct image_target *targets =
		arena_alloc(&cc->arena, (count + 1) * sizeof(*targets));

	packer.module = LLVMModuleCreateWithNameInContext(
		arena_printf(&cc->arena, "smelt kernels of %s",
			     cc->options.crate),
		cc->context);
	packer.ptr = LLVMPointerTypeInContext(cc->context, 0);
	packer.i32 = LLVMInt32TypeInContext(cc->context);
	packer.i64 = LLVMInt64TypeInContext(cc->context);
	LLVMSetTarget(packer.module, TRIPLE);
	LLVMSetModuleDataLayout(packer.module, layout);
	if (cc->kernel_count) {
		write_images(&packer, &images, targets);
		write_table(&packer, &table, targets);
		check_own_work(&table, &images);
		add_constructors(
			&packer,
			add_constructor(&packer,
					add_image(&packer, &table, &images)));
	}
	emit(&packer, machine);
	LLVMDisposeTargetData(layout);
	LLVMDisposeTargetMachine(machine);
}
