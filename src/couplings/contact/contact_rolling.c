// Resistance to rolling and to turning about the normal, of contacts between rigid bodies. It is friction of rotations: with p the rotation
// of side a against side b since the substep started, part by part across the normal (rolling) and along it (torsion),
//
//     E = F(|p|),     F' = min(k |p|, bound)     bound = coefficient (m) times the normal force of the last iteration
//
// in the common solve (base/solve.h) as friction is, and like it p starts a substep with what is stored in the contact. Torques and
// rotations meet node space in the two nodes of a body's frame and its spin: the centre of mass, and one at r d from it, with d the
// body's axis:
//
//     torque T     force (T x d) / r on the second node, its opposite on the first, T.d on the spin       rotation   d spin + d x (x_1 - x_0) / r
#include "base/math/trig.h"
#include "couplings/contact/contact.h"

#define STIFFNESS ((sn_real)0.25) // of the contact's, times its arm squared

typedef struct {
    sn_contact_block *block;
    int lane, island;
    int body[2], slot[2]; // body -1: a collider; slot: of its first node
    sn_vec3 axis[2], n;
    sn_real length[2];
    sn_vec3 rotation, rotation_now, rate[2], collider_motion;
    sn_vec3 predicted, stored;      // without contacts; at the start of the substep
    sn_real k, bound[2], secant[2]; // of rolling, and of turning about the normal
} rolling_row;

typedef struct {
    sn_vec3 part[2]; // across the normal and along it
} parts;

static parts split(const rolling_row *row, sn_vec3 v) {
    const sn_vec3 along = sn_mul(sn_dot(v, row->n), row->n);
    return (parts){{sn_sub(v, along), along}};
}

// ---- the potential

static sn_real secant_of(sn_real k, sn_real bound, sn_real size) {
    return k * size > bound ? bound / size : k;
}

// Torque on side b.
static sn_vec3 slope_at(const rolling_row *row, sn_vec3 rotation) {
    const parts p = split(row, rotation);
    sn_vec3 sum = sn_v3(0, 0, 0);
    for (int i = 0; i < 2; i++)
        sum = sn_mul_add(sum, secant_of(row->k, row->bound[i], sn_length(p.part[i])), p.part[i]);
    return sum;
}

static double energy_at(const rolling_row *row, sn_vec3 rotation) {
    const parts p = split(row, rotation);
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const double size = (double)sn_length(p.part[i]), k = (double)row->k, max = (double)row->bound[i];
        sum += k * size < max ? 0.5 * k * size * size : max * (size - 0.5 * max / k);
    }
    return sum;
}

static double curvature_at(const rolling_row *row, sn_vec3 rotation, sn_vec3 rate) {
    const parts p = split(row, rotation), v = split(row, rate);
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const sn_real size2 = sn_length2(p.part[i]), along = sn_dot(p.part[i], v.part[i]);
        const sn_real k = secant_of(row->k, row->bound[i], sn_sqrt(size2));
        const sn_real slides = k < row->k && size2 > 0 ? along * along / size2 : 0;
        sum += (double)(k * sn_max(sn_length2(v.part[i]) - slides, 0));
    }
    return sum;
}

// What bodies' matrices know of it, of one side.
static sn_vec3 known_of(const rolling_row *row, sn_vec3 rate) {
    const parts v = split(row, rate);
    return sn_mul_add(sn_mul(row->secant[0], v.part[0]), row->secant[1], v.part[1]);
}

// ---- node space

static void add_torque(const sn_solve *solve, const rolling_row *row, int side, sn_vec3 torque) {
    if (row->body[side] < 0) return;
    const sn_vec3 d = row->axis[side], force = sn_mul(1 / row->length[side], sn_cross(torque, d));
    sn_real *first = solve->force + 4 * (size_t)row->slot[side], *second = first + 4;
    first[0] -= force.x, first[1] -= force.y, first[2] -= force.z;
    second[0] += force.x, second[1] += force.y, second[2] += force.z;
    solve->force_spin[row->slot[side] + 1] += sn_dot(torque, d);
}

