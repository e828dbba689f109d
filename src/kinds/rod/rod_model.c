// The model: from a definition to blocks with rest lengths, rest rotations and a starting state; from blocks to the
// parameters that kernels read (the stiffnesses of the notes' table times the length of their element).
//
// Frames: along the rest shape they are carried by the least rotation from segment to segment, plus the rest twist; the
// rotation from parent to child is the joint's rest. The starting shape then gets the frames that the rest rotations
// ask for, turned by the least rotation onto its segments, so a rod that starts out of shape is bent and stretched but
// not twisted.
#include "base/math/trig.h"
#include "kinds/rod/rod_body.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Collects complaints about a definition: each is logged, the first decides.
typedef struct {
    const sn_log *log;
    int count;
} complaints;

__attribute__((format(printf, 3, 4))) static void complain(complaints *c, const char *field, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_log_line(c->log, SN_LOG_ERROR, SN_ERR_DEF, field, "%s", text);
    c->count++;
}

static void check_range(complaints *c, const char *field, sn_real value, double min, double max) {
    if (!sn_finite(value))
        complain(c, field, "must be a finite number");
    else if (value < (sn_real)min || value > (sn_real)max)
        complain(c, field, "must be from %g to %g, is %g", min, max, (double)value);
}

static void check_material(complaints *c, const char *where, const sn_material *m) {
    char field[64];
    const struct {
        const char *name;
        sn_real value;
        double min, max;
    } fields[] = {
        {"density", m->density, 1e-3, 1e6},     {"young", m->young, 0, 1e13},   {"shear", m->shear, 0, 1e13},
        {"transverse", m->transverse, 0, 1e13}, {"volume", m->volume, 0, 1e16}, {"scale_bend", m->scale_bend, 0, 1e13},
        {"damping", m->damping, 0, 1e6},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        snprintf(field, sizeof field, "%s.%s", where, fields[i].name);
        check_range(c, field, fields[i].value, fields[i].min, fields[i].max);
    }
}

bool sn_rod_material_is_fine(const sn_material *material) {
    static const sn_log silent = {0};
    complaints c = {&silent, 0};
    check_material(&c, "", material);
    return c.count == 0;
}

// The most points of a rod, so that sizes never overflow an int.
#define MAX_POINTS 10000000

static void check(complaints *c, const sn_rod_def *def) {
    char field[64];
    if (!def->points) complain(c, "points", "must not be null");
    if (def->point_count < 2) complain(c, "point_count", "must be at least 2, is %d", def->point_count);
    if (def->point_count > MAX_POINTS)
        complain(c, "point_count", "must be at most %d, is %d", MAX_POINTS, def->point_count);
    if (def->closed && def->parents) complain(c, "closed", "is for chains: a loop with parents closes itself");
    if (def->closed && def->point_count == 2) complain(c, "point_count", "a loop needs at least 3 points, has 2");
    if (!def->radii) check_range(c, "radius", def->radius, 1e-7, 1e5);
    check_range(c, "rest_twist", def->rest_twist, -1e6, 1e6);
    check_range(c, "surface.friction_static", def->surface.friction_static, 0, 100);
    check_range(c, "surface.friction_dynamic", def->surface.friction_dynamic, 0, (double)def->surface.friction_static);
    check_range(c, "surface.restitution", def->surface.restitution, 0, 1);
    check_range(c, "surface.compliance", def->surface.compliance, 0, 1);
    check_range(c, "surface.rolling", def->surface.rolling, 0, 1e6);
    check_range(c, "surface.torsion", def->surface.torsion, 0, 1e6);
    if (!sn_finite3(def->velocity)) complain(c, "velocity", "must be finite numbers");
    if (!def->materials) check_material(c, "material", &def->material);
    if (!def->points || def->point_count < 2 || def->point_count > MAX_POINTS) return;
    for (int i = 0; i < def->point_count && c->count < 20; i++) {
        snprintf(field, sizeof field, "points[%d]", i);
        if (!sn_finite3(def->points[i])) complain(c, field, "must be finite numbers");
        snprintf(field, sizeof field, "rest_points[%d]", i);
        if (def->rest_points && !sn_finite3(def->rest_points[i])) complain(c, field, "must be finite numbers");
        snprintf(field, sizeof field, "radii[%d]", i);
        if (def->radii) check_range(c, field, def->radii[i], 1e-7, 1e5);
        snprintf(field, sizeof field, "materials[%d]", i);
        if (def->materials) check_material(c, field, &def->materials[i]);
    }
}

