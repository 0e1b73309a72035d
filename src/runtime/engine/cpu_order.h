/*
 * What happens before what in a watched launch.
 *
 * Blocks run one after the other and threads of a block take turns, so all that
 * happens has one order in time; the question is which of it the program itself
 * asks for. It asks for it by the order within a thread, by barriers, and by
 * release and acquire on one place (with atomics or fences, as in Rust). A
 * thread's life is cut into *segments* at each of these: an access is known by
 * its segment alone.
 */
#ifndef SMELT_ENGINE_CPU_ORDER_H
#define SMELT_ENGINE_CPU_ORDER_H

#include "cpu.h"

/* ---- items that are found by number, and never move ---- */

#define CPU_POOL_CHUNK 4096

struct cpu_pool {
	char **chunks;
	size_t chunk_count;
	size_t size;	/* of an item */
	uint32_t count; /* numbers in use; 0 is none */
};

/* A new item, zeroed; 0 if there is no memory. */
uint32_t
cpu_pool_add(struct cpu_pool *pool);
static inline void *
cpu_pool_get(const struct cpu_pool *pool, uint32_t number)
{
	return pool->chunks[number / CPU_POOL_CHUNK] +
	       number % CPU_POOL_CHUNK * pool->size;
}
void
cpu_pool_free(struct cpu_pool *pool);

/* ---- the order ---- */

/* One thread between two of its releases, or from barrier to barrier. Later
 * ones have higher numbers. */
struct cpu_segment {
	uint64_t block;
	uint32_t thread; /* linear in the block */
	uint32_t epoch;	 /* barriers of the block before it */
};

/* What a release makes known to who acquires it: all of the block's segments
 * below `epoch_from`, the thread's own up to `upto`, and what is behind a and
 * b. With both 0 it only joins a and b. */
struct cpu_known {
	uint64_t block;
	uint32_t thread;
	uint32_t upto;
	uint32_t epoch_from;
	uint32_t a, b; /* numbers in cpu_order.known */
	uint32_t walk; /* the last that came by */
};

struct cpu_order_thread {
	uint32_t segment;  /* 0: none begun since the last cut */
	uint32_t last;	   /* the one before that, of this epoch */
	uint32_t known;	   /* acquired since the last barrier */
	uint32_t released; /* by the last release fence */
	uint32_t seen;	   /* by relaxed reads: acquired at the next fence */
};

struct cpu_order {
	struct cpu_pool segments; /* struct cpu_segment */
	struct cpu_pool known;	  /* struct cpu_known */
	uint64_t block;
	uint32_t threads; /* of a block */
	uint32_t epoch;
	uint32_t epoch_from; /* the first segment that may be of this epoch */
	uint32_t block_known;
	uint32_t walk;
	uint32_t *stack; /* of a walk */
	size_t stack_size;
	bool no_memory; /* once true, all answers are worthless */
	struct cpu_order_thread thread[CPU_MAX_BLOCK];
};

void
cpu_order_begin(struct cpu_order *order, uint32_t threads);
void
cpu_order_free(struct cpu_order *order);
/* A block begins; those before have ended. */
void
cpu_order_block(struct cpu_order *order, uint64_t block);
/* All threads of the block have passed a barrier. */
void
cpu_order_barrier(struct cpu_order *order);

/* The segment that a thread of the block is in. */
uint32_t
cpu_order_segment(struct cpu_order *order, uint32_t thread);
static inline const struct cpu_segment *
cpu_order_get(const struct cpu_order *order, uint32_t segment)
{
	return cpu_pool_get(&order->segments, segment);
}
/* Whether what was done in a segment happens before what the thread does now;
 * `nearly` looks only at the thread itself and at barriers. */
bool
cpu_order_before(struct cpu_order *order, uint32_t segment, uint32_t thread);
bool
cpu_order_nearly(const struct cpu_order *order, uint32_t segment,
		 uint32_t thread);

/* An atomic access of a thread to a place; how is of enum smelt_cpu_access,
 * *place what the place holds, 0 at first. */
void
cpu_order_atomic(struct cpu_order *order, uint32_t thread, uint32_t how,
		 uint32_t *place);
void
cpu_order_fence(struct cpu_order *order, uint32_t thread, uint32_t how);

#endif
