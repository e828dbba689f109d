// Turns a muscle's surface into a bundle of rods.
//
//     source                  sink        slices lie across the muscle; each rod has one point in every slice, and the
//        --|-----|-----|-----|--          points of a slice divide its area evenly
//        --|-----|-----|-----|--
#ifndef SN_BAKE_VIPERIZE_H
#define SN_BAKE_VIPERIZE_H

#include "mesh/error.h"
#include "mesh/mesh_repair.h"
#include "tets/tet_lattice.h"
#include <stdio.h>

// Where fibres begin or end.
typedef enum {
    VIPER_END_AUTO,    // where it is painted; if nowhere, an end of the longest path through the muscle
    VIPER_END_BALL,    // within a radius of a point; radius 0: a twentieth of the length
    VIPER_END_PLANE,   // where x . normal > offset
    VIPER_END_PAINTED, // where it is painted; an error if nowhere
} sn_viper_end_kind;

typedef struct {
    sn_viper_end_kind kind;
    double point[3], radius; // of the ball
    double normal[3], offset;
} sn_viper_end;

enum { VIPER_SOURCE = 1, VIPER_SINK = 2 }; // paint of a vertex
enum { VIPER_MAX_RODS = 256, VIPER_MAX_SLICES = 512 };

typedef struct {
    int rods, slices;             // 1 to VIPER_MAX_RODS, 2 to VIPER_MAX_SLICES
    sn_viper_end end[2];          // source, sink
    const unsigned char *painted; // of each vertex of the surface: 0, VIPER_SOURCE or VIPER_SINK; null: no paint
    bool planes;                  // slice by planes along a straight axis: no tetrahedra, no field
    int threads;                  // 1 to 64; does not affect the result
    void (*progress)(void *context, double fraction, const char *stage); // may be null
    void *context;
} sn_viper_options;

// 8 rods, 16 slices, automatic ends, one thread.
sn_viper_options sn_viper_options_default(void);

// A muscle as scenes use it, in the surface's units.
typedef struct {
    int rods, slices;
    double (*point)[3];        // point[rod * slices + slice]
    double *radius;            // radius[rod * slices + slice]
    double volume;             // of the surface
    double source[3], sink[3]; // centroids of the first and the last slice
    sn_mesh skin;              // positions, triangles and normals
    double *level;             // of each skin vertex: position between slices, 0 to slices - 1
    int (*section)[4];         // of each vertex: the slices that move it
    double (*weight)[4];       // sum to 1, not negative; the weighted mean of the sections is the level
} sn_viper;

void sn_viper_free(sn_viper *viper);

// How well the rods stand for the surface (viperize_quality.c), in the muscle's units.
enum { VIPER_SHARP_BEND = 70 }; // degrees
typedef struct {
    double length, radius; // the extent in its longest direction; sqrt(volume / (pi length))
    double surface_mean, surface_95,
        surface_largest; // distances of the surface from the rods; 95 % are within the second
    double span;         // part of the extent that the rods cover
    double contained;    // part of the rods' axes that is inside of the surface
    double bend;         // largest angle between two segments of a rod, degrees
    int sharp_bends;     // bends above VIPER_SHARP_BEND
    double volume;       // of the rods / of the surface
} sn_viper_quality;

// Measures a muscle against its skin. False: out of memory.
bool sn_viper_measure(const sn_viper *viper, sn_viper_quality *out);

enum { VIPER_WARNINGS = 16 };

typedef struct {
    mesh_repair_report repair;
    bool planes; // slices are planes
    char warning[VIPER_WARNINGS][256];
    int warnings;
    char ends[2][128];    // how source and sink were found
    int heads[2];         // ends of the source and of the sink: 2 for a muscle with two heads
    double spacing;       // of the tetrahedra
    int tets, pieces;     // no tetrahedra: the field is on the surface
    double length;        // along the muscle, from source to sink
    double coverage;      // volume of the rods / volume of the surface, before the radii were fitted
    double rod_length[2]; // total length of all rods: initially, and at the end
    int iterations;       // of placing and matching points
    int inside, points;   // rod points inside the surface; all rod points
    sn_viper_quality quality;
    double repair_seconds, fill_seconds, field_seconds, slice_seconds, rod_seconds, skin_seconds, quality_seconds;
} sn_viper_report;

// Turns a surface, in the state that files have it, into rods. False: 'error' says what is wrong and how to fix it.
bool sn_viperize(const sn_mesh *surface, const sn_viper_options *options, sn_viper *out, sn_viper_report *report,
                 tool_error *error);

// Volume of the rods as the engine computes it: per segment, length times cross-section at its midpoint.
double sn_viper_volume(const sn_viper *viper);

// Scales all lengths.
void sn_viper_scale(sn_viper *viper, double factor);

// Writes the rig file. Stream errors are left to the caller. 'mesh' is the surface's file name without folders.
void sn_viper_write(FILE *out, const sn_viper *viper, const char *name, const char *mesh);

#endif
