// Baking: surfaces turned into what libsinew simulates. Baking takes seconds to minutes; assets are baked once, written
// (asset.h), and loaded by programs without the tools (sinew/asset.h).
#ifndef SINEW_TOOLS_BAKE_H
#define SINEW_TOOLS_BAKE_H

#include "../elastic.h"
#include "../implicit_skin.h"
#include "asset.h"
#include "mesh.h"

// Where the fibres of a muscle begin or end.
typedef enum {
    SN_MUSCLE_END_AUTO = 0,  // an end of the longest path through the muscle
    SN_MUSCLE_END_BALL = 1,  // within a radius of a point
    SN_MUSCLE_END_PLANE = 2, // where x . normal > offset
} sn_muscle_end_kind;

// An end of a muscle, in metres.
typedef struct {
    sn_muscle_end_kind kind;
    double point[3], radius; // of the ball; radius 0: a twentieth of the length
    double normal[3], offset;
} sn_muscle_end;

// How a muscle is baked. Start from sn_muscle_bake_def_default().
typedef struct {
    int rods;             // 1 to 256; default 8
    int slices;           // points per rod, 2 to 512; default 16
    sn_muscle_end source; // default SN_MUSCLE_END_AUTO
    sn_muscle_end sink;   // default SN_MUSCLE_END_AUTO
    bool planes;          // slice by planes along a straight axis, for surfaces that cannot be filled; default false
    int threads;          // 1 to 64; default 1. Does not affect the result
    sn_progress_fn *progress; // default null
    void *progress_user;      // passed to progress
    uint32_t init_mark;       // set by sn_muscle_bake_def_default, always checked
} sn_muscle_bake_def;

// The defaults named above.
SN_API sn_muscle_bake_def sn_muscle_bake_def_default(void);

// Turns the surface of a muscle into a bundle of rods with the same volume and a skin on its cross-sections. 'name' is
// written into the rig. The surface is repaired first.
SN_API sn_status sn_muscle_rig_bake(const sn_mesh *surface, const char *name, const sn_muscle_bake_def *def,
                                    sn_muscle_rig **out, sn_error *error);

// How an elastic body is baked. Start from sn_elastic_bake_def_default().
typedef struct {
    int spheres;                // maximum number of medial spheres; default 100
    int handles;                // maximum number of handles among them; default 0 = all
    int tets;                   // approximate number of tetrahedra; default 0 = from the thickness
    double spacing;             // of the tetrahedral lattice, m; default 0: see tets
    const char *const *anchors; // regions whose vertices are fixed: "plane:y<0.1", "plane:nx,ny,nz,offset",
                                // "x,y,z,radius" or "box:x,y,z,x,y,z"; default null
    int anchor_count;           // at most 16
    int threads;                // 1 to 64; default 1. Does not affect the result
    sn_progress_fn *progress;   // default null
    void *progress_user;        // passed to progress
    uint32_t init_mark;         // set by sn_elastic_bake_def_default, always checked
} sn_elastic_bake_def;

// The defaults named above.
SN_API sn_elastic_bake_def sn_elastic_bake_def_default(void);

// Turns a surface into the model of elastic bodies: tetrahedra, a medial mesh, handles at its spheres, and their weights.
SN_API sn_status sn_elastic_model_bake(const sn_mesh *surface, const sn_elastic_bake_def *def, sn_elastic_model **out,
                                       sn_error *error);

// Turns the skinned mesh of a glTF file into the model of implicit skins: fields fitted to the skin around each bone.
// 'scale' is metres per unit of the file, 1 as a rule. 'log' (may be null) receives warnings about the mesh.
SN_API sn_status sn_implicit_model_bake(const char *path, double scale, sn_log_fn *log, void *log_user,
                                        sn_implicit_model **out, sn_error *error);

#endif
