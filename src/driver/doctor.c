/*
 * `cargo smelt doctor`: every tool and library there is to have, with its
 * version and place, and how to get what is missing. Status 0 when programs
 * with kernels can be built, whatever optional part is absent.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum need { REQUIRED, OPTIONAL };

static void
print_found(const char *what, const char *version, const char *place)
{
	printf("  found    %-18s %-44s %s\n", what, version, place);
}

static bool
print_missing(enum need need, const char *what, const char *effect,
	      const char *get)
{
	printf("  %-8s %-18s %s\n%30s%s\n",
	       need == REQUIRED ? "MISSING" : "absent", what, effect,
	       "get it: ", get);
	return need != REQUIRED;
}

/* A program: path, and the line of its output that names the version. */
static bool
check_program(struct arena *arena, enum need need, const char *what,
	      const char *path, const char *option, const char *mark,
	      const char *effect, const char *get)
{
	const char *argv[] = {path, option, NULL};
	struct buf out = {0};
	const char *line;

	if (!path)
		return print_missing(need, what, effect, get);
	if (process_capture(arena, argv, &out) != 0 || !out.data)
		return print_missing(
			need, what,
			arena_printf(
				arena, "%s does not run: %.*s", path,
				(int)strcspn(out.data ? out.data : "", "\r\n"),
				out.data ? out.data : ""),
			get);
	line = mark ? strstr(out.data, mark) : out.data;
	if (!line)
		line = out.data;
	print_found(what, arena_dup(arena, line, strcspn(line, "\r\n")), path);
	return true;
}

static char *
first_match(struct arena *arena, const char *const *patterns, size_t count)
{
	char *found = NULL;
	glob_t matches;

	for (size_t i = 0; !found && i < count; i++) {
		if (!patterns[i] || glob(patterns[i], 0, NULL, &matches))
			continue;
		found = arena_dup(arena, matches.gl_pathv[0],
				  strlen(matches.gl_pathv[0]));
		globfree(&matches);
	}
	return found;
}

static bool
check_file(enum need need, const char *what, const char *path,
	   const char *effect, const char *get)
{
	if (!path)
		return print_missing(need, what, effect, get);
	print_found(what, "", path);
	return true;
}

/* A library that programs open at run time. */
static void
check_library(struct arena *arena, const char *what, const char *const *names,
	      size_t count, const char *effect, const char *get)
{
	char place[PATH_MAX] = "";
	void *library = NULL;

	(void)arena;
	for (size_t i = 0; !library && i < count; i++)
		library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
	if (!library) {
		print_missing(OPTIONAL, what, effect, get);
		return;
	}
	if (dlinfo(library, RTLD_DI_ORIGIN, place))
		place[0] = 0;
	print_found(what, "", place);
	dlclose(library);
}

static bool
check_build(struct arena *arena)
{
	char *cargo =
		getenv("CARGO") ? path_find(arena, getenv("CARGO")) : NULL;
	char *devmath = tool_devmath(arena);
	bool ok = true;

	if (!cargo)
		cargo = path_find(arena, "cargo");
	printf("To build:\n");
	ok &= check_program(arena, REQUIRED, "cargo", cargo, "--version", NULL,
			    "nothing can be built",
			    "rustup, or Debian's `cargo-web`");
	ok &= check_program(arena, REQUIRED, "rustc", path_find(arena, "rustc"),
			    "--version", NULL, "nothing can be built",
			    "rustup, or Debian's `rustc-web`");
	ok &= check_program(arena, REQUIRED, "smelt-cc", tool_smelt_cc(arena),
			    "--version", NULL, "kernels cannot be compiled",
			    "`make install` in Smelt's source tree; it needs "
			    "Debian's `libllvm22`");
	ok &= check_program(arena, REQUIRED, "cc", path_find(arena, "cc"),
			    "--version", NULL, "nothing can be linked",
			    "Debian's `gcc` or `clang`");
	ok &= check_file(REQUIRED, "crate smelt", tool_crate(arena),
			 "new projects have nothing to depend on",
			 "`make install` in Smelt's source tree");
	ok &= check_file(REQUIRED, "devmath.bc", devmath,
			 "no math on devices without vendor libraries",
			 "`make` in Smelt's source tree");
	return ok;
}

static bool
check_amd(struct arena *arena)
{
	static const char *const ocml[] = {
		"/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc",
		"/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode/ocml.bc",
		"/usr/lib/llvm-*/lib/clang/*/lib/amdgcn/bitcode/ocml.bc",
		"/opt/rocm*/amdgcn/bitcode/ocml.bc",
	};
	static const char *const hsa[] = {"libhsa-runtime64.so.1",
					  "libhsa-runtime64.so"};
	bool ok;

	printf("\nAMD GPUs:\n");
	ok = check_program(arena, REQUIRED, "ld.lld",
			   tool_llvm(arena, "ld.lld"), "--version", NULL,
			   "the default targets gfx* cannot be linked",
			   "Debian's `lld-22`, or --targets without gfx*");
	check_file(OPTIONAL, "OCML bitcode",
		   first_match(arena, ocml, array_count(ocml)),
		   "math comes from Smelt's own device library",
		   "Debian's `rocm-device-libs`");
	check_library(arena, "ROCm (HSA)", hsa, array_count(hsa),
		      "kernels do not run on AMD GPUs here",
		      "Debian's `libhsa-runtime64-1`, or ROCm");
	return ok;
}

static void
check_nvidia(struct arena *arena)
{
	static const char *const cuda[] = {"libcuda.so.1"};
	char *ptxas = tool_cuda(arena, "ptxas");
	char *home = ptxas ? path_dir(arena, path_dir(arena, ptxas)) : NULL;
	const char *const libdevice[] = {
		home ? arena_printf(arena, "%s/nvvm/libdevice/libdevice.*.bc",
				    home)
		     : NULL,
		"/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.*.bc",
	};

	printf("\nNVIDIA GPUs:\n");
	check_program(arena, OPTIONAL, "ptxas", ptxas, "--version", "release",
		      "PTX only: the driver compiles it at first launch",
		      "NVIDIA's CUDA toolkit");
	check_file(OPTIONAL, "libdevice",
		   first_match(arena, libdevice, array_count(libdevice)),
		   "math comes from Smelt's own device library",
		   "NVIDIA's CUDA toolkit");
	check_library(arena, "CUDA driver", cuda, array_count(cuda),
		      "kernels do not run on NVIDIA GPUs here",
		      "NVIDIA's driver");
}

int
doctor_command(struct arena *arena)
{
	static const char *const offload[] = {
		"libLLVMOffload.so.22.1", "libLLVMOffload.so.22",
		"libLLVMOffload.so", "/usr/lib/llvm-22/lib/libLLVMOffload.so"};
	bool ok = check_build(arena);

	printf("\nTo run on GPUs:\n");
	check_library(arena, "liboffload", offload, array_count(offload),
		      "programs run on the CPU only",
		      "Debian's `liboffload-22`");
	check_nvidia(arena);
	ok &= check_amd(arena);
	printf("\n%s\n", ok ? "Programs with kernels can be built here."
			    : "Something that building needs is missing.");
	return ok ? 0 : 1;
}
