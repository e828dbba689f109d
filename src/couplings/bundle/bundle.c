// Bundling, VIPER 7.3: the points of a cross-section, their scales and the frames of their segments are those at rest,
// moved by one similarity T* (similarity.c):
//
//     c_i = c* + s* R* (c'_i - mu'),     s_i = s* s'_i,     R_j = (mean of R* at the segment's two ends) R'_j.
//
// In the common solve a bundle is one body: bundle_solve.c. What follows is for the paper's solvers, which iterate, and where sections
// do not flatten. There rods are solved for x near the inertial prediction xh. A section then moves its points by d onto their goals,
// and both x and xh by the same d, so that the correction stays as an impulse M d / h. More iterations come closer to the coupled
// solution, and since fits conserve momentum (similarity.c), every iteration does. Held points do not move and count a million times
// their mass, so that sections follow them.
//
// Bones (8.2). A solver starts at x + h v, which is right as long as the velocity does not change. The ends of a muscle
// move with their bones. The change of the bones' motion D, blended along the fibre, from the previous substep to this
// one is added:
//
//     start = x + h v + D(x) - D_before(x - h v),
//
// so that fibres that moved with their bones keep moving with them, also where the bones rotate fast.
//
// Activation shortens the rest stretch g of segments so far that a free fibre comes to l = 1 - a (1 - shortest): a
// fibre that keeps its volume then has the scale s = l^(-1/2), and kz (l - g) = K / 2 (s - 1) l^(-3/2) balances the
// resistance of its cross-section (eqs. 11, 12). It keeps the rest volume. Or fibres pull: bundle_pull.c.
#include "couplings/bundle/bundle.h"
#include "base/validate.h"
#include <math.h>
#include <string.h>

#define HELD_COUNTS 1e6
#define MAX_ACROSS  1e6
// Frames are means over two sections. So that a fit of rods that follow their sections returns just these, points decide where
// they can.
#define FRAMES_VOTE 1e-3

void sn_bundles_init(sn_bundles *bundles, sn_memory *memory) {
    *bundles = (sn_bundles){.world = bundles->world, .log = bundles->log, .memory = memory, .free_item = -1};
}

static size_t places_of(const sn_bundle_body *b) {
    return (size_t)b->sections * (size_t)b->def.rod_count;
}

static void free_body(sn_memory *memory, sn_bundle_body *b) {
    const size_t rods = (size_t)b->def.rod_count, n = places_of(b);
    sn_body *ids = (sn_body *)(uintptr_t)b->def.rods; // its own copy
    sn_free(memory, ids, rods, sizeof *ids);
    sn_free(memory, b->rods, rods, sizeof *b->rods);
    sn_free(memory, b->rest, n, sizeof *b->rest);
    sn_free(memory, b->back, n, sizeof *b->back);
    sn_free(memory, b->points, n, sizeof *b->points);
    sn_free(memory, b->moved, n, sizeof *b->moved);
    sn_free(memory, b->pull, n, sizeof *b->pull);
    sn_free(memory, b->fits, (size_t)b->sections, sizeof *b->fits);
    sn_free(memory, b->planes, (size_t)b->sections, sizeof *b->planes);
    sn_free(memory, b->across, (size_t)b->sections, sizeof *b->across);
    sn_free(memory, b->along, (size_t)b->sections, sizeof *b->along);
    sn_bundle_system_free(memory, &b->system);
}

void sn_bundles_free(sn_bundles *s) {
    for (int i = 0; i < s->count; i++)
        if (s->items[i].alive) free_body(s->memory, &s->items[i]);
    sn_free(s->memory, s->items, (size_t)s->capacity, sizeof *s->items);
    sn_free(s->memory, s->places, (size_t)s->place_capacity, sizeof *s->places);
    sn_bundles_init(s, s->memory);
}

// ---- rods

bool sn_bundle_find_rods(sn_bundle_body *b, const sn_rod_system *system) {
    bool all = true;
    for (int i = 0; i < b->def.rod_count; i++) {
        b->rods[i] = sn_rod_find(system, b->def.rods[i]);
        all = all && b->rods[i] && b->rods[i]->points == b->sections;
    }
    return all;
}

static sn_real *state(const sn_rod_system *s, const sn_rod_body *rod, int block) {
    return sn_rod_at(s, rod, sn_rod_packet_of(s, rod)->x, X_ROWS, block, 0);
}

static sn_quat frame_in(const sn_rod_system *s, const sn_rod_body *rod, sn_real *array, int block) {
    const sn_real *x = sn_rod_at(s, rod, array, X_ROWS, block, 0);
    const int l = s->lanes;
    return (sn_quat){x[X_QX * l], x[X_QY * l], x[X_QZ * l], x[X_QW * l]};
}

static sn_quat frame_at(const sn_rod_system *s, const sn_rod_body *rod, int block) {
    return frame_in(s, rod, sn_rod_packet_of(s, rod)->x, block);
}

