/*
 * The primitives of kernels, for the host's own instance of a kernel.
 *
 * A warp operation is an exchange: every lane shows its value, meets the others
 * of its warp once, and reads theirs. A second meeting before the next
 * operation is not needed, as that one uses the other row.
 */
#include "primitives.h"
#include "host.h"

#include <math.h>

/* ---- marks, which only smelt-cc has a use for ---- */

void
__smelt_kernel_id(smelt_u128 id)
{
	(void)id;
}

void
__smelt_block_layout(size_t size, size_t align)
{
	(void)size;
	(void)align;
}

const uint8_t *
__smelt_arg_readonly(const uint8_t *memory)
{
	return memory;
}

uint8_t *
__smelt_arg_unique(uint8_t *memory)
{
	return memory;
}

uint8_t *
__smelt_arg_extent(uint8_t *memory, size_t bytes)
{
	(void)bytes;
	return memory;
}

void
__smelt_launch_bounds(uint32_t max_threads, uint32_t min_blocks)
{
	(void)max_threads;
	(void)min_blocks;
}

/* On a device this is a flag that the launch checks. Here it is the kernel that
 * finds out, before it has a token. */
void
__smelt_index_dims(uint32_t dims)
{
	const struct host_block *block = host_block();
	uint32_t have = 1;

	if (!block)
		return;
	for (uint32_t i = 1; i < 3; i++)
		if (block->shape.grid[i] > 1 || block->shape.block[i] > 1)
			have = i + 1;
	if (have > dims)
		host_refuse_dims(dims);
}

/* ---- position ---- */

#define POSITION(name, field, outside)                                         \
	uint32_t name##_x(void)                                                \
	{                                                                      \
		const struct host_block *block = host_block();                 \
		return block ? block->field[0] : outside;                      \
	}                                                                      \
	uint32_t name##_y(void)                                                \
	{                                                                      \
		const struct host_block *block = host_block();                 \
		return block ? block->field[1] : outside;                      \
	}                                                                      \
	uint32_t name##_z(void)                                                \
	{                                                                      \
		const struct host_block *block = host_block();                 \
		return block ? block->field[2] : outside;                      \
	}

POSITION(__smelt_thread_idx, thread, 0)
POSITION(__smelt_block_idx, block, 0)
POSITION(__smelt_block_dim, shape.block, 1)
POSITION(__smelt_grid_dim, shape.grid, 1)

uint32_t
__smelt_lane_id(void)
{
	const struct host_block *block = host_block();

	return block ? block->current % HOST_WARP : 0;
}

uint32_t
__smelt_warp_size(void)
{
	return HOST_WARP;
}

uint8_t *
__smelt_dynamic_shared(void)
{
	const struct host_block *block = host_block();

	return block ? (uint8_t *)block->dynamic_shared : NULL;
}

/* ---- meeting ---- */

bool
__smelt_barrier(void)
{
	if (host_block())
		host_meet(SMELT_CPU_BARRIER);
	return false;
}

/* Shows a value to the warp; the row with all values, indexed by lane. */
static const uint64_t *
exchange(struct host_block *block, uint64_t value)
{
	uint32_t thread = block->current;
	uint64_t *row = block->rows[block->turn[thread]];

	block->turn[thread] ^= 1;
	row[thread] = value;
	host_meet(SMELT_CPU_WARP);
	return row + thread / HOST_WARP * HOST_WARP;
}

static uint32_t
shuffle(uint32_t value, uint32_t lane)
{
	struct host_block *block = host_block();
	const uint64_t *row;

	if (!block)
		return value;
	row = exchange(block, value);
	if (lane >= HOST_WARP ||
	    !(block->met[block->current / HOST_WARP] >> lane & 1))
		return value;
	return (uint32_t)row[lane];
}

uint32_t
__smelt_shuffle_idx_b32(uint32_t value, uint32_t lane)
{
	return shuffle(value, lane);
}

uint32_t
__smelt_shuffle_up_b32(uint32_t value, uint32_t delta)
{
	uint32_t lane = __smelt_lane_id();

	return shuffle(value, delta > lane ? HOST_WARP : lane - delta);
}

uint32_t
__smelt_shuffle_down_b32(uint32_t value, uint32_t delta)
{
	uint32_t lane = __smelt_lane_id();

	return shuffle(value, delta >= HOST_WARP ? HOST_WARP : lane + delta);
}

uint32_t
__smelt_shuffle_xor_b32(uint32_t value, uint32_t mask)
{
	return shuffle(value, mask >= HOST_WARP ? HOST_WARP
						: __smelt_lane_id() ^ mask);
}

uint32_t
__smelt_shuffle_raw_b32(uint32_t value, uint32_t lane)
{
	return shuffle(value, lane);
}

uint32_t
__smelt_shuffle_near_b32(uint32_t value, uint32_t mask)
{
	return __smelt_shuffle_xor_b32(value, mask);
}

/* The votes of the lanes that have not ended, and which these are. */
static uint32_t
votes(bool vote, uint32_t *alive)
{
	struct host_block *block = host_block();
	const uint64_t *row;
	uint32_t all = 0;

	*alive = 1;
	if (!block)
		return vote;
	row = exchange(block, vote);
	*alive = block->met[block->current / HOST_WARP];
	for (uint32_t lane = 0; lane < HOST_WARP; lane++)
		if (*alive >> lane & 1 && row[lane])
			all |= 1u << lane;
	return all;
}

uint64_t
__smelt_ballot(bool vote)
{
	uint32_t alive;

	return votes(vote, &alive);
}

bool
__smelt_any(bool vote)
{
	uint32_t alive;

	return votes(vote, &alive) != 0;
}

bool
__smelt_all(bool vote)
{
	uint32_t alive, all = votes(vote, &alive);

	return all == alive;
}

/* ---- atomics: relaxed, any scope; they give the old value ---- */

#define ATOMIC(name, type, bits, result)                                       \
	type name(type *memory, type value, uint32_t scope)                    \
	{                                                                      \
		union {                                                        \
			type number;                                           \
			bits word;                                             \
		} old, new;                                                    \
		bits *word = (void *)memory;                                   \
                                                                               \
		(void)scope;                                                   \
		old.word = __atomic_load_n(word, __ATOMIC_RELAXED);            \
		do                                                             \
			new.number = result;                                   \
		while (!__atomic_compare_exchange_n(word, &old.word, new.word, \
						    true, __ATOMIC_RELAXED,    \
						    __ATOMIC_RELAXED));        \
		return old.number;                                             \
	}

ATOMIC(__smelt_atomic_add_f32, float, uint32_t, old.number + value)
ATOMIC(__smelt_atomic_min_f32, float, uint32_t, fminf(old.number, value))
ATOMIC(__smelt_atomic_max_f32, float, uint32_t, fmaxf(old.number, value))
ATOMIC(__smelt_atomic_add_f64, double, uint64_t, old.number + value)
ATOMIC(__smelt_atomic_min_f64, double, uint64_t, fmin(old.number, value))
ATOMIC(__smelt_atomic_max_f64, double, uint64_t, fmax(old.number, value))
