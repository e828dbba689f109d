// Contacts in the common solve (base/solve.h): their potential, own-side blocks for the bodies' matrices, and the loops over blocks.
//
//     V = 1/2 k (target - gap)+^2
//
// target    a cushion of CUSHION r: force begins a little before surfaces touch, so that at rest they just do
// k         STIFFNESS reduced masses of the whole bodies over h^2, shared by the contacts of the same two bodies; and so much that the
//           largest load which the two have carried takes half of the cushion. Pressed through the cushion, a contact gets
//           stiffer once more within the substep
//
// V must not make energy when it changes. So a contact that gets stiffer starts the substep with the energy that it had: its
// target comes nearer. From there, and where bodies overlap at the start, the target goes back to the cushion no faster than
// OUT_SPEED, and slowly: so that the force grows by half, or a tenth of an overlap opens.
#include "couplings/contact/contact.h"

#include <string.h>

#define CUSHION          ((sn_real)0.005) // of the smaller radius
#define STIFFNESS        ((sn_real)30)    // of the reduced mass over h^2
#define BOUNCE_STIFFNESS 10               // of what it is otherwise, of contacts that bounce
#define LUMPED_STIFFNESS ((sn_real)3)     // the same of lumped nodes
#define MAX_STIFFER      ((sn_real)100)
#define MAX_RAISE        ((sn_real)4)   // of the stiffness, in an iteration
#define OUT_SPEED        ((sn_real)2)   // radii a second
#define OUT_PART         ((sn_real)0.1) // of an overlap, in a substep
#define DEEP             ((sn_real)0.1) // of the smaller radius
#define PRESS_OUT                                                                                                      \
    ((sn_real)4) // of what OUT_SPEED opens in a substep: so far bodies that lie deep within each other are pressed
#define PRESS_MANY                                                                                                     \
    ((sn_real)0.25) // the same of a body that lies deep within many others, and there again and again at new points
#define JUMP        ((sn_real)0.02) // of the smaller radius
#define REST_PART   ((sn_real)0.2)  // of what a contact is off its gap at rest, in a substep
#define MOVES_WITH  ((sn_real)4)    // nodes of a nodal body: so many masses of its own a node moves
#define SOFTER      ((sn_real)0.8)
#define NEAR        ((sn_real)0.05) // of the smaller radius: such a contact may come to press
#define MAX_CLOSING ((sn_real)0.8)  // of the distance of two axes, in a step

// Contacts that overlap by much, of a body that lies within many others.
enum { MANY_DEEP = 150 };

typedef void group_fn(sn_contacts *c, sn_contact_group *group, const void *how);

typedef struct {
    sn_contacts *contacts;
    int first;
    group_fn *fn;
    const void *how;
} phase_work;

static void run_group(void *context, int index, int worker) {
    (void)worker;
    const phase_work *w = context;
    sn_contact_group *group = &w->contacts->groups[w->first + index];
    if (group->count > 0) w->fn(w->contacts, group, w->how);
}

// Phase after phase, the groups of each shared among the workers: for what adds to nodes.
static void over_groups(sn_contacts *c, group_fn *fn, const void *how) {
    for (int phase = 0; phase < SN_PHASES; phase++) {
        phase_work work = {c, 0, fn, how};
        int count, busy = 0;
        sn_groups_of_phase(&c->split, phase, &work.first, &count);
        for (int k = 0; k < count; k++) busy += c->groups[work.first + k].count > 0;
        if (busy > 1)
            sn_parallel_for(c->pool, count, 1, run_group, &work);
        else
            for (int k = 0; k < count; k++) run_group(&work, k, 0);
    }
}

// Blocks in any order: for what only reads nodes.
enum { BLOCKS = 8 };
typedef struct {
    sn_contacts *contacts;
    const void *how;
    void (*fn)(sn_contacts *c, sn_contact_block *blocks, int count, const void *how);
} block_work;

static void run_blocks(void *context, int index, int worker) {
    (void)worker;
    const block_work *w = context;
    const int first = index * BLOCKS, end = first + BLOCKS;
    const int count = (end < w->contacts->block_count ? end : w->contacts->block_count) - first;
    w->fn(w->contacts, w->contacts->blocks + first, count, w->how);
}

static void over_blocks(sn_contacts *c, void (*fn)(sn_contacts *, sn_contact_block *, int, const void *),
                        const void *how) {
    block_work work = {c, how, fn};
    sn_parallel_for(c->pool, (c->block_count + BLOCKS - 1) / BLOCKS, 4, run_blocks, &work);
}

#define EACH_NEAR_CONTACT(c, b, k)                                                                                     \
    for (int i_ = 0; i_ < (c)->block_count; i_++)                                                                      \
        for (sn_contact_block *b = (c)->blocks[i_].far ? NULL : &(c)->blocks[i_]; b; b = NULL)                         \
            for (int k = 0; k < b->count; k++)

