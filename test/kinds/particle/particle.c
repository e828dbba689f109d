// The system of all particles. A substep is one step of symplectic Euler,
//
//     v += h g,   x += h v,
//
// and contacts and joints that move a point by d give it the impulse m d / h: x += d, v += d / h.
//
// Contacts know pills, so a particle is a pill of two nodes at one place: the particle itself (odd), and a smaller ball of
// infinite mass (even) that lies within it and so never touches anything first.
#include "particle.h"
#include "base/float_mode.h"
#include "base/hash.h"
#include "base/host.h"
#include "base/validate.h"
#include "geometry/contact_surface.h"
#include "geometry/proxy.h"

#define PARTICLES_MARK 0x51AE4001u
#define INNER          ((sn_real)0.5) // radius of the inner ball over that of the particle

typedef struct {
    sn_vec3 x, v;  // m, m/s
    sn_vec3 start; // at the start of the substep
} particle;

typedef struct {
    sn_body_base base;
    int count;
    sn_real radius, density, mass; // mass: of one particle
    bool diverged;                 // reset in the last step
    int first_node;                // from the kind's first
    particle *at;
} particles;

typedef struct {
    sn_memory *memory;
    sn_slots slots; // of particles
    int body_count;
    int64_t point_count;
} particle_system;

static particles *body_in(const particle_system *s, int slot) {
    return s->slots.at[slot].item;
}

static double volume_of(const particles *b) {
    const double r = (double)b->radius;
    return b->count * (4 * 3.14159265358979323846 / 3) * r * r * r;
}

// ---- bodies

static void free_body(sn_memory *memory, particles *b) {
    if (!b) return;
    sn_free(memory, b->at, (size_t)b->count, sizeof *b->at);
    sn_free(memory, b, 1, sizeof *b);
}

static particles *new_body(sn_memory *memory, int count, sn_real radius, sn_real density) {
    particles *b = sn_alloc(memory, 1, sizeof *b);
    if (!b) return NULL;
    *b = (particles){.count = count, .radius = radius, .density = density};
    b->mass = (sn_real)((double)density * volume_of(b) / count);
    b->at = sn_alloc(memory, (size_t)count, sizeof *b->at);
    if (b->at) return b;
    sn_free(memory, b, 1, sizeof *b);
    return NULL;
}

static void put_body(particle_system *s, particles *b, int slot) {
    s->slots.at[slot].item = b;
    s->body_count++;
    s->point_count += b->count;
}

static void remove_body(void *what, int slot) {
    particle_system *s = what;
    s->body_count--;
    s->point_count -= body_in(s, slot)->count;
    free_body(s->memory, body_in(s, slot));
    sn_slots_drop(&s->slots, slot);
}

static sn_status create(const sn_kind_setup *setup, void **out) {
    particle_system *s = sn_alloc(setup->memory, 1, sizeof *s);
    *out = s;
    if (!s) return SN_ERR_MEMORY;
    *s = (particle_system){.memory = setup->memory, .slots.free = -1};
    return SN_OK;
}

static void destroy(void *what) {
    particle_system *s = what;
    for (int i = 0; i < s->slots.count; i++) free_body(s->memory, body_in(s, i));
    sn_slots_free(&s->slots, s->memory);
    sn_free(s->memory, s, 1, sizeof *s);
}

static sn_slots *slots(void *what) {
    return &((particle_system *)what)->slots;
}

static int count(void *what) {
    return ((const particle_system *)what)->body_count;
}

static int64_t dofs(void *what) {
    return 3 * ((const particle_system *)what)->point_count;
}

// ---- one body

static int get_points(void *what, int slot, sn_vec3 *out, int capacity) {
    const particles *b = body_in(what, slot);
    for (int i = 0; out && i < b->count && i < capacity; i++) out[i] = b->at[i].x;
    return b->count;
}

static int get_velocities(void *what, int slot, sn_vec3 *out, int capacity) {
    const particles *b = body_in(what, slot);
    for (int i = 0; out && i < b->count && i < capacity; i++) out[i] = b->at[i].v;
    return b->count;
}

static int get_masses(void *what, int slot, sn_real *out, int capacity) {
    const particles *b = body_in(what, slot);
    for (int i = 0; out && i < b->count && i < capacity; i++) out[i] = b->mass;
    return b->count;
}

