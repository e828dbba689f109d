// The public calls on rods: check, find the body, read or write its numbers. Those that compute what stays in the world
// do it in the engine's floating-point mode (base/float_mode.h).
#include "base/float_mode.h"
#include "base/host.h"
#include "kinds/rod/rod_body.h"

#define ROD_MARK 0x51AE0101u

sn_rod_def sn_rod_def_default(void) {
    return (sn_rod_def){.radius = (sn_real)0.01,
                        .material = sn_material_preset(SN_PRESET_RUBBER),
                        .init_mark = ROD_MARK,
                        .surface = sn_surface_default(),
                        .collide = true};
}

static sn_status make(sn_world *world, const sn_rod_def *def, sn_body *out) {
    sn_rod_body *body;
    sn_real *start;
    sn_status status = sn_rod_model(sn_world_memory(world), sn_world_log(world), def, &body, &start);
    if (status != SN_OK) return status;
    sn_contact_settings settings = {
        .surface = def->surface, .collide = def->collide, .self_collide = def->self_collide};
    status = sn_rod_set_contact(sn_rods(world), body, &settings);
    if (status == SN_OK) status = sn_rod_system_add(sn_rods(world), body, start, out);
    sn_free(sn_world_memory(world), start, (size_t)def->point_count + 1, (X_ROWS + V_ROWS) * sizeof *start);
    if (status != SN_OK) sn_rod_body_free(sn_world_memory(world), body);
    return status;
}

sn_status sn_rod_create(sn_world *world, const sn_rod_def *def, sn_body *out) {
    if (out) *out = (sn_body){0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    if (def->init_mark != ROD_MARK) return sn_def_unmarked(sn_world_log(world), "sn_rod_def_default");
    sn_float_mode callers = sn_float_mode_enter();
    sn_status status = make(world, def, out);
    sn_float_mode_leave(callers);
    return status;
}

static sn_rod_body *find(const sn_world *world, sn_body id) {
    return sn_body_find(world, id, SN_KIND_ROD);
}

// Finds a body for writing.
static sn_status ready(sn_world *world, sn_body id, sn_rod_body **body) {
    void *found;
    const sn_status status = sn_body_edit(world, id, SN_KIND_ROD, &found);
    *body = found;
    return status;
}

// ---- readers

static sn_real value(const sn_world *world, const sn_rod_body *body, sn_real *array, int rows, int point, int row) {
    return *sn_rod_at(sn_rods(world), body, array, rows, body->block_of_point[point], row);
}

int sn_rod_get_parents(const sn_world *world, sn_body rod, int *out, int capacity) {
    const sn_rod_body *body = find(world, rod);
    if (!body) return 0;
    for (int i = 0; out && i < body->points && i < capacity; i++) {
        int p = body->parent[body->block_of_point[i]];
        out[i] = -1;
        for (int k = 0; p >= 0 && k < body->points; k++)
            if (body->block_of_point[(i + body->points - 1 + k) % body->points] ==
                p) { // in a chain the first guess is right
                out[i] = (i + body->points - 1 + k) % body->points;
                break;
            }
    }
    return body->points;
}

int sn_rod_get_scales(const sn_world *world, sn_body rod, sn_real *out, int capacity) {
    const sn_rod_body *body = find(world, rod);
    if (!body) return 0;
    sn_real *x = sn_rod_packet_of(sn_rods(world), body)->x;
    for (int i = 0; out && i < body->points && i < capacity; i++) out[i] = value(world, body, x, X_ROWS, i, X_S);
    return body->points;
}

int sn_rod_get_radii(const sn_world *world, sn_body rod, sn_real *out, int capacity) {
    const sn_rod_body *body = find(world, rod);
    int count = sn_rod_get_scales(world, rod, out, capacity);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] *= body->block[body->block_of_point[i]].radius;
    return count;
}

int sn_rod_get_frames(const sn_world *world, sn_body rod, sn_quat *out, int capacity) {
    const sn_rod_body *body = find(world, rod);
    if (!body) return 0;
    sn_real *x = sn_rod_packet_of(sn_rods(world), body)->x;
    for (int i = 0; out && i < body->points && i < capacity; i++)
        out[i] = (sn_quat){value(world, body, x, X_ROWS, i, X_QX), value(world, body, x, X_ROWS, i, X_QY),
                           value(world, body, x, X_ROWS, i, X_QZ), value(world, body, x, X_ROWS, i, X_QW)};
    return body->points;
}