#define EACH_OF(blocks, block_count, b, k)                                                                             \
    for (int i_ = 0; i_ < (block_count); i_++)                                                                         \
        for (sn_contact_block *b = &(blocks)[i_]; b; b = NULL)                                                         \
            for (int k = 0; k < b->count; k++)

#define EACH_CONTACT(c, b, k) EACH_OF((c)->blocks, (c)->block_count, b, k)

// ---- linearisation

// Inverse mass of a side: of the whole body, or of nodal ones what moves with the nodes.
static sn_real inverse_mass(const sn_contacts *c, const sn_solve *solve, const sn_contact_block *b, int k, int side) {
    const int body = sn_element_body(c, b->pill[side][k]);
    if (!solve->coupled[body]) return 0;
    if (!(b->nodal[side][k] > 0)) return c->inverse_mass[body];
    const sn_real second = side ? b->beta[k] : b->alpha[k],
                  third = sn_form_third(b->form, side) ? b->third[side][k] : 0;
    const sn_real weight[3] = {1 - second - third, second, third};
    const int32_t node[3] = {b->driver[2 * side][k], b->driver[2 * side + 1][k],
                             sn_form_third(b->form, side) ? b->third_driver[side][k] : 0};
    sn_real sum = 0;
    for (int i = 0; i < 3; i++)
        if (weight[i] != 0) sum += weight[i] * weight[i] * c->proxies.nodes[node[i]].w;
    return sum / MOVES_WITH;
}

static bool is_left_out(const sn_contacts *c, const sn_contact_block *b, int k);

// How many contacts two bodies, or a body and a collider, share: an open hash table.
typedef struct {
    int64_t key;
    sn_real count, load;
} pair_count;
static pair_count *pair_slot(const sn_contacts *c, const sn_contact_block *b, int k) {
    const int64_t first = sn_element_body(c, b->pill[0][k]);
    const int64_t second = sn_form_both(b->form) ? sn_element_body(c, b->pill[1][k]) : c->body_count + b->collider[k];
    const int64_t low = first < second ? first : second, high = first < second ? second : first;
    const int64_t key = (low << 32 | high) + 1;
    pair_count *table = c->pair_table;
    size_t at = (size_t)((uint64_t)key * 0x9E3779B97F4A7C15u >> 20) & c->pair_mask;
    while (table[at].key && table[at].key != key) at = (at + 1) & c->pair_mask;
    if (!table[at].key) table[at].key = key;
    return &table[at];
}

static bool is_deep(const sn_contact_block *b, int k) {
    return b->start_gap[k] < -DEEP * b->min[k];
}

static bool count_contacts(sn_contacts *c) {
    size_t size = 16;
    while (size < 2 * (size_t)c->row_count + 2) size *= 2;
    if (!c->pair_table || c->pair_mask + 1 < size) c->pair_table = sn_arena_alloc(&c->arena, size, sizeof(pair_count));
    if (!c->pair_table) return false;
    c->pair_mask = size - 1;
    memset(c->pair_table, 0, size * sizeof(pair_count));
    for (int i = 0; i < c->body_count; i++) c->deep_count[i] = 0;
    EACH_CONTACT(c, b, k) {
        pair_count *pair = pair_slot(c, b, k);
        b->bodies[k] = (int32_t)(pair - (pair_count *)c->pair_table);
        pair->load = sn_max(pair->load, b->strength[k]);
        if (is_deep(b, k)) {
            c->deep_count[sn_element_body(c, b->pill[0][k])]++;
            if (sn_form_both(b->form)) c->deep_count[sn_element_body(c, b->pill[1][k])]++;
        }
        if (is_left_out(c, b, k) || b->gap[k] > NEAR * b->min[k]) continue;
        pair->count += 1;
    }
    return true;
}

// A stiffer contact starts the substep with the energy that it had: it is pressed less.
static void stiffen(sn_contact_block *b, int k, sn_real to) {
    const sn_real pressed = b->target[k] - b->start_gap[k];
    if (pressed > 0 && b->k[k] > 0) b->target[k] = b->start_gap[k] + pressed * sn_sqrt(b->k[k] / to);
    b->k[k] = b->stiffness[k] = to;
}

// Contacts that the first iteration pressed through their cushion get stiffer for those after it.
static void stiffen_pressed(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    (void)c, (void)how;
    EACH_OF(blocks, count, b, k) {
        if (b->far) break;
        const sn_real over = (b->target[k] - b->gap_now[k]) / ((sn_real)0.5 * CUSHION * b->min[k]);
        if (b->k[k] > 0 && over > 2 && b->k[k] < b->max_k[k] &&
            !(b->bounce[k] > 0)) // what bounces is meant to be pressed
            stiffen(b, k, sn_min(b->k[k] * sn_min(over, MAX_RAISE), b->max_k[k]));
    }
}