static bool has_segment(const sn_rod_body *rod, int block) {
    return rod->block[block].length > 0;
}

// The point of a block that is not a ghost. Most rods are chains, where it is the block's own index.
static int point_of(const sn_rod_body *rod, int block) {
    if (block < rod->points && rod->block_of_point[block] == block) return block;
    int point = 0;
    while (rod->block_of_point[point] != block) point++;
    return point;
}

int sn_bundle_section_before(const sn_bundle_body *b, int rod, int section) {
    const sn_rod_body *body = b->rods[rod];
    const int parent = body->parent[body->block_of_point[section]];
    return parent < 0 ? -1 : point_of(body, parent);
}

// ---- create and destroy

int sn_bundle_errors(const sn_log *log, const sn_bundle_def *d) {
    int count = 0;
    if ((int)d->kind < SN_BUNDLE_SIMILAR || (int)d->kind > SN_BUNDLE_SOFT)
        count += sn_def_error(log, "kind", "must be one of sn_bundle_kind");
    if ((int)d->activate != SN_ACTIVATE_LENGTH && (int)d->activate != SN_ACTIVATE_FORCE)
        count += sn_def_error(log, "activate", "must be one of sn_activate");
    if (!sn_between(d->hertz, 0, (sn_real)1e6)) count += sn_def_error(log, "hertz", "must be from 0 to 1e6");
    if (!sn_between(d->shortest, (sn_real)0.2, 1)) count += sn_def_error(log, "shortest", "must be from 0.2 to 1");
    if (!sn_between(d->stress, 0, (sn_real)1e9)) count += sn_def_error(log, "stress", "must be from 0 to 1e9 Pa");
    if (!sn_between(d->optimal, (sn_real)0.1, 10)) count += sn_def_error(log, "optimal", "must be from 0.1 to 10");
    if (!sn_between(d->max_speed, 0, 1000)) count += sn_def_error(log, "max_speed", "must be from 0 to 1000");
    if (!sn_between(d->rise, 0, 1000)) count += sn_def_error(log, "rise", "must be from 0 to 1000 s");
    if (!sn_between(d->fall, 0, 1000)) count += sn_def_error(log, "fall", "must be from 0 to 1000 s");
    if (!sn_between(d->from, 0, 1)) count += sn_def_error(log, "from", "must be from 0 to 1");
    if (!sn_between(d->to, d->from, 1)) count += sn_def_error(log, "to", "must be from 'from' to 1");
    return count;
}

static const sn_bone_motion still = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0, 1}};

// The position of each section along the fibres, over their mean length.
static void measure_along(sn_bundle_body *b) {
    const int n = b->def.rod_count;
    for (int k = 0; k < b->sections; k++) {
        sn_real length = 0;
        for (int i = 0; i < n && k > 0; i++) length += sn_length(sn_sub(b->rest[k * n + i], b->rest[(k - 1) * n + i]));
        b->along[k] = k > 0 ? b->along[k - 1] + length : 0;
    }
    const sn_real whole = b->along[b->sections - 1];
    for (int k = 0; k < b->sections && whole > 0; k++) b->along[k] /= whole;
}

static void store_rest(sn_bundle_body *b, const sn_rod_system *system) {
    const int n = b->def.rod_count, lanes = system->lanes;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < b->sections; k++) {
            const int block = b->rods[i]->block_of_point[k];
            const sn_real *x = state(system, b->rods[i], block);
            b->rest[k * n + i] = sn_v3(x[X_CX * lanes], x[X_CY * lanes], x[X_CZ * lanes]);
            b->back[k * n + i] =
                has_segment(b->rods[i], block) ? sn_q_conj(frame_at(system, b->rods[i], block)) : (sn_quat){0, 0, 0, 0};
        }
}

static bool make_arrays(sn_memory *memory, sn_bundle_body *b) {
    const size_t rods = (size_t)b->def.rod_count, n = places_of(b);
    sn_body *ids = sn_alloc(memory, rods, sizeof *ids);
    b->def.rods = ids;
    b->rods = sn_alloc(memory, rods, sizeof(sn_rod_body *));
    b->rest = sn_alloc(memory, n, sizeof *b->rest);
    b->back = sn_alloc(memory, n, sizeof *b->back);
    b->points = sn_alloc(memory, n, sizeof *b->points);
    b->moved = sn_alloc(memory, n, sizeof *b->moved);
    b->pull = sn_alloc(memory, n, sizeof *b->pull);
    b->fits = sn_alloc(memory, (size_t)b->sections, sizeof *b->fits);
    b->planes = sn_alloc(memory, (size_t)b->sections, sizeof *b->planes);
    b->across = sn_alloc(memory, (size_t)b->sections, sizeof *b->across);
    b->along = sn_alloc(memory, (size_t)b->sections, sizeof *b->along);
    return ids && b->rods && b->rest && b->back && b->points && b->moved && b->pull && b->fits && b->planes &&
           b->across && b->along;
}

