// A bundle is one body in the common solve (base/solve.h). Its unknowns y are those of its cross-sections: place C, size s, rotation R
// and the stretch U across (section.c), nine each. The state x of its rods follows from them, and so does every displacement: dx = J y.
//
//     c_i = C + s R U (c'_i - mu')               dc_i = dC + w x l_i + l_i ds / s + f_i (da, db)
//                                                l_i = c_i - C: the lever      f_i = s R dU/d(a, b) (c'_i - mu')
//     s_i = s                                    ds_i = ds
//     R_j = mean(R_k, R_k-1) R'_j                theta_j = A_k w_k + A_k-1 w_k-1        of the segment between sections k - 1 and k
//
// The mean is that of the quaternions. With u = q_k + q_k-1 and q = u / |u|, theta_j is the imaginary part of (w_k q_k + w_k-1 q_k-1) q* / |u|,
// so that A_k = (a_w - [a]x) / |u| with a = q_k q*: one half where the two are alike.
//
// E(y) = E of the rods at x(y). Rods measure their gradients and matrices, with their contacts' rows; summed over a section's rods
//
//     g = J^T (sum of g_i),     M = J^T (sum of M_i) J
//
// M couples three sections in a row, as a joint of two segments does: a band of 27 along the muscle. It is factored directly. What
// is left out of it is how J changes with y, which is small at equilibrium.
//
// Frames are means, so they do not see sections that rotate to and fro, and nor do points about the line that they lie on (a fan, a
// sheet, a single rod). There the second difference of rotations, e = 2 Im(q q_mean*) with the mean of the two neighbours, has a
// thousandth of the stiffness of the fibres' joints; where a muscle bends evenly it is 0.
//
// What is held of a rod (a point, a radius, a frame) stays where it is, and does not follow y. The section is tied to it by a spring
// so stiff that nobody sees it yield: energy 1/2 k |x(y) - goal|^2 with k some ten thousand times what the rods have there.
#include "couplings/bundle/bundle.h"
#include <math.h>
#include <string.h>

enum { DOFS = SN_SECTION_DOFS, SCALE = 3, TURN = 4, ACROSS = 7 };
enum { OWN = 0, BEFORE = DOFS, BOTH = 2 * DOFS, FRAME = BOTH, FRAME_BEFORE = FRAME + 3, ELEMENT = FRAME_BEFORE + 3 };
enum { JOINED = BOTH + 3 };
#define HELD_STIFFNESS   1e4
#define UNEVEN_STIFFNESS 1e-3
#define MIN_SCALE        0.02                          // rod_lanes.h
#define PIVOT_NOISE      (4 * (double)SN_REAL_EPSILON) // what rods measure is no better than this part of it

// ---- memory

static size_t count_entries(sn_bundle_system *s) {
    const int n = s->sections;
    for (int k = 0; k < n; k++) s->first[DOFS * k] = k;
    for (int k = 0; k < n; k++) { // a joint of two segments joins their three sections
        const int clique[3] = {k, s->before[k], s->before[k] < 0 ? -1 : s->before[s->before[k]]};
        int smallest = k;
        for (int i = 1; i < 3; i++) smallest = clique[i] >= 0 && clique[i] < smallest ? clique[i] : smallest;
        for (int i = 0; i < 3; i++)
            if (clique[i] >= 0 && smallest < s->first[DOFS * clique[i]]) s->first[DOFS * clique[i]] = smallest;
    }
    size_t entries = 0;
    for (int k = 0; k < n; k++)
        for (int d = 0, from = DOFS * s->first[DOFS * k]; d < DOFS; d++) {
            const int row = DOFS * k + d;
            s->first[row] = from;
            s->start[row] = entries;
            entries += (size_t)(row - from + 1);
        }
    return entries;
}

bool sn_bundle_system_create(sn_memory *memory, sn_bundle_system *s, int sections, int rods, const int *before) {
    const size_t n = (size_t)sections, unknowns = n * DOFS;
    *s = (sn_bundle_system){.sections = sections, .rods = rods};
    double **vectors[] = {&s->r, &s->r_old, &s->z, &s->p, &s->mp, &s->d};
    bool good = (s->before = sn_alloc(memory, n, sizeof *s->before)) != NULL;
    good = (s->first = sn_alloc(memory, unknowns, sizeof *s->first)) && good;
    good = (s->start = sn_alloc(memory, unknowns, sizeof *s->start)) && good;
    good = (s->now = sn_alloc(memory, n, sizeof *s->now)) && good;
    good = (s->trial = sn_alloc(memory, n, sizeof *s->trial)) && good;
    for (int k = 0; k < 6; k++) good = (*vectors[k] = sn_alloc(memory, unknowns, sizeof(double))) && good;
    good = (s->fibres = sn_alloc(memory, n * (size_t)rods, sizeof *s->fibres)) && good;
    good = (s->segments = sn_alloc(memory, n, sizeof *s->segments)) && good;
    good = (s->holds = sn_alloc(memory, n, sizeof *s->holds)) && good;
    good = (s->across = sn_alloc(memory, n, sizeof *s->across)) && good;
    if (good) {
        memcpy(s->before, before, n * sizeof *before);
        s->entries = count_entries(s);
        s->matrix = (sn_skyline){(int)unknowns, s->first, s->start, sn_alloc(memory, s->entries, sizeof(double))};
        good = s->matrix.a != NULL;
    }
    if (!good) sn_bundle_system_free(memory, s);
    return good;
}

void sn_bundle_system_free(sn_memory *memory, sn_bundle_system *s) {
    const size_t n = (size_t)s->sections, unknowns = n * DOFS;
    double *vectors[] = {s->r, s->r_old, s->z, s->p, s->mp, s->d};
    sn_free(memory, s->before, n, sizeof *s->before);
    sn_free(memory, s->first, unknowns, sizeof *s->first);
    sn_free(memory, s->start, unknowns, sizeof *s->start);
    sn_free(memory, s->matrix.a, s->entries, sizeof(double));
    sn_free(memory, s->now, n, sizeof *s->now);
    sn_free(memory, s->trial, n, sizeof *s->trial);
    for (int k = 0; k < 6; k++) sn_free(memory, vectors[k], unknowns, sizeof(double));
    sn_free(memory, s->fibres, n * (size_t)s->rods, sizeof *s->fibres);
    sn_free(memory, s->segments, n, sizeof *s->segments);
    sn_free(memory, s->holds, n, sizeof *s->holds);
    sn_free(memory, s->across, n, sizeof *s->across);
    *s = (sn_bundle_system){0};
}

