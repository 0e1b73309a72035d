/*
 * The targets, and running them side by side.
 *
 * Each target works in a forked process with a context of its own: LLVM may
 * abort, or be stopped by a signal, and takes only that target down; contexts
 * are not shared, so no lock is needed. What a child makes comes back through a
 * file in memory, as one block that is also what the cache stores.
 */
#define _GNU_SOURCE
#include "cc.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const struct cc_target *const cc_targets[] = {
	&cc_target_cpu,
	&cc_target_nvptx,
	&cc_target_amdgpu,
	NULL,
};

/* The stages of a target, in order; see struct cc_target. */
static const struct target_stage {
	const char *name;
	size_t member;
} stages[] = {
	{"retarget", offsetof(struct cc_target, retarget)},
	{"entry", offsetof(struct cc_target, entry)},
	{"spaces", offsetof(struct cc_target, spaces)},
	{"intrinsics", offsetof(struct cc_target, intrinsics)},
	{"panics", offsetof(struct cc_target, panics)},
	{"math", offsetof(struct cc_target, math)},
	{"contract", offsetof(struct cc_target, contract)},
	{"optimise", offsetof(struct cc_target, optimise)},
	{"emit", offsetof(struct cc_target, emit)},
};

/* The front of the block that a child returns; resources and flags (one each
 * per kernel), the terms and the data follow. */
struct result_header {
	char magic[8];
	uint32_t image_kind;
	uint32_t kernel_count;
	uint64_t term_count;
	uint64_t size;
};
#define RESULT_MAGIC "SMELTRS2"

/* A target of this run. */
struct child {
	const struct cc_target *target;
	const char *arch;
	struct cc_result *result;
	char key[33];
	pid_t pid; /* 0: not running */
	int out;   /* memory file for the result */
	int err;   /* and for messages */
	bool done;
};

const struct cc_target *
cc_target_find(const char *arch)
{
	for (size_t i = 0; cc_targets[i]; i++)
		if (cc_targets[i]->accepts(arch))
			return cc_targets[i];
	return NULL;
}

bool
cc_target_stage_known(const char *stage)
{
	for (size_t i = 0; i < array_count(stages); i++)
		if (!strcmp(stages[i].name, stage))
			return true;
	return false;
}

/* ---- in the child ---- */

static void
put(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die("cannot hand back a result: %s", strerror(errno));
		p += n;
		size -= (size_t)n;
	}
}

static void
put_result(int fd, const struct cc_result *result, size_t kernels)
{
	struct result_header header = {
		.magic = RESULT_MAGIC,
		.image_kind = result->image_kind,
		.kernel_count = (uint32_t)kernels,
		.term_count = result->term_count,
		.size = result->size,
	};

	put(fd, &header, sizeof(header));
	put(fd, result->resources, kernels * sizeof(*result->resources));
	put(fd, result->flags, kernels * sizeof(*result->flags));
	put(fd, result->terms, result->term_count * sizeof(*result->terms));
	put(fd, result->data, result->size);
}

static void
run_stage(struct cc_job *job, size_t index)
{
	const char *member = (const char *)job->target + stages[index].member;
	void (*run)(struct cc_job *);

	memcpy(&run, member, sizeof(run));
	cc_note_stage(stages[index].name, job->arch, NULL);
	if (run)
		run(job);
	cc_stage_done(&job->cc->options, job->module, job->arch,
		      (unsigned)index + 1, stages[index].name);
}

static void
read_module(struct cc_job *job, LLVMMemoryBufferRef bitcode)
{
	job->context = LLVMContextCreate();
	cc_handlers_context(job->context);
	if (LLVMParseBitcodeInContext2(job->context, bitcode, &job->module))
		die("internal: cannot read the common module again");
}

/* The kernel's data is not needed: the module as it stands is the answer. */
static void
put_module(int fd, struct cc_job *job)
{
	char *text;

	if (job->result->data) {
		put(fd, job->result->data, job->result->size);
		return;
	}
	text = LLVMPrintModuleToString(job->module);
	put(fd, text, strlen(text));
	LLVMDisposeMessage(text);
}