// A section whose points lie in a row has no area: what pulled them together would meet no resistance but that of the row.
#define ROW 0.01 // of the larger principal variance

static bool has_area(const sn_bundle_body *b, int section) {
    const sn_section_plane *plane = &b->planes[section];
    double uu = 0, uv = 0, vv = 0;
    for (int i = 0; i < b->def.rod_count; i++) {
        const sn_vec3 at = b->rest[section * b->def.rod_count + i];
        const double from[3] = {(double)at.x - plane->middle[0], (double)at.y - plane->middle[1],
                                (double)at.z - plane->middle[2]};
        double u = 0, v = 0;
        for (int r = 0; r < 3; r++) u += plane->u[r] * from[r], v += plane->v[r] * from[r];
        uu += u * u, uv += u * v, vv += v * v;
    }
    const double mean = 0.5 * (uu + vv), spread = sqrt(0.25 * (uu - vv) * (uu - vv) + uv * uv);
    return mean - spread > ROW * (mean + spread);
}

// The planes that sections stretch in: across the mean direction of their segments at rest. Rows of fibres do not stretch.
static void measure_planes(sn_bundle_body *b) {
    const int n = b->def.rod_count;
    b->flattens = false;
    for (int k = 0; k < b->sections; k++) {
        double normal[3] = {0}, middle[3] = {0};
        for (int i = 0; i < n; i++) {
            const sn_vec3 at = b->rest[k * n + i];
            middle[0] += (double)at.x / n, middle[1] += (double)at.y / n, middle[2] += (double)at.z / n;
            for (int other = 0; other < b->sections; other++) {
                const sn_quat back = b->back[other * n + i];
                if (sn_q_dot(back, back) == 0 || (other != k && sn_bundle_section_before(b, i, other) != k)) continue;
                const double q[4] = {-(double)back.x, -(double)back.y, -(double)back.z, (double)back.w};
                double along[3];
                sn_rotate_double(q, (const double[3]){0, 0, 1}, along);
                for (int r = 0; r < 3; r++) normal[r] += along[r];
            }
        }
        b->planes[k] = sn_section_plane_across(normal, middle);
        b->flattens = b->flattens || has_area(b, k);
    }
}

// What the common solve needs.
static bool make_system(sn_memory *memory, sn_bundle_body *b) {
    int *before = sn_alloc(memory, (size_t)b->sections, sizeof *before);
    for (int k = 0; before && k < b->sections; k++) before[k] = sn_bundle_section_before(b, 0, k);
    const bool made = before && sn_bundle_system_create(memory, &b->system, b->sections, b->def.rod_count, before);
    sn_free(memory, before, (size_t)b->sections, sizeof *before);
    return made;
}

// Rebuilds the list of all sections.
static bool list_places(sn_bundles *s) {
    int count = 0;
    for (int i = 0; i < s->count; i++) count += s->items[i].alive ? s->items[i].sections : 0;
    if (!sn_reserve(s->memory, (void **)&s->places, &s->place_capacity, count, sizeof *s->places)) return false;
    s->place_count = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; s->items[i].alive && k < s->items[i].sections; k++)
            s->places[s->place_count++] = (sn_bundle_place){i, k};
    return true;
}

// Whoever assembles keeps the volume, so rods' parameters depend on it.
static void write_params(const sn_bundle_body *b, sn_rod_system *system) {
    for (int i = 0; i < b->def.rod_count; i++)
        for (int k = 0; b->rods[i] && k < b->rods[i]->blocks; k++) sn_rod_write_params(system, b->rods[i], k);
}

static void join_family(const sn_bundle_body *b, sn_rod_system *system, uint32_t family) {
    for (int i = 0; i < b->def.rod_count; i++)
        if (b->rods[i]) b->rods[i]->base.contact.family = family, b->rods[i]->assembled = family != 0;
    write_params(b, system);
}

int sn_bundle_add(sn_bundles *s, sn_rod_system *system, const sn_bundle_def *def) {
    const bool added = s->free_item < 0;
    if (added) {
        if (!sn_reserve(s->memory, (void **)&s->items, &s->capacity, s->count + 1, sizeof *s->items)) return -1;
        s->items[s->count] = (sn_bundle_body){.gen = 1, .next_free = -1};
        s->free_item = s->count++;
    }
    const int number = s->free_item;
    sn_bundle_body *b = &s->items[number], made = {.gen = b->gen, .def = *def, .next_free = b->next_free};
    made.sections = sn_rod_find(system, def->rods[0])->points;
    bool good = make_arrays(s->memory, &made);
    if (good) {
        sn_body *ids = (sn_body *)(uintptr_t)made.def.rods;
        for (int i = 0; i < def->rod_count; i++) ids[i] = def->rods[i];
        sn_bundle_find_rods(&made, system);
        store_rest(&made, system);
        measure_along(&made);
        measure_planes(&made);
        good = make_system(s->memory, &made);
        made.last[0] = made.last[1] = still;
        made.alive = true;
        *b = made;
        good = good && list_places(s);
    }
    if (!good) {
        free_body(s->memory, &made);
        *b = (sn_bundle_body){.gen = made.gen, .next_free = made.next_free};
        if (added) s->count = number, s->free_item = -1;
        list_places(s); // fewer than before: cannot fail
        return -1;
    }
    s->free_item = made.next_free;
    b->next_free = -1;
    s->alive++;
    join_family(b, system, (uint32_t)number + 1);
    return number;
}

