// Instances of a skin: creation, binding to rods or handles, and evaluation of many in one parallel loop.
#include "base/float_mode.h"
#include "base/host.h"
#include "couplings/bundle/bundle.h"
#include "kinds/rod/rod_body.h"
#include "skin/linear/skin.h"

// ---- handles prepared for blending

// The symmetric matrix s as rows.
static void rows_of(const sn_real s[6], sn_vec3 out[3]) {
    out[0] = sn_v3(s[0], s[3], s[4]);
    out[1] = sn_v3(s[3], s[1], s[5]);
    out[2] = sn_v3(s[4], s[5], s[2]);
}

static sn_vec3 apply(const sn_vec3 rows[3], sn_vec3 v) {
    return sn_v3(sn_dot(rows[0], v), sn_dot(rows[1], v), sn_dot(rows[2], v));
}

static void put_matrix(sn_real out[12], const sn_vec3 rows[3], sn_vec3 shift) {
    const sn_real shifts[3] = {shift.x, shift.y, shift.z};
    for (int r = 0; r < 3; r++) {
        out[4 * r] = rows[r].x, out[4 * r + 1] = rows[r].y, out[4 * r + 2] = rows[r].z;
        out[4 * r + 3] = shifts[r];
    }
}

// x -> centre + R S (x - rest), as one matrix.
static void ready_linear(const sn_handle *h, sn_vec3 origin, sn_real out[LINEAR_SIZE]) {
    sn_vec3 stretch[3], columns[3], rows[3];
    rows_of(h->stretch, stretch);
    for (int k = 0; k < 3; k++)
        columns[k] = sn_q_rotate(h->rotation, stretch[k]); // S is symmetric: its rows are its columns
    rows[0] = sn_v3(columns[0].x, columns[1].x, columns[2].x);
    rows[1] = sn_v3(columns[0].y, columns[1].y, columns[2].y);
    rows[2] = sn_v3(columns[0].z, columns[1].z, columns[2].z);
    put_matrix(out, rows, sn_sub(h->centre, apply(rows, sn_sub(h->rest, origin))));
}

// x -> y = rest + S (x - rest), then y -> centre + R (y - rest).
static void ready_dual(const sn_handle *h, sn_vec3 origin, sn_real out[DUAL_SIZE]) {
    const sn_vec3 rest = sn_sub(h->rest, origin), t = sn_sub(h->centre, sn_q_rotate(h->rotation, rest));
    const sn_quat q = h->rotation, d = sn_q_mul((sn_quat){t.x / 2, t.y / 2, t.z / 2, 0}, q);
    sn_vec3 stretch[3];
    rows_of(h->stretch, stretch);
    out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
    out[4] = d.x, out[5] = d.y, out[6] = d.z, out[7] = d.w;
    put_matrix(out + 8, stretch, sn_sub(rest, apply(stretch, rest)));
}

// Whether it is bound to rods or a bundle.
static bool follows(const sn_skin_instance *instance) {
    return instance->rod_count > 0 || instance->bundle.slot1 > 0;
}

static void make_ready(sn_skin_instance *instance, const sn_world *world) {
    const sn_skin *skin = instance->skin;
    if (follows(instance)) sn_skin_follow(instance, world, instance->handles);
    for (int i = 0; i < skin->handles; i++) {
        if (instance->blend == SN_BLEND_DUAL)
            ready_dual(&instance->handles[i], skin->origin, instance->ready + (size_t)i * DUAL_SIZE);
        else
            ready_linear(&instance->handles[i], skin->origin, instance->ready + (size_t)i * LINEAR_SIZE);
    }
}

// ---- creation

sn_status sn_skin_instance_create(sn_skin *skin, sn_skin_instance **out) {
    if (out) *out = NULL;
    if (!skin || !out) return SN_ERR_RANGE;
    sn_memory memory;
    sn_memory_init(&memory, &skin->memory.hook);
    sn_skin_instance *made = sn_alloc(&memory, 1, sizeof *made);
    if (!made) return SN_ERR_MEMORY;
    made->memory = memory;
    made->skin = skin;
    made->scale = 1;
    atomic_fetch_add(&skin->instances, 1);
    made->handles = sn_alloc(&made->memory, (size_t)skin->handles, sizeof *made->handles);
    made->ready = sn_alloc(&made->memory, (size_t)skin->handles, DUAL_SIZE * sizeof *made->ready);
    made->axes = sn_alloc(&made->memory, (size_t)skin->handles, sizeof *made->axes);
    if (!made->handles || !made->ready || !made->axes) {
        sn_skin_instance_destroy(made);
        return SN_ERR_MEMORY;
    }
    const sn_vec3 zero = {0, 0, 0};
    for (int i = 0; i < skin->handles; i++) made->handles[i] = sn_handle_similarity(zero, zero, sn_q_identity(), 1);
    *out = made;
    return SN_OK;
}

