// What the makers of characters share: a plan of a body, from which body_surface.c makes its mesh.
#ifndef SN_ZOO_BODY_INTERNAL_H
#define SN_ZOO_BODY_INTERNAL_H

#include "zoo/body.h"
#include "zoo/distance_fields.h"

// A pill of flesh: it is part of the surface, and of the bone's share in the weights. Those of the left side are there
// twice, mirrored.
typedef struct {
    const char *bone;
    zoo_pill pill;
} body_flesh;

typedef struct {
    const body_flesh *flesh;
    int flesh_count;
    double smooth;  // of joints between pills, m
    double muscles; // of joints with muscles, m
    bool one_sided; // there is only the left
} body_plan;

// A muscle of the left side, its ends as places of the body at rest.
typedef struct {
    const char *name;
    const char *bone[2];
    double end[2][3];
    double via[3]; // 0: straight
    double normal[3];
    double size; // times the preset's volume
    int group;
} body_muscle;

// body_surface.c: the mesh of a body that has its bones and muscles: the smooth union of flesh and of the muscles at
// rest. False: no memory.
bool zoo_body_surface(const body_plan *plan, int vertices, zoo_body *body);

// body_figure.c and limb.c
bool zoo_body_assemble(zoo_body *body);
const body_plan *zoo_body_plan(void);
bool zoo_limb_assemble(zoo_body *body);
const body_plan *zoo_limb_plan(void);
bool zoo_elbow_make(int vertices, zoo_body *body);

// Add a bone, a shape that muscles keep out of, a muscle; false: no memory. Places are those of the body at rest.
// 'side' is "left", "right" or "", 'mirror' 1 or -1.
bool zoo_add_bone(zoo_body *body, const char *name, int parent, const double joint[3], const double tip[3], bool hinge);
bool zoo_add_collider(zoo_body *body, int bone, const double a[3], double ra, const double b[3], double rb);
bool zoo_add_muscle(zoo_body *body, const body_muscle *source, const char *side, double mirror);

// The number of a bone: of that name, or with the side behind it; -1: there is none.
int zoo_body_bone(const zoo_body *body, const char *name, const char *side);

#endif