// ---- one bundle in an operation

typedef struct {
    sn_bundle_body *b;
    sn_bundle_system *s;
    const sn_rod_system *rods;
    const sn_solve *solve;
    double inv_h2;
    bool iterating, grows, flattens;
    int island;
} member;

// A rod's point in a section: its numbers among the packet's.
typedef struct {
    const sn_rod_body *rod;
    const sn_packet *packet;
    int block;
    size_t slot;
    sn_bundle_fibre *fibre;
} place;

static place place_at(const member *m, int section, int rod) {
    const sn_rod_body *body = m->b->rods[rod];
    const sn_packet *packet = sn_rod_packet_of(m->rods, body);
    const int block = body->block_of_point[section];
    return (place){body, packet, block, (size_t)(packet->coupled.first[body->lane] + block),
                   &m->s->fibres[section * m->s->rods + rod]};
}

static sn_real *number(const member *m, const place *at, sn_real *array, int rows, int r) {
    return sn_rod_at(m->rods, at->rod, array, rows, at->block, r);
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}

// Where a section has its fibre's point, from its centre.
static void lever_of(const member *m, const sn_section_pose *pose, int section, int rod, double out[3]) {
    const sn_vec3 rest = m->b->rest[section * m->s->rods + rod];
    sn_section_lever(pose, &m->b->planes[section], (const double[3]){(double)rest.x, (double)rest.y, (double)rest.z},
                     out);
}

// How that changes with the stretch across.
static void across_of(const member *m, const sn_section_pose *pose, int section, int rod, double out[2][3]) {
    const sn_vec3 rest = m->b->rest[section * m->s->rods + rod];
    const double from[3] = {pose->scale * ((double)rest.x - pose->rest[0]),
                            pose->scale * ((double)rest.y - pose->rest[1]),
                            pose->scale * ((double)rest.z - pose->rest[2])};
    double rates[2][3];
    sn_section_stretch_rates(&m->b->planes[section], pose->across, from, rates);
    for (int k = 0; k < 2; k++) sn_rotate_double(pose->rotation, rates[k], out[k]);
}

// A segment's frame: the mean rotation times the frame at rest.
static void frame_of(const member *m, const double mean[4], int section, int rod, double out[4]) {
    const sn_quat back = m->b->back[section * m->s->rods + rod];
    const double rest[4] = {-(double)back.x, -(double)back.y, -(double)back.z, (double)back.w};
    sn_section_multiply(mean, rest, out);
    sn_section_make_unit(out);
}

// ---- states

// The rods' state from that of the sections. What is held stays.
static void write_rods(const member *m, const sn_section_pose *poses, bool trial) {
    for (int k = 0; k < m->s->sections; k++) {
        const int before = m->s->before[k];
        double mean[4];
        if (before >= 0) sn_section_mean_rotation(poses[k].rotation, poses[before].rotation, mean);
        for (int i = 0; i < m->s->rods; i++) {
            const place at = place_at(m, k, i);
            const sn_rod_coupled *c = &at.packet->coupled;
            double lever[3], q[4], now[4];
            sn_real x[X_ROWS];
            lever_of(m, &poses[k], k, i, lever);
            for (int r = 0; r < X_ROWS; r++) x[r] = *number(m, &at, c->x, X_ROWS, r);
            for (int r = 0; r < 3 && !at.fibre->held_centre; r++) {
                const double centre = poses[k].centre[r] + lever[r];
                x[X_CX + r] = sn_round(centre, &x[X_LX + r]);
            }
            if (!at.fibre->held_scale) x[X_S] = (sn_real)poses[k].scale;
            if (before >= 0 && !at.fibre->held_frame) {
                frame_of(m, mean, k, i, q);
                for (int r = 0; r < 4; r++) now[r] = (double)x[X_QX + r];
                const double sign = dot(q, now, 4) < 0 ? -1 : 1;
                for (int r = 0; r < 4; r++) x[X_QX + r] = (sn_real)(sign * q[r]);
            }
            for (int r = 0; r < X_ROWS; r++) *number(m, &at, trial ? c->xn : c->x, X_ROWS, r) = x[r];
        }
    }
}

// How far a section's version of what is held is from where it is held, as displacement, growth and rotation vector.
static void held_errors(const member *m, const sn_section_pose *pose, const double mean[4], int section, int rod,
                        double centre[3], double *scale, double frame[3]) {
    const place at = place_at(m, section, rod);
    sn_real *x = at.packet->coupled.x;
    for (int r = 0; r < 3; r++) centre[r] = frame[r] = 0;
    *scale = 0;
    if (at.fibre->held_centre) {
        lever_of(m, pose, section, rod, centre);
        for (int r = 0; r < 3; r++)
            centre[r] += pose->centre[r] - (double)*number(m, &at, x, X_ROWS, X_CX + r) -
                         (double)*number(m, &at, x, X_ROWS, X_LX + r);
    }
    if (at.fibre->held_scale) *scale = pose->scale - (double)*number(m, &at, x, X_ROWS, X_S);
    if (!at.fibre->held_frame) return;
    double q[4], back[4], error[4];
    frame_of(m, mean, section, rod, q);
    for (int r = 0; r < 4; r++) back[r] = (r < 3 ? -1 : 1) * (double)*number(m, &at, x, X_ROWS, X_QX + r);
    sn_section_multiply(q, back, error);
    for (int r = 0; r < 3; r++) frame[r] = (error[3] < 0 ? -2 : 2) * error[r];
}

// The second difference of rotations at the section before one; false: there is none. 'even': the real part that belongs to it.
static bool unevenness(const member *m, const sn_section_pose *poses, int section, double mean[4], double error[3],
                       double *even) {
    const int middle = m->s->before[section], third = middle < 0 ? -1 : m->s->before[middle];
    if (third < 0) return false;
    sn_section_mean_rotation(poses[section].rotation, poses[third].rotation, mean);
    const double back[4] = {-mean[0], -mean[1], -mean[2], mean[3]};
    double r[4];
    sn_section_multiply(poses[middle].rotation, back, r);
    for (int k = 0; k < 3; k++) error[k] = (r[3] < 0 ? -2 : 2) * r[k];
    *even = fabs(r[3]);
    return true;
}

static double uneven_energy(const member *m, const sn_section_pose *poses) {
    double energy = 0, mean[4], error[3], even;
    for (int k = 0; k < m->s->sections; k++)
        if (unevenness(m, poses, k, mean, error, &even)) energy += 0.5 * m->s->holds[k].uneven * dot(error, error, 3);
    return energy;
}