void sn_skin_instance_destroy(sn_skin_instance *instance) {
    if (!instance) return;
    sn_skin_unbind(instance);
    sn_free(&instance->memory, instance->handles, (size_t)instance->skin->handles, sizeof *instance->handles);
    sn_free(&instance->memory, instance->axes, (size_t)instance->skin->handles, sizeof *instance->axes);
    sn_free(&instance->memory, instance->ready, (size_t)instance->skin->handles, DUAL_SIZE * sizeof *instance->ready);
    atomic_fetch_sub(&instance->skin->instances, 1);
    sn_memory memory = instance->memory;
    sn_free(&memory, instance, 1, sizeof *instance);
}

sn_status sn_skin_instance_set_blend(sn_skin_instance *instance, sn_blend blend) {
    if (!instance || ((int)blend != SN_BLEND_LINEAR && (int)blend != SN_BLEND_DUAL)) return SN_ERR_RANGE;
    instance->blend = blend;
    return SN_OK;
}

sn_blend sn_skin_instance_blend(const sn_skin_instance *instance) {
    return instance ? instance->blend : SN_BLEND_LINEAR;
}

sn_handle sn_handle_similarity(sn_vec3 rest, sn_vec3 centre, sn_quat rotation, sn_real scale) {
    return (sn_handle){rest, centre, rotation, {scale, scale, scale, 0, 0, 0}};
}

static bool unit(sn_quat q) {
    const sn_real length2 = sn_q_dot(q, q);
    return length2 > (sn_real)0.98 && length2 < (sn_real)1.02; // false for NaN
}

static bool good_placement(const sn_placement *at) {
    return sn_finite3(at->position) && unit(at->rotation) && at->scale >= (sn_real)1e-6 && at->scale <= (sn_real)1e6;
}

sn_status sn_skin_instance_bind(sn_skin_instance *instance, const sn_world *world, const sn_body *rods, int rod_count,
                                const sn_placement *placement) {
    sn_placement at = {{0, 0, 0}, {0, 0, 0, 1}, 1};
    if (placement) at = *placement;
    if (!instance || !world || !rods || rod_count < 1) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    if (!good_placement(&at)) return SN_ERR_RANGE;
    int64_t points = 0;
    for (int i = 0; i < rod_count; i++) {
        if (!sn_body_exists(world, rods[i])) return SN_ERR_STALE_ID;
        points += sn_body_point_count(world, rods[i]);
    }
    if (points != instance->skin->handles) return SN_ERR_RANGE;
    sn_float_mode callers = sn_float_mode_enter();
    at.rotation = sn_q_normalize(at.rotation);
    sn_status status = sn_skin_bind(instance, world, rods, rod_count, &at);
    if (status == SN_OK) sn_skin_follow(instance, world, instance->handles);
    sn_float_mode_leave(callers);
    return status;
}

sn_status sn_skin_instance_bind_bundle(sn_skin_instance *instance, const sn_world *world, sn_bundle bundle,
                                       const sn_placement *placement) {
    sn_placement at = {{0, 0, 0}, {0, 0, 0, 1}, 1};
    if (placement) at = *placement;
    if (!instance || !world) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    const sn_bundle_body *b = sn_bundle_find(world, bundle);
    if (!b) return SN_ERR_STALE_ID;
    if (!good_placement(&at) || b->sections != instance->skin->handles) return SN_ERR_RANGE;
    sn_float_mode callers = sn_float_mode_enter();
    at.rotation = sn_q_normalize(at.rotation);
    const sn_status status = sn_skin_bind_bundle(instance, world, bundle, &at);
    if (status == SN_OK) sn_skin_follow(instance, world, instance->handles);
    sn_float_mode_leave(callers);
    return status;
}

sn_status sn_skin_instance_set_handles(sn_skin_instance *instance, const sn_handle *handles, int count) {
    if (!instance || !handles || count != instance->skin->handles) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++) {
        bool good = sn_finite3(handles[i].rest) && sn_finite3(handles[i].centre) && unit(handles[i].rotation);
        for (int k = 0; k < 6; k++) good = good && sn_finite(handles[i].stretch[k]);
        if (!good) return SN_ERR_RANGE;
    }
    sn_float_mode callers = sn_float_mode_enter();
    sn_skin_unbind(instance);
    for (int i = 0; i < count; i++) {
        instance->handles[i] = handles[i];
        instance->handles[i].rotation = sn_q_normalize(handles[i].rotation);
    }
    sn_float_mode_leave(callers);
    return SN_OK;
}

int sn_skin_instance_get_handles(const sn_skin_instance *instance, const sn_world *world, sn_handle *out,
                                 int capacity) {
    if (!instance ||
        (follows(instance) && (!world || sn_world_is_stepping(world) || !sn_skin_rods_exist(instance, world))))
        return 0;
    const int count = instance->skin->handles;
    sn_float_mode callers = sn_float_mode_enter();
    // Update the instance's own array, which has the handles of the last update.
    if (follows(instance)) sn_skin_follow(instance, world, instance->handles);
    sn_float_mode_leave(callers);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = instance->handles[i];
    return count;
}

