// The kinds of bodies of scene files: one row per kind. Everything else in tools/scene knows only this table.
//
// To add a kind: write scene_KIND.c, which defines
//
//     const field_table scene_KIND_table    the keys of an entry; its struct begins with a body_spec
//     const scene_kind scene_KIND_kind      the row
//
// and add KIND to the list in scene_kinds.c.
#ifndef SN_SCENE_SCENE_KINDS_H
#define SN_SCENE_SCENE_KINDS_H

#include "scene/scene.h"
#include "scene/selection.h"
#include "view/view_kinds.h"
#include "view/view_model.h"

// --- checking ---

// The entry that is being checked.
typedef struct {
    sn_scene *scene;
    const json_path *path;
    scene_body *out; // ids_per_copy may be set
} scene_checker;

// --- joints ---

// A place on a copy of a body.
typedef struct {
    sn_body body;
    int index;     // of bodies with segments: the segment; else the point
    sn_real along; // the segment
    sn_vec3 position;
} scene_place;

// --- tracks: motion, loads, activation and release ---

typedef enum { TRACK_MOTION, TRACK_LOAD, TRACK_ACTIVATION, TRACK_RELEASE } scene_track_type;

// Values of a key: of a motion the position, the scale or the rotation vector in [0..2]; of a load the force in [0..2],
// the torque in [3..5] and the radial load in [6]; of an activation stiffness, length and value.
enum { TRACK_VALUES = 7 };

// What a track applies to, and its state when the world was built.
typedef struct {
    sn_body body; // or slot and generation of another object of a call
    int point;
    sn_vec3 centre;
    sn_quat frame; // zero: the point has no segment
    sn_real mass;  // mass if it were free; for kinds whose bodies do not store it
    bool held;     //
} scene_target;

typedef struct {
    scene_track_type type;
    const track_spec *spec;      // or, of TRACK_RELEASE:
    const release_spec *release; //
    const scene_body *body;
    int first, count; // among the targets
    bool applied;
    double last[TRACK_VALUES]; // the values that were applied
} scene_track;

typedef struct {
    // Lists errors of a motion, load or activation; `path` is the track's.
    void (*check)(sn_scene *scene, scene_track_type type, const track_spec *track, const scene_body *body,
                  const json_path *path);
    // Adds the targets of one copy with scene_add_target. `object` has the fields of the track. False: out of memory.
    bool (*bind)(sn_scene *scene, const sn_world *world, scene_track *track, const void *object, int copy,
                 const selection *points);
    // Whether what a motion moves is held.
    bool (*is_held)(const sn_world *world, const scene_track *track, const scene_target *target);
    // Applies the values of a motion, load or activation.
    sn_status (*apply)(sn_scene *scene, sn_world *world, const scene_track *track, const scene_target *target,
                       const double value[TRACK_VALUES]);
    // Frees a point.
    sn_status (*release)(sn_scene *scene, sn_world *world, const scene_target *target);
} scene_tracks;

// --- skins: meshes that are drawn instead of a body; see scene_skin.h ---

typedef struct {
    // Around pills, with weights for the points of the body. All four, or none.
    const char *(*file)(const scene_body *body); // that has the mesh; null: none
    bool (*has_skin)(const scene_body *body);
    bool (*is_same)(const scene_body *a, const scene_body *b);
    bool (*make)(view_mesh *out, const sn_scene *scene, const scene_body *body, const sn_vec3 *local,
                 const sn_real *radii, const int *parents, int n, double scale, tool_error *error);
    // Embedded in tetrahedra. Both, or none.
    const sn_mesh *(*embedded)(const scene_body *body); // null: none
    view_place *(*places)(const scene_body *body);
} scene_skins;

// --- the row ---

struct scene_kind {
    const field_table *table;
    const char *one, *many; // "a rod", "rods"

    // Lists errors that the table cannot see. Returns the number of points of one copy; 0: it cannot be built.
    int64_t (*check)(const scene_checker *checker, const body_spec *body);
    // Creates all copies. Stores ids_per_copy bodies of each in scene->ids, from body->first on.
    sn_status (*build)(sn_scene *scene, sn_world *world, scene_body *body);

    // For all bodies of the kind at once; or null.
    void (*check_all)(sn_scene *scene);                             // errors about other parts of the file
    sn_status (*connect)(sn_scene *scene, sn_world *world);         // after bodies and rigid bodies were created
    sn_status (*drive)(sn_scene *scene, sn_world *world, double t); // for the step that ends at t
    void (*free)(sn_scene *scene);                                  // after the worlds of the scene
    // Frees what `check` or `build` stored as the form of a body; or null.
    void (*free_form)(void *form);

    // Describes a copy for people: "0.5 m long". May be null.
    void (*describe)(const sn_scene *scene, const sn_world *world, const scene_body *body, char *out, size_t capacity);

    // Whether segment k exists. Null: bodies of the kind have no segments.
    bool (*has_segment)(const scene_body *body, int k);
    // The place that a side of a joint names. Null: joints hold the point closest to a position, and name no points.
    sn_status (*find_place)(sn_scene *scene, const sn_world *world, const scene_body *body, const joint_side_spec *side,
                            int copy, scene_place *out);
    // Null: tracks cannot name points of the body.
    const scene_tracks *tracks;
    // Null: no skins.
    const scene_skins *skins;
    // Whether a body has a volume. Null: all have one.
    bool (*has_volume)(const scene_body *body);
};

// For find_place of kinds whose places are points (scene_joints.c).
sn_status scene_find_point_place(sn_scene *scene, const sn_world *world, const scene_body *body,
                                 const joint_side_spec *side, int copy, scene_place *out);

// What a scene lists apart from "bodies": things with a pose, named by their number in the list.
typedef struct {
    void (*check)(sn_scene *scene); // lists errors that the field table cannot see
    sn_status (*build)(sn_scene *scene, sn_world *world);
    sn_status (*drive)(sn_scene *scene, sn_world *world, double t); // for the step that ends at t
    bool (*moves)(const sn_scene *scene, int number);
    void (*pose)(const sn_scene *scene, int number, double t, sn_vec3 *position, sn_quat *rotation);
    // The pose in a world that was built.
    void (*pose_now)(const sn_scene *scene, const sn_world *world, int number, sn_vec3 *position, sn_quat *rotation);
} scene_list;

enum { SCENE_RIGID_BODIES, SCENE_LIST_COUNT };
extern const scene_list *const scene_lists[SCENE_LIST_COUNT];

extern const scene_kind *const scene_kinds[];        // ends with null
extern const field_table *const scene_kind_tables[]; // their tables, ends with null

#endif
