/*
 * Devices: found once, at first use, and kept for the life of the process.
 *
 * They are never closed: a driver torn down in an exit handler is torn down
 * while other threads may still launch.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seen by other copies of the runtime in this process, where a shared object
 * exports it. */
extern const uint32_t smelt_runtime_version;
const uint32_t smelt_runtime_version =
	SMELT_VERSION_MAJOR << 16 | SMELT_VERSION_MINOR;

bool rt_info_wanted;
bool rt_check_wanted;
atomic_bool rt_was_forked;

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool devices_ready;
static struct smelt_device devices[RT_MAX_DEVICES];
static uint32_t device_count;
static int find_result;
static char find_text[256];

static void
after_fork(void)
{
	atomic_store(&rt_was_forked, true);
}

int
rt_forked(void)
{
	return rt_error(SMELT_EUNSUPPORTED,
			"this process was forked after it had used a device; "
			"use devices only in the child, or start it with exec");
}

static bool
flag_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0") != 0;
}

void
rt_info(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "smelt: %s\n", line);
}

/* SMELT_DEVICE, or NULL; only the CPU checks kernels. */
static const char *
device_choice(void)
{
	const char *choice = getenv("SMELT_DEVICE");

	if (choice && *choice)
		return choice;
	return rt_check_wanted ? "cpu" : NULL;
}

static void
add_device(const struct engine *engine, const struct engine_info *info)
{
	struct smelt_device *device = &devices[device_count];

	if (device_count == RT_MAX_DEVICES)
		return;
	device->engine = engine;
	device->found = *info;
	device->found.info.size = sizeof(info->info);
	snprintf(device->found.info.engine, sizeof(info->info.engine), "%s",
		 engine->name);
	device->index = device_count++;
}

static void
add_offload(const struct engine_info *info)
{
	add_device(&engine_offload, info);
}

static void
add_cpu(const struct engine_info *info)
{
	add_device(&engine_cpu, info);
}

static void
add_null(const struct engine_info *info)
{
	add_device(&engine_null, info);
}

/* NVIDIA before AMD before CPU; otherwise as found. */
static void
sort_devices(void)
{
	static const uint32_t order[] = {SMELT_DEVICE_NVIDIA, SMELT_DEVICE_AMD,
					 SMELT_DEVICE_CPU, SMELT_DEVICE_NULL};
	static struct smelt_device sorted[RT_MAX_DEVICES];
	uint32_t count = 0;

	for (size_t k = 0; k < array_count(order); k++)
		for (uint32_t i = 0; i < device_count; i++)
			if (devices[i].found.info.kind == order[k])
				sorted[count++] = devices[i];
	memcpy(devices, sorted, sizeof(sorted));
	for (uint32_t i = 0; i < count; i++)
		devices[i].index = i;
}

static void
keep_device(uint32_t index)
{
	devices[0] = devices[index];
	devices[0].index = 0;
	device_count = 1;
}

static void
keep_kind(uint32_t kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < device_count; i++)
		if (devices[i].found.info.kind == kind)
			devices[count++] = devices[i];
	device_count = count;
	for (uint32_t i = 0; i < count; i++)
		devices[i].index = i;
}

static void
refuse_choice(const char *choice)
{
	find_result = SMELT_ENO_DEVICE;
	snprintf(
		find_text, sizeof(find_text),
		"SMELT_DEVICE=%s: expected cpu, nvidia, amd, or a number below "
		"%u",
		choice, device_count);
	device_count = 0;
}

/* Engines read such variables too, and may take them for right. */
static void
check_number(const char *variable, unsigned long least, unsigned long most)
{
	const char *text = getenv(variable);
	unsigned long number;
	char *end;

	if (!text || !*text)
		return;
	number = strtoul(text, &end, 10);
	if (!*end && number >= least && number <= most && *text != '-')
		return;
	find_result = SMELT_EINVALID;
	snprintf(find_text, sizeof(find_text),
		 "%s=%s: expected a number from %lu to %lu", variable, text,
		 least, most);
}

uint32_t
engine_device_count(const char *variable)
{
	const char *text = getenv(variable);
	unsigned long count = text ? strtoul(text, NULL, 10) : 1;

	return count < 1 ? 1 : count > 16 ? 16 : (uint32_t)count;
}