static double mass(void *what, int slot) {
    const particles *b = body_in(what, slot);
    return b->count * (double)b->mass;
}

static double volume(void *what, int slot, bool at_rest) {
    (void)at_rest;
    return volume_of(body_in(what, slot));
}

static sn_energy energy(void *what, int slot, sn_vec3 gravity) {
    const particles *b = body_in(what, slot);
    const double m = (double)b->mass;
    sn_energy sum = {0};
    for (int i = 0; i < b->count; i++) {
        const sn_vec3 x = b->at[i].x, v = b->at[i].v;
        sum.kinetic += m * ((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z) / 2;
        sum.potential -=
            m * ((double)gravity.x * (double)x.x + (double)gravity.y * (double)x.y + (double)gravity.z * (double)x.z);
    }
    return sum;
}

static sn_box3 bounds(void *what, int slot) {
    const particles *b = body_in(what, slot);
    const sn_real far = (sn_real)1e30;
    sn_box3 box = {sn_v3(far, far, far), sn_v3(-far, -far, -far)};
    for (int i = 0; i < b->count; i++) sn_box3_add(&box, b->at[i].x, b->radius);
    return box;
}

static void measure(void *what, sn_vec3 gravity, sn_totals *totals) {
    const particle_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        const particles *b = body_in(s, slot);
        if (!b) continue;
        const sn_energy of = energy(what, slot, gravity);
        totals->energy.kinetic += of.kinetic;
        totals->energy.potential += of.potential;
        for (int i = 0; i < b->count; i++) {
            const double x[3] = {(double)b->at[i].x.x, (double)b->at[i].x.y, (double)b->at[i].x.z};
            const double v[3] = {(double)b->at[i].v.x, (double)b->at[i].v.y, (double)b->at[i].v.z};
            for (int k = 0; k < 3; k++) {
                const int j = (k + 1) % 3, l = (k + 2) % 3;
                totals->momentum.linear[k] += (double)b->mass * v[k];
                totals->momentum.angular[k] += (double)b->mass * (x[j] * v[l] - x[l] * v[j]);
            }
        }
    }
}

static uint64_t hash(void *what, uint64_t hash) {
    const particle_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        const particles *b = body_in(s, slot);
        hash = sn_hash_u64(hash, ((uint64_t)s->slots.at[slot].gen << 32) | (uint64_t)(b ? b->count : 0));
        for (int i = 0; b && i < b->count; i++) {
            const sn_vec3 x = b->at[i].x, v = b->at[i].v;
            hash = sn_hash_reals(hash, (const sn_real[6]){x.x, x.y, x.z, v.x, v.y, v.z}, 6);
        }
    }
    return hash;
}

// ---- stages

static void stop(particles *b) {
    for (int i = 0; i < b->count; i++) b->at[i].v = sn_v3(0, 0, 0);
}

static void visit_state(void *what, sn_stream *stream) {
    const particle_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        particles *b = body_in(s, i);
        if (!b) continue;
        sn_visit_bytes(stream, b->at, (size_t)b->count * sizeof *b->at);
        sn_visit_bytes(stream, &b->base.sleep, sizeof b->base.sleep);
        sn_visit_bytes(stream, &b->diverged, sizeof b->diverged);
    }
}

static void begin(void *what) {
    const particle_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        particles *b = body_in(s, slot);
        if (!b) continue;
        b->diverged = false;
        if (b->base.sleep.asleep && b->base.sleep.still > 0) { // its first step asleep
            b->base.sleep.still = 0;
            stop(b);
        }
    }
}

static void predict(void *what, const sn_stage *stage) {
    const particle_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        particles *b = body_in(s, slot);
        if (!b || b->base.sleep.asleep) continue;
        for (int i = 0; i < b->count; i++) {
            particle *p = &b->at[i];
            p->start = p->x;
            p->v = sn_mul_add(p->v, stage->h, stage->gravity);
            p->x = sn_mul_add(p->x, stage->h, p->v);
        }
    }
}

static void solve(void *what, const sn_stage *stage) {
    (void)what, (void)stage; // nothing elastic
}

