// Handles that follow rods.
//
// A point of a rod has a centre and a scale s; segments have frames. The handle of a point
//
//     is at      the point's centre;
//     rotates by the mean rotation of its segments since rest, q_k q_rest_k*, as the normalized sum of quaternions,
//                weighted by the cross-sections of the segments: a thin arm does not rotate the head it is attached to;
//     stretches  along axes Q of the rest shape: S = Q diag(s_i) Q^T with
//                s_i = s + sum_k p_k (l_k - s) (d_k . q_i)^2, d_k the segments' directions at rest, l_k their lengths
//                over those at rest, p_k the same weights, which add up to 1. Q are the axes of sum_k p_k d_k d_k^T:
//                along the rod and across it.
//
// On a straight rod that is diag(s, s, l): the scale of the radius across the rod, that of the length along it. So a
// uniform stretch is the same linear map for every handle, the skin gets exactly that map for any weights, and because
// the rod keeps s^2 l = 1, the skin keeps its volume, including its ends. With a similarity s R instead, parts whose
// weights do not reproduce their position along the rod, especially the ends, would shrink by s^3. And since Q is
// constant, a handle corresponds to a joint of animation files: a position, a rotation, and a scale along three axes.
#include "base/host.h"
#include "couplings/bundle/bundle.h"
#include "kinds/rod/rod_body.h"
#include "skin/linear/skin.h"

bool sn_skin_rods_exist(const sn_skin_instance *instance, const sn_world *world) {
    if (instance->bundle.slot1) {
        const sn_bundle_body *b = world ? sn_bundle_find(world, instance->bundle) : NULL;
        if (!b || b->sections != instance->skin->handles || b->def.rod_count != instance->work.rod_count) return false;
    }
    for (int i = 0; i < instance->rod_count; i++) {
        const sn_rod_body *body = world ? sn_rod_find(sn_rods(world), instance->rods[i].id) : NULL;
        if (!body || body->points != instance->rods[i].points) return false;
    }
    return true;
}

static sn_quat plus(sn_quat a, sn_real k, sn_quat b) {
    if (sn_q_dot(a, b) < 0) k = -k; // the closer of the two quaternions of a rotation
    return (sn_quat){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z, a.w + k * b.w};
}

// The contribution of a segment to s_i.
static void lengthen(sn_handle *h, sn_vec3 along, sn_real length) {
    const sn_real more = length - h->stretch[3];
    h->stretch[0] += more * along.x, h->stretch[1] += more * along.y, h->stretch[2] += more * along.z;
}

// The matrix S from the s_i, times k. Written as s_0 I + ..., which is exactly a multiple of I if all are equal.
static void spread(sn_handle *h, sn_quat axes, sn_real k) {
    const sn_real s = k * h->stretch[0], more[2] = {k * h->stretch[1] - s, k * h->stretch[2] - s};
    const sn_vec3 q[2] = {sn_q_axis_y(axes), sn_q_axis_z(axes)};
    for (int i = 0; i < 6; i++) h->stretch[i] = i < 3 ? s : 0;
    for (int i = 0; i < 2; i++) {
        h->stretch[0] += more[i] * q[i].x * q[i].x, h->stretch[1] += more[i] * q[i].y * q[i].y;
        h->stretch[2] += more[i] * q[i].z * q[i].z, h->stretch[3] += more[i] * q[i].x * q[i].y;
        h->stretch[4] += more[i] * q[i].x * q[i].z, h->stretch[5] += more[i] * q[i].y * q[i].z;
    }
}

