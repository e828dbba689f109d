// What files of characters leave open, and what is wrong with them: it is put right where that can be done, and said
// either way, with the mesh, the vertex or the joint.
#ifndef SN_SCENE_CHARACTER_REPAIR_H
#define SN_SCENE_CHARACTER_REPAIR_H

#include "formats/mesh_file.h"
#include "mesh/error.h"

enum { REPAIR_MAX_NOTES = 12, REPAIR_NOTE_SIZE = 256 };

typedef struct {
    char text[REPAIR_MAX_NOTES][REPAIR_NOTE_SIZE];
    int count;
} repair_notes;

// Puts all meshes of a file on one skin, which it names:
//   - meshes with other skins of the same joints are taken over to the one that has most joints
//   - meshes without a skin hang on the joint that their node is below; others are left out
//   - vertices without weights get those of the nearest place that has some
// Joints in one place are told. False: 'error' says what is wrong and what would be right.
bool character_repair(mesh_file *file, int *skin, repair_notes *notes, tool_error *error);

#endif
