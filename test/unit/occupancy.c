/* Occupancy against figures worked out by hand from the makers' limits. */
#include "unit.h"

#include "driver/driver.h"
#include "smelt/image.h"

static const struct {
	const char *arch;
	unsigned threads, registers, shared;
	int percent;
} known[] = {
	{"sm_90", 256, 32, 0, 100},
	{"sm_90", 256, 33, 0, 75}, /* 40 registers: 12 warps a part, 6 blocks */
	{"sm_90", 256, 64, 0, 50},
	{"sm_90", 256, 255, 0, 12},
	{"sm_90", 1024, 40, 0, 50}, /* 48 warps hold one block of 32 */
	{"sm_90c", 32, 16, 0, 50},  /* 32 blocks of a warp */
	{"sm_90", 256, 32, 100 << 10, 25},
	{"sm_75", 1024, 64, 0, 100},
	{"sm_75", 512, 72, 0, 50},
	{"sm_86", 768, 40, 0, 100},
	{"gfx90a", 256, 64, 0, 100},
	{"gfx90a", 256, 65, 0, 87}, /* 72 registers: 7 waves */
	{"gfx90a", 256, 512, 0, 12},
	{"gfx942", 256, 128, 0, 50},
	{"gfx90a", 64, 16, 32 << 10, 6},
	{"gfx90a", 1024, 256, 0, 0}, /* one does not fit */
	{"gfx1100", 256, 96, 0, 100},
	{"gfx1100", 256, 97, 0, 75},
	{"gfx1201", 256, 192, 0, 50},
	{"gfx9999", 256, 32, 0, -1},
	{"x86_64", 256, 32, 0, -1},
};

static void
figures(void)
{
	for (size_t i = 0; i < array_count(known); i++) {
		struct smelt_table_resources used = {
			.registers = known[i].registers,
			.shared_bytes = known[i].shared,
		};
		int got = occupancy_percent(known[i].arch, &used,
					    known[i].threads);

		if (got != known[i].percent)
			printf("figure %zu, %s:\n", i, known[i].arch);
		CHECK_INT(got, known[i].percent);
	}
}

static void
unknown(void)
{
	struct smelt_table_resources used = {.registers = SMELT_UNKNOWN};

	CHECK_INT(occupancy_percent("sm_90", &used, 256), -1);
	CHECK_INT(occupancy_percent("gfx90a", &used, 0), -1);
}

int
main(void)
{
	RUN(figures);
	RUN(unknown);
	return unit_failed != 0;
}
