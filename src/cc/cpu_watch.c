/*
 * Target cpu-check: kernels that tell the engine of each access to memory.
 *
 * The calls go in before anything is optimised: later, two stores of one place
 * may have become one, with the line of neither. What is inlined before are the
 * standard library and crate smelt, so that an access has the line of the
 * user's code that asked for it, and what holds a barrier, so that a barrier
 * that the source reaches in two ways is two here.
 *
 * A thread's own stack is of no interest. Where the base of an address is seen
 * to be an alloca there is no call; other addresses on the stack are passed
 * over by the engine, which knows where the stack lies.
 */
#include "cc/cpu.h"
#include "cc/lower.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <string.h>

/* Beyond this many instructions, all it calls included, a function of the
 * library stays one. */
enum { max_library = 1000 };

struct watch {
	struct cc_job *job;
	LLVMBuilderRef builder;
	LLVMTypeRef pointer;
	LLVMTypeRef word;
	LLVMTypeRef wide;
	LLVMTypeRef site_type;
	LLVMValueRef access;
	LLVMValueRef fence;
	LLVMValueRef meet;
	LLVMValueRef argument;
	unsigned arguments;	/* in memory, of the function at hand */
	struct cc_map *library; /* by scope, whether it is of the library */
	struct cc_map *files;	/* by scope, the global of file_text() */
};

bool
cpu_watches(const struct cc_job *job)
{
	return strcmp(job->arch, CC_CPU_CHECK) == 0;
}

/* ---- whose code it is ---- */

/* Asked for every access; the answer is looked for once for each scope. */
static bool
is_library(struct watch *watch, LLVMMetadataRef scope)
{
	static char yes, no;
	const char *name, *linkage;
	const void *known = cc_map_get(watch->library, scope);
	LLVMMetadataRef program;
	struct cc_frame frame;

	if (known)
		return known == &yes;
	program = cc_shim_subprogram(scope, &name, &linkage);
	frame = cc_frame_at(watch->job->cc, program);
	known = cc_frame_is_glue(&frame) ? &yes : &no;
	cc_map_set(watch->job->arena, watch->library, scope, (void *)known);
	return known == &yes;
}

static void
inline_library(struct watch *watch)
{
	struct cpu_graph *graph = cpu_graph_new(watch->job);

	cpu_graph_costs(graph);
	for (size_t i = 0; i < graph->count; i++) {
		struct cpu_function *f = &graph->functions[i];
		LLVMMetadataRef program = LLVMGetSubprogram(f->function);

		if (!f->recursive && f->cost < max_library && program &&
		    LLVMGetLinkage(f->function) != LLVMExternalLinkage &&
		    is_library(watch, program))
			cc_inline_always(f->function);
	}
	cc_passes(watch->job, "always-inline");
}

/* ---- sites ---- */

/* Where the user asked for it: the innermost call that is not in the library;
 * NULL if the instruction has no place. */
static LLVMMetadataRef
location_of(struct watch *watch, LLVMValueRef instruction)
{
	LLVMMetadataRef own = LLVMInstructionGetDebugLoc(instruction);
	LLVMMetadataRef at = own;

	while (at && is_library(watch, LLVMDILocationGetScope(at)))
		at = LLVMDILocationGetInlinedAt(at);
	return at ? at : own;
}

/* The name of a scope's file, as a global. */
static LLVMValueRef
file_text(struct watch *watch, LLVMMetadataRef scope)
{
	LLVMModuleRef module = watch->job->module;
	LLVMValueRef global = cc_map_get(watch->files, scope), text;
	const char *file, *name;

	if (global)
		return global;
	file = scope ? cc_file_of(watch->job->cc, scope) : NULL;
	name = arena_printf(watch->job->arena, "watch.file.%s",
			    file ? file : "");
	global = LLVMGetNamedGlobal(module, name);
	if (!global) {
		text = LLVMConstStringInContext2(
			watch->job->context, file ? file : "",
			file ? strlen(file) : 0, false);
		global = LLVMAddGlobal(module, LLVMTypeOf(text), name);
		LLVMSetInitializer(global, text);
		LLVMSetGlobalConstant(global, true);
		LLVMSetLinkage(global, LLVMInternalLinkage);
	}
	if (scope)
		cc_map_set(watch->job->arena, watch->files, scope, global);
	return global;
}

/* A struct smelt_cpu_site. Those of accesses are one for each place, those of
 * barriers one for each instruction. */
