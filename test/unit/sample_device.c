/* The sample kernels that a GPU runs, for AMD's; sample.c holds them as PTX. */
#include "smelt/image.h"

#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))

struct block {
	struct smelt_block_header header;
	GLOBAL uint64_t *out;
	uint64_t n;
	uint64_t value;
};

struct aligned_block {
	_Alignas(64) struct block block;
};

static uint64_t
thread_index(void)
{
	return (uint64_t)__builtin_amdgcn_workgroup_id_x() *
		       __builtin_amdgcn_workgroup_size_x() +
	       __builtin_amdgcn_workitem_id_x();
}

KERNEL
add(struct block block)
{
	if (thread_index() < block.n)
		block.out[thread_index()] += block.value;
}

KERNEL
aligned(struct aligned_block aligned)
{
	if (thread_index() < aligned.block.n)
		aligned.block.out[thread_index()] += aligned.block.value;
}

static void
panic(const struct block *block, uint64_t index)
{
	GLOBAL struct smelt_device_state *state =
		(GLOBAL struct smelt_device_state *)block->header.state;

	if (__atomic_fetch_add(&state->panicked, 1, __ATOMIC_RELAXED))
		return;
	state->site = 0;
	state->launch = block->header.launch;
	state->args[0] = index;
	state->args[1] = block->n;
	state->block[0] = __builtin_amdgcn_workgroup_id_x();
	state->thread[0] = __builtin_amdgcn_workitem_id_x();
	state->block[1] = state->block[2] = 0;
	state->thread[1] = state->thread[2] = 0;
	__atomic_store_n((GLOBAL uint32_t *)state->host_word, 1,
			 __ATOMIC_RELEASE);
}

KERNEL
bounds(struct block block)
{
	if (thread_index() < block.n)
		block.out[thread_index()]++;
	else
		panic(&block, thread_index());
}
