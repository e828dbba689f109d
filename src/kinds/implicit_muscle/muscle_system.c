// Making a system of implicit muscles, and what is asked of it between steps.
#include "base/hash.h"
#include "kinds/implicit_muscle/muscle_body.h"
#include "kinds/implicit_muscle/muscle_sections.h"

sn_swept_system_def sn_swept_system_def_default(void) {
    return (sn_swept_system_def){.substeps = 4, .passes = 2};
}

// --- mistakes ---

typedef struct {
    const sn_log *log;
    int muscle;
    bool good;
} checker;

static void refuse(checker *c, const char *field, const char *text) {
    sn_log_line(c->log, SN_LOG_ERROR, SN_ERR_DEF, field, "muscle %d: %s %s", c->muscle, field, text);
    c->good = false;
}

static bool in_range(sn_real x, double low, double high) {
    return x >= (sn_real)low && x <= (sn_real)high; // the limits themselves are fine, as floats too
}

static bool good_pose(const sn_transform *pose) {
    return sn_valid3(pose->position) && in_range(sn_q_dot(pose->rotation, pose->rotation), 0.98, 1.02);
}

static void check_muscle(checker *c, const sn_implicit_muscle_def *def, int bones) {
    sn_swept_profile profile;
    for (int end = 0; end < 2; end++) {
        if (def->bone[end] < 0 || def->bone[end] >= bones) refuse(c, "bone", "must be the number of a bone");
        if (!sn_valid3(def->end[end])) refuse(c, "end", "must be finite, and its cube too");
        if (!sn_valid3(def->normal[end])) refuse(c, "normal", "must be finite, and its cube too");
    }
    const bool first = sn_length2(def->normal[0]) > 0, second = sn_length2(def->normal[1]) > 0;
    if (first != second) refuse(c, "normal", "must be given for both ends or for none");
    if (!first && (def->rest.eccentricity > 0 || def->active.eccentricity > 0))
        refuse(c, "normal", "must be given for a muscle that is not round");
    if (def->bowed && !sn_valid3(def->via)) refuse(c, "via", "must be finite, and its cube too");
    if (def->points < 3 || def->points > SN_SWEPT_MOST) refuse(c, "points", "must be 3 to 128");
    if (!sn_swept_profile_make(def->rest, def->active, &profile))
        refuse(c, "rest and active", "must have alpha and beta from 2 to 9 and eccentricities from 0 to 0.995");
    if (!in_range(def->volume, 1e-12, 1e3)) refuse(c, "volume", "must be above 0, in cubic metres");
    if (!in_range(def->density, 1e-3, 1e6)) refuse(c, "density", "must be above 0, in kg/m^3");
    if (!in_range(def->hertz, 1e-3, 1e3)) refuse(c, "hertz", "must be 0.001 to 1000");
    if (!in_range(def->damping, 0, 1e4)) refuse(c, "damping", "must be 0 to 10000");
    if (!in_range(def->tendon, 0, 0.45)) refuse(c, "tendon", "must be 0 to 0.45 of the length");
    if (!in_range(def->friction, 0, 100)) refuse(c, "friction", "must be 0 to 100");
}

