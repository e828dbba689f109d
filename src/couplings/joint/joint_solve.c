// Joints in the common solve (base/solve.h): they are in the matrix. With M the bodies' matrices, J the joints' rows in node space
// and c their compliance, every linear step solves
//
//     [ M   J^T ] [ d ]   [ r  ]                l = (W + c)^-1 (J M^-1 r + C)         W = J M^-1 J^T
//     [ J   -c  ] [ l ] = [ -C ]                d = M^-1 (r - J^T l)
//
// exactly. W is small: a few rows a joint, full between joints that share a body; it is factored in an envelope, in an order that
// keeps chains and trees of bodies narrow (reverse Cuthill-McKee, joint_order.c). A joint without compliance has a tiny one, relative
// to what its bodies yield, so that joints that contradict each other share the load instead of dividing by nothing.
//
// Points. With lever r from the point of b to where a belongs (its offset, which rotates with b), C = p_a - (p_b + r).
// Rotation. A segment from node 1 to node 2 of length L in direction d rotates by
//     w = d x (dx_2 - dx_1) / L + spin d
// The error is the rotation vector from where a belongs, (frame of b) relation, to where it is; a joint that holds only the
// direction leaves out what is along d.
//
// A largest force makes a joint as compliant as it must be to bear no more: c = |C| / max_force.
#include "couplings/joint/joint.h"
#include <math.h>

#define TINY_COMPLIANCE 1e-6 // of what the bodies yield

// Positions are measured in double, with what rounding left of them: a joint is so stiff that the last digit of a float is a force.
static double coordinate(sn_vec3 v, int k) {
    return (double)(k == 0 ? v.x : k == 1 ? v.y : v.z);
}
static double node_at(const sn_node *node, int k) {
    return coordinate(node->c, k) + coordinate(node->low, k);
}
static double point_on(const sn_contacts *c, int pill, sn_real along, int k) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    const double b = node_at(&c->proxies.nodes[pill], k);
    if (p->a < 0) return b; // a node without a pill
    return b + (1 - (double)along) * (node_at(&c->proxies.nodes[p->a], k) - b);
}

static sn_vec3 unit(int k) {
    return sn_v3(k == 0, k == 1, k == 2);
}

// ---- segments that rotate

typedef struct {
    sn_vec3 d;      // from node to node, unit
    sn_real length; // 0: it has no direction
} sn_arm;

static sn_arm arm_of(const sn_contacts *c, int pill) {
    const sn_node_pill *x = &c->proxies.pills[pill];
    const sn_vec3 displacement = sn_sub(c->proxies.nodes[x->b].c, c->proxies.nodes[x->a].c);
    const sn_real length = sn_length(displacement);
    return length > 0 ? (sn_arm){sn_mul(1 / length, displacement), length} : (sn_arm){x->axis, 0};
}

// How a segment stands follows from how it stood at the start of the substep: its axis is known and how far it has rotated about it
// (geometry/proxy.h), and exactly one rotation does both. With the smallest rotation P from the old axis to the new one, by the
// angle b, the whole is one by f about the new axis after P, and its part about the axis is 2 sin(f/2) cos(b/2). Nodes are
// nearly, not quite, along that axis (a rod may shear); they are what the joint can move, so the frame is aligned with them.
static sn_quat frame_of(const sn_contacts *c, int pill, sn_quat start) {
    const sn_node_pill *x = &c->proxies.pills[pill];
    sn_quat now = start;
    if (sn_length2(x->axis) > (sn_real)0.5) { // a sleeper shows no axis: it stands as it stood
        const sn_quat min = sn_q_between(sn_q_axis_z(start), x->axis);
        sn_real sine = min.w > (sn_real)0.01 ? (sn_real)0.5 * x->spin / min.w : 0;
        sine = sn_min(sn_max(sine, -1), 1);
        const sn_quat about = {sine * x->axis.x, sine * x->axis.y, sine * x->axis.z, sn_sqrt(1 - sine * sine)};
        now = sn_q_mul(about, sn_q_mul(min, start));
    }
    return sn_q_align_z(now, arm_of(c, pill).d);
}

// ---- side b

static sn_quat lerp_rotation(sn_quat p, sn_quat q, sn_real t) {
    if (sn_q_dot(p, q) < 0) q = (sn_quat){-q.x, -q.y, -q.z, -q.w};
    return sn_q_normalize(
        (sn_quat){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z), p.w + t * (q.w - p.w)});
}

