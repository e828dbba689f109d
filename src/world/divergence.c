// Divergence, judged by what a body has: an island of bodies that ends a step with far more energy than it started with, and than
// was done on it from outside, has not moved but failed. It is put back to where the step started, at rest, and named.
//
//     after < before + 4 scale + 10 |work| + separated + closed
//     scale     kinetic and elastic energy before, and weight times size
//     work      of loads, drivers, joints and what they move, as the balance of energy has it (energy_check.c): a third of it where a
//               rod's point is moved by the rod's length at once
//     separated what overlaps may come apart by within a substep: 1/2 m (4 r / h)^2
//     closed    what it takes to close the joints that are open when the step starts, 1e4 n^2 times for n substeps: as the first linear
//               model of the solve has it, in which what is led does the n-th part of its way; nothing for what swells
//
// To know energies and work costs as much as part of the step, so bodies are suspected first: by a kinetic energy of more than 4
// times that before, at a speed far above sqrt(g r); by twice their size; or by coordinates that are no numbers any more. In an ordinary world that is rare. Then the step is put back and taken
// again, bit for bit the same, with energies and work measured; the islands that fail are put to sleep, and the others take it
// without them, and are judged again. Nothing of this is kept from step to step: a world that is saved and restored judges alike.
//
// Growth by less than that in a step is left to the balance of energy: tools keep it, and a run in which it rises fails.
#include "world/divergence.h"
#include "base/union_find.h"
#include "world/world.h"
#include <math.h>

#define FAST       ((sn_real)20) // normalised speed, below which nothing is suspected
#define FASTER     ((sn_real)2)  // so much faster than before
#define LARGER     2.0           // than before
#define LIMIT      4.0           // of the scale
#define WORK       10.0          // of the work
#define SEPARATION 4.0           // radii in a substep, of what comes apart
#define CLOSED     1e4           // of what it takes to close joints: to bend a thin rod is easier than to stretch it
#define SWOLLEN    100.0         // of the volume at rest: no joint does that

void sn_divergence_free(sn_world *world) {
    sn_divergence *d = &world->divergence;
    const size_t n = (size_t)d->capacity;
    sn_free(&world->memory, d->speed_before, n, sizeof *d->speed_before);
    sn_free(&world->memory, d->speed, n, sizeof *d->speed);
    sn_free(&world->memory, d->is_suspect, n, sizeof *d->is_suspect);
    sn_free(&world->memory, d->is_pressed, n, sizeof *d->is_pressed);
    sn_free(&world->memory, d->is_frozen, n, sizeof *d->is_frozen);
    sn_free(&world->memory, d->up, n, sizeof *d->up);
    sn_free(&world->memory, d->before, n, sizeof *d->before);
    sn_free(&world->memory, d->gain, n, sizeof *d->gain);
    sn_free(&world->memory, d->scale, n, sizeof *d->scale);
    sn_free(&world->memory, d->size_before, n, sizeof *d->size_before);
    sn_free(&world->memory, d->still, n, sizeof *d->still);
    sn_free(&world->memory, d->mass, n, sizeof *d->mass);
    sn_free(&world->memory, d->swelling, n, sizeof *d->swelling);
    sn_free(&world->memory, d->labels, n, sizeof *d->labels);
    *d = (sn_divergence){0};
}

bool sn_divergence_reserve(sn_world *world) {
    sn_divergence *d = &world->divergence;
    if (world->numbered_bodies <= d->capacity) return true;
    sn_divergence_free(world);
    const int capacity = world->numbered_bodies + world->numbered_bodies / 2;
    const size_t n = (size_t)capacity;
    d->capacity = capacity;
    d->speed_before = sn_alloc(&world->memory, n, sizeof *d->speed_before);
    d->speed = sn_alloc(&world->memory, n, sizeof *d->speed);
    d->is_suspect = sn_alloc(&world->memory, n, sizeof *d->is_suspect);
    d->is_pressed = sn_alloc(&world->memory, n, sizeof *d->is_pressed);
    d->is_frozen = sn_alloc(&world->memory, n, sizeof *d->is_frozen);
    d->up = sn_alloc(&world->memory, n, sizeof *d->up);
    d->before = sn_alloc(&world->memory, n, sizeof *d->before);
    d->gain = sn_alloc(&world->memory, n, sizeof *d->gain);
    d->scale = sn_alloc(&world->memory, n, sizeof *d->scale);
    d->size_before = sn_alloc(&world->memory, n, sizeof *d->size_before);
    d->still = sn_alloc(&world->memory, n, sizeof *d->still);
    d->mass = sn_alloc(&world->memory, n, sizeof *d->mass);
    d->swelling = sn_alloc(&world->memory, n, sizeof *d->swelling);
    d->labels = sn_alloc(&world->memory, n, sizeof *d->labels);
    if (!sn_memory_failed(&world->memory)) return true;
    sn_divergence_free(world);
    return false;
}