static bool check(const sn_log *log, const sn_swept_system_def *def) {
    checker c = {.log = log, .good = true};
    if (def->bone_count < 1 || !def->poses) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "poses", "poses must be given for one bone at least");
        return false;
    }
    if (def->muscle_count < 0 || (def->muscle_count > 0 && !def->muscles) || def->shape_count < 0 ||
        (def->shape_count > 0 && !def->bones)) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "muscles", "muscles and bones must be arrays of their counts");
        return false;
    }
    for (int b = 0; b < def->bone_count; b++) {
        if (good_pose(&def->poses[b])) continue;
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "poses", "pose %d must be finite, its rotation a unit quaternion",
                    b);
        c.good = false;
    }
    for (int s = 0; s < def->shape_count; s++) {
        const sn_swept_bone *bone = &def->bones[s];
        if (bone->bone >= 0 && bone->bone < def->bone_count && sn_valid3(bone->pill.a) && sn_valid3(bone->pill.b) &&
            in_range(bone->pill.ra, 0, 1e3) && in_range(bone->pill.rb, 0, 1e3))
            continue;
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "bones", "shape %d must be a finite pill of a bone", s);
        c.good = false;
    }
    if (!sn_finite3(def->gravity) || def->substeps < 1 || def->substeps > 1000 || def->passes < 1 ||
        def->passes > 1000) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "substeps",
                    "substeps and passes must be 1 to 1000 and gravity finite");
        c.good = false;
    }
    if (!sn_swept_field_for(def->lanes)) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "lanes", "%d lanes are not to be had here; 0 takes the most",
                    def->lanes);
        c.good = false;
    }
    if (def->skin && !def->skin_context) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "skin", "a skin needs a context for each muscle");
        c.good = false;
    }
    for (c.muscle = 0; c.muscle < def->muscle_count; c.muscle++)
        check_muscle(&c, &def->muscles[c.muscle], def->bone_count);
    return c.good;
}

// --- memory ---

static void *copy(sn_memory *memory, const void *from, int count, size_t size) {
    char *to = sn_alloc(memory, (size_t)count, size);
    for (size_t i = 0; to && from && i < (size_t)count * size; i++) to[i] = ((const char *)from)[i];
    return to;
}

static bool alloc_muscle(sn_memory *memory, sn_swept_body *m, int shapes) {
    const size_t n = (size_t)m->def.points;
    sn_vec3 **const arrays[] = {&m->velocity, &m->old, &m->carried, &m->aim, &m->rest};
    bool good = sn_swept_init(&m->shape, memory, m->def.points) == SN_OK;
    good = sn_swept_chain_init(&m->chain, memory, m->def.points) == SN_OK && good;
    for (int i = 0; i < 5; i++) good = (*arrays[i] = sn_alloc(memory, n, sizeof(sn_vec3))) && good;
    good = (m->near = sn_alloc(memory, (size_t)shapes, sizeof *m->near)) && good;
    return (m->collide = sn_alloc(memory, n, sizeof *m->collide)) && good;
}

static void free_muscle(sn_memory *memory, sn_swept_body *m, int shapes) {
    const size_t n = (size_t)m->def.points;
    sn_vec3 *const arrays[] = {m->velocity, m->old, m->carried, m->aim, m->rest};
    sn_swept_free(&m->shape, memory);
    sn_swept_chain_free(&m->chain, memory);
    for (int i = 0; i < 5; i++) sn_free(memory, arrays[i], n, sizeof(sn_vec3));
    sn_free(memory, m->near, (size_t)shapes, sizeof *m->near);
    sn_free(memory, m->collide, n, sizeof *m->collide);
}

void sn_swept_system_destroy(sn_swept_system *system) {
    if (!system) return;
    sn_memory *memory = system->memory;
    const size_t bones = (size_t)system->bone_count, shapes = (size_t)system->shape_count;
    sn_transform *const poses[] = {system->rest, system->from, system->to, system->before, system->now};
    for (int m = 0; system->muscles && m < system->muscle_count; m++)
        free_muscle(memory, &system->muscles[m], system->shape_count);
    sn_free(memory, system->muscles, (size_t)system->muscle_count, sizeof *system->muscles);
    for (int i = 0; i < 5; i++) sn_free(memory, poses[i], bones, sizeof(sn_transform));
    sn_free(memory, system->shapes, shapes, sizeof *system->shapes);
    sn_free(memory, system->pills, shapes, sizeof *system->pills);
    sn_free(memory, system->pairs, (size_t)system->pair_capacity, sizeof *system->pairs);
    sn_free(memory, system->pushes, (size_t)system->push_capacity, sizeof *system->pushes);
    sn_free(memory, system, 1, sizeof *system);
}

// --- making ---

// The axis in the poses at the start: straight, or by a place between.
static void lay_axis(const sn_swept_system *system, sn_swept_body *m) {
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
        m->shape.axis[i] = m->old[i] = m->carried[i] = m->rest[i];
    }
}