int sn_rod_get_scale_rates(const sn_world *world, sn_body rod, sn_real *out, int capacity) {
    const sn_rod_body *body = find(world, rod);
    if (!body) return 0;
    sn_real *v = sn_rod_packet_of(sn_rods(world), body)->v;
    for (int i = 0; out && i < body->points && i < capacity; i++) out[i] = value(world, body, v, V_ROWS, i, V_S);
    return body->points;
}

int sn_rod_get_spins(const sn_world *world, sn_body rod, sn_vec3 *out, int capacity) {
    const sn_rod_body *body = find(world, rod);
    if (!body) return 0;
    sn_real *v = sn_rod_packet_of(sn_rods(world), body)->v;
    for (int i = 0; out && i < body->points && i < capacity; i++)
        out[i] = sn_v3(value(world, body, v, V_ROWS, i, V_WX), value(world, body, v, V_ROWS, i, V_WY),
                       value(world, body, v, V_ROWS, i, V_WZ));
    return body->points;
}

// ---- writers of whole states

static sn_status ready_array(sn_world *world, sn_body rod, const sn_real *values, int count, int per,
                             sn_rod_body **body) {
    sn_status status = ready(world, rod, body);
    if (status != SN_OK) return status;
    if (!values || count != (*body)->points) return SN_ERR_RANGE;
    for (long i = 0; i < (long)count * per; i++)
        if (!sn_finite(values[i])) return SN_ERR_RANGE;
    return SN_OK;
}

static void put_rows(sn_world *world, sn_rod_body *body, sn_real *array, int rows, int row, const sn_real *values,
                     int per) {
    sn_rod_packet_of(sn_rods(world), body)->measured = false;
    for (int i = 0; i < body->points; i++)
        for (int k = 0; k < per; k++)
            *sn_rod_at(sn_rods(world), body, array, rows, body->block_of_point[i], row + k) = values[i * per + k];
}

// A held block is from now on led to where it was put; rows that were not put keep where they are led.
static void drive_to_here(sn_world *world, sn_rod_body *body, bool scales) {
    for (int i = 0; i < body->blocks; i++) {
        sn_real x[X_ROWS];
        sn_rod_get(sn_rods(world), body, sn_rod_packet_of(sn_rods(world), body)->x, X_ROWS, i, x);
        for (int r = 0; r < X_ROWS; r++)
            if ((r == X_S) == scales) body->driver[i].to[r] = x[r];
    }
}

sn_status sn_rod_set_centres(sn_world *world, sn_body rod, const sn_vec3 *centres, int count) {
    sn_rod_body *body;
    sn_status status = ready_array(world, rod, (const sn_real *)centres, count, 3, &body);
    if (status != SN_OK) return status;
    sn_rod_system *s = sn_rods(world);
    sn_real *x = sn_rod_packet_of(s, body)->x;
    put_rows(world, body, x, X_ROWS, X_CX, (const sn_real *)centres, 3);
    sn_float_mode callers = sn_float_mode_enter();
    for (int i = 0; i < body->blocks; i++) {
        int p = body->parent[i];
        sn_real a[X_ROWS], b[X_ROWS];
        for (int r = X_LX; r <= X_LZ; r++) *sn_rod_at(s, body, x, X_ROWS, i, r) = 0;
        if (p < 0) continue;
        sn_rod_get(s, body, x, X_ROWS, p, b);
        if (body->block[i].ghost) { // stays on its tip
            for (int r = X_CX; r <= X_CZ; r++) *sn_rod_at(s, body, x, X_ROWS, i, r) = b[r];
            continue;
        }
        sn_rod_get(s, body, x, X_ROWS, i, a);
        sn_quat q = {a[X_QX], a[X_QY], a[X_QZ], a[X_QW]};
        sn_vec3 old = sn_q_axis_z(q), along = sn_v3(a[X_CX] - b[X_CX], a[X_CY] - b[X_CY], a[X_CZ] - b[X_CZ]);
        q = sn_q_normalize(sn_q_mul(sn_q_between(old, sn_normalize(along, old)), q));
        a[X_QX] = q.x, a[X_QY] = q.y, a[X_QZ] = q.z, a[X_QW] = q.w;
        sn_rod_put(s, body, x, X_ROWS, i, a);
    }
    sn_float_mode_leave(callers);
    drive_to_here(world, body, false);
    return SN_OK;
}

