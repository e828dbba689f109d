// Creation of a system of implicit muscles, its setters and getters, saving.
#include "base/hash.h"
#include "kinds/implicit_muscle/muscle_body.h"

sn_muscle_system_def sn_muscle_system_def_default(void) {
    return (sn_muscle_system_def){.substeps = 4, .passes = 2};
}

// ---- validation

typedef struct {
    const sn_log *log;
    int muscle;
    bool valid;
} checker;

static void report_error(checker *c, const char *field, const char *text) {
    sn_log_line(c->log, SN_LOG_ERROR, SN_ERR_DEF, field, "muscle %d: %s %s", c->muscle, field, text);
    c->valid = false;
}

static bool in_range(sn_real x, double low, double high) {
    return x >= (sn_real)low && x <= (sn_real)high; // limits rounded to sn_real are inside
}

static bool pose_is_valid(const sn_transform *pose) {
    return sn_valid3(pose->position) && in_range(sn_q_dot(pose->rotation, pose->rotation), 0.98, 1.02);
}

static void check_muscle(checker *c, const sn_implicit_muscle_def *def, int bones) {
    sn_muscle_profile profile;
    for (int end = 0; end < 2; end++) {
        if (def->bone[end] < 0 || def->bone[end] >= bones) report_error(c, "bone", "must be the index of a bone");
        if (!sn_valid3(def->end[end])) report_error(c, "end", "must be finite, and its cube too");
        if (!sn_valid3(def->normal[end])) report_error(c, "normal", "must be finite, and its cube too");
    }
    const bool first = sn_length2(def->normal[0]) > 0, second = sn_length2(def->normal[1]) > 0;
    if (first != second) report_error(c, "normal", "must be given for both ends or for none");
    if (!first && (def->rest.eccentricity > 0 || def->active.eccentricity > 0))
        report_error(c, "normal", "must be given for a muscle that is not round");
    if (def->bowed && !sn_valid3(def->via)) report_error(c, "via", "must be finite, and its cube too");
    if (def->points < 3 || def->points > SN_MUSCLE_MAX_POINTS) report_error(c, "points", "must be 3 to 128");
    if (!sn_muscle_profile_init(def->rest, def->active, &profile))
        report_error(c, "rest and active", "must have alpha and beta from 2 to 9 and eccentricities from 0 to 0.995");
    if (!in_range(def->volume, 1e-12, 1e3)) report_error(c, "volume", "must be above 0, in cubic metres");
    if (!in_range(def->density, 1e-3, 1e6)) report_error(c, "density", "must be above 0, in kg/m^3");
    if (!in_range(def->hertz, 1e-3, 1e3)) report_error(c, "hertz", "must be 0.001 to 1000");
    if (!in_range(def->damping, 0, 1e4)) report_error(c, "damping", "must be 0 to 10000");
    if (!in_range(def->tendon, 0, 0.45)) report_error(c, "tendon", "must be 0 to 0.45 of the length");
    if (!in_range(def->friction, 0, 100)) report_error(c, "friction", "must be 0 to 100");
}

