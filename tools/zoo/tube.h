// Round bodies with a rod inside: a tapered cylinder, a fusiform muscle, and an elastic band. For each the points of
// the rod that moves it and its skin: closed, with normals, and seamless texture coordinates (u around, mirrored; v
// along).
#ifndef SN_ZOO_TUBE_H
#define SN_ZOO_TUBE_H

#include "mesh/mesh.h"

typedef enum {
    ZOO_CYLINDER, // along x from the origin, with flat ends
    ZOO_MUSCLE,   // along x from the origin, fusiform, with round ends
    ZOO_BAND,     // a ring about z around the origin; length is its circumference
} zoo_tube_kind;

typedef struct {
    zoo_tube_kind kind;
    double length; // m
    double first;  // radius at the first point, and at the ends of a muscle, m
    double middle; // radius of a muscle's belly, m
    double last;   // radius at the last point, m; cylinders only
    int segments;  // of the rod, 1 to 1000; bands at least 3
    int around;    // vertices around, 3 to 1000
    int along;     // rings of vertices, 2 to 10000; bands at least 3
} zoo_tube;

// A cylinder of 1 m tapering from 0.12 to 0.06 m; a muscle of 0.3 m and 1 to 3.5 cm; the band of scenes/elastic-
// band.json.
zoo_tube zoo_tube_default(zoo_tube_kind kind);

// The rod: zoo_tube_points elements of each array. A band's rod is closed: its last point connects to the first.
int zoo_tube_points(const zoo_tube *tube);
void zoo_tube_fill(const zoo_tube *tube, double (*points)[3], double *radii);

// The skin. False: no memory, or out of range; the mesh is empty.
bool zoo_tube_skin(const zoo_tube *tube, sn_mesh *out);

#endif