static sn_real along(const sn_real s[6], sn_vec3 axis) {
    sn_vec3 rows[3];
    rows_of(s, rows);
    return sn_dot(axis, apply(rows, axis));
}

int sn_skin_instance_get_joints(const sn_skin_instance *instance, const sn_world *world, sn_joint_pose *rest,
                                sn_joint_pose *now, int capacity) {
    if (!instance || !follows(instance)) return 0;
    const int count = sn_skin_instance_get_handles(instance, world, NULL, 0);
    sn_float_mode callers = sn_float_mode_enter();
    for (int i = 0; i < count && i < capacity; i++) {
        const sn_handle *h = &instance->handles[i];
        const bool section = instance->bundle.slot1; // its axes change
        const double stretch[6] = {(double)h->stretch[0], (double)h->stretch[1], (double)h->stretch[2],
                                   (double)h->stretch[3], (double)h->stretch[4], (double)h->stretch[5]};
        const sn_quat q = section ? sn_skin_axes(stretch) : instance->axes[i], none = sn_q_identity();
        const sn_vec3 scale = {along(h->stretch, sn_q_axis_x(q)), along(h->stretch, sn_q_axis_y(q)),
                               along(h->stretch, sn_q_axis_z(q))};
        if (rest) rest[i] = (sn_joint_pose){h->rest, section ? none : q, {1, 1, 1}, none};
        if (!now) continue;
        now[i] = (sn_joint_pose){h->centre, h->rotation, scale, section ? q : none};
        if (!section) now[i].rotation = sn_q_normalize(sn_q_mul(h->rotation, q));
    }
    sn_float_mode_leave(callers);
    return count;
}

// ---- evaluation

// Many instances are one task each; few are split into this many parts, to use all workers.
enum { PARTS = 16, MANY = 32 };

typedef struct {
    const sn_world *world;
    const sn_skin_output *outputs;
    int parts; // of each
} update_work;

static void ready_one(void *context, int index, int worker) {
    const update_work *work = context;
    (void)worker;
    make_ready(work->outputs[index].instance, work->world);
}

static void blend_one(void *context, int index, int worker) {
    const update_work *work = context;
    const sn_skin_output *out = &work->outputs[index / work->parts];
    const sn_skin_instance *instance = out->instance;
    const sn_skin *skin = instance->skin;
    const int64_t part = index % work->parts, batches = skin->batches;
    (void)worker;
    if (work->parts == 1) make_ready(out->instance, work->world);
    skin->blends[instance->blend](skin, instance->ready, (int)(batches * part / work->parts),
                                  (int)(batches * (part + 1) / work->parts), out);
}

static bool good_buffer(const sn_real *numbers, size_t stride) {
    const size_t number = sizeof(sn_real);
    return numbers && (uintptr_t)numbers % number == 0 && stride % number == 0 && stride >= 3 * number;
}

static sn_status check_output(const sn_world *world, const sn_skin_output *out) {
    const sn_skin_instance *instance = out->instance;
    if (!instance || instance->taken || !good_buffer(out->positions, out->position_stride)) return SN_ERR_RANGE;
    if (out->normals && (!instance->skin->normals || !good_buffer(out->normals, out->normal_stride)))
        return SN_ERR_RANGE;
    if (follows(instance) && !world) return SN_ERR_RANGE;
    return sn_skin_rods_exist(instance, world) ? SN_OK : SN_ERR_STALE_ID;
}

static void run(sn_pool *pool, int count, sn_iteration_fn *fn, update_work *work) {
    if (pool) {
        sn_parallel_for(pool, count, 1, fn, work);
        return;
    }
    sn_float_mode callers = sn_float_mode_enter();
    for (int i = 0; i < count; i++) fn(work, i, 0);
    sn_float_mode_leave(callers);
}

sn_status sn_skin_update(const sn_world *world, const sn_skin_output *outputs, int count) {
    if (count < 0 || (count > 0 && !outputs) || count > INT32_MAX / PARTS) return SN_ERR_RANGE;
    if (world && sn_world_is_stepping(world)) return SN_ERR_BUSY;
    sn_status status = SN_OK;
    int checked = 0;
    for (; checked < count; checked++) {
        status = check_output(world, &outputs[checked]);
        if (status != SN_OK) break;
        outputs[checked].instance->taken = true;
    }
    if (status == SN_OK) {
        update_work work = {world, outputs, count >= MANY ? 1 : PARTS};
        sn_pool *pool = sn_world_lend_pool(world);
        if (work.parts > 1) run(pool, count, ready_one, &work);
        run(pool, count * work.parts, blend_one, &work);
        sn_world_return_pool(world, pool);
    }
    for (int i = 0; i < checked; i++) outputs[i].instance->taken = false;
    return status;
}