static void
fill_unknown(struct cc_job *job, size_t kernels)
{
	struct cc_result *result = job->result;

	result->resources = arena_alloc(
		job->arena, (kernels + 1) * sizeof(*result->resources));
	for (size_t i = 0; i < kernels; i++)
		result->resources[i] =
			(struct smelt_table_resources){SMELT_UNKNOWN,
						       SMELT_UNKNOWN,
						       SMELT_UNKNOWN,
						       SMELT_UNKNOWN,
						       0,
						       0};
	result->flags =
		arena_alloc(job->arena, (kernels + 1) * sizeof(*result->flags));
}

static void
start_job(struct cc_job *job, struct cc *cc, const struct child *child)
{
	job->cc = cc;
	job->arena = &cc->arena;
	job->target = child->target;
	job->arch = child->arch;
	job->result = child->result;
	job->result->kind = child->target->kind;
	job->result->arch = child->arch;
	job->result->triple = child->target->triple;
	fill_unknown(job, cc->kernel_count);
}

static void
run_child(struct cc *cc, const struct child *child, LLVMMemoryBufferRef bitcode)
{
	const char *stop = cc->options.stop_after;
	struct cc_job job = {0};

	dup2(child->err, 2);
	start_job(&job, cc, child);
	read_module(&job, bitcode);
	for (size_t i = 0; i < array_count(stages); i++) {
		run_stage(&job, i);
		cc_error_check(cc);
		if (stop && !strcmp(stop, stages[i].name)) {
			put_module(child->out, &job);
			break;
		}
	}
	if (!stop) {
		if (!job.result->data)
			die("internal: target %s made no image", job.arch);
		put_result(child->out, job.result, cc->kernel_count);
	}
	fflush(NULL);
	_exit(0);
}

/* ---- in the parent ---- */

/* The contents of a memory file. */
static void
collect(struct arena *arena, int fd, char **data, size_t *size)
{
	struct stat st;

	*data = "";
	*size = 0;
	if (fstat(fd, &st) < 0 || !st.st_size)
		return;
	*data = arena_alloc(arena, (size_t)st.st_size + 1);
	while (*size < (size_t)st.st_size) {
		ssize_t n = pread(fd, *data + *size, (size_t)st.st_size - *size,
				  (off_t)*size);

		if (n <= 0)
			break;
		*size += (size_t)n;
	}
}

/* Takes a child's block apart; false if it is not exactly one. */
static bool
take_result(struct cc *cc, struct child *child, char *data, size_t size)
{
	struct cc_result *result = child->result;
	struct result_header header;
	size_t per_kernel = sizeof(*result->resources) + sizeof(*result->flags);
	size_t in_front;

	if (size < sizeof(header))
		return false;
	memcpy(&header, data, sizeof(header));
	if (memcmp(header.magic, RESULT_MAGIC, 8) ||
	    header.kernel_count != cc->kernel_count ||
	    header.term_count > size / sizeof(*result->terms))
		return false;
	in_front = sizeof(header) + per_kernel * cc->kernel_count +
		   sizeof(*result->terms) * header.term_count;
	if (size < in_front || size - in_front != header.size)
		return false;
	result->kind = child->target->kind;
	result->arch = child->arch;
	result->triple = child->target->triple;
	result->image_kind = (uint16_t)header.image_kind;
	data += sizeof(header);
	result->resources = (void *)arena_dup(
		&cc->arena, data,
		cc->kernel_count * sizeof(*result->resources));
	data += cc->kernel_count * sizeof(*result->resources);
	result->flags = (void *)arena_dup(
		&cc->arena, data, cc->kernel_count * sizeof(*result->flags));
	data += cc->kernel_count * sizeof(*result->flags);
	result->term_count = header.term_count;
	result->terms = (void *)arena_dup(
		&cc->arena, data, header.term_count * sizeof(*result->terms));
	data += header.term_count * sizeof(*result->terms);
	result->data = data;
	result->size = (size_t)header.size;
	return true;
}

