// Random places are tried one after the other until the pills of a copy overlap none of those placed before. Most tries end at the
// first few pills, since the copies' boxes and then the pills of two copies are compared in order.
#include "scene/placed_rods.h"
#include "base/math/vec.h"
#include "geometry/pill.h"

bool placed_rods_begin(placed_rods *a, sn_arena *arena, int copies, int points, const int *parents) {
    *a = (placed_rods){.per_copy = points, .parents = parents};
    a->pills = sn_arena_alloc(arena, (size_t)copies * (size_t)points, sizeof *a->pills);
    a->bounds = sn_arena_alloc(arena, (size_t)copies, sizeof *a->bounds);
    return a->pills && a->bounds;
}

static sn_pill *pills_of(const placed_rods *a, int copy) {
    return a->pills + (size_t)copy * (size_t)a->per_copy;
}

static sn_bounds join(sn_bounds a, sn_bounds b) {
    a.lo = sn_v3(sn_min(a.lo.x, b.lo.x), sn_min(a.lo.y, b.lo.y), sn_min(a.lo.z, b.lo.z));
    a.hi = sn_v3(sn_max(a.hi.x, b.hi.x), sn_max(a.hi.y, b.hi.y), sn_max(a.hi.z, b.hi.z));
    return a;
}

static bool boxes_overlap(sn_bounds a, sn_bounds b) {
    return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
           b.lo.z <= a.hi.z;
}

static bool overlaps(const placed_rods *a, const sn_pill *pills, sn_bounds box, int copy) {
    if (!boxes_overlap(box, a->bounds[copy])) return false;
    const sn_pill *others = pills_of(a, copy);
    for (int i = 0; i < a->per_copy; i++) {
        const sn_bounds own = sn_pill_bounds(&pills[i]);
        if (!boxes_overlap(own, a->bounds[copy])) continue;
        for (int k = 0; k < a->per_copy; k++)
            if (boxes_overlap(own, sn_pill_bounds(&others[k])) && sn_pill_pill(&pills[i], &others[k]).distance < 0)
                return true;
    }
    return false;
}

// The next copy's pills, and the box around them.
static sn_bounds write_next(placed_rods *a, const sn_vec3 *points, const sn_real *radii) {
    sn_pill *pills = pills_of(a, a->copies);
    sn_bounds box = {0};
    for (int i = 0; i < a->per_copy; i++) {
        int from = a->parents ? a->parents[i] : i - 1;
        if (from < 0) from = i;
        pills[i] = (sn_pill){points[from], points[i], radii[from], radii[i]};
        const sn_bounds own = sn_pill_bounds(&pills[i]);
        box = i ? join(box, own) : own;
    }
    return box;
}

bool placed_rods_add(placed_rods *a, const sn_vec3 *points, const sn_real *radii) {
    const sn_bounds box = write_next(a, points, radii);
    for (int copy = 0; copy < a->copies; copy++)
        if (overlaps(a, pills_of(a, a->copies), box, copy)) return false;
    a->bounds[a->copies++] = box;
    return true;
}

void placed_rods_put(placed_rods *a, const sn_vec3 *points, const sn_real *radii) {
    a->bounds[a->copies] = write_next(a, points, radii);
    a->copies++;
}
