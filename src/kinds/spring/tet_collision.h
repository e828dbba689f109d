// Collision of tetrahedral bodies, with penalty forces that have a consistent direction all over an overlap.
//
// The naive force pushes every point inside the other body to the nearest point of its surface. Deep inside, that is
// the far side for some points and the near side for others: they tear the body apart, or pull it through. Here the
// depth starts where the surfaces cross, and propagates inward (Heidelberger et al. 2004, as in the lecture):
//
//     1  points of P in tetrahedra of Q
//     2  edges of P through the surface of Q: the crossing, and the surface's normal there
//     3  border points (inside, on such an edge): depth and direction from their crossings
//     4  breadth-first inward: depth and direction of a point from its neighbours of previous rounds
//
//     --x-------x--   surface of Q
//       |       |
//       b---i---b     of P: b border points, i an inner one, pushed in the direction of the b
#ifndef SN_KINDS_SPRING_TET_COLLISION_H
#define SN_KINDS_SPRING_TET_COLLISION_H

#include "kinds/spring/spring_faces.h"
#include "kinds/spring/tet_hash.h"

// The data of a body that does not change with its motion.
typedef struct {
    sn_memory *memory;
    int count; // points
    int (*tets)[4];
    int tet_count;
    sn_tet_face *faces; // the boundary
    int face_count;
    int *face_of; // 4 per tetrahedron: the face opposite to each corner in 'faces', -1: inside
    int *first;   // neighbours of each point; one extra at the end
    int *neighbours;
    int neighbour_count;
} sn_tet_collider;

// The tetrahedra must have positive volumes and corners below 'count'; else SN_ERR_RANGE.
sn_status sn_tet_collider_create(sn_memory *memory, int count, const int (*tets)[4], int tet_count,
                                 sn_tet_collider **out);
void sn_tet_collider_destroy(sn_tet_collider *collider);

// Whether two tetrahedra overlap (a common point is enough): exact up to rounding in double, by the 44 axes that can
// separate them.
bool sn_tets_overlap(const sn_vec3 a[4], const sn_vec3 b[4]);

typedef struct {
    int p, q;
} sn_tet_pair;

// The result for a point of P.
typedef struct {
    int tet;           // the tetrahedron of Q that contains it, -1: outside
    int round;         // 0: border point, then the round of the breadth-first search; -1: outside, or not reached
    sn_real weight[4]; // of the corners of that tetrahedron
    sn_real depth;     // m, 0 or more
    sn_vec3 direction; // unit, out of Q
} sn_tet_sunk;

// Reusable scratch memory, and the results of the last call.
typedef struct {
    sn_memory *memory;
    sn_tet_grid grid;
    sn_tet_pair *pairs;
    int pair_count, pair_capacity;
    sn_tet_sunk *sunk; // one per point of P
    int sunk_capacity;
    int inside, border; // points
    sn_vec3 *normals;   // of Q's points
    int normal_capacity;
    int *queue;
    int queue_capacity;
} sn_tet_contacts;

void sn_tet_contacts_init(sn_tet_contacts *contacts, sn_memory *memory);
void sn_tet_contacts_free(sn_tet_contacts *contacts);

typedef enum {
    SN_TET_CONSISTENT,
    SN_TET_NAIVE, // for comparison
} sn_tet_response;

// Finds the pairs of overlapping tetrahedra; xp and xq are quads. This tells whether and where bodies overlap, even if
// no point is inside. A call of the same size as the last allocates nothing; SN_ERR_MEMORY is the only error.
sn_status sn_tet_contacts_pairs(sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_real *xp,
                                const sn_tet_collider *q, const sn_real *xq);

// Finds how deep the points of P are in Q, into 'sunk'. Allocates and fails like sn_tet_contacts_pairs.
//
// Points inside that no crossing reaches (P lies entirely inside Q) get the naive force.
sn_status sn_tet_contacts_find(sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_real *xp,
                               const sn_tet_collider *q, const sn_real *xq, sn_tet_response response);

// Adds stiffness (N/m) times depth along the direction to the forces (quads) of P's points, and the opposite to the
// corners of the tetrahedra of Q that contain them, so that the sum is 0. For forces from both bodies' points call both
// functions both ways.
void sn_tet_contacts_response(const sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_tet_collider *q,
                              sn_real stiffness, sn_real *force_p, sn_real *force_q);

#endif
