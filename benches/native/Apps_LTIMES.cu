// Apps_LTIMES: moments of a flux over directions.
#include "ltimes.h"

NATIVE("Apps_LTIMES", 999424, 50, "block_256", ltimes::shape, ltimes::run);
