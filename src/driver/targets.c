/*
 * The list of targets: what is built by default, and the user's names made into
 * those of smelt-cc.
 *
 * GPUs are found without linking anything that may be absent: the kernel's
 * files for AMD, the driver's own tool for NVIDIA. That tool takes up to
 * seconds to start the driver, so what it said is kept until the machine starts
 * anew.
 */
#include "driver/driver.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KFD_NODES "/sys/class/kfd/kfd/topology/nodes"

static void
add_target(struct arena *arena, struct list *targets, const char *name)
{
	if (!list_has(targets, name))
		list_add(arena, targets, name);
}

static char *
join(struct arena *arena, const struct list *list)
{
	struct buf out = {0};

	for (size_t i = 0; i < list->len; i++)
		buf_printf(arena, &out, "%s%s", i ? "," : "", list->data[i]);
	return out.data ? out.data : arena_dup(arena, "", 0);
}

/* ---- NVIDIA ---- */

/* Lines such as "9.0" become sm_90. */
static void
read_capabilities(struct arena *arena, const char *text, struct list *found)
{
	unsigned major, minor;
	struct list lines = {0};

	list_split(arena, &lines, text, "\r\n");
	for (size_t i = 0; i < lines.len; i++)
		if (sscanf(lines.data[i], "%u.%u", &major, &minor) == 2)
			add_target(
				arena, found,
				arena_printf(arena, "sm_%u%u", major, minor));
}

static char *
boot_id(struct arena *arena)
{
	char line[64] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

	if (file) {
		if (!fgets(line, sizeof(line), file))
			line[0] = 0;
		fclose(file);
	}
	return arena_dup(arena, line, strcspn(line, "\n"));
}

static void
find_nvidia(struct arena *arena, const char *cache_dir, struct list *found)
{
	static const char *const argv[] = {"nvidia-smi",
					   "--query-gpu=compute_cap",
					   "--format=csv,noheader", NULL};
	char *cache = arena_printf(arena, "%s/gpus", cache_dir);
	char *boot = boot_id(arena), *text;
	struct buf out = {0}, keep = {0};
	size_t size;

	if (!file_exists("/proc/driver/nvidia/version") &&
	    !file_exists("/dev/nvidiactl"))
		return;
	if (*boot && file_read(arena, cache, &text, &size) &&
	    starts_with(text, boot)) {
		read_capabilities(arena, text + strlen(boot), found);
		return;
	}
	if (process_capture(arena, argv, &out) != 0 || !out.data)
		return;
	read_capabilities(arena, out.data, found);
	buf_printf(arena, &keep, "%s\n%s", boot, out.data);
	/* Not being able to keep it only costs time. */
	if (*boot && dir_make(cache_dir))
		file_write(cache, keep.data, keep.len);
}

/* ---- AMD ---- */

/* gfx_target_version 90010 is gfx90a: major, minor, stepping in hexadecimal. */
static void
read_node(struct arena *arena, const char *path, struct list *found)
{
	FILE *file = fopen(path, "r");
	char line[256];
	unsigned version;

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "gfx_target_version %u", &version) == 1 &&
		    version != 0)
			add_target(arena, found,
				   arena_printf(
					   arena, "gfx%u%x%x", version / 10000,
					   version / 100 % 100, version % 100));
	fclose(file);
}

static void
find_amd(struct arena *arena, struct list *found)
{
	DIR *dir = opendir(KFD_NODES);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			read_node(arena,
				  arena_printf(arena,
					       KFD_NODES "/%s/properties",
					       entry->d_name),
				  found);
	closedir(dir);
}

/* ---- the lists ---- */

/* Names that smelt-cc knows, and what ptxas says of its own. */
struct known {
	struct list names;
	const char *ptxas; /* its help text; NULL where it is absent */
};

