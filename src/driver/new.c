/*
 * `cargo smelt new` and `init`: cargo's own, then the dependency on `smelt` and
 * a program with a kernel. Cargo knows about workspaces, names, editions and
 * version control; we only add to what it made.
 */
#include "driver/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] =
	"use smelt::prelude::*;\n"
	"\n"
	"// Runs once for each element, on the device.\n"
	"fn saxpy(a: f32, x: &[f32], mut y: DisjointMut<f32>) {\n"
	"    let i = thread::index();\n"
	"    if let Some(y) = y.get_mut(i) {\n"
	"        *y += a * x[i.get()];\n"
	"    }\n"
	"}\n"
	"\n"
	"fn main() -> smelt::Result<()> {\n"
	"    let device = Device::default()?;\n"
	"    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();\n"
	"    let mut y = vec![1.0f32; x.len()];\n"
	"    device.launch(Grid::cover(y.len()), saxpy, (2.0, &x, &mut y))?;\n"
	"    assert!(y.iter().zip(&x).all(|(y, x)| *y == 2.0 * x + 1.0));\n"
	"    println!(\"2 * {} + 1 = {}\", x[999], y[999]);\n"
	"    Ok(())\n"
	"}\n";

static void
write_or_die(const char *path, const struct buf *text)
{
	if (!file_write(path, text->data, text->len))
		die("cannot write %s: %s", path, strerror(errno));
}

/* As a basic string of TOML. */
static void
put_quoted(struct arena *arena, struct buf *out, const char *text)
{
	buf_puts(arena, out, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_puts(arena, out, "\\");
		buf_add(arena, out, text, 1);
	}
	buf_puts(arena, out, "\"");
}

static void
add_dependency(struct arena *arena, const char *dir, const char *crate)
{
	char *path = arena_printf(arena, "%s/Cargo.toml", dir);
	char *text, *at;
	size_t size;
	struct buf out = {0};

	if (!file_read(arena, path, &text, &size))
		die("cannot read %s: %s", path, strerror(errno));
	if (strstr(text, "\nsmelt "))
		return;
	at = strstr(text, "\n[dependencies]\n");
	if (at) {
		at += strlen("\n[dependencies]\n");
		buf_add(arena, &out, text, (size_t)(at - text));
	} else {
		buf_printf(arena, &out, "%s\n[dependencies]\n", text);
		at = text + size;
	}
	buf_puts(arena, &out, "smelt = { path = ");
	put_quoted(arena, &out, crate);
	buf_puts(arena, &out, " }\n");
	buf_puts(arena, &out, at);
	write_or_die(path, &out);
}

/* The folder is cargo's one plain argument; "." for init without one. */
static const char *
project_dir(const struct list *args)
{
	static const char *const valued[] = {
		"--name",  "--edition", "--vcs", "--registry",
		"--color", "--config",	"-Z"};
	const char *dir = NULL;

	for (size_t i = 1; i < args->len; i++) {
		bool takes = false;

		for (size_t k = 0; k < array_count(valued); k++)
			takes |= !strcmp(args->data[i], valued[k]);
		if (takes)
			i++;
		else if (args->data[i][0] != '-' && !dir)
			dir = args->data[i];
	}
	return dir ? dir : ".";
}

static void
run_cargo(struct arena *arena, const struct list *args)
{
	struct list argv = {0};
	struct process process;
	int status;

	list_add(arena, &argv, tool_cargo(arena));
	for (size_t i = 0; i < args->len; i++)
		list_add(arena, &argv, args->data[i]);
	if (!process_start(&process, argv.data, NULL, 0))
		die("cannot run %s: %s", argv.data[0], strerror(errno));
	status = process_wait(&process);
	if (status != 0)
		exit(status);
}

int
new_command(struct arena *arena, const struct list *args)
{
	const char *dir = project_dir(args);
	char *crate = tool_crate(arena);
	char *main_file = arena_printf(arena, "%s/src/main.rs", dir);
	bool keep = file_exists(main_file);
	struct buf text = {0};

	if (list_has(args, "--help") || list_has(args, "-h")) {
		run_cargo(arena, args);
		return 0;
	}
	if (list_has(args, "--lib"))
		die("a new project of Smelt's is a program: a library needs "
		    "only the line `smelt = ...` in its Cargo.toml");
	if (!crate)
		die("the crate `smelt` was not found beside cargo-smelt\n"
		    "  = help: `make install` in the source tree of Smelt puts "
		    "it in place");
	run_cargo(arena, args);
	add_dependency(arena, dir, crate);
	buf_puts(arena, &text, program);
	if (!keep)
		write_or_die(main_file, &text);
	return 0;
}
