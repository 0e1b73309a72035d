/*
 * The system: start, agents, instruction sets, faults that the program hears
 * of.
 *
 * Agent 0 is the CPU, as HSA wants one; GPUs follow, SMELT_SIM_GPUS of them,
 * all of the architecture SMELT_SIM_ARCH (gfx90a if unset). A handle is the
 * index plus a tag, so that 0 and small numbers are never valid.
 */
#include "sim.h"

#include "isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { AGENT_TAG = 0x5a0000, COMPUTE_UNITS = 104 };

static struct {
	pthread_mutex_t lock;
	_Atomic uint32_t references;
	uint32_t agent_count;
	struct sim_agent agents[SIM_MAX_GPUS + 1];
	hsa_amd_event_callback *on_event;
	void *on_event_data;
} sim = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t
sim_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool
sim_initialised(void)
{
	return atomic_load(&sim.references) != 0;
}

hsa_agent_t
sim_agent_handle(uint32_t index)
{
	return (hsa_agent_t){AGENT_TAG + index};
}

struct sim_agent *
sim_agent_find(hsa_agent_t agent)
{
	uint64_t index = agent.handle - AGENT_TAG;
	if (!sim_initialised() || index >= sim.agent_count)
		return NULL;
	return &sim.agents[index];
}

uint32_t
sim_agent_count(void)
{
	return sim.agent_count;
}

static hsa_status_t
make_agents(void)
{
	const char *gpus = getenv("SMELT_SIM_GPUS");
	const char *name = getenv("SMELT_SIM_ARCH");
	long count = gpus && *gpus ? strtol(gpus, NULL, 10) : 1;
	if (count < 0 || count > SIM_MAX_GPUS) {
		fprintf(stderr, "simulated GPU: SMELT_SIM_GPUS is 0 to %d\n",
			SIM_MAX_GPUS);
		return HSA_STATUS_ERROR;
	}
	const struct arch *arch = arch_find(name && *name ? name : "gfx90a");
	if (!arch) {
		fprintf(stderr,
			"simulated GPU: SMELT_SIM_ARCH=%s is none of "
			"gfx90a, gfx942, gfx1100\n",
			name);
		return HSA_STATUS_ERROR;
	}
	sim.agent_count = (uint32_t)count + 1;
	for (uint32_t i = 0; i < sim.agent_count; i++)
		sim.agents[i] = (struct sim_agent){i, i ? arch : NULL};
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_init(void)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	pthread_mutex_lock(&sim.lock);
	if (atomic_load(&sim.references) == 0)
		status = make_agents();
	else if (atomic_load(&sim.references) == UINT32_MAX)
		status = HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
	if (status == HSA_STATUS_SUCCESS)
		atomic_fetch_add(&sim.references, 1);
	pthread_mutex_unlock(&sim.lock);
	return status;
}

hsa_status_t
hsa_shut_down(void)
{
	pthread_mutex_lock(&sim.lock);
	hsa_status_t status = HSA_STATUS_SUCCESS;
	if (atomic_load(&sim.references) == 0) {
		status = HSA_STATUS_ERROR_NOT_INITIALIZED;
	} else if (atomic_fetch_sub(&sim.references, 1) == 1) {
		signal_stop();
		memory_stop();
		sim.on_event = NULL;
	}
	pthread_mutex_unlock(&sim.lock);
	return status;
}

hsa_status_t
hsa_status_string(hsa_status_t status, const char **text)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!text)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	switch (status) {
#define XX(value, name, string)                                                \
	case HSA_STATUS_##name:                                                \
		*text = "HSA_STATUS_" #name ": " string;                       \
		return HSA_STATUS_SUCCESS;
		HSA_STATUS_MAP(XX)
#undef XX
	}
	return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t
