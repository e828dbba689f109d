// The public calls on mass-spring bodies: check, find the body, read or write it. Those that compute state of the world
// run in the engine's floating-point mode (base/float_mode.h).
#include "base/float_mode.h"
#include "base/host.h"
#include "base/validate.h"
#include "kinds/spring/spring_system.h"

#define SPRINGS_MARK 0x51AE0501u

sn_springs_def sn_springs_def_default(void) {
    return (sn_springs_def){.radius = (sn_real)0.005,
                            .tolerance = (sn_real)1e-3,
                            .iterations = 200,
                            .rounds = 10,
                            .surface = sn_surface_default(),
                            .collide = true,
                            .init_mark = SPRINGS_MARK};
}

sn_springs_def sn_springs_def_of(const sn_spring_net *net) {
    sn_springs_def def = sn_springs_def_default();
    if (!net) return def;
    def.points = net->points;
    def.masses = net->masses;
    def.point_count = net->count;
    def.springs = net->springs;
    def.spring_count = net->spring_count;
    def.tets = net->tets;
    def.tet_count = net->tet_count;
    def.triangles = net->triangles;
    def.triangle_count = net->triangle_count;
    return def;
}

// ---- creating, finding

static sn_status make(sn_world *world, const sn_springs_def *def, sn_body *out) {
    sn_springs_body *body;
    sn_status status =
        sn_springs_model(sn_world_memory(world), sn_world_log(world), sn_world_lane_count(world), def, &body);
    if (status != SN_OK) return status;
    status = sn_springs_add(sn_world_springs(world), body, out);
    if (status != SN_OK) sn_springs_body_free(sn_world_memory(world), body);
    return status;
}

