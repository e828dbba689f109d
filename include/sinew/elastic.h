// Elastic bodies: tetrahedral meshes that deform in a reduced space of handles on their medial axis, and collide through the
// medial spheres (Medial Elastics, Lan et al. 2020).
//
// A model is created once, from a file baked by `sinew elastic` or from your own tetrahedra and weights, and shared by all its
// bodies in any number of worlds.
#ifndef SINEW_ELASTIC_H
#define SINEW_ELASTIC_H

#include "body.h"

// The data of an elastic model. A point X of the body at rest moves to
//
//     x = a X + sum_j w_j(X) T_j(X - c_j),      a = 1 - sum_j w_j(X)
//
// where c_j is the centre of handle j's sphere at rest and T_j an affine map (4 columns: 1, x, y, z) or a quadratic one
// (10 columns: also x^2, y^2, z^2, xy, yz, zx). The weights of a point sum to 1, so the body can move rigidly; near anchored
// vertices they sum to less, and a is the weight of the fixed rest position.
typedef struct {
    int vertex_count;
    sn_vec3 *rest; // of the tetrahedra, m
    int tet_count;
    int (*tets)[4]; // (b - a) x (c - a) . (d - a) > 0
    int triangle_count;
    int (*triangles)[3]; // the boundary of the tetrahedra, counterclockwise from outside

    int sphere_count; // the medial mesh at rest
    sn_vec3 *centre;
    sn_real *radius;
    int cone_count;
    int (*cones)[2];
    int slab_count;
    int (*slabs)[3];

    int handle_count;
    int *handle_sphere;              // index of its sphere, each another
    unsigned char *handle_quadratic; // 1: 10 columns, 0: 4

    // Sparse weights: those of vertex v are at first[v] .. first[v + 1] - 1, each handle at most once, none larger than 10. The arrays have
    // first[vertex_count] and sphere_first[sphere_count] entries. The sphere_* arrays are the weights of the sphere centres.
    int *first, *handle; // first: vertex_count + 1
    sn_real *weight;
    int *sphere_first, *sphere_handle; // sphere_first: sphere_count + 1
    sn_real *sphere_weight;
    unsigned char *anchored; // by vertex: 1 is fixed and has no weights; or null: none is

    // A finer surface to draw, or null: each point has four vertices and their barycentric weights.
    int drawn_count;
    int (*drawn_corner)[4];
    sn_real (*drawn_weight)[4];
    int drawn_triangle_count;
    int (*drawn_triangles)[3];
} sn_elastic_asset;

// A model: a checked copy of an asset. It is immutable, so several worlds and threads may share it.
typedef struct sn_elastic_model sn_elastic_model;

// The definition of a model. Start from sn_elastic_model_def_default(). Arrays are copied.
typedef struct {
    const sn_elastic_asset *asset;
    sn_allocator allocator; // of the model; default all null: malloc and free
    sn_log_fn *log;         // default null: silent
    void *log_user;         // passed to log
    uint32_t init_mark;     // set by sn_elastic_model_def_default, always checked
} sn_elastic_model_def;

// Returns the defaults named above.
SN_API sn_elastic_model_def sn_elastic_model_def_default(void);

// Creates a model. Errors in the asset: SN_ERR_DEF and a log line that names the bad field; *out is then null.
SN_API sn_status sn_elastic_model_create(const sn_elastic_model_def *def, sn_elastic_model **out);

// Destroys a model; null is ignored. SN_ERR_BUSY, and nothing is destroyed, while bodies use it.
SN_API sn_status sn_elastic_model_destroy(sn_elastic_model *model);

// Returns the model's asset; null for null.
SN_API const sn_elastic_asset *sn_elastic_model_asset(const sn_elastic_model *model);