static void lay(unsigned char **at, size_t size, void *out) {
    void *here = *at;
    memcpy(out, &here, sizeof here);
    *at += (size + 15) / 16 * 16;
}

// A body and its arrays in one block of memory.
static size_t body_size(int points, int blocks) {
    return sizeof(sn_rod_body) + (size_t)blocks * (2 * sizeof(int) + sizeof(sn_rod_block) + sizeof(sn_rod_driver)) +
           (size_t)points * sizeof(int) + 6 * 16;
}

sn_rod_body *sn_rod_body_alloc(sn_memory *memory, int points, int blocks) {
    unsigned char *at = sn_alloc(memory, 1, body_size(points, blocks));
    if (!at) return NULL;
    sn_rod_body *body;
    lay(&at, sizeof *body, &body);
    lay(&at, (size_t)blocks * sizeof(sn_rod_block), &body->block);
    lay(&at, (size_t)blocks * sizeof(sn_rod_driver), &body->driver);
    lay(&at, (size_t)blocks * sizeof(int), &body->parent);
    lay(&at, (size_t)blocks * sizeof(int), &body->held);
    lay(&at, (size_t)points * sizeof(int), &body->block_of_point);
    body->points = points;
    body->blocks = blocks;
    body->base.contact = (sn_contact_settings){.surface = sn_surface_default(), .collide = true};
    return body;
}

void sn_rod_body_free(sn_memory *memory, sn_rod_body *body) {
    if (body && body->may_self_collide)
        sn_free(memory, body->may_self_collide, sn_rod_collide_table_size(body->blocks),
                sizeof *body->may_self_collide);
    if (body) sn_free(memory, body, 1, body_size(body->points, body->blocks));
}

// A frame whose third axis is w.
static sn_quat frame_along(sn_vec3 w) {
    return sn_q_between(sn_v3(0, 0, 1), w);
}

// q turned as little as possible so that its third axis is w.
static sn_quat aim(sn_quat q, sn_vec3 w) {
    return sn_q_normalize(sn_q_mul(sn_q_between(sn_q_axis_z(q), w), q));
}

static sn_vec3 direction(const sn_vec3 *points, const sn_rod_order *order, int child, int parent, sn_real *length) {
    sn_vec3 along = sn_sub(points[order->point_of_block[child]], points[order->point_of_block[parent]]);
    *length = sn_length(along);
    return sn_normalize(along, sn_v3(0, 0, 1));
}

// Complains about a segment too short to have a direction, or so long that its square is not a number.
static void check_segment(complaints *c, const char *name, const sn_rod_order *order, int child, int parent,
                          sn_real length) {
    if ((length > (sn_real)1e-6 && length <= (sn_real)1e6) || c->count >= 20) return;
    char field[64];
    snprintf(field, sizeof field, "%s[%d]", name, order->point_of_block[child]);
    complain(c, field, "is %g m from point %d: a segment must be longer than 1e-6 m and no longer than 1e6 m",
             (double)length, order->point_of_block[parent]);
}

// The rotation from frame p to frame q as the quaternion with w >= 0: its imaginary part is the curvature. Frames
// carried once around a loop come back with the other sign.
static sn_quat rest_rotation(sn_quat p, sn_quat q) {
    sn_quat r = sn_q_normalize(sn_q_mul(sn_q_conj(p), q));
    return r.w < 0 ? (sn_quat){-r.x, -r.y, -r.z, -r.w} : r;
}

