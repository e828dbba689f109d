// A net of ten by ten knots, and a marionette.
// links: coupling
#include "newcomer.h"

TEST(a_net_sags) {
    check_newcomer("net.bare");
}

TEST(a_net_catches_a_ball) {
    check_newcomer("net.ball");
}

TEST(a_marionette_hangs_on_its_strings) {
    check_newcomer("marionette");
}
