/*
 * What the user is told: errors in rustc's form, and a name for whatever LLVM
 * dies of.
 *
 * LLVM ends the process on what it takes for its own mistakes. The handlers
 * here cannot prevent that; they say what was being compiled, which is what a
 * user needs to work around it and to report it.
 */
#define _GNU_SOURCE
#include "cc.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/ErrorHandling.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copies, so that a signal handler need not follow pointers into an arena. */
static struct {
	char stage[32];
	char arch[32];
	char kernel[256];
	char file[512];
} now;

static void
keep(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
}

void
cc_note_stage(const char *stage, const char *arch, const char *kernel)
{
	keep(now.stage, sizeof(now.stage), stage);
	keep(now.arch, sizeof(now.arch), arch);
	keep(now.kernel, sizeof(now.kernel), kernel);
}

void
cc_note_file(const char *path)
{
	keep(now.file, sizeof(now.file), path);
}

/* With write() alone: also called from signal handlers. */
static void
say(const char *text)
{
	ssize_t done = write(2, text, strlen(text));

	(void)done;
}

/* While a file is read the fault is most likely the file's. */
static void
say_where(void)
{
	if (now.file[0]) {
		say("  = note: while reading ");
		say(now.file);
		say(", which may be damaged\n");
		return;
	}
	say("  = note: in stage `");
	say(now.stage);
	if (now.arch[0]) {
		say("` for target `");
		say(now.arch);
	}
	if (now.kernel[0]) {
		say("`, kernel `");
		say(now.kernel);
	}
	say("`\n  = note: this is a limit of smelt or of LLVM, not of your "
	    "program; SMELT_KEEP=DIR keeps the IR of each stage\n");
}

static void
on_fatal(const char *reason)
{
	say("error: LLVM: ");
	say(reason);
	say("\n");
	say_where();
	_exit(1);
}

static void
on_signal(int number)
{
	say("error: LLVM crashed (");
	say(number == SIGABRT  ? "abort"
	    : number == SIGFPE ? "arithmetic"
			       : "memory fault");
	say(")\n");
	say_where();
	_exit(1);
}

void
cc_handlers_install(void)
{
	static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
	static char stack[64 * 1024];
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action;

	/* A stack of its own: LLVM's recursions overflow the usual one. */
	sigaltstack(&alternative, NULL);
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = SA_ONSTACK | SA_RESETHAND;
	for (size_t i = 0; i < array_count(signals); i++)
		sigaction(signals[i], &action, NULL);
	LLVMInstallFatalErrorHandler(on_fatal);
}

static void
on_diagnostic(LLVMDiagnosticInfoRef info, void *unused)
{
	char *text;

	(void)unused;
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	text = LLVMGetDiagInfoDescription(info);
	on_fatal(text);
}

void
cc_handlers_context(LLVMContextRef context)
{
	LLVMContextSetDiagnosticHandler(context, on_diagnostic, NULL);
}

/* ---- errors ---- */

