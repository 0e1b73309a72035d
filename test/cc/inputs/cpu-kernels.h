/*
 * The primitives as C sees them, and the parameter block of cpu-kernels.c. The
 * kernels are compiled twice: by smelt-cc, and by the host's compiler with the
 * primitives of cpu-run.c, as what to compare with.
 */
#ifndef CPU_KERNELS_H
#define CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POSITION(name)                                                         \
	uint32_t __smelt_##name##_x(void);                                     \
	uint32_t __smelt_##name##_y(void);                                     \
	uint32_t __smelt_##name##_z(void)
POSITION(thread_idx);
POSITION(block_idx);
POSITION(block_dim);
POSITION(grid_dim);
uint32_t
__smelt_lane_id(void);
uint32_t
__smelt_warp_size(void);
bool
__smelt_barrier(void);
uint32_t
__smelt_shuffle_idx_b32(uint32_t value, uint32_t lane);
uint32_t
__smelt_shuffle_up_b32(uint32_t value, uint32_t delta);
uint32_t
__smelt_shuffle_down_b32(uint32_t value, uint32_t delta);
uint32_t
__smelt_shuffle_xor_b32(uint32_t value, uint32_t mask);
uint64_t
__smelt_ballot(bool vote);
bool
__smelt_any(bool vote);
bool
__smelt_all(bool vote);
_Noreturn void
__smelt_panic(uint32_t site, uint64_t a, uint64_t b);
void *
__smelt_arg_readonly(const void *pointer);
void *
__smelt_arg_unique(void *pointer);
float
__smelt_atomic_add_f32(float *at, float value, uint32_t scope);
void *
__smelt_dynamic_shared(void);

struct slice {
	float *data;
	uint64_t n;
};

struct block {
	uint64_t state;
	uint64_t launch;
	float a;
	uint32_t w;
	struct slice x; /* only read */
	struct slice y;
	uint64_t k;
};

typedef void
kernel_fn(const struct block *block);

/* clang-format off */
/* Kernels that every thread runs by itself, which a host can run in turn. */
#define PLAIN_KERNELS(X)                                                       \
	X(saxpy) X(strict) X(stencil) X(open_stencil) X(reversed) X(strided)   \
	X(strided_by) X(fir) X(narrow) X(narrow_signed) X(narrow_from)         \
	X(narrow_signed_from) X(grid2) X(grid3) X(gather) X(grid_stride)       \
	X(count) X(recurse) X(lane) X(float_count) X(places) X(thread_twice)      \
	X(block_alone)

/* Kernels whose threads meet. */
#define MEETING_KERNELS(X)                                                     \
	X(reduce) X(dynamic) X(barrier_panic) X(barrier_leave) X(warp_sum)     \
	X(warp_scan) X(vote) X(keep) X(apart)

enum kernel_id {
#define X(name) ID_##name,
	PLAIN_KERNELS(X) MEETING_KERNELS(X)
#undef X
	KERNEL_COUNT
};
/* clang-format on */

#endif
