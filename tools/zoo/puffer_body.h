// The puffer ball as tetrahedra and spheres, built by hand: its strings are too thin for a uniform lattice, and its
// medial axis is known.
#ifndef SN_ZOO_PUFFER_BODY_H
#define SN_ZOO_PUFFER_BODY_H

#include "medial/medial_mesh.h"
#include "tets/tet_mesh.h"

typedef struct {
    sn_mesh surface;       // zoo_surface(ZOO_PUFFER)
    sn_tet_mesh tets;      // its inside
    sn_medial_mesh medial; // the ball, six smaller ones inside, its shell, and three spheres along each string
    int *handle;           // spheres that are handles: those of the ball, and the middle and tip of each string
    int handle_count;
    int strings;
} zoo_puffer_body;

// With about 'triangles' triangles, 36,000 to 160,000. False: no memory, or out of range; the body is empty.
bool zoo_puffer_body_make(int triangles, zoo_puffer_body *out);
void zoo_puffer_body_free(zoo_puffer_body *body);

// The surface alone: positions and triangles. False: no memory.
bool zoo_puffer(int triangles, sn_mesh *out);

#endif
