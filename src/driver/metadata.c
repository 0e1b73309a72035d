/*
 * The workspace as `cargo metadata` sees it: where the target folder is, and
 * what its packages say under [package.metadata.smelt].
 */
#include "driver/driver.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *
get_string(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(object, name));
}

static const cJSON *
get_smelt(const cJSON *object)
{
	return cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(object, "metadata"), "smelt");
}

/* Our keys, each with its type; a misspelt one is said, not ignored. */
static void
read_settings(struct arena *arena, const cJSON *smelt, struct package *package)
{
	const cJSON *item, *name;
	struct buf targets = {0};

	cJSON_ArrayForEach(item, smelt)
	{
		if (!strcmp(item->string, "fp") && cJSON_IsString(item)) {
			package->fp = item->valuestring;
			continue;
		}
		if (!strcmp(item->string, "warn") && cJSON_IsString(item)) {
			package->warn = item->valuestring;
			continue;
		}
		if (strcmp(item->string, "targets") || !cJSON_IsArray(item))
			die("%s/Cargo.toml: [package.metadata.smelt] `%s`: "
			    "known are targets = [\"...\"], fp = \"fast\" or "
			    "\"exact\", and warn = \"all\", \"spills\" or "
			    "\"off\"",
			    package->manifest_dir, item->string);
		cJSON_ArrayForEach(name, item)
		{
			if (!cJSON_IsString(name))
				die("%s/Cargo.toml: [package.metadata.smelt] "
				    "targets: not a list of strings",
				    package->manifest_dir);
			buf_printf(arena, &targets, "%s%s",
				   targets.len ? "," : "", name->valuestring);
		}
		package->targets = targets.data ? targets.data : "";
	}
	if (package->fp && strcmp(package->fp, "fast") &&
	    strcmp(package->fp, "exact"))
		die("%s/Cargo.toml: [package.metadata.smelt] fp = \"%s\": it "
		    "is \"fast\" or \"exact\"",
		    package->manifest_dir, package->fp);
	if (package->warn && !warnings_known(package->warn))
		die("%s/Cargo.toml: [package.metadata.smelt] warn = \"%s\": "
		    "it is \"all\", \"spills\" or \"off\"",
		    package->manifest_dir, package->warn);
}

static void
read_bins(struct arena *arena, const cJSON *json, struct package *package)
{
	const cJSON *target, *kind;

	cJSON_ArrayForEach(target, cJSON_GetObjectItem(json, "targets"))
	{
		kind = cJSON_GetArrayItem(cJSON_GetObjectItem(target, "kind"),
					  0);
		if (cJSON_IsString(kind) && !strcmp(kind->valuestring, "bin"))
			list_add(arena, &package->bins,
				 get_string(target, "name"));
	}
}

static void
read_packages(struct arena *arena, const cJSON *root, struct metadata *out)
{
	const cJSON *list = cJSON_GetObjectItem(root, "packages"), *json;
	const cJSON *workspace = get_smelt(root), *own;
	size_t at = 0;

	out->package_count = (size_t)cJSON_GetArraySize(list);
	out->packages =
		arena_alloc(arena, out->package_count * sizeof(*out->packages));
	cJSON_ArrayForEach(json, list)
	{
		struct package *package = &out->packages[at++];
		const char *manifest = get_string(json, "manifest_path");

		package->name = get_string(json, "name");
		package->manifest_dir =
			path_dir(arena, manifest ? manifest : "");
		own = get_smelt(json);
		if (workspace)
			read_settings(arena, workspace, package);
		if (own)
			read_settings(arena, own, package);
		read_bins(arena, json, package);
	}
}

/* Those of cargo's arguments that decide on the workspace. `install` names a
 * folder. */
static void
pass_on(struct arena *arena, const struct list *from, struct list *to)
{
	static const char *const names[] = {"--manifest-path", "--config",
					    "--lockfile-path", "-Z"};
	static const char *const switches[] = {"--offline", "--locked",
					       "--frozen"};

	for (size_t i = 0; i < from->len && strcmp(from->data[i], "--"); i++) {
		const char *arg = from->data[i];

		for (size_t k = 0; k < array_count(names); k++) {
			size_t len = strlen(names[k]);

			if (strncmp(arg, names[k], len))
				continue;
			if (arg[len])
				list_add(arena, to, arg);
			else if (i + 1 < from->len) {
				list_add(arena, to, arg);
				list_add(arena, to, from->data[++i]);
			}
			break;
		}
		if (!strcmp(arg, "--path") && i + 1 < from->len)
			list_addf(arena, to, "--manifest-path=%s/Cargo.toml",
				  from->data[++i]);
		for (size_t k = 0; k < array_count(switches); k++)
			if (!strcmp(arg, switches[k]))
				list_add(arena, to, arg);
	}
}

bool
metadata_read(struct arena *arena, const char *cargo,
	      const struct list *cargo_args, struct metadata *metadata)
{
	struct list argv = {0};
	struct process process;
	struct buf out = {0};
	char chunk[4096];
	cJSON *root;
	ssize_t n;

	list_add(arena, &argv, cargo);
	list_split(arena, &argv, "metadata --no-deps --quiet", " ");
	list_add(arena, &argv, "--format-version=1");
	pass_on(arena, cargo_args, &argv);
	if (!process_start(&process, argv.data, NULL,
			   PROCESS_PIPE_OUT | PROCESS_PIPE_ERR |
				   PROCESS_NULL_IN))
		return false;
	/* What it says on stderr stays unread: the real run says it again. It
	 * is quiet, so that fits into the pipe. */
	while ((n = read(process.out, chunk, sizeof(chunk))) > 0)
		buf_add(arena, &out, chunk, (size_t)n);
	if (process_wait(&process) != 0 || !out.data)
		return false;
	root = cJSON_Parse(out.data); /* kept: strings point into it */
	metadata->target_dir = get_string(root, "target_directory");
	if (!metadata->target_dir)
		return false;
	read_packages(arena, root, metadata);
	return true;
}

char *
metadata_variable(struct arena *arena, const char *manifest_dir)
{
	struct hash hash;
	char hex[33];

	hash_init(&hash);
	hash_add(&hash, manifest_dir, strlen(manifest_dir));
	hash_hex(&hash, hex);
	return arena_printf(arena, ENV_PACKAGE "%.16s", hex);
}
