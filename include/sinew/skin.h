// Skins: a surface that follows rods. The engine moves the points of rods; a skin moves the vertices of a mesh along
// with them and writes them where you want them, for instance into a mapped vertex buffer.
//
// A skin is made once and shared by all its instances, which may follow different rods. Each vertex hangs on up to
// four handles. A handle says where a small neighbourhood of the mesh goes: turned, stretched and put to a place. Each
// point of a rod is one.
//
//     sn_skin_create            positions, normals, handles and weights of the mesh       once
//     sn_skin_instance_create   one copy of it                                            once a copy
//     sn_skin_instance_bind     the rods that it follows                                  once a copy
//     sn_skin_update            positions and normals as they are now                     every frame, all copies
//
// Nothing here changes the world.
#ifndef SINEW_SKIN_H
#define SINEW_SKIN_H

#include "bundle.h"

// What is shared by all copies. Opaque; never changes once made, so several worlds and threads may use it.
typedef struct sn_skin sn_skin;

// One copy of a skin. Opaque; used by one thread at a time.
typedef struct sn_skin_instance sn_skin_instance;

// Handles of a vertex. Those that it does not need have weight 0.
#define SN_SKIN_INFLUENCES 4

// How a skin is made. Start from sn_skin_def_default(). Arrays are copied.
typedef struct {
    const sn_vec3 *positions; // of the mesh at rest, metres
    const sn_vec3 *normals;   // at rest, of length 1; or null: then none come out
    int vertex_count;         // 1 or more
    const uint16_t *handles;  // SN_SKIN_INFLUENCES for each vertex, each less than handle_count
    const float *weights;     // as many: at least 0; those of a vertex are scaled to add up to 1
    int handle_count;         // 1 to 65535
    int lanes;                // SIMD lanes: 1, 4, 8 or 16; default 0 = the machine's best. Results do not depend on it
    sn_allocator allocator;   // of the skin and its instances; default all null: malloc and free
    sn_log_fn *log;           // default null: silent
    void *log_user;           // handed to log
    uint32_t init_mark;       // set by sn_skin_def_default, always checked
} sn_skin_def;

// The defaults named above.
SN_API sn_skin_def sn_skin_def_default(void);

// Makes a skin. Mistakes: SN_ERR_DEF and a log line for every bad field, naming it; *out is then null.
SN_API sn_status sn_skin_create(const sn_skin_def *def, sn_skin **out);

// Frees a skin; null is fine. SN_ERR_BUSY, and nothing is done, while it has instances.
SN_API sn_status sn_skin_destroy(sn_skin *skin);

// Sizes as they were given, 0 for null.
SN_API int sn_skin_vertex_count(const sn_skin *skin);
SN_API int sn_skin_handle_count(const sn_skin *skin);

// Where a handle takes the mesh around it: x goes to centre + rotation * (stretch * (x - rest)).
typedef struct {
    sn_vec3 rest;       // a point of the mesh's space, at rest
    sn_vec3 centre;     // where that point is
    sn_quat rotation;   // of length 1
    sn_real stretch[6]; // a symmetric matrix in the axes of the mesh: xx yy zz xy xz yz; 1 1 1 0 0 0 at rest
} sn_handle;

// A handle that turns and scales the same in all directions.
SN_API sn_handle sn_handle_similarity(sn_vec3 rest, sn_vec3 centre, sn_quat rotation, sn_real scale);

// Where the space of the mesh was put when the rods were made: x goes to position + rotation * (scale * x).
typedef struct {
    sn_vec3 position;
    sn_quat rotation; // of length 1
    sn_real scale;
} sn_placement;

// How the handles of a vertex are mixed.
typedef enum {
    SN_BLEND_LINEAR = 0, // matrices: fastest; loses volume where neighbouring handles are twisted far apart
    SN_BLEND_DUAL = 1,   // turns as dual quaternions, stretches as matrices: keeps twisted parts round
} sn_blend;

// Makes a copy of a skin, linear, with all handles at the origin of the mesh and at rest.
SN_API sn_status sn_skin_instance_create(sn_skin *skin, sn_skin_instance **out);

// Frees a copy; null is fine.
SN_API void sn_skin_instance_destroy(sn_skin_instance *instance);

// Chooses how handles are mixed, from the next update on.
SN_API sn_status sn_skin_instance_set_blend(sn_skin_instance *instance, sn_blend blend);
SN_API sn_blend sn_skin_instance_blend(const sn_skin_instance *instance);

// Lets the copy follow rods: their points, one rod after the other, are its handles (so they must be as many). The
// mesh fits the rods' shape without strain (sn_rod_def.rest_points, else points). 'placement' tells how they were put
// there from the mesh's space; null: not moved at all. Works at any time, also for a world that was restored.
SN_API sn_status sn_skin_instance_bind(sn_skin_instance *instance, const sn_world *world, const sn_body *rods,
                                       int rod_count, const sn_placement *placement);

// Lets the copy follow a bundle: its cross-sections are the handles, as they were when the bundle was made. Placement
// as above.
SN_API sn_status sn_skin_instance_bind_bundle(sn_skin_instance *instance, const sn_world *world, sn_bundle bundle,
                                              const sn_placement *placement);

// Puts the handles where you say, instead of rods: count = those of the skin. They stay until told otherwise.
SN_API sn_status sn_skin_instance_set_handles(sn_skin_instance *instance, const sn_handle *handles, int count);

// The handles as they are now. Writes at most 'capacity' and returns how many there are; 0 if a rod is gone.
SN_API int sn_skin_instance_get_handles(const sn_skin_instance *instance, const sn_world *world, sn_handle *out,
                                        int capacity);

// A handle as a joint of animation files (glTF and others): x goes to position + rotation * (scale x), scale along each
// axis.
typedef struct {
    sn_vec3 position;
    sn_quat rotation;
    sn_vec3 scale;
} sn_joint_pose;

// The handles of a copy that follows rods as joints, at rest (in the mesh's space) and now; either may be null. A
// vertex is the sum of weight * now(rest^-1(x)), as linear blending here computes it. Returns how many there are; 0 if
// a rod is gone or there is none.
SN_API int sn_skin_instance_get_joints(const sn_skin_instance *instance, const sn_world *world, sn_joint_pose *rest,
                                       sn_joint_pose *now, int capacity);

// Where a copy's vertices go: for vertex i three numbers at (char *)positions + i * position_stride, normals likewise.
// Strides are in bytes, at least 3 numbers and a multiple of a number; the two may lie interleaved in one buffer.
typedef struct {
    sn_skin_instance *instance; // each at most once in a call
    sn_real *positions;
    size_t position_stride;
    sn_real *normals; // null: none
    size_t normal_stride;
} sn_skin_output;

// Computes vertices of all copies with the world's workers. The world must be the one whose rods they follow; null, if
// they all follow none: then the caller's thread does it alone. Allocates nothing. SN_ERR_STALE_ID: some rod is gone,
// nothing was written.
SN_API sn_status sn_skin_update(const sn_world *world, const sn_skin_output *outputs, int count);

#endif
