// A rope bridge, and a rope ladder, carry themselves and what is put on them.
// links: coupling
#include "newcomer.h"

TEST(a_bridge_of_twenty_planks_hangs) {
    check_newcomer("bridge.bare");
}

TEST(a_bridge_bears_a_log_that_falls_on_it) {
    check_newcomer("bridge.log");
}

TEST(a_rope_ladder_bears_a_man) {
    check_newcomer("ladder");
}
