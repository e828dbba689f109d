// Shapes: what stands still or is moved by the user. A shape is kept in its own axes; contacts are found there when that is
// simpler (meshes), in the world otherwise.
#include "couplings/contact/contact.h"
#include "geometry/contact_surface.h"

static bool is_size(sn_real x) {
    return sn_between(x, (sn_real)1e-7, (sn_real)1e7);
}

int sn_shape_mistakes(const sn_log *log, const sn_shape_def *d) {
    int count = sn_surface_mistakes(log, &d->surface);
    if (!sn_finite3(d->position)) count += sn_wrong(log, "position", "must be finite numbers");
    switch (d->kind) {
    case SN_SHAPE_PLANE:
    case SN_SHAPE_MESH:
        break;
    case SN_SHAPE_PILL:
        if (!sn_finite3(d->ends[0]) || !sn_finite3(d->ends[1]))
            count += sn_wrong(log, "ends", "must be finite numbers");
        if (!is_size(d->radii[1])) count += sn_wrong(log, "radii[1]", "must be from 1e-7 to 1e7 m");
        if (!is_size(d->radii[0])) count += sn_wrong(log, "radii[0]", "must be from 1e-7 to 1e7 m");
        break;
    case SN_SHAPE_SPHERE:
        if (!is_size(d->radii[0])) count += sn_wrong(log, "radii[0]", "must be from 1e-7 to 1e7 m");
        break;
    case SN_SHAPE_BOX:
        if (!is_size(d->half.x) || !is_size(d->half.y) || !is_size(d->half.z))
            count += sn_wrong(log, "half", "each must be from 1e-7 to 1e7 m");
        break;
    default:
        count += sn_wrong(log, "kind", "must be one of sn_shape_kind");
    }
    return count;
}

sn_vec3 sn_pose_point(const sn_pose *pose, sn_vec3 local) {
    return sn_add(pose->position, sn_q_rotate(pose->rotation, local));
}

sn_vec3 sn_pose_local(const sn_pose *pose, sn_vec3 world) {
    return sn_q_rotate(sn_q_conj(pose->rotation), sn_sub(world, pose->position));
}

sn_pill sn_shape_pill(const sn_shape_body *shape, const sn_pose *pose) {
    if (shape->kind == SN_SHAPE_SPHERE)
        return (sn_pill){pose->position, pose->position, shape->radii[0], shape->radii[0]};
    return (sn_pill){sn_pose_point(pose, shape->ends[0]), sn_pose_point(pose, shape->ends[1]), shape->radii[0],
                     shape->radii[1]};
}

static sn_sphere bound_at(const sn_shape_body *shape, const sn_pose *pose) {
    if (shape->kind == SN_SHAPE_BOX) return (sn_sphere){pose->position, sn_length(shape->half)};
    if (shape->kind == SN_SHAPE_MESH) {
        if (shape->tree.node_count == 0) return (sn_sphere){pose->position, -1};
        const sn_bounds *b = &shape->tree.nodes[0].bounds;
        sn_vec3 middle = sn_lerp(b->lo, b->hi, (sn_real)0.5);
        return (sn_sphere){sn_pose_point(pose, middle), (sn_real)0.5 * sn_length(sn_sub(b->hi, b->lo))};
    }
    sn_pill pill = sn_shape_pill(shape, pose);
    return sn_pill_sphere_bound(&pill);
}

// A ball around the shape for the whole step: it goes from 'origin' to 'to'.
sn_sphere sn_shape_bound(const sn_shape_body *shape) {
    sn_sphere a = bound_at(shape, &shape->origin), b = bound_at(shape, &shape->to);
    if (a.radius < 0) return a;
    sn_vec3 way = sn_sub(b.centre, a.centre);
    return (sn_sphere){sn_mul_add(a.centre, (sn_real)0.5, way),
                       sn_max(a.radius, b.radius) + (sn_real)0.5 * sn_length(way)};
}

