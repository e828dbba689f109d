// From a muscle's surface to a bundle of rods.
//
//     source                  sink        slices lie across the muscle; each rod has a point in every slice, and the
//        --|-----|-----|-----|--          points of a slice share out its area
//        --|-----|-----|-----|--
#ifndef SN_BAKE_VIPERIZE_H
#define SN_BAKE_VIPERIZE_H

#include "mesh/error.h"
#include "mesh/mesh_repair.h"
#include "tets/tet_lattice.h"
#include <stdio.h>

// Where fibres begin or end.
typedef enum {
    VIPER_END_AUTO,    // where it is painted; if nowhere, an end of the longest way through the muscle
    VIPER_END_BALL,    // within a radius of a point; radius 0: a twentieth of the length
    VIPER_END_PLANE,   // where x . normal > offset
    VIPER_END_PAINTED, // where it is painted, or it is a mistake
} sn_viper_end_kind;

typedef struct {
    sn_viper_end_kind kind;
    double point[3], radius; // of a ball
    double normal[3], offset;
} sn_viper_end;

enum { VIPER_SOURCE = 1, VIPER_SINK = 2 }; // what a vertex is painted with
enum { VIPER_MAX_RODS = 256, VIPER_MAX_SLICES = 512 };

typedef struct {
    int rods, slices;             // 1 to VIPER_MAX_RODS, 2 to VIPER_MAX_SLICES
    sn_viper_end end[2];          // source, sink
    const unsigned char *painted; // of each vertex of the surface: 0, VIPER_SOURCE or VIPER_SINK; null: none
    bool planes;                  // cut by planes along a straight axis: no tetrahedra, no field
    int threads;                  // 1 to 64; the result does not depend on it
    void (*progress)(void *context, double fraction, const char *stage); // may be null
    void *context;
} sn_viper_options;

// 8 rods, 16 slices, ends found, one thread.
sn_viper_options sn_viper_options_default(void);

// A muscle as scenes have it, in the surface's units.
typedef struct {
    int rods, slices;
    double (*point)[3];        // point[rod * slices + slice]
    double *radius;            // of each slice
    double volume;             // of the surface
    double source[3], sink[3]; // middles of the first and the last slice
    sn_mesh skin;              // positions, triangles and normals
    double *level;             // of each vertex of the skin: between which slices it is, 0 to slices - 1
    int (*section)[4];         // of each vertex: slices it hangs on
    double (*weight)[4];       // add up to 1, none is negative, and the mean of the sections is the level
} sn_viper;

void sn_viper_free(sn_viper *viper);

enum { VIPER_WARNINGS = 12 };

typedef struct {
    mesh_repair_report repair;
    bool planes; // the way that was taken
    char warning[VIPER_WARNINGS][256];
    int warnings;
    char ends[2][128]; // how source and sink were found
    double spacing;    // of the tetrahedra
    int tets, pieces;
    double length;        // along the muscle, from the source to the sink
    double coverage;      // of the volume by the rods before their radii were fitted to it
    double rod_length[2]; // length of all rods: with the points as placed at first, and at last
    int iterations;       // of placing and combing
    int inside, points;   // points of rods inside of the surface, and all
    double repair_seconds, fill_seconds, field_seconds, slice_seconds, rod_seconds, skin_seconds;
} sn_viper_report;

// Makes the rods of a surface as files bring it. False: 'why' says in a sentence what stands against it and what to do.
bool sn_viperize(const sn_mesh *surface, const sn_viper_options *options, sn_viper *out, sn_viper_report *report,
                 tool_error *error);

// Volume of the rods, as the engine counts it: of each segment its length times its cross-section in the middle.
double sn_viper_volume(const sn_viper *viper);

// Multiplies every length.
void sn_viper_scale(sn_viper *viper, double factor);

// Writes the rig file; errors are the stream's. 'mesh' is the file that the surface was read from, without folders.
void sn_viper_write(FILE *out, const sn_viper *viper, const char *name, const char *mesh);

#endif