static bool check(const sn_log *log, const sn_muscle_system_def *def) {
    checker c = {.log = log, .valid = true};
    if (def->bone_count < 1 || !def->poses) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "poses", "poses must be given for at least one bone");
        return false;
    }
    if (def->muscle_count < 0 || (def->muscle_count > 0 && !def->muscles) || def->obstacle_count < 0 ||
        (def->obstacle_count > 0 && !def->obstacles)) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "muscles", "muscles and bones must be arrays of their counts");
        return false;
    }
    for (int b = 0; b < def->bone_count; b++) {
        if (pose_is_valid(&def->poses[b])) continue;
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "poses", "pose %d must be finite, its rotation a unit quaternion",
                    b);
        c.valid = false;
    }
    for (int s = 0; s < def->obstacle_count; s++) {
        const sn_muscle_obstacle *bone = &def->obstacles[s];
        if (bone->bone >= 0 && bone->bone < def->bone_count && sn_valid3(bone->pill.a) && sn_valid3(bone->pill.b) &&
            in_range(bone->pill.ra, 0, 1e3) && in_range(bone->pill.rb, 0, 1e3))
            continue;
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "bones", "collider %d must be a finite pill of a bone", s);
        c.valid = false;
    }
    if (!sn_finite3(def->gravity) || def->substeps < 1 || def->substeps > 1000 || def->passes < 1 ||
        def->passes > 1000) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "substeps",
                    "substeps and passes must be 1 to 1000 and gravity finite");
        c.valid = false;
    }
    if (!sn_muscle_field_for(def->lanes)) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "lanes", "%d lanes are not supported here; 0 selects the widest",
                    def->lanes);
        c.valid = false;
    }
    if (def->skin && !def->skin_context) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "skin", "a skin needs a context for each muscle");
        c.valid = false;
    }
    for (c.muscle = 0; c.muscle < def->muscle_count; c.muscle++)
        check_muscle(&c, &def->muscles[c.muscle], def->bone_count);
    return c.valid;
}

// ---- memory

static void *copy(sn_memory *memory, const void *from, int count, size_t size) {
    char *to = sn_alloc(memory, (size_t)count, size);
    for (size_t i = 0; to && from && i < (size_t)count * size; i++) to[i] = ((const char *)from)[i];
    return to;
}

static bool alloc_muscle(sn_memory *memory, sn_muscle_body *m, int colliders) {
    const size_t n = (size_t)m->def.points;
    sn_vec3 **const arrays[] = {&m->velocity, &m->previous, &m->skinned, &m->predicted, &m->rest};
    bool good = sn_muscle_spindle_init(&m->spindle, memory, m->def.points) == SN_OK;
    good = sn_muscle_chain_init(&m->chain, memory, m->def.points) == SN_OK && good;
    for (int i = 0; i < 5; i++) good = (*arrays[i] = sn_alloc(memory, n, sizeof(sn_vec3))) && good;
    good = (m->is_close = sn_alloc(memory, (size_t)colliders, sizeof *m->is_close)) && good;
    return (m->collides = sn_alloc(memory, n, sizeof *m->collides)) && good;
}

static void free_muscle(sn_memory *memory, sn_muscle_body *m, int colliders) {
    const size_t n = (size_t)m->def.points;
    sn_vec3 *const arrays[] = {m->velocity, m->previous, m->skinned, m->predicted, m->rest};
    sn_muscle_spindle_free(&m->spindle, memory);
    sn_muscle_chain_free(&m->chain, memory);
    for (int i = 0; i < 5; i++) sn_free(memory, arrays[i], n, sizeof(sn_vec3));
    sn_free(memory, m->is_close, (size_t)colliders, sizeof *m->is_close);
    sn_free(memory, m->collides, n, sizeof *m->collides);
}

void sn_muscle_system_destroy(sn_muscle_system *system) {
    if (!system) return;
    sn_memory *memory = system->memory;
    const size_t bones = (size_t)system->bone_count, colliders = (size_t)system->obstacle_count;
    sn_transform *const poses[] = {system->rest, system->from, system->to, system->before, system->now};
    for (int m = 0; system->muscles && m < system->muscle_count; m++)
        free_muscle(memory, &system->muscles[m], system->obstacle_count);
    sn_free(memory, system->muscles, (size_t)system->muscle_count, sizeof *system->muscles);
    for (int i = 0; i < 5; i++) sn_free(memory, poses[i], bones, sizeof(sn_transform));
    sn_free(memory, system->obstacles, colliders, sizeof *system->obstacles);
    sn_free(memory, system->pills, colliders, sizeof *system->pills);
    sn_free(memory, system->pairs, (size_t)system->pair_capacity, sizeof *system->pairs);
    sn_free(memory, system->corrections, (size_t)system->correction_capacity, sizeof *system->corrections);
    sn_free(memory, system, 1, sizeof *system);
}

// ---- creation