sn_status sn_rod_set_velocities(sn_world *world, sn_body rod, const sn_vec3 *velocities, int count) {
    sn_rod_body *body;
    sn_status status = ready_array(world, rod, (const sn_real *)velocities, count, 3, &body);
    if (status == SN_OK)
        put_rows(world, body, sn_rod_packet_of(sn_rods(world), body)->v, V_ROWS, V_CX, (const sn_real *)velocities, 3);
    return status;
}

sn_status sn_rod_set_scales(sn_world *world, sn_body rod, const sn_real *scales, int count) {
    sn_rod_body *body;
    sn_status status = ready_array(world, rod, scales, count, 1, &body);
    for (int i = 0; status == SN_OK && i < count; i++)
        if (!(scales[i] >= (sn_real)0.02 && scales[i] <= 1000)) status = SN_ERR_RANGE;
    if (status != SN_OK) return status;
    put_rows(world, body, sn_rod_packet_of(sn_rods(world), body)->x, X_ROWS, X_S, scales, 1);
    drive_to_here(world, body, true);
    return SN_OK;
}

sn_status sn_rod_set_scale_rates(sn_world *world, sn_body rod, const sn_real *rates, int count) {
    sn_rod_body *body;
    sn_status status = ready_array(world, rod, rates, count, 1, &body);
    if (status == SN_OK) put_rows(world, body, sn_rod_packet_of(sn_rods(world), body)->v, V_ROWS, V_S, rates, 1);
    return status;
}

sn_status sn_rod_set_spins(sn_world *world, sn_body rod, const sn_vec3 *spins, int count) {
    sn_rod_body *body;
    sn_status status = ready_array(world, rod, (const sn_real *)spins, count, 3, &body);
    if (status == SN_OK)
        put_rows(world, body, sn_rod_packet_of(sn_rods(world), body)->v, V_ROWS, V_WX, (const sn_real *)spins, 3);
    return status;
}

// ---- holds

static sn_status ready_point(sn_world *world, sn_body rod, int point, sn_rod_body **body, int *block) {
    sn_status status = ready(world, rod, body);
    if (status != SN_OK) return status;
    if (point < 0 || point >= (*body)->points) return SN_ERR_RANGE;
    *block = (*body)->block_of_point[point];
    return SN_OK;
}

// The same, for calls about a segment: the root of a tree has none.
static sn_status ready_segment(sn_world *world, sn_body rod, int segment, sn_rod_body **body, int *block) {
    sn_status status = ready_point(world, rod, segment, body, block);
    return status == SN_OK && (*body)->parent[*block] < 0 ? SN_ERR_RANGE : status;
}

// The block whose frame clamps a point, -1: the point was not given as clamped.
static int clamp_of(const sn_rod_body *body, int point) {
    if (point == 0 && body->clamp[0] >= 0) return body->clamp[0];
    if (point == body->points - 1 && body->clamp[1] >= 0) return body->clamp[1];
    return -1;
}

sn_status sn_rod_hold(sn_world *world, sn_body rod, int point, int what) {
    sn_rod_body *body;
    int block;
    sn_status status = ready_point(world, rod, point, &body, &block);
    if (status != SN_OK) return status;
    const int all = SN_HOLD_CENTRE | SN_HOLD_SCALE | SN_HOLD_FRAME | SN_HOLD_CLAMP;
    int ghost = clamp_of(body, point);
    if (what & ~all) return SN_ERR_RANGE;
    if ((what & SN_HOLD_CLAMP) && ghost < 0) return SN_ERR_RANGE;
    if ((what & SN_HOLD_FRAME) && body->parent[block] < 0) return SN_ERR_RANGE;
    sn_float_mode callers = sn_float_mode_enter();
    if (ghost >= 0 && ghost != block) sn_rod_set_hold(sn_rods(world), body, ghost, what & SN_HOLD_CLAMP);
    sn_rod_set_hold(sn_rods(world), body, block, ghost == block ? what : what & ~SN_HOLD_CLAMP);
    sn_float_mode_leave(callers);
    return SN_OK;
}

int sn_rod_held(const sn_world *world, sn_body rod, int point) {
    const sn_rod_body *body = find(world, rod);
    if (!body || point < 0 || point >= body->points) return 0;
    int ghost = clamp_of(body, point);
    return body->block[body->block_of_point[point]].hold | (ghost >= 0 ? body->block[ghost].hold & SN_HOLD_CLAMP : 0);
}

