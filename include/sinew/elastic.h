// Elastic bodies driven by their medial axis: hundreds of thousands of tetrahedra that move in the subspace of some handles,
// and touch everything else through the spheres that carry these (Medial Elastics, Lan et al. 2020).
//
// A model is baked once from a surface, by `sinew elastic` or from your own tetrahedra and weights, and shared by all
// its bodies in any number of worlds.
#ifndef SINEW_ELASTIC_H
#define SINEW_ELASTIC_H

#include "body.h"

// What an elastic body is made of: plain arrays. A point X of the body at rest goes to
//
//     x = a X + sum_j w_j(X) T_j(X - c_j),      a = 1 - sum_j w_j(X)
//
// where c_j is the centre of handle j's sphere at rest and T_j an affine map (4 columns: 1, x, y, z) or a quadratic one
// (10 columns: and x^2, y^2, z^2, xy, yz, zx). Weights add up to 1, so that a body can move rigidly; only where
// something is anchored do they add up to less: a is what is left, the share of the place that does not move.
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
    int *handle_sphere;              // at which sphere it is
    unsigned char *handle_quadratic; // 1: 10 columns, 0: 4

    // Weights, local: those of vertex v are at first[v] .. first[v + 1] - 1, each handle at most once. The arrays have
    // first[vertex_count] and sphere_first[sphere_count] entries. The spheres' say where their centres go.
    int *first, *handle; // first: vertex_count + 1
    sn_real *weight;
    int *sphere_first, *sphere_handle; // sphere_first: sphere_count + 1
    sn_real *sphere_weight;
    unsigned char *anchored; // by vertex: 1 stays where it is and has no weights; or null: none does

    // What is drawn, or null: a finer surface, each point in a tetrahedron (its corners, barycentric weights).
    int drawn_count;
    int (*drawn_corner)[4];
    sn_real (*drawn_weight)[4];
    int drawn_triangle_count;
    int (*drawn_triangles)[3];
} sn_elastic_asset;

// A model: an asset that was checked and copied. Opaque; never changes once made, so several worlds and threads may use
// it.
typedef struct sn_elastic_model sn_elastic_model;

// How a model is made. Start from sn_elastic_model_def_default(). Arrays are copied.
typedef struct {
    const sn_elastic_asset *asset;
    sn_allocator allocator; // of the model; default all null: malloc and free
    sn_log_fn *log;         // default null: silent
    void *log_user;         // handed to log
    uint32_t init_mark;     // set by sn_elastic_model_def_default, always checked
} sn_elastic_model_def;

// The defaults named above.
SN_API sn_elastic_model_def sn_elastic_model_def_default(void);

// Makes a model. SN_ERR_DEF: a log line says which field of the asset is wrong and how; *out is then null.
SN_API sn_status sn_elastic_model_create(const sn_elastic_model_def *def, sn_elastic_model **out);

// Frees a model; null is fine. SN_ERR_BUSY, and nothing is done, while bodies are made of it.
SN_API sn_status sn_elastic_model_destroy(sn_elastic_model *model);

// Its arrays; null for null.
SN_API const sn_elastic_asset *sn_elastic_model_asset(const sn_elastic_model *model);

// What the energy of a deformation is (docs/elastic.md). All are Hooke's law of the same Young's modulus and Poisson's
// ratio where strains are small, and differ where they are large.
typedef enum {
    SN_LAW_PROJECTIVE = 0,    // distances to the nearest rotation and the nearest shape of the same volume
    SN_LAW_COROTATIONAL = 1,  // linear in the stretches, whatever the turn
    SN_LAW_STVK = 2,          // Saint Venant-Kirchhoff: hardens when stretched, gives way when squeezed to a half
    SN_LAW_NEO_HOOKEAN = 3,   // rubber
    SN_LAW_MOONEY_RIVLIN = 4, // rubber that softens a little when stretched
    SN_LAW_ARRUDA_BOYCE = 5,  // rubber whose chains lock
    SN_LAW_COUNT = 6,
} sn_elastic_law;

// The name of a law, such as "neo-hookean", or null outside the list.
SN_API const char *sn_elastic_law_name(sn_elastic_law law);

// How an elastic body is made. Start from sn_elastic_def_default().
typedef struct {
    sn_elastic_model *model; // kept in use until the body is destroyed
    sn_vec3 position;        // the model's rest positions are turned, then moved there; m
    sn_quat rotation;        //
    sn_vec3 velocity;        // m/s
    sn_vec3 spin;            // rad/s, about the model's origin
    sn_real young;           // Pa; default 1e5
    sn_real poisson;         // 0 to 0.499; default 0.4
    sn_real density;         // kg/m^3; default 1000
    sn_real damping;         // velocities fade by exp(-damping t), 1/s; default 0.5
    sn_elastic_law law;      // default SN_LAW_PROJECTIVE
    sn_real mooney;          // of Mooney-Rivlin: c10 / (c10 + c01), 0.01 to 1; default 0.8
    sn_real lock;            // of Arruda-Boyce: the stretch at which chains lock, 1.1 to 100; default 3
    int iterations;          // local-global iterations a substep, 1 to 1000; default 6; turns with contacts share them
    sn_surface surface;      // friction and the like; default sn_surface_default()
    bool collide;            // with other bodies and shapes; default true
    bool self_collide;       // parts that are apart at rest; default false
    uint32_t family;         // elastic bodies of the same family do not touch each other; default 0 = none
    uint64_t label;          // yours; reported when the body diverges
    uint32_t init_mark;      // set by sn_elastic_def_default, always checked
} sn_elastic_def;

// The defaults named above.
SN_API sn_elastic_def sn_elastic_def_default(void);

// Makes a body. Mistakes: SN_ERR_DEF and a log line for every bad field, naming it; the id is then null. The first body of
// a model in a world prepares its subspace, which takes a while; so does the first step with a new length of substeps.
SN_API sn_status sn_elastic_create(sn_world *world, const sn_elastic_def *def, sn_body *out);

// Its model; null if the handle is stale.
SN_API const sn_elastic_model *sn_elastic_get_model(const sn_world *world, sn_body elastic);

// Readers. They write at most 'capacity' elements and return how many there are, 0 if the id is stale: the vertices of
// the tetrahedra; the points of the surface that is drawn (the model's drawn_triangles lead from one to the other; if it
// has none, the vertices again, and triangles); the medial spheres.
SN_API int sn_elastic_get_vertices(const sn_world *world, sn_body elastic, sn_vec3 *out, int capacity); // m
SN_API int sn_elastic_get_drawn(const sn_world *world, sn_body elastic, sn_vec3 *out, int capacity);    // m
SN_API int sn_elastic_get_radii(const sn_world *world, sn_body elastic, sn_real *out, int capacity);    // m

// Where anchored vertices are to be held at the end of the next step: rest positions turned, then moved; substeps move
// them there evenly. SN_ERR_RANGE if nothing is anchored.
SN_API sn_status sn_elastic_move_anchors(sn_world *world, sn_body elastic, sn_vec3 position, sn_quat rotation);
SN_API sn_status sn_elastic_get_anchor_target(const sn_world *world, sn_body elastic, sn_vec3 *position,
                                              sn_quat *rotation);

// An external force on a vertex, N; it stays until changed.
SN_API sn_status sn_elastic_set_force(sn_world *world, sn_body elastic, int vertex, sn_vec3 force);
SN_API sn_status sn_elastic_get_force(const sn_world *world, sn_body elastic, int vertex, sn_vec3 *out);

#endif
