// Collision of bodies made of tetrahedra, by penalty forces that point the same way all over an overlap.
//
// The naive force pushes every point that is in the other body to the nearest place on its surface. Deep inside that is
// the far side for some points and the near side for others: they pull the body apart, or through. Here the depth
// starts where the surfaces cross, and goes inward from there (Heidelberger et al. 2004, as in the lecture):
//
//     1  points of P within tetrahedra of Q
//     2  edges of P through the surface of Q: where, and the surface's normal there
//     3  border points (inside, on such an edge): depth and direction from their crossings
//     4  breadth-first inward: a point takes its depth and direction from its neighbours of the rounds before
//
//     --x-------x--   surface of Q
//       |       |
//       b---i---b     of P: b border points, i an inner one, pushed the way of the b
#ifndef SN_KINDS_SPRING_TET_COLLISION_H
#define SN_KINDS_SPRING_TET_COLLISION_H

#include "kinds/spring/spring_faces.h"
#include "kinds/spring/tet_hash.h"

// What of a body stays when it moves.
typedef struct {
    sn_memory *memory;
    int count; // points
    int (*tets)[4];
    int tet_count;
    sn_tet_face *faces; // the boundary
    int face_count;
    int *face_of; // 4 a tetrahedron: the face opposite to each corner among 'faces', -1: inside
    int *first;   // neighbours of each point; one more at the end
    int *neighbours;
    int neighbour_count;
} sn_tet_collider;

// The tetrahedra have positive volumes and corners below 'count'. SN_ERR_RANGE where they have not.
sn_status sn_tet_collider_create(sn_memory *memory, int count, const int (*tets)[4], int tet_count,
                                 sn_tet_collider **out);
void sn_tet_collider_destroy(sn_tet_collider *collider);

// Whether two tetrahedra have a point in common (touching counts): exact but for rounding in double, by the 44 axes
// that can separate them.
bool sn_tets_overlap(const sn_vec3 a[4], const sn_vec3 b[4]);

typedef struct {
    int p, q;
} sn_tet_pair;

// What was found of a point of P.
typedef struct {
    int tet;           // of Q that holds it, -1: outside
    int round;         // 0: border point, then by the breadth-first search; -1: outside, or not reached
    sn_real weight[4]; // of the corners of that tetrahedron
    sn_real depth;     // m, 0 or more
    sn_vec3 direction; // unit: the way out of Q
} sn_tet_sunk;

// Work space, to be used again; and the answers of the last call.
typedef struct {
    sn_memory *memory;
    sn_tet_grid grid;
    sn_tet_pair *pairs;
    int pair_count, pair_capacity;
    sn_tet_sunk *sunk; // one a point of P
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
    SN_TET_NAIVE, // to compare with
} sn_tet_response;

// Finds the pairs of tetrahedra that meet; xp and xq are quads. This tells whether and where bodies touch, also where
// no point is inside. A call like the last one allocates nothing; SN_ERR_MEMORY is the only way to fail.
sn_status sn_tet_contacts_pairs(sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_real *xp,
                                const sn_tet_collider *q, const sn_real *xq);

// Finds how deep the points of P are in Q, into 'sunk'. Allocates and fails like sn_tet_contacts_pairs.
//
// Points that are inside but that no crossing can be reached from (P lies wholly within Q) are pushed the naive way.
sn_status sn_tet_contacts_find(sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_real *xp,
                               const sn_tet_collider *q, const sn_real *xq, sn_tet_response response);

// Adds stiffness (N/m) times depth along the direction to the forces (quads) of P's points, and the opposite to the
// corners of the tetrahedra of Q that hold them: the sum of all is 0. For forces on both bodies' points find and push
// both ways.
void sn_tet_contacts_response(const sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_tet_collider *q,
                              sn_real stiffness, sn_real *force_p, sn_real *force_q);

#endif
