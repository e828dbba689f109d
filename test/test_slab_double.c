// Slabs in double: the closed forms to the last digits.
#include "slab_cases.h"

TEST(pairs_proved_by_bounds) {
    check_slabs_by_bound(slab_count(14 * 5000));
}

TEST(pairs_against_search) {
    check_slabs_by_search(28, 14 * 200);
}
