/*
 * NVIDIA GPUs, through LLVM's NVPTX back end and PTX.
 *
 * PTX is compiled again, by the driver or by ptxas, so what must be right here
 * is what that second compiler cannot find out: the address space of a load,
 * that memory is read-only, how loops are laid out. Registers and scheduling
 * are its business.
 */
#include "cc/nvptx.h"

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

/* Name with "c" behind it: a cubin instead of PTX. Those below sm_60 lack what
 * we count on: f64 atomics and shuffles with a mask. */
static const char *const known[] = {
	"sm_60",   "sm_61",  "sm_62",	"sm_70",   "sm_72",  "sm_75",
	"sm_80",   "sm_86",  "sm_87",	"sm_88",   "sm_89",  "sm_90",
	"sm_90a",  "sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a",
	"sm_103f", "sm_110", "sm_110a", "sm_110f", "sm_120", "sm_120a",
	"sm_120f", "sm_121", "sm_121a", "sm_121f", NULL,
};

/* Bytes of kernel parameters; the larger from sm_70 and PTX 8.1 on ("Kernel
 * Function Parameters" in the PTX ISA). */
enum { small_block = 4096, large_block = 32764 };

static bool
wants_cubin(const char *arch)
{
	return ends_with(arch, "c");
}

/* The name without the mark for a cubin. */
static const char *
gpu_name(struct arena *arena, const char *arch)
{
	return arena_dup(arena, arch, strlen(arch) - wants_cubin(arch));
}

static unsigned
gpu_number(const char *arch)
{
	return (unsigned)strtoul(arch + 3, NULL, 10);
}

static bool
nvptx_accepts(const char *arch)
{
	size_t len = strlen(arch) - wants_cubin(arch);

	for (size_t i = 0; known[i]; i++)
		if (strlen(known[i]) == len && memcmp(known[i], arch, len) == 0)
			return true;
	return false;
}

static void
hash_file(struct arena *arena, struct hash *hash, const char *path)
{
	char *data;
	size_t size;

	if (path && file_read(arena, path, &data, &size))
		hash_add(hash, data, size);
	else
		hash_add(hash, "none", 4);
}

static void
nvptx_depends(struct cc_job *job, struct hash *hash)
{
	const char *ptxas = nvptx_ptxas(job->arena);
	struct buf version = {0};

	hash_file(job->arena, hash, nvptx_libdevice(job->arena));
	if (!wants_cubin(job->arch))
		return;
	if (ptxas) {
		const char *argv[] = {ptxas, "--version", NULL};

		process_capture(job->arena, argv, &version);
	}
	hash_add(hash, version.data ? version.data : "", version.len);
}

static uint64_t
largest_block(struct cc *cc)
{
	uint64_t largest = 0;

	for (size_t k = 0; k < cc->kernel_count; k++)
		if (cc->kernels[k].block_size > largest)
			largest = cc->kernels[k].block_size;
	return largest;
}

/* LLVM takes the oldest PTX that knows the GPU, which is also what the oldest
 * drivers for it read. We need 6.3 at least, and 8.1 for large blocks. */
static const char *
ptx_feature(struct cc_job *job)
{
	unsigned gpu = gpu_number(job->arch);

	if (gpu >= 70 && gpu < 100 && largest_block(job->cc) > small_block)
		return "+ptx81";
	return gpu < 75 ? "+ptx63" : "";
}

/*
 * Requires: nothing. Gives: triple, layout and machine; line tables are all
 * that is left of debug info, which is all that PTX carries on.
 */
/* Options of LLVM's that no API has. Strength reduction of addresses in loops
 * gives each of an unrolled loop's loads an address of its own, and ptxas,
 * which goes sparing with registers, then waits for one load before it begins
 * the next: on an H200 products of matrix and vector took up to 1.5 times as
 * long. Addresses that follow from one another have all loads on their way
 * together. A target has a process of its own, so this is nobody else's. */
static void
set_options(void)
{
	static const char *const options[] = {"smelt-cc", "-disable-lsr"};

	LLVMParseCommandLineOptions(array_count(options), options, NULL);
}