// Of the stretch across.
static double across_energy(const member *m, const sn_section_pose *poses) {
    double energy = 0;
    for (int k = 0; m->flattens && k < m->s->sections; k++)
        energy += 0.5 * m->s->across[k] * dot(poses[k].across, poses[k].across, 2);
    return energy;
}

// Of the ties to what is held, and of uneven rotations.
static double held_energy(const member *m, const sn_section_pose *poses) {
    double energy = uneven_energy(m, poses);
    for (int k = 0; k < m->s->sections; k++) {
        const sn_section_hold *hold = &m->s->holds[k];
        const int before = m->s->before[k];
        double mean[4] = {0, 0, 0, 1}, centre[3], scale, frame[3];
        if (before >= 0) sn_section_mean_rotation(poses[k].rotation, poses[before].rotation, mean);
        for (int i = 0; i < m->s->rods; i++) {
            const sn_bundle_fibre *f = &m->s->fibres[k * m->s->rods + i];
            if (!f->held_centre && !f->held_scale && !f->held_frame) continue;
            held_errors(m, &poses[k], mean, k, i, centre, &scale, frame);
            energy += 0.5 * (hold->centre * dot(centre, centre, 3) + hold->scale * scale * scale +
                             hold->frame * dot(frame, frame, 3));
        }
    }
    return energy;
}

// ---- J and its transpose

// Levers, axes, and how frames rotate, at the state.
static void measure(const member *m) {
    for (int k = 0; k < m->s->sections; k++) {
        const int before = m->s->before[k];
        sn_bundle_segment *segment = &m->s->segments[k];
        if (before >= 0)
            sn_section_mean_rates(m->s->now[k].rotation, m->s->now[before].rotation, segment->mean, segment->own,
                                  segment->before);
        for (int i = 0; i < m->s->rods; i++) {
            const place at = place_at(m, k, i);
            lever_of(m, &m->s->now[k], k, i, at.fibre->lever);
            across_of(m, &m->s->now[k], k, i, at.fibre->across);
            double q[4];
            for (int r = 0; r < 4; r++) q[r] = (double)*number(m, &at, at.packet->coupled.x, X_ROWS, X_QX + r);
            sn_rotate_double(q, (const double[3]){0, 0, 1}, at.fibre->axis);
        }
    }
}

// out += a^T v.
static void add_transposed(const double a[3][3], const double v[3], double *out) {
    for (int r = 0; r < 3; r++) out[r] += a[0][r] * v[0] + a[1][r] * v[1] + a[2][r] * v[2];
}

static void add_torque(const member *m, int section, const double torque[3], double *y) {
    if (m->s->before[section] < 0) return;
    add_transposed(m->s->segments[section].own, torque, y + DOFS * section + TURN);
    add_transposed(m->s->segments[section].before, torque, y + DOFS * m->s->before[section] + TURN);
}

// A force at a fibre's point on the unknowns of its section.
static void add_force(const member *m, int section, const sn_bundle_fibre *f, const double force[3], double *y) {
    double moment[3], *own = y + DOFS * section;
    cross(f->lever, force, moment);
    for (int r = 0; r < 3; r++) own[r] += force[r], own[TURN + r] += moment[r];
    if (m->grows) own[SCALE] += dot(f->lever, force, 3) / m->s->now[section].scale;
    for (int k = 0; m->flattens && k < 2; k++) own[ACROSS + k] += dot(f->across[k], force, 3);
}

// y += J^T of the rods' residuals, or of the forces on their nodes.
static void gather(const member *m, bool residuals, double *y) {
    for (int k = 0; k < m->s->sections; k++) {
        double torque[3] = {0, 0, 0};
        for (int i = 0; i < m->s->rods; i++) {
            const place at = place_at(m, k, i);
            const sn_bundle_fibre *f = at.fibre;
            double v[7];
            if (residuals) {
                for (int r = 0; r < 7; r++) v[r] = (double)*number(m, &at, at.packet->coupled.r, 7, r);
            } else {
                for (int r = 0; r < 4; r++) v[r] = (double)m->solve->force[4 * at.slot + (size_t)r];
                for (int r = 0; r < 3; r++) v[4 + r] = (double)m->solve->force_spin[at.slot] * f->axis[r];
            }
            if (!f->held_centre) add_force(m, k, f, v, y);
            if (!f->held_scale && m->grows) y[DOFS * k + SCALE] += v[3];
            for (int r = 0; r < 3 && !f->held_frame; r++) torque[r] += v[4 + r];
        }
        add_torque(m, k, torque, y);
    }
}

// Node step = J y times a share.
static void scatter(const member *m, const double *y, double share) {
    for (int k = 0; k < m->s->sections; k++) {
        const int before = m->s->before[k];
        const double *own = y + DOFS * k;
        double rotation[3] = {0, 0, 0};
        for (int r = 0; r < 3 && before >= 0; r++)
            rotation[r] = dot(m->s->segments[k].own[r], own + TURN, 3) +
                          dot(m->s->segments[k].before[r], y + DOFS * before + TURN, 3);
        const double growth = m->grows ? own[SCALE] : 0, *across = own + ACROSS;
        for (int i = 0; i < m->s->rods; i++) {
            const place at = place_at(m, k, i);
            const sn_bundle_fibre *f = at.fibre;
            double motion[3];
            cross(own + TURN, f->lever, motion);
            for (int r = 0; r < 3; r++) {
                motion[r] += own[r] + growth / m->s->now[k].scale * f->lever[r];
                if (m->flattens) motion[r] += across[0] * f->across[0][r] + across[1] * f->across[1][r];
            }
            sn_real *step = m->solve->step + 4 * at.slot;
            for (int r = 0; r < 3; r++) step[r] = f->held_centre ? 0 : (sn_real)(share * motion[r]);
            step[3] = f->held_scale ? 0 : (sn_real)(share * growth);
            m->solve->step_spin[at.slot] = f->held_frame ? 0 : (sn_real)(share * dot(rotation, f->axis, 3));
        }
    }
}

// ---- the matrix

// Of the segments between a section and the one before, over the unknowns of both and of the frames of these segments and of those
// before: symmetric, upper triangle.
typedef double element[ELEMENT][ELEMENT];

static void add_product(element e, int i, int j, double v) {
    if (i <= j)
        e[i][j] += v;
    else
        e[j][i] += v;
}