sn_status sn_rod_move_centre(sn_world *world, sn_body rod, int point, sn_vec3 to) {
    sn_rod_body *body;
    int block;
    sn_status status = ready_point(world, rod, point, &body, &block);
    if (status != SN_OK) return status;
    if (!sn_finite3(to) || !(body->block[block].hold & SN_HOLD_CENTRE)) return SN_ERR_RANGE;
    sn_real *x = body->driver[block].to;
    x[X_CX] = to.x, x[X_CY] = to.y, x[X_CZ] = to.z;
    x[X_LX] = x[X_LY] = x[X_LZ] = 0;
    return SN_OK;
}

sn_status sn_rod_move_scale(sn_world *world, sn_body rod, int point, sn_real to) {
    sn_rod_body *body;
    int block;
    sn_status status = ready_point(world, rod, point, &body, &block);
    if (status != SN_OK) return status;
    if (!(to >= (sn_real)0.02 && to <= 1000) || !(body->block[block].hold & SN_HOLD_SCALE)) return SN_ERR_RANGE;
    body->driver[block].to[X_S] = to;
    return SN_OK;
}

// Leads a frame; the sign nearer to where it is now, so that substeps go the short way.
static sn_status drive_frame(sn_world *world, sn_rod_body *body, int block, sn_quat to) {
    if (!(sn_q_dot(to, to) > (sn_real)1e-12) || !sn_finite(sn_q_dot(to, to))) return SN_ERR_RANGE;
    to = sn_q_normalize(to);
    sn_real now[X_ROWS], *x = body->driver[block].to;
    sn_rod_get(sn_rods(world), body, sn_rod_packet_of(sn_rods(world), body)->x, X_ROWS, block, now);
    sn_real sign = sn_q_dot(to, (sn_quat){now[X_QX], now[X_QY], now[X_QZ], now[X_QW]}) < 0 ? -1 : 1;
    x[X_QX] = sign * to.x, x[X_QY] = sign * to.y, x[X_QZ] = sign * to.z, x[X_QW] = sign * to.w;
    return SN_OK;
}

sn_status sn_rod_move_frame(sn_world *world, sn_body rod, int segment, sn_quat to) {
    sn_rod_body *body;
    int block;
    sn_status status = ready_segment(world, rod, segment, &body, &block);
    if (status != SN_OK) return status;
    if (!(body->block[block].hold & SN_HOLD_FRAME)) return SN_ERR_RANGE;
    sn_float_mode callers = sn_float_mode_enter();
    status = drive_frame(world, body, block, to);
    sn_float_mode_leave(callers);
    return status;
}

sn_status sn_rod_move_clamp(sn_world *world, sn_body rod, int point, sn_quat rotation) {
    sn_rod_body *body;
    int block;
    sn_status status = ready_point(world, rod, point, &body, &block);
    if (status != SN_OK) return status;
    int ghost = clamp_of(body, point);
    if (ghost < 0 || !(body->block[ghost].hold & SN_HOLD_CLAMP)) return SN_ERR_RANGE;
    sn_float_mode callers = sn_float_mode_enter();
    status = drive_frame(world, body, ghost, sn_q_mul(rotation, body->clamp_frame[ghost == body->clamp[0] ? 0 : 1]));
    sn_float_mode_leave(callers);
    return status;
}

// ---- getters of targets

// Finds a block for reading; 'out' must not be null.
static sn_status read_point(const sn_world *world, sn_body rod, int point, const void *out, const sn_rod_body **body,
                            int *block) {
    void *found;
    const sn_status status = sn_body_read(world, rod, SN_KIND_ROD, &found);
    *body = found;
    if (status != SN_OK) return status;
    if (!out || point < 0 || point >= (*body)->points) return SN_ERR_RANGE;
    *block = (*body)->block_of_point[point];
    return SN_OK;
}

static sn_status read_segment(const sn_world *world, sn_body rod, int segment, const void *out,
                              const sn_rod_body **body, int *block) {
    const sn_status status = read_point(world, rod, segment, out, body, block);
    return status == SN_OK && (*body)->parent[*block] < 0 ? SN_ERR_RANGE : status;
}