hsa_system_get_info(uint32_t attribute, void *value)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	switch (attribute) {
	case HSA_SYSTEM_INFO_VERSION_MAJOR:
		*(uint16_t *)value = 1;
		break;
	case HSA_SYSTEM_INFO_VERSION_MINOR:
		*(uint16_t *)value = 2;
		break;
	case HSA_SYSTEM_INFO_TIMESTAMP:
		*(uint64_t *)value = sim_now();
		break;
	case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
		*(uint64_t *)value = 1000000000;
		break;
	case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
		*(uint64_t *)value = UINT64_MAX;
		break;
	case HSA_SYSTEM_INFO_ENDIANNESS:
		*(uint32_t *)value = 0;
		break;
	case HSA_SYSTEM_INFO_MACHINE_MODEL:
		*(uint32_t *)value = HSA_MACHINE_MODEL_LARGE;
		break;
	case HSA_SYSTEM_INFO_EXTENSIONS:
		memset(value, 0, 128);
		break;
	default:
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void *), void *data)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	hsa_status_t status = HSA_STATUS_SUCCESS;
	for (uint32_t i = 0;
	     i < sim.agent_count && status == HSA_STATUS_SUCCESS; i++)
		status = callback(sim_agent_handle(i), data);
	return status;
}

/* Numbers that HSA gives as uint32_t. false: not one of these. */
static bool
agent_number(const struct sim_agent *agent, uint32_t attribute, uint32_t *value)
{
	bool gpu = agent->arch != NULL;
	switch (attribute) {
	case HSA_AGENT_INFO_FEATURE:
		*value = gpu ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : 0;
		return true;
	case HSA_AGENT_INFO_MACHINE_MODEL:
		*value = HSA_MACHINE_MODEL_LARGE;
		return true;
	case HSA_AGENT_INFO_PROFILE:
		*value = gpu ? HSA_PROFILE_BASE : HSA_PROFILE_FULL;
		return true;
	case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
		*value = HSA_FLOAT_ROUNDING_MODE_NEAR;
		return true;
	case HSA_AGENT_INFO_WAVEFRONT_SIZE:
		*value = gpu ? agent->arch->wave_size : 0;
		return true;
	case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
		*value = gpu ? SIM_MAX_WORKGROUP : 0;
		return true;
	case HSA_AGENT_INFO_GRID_MAX_SIZE:
		*value = gpu ? UINT32_MAX : 0;
		return true;
	case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
		*value = gpu ? 32 : 0;
		return true;
	case HSA_AGENT_INFO_QUEUES_MAX:
		*value = gpu ? 128 : 0;
		return true;
	case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
		*value = gpu ? 64 : 0;
		return true;
	case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
		*value = gpu ? 131072 : 0;
		return true;
	case HSA_AGENT_INFO_QUEUE_TYPE:
		*value = HSA_QUEUE_TYPE_MULTI;
		return true;
	case HSA_AGENT_INFO_NODE:
	case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
	case HSA_AMD_AGENT_INFO_BDFID:
		*value = agent->index;
		return true;
	case HSA_AGENT_INFO_DEVICE:
		*value = gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU;
		return true;
	case HSA_AMD_AGENT_INFO_CHIP_ID:
		*value = gpu ? agent->arch->chip_id : 0;
		return true;
	case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
		*value = gpu ? 128 : 64;
		return true;
	case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
		*value = gpu ? COMPUTE_UNITS
			     : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
		return true;
	case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
		*value = 1700;
		return true;
	case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
		*value = gpu ? 4096 : 64;
		return true;
	case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
		*value = 1600;
		return true;
	case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
		*value = gpu ? 32 : 0;
		return true;
	case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
		*value = gpu ? 4 : 0;
		return true;
	case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
		*value = gpu ? 8 : 0;
		return true;
	case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
		*value = gpu ? 1 : 0;
		return true;
	case HSA_AMD_AGENT_INFO_DOMAIN:
	case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
		*value = 0;
		return true;
	}
	return false;
}

/* Fields of fixed size are filled with zeroes to their end. */
static void
put_text(void *value, size_t size, const char *text)
{
	memset(value, 0, size);
	memcpy(value, text, strnlen(text, size - 1));
}