// How far the unknowns of a section move its fibre's point, in direction r.
static void motion_of(const member *m, const sn_bundle_fibre *f, int section, double sign, double out[3][DOFS]) {
    memset(out, 0, 3 * sizeof *out);
    if (f->held_centre) return;
    const double *l = f->lever;
    const double rotation[3][3] = {{0, l[2], -l[1]}, {-l[2], 0, l[0]}, {l[1], -l[0], 0}}; // w x l
    for (int r = 0; r < 3; r++) {
        out[r][r] = sign;
        out[r][SCALE] = m->grows ? sign * l[r] / m->s->now[section].scale : 0;
        for (int k = 0; k < 3; k++) out[r][TURN + k] = sign * rotation[r][k];
        for (int k = 0; m->flattens && k < 2; k++) out[r][ACROSS + k] = sign * f->across[k][r];
    }
}

typedef struct {
    double cc[3][3], ct[3][3], tt[3][3], joint_t[3][3], cs[3], joint_x[3], joint_ts[3], ss, sg, joint_ss, extra;
} terms;

static terms read_terms(const member *m, const place *at) {
    terms t;
    double row[H_ROWS];
    for (int r = 0; r < H_ROWS; r++) row[r] = (double)*number(m, at, at->packet->coupled.terms, H_ROWS, r);
    for (int k = 0, n = 0; k < 3; k++)
        for (int j = k; j < 3; j++, n++) {
            t.cc[k][j] = t.cc[j][k] = row[H_CC + n];
            t.tt[k][j] = t.tt[j][k] = row[H_TT + n];
            t.joint_t[k][j] = t.joint_t[j][k] = row[H_JOINT_T + n];
        }
    memcpy(t.ct, row + H_CT, sizeof t.ct);
    memcpy(t.cs, row + H_CS, sizeof t.cs);
    memcpy(t.joint_x, row + H_JOINT_X, sizeof t.joint_x);
    memcpy(t.joint_ts, row + H_JOINT_TS, sizeof t.joint_ts);
    t.ss = row[H_SS], t.sg = row[H_SG], t.joint_ss = row[H_JOINT_SS], t.extra = row[H_EXTRA];
    return t;
}

// The joint between a segment and the one before it, or a clamp (whose own frame is held).
static void add_joint(const member *m, const terms *t, bool frame, bool scale_before, bool frame_before, element e) {
    const double *x = t->joint_x, skew[3][3] = {{0, x[2], -x[1]}, {-x[2], 0, x[0]}, {x[1], -x[0], 0}};
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            if (j >= k && frame) e[FRAME + k][FRAME + j] += t->joint_t[k][j];
            if (j >= k && frame_before) e[FRAME_BEFORE + k][FRAME_BEFORE + j] += t->joint_t[k][j];
            if (frame && frame_before) e[FRAME + k][FRAME_BEFORE + j] += skew[k][j] - t->joint_t[k][j];
        }
        if (frame && scale_before) add_product(e, BEFORE + SCALE, FRAME + k, t->joint_ts[k]);
        if (frame_before && scale_before) add_product(e, BEFORE + SCALE, FRAME_BEFORE + k, -t->joint_ts[k]);
    }
    if (scale_before) e[BEFORE + SCALE][BEFORE + SCALE] += t->joint_ss;
    (void)m;
}

// A fibre's segment.
static void add_segment(const member *m, const terms *t, int section, const sn_bundle_fibre *f,
                        const sn_bundle_fibre *g, bool frame_before, element e) {
    double motion[3][BOTH], own[3][DOFS], other[3][DOFS], stiff[3][BOTH];
    const bool scale = !f->held_scale && m->grows, scale_before = !g->held_scale && m->grows;
    motion_of(m, f, section, 1, own);
    motion_of(m, g, m->s->before[section], -1, other);
    for (int r = 0; r < 3; r++) {
        memcpy(motion[r], own[r], sizeof own[r]);
        memcpy(motion[r] + DOFS, other[r], sizeof other[r]);
    }
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < BOTH; i++)
            stiff[r][i] = t->cc[r][0] * motion[0][i] + t->cc[r][1] * motion[1][i] + t->cc[r][2] * motion[2][i];
    for (int i = 0; i < BOTH; i++) {
        for (int j = i; j < BOTH; j++)
            e[i][j] += motion[0][i] * stiff[0][j] + motion[1][i] * stiff[1][j] + motion[2][i] * stiff[2][j];
        for (int j = 0; j < 3 && !f->held_frame; j++)
            e[i][FRAME + j] += motion[0][i] * t->ct[0][j] + motion[1][i] * t->ct[1][j] + motion[2][i] * t->ct[2][j];
        const double swell = motion[0][i] * t->cs[0] + motion[1][i] * t->cs[1] + motion[2][i] * t->cs[2];
        if (scale) add_product(e, i, OWN + SCALE, i == OWN + SCALE ? 2 * swell : swell);
        if (scale_before) add_product(e, i, BEFORE + SCALE, i == BEFORE + SCALE ? 2 * swell : swell);
    }
    if (scale) e[SCALE][SCALE] += t->ss + t->sg;
    if (scale_before) e[BEFORE + SCALE][BEFORE + SCALE] += t->ss + t->sg;
    if (scale && scale_before) e[SCALE][BEFORE + SCALE] += t->ss - t->sg;
    for (int k = 0; k < 3 && !f->held_frame; k++)
        for (int j = k; j < 3; j++) e[FRAME + k][FRAME + j] += t->tt[k][j];
    add_joint(m, t, !f->held_frame, scale_before, frame_before && !g->held_frame, e);
}

// k v v^T over the element: both sections, and the segments' frames.
enum { ROW = FRAME + 3 };
static void add_row(element e, double k, const double v[ROW]) {
    for (int i = 0; i < ROW; i++)
        for (int j = i; j < ROW && v[i] != 0; j++) e[i][j] += k * v[i] * v[j];
}

// What contacts add on a fibre's segment.
static void add_contacts(const member *m, const place *at, int section, const sn_bundle_fibre *g, element e) {
    const sn_bundle_fibre *f = at->fibre;
    const int from = m->solve->row_first[at->slot], to = m->solve->row_first[at->slot + 1];
    if (from == to) return;
    double own[3][DOFS], other[3][DOFS];
    motion_of(m, f, section, 1, own);
    motion_of(m, g, m->s->before[section], 1, other);
    for (int n = from; n < to; n++) {
        const sn_stiffness_row *row = &m->solve->rows[n];
        double v[ROW] = {0};
        for (int i = 0; i < DOFS; i++)
            for (int r = 0; r < 3; r++)
                v[i] += (double)row->b[r] * own[r][i], v[BEFORE + i] += (double)row->a[r] * other[r][i];
        if (!f->held_scale && m->grows) v[SCALE] += (double)row->b[3];
        if (!g->held_scale && m->grows) v[BEFORE + SCALE] += (double)row->a[3];
        for (int r = 0; r < 3 && !f->held_frame; r++) v[FRAME + r] = (double)row->spin * f->axis[r];
        add_row(e, (double)row->k, v);
    }
}