void sn_bundle_remove(sn_bundles *s, sn_rod_system *system, int number) {
    sn_bundle_body *b = &s->items[number];
    sn_bundle_find_rods(b, system);
    join_family(b, system, 0);
    const uint32_t gen = b->gen + 1;
    free_body(s->memory, b);
    *b = (sn_bundle_body){.gen = gen ? gen : 1, .next_free = s->free_item};
    s->free_item = number;
    --s->alive;
    list_places(s);
}

void sn_bundles_drop(sn_bundles *s, sn_rod_system *system) {
    for (int i = 0; i < s->count; i++)
        if (s->items[i].alive && !sn_bundle_find_rods(&s->items[i], system)) sn_bundle_remove(s, system, i);
}

// ---- activation

// How active the segment that ends at a point is, by its middle. The active part fades within a fifth of the fibres' length, around
// its ends if they are within the fibres.
sn_real sn_bundle_activity(const sn_bundle_body *b, int point) {
    const sn_real middle = ((sn_real)point - (sn_real)0.5) / (sn_real)(b->sections - 1), fade = (sn_real)0.2;
    sn_real active = 1;
    for (int end = 0; end < 2; end++) {
        if (end ? b->def.to >= 1 : b->def.from <= 0) continue;
        const sn_real inside = end ? b->def.to - middle : middle - b->def.from;
        const sn_real x = sn_clamp(inside / fade + (sn_real)0.5, 0, 1);
        active *= x * x * (3 - 2 * x);
    }
    return active;
}

static void set_rest(const sn_rod_system *s, sn_rod_body *rod, int block, sn_real g) {
    if (rod->block[block].contraction == g) return;
    rod->block[block].contraction = g;
    *sn_rod_at(s, rod, sn_rod_packet_of(s, rod)->param, P_ROWS, block, P_REST) = g;
    sn_rod_packet_of(s, rod)->measured = false;
}

// The rest stretch at which a free fibre has the stretch l.
static sn_real rest_stretch(const sn_material *m, sn_real l) {
    if (!(m->young > 0) || !(m->volume > 0) || l == 1) return l; // without volume its cross-section does not change
    const sn_real root = sn_sqrt(l);
    return sn_max(l - m->shear / m->young * (1 / root - 1) / (l * root),
                  -100); // a fibre that hardly resists stretching needs a limit
}

void sn_bundle_activate(sn_bundle_body *b, sn_rod_system *system) {
    if (!sn_bundle_find_rods(b, system)) return;
    for (int i = 0; i < b->def.rod_count; i++) {
        sn_rod_body *rod = b->rods[i];
        rod->base.sleep = (sn_sleep_state){false, 0};
        for (int k = 0; b->def.activate == SN_ACTIVATE_LENGTH && k < b->sections; k++) {
            const int block = rod->block_of_point[k];
            const sn_real active = sn_bundle_activity(b, k);
            if (!has_segment(rod, block) || !(active > 0)) continue;
            set_rest(system, rod, block,
                     rest_stretch(&rod->block[block].material, 1 - active * b->activation * (1 - b->def.shortest)));
        }
    }
}

// ---- bones

// The displacement of a point by a motion, and the rotation vector of a small motion.
static sn_vec3 shift_of(const sn_bone_motion *m, sn_vec3 x) {
    return sn_sub(sn_add(m->to, sn_q_rotate(m->rotation, sn_sub(x, m->from))), x);
}

static sn_vec3 spin_of(const sn_bone_motion *m) {
    return sn_mul(m->rotation.w < 0 ? -2 : 2, sn_v3(m->rotation.x, m->rotation.y, m->rotation.z));
}