static void
start_child(struct cc *cc, struct child *child, LLVMMemoryBufferRef bitcode)
{
	child->out = memfd_create("smelt-result", MFD_CLOEXEC);
	child->err = memfd_create("smelt-messages", MFD_CLOEXEC);
	if (child->out < 0 || child->err < 0)
		die("cannot make a memory file: %s", strerror(errno));
	fflush(NULL);
	child->pid = fork();
	if (child->pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (child->pid == 0)
		run_child(cc, child, bitcode);
}

/* Passes on what the child said; counts an error if it failed. */
static void
end_child(struct cc *cc, struct child *child, int status)
{
	char *data, *text;
	size_t size, len;

	child->done = true;
	child->pid = 0;
	collect(&cc->arena, child->err, &text, &len);
	fwrite(text, 1, len, stderr);
	collect(&cc->arena, child->out, &data, &size);
	close(child->out);
	close(child->err);
	if (WIFSIGNALED(status)) {
		fprintf(stderr,
			"error: the compiler for target %s was killed "
			"(%s)\n",
			child->arch, strsignal(WTERMSIG(status)));
		cc->errors++;
	} else if (WEXITSTATUS(status)) {
		cc->errors++;
	} else if (cc->options.stop_after) {
		cc_output(&cc->options, data, size);
	} else if (!take_result(cc, child, data, size)) {
		die("internal: target %s returned a damaged result",
		    child->arch);
	} else {
		cc_cache_write(&cc->options, child->key, data, size);
	}
}

static void
wait_for_one(struct cc *cc, struct child *children, size_t count)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	for (size_t i = 0; pid > 0 && i < count; i++)
		if (children[i].pid == pid)
			end_child(cc, &children[i], status);
	if (pid < 0 && errno != EINTR)
		die("cannot wait for a target: %s", strerror(errno));
}

void
cc_target_hash(struct cc *cc, const char *arch, struct hash *hash)
{
	struct cc_job job = {.cc = cc,
			     .arena = &cc->arena,
			     .target = cc_target_find(arch),
			     .arch = arch};
	const char *devmath =
		arena_printf(&cc->arena, "%s/devmath.bc", cc->options.lib_dir);
	char *data;
	size_t size;

	hash_add(hash, arch, strlen(arch));
	if (file_read(&cc->arena, devmath, &data, &size))
		hash_add(hash, data, size);
	if (job.target->depends)
		job.target->depends(&job, hash);
}

/* What the result follows from, and nothing else. */
static void
make_key(struct cc *cc, struct child *child, LLVMMemoryBufferRef bitcode)
{
	struct hash hash;

	cc_cache_begin(&hash);
	hash_add(&hash, LLVMGetBufferStart(bitcode),
		 LLVMGetBufferSize(bitcode));
	cc_target_hash(cc, child->arch, &hash);
	hash_add(&hash, &cc->options.fp, sizeof(cc->options.fp));
	for (size_t i = 0; i < cc->kernel_count; i++) {
		const struct cc_kernel *k = &cc->kernels[i];
		uint64_t fields[] = {k->block_size, k->block_align,
				     k->max_threads, k->min_blocks, k->flags};

		hash_add(&hash, k->symbol, strlen(k->symbol));
		hash_add(&hash, k->name, strlen(k->name));
		hash_add(&hash, fields, sizeof(fields));
	}
	hash_hex(&hash, child->key);
}

/* Options that ask to see a target at work leave the cache alone. */
static bool
take_cached(struct cc *cc, struct child *child)
{
	char *data;
	size_t size;

	if (cc->options.stop_after || cc->options.keep || cc->options.verify)
		return false;
	child->done = cc_cache_read(&cc->options, &cc->arena, child->key, &data,
				    &size) &&
		      take_result(cc, child, data, size);
	return child->done;
}

void
cc_targets_run(struct cc *cc, struct cc_result *results)
{
	LLVMMemoryBufferRef bitcode =
		LLVMWriteBitcodeToMemoryBuffer(cc->module);
	size_t count = cc->options.targets.len, running = 0;
	struct child *children =
		arena_alloc(&cc->arena, count * sizeof(*children));

	for (size_t i = 0; i < count; i++) {
		struct child *child = &children[i];

		child->arch = cc->options.targets.data[i];
		child->target = cc_target_find(child->arch);
		child->result = &results[i];
		make_key(cc, child, bitcode);
		if (take_cached(cc, child))
			continue;
		if (running == cc->options.jobs) {
			wait_for_one(cc, children, count);
			running--;
		}
		start_child(cc, child, bitcode);
		running++;
	}
	for (; running; running--)
		wait_for_one(cc, children, count);
	LLVMDisposeMemoryBuffer(bitcode);
	cc_error_check(cc);
}
