// The memory layout of a skin.
//
// Vertices are sorted into batches of the SIMD width such that those of a batch have the same handles: a handle's
// matrix is then one value for all lanes. The remainders of each set of handles fill mixed batches, whose lanes gather
// their matrices. Both do the same arithmetic, so the result of a vertex does not depend on its batch or the width.
//
//     rows:  [batch 0: px py pz nx ny nz w0 w1 w2 w3] [batch 1: px ...]     each name is a row of `lanes` values
#ifndef SN_SKIN_LINEAR_SKIN_H
#define SN_SKIN_LINEAR_SKIN_H

#include "base/math/vec.h"
#include "base/memory.h"
#include "couplings/bundle/bundle.h"
#include "sinew/skin.h"
#include <stdatomic.h>

enum { K_PX, K_PY, K_PZ, K_NX, K_NY, K_NZ, K_W, K_ROWS = K_W + SN_SKIN_INFLUENCES };

// A handle prepared for blending. Linear: a 3 x 4 matrix by rows. Dual: rotation, its dual part (8), then the 3 x 4
// matrix of the stretch. Both take positions relative to the skin's origin.
enum { LINEAR_SIZE = 12, DUAL_SIZE = 20 };

typedef void sn_blend_fn(const sn_skin *skin, const sn_real *ready, int first, int last, const sn_skin_output *out);

struct sn_skin {
    sn_memory memory;
    atomic_int instances;
    int vertices, handles, lanes, batches;
    int uniform;    // batches before this one have one set of handles, the others one per lane
    bool normals;   // whether it has normals
    sn_vec3 origin; // centre of the mesh's box; positions are relative to it for precision
    sn_real *rows;
    int *vertex;           // of each lane; padding repeats the previous one
    uint16_t *handle;      // of each batch: SN_SKIN_INFLUENCES rows of 'lanes'
    unsigned char *counts; // of each batch: influences in use
    sn_blend_fn *blends[2];
};

// A segment of a bound rod, between handles a (its own point) and b (the parent's).
typedef struct {
    int a, b, block;
    sn_quat back;           // rotation from the mesh to the segment's frame, at rest
    sn_real inverse_length; // 1 / rest length
    sn_real part_a, part_b; // weights in the two handles
    sn_vec3 along_a;        // part_a times the squares of its direction at rest, in the frame of handle a
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
    sn_quat *axes;       // of each handle: rotation from its stretch axes to the mesh
    sn_real scale;       // of the placement
    sn_bundle bundle;    // the bound bundle instead of rods; null: none
    sn_quat from_mesh;   // rotation of its placement
    sn_bundle_work work; // for the fits of its sections
    bool taken;          // by the current update
};

// skin_follow.c: binds to validated rods, and unbinds; checks whether all rods still exist unchanged; computes the
// current handles.
sn_status sn_skin_bind(sn_skin_instance *instance, const sn_world *world, const sn_body *ids, int count,
                       const sn_placement *at);
void sn_skin_unbind(sn_skin_instance *instance);
// The same for a bundle.
sn_status sn_skin_bind_bundle(sn_skin_instance *instance, const sn_world *world, sn_bundle bundle,
                              const sn_placement *at);
bool sn_skin_rods_exist(const sn_skin_instance *instance, const sn_world *world);
void sn_skin_follow(const sn_skin_instance *instance, const sn_world *world, sn_handle *handles);

// skin_axes.c: the eigenvectors of the symmetric matrix xx yy zz xy xz yz, as a rotation.
sn_quat sn_skin_axes(const double matrix[6]);

// skin_kernels.c: the blend kernels of a lane width; false: this build or machine does not support it.
bool sn_skin_kernels(int lanes, sn_blend_fn *out[2]);

#endif
