/*
 * Stage `find`: the kernels.
 *
 * An entry is a function whose name has "__smelt_entry" in it and that calls
 * __smelt_kernel_id. The name is only where to look (a module of thousands of
 * functions is read lazily); the id is what counts. Requires the
 * sources; leaves a module with one external function per kernel, named by its
 * symbol, and everything of the same source that it reaches. Nothing else of
 * the source is read, so host code costs nothing.
 */
#include "cc.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY "__smelt_entry"
#define KERNEL_ID "__smelt_kernel_id"
#define BLOCK_LAYOUT "__smelt_block_layout"

/* An entry and where it comes from. */
struct entry {
	LLVMValueRef function;
	size_t source;
	uint64_t id[2];
	uint64_t size;
	uint64_t align;
	const char *name;   /* of the function type F */
	const char *symbol; /* in the module, until it is a kernel */
};

struct finder {
	struct cc *cc;
	struct entry *entries;
	size_t count;
	size_t cap;
};

/* ---- names ---- */

/* The end of the first generic argument: a comma or a > that no bracket holds.
 */
static const char *
argument_end(const char *text)
{
	int depth = 0;

	for (; *text; text++) {
		if (text[0] == '-' && text[1] == '>')
			text++;
		else if (strchr("<([{", *text))
			depth++;
		else if (depth == 0 && (*text == ',' || *text == '>'))
			break;
		else if (strchr(">)]}", *text))
			depth--;
	}
	return text;
}

/* smelt::__smelt_entry::<app::saxpy, (..)> to app::saxpy. */
static const char *
kernel_name(struct arena *arena, const char *symbol)
{
	const char *name = cc_demangle(arena, symbol);
	const char *at = strstr(name, ENTRY);

	at = at ? at + strlen(ENTRY) : name;
	if (starts_with(at, "::<"))
		return arena_dup(arena, at + 3,
				 (size_t)(argument_end(at + 3) - (at + 3)));
	while (*at == '_' || *at == '.')
		at++;
	return *at ? at : name;
}

/* The last part of a path, and a closure's with the function it lies in. */
static const char *
name_tail(const char *name)
{
	const char *end = name + strcspn(name, "<("), *tail = name,
		   *last = name;

	for (const char *p = name; p + 1 < end; p++)
		if (p[0] == ':' && p[1] == ':') {
			if (p[2] != '{')
				last = p + 2;
			else
				tail = last;
			if (p[2] != '{')
				tail = p + 2;
			p++;
		}
	return tail;
}

static const char *
make_symbol(struct arena *arena, const char *name, const uint64_t id[2])
{
	struct buf out = {0};

	for (const char *p = name_tail(name); *p && out.len < 48; p++) {
		if (isalnum((unsigned char)*p))
			buf_add(arena, &out, p, 1);
		else if (out.len && out.data[out.len - 1] != '_')
			buf_puts(arena, &out, "_");
	}
	if (!out.len || isdigit((unsigned char)out.data[0]))
		return arena_printf(arena, "k%s_%016llx",
				    out.len ? out.data : "",
				    (unsigned long long)(id[0] ^ id[1]));
	if (out.data[out.len - 1] == '_')
		out.data[--out.len] = 0;
	return arena_printf(arena, "%s_%016llx", out.data,
			    (unsigned long long)(id[0] ^ id[1]));
}

/* ---- reading an entry ---- */

/* The first call of a function with this name in the entry. */
static LLVMValueRef
find_call(LLVMValueRef function, const char *name)
{
	LLVMBasicBlockRef block;
	LLVMValueRef i, callee;
	size_t len;

	for (block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (i = LLVMGetFirstInstruction(block); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i))
				continue;
			callee = LLVMGetCalledValue(i);
			if (!strcmp(LLVMGetValueName2(callee, &len), name))
				return i;
		}
	return NULL;
}

/* Has everything inlined that the entry calls before it has told its layout:
 * without optimisation TypeId::of and size_of are functions. Those of a call's
 * own callees are small and end soon; depth bounds what damaged input can do.
 */
static void
inline_callees(LLVMValueRef function, LLVMValueRef end, int depth)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee;

			if (i == end)
				return;
			if (!LLVMIsACallInst(i))
				continue;
			callee = LLVMGetCalledValue(i);
			if (!LLVMIsAFunction(callee) ||
			    LLVMIsDeclaration(callee) || depth == 8)
				continue;
			cc_inline_always(callee);
			inline_callees(callee, NULL, depth + 1);
		}
}

