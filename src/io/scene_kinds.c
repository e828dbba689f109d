// The list of body kinds.
#include "io/scene_kinds.h"

const scene_kind scene_kinds[] = {
    {&scene_rod_type, "rods", scene_rod_check, scene_rod_has_segment, scene_rod_build},
    {&scene_muscle_type, "muscles", scene_muscle_check, scene_muscle_has_segment, scene_muscle_build},
    {0},
};

const record_type *const scene_kind_types[] = {&scene_rod_type, &scene_muscle_type, NULL};
