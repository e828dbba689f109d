// Scenes: a JSON file that describes bodies and what happens to them. Reading finds every error with its line and
// column. Building creates a world through the public API. Driving applies motion, loads, activation and releases
// before every step.
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
    int first, copies;   // index of its first copy in scene->ids; number of copies
    int points_per_copy; // 0 for entries with errors. The points of several rods are listed rod after rod
    int ids_per_copy;    // bodies of the world per copy: 1, or the rods of a muscle
    void *form;          // what its copies share, of a type that only its kind knows; see free_form of scene_kind
    bool shares_form;    // the form belongs to an earlier entry
    int first_own;       // index of its first copy in a list of the kind's own, such as scene->muscles
} scene_body;

// A joint, and its point of space at the start.
typedef struct {
    sn_joint id;
    double start[3];
} scene_joint;

// A copy of a muscle in the world.
typedef struct {
    sn_bundle id;
    const scene_body *body;
    int copy;
    int ride[2]; // rigid bodies that its first and last points follow, in scene->rigid_bodies; -1: none
    sn_vec3 *at; // of each rod: its first and last point, in the axes of these bodies
} scene_muscle;

struct sn_scene {
    scene_spec spec; // the fields of the file; solver, step, ... may be changed before building
    const char *file;
    const file_source *files; // source of the files that it names
    char *text;
    size_t size;
    error_list errors;
    scene_body *bodies; // spec.bodies.count of them
    json_t *names;      // of entries of "bodies" -> their index
    bool nameless;      // an entry has an unknown kind, so that names may be missing
    int body_count;     // copies included
    int id_count;       // bodies of the world, rods of muscles included
    int muscle_count;   // copies included
    int character_count;
    int64_t point_count;
    sn_memory memory;
    sn_arena arena; // memory of the spec
    // Of the last world built:
    sn_body *ids; // id_count of them, in the order of the file, copy after copy
    scene_muscle *muscles;
    struct elastic_cache *elastic_cache;
    struct scene_character *characters; // character_count of them
    int characters_made;                // of them
    scene_driver *driver;
    sn_log_fn *log; // the user's
    void *log_user;
    const char *building_list; // the list of the file that is being built: "bodies", "rigid_bodies", "joints"
    int building;              // index of the entry that is being built; -1: none
    int building_copy;
    sn_body *rigid_bodies;     // spec.rigid_bodies.count of them
    json_t *rigid_names;       // of entries of "rigid_bodies" -> index of their first copy
    json_t *rig_names;         // files of rigs -> the first entry of "bodies" that names it
    bool rigid_spread;         // spec.rigid_bodies has an entry for each copy
    scene_skeleton *skeletons; // spec.skeletons.count of them
    scene_joint *joints;       //
    int joint_count;           // copies included
    bool keep_calls;           // scene_drive records its calls
    scene_call *calls;
    int call_count, call_capacity;
};

// Reads a file, or a text under a name. `files` has the files that the scene names (null: it may name none) and must
// outlive it. Null: out of memory. The scene can be built if scene->errors.count is 0.
sn_scene *scene_read(const char *file, const file_source *files);
sn_scene *scene_parse(const char *name, const char *text, size_t size, const file_source *files);
void scene_free(sn_scene *scene);

// Creates the world of a scene. Hooks, workers and lanes come from `def`, the rest from the scene. The world logs
// through the scene, which must outlive it. SN_ERR_DEF: the engine found errors, which are added to scene->errors.
sn_status scene_build(sn_scene *scene, const sn_world_def *def, sn_world **out);

// Applies motion, loads, activation and releases for the step from t to t + dt of the last world built.
sn_status scene_drive(sn_scene *scene, sn_world *world, double t, double dt);

// The path of a file that the scene names, relative to the scene. False: it is too long.
bool scene_beside(const sn_scene *scene, const char *file, char *out, size_t capacity);

// The number of steps in a duration.
int64_t scene_step_count(const sn_scene *scene, double seconds);

// The body of the world and its point that are point k of a copy of a body.
sn_body scene_find_point(const sn_scene *scene, const scene_body *body, int copy, int k, int *point);

// The label of a copy of a body in the world; labels start at 1.
uint64_t scene_label(int body_index, int copy);

// Writes a readable name of the body with a label: rod "arm", copy 3.
void scene_label_text(const sn_scene *scene, uint64_t label, char *out, size_t capacity);

// The JSON schema of scene files, made from the tables that read them. The caller frees it with json_decref.
json_t *scene_schema(void);

#endif
