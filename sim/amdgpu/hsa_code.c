/*
 * Code object readers, executables and their symbols.
 *
 * A reader keeps a copy of the bytes, so that the program may free its own. The
 * older "code object" calls are the same thing under another name: both kinds
 * of handle are readers.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FILE ((size_t)1 << 31)

struct reader {
	uint64_t size;
	uint8_t data[];
};

struct executable {
	pthread_mutex_t lock;
	struct code *codes; /* newest first */
	bool frozen;
};

hsa_status_t
hsa_code_object_reader_create_from_memory(const void *data, size_t size,
					  hsa_code_object_reader_t *handle)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!data || size == 0 || size > MAX_FILE || !handle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct reader *reader = malloc(sizeof(*reader) + size);
	if (!reader || !object_add(OBJECT_READER, reader)) {
		free(reader);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	reader->size = size;
	memcpy(reader->data, data, size);
	handle->handle = (uint64_t)(uintptr_t)reader;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_code_object_reader_destroy(hsa_code_object_reader_t handle)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct reader *reader = (void *)(uintptr_t)handle.handle;
	if (!object_remove(OBJECT_READER, reader))
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
	free(reader);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_code_object_deserialize(void *data, size_t size, const char *options,
			    hsa_code_object_t *handle)
{
	(void)options;
	hsa_code_object_reader_t reader = {0};
	if (!handle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	hsa_status_t status =
		hsa_code_object_reader_create_from_memory(data, size, &reader);
	handle->handle = reader.handle;
	return status;
}

hsa_status_t
hsa_code_object_destroy(hsa_code_object_t handle)
{
	hsa_status_t status = hsa_code_object_reader_destroy(
		(hsa_code_object_reader_t){handle.handle});
	return status == HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER
		       ? HSA_STATUS_ERROR_INVALID_CODE_OBJECT
		       : status;
}

hsa_status_t
hsa_executable_create_alt(uint32_t profile, uint32_t rounding,
			  const char *options, hsa_executable_t *handle)
{
	(void)options;
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!handle || profile > 1 || rounding > 2)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct executable *executable = calloc(1, sizeof(*executable));
	if (!executable || !object_add(OBJECT_EXECUTABLE, executable)) {
		free(executable);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	pthread_mutex_init(&executable->lock, NULL);
	handle->handle = (uint64_t)(uintptr_t)executable;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_executable_create(uint32_t profile, uint32_t state, const char *options,
		      hsa_executable_t *handle)
{
	if (state > 1)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	return hsa_executable_create_alt(profile, 0, options, handle);
}

static struct executable *
find(hsa_executable_t handle)
{
	if (!object_alive(OBJECT_EXECUTABLE, handle.handle))
		return NULL;
	return (void *)(uintptr_t)handle.handle;
}

hsa_status_t
hsa_executable_destroy(hsa_executable_t handle)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct executable *executable = (void *)(uintptr_t)handle.handle;
	if (!object_remove(OBJECT_EXECUTABLE, executable))
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	while (executable->codes) {
		struct code *code = executable->codes;
		executable->codes = code->next;
		for (size_t i = 0; i < code->symbol_count; i++)
			object_remove(OBJECT_SYMBOL, &code->symbols[i]);
		code_unload(code);
	}
	pthread_mutex_destroy(&executable->lock);
	free(executable);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t
add_code(struct executable *executable, struct code *code)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	pthread_mutex_lock(&executable->lock);
	if (executable->frozen)
		status = HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
	for (size_t i = 0;
	     i < code->symbol_count && status == HSA_STATUS_SUCCESS; i++)
		if (!object_add(OBJECT_SYMBOL, &code->symbols[i]))
			status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	if (status == HSA_STATUS_SUCCESS) {
		code->next = executable->codes;
		executable->codes = code;
	}
	pthread_mutex_unlock(&executable->lock);
	return status;
}

hsa_status_t
hsa_executable_load_agent_code_object(hsa_executable_t handle,
				      hsa_agent_t agent_handle,
				      hsa_code_object_reader_t reader_handle,
				      const char *options,
				      hsa_loaded_code_object_t *loaded)
{
	(void)options;
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct executable *executable = find(handle);
	if (!executable)
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	struct sim_agent *agent = sim_agent_find(agent_handle);
	if (!agent || !agent->arch)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!object_alive(OBJECT_READER, reader_handle.handle))
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
	struct reader *reader = (void *)(uintptr_t)reader_handle.handle;
	struct code *code;
	hsa_status_t status =
		code_load(agent, reader->data, reader->size, &code);
	if (status != HSA_STATUS_SUCCESS)
		return status;
	status = add_code(executable, code);
	if (status != HSA_STATUS_SUCCESS) {
		for (size_t i = 0; i < code->symbol_count; i++)
			object_remove(OBJECT_SYMBOL, &code->symbols[i]);
		code_unload(code);
		return status;
	}
	if (loaded)
		loaded->handle = (uint64_t)(uintptr_t)code;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
				hsa_code_object_t object, const char *options)
{
	hsa_status_t status = hsa_executable_load_agent_code_object(
		executable, agent, (hsa_code_object_reader_t){object.handle},
		options, NULL);
	return status == HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER
		       ? HSA_STATUS_ERROR_INVALID_CODE_OBJECT
		       : status;
}

hsa_status_t
hsa_executable_freeze(hsa_executable_t handle, const char *options)
{
	(void)options;
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct executable *executable = find(handle);
	if (!executable)
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	pthread_mutex_lock(&executable->lock);
	bool frozen = executable->frozen;
	executable->frozen = true;
	pthread_mutex_unlock(&executable->lock);
	return frozen ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE : HSA_STATUS_SUCCESS;
}

/* Everything that validation would find is refused when code is loaded. */
hsa_status_t
hsa_executable_validate(hsa_executable_t handle, uint32_t *result)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!find(handle))
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	if (!result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*result = 0;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_executable_get_symbol_by_name(hsa_executable_t handle, const char *name,
				  const hsa_agent_t *agent_handle,
				  hsa_executable_symbol_t *symbol)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct executable *executable = find(handle);
	if (!executable)
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	if (!name || !symbol)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct sim_agent *agent = NULL;
	if (agent_handle && !(agent = sim_agent_find(*agent_handle)))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	symbol->handle = 0;
	pthread_mutex_lock(&executable->lock);
	for (struct code *code = executable->codes; code; code = code->next)
		for (size_t i = 0; i < code->symbol_count; i++)
			if ((!agent || code->agent == agent->index) &&
			    strcmp(code->symbols[i].name, name) == 0)
				symbol->handle =
					(uint64_t)(uintptr_t)&code->symbols[i];
	pthread_mutex_unlock(&executable->lock);
	return symbol->handle ? HSA_STATUS_SUCCESS
			      : HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

hsa_status_t
hsa_executable_iterate_symbols(hsa_executable_t handle,
			       hsa_status_t (*callback)(hsa_executable_t,
							hsa_executable_symbol_t,
							void *),
			       void *data)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	struct executable *executable = find(handle);
	if (!executable)
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	for (struct code *code = executable->codes; code; code = code->next) {
		for (size_t i = 0; i < code->symbol_count; i++) {
			hsa_executable_symbol_t symbol = {
				(uint64_t)(uintptr_t)&code->symbols[i]};
			hsa_status_t status = callback(handle, symbol, data);
			if (status != HSA_STATUS_SUCCESS)
				return status;
		}
	}
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t
variable_info(const struct code_symbol *symbol, uint32_t attribute, void *value)
{
	switch (attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
		*(uint64_t *)value = symbol->address;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
		*(uint32_t *)value = (uint32_t)symbol->size;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
		*(uint32_t *)value = 1;
		return HSA_STATUS_SUCCESS;
	}
	return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

static hsa_status_t
kernel_info(const struct code_symbol *symbol, uint32_t attribute, void *value)
{
	const struct kernel_descriptor *kd = (void *)(uintptr_t)symbol->address;
	switch (attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
		*(uint64_t *)value = symbol->address;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
		*(uint32_t *)value = kd->kernarg_size;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
		*(uint32_t *)value = 16;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
		*(uint32_t *)value = kd->group_segment_fixed_size;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
		*(uint32_t *)value = kd->private_segment_fixed_size;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
		*(bool *)value = kd->properties & KERNEL_DYNAMIC_STACK;
		return HSA_STATUS_SUCCESS;
	}
	return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t
hsa_executable_symbol_get_info(hsa_executable_symbol_t handle,
			       uint32_t attribute, void *value)
{
	if (!sim_initialised())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!object_alive(OBJECT_SYMBOL, handle.handle))
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	const struct code_symbol *symbol = (void *)(uintptr_t)handle.handle;
	size_t length = strlen(symbol->name);
	switch (attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
		*(uint32_t *)value = symbol->kernel ? HSA_SYMBOL_KIND_KERNEL
						    : HSA_SYMBOL_KIND_VARIABLE;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
		*(uint32_t *)value = (uint32_t)length;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
		memcpy(value, symbol->name, length);
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
		*(uint32_t *)value = 1; /* of the program */
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
		*(bool *)value = true;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
		*(hsa_agent_t *)value = sim_agent_handle(symbol->agent);
		return HSA_STATUS_SUCCESS;
	}
	return symbol->kernel ? kernel_info(symbol, attribute, value)
			      : variable_info(symbol, attribute, value);
}