// A point's inertia, or what ties its section to where it is held.
static void add_point(const member *m, int section, const sn_bundle_fibre *f, double mass, double scale_mass,
                      element e) {
    sn_bundle_fibre loose = *f;
    double motion[3][DOFS];
    loose.held_centre = false;
    motion_of(m, &loose, section, 1, motion);
    for (int i = 0; i < DOFS; i++)
        for (int j = i; j < DOFS; j++)
            e[i][j] += mass * (motion[0][i] * motion[0][j] + motion[1][i] * motion[1][j] + motion[2][i] * motion[2][j]);
    if (m->grows) e[SCALE][SCALE] += scale_mass;
}

// The unknown that an element's is.
static int row_of(int i, int section, int before, int third) {
    return i < BEFORE ? DOFS * section + i : i < BOTH ? DOFS * before + i - BEFORE : DOFS * third + TURN + i - BOTH;
}

// Puts an element's frames in terms of the sections, and adds it to the matrix.
static void add_element(const member *m, int section, const element upper) {
    const int before = m->s->before[section], third = before < 0 ? -1 : m->s->before[before];
    double e[ELEMENT][ELEMENT], half[ELEMENT][JOINED], map[6][JOINED] = {{0}};
    for (int i = 0; i < ELEMENT; i++)
        for (int j = 0; j < ELEMENT; j++) e[i][j] = i <= j ? upper[i][j] : upper[j][i];
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) {
            map[r][TURN + k] = before >= 0 ? m->s->segments[section].own[r][k] : 0;
            map[r][BEFORE + TURN + k] = before >= 0 ? m->s->segments[section].before[r][k] : 0;
            map[3 + r][BEFORE + TURN + k] = third >= 0 ? m->s->segments[before].own[r][k] : 0;
            map[3 + r][BOTH + k] = third >= 0 ? m->s->segments[before].before[r][k] : 0;
        }
    for (int i = 0; i < ELEMENT; i++)
        for (int j = 0; j < JOINED; j++) {
            half[i][j] = j < BOTH ? e[i][j] : 0;
            for (int k = 0; k < 6; k++) half[i][j] += e[i][FRAME + k] * map[k][j];
        }
    for (int i = 0; i < JOINED; i++) {
        const int row = row_of(i, section, before, third);
        if (i < BOTH ? i >= BEFORE && before < 0 : third < 0) continue;
        for (int j = 0; j <= i; j++) {
            const int column = row_of(j, section, before, third);
            double sum = i < BOTH ? half[i][j] : 0;
            for (int k = 0; k < 6; k++) sum += map[k][i] * half[FRAME + k][j];
            *sn_skyline_at(&m->s->matrix, row > column ? row : column, row > column ? column : row) += sum;
        }
    }
}

// A ghost clamps the direction of a section's segments.
static void add_ghosts(const member *m, int section, const place *at, element e) {
    for (int i = 0; i < at->rod->blocks; i++) {
        if (!at->rod->block[i].ghost || at->rod->parent[i] != at->block) continue;
        place ghost = *at;
        ghost.block = i;
        const terms t = read_terms(m, &ghost);
        for (int k = 0; k < 3 && !at->fibre->held_frame && m->s->before[section] >= 0; k++) {
            for (int j = k; j < 3; j++) e[FRAME + k][FRAME + j] += t.joint_t[k][j];
            if (m->grows && !at->fibre->held_scale) e[SCALE][FRAME + k] -= t.joint_ts[k];
        }
        if (m->grows && !at->fibre->held_scale) e[SCALE][SCALE] += t.joint_ss;
    }
}

// How stiff the ties to what is held are.
static void measure_holds(const member *m) {
    for (int k = 0; k < m->s->sections; k++) m->s->holds[k] = (sn_section_hold){0, 0, 0, 0};
    for (int k = 0; k < m->s->sections; k++)
        for (int i = 0; i < m->s->rods; i++) {
            const place at = place_at(m, k, i);
            const terms t = read_terms(m, &at);
            const int before = m->s->before[k];
            const sn_rod_block *block = &at.rod->block[at.block];
            const double centre = HELD_STIFFNESS / 3 * (t.cc[0][0] + t.cc[1][1] + t.cc[2][2]),
                         scale = HELD_STIFFNESS * (t.ss + t.sg);
            sn_section_hold *hold = &m->s->holds[k];
            hold->centre += centre + HELD_STIFFNESS * (double)block->mass * m->inv_h2;
            hold->scale += scale + HELD_STIFFNESS * (double)block->scale_mass * m->inv_h2;
            for (int r = 0; r < 3; r++) hold->frame += HELD_STIFFNESS / 3 * (t.tt[r][r] + t.joint_t[r][r]);
            for (int r = 0; r < 3; r++) hold->uneven += UNEVEN_STIFFNESS / 3 * t.joint_t[r][r];
            if (before >= 0) m->s->holds[before].centre += centre, m->s->holds[before].scale += scale;
        }
}

// Ties to what is held: their matrix in e, their forces in r.
static void add_holds(const member *m, int section, element e) {
    const sn_section_hold *hold = &m->s->holds[section];
    for (int i = 0; i < m->s->rods; i++) {
        const sn_bundle_fibre *f = &m->s->fibres[section * m->s->rods + i];
        if (!f->held_centre && !f->held_scale && !f->held_frame) continue;
        double centre[3], scale, frame[3];
        held_errors(m, &m->s->now[section], m->s->segments[section].mean, section, i, centre, &scale, frame);
        add_point(m, section, f, f->held_centre ? hold->centre : 0, f->held_scale ? hold->scale : 0, e);
        for (int r = 0; r < 3; r++) {
            centre[r] *= -hold->centre, frame[r] *= -hold->frame;
            if (f->held_frame) e[FRAME + r][FRAME + r] += hold->frame;
        }
        add_force(m, section, f, centre, m->s->r);
        if (m->grows) m->s->r[DOFS * section + SCALE] -= hold->scale * scale;
        add_torque(m, section, frame, m->s->r);
    }
}