// Rest lengths and rest frames along the rest shape; fills block->length and block->rel. 'frame' is scratch.
static void rest_points(complaints *c, const sn_rod_def *def, const sn_rod_order *order, sn_rod_body *body,
                        sn_quat *frame) {
    const sn_vec3 *rest = def->rest_points ? def->rest_points : def->points;
    const char *name = def->rest_points ? "rest_points" : "points";
    const bool loop = order->parent[0] >= 0;
    sn_real min = 0;
    for (int i = 0; i < order->blocks; i++) {
        int p = order->parent[i];
        sn_rod_block *b = &body->block[i];
        if (i == order->ghost) {
            frame[i] = frame[p];
            b->rel = sn_q_identity();
            continue;
        }
        if (p < 0) { // a tree's root: the ghost frame looks along its only segment
            frame[i] = frame_along(direction(rest, order, 1, 0, &min));
            continue;
        }
        sn_vec3 w = direction(rest, order, i, p, &b->length);
        check_segment(c, name, order, i, p, b->length);
        if (i == 0) { // a loop's root starts the frames, with the segment that closes it
            frame[0] = frame_along(w);
            continue;
        }
        frame[i] = aim(frame[p], w);
        if (def->rest_twist != 0 && (p > 0 || loop)) {
            sn_real sine, cosine, half = (sn_real)0.25 * def->rest_twist * (b->length + body->block[p].length);
            sn_sincos(half, &sine, &cosine);
            frame[i] = sn_q_mul(frame[i], (sn_quat){0, 0, sine, cosine});
        }
        b->rel = rest_rotation(frame[p], frame[i]);
    }
    if (loop) {
        int a = order->parent[0];
        body->block[0].rel = rest_rotation(frame[a], frame[0]);
    }
}

// The starting state.
static void start_points(complaints *c, const sn_rod_def *def, const sn_rod_order *order, const sn_rod_body *body,
                         sn_real *start) {
    for (int i = 0; i < order->blocks; i++) {
        int p = order->parent[i], at = i == order->ghost ? order->point_of_block[p] : order->point_of_block[i];
        sn_real *x = start + (size_t)i * (X_ROWS + V_ROWS), *v = x + X_ROWS;
        sn_vec3 centre = def->points[at];
        x[X_CX] = centre.x, x[X_CY] = centre.y, x[X_CZ] = centre.z, x[X_S] = 1;
        sn_real length;
        sn_quat q = sn_q_identity();
        if (p < 0)
            q = frame_along(direction(def->points, order, 1, 0, &length));
        else if (i == 0) {
            q = frame_along(direction(def->points, order, 0, p, &length));
            if (def->rest_points) check_segment(c, "points", order, 0, p, length);
        } else {
            const sn_real *xp = start + (size_t)p * (X_ROWS + V_ROWS);
            q = sn_q_mul((sn_quat){xp[X_QX], xp[X_QY], xp[X_QZ], xp[X_QW]}, body->block[i].rel);
            if (i != order->ghost) {
                q = aim(q, direction(def->points, order, i, p, &length));
                if (def->rest_points) check_segment(c, "points", order, i, p, length); // else rest_points did
            }
        }
        x[X_QX] = q.x, x[X_QY] = q.y, x[X_QZ] = q.z, x[X_QW] = q.w;
        x[X_LX] = x[X_LY] = x[X_LZ] = 0;
        for (int r = 0; r < V_ROWS; r++) v[r] = 0;
        if (i != order->ghost) v[V_CX] = def->velocity.x, v[V_CY] = def->velocity.y, v[V_CZ] = def->velocity.z;
    }
}