static sn_quat frame_of_b(const sn_contacts *c, const sn_joint_body *joint, sn_real share) {
    if (joint->on_bone) return lerp_rotation(joint->bone[0], joint->bone[1], share);
    if (joint->pill_b >= 0) return joint->is_point[1] ? sn_q_identity() : frame_of(c, joint->pill_b, joint->frame[1]);
    if (joint->collider >= 0) return c->colliders[joint->collider]->until.rotation;
    return lerp_rotation(joint->rotation_from, joint->rotation, share);
}

// Where side b's point is at the end of this substep.
static double point_of_b(const sn_contacts *c, const sn_joint_body *joint, sn_real share, int k) {
    if (joint->pill_b >= 0) return point_on(c, joint->pill_b, joint->along[1], k);
    if (joint->collider >= 0)
        return coordinate(sn_transform_point(&c->colliders[joint->collider]->until, joint->local), k);
    return coordinate(sn_lerp(joint->from, joint->def.position, share), k);
}

// ---- rows

// A row's part on one side: coefficients of the displacements of two nodes, and of the pill's spin.
static void add_point(sn_joint_row *row, const sn_contacts *c, int side, int pill, sn_real along, sn_vec3 direction) {
    const bool segment = c->proxies.pills[pill].a >= 0;
    sn_joint_part *part = &row->part[side];
    if (segment) part->node[0] = sn_mul_add(part->node[0], 1 - along, direction);
    part->node[1] = sn_mul_add(part->node[1], segment ? along : 1, direction);
}

static void add_rotation(sn_joint_row *row, const sn_contacts *c, int side, int pill, sn_vec3 about) {
    const sn_arm arm = arm_of(c, pill);
    sn_joint_part *part = &row->part[side];
    if (!(arm.length > 0)) return;
    const sn_vec3 force = sn_mul(1 / arm.length, sn_cross(about, arm.d));
    part->node[0] = sn_sub(part->node[0], force);
    part->node[1] = sn_add(part->node[1], force);
    part->spin += sn_dot(about, arm.d);
}

// The slots of a joint's sides; a side that does not move has none.
static void place_row(sn_joint_row *row, const sn_contacts *c, const sn_solve *solve, const sn_joint_body *joint,
                      int i) {
    *row = (sn_joint_row){.joint = i};
    for (int side = 0; side < 2; side++) {
        const int pill = side ? joint->pill_b : joint->pill_a;
        sn_joint_part *part = &row->part[side];
        part->body = part->slot[0] = part->slot[1] = -1;
        if (pill < 0) continue;
        const int body = c->proxies.pills[pill].body;
        if (!solve->coupled[body]) continue;
        part->body = body;
        part->unit = solve->unit[body];
        part->slot[1] = pill + solve->shift[body];
        part->slot[0] = c->proxies.pills[pill].a >= 0 ? c->proxies.pills[pill].a + solve->shift[body] : part->slot[1];
    }
}

// The rotation vector of a rotation; exact enough up to half a turn, where it is longest.
static sn_vec3 rotation_vector(sn_quat q) {
    sn_real sign = q.w < 0 ? -2 : 2, sine2 = q.x * q.x + q.y * q.y + q.z * q.z;
    sn_real stretch = 1 + sine2 * ((sn_real)(1.0 / 6) + (sn_real)0.075 * sine2); // of asin(x)/x
    return sn_mul(sign * stretch, sn_v3(q.x, q.y, q.z));
}

// Multipliers are kept in the joint as vectors, so that they last when rows are measured anew.
static double along_row(sn_vec3 v, sn_vec3 direction) {
    return (double)sn_dot(v, direction);
}