// Uneven rotations: their matrix, and their torques in r.
static void add_unevenness(const member *m, int section) {
    double mean[4], error[3], even, rate[3][9] = {{0}}, own[3][3], third[3][3];
    if (!unevenness(m, m->s->now, section, mean, error, &even)) return;
    const int middle = m->s->before[section], sections[3] = {section, middle, m->s->before[middle]};
    const double stiffness = m->s->holds[section].uneven;
    sn_section_mean_rates(m->s->now[section].rotation, m->s->now[sections[2]].rotation, mean, own, third);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) {
            rate[r][k] = -own[r][k], rate[r][3 + k] = r == k, rate[r][6 + k] = -third[r][k];
        }
    for (int i = 0; i < 9; i++) {
        const int row = DOFS * sections[i / 3] + TURN + i % 3;
        for (int r = 0; r < 3; r++) m->s->r[row] -= stiffness * even * rate[r][i] * error[r];
        for (int j = 0; j <= i; j++) {
            const int column = DOFS * sections[j / 3] + TURN + j % 3;
            *sn_skyline_at(&m->s->matrix, row > column ? row : column, row > column ? column : row) +=
                stiffness * (rate[0][i] * rate[0][j] + rate[1][i] * rate[1][j] + rate[2][i] * rate[2][j]);
        }
    }
}

// The volume between a section and the one before: E = 1/2 W e^2, e = S^2 D - 1.
static void add_volume(const member *m, int section, const sn_volume_strain *v, element e) {
    const int before = m->s->before[section];
    double row[ROW] = {0}, *own = m->s->r + DOFS * section, *other = m->s->r + DOFS * before;
    for (int i = 0; i < m->s->rods; i++) {
        const place at = place_at(m, section, i);
        const sn_bundle_fibre *f = at.fibre, *g = &m->s->fibres[before * m->s->rods + i];
        const double share = sn_rod_volume_stiffness(at.rod, at.block) / v->stiffness;
        double along[3], motion[3][DOFS];
        sn_bundle_fibre_stretch(m->rods, at.rod, at.block, SN_FIT_COUPLED, along);
        const double slope = v->scale * v->scale * share / (double)at.rod->block[at.block].length;
        for (int side = 0; side < 2; side++) {
            motion_of(m, side ? g : f, side ? before : section, side ? -slope : slope, motion);
            for (int k = 0; k < DOFS; k++)
                row[DOFS * side + k] += along[0] * motion[0][k] + along[1] * motion[1][k] + along[2] * motion[2][k];
        }
        if (m->grows && !f->held_scale) row[OWN + SCALE] += share * v->scale * v->stretch;
        if (m->grows && !g->held_scale) row[BEFORE + SCALE] += share * v->scale * v->stretch;
    }
    const double pressure = v->stiffness * v->strain;
    for (int k = 0; k < DOFS; k++) own[k] -= pressure * row[k], other[k] -= pressure * row[BEFORE + k];
    add_row(e, v->stiffness, row);
    if (!m->grows || !(pressure > 0)) return;
    const double swell = 0.5 * pressure * v->stretch;
    e[OWN + SCALE][OWN + SCALE] += swell, e[BEFORE + SCALE][BEFORE + SCALE] += swell;
    e[OWN + SCALE][BEFORE + SCALE] += swell;
}

// The section's resistance to the stretch across.
static void add_across(const member *m, int section, element e) {
    const double stiffness = m->flattens ? m->s->across[section] : 1;
    for (int k = 0; k < 2; k++) {
        e[ACROSS + k][ACROSS + k] += stiffness;
        if (m->flattens) m->s->r[DOFS * section + ACROSS + k] -= stiffness * m->s->now[section].across[k];
    }
}

// The axial force of volume in a fibre adds to what rods know of: together they stiffen the fibre against swinging, if they pull.
static void add_tension(const member *m, const place *at, const sn_volume_strain *v, terms *t) {
    const double inv_l = 1 / (double)at->rod->block[at->block].length;
    double along[3];
    const double stretch = sn_bundle_fibre_stretch(m->rods, at->rod, at->block, SN_FIT_COUPLED, along);
    const double known = fmax((double)*number(m, at, at->packet->force, 1, 0), 0);
    const double force = fmax(sn_rod_volume_stiffness(at->rod, at->block) * v->strain * v->scale * v->scale, -known);
    const double k = stretch > 0.01 ? force * inv_l * inv_l / stretch : 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t->cc[i][j] += k * ((i == j) - along[i] * along[j]);
}

static void assemble(const member *m) {
    sn_bundle_system *s = m->s;
    memset(s->matrix.a, 0, s->entries * sizeof *s->matrix.a);
    for (int k = 0; k < s->sections; k++) {
        const int before = s->before[k];
        element e = {{0}};
        const sn_volume_strain v = sn_bundle_volume_strain(m->b, m->rods, k, SN_FIT_COUPLED);
        for (int i = 0; i < s->rods; i++) {
            const place at = place_at(m, k, i);
            const sn_bundle_fibre *f = at.fibre;
            terms t = read_terms(m, &at);
            const sn_rod_block *block = &at.rod->block[at.block];
            add_point(m, k, f, f->held_centre ? 0 : (double)block->mass * m->inv_h2,
                      f->held_scale ? 0
                                    : (double)*number(m, &at, at.packet->param, P_ROWS, P_MASS_S) * m->inv_h2 + t.extra,
                      e);
            add_ghosts(m, k, &at, e);
            if (before < 0) continue;
            const sn_bundle_fibre *g = &s->fibres[before * s->rods + i];
            if (v.stiffness > 0) add_tension(m, &at, &v, &t);
            add_segment(m, &t, k, f, g, s->before[before] >= 0, e);
            add_contacts(m, &at, k, g, e);
        }
        add_holds(m, k, e);
        if (v.stiffness > 0) add_volume(m, k, &v, e);
        if (!m->grows) e[SCALE][SCALE] += 1;
        add_across(m, k, e);
        add_element(m, k, e);
        add_unevenness(m, k);
    }
    sn_skyline_factor_positive(&s->matrix, PIVOT_NOISE);
}

// ---- the operations

static void note_holds(const member *m) {
    for (int k = 0; k < m->s->sections; k++)
        for (int i = 0; i < m->s->rods; i++) {
            const place at = place_at(m, k, i);
            const int hold = at.rod->block[at.block].hold;
            at.fibre->held_centre = hold & SN_HOLD_CENTRE;
            at.fibre->held_scale = hold & SN_HOLD_SCALE;
            at.fibre->held_frame = (hold & SN_HOLD_FRAME) && m->s->before[k] >= 0;
        }
}

