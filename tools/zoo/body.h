// Characters of the zoo: a skinned mesh on a skeleton, with bones and implicit muscles under the skin, and motions. A
// whole body, an arm, and a plain tube with an elbow. They stand at y = 0, look along +z, have their left at +x, and
// are in metres.
#ifndef SN_ZOO_BODY_H
#define SN_ZOO_BODY_H

#include "kinds/implicit_muscle/muscle_system.h"
#include "mesh/mesh.h"

#define ZOO_NAME_SIZE 32

// Bones turn about their joints. At rest none is turned, so a bone's coordinates are those of the body less its joint.
typedef struct {
    char name[ZOO_NAME_SIZE];
    int parent;              // -1: none; always smaller than its own number
    double joint[3], tip[3]; // at rest
    bool hinge;              // bends like an elbow or a knee
} zoo_joint;

typedef struct {
    char name[ZOO_NAME_SIZE]; // "biceps-left"
    sn_muscle_def def;
    int skin_bone; // the bone whose part of the skin it mostly lies under, at rest
} zoo_body_muscle;

typedef struct {
    char name[ZOO_NAME_SIZE]; // "body"
    zoo_joint *bones;
    int bone_count;
    zoo_body_muscle *muscles;
    int muscle_count;
    sn_muscle_obstacle *colliders; // what muscles keep out of
    int collider_count;
    sn_mesh mesh; // with normals, texture coordinates, joints and weights
} zoo_body;

typedef enum {
    ZOO_BODY,  // 17 bones, 50 muscles
    ZOO_LIMB,  // an arm: upper arm, forearm, hand; 4 muscles
    ZOO_ELBOW, // a tube of radius 50 mm with two bones and no muscles, to bend
    ZOO_BODY_KINDS
} zoo_body_kind;

// "body", "limb", "elbow"; -1: there is none of that name.
const char *zoo_body_name(zoo_body_kind kind);
int zoo_body_find(const char *name);

// How many vertices it has at least and at most.
int zoo_body_min_vertices(zoo_body_kind kind);
#define ZOO_BODY_MAX_VERTICES 500000

// Makes a character of about so many vertices (0: the default; within a twentieth). False: no memory, or a number out
// of range; it is then empty.
bool zoo_body_make(zoo_body_kind kind, int vertices, zoo_body *out);
void zoo_body_free(zoo_body *body); // an empty one is fine

// Poses of all bones at rest.
void zoo_body_rest_pose(const zoo_body *body, sn_bone_pose *poses);

// A system of its muscles, at rest; the body may be freed. It has come to rest.
sn_status zoo_body_muscles(const zoo_body *body, sn_memory *memory, const sn_log *log, sn_muscle_system **out);

// What a common muscle is like, by the name that it begins with ("biceps" for "biceps-left"): shapes, volume (of a
// grown-up, m^3), jiggling and tendons; ends are left to you. False: not known.
bool zoo_muscle_preset(const char *name, sn_muscle_def *out);
const char *zoo_muscle_preset_name(int i); // null: there are no more

// --- motions ---

typedef enum {
    ZOO_MOTION_JUMP,  // squat, flight, landing
    ZOO_MOTION_RUN,   // on the spot
    ZOO_MOTION_SHAKE, // the root goes up and down by 30 mm, 4 times a second
    ZOO_MOTION_CURL,  // the forearms come up by 130 degrees and go down
    ZOO_MOTION_KINDS
} zoo_motion;

const char *zoo_motion_name(zoo_motion motion);                        // "jump", "run", "arm-shake", "biceps-curl"
int zoo_motion_find(const char *name);                                 // -1: there is none
bool zoo_motion_is_supported(const zoo_body *body, zoo_motion motion); // whether it has what the motion moves
double zoo_motion_duration(zoo_motion motion);                         // s; after that it begins again

// Where the bones are at a time, and how much a muscle is activated. Bodies that have no legs stay where they are in
// motions of legs.
void zoo_body_pose(const zoo_body *body, zoo_motion motion, double time, sn_bone_pose *poses);
double zoo_body_activation(const zoo_body *body, zoo_motion motion, double time, int muscle);

#endif
