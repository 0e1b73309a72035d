/*
 * What happens before what: see cpu_order.h.
 *
 * Vector clocks would need an entry for each thread that there is. Here a
 * release is a node that says what its thread had done, and points to what it
 * knew; whoever acquires it points to it, and the question "before?" walks that
 * graph. It is only asked where two threads meet at one place without a barrier
 * between, which is rare, or a fault, after which nobody asks any more.
 */
#include "cpu_order.h"

#include <stdlib.h>
#include <string.h>

/* ---- pools ---- */

static bool
add_pool_chunk(struct cpu_pool *pool)
{
	char **chunks = realloc(pool->chunks,
				(pool->chunk_count + 1) * sizeof(*chunks));

	if (!chunks)
		return false;
	pool->chunks = chunks;
	chunks[pool->chunk_count] = calloc(CPU_POOL_CHUNK, pool->size);
	if (!chunks[pool->chunk_count])
		return false;
	pool->chunk_count++;
	return true;
}

uint32_t
cpu_pool_add(struct cpu_pool *pool)
{
	uint32_t number = pool->count + 1;

	if (number == UINT32_MAX)
		return 0;
	if (number / CPU_POOL_CHUNK >= pool->chunk_count &&
	    !add_pool_chunk(pool))
		return 0;
	pool->count = number;
	return number;
}

void
cpu_pool_free(struct cpu_pool *pool)
{
	for (size_t i = 0; i < pool->chunk_count; i++)
		free(pool->chunks[i]);
	free(pool->chunks);
	pool->chunks = NULL;
	pool->chunk_count = 0;
	pool->count = 0;
}

/* ---- segments and barriers ---- */

void
cpu_order_begin(struct cpu_order *order, uint32_t threads)
{
	memset(order, 0, sizeof(*order));
	order->segments.size = sizeof(struct cpu_segment);
	order->known.size = sizeof(struct cpu_known);
	order->threads = threads;
}

void
cpu_order_free(struct cpu_order *order)
{
	cpu_pool_free(&order->segments);
	cpu_pool_free(&order->known);
	free(order->stack);
	order->stack = NULL;
}

void
cpu_order_block(struct cpu_order *order, uint64_t block)
{
	order->block = block;
	order->epoch = 0;
	order->block_known = 0;
	order->epoch_from = order->segments.count + 1;
	memset(order->thread, 0, order->threads * sizeof(order->thread[0]));
}

static struct cpu_known *
known_at(const struct cpu_order *order, uint32_t number)
{
	return cpu_pool_get(&order->known, number);
}

static uint32_t
join(struct cpu_order *order, uint32_t a, uint32_t b)
{
	uint32_t number;

	if (!a || !b || a == b)
		return a ? a : b;
	number = cpu_pool_add(&order->known);
	if (!number) {
		order->no_memory = true;
		return a;
	}
	known_at(order, number)->a = a;
	known_at(order, number)->b = b;
	return number;
}

void
cpu_order_barrier(struct cpu_order *order)
{
	for (uint32_t t = 0; t < order->threads; t++) {
		struct cpu_order_thread *one = &order->thread[t];

		order->block_known =
			join(order, order->block_known, one->known);
		one->segment = one->last = one->known = 0;
	}
	order->epoch++;
	order->epoch_from = order->segments.count + 1;
}

uint32_t
cpu_order_segment(struct cpu_order *order, uint32_t thread)
{
	struct cpu_order_thread *one = &order->thread[thread];
	struct cpu_segment *segment;

	if (one->segment)
		return one->segment;
	one->segment = cpu_pool_add(&order->segments);
	if (!one->segment) {
		order->no_memory = true;
		return 0;
	}
	one->last = one->segment;
	segment = cpu_pool_get(&order->segments, one->segment);
	*segment = (struct cpu_segment){order->block, thread, order->epoch};
	return one->segment;
}

/* ---- before ---- */

