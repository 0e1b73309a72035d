/*
 * User queues and their packet processors.
 *
 * Each queue has a thread that plays the packet processor: it takes packets in
 * order, one to its end before the next (so a packet's barrier bit changes
 * nothing), and waits where the next packet's header is still INVALID. Manual
 * 2.8 and 2.9.
 */
#include "sim.h"

#include "isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* AMD's queue ABI (LLVM's AMDGPUUsage, "amd_queue_t"): device code finds it
 * through the queue pointer. */
struct amd_queue {
	struct hsa_queue hsa;
	uint32_t reserved1[4];
	_Atomic uint64_t write_index;
	uint32_t group_aperture_hi;
	uint32_t private_aperture_hi;
	uint32_t max_cu_id;
	uint32_t max_wave_id;
	uint64_t legacy_doorbell;
	uint32_t legacy_doorbell_lock;
	uint32_t reserved2[9];
	_Atomic uint64_t read_index;
	uint32_t read_index_offset;
	uint32_t reserved3[30];
};
_Static_assert(offsetof(struct amd_queue, write_index) == 56, "amd_queue_t");
_Static_assert(offsetof(struct amd_queue, group_aperture_hi) == 64,
	       "amd_queue_t");
_Static_assert(offsetof(struct amd_queue, read_index) == 128, "amd_queue_t");

struct queue {
	struct amd_queue *amd;
	struct hsa_dispatch_packet *ring;
	uint32_t size; /* packets */
	hsa_signal_t bell;
	struct sim_agent *agent;
	hsa_queue_callback *callback;
	void *data;
	pthread_t thread;
	struct queue *next; /* of all */
	_Atomic bool stop;
	bool failed; /* of its thread: an error came, no packet runs any more */
};

static struct {
	pthread_mutex_t lock;
	struct queue *first;
} queues = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What the device cannot reach of a queue is found by its handle. */
static struct queue *
queue_of(const struct hsa_queue *handle)
{
	pthread_mutex_lock(&queues.lock);
	struct queue *queue = queues.first;
	while (queue && &queue->amd->hsa != handle)
		queue = queue->next;
	pthread_mutex_unlock(&queues.lock);
	return queue;
}

/* false: somebody else did. */
static bool
unlink_queue(struct queue *queue)
{
	pthread_mutex_lock(&queues.lock);
	struct queue **at = &queues.first;
	while (*at && *at != queue)
		at = &(*at)->next;
	bool found = *at != NULL;
	if (found)
		*at = queue->next;
	pthread_mutex_unlock(&queues.lock);
	return found;
}

static struct hsa_dispatch_packet *
packet_at(const struct queue *queue, uint64_t index)
{
	return &queue->ring[index & (queue->size - 1)];
}

static uint16_t
packet_header(const struct hsa_dispatch_packet *packet)
{
	return __atomic_load_n(&packet->header, __ATOMIC_ACQUIRE);
}

static bool
packet_there(void *arg)
{
	struct queue *queue = arg;
	if (atomic_load(&queue->stop))
		return true;
	uint64_t read = atomic_load(&queue->amd->read_index);
	return !queue->failed && read < atomic_load(&queue->amd->write_index) &&
	       (packet_header(packet_at(queue, read)) & 0xff) !=
		       HSA_PACKET_TYPE_INVALID;
}

struct barrier {
	struct queue *queue;
	const struct hsa_barrier_packet *packet;
	bool any;
};

/* A dependency of handle 0 counts as none. */
static bool
barrier_met(void *arg)
{
	struct barrier *barrier = arg;
	if (atomic_load(&barrier->queue->stop))
		return true;
	int there = 0, zero = 0;
	for (int i = 0; i < 5; i++) {
		hsa_signal_t dep = barrier->packet->dep_signal[i];
		struct sim_signal *signal = signal_find(dep);
		if (dep.handle == 0 || !signal)
			continue;
		there++;
		zero += atomic_load(&signal->value) == 0;
	}
	return barrier->any ? zero > 0 || there == 0 : zero == there;
}

