// Twenty heaps of ordinary rods fall and lie.
// links: coupling
#include "newcomer.h"

static void check_heaps(int first, int count) {
    for (int seed = first; seed < first + count; seed++) {
        char name[64];
        snprintf(name, sizeof name, "heap.%02d", seed);
        check_newcomer(name);
    }
}

TEST(heaps_of_seeds_0_to_4) { // once
    check_heaps(0, 5);
}

TEST(heaps_of_seeds_5_to_9) { // once
    check_heaps(5, 5);
}

TEST(heaps_of_seeds_10_to_14) { // once
    check_heaps(10, 5);
}

TEST(heaps_of_seeds_15_to_19) { // once
    check_heaps(15, 5);
}
