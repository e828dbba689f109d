// What bodies are made of: nets of points and springs, for chains, cloth, surfaces with shells, and volumes. Makers add
// to a net, so one body may have several parts; sn_spring_net_def turns it into a definition of a body.
#ifndef SN_SPRING_TOPOLOGY_H
#define SN_SPRING_TOPOLOGY_H

#include "spring/body.h"

typedef struct {
    sn_real stiffness, damping;
} sn_spring_feel;

typedef struct {
    sn_memory *memory;
    sn_vec3 *points;
    sn_real *masses;
    int count, point_room, mass_room;
    sn_spring *springs;
    int spring_count, spring_room;
    int (*tets)[4]; // where volume was asked for
    int tet_count, tet_room;
} sn_spring_net;

void sn_spring_net_init(sn_spring_net *net, sn_memory *memory);
void sn_spring_net_free(sn_spring_net *net);
// The definition of a body made of it, valid as long as the net is not changed.
sn_spring_def sn_spring_net_def(const sn_spring_net *net);

// One point, one spring (its rest length is the distance). -1, false: no memory.
int sn_spring_net_point(sn_spring_net *net, sn_vec3 point, sn_real mass);
bool sn_spring_net_spring(sn_spring_net *net, int a, int b, sn_spring_feel feel);

// All makers return the number of their first point, -1: no memory (they fail in no other way: arguments
// are the caller's to check). Points are in the order given. A stiffness of 0 leaves those springs out.

// count >= 2 points from one place to another, the mass shared so that ends have half as much as others.
int sn_spring_chain(sn_spring_net *net, sn_vec3 from, sn_vec3 to, int count, sn_real mass, sn_spring_feel feel);

// columns x rows points in a parallelogram, row after row. Structural springs join neighbours, shear springs cross each
// cell, bend springs reach over one point:
//
//     structural  o---o        shear  o . . o      bend  o---o---o
//                 |   |               .  X  .            `-------'
//                 o---o               o . . o
typedef struct {
    sn_vec3 corner, across, down; // a corner, and the two sides from there, m
    int columns, rows;            // 2 or more each
    sn_real mass;                 // of all
    sn_spring_feel structural, shear, bend;
} sn_spring_cloth;
int sn_spring_make_cloth(sn_spring_net *net, const sn_spring_cloth *cloth);

// Any triangle mesh as cloth: springs on edges, and bend springs between the corners on either side of an edge (they
// resist shear too), unless those two are joined already. With 'shells' more than 0 the surface gets virtual shells:
// copies at 'spacing' along the vertex normals (negative: inside), each with its own edges, each joined to the one
// before by a spring from point to copy and by two diagonal springs an edge. They give a surface a thickness, so that
// it keeps its shape.
//
//     o-------o       surface
//     | .   . |
//     |   X   |       straight and diagonal springs
//     | .   . |
//     o-------o       shell
typedef struct {
    const sn_vec3 *points;
    int count;
    const int (*triangles)[3];
    int triangle_count;
    sn_real density; // kg/m^2, of all shells together
    sn_spring_feel edge, bend;
    int shells;
    sn_real spacing;         // m
    sn_spring_feel straight; // from point to copy
    sn_spring_feel diagonal;
} sn_spring_surface;
int sn_spring_make_surface(sn_spring_net *net, const sn_spring_surface *surface);

// Tetrahedra: a spring on every edge, and density times volume spread equally over the corners of each.
typedef struct {
    const sn_vec3 *points;
    int count;
    const int (*tets)[4];
    int tet_count;
    sn_real density; // kg/m^3
    sn_spring_feel edge;
    bool keep_volume; // they also go into the body as volume springs
} sn_spring_solid;
int sn_spring_make_solid(sn_spring_net *net, const sn_spring_solid *solid);

#endif
