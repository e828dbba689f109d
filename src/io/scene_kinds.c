// The list of body kinds.
#include "io/scene_kinds.h"

const scene_kind scene_kinds[] = {
    {&scene_rod_type, "rods", scene_rod_check, scene_rod_has_segment, scene_rod_build},
    {0},
};

const record_type *const scene_kind_types[] = {&scene_rod_type, NULL};
