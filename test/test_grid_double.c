// The grid in double precision against every pair.
#include "grid_cases.h"

TEST(all_scenes) {
    check_all_scenes(SCENE_SPHERES);
}
