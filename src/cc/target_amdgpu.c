/*
 * AMD GPUs, through LLVM's AMDGPU back end: one code object of version 5 for
 * each architecture.
 *
 * Offsets of the hidden arguments (block counts at 0, 4, 8; block sizes as u16
 * at 12, 14, 16) are those of "Code Object V5 Kernel Argument Layout" in LLVM's
 * AMDGPUUsage; whoever launches the kernel fills them in.
 */
#include "cc/amdgpu.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

/* Those before gfx700 have no generic pointers. */
static const char *const known[] = {
	"gfx700",  "gfx701",  "gfx702",	 "gfx703",  "gfx704",  "gfx705",
	"gfx801",  "gfx802",  "gfx803",	 "gfx805",  "gfx810",  "gfx900",
	"gfx902",  "gfx904",  "gfx906",	 "gfx908",  "gfx909",  "gfx90a",
	"gfx90c",  "gfx942",  "gfx950",	 "gfx1010", "gfx1011", "gfx1012",
	"gfx1013", "gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034",
	"gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103",
	"gfx1150", "gfx1151", "gfx1152", "gfx1153", "gfx1200", "gfx1201",
	"gfx1250", "gfx1251", NULL,
};

enum {
	kernarg_space = 4,
	code_object_version = 500,
	default_threads = 1024,
	largest_block = 4096,
};

static bool
amdgpu_accepts(const char *arch)
{
	for (size_t i = 0; known[i]; i++)
		if (strcmp(known[i], arch) == 0)
			return true;
	return false;
}

/* Warps of 64 lanes up to gfx9; from gfx10 on 32 is the default, which we
 * keep. */
static bool
is_wave64(const char *arch)
{
	return strlen(arch) == strlen("gfx90a");
}

static void
amdgpu_depends(struct cc_job *job, struct hash *hash)
{
	const char *folder = amdgpu_ocml_folder(job->arena);
	char *data;
	size_t size;

	if (folder && file_read(job->arena,
				arena_printf(job->arena, "%s/ocml.bc", folder),
				&data, &size))
		hash_add(hash, data, size);
	else
		hash_add(hash, "none", 4);
}

static void
set_code_object_version(struct cc_job *job)
{
	static const char key[] = "amdhsa_code_object_version";

	LLVMAddModuleFlag(job->module, LLVMModuleFlagBehaviorError, key,
			  sizeof(key) - 1,
			  LLVMValueAsMetadata(LLVMConstInt(
				  LLVMInt32TypeInContext(job->context),
				  code_object_version, false)));
}

/* Requires: nothing. Gives: triple, layout, machine, allocas where they belong
 * (see private.c for why so early). */
static void
amdgpu_retarget(struct cc_job *job)
{
	LLVMTargetRef target;
	char *message;

	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTarget();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUAsmPrinter();
	if (LLVMGetTargetFromTriple(cc_target_amdgpu.triple, &target, &message))
		die("%s: %s", job->arch, message);
	job->machine = LLVMCreateTargetMachine(
		target, cc_target_amdgpu.triple, job->arch, "",
		LLVMCodeGenLevelAggressive, LLVMRelocPIC, LLVMCodeModelDefault);
	cc_shim_strip_types(job->module);
	cc_retarget(job);
	set_code_object_version(job);
	lower_private(job);
}

/* LLVM-C cannot change a function's type: its blocks go to a new one. */
static void
move_body(LLVMValueRef from, LLVMValueRef to)
{
	LLVMBasicBlockRef last = NULL, block;

	while ((block = LLVMGetFirstBasicBlock(from))) {
		if (!last) {
			last = LLVMAppendBasicBlockInContext(
				LLVMGetTypeContext(LLVMTypeOf(from)), to, "");
			LLVMMoveBasicBlockAfter(block, last);
			LLVMDeleteBasicBlock(last);
		} else {
			LLVMMoveBasicBlockAfter(block, last);
		}
		last = block;
	}
}

static void
set_bounds(struct cc_job *job, LLVMValueRef f, const struct cc_kernel *kernel)
{
	unsigned most =
		kernel->max_threads ? kernel->max_threads : default_threads;
	unsigned wave = is_wave64(job->arch) ? 64 : 32;
	unsigned waves = (most + wave - 1) / wave;

	lower_add_string(job, f, "amdgpu-flat-work-group-size",
			 arena_printf(job->arena, "1,%u", most));
	lower_add_string(job, f, "uniform-work-group-size", "true");
	/* A compute unit has four SIMDs: that many blocks' waves, shared out.
	 */
	if (kernel->min_blocks)
		lower_add_string(
			job, f, "amdgpu-waves-per-eu",
			arena_printf(job->arena, "%u",
				     (kernel->min_blocks * waves + 3) / 4));
}