sn_status sn_springs_create(sn_world *world, const sn_springs_def *def, sn_body *out) {
    if (out) *out = (sn_body){0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    if (def->init_mark != SPRINGS_MARK) return sn_def_unmarked(sn_world_log(world), "sn_springs_def_default");
    sn_float_mode callers = sn_float_mode_enter();
    sn_status status = make(world, def, out);
    sn_float_mode_leave(callers);
    return status;
}

static sn_springs_body *find(const sn_world *world, sn_body id) {
    return sn_body_find(world, id, SN_KIND_SPRING);
}

// Finds a body for writing.
static sn_status ready(sn_world *world, sn_body id, sn_springs_body **body) {
    void *found;
    const sn_status status = sn_body_edit(world, id, SN_KIND_SPRING, &found);
    *body = found;
    return status;
}

static sn_status ready_point(sn_world *world, sn_body id, int point, sn_springs_body **body) {
    sn_status status = ready(world, id, body);
    if (status != SN_OK) return status;
    return point >= 0 && point < (*body)->body->count ? SN_OK : SN_ERR_RANGE;
}

// ---- readers

int sn_springs_spring_count(const sn_world *world, sn_body id) {
    const sn_springs_body *b = find(world, id);
    return b ? b->body->spring_count : 0;
}

int sn_springs_triangle_count(const sn_world *world, sn_body id) {
    const sn_springs_body *b = find(world, id);
    return b ? b->triangle_count : 0;
}

int sn_springs_tet_count(const sn_world *world, sn_body id) {
    const sn_springs_body *b = find(world, id);
    return b ? b->tet_count : 0;
}

int sn_springs_get_springs(const sn_world *world, sn_body id, sn_spring *out, int capacity) {
    const sn_springs_body *b = find(world, id);
    for (int i = 0; b && out && i < b->body->spring_count && i < capacity; i++) out[i] = b->body->springs[i];
    return b ? b->body->spring_count : 0;
}

int sn_springs_get_triangles(const sn_world *world, sn_body id, int32_t *out, int capacity) {
    const sn_springs_body *b = find(world, id);
    for (int i = 0; b && out && i < b->triangle_count && i < capacity; i++)
        for (int k = 0; k < 3; k++) out[3 * (size_t)i + (size_t)k] = b->triangles[i][k];
    return b ? b->triangle_count : 0;
}

int sn_springs_get_tets(const sn_world *world, sn_body id, int32_t *out, int capacity) {
    const sn_springs_body *b = find(world, id);
    for (int i = 0; b && out && i < b->tet_count && i < capacity; i++)
        for (int k = 0; k < 4; k++) out[4 * (size_t)i + (size_t)k] = b->tets[i][k];
    return b ? b->tet_count : 0;
}

sn_real sn_springs_radius(const sn_world *world, sn_body id) {
    const sn_springs_body *b = find(world, id);
    return b ? b->radius : 0;
}

// ---- getters of what calls have set

static sn_status read(const sn_world *world, sn_body id, sn_springs_body **body) {
    void *found;
    const sn_status status = sn_body_read(world, id, SN_KIND_SPRING, &found);
    *body = found;
    return status;
}

// Finds a body with this point; 'out' must not be null.
static sn_status read_point(const sn_world *world, sn_body id, int point, const void *out, sn_springs_body **body) {
    const sn_status status = read(world, id, body);
    if (status != SN_OK) return status;
    return out && point >= 0 && point < (*body)->body->count ? SN_OK : SN_ERR_RANGE;
}

sn_status sn_springs_get_mass(const sn_world *world, sn_body id, int point, sn_real *out) {
    sn_springs_body *b;
    const sn_status status = read_point(world, id, point, out, &b);
    if (status == SN_OK) *out = b->body->mass[point];
    return status;
}

sn_status sn_springs_get_target(const sn_world *world, sn_body id, int point, sn_vec3 *out) {
    sn_springs_body *b;
    const sn_status status = read_point(world, id, point, out, &b);
    if (status != SN_OK) return status;
    if (b->body->inverse[point] > 0) return SN_ERR_RANGE;
    *out = b->to[point];
    return SN_OK;
}

sn_status sn_springs_get_spring(const sn_world *world, sn_body id, int spring, sn_spring *out) {
    sn_springs_body *b;
    const sn_status status = read(world, id, &b);
    if (status != SN_OK) return status;
    if (!out || spring < 0 || spring >= b->body->spring_count) return SN_ERR_RANGE;
    *out = b->body->springs[spring];
    return SN_OK;
}

sn_status sn_springs_get_force(const sn_world *world, sn_body id, int point, sn_vec3 *out) {
    sn_springs_body *b;
    const sn_status status = read_point(world, id, point, out, &b);
    if (status == SN_OK) *out = b->applied_force[point];
    return status;
}

sn_status sn_springs_get_wind(const sn_world *world, sn_body id, sn_vec3 *wind, sn_real *air) {
    sn_springs_body *b;
    const sn_status status = read(world, id, &b);
    if (status != SN_OK) return status;
    if (!wind || !air) return SN_ERR_RANGE;
    *wind = b->wind, *air = b->air;
    return SN_OK;
}

// ---- writers

static void put(sn_springs_body *b, int point, sn_vec3 position, sn_vec3 velocity) {
    const bool held = !(b->body->inverse[point] > 0);
    sn_spring_put(b->body, point, position, held ? sn_v3(0, 0, 0) : velocity);
    b->to[point] = position; // from now on a held point stays where it was put
}

sn_status sn_springs_put(sn_world *world, sn_body id, int point, sn_vec3 position, sn_vec3 velocity) {
    sn_springs_body *b;
    sn_status status = ready_point(world, id, point, &b);
    if (status != SN_OK) return status;
    if (!sn_valid3(position) || !sn_has_length(velocity)) return SN_ERR_RANGE;
    put(b, point, position, velocity);
    return SN_OK;
}

sn_status sn_springs_set_points(sn_world *world, sn_body id, const sn_vec3 *points, int count) {
    sn_springs_body *b;
    sn_status status = ready(world, id, &b);
    if (status != SN_OK) return status;
    if (!points || count != b->body->count) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++)
        if (!sn_valid3(points[i])) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++) put(b, i, points[i], sn_spring_velocity(b->body, i));
    return SN_OK;
}