static void fit_sections(const member *m, sn_bundle_fit_to to, sn_section_pose *poses) {
    for (int k = 0; k < m->s->sections; k++) {
        sn_bundle_fit(m->b, m->rods, k, to);
        poses[k] = m->b->fits[k];
        if (!(poses[k].scale > MIN_SCALE)) poses[k].scale = MIN_SCALE;
    }
}

static void begin(const member *m) {
    sn_bundle_system *s = m->s;
    note_holds(m);
    for (int k = 0; k < s->sections; k++) s->across[k] = sn_bundle_across_stiffness(m->b, m->rods, k, -1);
    fit_sections(m, SN_FIT_COUPLED, s->now);
    for (int i = 0; i < DOFS * s->sections; i++) s->r_old[i] = s->p[i] = s->mp[i] = 0;
    s->held = 0;
    write_rods(m, s->now, false);
}

static void linearise(const member *m) {
    sn_bundle_system *s = m->s;
    measure(m);
    if (m->solve->iteration == 0) {
        measure_holds(m);
        m->solve->energy[s->body] += (sn_real)held_energy(m, s->now);
    }
    for (int i = 0; i < DOFS * s->sections; i++) s->r[i] = s->d[i] = 0;
    gather(m, true, s->r);
    assemble(m);
}

// to = M^-1 (of + node forces); null 'of': 0.
static void respond(const member *m, const double *of, bool forces, double *to) {
    const int n = DOFS * m->s->sections;
    for (int i = 0; i < n; i++) to[i] = of ? of[i] : 0;
    if (forces) gather(m, false, to);
    sn_skyline_solve(&m->s->matrix, to);
    scatter(m, to, 1);
}

static void update_direction(const member *m) {
    sn_bundle_system *s = m->s;
    const int n = DOFS * s->sections;
    const double beta = m->iterating ? (double)m->solve->beta[m->island] : 0;
    for (int i = 0; i < n; i++) s->p[i] = s->z[i] + beta * s->p[i], s->mp[i] = s->r[i] + beta * s->mp[i];
    m->solve->pmp[s->body] = (sn_real)dot(s->p, s->mp, n);
    m->solve->pr[s->body] = (sn_real)dot(s->p, s->r, n);
    scatter(m, s->p, 1);
}

static void advance(const member *m) {
    sn_bundle_system *s = m->s;
    const double alpha = m->iterating ? (double)m->solve->alpha[m->island] : 0;
    for (int i = 0; i < DOFS * s->sections; i++) {
        s->r_old[i] = s->r[i];
        s->d[i] += alpha * s->p[i];
        s->r[i] -= alpha * s->mp[i];
    }
    gather(m, false, s->r);
}

static void move(const member *m) {
    sn_bundle_system *s = m->s;
    const double share = m->iterating ? (double)m->solve->share[m->island] : 0;
    for (int k = 0; k < s->sections; k++) {
        const double *d = s->d + DOFS * k;
        s->trial[k] = s->now[k];
        for (int r = 0; r < 3; r++) s->trial[k].centre[r] += share * d[r];
        if (m->grows) s->trial[k].scale = fmax(s->now[k].scale + share * d[SCALE], MIN_SCALE);
        for (int r = 0; m->flattens && r < 2; r++) s->trial[k].across[r] += share * d[ACROSS + r];
        const double rotation[4] = {0.5 * share * d[TURN], 0.5 * share * d[TURN + 1], 0.5 * share * d[TURN + 2], 1};
        sn_section_multiply(rotation, s->now[k].rotation, s->trial[k].rotation);
        sn_section_make_unit(s->trial[k].rotation);
    }
    write_rods(m, s->trial, true);
    s->held = held_energy(m, s->trial) + across_energy(m, s->trial) +
              sn_bundle_volume_energy(m->b, m->rods, SN_FIT_TRIAL, &s->volume_stiffness);
    scatter(m, s->d, share);
}

// What rounding of scales makes of the energy of volume: see energy_noise of the rods.
static sn_real noise_of(double energy, double stiffness) {
    const double noise = 2 * (double)SN_REAL_EPSILON * (double)SN_REAL_EPSILON * stiffness;
    return (sn_real)(2 * sqrt(energy * noise) + noise);
}

// The sections where the substep starts. What is held has moved on, and its section with it: the rods' own state, without that, need
// not be one that sections can have, and its energy may be below all that they can reach.
static void return_to_start(const member *m) {
    fit_sections(m, SN_FIT_START, m->s->trial);
    write_rods(m, m->s->trial, true);
}

static void couple_bundle(const member *m, sn_couple_op op) {
    sn_bundle_system *s = m->s;
    const int n = DOFS * s->sections;
    switch (op) {
    case SN_COUPLE_BEGIN:
        begin(m);
        break;
    case SN_COUPLE_LINEARISE:
        linearise(m);
        break;
    case SN_COUPLE_PRECONDITION:
        respond(m, s->r, false, s->z);
        break;
    case SN_COUPLE_CORRECT:
        respond(m, s->r, true, s->z);
        break;
    case SN_COUPLE_COLUMN:
        respond(m, NULL, true, s->z);
        break;
    case SN_COUPLE_SHIFT:
        respond(m, NULL, true, s->p);
        for (int i = 0; i < n; i++) s->mp[i] = 0;
        break;
    case SN_COUPLE_PRODUCTS:
        m->solve->rz[s->body] = (sn_real)dot(s->r, s->z, n);
        m->solve->rz_old[s->body] = (sn_real)dot(s->r_old, s->z, n);
        break;
    case SN_COUPLE_DIRECTION:
        update_direction(m);
        break;
    case SN_COUPLE_ADVANCE:
        advance(m);
        break;
    case SN_COUPLE_MOVE:
        m->solve->energy[s->body] += (sn_real)s->held;
        m->solve->noise[s->body] += noise_of(s->held, s->volume_stiffness);
        break;
    case SN_COUPLE_ACCEPT:
        if (!(m->iterating && m->solve->share[m->island] > 0)) break;
        memcpy(s->now, s->trial, (size_t)s->sections * sizeof *s->now);
        break;
    case SN_COUPLE_START_ENERGY:
        m->solve->energy[s->body] +=
            (sn_real)(uneven_energy(m, s->trial) + across_energy(m, s->trial) +
                      sn_bundle_volume_energy(m->b, m->rods, SN_FIT_TRIAL,
                                              &s->volume_stiffness)); // what is held goes where it is driven
        break;
    case SN_COUPLE_ENERGY:
        m->solve->energy[s->body] +=
            (sn_real)(across_energy(m, s->now) +
                      sn_bundle_volume_energy(m->b, m->rods, SN_FIT_COUPLED, &s->volume_stiffness));
        break;
    case SN_COUPLE_END: // an island that failed stays where the substep started
        for (int k = 0; !m->solve->failed[m->island] && k < s->sections; k++)
            memcpy(m->b->across[k], s->now[k].across, sizeof s->now[k].across);
        break;
    case SN_COUPLE_KINETIC:
    case SN_COUPLE_MOMENTUM:
        break;
    }
}