/* The line itself with a mark below the column, where the file is there. */
static void
say_source(struct arena *arena, struct cc_place place)
{
	char *text, *line;
	size_t size, length;
	int width;

	if (!place.line || !file_read(arena, place.file, &text, &size))
		return;
	line = text;
	for (unsigned n = 1; n < place.line && *line; n++) {
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	length = strcspn(line, "\r\n");
	if (!length)
		return;
	width = fprintf(stderr, "%u", place.line);
	fprintf(stderr, " | %.*s\n", (int)length, line);
	if (!place.column || place.column > length)
		return;
	fprintf(stderr, "%*s | ", width, "");
	for (unsigned c = 1; c < place.column; c++)
		fputc(line[c - 1] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}

static void
say_place(struct arena *arena, struct cc_place place)
{
	if (!place.file || !place.file[0])
		return;
	fprintf(stderr, " --> %s", place.file);
	if (place.line)
		fprintf(stderr, ":%u", place.line);
	if (place.line && place.column)
		fprintf(stderr, ":%u", place.column);
	fputc('\n', stderr);
	say_source(arena, place);
}

void
cc_error(struct cc *cc, struct cc_place place, const char *format, ...)
{
	va_list args;

	cc->errors++;
	fputs("error: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	say_place(&cc->arena, place);
}

void
cc_error_note(const char *format, ...)
{
	va_list args;

	fputs("  = note: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void
cc_error_help(const char *text)
{
	fprintf(stderr, "  = help: %s\n", text);
}

void
cc_error_check(struct cc *cc)
{
	if (!cc->errors)
		return;
	fprintf(stderr, "error: %u error%s in the kernels of `%s`\n",
		cc->errors, cc->errors == 1 ? "" : "s", cc->options.crate);
	exit(1);
}

static const char *
directory_of(struct cc *cc, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	unsigned len;
	const char *name = file ? LLVMDIFileGetDirectory(file, &len) : NULL;

	return name ? arena_dup(&cc->arena, name, len) : "";
}

/* rustc names files as seen from where it runs, which for a dependency is
 * another folder than for the crate at hand. */
const char *
cc_file_of(struct cc *cc, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	const char *name, *folder, *whole;
	char here[4096];
	unsigned len;

	if (!file)
		return NULL;
	name = LLVMDIFileGetFilename(file, &len);
	name = arena_dup(&cc->arena, name, len);
	folder = directory_of(cc, scope);
	if (*name == '/' || *folder != '/' || !getcwd(here, sizeof(here)) ||
	    !strcmp(folder, here))
		return name;
	whole = arena_printf(&cc->arena, "%s/%s", folder, name);
	return file_exists(whole) ? whole : name;
}

static struct cc_place
place_at(struct cc *cc, LLVMMetadataRef location)
{
	return (struct cc_place){
		.file = cc_file_of(cc, LLVMDILocationGetScope(location)),
		.line = LLVMDILocationGetLine(location),
		.column = LLVMDILocationGetColumn(location),
	};
}

static const char *
path_at(struct cc *cc, LLVMMetadataRef location)
{
	const char *name = "", *linkage = "";

	cc_shim_subprogram(LLVMDILocationGetScope(location), &name, &linkage);
	return cc_demangle(&cc->arena, *linkage ? linkage : name);
}

struct cc_frame
cc_frame_at(struct cc *cc, LLVMMetadataRef subprogram)
{
	const char *name = "", *linkage = "";

	cc_shim_subprogram(subprogram, &name, &linkage);
	return (struct cc_frame){
		.path = cc_demangle(&cc->arena, *linkage ? linkage : name),
		.folder = directory_of(cc, subprogram),
		.place.file = cc_file_of(cc, subprogram),
	};
}

size_t
cc_frames_of(struct cc *cc, LLVMValueRef instruction, struct cc_frame *frames,
	     size_t size)
{
	LLVMValueRef function =
		LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);
	size_t count = 0, len;

	for (; at && count < size; at = LLVMDILocationGetInlinedAt(at)) {
		frames[count].path = path_at(cc, at);
		frames[count].folder =
			directory_of(cc, LLVMDILocationGetScope(at));
		frames[count++].place = place_at(cc, at);
	}
	for (size_t i = 0; i < count / 2; i++) {
		struct cc_frame other = frames[i];

		frames[i] = frames[count - 1 - i];
		frames[count - 1 - i] = other;
	}
	if (!count)
		frames[count++] = (struct cc_frame){.folder = ""};
	/* Entries go by another name than when they were compiled. */
	frames[0].path =
		cc_demangle(&cc->arena, LLVMGetValueName2(function, &len));
	return count;
}

/* The standard library's files lie under library/, whatever the toolchain puts
 * in front of it, and those of the crates that it is made of (hashbrown, ...)
 * under /rust/deps. The path alone does not tell: a user's type may implement
 * core's traits. */
bool
cc_frame_is_glue(const struct cc_frame *frame)
{
	static const char *const folders[] = {"library/core/", "library/alloc/",
					      "library/std/"};
	const char *file = frame->place.file;

	if (!file || starts_with(cc_path_root(frame->path), "smelt::") ||
	    strstr(frame->path, " as smelt::"))
		return cc_is_glue(frame->path);
	for (size_t i = 0; i < array_count(folders); i++)
		if (strstr(file, folders[i]))
			return true;
	return starts_with(frame->folder, "/rust/deps/");
}

struct cc_place
cc_place_of(struct cc *cc, LLVMValueRef instruction)
{
	struct cc_frame frames[64];
	size_t count =
		cc_frames_of(cc, instruction, frames, array_count(frames));

	for (size_t i = count; i-- > 0;)
		if (frames[i].place.file && !cc_frame_is_glue(&frames[i]))
			return frames[i].place;
	return frames[count - 1].place;
}