static void finish(void *what, const sn_stage *stage) {
    (void)stage;
    const particle_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        particles *b = body_in(s, slot);
        if (!b || b->base.sleep.asleep) continue;
        bool fine = true;
        for (int i = 0; i < b->count && fine; i++) fine = sn_valid3(b->at[i].x) && sn_has_length(b->at[i].v);
        if (fine) continue;
        for (int i = 0; i < b->count; i++) b->at[i].x = b->at[i].start;
        stop(b);
        b->diverged = true;
    }
}

static bool has_diverged(const void *item, uint64_t *label) {
    const particles *b = item;
    *label = b->base.label;
    return b->diverged;
}

static int diverged(void *what, uint64_t *labels, int capacity) {
    return sn_slots_count_if(slots(what), has_diverged, labels, capacity);
}

static void end(void *what, sn_profile *profile) {
    profile->diverged += diverged(what, NULL, 0);
}

static void normalised_speeds(void *what, sn_real gravity, sn_real *out) {
    const particle_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        const particles *b = body_in(s, slot);
        out[slot] = 0;
        if (!b || b->base.sleep.asleep) continue;
        sn_real sum = 0;
        for (int i = 0; i < b->count; i++) sum += sn_length2(b->at[i].v);
        out[slot] = gravity > 0 ? sn_sqrt(sum / (gravity * b->radius * (sn_real)b->count)) : 1;
    }
}

// ---- contacts and joints

static int count_nodes(void *what, int *colliding) {
    const particle_system *s = what;
    int nodes = 0;
    *colliding = 0;
    for (int slot = 0; slot < s->slots.count; slot++) {
        particles *b = body_in(s, slot);
        if (!b) continue;
        b->first_node = nodes, nodes += 2 * b->count;
        *colliding += b->base.contact.collide ? 1 + b->base.contact.self_collide : 0;
    }
    return nodes;
}

static void write_body(const particles *b, const sn_proxy_writer *writer, int number) {
    const bool asleep = b->base.sleep.asleep;
    for (int k = 0; k < 2 * b->count; k++) {
        const bool whole = k % 2 == 1;
        const particle *p = &b->at[k / 2];
        const int at = writer->first + b->first_node + k;
        sn_node *node = &writer->proxies->nodes[at];
        *node = (sn_node){.c = p->x, .s = 1, .c0 = p->x, .s0 = 1, .radius = whole ? b->radius : INNER * b->radius};
        node->w = whole && !asleep ? 1 / b->mass : 0;
        writer->proxies->pills[at] = (sn_node_pill){
            .a = whole ? at - 1 : -1, .b = whole ? at : -1, .body = number, .surface = number, .axis = {0, 0, 1}};
        const sn_real margin = (sn_real)0.05 * b->radius;
        writer->reach[at] = asleep ? margin : margin + sn_length(p->v) * writer->dt + writer->fall;
        if (!asleep) writer->displacement[at] = sn_mul(writer->dt, p->v);
    }
}

static void write_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool) {
    (void)pool;
    const particle_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        const particles *b = body_in(s, slot);
        const int number = writer->first_body + slot;
        writer->settings[number] = b ? b->base.contact : (sn_contact_settings){0};
        writer->settings[number].asleep = !b || b->base.sleep.asleep;
        if (b) write_body(b, writer, number);
    }
}

static void update_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool start) {
    (void)pool;
    const particle_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        const particles *b = body_in(s, slot);
        if (!b || b->base.sleep.asleep) continue;
        sn_node *nodes = writer->proxies->nodes + writer->first + b->first_node;
        for (int k = 0; k < 2 * b->count; k++) {
            nodes[k].c = b->at[k / 2].x;
            if (start) nodes[k].c0 = b->at[k / 2].start;
        }
    }
}

static void apply(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool shift) {
    (void)pool;
    const particle_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        const particles *b = body_in(s, slot);
        const int offset = writer->shift[writer->first_body + slot];
        if (!b || b->base.sleep.asleep || offset == INT32_MIN) continue;
        for (int i = 0; i < b->count; i++) {
            const sn_real *moved = writer->moved + 4 * (size_t)(writer->first + b->first_node + 2 * i + 1 + offset);
            const sn_vec3 d = sn_v3(moved[0], moved[1], moved[2]);
            particle *p = &b->at[i];
            p->x = sn_add(p->x, d);
            if (!shift)
                p->v = sn_mul_add(p->v, 1 / writer->h, d);
            else if (sn_finite3(sn_add(p->start, d))) // the start remains a state to go back to
                p->start = sn_add(p->start, d);
        }
    }
}