static bool is_lumped(const sn_contacts *c, const sn_solve *solve, const sn_contact_block *b, int k, int side) {
    return solve->is_lumped && solve->is_lumped[sn_element_body(c, b->pill[side][k])];
}

// A light rigid body under heavy ones bears their weight, however far above: contacts between rigid bodies are made for the heaviest of
// their island.
static void measure_heaviest(sn_contacts *c, const sn_solve *solve) {
    for (int i = 0; i < c->body_count; i++) c->heaviest[i] = 0;
    for (int i = 0; i < c->body_count && c->has_contact_nodes; i++) {
        const sn_real inverse = c->inverse_mass[i];
        if (!solve->coupled[i] || !(inverse > 0) || !sn_kinds[sn_world_row_of_body(c->world, i)]->contact_nodes)
            continue;
        sn_real *to = &c->heaviest[solve->island[i]];
        *to = *to > 0 ? sn_min(*to, inverse) : inverse;
    }
}

// A contact of two rigid bodies, or of one and a collider.
static bool is_rigid(const sn_contacts *c, const sn_solve *solve, const sn_contact_block *b, int k) {
    for (int side = 0; side < (sn_form_both(b->form) ? 2 : 1); side++)
        if (!sn_has_contact_node(c, b->pill[side][k]) || !solve->coupled[sn_element_body(c, b->pill[side][k])])
            return false;
    return c->heaviest[b->island[k]] > 0;
}

static void set_stiffness(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    const sn_solve *solve = how;
    const sn_real inv_h2 = 1 / (c->h * c->h);
    EACH_OF(blocks, count, b, k) {
        const bool both = sn_form_both(b->form);
        const sn_real of[2] = {inverse_mass(c, solve, b, k, 0), both ? inverse_mass(c, solve, b, k, 1) : 0};
        const sn_real inverse = is_rigid(c, solve, b, k) ? (both ? 2 : 1) * c->heaviest[b->island[k]] : of[0] + of[1];
        const bool nodal = b->nodal[0][k] > 0 || (both && b->nodal[1][k] > 0);
        const bool lumped = is_lumped(c, solve, b, k, 0) || (both && is_lumped(c, solve, b, k, 1));
        sn_real base = inverse > 0 ? (lumped ? LUMPED_STIFFNESS : STIFFNESS) * inv_h2 / inverse : 0;
        const sn_real cushion = CUSHION * b->min[k];
        const sn_real give = b->compliance[k];
        const pair_count *pair = (const pair_count *)c->pair_table + b->bodies[k];
        if (!(b->nodal[0][k] > 0) || (both && !(b->nodal[1][k] > 0))) base /= sn_max(pair->count, 1);
        b->max_k[k] = MAX_STIFFER * base / (1 + MAX_STIFFER * base * give);
        const sn_real stiff = sn_max(base, 2 * pair->load / cushion);
        const sn_real to = base > 0 ? sn_min(stiff / (1 + stiff * give), b->max_k[k]) : 0;
        b->k[k] = b->stiffness[k] = b->start_k[k];
        b->target[k] = b->start_k[k] > 0 ? b->start_target[k] : b->start_gap[k];
        // Where the nearest points jumped to others, deeper in, the contact starts with the force that it had.
        const sn_real had = b->start_k[k] > 0 ? b->start_load[k] / b->start_k[k] : 0;
        if (b->target[k] - b->start_gap[k] > had + JUMP * b->min[k]) b->target[k] = b->start_gap[k] + had;
        if (to > b->k[k])
            stiffen(b, k, to);
        else
            b->k[k] = b->stiffness[k] = to;
        const sn_real pressed = sn_max(b->target[k] - b->start_gap[k], 0);
        const sn_real slowly = (sn_real)0.5 * pressed + (sn_real)0.25 * cushion;
        const sn_real out = sn_min(OUT_SPEED * b->min[k] * c->h, slowly - OUT_PART * sn_min(b->start_gap[k], 0));
        const sn_real before = b->target[k];
        const sn_real rest = (sn_real)0.5 * cushion, off = rest - b->start_gap[k];
        if (nodal)
            b->target[k] = sn_min(cushion, sn_max(b->target[k], b->start_gap[k]) + out);
        else if (pressed > 0 && b->start_load[k] > 0)
            b->target[k] = sn_min(rest + cushion, b->target[k] + sn_min(out, REST_PART * off));
        else
            b->target[k] = sn_min(rest, sn_max(b->target[k], b->start_gap[k]) + out);
        // Bodies that lie deep within each other and are in each other's way do not move: their force must not grow for it.
        if (is_deep(b, k)) {
            const int32_t count_a = c->deep_count[sn_element_body(c, b->pill[0][k])];
            const int32_t count_b = both ? c->deep_count[sn_element_body(c, b->pill[1][k])] : 0;
            const bool many = (count_a > count_b ? count_a : count_b) > MANY_DEEP;
            const sn_real press = !many ? PRESS_OUT : b->start_k[k] > 0 ? PRESS_MANY : 0;
            const sn_real pressed_to = b->start_gap[k] + press * OUT_SPEED * b->min[k] * c->h;
            b->target[k] = sn_min(b->target[k], sn_max(before, pressed_to));
        }
        if (b->bounce[k] > 0) { // a speed is met as well as the contact is stiffer than the bodies are heavy
            b->target[k] = sn_max(b->target[k], b->bounce[k]);
            b->k[k] = b->stiffness[k] = BOUNCE_STIFFNESS * b->k[k];
        }
    }
}

