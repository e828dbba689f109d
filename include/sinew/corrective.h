// Correctives: shapes that are added to a mesh at rest before linear skinning, so that afterwards it looks like a skin that
// was simulated. Each shape follows the rotation of one joint. `sinew implicit CHARACTER -o OUT.glb` bakes them, as the
// morph targets of OUT.glb, with OUT.correctives for the calls below and OUT.correctives.json for other engines.
//
//     sn_correctives_open      looks at the bytes of OUT.correctives              once per character
//     sn_correctives_weights   weights of the shapes in a pose                    every frame
//     sn_correctives_apply     adds the shapes to the vertices at rest            every frame, unless your morph targets do
//
// Nothing is copied or allocated; all calls may run in several threads at once.
#ifndef SINEW_CORRECTIVE_H
#define SINEW_CORRECTIVE_H

#include "types.h"

// The weight of a shape is a polynomial without constant in the rotation of its joint: with the unit quaternion q, w >= 0, of
// the joint relative to its parent, from the bind pose to the current one, its terms are
//
//     x  y  z    xx yy zz xy xz yz    xxx yyy zzz xxy xxz xyy yyz xzz yzz xyz
#define SN_CORRECTIVE_TERMS 19

// A shape. Its rows are `count` ones from `first` on.
typedef struct {
    int32_t joint, parent; // indices of poses
    float rest[4];         // rotation of the joint relative to its parent in the bind pose: x, y, z, w
    float reach;           // the longest (x, y, z) that it was baked with; longer ones are shortened to it
    float coefficients[SN_CORRECTIVE_TERMS];
    float scale; // of its offsets: m for each unit of a row, at weight 1
    int32_t first, count;
} sn_corrective_target;

// The offset of a vertex by a shape, in the space of the mesh at rest.
typedef struct {
    int32_t vertex;
    int16_t offset[4]; // x, y, z, 0
} sn_corrective_row;

// The shapes of a character.
typedef struct {
    int joint_count;  // of the poses; in files those of the skin, in the order of the file
    int vertex_count; // of all skinned meshes, in the order of the file
    int target_count;
    const sn_corrective_target *targets;
    int row_count;
    const sn_corrective_row *rows;
} sn_correctives;

// Finds shapes in saved bytes, which must start at a multiple of 4 and live as long as the shapes. SN_ERR_FORMAT: they are not
// shapes, damaged, or not aligned; *out is then empty.
SN_API sn_status sn_correctives_open(const void *bytes, size_t size, sn_correctives *out);

// Saves shapes to bytes: returns the size, and writes nothing if that is more than 'capacity' or 'dst' is null. 0: they are
// not valid.
SN_API size_t sn_correctives_save(const sn_correctives *correctives, void *dst, size_t capacity);

// Writes the weights of all shapes in a pose: rotations of all joints in one common space, such as that of the model.
// SN_ERR_RANGE: 'count' is not joint_count, or a rotation is not finite or 0; nothing is written.
SN_API sn_status sn_correctives_weights(const sn_correctives *correctives, const sn_transform *poses, int count,
                                        float *weights);

// Adds all shapes to positions: vertex i has three floats at (char *)positions + i * stride. SN_ERR_RANGE: 'count' is not
// vertex_count, or the stride is less than three floats or no multiple of one.
SN_API sn_status sn_correctives_apply(const sn_correctives *correctives, const float *weights, float *positions,
                                      size_t stride, int count);

#endif
