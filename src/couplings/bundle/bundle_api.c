// The public calls on bundles.
#include "base/float_mode.h"
#include "base/host.h"
#include "couplings/bundle/bundle.h"
#include "geometry/collider.h"
#include <stdio.h>

#define BUNDLE_MARK 0x51AE0402u

sn_bundle_def sn_bundle_def_default(void) {
    return (sn_bundle_def){.kind = SN_BUNDLE_SOFT,
                           .shortest = (sn_real)0.7,
                           .stress = (sn_real)3e5,
                           .to = 1,
                           .optimal = 1,
                           .max_speed = 10,
                           .rise = (sn_real)0.012,
                           .fall = (sn_real)0.045,
                           .init_mark = BUNDLE_MARK};
}

// Whether the points of two rods have the same parents.
static bool hangs_together_like(const sn_rod_body *a, const sn_rod_body *b) {
    if (!b || a->points != b->points) return true; // said elsewhere
    const sn_bundle_body pair = {.rods = (sn_rod_body *[]){(sn_rod_body *)(uintptr_t)a, (sn_rod_body *)(uintptr_t)b}};
    for (int k = 0; k < a->points; k++)
        if (sn_bundle_section_before(&pair, 0, k) != sn_bundle_section_before(&pair, 1, k)) return false;
    return true;
}

static int bad_rods(const sn_world *world, const sn_bundle_def *d) {
    int count = 0, points = 0;
    for (int i = 0; i < d->rod_count && count < 20; i++) {
        const sn_rod_body *rod = sn_rod_find(sn_rods(world), d->rods[i]);
        char field[32];
        snprintf(field, sizeof field, "rods[%d]", i);
        if (!rod) {
            count += sn_def_error(sn_world_log(world), field, "no such rod");
            continue;
        }
        points = points ? points : rod->points;
        if (rod->points != points)
            count += sn_def_error(sn_world_log(world), field, "must have as many points as the first");
        if (rod->points == points && !hangs_together_like(rod, sn_rod_find(sn_rods(world), d->rods[0])))
            count += sn_def_error(sn_world_log(world), field, "must have the same parents of its points as the first");
        bool again = rod->base.contact.family != 0;
        for (int k = 0; k < i; k++)
            again = again || (d->rods[k].slot1 == d->rods[i].slot1 && d->rods[k].gen == d->rods[i].gen);
        if (again) count += sn_def_error(sn_world_log(world), field, "is in a bundle already");
    }
    return count;
}

// The geometry of a rigid body; null: there is no such body.
static const sn_collider *collider_of(const sn_world *world, sn_body body) {
    int row;
    const int slot = sn_body_slot(world, body, &row);
    return slot >= 0 && sn_kinds[row]->collider ? sn_kinds[row]->collider(sn_world_row_system(world, row), slot) : NULL;
}

static int bad_fields(const sn_world *world, const sn_bundle_def *d) {
    const sn_log *log = sn_world_log(world);
    int count = sn_bundle_errors(log, d);
    if (d->bone_first.slot1 && !collider_of(world, d->bone_first))
        count += sn_def_error(log, "bone_first", "no such static or kinematic rigid body");
    if (d->bone_last.slot1 && !collider_of(world, d->bone_last))
        count += sn_def_error(log, "bone_last", "no such static or kinematic rigid body");
    if (!d->rods || d->rod_count < 1) return count + sn_def_error(log, "rods", "a bundle needs at least 1 rod");
    return count + bad_rods(world, d);
}

