// The list of body kinds.
#include "scene/scene_kinds.h"

const scene_kind scene_kinds[] = {
    {&scene_rod_type, "rods", scene_rod_check, scene_rod_has_segment, scene_rod_build},
    {&scene_muscle_type, "muscles", scene_muscle_check, scene_muscle_has_segment, scene_muscle_build},
    {&scene_springs_type, "bodies of springs", scene_springs_check, scene_springs_has_segment, scene_springs_build},
    {&scene_elastic_type, "elastic bodies", scene_elastic_check, scene_elastic_has_segment, scene_elastic_build},
    {&scene_character_type, "characters", scene_character_check, scene_character_has_segment, scene_character_build},
    {0},
};

const record_type *const scene_kind_types[] = {&scene_rod_type,     &scene_muscle_type,    &scene_springs_type,
                                               &scene_elastic_type, &scene_character_type, NULL};