// A force f at a lever r that rotates with a rigid body changes its torque: by a further rotation t it is ((t x r) x f). As a
// stiffness that is (r.f) 1 - (r f^T + f r^T) / 2, with the eigenvalues r.f across both, (r.f + |r||f|) / 2 along r/|r| - f/|f|, and one
// that is never positive. Where links hang on each other it is what keeps Newton's iteration from overshooting. Only what
// is positive is added, so that the bodies' matrices stay so.
static void add_rotation_stiffness(const sn_solve *solve, int body, sn_vec3 r, sn_vec3 f) {
    const sn_real product = sn_length(r) * sn_length(f), along = sn_dot(r, f);
    if (!solve->rotation_stiffness || !solve->coupled[body] || !(product > 0)) return;
    const sn_vec3 to = sn_normalize(r, unit(0)), pull = sn_normalize(f, unit(0)), across = sn_cross(to, pull);
    sn_vec3 axis[2];
    sn_real k[2] = {sn_max(along, 0), sn_max((sn_real)0.5 * (along + product), 0)};
    if (sn_length2(across) > (sn_real)1e-6) {
        axis[0] = sn_normalize(across, unit(0)), axis[1] = sn_normalize(sn_sub(to, pull), unit(0));
    } else {
        sn_tangents(to, &axis[0], &axis[1]);
        k[1] = k[0];
    }
    sn_real *m = solve->rotation_stiffness + (size_t)body * SN_ROTATION_STIFFNESS;
    for (int i = 0; i < 2; i++) {
        const sn_vec3 a = axis[i];
        m[0] += k[i] * a.x * a.x, m[1] += k[i] * a.x * a.y, m[2] += k[i] * a.x * a.z;
        m[3] += k[i] * a.y * a.y, m[4] += k[i] * a.y * a.z, m[5] += k[i] * a.z * a.z;
    }
}

static int measure_point(sn_joints *s, const sn_contacts *c, const sn_solve *solve, int i, sn_real share,
                         sn_joint_row *rows) {
    sn_joint_body *joint = &s->items[i];
    const sn_vec3 to_b = joint->has_anchor[1] ? sn_add(joint->offset, joint->anchor[1]) : joint->offset;
    const bool lever = sn_length2(to_b) > 0;
    const sn_vec3 arm = lever ? sn_q_rotate(frame_of_b(c, joint, share), to_b) : sn_v3(0, 0, 0);
    const sn_vec3 arm_a = joint->has_anchor[0]
                              ? sn_q_rotate(frame_of(c, joint->pill_a, joint->frame[0]), joint->anchor[0])
                              : sn_v3(0, 0, 0);
    double open[3];
    for (int k = 0; k < 3; k++)
        open[k] = point_on(c, joint->pill_a, joint->along[0], k) + coordinate(arm_a, k) -
                  point_of_b(c, joint, share, k) - coordinate(arm, k);
    const bool rotates = lever && joint->pill_b >= 0 && !joint->is_point[1];
    if (joint->has_anchor[0])
        add_rotation_stiffness(solve, c->proxies.pills[joint->pill_a].body, arm_a, sn_mul(-1, joint->reaction));
    if (joint->has_anchor[1]) add_rotation_stiffness(solve, c->proxies.pills[joint->pill_b].body, arm, joint->reaction);
    double compliance = (double)joint->def.compliance;
    if (joint->def.max_force > 0)
        compliance = fmax(compliance, sqrt(open[0] * open[0] + open[1] * open[1] + open[2] * open[2]) /
                                          (double)joint->def.max_force);
    for (int k = 0; k < 3; k++) {
        const sn_vec3 e = unit(k);
        place_row(&rows[k], c, solve, joint, i);
        add_point(&rows[k], c, 0, joint->pill_a, joint->along[0], e);
        if (joint->pill_b >= 0) add_point(&rows[k], c, 1, joint->pill_b, joint->along[1], sn_mul(-1, e));
        if (joint->has_anchor[0]) add_rotation(&rows[k], c, 0, joint->pill_a, sn_cross(arm_a, e));
        if (rotates) add_rotation(&rows[k], c, 1, joint->pill_b, sn_mul(-1, sn_cross(arm, e)));
        rows[k].direction = e;
        rows[k].open = open[k];
        rows[k].compliance = compliance;
        rows[k].force = along_row(joint->reaction, e);
    }
    return 3;
}

// ---- what rods yield up to the joint
//
// A rod's frames are those of its segments' middles. A weld of two frames alone would leave out how half a segment of each rod bends
// and twists, and hold a rod of n segments like one of n - 1/2. So every end adds the compliance  bend (1 - d d^T) + twist d d^T.