static void
queue_fail(struct queue *queue, hsa_status_t status, const char *text)
{
	queue->failed = true;
	if (queue->callback) {
		fprintf(stderr, "simulated GPU %u: %s\n",
			queue->agent->index - 1, text);
		queue->callback(status, &queue->amd->hsa, queue->data);
		return;
	}
	fprintf(stderr, "simulated GPU %u: %s; no callback on the queue\n",
		queue->agent->index - 1, text);
	abort();
}

/* A dispatch packet against what the device can do; NULL if it may run. */
static const char *
packet_problem(const struct hsa_dispatch_packet *packet)
{
	uint32_t dims = packet->setup & 3;
	if (dims == 0)
		return "dispatch packet with no dimensions";
	uint32_t items = 1;
	for (int i = 0; i < 3; i++) {
		if (packet->workgroup_size[i] == 0 || packet->grid_size[i] == 0)
			return "dispatch packet with a size of 0";
		if ((uint32_t)i >= dims && (packet->workgroup_size[i] != 1 ||
					    packet->grid_size[i] != 1))
			return "dispatch packet with a size beyond its "
			       "dimensions";
		items *= packet->workgroup_size[i];
		if (items > SIM_MAX_WORKGROUP)
			return "work-group of more than 1024 work-items";
	}
	if (packet->group_segment_size > SIM_LDS_SIZE)
		return "dispatch packet asks for more than 64 KiB of LDS";
	return NULL;
}

static void
run_dispatch(struct queue *queue, const struct hsa_dispatch_packet *packet,
	     uint64_t index)
{
	const char *problem = packet_problem(packet);
	if (problem) {
		queue_fail(queue, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
			   problem);
		return;
	}
	struct sim_signal *done = signal_find(packet->completion_signal);
	uint64_t start = sim_now();
	struct fault fault = {0};
	dispatch_run(queue->agent, (uint64_t)(uintptr_t)queue->amd, packet,
		     index, &fault);
	if (fault.status == HSA_STATUS_ERROR_MEMORY_FAULT) {
		queue->failed = true;
		sim_memory_fault(queue->agent->index, fault.address,
				 fault.reason, fault.text);
	} else if (fault.status != HSA_STATUS_SUCCESS) {
		queue_fail(queue, fault.status, fault.text);
	}
	if (done) {
		done->start_time = start;
		done->end_time = sim_now();
	}
}

static void
run_packet(struct queue *queue, uint64_t index)
{
	struct hsa_dispatch_packet *packet = packet_at(queue, index);
	uint32_t type = packet_header(packet) & 0xff;
	struct barrier barrier = {queue, (const void *)packet,
				  type == HSA_PACKET_TYPE_BARRIER_OR};
	switch (type) {
	case HSA_PACKET_TYPE_KERNEL_DISPATCH:
		run_dispatch(queue, packet, index);
		break;
	case HSA_PACKET_TYPE_BARRIER_AND:
	case HSA_PACKET_TYPE_BARRIER_OR:
		if (!barrier_met(&barrier))
			signal_wait_until(barrier_met, &barrier);
		break;
	default:
		queue_fail(queue, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
			   "AQL packet of a type that this queue does not "
			   "process");
	}
	if (queue->failed)
		return;
	struct sim_signal *done = signal_find(packet->completion_signal);
	__atomic_store_n(&packet->header, HSA_PACKET_TYPE_INVALID,
			 __ATOMIC_RELEASE);
	atomic_fetch_add(&queue->amd->read_index, 1);
	if (done)
		signal_add(done, -1);
	else
		signal_notify();
}

static void *
queue_thread(void *arg)
{
	struct queue *queue = arg;
	for (;;) {
		if (!packet_there(queue))
			signal_wait_until(packet_there, queue);
		if (atomic_load(&queue->stop))
			return NULL;
		run_packet(queue, atomic_load(&queue->amd->read_index));
	}
}