void sn_bundle_drive(sn_bundle_body *b, const sn_rod_system *s, sn_real h, const sn_bone_motion motion[2]) {
    const int lanes = s->lanes;
    for (int i = 0; i < b->def.rod_count && b->awake; i++) {
        const sn_rod_body *rod = b->rods[i];
        sn_packet *packet = sn_rod_packet_of(s, rod);
        packet->driven = true;
        for (int k = 0; k < b->sections; k++) {
            const int block = rod->block_of_point[k], hold = rod->block[block].hold;
            const sn_real *x0 = sn_rod_at(s, rod, packet->x0, X_ROWS, block, 0);
            sn_real *x = state(s, rod, block);
            const sn_real *v = sn_rod_at(s, rod, packet->v, V_ROWS, block, 0);
            const sn_vec3 at = {x0[X_CX * lanes], x0[X_CY * lanes], x0[X_CZ * lanes]};
            const sn_vec3 was = sn_mul_add(at, -h, sn_v3(v[V_CX * lanes], v[V_CY * lanes], v[V_CZ * lanes]));
            sn_vec3 shift = {0, 0, 0}, spin = {0, 0, 0};
            for (int bone = 0; bone < 2; bone++) {
                const sn_real w = bone ? b->along[k] : 1 - b->along[k];
                shift = sn_mul_add(shift, w, sn_sub(shift_of(&motion[bone], at), shift_of(&b->last[bone], was)));
                spin = sn_mul_add(spin, w, sn_sub(spin_of(&motion[bone]), spin_of(&b->last[bone])));
            }
            if (!(hold & SN_HOLD_CENTRE))
                x[X_CX * lanes] += shift.x, x[X_CY * lanes] += shift.y, x[X_CZ * lanes] += shift.z;
            if (!has_segment(rod, block) || (hold & SN_HOLD_FRAME)) continue;
            const sn_quat more = {(sn_real)0.5 * spin.x, (sn_real)0.5 * spin.y, (sn_real)0.5 * spin.z, 1};
            const sn_quat q = sn_q_normalize(sn_q_mul(more, frame_at(s, rod, block)));
            x[X_QX * lanes] = q.x, x[X_QY * lanes] = q.y, x[X_QZ * lanes] = q.z, x[X_QW * lanes] = q.w;
        }
    }
    b->last[0] = motion[0], b->last[1] = motion[1];
}

// ---- solve

// Only the direct solver has a common solve.
static void set_assembled(const sn_bundle_body *b, sn_rod_system *system, bool assembled) {
    bool changes = false;
    for (int i = 0; i < b->def.rod_count; i++) {
        changes = changes || b->rods[i]->assembled != assembled;
        b->rods[i]->assembled = assembled;
    }
    if (changes) write_params(b, system);
}

// Rods of a bundle sleep and wake together.
void sn_bundles_begin(sn_bundles *s, sn_rod_system *system) {
    for (int i = 0; i < s->count; i++) {
        sn_bundle_body *b = &s->items[i];
        if (!b->alive) continue;
        sn_bundle_find_rods(b, system);
        b->awake = false;
        set_assembled(b, system, sn_world_solver(s->world) == SN_SOLVER_DIRECT);
        for (int k = 0; k < b->def.rod_count; k++) b->awake = b->awake || !b->rods[k]->base.sleep.asleep;
        for (int k = 0; b->awake && k < b->def.rod_count; k++)
            if (b->rods[k]->base.sleep.asleep) b->rods[k]->base.sleep = (sn_sleep_state){false, 0};
    }
}

static void add_rotation(double sum[4], double k, const sn_quat *q) {
    const double v[4] = {(double)q->x, (double)q->y, (double)q->z, (double)q->w};
    if (sum[0] * v[0] + sum[1] * v[1] + sum[2] * v[2] + sum[3] * v[3] < 0) k = -k;
    for (int i = 0; i < 4; i++) sum[i] += k * v[i];
}

// The weight of a segment in the rotation of the section at one of its ends: half its moment of inertia as similarity.h
// defines it, and half of that for each end.
static double rotation_weight(const sn_rod_body *rod, int block) {
    const double r = 0.5 * ((double)rod->block[block].radius + (double)rod->block[rod->parent[block]].radius);
    const double mass =
        (double)SN_PI * r * r * (double)rod->block[block].length * (double)rod->block[block].material.density;
    return 0.25 * (mass * r * r / 3);
}

// Stretches a place at rest across, about the plane's middle.
static void stretch_about(const sn_bundle_body *b, int section,
                          void (*stretch)(const sn_section_plane *, const double[2], const double[3], double[3]),
                          double at[3]) {
    const sn_section_plane *plane = &b->planes[section];
    const double *across = b->across[section];
    double from[3], to[3];
    if (across[0] == 0 && across[1] == 0) return;
    for (int r = 0; r < 3; r++) from[r] = at[r] - plane->middle[r];
    stretch(plane, across, from, to);
    for (int r = 0; r < 3; r++) at[r] = plane->middle[r] + to[r];
}

