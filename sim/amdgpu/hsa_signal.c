/*
 * Signals: values that host and device change and wait for.
 *
 * Values are atomics that anybody may change without a lock; the lock and the
 * condition only put waiters to sleep. A waiter counts itself before it looks
 * at the value, a writer looks at the count after it has written, so one of the
 * two sees the other. Device code may store to a value without telling us:
 * sleepers look again every millisecond.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t signal_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signal_changed = PTHREAD_COND_INITIALIZER;
static _Atomic int waiters;

/* Memory of signals, a page at a time, so that the device can reach them. */
static struct {
	pthread_mutex_t lock;
	struct sim_signal **free;
	size_t free_count;
	size_t capacity; /* room for all there are, used or free */
	size_t total;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct handler {
	struct sim_signal *signal;
	uint32_t condition;
	int64_t value;
	hsa_amd_signal_handler *function;
	void *arg;
	struct handler *next;
};

static struct {
	struct handler *first; /* under signal_lock, as all of this */
	pthread_t thread;
	bool running;
	bool stop;
} handlers;

void
signal_notify(void)
{
	if (atomic_load(&waiters) == 0)
		return;
	pthread_mutex_lock(&signal_lock);
	pthread_cond_broadcast(&signal_changed);
	pthread_mutex_unlock(&signal_lock);
}

static void
sleep_a_little(void)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&signal_changed, &signal_lock, &until);
}

void
signal_wait_until(bool (*ready)(void *arg), void *arg)
{
	atomic_fetch_add(&waiters, 1);
	pthread_mutex_lock(&signal_lock);
	while (!ready(arg))
		sleep_a_little();
	pthread_mutex_unlock(&signal_lock);
	atomic_fetch_sub(&waiters, 1);
}

/* A page more of free signals; with the pool's lock. */
static bool
pool_grow(void)
{
	size_t fresh = SIM_PAGE / sizeof(struct sim_signal);
	if (pool.total + fresh > pool.capacity) {
		size_t capacity = pool.capacity * 2 + fresh;
		struct sim_signal **grown =
			realloc(pool.free, capacity * sizeof(*grown));
		if (!grown)
			return false;
		pool.free = grown;
		pool.capacity = capacity;
	}
	struct range like = {.kind = RANGE_SYSTEM, .agents = UINT32_MAX};
	struct sim_signal *page = memory_map(&like, SIM_PAGE);
	if (!page)
		return false;
	pool.total += fresh;
	for (size_t i = 0; i < fresh; i++)
		pool.free[pool.free_count++] = &page[i];
	return true;
}

hsa_status_t
hsa_amd_signal_create(hsa_signal_value_t initial, uint32_t num_consumers,
		      const hsa_agent_t *consumers, uint64_t attributes,
		      hsa_signal_t *handle)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!handle || (num_consumers && !consumers) || attributes > 3)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&pool.lock);
	struct sim_signal *signal = NULL;
	if (pool.free_count || pool_grow())
		signal = pool.free[--pool.free_count];
	pthread_mutex_unlock(&pool.lock);
	if (!signal || !object_add(OBJECT_SIGNAL, signal))
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	memset(signal, 0, sizeof(*signal));
	signal->kind = 1;
	atomic_store(&signal->value, initial);
	handle->handle = (uint64_t)(uintptr_t)signal;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_signal_create(hsa_signal_value_t initial, uint32_t num_consumers,
		  const hsa_agent_t *consumers, hsa_signal_t *handle)
{
	return hsa_amd_signal_create(initial, num_consumers, consumers, 0,
				     handle);
}

hsa_status_t
hsa_signal_destroy(hsa_signal_t handle)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (handle.handle == 0)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct sim_signal *signal = (void *)(uintptr_t)handle.handle;
	if (!object_remove(OBJECT_SIGNAL, signal))
		return HSA_STATUS_ERROR_INVALID_SIGNAL;
	pthread_mutex_lock(&pool.lock);
	pool.free[pool.free_count++] = signal;
	pthread_mutex_unlock(&pool.lock);
	return HSA_STATUS_SUCCESS;
}

struct sim_signal *
signal_find(hsa_signal_t handle)
{
	if (!object_alive(OBJECT_SIGNAL, handle.handle))
		return NULL;
	return (void *)(uintptr_t)handle.handle;
}

hsa_signal_value_t
hsa_signal_load_scacquire(hsa_signal_t handle)
{
	struct sim_signal *signal = signal_find(handle);
	return signal ? atomic_load(&signal->value) : 0;
}

hsa_signal_value_t
hsa_signal_load_relaxed(hsa_signal_t handle)
{
	return hsa_signal_load_scacquire(handle);
}

void
hsa_signal_store_screlease(hsa_signal_t handle, hsa_signal_value_t value)
{
	struct sim_signal *signal = signal_find(handle);
	if (!signal)
		return;
	atomic_store(&signal->value, value);
	signal_notify();
}

void
hsa_signal_store_relaxed(hsa_signal_t handle, hsa_signal_value_t value)
{
	hsa_signal_store_screlease(handle, value);
}

