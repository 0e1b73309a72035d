/*
 * What a kernel's arguments promise, told to LLVM.
 *
 * Rust knows that a `&[T]` is not written and that a DisjointMut overlaps with
 * no other argument; LLVM sees pointers loaded from a block, about which it may
 * assume nothing. The crate passes each such pointer through an identity call.
 * We keep those calls opaque while the entry is inlined and memory becomes
 * registers, so that they stay the roots of all address computations; then
 * every access whose address comes from one root alone gets a scope, and the
 * calls go.
 *
 * Why not `noalias` on the result of the identity: LLVM would take the memory
 * for fresh and drop the kernel's last stores to it. Why not parameters of an
 * outlined function: the inliner makes its scopes from addresses it can trace
 * at that moment, when slices still lie in allocas.
 */
#include "cc/cc.h"
#include "cc/lower.h"

#include <string.h>

enum { max_roots = 256 };

/* A pointer argument of one kernel. */
struct root {
	LLVMValueRef call;
	bool readonly;
	LLVMValueRef scopes; /* list for !alias.scope */
	LLVMValueRef others; /* list for !noalias, or NULL */
};

struct roots {
	struct cc_job *job;
	struct root list[max_roots];
	size_t count;
	/* Values on the path of a walk, against cycles through phis. */
	LLVMValueRef seen[64];
	size_t seen_count;
};

static const char *const root_names[] = {
	"__smelt_arg_readonly",
	"__smelt_arg_unique",
};

/* Glue between the entry and the user's function: crate smelt itself and the
 * shims of core::ops::Fn, by either mangling. */
static bool
is_glue(const char *name)
{
	return strstr(name, "_5smelt") || strstr(name, "smelt..") ||
	       strstr(name, "4core3ops8function") ||
	       strstr(name, "core..ops..function");
}

/* What of the crate stands between a user's function and memory: views, tokens,
 * positions. Addresses must come out of it before their roots are looked for,
 * however large it is. */
static void
inline_crate(struct cc_job *job)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && is_glue(LLVMGetValueName(f)) &&
		    LLVMGetLinkage(f) == LLVMInternalLinkage &&
		    !lower_has(f, "noinline") && !lower_has(f, "optnone"))
			cc_inline_always(f);
}

/* Marks what the entry calls, and on through the glue, up to and including the
 * user's own function. */
static void
inline_callees(struct cc_job *job, LLVMValueRef function, unsigned depth)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = lower_callee(i);

			if (!callee || LLVMIsDeclaration(callee) ||
			    lower_has(callee, "alwaysinline"))
				continue;
			cc_inline_always(callee);
			if (depth && is_glue(LLVMGetValueName(callee)))
				inline_callees(job, callee, depth - 1);
		}
}

/* What computes nothing that could differ between two calls of a thread, and
 * touches nothing, may move, merge, vanish. */
static void
declare_pure(struct cc_job *job, const char *name)
{
	static const char *const promises[] = {
		"nounwind", "willreturn", "speculatable",
		"nosync",   "nofree",	  "nocallback",
	};
	LLVMValueRef function = LLVMGetNamedFunction(job->module, name);

	if (!function)
		return;
	lower_add(job, function, "memory", 0);
	for (size_t i = 0; i < array_count(promises); i++)
		lower_add(job, function, promises[i], 0);
	lower_drop_convergent(function);
}

/* References are never null, not even those to nothing. */
static void
declare_identity(struct cc_job *job, const char *name)
{
	LLVMValueRef function = LLVMGetNamedFunction(job->module, name);

	declare_pure(job, name);
	if (function)
		LLVMAddAttributeAtIndex(
			function, LLVMAttributeReturnIndex,
			LLVMCreateEnumAttribute(
				job->context,
				LLVMGetEnumAttributeKindForName("nonnull", 7),
				0));
}

static void
declare_positions(struct cc_job *job)
{
	static const char *const kinds[] = {"thread_idx", "block_idx",
					    "block_dim", "grid_dim"};

	for (size_t i = 0; i < array_count(kinds); i++)
		for (unsigned d = 0; d < 3; d++)
			declare_pure(job,
				     arena_printf(job->arena, "__smelt_%s_%c",
						  kinds[i], "xyz"[d]));
	declare_pure(job, "__smelt_lane_id");
	declare_pure(job, "__smelt_warp_size");
}

static const char extent_name[] = "__smelt_arg_extent";

