// The list of body kinds.
#include "scene/scene_kinds.h"
#include "kind_list.h"

// Rows of kinds from outside the tree.
#define DECLARE(name)                                                                                                  \
    extern const field_table scene_##name##_table;                                                                     \
    int64_t scene_##name##_check(const scene_checker *checker, const body_spec *body);                                 \
    bool scene_##name##_has_segment(const scene_body *body, int k);                                                    \
    sn_status scene_##name##_build(sn_scene *scene, sn_world *world, scene_body *body);
#define ROW(name)                                                                                                      \
    {&scene_##name##_table, #name "s", scene_##name##_check, scene_##name##_has_segment, scene_##name##_build},
#define TABLE(name) &scene_##name##_table,
SN_EXTRA_KIND_LIST(DECLARE)

const scene_kind scene_kinds[] = {
    {&scene_rod_table, "rods", scene_rod_check, scene_rod_has_segment, scene_rod_build},
    {&scene_muscle_table, "muscles", scene_muscle_check, scene_muscle_has_segment, scene_muscle_build},
    {&scene_springs_table, "bodies of springs", scene_springs_check, scene_springs_has_segment, scene_springs_build},
    {&scene_elastic_table, "elastic bodies", scene_elastic_check, scene_elastic_has_segment, scene_elastic_build},
    {&scene_character_table, "characters", scene_character_check, scene_character_has_segment, scene_character_build},
    SN_EXTRA_KIND_LIST(ROW){0},
};

const field_table *const scene_kind_tables[] = {&scene_rod_table,       &scene_muscle_table,
                                                &scene_springs_table,   &scene_elastic_table,
                                                &scene_character_table, SN_EXTRA_KIND_LIST(TABLE) NULL};
