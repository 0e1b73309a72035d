/*
 * Damaged code objects, instructions, packets, and arguments. Any status will
 * do; no crash, and nothing that hangs.
 */
#include "api.h"

#include <elf.h>

static uint64_t seed = 88172645463325252u;

static uint64_t
next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Loads, asks for every symbol, unloads. Any status will do; no crash. */
static hsa_status_t
see_symbol(hsa_executable_t executable, hsa_executable_symbol_t symbol,
	   void *arg)
{
	(void)executable;
	(void)arg;
	uint32_t length = 0;
	uint64_t value[16];
	hsa_executable_symbol_get_info(
		symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length);
	char *name = malloc(length + 1);
	hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME,
				       name);
	free(name);
	for (uint32_t k = 8; k < 24; k++)
		hsa_executable_symbol_get_info(symbol, k, value);
	return HSA_STATUS_SUCCESS;
}

static bool
try_load(const uint8_t *data, size_t size)
{
	hsa_executable_t executable;
	if (load_executable(data, size, &executable) != HSA_STATUS_SUCCESS)
		return false;
	hsa_executable_iterate_symbols(executable, see_symbol, NULL);
	hsa_executable_destroy(executable);
	return true;
}

void
test_damage(int rounds)
{
	uint8_t *copy = malloc(file_size);
	bool ok = try_load(file, file_size);
	int cut = 0, loaded = 0;
	size_t step = file_size / (size_t)rounds + 1;
	for (size_t size = 1; size < file_size; size += step) {
		uint8_t *part = malloc(size); /* so that ASan sees its end */
		memcpy(part, file, size);
		cut += !try_load(part, size);
		free(part);
	}
	for (int k = 0; k < rounds; k++) {
		memcpy(copy, file, file_size);
		int flips = 1 + (int)(next() % 8);
		for (int f = 0; f < flips; f++) {
			/* Mostly headers and dynamic tables. */
			size_t at = next() % (k % 3 ? 4096 : file_size);
			if (at < file_size)
				copy[at] = (uint8_t)next();
		}
		loaded += try_load(copy, file_size);
	}
	free(copy);
	printf("  %d cut files refused, %d of %d damaged files loaded\n", cut,
	       loaded, rounds);
	verdict("damaged code objects", ok && cut > 0);
}

/* The executable segment's place in the file. */
static void
find_text(size_t *start, size_t *end)
{
	const Elf64_Ehdr *header = (const void *)file;
	const Elf64_Phdr *ph = (const void *)(file + header->e_phoff);
	for (int k = 0; k < header->e_phnum; k++) {
		if (ph[k].p_type != PT_LOAD || !(ph[k].p_flags & PF_X))
			continue;
		*start = ph[k].p_offset;
		*end = *start + ph[k].p_filesz;
	}
}

/* Damaged instructions: any end but a crash will do. SMELT_SIM_LIMIT ends what
 * would run for ever. */
void
test_code(int rounds)
{
	struct run run;
	uint8_t *copy = malloc(file_size), *whole = file;
	int errors = 0;
	size_t start = 0, end = 0;
	find_text(&start, &end);
	setenv("SMELT_SIM_LIMIT", "100000", 1);
	hsa_amd_register_system_event_handler(on_event, &current);
	for (int k = 0; k < rounds; k++) {
		memcpy(copy, whole, file_size);
		/* A bit in some of the words, so that most still decode. */
		for (size_t at = start; at < end; at++)
			if (next() % 40 == 0)
				copy[at] ^= (uint8_t)(1u << next() % 8);
		file = copy;
		open_run(&run);
		file = whole;
		void *out;
		hsa_amd_memory_pool_allocate(device_pool, 16384, 0, &out);
		memcpy(run.args, &out, 8);
		static const char *const names[] = {
			"sound_lds.kd", "misaligned.kd", "store.kd", "jump.kd"};
		struct hsa_dispatch_packet packet =
			packet_of(&run, names[k % 4], 256, 256);
		packet.group_segment_size = 1024;
		submit(&run, &packet);
		errors += run.error != HSA_STATUS_SUCCESS;
		close_run(&run);
		hsa_amd_memory_pool_free(out);
	}
	free(copy);
	printf("  %d of %d ended with an error\n", errors, rounds);
	verdict("damaged instructions", errors > 0);
}

/* ---- packets ---- */

/* As many work-items as are done in a moment, whatever was made of it. */
static void
bound_grid(struct hsa_dispatch_packet *packet)
{
	for (int k = 0; k < 3; k++)
		if (packet->grid_size[k] > 4096)
			packet->grid_size[k] %= 4096;
	while ((uint64_t)packet->grid_size[0] * packet->grid_size[1] *
		       packet->grid_size[2] >
	       1 << 16)
		for (int k = 0; k < 3; k++)
			packet->grid_size[k] = (packet->grid_size[k] + 1) / 2;
}

/* Waits until the packet was taken, and a fault or its end is there to see, or
 * for long enough; its signal may be damaged as well. */
static void
submit_damaged(struct run *run, const struct hsa_dispatch_packet *packet)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(run->queue, 1);
	char *slot = (char *)run->queue->base_address +
		     index % run->queue->size * 64;
	memcpy(slot + 2, (const char *)packet + 2, 62);
	__atomic_store_n((uint16_t *)slot, packet->header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(run->queue->doorbell_signal, (int64_t)index);
	hsa_signal_wait_scacquire(run->done, HSA_SIGNAL_CONDITION_LT, 1,
				  100000000u, 0);
}