void
signal_add(struct sim_signal *signal, int64_t value)
{
	atomic_fetch_add(&signal->value, value);
	signal_notify();
}

void
hsa_signal_add_screlease(hsa_signal_t handle, hsa_signal_value_t value)
{
	struct sim_signal *signal = signal_find(handle);
	if (signal)
		signal_add(signal, value);
}

void
hsa_signal_subtract_screlease(hsa_signal_t handle, hsa_signal_value_t value)
{
	hsa_signal_add_screlease(handle, (int64_t)(0 - (uint64_t)value));
}

static bool
holds(int64_t value, uint32_t condition, int64_t compare)
{
	switch (condition) {
	case HSA_SIGNAL_CONDITION_EQ:
		return value == compare;
	case HSA_SIGNAL_CONDITION_NE:
		return value != compare;
	case HSA_SIGNAL_CONDITION_LT:
		return value < compare;
	default:
		return value >= compare;
	}
}

struct wait {
	struct sim_signal *signal;
	uint32_t condition;
	int64_t compare;
	int64_t seen;
	uint64_t deadline;
};

static bool
wait_over(void *arg)
{
	struct wait *wait = arg;
	wait->seen = atomic_load(&wait->signal->value);
	return holds(wait->seen, wait->condition, wait->compare) ||
	       sim_now() >= wait->deadline;
}

hsa_signal_value_t
hsa_signal_wait_scacquire(hsa_signal_t handle, uint32_t condition,
			  hsa_signal_value_t compare, uint64_t timeout,
			  uint32_t wait_state)
{
	(void)wait_state;
	struct sim_signal *signal = signal_find(handle);
	if (!signal)
		return 0;
	uint64_t now = sim_now();
	struct wait wait = {signal, condition, compare, 0,
			    timeout > UINT64_MAX - now ? UINT64_MAX
						       : now + timeout};
	if (!wait_over(&wait))
		signal_wait_until(wait_over, &wait);
	return wait.seen;
}

/* Takes out one handler whose condition holds; under signal_lock. */
static struct handler *
take_ready(int64_t *value)
{
	for (struct handler **at = &handlers.first; *at; at = &(*at)->next) {
		struct handler *handler = *at;
		*value = atomic_load(&handler->signal->value);
		if (holds(*value, handler->condition, handler->value)) {
			*at = handler->next;
			return handler;
		}
	}
	return NULL;
}

/* Calls handlers one at a time, in the order in which they were registered
 * where several are ready, without the lock: a handler may use signals. */
static void *
handler_thread(void *arg)
{
	(void)arg;
	atomic_fetch_add(&waiters, 1);
	pthread_mutex_lock(&signal_lock);
	while (!handlers.stop) {
		int64_t value;
		struct handler *ready = take_ready(&value);
		if (!ready) {
			sleep_a_little();
			continue;
		}
		pthread_mutex_unlock(&signal_lock);
		bool again = ready->function(value, ready->arg);
		pthread_mutex_lock(&signal_lock);
		if (again) {
			ready->next = handlers.first;
			handlers.first = ready;
		} else {
			free(ready);
		}
	}
	pthread_mutex_unlock(&signal_lock);
	atomic_fetch_sub(&waiters, 1);
	return NULL;
}

hsa_status_t
hsa_amd_signal_async_handler(hsa_signal_t handle, uint32_t condition,
			     hsa_signal_value_t value,
			     hsa_amd_signal_handler *function, void *arg)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!function || condition > HSA_SIGNAL_CONDITION_GTE)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct sim_signal *signal = signal_find(handle);
	if (!signal)
		return HSA_STATUS_ERROR_INVALID_SIGNAL;
	struct handler *handler = malloc(sizeof(*handler));
	if (!handler)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*handler =
		(struct handler){signal, condition, value, function, arg, NULL};
	pthread_mutex_lock(&signal_lock);
	bool ok = handlers.running || pthread_create(&handlers.thread, NULL,
						     handler_thread, NULL) == 0;
	if (ok) {
		handlers.running = true;
		struct handler **end = &handlers.first;
		while (*end)
			end = &(*end)->next;
		*end = handler;
		pthread_cond_broadcast(&signal_changed);
	}
	pthread_mutex_unlock(&signal_lock);
	if (!ok)
		free(handler);
	return ok ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

void
signal_stop(void)
{
	pthread_mutex_lock(&signal_lock);
	bool running = handlers.running;
	handlers.stop = true;
	pthread_cond_broadcast(&signal_changed);
	pthread_mutex_unlock(&signal_lock);
	if (running && !pthread_equal(pthread_self(), handlers.thread))
		pthread_join(handlers.thread, NULL);
	pthread_mutex_lock(&signal_lock);
	while (handlers.first) {
		struct handler *next = handlers.first->next;
		free(handlers.first);
		handlers.first = next;
	}
	handlers.running = false;
	handlers.stop = false;
	pthread_mutex_unlock(&signal_lock);
}