// Axes along which the compliance of both sides is diagonal, of size c: with a d_a d_a^T + b d_b d_b^T beside a multiple of 1, one is
// across both directions and two are in their plane, rotated from d_a by f: tan 2f = b sin 2g / (a + b cos 2g), g between them.
// Without the axis along d_a, the first is what is left of d_b.
static void yielding_axes(const sn_joint_body *joint, sn_vec3 da, const sn_vec3 *db, bool along, sn_vec3 axis[3],
                          sn_real c[3]) {
    const sn_real a = joint->twist[0] - joint->bend[0], b = db ? joint->twist[1] - joint->bend[1] : 0;
    sn_tangents(da, &axis[0], &axis[1]);
    axis[2] = da;
    if (db) {
        const sn_vec3 across = sn_mul_add(*db, -sn_dot(*db, da), da);
        const sn_real sine = sn_length(across), cosine = sn_dot(*db, da);
        if (sine > (sn_real)1e-3) {
            axis[0] = sn_mul(1 / sine, across);
            axis[1] = sn_cross(da, axis[0]);
            if (along) {
                const sn_real x = a + b * (cosine * cosine - sine * sine), y = 2 * b * sine * cosine;
                const sn_real size = sn_sqrt(x * x + y * y), part = size > 0 ? sn_min(sn_max(x / size, -1), 1) : 1;
                const sn_real cos_f = sn_sqrt((sn_real)0.5 * (1 + part));
                const sn_real sin_f = y < 0 ? -sn_sqrt((sn_real)0.5 * (1 - part)) : sn_sqrt((sn_real)0.5 * (1 - part));
                const sn_vec3 first = axis[0];
                axis[0] = sn_sub(sn_mul(cos_f, first), sn_mul(sin_f, da));
                axis[2] = sn_add(sn_mul(cos_f, da), sn_mul(sin_f, first));
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        const sn_real on_a = sn_dot(axis[k], da), on_b = db ? sn_dot(axis[k], *db) : 0;
        c[k] = joint->def.angular_compliance + joint->bend[0] + a * on_a * on_a + b * on_b * on_b;
        if (db) c[k] += joint->bend[1];
    }
}

static int measure_rotation(sn_joints *s, const sn_contacts *c, const sn_solve *solve, int i, sn_real share,
                            sn_joint_row *rows) {
    sn_joint_body *joint = &s->items[i];
    const bool weld = joint->def.kind == SN_JOINT_WELD;
    const sn_arm a = arm_of(c, joint->pill_a);
    const sn_quat wanted = sn_q_mul(frame_of_b(c, joint, share), joint->relation);
    const bool rotates = joint->pill_b >= 0 && !joint->is_point[1];
    const sn_vec3 b = rotates ? arm_of(c, joint->pill_b).d : sn_v3(0, 0, 0);
    const bool hinge = sn_length2(joint->axis) > 0;
    const sn_quat frame = weld || hinge ? frame_of(c, joint->pill_a, joint->frame[0]) : sn_q_identity();
    const sn_vec3 direction = hinge ? sn_q_rotate(frame, joint->axis) : a.d;
    sn_vec3 error, axis[3];
    sn_real compliance[3];
    yielding_axes(joint, direction, rotates ? &b : NULL, weld, axis, compliance);
    if (weld)
        error = rotation_vector(sn_q_mul(frame, sn_q_conj(wanted)));
    else
        error =
            rotation_vector(sn_q_between(hinge ? sn_q_rotate(wanted, joint->axis) : sn_q_axis_z(wanted), direction));
    const int count = weld ? 3 : 2;
    for (int k = 0; k < count; k++) {
        place_row(&rows[k], c, solve, joint, i);
        add_rotation(&rows[k], c, 0, joint->pill_a, axis[k]);
        if (rotates) add_rotation(&rows[k], c, 1, joint->pill_b, sn_mul(-1, axis[k]));
        rows[k].direction = axis[k];
        rows[k].angular = true;
        rows[k].open = (double)sn_dot(error, axis[k]);
        rows[k].compliance = (double)compliance[k];
        rows[k].force = along_row(joint->reaction_torque, axis[k]);
    }
    return count;
}

// ---- node space

static void list_loads(sn_joint_system *j, sn_joint_row *row) {
    for (int side = 0; side < 2; side++) {
        const sn_joint_part *part = &row->part[side];
        for (int k = 0; k < 2 && part->body >= 0; k++) {
            if (j->load_of[part->slot[k]] >= 0) continue;
            j->load_of[part->slot[k]] = j->load_count;
            j->load_slot[j->load_count++] = part->slot[k];
        }
    }
}

static void clear_loads(const sn_joint_system *j) {
    for (int i = 0; i < j->load_count; i++)
        for (int k = 0; k < 4; k++) j->loads[i][k] = 0;
}

static void add_row_load(const sn_joint_system *j, const sn_joint_row *row, double force) {
    for (int side = 0; side < 2; side++) {
        const sn_joint_part *part = &row->part[side];
        if (part->body < 0) continue;
        for (int k = 0; k < 2; k++) {
            double *f = j->loads[j->load_of[part->slot[k]]];
            f[0] += force * (double)part->node[k].x, f[1] += force * (double)part->node[k].y;
            f[2] += force * (double)part->node[k].z;
            if (k == 1) f[3] += force * (double)part->spin;
        }
    }
}

static void apply_loads(const sn_joint_system *j, const sn_solve *solve) {
    for (int i = 0; i < j->load_count; i++) {
        sn_real *f = solve->force + 4 * (size_t)j->load_slot[i];
        for (int k = 0; k < 3; k++) f[k] += (sn_real)j->loads[i][k];
        solve->force_spin[j->load_slot[i]] += (sn_real)j->loads[i][3];
    }
}

static double part_rate(const sn_solve *solve, const sn_joint_part *part) {
    double sum = (double)part->spin * (double)solve->step_spin[part->slot[1]];
    for (int k = 0; k < 2; k++) {
        const sn_real *d = solve->step + 4 * (size_t)part->slot[k];
        sum += (double)part->node[k].x * (double)d[0] + (double)part->node[k].y * (double)d[1] +
               (double)part->node[k].z * (double)d[2];
    }
    return sum;
}

static double row_rate(const sn_solve *solve, const sn_joint_row *row) {
    double sum = 0;
    for (int side = 0; side < 2; side++)
        if (row->part[side].body >= 0) sum += part_rate(solve, &row->part[side]);
    return sum;
}

// ---- W

// Both sides of a row on the same body are one entry there.
static bool on_body(const sn_joint_row *row, int body, int side) {
    return row->part[side].body >= 0 && row->part[side].unit == body;
}

static void add_side_load(const sn_joint_system *j, const sn_joint_row *row, int body) {
    sn_joint_row only = *row;
    for (int side = 0; side < 2; side++)
        if (!on_body(row, body, side)) only.part[side].body = -1;
    add_row_load(j, &only, 1);
}

static double side_rate(const sn_solve *solve, const sn_joint_row *row, int body) {
    double sum = 0;
    for (int side = 0; side < 2; side++)
        if (on_body(row, body, side)) sum += part_rate(solve, &row->part[side]);
    return sum;
}

static void clear_forces(const sn_solve *solve) {
    for (int i = 0; i < 4 * solve->slots; i++) solve->force[i] = 0;
    for (int i = 0; i < solve->slots; i++) solve->force_spin[i] = 0;
}

// W = J M^-1 J^T, a column of each body at a time; then + c, and factored. Entries are the mean of both triangles: rows of the same
// point are then equal to the last digit, and what rounding makes of columns does not pass for a compliance between them.
static void build_matrix(sn_joints *s, sn_solve *solve) {
    sn_joint_system *j = &s->system;
    for (size_t i = 0; i < j->entries; i++) j->matrix.a[i] = 0;
    for (int k = 0; k < j->max_body_rows; k++) {
        clear_forces(solve);
        clear_loads(j);
        for (int b = 0; b < j->body_count; b++)
            if (j->body_first[b] + k < j->body_first[b + 1])
                add_side_load(j, &j->rows[j->body_rows[j->body_first[b] + k]], j->bodies[b]);
        apply_loads(j, solve);
        solve->run(solve, SN_COUPLE_COLUMN);
        for (int b = 0; b < j->body_count; b++) {
            const int at = j->body_first[b] + k;
            if (at >= j->body_first[b + 1]) continue;
            const int column = j->place[j->body_rows[at]];
            for (int m = j->body_first[b]; m < j->body_first[b + 1]; m++) {
                const int row = j->place[j->body_rows[m]];
                const double rate = side_rate(solve, &j->rows[j->body_rows[m]], j->bodies[b]);
                *sn_skyline_at(&j->matrix, row > column ? row : column, row > column ? column : row) +=
                    row == column ? rate : 0.5 * rate;
            }
        }
    }
    for (int i = 0; i < j->row_count; i++) {
        double *diagonal = sn_skyline_at(&j->matrix, j->place[i], j->place[i]);
        if (solve->iteration == 0) j->tiny[i] = TINY_COMPLIANCE * *diagonal + 1e-30; // one potential for all iterations
        j->rows[i].compliance += j->tiny[i];
        *diagonal += j->rows[i].compliance;
    }
    sn_skyline_factor(&j->matrix);
}

// x := (W + c)^-1 x, x by row.
static void solve_rows(sn_joint_system *j, double *x) {
    for (int i = 0; i < j->row_count; i++) j->scratch[j->place[i]] = x[i];
    sn_skyline_solve(&j->matrix, j->scratch);
    for (int i = 0; i < j->row_count; i++) x[i] = j->scratch[j->place[i]];
}

// ---- the operations

static void linearise(sn_joints *s, const sn_contacts *c, sn_solve *solve, sn_real share) {
    sn_joint_system *j = &s->system;
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        if (!sn_joint_is_active(c, solve, joint)) continue;
        joint->first_row = count;
        count += measure_point(s, c, solve, i, share, j->rows + count);
        if (joint->def.kind != SN_JOINT_POINT) count += measure_rotation(s, c, solve, i, share, j->rows + count);
    }
    for (int i = 0; i < count; i++) list_loads(j, &j->rows[i]);
    clear_loads(j);
    for (int i = 0; i < count; i++) {
        j->rows[i].start_force = j->rows[i].force;
        add_row_load(j, &j->rows[i], -j->rows[i].force);
    }
    apply_loads(j, solve);
}

// Energy of open joints at a share of the step: 1/2 C^2 / c.
static void add_energy(const sn_joint_system *j, sn_solve *solve, bool at_start) {
    for (int i = 0; i < j->row_count; i++) {
        const sn_joint_row *row = &j->rows[i];
        const double share = at_start ? 0 : (double)solve->share[row->island];
        const double open = row->open + share * (row->compliance * row->force - row->open);
        solve->coupling_energy[row->island] += 0.5 * open * open / row->compliance;
    }
}

// How far bodies have moved a row since the substep started.
static double moved_since_start(const sn_contacts *c, const sn_solve *solve, const sn_joint_row *row) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const sn_joint_part *part = &row->part[side];
        if (part->body < 0) continue;
        for (int k = 0; k < 2; k++) {
            const int at = part->slot[k] - solve->shift[part->body];
            const sn_node *node = &c->proxies.nodes[at];
            for (int m = 0; m < 3; m++)
                sum += coordinate(part->node[k], m) *
                       (node_at(node, m) - coordinate(node->c0, m) - coordinate(c->proxies.pills[at].low0, m));
        }
        sum += (double)part->spin * (double)c->proxies.pills[part->slot[1] - solve->shift[part->body]].spin;
    }
    return sum;
}