sn_status sn_springs_set_velocities(sn_world *world, sn_body id, const sn_vec3 *velocities, int count) {
    sn_springs_body *b;
    sn_status status = ready(world, id, &b);
    if (status != SN_OK) return status;
    if (!velocities || count != b->body->count) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++)
        if (!sn_has_length(velocities[i])) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++)
        if (b->body->inverse[i] > 0) sn_spring_put(b->body, i, sn_spring_point(b->body, i), velocities[i]);
    return SN_OK;
}

sn_status sn_springs_set_mass(sn_world *world, sn_body id, int point, sn_real mass) {
    sn_springs_body *b;
    sn_status status = ready_point(world, id, point, &b);
    if (status != SN_OK) return status;
    if (mass != 0 && !(mass >= (sn_real)1e-12 && mass <= (sn_real)1e12)) return SN_ERR_RANGE;
    const bool held = !(b->body->inverse[point] > 0);
    sn_spring_set_mass(b->body, point, mass);
    if (mass == 0 && !held) put(b, point, sn_spring_point(b->body, point), sn_v3(0, 0, 0));
    sn_springs_list_held(b);
    return SN_OK;
}

sn_status sn_springs_move(sn_world *world, sn_body id, int point, sn_vec3 to) {
    sn_springs_body *b;
    sn_status status = ready_point(world, id, point, &b);
    if (status != SN_OK) return status;
    if (!sn_valid3(to) || b->body->inverse[point] > 0) return SN_ERR_RANGE;
    b->to[point] = to;
    return SN_OK;
}

sn_status sn_springs_set_spring(sn_world *world, sn_body id, int spring, sn_real stiffness, sn_real damping,
                                sn_real rest) {
    sn_springs_body *b;
    sn_status status = ready(world, id, &b);
    if (status != SN_OK) return status;
    const sn_real max = (sn_real)1e15, min = b->body->law == SN_SPRING_RELATIVE ? (sn_real)1e-9 : 0;
    if (spring < 0 || spring >= b->body->spring_count || !(stiffness >= 0 && stiffness <= max) ||
        !(damping >= 0 && damping <= max) || !(rest >= min && rest <= (sn_real)1e9))
        return SN_ERR_RANGE;
    sn_spring_set(b->body, spring, stiffness, damping, rest);
    return SN_OK;
}

sn_status sn_springs_set_force(sn_world *world, sn_body id, int point, sn_vec3 force) {
    sn_springs_body *b;
    sn_status status = ready_point(world, id, point, &b);
    if (status != SN_OK) return status;
    if (!sn_finite3(force)) return SN_ERR_RANGE;
    b->applied_force[point] = force;
    return SN_OK;
}

sn_status sn_springs_add_impulse(sn_world *world, sn_body id, int point, sn_vec3 impulse) {
    sn_springs_body *b;
    sn_status status = ready_point(world, id, point, &b);
    if (status != SN_OK) return status;
    if (!sn_finite3(impulse) || !(b->body->inverse[point] > 0)) return SN_ERR_RANGE;
    const sn_vec3 v = sn_mul_add(sn_spring_velocity(b->body, point), b->body->inverse[point], impulse);
    if (!sn_has_length(v)) return SN_ERR_RANGE;
    sn_spring_put(b->body, point, sn_spring_point(b->body, point), v);
    return SN_OK;
}

sn_status sn_springs_set_wind(sn_world *world, sn_body id, sn_vec3 wind, sn_real air) {
    sn_springs_body *b;
    sn_status status = ready(world, id, &b);
    if (status != SN_OK) return status;
    if (!sn_finite3(wind) || !(sn_length2(wind) <= (sn_real)1e8) || !(air >= 0 && air <= (sn_real)1e5))
        return SN_ERR_RANGE;
    b->wind = air > 0 ? wind : sn_v3(0, 0, 0);
    b->air = air;
    return SN_OK;
}

// ---- measures

sn_springs_stats sn_springs_last_solve(const sn_world *world, sn_body id) {
    const sn_springs_body *b = find(world, id);
    return b ? b->solved : (sn_springs_stats){0};
}
