// Shared by the files that build characters: the plan of a body, from which body_surface.c makes its mesh.
#ifndef SN_ZOO_BODY_INTERNAL_H
#define SN_ZOO_BODY_INTERNAL_H

#include "zoo/body.h"
#include "zoo/distance_fields.h"

// A pill of flesh: part of the surface, and of the bone's skin weights. Pills of the left side are mirrored to the
// right.
typedef struct {
    const char *bone;
    zoo_pill pill;
} body_flesh;

typedef struct {
    const body_flesh *flesh;
    int flesh_count;
    double smooth;  // blend width between pills, m
    double muscles; // blend width with muscles, m
    bool one_sided; // only the left side exists
} body_plan;

// A muscle of the left side; its ends are in body coordinates at rest.
typedef struct {
    const char *name;
    const char *bone[2];
    double end[2][3];
    double via[3]; // 0: straight
    double normal[3];
    double size; // factor on the preset's volume
    int group;
} body_muscle;

// body_surface.c: makes the mesh of a body that has its bones and muscles: the smooth union of the flesh and the
// muscles at rest. False: no memory.
bool zoo_body_surface(const body_plan *plan, int vertices, zoo_body *body);

// body_figure.c and limb.c
bool zoo_body_assemble(zoo_body *body);
const body_plan *zoo_body_plan(void);
bool zoo_limb_assemble(zoo_body *body);
const body_plan *zoo_limb_plan(void);
bool zoo_elbow_make(int vertices, zoo_body *body);

// Add a bone, a collider for the muscles, a muscle. Positions are in body coordinates at rest; 'side' is "left",
// "right" or "", 'mirror' 1 or -1. False: no memory.
bool zoo_add_bone(zoo_body *body, const char *name, int parent, const double joint[3], const double tip[3], bool hinge);
bool zoo_add_collider(zoo_body *body, int bone, const double a[3], double ra, const double b[3], double rb);
bool zoo_add_muscle(zoo_body *body, const body_muscle *source, const char *side, double mirror);

// Index of the bone with this name, or with this name followed by the side; -1: none.
int zoo_body_bone(const zoo_body *body, const char *name, const char *side);

#endif
