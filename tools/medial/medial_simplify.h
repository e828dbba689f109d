// Simplification of a medial mesh: collapses edges, the cheapest first.
#ifndef SN_MEDIAL_MEDIAL_SIMPLIFY_H
#define SN_MEDIAL_MEDIAL_SIMPLIFY_H

#include "medial/medial_mesh.h"
#include "mesh/winding.h"

// A simplification in progress.
typedef struct medial_simplifier medial_simplifier;

// Starts with a mesh in a box of diagonal 1. 'winding' tells what is inside, to preserve handles; it must outlive the
// simplifier. Null: out of memory.
medial_simplifier *medial_simplifier_create(const sn_medial_mesh *mesh, const sn_winding *winding);
void medial_simplifier_free(medial_simplifier *s);

// Simplifies to this many spheres, or as far as possible: every body keeps one, every handle three. Returns the number
// of spheres; -1: out of memory.
int medial_simplifier_run(medial_simplifier *s, int spheres);

// Copies the current mesh. False: out of memory.
bool medial_simplifier_get_mesh(const medial_simplifier *s, sn_medial_mesh *out);

#endif
