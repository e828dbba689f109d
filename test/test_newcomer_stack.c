// Stiff rods lie on posts and on each other as beams do.
// links: coupling
#include "newcomer.h"

TEST(soft_rods_hang_between_their_posts) {
    check_newcomer("stack.e5");
    check_newcomer("stack.e6");
}

TEST(eight_stiff_rods_bend_as_one_beam) {
    check_newcomer("stack.e7");
    check_newcomer("stack.e8");
    check_newcomer("stack.e9");
}

TEST(crossed_rods_bend_each_other) {
    check_newcomer("cross.e7");
    check_newcomer("cross.e8");
    check_newcomer("cross.e9");
}
