// A chain of forty links of steel, of joints and of rings.
// links: coupling
#include "newcomer.h"

TEST(a_chain_of_joints_swings) {
    check_newcomer("chain.joints");
}

TEST(a_chain_of_rings_hangs) {
    check_newcomer("chain.rings");
}
