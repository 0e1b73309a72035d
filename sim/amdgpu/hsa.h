/*
 * The HSA interface that this library implements, as a C program sees it.
 *
 * Written from "HSA Runtime Programmer's Reference Manual", version 1.2, and
 * the list of AMD extensions that LLVM's plugin uses. Values and layouts are
 * ABI: the plugin was compiled against other headers of the same interface.
 * Handles are structures of one uint64_t, as the manual has them.
 */
#ifndef SIM_HSA_H
#define SIM_HSA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Manual 2.2.1 (1xxx), AMD extensions (40..44). value, name, text */
#define HSA_STATUS_MAP(XX)                                                     \
	XX(0x0, SUCCESS, "success")                                            \
	XX(0x1, INFO_BREAK, "traversal ended by the callback")                 \
	XX(0x1000, ERROR, "generic error")                                     \
	XX(0x1001, ERROR_INVALID_ARGUMENT, "invalid argument")                 \
	XX(0x1002, ERROR_INVALID_QUEUE_CREATION, "unsupported kind of queue")  \
	XX(0x1003, ERROR_INVALID_ALLOCATION, "allocation not possible")        \
	XX(0x1004, ERROR_INVALID_AGENT, "invalid agent")                       \
	XX(0x1005, ERROR_INVALID_REGION, "invalid memory region")              \
	XX(0x1006, ERROR_INVALID_SIGNAL, "invalid signal")                     \
	XX(0x1007, ERROR_INVALID_QUEUE, "invalid queue")                       \
	XX(0x1008, ERROR_OUT_OF_RESOURCES, "out of resources")                 \
	XX(0x1009, ERROR_INVALID_PACKET_FORMAT, "malformed AQL packet")        \
	XX(0x100a, ERROR_RESOURCE_FREE, "resource could not be freed")         \
	XX(0x100b, ERROR_NOT_INITIALIZED, "runtime not initialised")           \
	XX(0x100c, ERROR_REFCOUNT_OVERFLOW, "reference count overflow")        \
	XX(0x100d, ERROR_INCOMPATIBLE_ARGUMENTS, "incompatible arguments")     \
	XX(0x100e, ERROR_INVALID_INDEX, "index out of range")                  \
	XX(0x100f, ERROR_INVALID_ISA, "invalid instruction set")               \
	XX(0x1010, ERROR_INVALID_CODE_OBJECT, "invalid code object")           \
	XX(0x1011, ERROR_INVALID_EXECUTABLE, "invalid executable")             \
	XX(0x1012, ERROR_FROZEN_EXECUTABLE, "executable is frozen")            \
	XX(0x1013, ERROR_INVALID_SYMBOL_NAME, "no symbol of this name")        \
	XX(0x1014, ERROR_VARIABLE_ALREADY_DEFINED, "variable defined twice")   \
	XX(0x1015, ERROR_VARIABLE_UNDEFINED, "variable is undefined")          \
	XX(0x1016, ERROR_EXCEPTION, "exception in a kernel")                   \
	XX(0x1017, ERROR_INVALID_ISA_NAME, "invalid name of instruction set")  \
	XX(0x1019, ERROR_INVALID_EXECUTABLE_SYMBOL, "invalid symbol")          \
	XX(0x1021, ERROR_INVALID_CODE_OBJECT_READER, "invalid reader")         \
	XX(0x1026, ERROR_FATAL, "fatal error")                                 \
	XX(40, ERROR_INVALID_MEMORY_POOL, "invalid memory pool")               \
	XX(41, ERROR_MEMORY_APERTURE_VIOLATION, "access outside apertures")    \
	XX(42, ERROR_ILLEGAL_INSTRUCTION, "illegal instruction")               \
	XX(43, ERROR_MEMORY_FAULT, "memory fault")

typedef enum {
#define XX(value, name, text) HSA_STATUS_##name = value,
	HSA_STATUS_MAP(XX)
#undef XX
} hsa_status_t;

