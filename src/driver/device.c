/*
 * The device's side of a call: pass 1, and smelt-cc on what it makes, in a
 * process of its own beside the host pass.
 *
 * It talks back in two ways. The linker of the host pass waits on a pipe: bytes
 * say that the object is there, its end without a byte that it never will be.
 * Messages go to a file in memory, not to a pipe: the wrapper reads them only
 * after rustc has ended, and rustc may be waiting for this process.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_AFTER_MS 500 /* shorter work needs no line */

/* The tool that runs now; ended with this process. */
static volatile sig_atomic_t running;

static void
on_term(int signal_number)
{
	if (running > 0) {
		kill(running, signal_number);
		waitpid(running, NULL, 0);
	}
	_exit(128 + signal_number);
}

static void
log_text(const struct device *device, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(device->log, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

__attribute__((format(printf, 2, 3))) static void
log_format(const struct device *device, const char *format, ...)
{
	va_list args;
	char text[4096];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log_text(device, text, strlen(text));
}

/* Runs a tool and logs what it says. progress: a line for the user if it takes
 * long, or NULL. -1 if it cannot be started. */
static int
run_logged(const struct device *device, const struct list *argv,
	   const char *const *env, const char *progress)
{
	struct process process;
	struct pollfd wait = {.events = POLLIN};
	char chunk[4096];
	ssize_t n;

	if (!process_start(&process, argv->data, env,
			   PROCESS_PIPE_OUT | PROCESS_ERR_TO_OUT |
				   PROCESS_NULL_IN)) {
		log_format(device, "error: cannot run %s: %s\n", argv->data[0],
			   strerror(errno));
		return -1;
	}
	running = process.pid;
	wait.fd = process.out;
	if (progress && poll(&wait, 1, STATUS_AFTER_MS) == 0)
		status_line("Compiling", "%s", progress);
	while ((n = read(process.out, chunk, sizeof(chunk))) != 0) {
		if (n > 0)
			log_text(device, chunk, (size_t)n);
		else if (errno != EINTR)
			break;
	}
	n = process_wait(&process);
	running = 0;
	return (int)n;
}

/* Pass 1. The result is moved into place whole. */
static enum device_end
run_pass(struct arena *arena, const struct device *device)
{
	/* No part in cargo's job server: it may be ended with a token in hand,
	 * and works on one thread anyway. */
	static const char *const changes[] = {"RUSTC_BOOTSTRAP=1",
					      "CARGO_MAKEFLAGS", "MAKEFLAGS",
					      "MFLAGS", NULL};
	const struct rustc_call *call = device->call;
	char *made = arena_printf(arena, "%s/pass.bc", device->work_dir);
	struct list argv = {0};
	int status;

	for (size_t i = 0; i < call->command.len; i++)
		list_add(arena, &argv, call->command.data[i]);
	rustc_device_args(arena, call, &argv);
	/* rustc names temporary files after the crate: not in the folder where
	 * the host pass does so too. */
	list_add(arena, &argv, "--out-dir");
	list_add(arena, &argv, device->work_dir);
	list_addf(arena, &argv, "--emit=llvm-bc=%s", made);
	status = run_logged(device, &argv, process_env(arena, changes), NULL);
	if (status < 0)
		return DEVICE_INTERNAL;
	if (status > 0)
		return DEVICE_PASS;
	if (rename(made, device->bitcode) < 0) {
		log_format(device, "error: cannot write %s: %s\n",
			   device->bitcode, strerror(errno));
		return DEVICE_INTERNAL;
	}
	return DEVICE_OK;
}

/* Asks where core, alloc and std of this rustc lie, while pass 1 runs. */
static bool
ask_sysroot(struct arena *arena, const struct rustc_call *call,
	    struct process *process)
{
	struct list argv = {0};

	list_add(arena, &argv, call->command.data[call->command.len - 1]);
	list_add(arena, &argv, "--print");
	list_add(arena, &argv, "target-libdir");
	if (call->target) {
		list_add(arena, &argv, "--target");
		list_add(arena, &argv, call->target);
	}
	return process_start(process, argv.data, NULL,
			     PROCESS_PIPE_OUT | PROCESS_NULL_IN);
}

static char *
read_sysroot(struct arena *arena, struct process *process)
{
	char path[4096];
	size_t len = 0;
	ssize_t n;

	while ((n = read(process->out, path + len, sizeof(path) - len)) > 0)
		len += (size_t)n;
	if (process_wait(process) != 0)
		len = 0;
	return arena_dup(arena, path, len ? len - 1 : 0);
}

static void
smelt_cc_line(struct arena *arena, const struct device *device,
	      const char *sysroot, struct list *argv)
{
	const struct rustc_call *call = device->call;
	const char *keep = getenv(ENV_KEEP);
	const char *target_dir = getenv(ENV_TARGET_DIR);
	const char *cc = getenv(ENV_CC);

	list_add(arena, argv, cc ? cc : "smelt-cc");
	list_add(arena, argv, "--crate");
	list_add(arena, argv, call->crate);
	for (size_t i = 0; i < device->deps->len; i++) {
		list_add(arena, argv, "--dep");
		list_add(arena, argv, device->deps->data[i]);
	}
	list_add(arena, argv, "--targets");
	list_add(arena, argv, device->targets);
	list_add(arena, argv, "--fp");
	list_add(arena, argv, device->fp);
	list_add(arena, argv, "--sysroot");
	list_add(arena, argv, sysroot);
	list_add(arena, argv, "--rustc");
	list_add(arena, argv, call->command.data[call->command.len - 1]);
	if (target_dir) {
		list_add(arena, argv, "--cache");
		list_addf(arena, argv, "%s/smelt/cache", target_dir);
	}
	if (keep) {
		list_add(arena, argv, "--keep");
		list_addf(arena, argv, "%s/%s%s", keep, call->crate,
			  call->test ? "-test" : "");
	}
	list_add(arena, argv, "-q");
	list_add(arena, argv, device->bitcode);
	list_add(arena, argv, "-o");
	list_add(arena, argv, device->object);
}

static enum device_end
run_smelt_cc(struct arena *arena, const struct device *device,
	     const char *sysroot)
{
	struct list argv = {0};
	int status;

	/* What pass 1 said is of no interest any more. */
	if (ftruncate(device->log, 0) < 0 || lseek(device->log, 0, SEEK_SET))
		return DEVICE_INTERNAL;
	smelt_cc_line(arena, device, sysroot, &argv);
	status = run_logged(device, &argv, NULL,
			    arena_printf(arena, "kernels of %s (%s)",
					 device->call->crate, device->targets));
	if (status == 0 && file_exists(device->object))
		return DEVICE_OK;
	if (status == 0)
		log_format(device,
			   "error: smelt-cc ended well but wrote no object\n");
	if (status > 1)
		log_format(device,
			   "error: smelt-cc ended with status %d\n  = note: "
			   "the device compiler itself failed: please report "
			   "it, with the folder that SMELT_KEEP=DIR leaves\n",
			   status);
	return status < 0 ? DEVICE_INTERNAL : DEVICE_KERNELS;
}

/* A byte for each link that this call of rustc may run; more than rustc ever
 * does, retries included. */
static void
tell_linker(const struct device *device)
{
	char bytes[64] = {0};

	if (device->ready_write >= 0 &&
	    write(device->ready_write, bytes, sizeof(bytes)) < 0)
		_exit(DEVICE_INTERNAL);
}

static _Noreturn void
device_main(const struct device *device)
{
	struct arena arena = {0};
	struct sigaction action = {.sa_handler = on_term};
	struct process question;
	bool asked = false;
	enum device_end end;

	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (device->object)
		asked = ask_sysroot(&arena, device->call, &question);
	end = run_pass(&arena, device);
	if (end == DEVICE_OK && device->object)
		end = run_smelt_cc(&arena, device,
				   asked ? read_sysroot(&arena, &question)
					 : "");
	else if (end == DEVICE_OK && ftruncate(device->log, 0) < 0)
		end = DEVICE_INTERNAL;
	if (end == DEVICE_OK)
		tell_linker(device);
	_exit((int)end);
}

void
device_start(struct device *device)
{
	device->log = memfd_create("smelt-messages", MFD_CLOEXEC);
	if (device->log < 0)
		die("cannot make a file in memory: %s", strerror(errno));
	fflush(NULL);
	device->pid = fork();
	if (device->pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (device->pid == 0) {
		if (device->ready_read >= 0)
			close(device->ready_read);
		device_main(device);
	}
	if (device->ready_write >= 0)
		close(device->ready_write);
	device->ready_write = -1;
}

void
device_cancel(struct device *device)
{
	if (device->pid > 0) {
		kill(device->pid, SIGTERM);
		while (waitpid(device->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	device->pid = 0;
}

static char *
read_log(struct arena *arena, int fd)
{
	struct buf all = {0};
	char chunk[4096];
	ssize_t n;

	buf_puts(arena, &all, "");
	if (lseek(fd, 0, SEEK_SET) < 0)
		return all.data;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(arena, &all, chunk, (size_t)n);
	return all.data;
}

enum device_end
device_wait(struct arena *arena, struct device *device, char **text)
{
	struct process process = {.pid = device->pid, .out = -1, .err = -1};
	int status = process_wait(&process);

	device->pid = 0;
	*text = read_log(arena, device->log);
	close(device->log);
	if (status > DEVICE_INTERNAL)
		status = DEVICE_INTERNAL;
	return (enum device_end)status;
}
