// Scenes: a JSON file that says what there is and what happens to it. Reading finds every error with its line and
// column; building makes a world through the public API; driving moves what the file says moves, before every step.
#ifndef SN_SCENE_SCENE_H
#define SN_SCENE_SCENE_H

#include "formats/file_text.h"
#include "scene/calls.h"
#include "scene/scene_spec.h"
#include "sinew/sinew.h"

typedef struct sn_scene sn_scene;
typedef struct scene_kind scene_kind;
typedef struct scene_driver scene_driver;
typedef struct scene_skeleton scene_skeleton;

// One entry of "bodies".
typedef struct {
    const scene_kind *kind;
    const body_spec *spec;
    int index;           // in the file's list
    int first, copies;   // index of its first copy in scene->ids; how many copies
    int points_per_copy; // 0 for entries with errors. Those of several rods follow each other, rod after rod
    int ids_per_copy;    // bodies of the world that a copy has: 1, of a muscle its rods
    void *form;          // what its copies share, of a type that only its kind knows; see free_form of scene_kind
    bool shares_form;    // the form belongs to an earlier entry
    int first_own;       // index of its first copy in a list of the kind's own, such as scene->muscles
} scene_body;

// A joint, and where its point of space was at the start.
typedef struct {
    sn_joint id;
    double start[3];
} scene_joint;

// A copy of a muscle in the world.
typedef struct {
    sn_bundle id;
    const scene_body *body;
    int copy;
    int ride[2]; // shapes that its first and last points ride on, among scene->rigid_bodies; -1: none
    sn_vec3 *at; // of each rod, where its first and its last point are in the axes of these shapes
} scene_muscle;

struct sn_scene {
    scene_spec spec; // what the file says; solver, step, ... may be changed before building
    const char *file;
    const file_source *files; // where the files come from that it names
    char *text;
    size_t size;
    error_list errors;
    scene_body *bodies; // spec.bodies.count of them
    json_t *names;      // of entries of "bodies" -> their index
    bool nameless;      // some entry is of no known kind, so that names may be missing
    int body_count;     // copies included
    int id_count;       // of bodies of the world, rods of muscles included
    int muscle_count;   // copies included
    int character_count;
    int64_t point_count;
    sn_memory memory;
    sn_arena arena; // everything the spec points to
    // Of the world built last:
    sn_body *ids; // id_count of them, in the order of the file, copy after copy
    scene_muscle *muscles;
    struct elastic_cache *elastic_cache;
    struct scene_character *characters; // character_count of them
    int characters_made;                // of them
    scene_driver *driver;
    sn_log_fn *log; // the user's
    void *log_user;
    const char *building_list; // the list of the file that is being made: "bodies", "rigid_bodies", "joints"
    int building;              // index of the entry being made, -1 else
    int building_copy;
    sn_body *rigid_bodies;     // spec.rigid_bodies.count of them
    json_t *rigid_names;       // of entries of "rigid_bodies" -> their first shape
    json_t *rig_names;         // files of rigs -> the first entry of "bodies" that names it
    bool rigid_spread;         // spec.rigid_bodies has an entry for each copy
    scene_skeleton *skeletons; // spec.skeletons.count of them
    scene_joint *joints;       //
    int joint_count;           // copies included
    bool keep_calls;           // scene_drive adds what it does to 'calls'
    scene_call *calls;
    int call_count, call_capacity;
};

// Reads a file, or a text under a name. `files` has the files that the scene names (null: it may name none) and must
// outlive it. Null only without memory; scene->errors.count tells whether the scene may be built.
sn_scene *scene_read(const char *file, const file_source *files);
sn_scene *scene_parse(const char *name, const char *text, size_t size, const file_source *files);
void scene_free(sn_scene *scene);

// Makes the world a scene describes. Hooks, workers and lanes come from 'def', the rest from the scene. The world logs
// through the scene, which must outlive it. SN_ERR_DEF: errors that only the engine sees were added to
// scene->errors.
sn_status scene_build(sn_scene *scene, const sn_world_def *def, sn_world **out);

// Moves, loads, activates and releases what the file says for the step from t to t + dt of the world built last.
sn_status scene_drive(sn_scene *scene, sn_world *world, double t, double dt);

// The path of a file that the scene names: such files are beside it. False: it does not fit.
bool scene_beside(const sn_scene *scene, const char *file, char *out, size_t capacity);

// Steps that 'seconds' take.
int64_t scene_step_count(const sn_scene *scene, double seconds);

// The body of the world, and the point of it, that is point k of a copy of a body.
sn_body scene_find_point(const sn_scene *scene, const scene_body *body, int copy, int k, int *point);

// The label a copy of a body has in the world; labels start at 1.
uint64_t scene_label(int body_index, int copy);

// Writes a name for people of the body with a label: rod "arm", copy 3.
void scene_label_text(const sn_scene *scene, uint64_t label, char *out, size_t capacity);

// The schema of scene files, as JSON; made of the tables that reading uses. The caller frees it with json_decref.
json_t *scene_schema(void);

#endif