sn_status sn_rod_get_centre_target(const sn_world *world, sn_body rod, int point, sn_vec3 *out) {
    const sn_rod_body *body;
    int block;
    const sn_status status = read_point(world, rod, point, out, &body, &block);
    if (status != SN_OK) return status;
    if (!(body->block[block].hold & SN_HOLD_CENTRE)) return SN_ERR_RANGE;
    const sn_real *x = body->driver[block].to;
    *out = sn_v3(x[X_CX], x[X_CY], x[X_CZ]);
    return SN_OK;
}

sn_status sn_rod_get_scale_target(const sn_world *world, sn_body rod, int point, sn_real *out) {
    const sn_rod_body *body;
    int block;
    const sn_status status = read_point(world, rod, point, out, &body, &block);
    if (status != SN_OK) return status;
    if (!(body->block[block].hold & SN_HOLD_SCALE)) return SN_ERR_RANGE;
    *out = body->driver[block].to[X_S];
    return SN_OK;
}

static sn_quat frame_target(const sn_rod_body *body, int block) {
    const sn_real *x = body->driver[block].to;
    return (sn_quat){x[X_QX], x[X_QY], x[X_QZ], x[X_QW]};
}

sn_status sn_rod_get_frame_target(const sn_world *world, sn_body rod, int segment, sn_quat *out) {
    const sn_rod_body *body;
    int block;
    const sn_status status = read_segment(world, rod, segment, out, &body, &block);
    if (status != SN_OK) return status;
    if (!(body->block[block].hold & SN_HOLD_FRAME)) return SN_ERR_RANGE;
    *out = frame_target(body, block);
    return SN_OK;
}

sn_status sn_rod_get_clamp_target(const sn_world *world, sn_body rod, int point, sn_quat *out) {
    const sn_rod_body *body;
    int block;
    const sn_status status = read_point(world, rod, point, out, &body, &block);
    if (status != SN_OK) return status;
    const int ghost = clamp_of(body, point);
    if (ghost < 0 || !(body->block[ghost].hold & SN_HOLD_CLAMP)) return SN_ERR_RANGE;
    *out = sn_q_mul(frame_target(body, ghost), sn_q_conj(body->clamp_frame[ghost == body->clamp[0] ? 0 : 1]));
    return SN_OK;
}

// ---- loads and segments

static void set_load(sn_world *world, sn_rod_body *body, int block, int row, const sn_real *values, int count) {
    sn_packet *packet = sn_rod_packet_of(sn_rods(world), body);
    for (int k = 0; k < count; k++) {
        *sn_rod_at(sn_rods(world), body, packet->load, V_ROWS, block, row + k) = values[k];
        packet->loaded = packet->loaded || values[k] != 0;
    }
}

sn_status sn_rod_set_force(sn_world *world, sn_body rod, int point, sn_vec3 force) {
    sn_rod_body *body;
    int block;
    sn_status status = ready_point(world, rod, point, &body, &block);
    if (status != SN_OK) return status;
    if (!sn_finite3(force)) return SN_ERR_RANGE;
    set_load(world, body, block, V_CX, &force.x, 3);
    return SN_OK;
}

sn_status sn_rod_set_torque(sn_world *world, sn_body rod, int segment, sn_vec3 torque) {
    sn_rod_body *body;
    int block;
    sn_status status = ready_segment(world, rod, segment, &body, &block);
    if (status != SN_OK) return status;
    if (!sn_finite3(torque)) return SN_ERR_RANGE;
    set_load(world, body, block, V_WX, &torque.x, 3);
    return SN_OK;
}

sn_status sn_rod_set_radial_force(sn_world *world, sn_body rod, int point, sn_real force) {
    sn_rod_body *body;
    int block;
    sn_status status = ready_point(world, rod, point, &body, &block);
    if (status != SN_OK) return status;
    if (!sn_finite(force)) return SN_ERR_RANGE;
    set_load(world, body, block, V_S, &force, 1);
    return SN_OK;
}

// Numbers of a load from row 'row' on.
static void get_load(const sn_world *world, const sn_rod_body *body, int block, int row, sn_real *out, int count) {
    const sn_packet *packet = sn_rod_packet_of(sn_rods(world), body);
    for (int k = 0; k < count; k++) out[k] = *sn_rod_at(sn_rods(world), body, packet->load, V_ROWS, block, row + k);
}

sn_status sn_rod_get_force(const sn_world *world, sn_body rod, int point, sn_vec3 *out) {
    const sn_rod_body *body;
    int block;
    const sn_status status = read_point(world, rod, point, out, &body, &block);
    if (status == SN_OK) get_load(world, body, block, V_CX, &out->x, 3);
    return status;
}

