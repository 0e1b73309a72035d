/*
 * Finding devices, SMELT_DEVICE and its like, errors, versions, forks.
 */
#include "unit.h"

#include "sample.h"

#include <dlfcn.h>
#include <time.h>

/* No GPU, whatever this machine has. */
static void
cpu_only(void)
{
	setenv("SMELT_OFFLOAD_LIB", "/nowhere/libLLVMOffload.so", 1);
}

static void
cpu_found(void)
{
	struct smelt_device_info info = {.size = sizeof(info)};
	smelt_device *device, *same;
	smelt_stream *stream;
	uint32_t count = 0;

	cpu_only();
	setenv("SMELT_CPU_THREADS", "5", 1);
	CHECK_INT(smelt_device_count(&count), 0);
	CHECK_INT(count, 1);
	CHECK_INT(smelt_device_get(0, &device), 0);
	CHECK_INT(smelt_device_default(&same), 0);
	CHECK(device == same);
	CHECK_INT(smelt_device_info(device, &info), 0);
	CHECK_INT(info.kind, SMELT_DEVICE_CPU);
	CHECK_INT(info.units, 5);
	CHECK_INT(info.warp_size, 32);
	CHECK(info.memory_bytes > 1u << 20);
	CHECK(!strcmp(info.engine, "cpu"));
	CHECK(!strcmp(info.arch, "x86_64"));
	CHECK_INT(smelt_device_shares_memory(device), 1);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	CHECK_INT(smelt_stream_destroy(stream), SMELT_EINVALID);
	CHECK_INT(smelt_stream_wait(stream), 0);
}

