// Characters in scene files: an entry of kind "character", and its copies.
//
// The muscles of a character are in the world (sinew/implicit_muscle.h), its skin is not. The skin is tracked from step
// to step: scene_drive updates it for every step, and reading it for the last one.
#ifndef SN_SCENE_SCENE_CHARACTER_H
#define SN_SCENE_SCENE_CHARACTER_H

#include "mesh/mesh.h"
#include "scene/scene_kinds.h"

typedef enum { CHARACTER_IMPLICIT, CHARACTER_DUAL_QUATERNION, CHARACTER_LINEAR } character_skin;

// An end of a muscle, in the character's own space at rest.
typedef struct {
    fields_head head;
    const char *bone;
    double position[3];
} muscle_end_spec;

typedef struct {
    fields_head head;
    const char *name, *preset;
    muscle_end_spec origin, insertion;
    double via[3], normal[3];
    int points, group;
    double alpha, beta, active_alpha, active_beta, eccentricity, active_eccentricity, volume, width, hertz, damping,
        tendon, friction;
} character_muscle_spec;

typedef struct {
    track_key at;
    double value;
} character_key;

// Animates a number of the muscles whose names start with a prefix.
typedef struct {
    track_key at;
    double value, position[3];
} muscle_key;

typedef struct {
    fields_head head;
    const char *muscle;
    int what;         // a muscle_number
    fields_list keys; // muscle_key
} muscle_track_spec;

// Muscles that are bundles of rods.
typedef struct {
    fields_head head;
    const char *muscle, *material;
    int rods, slices;
    double shortest, hertz;
    bool collide;
} character_bundle_spec;

// Activation of the muscles whose names start with a prefix.
typedef struct {
    fields_head head;
    const char *muscle;
    fields_list keys; // character_key
} character_activation_spec;

typedef struct {
    fields_head head;
    const char *bone;
    double axis[3], degrees, seconds, hold;
} bend_spec;

// Exactly one of zoo and file is given; of motion, clip and bend at most one.
typedef struct {
    body_spec body;
    const char *zoo, *file;
    int vertices;
    const char *motion, *clip;
    bend_spec bend;
    double start, speed;
    bool loop;
    int skin; // a character_skin
    bool muscles, bone_contact, collide;
    surface_spec surface;
    double cover;
    fields_list add_muscles; // character_muscle_spec
    fields_list activation;  // character_activation_spec
    fields_list muscle_keys; // muscle_track_spec
    fields_list bundles;     // character_bundle_spec
    double bulge, jiggle;
    int points; // of each muscle's axis; 0: its own number
} character_spec;

extern const field_table scene_character_table;

// The fields of a character, null for other kinds.
const character_spec *scene_character_of(const scene_body *body);

// All copies of all characters. The mesh has triangles and texture coordinates, at rest.
int scene_character_count(const sn_scene *scene);
const sn_mesh *scene_character_mesh(const sn_scene *scene, int i);
const scene_body *scene_character_body(const sn_scene *scene, int i, int *copy);
sn_body scene_character_muscles(const sn_scene *scene, int i);
int scene_character_muscle_count(const sn_scene *scene, int i);
const char *scene_character_muscle_name(const sn_scene *scene, int i, int muscle);

// Its model, the first copy with the same one, and the index in the model of each bone of the muscles.
const sn_implicit_model *scene_character_model(const sn_scene *scene, int i, int *same_as);
const char *scene_character_bone_name(const sn_scene *scene, int i, int bone);
const int *scene_character_bones(const sn_scene *scene, int i, int *count);

// The vertices of copy i after the last step. False: tracking failed.
bool scene_character_vertices(const sn_scene *scene, const sn_world *world, int i, float (*out)[3]);

// The last tracking of copy i: vertices that missed their iso-value, and those in contact.
void scene_character_tracked(const sn_scene *scene, int i, int *missed, int *contacts);

#endif
