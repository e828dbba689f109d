// Fewer spheres for about the same solid: edges of a medial mesh are collapsed, the cheapest first.
#ifndef SN_MEDIAL_MEDIAL_SIMPLIFY_H
#define SN_MEDIAL_MEDIAL_SIMPLIFY_H

#include "medial/medial_mesh.h"
#include "mesh/winding.h"

// A simplification that can be stopped and looked at on its way down.
typedef struct medial_simplifier medial_simplifier;

// Starts with a mesh within a box of diagonal 1. 'winding' tells what is inside, so that handles stay; it must outlive
// the simplifier. Null: no memory.
medial_simplifier *medial_simplifier_create(const sn_medial_mesh *mesh, const sn_winding *winding);
void medial_simplifier_free(medial_simplifier *s);

// Goes down to so many spheres, or as far as it can: every body keeps one, every handle three. Returns how many there
// are; -1: no memory.
int medial_simplifier_run(medial_simplifier *s, int spheres);

// The mesh as it is now. False: no memory.
bool medial_simplifier_get_mesh(const medial_simplifier *s, sn_medial_mesh *out);

#endif