// The nearest points of two pills count where both are between the ends: an end has a feature of its own, if that was near when
// contacts were found. Points that slide to an end without one go on to count.
static bool is_left_out(const sn_contacts *c, const sn_contact_block *b, int k) {
    const int32_t covered = b->covered[k];
    if (covered == 0 || sn_contact_feature(c, b, k) != 0) return false;
    if (!(b->alpha[k] > 0) && covered & 1 << 1) return true;
    if (!(b->alpha[k] < 1) && covered & 1 << 2) return true;
    if (b->form != SN_PILL_PILL) return false;
    if (!(b->beta[k] > 0) && covered & 1 << 3) return true;
    return !(b->beta[k] < 1) && covered & 1 << 4;
}

static void apply_stiffness(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    (void)how;
    EACH_OF(blocks, count, b, k) {
        const sn_real stiff = is_left_out(c, b, k) ? 0 : b->stiffness[k];
        b->k[k] = stiff;
    }
}

static void prepare_blocks(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    (void)how;
    c->kernels->prepare(blocks, count, &c->proxies);
    sn_contacts_place_nodes(c, blocks, count);
}

static void linearise_group(sn_contacts *c, sn_contact_group *group, const void *how) {
    c->kernels->linearise(c->blocks + group->first, group->count, how);
}

// ---- own-side blocks

typedef struct {
    sn_vec3 direction; // on the side's motion
    sn_real k, spin;
    bool normal; // and on the scales
} own_row;

// The rows of one contact: along the normal, and two across.
static int own_rows(const sn_contact_block *b, int k, int side, own_row rows[3]) {
    int count = 0;
    const sn_vec3 n = sn_v3(b->n[0][k], b->n[1][k], b->n[2][k]);
    if (b->pre[k] > 0) rows[count++] = (own_row){n, b->pre[k], 0, true};
    if (b->friction_k[k] > 0) {
        sn_vec3 t[2];
        sn_tangents(n, &t[0], &t[1]);
        const sn_vec3 arm = side ? sn_v3(-b->arm_b[0][k], -b->arm_b[1][k], -b->arm_b[2][k])
                                 : sn_v3(b->arm_a[0][k], b->arm_a[1][k], b->arm_a[2][k]);
        for (int i = 0; i < 2; i++) rows[count++] = (own_row){t[i], b->friction_k[k], sn_dot(arm, t[i]), false};
    }
    return count;
}

static int side_weights(const sn_contact_block *b, int k, int side, int32_t slot[3], sn_real weight[3], sn_real r[3]) {
    const bool slab = sn_form_third(b->form, side);
    const sn_real second = side ? b->beta[k] : b->alpha[k], third = slab ? b->third[side][k] : 0;
    const sn_real sign = side ? -1 : 1;
    weight[0] = sign * (1 - second - third), weight[1] = sign * second, weight[2] = sign * third;
    slot[0] = b->slot[2 * side][k], slot[1] = b->slot[2 * side + 1][k], slot[2] = slab ? b->third_slot[side][k] : 0;
    r[0] = b->r[2 * side][k], r[1] = b->r[2 * side + 1][k], r[2] = slab ? b->third_r[side][k] : 0;
    return slab ? 3 : 2;
}

// A nodal side: a block diagonal that dominates k j j^T.
static void add_node_stiffness(const sn_solve *solve, const sn_contact_block *b, int k, int side) {
    own_row rows[3];
    int32_t slot[3];
    sn_real weight[3], r[3];
    const int count = own_rows(b, k, side, rows), nodes = side_weights(b, k, side, slot, weight, r);
    const bool pill = !sn_form_third(b->form, side);
    for (int i = 0; i < count; i++) {
        const sn_real twice = rows[i].normal || !pill ? 1 : 2;
        for (int n = 0; n < nodes; n++) {
            const sn_real s = rows[i].k * twice * sn_abs(weight[n]);
            const sn_vec3 d = side ? sn_mul(-1, rows[i].direction) : rows[i].direction;
            const sn_real j[4] = {d.x, d.y, d.z, rows[i].normal ? -r[n] : 0};
            sn_real *a = solve->node_stiffness + (size_t)slot[n] * SN_NODE_STIFFNESS;
            for (int x = 0, at = 0; x < 4; x++)
                for (int y = x; y < 4; y++) a[at++] += s * j[x] * j[y];
        }
        if (pill && !rows[i].normal)
            solve->node_stiffness[(size_t)slot[1] * SN_NODE_STIFFNESS + 10] +=
                2 * rows[i].k * rows[i].spin * rows[i].spin;
    }
}