void sn_bundle_fit(const sn_bundle_body *b, const sn_rod_system *system, int k, sn_bundle_fit_to to) {
    const int n = b->def.rod_count, lanes = system->lanes;
    for (int i = 0; i < n; i++) {
        const sn_rod_body *rod = b->rods[i];
        const int block = rod->block_of_point[k];
        const sn_rod_block *is = &rod->block[block];
        const sn_packet *packet = sn_rod_packet_of(system, rod);
        sn_real *array = to == SN_FIT_COUPLED ? packet->coupled.x : to == SN_FIT_START ? packet->x0 : packet->x;
        if (to == SN_FIT_START && (rod->block[block].hold & SN_HOLD_CENTRE)) array = packet->coupled.x;
        const sn_real *x = sn_rod_at(system, rod, array, X_ROWS, block, 0);
        const sn_vec3 rest = b->rest[k * n + i];
        const double counts = is->hold & SN_HOLD_CENTRE ? HELD_COUNTS : 1;
        sn_similarity_point *p = &b->points[k * n + i];
        *p = (sn_similarity_point){.rest = {(double)rest.x, (double)rest.y, (double)rest.z},
                                   .now = {(double)x[X_CX * lanes] + (double)x[X_LX * lanes],
                                           (double)x[X_CY * lanes] + (double)x[X_LY * lanes],
                                           (double)x[X_CZ * lanes] + (double)x[X_LZ * lanes]},
                                   .weight = counts * (double)is->mass,
                                   .scale = (double)x[X_S * lanes],
                                   .scale_weight =
                                       (is->hold & SN_HOLD_SCALE ? HELD_COUNTS : 1) * (double)is->scale_mass};
        // The segments at the point: its own, and those of its children, which come after it (except in a loop).
        for (int step = 0, met = 0; step < rod->blocks && met < is->segments; step++) {
            const int other = (block + step) % rod->blocks;
            if (!has_segment(rod, other) || (other != block && rod->parent[other] != block)) continue;
            met++;
            const sn_quat rotation =
                sn_q_mul(frame_in(system, rod, array, other), b->back[point_of(rod, other) * n + i]);
            const double w =
                (rod->block[other].hold & SN_HOLD_FRAME ? HELD_COUNTS : 1) * rotation_weight(rod, other) * FRAMES_VOTE;
            add_rotation(p->rotation, w, &rotation);
            p->rotation_weight += w;
        }
        sn_section_make_unit(p->rotation);
        stretch_about(b, k, sn_section_stretch, p->rest);
    }
    sn_similarity fit = sn_similarity_fit(b->points + k * n, n, b->def.kind == SN_BUNDLE_RIGID);
    stretch_about(b, k, sn_section_unstretch, fit.rest);
    sn_section_pose *pose = &b->fits[k];
    memcpy(pose->rest, fit.rest, sizeof pose->rest);
    memcpy(pose->centre, fit.centre, sizeof pose->centre);
    memcpy(pose->rotation, fit.rotation, sizeof pose->rotation);
    memcpy(pose->across, b->across[k], sizeof pose->across);
    pose->scale = fit.scale;
}

// Not in the common solve.
static bool moves_itself(const sn_bundles *s, const sn_bundle_body *b) {
    return b->alive && b->awake && !s->is_solved;
}

static void move_section(void *context, int index, int worker) {
    sn_bundles *s = context;
    (void)worker;
    const sn_bundle_body *b = &s->items[s->places[index].bundle];
    const int k = s->places[index].section, n = b->def.rod_count, lanes = s->system->lanes;
    if (!moves_itself(s, b)) return;
    sn_bundle_fit(b, s->system, k, SN_FIT_NOW);
    const sn_section_pose *fit = &b->fits[k];
    for (int i = 0; i < n; i++) {
        const sn_rod_body *rod = b->rods[i];
        const int block = rod->block_of_point[k], hold = rod->block[block].hold;
        const sn_packet *packet = sn_rod_packet_of(s->system, rod);
        const sn_similarity_point *p = &b->points[k * n + i];
        sn_real *x = state(s->system, rod, block), *xh = sn_rod_at(s->system, rod, packet->xh, X_ROWS, block, 0);
        const sn_vec3 rest = b->rest[k * n + i];
        double goal[3];
        sn_section_lever(fit, &b->planes[k], (const double[3]){(double)rest.x, (double)rest.y, (double)rest.z}, goal);
        sn_real d[3] = {0, 0, 0};
        for (int r = 0; r < 3 && !(hold & SN_HOLD_CENTRE); r++) {
            d[r] = (sn_real)(goal[r] + fit->centre[r] - p->now[r]);
            x[(X_CX + r) * lanes] += d[r], xh[(X_CX + r) * lanes] += d[r];
        }
        b->moved[k * n + i] = sn_v3(d[0], d[1], d[2]);
        const sn_real ds = (sn_real)(fit->scale - p->scale);
        if (!(hold & SN_HOLD_SCALE)) // the min scale (rod_lanes.h), also where a large difference rounds
            x[X_S * lanes] = sn_max(x[X_S * lanes] + ds, (sn_real)0.02), xh[X_S * lanes] += ds;
    }
}

