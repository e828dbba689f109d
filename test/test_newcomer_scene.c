// Scenes of the tree without their substeps.
// links: coupling
#include "newcomer.h"

TEST(octopus_drop) { // once
    check_newcomer("scene.octopus-drop");
}

TEST(octopus_explosion) { // once
    check_newcomer("scene.octopus-explosion");
}

TEST(noodles) { // once
    check_newcomer("scene.noodles");
}

TEST(octopus_cannonballs) { // once
    check_newcomer("scene.octopus-cannonballs");
}

TEST(mixer) { // once
    check_newcomer("scene.mixer");
}