static bool
read_id(LLVMModuleRef module, LLVMValueRef value, uint64_t id[2])
{
	LLVMValueRef base;
	uint64_t offset;

	if (LLVMIsAConstantInt(value))
		return cc_constant_bytes(module, value, 0, id, 16);
	if (!LLVMIsALoadInst(value))
		return false;
	base = cc_constant_base(module, LLVMGetOperand(value, 0), &offset);
	return base && LLVMIsAGlobalVariable(base) &&
	       cc_constant_bytes(module, base, offset, id, 16);
}

static const char *
path_of(struct finder *finder, const struct entry *entry)
{
	return finder->cc->sources[entry->source].path;
}

static bool
read_constants(LLVMModuleRef module, struct entry *entry)
{
	LLVMValueRef call = find_call(entry->function, KERNEL_ID);
	LLVMValueRef layout = find_call(entry->function, BLOCK_LAYOUT);

	if (!call || !layout ||
	    !read_id(module, LLVMGetOperand(call, 0), entry->id) ||
	    !LLVMIsAConstantInt(LLVMGetOperand(layout, 0)) ||
	    !LLVMIsAConstantInt(LLVMGetOperand(layout, 1)))
		return false;
	entry->size = LLVMConstIntGetZExtValue(LLVMGetOperand(layout, 0));
	entry->align = LLVMConstIntGetZExtValue(LLVMGetOperand(layout, 1));
	return true;
}

static void
check_layout(struct finder *finder, const struct entry *entry)
{
	if (!entry->align || (entry->align & (entry->align - 1)) ||
	    entry->size % entry->align ||
	    entry->size < sizeof(struct smelt_block_header) ||
	    entry->size > UINT32_MAX)
		die("%s: kernel `%s`: impossible layout of its arguments",
		    path_of(finder, entry), entry->name);
}

/* Reads ids and layouts of all entries; what turns out not to be one is left
 * out. */
static void
read_entries(struct finder *finder)
{
	LLVMModuleRef module = finder->cc->module;
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < finder->count; i++) {
		struct entry *entry = &finder->entries[i];

		entry->function = LLVMGetNamedFunction(module, entry->symbol);
		if (!find_call(entry->function, KERNEL_ID))
			continue;
		finder->entries[kept] = *entry;
		if (!read_constants(module, &finder->entries[kept++])) {
			any = true;
			inline_callees(entry->function,
				       find_call(entry->function, BLOCK_LAYOUT),
				       0);
		}
	}
	finder->count = kept;
	if (any)
		cc_run_passes(module, NULL, "always-inline");
	for (size_t i = 0; i < finder->count; i++) {
		struct entry *entry = &finder->entries[i];

		cc_note_stage("find", NULL, entry->name);
		if (!read_constants(module, entry)) {
			cc_run_passes_on(
				entry->function,
				"sroa,instcombine<no-verify-fixpoint>");
			if (!read_constants(module, entry))
				die("%s: kernel `%s`: its id or the layout of "
				    "its arguments is no constant; the crate "
				    "`smelt` and this smelt-cc do not fit "
				    "together",
				    path_of(finder, entry), entry->name);
		}
		check_layout(finder, entry);
	}
}

/* ---- taking entries over from their sources ---- */

static struct entry *
add_entry(struct finder *finder)
{
	if (finder->count == finder->cap) {
		size_t cap = finder->cap ? 2 * finder->cap : 16;
		struct entry *grown =
			arena_alloc(&finder->cc->arena, cap * sizeof(*grown));

		if (finder->count)
			memcpy(grown, finder->entries,
			       finder->count * sizeof(*grown));
		finder->entries = grown;
		finder->cap = cap;
	}
	return &finder->entries[finder->count++];
}

static void
start_module(struct cc *cc, LLVMModuleRef like)
{
	if (cc->module)
		return;
	cc->module = LLVMModuleCreateWithNameInContext("smelt", cc->context);
	LLVMSetTarget(cc->module, LLVMGetTarget(like));
	LLVMSetDataLayout(cc->module, LLVMGetDataLayoutStr(like));
}

