// The kinds of bodies a scene file may have. A new kind is a table of keys, these functions, and a line in
// scene_kinds.c.
#ifndef SN_SCENE_SCENE_KINDS_H
#define SN_SCENE_SCENE_KINDS_H

#include "scene/scene.h"

// Listing errors of one body after its fields were read; 'path' is the body's.
typedef struct {
    sn_scene *scene;
    const json_path *path;
    scene_body *out; // the body's entry: rods_per_copy (1) may be changed, and rig or form set
} scene_checker;

struct scene_kind {
    const field_table *type;
    const char *plural;
    // Errors that the tables cannot see. Returns the points of one copy, 0 when they cannot be told.
    int64_t (*check)(const scene_checker *checker, const body_spec *body);
    // Whether segment k exists.
    bool (*has_segment)(const scene_body *body, int k);
    // Makes all copies: rods into scene->rods from body->first on, springs into scene->springs from first_springs on.
    sn_status (*build)(sn_scene *scene, sn_world *world, scene_body *body);
};

extern const scene_kind scene_kinds[];               // ends with a null type
extern const field_table *const scene_kind_tables[]; // the same types, ends with null

// Rods: scene_rod.c.
extern const field_table scene_rod_table;
int64_t scene_rod_check(const scene_checker *checker, const body_spec *body);
bool scene_rod_has_segment(const scene_body *body, int k);
sn_status scene_rod_build(sn_scene *scene, sn_world *world, scene_body *body);

// Muscles: scene_muscle.c.
extern const field_table scene_muscle_table;
int64_t scene_muscle_check(const scene_checker *checker, const body_spec *body);
bool scene_muscle_has_segment(const scene_body *body, int k);
sn_status scene_muscle_build(sn_scene *scene, sn_world *world, scene_body *body);

// Springs: scene_spring.c.
extern const field_table scene_springs_table;
int64_t scene_springs_check(const scene_checker *checker, const body_spec *body);
bool scene_springs_has_segment(const scene_body *body, int k);
sn_status scene_springs_build(sn_scene *scene, sn_world *world, scene_body *body);

// Elastic bodies: scene_elastic.c.
extern const field_table scene_elastic_table;
int64_t scene_elastic_check(const scene_checker *checker, const body_spec *body);
bool scene_elastic_has_segment(const scene_body *body, int k);
sn_status scene_elastic_build(sn_scene *scene, sn_world *world, scene_body *body);

// Characters: scene_character.c.
extern const field_table scene_character_table;
int64_t scene_character_check(const scene_checker *checker, const body_spec *body);
bool scene_character_has_segment(const scene_body *body, int k);
sn_status scene_character_build(sn_scene *scene, sn_world *world, scene_body *body);

#endif