// An exact side: rows of the pill. All corners of a slab of a rigid body are its one contact node.
static void put_rows(const sn_contact_block *b, int k, int side, sn_stiffness_row *to) {
    own_row rows[3];
    int32_t slot[3];
    sn_real weight[3], r[3];
    const int count = own_rows(b, k, side, rows);
    if (side_weights(b, k, side, slot, weight, r) == 3) weight[1] += weight[2];
    for (int i = 0; i < count; i++) {
        const sn_vec3 d = rows[i].direction;
        const sn_real squeeze = rows[i].normal ? -1 : 0;
        to[i] =
            (sn_stiffness_row){rows[i].k,
                               {weight[0] * d.x, weight[0] * d.y, weight[0] * d.z, squeeze * sn_abs(weight[0]) * r[0]},
                               {weight[1] * d.x, weight[1] * d.y, weight[1] * d.z, squeeze * sn_abs(weight[1]) * r[1]},
                               rows[i].spin};
    }
}

static bool is_exact(const sn_contacts *c, const sn_solve *solve, const sn_contact_block *b, int k, int side) {
    return !(b->nodal[side][k] > 0) && solve->coupled[sn_element_body(c, b->pill[side][k])];
}

static int own_row_count(const sn_contact_block *b, int k) {
    return (b->pre[k] > 0) + 2 * (b->friction_k[k] > 0);
}

// Which contacts each pill has, in their order: found once for the contacts of a substep. Far ones have no rows.
typedef struct {
    int32_t block;
    unsigned char lane, side;
} pill_contact;

static bool list_by_pill(sn_contacts *c, const sn_solve *solve) {
    int32_t *first = sn_arena_alloc(&c->arena, (size_t)solve->slots + 3, sizeof *c->pill_first);
    c->pill_contacts = sn_arena_alloc(&c->arena, 2 * (size_t)c->row_count + 1, sizeof(pill_contact));
    c->pill_first = c->pill_contacts ? first : NULL;
    if (!c->pill_first) return false;
    for (int i = 0; i <= solve->slots + 1; i++) first[i] = 0;
    EACH_CONTACT(c, b, k)
    for (int side = 0; side < (sn_form_both(b->form) ? 2 : 1); side++)
        if (is_exact(c, solve, b, k, side)) first[b->slot[2 * side + 1][k] + 2]++;
    for (int i = 2; i <= solve->slots + 1; i++) first[i] += first[i - 1];
    EACH_CONTACT(c, b, k)
    for (int side = 0; side < (sn_form_both(b->form) ? 2 : 1); side++)
        if (is_exact(c, solve, b, k, side))
            ((pill_contact *)c->pill_contacts)[first[b->slot[2 * side + 1][k] + 1]++] =
                (pill_contact){(int32_t)(b - c->blocks), (unsigned char)k, (unsigned char)side};
    return true;
}

enum { PILLS = 128 }; // of a task

typedef struct {
    const sn_contacts *contacts;
    const sn_solve *solve;
} row_work;

static void count_rows(void *context, int index, int worker) {
    (void)worker;
    const row_work *w = context;
    const sn_contacts *c = w->contacts;
    for (int i = index * PILLS; i < (index + 1) * PILLS && i < w->solve->slots; i++) {
        int count = 0;
        for (int n = c->pill_first[i]; n < c->pill_first[i + 1]; n++) {
            const pill_contact *p = (const pill_contact *)c->pill_contacts + n;
            if (!c->blocks[p->block].far) count += own_row_count(&c->blocks[p->block], p->lane);
        }
        w->solve->row_first[i + 1] = count;
    }
}

static void fill_rows(void *context, int index, int worker) {
    (void)worker;
    const row_work *w = context;
    const sn_contacts *c = w->contacts;
    for (int i = index * PILLS; i < (index + 1) * PILLS && i < w->solve->slots; i++) {
        sn_stiffness_row *to = w->solve->rows + w->solve->row_first[i];
        for (int n = c->pill_first[i]; n < c->pill_first[i + 1]; n++) {
            const pill_contact *p = (const pill_contact *)c->pill_contacts + n;
            const sn_contact_block *b = &c->blocks[p->block];
            if (b->far) continue;
            put_rows(b, p->lane, p->side, to);
            to += own_row_count(b, p->lane);
        }
    }
}