/* Declares the function under a name of its own, for the linker to find. */
static void
want_entry(struct finder *finder, size_t source, LLVMValueRef function)
{
	struct cc *cc = finder->cc;
	struct entry *entry = add_entry(finder);
	size_t len;

	entry->source = source;
	entry->name =
		kernel_name(&cc->arena, LLVMGetValueName2(function, &len));
	entry->symbol =
		arena_printf(&cc->arena, ENTRY ".%zu", finder->count - 1);
	LLVMSetLinkage(function, LLVMExternalLinkage);
	LLVMSetVisibility(function, LLVMDefaultVisibility);
	LLVMSetValueName2(function, entry->symbol, strlen(entry->symbol));
	LLVMAddFunction(cc->module, entry->symbol,
			LLVMGlobalGetValueType(function));
}

static void
scan_source(struct finder *finder, size_t index)
{
	struct cc_source *source = &finder->cc->sources[index];
	LLVMModuleRef module = cc_source_open(finder->cc, source);
	size_t before = finder->count, len;

	if (!LLVMGetNamedFunction(module, KERNEL_ID))
		return;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
	     f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) ||
		    !strstr(LLVMGetValueName2(f, &len), ENTRY))
			continue;
		start_module(finder->cc, module);
		want_entry(finder, index, f);
	}
	if (finder->count > before)
		cc_source_link(finder->cc, source);
}

/* ---- choosing one entry per kernel ---- */

static int
compare_ids(const struct entry *a, const struct entry *b)
{
	for (int i = 1; i >= 0; i--)
		if (a->id[i] != b->id[i])
			return a->id[i] < b->id[i] ? -1 : 1;
	return 0;
}

/* By id, and among equals by the order in which they were found. */
static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_ids(x, y);

	if (order)
		return order;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void
check_same(struct finder *finder, const struct entry *a, const struct entry *b)
{
	struct cc_place nowhere = {0};

	if (strcmp(a->name, b->name)) {
		cc_error(
			finder->cc, nowhere,
			"kernels `%s` and `%s` have the same id %016llx%016llx",
			a->name, b->name, (unsigned long long)a->id[1],
			(unsigned long long)a->id[0]);
		cc_error_note("one is in %s, the other in %s",
			      path_of(finder, a), path_of(finder, b));
	} else if (a->size != b->size || a->align != b->align) {
		cc_error(finder->cc, nowhere,
			 "kernel `%s` is launched with two layouts of its "
			 "arguments (%llu bytes aligned to %llu, and %llu to "
			 "%llu)",
			 a->name, (unsigned long long)a->size,
			 (unsigned long long)a->align,
			 (unsigned long long)b->size,
			 (unsigned long long)b->align);
		cc_error_note("one launch is in %s, the other in %s",
			      path_of(finder, a), path_of(finder, b));
	}
}

static void
choose(struct finder *finder)
{
	struct cc *cc = finder->cc;

	if (finder->count)
		qsort(finder->entries, finder->count, sizeof(struct entry),
		      compare_entries);
	cc->kernels = arena_alloc(&cc->arena,
				  (finder->count + 1) * sizeof(*cc->kernels));
	for (size_t i = 0, first = 0; i < finder->count; i++) {
		struct entry *entry = &finder->entries[i];
		struct cc_kernel *kernel;

		if (i && !compare_ids(&finder->entries[first], entry)) {
			check_same(finder, &finder->entries[first], entry);
			continue;
		}
		first = i;
		kernel = &cc->kernels[cc->kernel_count++];
		memcpy(kernel->id, entry->id, sizeof(kernel->id));
		kernel->symbol =
			make_symbol(&cc->arena, entry->name, entry->id);
		LLVMSetValueName2(entry->function, kernel->symbol,
				  strlen(kernel->symbol));
		kernel->name = entry->name;
		kernel->file = "";
		kernel->block_size = entry->size;
		kernel->block_align = (unsigned)entry->align;
		kernel->cpu_symbol =
			arena_printf(&cc->arena, "%s_cpu", kernel->symbol);
	}
}

/* ---- where a kernel stands in the source ---- */