static struct known
read_known(struct arena *arena, const char *smelt_cc)
{
	const char *argv[] = {smelt_cc, "--print-targets", NULL};
	const char *help[] = {tool_cuda(arena, "ptxas"), "--help", NULL};
	struct known known = {0};
	struct buf out = {0}, text = {0};

	if (process_capture(arena, argv, &out) != 0 || !out.data)
		die("%s --print-targets failed: %s", smelt_cc,
		    out.data ? out.data : "it cannot be run");
	list_split(arena, &known.names, out.data, " ,\t\r\n");
	if (help[0] && process_capture(arena, help, &text) == 0 && text.data)
		known.ptxas = text.data;
	return known;
}

/* Whether ptxas is there and compiles for sm_NN: a GPU may be newer than the
 * tool, and the tool drops old ones. */
static bool
ptxas_takes(struct arena *arena, const struct known *known, const char *name)
{
	return known->ptxas &&
	       strstr(known->ptxas, arena_printf(arena, "'%s'", name));
}

/* sm_NN of a cubin's name sm_NNc; NULL if it is none. */
static char *
cubin_of(struct arena *arena, const struct known *known, const char *name)
{
	size_t len = strlen(name);
	char *base;

	if (!starts_with(name, "sm_") || name[len - 1] != 'c')
		return NULL;
	base = arena_dup(arena, name, len - 1);
	return list_has(&known->names, base) ? base : NULL;
}

char *
target_public_name(struct arena *arena, const char *arch)
{
	size_t len = strlen(arch);

	if (!starts_with(arch, "sm_"))
		return arena_dup(arena, arch, len);
	return arena_dup(arena, arch, len - (arch[len - 1] == 'c'));
}

char *
targets_default(struct arena *arena, const char *smelt_cc,
		const char *cache_dir)
{
	static const char *const always[] = {"cpu",    "sm_75",	  "gfx90a",
					     "gfx942", "gfx1100", "gfx1201"};
	struct list targets = {0}, nvidia = {0}, amd = {0};
	struct known known;

	for (size_t i = 0; i < array_count(always); i++)
		list_add(arena, &targets, always[i]);
	find_nvidia(arena, cache_dir, &nvidia);
	find_amd(arena, &amd);
	if (!nvidia.len && !amd.len)
		return join(arena, &targets);
	known = read_known(arena, smelt_cc);
	for (size_t i = 0; i < nvidia.len; i++)
		if (list_has(&known.names, nvidia.data[i]) &&
		    ptxas_takes(arena, &known, nvidia.data[i]))
			list_addf(arena, &targets, "%sc", nvidia.data[i]);
	for (size_t i = 0; i < amd.len; i++)
		if (list_has(&known.names, amd.data[i]))
			add_target(arena, &targets, amd.data[i]);
	return join(arena, &targets);
}

static void
resolve_one(struct arena *arena, const struct known *known, const char *name,
	    const char *where, struct list *targets)
{
	char *base = cubin_of(arena, known, name);

	if (!base && !list_has(&known->names, name)) {
		struct buf names = {0};

		for (size_t i = 0; i < known->names.len; i++)
			buf_printf(arena, &names, "%s%s", i ? ", " : "",
				   known->names.data[i]);
		die("%s: unknown target `%s`\n  = note: known are %s", where,
		    name, names.data ? names.data : "none");
	}
	if (base && !known->ptxas)
		die("%s: target `%s` needs the program `ptxas`\n"
		    "  = help: install NVIDIA's CUDA toolkit, or leave the c "
		    "off: PTX is compiled by the driver",
		    where, name);
	if (base && !ptxas_takes(arena, known, base))
		die("%s: target `%s`: the `ptxas` found here does not compile "
		    "for %s",
		    where, name, base);
	add_target(arena, targets, name);
	if (starts_with(name, "sm_") && ptxas_takes(arena, known, name))
		add_target(arena, targets, arena_printf(arena, "%sc", name));
}

char *
targets_resolve(struct arena *arena, const char *smelt_cc, const char *names,
		const char *where)
{
	struct list asked = {0}, targets = {0};
	struct known known;

	list_split(arena, &asked, names, ", \t");
	if (!asked.len)
		die("%s: the list of targets is empty", where);
	known = read_known(arena, smelt_cc);
	for (size_t i = 0; i < asked.len; i++)
		resolve_one(arena, &known, asked.data[i], where, &targets);
	return join(arena, &targets);
}
