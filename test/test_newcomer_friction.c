// Friction at the default settings: slopes, cylinders, a rope around a drum.
// links: coupling
#include "newcomer.h"

TEST(a_stick_on_a_slope_sticks_or_slides) {
    check_newcomer("friction.incline");
}

TEST(a_cylinder_rolls_or_slips_down) {
    check_newcomer("friction.roll");
}

TEST(a_rope_on_a_drum_holds_or_slips) {
    check_newcomer("friction.capstan");
}
