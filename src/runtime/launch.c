/*
 * Launches: the checks, the shape of grid and block, and the call.
 *
 * This is the hot path. It looks up a kernel in a table that needs no lock,
 * takes the stream's lock once, and allocates nothing.
 */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static uint64_t
ceil_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static uint32_t
smaller(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

static uint32_t
power_above(uint64_t n)
{
	uint32_t power = 1;

	while (power < n && power < 1u << 30)
		power *= 2;
	return power;
}

/* The size of equal parts of n, of at most `most` each. */
static uint32_t
equal_part(uint64_t n, uint32_t most)
{
	return smaller(ceil_div(n, ceil_div(n, most)), most);
}

/* As wide as the grid, so that the loop over x is long, and with no more
 * threads than there have to be: those beyond the grid cost a CPU as much as
 * the others. Parts of a row begin where vectors do. */
static void
choose_cpu_block(const uint64_t grid[3], uint32_t threads, uint32_t block[3])
{
	block[0] = equal_part(grid[0], threads);
	if (block[0] < grid[0])
		block[0] = smaller((block[0] + 15u) / 16 * 16, threads);
	threads /= block[0];
	block[1] = equal_part(grid[1], threads);
	threads /= block[1];
	block[2] = equal_part(grid[2], threads);
}

/* 32 wide, so that a warp reads along x. */
static void
choose_gpu_block(const uint64_t grid[3], uint32_t threads, uint32_t block[3])
{
	if (threads > 256)
		threads = 256;
	block[0] = smaller(32, threads);
	threads /= block[0];
	block[1] = smaller(power_above(grid[1]),
			   grid[2] > 1 ? (threads + 1) / 2 : threads);
	threads /= block[1];
	block[2] = smaller(power_above(grid[2]), threads);
}

/* A block of about `threads`; on a GPU, and for a grid of blocks, all in x
 * unless the grid has more dimensions. */
static void
choose_block(const smelt_device *device, const struct smelt_launch *launch,
	     uint32_t threads, uint32_t block[3])
{
	const uint64_t *grid = launch->grid;

	block[0] = threads;
	block[1] = block[2] = 1;
	if (launch->grid_kind == 0)
		return;
	if (device->found.info.kind == SMELT_DEVICE_CPU)
		choose_cpu_block(grid, threads, block);
	else if (grid[1] > 1 || grid[2] > 1)
		choose_gpu_block(grid, threads, block);
	for (int i = 0; i < 3; i++)
		if (block[i] > device->found.info.max_block_dim[i])
			block[i] = device->found.info.max_block_dim[i];
}

static int
check_block(const smelt_device *device, const struct rt_loaded *loaded,
	    const char *name, const uint32_t block[3])
{
	uint64_t threads = (uint64_t)block[0] * block[1];
	const struct smelt_device_info *info = &device->found.info;
	uint32_t limit = loaded ? loaded->limit : info->max_block_threads;

	if (!block[0] || !block[1] || !block[2])
		return rt_error(SMELT_ELAUNCH,
				"kernel %s: a block of %ux%ux%u threads", name,
				block[0], block[1], block[2]);
	for (int i = 0; i < 3; i++)
		if (block[i] > info->max_block_dim[i])
			return rt_error(SMELT_ELAUNCH,
					"kernel %s: a block of %ux%ux%u "
					"threads; %s allows %ux%ux%u",
					name, block[0], block[1], block[2],
					info->name, info->max_block_dim[0],
					info->max_block_dim[1],
					info->max_block_dim[2]);
	/* Each factor is at most max_block_dim now: no overflow. */
	threads *= block[2];
	if (threads <= limit)
		return 0;
	return rt_error(SMELT_ELAUNCH,
			"kernel %s: a block of %llu threads; %s allows %u",
			name, (unsigned long long)threads,
			limit < info->max_block_threads
				? "the kernel's launch bound"
				: info->name,
			limit);
}

static int
choose_grid(const smelt_device *device, const struct smelt_launch *launch,
	    const char *name, struct rt_shape *shape)
{
	const struct engine_info *found = &device->found;

	for (int i = 0; i < 3; i++) {
		uint64_t blocks =
			launch->grid_kind == 0
				? launch->grid[i]
				: ceil_div(launch->grid[i], shape->block[i]);

		if (blocks > found->max_grid[i] ||
		    blocks > found->max_grid_threads / shape->block[i])
			return rt_error(SMELT_ELAUNCH,
					"kernel %s: %llu blocks of %u threads "
					"in dimension %c; %s allows %llu "
					"blocks there",
					name, (unsigned long long)blocks,
					shape->block[i], "xyz"[i],
					found -> info.name,
					(unsigned long long)smaller(
						found->max_grid[i],
						found->max_grid_threads /
							shape->block[i]));
		shape->grid[i] = (uint32_t)blocks;
	}
	return 0;
}

static int
choose_shape(const smelt_device *device, const struct smelt_launch *launch,
	     const struct rt_loaded *loaded, const char *name,
	     struct rt_shape *shape)
{
	int result;

	memcpy(shape->block, launch->block, sizeof(shape->block));
	if (!shape->block[0] && !shape->block[1] && !shape->block[2])
		choose_block(device, launch, loaded ? loaded->suggested : 256,
			     shape->block);
	result = check_block(device, loaded, name, shape->block);
	return result ? result : choose_grid(device, launch, name, shape);
}

/* Two threads of a grid with more dimensions than the kernel's index tokens
 * would hold equal tokens, each of them a right to write. */
static int
check_dims(const struct rt_kernel *kernel, const struct rt_shape *shape)
{
	uint32_t flags = kernel->entry->flags;
	int dims = 1, allowed = 3;

	if (!(flags & (SMELT_KERNEL_INDEX1 | SMELT_KERNEL_INDEX2 |
		       SMELT_KERNEL_INDEX3)))
		return 0;
	if (shape->grid[1] > 1 || shape->block[1] > 1)
		dims = 2;
	if (shape->grid[2] > 1 || shape->block[2] > 1)
		dims = 3;
	if (flags & SMELT_KERNEL_INDEX2)
		allowed = 2;
	if (flags & SMELT_KERNEL_INDEX1)
		allowed = 1;
	if (dims <= allowed)
		return 0;
	return rt_error(SMELT_ELAUNCH,
			"kernel %s uses %d-dimensional indices and cannot run "
			"on a %d-dimensional grid (%ux%ux%u blocks of "
			"%ux%ux%u threads)",
			kernel->name, allowed, dims, shape->grid[0],
			shape->grid[1], shape->grid[2], shape->block[0],
			shape->block[1], shape->block[2]);
}

static int
check_params(const smelt_device *device, const struct smelt_launch *launch,
	     const struct rt_kernel *kernel)
{
	if (launch->params_size != kernel->entry->block_size ||
	    launch->params_align != kernel->entry->block_align)
		return rt_error(SMELT_ELAUNCH,
				"kernel %s takes a parameter block of %u bytes "
				"aligned to %u, and was given %llu aligned to "
				"%llu",
				kernel->name, kernel->entry->block_size,
				kernel->entry->block_align,
				(unsigned long long)launch->params_size,
				(unsigned long long)launch->params_align);
	if (launch->params_size > device->found.max_params ||
	    launch->params_align > RT_MAX_ALIGN)
		return rt_error(SMELT_ELAUNCH,
				"kernel %s: its arguments have %llu bytes "
				"aligned to %llu; at most %u bytes aligned to "
				"%u can be passed by value: pass large ones "
				"by reference",
				kernel->name,
				(unsigned long long)launch->params_size,
				(unsigned long long)launch->params_align,
				device->found.max_params, RT_MAX_ALIGN);
	return 0;
}

static int
check_shared(const smelt_device *device, const struct smelt_launch *launch,
	     const struct rt_kernel *kernel, const struct rt_loaded *loaded)
{
	uint64_t all =
		(uint64_t)loaded->kernel.shared_bytes + launch->shared_bytes;

	if (all <= device->found.info.shared_bytes)
		return 0;
	return rt_error(SMELT_ELAUNCH,
			"kernel %s: %llu bytes of shared memory (%u static, %u "
			"dynamic); %s has %llu for a block",
			kernel->name, (unsigned long long)all,
			loaded->kernel.shared_bytes, launch->shared_bytes,
			device->found.info.name,
			(unsigned long long)device->found.info.shared_bytes);
}

static void
tell(const smelt_device *device, const char *name, const struct rt_shape *shape,
     const struct smelt_launch *launch)
{
	char place[160];

	rt_place_text(&rt_here, place, sizeof(place));
	rt_info("launch %s on %u (%s): %ux%ux%u blocks of %ux%ux%u threads, "
		"%llu bytes of arguments%s%s",
		name, device->index, device->found.info.name, shape->grid[0],
		shape->grid[1], shape->grid[2], shape->block[0],
		shape->block[1], shape->block[2],
		(unsigned long long)launch->params_size, *place ? ", at " : "",
		place);
}

/* Copies the parameter block and fills in its header. The stream's lock is
 * held. */
static void
begin_launch(smelt_stream *stream, const struct smelt_launch *launch,
	     const struct rt_kernel *kernel, void *params)
{
	struct smelt_block_header header;

	stream->launches++;
	rt_count(&stream->counters.launches, 1);
	stream->ring[stream->launches % RT_RING] =
		(struct rt_launched){kernel, rt_here};
	header.state = (uint64_t)(uintptr_t)stream->state;
	header.launch = stream->launches;
	memcpy(params, launch->params, launch->params_size);
	memcpy(params, &header, sizeof(header));
}

/* Makes the stream wait for what other streams do with the launch's buffers. */
static int
order_uses(smelt_stream *stream, const struct smelt_launch *launch)
{
	for (uint64_t i = 0; i < launch->use_count; i++) {
		const struct smelt_use *use = &launch->uses[i];
		int result;

		if (use->writes > RT_ATOMIC)
			return rt_error(SMELT_EINVALID,
					"%llu is no way to use a buffer",
					(unsigned long long)use->writes);
		if (!use->buffer || use->buffer->device != stream->device)
			return rt_error(SMELT_EINVALID,
					"a buffer of the launch is NULL or on "
					"another device");
		result = rt_buffer_order(stream, use->buffer,
					 (enum rt_access)use->writes);
		if (result)
			return result;
	}
	return 0;
}

/* The stream's lock is held. */
static void
note_uses(smelt_stream *stream, const struct smelt_launch *launch)
{
	for (uint64_t i = 0; i < launch->use_count; i++)
		rt_buffer_used(stream, launch->uses[i].buffer,
			       (enum rt_access)launch->uses[i].writes);
}

/* That a program was meant to be checked and is not must not go unsaid. */
static int
check_watched(const smelt_device *device, uint32_t flags, const char *name)
{
	uint32_t kind = device->found.info.kind;

	if (!rt_check_wanted || kind == SMELT_DEVICE_NULL ||
	    (kind == SMELT_DEVICE_CPU && flags & SMELT_KERNEL_WATCHED))
		return 0;
	if (kind != SMELT_DEVICE_CPU)
		return rt_error(SMELT_ENO_IMAGE,
				"SMELT_CPU_CHECK=1 checks kernels on the CPU, "
				"and kernel %s was given to %s",
				name, device->found.info.name);
	return rt_error(SMELT_ENO_IMAGE,
			"SMELT_CPU_CHECK=1, but this program was built without "
			"it, so kernel %s cannot be checked: build it with "
			"SMELT_CPU_CHECK=1 cargo smelt build",
			name);
}

/* The stream's lock is held. */
static int
give_launch(smelt_stream *stream, const struct engine_launch *one,
	    const char *name)
{
	bool timed = atomic_load_explicit(&rt_profiling, memory_order_relaxed);
	smelt_device *device = stream->device;
	struct rt_span span;
	int result;

	if (timed) {
		rt_span_begin(&span, SMELT_PROFILE_KERNEL, stream);
		span.name = name;
	}
	result = device->engine->launch(device->found.device, stream->queue,
					one);
	rt_stream_gave(stream);
	return timed ? rt_span_end(&span, result) : result;
}

/* What went wrong with a launch, and where it was. The stream's lock is held.
 */
static int
blame(smelt_stream *stream, const char *name, int result)
{
	char place[160];

	result = rt_check_lost(stream->device, stream, result);
	rt_place_text(&rt_here, place, sizeof(place));
	return rt_error_prefix(result, "kernel %s%s%s: ", name,
			       *place ? ", launched at " : "", place);
}

/* What the terms of a kernel were found to say, by this thread: a program that
 * launches in a loop asks the same again and again. */
struct decision {
	const struct rt_loaded *loaded;
	struct rt_shape shape;
	uint64_t fields[RT_TERM_FIELDS];
	bool holds;
};

enum { decisions = 16 };

static uint64_t
field_of(const struct smelt_table_term *term, const char *params)
{
	uint64_t value = 0;

	if (term->width == 64)
		memcpy(&value, params + term->value, 8);
	else
		memcpy(&value, params + term->value, term->width / 8);
	return value;
}

/* Whether the decision is of these arguments; makes it one if it is not. */
static bool
is_decided(struct decision *one, const struct rt_loaded *loaded,
	   const char *params, const struct rt_shape *shape)
{
	bool same = one->loaded == loaded &&
		    !memcmp(&one->shape, shape, sizeof(*shape));

	for (size_t i = 0; i < loaded->field_count; i++) {
		uint64_t value =
			field_of(&loaded->terms[loaded->fields[i]], params);

		same = same && one->fields[i] == value;
		one->fields[i] = value;
	}
	one->loaded = loaded;
	one->shape = *shape;
	return same;
}

static bool
terms_hold(const struct rt_loaded *loaded, const char *params,
	   const struct rt_shape *shape)
{
	static _Thread_local struct decision table[decisions];
	struct decision *one = &table[((uintptr_t)loaded >> 8) % decisions];

	if (loaded->field_count > RT_TERM_FIELDS)
		return image_terms_hold(loaded->terms, loaded->term_count,
					params, shape->grid, shape->block);
	if (!is_decided(one, loaded, params, shape))
		one->holds =
			image_terms_hold(loaded->terms, loaded->term_count,
					 params, shape->grid, shape->block);
	return one->holds;
}

/* The function to launch: the one without those checks that cannot fail in this
 * launch, if there is one and that is so. */
static const struct engine_kernel *
choose_kernel(const struct rt_loaded *loaded, const struct smelt_launch *launch,
	      const struct rt_shape *shape)
{
	return loaded->term_count && terms_hold(loaded, launch->params, shape)
		       ? &loaded->held
		       : &loaded->kernel;
}

/* The stream's lock is held. */
static int
run_kernel(smelt_stream *stream, const struct smelt_launch *launch,
	   const struct rt_kernel *kernel, struct engine_launch *one,
	   void *params)
{
	int result;

	begin_launch(stream, launch, kernel, params);
	if (!stream->fault.fault) {
		one->fault = &stream->fault;
		stream->fault_launch = stream->launches;
	}
	result = give_launch(stream, one, kernel->name);
	if (one->fault && one->fault->fault)
		snprintf(one->fault->kernel, sizeof(one->fault->kernel), "%s",
			 kernel->name);
	note_uses(stream, launch);
	return result;
}

static int
launch_kernel(smelt_stream *stream, const struct smelt_launch *launch,
	      struct rt_kernel *kernel)
{
	_Alignas(RT_MAX_ALIGN) char params[RT_MAX_PARAMS];
	smelt_device *device = stream->device;
	struct engine_launch one;
	struct rt_loaded *loaded;
	struct rt_shape shape;
	int result = rt_kernel_load(device, kernel, &loaded);

	if (result)
		return rt_check_lost(device, NULL, result);
	result = check_watched(device, kernel->entry->flags, kernel->name);
	if (!result)
		result = check_params(device, launch, kernel);
	if (!result)
		result = choose_shape(device, launch, loaded, kernel->name,
				      &shape);
	if (!result)
		result = check_dims(kernel, &shape);
	if (!result)
		result = check_shared(device, launch, kernel, loaded);
	if (result)
		return result;
	if (rt_info_wanted)
		tell(device, kernel->name, &shape, launch);
	one.kernel = choose_kernel(loaded, launch, &shape);
	memcpy(one.grid, shape.grid, sizeof(one.grid));
	memcpy(one.block, shape.block, sizeof(one.block));
	one.shared_bytes = launch->shared_bytes;
	one.params = params;
	one.params_size = launch->params_size;
	one.params_align = launch->params_align;
	one.fault = NULL;
	result = order_uses(stream, launch);
	if (!result)
		result = rt_stream_enter(stream);
	if (result)
		return result;
	result = rt_print_begin(stream, kernel);
	if (!result)
		result = run_kernel(stream, launch, kernel, &one, params);
	if (result)
		result = blame(stream, kernel->name, result);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

/* The stream's lock is held. */
static int
give_host(smelt_stream *stream, const struct smelt_launch *launch,
	  const struct rt_shape *shape, const void *params)
{
	bool timed = atomic_load_explicit(&rt_profiling, memory_order_relaxed);
	struct rt_span span;
	int result;

	if (timed) {
		rt_span_begin(&span, SMELT_PROFILE_KERNEL, stream);
		span.name = "(host instance)";
	}
	result = rt_host_run(stream, launch, shape, params);
	rt_stream_gave(stream);
	return timed ? rt_span_end(&span, result) : result;
}

static int
launch_host(smelt_stream *stream, const struct smelt_launch *launch)
{
	_Alignas(RT_MAX_ALIGN) char params[RT_MAX_PARAMS];
	smelt_device *device = stream->device;
	struct rt_shape shape;
	int result;

	/* Before the stream's lock, which may be held by this thread. */
	if (smelt_host_running())
		return rt_error(SMELT_ELAUNCH, "launch inside of a kernel");
	if (device->found.info.kind != SMELT_DEVICE_CPU)
		return rt_error(SMELT_ENO_IMAGE,
				"this program holds no kernels for %s: it was "
				"built without cargo smelt",
				device->found.info.name);
	if (launch->params_size > sizeof(params) ||
	    launch->params_align > RT_MAX_ALIGN)
		return rt_error(SMELT_ELAUNCH,
				"arguments of %llu bytes aligned to %llu",
				(unsigned long long)launch->params_size,
				(unsigned long long)launch->params_align);
	result = check_watched(device, 0, "(host)");
	if (!result)
		result = choose_shape(device, launch, NULL, "(host)", &shape);
	if (result)
		return result;
	if (rt_info_wanted)
		tell(device, "(host)", &shape, launch);
	result = order_uses(stream, launch);
	if (!result)
		result = rt_stream_enter(stream);
	if (result)
		return result;
	begin_launch(stream, launch, NULL, params);
	result = give_host(stream, launch, &shape, params);
	note_uses(stream, launch);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

static int
check_launch(const smelt_stream *stream, const struct smelt_launch *launch)
{
	if (!stream || !launch || launch->size < sizeof(*launch))
		return rt_error(SMELT_EINVALID,
				"stream or launch is NULL, or launch->size is "
				"not set");
	if (!launch->params ||
	    launch->params_size < sizeof(struct smelt_block_header))
		return rt_error(SMELT_EINVALID,
				"launch without a parameter block");
	if (launch->use_count > RT_MAX_USES ||
	    (launch->use_count && !launch->uses))
		return rt_error(SMELT_EINVALID,
				"a launch with %llu uses of buffers; at most "
				"%d",
				(unsigned long long)launch->use_count,
				RT_MAX_USES);
	if (launch->grid_kind > 1)
		return rt_error(SMELT_EINVALID, "%u is no kind of grid",
				launch->grid_kind);
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	return 0;
}

int
smelt_kernel_launch(smelt_stream *stream, const struct smelt_launch *launch)
{
	struct rt_kernel *kernel;
	int result = check_launch(stream, launch);

	if (result)
		return result;
	if (!launch->grid[0] || !launch->grid[1] || !launch->grid[2])
		return 0;
	if (launch->host_entry && !smelt_has_kernels())
		return launch_host(stream, launch);
	result = rt_kernel_find(launch->kernel, &kernel);
	return result ? result : launch_kernel(stream, launch, kernel);
}