static LLVMValueRef
new_kernel(struct cc_job *job, const struct cc_kernel *kernel)
{
	LLVMTypeRef param =
		LLVMPointerTypeInContext(job->context, kernarg_space);
	LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(job->context),
					   kernel->block_size);
	LLVMValueRef f = LLVMAddFunction(
		job->module, kernel->symbol,
		LLVMFunctionType(LLVMVoidTypeInContext(job->context), &param, 1,
				 false));

	LLVMSetFunctionCallConv(f, LLVMAMDGPUKERNELCallConv);
	LLVMSetVisibility(f, LLVMProtectedVisibility);
	LLVMAddAttributeAtIndex(
		f, 1,
		LLVMCreateTypeAttribute(
			job->context,
			LLVMGetEnumAttributeKindForName("byref", 5), bytes));
	LLVMSetParamAlignment(LLVMGetParam(f, 0), kernel->block_align);
	lower_add_block(job, f, kernel->block_size);
	lower_add(job, f, "nounwind", 0);
	set_bounds(job, f, kernel);
	return f;
}

/* The block by reference in the kernarg segment. */
static void
enter_kernel(struct cc_job *job, const struct cc_kernel *kernel)
{
	LLVMValueRef old = cc_kernel_function(job, kernel), new, block;
	LLVMBuilderRef builder;

	if (kernel->block_size > largest_block)
		die("the arguments of kernel `%s` take %llu bytes; %s allows "
		    "%d. Pass large values by reference",
		    kernel->name, (unsigned long long)kernel->block_size,
		    job->arch, largest_block);
	LLVMSetValueName2(old, "", 0);
	new = new_kernel(job, kernel);
	move_body(old, new);
	if (LLVMGetSubprogram(old))
		LLVMSetSubprogram(new, LLVMGetSubprogram(old));
	builder = LLVMCreateBuilderInContext(job->context);
	LLVMPositionBuilderBefore(
		builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(new)));
	block = LLVMBuildAddrSpaceCast(builder, LLVMGetParam(new, 0),
				       LLVMTypeOf(LLVMGetParam(old, 0)),
				       "block");
	LLVMDisposeBuilder(builder);
	LLVMReplaceAllUsesWith(LLVMGetParam(old, 0), block);
	LLVMDeleteFunction(old);
}

static void
amdgpu_entry(struct cc_job *job)
{
	for (size_t k = 0; k < job->cc->kernel_count; k++)
		enter_kernel(job, &job->cc->kernels[k]);
	cc_arguments(job);
}

static void
amdgpu_spaces(struct cc_job *job)
{
	lower_shared(job);
	lower_constants(job);
}

static LLVMValueRef
read_id(struct cc_job *job, LLVMBuilderRef builder, bool block,
	unsigned dimension)
{
	return lower_intrinsic(job, builder,
			       arena_printf(job->arena, "llvm.amdgcn.%s.id.%c",
					    block ? "workgroup" : "workitem",
					    "xyz"[dimension]),
			       NULL, 0, NULL, 0);
}

/* A word of the hidden arguments, which nobody writes during the launch. Only
 * whole words are read by the scalar unit, once a wave. */
static LLVMValueRef
read_hidden(struct cc_job *job, LLVMBuilderRef builder, unsigned offset)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(job->context);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(job->context);
	LLVMValueRef index = LLVMConstInt(i32, offset, false);
	LLVMValueRef base = lower_intrinsic(
		job, builder, "llvm.amdgcn.implicitarg.ptr", NULL, 0, NULL, 0);
	LLVMValueRef at =
		LLVMBuildInBoundsGEP2(builder, byte, base, &index, 1, "");
	LLVMValueRef load = LLVMBuildLoad2(builder, i32, at, "");

	LLVMSetAlignment(load, 4);
	LLVMSetMetadata(
		load,
		LLVMGetMDKindIDInContext(job->context, "invariant.load", 14),
		LLVMMetadataAsValue(
			job->context,
			LLVMMDNodeInContext2(job->context, NULL, 0)));
	return load;
}

/* Of 16 bits, two in a word; z shares its word with something else. */
static LLVMValueRef
read_block_dim(struct cc_job *job, LLVMBuilderRef builder, unsigned dimension)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(job->context);
	LLVMValueRef word = read_hidden(job, builder, 12 + dimension / 2 * 4);

	if (dimension == 1)
		return LLVMBuildLShr(builder, word,
				     LLVMConstInt(i32, 16, false), "");
	return LLVMBuildAnd(builder, word, LLVMConstInt(i32, 0xffff, false),
			    "");
}