static bool
is_phi_or_select(LLVMValueRef value)
{
	return LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

static struct root *
root_of_call(struct roots *roots, LLVMValueRef value)
{
	for (size_t i = 0; i < roots->count; i++)
		if (roots->list[i].call == value)
			return &roots->list[i];
	return NULL;
}

static bool
root_walk(struct roots *roots, LLVMValueRef value, struct root **found);

/* All operands but the first `from` lead to one root. */
static bool
root_of_operands(struct roots *roots, LLVMValueRef value, unsigned from,
		 struct root **found)
{
	unsigned count = LLVMIsAPHINode(value) ? LLVMCountIncoming(value) : 3;

	for (size_t i = 0; i < roots->seen_count; i++)
		if (roots->seen[i] == value)
			return true;
	if (roots->seen_count == array_count(roots->seen))
		return false;
	roots->seen[roots->seen_count++] = value;
	for (unsigned i = from; i < count; i++) {
		LLVMValueRef in = LLVMIsAPHINode(value)
					  ? LLVMGetIncomingValue(value, i)
					  : LLVMGetOperand(value, i);

		if (!root_walk(roots, in, found))
			return false;
	}
	return true;
}

/* false as soon as the address may have a base other than one root. *found is
 * the root met so far. */
static bool
root_walk(struct roots *roots, LLVMValueRef value, struct root **found)
{
	struct root *root;

	while (LLVMIsAGetElementPtrInst(value) || LLVMIsABitCastInst(value) ||
	       LLVMIsAAddrSpaceCastInst(value) || LLVMIsAFreezeInst(value))
		value = LLVMGetOperand(value, 0);
	if (is_phi_or_select(value))
		return root_of_operands(roots, value,
					LLVMIsAPHINode(value) ? 0 : 1, found);
	root = root_of_call(roots, value);
	if (!root || (*found && *found != root))
		return false;
	*found = root;
	return true;
}

static struct root *
root_of(struct roots *roots, LLVMValueRef address)
{
	struct root *found = NULL;

	roots->seen_count = 0;
	return root_walk(roots, address, &found) ? found : NULL;
}

static void
find_roots(struct roots *roots, LLVMValueRef kernel)
{
	for (size_t n = 0; n < array_count(root_names); n++) {
		LLVMValueRef f =
			LLVMGetNamedFunction(roots->job->module, root_names[n]);
		LLVMUseRef use;

		for (use = f ? LLVMGetFirstUse(f) : NULL; use;
		     use = LLVMGetNextUse(use)) {
			LLVMValueRef call = LLVMGetUser(use);

			if (roots->count == max_roots || !LLVMIsACallInst(call))
				continue;
			if (lower_function_of(call) != kernel)
				continue;
			roots->list[roots->count++] = (struct root){
				.call = call,
				.readonly = n == 0,
			};
		}
	}
}

static LLVMMetadataRef
named_scope(struct cc_job *job, LLVMMetadataRef domain, const char *name)
{
	LLVMMetadataRef parts[2] = {
		LLVMMDStringInContext2(job->context, name, strlen(name)),
		domain,
	};

	return LLVMMDNodeInContext2(job->context, parts, domain ? 2 : 1);
}

static LLVMValueRef
scope_list(struct cc_job *job, LLVMMetadataRef *scopes, size_t count)
{
	return LLVMMetadataAsValue(
		job->context,
		LLVMMDNodeInContext2(job->context, scopes, count));
}

/* One scope for all readonly memory (readers cannot disturb one another), one
 * for each unique pointer. Their names say kernel and number, so that two
 * kernels inlined into one function would stay apart. */
static void
name_scopes(struct roots *roots, const char *kernel)
{
	struct cc_job *job = roots->job;
	LLVMMetadataRef own[max_roots], others[max_roots], domain, reading;

	domain = named_scope(job, NULL,
			     arena_printf(job->arena, "smelt.%s", kernel));
	reading = named_scope(
		job, domain, arena_printf(job->arena, "smelt.%s.read", kernel));
	for (size_t i = 0; i < roots->count; i++)
		own[i] = roots->list[i].readonly
				 ? reading
				 : named_scope(job, domain,
					       arena_printf(job->arena,
							    "smelt.%s.%zu",
							    kernel, i));
	for (size_t i = 0; i < roots->count; i++) {
		size_t count = 0;
		bool reading_listed = own[i] == reading;

		for (size_t k = 0; k < roots->count; k++) {
			if (k == i || (own[k] == reading && reading_listed))
				continue;
			reading_listed |= own[k] == reading;
			others[count++] = own[k];
		}
		roots->list[i].scopes = scope_list(job, &own[i], 1);
		if (count)
			roots->list[i].others = scope_list(job, others, count);
	}
}

/* The instruction's list under this kind, with ours behind it: the inliner may
 * have left scopes of `noalias` parameters there. */
static void
append_scopes(struct cc_job *job, LLVMValueRef instruction, const char *kind,
	      LLVMValueRef added)
{
	unsigned id = LLVMGetMDKindIDInContext(job->context, kind,
					       (unsigned)strlen(kind));
	LLVMValueRef old = LLVMGetMetadata(instruction, id);
	LLVMValueRef *values;
	LLVMMetadataRef *nodes;
	unsigned first = old ? LLVMGetMDNodeNumOperands(old) : 0;
	unsigned count = first + LLVMGetMDNodeNumOperands(added);

	if (!old) {
		LLVMSetMetadata(instruction, id, added);
		return;
	}
	values = arena_alloc(job->arena, count * sizeof(*values));
	nodes = arena_alloc(job->arena, count * sizeof(*nodes));
	LLVMGetMDNodeOperands(old, values);
	LLVMGetMDNodeOperands(added, values + first);
	for (unsigned i = 0; i < count; i++)
		nodes[i] = LLVMValueAsMetadata(values[i]);
	LLVMSetMetadata(instruction, id, scope_list(job, nodes, count));
}

static void
mark_access(struct roots *roots, LLVMValueRef access, LLVMValueRef address)
{
	struct cc_job *job = roots->job;
	struct root *root = root_of(roots, address);

	if (!root)
		return;
	append_scopes(job, access, "alias.scope", root->scopes);
	if (root->others)
		append_scopes(job, access, "noalias", root->others);
	if (root->readonly && LLVMIsALoadInst(access) &&
	    !LLVMGetVolatile(access) &&
	    LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic)
		LLVMSetMetadata(access,
				LLVMGetMDKindIDInContext(job->context,
							 "invariant.load", 14),
				scope_list(job, NULL, 0));
}

static void
mark_accesses(struct roots *roots, LLVMValueRef kernel)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) ||
			    LLVMIsAAtomicCmpXchgInst(i))
				mark_access(roots, i, LLVMGetOperand(i, 0));
			else if (LLVMIsAStoreInst(i))
				mark_access(roots, i, LLVMGetOperand(i, 1));
			else if (LLVMIsAMemSetInst(i))
				mark_access(roots, i, LLVMGetOperand(i, 0));
		}
}