/* The engines that the choice leaves are asked, the others not even loaded. */
static void
find_devices(void)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} kinds[] = {{"cpu", SMELT_DEVICE_CPU},
		     {"nvidia", SMELT_DEVICE_NVIDIA},
		     {"amd", SMELT_DEVICE_AMD},
		     {"null", SMELT_DEVICE_NULL}};
	const char *choice = device_choice();
	unsigned long index;
	char *end;

	if (choice && !strcmp(choice, "null"))
		engine_null.find(add_null);
	else if (!choice || strcmp(choice, "cpu") != 0)
		engine_offload.find(add_offload);
	engine_cpu.find(add_cpu);
	sort_devices();
	if (!choice)
		return;
	for (size_t i = 0; i < array_count(kinds); i++)
		if (!strcmp(choice, kinds[i].name)) {
			keep_kind(kinds[i].kind);
			return;
		}
	index = strtoul(choice, &end, 10);
	if (*end || choice[0] < '0' || choice[0] > '9' || index >= device_count)
		refuse_choice(choice);
	else
		keep_device((uint32_t)index);
}

/* A copy in a shared object that was built from another version would share
 * neither streams nor memory with this one. Only an exported copy can be seen.
 */
static void
check_version(void)
{
	const uint32_t *other = dlsym(RTLD_DEFAULT, "smelt_runtime_version");

	if (!other || *other == smelt_runtime_version)
		return;
	find_result = SMELT_EVERSION;
	snprintf(find_text, sizeof(find_text),
		 "this program holds version %u.%u of the smelt runtime and "
		 "also %u.%u; build all parts of it with one",
		 smelt_runtime_version >> 16, smelt_runtime_version & 0xffff,
		 *other >> 16, *other & 0xffff);
}

/* Other threads may be in the midst of their work. */
static void
at_exit(void)
{
	if (atomic_load(&rt_was_forked))
		return;
	rt_stage_stop();
	rt_profile_finish();
	engine_offload_end();
}

static void
start(void)
{
	pthread_atfork(NULL, NULL, after_fork);
	rt_info_wanted = flag_set("SMELT_INFO");
	rt_check_wanted = flag_set("SMELT_CPU_CHECK");
	rt_profile_start();
	check_version();
	check_number("SMELT_CPU_THREADS", 1, RT_MAX_CPU_THREADS);
	check_number("SMELT_STACK_SIZE", 1024, 512 * 1024);
	if (!find_result)
		find_devices();
	/* After the drivers' own, so before them. */
	atexit(at_exit);
	for (uint32_t i = 0; rt_info_wanted && i < device_count; i++)
		rt_info("device %u: %s (%s), %u units, engine %s", i,
			devices[i].found.info.name, devices[i].found.info.arch,
			devices[i].found.info.units,
			devices[i].found.info.engine);
}

int
rt_enter(void)
{
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	if (!atomic_load_explicit(&devices_ready, memory_order_acquire)) {
		pthread_mutex_lock(&device_lock);
		if (!atomic_load(&devices_ready)) {
			start();
			atomic_store(&devices_ready, true);
		}
		pthread_mutex_unlock(&device_lock);
	}
	if (find_result)
		return rt_error(find_result, "%s", find_text);
	return 0;
}

int
smelt_device_count(uint32_t *count)
{
	int result;

	if (!count)
		return rt_error(SMELT_EINVALID, "count is NULL");
	*count = 0;
	result = rt_enter();
	if (result)
		return result;
	*count = device_count;
	return 0;
}

/* The locks have to be made before the stream, which uses them. */
static int
open_device(struct smelt_device *device)
{
	int result;

	pthread_mutex_init(&device->memory_lock, NULL);
	pthread_mutex_init(&device->map_lock, NULL);
	pthread_mutex_init(&device->events_lock, NULL);
	pthread_mutex_init(&device->streams_lock, NULL);
	result = smelt_stream_create(device, &device->stream);
	if (result) {
		rt_pool_release(device);
		pthread_mutex_destroy(&device->streams_lock);
		pthread_mutex_destroy(&device->events_lock);
		pthread_mutex_destroy(&device->map_lock);
		pthread_mutex_destroy(&device->memory_lock);
		return result;
	}
	device->open = true;
	return 0;
}