typedef struct {
    sn_bundles *bundles;
    const sn_stage *stage;
    const sn_solve *solve;
    int op; // or one of these
} coupling_job;
enum { MOVE = -1, START = -2 };

static void couple_one(void *context, int index, int worker) {
    (void)worker;
    const coupling_job *j = context;
    sn_bundle_body *b = &j->bundles->items[index];
    sn_bundle_system *s = &b->system;
    if (!b->alive || !s->coupled) return;
    const int island = j->solve->island[s->body];
    const double h = (double)j->stage->h;
    const member m = {b,
                      s,
                      sn_rods(j->bundles->world),
                      j->solve,
                      1 / (h * h),
                      j->solve->iterating[island],
                      b->def.kind != SN_BUNDLE_RIGID,
                      b->def.kind == SN_BUNDLE_SOFT && b->flattens,
                      island};
    if (j->op == MOVE)
        move(&m);
    else if (j->op == START)
        return_to_start(&m);
    else
        couple_bundle(&m, (sn_couple_op)j->op);
}

// Bundles whose rods take part in this substep: all of them, or none.
static void list_coupled(sn_bundles *s, int first_body) {
    const sn_rod_system *rods = sn_rods(s->world);
    for (int i = 0; i < s->count; i++) {
        sn_bundle_body *b = &s->items[i];
        b->system.coupled = b->alive && b->awake;
        for (int k = 0; b->system.coupled && k < b->def.rod_count; k++)
            b->system.coupled = sn_rod_packet_of(rods, b->rods[k])->coupled.assembled >> b->rods[k]->lane & 1;
        if (b->system.coupled) b->system.body = first_body + (int)b->def.rods[0].slot1 - 1;
    }
}

void sn_bundles_couple(void *user, const sn_stage *stage, const sn_solve *solve, int first_body, sn_couple_op op) {
    sn_bundles *s = user;
    if (op == SN_COUPLE_BEGIN) list_coupled(s, first_body);
    coupling_job job = {s, stage, solve, (int)op};
    sn_parallel_for(stage->pool, s->count, 1, couple_one, &job);
}

void sn_bundles_prepare(void *user, const sn_stage *stage, const sn_solve *solve, sn_couple_op op) {
    sn_bundles *s = user;
    coupling_job job = {s, stage, solve, op == SN_COUPLE_MOVE ? MOVE : START};
    sn_parallel_for(stage->pool, s->count, 1, couple_one, &job);
}

// ---- energy

// What the volume's pressure resists a held and moved point of a fibre with, in its segments.
static double work_of_volume(const member *m, int section, int rod) {
    const place point = place_at(m, section, rod);
    double work = 0, along[3];
    for (int k = 0; k < m->s->sections && point.fibre->held_centre; k++) {
        const bool ends = k == section, starts = m->s->before[k] == section;
        if (m->s->before[k] < 0 || (!ends && !starts)) continue;
        const sn_volume_strain v = sn_bundle_volume_strain(m->b, m->rods, k, SN_FIT_NOW);
        const place at = place_at(m, k, rod);
        sn_bundle_fibre_stretch(m->rods, at.rod, at.block, SN_FIT_NOW, along);
        const double force = sn_rod_volume_stiffness(at.rod, at.block) * v.strain * v.scale * v.scale /
                             (double)at.rod->block[at.block].length;
        for (int r = 0; r < 3; r++)
            work += (ends ? force : -force) * along[r] *
                    ((double)*number(m, &point, at.packet->x, X_ROWS, X_CX + r) -
                     (double)*number(m, &point, at.packet->x0, X_ROWS, X_CX + r) +
                     (double)*number(m, &point, at.packet->x, X_ROWS, X_LX + r) -
                     (double)*number(m, &point, at.packet->x0, X_ROWS, X_LX + r));
    }
    return work;
}

// The work of what is held and moved on what ties sections to it, in the last substep. Rods count what they bear themselves.
static double work_of_holds(const member *m) {
    double work = 0;
    for (int k = 0; k < m->s->sections; k++) {
        const sn_section_hold *hold = &m->s->holds[k];
        const int before = m->s->before[k];
        double mean[4] = {0, 0, 0, 1}, centre[3], scale, frame[3];
        if (before >= 0) sn_section_mean_rotation(m->s->now[k].rotation, m->s->now[before].rotation, mean);
        for (int i = 0; i < m->s->rods; i++) {
            const place at = place_at(m, k, i);
            if (!at.fibre->held_centre && !at.fibre->held_scale && !at.fibre->held_frame) continue;
            held_errors(m, &m->s->now[k], mean, k, i, centre, &scale, frame);
            work += work_of_volume(m, k, i);
            double x[X_ROWS], x0[X_ROWS], rotation[4];
            for (int r = 0; r < X_ROWS; r++) {
                x[r] = (double)*number(m, &at, at.packet->x, X_ROWS, r);
                x0[r] = (r >= X_QX && r < X_QW ? -1 : 1) * (double)*number(m, &at, at.packet->x0, X_ROWS, r);
            }
            sn_section_multiply(x + X_QX, x0 + X_QX, rotation);
            for (int r = 0; r < 3; r++) {
                work -= hold->centre * centre[r] * (x[X_CX + r] + x[X_LX + r] - x0[X_CX + r] - x0[X_LX + r]);
                work -= hold->frame * frame[r] * (rotation[3] < 0 ? -2 : 2) * rotation[r];
            }
            work -= hold->scale * scale * (x[X_S] - x0[X_S]);
        }
    }
    return work;
}

void sn_bundles_balance(const sn_bundles *s, sn_work_balance *balance) {
    for (int i = 0; i < s->count; i++) {
        sn_bundle_body *b = &s->items[i];
        if (!b->alive || !b->system.coupled) continue;
        const member m = {.b = b, .s = &b->system, .rods = sn_rods(s->world)};
        balance->work += work_of_holds(&m);
        balance->stored += held_energy(&m, m.s->now);
    }
}