static void make_muscle(const sn_swept_system *system, sn_swept_body *m) {
    sn_swept_profile_make(m->def.rest, m->def.active, &m->profile); // was checked
    m->keys = m->was = (sn_swept_keys){.activation = 0, .exaggeration = 1, .eccentricity = -1};
    lay_axis(system, m);
    sn_swept_body_form(system, m);
    // 2 % of the length: a belly under tension, nearly as if it had no length of its own.
    sn_swept_chain_make(&m->chain, m->shape.axis, m->shape.radius, m->def.density * m->def.volume, (sn_real)0.02,
                        m->def.tendon);
    for (int i = 1; i + 1 < m->def.points; i++)
        m->collide[i] = m->shape.along[i] >= m->def.tendon && m->shape.along[i] <= 1 - m->def.tendon;
}

sn_status sn_swept_system_create(sn_memory *memory, const sn_log *log, const sn_swept_system_def *def,
                                 sn_swept_system **out) {
    *out = NULL;
    if (!check(log, def)) return SN_ERR_DEF;
    sn_swept_system *system = sn_alloc(memory, 1, sizeof *system);
    if (!system) return SN_ERR_MEMORY;
    system->memory = memory;
    system->bone_count = def->bone_count, system->shape_count = def->shape_count;
    system->gravity = def->gravity, system->substeps = def->substeps, system->passes = def->passes;
    system->field = sn_swept_field_for(def->lanes);
    system->part = 1;
    sn_transform **const poses[] = {&system->rest, &system->from, &system->to, &system->before, &system->now};
    bool good = true;
    for (int i = 0; i < 5; i++)
        good = (*poses[i] = copy(memory, def->poses, def->bone_count, sizeof(sn_transform))) && good;
    for (int b = 0; good && b < def->bone_count; b++)
        for (int i = 0; i < 5; i++) (*poses[i])[b].rotation = sn_q_normalize(def->poses[b].rotation);
    good = (system->shapes = copy(memory, def->bones, def->shape_count, sizeof *system->shapes)) && good;
    good = (system->pills = copy(memory, NULL, def->shape_count, sizeof *system->pills)) && good;
    good = (system->muscles = copy(memory, NULL, def->muscle_count, sizeof *system->muscles)) && good;
    if (system->muscles) system->muscle_count = def->muscle_count;
    for (int m = 0; good && m < def->muscle_count; m++) {
        system->muscles[m].def = def->muscles[m];
        good = alloc_muscle(memory, &system->muscles[m], def->shape_count);
        if (good) make_muscle(system, &system->muscles[m]);
    }
    if (!good) {
        sn_swept_system_destroy(system);
        return SN_ERR_MEMORY;
    }
    if (def->skin) sn_swept_system_set_skin(system, def->skin, def->skin_context);
    *out = system;
    return SN_OK;
}

void sn_swept_system_set_skin(sn_swept_system *system, sn_swept_distance_fn *skin, const void *const *contexts) {
    system->skin = skin;
    for (int m = 0; skin && m < system->muscle_count; m++) system->muscles[m].skin = contexts[m];
}

// --- between steps ---

int sn_swept_system_count(const sn_swept_system *system) {
    return system->muscle_count;
}

const sn_swept *sn_swept_system_muscle(const sn_swept_system *system, int muscle) {
    return muscle >= 0 && muscle < system->muscle_count ? &system->muscles[muscle].shape : NULL;
}

const sn_transform *sn_swept_system_poses(const sn_swept_system *system) {
    return system->now;
}

const sn_implicit_muscle_def *sn_swept_system_def_of(const sn_swept_system *system, int muscle) {
    return muscle >= 0 && muscle < system->muscle_count ? &system->muscles[muscle].def : NULL;
}