// Energy of the joints, as they are to be at the end of the substep, where the bodies started: whoever moves a joint does work.
static void add_start_energy(const sn_contacts *c, const sn_joint_system *j, const sn_solve *solve) {
    for (int i = 0; i < j->row_count; i++) {
        const sn_joint_row *row = &j->rows[i];
        const double open = row->open - moved_since_start(c, solve, row);
        solve->coupling_energy[row->island] += 0.5 * open * open / row->compliance;
    }
}

// Node forces of the multipliers' changes.
static void apply_changes(const sn_joint_system *j, const sn_solve *solve) {
    clear_loads(j);
    for (int i = 0; i < j->row_count; i++) add_row_load(j, &j->rows[i], -j->change[i]);
    apply_loads(j, solve);
}

static void constrain(sn_joint_system *j, sn_solve *solve) {
    for (int i = 0; i < j->row_count; i++) j->change[i] = j->rows[i].open - j->rows[i].compliance * j->rows[i].force;
    solve_rows(j, j->change);
    clear_forces(solve);
    apply_changes(j, solve);
    for (int i = 0; i < j->row_count; i++) j->direction[i] = j->change[i];
    solve->shifts = true;
    j->shifting = true;
}

// Multipliers as far as the last iteration was accepted.
static void note_forces(sn_joints *s, const sn_solve *solve) {
    sn_joint_system *j = &s->system;
    for (int i = 0; i < j->row_count; i++) {
        sn_joint_row *row = &j->rows[i];
        const double share = (double)solve->share[row->island];
        row->force = row->start_force + share * (row->force - row->start_force);
        sn_joint_body *joint = &s->items[row->joint];
        sn_vec3 *to = row->angular ? &joint->reaction_torque : &joint->reaction;
        if (i == joint->first_row || (row->angular && !j->rows[i - 1].angular)) *to = sn_v3(0, 0, 0);
        *to = sn_mul_add(*to, (sn_real)row->force, row->direction);
    }
}

