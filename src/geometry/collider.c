// Colliders: geometry of infinite mass, stored in its own frame. Contacts with meshes are found in that frame, others
// in the world.
#include "geometry/collider.h"
#include "base/math/double3.h"

sn_pill sn_collider_pill(const sn_collider *collider, const sn_transform *pose) {
    if (collider->kind == SN_GEOMETRY_SPHERE)
        return (sn_pill){pose->position, pose->position, collider->radii[0], collider->radii[0]};
    return (sn_pill){sn_transform_point(pose, collider->ends[0]), sn_transform_point(pose, collider->ends[1]),
                     collider->radii[0], collider->radii[1]};
}

// What flies apart may push with more than there are numbers for.
static void add_moment(sn_collider *collider, const double force[3], const double torque[3]) {
    bool fine = true;
    for (int k = 0; k < 3; k++)
        fine = fine && sn_finite((sn_real)(collider->force[k] + force[k])) &&
               sn_finite((sn_real)(collider->torque[k] + torque[k]));
    for (int k = 0; k < 3 && fine; k++) collider->force[k] += force[k], collider->torque[k] += torque[k];
}

void sn_collider_add_force(sn_collider *collider, sn_vec3 point, sn_vec3 force, double share) {
    const sn_vec3 o = collider->to.position;
    const double r[3] = {(double)point.x - (double)o.x, (double)point.y - (double)o.y, (double)point.z - (double)o.z};
    const double f[3] = {share * (double)force.x, share * (double)force.y, share * (double)force.z};
    double about[3];
    d3_cross(r, f, about);
    add_moment(collider, f, about);
}

void sn_collider_add_torque(sn_collider *collider, sn_vec3 torque, double share) {
    static const double none[3] = {0, 0, 0};
    add_moment(collider, none,
               (const double[3]){share * (double)torque.x, share * (double)torque.y, share * (double)torque.z});
}

static sn_sphere bound_at(const sn_collider *collider, const sn_transform *pose) {
    if (collider->kind == SN_GEOMETRY_BOX) return (sn_sphere){pose->position, sn_length(collider->half)};
    if (collider->kind == SN_GEOMETRY_MESH) {
        if (collider->bvh.node_count == 0) return (sn_sphere){pose->position, -1};
        const sn_bounds *b = &collider->bvh.nodes[0].bounds;
        sn_vec3 middle = sn_lerp(b->lo, b->hi, (sn_real)0.5);
        return (sn_sphere){sn_transform_point(pose, middle), (sn_real)0.5 * sn_length(sn_sub(b->hi, b->lo))};
    }
    sn_pill pill = sn_collider_pill(collider, pose);
    return sn_pill_sphere_bound(&pill);
}

sn_vec3 sn_collider_motion(const sn_transform *from, const sn_transform *to, sn_vec3 point) {
    return sn_sub(sn_transform_point(to, sn_transform_inverse_point(from, point)), point);
}

// A bounding sphere of the collider for the whole step, in which it moves from 'origin' to 'to'. A centre that goes around an axis
// leaves the straight way by chord/2 tan(angle/4).
sn_sphere sn_collider_bound(const sn_collider *collider) {
    sn_sphere a = bound_at(collider, &collider->origin), b = bound_at(collider, &collider->to);
    if (a.radius < 0) return a;
    const sn_vec3 exit = sn_sub(b.centre, a.centre);
    const sn_real cosine = sn_min(sn_abs(sn_q_dot(collider->origin.rotation, collider->to.rotation)), 1);
    const sn_real chord = sn_length(exit), aside = sn_sqrt((1 - cosine) / (1 + cosine));
    return (sn_sphere){sn_mul_add(a.centre, (sn_real)0.5, exit),
                       sn_max(a.radius, b.radius) + (sn_real)0.5 * chord * (1 + aside)};
}

// ---- meshes: the two deepest contact points with the triangles near the pill

typedef struct {
    const sn_pill *pill; // in the mesh's frame
    sn_real margin;
    int count;
    sn_contact_point best[2];
} mesh_search;

#define SAME_PLACE2 ((sn_real)0.01) // of the length, squared

static bool same_place(const sn_contact_point *a, const sn_contact_point *b) {
    sn_real da = a->alpha - b->alpha;
    return da * da < SAME_PLACE2 && sn_dot(a->normal, b->normal) > (sn_real)0.9;
}

static void offer(mesh_search *s, const sn_contact_point *t) {
    for (int k = 0; k < s->count; k++) {
        if (!same_place(&s->best[k], t)) continue;
        if (t->distance < s->best[k].distance) s->best[k] = *t;
        return;
    }
    if (s->count < 2)
        s->best[s->count++] = *t;
    else {
        int worse = s->best[0].distance > s->best[1].distance ? 0 : 1;
        if (t->distance < s->best[worse].distance) s->best[worse] = *t;
    }
}

static bool near_triangle(void *user, int triangle, const sn_triangle *corners) {
    (void)triangle;
    mesh_search *s = user;
    sn_contact_point out[2];
    int count = sn_pill_triangle_contacts(s->pill, corners, s->margin, out);
    for (int k = 0; k < count; k++) offer(s, &out[k]);
    return true;
}

// Along the pill, so that they keep their places while it rocks; at one place the deepest first.
static void order(sn_contact_point best[2], int count) {
    if (count < 2) return;
    const sn_real along = best[1].alpha - best[0].alpha;
    const bool turned = along * along < SAME_PLACE2 ? best[1].distance < best[0].distance : along < 0;
    if (!turned) return;
    const sn_contact_point first = best[0];
    best[0] = best[1], best[1] = first;
}

static int mesh_contacts(const sn_collider *collider, const sn_transform *pose, const sn_pill *pill, sn_real margin,
                         sn_contact_point out[2]) {
    sn_pill local = {sn_transform_inverse_point(pose, pill->a), sn_transform_inverse_point(pose, pill->b), pill->ra,
                     pill->rb};
    sn_bounds box = sn_pill_bounds(&local);
    sn_vec3 wide = sn_v3(margin, margin, margin);
    box.lo = sn_sub(box.lo, wide), box.hi = sn_add(box.hi, wide);
    mesh_search search = {.pill = &local, .margin = margin};
    sn_triangle_bvh_visit(&collider->bvh, &box, near_triangle, &search);
    order(search.best, search.count);
    for (int k = 0; k < search.count; k++) {
        out[k] = search.best[k];
        out[k].normal = sn_q_rotate(pose->rotation, out[k].normal);
        out[k].point = sn_transform_point(pose, out[k].point);
    }
    return search.count;
}

int sn_collider_contacts(const sn_collider *collider, const sn_transform *pose, const sn_pill *pill, sn_real margin,
                         sn_contact_point out[2]) {
    switch (collider->kind) {
    case SN_GEOMETRY_PLANE: {
        sn_plane plane = {pose->position, sn_q_axis_y(pose->rotation)};
        return sn_pill_plane_contacts(pill, &plane, margin, out);
    }
    case SN_GEOMETRY_BOX: {
        sn_box box = {pose->position, pose->rotation, collider->half};
        return sn_pill_box_contacts(pill, &box, margin, out);
    }
    case SN_GEOMETRY_MESH:
        return mesh_contacts(collider, pose, pill, margin, out);
    default: {
        sn_pill other = sn_collider_pill(collider, pose);
        return sn_pill_pill_contacts(pill, &other, margin, out);
    }
    }
}
