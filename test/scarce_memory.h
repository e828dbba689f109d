// An allocator that gives so many blocks and then no more, for tests of what happens then.
#ifndef SN_TEST_SCARCE_MEMORY_H
#define SN_TEST_SCARCE_MEMORY_H

#include "base/platform.h"
#include "sinew/types.h"
#include <stdlib.h>

static inline void *scarce_allocate(void *left, size_t size, size_t alignment) {
    return (*(int *)left)-- > 0 ? sn_platform_allocate((size + alignment - 1) / alignment * alignment, alignment)
                                : NULL;
}
static inline void scarce_release(void *left, void *block, size_t size, size_t alignment) {
    (void)left, (void)size, (void)alignment;
    sn_platform_release(block);
}

// The allocator; blocks_left is an int that says how many.
#define SCARCE(blocks_left) ((sn_allocator){scarce_allocate, scarce_release, blocks_left})

#endif