static LLVMValueRef
site_of(struct watch *watch, LLVMValueRef instruction, bool alone)
{
	LLVMModuleRef module = watch->job->module;
	LLVMMetadataRef at = location_of(watch, instruction);
	LLVMValueRef file =
		file_text(watch, at ? LLVMDILocationGetScope(at) : NULL);
	unsigned line = at ? LLVMDILocationGetLine(at) : 0;
	unsigned column = at ? LLVMDILocationGetColumn(at) : 0;
	const char *name = arena_printf(watch->job->arena, "%s:%u:%u",
					LLVMGetValueName(file), line, column);
	LLVMValueRef global = alone ? NULL : LLVMGetNamedGlobal(module, name);
	LLVMValueRef fields[4];

	if (global)
		return global;
	fields[0] = file;
	fields[1] = LLVMConstInt(watch->word, line, false);
	fields[2] = LLVMConstInt(watch->word, column, false);
	fields[3] = LLVMConstInt(watch->wide, 0, false);
	global = LLVMAddGlobal(module, watch->site_type,
			       alone ? "watch.meet" : name);
	LLVMSetInitializer(global,
			   LLVMConstNamedStruct(watch->site_type, fields, 4));
	LLVMSetLinkage(global, LLVMInternalLinkage);
	return global;
}

/* ---- calls ---- */

static LLVMValueRef
declare(struct watch *watch, const char *name, LLVMTypeRef *parameters,
	unsigned count)
{
	LLVMTypeRef type =
		LLVMFunctionType(LLVMVoidTypeInContext(watch->job->context),
				 parameters, count, false);
	LLVMValueRef f = LLVMAddFunction(watch->job->module, name, type);

	lower_add(watch->job, f, "nounwind", 0);
	return f;
}

static void
call(struct watch *watch, LLVMValueRef function, LLVMValueRef *args,
     unsigned count)
{
	LLVMBuildCall2(watch->builder, LLVMGlobalGetValueType(function),
		       function, args, count, "");
}

/* Whether no other thread can reach what the address points to, or nobody
 * writes there. */
static bool
is_own(struct watch *watch, LLVMValueRef address)
{
	while (LLVMIsAGetElementPtrInst(address) ||
	       LLVMIsABitCastInst(address) || LLVMIsAFreezeInst(address) ||
	       (LLVMIsAConstantExpr(address) &&
		LLVMGetConstOpcode(address) == LLVMGetElementPtr))
		address = LLVMGetOperand(address, 0);
	if (LLVMIsAAllocaInst(address))
		return true;
	if (LLVMIsAGlobalVariable(address))
		return LLVMIsGlobalConstant(address);
	return LLVMIsAArgument(address) &&
	       cpu_is_kernel(watch->job, LLVMGetParamParent(address));
}

static void
tell(struct watch *watch, LLVMValueRef instruction, LLVMValueRef address,
     LLVMValueRef size, unsigned how)
{
	LLVMValueRef args[4] = {address, size,
				LLVMConstInt(watch->word, how, false)};

	if (is_own(watch, address))
		return;
	args[3] = site_of(watch, instruction, false);
	LLVMPositionBuilderBefore(watch->builder, instruction);
	args[1] =
		LLVMBuildIntCast2(watch->builder, size, watch->wide, false, "");
	call(watch, watch->access, args, 4);
}

static void
tell_typed(struct watch *watch, LLVMValueRef instruction, LLVMValueRef address,
	   LLVMTypeRef type, unsigned how)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(watch->job->module);
	uint64_t size = LLVMStoreSizeOfType(layout, type);

	if (size)
		tell(watch, instruction, address,
		     LLVMConstInt(watch->wide, size, false), how);
}

static unsigned
order(LLVMAtomicOrdering ordering)
{
	switch (ordering) {
	case LLVMAtomicOrderingAcquire:
		return SMELT_CPU_ACQUIRE;
	case LLVMAtomicOrderingRelease:
		return SMELT_CPU_RELEASE;
	case LLVMAtomicOrderingAcquireRelease:
	case LLVMAtomicOrderingSequentiallyConsistent:
		return SMELT_CPU_ACQUIRE | SMELT_CPU_RELEASE;
	default:
		return 0;
	}
}

static bool
is_atomic(LLVMValueRef access)
{
	return LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic;
}

static void
watch_load(struct watch *watch, LLVMValueRef load)
{
	unsigned how = SMELT_CPU_READ;

	if (is_atomic(load))
		how = SMELT_CPU_ATOMIC_READ |
		      (order(LLVMGetOrdering(load)) & SMELT_CPU_ACQUIRE);
	tell_typed(watch, load, LLVMGetOperand(load, 0), LLVMTypeOf(load), how);
}

static void
watch_store(struct watch *watch, LLVMValueRef store)
{
	unsigned how = SMELT_CPU_WRITE;

	if (is_atomic(store))
		how = SMELT_CPU_ATOMIC_WRITE |
		      (order(LLVMGetOrdering(store)) & SMELT_CPU_RELEASE);
	tell_typed(watch, store, LLVMGetOperand(store, 1),
		   LLVMTypeOf(LLVMGetOperand(store, 0)), how);
}

static void
watch_update(struct watch *watch, LLVMValueRef update)
{
	bool exchange = LLVMIsAAtomicCmpXchgInst(update);
	unsigned how = SMELT_CPU_ATOMIC_UPDATE;

	if (exchange)
		how |= order(LLVMGetCmpXchgSuccessOrdering(update)) |
		       order(LLVMGetCmpXchgFailureOrdering(update));
	else
		how |= order(LLVMGetOrdering(update));
	tell_typed(watch, update, LLVMGetOperand(update, 0),
		   LLVMTypeOf(LLVMGetOperand(update, 1)), how);
}

