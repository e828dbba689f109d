// What plates squeeze stays bounded and comes back.
// links: coupling
#include "newcomer.h"

TEST(a_bundle_between_plates_comes_back) {
    check_newcomer("squeeze.bundle");
}

TEST(rods_between_plates_stay_bounded) {
    check_newcomer("squeeze.rods");
}