// Material laws (docs/elastic.md). For small strains all agree with Hooke's law of the same Young's modulus and Poisson's
// ratio; they differ for large ones.
typedef enum {
    SN_LAW_PROJECTIVE = 0,    // squared distances to the nearest rotation and the nearest volume-preserving map
    SN_LAW_COROTATIONAL = 1,  // linear in the stretches, independent of rotation
    SN_LAW_STVK = 2,          // Saint Venant-Kirchhoff: hardens in tension, collapses when compressed to about a half
    SN_LAW_NEO_HOOKEAN = 3,   // rubber
    SN_LAW_MOONEY_RIVLIN = 4, // rubber that softens a little when stretched
    SN_LAW_ARRUDA_BOYCE = 5,  // rubber with a limiting stretch
    SN_LAW_COUNT = 6,
} sn_elastic_law;

// Returns the name of a law, such as "neo-hookean"; null outside the list.
SN_API const char *sn_elastic_law_name(sn_elastic_law law);

// The definition of an elastic body. Start from sn_elastic_def_default().
typedef struct {
    sn_elastic_model *model; // must outlive the body
    sn_vec3 position;        // pose of the model's rest positions in the world, m
    sn_quat rotation;        //
    sn_vec3 velocity;        // m/s
    sn_vec3 spin;            // rad/s, about the model's origin
    sn_real young;           // Pa; default 1e5
    sn_real poisson;         // 0 to 0.499; default 0.4
    sn_real density;         // kg/m^3; default 1000
    sn_real damping;         // velocities decay as exp(-damping t), 1/s; default 0.5
    sn_elastic_law law;      // default SN_LAW_PROJECTIVE
    sn_real mooney;          // of Mooney-Rivlin: c10 / (c10 + c01), 0.01 to 1; default 0.8
    sn_real lock;            // of Arruda-Boyce: the stretch at which chains lock, 1.1 to 100; default 3
    int iterations;          // local-global iterations per substep, shared by the contact passes, 1 to 1000; default 6
    sn_surface surface;      // default sn_surface_default()
    bool collide;            // with other bodies; default true
    bool self_collide;       // with its own parts that are separate at rest; default false
    uint32_t family;         // elastic bodies of the same family do not collide with each other; default 0 = none
    uint64_t label;          // yours; reported when the body diverges
    uint32_t init_mark;      // set by sn_elastic_def_default, always checked
} sn_elastic_def;

// Returns the defaults named above.
SN_API sn_elastic_def sn_elastic_def_default(void);

// Creates a body. Errors in the definition: SN_ERR_DEF and a log line for every bad field; *out is then null. The first body
// of a model in a world prepares its subspace, which takes a while; so does the first step with a new substep length.
SN_API sn_status sn_elastic_create(sn_world *world, const sn_elastic_def *def, sn_body *out);

// Returns the body's model; null if the handle is stale.
SN_API const sn_elastic_model *sn_elastic_get_model(const sn_world *world, sn_body elastic);

// Getters for the vertices of the tetrahedra, the points of the drawn surface (for the model's drawn_triangles; without a drawn
// surface the vertices, for its triangles), and the radii of the medial spheres. They write at most 'capacity' elements and
// return how many there are; 0 if the handle is stale.
SN_API int sn_elastic_get_vertices(const sn_world *world, sn_body elastic, sn_vec3 *out, int capacity); // m
SN_API int sn_elastic_get_drawn(const sn_world *world, sn_body elastic, sn_vec3 *out, int capacity);    // m
SN_API int sn_elastic_get_radii(const sn_world *world, sn_body elastic, sn_real *out, int capacity);    // m

// Sets the pose of the anchored vertices at the end of the next step; substeps move them there evenly. SN_ERR_RANGE if the
// model has no anchored vertices.
SN_API sn_status sn_elastic_move_anchors(sn_world *world, sn_body elastic, sn_vec3 position, sn_quat rotation);
SN_API sn_status sn_elastic_get_anchor_target(const sn_world *world, sn_body elastic, sn_vec3 *position,
                                              sn_quat *rotation);

// Sets the external force on a vertex, N; it persists until changed.
SN_API sn_status sn_elastic_set_force(sn_world *world, sn_body elastic, int vertex, sn_vec3 force);
SN_API sn_status sn_elastic_get_force(const sn_world *world, sn_body elastic, int vertex, sn_vec3 *out);

#endif
