// A rope is as long as its weight makes it, whatever the weight.
// links: coupling
#include "newcomer.h"

static void check_ropes(const char *material, int segments, const char *start) {
    for (int ratio = 1; ratio <= 1000; ratio *= 10) {
        char name[64];
        snprintf(name, sizeof name, "rope.%s.%d.x%d.%s", material, segments, ratio, start);
        check_newcomer(name);
    }
}

TEST(a_weight_hangs_on_a_rope_of_the_default_material) {
    check_ropes("default", 20, "hang");
    check_ropes("default", 100, "hang");
}

TEST(a_weight_hangs_on_a_stiff_rope) {
    check_ropes("e8", 20, "hang");
    check_ropes("e8", 100, "hang");
    check_ropes("e9", 20, "hang");
    check_ropes("e9", 100, "hang");
}

TEST(a_weight_swings_on_a_rope_of_the_default_material) {
    check_ropes("default", 20, "swing");
    check_ropes("default", 100, "swing");
}

TEST(a_weight_swings_on_a_stiff_rope) {
    check_ropes("e8", 20, "swing");
    check_ropes("e8", 100, "swing");
    check_ropes("e9", 20, "swing");
    check_ropes("e9", 100, "swing");
}