// Sets the axis in the initial poses: straight, or through `via`.
static void init_axis(const sn_muscle_system *system, sn_muscle_body *m) {
    const sn_implicit_muscle_def *def = &m->def;
    const int last = def->points - 1;
    const sn_vec3 a = sn_bone_point(&system->rest[def->bone[0]], def->end[0]);
    const sn_vec3 b = sn_bone_point(&system->rest[def->bone[1]], def->end[1]);
    const sn_vec3 via = def->bowed ? sn_bone_point(&system->rest[def->bone[0]], def->via) : sn_lerp(a, b, (sn_real)0.5);
    const sn_real first = sn_length(sn_sub(via, a)), all = first + sn_length(sn_sub(b, via));
    for (int i = 0; i <= last; i++) {
        const sn_real at = all * (sn_real)i / (sn_real)last;
        if (at <= first)
            m->rest[i] = sn_lerp(a, via, first > 0 ? at / first : 0);
        else
            m->rest[i] = sn_lerp(via, b, all > first ? sn_min((at - first) / (all - first), 1) : 1);
        m->spindle.axis[i] = m->previous[i] = m->skinned[i] = m->rest[i];
    }
}

static void init_muscle(const sn_muscle_system *system, sn_muscle_body *m) {
    sn_muscle_profile_init(m->def.rest, m->def.active, &m->profile); // already validated
    m->keys = m->previous_keys = (sn_implicit_muscle_keys){.activation = 0, .exaggeration = 1, .eccentricity = -1};
    init_axis(system, m);
    sn_muscle_body_build(system, m);
    // Rest lengths are 2 % of the initial length: a belly under tension, almost like zero-length springs.
    sn_muscle_chain_build(&m->chain, m->spindle.axis, m->spindle.radius, m->def.density * m->def.volume, (sn_real)0.02,
                          m->def.tendon);
    for (int i = 1; i + 1 < m->def.points; i++)
        m->collides[i] = m->spindle.along[i] >= m->def.tendon && m->spindle.along[i] <= 1 - m->def.tendon;
}

sn_status sn_muscle_system_create(sn_memory *memory, const sn_log *log, const sn_muscle_system_def *def,
                                  sn_muscle_system **out) {
    *out = NULL;
    if (!check(log, def)) return SN_ERR_DEF;
    sn_muscle_system *system = sn_alloc(memory, 1, sizeof *system);
    if (!system) return SN_ERR_MEMORY;
    system->memory = memory;
    system->bone_count = def->bone_count, system->obstacle_count = def->obstacle_count;
    system->gravity = def->gravity, system->substeps = def->substeps, system->passes = def->passes;
    system->field = sn_muscle_field_for(def->lanes);
    system->fraction = 1;
    sn_transform **const poses[] = {&system->rest, &system->from, &system->to, &system->before, &system->now};
    bool good = true;
    for (int i = 0; i < 5; i++)
        good = (*poses[i] = copy(memory, def->poses, def->bone_count, sizeof(sn_transform))) && good;
    for (int b = 0; good && b < def->bone_count; b++)
        for (int i = 0; i < 5; i++) (*poses[i])[b].rotation = sn_q_normalize(def->poses[b].rotation);
    good = (system->obstacles = copy(memory, def->obstacles, def->obstacle_count, sizeof *system->obstacles)) && good;
    good = (system->pills = copy(memory, NULL, def->obstacle_count, sizeof *system->pills)) && good;
    good = (system->muscles = copy(memory, NULL, def->muscle_count, sizeof *system->muscles)) && good;
    if (system->muscles) system->muscle_count = def->muscle_count;
    for (int m = 0; good && m < def->muscle_count; m++) {
        system->muscles[m].def = def->muscles[m];
        good = alloc_muscle(memory, &system->muscles[m], def->obstacle_count);
        if (good) init_muscle(system, &system->muscles[m]);
    }
    if (!good) {
        sn_muscle_system_destroy(system);
        return SN_ERR_MEMORY;
    }
    if (def->skin) sn_muscle_system_set_skin(system, def->skin, def->skin_context);
    *out = system;
    return SN_OK;
}