static void follow(const sn_skin_instance *instance, const sn_world *world, const sn_skin_rod *rod,
                   sn_handle *handles) {
    const sn_rod_system *s = sn_rods(world);
    const sn_rod_body *body = sn_rod_find(s, rod->id);
    sn_real *x = sn_rod_packet_of(s, body)->x, block[X_ROWS];
    for (int i = 0; i < rod->points; i++) {
        sn_handle *h = &handles[rod->first + i];
        sn_rod_get(s, body, x, X_ROWS, body->block_of_point[i], block);
        h->centre = sn_v3(block[X_CX], block[X_CY], block[X_CZ]);
        h->rotation = (sn_quat){0, 0, 0, 0};
        for (int k = 0; k < 3; k++) h->stretch[k] = h->stretch[3 + k] = block[X_S]; // s_i, and s itself
    }
    for (int i = rod->first_segment; i < rod->first_segment + rod->segments; i++) {
        const sn_skin_segment *g = &instance->segments[i];
        sn_handle *a = &handles[g->a], *b = &handles[g->b];
        sn_rod_get(s, body, x, X_ROWS, g->block, block);
        const sn_quat q = {block[X_QX], block[X_QY], block[X_QZ], block[X_QW]}, rotation = sn_q_mul(q, g->back);
        const sn_real length = sn_length(sn_sub(a->centre, b->centre)) * g->inverse_length;
        a->rotation = plus(a->rotation, g->part_a, rotation);
        b->rotation = plus(b->rotation, g->part_b, rotation);
        lengthen(a, g->along_a, length);
        lengthen(b, g->along_b, length);
    }
    for (int i = rod->first; i < rod->first + rod->points; i++) {
        handles[i].rotation = sn_q_normalize(handles[i].rotation);
        spread(&handles[i], instance->axes[i], instance->scale);
    }
}

// The stretch of a flattened section, whose axes are the world's at rest, in those of the mesh.
static void flatten(sn_handle *h, const sn_section_plane *plane, const double across[2], sn_quat from_mesh, sn_real s) {
    sn_vec3 columns[3];
    for (int k = 0; k < 3; k++) {
        const sn_vec3 axis = sn_q_rotate(from_mesh, sn_v3(k == 0, k == 1, k == 2));
        double out[3];
        sn_section_stretch(plane, across, (const double[3]){(double)axis.x, (double)axis.y, (double)axis.z}, out);
        columns[k] = sn_q_rotate(sn_q_conj(from_mesh), sn_v3((sn_real)out[0], (sn_real)out[1], (sn_real)out[2]));
    }
    h->stretch[0] = s * columns[0].x, h->stretch[1] = s * columns[1].y, h->stretch[2] = s * columns[2].z;
    h->stretch[3] = s * columns[1].x, h->stretch[4] = s * columns[2].x, h->stretch[5] = s * columns[2].y;
}

// The handles of a bundle are its cross-sections: x is mapped to the section at the bundle's creation, then to the
// current one.
static void follow_bundle(const sn_skin_instance *instance, const sn_world *world, sn_handle *handles) {
    const sn_bundle_body *b = sn_bundle_find(world, instance->bundle);
    sn_bundle_fit_all(world, b, &instance->work);
    for (int k = 0; k < b->sections; k++) {
        const sn_section_pose *f = &instance->work.fits[k];
        const sn_quat rotation = {(sn_real)f->rotation[0], (sn_real)f->rotation[1], (sn_real)f->rotation[2],
                                  (sn_real)f->rotation[3]};
        const sn_real s = (sn_real)f->scale * instance->scale;
        handles[k].centre = sn_v3((sn_real)f->centre[0], (sn_real)f->centre[1], (sn_real)f->centre[2]);
        handles[k].rotation = sn_q_normalize(sn_q_mul(rotation, instance->from_mesh));
        for (int i = 0; i < 6; i++) handles[k].stretch[i] = i < 3 ? s : 0;
        if (f->across[0] != 0 || f->across[1] != 0)
            flatten(&handles[k], &b->planes[k], f->across, instance->from_mesh, s);
    }
}

