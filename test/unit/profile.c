/*
 * Profile and trace: what they count, and that the trace is what its readers
 * take.
 */
#include "unit.h"

#include "runtime/engine.h"
#include "sample.h"

#include <cjson/cJSON.h>

static smelt_device *device;
static smelt_stream *stream;
static uint64_t host[1000];

static void
setup(void)
{
	setenv("SMELT_DEVICE", "null", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
}

/* One launch with a map, as the crate makes it. */
static void
launch(void)
{
	struct sample_block block = {{0}, NULL, 1000, 1};
	struct smelt_launch one = sample_launch(SAMPLE_ADD, &block, 1000);
	void *memory;

	smelt_at("work.rs", 7, 12);
	CHECK_INT(smelt_map_begin(stream, host, sizeof(host), SMELT_MAP_TOFROM,
				  &memory),
		  0);
	block.out = memory;
	CHECK_INT(smelt_kernel_launch(stream, &one), 0);
	CHECK_INT(smelt_map_end(stream, host, sizeof(host), SMELT_MAP_TOFROM),
		  0);
}

static struct smelt_profile_entry
find(uint32_t kind)
{
	struct smelt_profile_entry entry;
	uint32_t count = 0;

	CHECK_INT(smelt_profile_count(&count), 0);
	for (uint32_t i = 0; i < count; i++) {
		entry = (struct smelt_profile_entry){.size = sizeof(entry)};
		CHECK_INT(smelt_profile_get(i, &entry), 0);
		if (entry.kind == kind)
			return entry;
	}
	CHECK(!"an entry of this kind");
	return (struct smelt_profile_entry){0};
}

static void
values(void)
{
	struct smelt_profile_entry entry;
	uint32_t count = 9;

	setup();
	launch();
	CHECK_INT(smelt_profile_count(&count), 0);
	CHECK_INT(count, 0);
	CHECK_INT(smelt_profile_start(), 0);
	for (int i = 0; i < 3; i++)
		launch();
	/* Changes in every lane of the hash, and at the end. */
	for (int i = 0; i < 5; i++) {
		host[i < 4 ? i : 999] ^= UINT64_C(1) << (i * 15);
		launch();
	}
	CHECK_INT(smelt_profile_stop(), 0);
	launch();
	entry = find(SMELT_PROFILE_KERNEL);
	CHECK_INT(entry.count, 8);
	CHECK(!strcmp(entry.name, "t::add") && !strcmp(entry.file, "work.rs"));
	CHECK_INT(entry.line, 12);
	CHECK_INT(entry.needless_bytes, 0);
	/* The null device changes nothing: all that came back was there, and
	 * only the first time and after changes it had to go. */
	entry = find(SMELT_PROFILE_FROM);
	CHECK_INT(entry.bytes, 8 * sizeof(host));
	CHECK_INT(entry.needless_bytes, 8 * sizeof(host));
	entry = find(SMELT_PROFILE_TO);
	CHECK_INT(entry.count, 8);
	CHECK_INT(entry.bytes, 8 * sizeof(host));
	CHECK_INT(entry.needless_bytes, 2 * sizeof(host));
	CHECK(entry.nanoseconds > 0);
	CHECK_INT(smelt_profile_get(1000, &entry), SMELT_EINVALID);
	CHECK_INT(smelt_profile_get(0, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_profile_start(), 0);
	CHECK_INT(smelt_profile_count(&count), 0);
	CHECK_INT(count, 0);
	CHECK_INT(smelt_profile_stop(), 0);
}

static char path[64];

/* In a process of its own: the trace is complete when that has ended. */
static void
traced_process(void)
{
	smelt_stream *other;

	setenv("SMELT_TRACE", path, 1);
	setup();
	smelt_at("odd \"name\"\\.rs", 14, 3);
	CHECK_INT(smelt_stream_create(device, &other), 0);
	for (int i = 0; i < 10; i++)
		launch();
	/* A child adds nothing. */
	fflush(stdout);
	if (fork() == 0)
		exit(0);
	wait(NULL);
	smelt_at("odd \"name\"\\.rs", 14, 3);
	CHECK_INT(smelt_stream_wait(other), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
}

static char *
read_trace(void)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "r");
	size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[size] = 0;
	if (file)
		fclose(file);
	return text;
}

static void
check_events(const cJSON *events)
{
	int kernels = 0, copies = 0, waits = 0, devices = 0, streams = 0;
	const cJSON *event;
	double last = 0;

	cJSON_ArrayForEach(event, events)
	{
		const char *name = cJSON_GetStringValue(
			cJSON_GetObjectItem(event, "name"));
		const char *at = cJSON_GetStringValue(cJSON_GetObjectItem(
			cJSON_GetObjectItem(event, "args"), "at"));
		double start =
			cJSON_GetNumberValue(cJSON_GetObjectItem(event, "ts"));

		if (name && !strcmp(name, "process_name")) {
			devices++;
			continue;
		}
		if (name && !strcmp(name, "thread_name")) {
			streams++;
			continue;
		}
		CHECK(name && at);
		if (!name || !at)
			return;
		CHECK(start >= last);
		last = start;
		CHECK(cJSON_GetNumberValue(cJSON_GetObjectItem(event, "dur")) >=
		      0);
		CHECK(cJSON_IsNumber(cJSON_GetObjectItem(event, "pid")));
		CHECK(cJSON_IsNumber(cJSON_GetObjectItem(event, "tid")));
		kernels += !strcmp(name, "t::add");
		copies +=
			!strncmp(name, "copy", 4) && !strcmp(at, "work.rs:12");
		waits += !strcmp(name, "wait") &&
			 !strcmp(at, "odd \"name\"\\.rs:3");
	}
	CHECK_INT(kernels, 10);
	CHECK_INT(copies, 20);
	CHECK_INT(waits, 2);
	CHECK_INT(devices, 1);
	CHECK_INT(streams, 2);
}

static void
trace(void)
{
	cJSON *json;

	json = cJSON_Parse(read_trace());
	CHECK(json != NULL);
	CHECK(cJSON_IsArray(json));
	check_events(json);
	cJSON_Delete(json);
	unlink(path);
}

/* A program that is killed leaves a trace without its end. */
static void
killed_process(void)
{
	setenv("SMELT_TRACE", path, 1);
	setup();
	launch();
	_exit(unit_failures != 0);
}

static void
killed(void)
{
	char *text = read_trace();
	cJSON *json;

	CHECK(!strchr(text, ']'));
	json = cJSON_Parse(strcat(text, "]"));
	/* Two names, two copies, a kernel, a wait. */
	CHECK(cJSON_GetArraySize(json) >= 5);
	cJSON_Delete(json);
	unlink(path);
}

static void
table_process(void)
{
	/* What it prints goes where the test can read it. */
	CHECK(freopen(path, "w", stderr) != NULL);
	setenv("SMELT_PROFILE", "1", 1);
	setup();
	for (int i = 0; i < 3; i++)
		launch();
}

static void
table(void)
{
	char *text = read_trace();

	CHECK_TEXT(text, "smelt profile");
	CHECK_TEXT(text, "t::add  work.rs:12");
	CHECK_TEXT(text, "copy to device  work.rs:12");
	CHECK_TEXT(text, " 24.00 kB ");
	CHECK_TEXT(text, "what could be spared:\n  work.rs:12: ");
	CHECK_TEXT(text, "work.rs:12: 24.00 kB copied from the device although "
			 "the host held them already");
	CHECK_TEXT(text, "work.rs:12: 16.00 kB copied to the device although "
			 "the device held them already");
	CHECK_TEXT(text, "keep them there in an Array or a Buffer");
	unlink(path);
}

int
main(void)
{
	snprintf(path, sizeof(path), "/tmp/smelt-profile-%d", (int)getpid());
	RUN(values);
	RUN(traced_process);
	RUN(trace);
	RUN(killed_process);
	RUN(killed);
	RUN(table_process);
	RUN(table);
	return unit_failed != 0;
}