static sn_vec3 rotation_in(const sn_solve *solve, const rolling_row *row, int side) {
    if (row->body[side] < 0) return sn_v3(0, 0, 0);
    const sn_real *first = solve->step + 4 * (size_t)row->slot[side], *second = first + 4;
    const sn_vec3 d = row->axis[side], moved = {second[0] - first[0], second[1] - first[1], second[2] - first[2]};
    return sn_mul_add(sn_mul(1 / row->length[side], sn_cross(d, moved)), solve->step_spin[row->slot[side] + 1], d);
}

static void add_stiffness(const sn_solve *solve, const rolling_row *row, int side) {
    if (row->body[side] < 0) return;
    const sn_vec3 n = row->n;
    const sn_real k = row->secant[0], more = row->secant[1] - k;
    sn_real *m = solve->rotation_stiffness + (size_t)row->body[side] * SN_ROTATION_STIFFNESS;
    m[0] += k + more * n.x * n.x, m[1] += more * n.x * n.y, m[2] += more * n.x * n.z;
    m[3] += k + more * n.y * n.y, m[4] += more * n.y * n.z, m[5] += k + more * n.z * n.z;
}

// ---- which contacts

static sn_vec3 collider_rotation(const sn_collider *c) {
    const sn_quat q = sn_q_mul(c->until.rotation, sn_q_conj(c->from.rotation));
    const sn_vec3 v = {q.x, q.y, q.z};
    return c->moves ? sn_mul(q.w < 0 ? -2 : 2, v) : sn_v3(0, 0, 0);
}

static const sn_surface *surface_of(const sn_contacts *c, const sn_contact_block *b, int k, int side) {
    if (b->pill[side][k] < 0) return &c->colliders[b->collider[k]]->surface;
    return &c->settings[sn_element_surface(c, b->pill[side][k])].surface;
}

// False: the side is of another kind.
static bool place_side(const sn_contacts *c, const sn_solve *solve, int side, rolling_row *row) {
    const int element = row->block->pill[side][row->lane];
    row->body[side] = -1;
    if (element < 0) {
        row->collider_motion = collider_rotation(c->colliders[row->block->collider[row->lane]]);
        row->rotation = sn_sub(row->rotation, row->collider_motion);
        row->predicted = sn_sub(row->predicted, row->collider_motion);
        return true;
    }
    const int body = sn_element_body(c, element);
    if (!sn_has_contact_node(c, element)) return false;
    if (!solve->coupled[body]) return true; // asleep: it does not rotation
    const int first = body > 0 ? c->body_end[body - 1] : 0;
    const sn_vec3 arm = sn_sub(c->proxies.nodes[first + 1].c, c->proxies.nodes[first].c);
    row->body[side] = body, row->slot[side] = first + solve->shift[body];
    row->length[side] = sn_length(arm), row->axis[side] = sn_mul(1 / row->length[side], arm);
    const sn_vec3 turned = sn_contacts_rotation(c, first);
    row->rotation = side ? sn_sub(row->rotation, turned) : sn_add(row->rotation, turned);
    row->predicted = sn_mul_add(row->predicted, side ? -1 : 1, c->predicted_rotations[body]);
    const int node = row->block->slot[2 * side][row->lane] - c->first_contact_node;
    row->k = sn_max(row->k, sn_length2(c->contact_nodes[node].arm));
    return row->length[side] > 0;
}