static void
nvptx_retarget(struct cc_job *job)
{
	LLVMTargetRef target;
	char *message;

	LLVMInitializeNVPTXTargetInfo();
	LLVMInitializeNVPTXTarget();
	LLVMInitializeNVPTXTargetMC();
	LLVMInitializeNVPTXAsmPrinter();
	set_options();
	if (LLVMGetTargetFromTriple(cc_target_nvptx.triple, &target, &message))
		die("%s: %s", job->arch, message);
	job->machine = LLVMCreateTargetMachine(
		target, cc_target_nvptx.triple, gpu_name(job->arena, job->arch),
		ptx_feature(job), LLVMCodeGenLevelAggressive, LLVMRelocDefault,
		LLVMCodeModelDefault);
	cc_shim_strip_types(job->module);
	cc_shim_line_directives(job->module);
	cc_retarget(job);
}

static void
check_block(struct cc_job *job, const struct cc_kernel *kernel)
{
	uint64_t limit =
		gpu_number(job->arch) >= 70 ? large_block : small_block;

	if (kernel->block_size > limit)
		die("the arguments of kernel `%s` take %llu bytes; %s allows "
		    "%llu. Pass large values by reference",
		    kernel->name, (unsigned long long)kernel->block_size,
		    job->arch, (unsigned long long)limit);
}

static void
set_bounds(struct cc_job *job, LLVMValueRef f, const struct cc_kernel *kernel)
{
	if (kernel->max_threads)
		lower_add_string(
			job, f, "nvvm.maxntid",
			arena_printf(job->arena, "%u", kernel->max_threads));
	if (kernel->min_blocks)
		lower_add_string(
			job, f, "nvvm.minctasm",
			arena_printf(job->arena, "%u", kernel->min_blocks));
}

/* The block by value, in parameter space. */
static void
enter_kernel(struct cc_job *job, const struct cc_kernel *kernel)
{
	LLVMValueRef f = cc_kernel_function(job, kernel);
	LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(job->context),
					   kernel->block_size);

	check_block(job, kernel);
	LLVMSetFunctionCallConv(f, LLVMPTXKernelCallConv);
	LLVMSetLinkage(f, LLVMExternalLinkage);
	LLVMSetVisibility(f, LLVMDefaultVisibility);
	LLVMSetUnnamedAddress(f, LLVMNoUnnamedAddr);
	LLVMAddAttributeAtIndex(
		f, 1,
		LLVMCreateTypeAttribute(
			job->context,
			LLVMGetEnumAttributeKindForName("byval", 5), bytes));
	LLVMSetParamAlignment(LLVMGetParam(f, 0), kernel->block_align);
	lower_add_block(job, f, kernel->block_size);
	set_bounds(job, f, kernel);
}

static void
nvptx_entry(struct cc_job *job)
{
	cc_arguments(job);
	for (size_t k = 0; k < job->cc->kernel_count; k++)
		enter_kernel(job, &job->cc->kernels[k]);
}

static LLVMValueRef
read_register(struct cc_job *job, LLVMBuilderRef builder, const char *name)
{
	return lower_intrinsic(
		job, builder,
		arena_printf(job->arena, "llvm.nvvm.read.ptx.sreg.%s", name),
		NULL, 0, NULL, 0);
}

static const struct {
	const char *name;
	const char *registers;
} positions[] = {
	{"__smelt_thread_idx_x", "tid.x"},  {"__smelt_thread_idx_y", "tid.y"},
	{"__smelt_thread_idx_z", "tid.z"},  {"__smelt_block_idx_x", "ctaid.x"},
	{"__smelt_block_idx_y", "ctaid.y"}, {"__smelt_block_idx_z", "ctaid.z"},
	{"__smelt_block_dim_x", "ntid.x"},  {"__smelt_block_dim_y", "ntid.y"},
	{"__smelt_block_dim_z", "ntid.z"},  {"__smelt_grid_dim_x", "nctaid.x"},
	{"__smelt_grid_dim_y", "nctaid.y"}, {"__smelt_grid_dim_z", "nctaid.z"},
};

static LLVMValueRef
make_position(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	const char *name = LLVMGetValueName(LLVMGetCalledValue(call));

	for (size_t i = 0; i < array_count(positions); i++)
		if (strcmp(positions[i].name, name) == 0)
			return read_register(job, builder,
					     positions[i].registers);
	return NULL;
}