sn_status sn_rod_get_torque(const sn_world *world, sn_body rod, int segment, sn_vec3 *out) {
    const sn_rod_body *body;
    int block;
    const sn_status status = read_segment(world, rod, segment, out, &body, &block);
    if (status == SN_OK) get_load(world, body, block, V_WX, &out->x, 3);
    return status;
}

sn_status sn_rod_get_radial_force(const sn_world *world, sn_body rod, int point, sn_real *out) {
    const sn_rod_body *body;
    int block;
    const sn_status status = read_point(world, rod, point, out, &body, &block);
    if (status == SN_OK) get_load(world, body, block, V_S, out, 1);
    return status;
}

sn_status sn_rod_get_segment(const sn_world *world, sn_body rod, int segment, sn_real *stiffness, sn_real *length) {
    const sn_rod_body *body;
    int block;
    const sn_status status = read_segment(world, rod, segment, stiffness, &body, &block);
    if (status != SN_OK) return status;
    if (!length) return SN_ERR_RANGE;
    *stiffness = body->block[block].stiffness;
    *length = body->block[block].contraction;
    return SN_OK;
}

sn_status sn_rod_set_segment(sn_world *world, sn_body rod, int segment, sn_real stiffness, sn_real length) {
    sn_rod_body *body;
    int block;
    sn_status status = ready_segment(world, rod, segment, &body, &block);
    if (status != SN_OK) return status;
    if (!(stiffness >= 0 && stiffness <= 1000) || !(length >= (sn_real)0.01 && length <= 100)) return SN_ERR_RANGE;
    body->block[block].stiffness = stiffness;
    body->block[block].contraction = length;
    sn_float_mode callers = sn_float_mode_enter();
    sn_rod_write_params_near(sn_rods(world), body, block);
    sn_float_mode_leave(callers);
    return SN_OK;
}

sn_status sn_rod_set_rest_curvature(sn_world *world, sn_body rod, int segment, sn_vec3 curvature) {
    sn_rod_body *body;
    int block;
    const sn_status status = ready_segment(world, rod, segment, &body, &block);
    if (status != SN_OK) return status;
    const sn_real angle = sn_length(curvature) * sn_rod_joint_length(body, block);
    if (!sn_finite3(curvature) || !(angle <= SN_ROD_MAX_BEND)) return SN_ERR_RANGE;
    body->block[block].bend = curvature;
    const sn_float_mode callers = sn_float_mode_enter();
    sn_rod_write_params(sn_rods(world), body, block);
    sn_float_mode_leave(callers);
    return SN_OK;
}

sn_status sn_rod_get_rest_curvature(const sn_world *world, sn_body rod, int segment, sn_vec3 *out) {
    const sn_rod_body *body;
    int block;
    const sn_status status = read_segment(world, rod, segment, out, &body, &block);
    if (status == SN_OK) *out = body->block[block].bend;
    return status;
}

int sn_rod_get_materials(const sn_world *world, sn_body rod, sn_material *out, int capacity) {
    const sn_rod_body *body = find(world, rod);
    for (int i = 0; body && out && i < body->points && i < capacity; i++)
        out[i] = body->block[body->block_of_point[i]].material;
    return body ? body->points : 0;
}

sn_status sn_rod_set_materials(sn_world *world, sn_body rod, const sn_material *materials, int count) {
    sn_rod_body *body;
    sn_status status = ready(world, rod, &body);
    if (status != SN_OK) return status;
    if (!materials || count != body->points) return SN_ERR_RANGE;
    if (sn_rod_check_materials(sn_world_log(world), body, materials)) return SN_ERR_DEF;
    sn_float_mode callers = sn_float_mode_enter();
    sn_rod_change_materials(body, materials);
    for (int i = 0; i < body->blocks; i++) sn_rod_write_params(sn_rods(world), body, i);
    sn_rods(world)->fade_h = 0; // damping is made anew
    sn_float_mode_leave(callers);
    return SN_OK;
}

// ---- measures

double sn_rod_length(const sn_world *world, sn_body rod) {
    const sn_rod_body *body = find(world, rod);
    double length = 0, volume = 0;
    if (body) sn_rod_add_up(sn_rods(world), body, &length, &volume);
    return length;
}