static bool make_row(const sn_contacts *c, const sn_solve *solve, sn_contact_block *b, int k, rolling_row *row) {
    const sn_surface *of[2] = {surface_of(c, b, k, 0), surface_of(c, b, k, 1)};
    const sn_real rolling = sn_max(of[0]->rolling, of[1]->rolling), torsion = sn_max(of[0]->torsion, of[1]->torsion);
    if (!(rolling > 0 || torsion > 0) || !(b->k[k] > 0) || !(b->load[k] > 0)) return false;
    const sn_vec3 stored = {b->rotation[0][k], b->rotation[1][k], b->rotation[2][k]};
    *row = (rolling_row){.block = b,
                         .lane = k,
                         .island = b->island[k],
                         .n = {b->n[0][k], b->n[1][k], b->n[2][k]},
                         .stored = stored,
                         .rotation = stored,
                         .predicted = stored};
    if (!place_side(c, solve, 0, row) || !place_side(c, solve, 1, row)) return false;
    row->k *= STIFFNESS * b->k[k];
    row->bound[0] = rolling * b->load[k], row->bound[1] = torsion * b->load[k];
    // At the start nothing has turned yet, and what will slide would look stuck.
    const parts p = split(row, row->rotation), q = split(row, solve->iteration == 0 ? row->predicted : row->rotation);
    for (int i = 0; i < 2; i++) {
        const sn_real size = sn_max(sn_length(p.part[i]), sn_length(q.part[i]));
        row->secant[i] = row->bound[i] > 0 ? secant_of(row->k, row->bound[i], size) : 0;
    }
    row->rotation_now = row->rotation;
    return row->k > 0;
}

static bool resists(const sn_surface *s) {
    return s->rolling > 0 || s->torsion > 0;
}

static bool any_resists(const sn_contacts *c) {
    bool any = false;
    for (int i = 0; i < c->body_count && c->has_contact_nodes; i++) any = any || resists(&c->settings[i].surface);
    for (int i = 0; i < c->collider_count && c->has_contact_nodes; i++)
        any = any || (c->colliders[i] && resists(&c->colliders[i]->surface));
    return any;
}

void sn_contacts_begin_rolling(sn_contacts *c) {
    c->rolling_rows = NULL, c->rolling_count = 0, c->rolls = any_resists(c);
    if (!c->rolls) return;
    c->rolling_rows = sn_arena_alloc(&c->arena, (size_t)c->row_count + 1, sizeof(rolling_row));
    c->predicted_rotations = sn_arena_alloc(&c->arena, (size_t)c->body_count + 1, sizeof *c->predicted_rotations);
    c->rolls = c->rolling_rows && c->predicted_rotations; // without memory the step ends and did not happen
    for (int i = 0; i < c->body_count && c->rolls; i++) {
        const int first = i > 0 ? c->body_end[i - 1] : 0;
        const bool rigid = sn_kinds[sn_world_row_of_body(c->world, i)]->contact_nodes && c->body_end[i] > first;
        c->predicted_rotations[i] = rigid ? sn_contacts_rotation(c, first) : sn_v3(0, 0, 0);
    }
}

static void linearise(sn_contacts *c, const sn_solve *solve) {
    c->rolling_count = 0;
    rolling_row *rows = c->rolling_rows;
    for (int i = 0; i < c->block_count; i++) {
        sn_contact_block *b = &c->blocks[i];
        for (int k = 0; k < b->count && b->has_nodes && !b->far; k++)
            c->rolling_count += make_row(c, solve, b, k, &rows[c->rolling_count]);
    }
    for (int i = 0; i < c->rolling_count; i++) {
        const sn_vec3 torque = slope_at(&rows[i], rows[i].rotation);
        for (int side = 0; side < 2; side++) {
            add_torque(solve, &rows[i], side, side ? torque : sn_mul(-1, torque));
            add_stiffness(solve, &rows[i], side);
        }
        solve->coupling_energy[rows[i].island] += energy_at(&rows[i], rows[i].rotation);
    }
}

// ---- along a direction

static void rates(const sn_solve *solve, rolling_row *row) {
    double known = 0;
    for (int side = 0; side < 2; side++) {
        row->rate[side] = rotation_in(solve, row, side);
        known += (double)sn_dot(row->rate[side], known_of(row, row->rate[side]));
    }
    solve->curvature[row->island] -= known;
    solve->slope_rate[row->island] += curvature_at(row, row->rotation_now, sn_sub(row->rate[0], row->rate[1]));
}

static void slope(const sn_solve *solve, const rolling_row *row) {
    const sn_vec3 rate = sn_sub(row->rate[0], row->rate[1]);
    const sn_vec3 to = sn_mul_add(row->rotation_now, solve->alpha[row->island], rate);
    solve->slope[row->island] += (double)sn_dot(sn_sub(slope_at(row, to), slope_at(row, row->rotation_now)), rate);
    solve->slope_rate[row->island] += curvature_at(row, to, rate);
}