int
smelt_device_get(uint32_t index, smelt_device **device)
{
	int result;

	if (!device)
		return rt_error(SMELT_EINVALID, "device is NULL");
	*device = NULL;
	result = rt_enter();
	if (result)
		return result;
	if (index >= device_count)
		return rt_error(SMELT_ENO_DEVICE,
				"no device %u: there %s %u, SMELT_DEVICE is %s",
				index, device_count == 1 ? "is" : "are",
				device_count,
				device_choice() ? device_choice() : "not set");
	pthread_mutex_lock(&device_lock);
	if (!devices[index].open)
		result = open_device(&devices[index]);
	pthread_mutex_unlock(&device_lock);
	if (!result)
		*device = &devices[index];
	return result;
}

static uint32_t
find_cpu(void)
{
	for (uint32_t i = 0; i < device_count; i++)
		if (devices[i].found.info.kind == SMELT_DEVICE_CPU)
			return i;
	return 0;
}

int
smelt_device_default(smelt_device **device)
{
	bool required = flag_set("SMELT_REQUIRE_DEVICE");
	uint32_t index = 0;
	int result;

	if (!device)
		return rt_error(SMELT_EINVALID, "device is NULL");
	*device = NULL;
	result = rt_enter();
	if (result)
		return result;
	if (required &&
	    (!device_count || devices[0].found.info.kind == SMELT_DEVICE_CPU))
		return rt_error(SMELT_ENO_DEVICE,
				"%s, and SMELT_REQUIRE_DEVICE forbids the CPU",
				device_choice() ? "SMELT_DEVICE leaves no GPU"
						: "no GPU was found");
	if (!required && !smelt_has_kernels() && !device_choice())
		index = find_cpu();
	return smelt_device_get(index, device);
}

int
smelt_device_info(smelt_device *device, struct smelt_device_info *info)
{
	uint32_t size;

	if (!device || !info || info->size < sizeof(uint32_t))
		return rt_error(SMELT_EINVALID,
				"device or info is NULL, or info->size is not "
				"set");
	size = info->size < sizeof(*info) ? info->size : sizeof(*info);
	memcpy(info, &device->found.info, size);
	info->size = size;
	return 0;
}

int
smelt_device_shares_memory(smelt_device *device)
{
	return device && device->found.shares_memory;
}

int
smelt_device_stream(smelt_device *device, smelt_stream **stream)
{
	if (!device || !stream)
		return rt_error(SMELT_EINVALID, "device or stream is NULL");
	*stream = device->stream;
	return 0;
}

static void
add_counters(struct smelt_counters *all, struct rt_counters *from)
{
	all->launches += atomic_load(&from->launches);
	all->copies_to += atomic_load(&from->copies[ENGINE_TO_DEVICE]);
	all->bytes_to += atomic_load(&from->bytes[ENGINE_TO_DEVICE]);
	all->copies_from += atomic_load(&from->copies[ENGINE_FROM_DEVICE]);
	all->bytes_from += atomic_load(&from->bytes[ENGINE_FROM_DEVICE]);
	all->copies_on += atomic_load(&from->copies[ENGINE_ON_DEVICE]);
	all->bytes_on += atomic_load(&from->bytes[ENGINE_ON_DEVICE]);
	all->waits += atomic_load(&from->waits);
}

int
smelt_device_counters(smelt_device *device, struct smelt_counters *counters)
{
	struct smelt_counters all = {.size = sizeof(all)};
	smelt_stream *stream;

	if (!device || !counters || counters->size < sizeof(uint32_t))
		return rt_error(SMELT_EINVALID,
				"device or counters is NULL, or counters->size "
				"is not set");
	pthread_mutex_lock(&device->streams_lock);
	stream = device->streams;
	pthread_mutex_unlock(&device->streams_lock);
	for (; stream; stream = stream->next)
		add_counters(&all, &stream->counters);
	if (counters->size < all.size)
		all.size = counters->size;
	memcpy(counters, &all, all.size);
	return 0;
}