static void
watch_fence(struct watch *watch, LLVMValueRef fence)
{
	LLVMValueRef how =
		LLVMConstInt(watch->word, order(LLVMGetOrdering(fence)), false);

	LLVMPositionBuilderBefore(watch->builder, fence);
	call(watch, watch->fence, &how, 1);
}

static void
watch_meet(struct watch *watch, LLVMValueRef primitive)
{
	LLVMValueRef site = site_of(watch, primitive, true);

	LLVMPositionBuilderBefore(watch->builder, primitive);
	call(watch, watch->meet, &site, 1);
}

/* One of the kernel's arguments that are in memory, in their order. */
static void
watch_argument(struct watch *watch, LLVMValueRef identity)
{
	LLVMValueRef args[2] = {
		LLVMGetOperand(identity, 0),
		LLVMConstInt(watch->word, ++watch->arguments, false),
	};

	LLVMPositionBuilderBefore(watch->builder, identity);
	call(watch, watch->argument, args, 2);
}

/* Copies, fills and comparisons, which are calls; meetings; arguments. */
static void
watch_call(struct watch *watch, LLVMValueRef i)
{
	LLVMValueRef callee = lower_callee(i);
	const char *name = callee ? LLVMGetValueName(callee) : "";

	if (cpu_is_meeting(name)) {
		watch_meet(watch, i);
	} else if (!strcmp(name, "__smelt_arg_extent")) {
		watch_argument(watch, i);
	} else if (starts_with(name, "llvm.memcpy.") ||
		   starts_with(name, "llvm.memmove.") ||
		   !strcmp(name, "memcpy") || !strcmp(name, "memmove")) {
		tell(watch, i, LLVMGetOperand(i, 1), LLVMGetOperand(i, 2),
		     SMELT_CPU_COPY);
		tell(watch, i, LLVMGetOperand(i, 0), LLVMGetOperand(i, 2),
		     SMELT_CPU_WRITE);
	} else if (starts_with(name, "llvm.memset.") ||
		   !strcmp(name, "memset")) {
		tell(watch, i, LLVMGetOperand(i, 0), LLVMGetOperand(i, 2),
		     SMELT_CPU_WRITE);
	} else if (!strcmp(name, "memcmp") || !strcmp(name, "bcmp")) {
		tell(watch, i, LLVMGetOperand(i, 0), LLVMGetOperand(i, 2),
		     SMELT_CPU_READ);
		tell(watch, i, LLVMGetOperand(i, 1), LLVMGetOperand(i, 2),
		     SMELT_CPU_READ);
	}
}

static void
watch_instruction(struct watch *watch, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		watch_load(watch, i);
		break;
	case LLVMStore:
		watch_store(watch, i);
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		watch_update(watch, i);
		break;
	case LLVMFence:
		watch_fence(watch, i);
		break;
	case LLVMCall:
		watch_call(watch, i);
		break;
	default:
		break;
	}
}

static void
watch_function(struct watch *watch, LLVMValueRef function)
{
	watch->arguments = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			watch_instruction(watch, i);
}

static void
begin(struct watch *watch, struct cc_job *job)
{
	LLVMContextRef context = job->context;
	LLVMTypeRef fields[4], access[4], argument[2];

	watch->job = job;
	watch->builder = LLVMCreateBuilderInContext(context);
	watch->pointer = LLVMPointerTypeInContext(context, 0);
	watch->word = LLVMInt32TypeInContext(context);
	watch->wide = LLVMInt64TypeInContext(context);
	watch->library = cc_map_new(job->arena);
	watch->files = cc_map_new(job->arena);
	fields[0] = watch->pointer;
	fields[1] = fields[2] = watch->word;
	fields[3] = watch->wide;
	watch->site_type = LLVMStructCreateNamed(context, "smelt.site");
	LLVMStructSetBody(watch->site_type, fields, 4, false);
	access[0] = access[3] = watch->pointer;
	access[1] = watch->wide;
	access[2] = watch->word;
	argument[0] = watch->pointer;
	argument[1] = watch->word;
	watch->argument =
		declare(watch, "smelt_cpu_watch_argument", argument, 2);
	watch->access = declare(watch, "smelt_cpu_watch_access", access, 4);
	watch->fence = declare(watch, "smelt_cpu_watch_fence", &watch->word, 1);
	watch->meet =
		declare(watch, "smelt_cpu_watch_meet", &watch->pointer, 1);
}

void
cpu_watch(struct cc_job *job)
{
	struct watch watch = {0};

	begin(&watch, job);
	inline_library(&watch);
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			watch_function(&watch, f);
	LLVMDisposeBuilder(watch.builder);
	/* Whose code a line is was known by the functions' names. */
	cc_shim_strip_types(job->module);
}