#define HSA_HANDLE(type)                                                       \
	typedef struct {                                                       \
		uint64_t handle;                                               \
	} type
HSA_HANDLE(hsa_agent_t);
HSA_HANDLE(hsa_isa_t);
HSA_HANDLE(hsa_signal_t);
HSA_HANDLE(hsa_executable_t);
HSA_HANDLE(hsa_executable_symbol_t);
HSA_HANDLE(hsa_code_object_t);
HSA_HANDLE(hsa_code_object_reader_t);
HSA_HANDLE(hsa_loaded_code_object_t);
HSA_HANDLE(hsa_amd_memory_pool_t);
#undef HSA_HANDLE

typedef int64_t hsa_signal_value_t;

enum hsa_system_info {
	HSA_SYSTEM_INFO_VERSION_MAJOR = 0,
	HSA_SYSTEM_INFO_VERSION_MINOR = 1,
	HSA_SYSTEM_INFO_TIMESTAMP = 2,
	HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY = 3,
	HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT = 4,
	HSA_SYSTEM_INFO_ENDIANNESS = 5,
	HSA_SYSTEM_INFO_MACHINE_MODEL = 6,
	HSA_SYSTEM_INFO_EXTENSIONS = 7,
};

enum hsa_agent_info {
	HSA_AGENT_INFO_NAME = 0,
	HSA_AGENT_INFO_VENDOR_NAME = 1,
	HSA_AGENT_INFO_FEATURE = 2,
	HSA_AGENT_INFO_MACHINE_MODEL = 3,
	HSA_AGENT_INFO_PROFILE = 4,
	HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 5,
	HSA_AGENT_INFO_WAVEFRONT_SIZE = 6,
	HSA_AGENT_INFO_WORKGROUP_MAX_DIM = 7,
	HSA_AGENT_INFO_WORKGROUP_MAX_SIZE = 8,
	HSA_AGENT_INFO_GRID_MAX_DIM = 9,
	HSA_AGENT_INFO_GRID_MAX_SIZE = 10,
	HSA_AGENT_INFO_FBARRIER_MAX_SIZE = 11,
	HSA_AGENT_INFO_QUEUES_MAX = 12,
	HSA_AGENT_INFO_QUEUE_MIN_SIZE = 13,
	HSA_AGENT_INFO_QUEUE_MAX_SIZE = 14,
	HSA_AGENT_INFO_QUEUE_TYPE = 15,
	HSA_AGENT_INFO_NODE = 16,
	HSA_AGENT_INFO_DEVICE = 17,
	HSA_AGENT_INFO_CACHE_SIZE = 18,
	HSA_AGENT_INFO_ISA = 19,
	HSA_AGENT_INFO_EXTENSIONS = 20,
	HSA_AGENT_INFO_VERSION_MAJOR = 21,
	HSA_AGENT_INFO_VERSION_MINOR = 22,
	HSA_AGENT_INFO_FAST_F16_OPERATION = 24,
	HSA_AMD_AGENT_INFO_CHIP_ID = 0xa000,
	HSA_AMD_AGENT_INFO_CACHELINE_SIZE = 0xa001,
	HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT = 0xa002,
	HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY = 0xa003,
	HSA_AMD_AGENT_INFO_DRIVER_NODE_ID = 0xa004,
	HSA_AMD_AGENT_INFO_BDFID = 0xa006,
	HSA_AMD_AGENT_INFO_MEMORY_WIDTH = 0xa007,
	HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY = 0xa008,
	HSA_AMD_AGENT_INFO_PRODUCT_NAME = 0xa009,
	HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU = 0xa00a,
	HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU = 0xa00b,
	HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES = 0xa00c,
	HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE = 0xa00d,
	HSA_AMD_AGENT_INFO_DOMAIN = 0xa00f,
	HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES = 0xa010,
	HSA_AMD_AGENT_INFO_UUID = 0xa011,
	HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY = 0xa016,
	HSA_AMD_AGENT_INFO_MEMORY_AVAIL = 0xa015,
	HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID = 0xa107,
	HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES = 0xa114,
};

