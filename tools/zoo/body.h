// Characters of the zoo: a skinned mesh on a skeleton, with bones and implicit muscles under the skin, and motions. A
// whole body, an arm, and a plain tube with an elbow. They stand at y = 0, face +z, have their left side at +x, and are
// in metres.
#ifndef SN_ZOO_BODY_H
#define SN_ZOO_BODY_H

#include "kinds/implicit_muscle/muscle_system.h"
#include "mesh/mesh.h"

#define ZOO_NAME_SIZE 32

// Bones rotate about their joints. All rotations are the identity at rest, so a bone's local coordinates are those of
// the body minus its joint.
typedef struct {
    char name[ZOO_NAME_SIZE];
    int parent;              // -1: none; always smaller than its own index
    double joint[3], tip[3]; // at rest
    bool hinge;              // bends like an elbow or a knee
} zoo_joint;

typedef struct {
    char name[ZOO_NAME_SIZE]; // "biceps-left"
    sn_implicit_muscle_def def;
    int skin_bone; // the bone that moves most of the skin over the muscle
} zoo_body_muscle;

typedef struct {
    char name[ZOO_NAME_SIZE]; // "body"
    zoo_joint *bones;
    int bone_count;
    zoo_body_muscle *muscles;
    int muscle_count;
    sn_muscle_obstacle *colliders; // pills that the muscles wrap around
    int collider_count;
    sn_mesh mesh; // with normals, texture coordinates, joints and weights
} zoo_body;

typedef enum {
    ZOO_BODY,  // 17 bones, 50 muscles
    ZOO_LIMB,  // an arm: upper arm, forearm, hand; 4 muscles
    ZOO_ELBOW, // a tube of radius 50 mm with two bones and no muscles
    ZOO_BODY_KINDS
} zoo_body_kind;

// "body", "limb", "elbow"; -1: no such name.
const char *zoo_body_name(zoo_body_kind kind);
int zoo_body_find(const char *name);

// Range of the number of vertices.
int zoo_body_min_vertices(zoo_body_kind kind);
#define ZOO_BODY_MAX_VERTICES 500000

// Makes a character with about 'vertices' vertices (0: the default), accurate to 5 %. False: no memory, or out of
// range; 'out' is empty.
bool zoo_body_make(zoo_body_kind kind, int vertices, zoo_body *out);
void zoo_body_free(zoo_body *body); // an empty one is allowed

// Rest poses of all bones.
void zoo_body_rest_pose(const zoo_body *body, sn_transform *poses);

// Creates a system of the body's muscles, settled in the rest pose. The body may be freed afterwards.
sn_status zoo_body_muscles(const zoo_body *body, sn_memory *memory, const sn_log *log, sn_muscle_system **out);

// Preset of a common muscle, found by a prefix of its name ("biceps" for "biceps-left"): profiles, volume (of an adult,
// m^3), jiggle and tendons. The caller sets the ends. False: no such preset.
bool zoo_muscle_preset(const char *name, sn_implicit_muscle_def *out);
const char *zoo_muscle_preset_name(int i); // null: no more

// ---- motions

typedef enum {
    ZOO_MOTION_JUMP,  // squat, flight, landing
    ZOO_MOTION_RUN,   // in place
    ZOO_MOTION_SHAKE, // the root moves up and down by 30 mm, 4 times a second
    ZOO_MOTION_CURL,  // the forearms flex by 130 degrees and return
    ZOO_MOTION_KINDS
} zoo_motion;

const char *zoo_motion_name(zoo_motion motion);                        // "jump", "run", "arm-shake", "biceps-curl"
int zoo_motion_find(const char *name);                                 // -1: no such motion
bool zoo_motion_is_supported(const zoo_body *body, zoo_motion motion); // whether it has the bones
double zoo_motion_duration(zoo_motion motion);                         // s; then it repeats

// Bone poses and muscle activation at a time. Bodies without legs stand still in leg motions.
void zoo_body_pose(const zoo_body *body, zoo_motion motion, double time, sn_transform *poses);
double zoo_body_activation(const zoo_body *body, zoo_motion motion, double time, int muscle);

#endif