// Islands with a joint to what does not move take up momentum.
static void mark_held(const sn_contacts *c, const sn_joint_system *j, sn_solve *solve) {
    for (int i = 0; i < j->row_count; i++)
        for (int side = 0; side < 2; side++) {
            const sn_joint_part *part = &j->rows[i].part[side];
            bool held = part->body < 0;
            for (int k = 0; k < 2 && !held; k++)
                held = !(c->proxies.nodes[part->slot[k] - solve->shift[part->body]].w > 0) &&
                       sn_length2(part->node[k]) > 0;
            if (held) solve->is_free[j->rows[i].island] = false;
        }
}

// ---- the balance of energy

// How far the goal of a joint on something that moves whatever it bears went in the substep, and how it turned.
static void goal_motion(const sn_contacts *c, const sn_joint_body *joint, const sn_stage *stage, double moved[3],
                        sn_vec3 *turned) {
    const sn_real before = (sn_real)stage->substep / (sn_real)stage->substeps,
                  now = (sn_real)(stage->substep + 1) / (sn_real)stage->substeps;
    const bool on_collider = !joint->on_bone && joint->pill_b < 0 && joint->collider >= 0;
    sn_quat from = sn_q_identity(), to = from;
    for (int k = 0; k < 3; k++) moved[k] = 0;
    if (on_collider) {
        const sn_collider *collider = c->colliders[joint->collider];
        from = collider->from.rotation, to = collider->until.rotation;
        const sn_vec3 d = sn_sub(sn_transform_point(&collider->until, joint->local),
                                 sn_transform_point(&collider->from, joint->local));
        for (int k = 0; k < 3; k++) moved[k] = coordinate(d, k);
    } else if (joint->on_bone || joint->pill_b < 0) {
        from = frame_of_b(c, joint, before), to = frame_of_b(c, joint, now);
        for (int k = 0; k < 3 && joint->pill_b < 0; k++) // nodes of bones are held: they are counted as such
            moved[k] = point_of_b(c, joint, now, k) - point_of_b(c, joint, before, k);
    }
    const sn_vec3 lever = sn_sub(sn_q_rotate(to, joint->offset), sn_q_rotate(from, joint->offset));
    for (int k = 0; k < 3; k++) moved[k] += coordinate(lever, k);
    *turned = rotation_vector(sn_q_mul(to, sn_q_conj(from)));
}

