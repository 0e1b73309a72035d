/* Child processes. See base.h. */
#define _GNU_SOURCE
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void
close_pair(int pair[2])
{
	if (pair[0] >= 0)
		close(pair[0]);
	if (pair[1] >= 0)
		close(pair[1]);
}

bool
process_start(struct process *process, const char *const *argv,
	      const char *const *env, unsigned flags)
{
	posix_spawn_file_actions_t actions;
	int out[2] = {-1, -1}, err[2] = {-1, -1};
	char *const *envp = env ? (char *const *)(uintptr_t)env : environ;
	pid_t pid;
	int rc;

	if ((flags & PROCESS_PIPE_OUT) && pipe2(out, O_CLOEXEC) < 0)
		return false;
	if ((flags & PROCESS_PIPE_ERR) && pipe2(err, O_CLOEXEC) < 0) {
		close_pair(out);
		return false;
	}
	posix_spawn_file_actions_init(&actions);
	if (flags & PROCESS_NULL_IN)
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null",
						 O_RDONLY, 0);
	if (out[1] >= 0)
		posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	if (flags & PROCESS_ERR_TO_OUT)
		posix_spawn_file_actions_adddup2(&actions, 1, 2);
	else if (err[1] >= 0)
		posix_spawn_file_actions_adddup2(&actions, err[1], 2);
	rc = posix_spawnp(&pid, argv[0], &actions, NULL,
			  (char *const *)(uintptr_t)argv, envp);
	posix_spawn_file_actions_destroy(&actions);
	if (rc) {
		close_pair(out);
		close_pair(err);
		errno = rc;
		return false;
	}
	if (out[1] >= 0)
		close(out[1]);
	if (err[1] >= 0)
		close(err[1]);
	process->pid = pid;
	process->out = out[0];
	process->err = err[0];
	return true;
}

int
process_wait(struct process *process)
{
	int status;

	while (waitpid(process->pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	if (process->out >= 0)
		close(process->out);
	if (process->err >= 0)
		close(process->err);
	process->out = process->err = -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
process_capture(struct arena *arena, const char *const *argv, struct buf *out)
{
	struct process process;
	char chunk[4096];
	ssize_t n;

	if (!process_start(&process, argv, NULL,
			   PROCESS_PIPE_OUT | PROCESS_ERR_TO_OUT |
				   PROCESS_NULL_IN))
		return -1;
	while ((n = read(process.out, chunk, sizeof(chunk))) != 0) {
		if (n > 0)
			buf_add(arena, out, chunk, (size_t)n);
		else if (errno != EINTR)
			break;
	}
	return process_wait(&process);
}

static bool
names_same(const char *entry, const char *change)
{
	size_t n = strcspn(change, "=");

	return !strncmp(entry, change, n) && entry[n] == '=';
}

const char *const *
process_env(struct arena *arena, const char *const *changes)
{
	struct list env = {0};

	for (char **entry = environ; *entry; entry++) {
		bool keep = true;

		for (size_t i = 0; changes[i]; i++)
			if (names_same(*entry, changes[i]))
				keep = false;
		if (keep)
			list_add(arena, &env, *entry);
	}
	for (size_t i = 0; changes[i]; i++)
		if (strchr(changes[i], '='))
			list_add(arena, &env, changes[i]);
	if (!env.data)
		env.data = arena_alloc(arena, sizeof(*env.data));
	return env.data;
}
