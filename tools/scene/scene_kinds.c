// The list of body kinds.
#include "scene/scene_kinds.h"

const scene_kind scene_kinds[] = {
    {&scene_rod_table, "rods", scene_rod_check, scene_rod_has_segment, scene_rod_build},
    {&scene_muscle_table, "muscles", scene_muscle_check, scene_muscle_has_segment, scene_muscle_build},
    {&scene_springs_table, "bodies of springs", scene_springs_check, scene_springs_has_segment, scene_springs_build},
    {&scene_elastic_table, "elastic bodies", scene_elastic_check, scene_elastic_has_segment, scene_elastic_build},
    {&scene_character_table, "characters", scene_character_check, scene_character_has_segment, scene_character_build},
    {0},
};

const field_table *const scene_kind_tables[] = {&scene_rod_table,     &scene_muscle_table,    &scene_springs_table,
                                                &scene_elastic_table, &scene_character_table, NULL};