sn_status sn_swept_system_key(sn_swept_system *system, int muscle, sn_swept_keys keys) {
    if (muscle < 0 || muscle >= system->muscle_count) return SN_ERR_RANGE;
    if (!in_range(keys.activation, 0, 1) || !in_range(keys.exaggeration, 1e-3, 1e3)) return SN_ERR_RANGE;
    if (!in_range(keys.eccentricity, -1e30, (double)SN_SWEPT_MOST_ECCENTRICITY)) return SN_ERR_RANGE;
    // Without normals there is no direction for it to be long in.
    if (keys.eccentricity > 0 && !(sn_length2(system->muscles[muscle].def.normal[0]) > 0)) return SN_ERR_RANGE;
    system->muscles[muscle].keys = keys;
    return SN_OK;
}

sn_swept_keys sn_swept_system_keys(const sn_swept_system *system, int muscle) {
    if (muscle < 0 || muscle >= system->muscle_count) return (sn_swept_keys){0, 1, -1};
    return system->muscles[muscle].keys;
}

// Shapes a muscle between steps: by the keys that the last one ended with. Those that were set since are the next one's,
// so a muscle that was changed or read is the same as one that was not.
static void form_as_it_was(const sn_swept_system *system, sn_swept_body *m, sn_swept_keys was, bool aligned) {
    if (!aligned) was.eccentricity = -1;
    m->keys = m->was = was;
    sn_swept_body_form(system, m);
}

// The shape of a muscle that no bundle leads: of one that was read, and of one that was let go, at once and not only in
// the next step, so that a world that is saved in between goes on the same. The twist stays as it was, also if the muscle
// was changed since its shape was made.
static void form_by_itself(const sn_swept_system *system, sn_swept_body *m) {
    const sn_swept_keys keys = m->keys;
    const sn_real twist = m->shape.twist;
    m->led = false;
    form_as_it_was(system, m, m->was, true);
    m->keys = keys;
    m->shape.twist = twist;
}

// It is made as if for the first time, and then put back to where it was.
sn_status sn_swept_system_change(sn_swept_system *system, const sn_log *log, int muscle,
                                 const sn_implicit_muscle_def *def) {
    if (muscle < 0 || muscle >= system->muscle_count) return SN_ERR_RANGE;
    sn_swept_body *m = &system->muscles[muscle];
    if (def->points != m->def.points || def->bone[0] != m->def.bone[0] || def->bone[1] != m->def.bone[1])
        return SN_ERR_RANGE;
    checker c = {.log = log, .muscle = muscle, .good = true};
    check_muscle(&c, def, system->bone_count);
    if (!c.good) return SN_ERR_DEF;
    sn_vec3 axis[SN_SWEPT_MOST];
    const sn_swept_keys keys = m->keys, was = m->was;
    const sn_real twist = m->shape.twist;
    for (int i = 0; i < def->points; i++) axis[i] = m->shape.axis[i];
    const bool led = m->led; // shaped by itself until its bundle says otherwise
    m->def = *def, m->led = false;
    make_muscle(system, m);
    for (int i = 0; i < def->points; i++) m->shape.axis[i] = m->old[i] = m->carried[i] = axis[i];
    const bool aligned = sn_length2(def->normal[0]) > 0;
    m->shape.twist = twist;
    form_as_it_was(system, m, was, aligned);
    m->keys = keys;
    if (!aligned) m->keys.eccentricity = -1;
    m->led = led;
    return SN_OK;
}

sn_status sn_swept_system_lead(sn_swept_system *system, int muscle, const sn_section *sections, int count,
                               const sn_real *radii) {
    if (muscle < 0 || muscle >= system->muscle_count) return SN_ERR_RANGE;
    sn_swept_body *m = &system->muscles[muscle];
    if (count == 0) {
        if (m->led) form_by_itself(system, m);
        return SN_OK;
    }
    for (int i = 0; i < m->def.points; i++) {
        m->old[i] = m->shape.axis[i];
        m->velocity[i] = sn_v3(0, 0, 0);
    }
    const sn_status status = sn_swept_form_sections(&m->shape, sections, count, radii, 0, sn_v3(0, 0, 0));
    if (status == SN_OK) m->led = true;
    return status;
}

sn_swept_report sn_swept_system_report(const sn_swept_system *system) {
    return system->report;
}