static bool self_collides(void *what, int slot, int a, int b) {
    (void)what, (void)slot, (void)a, (void)b;
    return true;
}

static int check_attachment(void *what, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                            const sn_log *log) {
    return sn_point_attachment_errors(body_in(what, slot)->count, at, fields, log);
}

static bool attachment_pill(void *what, int slot, const sn_attachment *at, sn_attachment_pill *out) {
    const particles *b = body_in(what, slot);
    if (at->point < 0 || at->point >= b->count) return false;
    *out = (sn_attachment_pill){.pill = b->first_node + 2 * at->point + 1, .along = 1, .is_point = true};
    return true;
}

static sn_attachment_state attachment_state(void *what, int slot, const sn_attachment *at, bool start) {
    const particle *p = &body_in(what, slot)->at[at->point];
    return (sn_attachment_state){start ? p->start : p->x, sn_q_identity()};
}

// ---- saving

static int errors(const sn_log *log, int point_count, sn_real radius, sn_real density, const sn_surface *surface) {
    int n = sn_surface_errors(log, surface);
    if (point_count < 1 || point_count > 10000000) n += sn_def_error(log, "point_count", "must be from 1 to 10000000");
    if (!(radius >= (sn_real)1e-6 && radius <= (sn_real)1e6))
        n += sn_def_error(log, "radius", "must be from 1e-6 to 1e6 m");
    if (!(density >= (sn_real)1e-3 && density <= (sn_real)1e6))
        n += sn_def_error(log, "density", "must be from 1e-3 to 1e6 kg/m^3");
    return n;
}

static void visit_body(particle_system *s, sn_stream *stream, int slot) {
    static const sn_log silent = {0};
    const bool reads = stream->mode == SN_STREAM_READ;
    particles *b = reads ? NULL : body_in(s, slot), head = b ? *b : (particles){0};
    sn_surface *surface = &head.base.contact.surface;
    sn_real *numbers[] = {
        &head.radius,          &head.density,        &surface->friction_static, &surface->friction_dynamic,
        &surface->restitution, &surface->compliance, &head.base.sleep.still};
    sn_visit_int(stream, &head.count);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) sn_visit_reals(stream, numbers[k], 1);
    sn_visit_u32(stream, &surface->group);
    sn_visit_u32(stream, &surface->mask);
    sn_visit_u64(stream, &head.base.label);
    sn_visit_bool(stream, &head.base.contact.collide);
    sn_visit_bool(stream, &head.base.contact.self_collide);
    sn_visit_bool(stream, &head.base.sleep.asleep);
    if (reads) {
        const bool fine = errors(&silent, head.count, head.radius, head.density, surface) == 0 &&
                          sn_stream_holds(stream, (size_t)head.count, 6 * sizeof(sn_real));
        if (!sn_stream_check(stream, fine && head.base.sleep.still >= 0)) return;
        b = new_body(s->memory, head.count, head.radius, head.density);
        if (!sn_stream_need(stream, b != NULL)) return;
        b->base = head.base;
        put_body(s, b, slot);
    }
    for (int i = 0; i < b->count; i++) {
        sn_visit_reals(stream, &b->at[i].x.x, 3);
        sn_visit_reals(stream, &b->at[i].v.x, 3);
        if (reads) sn_stream_check(stream, sn_valid3(b->at[i].x) && sn_has_length(b->at[i].v));
        if (reads) b->at[i].start = b->at[i].x;
    }
}

static void save(void *what, sn_stream *stream) {
    particle_system *s = what;
    if (!sn_slots_visit(&s->slots, s->memory, stream)) return;
    for (int i = 0; i < s->slots.count && !stream->bad; i++)
        if (sn_slots_visit_one(&s->slots, i, stream)) visit_body(s, stream, i);
    sn_slots_check_list(&s->slots, stream);
}