// How far held nodes moved a row.
static double held_motion(const sn_contacts *c, const sn_joint_body *joint, const sn_joint_row *row) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const int pill = side ? joint->pill_b : joint->pill_a;
        for (int k = 0; k < 2 && pill >= 0; k++) {
            const int at = k ? pill : c->proxies.pills[pill].a;
            if (at < 0 || c->proxies.nodes[at].w > 0) continue;
            for (int m = 0; m < 3; m++)
                sum += coordinate(row->part[side].node[k], m) *
                       (coordinate(c->proxies.nodes[at].c, m) - coordinate(c->proxies.nodes[at].c0, m));
        }
    }
    return sum;
}

// What joints have stored; and the work of what opens them whatever they bear: force times how far it does.
static void add_to_balance(const sn_joints *s, const sn_stage *stage, const sn_solve *solve) {
    const sn_contacts *c = sn_world_contacts(s->world);
    const sn_joint_system *j = &s->system;
    for (int i = 0; i < j->row_count; i++) {
        const sn_joint_row *row = &j->rows[i];
        const sn_joint_body *joint = &s->items[row->joint];
        if (solve->failed[row->island]) continue;
        double moved[3], opened = held_motion(c, joint, row);
        sn_vec3 turned;
        goal_motion(c, joint, stage, moved, &turned);
        for (int k = 0; k < 3; k++)
            opened -= coordinate(row->direction, k) * (row->angular ? coordinate(turned, k) : moved[k]);
        stage->balance->work += row->force * opened;
        stage->balance->stored += 0.5 * row->compliance * row->force * row->force;
    }
}

