// Bundles that drive implicit muscles: a bundle of rods replaces the muscle's own solve. After each step the muscle
// gets the cross-sections of its bundle, and other muscles and skins use those.
#include "base/float_mode.h"
#include "base/host.h"
#include "couplings/bundle/bundle.h"
#include "kinds/implicit_muscle/implicit_muscle.h"

static sn_status create(const sn_kind_setup *setup, sn_world *world, void **system) {
    (void)setup;
    *system = world; // no state: each muscle stores its bundle
    return SN_OK;
}

static void destroy(void *what) {
    (void)what;
}

static void save(void *what, sn_stream *stream) {
    (void)what, (void)stream;
}

static void drive_item(const sn_world *world, sn_muscles_item *item) {
    sn_section sections[SN_MUSCLE_MAX_POINTS];
    for (int m = 0; m < item->muscle_count; m++) {
        const sn_muscle_driver *driver = &item->drivers[m];
        if (driver->count == 0) continue;
        sn_bundle_body *b = sn_bundle_find(world, driver->bundle);
        if (b && b->sections == driver->count) {
            sn_bundle_sections(world, b, NULL, sections, SN_MUSCLE_MAX_POINTS);
            sn_muscle_system_drive(item->system, m, sections, driver->count, driver->radii);
        } else { // the bundle was destroyed
            sn_muscle_system_drive(item->system, m, NULL, 0, NULL);
        }
    }
}

// Forgets bundles that were destroyed. It allocates nothing and cannot fail.
static void forget(const sn_world *world, sn_muscles_item *item) {
    for (int m = 0; m < item->muscle_count; m++) {
        const sn_muscle_driver *driver = &item->drivers[m];
        const sn_bundle_body *b = driver->count > 0 ? sn_bundle_find(world, driver->bundle) : NULL;
        if (driver->count > 0 && !(b && b->sections == driver->count))
            sn_muscles_drive(sn_world_implicit_muscles(world), item, m, (sn_bundle){0, 0}, NULL, 0);
    }
}

static void drive_all(const sn_world *world) {
    const sn_implicit_muscle_kind_system *s = sn_world_implicit_muscles(world);
    for (int i = 0; i < s->slots.count; i++)
        if (sn_muscles_in(s, i) && sn_muscles_in(s, i)->driven_count > 0) drive_item(world, sn_muscles_in(s, i));
}

static void forget_all(const sn_world *world) {
    const sn_implicit_muscle_kind_system *s = sn_world_implicit_muscles(world);
    for (int i = 0; i < s->slots.count; i++)
        if (sn_muscles_in(s, i) && sn_muscles_in(s, i)->driven_count > 0) forget(world, sn_muscles_in(s, i));
}

static void body_edited(void *what) {
    drive_all(what);
    forget_all(what);
}

static void finish(void *what, const sn_stage *stage) {
    if (stage->substep + 1 == stage->substeps) drive_all(what);
}

// Only once the step has happened: what is forgotten cannot be put back.
static void end(void *what, sn_profile *profile) {
    (void)profile;
    forget_all(what);
}

const sn_coupling_ops sn_muscle_driver_coupling = {
    .name = "muscle drivers",
    .create = create,
    .destroy = destroy,
    .save = save,
    .body_edited = body_edited,
    .finish = finish,
    .end = end,
};

sn_status sn_implicit_muscles_set_bundle(sn_world *world, sn_body id, int muscle, sn_bundle bundle) {
    void *found;
    const sn_status status = sn_body_edit(world, id, SN_KIND_IMPLICIT_MUSCLE, &found);
    if (status != SN_OK) return status;
    sn_muscles_item *item = found;
    if (muscle < 0 || muscle >= item->muscle_count) return SN_ERR_RANGE;
    if (bundle.slot1 == 0) {
        sn_float_mode callers = sn_float_mode_enter();
        const sn_status alone = sn_muscles_drive(sn_world_implicit_muscles(world), item, muscle, bundle, NULL, 0);
        sn_float_mode_leave(callers);
        return alone;
    }
    sn_bundle_body *b = sn_bundle_find(world, bundle);
    if (!b) return SN_ERR_STALE_ID;
    if (b->sections < 2 || b->sections > SN_MUSCLE_MAX_POINTS) return SN_ERR_RANGE;
    sn_section sections[SN_MUSCLE_MAX_POINTS];
    sn_real radii[SN_MUSCLE_MAX_POINTS] = {0}, own[SN_MUSCLE_MAX_POINTS];
    sn_float_mode callers = sn_float_mode_enter();
    const int count = sn_bundle_sections(world, b, NULL, sections, SN_MUSCLE_MAX_POINTS);
    for (int i = 0; i < b->def.rod_count; i++) {
        sn_rod_get_radii(world, b->def.rods[i], own, count);
        for (int k = 0; k < count; k++) radii[k] += own[k] * own[k];
    }
    for (int k = 0; k < count; k++)
        radii[k] = sections[k].scale > 0 ? sn_min(sn_sqrt(radii[k]) / sections[k].scale, SN_MUSCLE_MAX_RADIUS) : 0;
    const sn_status driving = sn_muscles_drive(sn_world_implicit_muscles(world), item, muscle, bundle, radii, count);
    if (driving == SN_OK) drive_item(world, item);
    sn_float_mode_leave(callers);
    return driving;
}
