// Shared by the files of characters.
#ifndef SN_SCENE_SCENE_CHARACTER_INTERNAL_H
#define SN_SCENE_SCENE_CHARACTER_INTERNAL_H

#include "scene/character.h"
#include "scene/placement.h"
#include "scene/scene_character.h"

// The contact group of rods of bundles, the only one that bones collide with. Bones have groups of their own above it.
#define CHARACTER_RODS ((uint32_t)1 << 7)

// What the copies of an entry share.
struct character_form {
    character is;
    sn_implicit_model *model;
    int *bone_of; // of each bone: its number in the model
};

// A muscle of a copy that is a bundle of rods. Its ends are fixed to bones.
typedef struct {
    int muscle;
    const character_bundle_spec *spec;
    sn_bundle id;
    sn_body *rods;
    sn_vec3 *at; // of each rod: its first and last point in the axes of their bones
    sn_real activation;
} character_bundle;

// A copy.
struct scene_character {
    const scene_body *body;
    struct character_form *form;
    int copy;
    placement at;
    sn_body id;
    sn_implicit_skin *skin;
    sn_transform *poses, *rig_poses;
    sn_transform *driven;          // the last driven poses of the bones
    sn_implicit_muscle_keys *keys; // of each muscle, as they were set last
    float (*numbers)[3];           // of each track of muscle_keys: what was set last
    sn_vec3 *vertices;
    character_bundle *bundles;
    int bundle_count;
    sn_body *shapes; // its bones, for contact with bundles; null: none
    bool behind;     // the skin has not followed the last step
    sn_implicit_tracked tracked;
};

// Whether the name of a muscle starts with a prefix.
bool character_is_named(const character *c, int muscle, const char *start);

// scene_character_bundle.c: creates the bundles of a copy, given the axes of its muscles at rest; moves their ends;
// frees them.
sn_status character_bundles_make(sn_scene *scene, sn_world *world, struct scene_character *one, const sn_vec3 *rest,
                                 const sn_transform *rest_poses);
sn_status character_bundles_drive(sn_scene *scene, sn_world *world, struct scene_character *one);
void character_bundles_free(struct scene_character *one);
int character_bundles_count(const struct scene_character *one); // number of bundles of its entry

// The axes of all muscles, 128 points each; the caller frees them. Null: out of memory.
sn_vec3 *character_axes(const sn_world *world, const struct scene_character *one);

#endif
