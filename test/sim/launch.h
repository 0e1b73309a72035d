/*
 * The few steps of liboffload that the tests share. Each ends the test with a
 * message if it fails.
 */
#ifndef TEST_SIM_LAUNCH_H
#define TEST_SIM_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <offload/OffloadAPI.h>

struct device {
	ol_device_handle_t device;
	ol_device_handle_t host;
	ol_queue_handle_t queue;
	ol_program_handle_t program;
};

/* The first AMD GPU, with a queue and the code object in the file. Exit status
 * 77 (skip) if there is none. */
void
launch_open(struct device *d, const char *path);
/* The same without a code object. */
void
launch_start(struct device *d);
void
launch_close(struct device *d);
void *
launch_alloc(struct device *d, size_t size);
/* Device memory with these contents. */
void *
launch_copy(struct device *d, const void *data, size_t size);
void
launch_put(struct device *d, void *to, const void *data, size_t size);
void
launch_get(struct device *d, void *data, const void *from, size_t size);
void
launch_free(void *memory);
/* Runs the kernel and waits. Sizes are groups and work-items of a group. */
void
launch(struct device *d, const char *kernel, uint32_t groups, uint32_t size,
       const void *args, size_t args_size);
void
launch3(struct device *d, const char *kernel, const uint32_t groups[3],
	const uint32_t size[3], uint32_t shared, const void *args,
	size_t args_size);

#endif
