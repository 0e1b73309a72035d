/* Declarations are CUDA's driver API and HSA's (hsa.h, hsa_ext_amd.h). */
#include "driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Only if the library is loaded already; it stays so. */
static void *
function(const char *library, const char *name)
{
	void *driver = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
	void *symbol = driver ? dlsym(driver, name) : NULL;

	if (driver)
		dlclose(driver);
	return symbol;
}

uint64_t
driver_cuda_available(void)
{
	int (*ask)(size_t * available, size_t * all) = NULL;
	void *symbol = function("libcuda.so.1", "cuMemGetInfo_v2");
	size_t available = 0, all = 0;

	memcpy(&ask, &symbol, sizeof(symbol));
	return ask && !ask(&available, &all) ? available : UINT64_MAX;
}

enum {
	HSA_AGENT_INFO_DEVICE = 17,
	HSA_DEVICE_TYPE_GPU = 1,
	HSA_AMD_AGENT_INFO_MEMORY_AVAIL = 0xa015,
	HSA_STATUS_INFO_BREAK = 1,
};

struct agent {
	uint64_t handle;
};

struct hsa_question {
	int (*get)(struct agent agent, int attribute, void *value);
	uint32_t skip; /* GPUs before the one that is meant */
	uint64_t available;
};

static int
on_agent(struct agent agent, void *data)
{
	struct hsa_question *question = data;
	uint32_t type = 0;

	if (question->get(agent, HSA_AGENT_INFO_DEVICE, &type) ||
	    type != HSA_DEVICE_TYPE_GPU || question->skip--)
		return 0;
	if (question->get(agent, HSA_AMD_AGENT_INFO_MEMORY_AVAIL,
			  &question->available))
		question->available = UINT64_MAX;
	return HSA_STATUS_INFO_BREAK;
}

uint64_t
driver_hsa_available(uint32_t number)
{
	static const char library[] = "libhsa-runtime64.so.1";
	struct hsa_question question = {.skip = number,
					.available = UINT64_MAX};
	int (*iterate)(int (*found)(struct agent agent, void *data),
		       void *data) = NULL;
	void *get = function(library, "hsa_agent_get_info");
	void *symbol = function(library, "hsa_iterate_agents");

	memcpy(&question.get, &get, sizeof(get));
	memcpy(&iterate, &symbol, sizeof(symbol));
	if (question.get && iterate)
		iterate(on_agent, &question);
	return question.available;
}
