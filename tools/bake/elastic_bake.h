// From a surface to an elastic body: tetrahedra, a medial mesh, handles at its spheres and their weights.
#ifndef SN_BAKE_ELASTIC_BAKE_H
#define SN_BAKE_ELASTIC_BAKE_H

#include "kinds/elastic/elastic_asset.h"
#include "medial/medial.h"
#include "mesh/error.h"
#include "tets/tet_mesh.h"

// Which vertices are fixed to where they are.
typedef enum { ELASTIC_ANCHOR_PLANE, ELASTIC_ANCHOR_BALL, ELASTIC_ANCHOR_BOX } elastic_anchor_kind;

typedef struct {
    elastic_anchor_kind kind;
    double a[3], b[3]; // plane: where x . a > b[0]; ball: centre, and b[0] the radius; box: low and high corner
} elastic_anchor;

// "plane:y<0.1", "plane:nx,ny,nz,offset", "x,y,z,radius" or "box:x,y,z,x,y,z". False: it is none of these.
bool elastic_anchor_parse(const char *text, elastic_anchor *out);
bool elastic_anchor_contains(const elastic_anchor *anchor, const double p[3]);

typedef enum {
    ELASTIC_QUADRATIC_SPARSE, // handles with few neighbours (the paper's rule) or at anchors, that move enough of the body
    ELASTIC_QUADRATIC_NONE,
    ELASTIC_QUADRATIC_ALL, // all that move enough
} elastic_quadratic;

enum { ELASTIC_MAX_ANCHORS = 16 };

typedef struct {
    int spheres;      // of the medial mesh, at most
    int handles;      // at most so many of these are handles; 0: all
    int extra;        // spheres that are added where the body is far from all others, for round bodies; 0: none
    double spacing;   // of the tetrahedra's lattice, in the surface's units; 0: see tets
    int tets;         // about how many; 0: by the surface's thickness
    int max_weights;  // weights of a vertex, 1 to ELASTIC_MAX_WEIGHTS (8)
    int coarse;       // vertices that weights are computed with, if there are many more; 0: by the handles
    int patch, rings; // see elastic_weights.h; 0: the default
    elastic_quadratic quadratic;
    elastic_anchor anchor[ELASTIC_MAX_ANCHORS];
    int anchor_count;
    int threads;                                                         // 1 to 64; the result does not depend on it
    void (*progress)(void *context, double fraction, const char *stage); // may be null
    void *context;
} elastic_bake_options;

// 100 spheres, tetrahedra by thickness, 8 weights, one thread.
elastic_bake_options elastic_bake_default(void);

// What a body is made of. Tetrahedra and a medial mesh that are not given (null) are made from the surface; if there is
// no surface, from the boundary of the tetrahedra.
typedef struct {
    const sn_mesh *surface;
    const sn_tet_mesh *tets;
    const sn_medial_mesh *medial;
    const int *handle; // with a medial mesh: which of its spheres are handles; null: all, or as many as the options say
    int handle_count;
} elastic_source;

typedef struct {
    mesh_repair_report repair;
    medial_report medial;
    double spacing;
    int tets, vertices, pieces, dropped_tets; // pieces that share no face: the largest is kept
    double dropped_share;                     // of the volume
    double volume, surface_volume;            // of the tetrahedra; of the surface, 0: it is open
    double min_quality;
    int anchored; // vertices
    int spheres, cones, slabs;
    int handles, quadratic, columns;
    int lost_handles;    // that had no place of their own, or moved too little
    int coarse_tets;     // that weights were computed with, 0: the body's own
    int patches;         // that the weights were solved in
    double mean_weights; // of a vertex
    int outside;         // vertices of the surface that are in no tetrahedron,
    double farthest;     // and how far
    double seconds_tets, seconds_medial, seconds_weights, seconds_other;
} elastic_report;

// Bakes. Every array of the asset comes from 'memory'. False: 'why' says in a sentence what stands against it and what
// to do; the asset is then empty.
bool elastic_bake(sn_memory *memory, const elastic_source *source, const elastic_bake_options *options,
                  sn_elastic_asset *out, elastic_report *report, tool_error *error);

// A key of everything that the asset depends on: the same source and options give the same key, and others another.
uint64_t elastic_bake_key(const elastic_source *source, const elastic_bake_options *options);

#endif