static LLVMValueRef
make_barrier(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef zero =
		LLVMConstInt(LLVMInt32TypeInContext(job->context), 0, false);

	lower_intrinsic(job, builder, "llvm.nvvm.barrier.cta.sync.aligned.all",
			NULL, 0, &zero, 1);
	return LLVMConstInt(LLVMTypeOf(call), 0, false);
}

static LLVMValueRef
warp_lane(struct cc_job *job, LLVMBuilderRef builder)
{
	return read_register(job, builder, "laneid");
}

static LLVMValueRef
warp_size(struct cc_job *job, LLVMBuilderRef builder)
{
	(void)builder;
	return LLVMConstInt(LLVMInt32TypeInContext(job->context), 32, false);
}

/* The mask names all lanes: `.sync` waits for those of them that have not
 * ended, as PTX defines it. A mask from activemask would vote among whatever
 * lanes happen to run together. */
static LLVMValueRef
full_mask(struct cc_job *job)
{
	return LLVMConstInt(LLVMInt32TypeInContext(job->context), 0xffffffff,
			    false);
}

static LLVMValueRef
warp_ballot(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef bit)
{
	LLVMValueRef args[2] = {full_mask(job), bit};
	LLVMValueRef votes = lower_intrinsic(
		job, builder, "llvm.nvvm.vote.ballot.sync", NULL, 0, args, 2);

	return LLVMBuildZExt(builder, votes,
			     LLVMInt64TypeInContext(job->context), "");
}

static LLVMValueRef
warp_permute(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef value,
	     LLVMValueRef from)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(job->context);
	LLVMValueRef args[4] = {full_mask(job), value, from,
				LLVMConstInt(i32, 31, false)};

	return lower_intrinsic(job, builder, "llvm.nvvm.shfl.sync.idx.i32",
			       NULL, 0, args, 4);
}

/* One instruction for any mask. */
static LLVMValueRef
warp_near(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef value,
	  unsigned mask)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(job->context);
	LLVMValueRef args[4] = {full_mask(job), value,
				LLVMConstInt(i32, mask, false),
				LLVMConstInt(i32, 31, false)};

	return lower_intrinsic(job, builder, "llvm.nvvm.shfl.sync.bfly.i32",
			       NULL, 0, args, 4);
}

/* The system's scope cannot be said for an add: LLVM prints atom without one,
 * which PTX takes for the device's. */
static LLVMValueRef
make_system_add(LLVMBuilderRef builder, LLVMValueRef call)
{
	bool wide = LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMDoubleTypeKind;
	LLVMTypeRef type = LLVMTypeOf(call), params[2], function;
	LLVMValueRef args[2] = {LLVMGetOperand(call, 0),
				LLVMGetOperand(call, 1)};
	const char *text = wide ? "atom.sys.add.f64 $0, [$1], $2;"
				: "atom.sys.add.f32 $0, [$1], $2;";
	const char *operands = wide ? "=d,l,d,~{memory}" : "=f,l,f,~{memory}";

	params[0] = LLVMTypeOf(args[0]);
	params[1] = type;
	function = LLVMFunctionType(type, params, 2, false);
	return LLVMBuildCall2(builder, function,
			      LLVMGetInlineAsm(function, text, strlen(text),
					       operands, strlen(operands), true,
					       false, LLVMInlineAsmDialectATT,
					       false),
			      args, 2, "");
}

static void
system_adds(struct cc_job *job)
{
	static const char *const names[] = {"__smelt_atomic_add_f32",
					    "__smelt_atomic_add_f64"};
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);

	for (size_t n = 0; n < array_count(names); n++) {
		LLVMValueRef f = LLVMGetNamedFunction(job->module, names[n]);
		LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL;

		while (use) {
			LLVMValueRef call = LLVMGetUser(use), scope;

			use = LLVMGetNextUse(use);
			scope = LLVMIsACallInst(call) ? LLVMGetOperand(call, 2)
						      : NULL;
			if (!scope || !LLVMIsAConstantInt(scope) ||
			    LLVMConstIntGetZExtValue(scope) != 2)
				continue;
			LLVMPositionBuilderBefore(builder, call);
			LLVMReplaceAllUsesWith(call,
					       make_system_add(builder, call));
			LLVMInstructionEraseFromParent(call);
		}
	}
	LLVMDisposeBuilder(builder);
}