enum {
	HSA_DEVICE_TYPE_CPU = 0,
	HSA_DEVICE_TYPE_GPU = 1,
	HSA_AGENT_FEATURE_KERNEL_DISPATCH = 1,
	HSA_MACHINE_MODEL_LARGE = 1,
	HSA_PROFILE_BASE = 0,
	HSA_PROFILE_FULL = 1,
	HSA_ISA_INFO_NAME_LENGTH = 0,
	HSA_ISA_INFO_NAME = 1,
	HSA_FLOAT_ROUNDING_MODE_NEAR = 2,
};

struct hsa_dim3 {
	uint32_t x;
	uint32_t y;
	uint32_t z;
};

enum hsa_signal_condition {
	HSA_SIGNAL_CONDITION_EQ = 0,
	HSA_SIGNAL_CONDITION_NE = 1,
	HSA_SIGNAL_CONDITION_LT = 2,
	HSA_SIGNAL_CONDITION_GTE = 3,
};

enum hsa_queue_type {
	HSA_QUEUE_TYPE_MULTI = 0,
	HSA_QUEUE_TYPE_SINGLE = 1,
};

struct hsa_queue {
	uint32_t type;
	uint32_t features;
	void *base_address;
	hsa_signal_t doorbell_signal;
	uint32_t size;
	uint32_t reserved1;
	uint64_t id;
};

typedef void
hsa_queue_callback(hsa_status_t status, struct hsa_queue *source, void *data);

/* Manual 2.9: the low byte of the header is the packet's type. */
enum hsa_packet_type {
	HSA_PACKET_TYPE_VENDOR_SPECIFIC = 0,
	HSA_PACKET_TYPE_INVALID = 1,
	HSA_PACKET_TYPE_KERNEL_DISPATCH = 2,
	HSA_PACKET_TYPE_BARRIER_AND = 3,
	HSA_PACKET_TYPE_AGENT_DISPATCH = 4,
	HSA_PACKET_TYPE_BARRIER_OR = 5,
};

struct hsa_dispatch_packet {
	uint16_t header;
	uint16_t setup; /* low two bits: dimensions */
	uint16_t workgroup_size[3];
	uint16_t reserved0;
	uint32_t grid_size[3]; /* in work-items */
	uint32_t private_segment_size;
	uint32_t group_segment_size;
	uint64_t kernel_object;
	void *kernarg_address;
	uint64_t reserved2;
	hsa_signal_t completion_signal;
};

struct hsa_barrier_packet {
	uint16_t header;
	uint16_t reserved0;
	uint32_t reserved1;
	hsa_signal_t dep_signal[5];
	uint64_t reserved2;
	hsa_signal_t completion_signal;
};

_Static_assert(sizeof(struct hsa_dispatch_packet) == 64, "AQL packet");
_Static_assert(sizeof(struct hsa_barrier_packet) == 64, "AQL packet");

enum hsa_executable_symbol_info {
	HSA_EXECUTABLE_SYMBOL_INFO_TYPE = 0,
	HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH = 1,
	HSA_EXECUTABLE_SYMBOL_INFO_NAME = 2,
	HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE = 5,
	HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT = 8,
	HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE = 9,
	HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE = 11,
	HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT = 12,
	HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE = 13,
	HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE = 14,
	HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK = 15,
	HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION = 17,
	HSA_EXECUTABLE_SYMBOL_INFO_AGENT = 20,
	HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS = 21,
	HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT = 22,
};

enum hsa_symbol_kind {
	HSA_SYMBOL_KIND_VARIABLE = 0,
	HSA_SYMBOL_KIND_KERNEL = 1,
};

