/*
 * Stage `load`: the bitcode that kernels may be made of.
 *
 * Reads the inputs and, through the wrapper's records, the bitcode of every
 * dependency that has some; each once. Nothing is parsed beyond the producer: a
 * module is opened when a stage wants something of it, so that the size of host
 * code costs little.
 */
#include "cc.h"

#include <llvm-c/Analysis.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What our reader certainly understands: LLVM reads what is not newer. */
static unsigned
llvm_major(void)
{
	unsigned major, minor, patch;

	LLVMGetVersion(&major, &minor, &patch);
	return major;
}

static const char *
reader_version(struct cc *cc)
{
	unsigned major, minor, patch;

	LLVMGetVersion(&major, &minor, &patch);
	return arena_printf(&cc->arena, "%u.%u.%u", major, minor, patch);
}

void
cc_source_check(struct cc *cc, const struct cc_source *source)
{
	char *message = NULL;
	char *producer = cc_shim_producer(source->data, source->size, &message);
	unsigned long major;

	if (!producer && message && strstr(message, "Incompatible epoch"))
		die("%s: made by an LLVM whose bitcode LLVM %s cannot read; "
		    "use a smelt built for it, or an older Rust toolchain",
		    source->path, reader_version(cc));
	if (!producer)
		die("%s: damaged bitcode (%s)", source->path,
		    message ? message : "no reason given");
	if (starts_with(producer, "LLVM")) {
		major = strtoul(producer + 4, NULL, 10);
		if (major > llvm_major())
			die("%s: made by %s, which is newer than the LLVM %s "
			    "of smelt-cc; use a smelt built for it, or an "
			    "older "
			    "Rust toolchain",
			    source->path, producer, reader_version(cc));
	}
	free(producer);
}

struct cc_source *
cc_source_add(struct cc *cc, const char *path, const char *crate,
	      const char *data, size_t size)
{
	struct cc_source *source;

	if ((cc->source_count & (cc->source_count - 1)) == 0) {
		size_t cap = cc->source_count ? 2 * cc->source_count : 1;
		struct cc_source *grown =
			arena_alloc(&cc->arena, cap * sizeof(*grown));

		if (cc->source_count)
			memcpy(grown, cc->sources,
			       cc->source_count * sizeof(*grown));
		cc->sources = grown;
	}
	source = &cc->sources[cc->source_count++];
	memset(source, 0, sizeof(*source));
	source->path = path;
	source->crate = crate;
	source->data = data;
	source->size = size;
	cc_source_check(cc, source);
	return source;
}

static bool
is_mangled(const char *name)
{
	return starts_with(name, "_R") || starts_with(name, "_ZN");
}

static void
promote(LLVMValueRef global)
{
	size_t len;

	if (LLVMGetLinkage(global) != LLVMInternalLinkage ||
	    !is_mangled(LLVMGetValueName2(global, &len)))
		return;
	LLVMSetLinkage(global, LLVMExternalLinkage);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
}

LLVMModuleRef
cc_source_open(struct cc *cc, struct cc_source *source)
{
	char *message = NULL;
	LLVMModuleRef module;

	if (source->open)
		return source->open;
	cc_note_file(source->path);
	module = cc_shim_open(cc->context, source->data, source->size,
			      source->path, &message);

	if (!module)
		die("%s: damaged bitcode (%s)", source->path,
		    message ? message : "no reason given");
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
	     f = LLVMGetNextFunction(f))
		promote(f);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g;
	     g = LLVMGetNextGlobal(g))
		promote(g);
	cc_note_file(NULL);
	source->open = module;
	return module;
}

void
cc_source_link(struct cc *cc, struct cc_source *source)
{
	LLVMModuleRef module = cc_source_open(cc, source);

	source->open = NULL;
	cc_note_file(source->path);
	if (!cc_shim_link_needed(cc->module, module))
		die("%s: damaged, or does not fit the rest of the program",
		    source->path);
	cc_note_file(NULL);
}

void
cc_module_check(struct cc *cc)
{
	char *message = NULL;

	if (!cc->module)
		return;
	if (LLVMVerifyModule(cc->module, LLVMReturnStatusAction, &message))
		die("damaged bitcode: %s", message);
	LLVMDisposeMessage(message);
}

static void
add_file(struct cc *cc, const char *path, const char *crate,
	 struct cc_record *record)
{
	char *data;
	size_t size;

	if (!file_read(&cc->arena, path, &data, &size))
		die("cannot read %s: %s", path, strerror(errno));
	cc_source_add(cc, path, crate, data, size)->record = record;
}

void
cc_load(struct cc *cc)
{
	cc_records_read(cc);
	for (size_t i = 0; i < cc->options.inputs.len; i++)
		add_file(cc, cc->options.inputs.data[i], cc->options.crate,
			 NULL);
	for (size_t i = 0; i < cc->record_count; i++)
		if (cc->records[i].bitcode)
			add_file(cc, cc->records[i].bitcode,
				 cc->records[i].crate, &cc->records[i]);
}
