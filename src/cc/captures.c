/*
 * What a closure captures, checked against design D7.
 *
 * A kernel's function value is copied to the device byte by byte. No trait
 * bound can say "holds no address" (a `&'static [T]` is Copy and 'static), so
 * the type is looked through here, in the debug info of the kernel's entry.
 */
#include "cc.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

/* Depth of nested types that a value can have; debug info deeper than this is
 * damaged. */
#define DEPTH_MAX 64

/* Tags of DWARF. */
#define POINTER 0x0f
#define STRUCTURE 0x13

/* rustc joins the path of a partly captured place with two underscores. */
static const char *
capture_name(struct arena *arena, const char *field)
{
	char *name = arena_dup(arena, field, strlen(field));
	char *from = name, *to = name;

	while (*from) {
		if (from[0] == '_' && from[1] == '_' && from != name) {
			*to++ = '.';
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
	return name;
}

/* The pointer inside a slice or a trait object has no name; what holds it has.
 */
static LLVMMetadataRef
more_telling(LLVMMetadataRef outer, LLVMMetadataRef pointer)
{
	size_t len;

	LLVMDITypeGetName(pointer, &len);
	return len || LLVMGetDINodeTag(outer) != STRUCTURE ? pointer : outer;
}

/* The type of the first address inside the type, with the type it lies in on
 * the way; NULL if it holds none. */
static LLVMMetadataRef
find_pointer(LLVMMetadataRef type, unsigned depth)
{
	LLVMMetadataRef part, found;
	const char *field;

	if (depth == DEPTH_MAX)
		return NULL;
	if (cc_shim_type_is_pointer(type))
		return type;
	if (LLVMGetDINodeTag(type) == POINTER) /* to a function item: empty */
		return NULL;
	for (unsigned i = 0; (part = cc_shim_type_part(type, i, &field)); i++) {
		found = find_pointer(part, depth + 1);
		if (found)
			return more_telling(type, found);
	}
	return NULL;
}

static const char *
type_name(struct arena *arena, LLVMMetadataRef type)
{
	size_t len;
	const char *name = LLVMDITypeGetName(type, &len);

	return len ? arena_dup(arena, name, len) : "pointer";
}

static void
refuse(struct cc *cc, const struct cc_kernel *kernel, const char *field,
       LLVMMetadataRef type)
{
	struct cc_place place = {kernel->file, kernel->line, 0};

	cc_error(cc, place,
		 "kernel `%s` captures `%s`, which holds an address of the "
		 "host (`%s`)",
		 kernel->name, capture_name(&cc->arena, field),
		 type_name(&cc->arena, type));
	cc_error_note("the device cannot read it; pass it as an argument of "
		      "the launch instead, or capture a copy of the value");
}

static void
check_closure(struct cc *cc, const struct cc_kernel *kernel,
	      LLVMMetadataRef type)
{
	LLVMMetadataRef part, found;
	const char *field;

	for (unsigned i = 0; (part = cc_shim_type_part(type, i, &field)); i++) {
		found = find_pointer(part, 0);
		if (found)
			refuse(cc, kernel, field, found);
	}
}

/* Pass 1 always has debug info; an entry without it was not made by rustc, or
 * not by the wrapper. */
static void
report_unknown(struct cc *cc, const struct cc_kernel *kernel,
	       LLVMValueRef entry)
{
	struct cc_place place = {kernel->file, kernel->line, 0};

	if (LLVMGetSubprogram(entry) && strstr(kernel->name, "::"))
		cc_error(cc, place,
			 "kernel `%s`: its debug info does not tell what it "
			 "captures",
			 kernel->name);
	else if (!cc->options.quiet)
		warn("kernel `%s` has no debug info of Rust: what it captures "
		     "is not checked",
		     kernel->name);
}

/* ---- where a kernel without source is launched ---- */

/* The place of an instruction if one of its frames is the user's. */
static bool
user_place(struct cc *cc, LLVMValueRef instruction, struct cc_place *place)
{
	struct cc_frame frames[32];
	size_t count =
		cc_frames_of(cc, instruction, frames, array_count(frames));

	while (count-- > 0)
		if (frames[count].place.file &&
		    !cc_frame_is_glue(&frames[count])) {
			*place = frames[count].place;
			return true;
		}
	return false;
}

/* The nearest of the user's code that passes the function on, through at most
 * `depth` generic functions in between. */
static bool
used_at(struct cc *cc, LLVMValueRef function, unsigned depth,
	struct cc_place *place)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (!LLVMIsAInstruction(user))
			continue;
		if (user_place(cc, user, place))
			return true;
		if (depth && used_at(cc,
				     LLVMGetBasicBlockParent(
					     LLVMGetInstructionParent(user)),
				     depth - 1, place))
			return true;
	}
	return false;
}

/* Host code is read for this, which nothing else needs. */
static struct cc_place
launch_place(struct cc *cc, LLVMValueRef entry)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(entry);
	const char *name = "", *linkage = "";
	struct cc_place place = {0};

	if (!subprogram || !cc_shim_subprogram(subprogram, &name, &linkage))
		return place;
	for (size_t i = 0; i < cc->source_count; i++) {
		LLVMModuleRef module = cc_source_open(cc, &cc->sources[i]);
		LLVMValueRef function = LLVMGetNamedFunction(module, linkage);
		char *message = NULL;

		if (function && cc_shim_materialize_all(module, &message) &&
		    used_at(cc, function, 8, &place))
			break;
		free(message);
	}
	return place;
}

void
cc_captures(struct cc *cc)
{
	for (size_t i = 0; i < cc->kernel_count; i++) {
		const struct cc_kernel *kernel = &cc->kernels[i];
		LLVMValueRef entry =
			LLVMGetNamedFunction(cc->module, kernel->symbol);
		LLVMMetadataRef type = cc_shim_first_generic(entry);

		if (!type) {
			report_unknown(cc, kernel, entry);
			continue;
		}
		if (!cc_shim_type_is_pointer(type)) {
			check_closure(cc, kernel, type);
			continue;
		}
		cc_error(cc, launch_place(cc, entry),
			 "kernel of type `%s`: a function pointer holds an "
			 "address of the host",
			 type_name(&cc->arena, type));
		cc_error_note("launch the function itself or a closure, not a "
			      "variable of pointer type");
	}
}