static void list_stiffness(sn_contacts *c, sn_solve *solve) {
    if (!c->pill_first) { // no memory: the step ends and did not happen
        for (int i = 0; i <= solve->slots; i++) solve->row_first[i] = 0;
        return;
    }
    row_work work = {c, solve};
    const int tasks = (solve->slots + PILLS - 1) / PILLS;
    sn_parallel_for(c->pool, tasks, 1, count_rows, &work);
    solve->row_first[0] = 0;
    for (int i = 1; i <= solve->slots; i++) solve->row_first[i] += solve->row_first[i - 1];
    sn_parallel_for(c->pool, tasks, 1, fill_rows, &work);
    if (!solve->node_stiffness) return;
    EACH_NEAR_CONTACT(c, b, k)
    for (int side = 0; side < (sn_form_both(b->form) ? 2 : 1); side++)
        if (!is_exact(c, solve, b, k, side) && solve->coupled[sn_element_body(c, b->pill[side][k])])
            add_node_stiffness(solve, b, k, side);
}

// How far a contact is away if it takes no part: the farther the farther its bodies moved in the last iteration.
static sn_real far_gap(const sn_contacts *c, const sn_solve *solve, const sn_contact_block *b, int k) {
    sn_real moved = 0;
    for (int side = 0; side < (sn_form_both(b->form) ? 2 : 1); side++) {
        const int body = sn_element_body(c, b->pill[side][k]);
        if (solve->coupled[body]) moved = sn_max(moved, solve->displacement[body]);
    }
    return (SN_FAR + (sn_real)0.3 * moved) * b->min[k];
}

// Blocks of contacts that are all far away or left out; once one has come near, its block takes part.
static void mark_far(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    const sn_solve *solve = how;
    const bool first = solve->iteration == 0;
    for (int i = 0; i < count; i++) {
        sn_contact_block *b = &blocks[i];
        bool far = !sn_form_third(b->form, 0) && !sn_form_third(b->form, 1) && (!first || b->far_start);
        for (int k = 0; far && k < b->count; k++)
            far = (b->gap[k] > (first ? SN_FAR * b->min[k] : far_gap(c, solve, b, k)) || is_left_out(c, b, k)) &&
                  !(b->start_load[k] > 0);
        b->far = far;
        for (int k = 0; far && k < b->count; k++)
            b->load[k] = b->force[k] = b->pre[k] = b->friction_k[k] = b->friction_max[k] = 0, b->gap_now[k] = b->gap[k];
    }
}