// Rotates the segments that end in a section, after all sections are fitted.
static void rotate_section(void *context, int index, int worker) {
    sn_bundles *s = context;
    (void)worker;
    const sn_bundle_body *b = &s->items[s->places[index].bundle];
    const int k = s->places[index].section, n = b->def.rod_count, lanes = s->system->lanes;
    if (!moves_itself(s, b)) return;
    for (int i = 0; i < n; i++) {
        const sn_rod_body *rod = b->rods[i];
        const int block = rod->block_of_point[k];
        if (!has_segment(rod, block) || (rod->block[block].hold & SN_HOLD_FRAME)) continue;
        const double *own = b->fits[k].rotation, *other = b->fits[point_of(rod, rod->parent[block])].rotation;
        double mean[4] = {own[0], own[1], own[2], own[3]};
        const double sign = own[0] * other[0] + own[1] * other[1] + own[2] * other[2] + own[3] * other[3] < 0 ? -1 : 1;
        for (int r = 0; r < 4; r++) mean[r] += sign * other[r];
        sn_section_make_unit(mean);
        const sn_quat rotation = {(sn_real)mean[0], (sn_real)mean[1], (sn_real)mean[2], (sn_real)mean[3]};
        const sn_quat now = frame_at(s->system, rod, block), rest = sn_q_conj(b->back[k * n + i]);
        sn_quat goal = sn_q_mul(rotation, rest);
        if (sn_q_dot(goal, now) < 0) goal = (sn_quat){-goal.x, -goal.y, -goal.z, -goal.w};
        goal = sn_q_normalize(goal);
        const sn_packet *packet = sn_rod_packet_of(s->system, rod);
        sn_real *x = state(s->system, rod, block), *xh = sn_rod_at(s->system, rod, packet->xh, X_ROWS, block, 0);
        sn_quat ahead = {xh[X_QX * lanes], xh[X_QY * lanes], xh[X_QZ * lanes], xh[X_QW * lanes]};
        ahead = sn_q_normalize(sn_q_mul(sn_q_mul(goal, sn_q_conj(now)), ahead));
        x[X_QX * lanes] = goal.x, x[X_QY * lanes] = goal.y, x[X_QZ * lanes] = goal.z, x[X_QW * lanes] = goal.w;
        xh[X_QX * lanes] = ahead.x, xh[X_QY * lanes] = ahead.y, xh[X_QZ * lanes] = ahead.z, xh[X_QW * lanes] = ahead.w;
    }
}

// Records how its sections moved a rod: its state and its momentum have changed.
static void note_moves(const sn_bundle_body *b, const sn_rod_system *system, int rod) {
    const sn_rod_body *body = b->rods[rod];
    sn_packet *packet = sn_rod_packet_of(system, body);
    sn_real *mass_displacement = packet->mass_displacement + body->lane;
    packet->measured = false;
    for (int k = 0; k < b->sections; k++) {
        const int block = body->block_of_point[k];
        const sn_vec3 direction = sn_mul(*sn_rod_at(system, body, packet->param, P_ROWS, block, P_MASS),
                                         b->moved[k * b->def.rod_count + rod]);
        mass_displacement[0] += direction.x, mass_displacement[system->lanes] += direction.y,
            mass_displacement[2 * system->lanes] += direction.z;
    }
}

void sn_bundles_solve(sn_bundles *s, sn_rod_system *system, const sn_stage *stage) {
    s->system = system;
    s->is_solved = stage->solver == SN_SOLVER_DIRECT;
    sn_parallel_for(stage->pool, s->place_count, 4, move_section, s);
    sn_parallel_for(stage->pool, s->place_count, 4, rotate_section, s);
    for (int i = 0; i < s->count; i++)
        for (int k = 0; moves_itself(s, &s->items[i]) && k < s->items[i].def.rod_count; k++)
            note_moves(&s->items[i], system, k);
}

// ---- save

static void visit_def(sn_stream *stream, sn_bundle_body *b) {
    sn_bundle_def *d = &b->def;
    int kind = (int)d->kind, activate = (int)d->activate;
    sn_visit_int(stream, &kind);
    sn_visit_int(stream, &activate);
    sn_real *numbers[] = {&d->hertz,     &d->shortest, &d->stress, &d->from,       &d->to,    &d->optimal,
                          &d->max_speed, &d->rise,     &d->fall,   &b->activation, &b->active};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sn_visit_reals(stream, numbers[i], 1);
    sn_visit_u64(stream, &d->label);
    for (int i = 0; i < 2; i++) {
        sn_body *bone = i ? &d->bone_last : &d->bone_first;
        sn_bone_motion *m = &b->last[i];
        sn_visit_body(stream, bone);
        sn_visit_reals(stream, &m->from.x, 3), sn_visit_reals(stream, &m->to.x, 3),
            sn_visit_reals(stream, &m->rotation.x, 4);
        sn_stream_check(stream, sn_q_is_unit(m->rotation));
    }
    static const sn_log silent = {0};
    if (stream->mode == SN_STREAM_READ) d->kind = (sn_bundle_kind)kind, d->activate = (sn_activate)activate;
    sn_stream_check(stream, sn_bundle_errors(&silent, d) == 0 && sn_between(b->activation, 0, 1) &&
                                sn_between(b->active, 0, 1));
}