hsa_status_t
hsa_agent_get_info(hsa_agent_t handle, uint32_t attribute, void *value)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct sim_agent *agent = sim_agent_find(handle);
	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	uint32_t number;
	if (agent_number(agent, attribute, &number)) {
		*(uint32_t *)value = number;
		return HSA_STATUS_SUCCESS;
	}
	bool gpu = agent->arch != NULL;
	char uuid[24];
	switch (attribute) {
	case HSA_AGENT_INFO_NAME:
		put_text(value, 64, gpu ? agent->arch->name : "host CPU");
		break;
	case HSA_AGENT_INFO_VENDOR_NAME:
		put_text(value, 64, gpu ? "AMD" : "CPU");
		break;
	case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
		put_text(value, 64, gpu ? agent->arch->product : "host CPU");
		break;
	case HSA_AMD_AGENT_INFO_UUID:
		snprintf(uuid, sizeof(uuid), gpu ? "GPU-%016x" : "CPU-XX",
			 agent->index);
		put_text(value, 21, uuid);
		break;
	case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: {
		uint16_t most = gpu ? SIM_MAX_WORKGROUP : 0;
		uint16_t dim[3] = {most, most, most};
		memcpy(value, dim, sizeof(dim));
		break;
	}
	case HSA_AGENT_INFO_GRID_MAX_DIM: {
		uint32_t most = gpu ? UINT32_MAX : 0;
		struct hsa_dim3 dim = {most, most, most};
		memcpy(value, &dim, sizeof(dim));
		break;
	}
	case HSA_AGENT_INFO_CACHE_SIZE: {
		uint32_t sizes[4] = {16384, gpu ? 8u << 20 : 1u << 20, 0, 0};
		memcpy(value, sizes, sizeof(sizes));
		break;
	}
	case HSA_AGENT_INFO_ISA:
		*(hsa_isa_t *)value = (hsa_isa_t){gpu ? handle.handle : 0};
		break;
	case HSA_AGENT_INFO_EXTENSIONS:
	case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:
		memset(value, 0,
		       attribute == HSA_AGENT_INFO_EXTENSIONS ? 128 : 8);
		break;
	case HSA_AGENT_INFO_VERSION_MAJOR:
		*(uint16_t *)value = 1;
		break;
	case HSA_AGENT_INFO_VERSION_MINOR:
		*(uint16_t *)value = 2;
		break;
	case HSA_AGENT_INFO_FAST_F16_OPERATION:
	case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
		*(bool *)value = attribute == HSA_AGENT_INFO_FAST_F16_OPERATION;
		break;
	case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY:
		*(uint64_t *)value = 100000000;
		break;
	case HSA_AMD_AGENT_INFO_MEMORY_AVAIL:
		*(uint64_t *)value = memory_available(agent);
		break;
	default:
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

/* An ISA's handle is its agent's. */
hsa_status_t
hsa_agent_iterate_isas(hsa_agent_t handle,
		       hsa_status_t (*callback)(hsa_isa_t, void *), void *data)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct sim_agent *agent = sim_agent_find(handle);
	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!agent->arch)
		return HSA_STATUS_SUCCESS;
	return callback((hsa_isa_t){handle.handle}, data);
}

hsa_status_t
hsa_isa_get_info_alt(hsa_isa_t isa, uint32_t attribute, void *value)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct sim_agent *agent = sim_agent_find((hsa_agent_t){isa.handle});
	if (!agent || !agent->arch)
		return HSA_STATUS_ERROR_INVALID_ISA;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	size_t length = strlen(agent->arch->isa_name) + 1;
	switch (attribute) {
	case HSA_ISA_INFO_NAME_LENGTH:
		*(uint32_t *)value = (uint32_t)length;
		return HSA_STATUS_SUCCESS;
	case HSA_ISA_INFO_NAME:
		memcpy(value, agent->arch->isa_name, length);
		return HSA_STATUS_SUCCESS;
	}
	return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t
hsa_amd_register_system_event_handler(hsa_amd_event_callback *callback,
				      void *data)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&sim.lock);
	bool taken = callback && sim.on_event;
	if (!taken) {
		sim.on_event = callback;
		sim.on_event_data = data;
	}
	pthread_mutex_unlock(&sim.lock);
	return taken ? HSA_STATUS_ERROR : HSA_STATUS_SUCCESS;
}

void
sim_memory_fault(uint32_t agent_index, uint64_t address, uint32_t reason,
		 const char *text)
{
	struct hsa_amd_event event = {
		HSA_AMD_GPU_MEMORY_FAULT_EVENT,
		{sim_agent_handle(agent_index), address, reason}};
	fprintf(stderr, "simulated GPU %u: %s\n", agent_index - 1, text);
	pthread_mutex_lock(&sim.lock);
	hsa_amd_event_callback *callback = sim.on_event;
	void *data = sim.on_event_data;
	pthread_mutex_unlock(&sim.lock);
	if (!callback || callback(&event, data) != HSA_STATUS_SUCCESS)
		abort();
}