// Raises a number to at least another, from several workers at once.
static void raise_to(sn_real *to, sn_real value) {
    sn_real now;
    __atomic_load(to, &now, __ATOMIC_RELAXED);
    while (now < value && !__atomic_compare_exchange(to, &now, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

// How deep bodies overlap where they are.
static void measure_depth(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    const sn_solve *solve = how;
    EACH_OF(blocks, count, b, k) {
        if (b->far) break;
        const sn_real depth = -b->gap[k] / b->min[k];
        if (depth > 0 && !is_left_out(c, b, k)) raise_to(&solve->depth[b->island[k]], depth);
    }
}

// Where the bodies are: gaps, and which contacts are near.
static void measure(sn_contacts *c, const sn_solve *solve) {
    const bool first = solve->iteration == 0;
    sn_contacts_update_proxies(c, false);
    if (!first) sn_contacts_refresh(c);
    over_blocks(c, prepare_blocks, NULL);
    over_blocks(c, mark_far, solve);
    over_blocks(c, measure_depth, solve);
}

static void linearise(sn_contacts *c, sn_solve *solve, const sn_node_vector *force) {
    // Without memory for the count the step ends here and did not happen.
    if (solve->iteration == 0) measure_heaviest(c, solve);
    if (solve->iteration == 0 && count_contacts(c) && list_by_pill(c, solve)) over_blocks(c, set_stiffness, solve);
    if (solve->iteration == 1) over_blocks(c, stiffen_pressed, NULL);
    over_blocks(c, apply_stiffness, NULL);
    over_groups(c, linearise_group, force);
    list_stiffness(c, solve);
}

// ---- along a direction, and afterwards

// Sums the scratch rows of blocks, contact by contact: the same for any number of lanes and workers.
static void sum_blocks(sn_contacts *c, sn_contact_block *blocks, int count) {
    for (int i = 0; i < count; i++) {
        sn_contact_block *b = &blocks[i];
        sn_block_sum *sum = &c->block_sums[b - c->blocks];
        *sum = (sn_block_sum){.island = b->far ? SN_NO_ISLAND : b->one_island ? b->island[0] : SN_MANY_ISLANDS};
        for (int k = 0; !b->far && k < b->count; k++)
            sum->slope += (double)b->slope[k], sum->rate += (double)b->slope_rate[k];
    }
}

// Adds them to the islands; 'second' may be null.
static void add_to_islands(const sn_contacts *c, double *first, double *second) {
    for (int i = 0; i < c->block_count; i++) {
        const sn_block_sum *sum = &c->block_sums[i];
        if (sum->island == SN_NO_ISLAND) continue;
        if (sum->island != SN_MANY_ISLANDS) {
            first[sum->island] += sum->slope;
            if (second) second[sum->island] += sum->rate;
            continue;
        }
        const sn_contact_block *b = &c->blocks[i];
        for (int k = 0; k < b->count; k++) {
            first[b->island[k]] += (double)b->slope[k];
            if (second) second[b->island[k]] += (double)b->slope_rate[k];
        }
    }
}

static void rates_blocks(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    c->kernels->rates(blocks, count, how);
    sum_blocks(c, blocks, count);
}
static void slope_blocks(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    c->kernels->slope(blocks, count, how);
    sum_blocks(c, blocks, count);
}
static void energy_blocks(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    c->kernels->energy(blocks, count, how);
    sum_blocks(c, blocks, count);
}

// Of staying where the substep starts.
static void start_energy_blocks(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    (void)how;
    EACH_OF(blocks, count, b, k) {
        if (b->far) break;
        sn_real gap = b->start_gap[k]; // to where a collider comes to: it may do work
        for (int x = 0; x < 3 && !sn_form_both(b->form); x++) gap -= b->n[x][k] * b->drift[x][k];
        const sn_real in = sn_max(b->target[k] - gap, 0);
        sn_vec3 slip = sn_v3(b->stretch[0][k], b->stretch[1][k], b->stretch[2][k]);
        if (!sn_form_both(b->form)) slip = sn_sub(slip, sn_v3(b->drift[0][k], b->drift[1][k], b->drift[2][k]));
        const sn_real size = sn_length(slip), stiff = b->k[k], max = b->friction_max[k];
        sn_real energy = (sn_real)0.5 * stiff * in * in;
        if (max > 0)
            energy +=
                stiff * size < max ? (sn_real)0.5 * stiff * size * size : max * (size - (sn_real)0.5 * max / stiff);
        b->slope[k] = energy;
    }
    sum_blocks(c, blocks, count);
}

typedef struct {
    const sn_node_vector *step, *force;
    const sn_real *alpha;
} advancing;

static void advance_group(sn_contacts *c, sn_contact_group *group, const void *how) {
    const advancing *a = how;
    c->kernels->advance(c->blocks + group->first, group->count, a->step, a->force, a->alpha);
}

// The axes of a pair must not cross in a step: that would turn the normal round. Shortens the steps of islands.
static void bound_steps(const sn_contacts *c, sn_solve *solve) {
    EACH_NEAR_CONTACT(c, b, k) {
        if (b->form != SN_PILL_PILL || !(b->k[k] > 0) || !solve->iterating[b->island[k]]) continue;
        const sn_vec3 n = sn_v3(b->n[0][k], b->n[1][k], b->n[2][k]);
        sn_real closing = 0;
        for (int side = 0; side < 2; side++) {
            int32_t slot[3];
            sn_real weight[3], r[3];
            side_weights(b, k, side, slot, weight, r);
            for (int i = 0; i < 2; i++) {
                const sn_real *d = solve->step + 4 * (size_t)slot[i];
                closing -= weight[i] * (n.x * d[0] + n.y * d[1] + n.z * d[2]);
            }
        }
        const sn_real distance = b->gap[k] + b->radius[0][k] + b->radius[1][k];
        sn_real *share = &solve->share[b->island[k]];
        if (distance > 0 && closing * *share > MAX_CLOSING * distance) *share = MAX_CLOSING * distance / closing;
    }
}

// Normal forces where the last inner iteration came to. Friction is bounded by them in the next. Where it lifts a rigid body off what it
// stands on, as a stick that tips, the two would take turns from iteration to iteration; half of the change, from the second on, lets them meet.
typedef struct {
    const sn_solve *solve;
    bool halves;
} noting;

static void note_loads(sn_contacts *c, sn_contact_block *blocks, int count, const void *how) {
    (void)c;
    const noting *note = how;
    const sn_solve *solve = note->solve;
    EACH_OF(blocks, count, b, k) {
        if (b->far) break;
        const sn_real share = solve->share[b->island[k]];
        const sn_real gap = b->gap[k] + share * (b->gap_now[k] - b->gap[k]);
        const sn_real load = sn_max(b->k[k] * (b->target[k] - gap), 0);
        b->load[k] = b->has_nodes && note->halves ? (sn_real)0.5 * (b->load[k] + load) : load;
        for (int x = 0; x < 3; x++) b->slip_now[x][k] = b->slip[x][k] + share * (b->slip_now[x][k] - b->slip[x][k]);
        b->gap_now[k] = gap;
    }
}

// Islands that push a collider, or a body or node that does not move, give momentum to it.
static void mark_held(const sn_contacts *c, const sn_solve *solve) {
    EACH_NEAR_CONTACT(c, b, k) {
        if (!(b->load[k] > 0) || !solve->is_free[b->island[k]]) continue;
        bool held = !sn_form_both(b->form);
        for (int side = 0; side < 2 && !held; side++) {
            int32_t slot[3];
            sn_real weight[3], r[3];
            const int nodes = side_weights(b, k, side, slot, weight, r), body = sn_element_body(c, b->pill[side][k]);
            held = !solve->coupled[body];
            for (int i = 0; i < nodes && !held && b->nodal[side][k] > 0; i++)
                held = weight[i] != 0 && !(c->proxies.nodes[slot[i] - solve->shift[body]].w > 0);
        }
        if (held) solve->is_free[b->island[k]] = false;
    }
}

void sn_contacts_couple(void *what, const sn_stage *stage, sn_solve *solve, int op) {
    sn_contacts *c = what;
    if (!c->is_active) return;
    const sn_node_vector force = {solve->force, solve->force_spin}, step = {solve->step, solve->step_spin};
    switch ((sn_coupling_op)op) {
    case SN_COUPLING_MEASURE:
        if (solve->iteration > 0) over_blocks(c, note_loads, &(noting){solve, solve->iteration > 1});
        measure(c, solve);
        break;
    case SN_COUPLING_LINEARISE:
        linearise(c, solve, &force);
        for (int i = 0; i < solve->bodies; i++) c->zero_share[i] = 0;
        over_blocks(c, energy_blocks, c->zero_share);
        add_to_islands(c, solve->coupling_energy, NULL);
        break;
    case SN_COUPLING_RATES:
        over_blocks(c, rates_blocks, &step);
        add_to_islands(c, solve->slope_rate, solve->curvature);
        break;
    case SN_COUPLING_SLOPE:
        over_blocks(c, slope_blocks, solve->alpha);
        add_to_islands(c, solve->slope, solve->slope_rate);
        break;
    case SN_COUPLING_ADVANCE: {
        for (int i = 0; i < solve->bodies; i++) c->iterating_alpha[i] = solve->iterating[i] ? solve->alpha[i] : 0;
        const advancing a = {&step, &force, c->iterating_alpha};
        over_groups(c, advance_group, &a);
        break;
    }
    case SN_COUPLING_ENERGY:
        over_blocks(c, energy_blocks, solve->share);
        add_to_islands(c, solve->coupling_energy, NULL);
        break;
    case SN_COUPLING_START_ENERGY:
        over_blocks(c, start_energy_blocks, NULL);
        add_to_islands(c, solve->coupling_energy, NULL);
        break;
    case SN_COUPLING_BOUND:
        bound_steps(c, solve);
        break;
    case SN_COUPLING_END:
        over_blocks(c, note_loads, &(noting){solve, false});
        mark_held(c, solve);
        if (stage->balance) sn_contacts_balance(c, solve, stage->balance);
        break;
    case SN_COUPLING_REACT:
        sn_body_pairs_measure(c, solve);
        break;
    case SN_COUPLING_SHARE:
        sn_body_pairs_add(c, stage, solve);
        break;
    case SN_COUPLING_BEGIN:
        sn_contacts_begin_rolling(c);
        break;
    default:
        break;
    }
    if (c->rolls) sn_contacts_couple_rolling(c, stage, solve, op);
}

// ---- warm starts

// What the next substep starts with. A contact that slides keeps its spring as long as friction can hold it.
sn_warm_start sn_contact_warm_start(const sn_contact_block *b, int k) {
    if (b->bounce[k] > 0) return (sn_warm_start){0}; // it leaves
    const sn_real load = b->load[k];
    sn_vec3 slip = sn_v3(b->slip_now[0][k], b->slip_now[1][k], b->slip_now[2][k]);
    const sn_real size = sn_length(slip), pull = b->k[k] * size;
    const sn_real held = pull > b->stick[k] * load ? b->slide[k] * load : pull;
    const sn_real strength = sn_max(load, SOFTER * b->strength[k]);
    const sn_vec3 stretch = load > 0 && pull > 0 ? sn_mul(held / pull, slip) : sn_v3(0, 0, 0);
    const sn_vec3 rotation = load > 0 ? sn_v3(b->rotation[0][k], b->rotation[1][k], b->rotation[2][k]) : sn_v3(0, 0, 0);
    return (sn_warm_start){load, stretch, strength, b->k[k], b->target[k], rotation};
}

sn_vec3 sn_contacts_centre(const sn_contacts *c, int node) {
    return c->proxies.nodes[node].c;
}