// A half ball on an end: its inertia about the ball's centre, which is the point, is 2/5 m r^2 about any axis, and that of growing 3/5.
static double add_cap(sn_rod_block *b, sn_real density) {
    const double r = (double)b->radius, volume = 2.0 / 3 * (double)SN_PI * r * r * r, mass = (double)density * volume;
    b->mass += (sn_real)mass;
    b->scale_mass += (sn_real)(0.6 * mass * r * r);
    b->cap_inertia = (sn_real)(0.4 * mass * r * r);
    return volume;
}

// Each end of a segment bears half of it; the inertia of a scale is half of m r^2.
void sn_rod_weigh(sn_rod_body *body) {
    double damping = 0, volume = 0;
    int segments = 0;
    for (int i = 0; i < body->blocks; i++)
        body->block[i].mass = body->block[i].scale_mass = body->block[i].cap_inertia = 0, body->block[i].segments = 0;
    for (int i = 0; i < body->blocks; i++) {
        const int p = body->parent[i];
        if (p < 0 || body->block[i].ghost) continue;
        sn_rod_block *b = &body->block[i], *q = &body->block[p];
        double r = 0.5 * ((double)b->radius + (double)q->radius), part = (double)SN_PI * r * r * (double)b->length;
        volume += part;
        damping += (double)b->material.damping;
        segments++;
        sn_real half = (sn_real)(0.5 * part * (double)b->material.density), half_s = (sn_real)(0.5 * r * r) * half;
        b->mass += half, b->scale_mass += half_s, ++b->segments;
        q->mass += half, q->scale_mass += half_s, ++q->segments;
    }
    for (int i = 0; i < body->blocks && body->end_caps; i++) {
        const int p = body->parent[i];
        if (p < 0 || body->block[i].ghost) continue;
        const sn_real density = body->block[i].material.density;
        if (body->block[i].segments == 1) volume += add_cap(&body->block[i], density);
        if (body->block[p].segments == 1) volume += add_cap(&body->block[p], density);
    }
    for (int i = 0; i < body->blocks; i++)
        body->block[i].smooth = body->parent[i] >= 0 && body->block[body->parent[i]].segments == 2;
    body->damping = (sn_real)(damping / segments);
    body->rest_volume = (sn_real)volume;
}

static void fill_body(const sn_rod_def *def, const sn_rod_order *order, sn_rod_body *body) {
    body->base.label = def->label;
    body->end_caps = def->end_caps;
    body->clamp[0] = def->clamp_first ? 0 : -1;
    body->clamp[1] = order->ghost;
    for (int i = 0; i < order->blocks; i++) {
        sn_rod_block *b = &body->block[i];
        int point = i == order->ghost ? order->point_of_block[order->parent[i]] : order->point_of_block[i];
        body->parent[i] = order->parent[i];
        b->radius = b->contact_radius = def->radii ? def->radii[point] : def->radius;
        b->material = def->materials ? def->materials[point] : def->material;
        b->stiffness = b->contraction = 1;
        b->rest = def->rest_points ? def->rest_points[point] : def->points[point];
        b->ghost = i == order->ghost;
        if (b->ghost || order->parent[i] < 0) b->rel = sn_q_identity();
        if (i != order->ghost) body->block_of_point[point] = i;
    }
    sn_rod_weigh(body);
    if (def->clamp_first) body->block[0].hold = SN_HOLD_CENTRE | SN_HOLD_CLAMP;
    if (order->ghost >= 0) {
        body->block[order->ghost].hold = SN_HOLD_CLAMP;
        body->block[order->parent[order->ghost]].hold = SN_HOLD_CENTRE;
    }
}

bool sn_rod_is_light(const sn_rod_block *b) {
    return b->ghost || (b->mass < SN_IS_HELD && b->scale_mass < SN_IS_HELD);
}

