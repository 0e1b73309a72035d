/*
 * Buffers and the order that they keep between streams. On the stand-in for
 * LLVM Offload, which does all work at the last moment: where an order is
 * missing, data is read before it was written, or memory after it was given
 * back.
 */
#include "unit.h"

#include "runtime/runtime.h"
#include "sample.h"

static smelt_device *device;
static smelt_stream *a, *b;

static void
setup(void)
{
	sample_use_fake();
	setenv("SMELT_DEVICE", "nvidia", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_stream_create(device, &a), 0);
	CHECK_INT(smelt_stream_create(device, &b), 0);
}

static smelt_buffer *
create(uint64_t size)
{
	smelt_buffer *buffer = NULL;
	uint8_t zero = 0;

	CHECK_INT(smelt_buffer_create(device, size, &buffer), 0);
	CHECK_INT(smelt_buffer_fill(NULL, buffer, 0, &zero, 1, size), 0);
	return buffer;
}

/* Adds value to the first n numbers. */
static int
add(smelt_stream *stream, smelt_buffer *buffer, uint64_t n, uint64_t value)
{
	struct sample_block block = {
		{0}, smelt_buffer_memory(buffer), n, value};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, n);
	struct smelt_use use = {buffer, 1};

	launch.uses = &use;
	launch.use_count = 1;
	return smelt_kernel_launch(stream, &launch);
}

static uint64_t
first(smelt_stream *stream, smelt_buffer *buffer)
{
	uint64_t value = 0;

	CHECK_INT(smelt_buffer_read(stream, buffer, 0, &value, 8), 0);
	return value;
}

/* Writers on two streams, then a reader on a third. */
static void
writers(void)
{
	smelt_buffer *buffer;
	smelt_stream *c;

	setup();
	CHECK_INT(smelt_stream_create(device, &c), 0);
	buffer = create(800);
	for (int i = 0; i < 10; i++) {
		CHECK_INT(add(a, buffer, 100, 1), 0);
		CHECK_INT(add(b, buffer, 100, 100), 0);
	}
	CHECK_INT(first(c, buffer), 1010);
	CHECK_INT(add(a, buffer, 100, 1), 0);
	CHECK_INT(first(NULL, buffer), 1011);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
	CHECK_INT(smelt_stream_destroy(c), 0);
}

/* A writer comes after readers of several streams: they see what was before. */
static void
readers(void)
{
	smelt_stream *streams[6];
	smelt_buffer *source, *copies[6];

	setup();
	source = create(800);
	CHECK_INT(add(a, source, 100, 7), 0);
	for (int i = 0; i < 6; i++) {
		CHECK_INT(smelt_stream_create(device, &streams[i]), 0);
		copies[i] = create(800);
		CHECK_INT(smelt_buffer_copy(streams[i], copies[i], 0, source, 0,
					    800),
			  0);
	}
	CHECK(atomic_load(&source->many));
	CHECK_INT(add(b, source, 100, 50), 0);
	CHECK(!atomic_load(&source->many));
	CHECK_INT(first(NULL, source), 57);
	for (int i = 0; i < 6; i++) {
		CHECK_INT(first(NULL, copies[i]), 7);
		CHECK_INT(smelt_buffer_destroy(copies[i]), 0);
		CHECK_INT(smelt_stream_destroy(streams[i]), 0);
	}
	CHECK_INT(smelt_buffer_destroy(source), 0);
}