// Weightless worlds are judged as if bodies fell at 1 m/s^2.
static sn_real gravity_of(const sn_world *world) {
    return sn_max(1, sn_length(world->gravity));
}

static void measure_speeds(const sn_world *world, sn_real *out) {
    for (int i = 0; i < world->numbered_bodies; i++) out[i] = 0;
    for (int k = 0; k < sn_kind_count; k++)
        if (sn_kinds[k]->normalised_speeds)
            sn_kinds[k]->normalised_speeds(world->systems[k], gravity_of(world), out + world->first_body[k]);
}

// What is asked of a body, by its number.
typedef struct {
    const sn_kind_ops *kind;
    void *system;
    int slot;
    sn_body_base *base; // null: a free slot
} body_at;

static body_at find_body(const sn_world *world, int number) {
    const int row = sn_world_row_of_body(world, number), slot = number - sn_world_first_body(world, row);
    sn_slots *slots = sn_kinds[row]->slots(world->systems[row]);
    return (body_at){sn_kinds[row], world->systems[row], slot,
                     slot < slots->count ? sn_body_base_at(slots, slot) : NULL};
}

static double size_of(const body_at *body) {
    if (!body->base || !body->kind->bounds) return 0;
    const sn_box3 box = body->kind->bounds(body->system, body->slot);
    return (double)sn_length(sn_sub(box.max, box.min));
}

void sn_divergence_begin(sn_world *world) {
    sn_divergence *d = &world->divergence;
    d->frozen = 0;
    d->is_judging = d->is_said = false;
    measure_speeds(world, d->speed_before);
    for (int i = 0; i < world->numbered_bodies; i++) {
        d->is_frozen[i] = false;
        const body_at body = find_body(world, i);
        d->size_before[i] = size_of(&body);
    }
}

bool sn_divergence_suspects(sn_world *world) {
    sn_divergence *d = &world->divergence;
    const bool all = world->profile.diverged > 0; // back at a substep's start, which may be as bad
    bool any = all;
    measure_speeds(world, d->speed);
    for (int i = 0; i < world->numbered_bodies; i++) {
        const body_at body = find_body(world, i);
        const bool faster = !(d->speed[i] <= FAST || d->speed[i] <= FASTER * d->speed_before[i]);
        d->is_suspect[i] = all || faster || !(size_of(&body) <= LARGER * d->size_before[i]);
        any = any || d->is_suspect[i];
    }
    return any;
}

// ---- energies

static sn_energy energy_of(const sn_world *world, const body_at *body) {
    return body->base && body->kind->energy ? body->kind->energy(body->system, body->slot, world->gravity)
                                            : (sn_energy){0};
}

static double mass_of(const body_at *body) {
    return body->base && body->kind->mass ? body->kind->mass(body->system, body->slot) : 0;
}

void sn_divergence_measure(sn_world *world) {
    sn_divergence *d = &world->divergence;
    for (int i = 0; i < world->numbered_bodies; i++) {
        const body_at body = find_body(world, i);
        const sn_energy e = energy_of(world, &body);
        const double mass = d->mass[i] = mass_of(&body);
        d->before[i] = e.kinetic + e.elastic + e.potential;
        d->scale[i] = e.kinetic + fabs(e.elastic);
        if (mass > 0) d->scale[i] += mass * (double)gravity_of(world) * size_of(&body);
        d->up[i] = i, d->is_pressed[i] = false;
    }
    d->is_judging = true;
}

// Bodies that pressed on each other in any substep share their energy.
void sn_divergence_join(sn_world *world) {
    sn_divergence *d = &world->divergence;
    sn_islands islands = {.body_count = world->numbered_bodies,
                          .up = d->up,
                          .pressed = d->is_pressed,
                          .speed = d->still, // 0: nobody wakes here
                          .still_speed = 1};
    for (int c = 0; d->is_judging && c < sn_coupling_count; c++)
        if (sn_couplings[c]->join_islands) sn_couplings[c]->join_islands(world->couplings[c], &islands);
}