void sn_muscle_system_set_skin(sn_muscle_system *system, sn_muscle_distance_fn *skin, const void *const *contexts) {
    system->skin = skin;
    for (int m = 0; skin && m < system->muscle_count; m++) system->muscles[m].skin = contexts[m];
}

// ---- setters and getters

int sn_muscle_system_count(const sn_muscle_system *system) {
    return system->muscle_count;
}

const sn_muscle_spindle *sn_muscle_system_get_spindle(const sn_muscle_system *system, int muscle) {
    return muscle >= 0 && muscle < system->muscle_count ? &system->muscles[muscle].spindle : NULL;
}

const sn_transform *sn_muscle_system_get_poses(const sn_muscle_system *system) {
    return system->now;
}

const sn_implicit_muscle_def *sn_muscle_system_get_def(const sn_muscle_system *system, int muscle) {
    return muscle >= 0 && muscle < system->muscle_count ? &system->muscles[muscle].def : NULL;
}

sn_status sn_muscle_system_set_keys(sn_muscle_system *system, int muscle, sn_implicit_muscle_keys keys) {
    if (muscle < 0 || muscle >= system->muscle_count) return SN_ERR_RANGE;
    if (!in_range(keys.activation, 0, 1) || !in_range(keys.exaggeration, 1e-3, 1e3)) return SN_ERR_RANGE;
    if (!in_range(keys.eccentricity, -1e30, (double)SN_MUSCLE_MAX_ECCENTRICITY)) return SN_ERR_RANGE;
    // Without normals the long axis has no direction.
    if (keys.eccentricity > 0 && !(sn_length2(system->muscles[muscle].def.normal[0]) > 0)) return SN_ERR_RANGE;
    system->muscles[muscle].keys = keys;
    return SN_OK;
}

sn_implicit_muscle_keys sn_muscle_system_get_keys(const sn_muscle_system *system, int muscle) {
    if (muscle < 0 || muscle >= system->muscle_count) return (sn_implicit_muscle_keys){0, 1, -1};
    return system->muscles[muscle].keys;
}

// Rebuilds a muscle between steps with the keys at the end of the last step. Keys set since then belong to the next
// one. So a muscle that was changed or loaded equals one that was not.
static void rebuild_with_keys(const sn_muscle_system *system, sn_muscle_body *m, sn_implicit_muscle_keys was,
                              bool aligned) {
    if (!aligned) was.eccentricity = -1;
    m->keys = m->previous_keys = was;
    sn_muscle_body_build(system, m);
}

// Rebuilds a muscle that no bundle drives, after loading or releasing it. This must happen at once and not in the next
// step, so that a world saved in between continues identically. The twist stays the same, even if the definition has
// changed since the shape was built.
static void rebuild_undriven(const sn_muscle_system *system, sn_muscle_body *m) {
    const sn_implicit_muscle_keys keys = m->keys;
    const sn_real twist = m->spindle.twist;
    m->driven = false;
    rebuild_with_keys(system, m, m->previous_keys, true);
    m->keys = keys;
    m->spindle.twist = twist;
}

// Initialises the muscle again and then restores its state.
sn_status sn_muscle_system_set_def(sn_muscle_system *system, const sn_log *log, int muscle,
                                   const sn_implicit_muscle_def *def) {
    if (muscle < 0 || muscle >= system->muscle_count) return SN_ERR_RANGE;
    sn_muscle_body *m = &system->muscles[muscle];
    if (def->points != m->def.points || def->bone[0] != m->def.bone[0] || def->bone[1] != m->def.bone[1])
        return SN_ERR_RANGE;
    checker c = {.log = log, .muscle = muscle, .valid = true};
    check_muscle(&c, def, system->bone_count);
    if (!c.valid) return SN_ERR_DEF;
    sn_vec3 axis[SN_MUSCLE_MAX_POINTS];
    const sn_implicit_muscle_keys keys = m->keys, was = m->previous_keys;
    const sn_real twist = m->spindle.twist;
    for (int i = 0; i < def->points; i++) axis[i] = m->spindle.axis[i];
    const bool driven = m->driven;
    m->def = *def, m->driven = false; // until its bundle drives it again
    init_muscle(system, m);
    for (int i = 0; i < def->points; i++) m->spindle.axis[i] = m->previous[i] = m->skinned[i] = axis[i];
    const bool aligned = sn_length2(def->normal[0]) > 0;
    m->spindle.twist = twist;
    rebuild_with_keys(system, m, was, aligned);
    m->keys = keys;
    if (!aligned) m->keys.eccentricity = -1;
    m->driven = driven;
    return SN_OK;
}

