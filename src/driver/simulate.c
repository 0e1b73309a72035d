/*
 * `--simulate amd`: what cargo runs sees the simulated AMD GPU (sim/amdgpu).
 *
 * LLVM's plugin opens ROCm's libhsa-runtime64 by its name, so the folder that
 * holds ours goes in front of the library path of all that cargo starts.
 */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *arch;
} simulated[] = {
	{"amd", "gfx90a"},
	{"gfx90a", "gfx90a"},
	{"gfx942", "gfx942"},
	{"gfx1100", "gfx1100"},
};

static const char *
arch_of(const char *name)
{
	for (size_t i = 0; i < array_count(simulated); i++)
		if (!strcmp(simulated[i].name, name))
			return simulated[i].arch;
	die("--simulate %s: what can be simulated is amd (a gfx90a), gfx90a, "
	    "gfx942 and gfx1100",
	    name);
}

/* In an installed tree, then in the source tree. */
static const char *
library_folder(struct arena *arena)
{
	static const char *const places[] = {"../lib/smelt/sim", "../sim"};
	const char *bin = path_dir(arena, path_self(arena));

	for (size_t i = 0; i < array_count(places); i++) {
		const char *dir = arena_printf(arena, "%s/%s", bin, places[i]);

		if (file_exists(
			    arena_printf(arena, "%s/libhsa-runtime64.so", dir)))
			return dir;
	}
	die("the simulated GPU is not there\n  = help: `make sim` (or `make "
	    "install`) in the source tree of Smelt builds it");
}

const char *
simulate_set(struct arena *arena, const char *name, struct list *env)
{
	const char *arch = arch_of(name);
	const char *path = getenv("LD_LIBRARY_PATH");

	list_addf(arena, env, "LD_LIBRARY_PATH=%s%s%s", library_folder(arena),
		  path && *path ? ":" : "", path ? path : "");
	list_add(arena, env, "SMELT_DEVICE=amd");
	list_addf(arena, env, "SMELT_SIM_ARCH=%s", arch);
	return arena_printf(arena, "cpu,%s", arch);
}
