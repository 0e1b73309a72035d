/*
 * OCML, ROCm's device mathematics. It asks about the GPU and the mode through
 * variables that ROCm defines in a file for each; an older ROCm has no file for
 * a newer GPU, so we define them ourselves.
 */
#define _GNU_SOURCE
#include "cc/amdgpu.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static char *
folder_with_ocml(struct arena *arena, const char *pattern)
{
	glob_t found = {0};
	char *folder = NULL;

	if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc)
		folder = path_dir(arena,
				  arena_printf(arena, "%s", found.gl_pathv[0]));
	globfree(&found);
	return folder;
}

const char *
amdgpu_ocml_folder(struct arena *arena)
{
	static const char *const usual[] = {
		"/opt/rocm/amdgcn/bitcode/ocml.bc",
		"/usr/lib/*/amdgcn/bitcode/ocml.bc",
		"/usr/lib/amdgcn/bitcode/ocml.bc",
	};
	const char *off = getenv("SMELT_NO_OCML");
	const char *rocm = getenv("ROCM_PATH");
	char *folder;

	if (off && strcmp(off, "1") == 0)
		return NULL;
	if (rocm && *rocm) {
		folder = folder_with_ocml(
			arena,
			arena_printf(arena, "%s/amdgcn/bitcode/ocml.bc", rocm));
		if (folder)
			return folder;
	}
	for (size_t i = 0; i < array_count(usual); i++) {
		folder = folder_with_ocml(arena, usual[i]);
		if (folder)
			return folder;
	}
	return NULL;
}

/* gfx90a is 9010 in OCML's terms: major, minor in hundreds, stepping. */
static unsigned
isa_version(const char *arch)
{
	size_t len = strlen(arch);
	unsigned minor = (unsigned)(arch[len - 2] - '0');
	unsigned step = (unsigned)strtoul(arch + len - 1, NULL, 16);
	char *major = strndup(arch + 3, len - 5);
	unsigned version =
		(unsigned)strtoul(major, NULL, 10) * 1000 + minor * 100 + step;

	free(major);
	return version;
}

static void
define_switch(struct cc_job *job, const char *name, unsigned value)
{
	LLVMValueRef global = LLVMGetNamedGlobal(job->module, name);

	if (!global || !LLVMIsDeclaration(global))
		return;
	LLVMSetInitializer(global, LLVMConstInt(LLVMGlobalGetValueType(global),
						value, false));
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetVisibility(global, LLVMDefaultVisibility);
}

void
amdgpu_link_ocml(struct cc_job *job, const char *folder, bool wave64)
{
	lower_link(job, arena_printf(job->arena, "%s/ocml.bc", folder));
	define_switch(job, "__oclc_finite_only_opt", 0);
	define_switch(job, "__oclc_unsafe_math_opt", 0);
	define_switch(job, "__oclc_daz_opt", 0);
	define_switch(job, "__oclc_correctly_rounded_sqrt32", 1);
	define_switch(job, "__oclc_wavefrontsize64", wave64);
	define_switch(job, "__oclc_ISA_version", isa_version(job->arch));
	define_switch(job, "__oclc_ABI_version", 500);
}
