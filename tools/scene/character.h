// A character: a skinned mesh on a skeleton with implicit muscles on its bones, and a motion. It comes from the zoo, or
// from any skinned glTF file. All of it is in the size that was asked for, in the space of the mesh at rest.
#ifndef SN_SCENE_CHARACTER_H
#define SN_SCENE_CHARACTER_H

#include "bake/implicit_rig.h"
#include "scene/character_repair.h"
#include "zoo/body.h"

// A bone that is bent there and back, or stays bent.
typedef struct {
    int bone; // -1: none is
    sn_vec3 axis;
    double degrees, seconds, hold; // the angle, how long bending takes, how long it stays; 0: for good
} character_bend;

typedef struct {
    sn_mesh mesh;       // at rest
    sn_rig_bone *bones; // mesh.joint counts in them
    int bone_count;
    sn_implicit_muscle_bone *shapes; // what muscles keep out of
    int collider_count;
    sn_implicit_muscle_def *muscles;
    char (*muscle_names)[ZOO_NAME_SIZE];
    int *shown; // of each muscle: the bone whose part of the skin it lies under
    int muscle_count;
    int own_muscles; // the first of those that were added
    // How it moves:
    zoo_body zoo; // if it is from there; its mesh is the one above
    int motion;   // of the zoo; -1: none
    mesh_file file;
    const mesh_clip *clip;
    int skin;           // of the file
    float (*world)[16]; // room for its nodes
    double fit;         // how the file's joints scale its mesh, the same for all
    double scale;
    character_bend bend;
    repair_notes notes; // what was put right in the file
} character;

// False: 'error' says what is wrong; the character is then empty.
bool character_from_zoo(zoo_body_kind kind, int vertices, double scale, character *out, tool_error *error);
bool character_from_file(const char *path, const file_source *files, double scale, character *out, tool_error *error);
void character_free(character *c);

int character_bone(const character *c, const char *name); // -1: none of that name

// Adds a muscle whose ends, via and normals are given in the space of the mesh at rest. With 'width' above 0, m, its
// volume is such that it is so wide at rest where it is thickest.
bool character_add_muscle(character *c, const char *name, const sn_implicit_muscle_def *def, double width,
                          tool_error *error);

// A place of the mesh at rest in the axes of a bone.
sn_vec3 character_in_bone(const character *c, int bone, sn_vec3 place);

// Gives a muscle that has none a direction to be wide in: across its line, along the skin over its middle.
void character_give_normals(character *c, int muscle);

// Poses at a time of its motion; t counts from the motion's start. False: the clip scales a bone; 'error' says how.
bool character_pose(character *c, double t, bool loop, sn_transform *out, tool_error *error);
void character_rest(const character *c, sn_transform *out);

// How much the motion itself activates a muscle.
double character_activation(const character *c, double t, bool loop, int muscle);

// A system of its muscles in the space of the mesh, come to rest. Skins are made with it.
sn_status character_system(const character *c, sn_memory *memory, const sn_log *log, sn_muscle_system **out);

// Its implicit skin, whose samples make room for the muscles, as 'system' has them at rest. bone_of, to be freed: of each
// bone its number in the model, where parents come first.
bool character_model(const character *c, const sn_log *log, const sn_muscle_system *system, sn_implicit_model **out,
                     int **bone_of, tool_error *error);

#endif