sn_status sn_muscle_system_drive(sn_muscle_system *system, int muscle, const sn_section *sections, int count,
                                 const sn_real *radii) {
    if (muscle < 0 || muscle >= system->muscle_count) return SN_ERR_RANGE;
    sn_muscle_body *m = &system->muscles[muscle];
    if (count == 0) {
        if (m->driven) rebuild_undriven(system, m);
        return SN_OK;
    }
    for (int i = 0; i < m->def.points; i++) {
        m->previous[i] = m->spindle.axis[i];
        m->velocity[i] = sn_v3(0, 0, 0);
    }
    const sn_status status =
        sn_muscle_spindle_build_from_sections(&m->spindle, sections, count, radii, 0, sn_v3(0, 0, 0));
    if (status == SN_OK) m->driven = true;
    return status;
}

sn_muscle_report sn_muscle_system_get_report(const sn_muscle_system *system) {
    return system->report;
}

double sn_muscle_system_energy(const sn_muscle_system *system) {
    double energy = 0;
    for (int k = 0; k < system->muscle_count; k++) {
        const sn_muscle_body *m = &system->muscles[k];
        if (m->driven) continue; // its rods count
        // A very short step gives the stiffness that steps of any length stand for.
        const sn_muscle_tuning tuning = sn_muscle_chain_tune(&m->chain, m->def.hertz, m->def.damping, (sn_real)1e-4);
        energy += sn_muscle_chain_energy(&m->chain, tuning.stiffness, m->spindle.axis);
        for (int i = 1; i + 1 < m->def.points; i++) {
            const double x = (double)m->velocity[i].x, y = (double)m->velocity[i].y, z = (double)m->velocity[i].z;
            energy += 0.5 * (double)m->chain.mass[i] * (x * x + y * y + z * z);
        }
    }
    return energy;
}

static double height_along(sn_vec3 g, sn_vec3 x) {
    return (double)g.x * (double)x.x + (double)g.y * (double)x.y + (double)g.z * (double)x.z;
}

double sn_muscle_system_potential(const sn_muscle_system *system) {
    double energy = 0;
    for (int k = 0; k < system->muscle_count; k++) {
        const sn_muscle_body *m = &system->muscles[k];
        for (int i = 1; i + 1 < m->def.points && !m->driven; i++)
            energy -= (double)m->chain.mass[i] * height_along(system->gravity, m->spindle.axis[i]);
    }
    return energy;
}

uint64_t sn_muscle_system_hash(const sn_muscle_system *system, uint64_t hash) {
    for (int b = 0; b < system->bone_count; b++) {
        hash = sn_hash_reals(hash, &system->to[b].position.x, 3);
        hash = sn_hash_reals(hash, &system->to[b].rotation.x, 4);
    }
    for (int k = 0; k < system->muscle_count; k++) {
        const sn_muscle_body *m = &system->muscles[k];
        hash = sn_hash_reals(hash, &m->spindle.axis[0].x, 3 * (size_t)m->def.points);
        hash = sn_hash_reals(hash, &m->velocity[0].x, 3 * (size_t)m->def.points);
        const sn_real more[4] = {m->spindle.twist, m->keys.activation, m->keys.exaggeration, m->keys.eccentricity};
        hash = sn_hash_reals(hash, more, 4);
    }
    return hash;
}