/* A pointer argument is device memory, address space 1 on either GPU. Loaded as
 * such where it comes from the block as a plain load, so that no pass can fold
 * the knowledge away again. */
static LLVMValueRef
global_pointer(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef pointer)
{
	LLVMTypeRef global = LLVMPointerTypeInContext(job->context, 1);
	LLVMTypeRef generic = LLVMPointerTypeInContext(job->context, 0);
	LLVMValueRef load;

	if (LLVMIsAAddrSpaceCastInst(pointer) &&
	    LLVMTypeOf(LLVMGetOperand(pointer, 0)) == global)
		return pointer;
	if (LLVMIsALoadInst(pointer) && !LLVMGetVolatile(pointer)) {
		LLVMPositionBuilderBefore(builder,
					  LLVMGetNextInstruction(pointer));
		load = LLVMBuildLoad2(builder, global,
				      LLVMGetOperand(pointer, 0), "global");
		LLVMSetAlignment(load, LLVMGetAlignment(pointer));
	} else {
		load = LLVMBuildAddrSpaceCast(builder, pointer, global,
					      "global");
	}
	return LLVMBuildAddrSpaceCast(builder, load, generic, "");
}

static LLVMValueRef
drop_identity(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMValueRef pointer = LLVMGetOperand(call, 0);

	if (job->target->kind == SMELT_TARGET_CPU)
		return pointer;
	return global_pointer(job, builder, pointer);
}

/*
 * Requires: kernels are functions of one pointer to their block. Keeps: what
 * they compute. Takes away: the identity calls.
 */
void
cc_arguments(struct cc_job *job)
{
	struct cc *cc = job->cc;

	for (size_t k = 0; k < cc->kernel_count; k++)
		inline_callees(job, cc_kernel_function(job, &cc->kernels[k]),
			       8);
	inline_crate(job);
	for (size_t n = 0; n < array_count(root_names); n++)
		declare_identity(job, root_names[n]);
	declare_identity(job, extent_name);
	declare_positions(job);
	lower_plain_passes(job,
			   "always-inline,globaldce,function(sroa,early-cse),"
			   "cgscc(inline,function(sroa,early-cse<memssa>,"
			   "jump-threading,instsimplify,"
			   "correlated-propagation,simplifycfg,"
			   "instcombine<no-verify-fixpoint>,simplifycfg)),"
			   /* What instcombine has brought together: the ends
			    * of zipped iterators. No later pass threads them
			    * on a GPU, where branches may diverge. */
			   "function(jump-threading,instsimplify,"
			   "correlated-propagation,simplifycfg,"
			   "instcombine<no-verify-fixpoint>,simplifycfg,"
			   /* Copies of copies of the block's tables. */
			   "memcpyopt),globaldce");
	for (size_t k = 0; k < cc->kernel_count; k++) {
		struct roots roots = {.job = job};
		LLVMValueRef f = cc_kernel_function(job, &cc->kernels[k]);

		cc_read_in_block(job, f);
		find_roots(&roots, f);
		name_scopes(&roots, cc->kernels[k].symbol);
		mark_accesses(&roots, f);
	}
	if (job->target->kind == SMELT_TARGET_AMDGPU)
		lower_note_extents(job, extent_name);
	cc_replace_calls(job, extent_name, drop_identity);
	for (size_t n = 0; n < array_count(root_names); n++)
		cc_replace_calls(job, root_names[n], drop_identity);
}