static void check_weight(complaints *c, const sn_rod_def *def, const sn_rod_order *order, const sn_rod_body *body) {
    for (int i = 0; i < order->blocks && c->count < 20; i++) {
        const sn_rod_block *b = &body->block[i];
        if (sn_rod_is_light(b)) continue;
        char field[64];
        snprintf(field, sizeof field, def->radii ? "radii[%d]" : "radius", order->point_of_block[i]);
        complain(c, field, "makes point %d too heavy: %g kg, with an inertia of %g kg m^2 (both must be below %g)",
                 order->point_of_block[i], (double)b->mass, (double)b->scale_mass, (double)SN_IS_HELD);
    }
}

sn_status sn_rod_model(sn_memory *memory, const sn_log *log, const sn_rod_def *def, sn_rod_body **body,
                       sn_real **start) {
    *body = NULL, *start = NULL;
    complaints c = {log, 0};
    check(&c, def);
    if (c.count) return SN_ERR_DEF;

    const size_t max = (size_t)def->point_count + 1;
    int *tables = sn_alloc(memory, 3 * max, sizeof *tables);
    sn_quat *frame = sn_alloc(memory, max, sizeof *frame);
    sn_real *state = sn_alloc(memory, max, (X_ROWS + V_ROWS) * sizeof *state);
    sn_status status = tables && frame && state ? SN_OK : SN_ERR_MEMORY;
    sn_rod_body *made = NULL;
    if (status == SN_OK) {
        sn_rod_order order = {0, tables, tables + max, tables + 2 * max, -1};
        const char *field, *wrong = sn_rod_order_points(memory, def, &order, &field);
        if (wrong && !field) status = SN_ERR_MEMORY;
        if (wrong && field) complain(&c, field, "%s", wrong);
        if (!wrong && !(made = sn_rod_body_alloc(memory, def->point_count, order.blocks))) status = SN_ERR_MEMORY;
        if (made) {
            rest_points(&c, def, &order, made, frame);
            fill_body(def, &order, made);
            check_weight(&c, def, &order, made);
            start_points(&c, def, &order, made, state);
            for (int k = 0; k < 2; k++) {
                if (made->clamp[k] < 0) continue;
                const sn_real *x = state + (size_t)made->clamp[k] * (X_ROWS + V_ROWS);
                made->clamp_frame[k] = (sn_quat){x[X_QX], x[X_QY], x[X_QZ], x[X_QW]};
            }
        }
        if (c.count) status = SN_ERR_DEF;
    }
    sn_free(memory, tables, 3 * max, sizeof *tables);
    sn_free(memory, frame, max, sizeof *frame);
    if (status != SN_OK) {
        sn_free(memory, state, max, (X_ROWS + V_ROWS) * sizeof *state);
        sn_rod_body_free(memory, made);
        return status;
    }
    *body = made, *start = state;
    return SN_OK;
}

int sn_rod_check_materials(const sn_log *log, const sn_rod_body *body, const sn_material *materials) {
    complaints c = {.log = log};
    const bool bends = sn_rod_uses_scale_bend(body);
    for (int i = 0; i < body->points && c.count < 20; i++) {
        const sn_material *m = &materials[i], *old = &body->block[body->block_of_point[i]].material;
        char field[64];
        snprintf(field, sizeof field, "materials[%d]", i);
        check_material(&c, field, m);
        if (m->density != old->density) complain(&c, field, "density must stay %g", (double)old->density);
        if (m->volume_in_bend != old->volume_in_bend) complain(&c, field, "volume_in_bend must stay");
        if (m->scale_bend > 0 && !bends) complain(&c, field, "scale_bend must stay 0");
    }
    return c.count;
}

void sn_rod_change_materials(sn_rod_body *body, const sn_material *materials) {
    for (int i = 0; i < body->points; i++) body->block[body->block_of_point[i]].material = materials[i];
    sn_rod_weigh(body); // their damping; what it weighs stays
}

bool sn_rod_uses_scale_bend(const sn_rod_body *body) {
    for (int i = 0; i < body->blocks; i++)
        if (body->block[i].material.scale_bend > 0) return true;
    return false;
}

