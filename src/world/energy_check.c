// The balance of energy (sinew/world.h): what the world has, and the work done on it from outside. A rise without work is a
// failure that is named.
//
//     between steps    calls, activation: the difference to what the step before left
//     in a substep     kinds: loads, and held things that move (sn_kind_ops.work); couplings: forces of contacts and joints on
//                      what moves whatever it bears
#include "world/world.h"
#include <math.h>

#define TOLERANCE 1e-3 // of the scale

static double total_of(sn_energy e) {
    return e.kinetic + e.elastic + e.potential;
}

static sn_energy energy_of(const sn_world *world, int number) {
    const int row = sn_world_row_of_body(world, number), slot = number - sn_world_first_body(world, row);
    void *system = world->systems[row];
    const sn_slots *slots = sn_kinds[row]->slots(system);
    if (slot >= slots->count || !slots->at[slot].item || !sn_kinds[row]->energy) return (sn_energy){0};
    return sn_kinds[row]->energy(system, slot, world->gravity);
}

// The energy of all bodies, into 'to' by body, and their sum. One after the other: kinds may ask for memory, and the user's
// allocator need not be thread-safe.
static sn_energy measure(const sn_world *world, sn_energy *to) {
    sn_energy sum = {0};
    for (int i = 0; i < world->numbered_bodies; i++) {
        to[i] = energy_of(world, i);
        sum.kinetic += to[i].kinetic;
        sum.elastic += to[i].elastic;
        sum.potential += to[i].potential;
    }
    return sum;
}

// The same sum, added up in the same order: without a change there is no difference to the last bit.
static sn_energy measure_now(const sn_world *world) {
    sn_energy sum = {0};
    for (int k = 0; k < sn_kind_count; k++) {
        const sn_slots *slots = sn_kinds[k]->slots(world->systems[k]);
        for (int i = 0; i < slots->count && sn_kinds[k]->energy; i++) {
            if (!slots->at[i].item) continue;
            const sn_energy e = sn_kinds[k]->energy(world->systems[k], i, world->gravity);
            sum.kinetic += e.kinetic;
            sum.elastic += e.elastic;
            sum.potential += e.potential;
        }
    }
    return sum;
}

// Weight times size of all bodies; weightless ones count as if they fell at 1 m/s^2.
static double weight_times_size(const sn_world *world) {
    const double g = fmax(1, (double)sn_length(world->gravity));
    double sum = 0;
    for (int i = 0; i < sn_world_body_count(world); i++) {
        const sn_body body = sn_world_body_at(world, i);
        const double mass = sn_body_mass(world, body);
        if (!(mass > 0)) continue;
        const sn_box3 box = sn_body_bounds(world, body);
        const double size = (double)sn_length(sn_sub(box.max, box.min));
        if (size < 1e9) sum += mass * g * size;
    }
    return sum;
}

static bool reserve(sn_world *world) {
    sn_energy_check *e = &world->energy_check;
    const int count = world->numbered_bodies;
    if (count <= e->capacity) return true;
    sn_energy *now = sn_alloc(&world->memory, (size_t)count, sizeof *now);
    sn_energy *before = sn_alloc(&world->memory, (size_t)count, sizeof *before);
    if (!now || !before) {
        sn_free(&world->memory, now, (size_t)count, sizeof *now);
        sn_free(&world->memory, before, (size_t)count, sizeof *before);
        return false;
    }
    sn_energy_check_free(world);
    e->now = now, e->before = before, e->capacity = count;
    return true;
}

void sn_energy_check_free(sn_world *world) {
    sn_energy_check *e = &world->energy_check;
    sn_free(&world->memory, e->now, (size_t)e->capacity, sizeof *e->now);
    sn_free(&world->memory, e->before, (size_t)e->capacity, sizeof *e->before);
    e->now = e->before = NULL;
    e->capacity = 0;
}

