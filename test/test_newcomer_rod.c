// Single rods at the default step: an end moment, torsion, a pendulum, other roots.
// links: coupling
#include "newcomer.h"

TEST(an_end_moment_closes_a_circle) {
    check_newcomer("rod.moment");
}

TEST(a_twisted_rod_buckles_when_greenhill_says) { // once
    check_newcomer("rod.torsion");
}

TEST(a_pendulum_is_never_worse_with_smaller_steps) { // once
    check_newcomer("rod.pendulum");
}

TEST(a_clamped_fork_hangs_alike_from_any_root) {
    check_newcomer("rod.root");
}