bool sn_rod_uses_volume_bend(const sn_rod_body *body) {
    for (int i = 0; i < body->blocks; i++)
        if (body->block[i].material.volume_in_bend) return true;
    return false;
}

// Whether there is a joint at the parent's point: between two segments, or of one with a clamp.
static bool has_joint(const sn_rod_body *body, int i) {
    const sn_rod_block *b = &body->block[i];
    if (body->parent[i] < 0) return false;
    const sn_rod_block *q = &body->block[body->parent[i]];
    if (b->ghost) return b->hold & SN_HOLD_CLAMP;
    return q->length > 0 || (q->hold & SN_HOLD_CLAMP);
}

// At a branch the halves of all segments that meet there bend against one rotation, the branch's own. The tree has no such
// unknown; the frame of the segment b towards the root takes its place, and that segment's half does not bend here but at the next
// two joints towards the root, which get as much more and less that their sum turns and moves the branch as the half would:
//
//        g ----- p ----- b ---<        c at p: + c_b (1 + l_b/l_p)      c: compliance, 1/stiffness
//      joint   joint   branch          c at g: - c_b      l_b/l_p       c_b: that of the half of segment b
//
// So a branch bends alike whichever of its arms leads to the root. If g is the root and free, all of the half bends at p. If p is
// not just a point along an arm, it stays, in series with the half of each other arm.
static bool bends_elsewhere(const sn_rod_body *body, int i) {
    const int p = body->parent[i];
    return body->block[i].segments > 2 && p >= 0 && body->block[p].segments == 2;
}

// Stiffnesses of a joint on Im(q): pi r^4 k/lj.
enum { JOINT_BEND, JOINT_TWIST, JOINT_VOLUME, JOINT_TERMS };

// Of the halves of two segments that meet at a point; the same segment twice: of one half alone.
static void stiffness_between(const sn_rod_block *a, const sn_rod_block *b, const sn_rod_block *point,
                              double out[JOINT_TERMS]) {
    const sn_material *m = &a->material, *n = &b->material;
    double lj = a == b ? 0.5 * (double)a->length : 0.5 * ((double)a->length + (double)b->length);
    double r2 = (double)point->radius * (double)point->radius;
    double ratio = 0.5 * ((double)a->stiffness + (double)b->stiffness) * (double)SN_PI * r2 * r2 / lj;
    out[JOINT_BEND] = ratio * 0.5 * ((double)m->young + (double)n->young);
    out[JOINT_TWIST] = ratio * ((double)m->shear + (double)n->shear);
    out[JOINT_VOLUME] =
        m->volume_in_bend && n->volume_in_bend ? ratio * 0.5 * ((double)m->volume + (double)n->volume) : 0;
}

// Of the halves that bend at the parent's point of block i, which has a joint there. A clamp bends half a segment.
static void halves_at_parent(const sn_rod_body *body, int i, double out[JOINT_TERMS]) {
    const int p = body->parent[i];
    const sn_rod_block *b = &body->block[i], *q = &body->block[p], *segment = b->ghost ? q : b;
    const bool both = !b->ghost && q->length > 0 && !bends_elsewhere(body, p);
    stiffness_between(segment, both ? q : segment, q, out);
}

static void stiffness_of_joint(const sn_rod_body *body, int i, double out[JOINT_TERMS]) {
    halves_at_parent(body, i, out);
    // the branch that bends here, at either of the two joints
    const int next = body->parent[0] == i ? 0 : i + 1;
    const bool here = bends_elsewhere(body, i);
    const bool above = !here && next < body->blocks && body->parent[next] == i && bends_elsewhere(body, next);
    if (!here && !above) return;
    const int b = here ? i : next, p = body->parent[b];
    double half[JOINT_TERMS], far[JOINT_TERMS] = {0};
    stiffness_between(&body->block[b], &body->block[b], &body->block[b], half);
    if (has_joint(body, p)) halves_at_parent(body, p, far);
    for (int k = 0; k < JOINT_TERMS; k++) {
        if (!(out[k] > 0 && half[k] > 0)) continue;
        const double lever = (double)body->block[b].length / (double)body->block[p].length;
        const double moved = far[k] > 0 ? fmin(lever / half[k], 0.75 / far[k]) : 0; // a part of it always stays at g
        out[k] = here ? 1 / (1 / out[k] + 1 / half[k] + moved) : 1 / (1 / out[k] - moved);
    }
}