const sn_kind_ops sn_particle_kind = {
    .id = SN_KIND_PARTICLE,
    .name = "particle",
    .create = create,
    .destroy = destroy,
    .slots = slots,
    .count = count,
    .dofs = dofs,
    .measure = measure,
    .hash = hash,
    .save = save,
    .visit_state = visit_state,
    .remove = remove_body,
    .get_points = get_points,
    .get_velocities = get_velocities,
    .get_masses = get_masses,
    .mass = mass,
    .volume = volume,
    .energy = energy,
    .bounds = bounds,
    .begin = begin,
    .predict = predict,
    .solve = solve,
    .finish = finish,
    .end = end,
    .diverged = diverged,
    .normalised_speeds = normalised_speeds,
    .count_nodes = count_nodes,
    .write_proxies = write_proxies,
    .update_proxies = update_proxies,
    .apply = apply,
    .self_collides = self_collides,
    .check_attachment = check_attachment,
    .attachment_pill = attachment_pill,
    .attachment_state = attachment_state,
};

// ---- the calls of the kind

sn_particles_def sn_particles_def_default(void) {
    return (sn_particles_def){.radius = (sn_real)0.01,
                              .density = 1000,
                              .surface = sn_surface_default(),
                              .collide = true,
                              .self_collide = true,
                              .init_mark = PARTICLES_MARK};
}

static sn_status check(const sn_log *log, const sn_particles_def *d) {
    int n = errors(log, d->point_count, d->radius, d->density, &d->surface);
    if (!d->points) n += sn_def_error(log, "points", "must not be null");
    for (int i = 0; n == 0 && i < d->point_count; i++) {
        if (!sn_valid3(d->points[i])) n += sn_def_error(log, "points", "must be finite numbers");
        if (d->velocities && !sn_has_length(d->velocities[i]))
            n += sn_def_error(log, "velocities", "must be finite numbers");
    }
    return n == 0 ? SN_OK : SN_ERR_DEF;
}

sn_status sn_particles_create(sn_world *world, const sn_particles_def *def, sn_body *out) {
    if (out) *out = (sn_body){0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    if (def->init_mark != PARTICLES_MARK) return sn_def_unmarked(sn_world_log(world), "sn_particles_def_default");
    const sn_status status = check(sn_world_log(world), def);
    if (status != SN_OK) return status;
    particle_system *s = sn_world_system(world, SN_KIND_PARTICLE);
    const sn_float_mode callers = sn_float_mode_enter();
    particles *b = new_body(s->memory, def->point_count, def->radius, def->density);
    sn_float_mode_leave(callers);
    const int slot = b ? sn_slots_next(&s->slots, s->memory) : -1;
    if (slot < 0) {
        free_body(s->memory, b);
        return SN_ERR_MEMORY;
    }
    b->base.label = def->label;
    b->base.contact =
        (sn_contact_settings){.surface = def->surface, .collide = def->collide, .self_collide = def->self_collide};
    for (int i = 0; i < b->count; i++) {
        const sn_vec3 v = def->velocities ? def->velocities[i] : sn_v3(0, 0, 0);
        b->at[i] = (particle){.x = def->points[i], .v = v, .start = def->points[i]};
    }
    sn_slots_acquire(&s->slots, slot);
    put_body(s, b, slot);
    *out = (sn_body){SN_KIND_PARTICLE, (uint32_t)slot + 1, s->slots.at[slot].gen};
    return SN_OK;
}

sn_real sn_particles_radius(const sn_world *world, sn_body body) {
    const particles *b = sn_body_find(world, body, SN_KIND_PARTICLE);
    return b ? b->radius : 0;
}

sn_status sn_particles_add_impulse(sn_world *world, sn_body body, int point, sn_vec3 impulse) {
    void *found;
    const sn_status status = sn_body_edit(world, body, SN_KIND_PARTICLE, &found);
    if (status != SN_OK) return status;
    particles *b = found;
    if (point < 0 || point >= b->count) return SN_ERR_RANGE;
    const sn_vec3 v = sn_mul_add(b->at[point].v, 1 / b->mass, impulse);
    if (!sn_has_length(v)) return SN_ERR_RANGE;
    b->at[point].v = v;
    return SN_OK;
}
