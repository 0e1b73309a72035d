/*
 * Memory: pools, locked host memory, copies.
 *
 * A GPU's memory is memory of this process too, so a copy is a memmove. Copies
 * that wait for signals are done by a thread of their own, in any order in
 * which their signals allow it.
 */
#include "sim.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Kinds of pools of an agent. Handle: tag, agent index, kind. */
enum pool_kind {
	POOL_COARSE,  /* GPU memory */
	POOL_FINE,    /* CPU: host memory; GPU: fine-grained GPU memory */
	POOL_KERNARG, /* CPU: host memory for kernel arguments */
	POOL_GROUP,   /* GPU: LDS, not to be allocated */
	POOL_KINDS,
};

#define POOL_TAG 0x900000u
#define MAX_ALLOCATION ((uint64_t)64 << 30)

struct pool {
	struct sim_agent *agent;
	enum pool_kind kind;
};

static bool
pool_exists(const struct sim_agent *agent, enum pool_kind kind)
{
	return agent->arch ? kind != POOL_KERNARG
			   : kind == POOL_FINE || kind == POOL_KERNARG;
}

static bool
pool_find(hsa_amd_memory_pool_t handle, struct pool *pool)
{
	uint64_t number = handle.handle - POOL_TAG;
	if (number >= (uint64_t)sim_agent_count() * POOL_KINDS)
		return false;
	uint32_t index = (uint32_t)number / POOL_KINDS;
	pool->agent = sim_agent_find(sim_agent_handle(index));
	pool->kind = (enum pool_kind)(number % POOL_KINDS);
	return pool->agent && pool_exists(pool->agent, pool->kind);
}

hsa_status_t
hsa_amd_agent_iterate_memory_pools(
	hsa_agent_t handle,
	hsa_status_t (*callback)(hsa_amd_memory_pool_t, void *), void *data)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct sim_agent *agent = sim_agent_find(handle);
	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	hsa_status_t status = HSA_STATUS_SUCCESS;
	for (uint32_t kind = 0;
	     kind < POOL_KINDS && status == HSA_STATUS_SUCCESS; kind++) {
		hsa_amd_memory_pool_t pool = {POOL_TAG +
					      agent->index * POOL_KINDS + kind};
		if (pool_exists(agent, (enum pool_kind)kind))
			status = callback(pool, data);
	}
	return status;
}

static uint32_t
pool_flags(const struct pool *pool)
{
	switch (pool->kind) {
	case POOL_COARSE:
		return HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
	case POOL_FINE:
		return HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
	case POOL_KERNARG:
		return HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED |
		       HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
	default:
		return 0;
	}
}

static uint64_t
pool_size(const struct pool *pool)
{
	if (pool->kind == POOL_GROUP)
		return SIM_LDS_SIZE;
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * SIM_PAGE;
}

uint64_t
memory_available(const struct sim_agent *agent)
{
	const struct pool pool = {.kind = POOL_COARSE};
	uint64_t all = pool_size(&pool);
	uint64_t used = space_owned(agent->index, RANGE_POOL);
	return used < all ? all - used : 0;
}

hsa_status_t
hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle, uint32_t attribute,
			     void *value)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct pool pool;
	if (!pool_find(handle, &pool))
		return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	bool global = pool.kind != POOL_GROUP;
	switch (attribute) {
	case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
		*(uint32_t *)value =
			global ? HSA_AMD_SEGMENT_GLOBAL : HSA_AMD_SEGMENT_GROUP;
		break;
	case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
		*(uint32_t *)value = pool_flags(&pool);
		break;
	case HSA_AMD_MEMORY_POOL_INFO_SIZE:
	case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
		*(size_t *)value = pool_size(&pool);
		break;
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
		*(bool *)value = global;
		break;
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE:
		*(size_t *)value = global ? SIM_PAGE : 0;
		break;
	case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
		*(bool *)value = !pool.agent->arch;
		break;
	case HSA_AMD_MEMORY_POOL_INFO_LOCATION:
		*(uint32_t *)value = pool.agent->arch ? 1 : 0;
		break;
	default:
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent_handle,
				   hsa_amd_memory_pool_t handle,
				   uint32_t attribute, void *value)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct sim_agent *agent = sim_agent_find(agent_handle);
	struct pool pool;
	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!pool_find(handle, &pool))
		return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!value || attribute != HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	uint32_t access = HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
	if (pool.agent == agent)
		access = HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
	else if (pool.kind == POOL_GROUP)
		access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
	*(uint32_t *)value = access;
	return HSA_STATUS_SUCCESS;
}

void *
memory_map(const struct range *like, uint64_t size)
{
	uint64_t mapped = (size + SIM_PAGE - 1) / SIM_PAGE * SIM_PAGE;
	void *ptr = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ptr == MAP_FAILED)
		return NULL;
	struct range range = *like;
	range.base = (uint64_t)(uintptr_t)ptr;
	range.size = size;
	range.mapped = mapped;
	if (space_add(&range))
		return ptr;
	munmap(ptr, mapped);
	return NULL;
}

