// A character: a skinned mesh, a skeleton with implicit muscles, and a motion. It comes from the zoo or from a skinned
// glTF file. Everything is scaled, in the space of the mesh at rest.
#ifndef SN_SCENE_CHARACTER_H
#define SN_SCENE_CHARACTER_H

#include "bake/implicit_rig.h"
#include "scene/character_repair.h"
#include "zoo/body.h"

// Bends a bone, and back after a while.
typedef struct {
    int bone; // -1: none
    sn_vec3 axis;
    double degrees, seconds, hold; // the angle, the time to bend, and the time until it bends back; 0: never
} character_bend;

typedef struct {
    sn_mesh mesh;       // at rest
    sn_rig_bone *bones; // mesh.joint are indices into them
    int bone_count;
    sn_implicit_muscle_bone *shapes; // muscles do not enter them; of files fitted to the skin
    int collider_count;
    sn_implicit_muscle_def *muscles;
    char (*muscle_names)[ZOO_NAME_SIZE];
    int *shown; // of each muscle: the bone of the skin above it
    int muscle_count;
    int own_muscles; // muscles before the added ones
    // Its motion:
    zoo_body zoo; // if it is from the zoo; the mesh is moved to `mesh`
    int motion;   // of the zoo; -1: none
    mesh_file file;
    const mesh_clip *clip;
    int skin;           // of the file
    float (*world)[16]; // matrices of its nodes
    double fit;         // the scale that all joints of the file share
    double scale;
    character_bend bend;
    repair_notes notes; // repairs of the file
} character;

// False: the error is set, and the character is empty.
bool character_from_zoo(zoo_body_kind kind, int vertices, double scale, character *out, tool_error *error);
bool character_from_file(const char *path, const file_source *files, double scale, character *out, tool_error *error);
void character_free(character *c);

int character_bone(const character *c, const char *name); // -1: none

// Adds a muscle with ends, via and normals in the space of the mesh at rest. `width` (m), if above 0, sets its volume:
// the width at rest where it is thickest.
bool character_add_muscle(character *c, const char *name, const sn_implicit_muscle_def *def, double width,
                          tool_error *error);

// A position of the mesh at rest, in the axes of a bone.
sn_vec3 character_in_bone(const character *c, int bone, sn_vec3 place);

// Gives a muscle without normals a wide direction: across its line, along the skin above its middle.
void character_give_normals(character *c, int muscle);

// Poses at time t of its motion. False: the clip scales a bone; the error says how.
bool character_pose(character *c, double t, bool loop, sn_transform *out, tool_error *error);
void character_rest(const character *c, sn_transform *out);

// The activation of a muscle by the motion itself.
double character_activation(const character *c, double t, bool loop, int muscle);

// A system of its muscles at rest, in the space of the mesh. Skins are made with it.
sn_status character_system(const character *c, sn_memory *memory, const sn_log *log, sn_muscle_system **out);

// Its implicit skin, with samples that leave space for the muscles of `system`. bone_of, which the caller frees: the
// index of each bone in the model, where parents come first.
bool character_model(const character *c, const sn_log *log, const sn_muscle_system *system, sn_implicit_model **out,
                     int **bone_of, tool_error *error);

#endif
