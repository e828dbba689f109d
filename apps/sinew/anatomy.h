// Shared by the files of 'sinew anatomy': a folder of surfaces becomes a scene of bones and muscles that moves.
#ifndef SN_APP_ANATOMY_H
#define SN_APP_ANATOMY_H

#include "bake/anatomy_names.h"
#include "bake/joint_fit.h"
#include "bake/viperize.h"
#include "formats/field_table.h"
#include "progress.h"

enum { ANATOMY_NAME = 96 };

// What a file may say instead of the guesses; the guesses are written in the same form.
typedef struct {
    fields_head head; // key: the surface's name
    int kind;         // anatomy_kind
    const char *first, *last;
    int rods, slices;
} surface_choice;

typedef struct {
    fields_head head; // key: the child's name
    const char *parent;
    int kind; // anatomy_joint_kind
    double centre[3], axis[3], degrees;
} joint_choice;

typedef struct {
    fields_head head;
    double unit;
    fields_list surfaces, joints;
} anatomy_choices;

typedef struct {
    char file[256], name[ANATOMY_NAME], number[32];
    anatomy_kind kind;
    bool known;
    char side;
    double extent, volume; // the longest side of its box; metres and m^3 once the unit is known
    uint64_t hash;         // of the file
    bool stl, gltf;
    int triangles;   // of the file
    sn_mesh surface; // decimated, metres
    const surface_choice *choice;
    // Bones:
    joint_bone bone;
    int parent; // item; -1: a root
    anatomy_joint_kind joint;
    double centre[3], axis[3], degrees, range[2], gap;
    const char *joint_from; // what decided: "the file", "its name", "the surfaces"
    int phase;              // of the motion; -1: it does not move
    // Muscles:
    int end_bone[2];
    double end_gap[2], end[2][3], onward[2][3]; // onward: unit vectors out of the ends
    sn_viper_quality quality;
    bool from_cache, failed;
} anatomy_item;

typedef struct {
    const char *folder, *output, *with;
    int rods, slices, threads, triangles;
    bool quiet;
} anatomy_request;

typedef struct {
    const anatomy_request *request;
    char output_folder[1024], base[256]; // of the scene's name
    anatomy_item *item;
    int count, capacity;
    double unit;
    const char *unit_from;
    anatomy_choices choices;
    char *choices_text;
    sn_memory memory;
    sn_arena arena;
    int phases;
    progress bar;
} anatomy;

// Exit codes. anatomy_read.c: lists and reads surfaces, with their names, kinds and unit.
int anatomy_read_choices(anatomy *a);
int anatomy_read_surfaces(anatomy *a);
// anatomy_make.c: makes rigs of muscles, or takes them from an earlier run; writes bones.
int anatomy_make_rigs(anatomy *a);
// anatomy_move.c: joints, attachments, and which way joints bend.
int anatomy_find_joints(anatomy *a);
int anatomy_attach(anatomy *a);
int anatomy_plan_motion(anatomy *a);
// The pose of a bone when each moving joint's angle is given in degrees by its phase: x -> to + rotation (x - centre).
typedef struct {
    double rotation[4], to[3]; // a unit quaternion, w first
} bone_pose;
bone_pose anatomy_pose(const anatomy *a, int bone, const double *degrees);
void anatomy_pose_point(const anatomy *a, int bone, const bone_pose *pose, const double p[3], double out[3]);
// Whether the muscle's ends move against each other when a bone's joint bends.
bool anatomy_crosses(const anatomy *a, const anatomy_item *muscle, int bone);
// How much shorter the line between a muscle's ends gets when only this bone's joint is bent, as a part of it.
double anatomy_shortening(const anatomy *a, const anatomy_item *muscle, int bone, double degrees);
// anatomy_write.c: the scene, and the guesses.
int anatomy_write(anatomy *a);

#endif
