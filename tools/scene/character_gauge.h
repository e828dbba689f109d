// Measures how well a skin keeps its shape in a pose: triangles that cross, edges that are stretched or squeezed, and
// the change of volume, all beside the rest pose. What overlaps at rest is left out: an eye in its socket is no fault.
#ifndef SN_SCENE_CHARACTER_GAUGE_H
#define SN_SCENE_CHARACTER_GAUGE_H

#include "mesh/error.h"
#include "mesh/mesh.h"
#include "sinew/implicit_skin.h"

typedef struct {
    long long crossings; // pairs of triangles that do not cross at rest, beyond their shared corners
    int stretched;       // edges more than 2.5 times as long as at rest
    int squeezed;        // edges less than 0.3 times as long as at rest
    double volume;       // over that at rest, minus 1
} skin_reading;

typedef struct {
    sn_mesh mesh;        // welded; without the triangles that cross others at rest
    int *welded;         // of each vertex of the model
    int vertex_count;    // of the model
    int (*triangles)[3]; // welded, all of them
    int triangle_count;
    int (*edges)[2];
    double *lengths; // at rest
    int edge_count;
    double volume; // at rest
    double size;   // diagonal of the box at rest
} skin_gauge;

bool skin_gauge_make(const sn_implicit_asset *asset, skin_gauge *out, tool_error *error);
void skin_gauge_free(skin_gauge *gauge);

// points: of all vertices of the model. False: out of memory.
bool skin_gauge_read(skin_gauge *gauge, const sn_vec3 *points, skin_reading *out);

#endif
