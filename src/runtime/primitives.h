/*
 * The primitives of kernels (ARCHITECTURE.md, contract 1), as the host's own
 * instance of a kernel calls them. smelt-cc never sees these definitions.
 *
 * Outside of a kernel they stand for a grid of one thread.
 */
#ifndef SMELT_RUNTIME_PRIMITIVES_H
#define SMELT_RUNTIME_PRIMITIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 smelt_u128;

void
__smelt_kernel_id(smelt_u128 id);
void
__smelt_block_layout(size_t size, size_t align);
const uint8_t *
__smelt_arg_readonly(const uint8_t *memory);
uint8_t *
__smelt_arg_unique(uint8_t *memory);
uint8_t *
__smelt_arg_extent(uint8_t *memory, size_t bytes);
void
__smelt_index_dims(uint32_t dims);
void
__smelt_launch_bounds(uint32_t max_threads, uint32_t min_blocks);

uint32_t
__smelt_thread_idx_x(void);
uint32_t
__smelt_thread_idx_y(void);
uint32_t
__smelt_thread_idx_z(void);
uint32_t
__smelt_block_idx_x(void);
uint32_t
__smelt_block_idx_y(void);
uint32_t
__smelt_block_idx_z(void);
uint32_t
__smelt_block_dim_x(void);
uint32_t
__smelt_block_dim_y(void);
uint32_t
__smelt_block_dim_z(void);
uint32_t
__smelt_grid_dim_x(void);
uint32_t
__smelt_grid_dim_y(void);
uint32_t
__smelt_grid_dim_z(void);
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
uint32_t
__smelt_shuffle_raw_b32(uint32_t value, uint32_t lane);
uint32_t
__smelt_shuffle_near_b32(uint32_t value, uint32_t mask);
uint64_t
__smelt_ballot(bool vote);
bool
__smelt_any(bool vote);
bool
__smelt_all(bool vote);

float
__smelt_atomic_add_f32(float *memory, float value, uint32_t scope);
float
__smelt_atomic_min_f32(float *memory, float value, uint32_t scope);
float
__smelt_atomic_max_f32(float *memory, float value, uint32_t scope);
double
__smelt_atomic_add_f64(double *memory, double value, uint32_t scope);
double
__smelt_atomic_min_f64(double *memory, double value, uint32_t scope);
double
__smelt_atomic_max_f64(double *memory, double value, uint32_t scope);

uint8_t *
__smelt_dynamic_shared(void);

#endif