/* __smelt_{thread,block}_{idx,dim}_D, __smelt_grid_dim_D */
static LLVMValueRef
make_position(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	const char *name = LLVMGetValueName(LLVMGetCalledValue(call));
	unsigned dimension = (unsigned)(name[strlen(name) - 1] - 'x');

	if (strstr(name, "grid_dim"))
		return read_hidden(job, builder, 4 * dimension);
	if (strstr(name, "block_dim"))
		return read_block_dim(job, builder, dimension);
	return read_id(job, builder, strstr(name, "block_idx") != NULL,
		       dimension);
}

static LLVMValueRef
make_barrier(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	unsigned scope = LLVMGetSyncScopeID(job->context, "workgroup", 9);

	LLVMBuildFenceSyncScope(builder, LLVMAtomicOrderingRelease, scope, "");
	lower_intrinsic(job, builder, "llvm.amdgcn.s.barrier", NULL, 0, NULL,
			0);
	LLVMBuildFenceSyncScope(builder, LLVMAtomicOrderingAcquire, scope, "");
	return LLVMConstInt(LLVMTypeOf(call), 0, false);
}

/* How many lanes before this one are set in a mask of all ones. */
static LLVMValueRef
warp_lane(struct cc_job *job, LLVMBuilderRef builder)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(job->context);
	LLVMValueRef args[2] = {LLVMConstInt(i32, 0xffffffff, false),
				LLVMConstInt(i32, 0, false)};

	args[1] = lower_intrinsic(job, builder, "llvm.amdgcn.mbcnt.lo", NULL, 0,
				  args, 2);
	if (!is_wave64(job->arch))
		return args[1];
	return lower_intrinsic(job, builder, "llvm.amdgcn.mbcnt.hi", NULL, 0,
			       args, 2);
}

static LLVMValueRef
warp_size(struct cc_job *job, LLVMBuilderRef builder)
{
	(void)builder;
	return LLVMConstInt(LLVMInt32TypeInContext(job->context),
			    is_wave64(job->arch) ? 64 : 32, false);
}

static LLVMValueRef
warp_ballot(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef bit)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(job->context);
	LLVMTypeRef type = is_wave64(job->arch)
				   ? i64
				   : LLVMInt32TypeInContext(job->context);
	LLVMValueRef votes = lower_intrinsic(job, builder, "llvm.amdgcn.ballot",
					     &type, 1, &bit, 1);

	return LLVMBuildZExt(builder, votes, i64, "");
}

/* The instruction counts in bytes. One lane for all is read by another, without
 * LDS. */
static LLVMValueRef
warp_permute(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef value,
	     LLVMValueRef from)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMValueRef args[2] = {
		LLVMBuildShl(builder, from,
			     LLVMConstInt(LLVMTypeOf(from), 2, false), ""),
		value,
	};
	LLVMValueRef one[2] = {value, from};

	if (LLVMIsAConstantInt(from))
		return lower_intrinsic(job, builder, "llvm.amdgcn.readlane",
				       &type, 1, one, 2);
	return lower_intrinsic(job, builder, "llvm.amdgcn.ds.bpermute", NULL, 0,
			       args, 2);
}

/*
 * A native float atomic is right only on memory of this device that is not
 * fine-grained, which the metadata states ("amdgpu.no.fine.grained.memory" in
 * AMDGPUUsage); the runtime's allocations are of that kind. Without it LLVM
 * makes a loop of compare-and-swap. Those of f32 on gfx90a also flush
 * denormals, so exact mode keeps the loop.
 */
static const struct lower_scopes *
float_scopes(enum smelt_fp_mode fp)
{
	static const char *const coarse[] = {"amdgpu.no.fine.grained.memory",
					     "amdgpu.no.remote.memory", NULL};
	static const char *const fast[] = {"amdgpu.no.fine.grained.memory",
					   "amdgpu.no.remote.memory",
					   "amdgpu.ignore.denormal.mode", NULL};
	static const struct lower_scopes exact_scopes = {
		{"workgroup", "agent", ""}, coarse};
	static const struct lower_scopes fast_scopes = {
		{"workgroup", "agent", ""}, fast};

	return fp == SMELT_FP_FAST ? &fast_scopes : &exact_scopes;
}

static void
amdgpu_intrinsics(struct cc_job *job)
{
	static const char *const names[] = {"thread_idx", "block_idx",
					    "block_dim", "grid_dim"};
	static const struct lower_warp warp = {
		warp_lane, warp_size, warp_ballot, warp_permute, amdgpu_near};

	amdgpu_positions(job);
	for (size_t i = 0; i < array_count(names); i++)
		for (unsigned d = 0; d < 3; d++)
			cc_replace_calls(job,
					 arena_printf(job->arena,
						      "__smelt_%s_%c", names[i],
						      "xyz"[d]),
					 make_position);
	cc_replace_calls(job, "__smelt_barrier", make_barrier);
	lower_warp_operations(job, &warp);
	lower_atomic_scopes(job, "agent");
	lower_float_atomics(job, float_scopes(job->cc->options.fp));
}