// Finds the rods of a bundle that was read. They must not belong to another bundle, and every segment needs a rest
// frame.
static bool rods_are_fine(sn_bundle_body *b, const sn_rod_system *system, uint32_t family) {
    if (!sn_bundle_find_rods(b, system)) return false;
    for (int i = 0; i < b->def.rod_count; i++) {
        if (b->rods[i]->base.contact.family != 0) return false;
        b->rods[i]->base.contact.family = family;
        b->rods[i]->assembled = true;
    }
    for (int i = 0; i < b->def.rod_count; i++)
        for (int k = 0; k < b->sections; k++) {
            const sn_quat back = b->back[k * b->def.rod_count + i];
            const bool has_frame = has_segment(b->rods[i], b->rods[i]->block_of_point[k]);
            if (sn_bundle_section_before(b, i, k) != sn_bundle_section_before(b, 0, k)) return false;
            if (has_frame ? !sn_q_is_unit(back) : sn_q_dot(back, back) != 0) return false;
        }
    return true;
}

static void visit_body(sn_bundles *s, sn_rod_system *system, sn_stream *stream, sn_bundle_body *b) {
    visit_def(stream, b);
    sn_visit_int(stream, &b->def.rod_count);
    sn_visit_int(stream, &b->sections);
    const bool reads = stream->mode == SN_STREAM_READ;
    if (!sn_stream_check(stream, b->def.rod_count >= 1 && b->sections >= 2 &&
                                     (int64_t)b->def.rod_count * b->sections < INT32_MAX) ||
        (reads && !sn_stream_check(stream, sn_stream_holds(stream, places_of(b), 7 * sizeof(sn_real))))) {
        b->def.rod_count = b->sections = 0, b->def.rods = NULL;
        return;
    }
    if (reads) {
        const bool made = make_arrays(s->memory, b);
        b->alive = true; // even if incomplete, so that it gets freed
        if (!sn_stream_need(stream, made)) return;
    }
    sn_body *ids = (sn_body *)(uintptr_t)b->def.rods;
    for (int i = 0; i < b->def.rod_count; i++) sn_visit_body(stream, &ids[i]);
    for (size_t i = 0; i < places_of(b); i++)
        sn_visit_reals(stream, &b->rest[i].x, 3), sn_visit_reals(stream, &b->back[i].x, 4);
    for (int k = 0; k < b->sections; k++)
        for (int r = 0; r < 2; r++) {
            sn_visit_double(stream, &b->across[k][r]);
            sn_stream_check(stream, fabs(b->across[k][r]) <= MAX_ACROSS); // false for NaN
        }
    if (!reads || stream->bad) return;
    if (!sn_stream_check(stream, rods_are_fine(b, system, (uint32_t)(b - s->items) + 1))) return;
    if (!sn_stream_need(stream, make_system(s->memory, b))) return;
    measure_along(b);
    measure_planes(b);
    write_params(b, system);
}

void sn_bundles_save(sn_bundles *s, sn_rod_system *system, sn_stream *stream) {
    const bool reads = stream->mode == SN_STREAM_READ;
    int count = s->count, first_free = s->free_item;
    sn_visit_int(stream, &count);
    sn_visit_int(stream, &first_free);
    if (!sn_stream_check(stream, count >= 0 && first_free >= -1 && first_free < count &&
                                     (!reads || sn_stream_holds(stream, (size_t)count, 9))))
        return;
    if (reads) {
        if (!sn_stream_need(stream, sn_reserve(s->memory, (void **)&s->items, &s->capacity, count, sizeof *s->items)))
            return;
        for (int i = 0; i < count; i++) s->items[i] = (sn_bundle_body){.gen = 1, .next_free = -1};
        s->count = count, s->free_item = first_free;
    }
    for (int i = 0; i < count && !stream->bad; i++) {
        sn_bundle_body *b = &s->items[i];
        bool alive = b->alive;
        sn_visit_bool(stream, &alive);
        sn_visit_u32(stream, &b->gen);
        sn_visit_int(stream, &b->next_free);
        sn_stream_check(stream, b->next_free >= -1 && b->next_free < count && b->gen > 0);
        if (alive && !stream->bad) visit_body(s, system, stream, b);
        if (reads) s->alive += alive;
    }
    int seen = 0; // a hostile free list may contain a cycle
    for (int i = s->free_item; reads && i >= 0 && !stream->bad; i = s->items[i].next_free)
        sn_stream_check(stream, !s->items[i].alive && ++seen <= count);
    if (reads && !stream->bad) sn_stream_need(stream, list_places(s));
}

void sn_bundles_visit_state(sn_bundles *s, sn_rod_system *system, sn_stream *stream) {
    for (int i = 0; i < s->count; i++) {
        sn_bundle_body *b = &s->items[i];
        if (!b->alive) continue;
        sn_visit_bytes(stream, b->last, sizeof b->last);
        sn_visit_bytes(stream, b->across, (size_t)b->sections * sizeof *b->across);
        if (b->def.activate != SN_ACTIVATE_FORCE) continue;
        sn_visit_bytes(stream, &b->active, sizeof b->active);
        if (stream->mode == SN_STREAM_READ) sn_bundle_let_go(b, system); // of a step that failed
    }
}