static void
init_queue(struct queue *queue, uint32_t size, uint32_t type, void *ring)
{
	static _Atomic uint64_t next_id;
	struct amd_queue *amd = queue->amd;
	amd->hsa.type = type;
	amd->hsa.features = 1;
	amd->hsa.base_address = ring;
	amd->hsa.size = size;
	amd->hsa.id = atomic_fetch_add(&next_id, 1);
	amd->group_aperture_hi = (uint32_t)(SHARED_APERTURE >> 32);
	amd->private_aperture_hi = (uint32_t)(PRIVATE_APERTURE >> 32);
	amd->read_index_offset = offsetof(struct amd_queue, read_index);
	for (uint32_t i = 0; i < size; i++)
		packet_at(queue, i)->header = HSA_PACKET_TYPE_INVALID;
}

hsa_status_t
hsa_queue_create(hsa_agent_t handle, uint32_t size, uint32_t type,
		 hsa_queue_callback *callback, void *data,
		 uint32_t private_segment_size, uint32_t group_segment_size,
		 struct hsa_queue **result)
{
	(void)private_segment_size;
	(void)group_segment_size;
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct sim_agent *agent = sim_agent_find(handle);
	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!agent->arch || type > 2)
		return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
	if (!result || size == 0 || (size & (size - 1)) || size > 131072)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct range like = {.kind = RANGE_SYSTEM, .agents = UINT32_MAX};
	struct amd_queue *amd = memory_map(&like, sizeof(*amd));
	void *ring = memory_map(&like, (uint64_t)size * 64);
	struct queue *queue = calloc(1, sizeof(*queue));
	hsa_signal_t bell = {0};
	if (!amd || !ring || !queue ||
	    hsa_signal_create(0, 0, NULL, &bell) != HSA_STATUS_SUCCESS)
		goto fail;
	*queue = (struct queue){.amd = amd,
				.ring = ring,
				.size = size,
				.bell = bell,
				.agent = agent,
				.callback = callback,
				.data = data};
	amd->hsa.doorbell_signal = bell;
	init_queue(queue, size, type, ring);
	if (pthread_create(&queue->thread, NULL, queue_thread, queue) != 0)
		goto fail;
	pthread_mutex_lock(&queues.lock);
	queue->next = queues.first;
	queues.first = queue;
	pthread_mutex_unlock(&queues.lock);
	*result = &amd->hsa;
	return HSA_STATUS_SUCCESS;
fail:
	if (bell.handle)
		hsa_signal_destroy(bell);
	if (ring)
		memory_unmap(ring, RANGE_SYSTEM);
	if (amd)
		memory_unmap(amd, RANGE_SYSTEM);
	free(queue);
	return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t
hsa_queue_destroy(struct hsa_queue *handle)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!handle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct queue *queue = queue_of(handle);
	if (queue && pthread_equal(pthread_self(), queue->thread))
		return HSA_STATUS_ERROR; /* from its own callback */
	if (!queue || !unlink_queue(queue))
		return HSA_STATUS_ERROR_INVALID_QUEUE;
	atomic_store(&queue->stop, true);
	signal_notify();
	pthread_join(queue->thread, NULL);
	hsa_signal_destroy(queue->bell);
	memory_unmap(queue->ring, RANGE_SYSTEM);
	memory_unmap(queue->amd, RANGE_SYSTEM);
	free(queue);
	return HSA_STATUS_SUCCESS;
}

uint64_t
hsa_queue_load_read_index_scacquire(const struct hsa_queue *handle)
{
	struct queue *queue = queue_of(handle);
	return queue ? atomic_load(&queue->amd->read_index) : 0;
}

uint64_t
hsa_queue_load_write_index_relaxed(const struct hsa_queue *handle)
{
	struct queue *queue = queue_of(handle);
	return queue ? atomic_load(&queue->amd->write_index) : 0;
}

uint64_t
hsa_queue_add_write_index_relaxed(const struct hsa_queue *handle,
				  uint64_t value)
{
	struct queue *queue = queue_of(handle);
	return queue ? atomic_fetch_add(&queue->amd->write_index, value) : 0;
}
