// Functions of rods that muscles use too; scene_kinds.h explains them.
#ifndef SN_SCENE_SCENE_ROD_H
#define SN_SCENE_SCENE_ROD_H

#include "scene/scene_kinds.h"

extern const field_table scene_rod_table;
extern const scene_tracks scene_rod_tracks;
extern const scene_skins scene_rod_skins;

// Checks of motions only.
void scene_rod_check_motion(sn_scene *scene, scene_track_type type, const track_spec *track, const scene_body *body,
                            const json_path *path);
bool scene_rod_bind(sn_scene *scene, const sn_world *world, scene_track *track, const void *object, int copy,
                    const selection *points);
bool scene_rod_is_held(const sn_world *world, const scene_track *track, const scene_target *target);
sn_status scene_rod_apply(sn_scene *scene, sn_world *world, const scene_track *track, const scene_target *target,
                          const double value[TRACK_VALUES]);
sn_status scene_rod_release(sn_scene *scene, sn_world *world, const scene_target *target);

void scene_rod_describe(const sn_scene *scene, const sn_world *world, const scene_body *body, char *out,
                        size_t capacity);
sn_status scene_rod_find_place(sn_scene *scene, const sn_world *world, const scene_body *body,
                               const joint_side_spec *side, int copy, scene_place *out);

#endif