/* Atomic uses stand beside each other, and a reader comes after all. */
static void
atomics(void)
{
	smelt_buffer *buffer;
	struct smelt_use use;

	setup();
	buffer = create(800);
	use = (struct smelt_use){buffer, RT_ATOMIC};
	for (int i = 0; i < 6; i++) {
		struct sample_block block = {
			{0}, smelt_buffer_memory(buffer), 100, 1};
		struct smelt_launch launch =
			sample_launch(SAMPLE_ADD, &block, 100);

		launch.uses = &use;
		launch.use_count = 1;
		CHECK_INT(smelt_kernel_launch(i % 2 ? a : b, &launch), 0);
	}
	CHECK_INT(first(NULL, buffer), 6);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

/* Destroyed with its work still to come, and its memory taken at once by a
 * buffer of another stream. */
static void
destroyed_early(void)
{
	smelt_buffer *old, *fresh, *kept;
	void *memory;

	setup();
	kept = create(800);
	old = create(800);
	CHECK_INT(add(a, old, 100, 5), 0);
	CHECK_INT(smelt_buffer_copy(a, kept, 0, old, 0, 800), 0);
	memory = smelt_buffer_memory(old);
	CHECK_INT(smelt_buffer_destroy(old), 0);
	CHECK_INT(smelt_buffer_destroy(old), SMELT_EINVALID);
	CHECK_INT(smelt_buffer_create(device, 800, &fresh), 0);
	CHECK(smelt_buffer_memory(fresh) == memory);
	CHECK_INT(smelt_buffer_fill(b, fresh, 0, "\377", 1, 800), 0);
	CHECK_INT(smelt_stream_wait(b), 0);
	CHECK_INT(first(NULL, kept), 5);
	/* As plain memory it is not handed out before the work is over. */
	CHECK_INT(smelt_buffer_fill(b, fresh, 0, "\1", 1, 800), 0);
	CHECK_INT(smelt_buffer_destroy(fresh), 0);
	CHECK_INT(smelt_memory_alloc(device, 800, &memory), 0);
	CHECK(memory != smelt_buffer_memory(fresh));
	CHECK_INT(smelt_memory_free(device, NULL, memory), 0);
	CHECK_INT(smelt_buffer_destroy(kept), 0);
}

/* The streams that used it are gone, and one is there anew. */
static void
streams_gone(void)
{
	smelt_buffer *buffer;
	smelt_stream *again;

	setup();
	buffer = create(800);
	CHECK_INT(add(a, buffer, 100, 1), 0);
	CHECK_INT(smelt_buffer_wait(buffer, 1), 0);
	CHECK_INT(add(b, buffer, 100, 1), 0);
	CHECK_INT(smelt_stream_destroy(a), 0);
	CHECK_INT(smelt_stream_wait(a), SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "destroyed");
	CHECK_INT(smelt_stream_destroy(b), 0);
	CHECK_INT(first(NULL, buffer), 2);
	CHECK_INT(smelt_stream_create(device, &again), 0);
	CHECK(again == a || again == b);
	CHECK_INT(add(again, buffer, 100, 1), 0);
	CHECK_INT(first(device->stream, buffer), 3);
	CHECK_INT(smelt_stream_destroy(again), 0);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

/* The one who waits for what a panicked kernel made is told of the panic. */
static void
panic_of_another(void)
{
	struct smelt_panic panic = {.size = sizeof(panic)};
	smelt_buffer *buffer;
	struct sample_block block;
	struct smelt_launch launch;
	struct smelt_use use;
	uint64_t value;

	setup();
	buffer = create(2048);
	block = (struct sample_block){{0}, smelt_buffer_memory(buffer), 10, 0};
	use = (struct smelt_use){buffer, 1};
	launch = sample_launch(SAMPLE_BOUNDS, &block, 20);
	launch.uses = &use;
	launch.use_count = 1;
	CHECK_INT(smelt_kernel_launch(a, &launch), 0);
	CHECK_INT(add(b, buffer, 10, 5), 0);
	CHECK_INT(smelt_stream_wait(b), SMELT_EPANIC);
	CHECK_TEXT(smelt_last_error(), "t::bounds panicked");
	CHECK_INT(smelt_stream_panic(b, &panic), 0);
	CHECK(!strcmp(panic.kernel, "t::bounds"));
	CHECK_INT(smelt_last_panic(&panic), 0);
	CHECK_INT(smelt_stream_wait(b), 0);
	CHECK_INT(smelt_stream_wait(a), 0);
	/* A read tells too, and has the data all the same. */
	CHECK_INT(smelt_kernel_launch(a, &launch), 0);
	CHECK_INT(add(b, buffer, 10, 5), 0);
	CHECK_INT(smelt_buffer_read(NULL, buffer, 0, &value, 8), SMELT_EPANIC);
	CHECK_INT(value, 12);
	/* So does the device, of a stream that was retired. */
	CHECK_INT(smelt_kernel_launch(a, &launch), 0);
	CHECK_INT(smelt_stream_retire(a), SMELT_EPANIC);
	CHECK_INT(smelt_device_wait(device), SMELT_EPANIC);
	CHECK_INT(smelt_device_wait(device), 0);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

static void
within_device(void)
{
	smelt_buffer *here, *there, *wrapped;
	uint64_t host[100] = {0}, three = 3;

	setup();
	here = create(800);
	CHECK_INT(smelt_buffer_fill(a, here, 0, &three, 8, 800), 0);
	CHECK_INT(add(a, here, 100, 4), 0);
	CHECK_INT(smelt_buffer_wrap(device, host, sizeof(host), &wrapped),
		  SMELT_EUNSUPPORTED);
	CHECK_INT(smelt_buffer_create(device, 800, &there), 0);
	CHECK_INT(smelt_buffer_copy(b, there, 400, here, 0, 400), 0);
	CHECK_INT(smelt_buffer_read(NULL, there, 400, host, 400), 0);
	CHECK(host[0] == 7 && host[49] == 7 && host[50] == 0);
	CHECK_INT(smelt_buffer_destroy(here), 0);
	CHECK_INT(smelt_buffer_destroy(there), 0);
}

/* All three kinds of device at once. */
static void
three_devices(void)
{
	smelt_device *devices[3];
	smelt_buffer *buffers[3];
	uint64_t host[1000], wrong = 0;

	sample_use_fake();
	smelt_image_register(sample_image());
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_INT(smelt_device_get(i, &devices[i]), 0);
		CHECK_INT(smelt_buffer_create(devices[i], 8000, &buffers[i]),
			  0);
	}
	for (uint64_t i = 0; i < 1000; i++)
		host[i] = i;
	CHECK_INT(smelt_buffer_write(NULL, buffers[0], 0, host, 8000), 0);
	for (uint32_t i = 0; i < 3; i++) {
		device = devices[i];
		CHECK_INT(add(devices[i]->stream, buffers[i], 1000, 1), 0);
		CHECK_INT(smelt_buffer_copy(NULL, buffers[(i + 1) % 3], 0,
					    buffers[i], 0, 8000),
			  0);
	}
	CHECK_INT(smelt_buffer_copy(devices[1]->stream, buffers[0], 0,
				    buffers[1], 0, 8),
		  SMELT_EINVALID);
	CHECK_INT(smelt_buffer_read(devices[1]->stream, buffers[0], 0, host, 8),
		  SMELT_EINVALID);
	CHECK_INT(add(devices[1]->stream, buffers[0], 1, 1), SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "another device");
	CHECK_INT(smelt_buffer_read(NULL, buffers[0], 0, host, 8000), 0);
	for (uint64_t i = 0; i < 1000; i++)
		wrong += host[i] != i + 3;
	CHECK_INT(wrong, 0);
	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT(smelt_buffer_destroy(buffers[i]), 0);
}

static void
wrapped_memory(void)
{
	uint64_t host[100] = {0};
	smelt_buffer *buffer;

	setenv("SMELT_DEVICE", "cpu", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_buffer_wrap(device, host, sizeof(host), &buffer), 0);
	CHECK(smelt_buffer_memory(buffer) == host);
	CHECK_INT(add(device->stream, buffer, 100, 9), 0);
	CHECK_INT(host[99], 9);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
	CHECK_INT(smelt_buffer_wrap(device, NULL, 8, &buffer), SMELT_EINVALID);
}

static void
bad_calls(void)
{
	smelt_buffer *buffer;
	char host[8];

	setup();
	CHECK_INT(smelt_buffer_create(device, 0, &buffer), SMELT_EINVALID);
	CHECK(buffer == NULL);
	CHECK_INT(smelt_buffer_create(NULL, 8, &buffer), SMELT_EINVALID);
	CHECK_INT(smelt_buffer_create(device, UINT64_MAX, &buffer),
		  SMELT_ENO_DEVICE_MEMORY);
	CHECK_INT(smelt_buffer_destroy(NULL), 0);
	buffer = create(256);
	CHECK_INT(smelt_buffer_write(NULL, buffer, 250, host, 7),
		  SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "write of 7 bytes at 250, outside of a "
				       "buffer of 256");
	CHECK_INT(smelt_buffer_read(NULL, buffer, UINT64_MAX, host, 8),
		  SMELT_EINVALID);
	CHECK_INT(smelt_buffer_read(NULL, buffer, 0, NULL, 8), SMELT_EINVALID);
	CHECK_INT(smelt_buffer_write(NULL, buffer, 0, NULL, 8), SMELT_EINVALID);
	CHECK_INT(smelt_buffer_write(NULL, NULL, 0, host, 8), SMELT_EINVALID);
	CHECK_INT(smelt_buffer_write(NULL, buffer, 256, NULL, 0), 0);
	CHECK_INT(smelt_buffer_fill(NULL, buffer, 0, host, 3, 8),
		  SMELT_EINVALID);
	CHECK_INT(smelt_buffer_copy(NULL, buffer, 0, buffer, 4, 8),
		  SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "they overlap");
	CHECK_INT(smelt_buffer_copy(NULL, buffer, 0, buffer, 8, 8), 0);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

/* Pinned memory is copied from and to as it is, in parts too. */
static void
pinned(void)
{
	smelt_buffer *buffer;
	void *memory;
	char *text;

	setup();
	buffer = create(4096);
	CHECK_INT(smelt_host_alloc(device, 4096, &memory), 0);
	text = memory;
	CHECK(text[0] == 0 && text[4095] == 0);
	CHECK(rt_is_pinned(text, 4096) && rt_is_pinned(text + 4095, 1));
	CHECK(!rt_is_pinned(text, 4097) && !rt_is_pinned(text - 1, 1));
	strcpy(text + 100, "some text");
	CHECK_INT(smelt_buffer_write(NULL, buffer, 0, text + 100, 10), 0);
	text[100] = 'x';
	CHECK_INT(smelt_buffer_read(NULL, buffer, 0, text + 200, 10), 0);
	CHECK(!strcmp(text + 200, "some text"));
	CHECK_INT(smelt_host_free(device, text + 1), SMELT_EINVALID);
	CHECK_INT(smelt_host_free(device, text), 0);
	CHECK_INT(smelt_host_free(device, text), SMELT_EINVALID);
	CHECK(!rt_is_pinned(text, 1));
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

/* Copies that nobody waits for: the library does them when it must, with what
 * the memory holds then; other streams keep their order all the same. */
static void
not_waited_for(void)
{
	struct smelt_counters counters = {.size = sizeof(counters)};
	smelt_buffer *buffer;
	smelt_event *event;
	char own[8] = "own", *in, *out;
	void *memory;

	setup();
	buffer = create(4096);
	CHECK_INT(smelt_host_alloc(device, 4096, &memory), 0);
	in = memory;
	out = in + 2048;
	strcpy(in, "old");
	CHECK_INT(smelt_buffer_write_async(a, buffer, 8, in, 8), 0);
	strcpy(in, "new");
	CHECK_INT(smelt_buffer_read_async(b, buffer, 8, out, 8), 0);
	CHECK_INT(smelt_event_record(b, &event), 0);
	CHECK_INT(smelt_event_query(event), 1);
	CHECK(!strcmp(out, ""));
	CHECK_INT(smelt_event_wait(event), 0);
	CHECK(!strcmp(out, "new"));
	CHECK_INT(smelt_event_destroy(event), 0);
	CHECK_INT(smelt_device_counters(device, &counters), 0);
	CHECK_INT(counters.bytes_to, 8);
	CHECK_INT(counters.bytes_from, 8);
	CHECK_INT(counters.waits, 0);
	/* The same of plain device memory. */
	memory = smelt_buffer_memory(buffer);
	CHECK_INT(smelt_copy_to_device_async(a, memory, "", 1), SMELT_EINVALID);
	CHECK_INT(smelt_copy_to_device_async(a, memory, in, 8), 0);
	CHECK_INT(smelt_copy_from_device_async(a, out + 8, memory, 8), 0);
	CHECK(!strcmp(out + 8, ""));
	CHECK_INT(smelt_stream_wait(a), 0);
	CHECK(!strcmp(out + 8, "new"));
	/* Only memory that may be left to the device. */
	CHECK_INT(smelt_buffer_write_async(NULL, buffer, 0, own, 8),
		  SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "not pinned");
	CHECK_INT(smelt_buffer_read_async(NULL, buffer, 0, own, 8),
		  SMELT_EINVALID);
	CHECK_INT(smelt_buffer_read_async(NULL, buffer, 4096, out, 8),
		  SMELT_EINVALID);
	CHECK_INT(smelt_buffer_read_async(NULL, buffer, 0, out + 2045, 8),
		  SMELT_EINVALID);
	CHECK_INT(smelt_buffer_write_async(NULL, buffer, 0, NULL, 0), 0);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
	CHECK_INT(smelt_host_free(device, in), 0);
}

/* What kernels made is copied out while later work waits; that one panicked is
 * told when it is asked for, also of a stream that was followed. */
static void
checked(void)
{
	struct sample_block block = {{0}, NULL, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 20);
	smelt_buffer *buffer;
	smelt_event *event;
	struct smelt_use use;
	void *memory;

	setup();
	buffer = create(4096);
	block.out = smelt_buffer_memory(buffer);
	use = (struct smelt_use){buffer, 1};
	launch.uses = &use;
	launch.use_count = 1;
	CHECK_INT(smelt_host_alloc(device, 4096, &memory), 0);
	CHECK_INT(smelt_kernel_launch(a, &launch), 0);
	CHECK_INT(smelt_stream_check(a), 0);
	CHECK_INT(smelt_buffer_read_async(b, buffer, 0, memory, 80), 0);
	CHECK_INT(smelt_event_record(b, &event), 0);
	CHECK_INT(smelt_stream_check(b), 0);
	CHECK_INT(smelt_event_wait(event), 0);
	CHECK_INT(smelt_event_destroy(event), 0);
	CHECK_INT(smelt_stream_check(b), SMELT_EPANIC);
	CHECK_TEXT(smelt_last_error(), "t::bounds panicked at src/main.rs");
	CHECK_INT(smelt_stream_check(b), 0);
	CHECK_INT(smelt_stream_wait(a), 0);
	CHECK_INT(smelt_stream_check(NULL), SMELT_EINVALID);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
	CHECK_INT(smelt_host_free(device, memory), 0);
}

/* The pool gives back what it holds, also what work is still to use. */
static void
out_of_memory(void)
{
	smelt_buffer *buffers[3], *large;

	setenv("SMELT_DEVICE", "null", 1);
	CHECK_INT(smelt_device_default(&device), 0);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(smelt_buffer_create(device, 80u << 20, &buffers[i]),
			  0);
		CHECK_INT(smelt_buffer_fill(NULL, buffers[i], 0, "x", 1, 10),
			  0);
	}
	CHECK_INT(smelt_buffer_create(device, 80u << 20, &large),
		  SMELT_ENO_DEVICE_MEMORY);
	CHECK_TEXT(smelt_last_error(), "asked for 83886080 bytes");
	CHECK_INT(smelt_buffer_destroy(buffers[0]), 0);
	CHECK_INT(smelt_buffer_destroy(buffers[1]), 0);
	CHECK_INT(smelt_buffer_create(device, 150u << 20, &large), 0);
	CHECK_INT(smelt_buffer_destroy(large), 0);
	CHECK_INT(smelt_buffer_destroy(buffers[2]), 0);
}

int
main(void)
{
	RUN(writers);
	RUN(readers);
	RUN(atomics);
	RUN(destroyed_early);
	RUN(streams_gone);
	RUN(panic_of_another);
	RUN(within_device);
	RUN(three_devices);
	RUN(wrapped_memory);
	RUN(bad_calls);
	RUN(pinned);
	RUN(not_waited_for);
	RUN(checked);
	RUN(out_of_memory);
	return unit_failed != 0;
}
