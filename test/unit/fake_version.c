/*
 * A shared object built with another version of the runtime, as far as anyone
 * can see.
 */
#include <stdint.h>

extern const uint32_t smelt_runtime_version;
const uint32_t smelt_runtime_version = 99u << 16 | 7;
