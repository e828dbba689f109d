// Skins: linear and dual-quaternion skinning of a mesh to rods. Vertices are written to your memory, for instance a mapped
// vertex buffer.
//
// A skin is created once and shared by its instances, which may follow different rods. Each vertex has up to four handles. A
// handle is an affine transform: a stretch, a rotation and a translation. Each point of a rod is a handle.
//
//     sn_skin_create            positions, normals, handles and weights of the mesh       once
//     sn_skin_instance_create   an instance of the skin                                   once per instance
//     sn_skin_instance_bind     the rods that it follows                                  once per instance
//     sn_skin_update            computes positions and normals                            every frame, all instances
//
// Nothing here changes the world.
#ifndef SINEW_SKIN_H
#define SINEW_SKIN_H

#include "bundle.h"

// The data shared by all instances. It is immutable, so several worlds and threads may share it.
typedef struct sn_skin sn_skin;

// An instance of a skin. Used by one thread at a time.
typedef struct sn_skin_instance sn_skin_instance;

// Handles per vertex. Unused ones have weight 0.
#define SN_SKIN_INFLUENCES 4

// The definition of a skin. Start from sn_skin_def_default(). Arrays are copied.
typedef struct {
    const sn_vec3 *positions; // of the mesh at rest, metres
    const sn_vec3 *normals;   // at rest, unit; or null: no normals are computed
    int vertex_count;         // 1 or more
    const uint16_t *handles;  // SN_SKIN_INFLUENCES for each vertex, each less than handle_count
    const float *weights;     // SN_SKIN_INFLUENCES for each vertex, not negative; scaled to sum to 1
    int handle_count;         // 1 to 65535
    int lanes;                // SIMD lanes: 1, 4, 8 or 16; default 0 = the machine's best. Results do not depend on it
    sn_allocator allocator;   // of the skin and its instances; default all null: malloc and free
    sn_log_fn *log;           // default null: silent
    void *log_user;           // passed to log
    uint32_t init_mark;       // set by sn_skin_def_default, always checked
} sn_skin_def;

// Returns the defaults named above.
SN_API sn_skin_def sn_skin_def_default(void);

// Creates a skin. Errors in the definition: SN_ERR_DEF and a log line for every bad field; *out is then null.
SN_API sn_status sn_skin_create(const sn_skin_def *def, sn_skin **out);

// Destroys a skin; null is ignored. SN_ERR_BUSY, and nothing is destroyed, while it has instances.
SN_API sn_status sn_skin_destroy(sn_skin *skin);

// The number of vertices and handles; 0 for null.
SN_API int sn_skin_vertex_count(const sn_skin *skin);
SN_API int sn_skin_handle_count(const sn_skin *skin);

// The transform of a handle: x -> centre + rotation * (stretch * (x - rest)).
typedef struct {
    sn_vec3 rest;       // a point of the mesh's space, at rest
    sn_vec3 centre;     // where that point is
    sn_quat rotation;   // of length 1
    sn_real stretch[6]; // a symmetric matrix in the axes of the mesh: xx yy zz xy xz yz; 1 1 1 0 0 0 at rest
} sn_handle;

// Returns a handle that rotates and scales uniformly.
SN_API sn_handle sn_handle_similarity(sn_vec3 rest, sn_vec3 centre, sn_quat rotation, sn_real scale);

// The transform from the space of the mesh to the rods at rest: x -> position + rotation * (scale * x).
typedef struct {
    sn_vec3 position;
    sn_quat rotation; // of length 1
    sn_real scale;
} sn_placement;

// How the handles of a vertex are blended.
typedef enum {
    SN_BLEND_LINEAR = 0, // matrices: fastest; loses volume where neighbouring handles are twisted strongly
    SN_BLEND_DUAL = 1,   // rotations as dual quaternions, stretches as matrices: preserves volume under twist
} sn_blend;

// Creates an instance with linear blending and all handles at the origin of the mesh, at rest.
SN_API sn_status sn_skin_instance_create(sn_skin *skin, sn_skin_instance **out);

// Destroys an instance; null is ignored.
SN_API void sn_skin_instance_destroy(sn_skin_instance *instance);

// Sets the blending of handles, from the next update on.
SN_API sn_status sn_skin_instance_set_blend(sn_skin_instance *instance, sn_blend blend);
SN_API sn_blend sn_skin_instance_blend(const sn_skin_instance *instance);

// Binds the instance to rods: their points, rod by rod, are its handles, so their number must be handle_count. The mesh fits the
// rods at rest (sn_rod_def.rest_points, else points), transformed by 'placement'; null: the identity. May be called at any
// time, also for a restored world.
SN_API sn_status sn_skin_instance_bind(sn_skin_instance *instance, const sn_world *world, const sn_body *rods,
                                       int rod_count, const sn_placement *placement);

// Binds the instance to a bundle: its cross-sections are the handles, at rest as at the bundle's creation. Placement as above.
SN_API sn_status sn_skin_instance_bind_bundle(sn_skin_instance *instance, const sn_world *world, sn_bundle bundle,
                                              const sn_placement *placement);

// Sets the handles directly, instead of by rods; count = handle_count. They persist until changed.
SN_API sn_status sn_skin_instance_set_handles(sn_skin_instance *instance, const sn_handle *handles, int count);

// Writes at most 'capacity' current handles and returns how many there are; 0 if a rod was destroyed.
SN_API int sn_skin_instance_get_handles(const sn_skin_instance *instance, const sn_world *world, sn_handle *out,
                                        int capacity);

// A handle as a joint of animation files (glTF and others): x -> position + rotation * axes * (scale (axes^-1 x)), with a scale per
// axis. 'axes' is 1 (or all zero), except of a cross-section that is flattened: files need a second node for it.
typedef struct {
    sn_vec3 position;
    sn_quat rotation;
    sn_vec3 scale;
    sn_quat axes;
} sn_joint_pose;

// The handles of an instance bound to rods as joints, at rest (in the mesh's space) and now; either may be null. A vertex is the
// sum of weight * now(rest^-1(x)), as in linear blending. Returns how many there are; 0 if a rod was destroyed or none is
// bound.
SN_API int sn_skin_instance_get_joints(const sn_skin_instance *instance, const sn_world *world, sn_joint_pose *rest,
                                       sn_joint_pose *now, int capacity);

// Output buffers of an instance: vertex i has three numbers at (char *)positions + i * position_stride, normals likewise.
// Strides are in bytes: at least 3 numbers, a multiple of one. The two may be interleaved in one buffer.
typedef struct {
    sn_skin_instance *instance; // each at most once in a call
    sn_real *positions;
    size_t position_stride;
    sn_real *normals; // null: none
    size_t normal_stride;
} sn_skin_output;

// Computes the vertices of all instances with the world's workers. The world must be that of the bound rods, or null if no
// instance is bound: then the calling thread works alone. Allocates nothing. SN_ERR_STALE_ID: a rod was destroyed; nothing
// is written.
SN_API sn_status sn_skin_update(const sn_world *world, const sn_skin_output *outputs, int count);

#endif