static void
bad_arguments(void)
{
	struct smelt_device_info info = {.size = 0};
	smelt_device *device;
	smelt_stream *stream;

	cpu_only();
	CHECK_INT(smelt_device_count(NULL), SMELT_EINVALID);
	CHECK_INT(smelt_device_get(0, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_device_default(NULL), SMELT_EINVALID);
	CHECK_INT(smelt_device_get(1, &device), SMELT_ENO_DEVICE);
	CHECK(device == NULL);
	CHECK_TEXT(smelt_last_error(), "no device 1: there is 1");
	CHECK_INT(smelt_device_get(0, &device), 0);
	CHECK_INT(smelt_device_info(device, &info), SMELT_EINVALID);
	CHECK_INT(smelt_device_info(device, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_device_info(NULL, &info), SMELT_EINVALID);
	CHECK_INT(smelt_device_stream(device, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_device_stream(NULL, &stream), SMELT_EINVALID);
	CHECK_INT(smelt_device_shares_memory(NULL), 0);
	CHECK_INT(smelt_stream_wait(NULL), SMELT_EINVALID);
	CHECK_INT(smelt_stream_create(NULL, &stream), SMELT_EINVALID);
	CHECK_INT(smelt_stream_create(device, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_stream_destroy(NULL), 0);
}

/* An older program's smaller struct is filled in as far as it goes. */
static void
small_info(void)
{
	struct smelt_device_info info;
	smelt_device *device;

	cpu_only();
	memset(&info, 0xee, sizeof(info));
	info.size = 8;
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_info(device, &info), 0);
	CHECK_INT(info.size, 8);
	CHECK_INT(info.kind, SMELT_DEVICE_CPU);
	CHECK_INT(info.units, 0xeeeeeeee);
}

static void
choice_of_kind(void)
{
	uint32_t count = 7;
	smelt_device *device;

	cpu_only();
	setenv("SMELT_DEVICE", "nvidia", 1);
	CHECK_INT(smelt_device_count(&count), 0);
	CHECK_INT(count, 0);
	CHECK_INT(smelt_device_default(&device), SMELT_ENO_DEVICE);
	CHECK_TEXT(smelt_last_error(), "SMELT_DEVICE is nvidia");
}

static void
choice_of_null(void)
{
	struct smelt_device_info info = {.size = sizeof(info)};
	smelt_device *device;

	cpu_only();
	setenv("SMELT_DEVICE", "null", 1);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_info(device, &info), 0);
	CHECK_INT(info.kind, SMELT_DEVICE_NULL);
	CHECK_INT(smelt_device_shares_memory(device), 0);
}

static void
choice_of_index(void)
{
	smelt_device *device;

	cpu_only();
	setenv("SMELT_DEVICE", "0", 1);
	CHECK_INT(smelt_device_default(&device), 0);
}

static void
bad_choice(void)
{
	uint32_t count;

	cpu_only();
	setenv("SMELT_DEVICE", "1", 1);
	CHECK_INT(smelt_device_count(&count), SMELT_ENO_DEVICE);
	CHECK_TEXT(smelt_last_error(), "SMELT_DEVICE=1: expected");
	CHECK_TEXT(smelt_last_error(), "a number below 1");
}

static void
bad_word(void)
{
	uint32_t count;

	cpu_only();
	setenv("SMELT_DEVICE", "gpu", 1);
	CHECK_INT(smelt_device_count(&count), SMELT_ENO_DEVICE);
	CHECK_TEXT(smelt_last_error(), "SMELT_DEVICE=gpu: expected cpu");
}

static void
bad_threads(void)
{
	uint32_t count;

	cpu_only();
	setenv("SMELT_CPU_THREADS", "many", 1);
	CHECK_INT(smelt_device_count(&count), SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "SMELT_CPU_THREADS=many: expected");
}

static void
required(void)
{
	smelt_device *device;

	cpu_only();
	setenv("SMELT_REQUIRE_DEVICE", "1", 1);
	CHECK_INT(smelt_device_default(&device), SMELT_ENO_DEVICE);
	CHECK_TEXT(smelt_last_error(), "SMELT_REQUIRE_DEVICE");
}

static void
required_not(void)
{
	smelt_device *device;

	cpu_only();
	setenv("SMELT_REQUIRE_DEVICE", "0", 1);
	CHECK_INT(smelt_device_default(&device), 0);
}

static void
error_texts(void)
{
	CHECK(!strcmp(smelt_last_error(), ""));
	for (int code = 0; code >= -14; code--)
		CHECK(strcmp(smelt_error_text(code), "unknown error") != 0);
	CHECK(!strcmp(smelt_error_text(-15), "unknown error"));
	CHECK(!strcmp(smelt_error_text(1), "unknown error"));
}

static void
forked(void)
{
	smelt_device *device;
	void *memory;
	uint32_t count;
	int status = -1;
	pid_t child;

	cpu_only();
	CHECK_INT(smelt_device_default(&device), 0);
	child = fork();
	if (child == 0) {
		int bad = smelt_device_count(&count) != SMELT_EUNSUPPORTED;

		bad |= smelt_memory_alloc(device, 8, &memory) !=
		       SMELT_EUNSUPPORTED;
		bad |= !strstr(smelt_last_error(), "forked");
		_exit(bad);
	}
	waitpid(child, &status, 0);
	CHECK_INT(status, 0);
	CHECK_INT(smelt_memory_alloc(device, 8, &memory), 0);
	CHECK_INT(smelt_memory_free(device, NULL, memory), 0);
}

/* A shared object that exports another version of the runtime. */
static void
two_versions(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 32);
	uint32_t count;

	CHECK(len > 0);
	path[len] = 0;
	strcpy(strrchr(path, '/'), "/fake_version.so");
	cpu_only();
	CHECK(dlopen(path, RTLD_NOW | RTLD_GLOBAL) != NULL);
	CHECK_INT(smelt_device_count(&count), SMELT_EVERSION);
	CHECK_TEXT(smelt_last_error(), "version 0.1 of the smelt runtime");
	CHECK_TEXT(smelt_last_error(), "99.7");
}

/* The real library, if it is here: with or without a GPU it must be quick. */
static void
real_offload(void)
{
	struct timespec begun, ended;
	uint32_t count = 0;

	unsetenv("SMELT_OFFLOAD_LIB");
	clock_gettime(CLOCK_MONOTONIC, &begun);
	CHECK_INT(smelt_device_count(&count), 0);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	CHECK(count >= 1);
	CHECK(ended.tv_sec - begun.tv_sec < 20);
}

static void
info_lines(void)
{
	char line[512] = "";
	smelt_device *device;
	smelt_stream *stream;
	uint64_t out[4] = {0};
	struct sample_block block = {{0}, out, 4, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 4);
	FILE *file = tmpfile();

	cpu_only();
	setenv("SMELT_INFO", "1", 1);
	smelt_image_register(sample_image());
	fflush(stderr);
	CHECK(file && dup2(fileno(file), 2) == 2);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	rewind(file);
	while (fgets(line, sizeof(line), file))
		if (strstr(line, "launch"))
			break;
	CHECK_TEXT(line, "smelt: launch t::add on 0");
	CHECK_TEXT(line, "1x1x1 blocks of 4x1x1 threads");
	CHECK_TEXT(line, "at here.c:1");
	fclose(file);
}

int
main(void)
{
	RUN(cpu_found);
	RUN(bad_arguments);
	RUN(small_info);
	RUN(choice_of_kind);
	RUN(choice_of_null);
	RUN(choice_of_index);
	RUN(bad_choice);
	RUN(bad_word);
	RUN(bad_threads);
	RUN(required);
	RUN(required_not);
	RUN(error_texts);
	RUN(forked);
	RUN(two_versions);
	RUN(real_offload);
	RUN(info_lines);
	return unit_failed != 0;
}
