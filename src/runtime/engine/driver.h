/*
 * What LLVM Offload does not tell and the vendors' libraries, which its plugins
 * have opened, do.
 */
#ifndef SMELT_ENGINE_DRIVER_H
#define SMELT_ENGINE_DRIVER_H

#include <stdint.h>

/* Bytes of device memory that are free now, for all processes; UINT64_MAX: the
 * library does not say. */

/* Of the GPU whose context is current. */
uint64_t
driver_cuda_available(void);
/* Of AMD's GPU of this number, in the order of LLVM Offload, which is HSA's. */
uint64_t
driver_hsa_available(uint32_t number);

#endif