const char *
cc_path_root(const char *path)
{
	static const char *const qualifiers[] = {"mut ", "const ", "dyn "};
	const char *before;

	do {
		before = path;
		path += strspn(path, "<&[(*");
		for (size_t i = 0; i < array_count(qualifiers); i++)
			if (starts_with(path, qualifiers[i]))
				path += strlen(qualifiers[i]);
	} while (path != before);
	return path;
}

bool
cc_is_glue(const char *path)
{
	static const char *const crates[] = {
		"smelt::", "core::", "alloc::", "std::"};
	const char *root = cc_path_root(path), *as = strstr(path, " as ");

	for (size_t i = 0; i < array_count(crates); i++)
		if (starts_with(root, crates[i]) ||
		    (as && starts_with(as + 4, crates[i])))
			return true;
	return false;
}

/* A type's generic arguments follow it at once, a function's behind "::". */
bool
cc_same_path(const char *a, const char *b)
{
	for (;; a++, b++) {
		if (starts_with(a, "::<"))
			a += 2;
		if (starts_with(b, "::<"))
			b += 2;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

struct locator {
	struct cc *cc;
	struct cc_kernel *kernel;
	LLVMMetadataRef found; /* subprogram of the kernel function */
	LLVMMetadataRef other; /* the first that is not glue */
	LLVMValueRef visited[64];
	size_t visited_count;
};

static void
consider(struct locator *locator, LLVMMetadataRef scope)
{
	const char *name, *linkage;
	LLVMMetadataRef function =
		scope ? cc_shim_subprogram(scope, &name, &linkage) : NULL;
	struct cc_frame frame;

	if (!function || locator->found)
		return;
	frame = cc_frame_at(locator->cc, function);
	if (cc_same_path(frame.path, locator->kernel->name))
		locator->found = function;
	else if (!locator->other && !strstr(frame.path, ENTRY) &&
		 !cc_frame_is_glue(&frame))
		locator->other = function;
}

static void
locate_in(struct locator *locator, LLVMValueRef function);

static void
follow_call(struct locator *locator, LLVMValueRef instruction)
{
	LLVMValueRef callee;

	if (!LLVMIsACallInst(instruction))
		return;
	callee = LLVMGetCalledValue(instruction);
	if (LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee))
		locate_in(locator, callee);
}

/* The instruction's place and those it was inlined at. */
static void
consider_instruction(struct locator *locator, LLVMValueRef instruction)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);

	for (; at; at = LLVMDILocationGetInlinedAt(at))
		consider(locator, LLVMDILocationGetScope(at));
}

static void
locate_in(struct locator *locator, LLVMValueRef function)
{
	for (size_t i = 0; i < locator->visited_count; i++)
		if (locator->visited[i] == function)
			return;
	if (locator->visited_count == array_count(locator->visited))
		return;
	locator->visited[locator->visited_count++] = function;
	consider(locator, LLVMGetSubprogram(function));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function);
	     b && !locator->found; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b);
		     i && !locator->found; i = LLVMGetNextInstruction(i)) {
			consider_instruction(locator, i);
			follow_call(locator, i);
		}
}

void
cc_kernels_locate(struct cc *cc)
{
	for (size_t i = 0; i < cc->kernel_count; i++) {
		struct locator locator = {.cc = cc, .kernel = &cc->kernels[i]};
		LLVMMetadataRef at;
		const char *file;

		if (*cc->kernels[i].file)
			continue;
		locate_in(&locator, LLVMGetNamedFunction(
					    cc->module, cc->kernels[i].symbol));
		at = locator.found ? locator.found : locator.other;
		file = cc_file_of(cc, at);
		if (!file)
			continue;
		cc->kernels[i].file = file;
		cc->kernels[i].line = LLVMDISubprogramGetLine(at);
	}
}

void
cc_find(struct cc *cc)
{
	struct finder finder = {.cc = cc};

	for (size_t i = 0; i < cc->source_count; i++)
		scan_source(&finder, i);
	if (!cc->module)
		return;
	cc_module_check(cc);
	read_entries(&finder);
	choose(&finder);
	cc_error_check(cc);
	cc_note_stage("find", NULL, NULL);
	cc_drop_calls(cc, KERNEL_ID);
	cc_drop_calls(cc, BLOCK_LAYOUT);
	cc_kernels_locate(cc);
	cc_captures(cc);
	cc_drop_unreachable(cc);
}
