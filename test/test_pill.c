// Pills in double precision: the closed forms against a search, and gradients by finite differences.
#include "pill_cases.h"

TEST(pairs_against_search) {
    check_pairs_against_search(PAIR_COUNT);
}