void
memory_unmap(void *ptr, enum range_kind kind)
{
	struct range range;
	if (space_remove((uint64_t)(uintptr_t)ptr, kind, &range))
		munmap(ptr, range.mapped);
}

hsa_status_t
hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle, size_t size,
			     uint32_t flags, void **ptr)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct pool pool;
	if (!pool_find(handle, &pool))
		return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!ptr || size == 0 || flags > 7)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (pool.kind == POOL_GROUP || size > MAX_ALLOCATION)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	if (size > memory_available(pool.agent))
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	struct range like = {.kind = RANGE_POOL,
			     .owner = pool.agent->index,
			     .agents = 1u << pool.agent->index,
			     .flags = pool_flags(&pool)};
	if (pool.kind == POOL_KERNARG)
		like.agents = UINT32_MAX;
	if (pool.agent->arch)
		like.written = check_allocated(size);
	*ptr = memory_map(&like, size);
	if (!*ptr)
		free(like.written);
	return *ptr ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t
hsa_amd_memory_pool_free(void *ptr)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!ptr)
		return HSA_STATUS_SUCCESS;
	struct range range;
	if (!space_remove((uint64_t)(uintptr_t)ptr, RANGE_POOL, &range))
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	munmap(ptr, range.mapped);
	free(range.written);
	return HSA_STATUS_SUCCESS;
}

static void
set_agents(struct range *range, void *arg)
{
	range->agents = *(uint32_t *)arg | 1u << range->owner;
}

hsa_status_t
hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t *agents,
			    const uint32_t *flags, const void *ptr)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (num_agents == 0 || !agents || flags || !ptr)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	uint32_t mask = 0;
	for (uint32_t i = 0; i < num_agents; i++) {
		struct sim_agent *agent = sim_agent_find(agents[i]);
		if (!agent)
			return HSA_STATUS_ERROR_INVALID_AGENT;
		mask |= 1u << agent->index;
	}
	if (!space_change((uint64_t)(uintptr_t)ptr, set_agents, &mask))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	return HSA_STATUS_SUCCESS;
}

static void
lock_again(struct range *range, void *arg)
{
	const struct range *wanted = arg;
	if (range->kind != RANGE_LOCKED)
		return;
	range->agents |= wanted->agents;
	range->locks++;
}

hsa_status_t
hsa_amd_memory_lock(void *host, size_t size, hsa_agent_t *agents,
		    int num_agents, void **agent_ptr)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!host || size == 0 || !agent_ptr ||
	    (num_agents != 0) != (agents != NULL) || num_agents < 0)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	uint32_t mask = agents ? 0 : UINT32_MAX;
	for (int i = 0; i < num_agents; i++) {
		struct sim_agent *agent = sim_agent_find(agents[i]);
		if (!agent)
			return HSA_STATUS_ERROR_INVALID_AGENT;
		mask |= 1u << agent->index;
	}
	struct range range = {.base = (uint64_t)(uintptr_t)host,
			      .size = size,
			      .mapped = size,
			      .kind = RANGE_LOCKED,
			      .agents = mask,
			      .locks = 1};
	struct range other;
	if (!space_add(&range) &&
	    (!space_find(range.base, &other) || other.kind != RANGE_LOCKED ||
	     other.base != range.base || other.size < size ||
	     !space_change(range.base, lock_again, &range)))
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*agent_ptr = host;
	return HSA_STATUS_SUCCESS;
}

static void
unlock_once(struct range *range, void *arg)
{
	if (range->kind == RANGE_LOCKED)
		*(bool *)arg = --range->locks == 0;
}

hsa_status_t
hsa_amd_memory_unlock(void *host)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	bool last = false;
	uint64_t base = (uint64_t)(uintptr_t)host;
	space_change(base, unlock_once, &last);
	if (last)
		space_remove(base, RANGE_LOCKED, NULL);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t
