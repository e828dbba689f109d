// How a skin lies in memory, for the files of this room.
//
// Vertices are taken out of the mesh's order and put into batches of as many as there are SIMD lanes, so that those of
// a batch hang on the same handles: a handle's matrix is then one value for all lanes. What is left over of each set
// of handles fills mixed batches, whose lanes gather their matrices. Either way a vertex gets the same arithmetic, so
// its bits do not depend on the batch that it is in, nor on the width.
//
//     rows:  [batch 0: px py pz nx ny nz w0 w1 w2 w3] [batch 1: px ...]     each name a row of 'lanes' values
#ifndef SN_SKIN_LINEAR_SKIN_H
#define SN_SKIN_LINEAR_SKIN_H

#include "base/math/vec.h"
#include "base/memory.h"
#include "sinew/skin.h"
#include <stdatomic.h>

enum { K_PX, K_PY, K_PZ, K_NX, K_NY, K_NZ, K_W, K_ROWS = K_W + SN_SKIN_INFLUENCES };

// A handle made ready. Linear: a 3 x 4 matrix, row after row. Dual: rotation, its dual part (8), then the 3 x 4 matrix
// of the stretch. Both take positions relative to the skin's origin.
enum { LINEAR_SIZE = 12, DUAL_SIZE = 20 };

typedef void sn_blend_fn(const sn_skin *skin, const sn_real *ready, int first, int last, const sn_skin_output *out);

struct sn_skin {
    sn_memory memory;
    atomic_int instances;
    int vertices, handles, lanes, batches;
    int uniform;    // batches before this one have one set of handles, the others one for each lane
    bool normals;   // has some
    sn_vec3 origin; // middle of the mesh's box: positions are kept relative to it, to lose no digits
    sn_real *rows;
    int *vertex;           // of each lane; lanes without one repeat the one before
    uint16_t *handle;      // of each batch: SN_SKIN_INFLUENCES rows of 'lanes'
    unsigned char *counts; // of each batch: influences in use
    sn_blend_fn *blends[2];
};

// One segment of a rod that is followed, between handles a (its own point) and b (the parent's).
typedef struct {
    int a, b, block;
    sn_quat back;           // from the mesh's space to the frame's axes, at rest
    sn_real inverse_length; // 1 / rest length
    sn_real part_a, part_b; // share in what the two handles do
    sn_vec3 along_a;        // part_a times the squares of its direction at rest, in the axes of handle a
    sn_vec3 along_b;
} sn_skin_segment;

typedef struct {
    sn_body id;
    int first, points;           // its handles
    int first_segment, segments; //
} sn_skin_rod;

struct sn_skin_instance {
    sn_skin *skin;
    sn_memory memory;
    sn_blend blend;
    sn_handle *handles;
    sn_real *ready; // DUAL_SIZE for each handle, LINEAR_SIZE used when linear
    sn_skin_rod *rods;
    int rod_count;
    sn_skin_segment *segments;
    int segment_count;
    sn_quat *axes;     // of each handle, in which rods stretch it: from them to the mesh's space
    sn_real scale;     // of the placement
    sn_bundle bundle;  // or this one is followed; null: none
    sn_quat from_mesh; // turn of its placement
    bool taken;        // by the running update
};

// follow.c: binds to rods that were checked, and forgets them; whether all rods are still there as they were; puts
// handles where they are now.
sn_status sn_skin_bind(sn_skin_instance *instance, const sn_world *world, const sn_body *ids, int count,
                       const sn_placement *at);
void sn_skin_unbind(sn_skin_instance *instance);
// The same for a bundle, and its sections brought up to date: not by several threads at once.
void sn_skin_bind_bundle(sn_skin_instance *instance, const sn_world *world, sn_bundle bundle, const sn_placement *at);
void sn_skin_fit_bundle(const sn_skin_instance *instance, const sn_world *world);
bool sn_skin_rods_live(const sn_skin_instance *instance, const sn_world *world);
void sn_skin_follow(const sn_skin_instance *instance, const sn_world *world, sn_handle *handles);

// axes.c: the axes in which the symmetric matrix xx yy zz xy xz yz is diagonal.
sn_quat sn_skin_axes(const double matrix[6]);

// kernels.c: the blends of a lane width; false: this build or this machine does not have them.
bool sn_skin_kernels(int lanes, sn_blend_fn *out[2]);

#endif
