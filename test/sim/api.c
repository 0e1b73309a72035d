/*
 * The HSA interface by itself: codes for wrong arguments, packets, faults, and
 * damaged code objects. Links the simulated runtime directly.
 *
 *     api CODE-OBJECT            all tests
 *     api CODE-OBJECT damage N   only damaged code objects, N of each kind
 *     api CODE-OBJECT code N     N times damaged instructions, run
 *     api CODE-OBJECT packets N  N damaged packets, and calls with damaged
 *                                arguments
 *     api CODE-OBJECT check      SMELT_SIM_CHECK: what it must and must not
 *                                find
 *     api CODE-OBJECT undef SOURCE   SMELT_SIM_CHECK=init, kernel by kernel of
 *                                that file
 */
#include "api.h"

int failures;
hsa_agent_t cpu, gpu;
hsa_amd_memory_pool_t device_pool, kernarg_pool;
uint8_t *file;
size_t file_size;

struct run *current;

void
verdict(const char *name, bool ok)
{
	printf("%s api %s\n", ok ? "PASS" : "FAIL", name);
	failures += !ok;
}

static hsa_status_t
see_agent(hsa_agent_t agent, void *arg)
{
	(void)arg;
	uint32_t type;
	hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
	*(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t
see_pool(hsa_amd_memory_pool_t pool, void *arg)
{
	uint32_t segment, flags;
	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
				     &segment);
	hsa_amd_memory_pool_get_info(
		pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
	if (segment == HSA_AMD_SEGMENT_GLOBAL && flags & *(uint32_t *)arg) {
		*(*(uint32_t *)arg ==
				  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT
			  ? &kernarg_pool
			  : &device_pool) = pool;
	}
	return HSA_STATUS_SUCCESS;
}

static void
start(void)
{
	uint32_t coarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
	uint32_t kernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
	hsa_iterate_agents(see_agent, NULL);
	hsa_amd_agent_iterate_memory_pools(gpu, see_pool, &coarse);
	hsa_amd_agent_iterate_memory_pools(cpu, see_pool, &kernarg);
}

static void
test_arguments(void)
{
	bool ok = true;
	hsa_signal_t none = {0}, signal, gone;
	struct hsa_queue *queue;
	void *p;
	uint64_t value;
	char text[64];
	EXPECT(hsa_shut_down(), ERROR_NOT_INITIALIZED);
	EXPECT(hsa_signal_create(1, 0, NULL, &signal), ERROR_NOT_INITIALIZED);
	EXPECT(hsa_init(), SUCCESS);
	start();
	EXPECT(hsa_system_get_info(0x7777, &value), ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_system_get_info(0, NULL), ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_iterate_agents(NULL, NULL), ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_agent_get_info((hsa_agent_t){5}, 0, text),
	       ERROR_INVALID_AGENT);
	EXPECT(hsa_agent_get_info(gpu, 0x7777, text), ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_signal_destroy(none), ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_signal_create(1, 0, NULL, NULL), ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_signal_create(1, 0, NULL, &gone), SUCCESS);
	EXPECT(hsa_signal_destroy(gone), SUCCESS);
	EXPECT(hsa_signal_destroy(gone), ERROR_INVALID_SIGNAL);
	hsa_signal_store_relaxed(gone, 3); /* nothing, and no crash */
	EXPECT(hsa_queue_create(cpu, 64, 0, NULL, NULL, 0, 0, &queue),
	       ERROR_INVALID_QUEUE_CREATION);
	EXPECT(hsa_queue_create(gpu, 100, 0, NULL, NULL, 0, 0, &queue),
	       ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_queue_create(gpu, 64, 0, NULL, NULL, 0, 0, NULL),
	       ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_queue_destroy(NULL), ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_queue_destroy((struct hsa_queue *)text),
	       ERROR_INVALID_QUEUE);
	EXPECT(hsa_amd_memory_pool_allocate((hsa_amd_memory_pool_t){1}, 64, 0,
					    &p),
	       ERROR_INVALID_MEMORY_POOL);
	EXPECT(hsa_amd_memory_pool_allocate(device_pool, 0, 0, &p),
	       ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_amd_memory_pool_allocate(device_pool, SIZE_MAX, 0, &p),
	       ERROR_INVALID_ALLOCATION);
	EXPECT(hsa_amd_memory_pool_free(text), ERROR_INVALID_ALLOCATION);
	EXPECT(hsa_amd_agents_allow_access(0, &gpu, NULL, text),
	       ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_amd_memory_fill(text + 1, 0, 1), ERROR_INVALID_ARGUMENT);
	EXPECT(hsa_amd_memory_async_copy(text, gpu, text, cpu, 8, 0, NULL,
					 none),
	       ERROR_INVALID_SIGNAL);
	EXPECT(hsa_executable_destroy((hsa_executable_t){9}),
	       ERROR_INVALID_EXECUTABLE);
	EXPECT(hsa_executable_symbol_get_info((hsa_executable_symbol_t){9}, 0,
					      text),
	       ERROR_INVALID_EXECUTABLE_SYMBOL);
	EXPECT(hsa_code_object_reader_destroy((hsa_code_object_reader_t){9}),
	       ERROR_INVALID_CODE_OBJECT_READER);
	EXPECT(hsa_shut_down(), SUCCESS);
	verdict("argument errors", ok);
}

/* ---- running one kernel ---- */

static void
on_error(hsa_status_t status, struct hsa_queue *source, void *data)
{
	(void)source;
	struct run *run = data;
	run->error = status;
	hsa_signal_store_screlease(run->done, 0);
}

hsa_status_t
on_event(const struct hsa_amd_event *event, void *data)
{
	struct run *run = *(struct run **)data;
	run->fault = event->memory_fault.virtual_address;
	run->error = HSA_STATUS_ERROR_MEMORY_FAULT;
	hsa_signal_store_screlease(run->done, 0);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
load_executable(const void *data, size_t size, hsa_executable_t *executable)
{
	hsa_code_object_reader_t reader;
	hsa_status_t status =
		hsa_code_object_reader_create_from_memory(data, size, &reader);
	if (status != HSA_STATUS_SUCCESS)
		return status;
	hsa_executable_create_alt(1, 0, NULL, executable);
	status = hsa_executable_load_agent_code_object(*executable, gpu, reader,
						       NULL, NULL);
	hsa_code_object_reader_destroy(reader);
	if (status == HSA_STATUS_SUCCESS)
		status = hsa_executable_freeze(*executable, NULL);
	else
		hsa_executable_destroy(*executable);
	return status;
}

void
open_run(struct run *run)
{
	memset(run, 0, sizeof(*run));
	current = run;
	hsa_signal_create(1, 0, NULL, &run->done);
	hsa_queue_create(gpu, 64, 0, on_error, run, 0, 0, &run->queue);
	load_executable(file, file_size, &run->executable);
	hsa_amd_memory_pool_allocate(kernarg_pool, 4096, 0, &run->args);
}

void
close_run(struct run *run)
{
	hsa_queue_destroy(run->queue);
	hsa_executable_destroy(run->executable);
	hsa_signal_destroy(run->done);
	hsa_amd_memory_pool_free(run->args);
}

struct hsa_dispatch_packet
packet_of(struct run *run, const char *kernel, uint32_t grid, uint16_t group)
{
	hsa_executable_symbol_t symbol;
	struct hsa_dispatch_packet packet = {
		.header = HSA_PACKET_TYPE_KERNEL_DISPATCH,
		.setup = 1,
		.workgroup_size = {group, 1, 1},
		.grid_size = {grid, 1, 1},
		.kernarg_address = run->args,
		.completion_signal = run->done};
	if (hsa_executable_get_symbol_by_name(run->executable, kernel, &gpu,
					      &symbol) != HSA_STATUS_SUCCESS) {
		printf("FAIL api: no kernel %s\n", kernel);
		exit(1);
	}
	hsa_executable_symbol_get_info(symbol,
				       HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
				       &packet.kernel_object);
	hsa_executable_symbol_get_info(
		symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
		&packet.private_segment_size);
	return packet;
}

/* Queues the packet, waits for its end or an error. */
void
submit(struct run *run, const void *packet)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(run->queue, 1);
	uint16_t header = *(const uint16_t *)packet;
	char *slot = (char *)run->queue->base_address +
		     index % run->queue->size * 64;
	hsa_signal_store_relaxed(run->done, 1);
	memcpy(slot + 2, (const char *)packet + 2, 62);
	__atomic_store_n((uint16_t *)slot, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(run->queue->doorbell_signal, (int64_t)index);
	if (hsa_signal_wait_scacquire(run->done, HSA_SIGNAL_CONDITION_LT, 1,
				      20000000000u, 0) >= 1)
		printf("  nothing came back in 20 s\n");
}

static void
test_faults(void)
{
	static const struct {
		const char *kernel;
		const char *name;
		uint64_t address;
		hsa_status_t want;
	} cases[] = {
		{"store.kd", "store to unmapped memory", 0x123456000,
		 HSA_STATUS_ERROR_MEMORY_FAULT},
		{"store.kd", "store to address 0", 0,
		 HSA_STATUS_ERROR_MEMORY_FAULT},
		{"trap.kd", "trap", 1, HSA_STATUS_ERROR_EXCEPTION},
		{"illegal.kd", "illegal instruction", 1,
		 HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION},
		{"misaligned.kd", "misaligned atomic", 1,
		 HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
		{"lds_beyond.kd", "LDS beyond the end", 1,
		 HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
		{"jump.kd", "jump to data", 1, HSA_STATUS_ERROR_EXCEPTION},
	};
	struct run run;
	hsa_amd_register_system_event_handler(on_event, &current);
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		void *out;
		open_run(&run);
		hsa_amd_memory_pool_allocate(device_pool, 4096, 0, &out);
		uint64_t address = cases[k].address;
		if (address == 1)
			address = (uint64_t)(uintptr_t)out;
		memcpy(run.args, &address, sizeof(address));
		struct hsa_dispatch_packet packet =
			packet_of(&run, cases[k].kernel, 64, 64);
		submit(&run, &packet);
		bool ok = run.error == cases[k].want;
		if (cases[k].want == HSA_STATUS_ERROR_MEMORY_FAULT)
			ok &= run.fault == address;
		verdict(cases[k].name, ok);
		close_run(&run);
		hsa_amd_memory_pool_free(out);
	}
}

static void
test_packets(void)
{
	struct hsa_dispatch_packet good, packet;
	struct run run;
	bool ok = true;
	for (int k = 0; k < 10; k++) {
		open_run(&run);
		good = packet = packet_of(&run, "store.kd", 64, 64);
		switch (k) {
		case 0:
			packet.setup = 0;
			break;
		case 1:
			packet.workgroup_size[0] = 0;
			break;
		case 2:
			packet.grid_size[0] = 0;
			break;
		case 3:
			packet.workgroup_size[0] = 2048;
			break;
		case 4:
			packet.kernel_object = 0;
			break;
		case 5:
			packet.kernel_object += 8;
			packet.kernel_object |= 1;
			break;
		case 6:
			packet.group_segment_size = 1 << 20;
			break;
		case 7:
			packet.header = HSA_PACKET_TYPE_AGENT_DISPATCH;
			break;
		case 8:
			packet.grid_size[1] = 2; /* beyond its dimensions */
			break;
		case 9:
			packet.kernel_object = (uint64_t)(uintptr_t)run.args;
			break;
		}
		submit(&run, &packet);
		if (run.error != HSA_STATUS_ERROR_INVALID_PACKET_FORMAT) {
			printf("  packet %d: 0x%x\n", k, run.error);
			ok = false;
		}
		close_run(&run);
	}
	(void)good;
	verdict("malformed packets", ok);
}

/* A grid whose last group is cut. */
static void
test_partial(void)
{
	enum { GRID = 1000, GROUP = 192 };
	struct run run;
	uint32_t *out;
	open_run(&run);
	hsa_amd_memory_pool_allocate(device_pool, GRID * 8, 0, (void **)&out);
	memcpy(run.args, &out, 8);
	memcpy((char *)run.args + 8, &(uint32_t){GROUP}, 4);
	struct hsa_dispatch_packet packet =
		packet_of(&run, "count.kd", GRID, GROUP);
	submit(&run, &packet);
	bool ok = run.error == HSA_STATUS_SUCCESS;
	for (uint32_t i = 0; i < GRID * 2; i++)
		ok &= out[i] == (i < GRID);
	verdict("grid that cuts a group", ok);
	close_run(&run);
	hsa_amd_memory_pool_free(out);
}

static bool
count_down(hsa_signal_value_t value, void *arg)
{
	(void)value;
	return --*(_Atomic int *)arg > 0;
}

static void
test_barriers(void)
{
	struct run run;
	hsa_signal_t a, b, copied;
	static _Atomic int calls = 1;
	char from[64] = "copied after the barrier", to[64] = "";
	open_run(&run);
	hsa_signal_create(1, 0, NULL, &a);
	hsa_signal_create(1, 0, NULL, &b);
	hsa_signal_create(1, 0, NULL, &copied);
	struct hsa_barrier_packet either = {.header =
						    HSA_PACKET_TYPE_BARRIER_OR,
					    .dep_signal = {a, b},
					    .completion_signal = run.done};
	hsa_amd_memory_async_copy(to, cpu, from, cpu, sizeof(to), 1, &b,
				  copied);
	hsa_amd_signal_async_handler(copied, HSA_SIGNAL_CONDITION_EQ, 0,
				     count_down, (void *)&calls);
	hsa_signal_store_screlease(a, 0);
	submit(&run, &either);
	bool ok = to[0] == 0;
	hsa_signal_store_screlease(b, 0);
	struct hsa_barrier_packet both = {.header = HSA_PACKET_TYPE_BARRIER_AND,
					  .dep_signal = {a, b, copied},
					  .completion_signal = run.done};
	submit(&run, &both);
	ok &= strcmp(to, from) == 0;
	for (int k = 0; k < 2000 && calls; k++)
		usleep(1000);
	ok &= calls == 0;
	verdict("barriers, copies that wait, handlers", ok);
	close_run(&run);
	hsa_signal_destroy(a);
	hsa_signal_destroy(b);
	hsa_signal_destroy(copied);
}

int
main(int argc, char **argv)
{
	FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!in) {
		fprintf(stderr, "usage: api CODE-OBJECT [damage N]\n");
		return 2;
	}
	file = malloc(1 << 24);
	file_size = fread(file, 1, 1 << 24, in);
	fclose(in);
	const char *what = argc > 2 ? argv[2] : "all";
	int rounds = argc > 3 ? atoi(argv[3]) : 300;
	if (strcmp(what, "check") == 0)
		setenv("SMELT_SIM_CHECK", "all", 1);
	if (strcmp(what, "undef") == 0)
		setenv("SMELT_SIM_CHECK", "init", 1);
	if (strcmp(what, "all") == 0)
		test_arguments();
	hsa_init();
	start();
	if (strcmp(what, "all") == 0) {
		test_partial();
		test_barriers();
		test_packets();
		test_faults();
	}
	if (strcmp(what, "check") == 0)
		test_checks();
	else if (strcmp(what, "undef") == 0)
		test_undef(argc > 3 ? argv[3] : "");
	else if (strcmp(what, "packets") == 0)
		test_packet_damage(rounds), test_handle_damage(rounds);
	else if (strcmp(what, "code") == 0)
		test_code(rounds);
	else
		test_damage(rounds);
	hsa_shut_down();
	free(file);
	return failures != 0;
}
