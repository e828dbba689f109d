// The contents of a scene file as C structs, one per type of JSON object. scene_*fields.c list their keys;
// docs/scenes.md explains them to users. Lengths are in metres. Numbers are double and become sn_real when the world is
// built.
#ifndef SN_SCENE_SCENE_SPEC_H
#define SN_SCENE_SCENE_SPEC_H

#include "formats/field_table.h"

// Limits of a file, checked before anything is allocated.
#define SCENE_MAX_FILE_BYTES   ((size_t)256 << 20)
#define SCENE_MAX_VALUES       5000000  // in the file
#define SCENE_MAX_BODIES       1000000  // copies included
#define SCENE_MAX_POINTS       4000000  // of all bodies
#define SCENE_MAX_DRIVEN       4000000  // points that motion, loads, activation and release name
#define SCENE_MAX_STEPS        10000000 // duration / step
#define SCENE_MAX_RIGID_BODIES 100000   // copies included
#define SCENE_MAX_JOINTS       1000000  // copies included
#define SCENE_MAX_IDS          1000000  // of all bodies, copies included

typedef struct {
    fields_head head;
    double axis[3];
    double degrees;
} rotation_spec;

// Contact properties of bodies and rigid bodies.
typedef struct {
    fields_head head;
    double friction_static, friction_dynamic, restitution, compliance, rolling, torsion;
    int_list group, mask; // indices of bits
} surface_spec;

typedef enum { INTERPOLATE_LINEAR, INTERPOLATE_SMOOTH } interpolation;

// The start of every key.
typedef struct {
    fields_head head;
    double t;
} track_key;

// The motion of a rigid body, or of a joint's point of space; keys are in order of time.
typedef struct {
    track_key at;
    double position[3], offset[3];
    rotation_spec rotation;
} pose_key;

typedef struct {
    fields_head head;
    int interpolation;
    bool loop;
    fields_list keys; // pose_key
} pose_track_spec;

typedef struct {
    fields_head head;
    int_list count;
    double spacing[3];
    bool centred;
} repeat_spec;

// A rigid body. Has exactly one of plane, sphere, box, pill, hull, mesh and parts.
typedef struct {
    fields_head head;
    double radius;
} sphere_spec;

typedef struct {
    fields_head head;
    double half[3];
} box_spec;

typedef struct {
    fields_head head;
    double from[3], to[3];
    double radius;
    number_list radii;
} pill_spec;

typedef struct {
    fields_head head;
    const char *file;             // beside the scene; read into the lists when the scene is checked
    double scale, origin[3];      // of the file: metres per unit, and its point at the body's position
    vec_list vertices, triangles; // triangles: indices of vertices
} mesh_spec;

typedef struct {
    fields_head head;
    double position[3];
    rotation_spec rotation;
    bool plane;
    sphere_spec sphere;
    box_spec box;
    pill_spec pill;
    mesh_spec mesh, hull; // a hull has no triangles
    fields_list parts;    // rigid_spec with some of the keys
    surface_spec surface;
    const char *name;
    repeat_spec repeat;
    pose_track_spec motion;
    bool dynamic; // and with it:
    int material; // in the list of scene_rigid_materials
    double density, mass, rounding, velocity[3], angular_velocity[3];
    int entry, copy;               // set when each copy becomes an entry of its own
    const struct scene_bone *bone; // of a pill that follows a joint of a skeleton (scene_skeleton.c); else null
} rigid_spec;

// A rig from a file; rigid bodies follow its joints.
typedef struct {
    fields_head head;
    const char *joint, *name;
    fields_list pills; // pill_spec, in the joint's own axes
    bool fit;          // instead of pills: fitted to the vertices bound to the joint
    int count;         // number of fitted pills, end to end
    surface_spec surface;
} bone_spec;

typedef struct {
    fields_head head;
    const char *file, *clip;
    double position[3], scale, start, speed;
    rotation_spec rotation;
    bool loop;
    fields_list bones; // bone_spec
} skeleton_spec;

// Curves, or a model of the zoo. Has exactly one of points, line, helix, circle, path and octopus.
typedef struct {
    fields_head head;
    double from[3], to[3];
    int segments;
} line_spec;

typedef struct {
    fields_head head;
    double centre[3], axis[3];
    double radius, pitch, turns;
    int segments;
} helix_spec;

typedef struct {
    fields_head head;
    double centre[3], axis[3];
    double radius;
    int segments;
} circle_spec;

typedef struct {
    fields_head head;
    line_spec line;
    helix_spec helix;
} path_piece_spec;

typedef struct {
    fields_head head;
    double size;
    int arms, arm_segments;
} octopus_spec;

typedef struct {
    vec_list points;
    line_spec line;
    helix_spec helix;
    circle_spec circle;
    fields_list path; // path_piece_spec
    octopus_spec octopus;
} shape_spec;

typedef struct {
    fields_head head;
    shape_spec shape; // or none: the body's own
    double scale;
} rest_spec;

// A selection of points (or segments) of a body: one, several, or a range; -1 is the last. None: all.
typedef struct {
    int point;
    int_list points, range;
} selection_spec;

typedef struct {
    fields_head head;
    const char *preset;
    double young, poisson, density, shear, transverse, volume, scale_bend, damping;
    bool volume_in_bend;
} material_spec;

// A part of a body with another material or radius.
typedef struct {
    fields_head head;
    selection_spec select;
    const char *material;
    double radius;
} part_spec;

typedef struct {
    fields_head head;
    selection_spec select;
    int what; // a sum of sn_hold
} hold_spec;

typedef enum { PROFILE_CONSTANT, PROFILE_BUMP } initial_profile;

