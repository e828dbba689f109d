// Bakes a surface into an elastic body: tetrahedra, a medial mesh, handles at its spheres, and their weights.
#ifndef SN_BAKE_ELASTIC_BAKE_H
#define SN_BAKE_ELASTIC_BAKE_H

#include "kinds/elastic/elastic_asset.h"
#include "medial/medial.h"
#include "mesh/error.h"
#include "tets/tet_mesh.h"

// A region whose vertices are fixed.
typedef enum { ELASTIC_ANCHOR_PLANE, ELASTIC_ANCHOR_BALL, ELASTIC_ANCHOR_BOX } elastic_anchor_kind;

typedef struct {
    elastic_anchor_kind kind;
    double a[3], b[3]; // plane: x . a > b[0]; ball: centre a, radius b[0]; box: min corner a, max corner b
} elastic_anchor;

// Parses "plane:y<0.1", "plane:nx,ny,nz,offset", "x,y,z,radius" or "box:x,y,z,x,y,z". False: none of these.
bool elastic_anchor_parse(const char *text, elastic_anchor *out);
bool elastic_anchor_contains(const elastic_anchor *anchor, const double p[3]);

typedef enum {
    ELASTIC_QUADRATIC_SPARSE, // few neighbours (the paper's rule) or near anchors, if they move enough of the body
    ELASTIC_QUADRATIC_NONE,
    ELASTIC_QUADRATIC_ALL, // all handles that move enough of the body
} elastic_quadratic;

enum { ELASTIC_MAX_ANCHORS = 16 };

typedef struct {
    int spheres;      // maximum number of medial spheres
    int handles;      // maximum number of handles among them; 0: all
    int extra;        // spheres added where the body is far from all others, for round bodies; 0: none
    double spacing;   // of the tetrahedral lattice, in the surface's units; 0: see tets
    int tets;         // approximate number of tetrahedra; 0: from the surface's thickness
    int max_weights;  // per vertex, 1 to ELASTIC_MAX_WEIGHTS (8)
    int coarse;       // number of vertices for computing weights if there are many more; 0: from the number of handles
    int patch, rings; // see elastic_weights.h; 0: default
    elastic_quadratic quadratic;
    elastic_anchor anchor[ELASTIC_MAX_ANCHORS];
    int anchor_count;
    int threads;                                                         // 1 to 64; does not affect the result
    void (*progress)(void *context, double fraction, const char *stage); // may be null
    void *context;
} elastic_bake_options;

// 100 spheres, tetrahedra from the thickness, 8 weights, one thread.
elastic_bake_options elastic_bake_default(void);

// The input. Missing (null) tetrahedra or medial mesh are built from the surface; a missing surface is the boundary of
// the tetrahedra.
typedef struct {
    const sn_mesh *surface;
    const sn_tet_mesh *tets;
    const sn_medial_mesh *medial;
    const int
        *handle; // optional, with a medial mesh: which of its spheres are handles; null: all, or as the options say
    int handle_count;
} elastic_source;

typedef struct {
    mesh_repair_report repair;
    medial_report medial;
    double spacing;
    int tets, vertices, pieces, dropped_tets; // pieces that share no face; the largest is kept
    double dropped_share;                     // of the volume
    double volume, surface_volume;            // of the tetrahedra; of the surface, 0 if it is open
    double min_quality;
    int anchored; // number of vertices
    int spheres, cones, slabs;
    int handles, quadratic, columns;
    int lost_handles;    // dropped: too close to another handle, or moved too little
    int coarse_tets;     // used for computing weights; 0: the body's own mesh
    int patches;         // that the weights were solved in
    double mean_weights; // per vertex
    int outside;         // vertices of the surface outside all tetrahedra
    double farthest;     // their largest distance to the tetrahedra
    double seconds_tets, seconds_medial, seconds_weights, seconds_other;
} elastic_report;

// Bakes. All arrays of the asset are allocated from 'memory'. False: 'error' says what is wrong and how to fix it; the
// asset is empty.
bool elastic_bake(sn_memory *memory, const elastic_source *source, const elastic_bake_options *options,
                  sn_elastic_asset *out, elastic_report *report, tool_error *error);

// Hash of everything the asset depends on: equal sources and options give equal keys.
uint64_t elastic_bake_key(const elastic_source *source, const elastic_bake_options *options);

#endif
