// Bodies whose surface goes anywhere: cloth and solids of springs, and whatever else moves as points rather than as
// rods. Recordings, frames and files ask them through a table, one row for each kind; a new kind is a row.
//
// What is drawn of a body is a list of vertices. Each is one of the body's points, or lies between four of them (a fine
// surface carried by coarse tetrahedra). Bodies without triangles are drawn as pills along their lines: see
// surface_chain.
#ifndef SN_VIEW_SURFACES_H
#define SN_VIEW_SURFACES_H

#include "sinew/sinew.h"

// Points around an implicit muscle's axis, of its drawn surface.
enum { LIVE_AROUND = 10 };

// A body of some kind.
typedef struct {
    uint32_t kind; // row of the table
    uint32_t slot1, gen;
} surface_body;

// Readers write at most 'capacity' and return how many there are, 0 if the body is gone. lines, masses, push, made and
// set may be null: it has no lines, cannot be pulled, and has nothing to set.
typedef struct {
    const char *name;
    int (*count)(const sn_world *world);
    surface_body (*at)(const sn_world *world, int i); // kind is filled in by surface_at
    uint64_t (*label)(const sn_world *world, surface_body body);
    int (*points)(const sn_world *world, surface_body body, sn_vec3 *out, int capacity);
    int (*velocities)(const sn_world *world, surface_body body, sn_vec3 *out, int capacity);
    int (*masses)(const sn_world *world, surface_body body, sn_real *out, int capacity);
    int (*triangles)(const sn_world *world, surface_body body, int32_t (*out)[3], int capacity);
    int (*lines)(const sn_world *world, surface_body body, int32_t (*out)[2], int capacity);
    sn_real (*radius)(const sn_world *world, surface_body body); // half the thickness
    bool (*solid)(const sn_world *world, surface_body body);     // it has a volume
    double (*volume)(const sn_world *world, surface_body body);
    double (*rest_volume)(const sn_world *world, surface_body body);
    sn_status (*push)(sn_world *world, surface_body body, int point, sn_vec3 impulse); // N s
    // What it is made of, to be freed (null: no memory), and that times factors.
    void *(*made)(const sn_world *world, surface_body body);
    void (*set)(sn_world *world, surface_body body, const void *made, float stiffness, float friction);
} surface_kind;

extern const surface_kind surface_kinds[]; // ends with a null name

// The row of a body; null: there is no such kind.
const surface_kind *surface_kind_of(surface_body body);

// All bodies of all kinds, in order of kinds.
int surface_count(const sn_world *world);
surface_body surface_at(const sn_world *world, int i);

// A vertex between four points.
typedef struct {
    int32_t corner[4];
    float weight[4];
} surface_place;

// What is drawn of a body. One of the two lists; neither: vertices are the body's points.
typedef struct {
    surface_body body;
    int vertex_count;
    const int32_t *points;       // of each vertex
    const surface_place *places; //
} live_surface;

// The vertices as they are now. False: no memory, or the body is gone or has not such points; out is then as it was.
bool surface_read(const sn_world *world, const live_surface *surface, float (*out)[3]);

// Whether all numbers of points are those of the body's.
bool surface_fits(const sn_world *world, const live_surface *surface);

// The points that triangles use, in order of their numbers, and the triangles by the number of their corners in that
// list; both to be freed. Returns how many points, 0: it has no triangles; -1: no memory.
int surface_outline(const sn_world *world, surface_body body, int32_t **points, int32_t (**triangles)[3],
                    int *triangle_count);

// A body without triangles as pills between joints: pill k reaches from joint k to joint parents[k], if that is not -1.
// A joint is a point of the body; where more than one line goes down from a point it has further joints there. Both
// lists are to be freed. Returns how many joints, 0: there are no lines; -1: no memory.
int surface_chain(const sn_world *world, surface_body body, int32_t **points, int32_t **parents);

#endif