list_agents(const struct range *range, void *(*alloc)(size_t),
	    uint32_t *num_agents, hsa_agent_t **accessible)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < sim_agent_count(); i++)
		count += range->agents >> i & 1;
	*num_agents = count;
	*accessible = alloc(count * sizeof(**accessible));
	if (!*accessible)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	uint32_t at = 0;
	for (uint32_t i = 0; i < sim_agent_count(); i++)
		if (range->agents >> i & 1)
			(*accessible)[at++] = sim_agent_handle(i);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_amd_pointer_info(const void *ptr, struct hsa_amd_pointer_info *info,
		     void *(*alloc)(size_t), uint32_t *num_agents,
		     hsa_agent_t **accessible)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!ptr || !info || info->size < 8)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct hsa_amd_pointer_info full = {.size = sizeof(full)};
	if (info->size < full.size)
		full.size = info->size;
	struct range range = {0};
	if (space_find((uint64_t)(uintptr_t)ptr, &range)) {
		full.type = range.kind == RANGE_LOCKED
				    ? HSA_EXT_POINTER_TYPE_LOCKED
				    : HSA_EXT_POINTER_TYPE_HSA;
		full.agent_base = (void *)(uintptr_t)range.base;
		full.host_base = full.agent_base;
		full.size_in_bytes = range.size;
		full.owner = sim_agent_handle(range.owner);
		full.global_flags = range.flags;
	}
	memcpy(info, &full, full.size);
	if (alloc && num_agents && accessible)
		return list_agents(&range, alloc, num_agents, accessible);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_amd_memory_fill(void *ptr, uint32_t value, size_t count)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!ptr || (uintptr_t)ptr % 4)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct range range;
	uint64_t base = (uint64_t)(uintptr_t)ptr;
	if (!space_find(base, &range) ||
	    count > (range.base + range.mapped - base) / 4)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	for (size_t i = 0; i < count; i++)
		((uint32_t *)ptr)[i] = value;
	check_written(ptr, count * 4);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_memory_copy(void *dst, const void *src, size_t size)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!dst || !src)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	memmove(dst, src, size);
	check_copied(dst, src, size);
	return HSA_STATUS_SUCCESS;
}

/* ---- copies that wait ---- */

struct copy {
	void *dst;
	const void *src;
	size_t size;
	uint32_t num_deps;
	struct sim_signal **deps;
	struct sim_signal *completion;
	struct copy *next;
};

static struct {
	pthread_mutex_t lock;
	struct copy *first;
	pthread_t thread;
	bool running;
	bool stop;
} copies = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
copy_ready(const struct copy *copy)
{
	for (uint32_t i = 0; i < copy->num_deps; i++)
		if (atomic_load(&copy->deps[i]->value) != 0)
			return false;
	return true;
}

/* For signal_wait_until: takes out the first copy that can go. */
static bool
take_copy(void *arg)
{
	struct copy **taken = arg;
	*taken = NULL;
	pthread_mutex_lock(&copies.lock);
	for (struct copy **at = &copies.first; *at; at = &(*at)->next) {
		if (copy_ready(*at)) {
			*taken = *at;
			*at = (*at)->next;
			break;
		}
	}
	bool stop = copies.stop;
	pthread_mutex_unlock(&copies.lock);
	return *taken || stop;
}

static void *
copy_thread(void *arg)
{
	(void)arg;
	for (;;) {
		struct copy *copy;
		signal_wait_until(take_copy, &copy);
		if (!copy)
			return NULL;
		uint64_t start = sim_now();
		memmove(copy->dst, copy->src, copy->size);
		check_copied(copy->dst, copy->src, copy->size);
		if (copy->completion) {
			copy->completion->start_time = start;
			copy->completion->end_time = sim_now();
			signal_add(copy->completion, -1);
		}
		free(copy->deps);
		free(copy);
	}
}

static bool
copy_push(struct copy *copy)
{
	pthread_mutex_lock(&copies.lock);
	bool ok = copies.running ||
		  pthread_create(&copies.thread, NULL, copy_thread, NULL) == 0;
	if (ok) {
		copies.running = true;
		struct copy **end = &copies.first;
		while (*end)
			end = &(*end)->next;
		*end = copy;
	}
	pthread_mutex_unlock(&copies.lock);
	signal_notify();
	return ok;
}

void
memory_stop(void)
{
	pthread_mutex_lock(&copies.lock);
	bool running = copies.running;
	copies.stop = true;
	pthread_mutex_unlock(&copies.lock);
	signal_notify();
	if (running)
		pthread_join(copies.thread, NULL);
	copies.running = false;
	copies.stop = false;
}

hsa_status_t
hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
			  hsa_agent_t src_agent, size_t size, uint32_t num_deps,
			  const hsa_signal_t *deps, hsa_signal_t completion)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!sim_agent_find(dst_agent) || !sim_agent_find(src_agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!dst || !src || (num_deps != 0) != (deps != NULL))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct copy *copy = calloc(1, sizeof(*copy));
	if (!copy)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*copy = (struct copy){
		.dst = dst, .src = src, .size = size, .num_deps = num_deps};
	hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	copy->deps = calloc(num_deps + 1u, sizeof(struct sim_signal *));
	if (!copy->deps)
		goto fail;
	status = HSA_STATUS_ERROR_INVALID_SIGNAL;
	for (uint32_t i = 0; i < num_deps; i++)
		if (!(copy->deps[i] = signal_find(deps[i])))
			goto fail;
	copy->completion = signal_find(completion);
	if (!copy->completion)
		goto fail;
	status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	if (copy_push(copy))
		return HSA_STATUS_SUCCESS;
fail:
	free(copy->deps);
	free(copy);
	return status;
}
