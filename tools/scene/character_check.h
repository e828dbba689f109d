// Compares the implicit skin of a character with plain skinning by the same weights, over its own motion and over poses
// that bend every joint far. The implicit skin must not be worse: that is what it is for.
#ifndef SN_SCENE_CHARACTER_CHECK_H
#define SN_SCENE_CHARACTER_CHECK_H

#include "scene/character_gauge.h"
#include "scene/scene.h"

typedef enum { SKIN_LINEAR, SKIN_DUAL, SKIN_IMPLICIT, SKIN_KINDS } skin_kind;

typedef struct {
    double crossings, stretched, squeezed; // mean over the frames
    double volume, worst_volume;           // mean and largest of |volume|
    long long max_crossings;
    int max_stretched;
} skin_score;

typedef struct {
    int vertices, frames;         // frames that were measured
    skin_score score[SKIN_KINDS]; //
    double bind;      // farthest vertex of the implicit skin from the mesh in the bind pose, over the mesh's size
    double unsettled; // farthest that a vertex moves in frames after the first in a new pose, over the mesh's size
} skin_report;

typedef struct {
    bool clips, poses; // what to measure
    double fps;        // of clips
} skin_check_options;

// A skinned glTF file, without muscles. False: 'error' says why.
bool skin_check_rig(const char *path, const file_source *files, const skin_check_options *options, skin_report *out,
                    tool_error *error);

// The first character of a scene that was read and has no errors, with its muscles, over the scene's duration. Only the
// scores are measured.
bool skin_check_scene(sn_scene *scene, skin_report *out, tool_error *error);

// What is worse than dual quaternions: words such as "crossings, volume"; empty: nothing.
void skin_check_verdict(const skin_report *report, char *out, size_t capacity);

#endif