// Nothing of the rod goes on beyond this end of block i's segment.
static bool is_end(const sn_rod_body *body, int i, bool parent) {
    const int point = parent ? body->parent[i] : i;
    if (parent && body->parent[point] >= 0) return false;
    int children = 0;
    for (int k = 0; k < body->blocks; k++) children += body->parent[k] == point;
    return children == (parent ? 1 : 0);
}

void sn_rod_end_compliance(const sn_rod_body *body, int i, sn_real along, sn_real *bend, sn_real *twist) {
    *bend = *twist = 0;
    const sn_rod_block *b = &body->block[i];
    const double displacement = fabs(2 * (double)along - 1); // from the middle, of half the segment
    if (!(displacement > 0 && b->length > 0) || !is_end(body, i, along < (sn_real)0.5)) return;
    double half[JOINT_TERMS];
    stiffness_between(b, b, along < (sn_real)0.5 ? &body->block[body->parent[i]] : b, half);
    if (half[JOINT_BEND] > 0)
        *bend = (sn_real)(4 * displacement / (half[JOINT_BEND] + half[JOINT_VOLUME])); // of Im(q): half an angle
    if (half[JOINT_TWIST] > 0) *twist = (sn_real)(4 * displacement / half[JOINT_TWIST]);
}

// What a scale that varies along a segment costs beyond eq. 13. Eqs. 12 and 18 are measured at the middle of the segment, where
// radii that alternate from point to point cost nothing. With s = s_m + (t - 1/2) D, the mean of (s - 1)^2 is D^2/12 more. The
// volume s^2 d - 1 may stay 0 along the segment, if the stretch d varies as -2 (t - 1/2) D; then Young's modulus and the volume's
// stiffness act in series on that: 4 D^2/12 of both. Half as much again is taken for the flow along the segment, which shears it. With the
// volume's stiffness alone, muscles that contract in an area would not swell there (docs/rods.md).
static double within_segment(const sn_material *m) {
    const double young = (double)m->young, volume = (double)m->volume;
    const double series = young + volume > 0 ? young * volume / (young + volume) : 0;
    return 2 * (double)m->shear / 12 + series / 2;
}

double sn_rod_volume_stiffness(const sn_rod_body *body, int i) {
    const sn_rod_block *b = &body->block[i];
    if (!(b->length > 0)) return 0;
    const double r = 0.5 * ((double)b->radius + (double)body->block[body->parent[i]].radius);
    return (double)b->stiffness * (double)SN_PI * (r * r) * (double)b->material.volume * (double)b->length;
}

// A joint between two segments has half of each; that to a clamp half of one.
sn_real sn_rod_joint_length(const sn_rod_body *body, int i) {
    const int p = body->parent[i];
    return p >= 0 ? (sn_real)0.5 * (body->block[i].length + body->block[p].length) : 0;
}

// The rest rotation of a joint, with the curvature that was set.
static sn_quat bent(const sn_rod_body *body, int i) {
    const sn_rod_block *b = &body->block[i];
    const sn_vec3 v = sn_mul((sn_real)0.5 * sn_rod_joint_length(body, i), b->bend);
    const sn_real half = sn_length(v);
    sn_real sine, cosine;
    if (!(half > 0)) return b->rel;
    sn_sincos(half, &sine, &cosine);
    const sn_quat more = {sine / half * v.x, sine / half * v.y, sine / half * v.z, cosine};
    return sn_q_normalize(sn_q_mul(b->rel, more));
}