enum hsa_amd_pool_info {
	HSA_AMD_MEMORY_POOL_INFO_SEGMENT = 0,
	HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS = 1,
	HSA_AMD_MEMORY_POOL_INFO_SIZE = 2,
	HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED = 5,
	HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE = 6,
	HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT = 7,
	HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL = 15,
	HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE = 16,
	HSA_AMD_MEMORY_POOL_INFO_LOCATION = 17,
	HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE = 18,
};

enum hsa_amd_pool_flag {
	HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT = 1,
	HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED = 2,
	HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED = 4,
};

enum {
	HSA_AMD_SEGMENT_GLOBAL = 0,
	HSA_AMD_SEGMENT_GROUP = 3,
	HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS = 0,
	HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED = 0,
	HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT = 1,
	HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT = 2,
	HSA_EXT_POINTER_TYPE_UNKNOWN = 0,
	HSA_EXT_POINTER_TYPE_HSA = 1,
	HSA_EXT_POINTER_TYPE_LOCKED = 2,
};

struct hsa_amd_pointer_info {
	uint32_t size; /* set by the caller */
	uint32_t type;
	void *agent_base;
	void *host_base;
	size_t size_in_bytes;
	void *user_data;
	hsa_agent_t owner;
	uint32_t global_flags;
};

enum {
	HSA_AMD_GPU_MEMORY_FAULT_EVENT = 0,
	HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT = 1 << 0,
	HSA_AMD_MEMORY_FAULT_READ_ONLY = 1 << 1,
};

struct hsa_amd_event {
	uint32_t event_type;
	struct {
		hsa_agent_t agent;
		uint64_t virtual_address;
		uint32_t fault_reason_mask;
	} memory_fault;
};

typedef hsa_status_t
hsa_amd_event_callback(const struct hsa_amd_event *event, void *data);
typedef bool
hsa_amd_signal_handler(hsa_signal_value_t value, void *arg);

/* ---- system, agents ---- */
hsa_status_t
hsa_init(void);
hsa_status_t
hsa_shut_down(void);
hsa_status_t
hsa_status_string(hsa_status_t status, const char **text);
hsa_status_t
hsa_system_get_info(uint32_t attribute, void *value);
hsa_status_t
hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void *), void *data);
hsa_status_t
hsa_agent_get_info(hsa_agent_t agent, uint32_t attribute, void *value);
hsa_status_t
hsa_agent_iterate_isas(hsa_agent_t agent,
		       hsa_status_t (*callback)(hsa_isa_t, void *), void *data);
hsa_status_t
hsa_isa_get_info_alt(hsa_isa_t isa, uint32_t attribute, void *value);
hsa_status_t
hsa_amd_register_system_event_handler(hsa_amd_event_callback *callback,
				      void *data);

/* ---- signals ---- */
hsa_status_t
hsa_signal_create(hsa_signal_value_t initial, uint32_t num_consumers,
		  const hsa_agent_t *consumers, hsa_signal_t *signal);
hsa_status_t
hsa_amd_signal_create(hsa_signal_value_t initial, uint32_t num_consumers,
		      const hsa_agent_t *consumers, uint64_t attributes,
		      hsa_signal_t *signal);
hsa_status_t
hsa_signal_destroy(hsa_signal_t signal);
hsa_signal_value_t
hsa_signal_load_scacquire(hsa_signal_t signal);
hsa_signal_value_t
hsa_signal_load_relaxed(hsa_signal_t signal);
void
hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
void
hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value);
void
hsa_signal_add_screlease(hsa_signal_t signal, hsa_signal_value_t value);
void
hsa_signal_subtract_screlease(hsa_signal_t signal, hsa_signal_value_t value);
hsa_signal_value_t
hsa_signal_wait_scacquire(hsa_signal_t signal, uint32_t condition,
			  hsa_signal_value_t compare, uint64_t timeout,
			  uint32_t wait_state);
hsa_status_t
hsa_amd_signal_async_handler(hsa_signal_t signal, uint32_t condition,
			     hsa_signal_value_t value,
			     hsa_amd_signal_handler *handler, void *arg);