// What a body that presses on something may gain by coming apart from it. Its mean radius follows from its normalised speed,
// v / sqrt(g r).
static double separation_of(const sn_world *world, const body_at *body, int number, double kinetic, sn_real h) {
    const double mass = world->divergence.mass[number], s = (double)world->divergence.speed[number];
    if (!(mass > 0 && s > 0)) return 0;
    const double radius = fmin(2 * kinetic / (mass * s * s * (double)gravity_of(world)), size_of(body));
    const double speed = SEPARATION * radius / (double)h;
    return 0.5 * mass * speed * speed;
}

static double swelling_of(const body_at *body) {
    if (!body->base || !body->kind->volume) return 0;
    const double rest = body->kind->volume(body->system, body->slot, true);
    return rest > 0 ? fabs(body->kind->volume(body->system, body->slot, false)) / rest : 0;
}

bool sn_divergence_judge(sn_world *world, const sn_work_balance *balance, const sn_stage *stage) {
    sn_divergence *d = &world->divergence;
    const int bodies = world->numbered_bodies;
    const double closed = CLOSED * (double)(stage->substeps * stage->substeps) * balance->closing;
    d->is_judging = false;
    for (int i = 0; i < bodies; i++) {
        const body_at body = find_body(world, i);
        const sn_energy e = energy_of(world, &body);
        d->gain[i] = e.kinetic + e.elastic + e.potential - d->before[i];
        d->swelling[i] = swelling_of(&body);
        if (d->is_pressed[i]) d->scale[i] += separation_of(world, &body, i, e.kinetic, stage->h) / LIMIT;
    }
    for (int i = 0; i < bodies; i++) { // islands gather in their roots
        const int root = sn_find_root(d->up, i);
        if (root == i) continue;
        d->gain[root] += d->gain[i], d->scale[root] += d->scale[i], d->mass[root] += d->mass[i];
        d->swelling[root] = fmax(d->swelling[root], d->swelling[i]);
    }
    bool *judged = d->is_pressed; // by root
    for (int i = 0; i < bodies; i++) judged[i] = false;
    for (int i = 0; i < bodies; i++)
        if (d->is_suspect[i]) judged[sn_find_root(d->up, i)] = true;
    bool any = false;
    for (int i = 0; i < bodies; i++) {
        const int root = sn_find_root(d->up, i);
        if (d->is_frozen[i] || !judged[root]) continue;
        const double pulled = d->swelling[root] < SWOLLEN ? closed : 0;
        d->is_frozen[i] = !(d->gain[root] <= LIMIT * d->scale[root] + WORK * fabs(balance->work) + pulled);
        any = any || d->is_frozen[i];
    }
    return any;
}

// ---- putting back

void sn_divergence_freeze(sn_world *world, bool all) {
    sn_divergence *d = &world->divergence;
    d->frozen = 0;
    for (int i = 0; i < world->numbered_bodies; i++) {
        const body_at body = find_body(world, i);
        const bool sleeps = body.base && body.base->sleep.asleep && !d->is_frozen[i];
        d->is_frozen[i] = body.base && !sleeps && mass_of(&body) > 0 && (d->is_frozen[i] || all);
        if (!d->is_frozen[i]) continue;
        d->labels[d->frozen++] = body.base->label;
        body.base->sleep = (sn_sleep_state){true, 1}; // one that falls asleep is stopped
        if (d->is_said) continue;
        d->is_said = true;
        sn_log_line(
            &world->log, SN_LOG_WARNING, SN_WARN_DIVERGED, "",
            "the body with label %llu gained energy from nowhere at %g s, %g J with what it touches, and was put back",
            (unsigned long long)body.base->label, world->time, d->gain[sn_find_root(d->up, i)]);
    }
}

void sn_divergence_thaw(sn_world *world) {
    sn_divergence *d = &world->divergence;
    for (int i = 0; i < world->numbered_bodies; i++) {
        if (!d->is_frozen[i]) continue;
        *sn_world_sleep_state(world, i) = (sn_sleep_state){false, 0};
        if (world->profile.asleep > 0) world->profile.asleep--; // nobody is counted in a world that never sleeps
    }
    world->profile.diverged += d->frozen;
}