static void
leave_wave(struct cc_job *job, LLVMBuilderRef builder)
{
	lower_intrinsic(job, builder, "llvm.amdgcn.endpgm", NULL, 0, NULL, 0);
}

static const struct lower_record record = {
	.device_scope = "agent",
	.position = read_id,
	.leave = leave_wave,
};

static void
amdgpu_panics(struct cc_job *job)
{
	lower_declare_panic(job);
	lower_inline_panics(job);
}

static void
amdgpu_math(struct cc_job *job)
{
	const char *ocml = amdgpu_ocml_folder(job->arena);
	unsigned calls = lower_math(job, ocml ? &lower_ocml : &lower_devmath);

	if (calls && ocml)
		amdgpu_link_ocml(job, ocml, is_wave64(job->arch));
	cc_devmath(job);
	/* devmath came from the host as well. */
	lower_private(job);
	lower_constants(job);
}

/* With MODE.IEEE on, as LLVM has it by default, a minimum or maximum of a
 * signalling NaN is that NaN; Rust's is the other operand. Off, the
 * instructions do what Rust asks for, and nothing is quieted before. (LLVM
 * means to quiet, but forgets it where it joins two to v_min3.) All functions,
 * or they would not be inlined. */
static void
ignore_signalling(struct cc_job *job)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			lower_add_string(job, f, "amdgpu-ieee", "false");
}

/* What is assumed has served. It says nothing to the selector, but an
 * assumption about a local's address keeps the local in memory, and to
 * amdgpu_carries its comparisons would pass for questions about carries. */
static void
drop_assumptions(struct cc_job *job)
{
	cc_replace_calls(job, "llvm.assume", NULL);
}

static void
amdgpu_optimise(struct cc_job *job)
{
	ignore_signalling(job);
	lower_inline_single(job);
	/* A local that another points to is taken apart once that one is. */
	cc_passes(job, "function(infer-address-spaces,sroa,"
		       "infer-address-spaces,sroa,infer-address-spaces)");
	lower_checks(job);
	cc_passes(job, "default<O3>");
	drop_assumptions(job);
	cc_passes(job, "function(infer-address-spaces,"
		       "instcombine<no-verify-fixpoint>,simplifycfg,sroa,"
		       "infer-address-spaces,early-cse<memssa>,"
		       "instcombine<no-verify-fixpoint>,simplifycfg)");
	if (lower_local_atomics(job))
		cc_passes(job, "function(sroa,early-cse<memssa>,instcombine,"
			       "dse,simplifycfg,infer-address-spaces)");
	lower_straight_checks(job);
	lower_panics(job, &record);
	cc_passes(job, "function(infer-address-spaces,early-cse<memssa>),"
		       "globaldce");
	amdgpu_small(job);
	amdgpu_bases(job);
	cc_passes(job, "function(early-cse<memssa>,bdce)");
	amdgpu_carries(job);
	amdgpu_phis(job);
	lower_note_deep(job);
}

static void
amdgpu_emit(struct cc_job *job)
{
	const char *linker = tool_lld(job->arena);
	const char *argv[] = {linker,
			      "-shared",
			      "--no-undefined",
			      "--build-id=none",
			      "%i",
			      "-o",
			      "%o",
			      NULL};
	struct buf printed = {0};
	char *object, *image;
	size_t size;

	if (!linker)
		die("target %s wants ld.lld, which was not found; install lld "
		    "(Debian: lld-22)",
		    job->arch);
	lower_emit(job, LLVMObjectFile, &object, &size);
	tool_run(job, argv, ".o", object, size, &image, &job->result->size,
		 &printed);
	job->result->data = image;
	job->result->image_kind = SMELT_IMAGE_OBJECT;
	amdgpu_read_note(job);
}

const struct cc_target cc_target_amdgpu = {
	.family = "AMD",
	.kind = SMELT_TARGET_AMDGPU,
	.triple = "amdgcn-amd-amdhsa",
	.accepts = amdgpu_accepts,
	.known = known,
	.depends = amdgpu_depends,
	.retarget = amdgpu_retarget,
	.entry = amdgpu_entry,
	.spaces = amdgpu_spaces,
	.intrinsics = amdgpu_intrinsics,
	.panics = amdgpu_panics,
	.math = amdgpu_math,
	.contract = cc_contract,
	.optimise = amdgpu_optimise,
	.emit = amdgpu_emit,
};