/* ---- queues ---- */
hsa_status_t
hsa_queue_create(hsa_agent_t agent, uint32_t size, uint32_t type,
		 hsa_queue_callback *callback, void *data,
		 uint32_t private_segment_size, uint32_t group_segment_size,
		 struct hsa_queue **queue);
hsa_status_t
hsa_queue_destroy(struct hsa_queue *queue);
uint64_t
hsa_queue_load_read_index_scacquire(const struct hsa_queue *queue);
uint64_t
hsa_queue_load_write_index_relaxed(const struct hsa_queue *queue);
uint64_t
hsa_queue_add_write_index_relaxed(const struct hsa_queue *queue,
				  uint64_t value);

/* ---- memory ---- */
hsa_status_t
hsa_amd_agent_iterate_memory_pools(
	hsa_agent_t agent,
	hsa_status_t (*callback)(hsa_amd_memory_pool_t, void *), void *data);
hsa_status_t
hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t pool, uint32_t attribute,
			     void *value);
hsa_status_t
hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent,
				   hsa_amd_memory_pool_t pool,
				   uint32_t attribute, void *value);
hsa_status_t
hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, size_t size,
			     uint32_t flags, void **ptr);
hsa_status_t
hsa_amd_memory_pool_free(void *ptr);
hsa_status_t
hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t *agents,
			    const uint32_t *flags, const void *ptr);
hsa_status_t
hsa_amd_memory_lock(void *host, size_t size, hsa_agent_t *agents,
		    int num_agents, void **agent_ptr);
hsa_status_t
hsa_amd_memory_unlock(void *host);
hsa_status_t
hsa_amd_pointer_info(const void *ptr, struct hsa_amd_pointer_info *info,
		     void *(*alloc)(size_t), uint32_t *num_agents,
		     hsa_agent_t **accessible);
hsa_status_t
hsa_amd_memory_fill(void *ptr, uint32_t value, size_t count);
hsa_status_t
hsa_memory_copy(void *dst, const void *src, size_t size);
hsa_status_t
hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
			  hsa_agent_t src_agent, size_t size, uint32_t num_deps,
			  const hsa_signal_t *deps, hsa_signal_t completion);

/* ---- code ---- */
hsa_status_t
hsa_code_object_reader_create_from_memory(const void *code, size_t size,
					  hsa_code_object_reader_t *reader);
hsa_status_t
hsa_code_object_reader_destroy(hsa_code_object_reader_t reader);
hsa_status_t
hsa_code_object_deserialize(void *code, size_t size, const char *options,
			    hsa_code_object_t *object);
hsa_status_t
hsa_code_object_destroy(hsa_code_object_t object);
hsa_status_t
hsa_executable_create(uint32_t profile, uint32_t state, const char *options,
		      hsa_executable_t *executable);
hsa_status_t
hsa_executable_create_alt(uint32_t profile, uint32_t rounding,
			  const char *options, hsa_executable_t *executable);
hsa_status_t
hsa_executable_destroy(hsa_executable_t executable);
hsa_status_t
hsa_executable_load_agent_code_object(hsa_executable_t executable,
				      hsa_agent_t agent,
				      hsa_code_object_reader_t reader,
				      const char *options,
				      hsa_loaded_code_object_t *loaded);
hsa_status_t
hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
				hsa_code_object_t object, const char *options);
hsa_status_t
hsa_executable_freeze(hsa_executable_t executable, const char *options);
hsa_status_t
hsa_executable_validate(hsa_executable_t executable, uint32_t *result);
hsa_status_t
hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char *name,
				  const hsa_agent_t *agent,
				  hsa_executable_symbol_t *symbol);
hsa_status_t
hsa_executable_symbol_get_info(hsa_executable_symbol_t symbol,
			       uint32_t attribute, void *value);
hsa_status_t
hsa_executable_iterate_symbols(hsa_executable_t executable,
			       hsa_status_t (*callback)(hsa_executable_t,
							hsa_executable_symbol_t,
							void *),
			       void *data);

#endif