void
test_packet_damage(int rounds)
{
	static const char *const names[] = {"store.kd", "count.kd",
					    "sound_lds.kd"};
	int errors = 0;
	setenv("SMELT_SIM_LIMIT", "100000", 1);
	hsa_amd_register_system_event_handler(on_event, &current);
	for (int k = 0; k < rounds; k++) {
		struct run run;
		void *out;
		open_run(&run);
		hsa_amd_memory_pool_allocate(device_pool, 16384, 0, &out);
		memcpy(run.args, &out, 8);
		struct hsa_dispatch_packet packet =
			packet_of(&run, names[k % 3], 256, 64);
		packet.group_segment_size = 1024;
		int flips = 1 + (int)(next() % 4);
		for (int f = 0; f < flips; f++)
			((uint8_t *)&packet)[next() % sizeof(packet)] =
				(uint8_t)(next() % 3 ? next() : 0);
		if ((packet.header & 0xff) == HSA_PACKET_TYPE_INVALID)
			packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
		bound_grid(&packet);
		submit_damaged(&run, &packet);
		/* The queue's thread may be about to tell of an error still. */
		close_run(&run);
		errors += run.error != HSA_STATUS_SUCCESS;
		hsa_amd_memory_pool_free(out);
	}
	printf("  %d of %d packets gave an error\n", errors, rounds);
	verdict("damaged packets", errors > 0 && errors < rounds);
}

/* ---- arguments ---- */

/* A handle: nothing, a small number, that of another kind, one bit wrong. */
static uint64_t
handle_like(const uint64_t *real, size_t count)
{
	uint64_t any = real[next() % count];
	switch (next() % 5) {
	case 0:
		return 0;
	case 1:
		return next() % 1000;
	case 2:
		return any ^ (uint64_t)1 << next() % 64;
	case 3:
		return next();
	default:
		return any;
	}
}

static hsa_status_t
stop_at_once(hsa_agent_t agent, void *arg)
{
	(void)agent;
	(void)arg;
	return HSA_STATUS_ERROR;
}

/* One call, with handles that mean nothing or something else, and numbers that
 * may. Pointers are good, as the interface asks, or NULL. */
static hsa_status_t
call_damaged(const struct run *run, const uint64_t *real, size_t count)
{
	uint64_t h = handle_like(real, count), big[64];
	uint32_t attribute =
		(uint32_t)(next() % 4 ? next() % 64 : 0xa000 + next() % 64);
	void *into = next() % 4 ? big : NULL;
	hsa_agent_t agent = {h};
	hsa_signal_t signal = {h};
	hsa_executable_symbol_t symbol;
	switch (next() % 14) {
	case 0:
		return hsa_agent_get_info(agent, attribute, into);
	case 1:
		return hsa_system_get_info(attribute, into);
	case 2:
		return hsa_isa_get_info_alt((hsa_isa_t){h}, attribute, into);
	case 3:
		return hsa_amd_memory_pool_get_info((hsa_amd_memory_pool_t){h},
						    attribute, into);
	case 4:
		return hsa_executable_symbol_get_info(
			(hsa_executable_symbol_t){h}, attribute, into);
	case 5:
		return hsa_amd_memory_pool_allocate(
			(hsa_amd_memory_pool_t){h},
			next() % 2 ? 0 : SIZE_MAX - next() % 9999,
			(uint32_t)next(), (void **)into);
	case 6:
		return hsa_amd_memory_pool_free(
			next() % 2 ? (void *)(uintptr_t)h : run->queue);
	case 7:
		hsa_signal_store_relaxed((hsa_signal_t){h ^ 1}, 1);
		return hsa_signal_wait_scacquire(signal, attribute, 1, 1000,
						 0) == 0
			       ? HSA_STATUS_SUCCESS
			       : HSA_STATUS_ERROR;
	case 8:
		return hsa_amd_memory_async_copy(big, agent, big + 32, cpu,
						 next() % 256, next() % 2,
						 into ? &signal : NULL, signal);
	case 9:
		return hsa_executable_get_symbol_by_name(
			(hsa_executable_t){h}, next() % 2 ? "store.kd" : "",
			next() % 2 ? &agent : NULL, &symbol);
	case 10:
		return hsa_amd_agents_allow_access((uint32_t)(next() % 2),
						   &agent, NULL,
						   (void *)(uintptr_t)h);
	case 11:
		return hsa_executable_freeze((hsa_executable_t){h | 1}, NULL);
	case 12:
		return hsa_amd_memory_fill((void *)(uintptr_t)(h | 1), 1, 1);
	default:
		return hsa_iterate_agents(into ? stop_at_once : NULL, NULL);
	}
}

void
test_handle_damage(int rounds)
{
	struct run run;
	int errors = 0;
	open_run(&run);
	const uint64_t real[] = {cpu.handle,
				 gpu.handle,
				 device_pool.handle,
				 kernarg_pool.handle,
				 run.executable.handle,
				 (uint64_t)(uintptr_t)run.queue};
	for (int k = 0; k < rounds * 100; k++)
		errors += call_damaged(&run, real,
				       sizeof(real) / sizeof(real[0])) !=
			  HSA_STATUS_SUCCESS;
	struct hsa_dispatch_packet packet = packet_of(&run, "store.kd", 64, 64);
	void *out;
	hsa_amd_memory_pool_allocate(device_pool, 4096, 0, &out);
	memcpy(run.args, &out, 8);
	submit(&run, &packet);
	printf("  %d of %d calls gave an error\n", errors, rounds * 100);
	verdict("damaged arguments, and a kernel afterwards",
		errors > 0 && run.error == HSA_STATUS_SUCCESS);
	close_run(&run);
	hsa_amd_memory_pool_free(out);
}
