// Joints that contradict each other settle at their balance.
// links: coupling
#include "newcomer.h"

static void check_drivers(int count, const char *start) {
    static const char *const distances[] = {"0.6m", "5m", "50m"};
    for (int k = 0; k < 3; k++) {
        char name[64];
        snprintf(name, sizeof name, "drivers.%d.%s.%s", count, distances[k], start);
        check_newcomer(name);
    }
}

TEST(two_joints_far_from_each_other_hold_one_point) {
    check_drivers(2, "jump");
}

TEST(three_joints_far_from_each_other_hold_one_point) {
    check_drivers(3, "jump");
}

TEST(two_joints_draw_one_point) {
    check_drivers(2, "drawn");
}

TEST(three_joints_draw_one_point) {
    check_drivers(3, "drawn");
}