sn_status sn_skin_bind_bundle(sn_skin_instance *instance, const sn_world *world, sn_bundle bundle,
                              const sn_placement *at) {
    const sn_bundle_body *b = sn_bundle_find(world, bundle);
    sn_bundle_work work;
    if (!sn_bundle_work_create(&instance->memory, b, &work)) return SN_ERR_MEMORY;
    sn_skin_unbind(instance);
    instance->work = work;
    instance->bundle = bundle;
    instance->scale = at->scale;
    instance->from_mesh = at->rotation;
    sn_bundle_fit_all(world, b, &work);
    for (int k = 0; k < b->sections; k++) {
        const double *rest = work.fits[k].rest;
        const sn_vec3 from = sn_sub(sn_v3((sn_real)rest[0], (sn_real)rest[1], (sn_real)rest[2]), at->position);
        instance->handles[k].rest = sn_mul(1 / at->scale, sn_q_rotate(sn_q_conj(at->rotation), from));
        instance->axes[k] = sn_q_identity();
    }
    return SN_OK;
}

void sn_skin_follow(const sn_skin_instance *instance, const sn_world *world, sn_handle *handles) {
    if (instance->bundle.slot1) follow_bundle(instance, world, handles);
    for (int i = 0; i < instance->rod_count; i++) follow(instance, world, &instance->rods[i], handles);
}

// ---- bind

// The weight of a segment in the handles at its ends.
static sn_real section(const sn_rod_body *body, int block) {
    const sn_real r = body->block[block].radius + body->block[body->parent[block]].radius;
    return r * r;
}

// The direction of a segment at rest, in the mesh's space.
static sn_vec3 direction(const sn_rod_body *body, int block, sn_quat back) {
    const sn_vec3 along = sn_sub(body->block[block].rest, body->block[body->parent[block]].rest);
    return sn_q_rotate(back, sn_normalize(along, sn_v3(0, 0, 1)));
}

// The squared components of a direction along given axes, times k.
static sn_vec3 squares(sn_quat axes, sn_vec3 direction, sn_real k) {
    const sn_vec3 d = sn_q_rotate(sn_q_conj(axes), direction);
    return sn_v3(k * d.x * d.x, k * d.y * d.y, k * d.z * d.z);
}

// Sums over a block while binding.
typedef struct {
    sn_quat frame;    // at rest
    sn_real sum;      // of the cross-sections of its point's segments
    double matrix[6]; // sum of k d d^T over them
    int point;
} bind_block;

// The frames of a rod in its rest shape, as in src/kinds/rod/rod_model.c: the first along its segment, the others by
// the rest rotations of the joints.
static void rest_frames(const sn_rod_body *body, bind_block *blocks) {
    for (int i = 0; i < body->blocks; i++) {
        const int p = body->parent[i];
        if (i > 0) {
            blocks[i].frame = sn_q_mul(blocks[p].frame, body->block[i].rel);
            continue;
        }
        const sn_vec3 along = p >= 0 ? sn_sub(body->block[0].rest, body->block[p].rest)
                                     : sn_sub(body->block[1].rest, body->block[0].rest);
        const sn_vec3 z = sn_v3(0, 0, 1);
        blocks[0].frame = sn_q_between(z, sn_normalize(along, z));
    }
}

static void add_direction(bind_block *b, sn_real section, sn_vec3 d) {
    const double k = (double)section, x = (double)d.x, y = (double)d.y, z = (double)d.z;
    b->sum += section;
    b->matrix[0] += k * x * x, b->matrix[1] += k * y * y, b->matrix[2] += k * z * z;
    b->matrix[3] += k * x * y, b->matrix[4] += k * x * z, b->matrix[5] += k * y * z;
}

static sn_quat axes_of(const bind_block *b) {
    double matrix[6];
    for (int i = 0; i < 6; i++) matrix[i] = b->matrix[i] / (double)b->sum;
    return sn_skin_axes(matrix);
}