void sn_energy_check_begin(sn_world *world) {
    sn_energy_check *e = &world->energy_check;
    if (!e->on || !reserve(world)) return;
    const sn_energy here = measure(world, e->before);
    e->balance.work += total_of(here) - total_of(e->energy);
    e->energy = here;
    if (e->bodies == world->numbered_bodies) return;
    e->bodies = world->numbered_bodies;
    e->scale = fmax(e->scale, weight_times_size(world));
}

// The body that gained most in the step.
static uint64_t gainer(const sn_world *world, double *gain) {
    const sn_energy_check *e = &world->energy_check;
    int best = -1;
    *gain = 0;
    for (int i = 0; i < world->numbered_bodies; i++) {
        const double gained = total_of(e->now[i]) - total_of(e->before[i]);
        if (gained > *gain || (best < 0 && !(gained <= 0))) best = i, *gain = gained;
    }
    if (best < 0) return 0;
    const int row = sn_world_row_of_body(world, best);
    return sn_body_base_at(sn_kinds[row]->slots(world->systems[row]), best - sn_world_first_body(world, row))->label;
}

void sn_energy_check_measure(sn_world *world) {
    if (world->energy_check.on) world->energy_check.energy = measure(world, world->energy_check.now);
}

bool sn_energy_check_end(sn_world *world) {
    sn_energy_check *e = &world->energy_check;
    if (!e->on) return false;
    const double total = total_of(e->energy) + e->balance.stored, own = total - e->balance.work;
    e->max = fmax(e->max, total);
    e->rise = fmax(e->rise, own - e->start);
    e->climb = fmax(e->climb, own - e->low);
    // Kinetic energy that came from nowhere is not a scale.
    const double kinetic = e->energy.kinetic - fmax(0, own - e->low);
    e->scale = fmax(fmax(e->scale, kinetic), fmax(fabs(e->balance.work), e->start - own));
    const bool rose = !(own - e->reference <= TOLERANCE * e->scale);
    e->low = fmin(e->low, own);
    e->reference = rose ? own : fmin(e->reference, own); // a further rise is another failure
    if (!rose || e->rise_time >= 0) return rose;
    double gain;
    e->rise_time = world->time;
    e->rise_label = gainer(world, &gain);
    sn_log_line(&world->log, SN_LOG_WARNING, SN_WARN_ENERGY, "",
                "energy rose without work by %g J at %g s; the body with label %llu gained %g J", own - e->low,
                world->time, (unsigned long long)e->rise_label, gain);
    return true;
}

sn_status sn_world_set_energy_check(sn_world *world, bool on) {
    const sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    sn_energy_check *e = &world->energy_check;
    sn_energy here = {0};
    if (on) {
        sn_world_number_bodies(world);
        sn_memory_clear_failure(&world->memory);
        if (reserve(world)) here = measure(world, e->now);
        if (sn_memory_failed(&world->memory)) return SN_ERR_MEMORY; // it goes on as it was
    } else {
        sn_energy_check_free(world);
    }
    *e = (sn_energy_check){
        .on = on, .rise_time = -1, .now = e->now, .before = e->before, .capacity = e->capacity, .energy = here};
    if (!on) return SN_OK;
    e->start = e->low = e->reference = e->max = total_of(e->energy);
    return SN_OK;
}

bool sn_world_energy_check(const sn_world *world) {
    return world && world->energy_check.on;
}

sn_energy_balance sn_world_energy_balance(const sn_world *world) {
    if (!sn_world_energy_check(world)) return (sn_energy_balance){.rise_time = -1};
    const sn_energy_check *e = &world->energy_check;
    sn_world_begin_read(world);
    const sn_energy now = measure_now(world);
    sn_world_end_read(world);
    return (sn_energy_balance){.kinetic = now.kinetic,
                               .elastic = now.elastic,
                               .potential = now.potential,
                               .contact = e->balance.stored,
                               .work = e->balance.work + total_of(now) - total_of(e->energy),
                               .start = e->start,
                               .max = e->max,
                               .rise = e->rise,
                               .climb = e->climb,
                               .scale = e->scale,
                               .rise_time = e->rise_time,
                               .rise_label = e->rise_label};
}
