// Repairs files of characters where that is possible, and notes what was wrong, with the mesh, the vertex or the joint.
#ifndef SN_SCENE_CHARACTER_REPAIR_H
#define SN_SCENE_CHARACTER_REPAIR_H

#include "formats/mesh_file.h"
#include "mesh/error.h"

enum { REPAIR_MAX_NOTES = 12, REPAIR_NOTE_SIZE = 256 };

typedef struct {
    char text[REPAIR_MAX_NOTES][REPAIR_NOTE_SIZE];
    int count;
} repair_notes;

// Binds all meshes of a file to one skin, and returns it:
//   - meshes with another skin on the same joints move to the one with most joints
//   - meshes without a skin are bound to the joint above their node, if there is one; others are left out
//   - vertices without weights get those of the nearest vertex that has some
// Joints that coincide are noted. False: the error says what would be right.
bool character_repair(mesh_file *file, int *skin, repair_notes *notes, tool_error *error);

#endif
