/* `cargo smelt devices`: the devices as libsmelt sees them here. */
#include "driver/driver.h"
#include "smelt/smelt.h"

#include <stdio.h>
#include <string.h>

static void
print_size(uint64_t bytes)
{
	if (bytes >= (uint64_t)10 << 30)
		printf("%10.0f GiB", (double)bytes / (1 << 30));
	else
		printf("%10.0f MiB", (double)bytes / (1 << 20));
}

static int
print_device(uint32_t index)
{
	struct smelt_device_info info = {.size = sizeof(info)};
	smelt_device *device;
	int rc = smelt_device_get(index, &device);

	if (!rc)
		rc = smelt_device_info(device, &info);
	if (rc) {
		printf("%5u  %s\n", (unsigned)index, smelt_last_error());
		return 1;
	}
	printf("%5u  %-32s %-10s", (unsigned)index, info.name,
	       *info.arch ? info.arch : "-");
	print_size(info.memory_bytes);
	printf(" %6u  %-8s %s\n", (unsigned)info.units, info.engine,
	       info.driver);
	return 0;
}

int
devices_command(void)
{
	uint32_t count;
	int failed = 0;

	if (smelt_device_count(&count))
		die("cannot look for devices: %s", smelt_last_error());
	printf("%5s  %-32s %-10s%14s %6s  %-8s %s\n", "index", "name", "arch",
	       "memory", "units", "engine", "driver");
	for (uint32_t i = 0; i < count; i++)
		failed |= print_device(i);
	return failed;
}