/* LLVM prints atomicrmw of any ordering as a relaxed one, hence the fences. */
static void
nvptx_intrinsics(struct cc_job *job)
{
	static const struct lower_warp warp = {
		warp_lane, warp_size, warp_ballot, warp_permute, warp_near};
	static const struct lower_scopes scopes = {{"block", "device", ""},
						   NULL};

	for (size_t i = 0; i < array_count(positions); i++)
		cc_replace_calls(job, positions[i].name, make_position);
	cc_replace_calls(job, "__smelt_barrier", make_barrier);
	lower_warp_operations(job, &warp);
	lower_atomic_scopes(job, "device");
	lower_atomic_orderings(job);
	system_adds(job);
	lower_float_atomics(job, &scopes);
}

static LLVMValueRef
record_position(struct cc_job *job, LLVMBuilderRef builder, bool block,
		unsigned dimension)
{
	static const char *const names[2][3] = {
		{"tid.x", "tid.y", "tid.z"},
		{"ctaid.x", "ctaid.y", "ctaid.z"},
	};

	return read_register(job, builder, names[block][dimension]);
}

static void
leave_thread(struct cc_job *job, LLVMBuilderRef builder)
{
	lower_intrinsic(job, builder, "llvm.nvvm.exit", NULL, 0, NULL, 0);
}

static const struct lower_record record = {
	.device_scope = "device",
	.position = record_position,
	.leave = leave_thread,
};

static void
nvptx_math(struct cc_job *job)
{
	const char *libdevice = nvptx_libdevice(job->arena);
	unsigned calls =
		lower_math(job, libdevice ? &lower_libdevice : &lower_devmath);

	if (calls && libdevice)
		lower_link(job, libdevice);
	cc_devmath(job);
}

/* Address spaces are inferred after O3: before it, a local array would be cast
 * to local memory, and instcombine, which may replace the array by the constant
 * that was copied into it, would keep the cast (lower_check_spaces). */
static void
nvptx_optimise(struct cc_job *job)
{
	cc_passes(job, "nvvm-reflect,function(nvvm-intr-range)");
	lower_inline_single(job);
	lower_checks(job);
	cc_passes(job, "default<O3>");
	lower_join_votes(job, "llvm.nvvm.vote.ballot.sync");
	nvptx_hide_nulls(job);
	cc_passes(job, "function(infer-address-spaces,simplifycfg)");
	if (lower_local_atomics(job))
		cc_passes(job, "function(sroa,early-cse<memssa>,instsimplify,"
			       "dse,simplifycfg,infer-address-spaces)");
	lower_straight_checks(job);
	lower_panics(job, &record);
	nvptx_hide_nulls(job);
	cc_passes(job, "function(infer-address-spaces,early-cse<memssa>),"
		       "globaldce");
	nvptx_hide_nulls(job);
	lower_check_spaces(job);
	nvptx_narrowed_floats(job);
	lower_note_deep(job);
}

static void
nvptx_emit(struct cc_job *job)
{
	char *data;

	lower_emit(job, LLVMAssemblyFile, &data, &job->result->size);
	nvptx_negations(job, &data, &job->result->size);
	job->result->data = data;
	job->result->image_kind = SMELT_IMAGE_PTX;
	if (wants_cubin(job->arch))
		nvptx_assemble(job, gpu_name(job->arena, job->arch));
}

const struct cc_target cc_target_nvptx = {
	.family = "NVIDIA",
	.kind = SMELT_TARGET_NVPTX,
	.triple = "nvptx64-nvidia-cuda",
	.accepts = nvptx_accepts,
	.known = known,
	.depends = nvptx_depends,
	.retarget = nvptx_retarget,
	.entry = nvptx_entry,
	.spaces = lower_shared,
	.intrinsics = nvptx_intrinsics,
	.panics = lower_declare_panic,
	.math = nvptx_math,
	.contract = cc_contract,
	.optimise = nvptx_optimise,
	.emit = nvptx_emit,
};