void sn_muscle_system_visit_state(sn_muscle_system *system, sn_stream *stream) {
    sn_transform *const poses[] = {system->from, system->to, system->before, system->now};
    for (int i = 0; i < 4; i++) sn_visit_bytes(stream, poses[i], (size_t)system->bone_count * sizeof(sn_transform));
    sn_visit_bytes(stream, system->pills, (size_t)system->obstacle_count * sizeof *system->pills);
    sn_visit_bytes(stream, &system->fraction, sizeof system->fraction);
    sn_visit_bytes(stream, &system->report, sizeof system->report);
    sn_visit_bytes(stream, system->muscles, (size_t)system->muscle_count * sizeof *system->muscles);
    for (int m = 0; m < system->muscle_count; m++) {
        sn_muscle_body *muscle = &system->muscles[m];
        const size_t size = (size_t)muscle->def.points * sizeof(sn_vec3);
        sn_muscle_spindle_visit(&muscle->spindle, stream);
        sn_visit_bytes(stream, muscle->velocity, size);
        sn_visit_bytes(stream, muscle->previous, size);
        sn_visit_bytes(stream, muscle->skinned, size);
    }
}

void sn_muscle_system_visit(sn_muscle_system *system, sn_stream *stream) {
    int counts[2] = {system->bone_count, system->muscle_count};
    for (int i = 0; i < 2; i++) {
        const int own = counts[i];
        sn_visit_int(stream, &counts[i]);
        if (!sn_stream_check(stream, counts[i] == own)) return;
    }
    for (int b = 0; b < system->bone_count; b++) {
        sn_visit_reals(stream, &system->to[b].position.x, 3);
        sn_visit_reals(stream, &system->to[b].rotation.x, 4);
        if (stream->mode == SN_STREAM_READ) {
            if (!sn_stream_check(stream, pose_is_valid(&system->to[b]))) return;
            system->from[b] = system->before[b] = system->now[b] = system->to[b];
        }
    }
    for (int k = 0; k < system->muscle_count; k++) {
        sn_muscle_body *m = &system->muscles[k];
        int points = m->def.points;
        sn_visit_int(stream, &points);
        if (!sn_stream_check(stream, points == m->def.points)) return;
        sn_visit_reals(stream, &m->spindle.axis[0].x, 3 * (size_t)points);
        sn_visit_reals(stream, &m->velocity[0].x, 3 * (size_t)points);
        sn_visit_reals(stream, &m->spindle.twist, 1);
        sn_implicit_muscle_keys *const both[2] = {&m->keys, &m->previous_keys};
        for (int i = 0; i < 2; i++) {
            sn_visit_reals(stream, &both[i]->activation, 1);
            sn_visit_reals(stream, &both[i]->exaggeration, 1);
            sn_visit_reals(stream, &both[i]->eccentricity, 1);
        }
        sn_visit_bool(stream, &m->driven);
        if (m->driven) sn_visit_reals(stream, m->spindle.radius, (size_t)points); // set by its bundle
        if (stream->mode != SN_STREAM_READ || stream->bad) continue;
        const sn_implicit_muscle_keys keys = m->keys, was = m->previous_keys;
        bool good = sn_finite(m->spindle.twist) && sn_muscle_system_set_keys(system, k, was) == SN_OK &&
                    sn_muscle_system_set_keys(system, k, keys) == SN_OK;
        for (int i = 0; i < points; i++) good = good && sn_valid3(m->spindle.axis[i]) && sn_finite3(m->velocity[i]);
        sn_real radii[SN_MUSCLE_MAX_POINTS];
        for (int i = 0; m->driven && i < points; i++) {
            radii[i] = m->spindle.radius[i];
            good = good && radii[i] >= 0 && radii[i] <= SN_MUSCLE_MAX_RADIUS;
        }
        if (!sn_stream_check(stream, good)) return;
        system->fraction = 1;
        const sn_real twist = m->spindle.twist;
        if (m->driven)
            sn_muscle_spindle_build_from_radii(&m->spindle, radii, 0, NULL);
        else
            rebuild_undriven(system, m);
        m->spindle.twist = twist;
    }
}
