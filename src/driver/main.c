/*
 * Entry of all three roles, and `cargo smelt`'s table of commands.
 *
 * The role comes from the environment, not from the program's name, so that one
 * file is installed. Cargo calls a subcommand with its name as first argument,
 * which neither it nor rustc ever does to a wrapper or a linker: that settles a
 * `cargo smelt` run from within a build.
 */
#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Ordinary Rust on GPUs\n"
	"\n"
	"Usage: cargo smelt COMMAND [OPTIONS]\n"
	"\n"
	"As cargo's own, with kernels (all of cargo's options work):\n"
	"  build, b      compile the package\n"
	"  run, r        compile and run\n"
	"  test, t       compile and run tests\n"
	"  bench         compile and run benchmarks\n"
	"  check, clippy, doc, rustc, install\n"
	"\n"
	"Smelt's own:\n"
	"  new NAME      a project that runs\n"
	"  init          the same in this folder\n"
	"  doctor        tools and libraries: version, place, what is missing\n"
	"  devices       devices found\n"
	"  inspect [BIN] kernels in a program: resources, code\n"
	"  clean         remove what was built\n"
	"  help, --version\n"
	"\n"
	"Options for commands that build, before any --:\n"
	"  --targets LIST   cpu, sm_90, gfx90a, ...; also SMELT_TARGETS, also\n"
	"                   [package.metadata.smelt] targets = [...]\n"
	"  --simulate GPU   run on a simulated amd (gfx90a), gfx942 or "
	"gfx1100\n"
	"  --fp MODE        fast or exact; also SMELT_FP, also metadata fp = "
	"...\n"
	"\n"
	"SMELT_WARN=off|spills|all says of which slow kernels to warn.\n"
	"SMELT_KEEP=DIR keeps intermediate IR and assembly. A RUSTC_WRAPPER "
	"of\n"
	"your own (sccache) stays in use for the crates without kernels.\n";

enum kind { PLAIN, KERNELS, OWN };

static const struct command {
	const char *name;
	const char *cargo; /* cargo's name for it */
	enum kind kind;
} commands[] = {
	{"build", "build", KERNELS},
	{"b", "build", KERNELS},
	{"run", "run", KERNELS},
	{"r", "run", KERNELS},
	{"test", "test", KERNELS},
	{"t", "test", KERNELS},
	{"bench", "bench", KERNELS},
	{"rustc", "rustc", KERNELS},
	{"install", "install", KERNELS},
	{"check", "check", PLAIN},
	{"c", "check", PLAIN},
	{"clippy", "clippy", PLAIN},
	{"doc", "doc", PLAIN},
	{"d", "doc", PLAIN},
	{"clean", "clean", PLAIN},
	{"new", NULL, OWN},
	{"init", NULL, OWN},
	{"doctor", NULL, OWN},
	{"devices", NULL, OWN},
	{"inspect", NULL, OWN},
};

static const struct command *
find_command(const char *name)
{
	for (size_t i = 0; i < array_count(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void
print_version(struct arena *arena)
{
	char *cc = tool_smelt_cc(arena);
	const char *argv[] = {cc, "--version", NULL};

	printf("cargo-smelt %s\n", DRIVER_VERSION);
	if (cc)
		printf("%s\n", first_line(arena, argv));
}

static int
own_command(struct arena *arena, const struct list *args)
{
	const char *name = args->data[0];

	if (!strcmp(name, "doctor"))
		return doctor_command(arena);
	if (!strcmp(name, "devices"))
		return devices_command();
	if (!strcmp(name, "inspect"))
		return inspect_command(arena, args);
	return new_command(arena, args);
}

static int
user_main(int argc, char **argv)
{
	struct arena arena = {0};
	const struct command *command;
	struct list args = {0};
	int at = 1;

	if (at < argc && !strcmp(argv[at], "smelt"))
		at++;
	if (at >= argc || !strcmp(argv[at], "help") ||
	    !strcmp(argv[at], "--help") || !strcmp(argv[at], "-h")) {
		fputs(help, stdout);
		return 0;
	}
	if (!strcmp(argv[at], "--version") || !strcmp(argv[at], "-V")) {
		print_version(&arena);
		return 0;
	}
	command = find_command(argv[at]);
	if (!command)
		die("no such command: `%s`\n\n"
		    "`cargo smelt help` lists the commands",
		    argv[at]);
	list_add(&arena, &args,
		 command->cargo ? command->cargo : command->name);
	for (at++; at < argc; at++)
		list_add(&arena, &args, argv[at]);
	if (command->kind == OWN)
		return own_command(&arena, &args);
	build_command(&arena, &args, command->kind == KERNELS);
}

int
main(int argc, char **argv)
{
	const char *role = getenv(ENV_ROLE);
	bool named = argc > 1 && !strcmp(argv[1], "smelt");

	program_name = "cargo-smelt";
	if (getenv(ENV_LINK) && !named)
		linker_main(argc, argv);
	if (role && !strcmp(role, "wrapper") && !named && argc > 1 &&
	    (!find_command(argv[1]) || !strcmp(argv[1], "rustc")))
		wrapper_main(argc, argv);
	return user_main(argc, argv);
}