double sn_swept_system_energy(const sn_swept_system *system) {
    double energy = 0;
    for (int k = 0; k < system->muscle_count; k++) {
        const sn_swept_body *m = &system->muscles[k];
        if (m->led) continue; // it is that of its rods
        // Of a step that is as short as can be: the stiffness that steps of any length stand for.
        const sn_swept_tune tune = sn_swept_chain_tune(&m->chain, m->def.hertz, m->def.damping, (sn_real)1e-4);
        energy += sn_swept_chain_energy(&m->chain, tune.stiffness, m->shape.axis);
        for (int i = 1; i + 1 < m->def.points; i++) {
            const double x = (double)m->velocity[i].x, y = (double)m->velocity[i].y, z = (double)m->velocity[i].z;
            energy += 0.5 * (double)m->chain.mass[i] * (x * x + y * y + z * z);
        }
    }
    return energy;
}

uint64_t sn_swept_system_hash(const sn_swept_system *system, uint64_t hash) {
    for (int b = 0; b < system->bone_count; b++) {
        hash = sn_hash_reals(hash, &system->to[b].position.x, 3);
        hash = sn_hash_reals(hash, &system->to[b].rotation.x, 4);
    }
    for (int k = 0; k < system->muscle_count; k++) {
        const sn_swept_body *m = &system->muscles[k];
        hash = sn_hash_reals(hash, &m->shape.axis[0].x, 3 * (size_t)m->def.points);
        hash = sn_hash_reals(hash, &m->velocity[0].x, 3 * (size_t)m->def.points);
        const sn_real more[4] = {m->shape.twist, m->keys.activation, m->keys.exaggeration, m->keys.eccentricity};
        hash = sn_hash_reals(hash, more, 4);
    }
    return hash;
}

void sn_swept_system_visit(sn_swept_system *system, sn_stream *stream) {
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
            if (!sn_stream_check(stream, good_pose(&system->to[b]))) return;
            system->from[b] = system->before[b] = system->now[b] = system->to[b];
        }
    }
    for (int k = 0; k < system->muscle_count; k++) {
        sn_swept_body *m = &system->muscles[k];
        int points = m->def.points;
        sn_visit_int(stream, &points);
        if (!sn_stream_check(stream, points == m->def.points)) return;
        sn_visit_reals(stream, &m->shape.axis[0].x, 3 * (size_t)points);
        sn_visit_reals(stream, &m->velocity[0].x, 3 * (size_t)points);
        sn_visit_reals(stream, &m->shape.twist, 1);
        sn_swept_keys *const both[2] = {&m->keys, &m->was};
        for (int i = 0; i < 2; i++) {
            sn_visit_reals(stream, &both[i]->activation, 1);
            sn_visit_reals(stream, &both[i]->exaggeration, 1);
            sn_visit_reals(stream, &both[i]->eccentricity, 1);
        }
        sn_visit_bool(stream, &m->led);
        if (m->led) sn_visit_reals(stream, m->shape.radius, (size_t)points); // as its bundle has shaped it
        if (stream->mode != SN_STREAM_READ || stream->bad) continue;
        const sn_swept_keys keys = m->keys, was = m->was;
        bool good = sn_finite(m->shape.twist) && sn_swept_system_key(system, k, was) == SN_OK &&
                    sn_swept_system_key(system, k, keys) == SN_OK;
        for (int i = 0; i < points; i++) good = good && sn_valid3(m->shape.axis[i]) && sn_finite3(m->velocity[i]);
        sn_real radii[SN_SWEPT_MOST];
        for (int i = 0; m->led && i < points; i++) {
            radii[i] = m->shape.radius[i];
            good = good && radii[i] >= 0 && radii[i] <= SN_SWEPT_MOST_RADIUS;
        }
        if (!sn_stream_check(stream, good)) return;
        system->part = 1;
        const sn_real twist = m->shape.twist;
        if (m->led)
            sn_swept_form_radii(&m->shape, radii, 0, NULL);
        else
            form_by_itself(system, m);
        m->shape.twist = twist;
    }
}
