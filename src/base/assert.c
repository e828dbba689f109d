// See assert.h.
#include "base/assert.h"

#ifdef SN_VALIDATE
#include <stdio.h>
#include <stdlib.h>

void sn_assert_failed(const char *file, int line, const char *condition) {
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
#else
typedef int sn_assert_is_off; // a file must declare something
#endif