// Fills the segments of one rod, and the rest points and axes of its handles; `blocks` is scratch, one for each of the
// rod's.
static void bind_rod(sn_skin_instance *instance, const sn_rod_body *body, sn_skin_rod *rod, const sn_placement *at,
                     bind_block *blocks) {
    const sn_quat back = sn_q_conj(at->rotation);
    for (int i = 0; i < body->blocks; i++) blocks[i] = (bind_block){.point = -1};
    rest_frames(body, blocks);
    for (int i = 0; i < body->blocks; i++) {
        if (body->parent[i] < 0 || body->block[i].ghost) continue;
        const sn_vec3 d = direction(body, i, back);
        add_direction(&blocks[i], section(body, i), d);
        add_direction(&blocks[body->parent[i]], section(body, i), d);
    }
    for (int i = 0; i < body->points; i++) {
        const int b = body->block_of_point[i];
        const sn_vec3 from = sn_sub(body->block[b].rest, at->position);
        instance->handles[rod->first + i].rest = sn_mul(1 / at->scale, sn_q_rotate(back, from));
        instance->axes[rod->first + i] = axes_of(&blocks[b]);
        blocks[b].point = i;
    }
    for (int i = 0; i < body->blocks; i++) {
        const int p = body->parent[i];
        if (p < 0 || body->block[i].ghost) continue;
        const int a = rod->first + blocks[i].point, b = rod->first + blocks[p].point;
        const sn_real part_a = section(body, i) / blocks[i].sum, part_b = section(body, i) / blocks[p].sum;
        const sn_vec3 d = direction(body, i, back);
        instance->segments[rod->first_segment + rod->segments++] = (sn_skin_segment){
            .a = a,
            .b = b,
            .block = i,
            .back = sn_q_mul(sn_q_conj(blocks[i].frame), at->rotation),
            .inverse_length = 1 / sn_length(sn_sub(body->block[i].rest, body->block[p].rest)),
            .part_a = part_a,
            .part_b = part_b,
            .along_a = squares(instance->axes[a], d, part_a),
            .along_b = squares(instance->axes[b], d, part_b),
        };
    }
}

static void forget(sn_memory *memory, sn_skin_rod *rods, int rod_count, sn_skin_segment *segments, int segment_count) {
    sn_free(memory, rods, (size_t)rod_count, sizeof *rods);
    sn_free(memory, segments, (size_t)segment_count, sizeof *segments);
}

void sn_skin_unbind(sn_skin_instance *instance) {
    forget(&instance->memory, instance->rods, instance->rod_count, instance->segments, instance->segment_count);
    instance->rods = NULL, instance->segments = NULL;
    instance->rod_count = instance->segment_count = 0;
    instance->bundle = (sn_bundle){0, 0};
    sn_bundle_work_free(&instance->memory, &instance->work);
    instance->scale = 1;
}

// Allocates everything first, so that the rest cannot fail. Segments: one per point; a tree has one less.
sn_status sn_skin_bind(sn_skin_instance *instance, const sn_world *world, const sn_body *ids, int count,
                       const sn_placement *at) {
    sn_memory *memory = &instance->memory;
    const int points = instance->skin->handles;
    size_t blocks = 0;
    for (int i = 0; i < count; i++) {
        const size_t n = (size_t)sn_rod_find(sn_rods(world), ids[i])->blocks;
        blocks = n > blocks ? n : blocks;
    }
    sn_skin_rod *rods = sn_alloc(memory, (size_t)count, sizeof *rods);
    sn_skin_segment *segments = sn_alloc(memory, (size_t)points, sizeof *segments);
    bind_block *scratch = sn_alloc(memory, blocks, sizeof *scratch);
    const bool good = rods && segments && scratch;
    if (good) {
        sn_skin_unbind(instance);
        instance->rods = rods, instance->rod_count = count;
        instance->segments = segments, instance->segment_count = points;
        instance->scale = at->scale;
        for (int i = 0, first = 0, used = 0; i < count; i++) {
            const sn_rod_body *body = sn_rod_find(sn_rods(world), ids[i]);
            rods[i] = (sn_skin_rod){ids[i], first, body->points, used, 0};
            bind_rod(instance, body, &rods[i], at, scratch);
            first += body->points, used += rods[i].segments;
        }
    } else
        forget(memory, rods, count, segments, points);
    sn_free(memory, scratch, blocks, sizeof *scratch);
    return good ? SN_OK : SN_ERR_MEMORY;
}
