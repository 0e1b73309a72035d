// Apps_LTIMES_NOVIEW: as LTIMES, which by hand has no views either.
#include "ltimes.h"

NATIVE("Apps_LTIMES_NOVIEW", 999424, 50, "block_256", ltimes::shape,
       ltimes::run);