typedef struct {
    fields_head head;
    selection_spec select;
    int profile;
    double velocity[3], spin[3], scale, scale_rate;
} initial_spec;

typedef enum { SCATTER_UPRIGHT, SCATTER_RANDOM } scatter_rotation;

typedef struct {
    fields_head head;
    int count, rotation;
    vec_list box;
    bool avoid_overlap;
    uint64_t seed;
} scatter_spec;

// What bodies of every kind have.
typedef struct {
    fields_head head;
    const char *kind, *name;
    double position[3], scale;
    rotation_spec rotation;
    repeat_spec repeat;
    scatter_spec scatter;
} body_spec;

typedef struct {
    body_spec body;
    const char *material;
    shape_spec shape;
    bool closed;
    int_list parents;
    double radius;
    number_list radii;
    rest_spec rest;
    double rest_twist;
    fields_list parts; // part_spec
    bool end_caps;
    bool clamp_first, clamp_last;
    fields_list hold; // hold_spec
    double velocity[3], angular_velocity[3];
    fields_list initial; // initial_spec
    surface_spec surface;
    bool collide, self_collide;
    const char *skin; // a mesh file, relative to the scene
} rod_spec;

// A spindle around a curve. Cross-sections are ellipses as wide as 'flat' times their thickness.
typedef struct {
    fields_head head;
    double from[3], to[3];
    vec_list through;
    int rods, slices;
    double radius, tendon, flat, across[3];
} fusiform_spec;

// A sheet of rods side by side, from one line to another.
typedef struct {
    fields_head head;
    vec_list from, to; // two points each
    double bulge[3];
    int rods, slices;
    double radius;
    number_list radii;
} fan_spec;

typedef struct {
    fields_head head;
    vec_list points;
    double radius;
    number_list radii;
} fibre_spec;

typedef struct {
    fields_head head;
    int kind; // an sn_bundle_kind
    double hertz;
} bundle_spec;

typedef struct {
    fields_head head;
    int by; // an sn_activate
    double shortest, stress, optimal, max_speed, rise, fall, from, to;
} activate_spec;

// The rigid body that one end is attached to, by either name. None: it stays where it is.
typedef struct {
    fields_head head;
    const char *rigid_body, *body;
    int copy;
} attach_end_spec;

typedef struct {
    fields_head head;
    attach_end_spec first, last;
} attach_spec;

// A muscle of rods. Has exactly one of rig, fusiform, fan and rods.
typedef struct {
    body_spec body;
    const char *material;
    const char *rig; // a file, relative to the scene
    fusiform_spec fusiform;
    fan_spec fan;
    fields_list rods; // fibre_spec
    bundle_spec bundle;
    activate_spec activate;
    attach_spec attach;
    surface_spec surface;
    bool collide, skin;
} muscle_spec;

// A change in time of some points of a body; keys are in order of time.
typedef struct {
    fields_head head;
    const char *body;
    int copy;
    selection_spec select;
    int interpolation;
    int what;         // motion only: a motion_what
    fields_list keys; // motion_key, load_key or activation_key
} track_spec;

typedef enum { MOTION_CENTRE, MOTION_SCALE, MOTION_FRAME, MOTION_CLAMP } motion_what;

typedef struct {
    track_key at;
    double position[3], offset[3];
    rotation_spec rotation;
    double scale;
} motion_key;

typedef struct {
    track_key at;
    double force[3], torque[3], radial;
} load_key;

typedef struct {
    track_key at;
    double length, stiffness; // of segments of a rod
    double bend[3];           // of segments of a rod, in the world at the start, rad/m
    double value;             // of a muscle, 0 to 1
} activation_key;

// Releases points at a time.
typedef struct {
    fields_head head;
    const char *body;
    int copy;
    selection_spec select;
    double t;
} release_spec;

// One end of a joint: a place on a body, on a rigid body, or in space.
typedef struct {
    fields_head head;
    const char *body, *rigid_body;
    int copy, point, segment;
    double along, position[3];
} joint_side_spec;

// Numbers of a motor at a time: those that are not given are the motor's own.
typedef struct {
    fields_head head;
    double t, stiffness, damping, target, speed, max_force;
} motor_key;

typedef struct {
    fields_head head;
    double stiffness, damping, target, speed, max_force; // angles in degrees
    fields_list keys;                                    // motor_key
} motor_spec;

typedef struct {
    fields_head head;
    int kind; // an sn_joint_kind
    joint_side_spec a, b;
    bool keep_offset, collide;
    double compliance, angular_compliance, max_force, break_force, break_torque, until, axis[3];
    number_list limits; // two, degrees or m
    double swing, friction;
    motor_spec motor;
    pose_track_spec motion;
} joint_spec;

typedef struct {
    fields_head head;
    const char *name;
    double position[3], target[3], up[3];
    double degrees;
} camera_spec;

// What a chart of the run shows.
typedef struct {
    fields_head head;
    bool bodies, logarithmic;
} plot_spec;

typedef struct {
    fields_head head;
    const char *schema, *title, *description;
    plot_spec plot;
    double gravity[3];
    double step, duration;
    int substeps, iterations, solver;
    uint64_t seed;
    fields_list rigid_bodies; // rigid_spec
    int contact_sweeps, max_pairs;
    fields_list cameras;    // camera_spec
    fields_list materials;  // material_spec, by name
    fields_list bodies;     // body_spec of several kinds
    fields_list motion;     // track_spec
    fields_list loads;      // track_spec
    fields_list activation; // track_spec
    fields_list release;    // release_spec
    fields_list joints;     // joint_spec
    fields_list skeletons;  // skeleton_spec
} scene_spec;

// The table of the whole file.
extern const field_table scene_table;
extern const field_table scene_pill_table; // of a pill_spec

#endif