bool
cpu_order_nearly(const struct cpu_order *order, uint32_t number,
		 uint32_t thread)
{
	const struct cpu_segment *segment = cpu_order_get(order, number);

	return segment->block == order->block &&
	       (segment->thread == thread || segment->epoch < order->epoch);
}

static void
push(struct cpu_order *order, size_t *depth, uint32_t number)
{
	struct cpu_known *known;

	if (!number)
		return;
	known = known_at(order, number);
	if (known->walk == order->walk)
		return;
	known->walk = order->walk;
	if (*depth == order->stack_size) {
		size_t size = order->stack_size ? order->stack_size * 2 : 256;
		uint32_t *stack = realloc(order->stack, size * sizeof(*stack));

		if (!stack) {
			order->no_memory = true;
			return;
		}
		order->stack = stack;
		order->stack_size = size;
	}
	order->stack[(*depth)++] = number;
}

static bool
makes_known(const struct cpu_known *known, const struct cpu_segment *segment,
	    uint32_t number)
{
	if (known->block != segment->block)
		return false;
	return number < known->epoch_from ||
	       (known->thread == segment->thread && number <= known->upto);
}

bool
cpu_order_before(struct cpu_order *order, uint32_t number, uint32_t thread)
{
	const struct cpu_segment *segment = cpu_order_get(order, number);
	size_t depth = 0;

	if (cpu_order_nearly(order, number, thread))
		return true;
	order->walk++;
	push(order, &depth, order->block_known);
	push(order, &depth, order->thread[thread].known);
	while (depth) {
		const struct cpu_known *known =
			known_at(order, order->stack[--depth]);

		if (makes_known(known, segment, number))
			return true;
		push(order, &depth, known->b);
		push(order, &depth, known->a);
	}
	return false;
}

/* ---- release and acquire ---- */

static void
acquire(struct cpu_order *order, uint32_t thread, uint32_t what)
{
	struct cpu_order_thread *one = &order->thread[thread];

	one->known = join(order, one->known, what);
}

/* All that the thread did and knows; what it does from now on is not in it. */
static uint32_t
release(struct cpu_order *order, uint32_t thread)
{
	struct cpu_order_thread *one = &order->thread[thread];
	uint32_t number = cpu_pool_add(&order->known);

	if (!number) {
		order->no_memory = true;
		return 0;
	}
	*known_at(order, number) = (struct cpu_known){
		.block = order->block,
		.thread = thread,
		.upto = one->last,
		.epoch_from = order->epoch_from,
		.a = one->known,
		.b = order->block_known,
	};
	one->segment = 0;
	return number;
}

/* A write replaces what the place holds; an update adds to it, so that it goes
 * on being released by who wrote before (a release sequence). */
void
cpu_order_atomic(struct cpu_order *order, uint32_t thread, uint32_t how,
		 uint32_t *place)
{
	struct cpu_order_thread *one = &order->thread[thread];
	const uint32_t both = SMELT_CPU_ACQUIRE | SMELT_CPU_RELEASE;
	uint32_t kind = how & 15;

	if (kind != SMELT_CPU_ATOMIC_WRITE && *place) {
		if (how & SMELT_CPU_ACQUIRE)
			acquire(order, thread, *place);
		else
			one->seen = join(order, one->seen, *place);
	}
	if (kind == SMELT_CPU_ATOMIC_READ)
		return;
	/* What was acquired just now is in the release. */
	if (kind == SMELT_CPU_ATOMIC_WRITE || (how & both) == both)
		*place = 0;
	if (how & SMELT_CPU_RELEASE)
		*place = join(order, *place, release(order, thread));
	else
		*place = join(order, *place, one->released);
}

void
cpu_order_fence(struct cpu_order *order, uint32_t thread, uint32_t how)
{
	struct cpu_order_thread *one = &order->thread[thread];

	if (how & SMELT_CPU_ACQUIRE) {
		acquire(order, thread, one->seen);
		one->seen = 0;
	}
	if (how & SMELT_CPU_RELEASE)
		one->released = release(order, thread);
}