void sn_shapes_begin(sn_contacts *contacts) {
    for (int i = 0; i < contacts->shape_count; i++) {
        sn_shape_body *s = &contacts->shapes[i];
        s->origin = s->until = s->now;
        sn_vec3 way = sn_sub(s->to.position, s->now.position);
        sn_quat p = s->to.rotation, now = s->now.rotation;
        s->moves = sn_length2(way) > 0 || p.x != now.x || p.y != now.y || p.z != now.z || p.w != now.w;
        if (sn_q_dot(s->origin.rotation, s->to.rotation) < 0) {
            sn_quat q = s->to.rotation;
            s->to.rotation = (sn_quat){-q.x, -q.y, -q.z, -q.w};
        }
    }
}

void sn_shapes_substep(sn_contacts *contacts, int substep, int substeps) {
    sn_real share = (sn_real)(substep + 1) / (sn_real)substeps;
    for (int i = 0; i < contacts->shape_count; i++) {
        sn_shape_body *s = &contacts->shapes[i];
        if (!s->alive) continue;
        s->from = s->until;
        if (substep + 1 == substeps) {
            s->until = s->to;
            continue;
        }
        const sn_quat p = s->origin.rotation, q = s->to.rotation;
        s->until.position = sn_lerp(s->origin.position, s->to.position, share);
        s->until.rotation = sn_q_normalize((sn_quat){p.x + share * (q.x - p.x), p.y + share * (q.y - p.y),
                                                     p.z + share * (q.z - p.z), p.w + share * (q.w - p.w)});
    }
}

void sn_shapes_end(sn_contacts *contacts) {
    for (int i = 0; i < contacts->shape_count; i++) contacts->shapes[i].now = contacts->shapes[i].to;
}

// ---- meshes: the two deepest touches among the triangles near the pill

typedef struct {
    const sn_pill *pill; // in the mesh's axes
    sn_real margin;
    int count;
    sn_touch best[2];
} mesh_search;

static bool same_place(const sn_touch *a, const sn_touch *b) {
    sn_real da = a->alpha - b->alpha;
    return da * da < (sn_real)0.01 && sn_dot(a->normal, b->normal) > (sn_real)0.9;
}

static void offer(mesh_search *s, const sn_touch *t) {
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
    sn_touch out[2];
    int count = sn_pill_triangle_touches(s->pill, corners, s->margin, out);
    for (int k = 0; k < count; k++) offer(s, &out[k]);
    return true;
}

static int mesh_touches(const sn_shape_body *shape, const sn_pose *pose, const sn_pill *pill, sn_real margin,
                        sn_touch out[2]) {
    sn_pill local = {sn_pose_local(pose, pill->a), sn_pose_local(pose, pill->b), pill->ra, pill->rb};
    sn_bounds box = sn_pill_bounds(&local);
    sn_vec3 wide = sn_v3(margin, margin, margin);
    box.lo = sn_sub(box.lo, wide), box.hi = sn_add(box.hi, wide);
    mesh_search search = {.pill = &local, .margin = margin};
    sn_tree_visit(&shape->tree, &box, near_triangle, &search);
    for (int k = 0; k < search.count; k++) {
        out[k] = search.best[k];
        out[k].normal = sn_q_rotate(pose->rotation, out[k].normal);
        out[k].point = sn_pose_point(pose, out[k].point);
    }
    return search.count;
}

int sn_shape_touches(const sn_shape_body *shape, const sn_pose *pose, const sn_pill *pill, sn_real margin,
                     sn_touch out[2]) {
    switch (shape->kind) {
    case SN_SHAPE_PLANE: {
        sn_plane plane = {pose->position, sn_q_axis_y(pose->rotation)};
        return sn_pill_plane_touches(pill, &plane, margin, out);
    }
    case SN_SHAPE_BOX: {
        sn_box box = {pose->position, pose->rotation, shape->half};
        return sn_pill_box_touches(pill, &box, margin, out);
    }
    case SN_SHAPE_MESH:
        return mesh_touches(shape, pose, pill, margin, out);
    default: {
        sn_pill other = sn_shape_pill(shape, pose);
        return sn_pill_pill_touches(pill, &other, margin, out);
    }
    }
}
