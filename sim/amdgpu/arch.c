/*
 * The architectures that there are. ELF machine numbers are LLVM's
 * EF_AMDGPU_MACH_AMDGCN_* (AMDGPUUsage, "Header").
 */
#include "isa.h"

#include <string.h>

static const struct arch archs[] = {
	{.name = "gfx90a",
	 .isa_name = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
	 .product = "Simulated MI210",
	 .generation = GEN_GFX90A,
	 .wave_size = 64,
	 .elf_mach = 0x3f,
	 .chip_id = 0x740f,
	 .has_sramecc = true},
	{.name = "gfx942",
	 .isa_name = "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-",
	 .product = "Simulated MI300X",
	 .generation = GEN_GFX942,
	 .wave_size = 64,
	 .elf_mach = 0x4c,
	 .chip_id = 0x74a1,
	 .has_sramecc = true,
	 .architected_scratch = true},
	{.name = "gfx1100",
	 .isa_name = "amdgcn-amd-amdhsa--gfx1100",
	 .product = "Simulated RX 7900",
	 .generation = GEN_GFX11,
	 .wave_size = 32,
	 .elf_mach = 0x41,
	 .chip_id = 0x744c,
	 .architected_scratch = true},
};

const struct arch *
arch_find(const char *name)
{
	for (size_t k = 0; k < array_count(archs); k++)
		if (strcmp(archs[k].name, name) == 0)
			return &archs[k];
	return NULL;
}