void sn_joints_couple(void *what, const sn_stage *stage, sn_solve *solve, int op) {
    sn_joints *s = what;
    sn_joint_system *j = &s->system;
    if (j->row_count == 0) return;
    const sn_real over = (sn_real)(stage->substep + 1) / (sn_real)stage->substeps;
    switch ((sn_coupling_op)op) {
    case SN_COUPLING_LINEARISE:
        if (solve->iteration > 0) note_forces(s, solve);
        linearise(s, sn_world_contacts(s->world), solve, over);
        for (int i = 0; i < j->row_count; i++)
            j->rows[i].island = solve->island[j->rows[i].part[j->rows[i].part[0].body >= 0 ? 0 : 1].body];
        break;
    case SN_COUPLING_CONSTRAIN:
        build_matrix(s, solve);
        add_energy(j, solve, true);
        constrain(j, solve);
        break;
    case SN_COUPLING_CORRECT:
        for (int i = 0; i < j->row_count; i++) j->change[i] = row_rate(solve, &j->rows[i]);
        solve_rows(j, j->change);
        apply_changes(j, solve);
        break;
    case SN_COUPLING_RATES:
        for (int i = 0; i < j->row_count && !j->shifting; i++)
            j->direction[i] = j->change[i] + (double)solve->beta[j->rows[i].island] * j->direction[i];
        j->shifting = false;
        break;
    case SN_COUPLING_ADVANCE:
        for (int i = 0; i < j->row_count; i++) {
            const int island = j->rows[i].island;
            if (solve->iterating[island]) j->rows[i].force += (double)solve->alpha[island] * j->direction[i];
        }
        break;
    case SN_COUPLING_ENERGY:
        add_energy(j, solve, false);
        break;
    case SN_COUPLING_END:
        note_forces(s, solve);
        mark_held(sn_world_contacts(s->world), j, solve);
        if (stage->balance) add_to_balance(s, stage, solve);
        break;
    case SN_COUPLING_BEGIN:
    case SN_COUPLING_MEASURE:
    case SN_COUPLING_SLOPE:
    case SN_COUPLING_BOUND:
        break;
    case SN_COUPLING_START_ENERGY:
        add_start_energy(sn_world_contacts(s->world), j, solve);
        break;
    case SN_COUPLING_REACT:
    case SN_COUPLING_SHARE:
        sn_joints_react(s, stage, solve, op == SN_COUPLING_SHARE);
        break;
    }
}

void sn_joints_activate(void *what, sn_contacts *c) {
    const sn_joints *s = what;
    for (int i = 0; i < s->count; i++) {
        const sn_joint_body *joint = &s->items[i];
        if (!joint->alive) continue;
        if (joint->pill_a >= 0) sn_contacts_activate_body(c, joint->pill_a);
        if (joint->pill_b >= 0) sn_contacts_activate_body(c, joint->pill_b);
    }
}

// Measures forces, and breaks joints that bore too much.
void sn_joints_end(void *what, sn_profile *profile) {
    (void)profile;
    sn_joints *s = what;
    const sn_contacts *c = sn_world_contacts(s->world);
    if (!c->is_active) return;
    sn_joints_bear_sleepers(s);
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        if (!joint->alive) continue;
        joint->from = joint->def.position;
        joint->rotation_from = joint->rotation;
        joint->force = sn_length(joint->reaction);
        joint->torque = sn_length(joint->reaction_torque);
        if (!sn_finite(joint->force) || !sn_finite(joint->torque)) { // its body diverged and was reset: it bore nothing
            joint->force = joint->torque = 0;
            joint->reaction = joint->reaction_torque = sn_v3(0, 0, 0);
        }
        if (joint->def.break_force > 0 && joint->force > joint->def.break_force) sn_joint_remove(s, i);
    }
}
