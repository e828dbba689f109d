// The families of cases, one file each.
#ifndef SN_COUPLING_CASES_H
#define SN_COUPLING_CASES_H

#include "coupling.h"

extern const coupling_family coupling_ropes;      // case_rope.c: a weight on a rope
extern const coupling_family coupling_structures; // case_structure.c: bridges, ladders, chains, nets, a marionette
extern const coupling_family coupling_heaps;      // case_heap.c: ordinary rods in a heap
extern const coupling_family coupling_scenes;     // case_scene.c: scenes of the tree at the default settings
extern const coupling_family coupling_stacks;     // case_stack.c: stiff rods at rest
extern const coupling_family coupling_conflicts;  // case_squeeze.c: plates and joints that ask too much
extern const coupling_family coupling_rods;       // case_rod.c: single rods
extern const coupling_family coupling_frictions;  // case_friction.c: slopes, cylinders, a drum
extern const coupling_family coupling_muscles;    // case_muscle.c: an arm of meshes

#endif