sn_status sn_bundle_create(sn_world *world, const sn_bundle_def *def, sn_bundle *out) {
    if (out) *out = (sn_bundle){0, 0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    if (def->init_mark != BUNDLE_MARK) return sn_def_unmarked(sn_world_log(world), "sn_bundle_def_default");
    if (bad_fields(world, def)) return SN_ERR_DEF;
    const int number = sn_bundle_add(sn_world_bundles(world), sn_rods(world), def);
    if (number < 0) return SN_ERR_MEMORY;
    *out = (sn_bundle){(uint32_t)number + 1, sn_world_bundles(world)->items[number].gen};
    return SN_OK;
}

sn_bundle_body *sn_bundle_find(const sn_world *world, sn_bundle id) {
    if (!world || id.slot1 == 0 || id.slot1 > (uint32_t)sn_world_bundles(world)->count) return NULL;
    sn_bundle_body *b = &sn_world_bundles(world)->items[id.slot1 - 1];
    return b->alive && b->gen == id.gen ? b : NULL;
}

sn_status sn_bundle_destroy(sn_world *world, sn_bundle id) {
    if (!world) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    if (!sn_bundle_find(world, id)) return SN_ERR_STALE_ID;
    sn_bundle_remove(sn_world_bundles(world), sn_rods(world), (int)id.slot1 - 1);
    sn_world_wake_all(world);
    return SN_OK;
}

bool sn_bundle_exists(const sn_world *world, sn_bundle id) {
    return sn_bundle_find(world, id) != NULL;
}

int sn_world_bundle_count(const sn_world *world) {
    return world ? sn_world_bundles(world)->alive : 0;
}

sn_bundle sn_world_bundle_at(const sn_world *world, int i) {
    for (int k = 0; world && i >= 0 && k < sn_world_bundles(world)->count; k++)
        if (sn_world_bundles(world)->items[k].alive && i-- == 0)
            return (sn_bundle){(uint32_t)k + 1, sn_world_bundles(world)->items[k].gen};
    return (sn_bundle){0, 0};
}

uint64_t sn_bundle_label(const sn_world *world, sn_bundle id) {
    const sn_bundle_body *b = sn_bundle_find(world, id);
    return b ? b->def.label : 0;
}

void *sn_bundle_user(const sn_world *world, sn_bundle id) {
    const sn_bundle_body *b = sn_bundle_find(world, id);
    return b ? b->user : NULL;
}

sn_status sn_bundle_set_user(sn_world *world, sn_bundle id, void *user) {
    const sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    sn_bundle_body *b = sn_bundle_find(world, id);
    if (!b) return SN_ERR_STALE_ID;
    b->user = user;
    return SN_OK;
}

sn_status sn_bundle_set_activation(sn_world *world, sn_bundle id, sn_real activation) {
    if (!world || !sn_between(activation, 0, 1)) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    sn_bundle_body *b = sn_bundle_find(world, id);
    if (!b) return SN_ERR_STALE_ID;
    if (b->activation == activation) return SN_OK;
    b->activation = activation;
    sn_float_mode callers = sn_float_mode_enter();
    sn_bundle_activate(b, sn_rods(world));
    sn_float_mode_leave(callers);
    return SN_OK;
}

sn_real sn_bundle_activation(const sn_world *world, sn_bundle id) {
    const sn_bundle_body *b = sn_bundle_find(world, id);
    return b ? b->activation : 0;
}

sn_status sn_bundle_get_state(const sn_world *world, sn_bundle id, sn_muscle_state *out) {
    if (!world || !out) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    const sn_bundle_body *b = sn_bundle_find(world, id);
    if (!b) return SN_ERR_STALE_ID;
    const sn_float_mode callers = sn_float_mode_enter();
    const bool found = sn_bundle_muscle_state(b, sn_rods(world), out);
    sn_float_mode_leave(callers);
    return found ? SN_OK : SN_ERR_STALE_ID;
}

// ---- sections

void sn_bundle_work_free(sn_memory *memory, sn_bundle_work *work) {
    const size_t rods = (size_t)work->rod_count, sections = (size_t)work->sections;
    sn_free(memory, work->rods, rods, sizeof *work->rods);
    sn_free(memory, work->points, rods * sections, sizeof *work->points);
    sn_free(memory, work->fits, sections, sizeof *work->fits);
    *work = (sn_bundle_work){0};
}

bool sn_bundle_work_create(sn_memory *memory, const sn_bundle_body *b, sn_bundle_work *out) {
    const size_t rods = (size_t)b->def.rod_count, sections = (size_t)b->sections;
    *out = (sn_bundle_work){.rod_count = b->def.rod_count, .sections = b->sections};
    out->rods = sn_alloc(memory, rods, sizeof(sn_rod_body *));
    out->points = sn_alloc(memory, rods * sections, sizeof *out->points);
    out->fits = sn_alloc(memory, sections, sizeof *out->fits);
    if (out->rods && out->points && out->fits) return true;
    sn_bundle_work_free(memory, out);
    return false;
}

void sn_bundle_fit_all(const sn_world *world, const sn_bundle_body *b, const sn_bundle_work *work) {
    sn_bundle_body reader = *b;
    if (work) reader.rods = work->rods, reader.points = work->points, reader.fits = work->fits;
    sn_bundle_find_rods(&reader, sn_rods(world));
    for (int k = 0; k < b->sections; k++) sn_bundle_fit(&reader, sn_rods(world), k, SN_FIT_NOW);
}

int sn_bundle_sections(const sn_world *world, const sn_bundle_body *b, const sn_bundle_work *work, sn_section *out,
                       int capacity) {
    sn_bundle_fit_all(world, b, work);
    for (int k = 0; out && k < b->sections && k < capacity; k++) {
        const sn_section_pose *f = work ? &work->fits[k] : &b->fits[k];
        double axes[4], stretch[2];
        sn_section_axes(&b->planes[k], f->across, axes, stretch);
        out[k] = (sn_section){
            .rest = {(sn_real)f->rest[0], (sn_real)f->rest[1], (sn_real)f->rest[2]},
            .centre = {(sn_real)f->centre[0], (sn_real)f->centre[1], (sn_real)f->centre[2]},
            .rotation = {(sn_real)f->rotation[0], (sn_real)f->rotation[1], (sn_real)f->rotation[2],
                         (sn_real)f->rotation[3]},
            .scale = (sn_real)f->scale,
            .wide = (sn_real)stretch[0],
            .axes = {(sn_real)axes[0], (sn_real)axes[1], (sn_real)axes[2], (sn_real)axes[3]},
        };
    }
    return b->sections;
}

int sn_bundle_get_sections(const sn_world *world, sn_bundle id, sn_section *out, int capacity) {
    const sn_bundle_body *b = sn_bundle_find(world, id);
    if (!b || sn_world_is_stepping(world)) return 0;
    if (!out || capacity <= 0) return b->sections;
    sn_bundle_work work;
    sn_world_begin_read(world);
    const bool made = sn_bundle_work_create(sn_world_memory(world), b, &work);
    sn_world_end_read(world);
    if (!made) return 0;
    sn_float_mode callers = sn_float_mode_enter();
    const int count = sn_bundle_sections(world, b, &work, out, capacity);
    sn_float_mode_leave(callers);
    sn_bundle_work_free(sn_world_memory(world), &work);
    return count;
}

double sn_bundle_volume(const sn_world *world, sn_bundle id) {
    const sn_bundle_body *b = sn_bundle_find(world, id);
    double volume = 0;
    for (int i = 0; b && i < b->def.rod_count; i++) volume += sn_body_volume(world, b->def.rods[i]);
    return volume;
}

double sn_bundle_rest_volume(const sn_world *world, sn_bundle id) {
    const sn_bundle_body *b = sn_bundle_find(world, id);
    double volume = 0;
    for (int i = 0; b && i < b->def.rod_count; i++) volume += sn_body_rest_volume(world, b->def.rods[i]);
    return volume;
}