void sn_rod_block_params(const sn_rod_body *body, int i, sn_real out[P_ROWS]) {
    const sn_rod_block *b = &body->block[i];
    const int p = body->parent[i];
    double o[P_ROWS] = {0};
    o[P_INV_L] = 1, o[P_REST] = 1, o[P_REL_W] = 1;
    const double pi = (double)SN_PI;

    // The segment towards the parent.
    if (b->length > 0) {
        const sn_material *m = &b->material;
        double l = (double)b->length, r = 0.5 * ((double)b->radius + (double)body->block[p].radius), r2 = r * r,
               k = (double)b->stiffness;
        double big_k = 2 * (double)m->shear;
        o[P_INV_L] = 1 / l;
        o[P_REST] = (double)b->contraction;
        o[P_STRETCH] = k * pi * r2 * (double)m->young * l;
        o[P_SHEAR] = k * pi * r2 * (double)m->transverse * l;
        o[P_SECTION] = k * pi * r2 * big_k * l;
        o[P_GRADIENT] = k * pi * r2 * (0.25 * r2 * big_k / l + l * within_segment(m));
        o[P_VOLUME] = body->assembled ? 0 : sn_rod_volume_stiffness(body, i); // whoever assembles keeps the volume
        o[P_INERTIA_T] = 0.25 * pi * r2 * r2 * (double)m->density * l;
        o[P_INERTIA_W] = 2 * o[P_INERTIA_T];
        const double caps = (double)b->cap_inertia + (double)body->block[p].cap_inertia; // an end has no other segment
        o[P_INERTIA_T] += caps, o[P_INERTIA_W] += caps;
    } else
        o[P_INERTIA_T] = o[P_INERTIA_W] = 1; // an idle frame

    // The joint at the parent's point. A clamp's joint has half the length of its segment.
    if (p >= 0) {
        const sn_rod_block *q = &body->block[p];
        bool joins = b->length > 0 && q->length > 0;
        if (has_joint(body, i)) {
            double stiffness[JOINT_TERMS];
            stiffness_of_joint(body, i, stiffness);
            o[P_BEND] = stiffness[JOINT_BEND], o[P_TWIST] = stiffness[JOINT_TWIST];
            o[P_VOLBEND] = stiffness[JOINT_VOLUME];
            const sn_quat rel = bent(body, i);
            o[P_REL_X] = (double)rel.x, o[P_REL_Y] = (double)rel.y, o[P_REL_Z] = (double)rel.z;
            o[P_REL_W] = (double)rel.w;
            o[P_KAPPA] = joins && b->smooth;
            if (joins) {
                double lp = (double)b->length, lm = (double)q->length, r2 = (double)q->radius * (double)q->radius;
                double kb = 0.5 * ((double)b->material.scale_bend + (double)q->material.scale_bend);
                double k = 0.5 * ((double)b->stiffness + (double)q->stiffness);
                o[P_SCALEBEND] = k * 0.25 * pi * r2 * r2 * kb * 0.5 * (lm + lp);
                o[P_SB_CHILD] = 2 / ((lm + lp) * lp);
                o[P_SB_PARENT] = 2 / ((lm + lp) * lm);
            }
        }
    }

    o[P_MASS] = (double)b->mass, o[P_MASS_S] = (double)b->scale_mass;
    const double held = (double)SN_HELD;
    if ((b->hold & SN_HOLD_CENTRE) || b->ghost) o[P_MASS] = held;
    if ((b->hold & SN_HOLD_SCALE) || b->ghost) o[P_MASS_S] = held;
    if ((b->hold & SN_HOLD_FRAME) || b->ghost || (b->length == 0 && (b->hold & SN_HOLD_CLAMP)))
        o[P_INERTIA_T] = o[P_INERTIA_W] = held;
    for (int r = 0; r < P_ROWS; r++) out[r] = (sn_real)o[r];
}