static void advance(const sn_solve *solve, rolling_row *row) {
    const sn_real alpha = solve->iterating[row->island] ? solve->alpha[row->island] : 0;
    const sn_vec3 before = slope_at(row, row->rotation_now);
    row->rotation_now = sn_mul_add(row->rotation_now, alpha, sn_sub(row->rate[0], row->rate[1]));
    const sn_vec3 more = sn_sub(slope_at(row, row->rotation_now), before);
    for (int side = 0; side < 2; side++)
        add_torque(solve, row, side,
                   sn_add(side ? more : sn_mul(-1, more), sn_mul(alpha, known_of(row, row->rate[side]))));
}

// Where the bodies came to.
static sn_vec3 end_of(const sn_solve *solve, const rolling_row *row) {
    return sn_lerp(row->rotation, row->rotation_now, solve->share[row->island]);
}

// What stays in the contact: as much as resistance can hold.
static void store(const sn_stage *stage, const sn_solve *solve, const rolling_row *row) {
    const parts p = split(row, end_of(solve, row));
    sn_vec3 sum = sn_v3(0, 0, 0);
    for (int i = 0; i < 2; i++) {
        const sn_real size = sn_length(p.part[i]), max = row->bound[i] / row->k;
        sum = sn_mul_add(sum, size > max ? max / size : 1, p.part[i]);
    }
    const bool keep = sn_finite3(sum) && !solve->failed[row->island];
    const sn_real rotation[3] = {sum.x, sum.y, sum.z};
    for (int x = 0; x < 3 && keep; x++) row->block->rotation[x][row->lane] = rotation[x];
    if (stage->balance && keep) stage->balance->stored += energy_at(row, sum);
}

static void forget(sn_contacts *c) {
    for (int i = 0; i < c->block_count; i++)
        for (int k = 0; k < c->blocks[i].count; k++)
            for (int x = 0; x < 3; x++) c->blocks[i].rotation[x][k] = 0;
}

// What colliders that rotation bear, and their work.
static void react(const sn_contacts *c, const sn_stage *stage, const sn_solve *solve, const rolling_row *row,
                  bool share) {
    const int number = row->block->collider[row->lane];
    if (number < 0 || row->block->pill[1][row->lane] >= 0 || solve->failed[row->island]) return;
    const sn_vec3 torque = slope_at(row, end_of(solve, row));
    if (!sn_finite3(torque)) return;
    double *to = c->colliders[number]->torque;
    const double part = 1 / (double)stage->substeps;
    if (share)
        to[0] += part * (double)torque.x, to[1] += part * (double)torque.y, to[2] += part * (double)torque.z;
    else if (stage->balance)
        stage->balance->work -= (double)sn_dot(torque, row->collider_motion);
}

void sn_contacts_couple_rolling(sn_contacts *c, const sn_stage *stage, sn_solve *solve, int op) {
    rolling_row *rows = c->rolling_rows;
    if (op == SN_COUPLING_LINEARISE) linearise(c, solve);
    if (op == SN_COUPLING_END) forget(c);
    for (int i = 0; i < c->rolling_count; i++) {
        switch ((sn_coupling_op)op) {
        case SN_COUPLING_RATES:
            rates(solve, &rows[i]);
            break;
        case SN_COUPLING_SLOPE:
            slope(solve, &rows[i]);
            break;
        case SN_COUPLING_ADVANCE:
            advance(solve, &rows[i]);
            break;
        case SN_COUPLING_ENERGY:
            solve->coupling_energy[rows[i].island] += energy_at(&rows[i], end_of(solve, &rows[i]));
            break;
        case SN_COUPLING_START_ENERGY:
            solve->coupling_energy[rows[i].island] +=
                energy_at(&rows[i], sn_sub(rows[i].stored, rows[i].collider_motion));
            break;
        case SN_COUPLING_END:
            react(c, stage, solve, &rows[i], false);
            store(stage, solve, &rows[i]);
            break;
        case SN_COUPLING_SHARE:
            react(c, stage, solve, &rows[i], true);
            break;
        default:
            break;
        }
    }
}
