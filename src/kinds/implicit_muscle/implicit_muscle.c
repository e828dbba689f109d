// Implicit muscles in a world: slots, the operations of the kind, saving. See implicit_muscle.h.
#include "kinds/implicit_muscle/implicit_muscle.h"
#include "base/hash.h"
#include "base/validate.h"
#include "geometry/contact_surface.h"
#include "kinds/implicit_muscle/muscle_body.h"
#include <string.h>

// ---- from the public to the internal definition

sn_muscle_obstacle sn_muscle_obstacle_from_bone(const sn_implicit_muscle_bone *b) {
    return (sn_muscle_obstacle){.bone = b->bone, .pill = {b->ends[0], b->ends[1], b->radii[0], b->radii[1]}};
}

void sn_muscle_def_trim(sn_implicit_muscle_def *d) {
    if (!d->bowed) d->via = sn_v3(0, 0, 0);
}

static sn_status make_system(sn_implicit_muscle_kind_system *s, const sn_muscles_item *item, sn_muscle_system **out) {
    sn_muscle_obstacle *bones = sn_alloc(s->memory, (size_t)item->collider_count + 1, sizeof *bones);
    sn_status status = bones ? SN_OK : SN_ERR_MEMORY;
    if (status == SN_OK) {
        for (int i = 0; i < item->collider_count; i++) bones[i] = sn_muscle_obstacle_from_bone(&item->bones[i]);
        sn_muscle_system_def def = sn_muscle_system_def_default();
        def.poses = item->rest, def.bone_count = item->bone_count;
        def.obstacles = bones, def.obstacle_count = item->collider_count;
        def.muscles = item->muscles, def.muscle_count = item->muscle_count;
        def.gravity = item->gravity, def.substeps = item->substeps, def.passes = item->passes;
        def.lanes = s->lanes;
        status = sn_muscle_system_create(s->memory, s->log, &def, out);
    }
    sn_free(s->memory, bones, (size_t)item->collider_count + 1, sizeof *bones);
    return status;
}

static int64_t dofs_of(const sn_muscles_item *item) {
    int64_t sum = 0;
    for (int i = 0; i < item->muscle_count; i++) sum += 3 * (int64_t)(item->muscles[i].points - 2);
    return sum;
}

// ---- slots

void sn_muscles_uncover(sn_muscles_item *item) {
    if (!item->uncover) return;
    sn_muscle_system_set_skin(item->system, NULL, NULL);
    item->uncover(item->cover_of, item->cover_owner);
    item->uncover = NULL;
}

static void free_item(sn_implicit_muscle_kind_system *s, sn_muscles_item *item) {
    if (!item) return;
    sn_muscles_uncover(item);
    sn_muscle_system_destroy(item->system);
    sn_free(s->memory, item->nodes, (size_t)item->node_count, sizeof *item->nodes);
    sn_free(s->memory, item->to, (size_t)item->bone_count, sizeof *item->to);
    sn_free(s->memory, item->rest, (size_t)item->bone_count, sizeof *item->rest);
    sn_free(s->memory, item->bones, (size_t)item->collider_count, sizeof *item->bones);
    sn_free(s->memory, item->muscles, (size_t)item->muscle_count, sizeof *item->muscles);
    for (int i = 0; item->drivers && i < item->muscle_count; i++)
        sn_free(s->memory, item->drivers[i].radii, (size_t)item->drivers[i].count, sizeof(sn_real));
    sn_free(s->memory, item->drivers, (size_t)item->muscle_count, sizeof *item->drivers);
    sn_free(s->memory, item, 1, sizeof *item);
}

static sn_muscles_item *new_item(sn_implicit_muscle_kind_system *s, int bones, int colliders, int muscles) {
    sn_muscles_item *item = sn_alloc(s->memory, 1, sizeof *item);
    if (!item) return NULL;
    *item = (sn_muscles_item){.bone_count = bones, .collider_count = colliders, .muscle_count = muscles};
    item->to = sn_alloc(s->memory, (size_t)bones, sizeof *item->to);
    item->rest = sn_alloc(s->memory, (size_t)bones, sizeof *item->rest);
    if (colliders > 0) item->bones = sn_alloc(s->memory, (size_t)colliders, sizeof *item->bones);
    if (muscles > 0) item->muscles = sn_alloc(s->memory, (size_t)muscles, sizeof *item->muscles);
    if (muscles > 0) item->drivers = sn_alloc(s->memory, (size_t)muscles, sizeof *item->drivers);
    const bool whole = (item->bones || colliders == 0) && ((item->muscles && item->drivers) || muscles == 0);
    if (item->to && item->rest && whole) return item;
    free_item(s, item);
    return NULL;
}

sn_muscles_item *sn_implicit_muscles_find(const sn_implicit_muscle_kind_system *s, sn_body id) {
    return id.kind == SN_KIND_IMPLICIT_MUSCLE ? sn_slots_find(&s->slots, id.slot1, id.gen) : NULL;
}

static sn_status put(sn_implicit_muscle_kind_system *s, sn_muscles_item *item, int slot) {
    sn_status status = make_system(s, item, &item->system);
    if (status == SN_OK) {
        item->node_count = sn_muscles_node_count(item);
        item->nodes = sn_alloc(s->memory, (size_t)item->node_count, sizeof *item->nodes);
        if (!item->nodes && item->node_count > 0) item->node_count = 0, status = SN_ERR_MEMORY;
    }
    if (status != SN_OK) {
        free_item(s, item);
        return status;
    }
    for (int i = 0; i < item->bone_count; i++) {
        item->to[i] = item->rest[i];
        if (!sn_q_is_unit(item->to[i].rotation)) item->to[i].rotation = sn_q_normalize(item->to[i].rotation);
    }
    s->slots.at[slot].item = item;
    s->body_count++;
    s->dofs += dofs_of(item);
    return SN_OK;
}

sn_status sn_muscles_add(sn_implicit_muscle_kind_system *s, const sn_implicit_muscles_def *def, sn_body *id) {
    const int slot = sn_slots_next(&s->slots, s->memory);
    if (slot < 0) return SN_ERR_MEMORY;
    sn_muscles_item *item = new_item(s, def->bone_count, def->collider_count, def->muscle_count);
    if (!item) {
        sn_slots_cancel(&s->slots, slot);
        return SN_ERR_MEMORY;
    }
    memcpy(item->rest, def->poses, (size_t)def->bone_count * sizeof *item->rest);
    if (def->collider_count > 0) memcpy(item->bones, def->bones, (size_t)def->collider_count * sizeof *item->bones);
    if (def->muscle_count > 0) memcpy(item->muscles, def->muscles, (size_t)def->muscle_count * sizeof *item->muscles);
    for (int i = 0; i < def->muscle_count; i++) sn_muscle_def_trim(&item->muscles[i]);
    item->gravity = def->gravity, item->substeps = def->substeps, item->passes = def->passes;
    item->base.label = def->label;
    item->base.contact = (sn_contact_settings){.surface = def->surface, .collide = def->collide};
    item->cover = def->cover;
    const sn_status status = put(s, item, slot);
    if (status != SN_OK) {
        sn_slots_cancel(&s->slots, slot);
        return status;
    }
    sn_slots_acquire(&s->slots, slot);
    *id = (sn_body){SN_KIND_IMPLICIT_MUSCLE, (uint32_t)slot + 1, s->slots.at[slot].gen};
    return SN_OK;
}

void sn_muscles_remove(void *what, int slot) {
    sn_implicit_muscle_kind_system *s = what;
    sn_muscles_item *item = s->slots.at[slot].item;
    --s->body_count;
    s->dofs -= dofs_of(item);
    free_item(s, item);
    sn_slots_drop(&s->slots, slot);
}

sn_status sn_muscles_drive(sn_implicit_muscle_kind_system *s, sn_muscles_item *item, int muscle, sn_bundle bundle,
                           const sn_real *radii, int count) {
    sn_muscle_driver *driver = &item->drivers[muscle];
    sn_real *own = count > 0 ? sn_alloc(s->memory, (size_t)count, sizeof *own) : NULL;
    if (count > 0 && !own) return SN_ERR_MEMORY;
    for (int i = 0; i < count; i++) own[i] = radii[i];
    sn_free(s->memory, driver->radii, (size_t)driver->count, sizeof *driver->radii);
    item->driven_count += (count > 0) - (driver->count > 0);
    *driver = (sn_muscle_driver){bundle, count, own};
    if (count == 0) sn_muscle_system_drive(item->system, muscle, NULL, 0, NULL);
    return SN_OK;
}

// ---- the table of operations

static sn_status create(const sn_kind_setup *setup, void **out) {
    sn_implicit_muscle_kind_system *s = sn_alloc(setup->memory, 1, sizeof *s);
    if (!s) return SN_ERR_MEMORY;
    *s = (sn_implicit_muscle_kind_system){
        .memory = setup->memory, .log = setup->log, .lanes = setup->lanes, .slots.free = -1};
    *out = s;
    return SN_OK;
}

static void destroy(void *what) {
    sn_implicit_muscle_kind_system *s = what;
    for (int i = 0; i < s->slots.count; i++) free_item(s, sn_muscles_in(s, i));
    sn_slots_free(&s->slots, s->memory);
    sn_free(s->memory, s, 1, sizeof *s);
}

static void nothing(void *what) {
    (void)what;
}

static void no_stage(void *what, const sn_stage *stage) {
    (void)what, (void)stage;
}

static double whole_energy(const sn_muscles_item *item) {
    return sn_muscle_system_energy(item->system) + sn_muscle_system_potential(item->system);
}

// The first substep of the world makes the whole step of the muscles; the last applies the displacements by contacts.
static void predict(void *what, const sn_stage *stage) {
    sn_implicit_muscle_kind_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_muscles_item *item = sn_muscles_in(s, i);
        if (!item) continue;
        item->fraction_before = (sn_real)stage->substep / (sn_real)stage->substeps;
        item->fraction = (sn_real)(stage->substep + 1) / (sn_real)stage->substeps;
        if (stage->substep > 0) continue;
        sn_muscles_before(item);
        const double before = stage->balance ? whole_energy(item) : 0;
        const sn_status status =
            sn_muscle_system_step(item->system, stage->h * (sn_real)stage->substeps, item->to, stage->pool);
        item->diverged = status == SN_WARN_DIVERGED;
        sn_muscles_after(item);
        const size_t bones = (size_t)item->bone_count * sizeof(sn_transform);
        const bool moved = memcmp(item->system->from, item->system->to, bones) != 0;
        item->work = stage->balance && moved ? whole_energy(item) - before : 0;
        if (!(item->work > 0)) item->work = 0;
    }
}

// What muscles gain while their bones move counts as the work of the bones: an upper bound.
static double work(void *what, const sn_stage *stage) {
    const sn_implicit_muscle_kind_system *s = what;
    double sum = 0;
    for (int i = 0; i < s->slots.count && stage->substep == 0; i++)
        if (sn_muscles_in(s, i)) sum += sn_muscles_in(s, i)->work;
    return sum;
}

static void finish(void *what, const sn_stage *stage) {
    sn_implicit_muscle_kind_system *s = what;
    if (stage->substep + 1 < stage->substeps) return;
    for (int i = 0; i < s->slots.count; i++)
        if (sn_muscles_in(s, i)) sn_muscles_apply_contacts(sn_muscles_in(s, i));
}

static bool self_collides(void *what, int body, int a, int b) {
    (void)what, (void)body, (void)a, (void)b;
    return false;
}

static void normalised_speeds(void *what, sn_real gravity, sn_real *out) {
    const sn_implicit_muscle_kind_system *s = what;
    (void)gravity;
    for (int i = 0; i < s->slots.count; i++) out[i] = 1;
}

static bool has_diverged(const void *item, uint64_t *label) {
    const sn_muscles_item *it = item;
    *label = it->base.label;
    return it->diverged;
}

static void end(void *what, sn_profile *profile) {
    const sn_implicit_muscle_kind_system *s = what;
    profile->diverged += sn_slots_count_if(&s->slots, has_diverged, NULL, 0);
}

static int diverged(void *what, uint64_t *labels, int capacity) {
    const sn_implicit_muscle_kind_system *s = what;
    return sn_slots_count_if(&s->slots, has_diverged, labels, capacity);
}

// Only energies: bones drive the muscles, so momentum is not conserved.
static void measure(void *what, sn_vec3 gravity, sn_totals *totals) {
    const sn_implicit_muscle_kind_system *s = what;
    (void)gravity;
    for (int i = 0; i < s->slots.count; i++)
        if (sn_muscles_in(s, i)) {
            totals->energy.elastic += sn_muscle_system_energy(sn_muscles_in(s, i)->system);
            totals->energy.potential += sn_muscle_system_potential(sn_muscles_in(s, i)->system);
        }
}

static uint64_t hash(void *what, uint64_t hash) {
    const sn_implicit_muscle_kind_system *s = what;
    for (int i = 0; i < s->slots.count; i++)
        if (sn_muscles_in(s, i)) hash = sn_muscle_system_hash(sn_muscles_in(s, i)->system, hash);
    return hash;
}

// ---- saving: the definition, then the state

static void visit_poses(sn_stream *stream, sn_transform *poses, int count) {
    for (int i = 0; i < count; i++) {
        sn_visit_reals(stream, &poses[i].position.x, 3);
        sn_visit_reals(stream, &poses[i].rotation.x, 4);
    }
}

void sn_muscle_def_visit(sn_stream *stream, sn_implicit_muscle_def *d) {
    int *whole[] = {&d->bone[0], &d->bone[1], &d->points, &d->group};
    sn_real *numbers[] = {&d->rest.alpha,   &d->rest.beta,   &d->rest.eccentricity,
                          &d->active.alpha, &d->active.beta, &d->active.eccentricity,
                          &d->volume,       &d->density,     &d->hertz,
                          &d->damping,      &d->tendon,      &d->friction};
    sn_vec3 *vectors[] = {&d->end[0], &d->end[1], &d->normal[0], &d->normal[1], &d->via};
    bool *flags[] = {&d->bowed, &d->collide_bones, &d->collide_muscles, &d->in_skin};
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) sn_visit_int(stream, whole[k]);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) sn_visit_reals(stream, numbers[k], 1);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) sn_visit_reals(stream, &vectors[k]->x, 3);
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) sn_visit_bool(stream, flags[k]);
}

bool sn_muscle_flesh_is_valid(const sn_implicit_muscle_bone *bone) {
    return sn_between(bone->flesh[0], 0, SN_MAX_COVER) && sn_between(bone->flesh[1], 0, SN_MAX_COVER);
}

void sn_muscle_bone_visit(sn_stream *stream, sn_implicit_muscle_bone *bone) {
    sn_visit_int(stream, &bone->bone);
    sn_visit_reals(stream, &bone->ends[0].x, 6);
    sn_visit_reals(stream, bone->radii, 2);
    sn_visit_reals(stream, bone->flesh, 2);
    sn_stream_check(stream, sn_muscle_flesh_is_valid(bone));
}

static void visit_def(sn_stream *stream, sn_muscles_item *item) {
    visit_poses(stream, item->rest, item->bone_count);
    for (int i = 0; i < item->collider_count; i++) sn_muscle_bone_visit(stream, &item->bones[i]);
    for (int i = 0; i < item->muscle_count; i++) sn_muscle_def_visit(stream, &item->muscles[i]);
    sn_visit_reals(stream, &item->gravity.x, 3);
    sn_visit_int(stream, &item->substeps);
    sn_visit_int(stream, &item->passes);
    sn_visit_u64(stream, &item->base.label);
    sn_surface *surface = &item->base.contact.surface;
    sn_real *numbers[] = {
        &surface->friction_static, &surface->friction_dynamic, &surface->restitution, &surface->compliance,
        &surface->rolling,         &surface->torsion,          &item->cover};
    for (int k = 0; k < 7; k++) sn_visit_reals(stream, numbers[k], 1);
    sn_visit_u32(stream, &surface->group);
    sn_visit_u32(stream, &surface->mask);
    sn_visit_bool(stream, &item->base.contact.collide);
    sn_stream_check(stream, sn_surface_is_fine(surface) && item->cover >= 0 && item->cover <= SN_MAX_COVER);
}

static void visit_drivers(sn_implicit_muscle_kind_system *s, sn_stream *stream, sn_muscles_item *item) {
    sn_real radii[SN_MUSCLE_MAX_POINTS];
    for (int i = 0; i < item->muscle_count && !stream->bad; i++) {
        sn_muscle_driver driver = item->drivers[i];
        sn_visit_int(stream, &driver.count);
        if (!sn_stream_check(stream, driver.count >= 0 && driver.count <= SN_MUSCLE_MAX_POINTS)) return;
        if (driver.count == 0) continue;
        sn_visit_u32(stream, &driver.bundle.slot1);
        sn_visit_u32(stream, &driver.bundle.gen);
        for (int k = 0; k < driver.count; k++) {
            radii[k] = stream->mode == SN_STREAM_READ ? 0 : driver.radii[k];
            sn_visit_reals(stream, &radii[k], 1);
            sn_stream_check(stream, radii[k] >= 0 && radii[k] <= SN_MUSCLE_MAX_RADIUS);
        }
        if (stream->mode == SN_STREAM_READ && !stream->bad)
            sn_stream_need(stream, sn_muscles_drive(s, item, i, driver.bundle, radii, driver.count) == SN_OK);
    }
}

static void visit_item(sn_implicit_muscle_kind_system *s, sn_stream *stream, int slot) {
    static const sn_log silent = {0};
    sn_muscles_item *item = sn_muscles_in(s, slot);
    int counts[3] = {item ? item->bone_count : 0, item ? item->collider_count : 0, item ? item->muscle_count : 0};
    for (int k = 0; k < 3; k++) {
        sn_visit_int(stream, &counts[k]);
        if (!sn_stream_check(stream, counts[k] >= 0 && sn_stream_holds(stream, (size_t)counts[k], 28))) return;
    }
    if (!sn_stream_check(stream, counts[0] > 0)) return;
    if (stream->mode == SN_STREAM_READ) {
        item = new_item(s, counts[0], counts[1], counts[2]);
        if (!sn_stream_need(stream, item != NULL)) return;
        visit_def(stream, item);
        const sn_log *log = s->log;
        s->log = &silent;
        const sn_status status = stream->bad ? SN_ERR_FORMAT : put(s, item, slot);
        s->log = log;
        if (stream->bad) free_item(s, item);
        if (status == SN_ERR_MEMORY) sn_stream_need(stream, false);
        if (!sn_stream_check(stream, status == SN_OK)) return;
    } else {
        visit_def(stream, item);
    }
    visit_poses(stream, item->to, item->bone_count);
    for (int i = 0; i < item->bone_count; i++)
        sn_stream_check(stream, sn_valid3(item->to[i].position) && sn_q_is_unit(item->to[i].rotation));
    if (!stream->bad) sn_muscle_system_visit(item->system, stream);
    if (!stream->bad) visit_drivers(s, stream, item);
}

static void save(void *what, sn_stream *stream) {
    sn_implicit_muscle_kind_system *s = what;
    if (!sn_slots_visit(&s->slots, s->memory, stream)) return;
    for (int i = 0; i < s->slots.count && !stream->bad; i++) {
        if (sn_slots_visit_one(&s->slots, i, stream)) visit_item(s, stream, i);
    }
    sn_slots_check_list(&s->slots, stream);
}

static void visit_state(void *what, sn_stream *stream) {
    sn_implicit_muscle_kind_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_muscles_item *item = sn_muscles_in(s, i);
        if (!item) continue;
        sn_muscle_system_visit_state(item->system, stream);
        sn_visit_bytes(stream, &item->diverged, sizeof item->diverged);
    }
}

static sn_slots *slots(void *what) {
    return &((sn_implicit_muscle_kind_system *)what)->slots;
}

static int count(void *what) {
    return ((const sn_implicit_muscle_kind_system *)what)->body_count;
}

static int64_t dofs(void *what) {
    return ((const sn_implicit_muscle_kind_system *)what)->dofs;
}

// Volume of all muscles.
static double volume(void *what, int slot, bool at_rest) {
    const sn_muscles_item *item = sn_muscles_in(what, slot);
    double sum = 0;
    for (int i = 0; i < item->muscle_count; i++)
        sum +=
            (double)(at_rest ? item->muscles[i].volume : sn_muscle_spindle_volume(&item->system->muscles[i].spindle));
    return sum;
}

static double mass(void *what, int slot) {
    const sn_muscles_item *item = sn_muscles_in(what, slot);
    double sum = 0;
    for (int i = 0; i < item->muscle_count; i++)
        sum += (double)item->muscles[i].volume * (double)item->muscles[i].density;
    return sum;
}

static sn_energy energy(void *what, int slot, sn_vec3 gravity) {
    (void)gravity;
    const sn_muscle_system *system = sn_muscles_in(what, slot)->system;
    return (sn_energy){.elastic = sn_muscle_system_energy(system), .potential = sn_muscle_system_potential(system)};
}

const sn_kind_ops sn_implicit_muscle_kind = {
    .id = SN_KIND_IMPLICIT_MUSCLE,
    .name = "implicit_muscle",
    .create = create,
    .destroy = destroy,
    .slots = slots,
    .count = count,
    .dofs = dofs,
    .measure = measure,
    .hash = hash,
    .save = save,
    .visit_state = visit_state,
    .remove = sn_muscles_remove,
    .get_points = sn_muscles_get_points,
    .mass = mass,
    .volume = volume,
    .energy = energy,
    .bounds = sn_muscles_bounds,
    .begin = nothing,
    .predict = predict,
    .solve = no_stage,
    .finish = finish,
    .work = work,
    .end = end,
    .diverged = diverged,
    .normalised_speeds = normalised_speeds,
    .count_nodes = sn_muscles_count_nodes,
    .write_proxies = sn_muscles_write_proxies,
    .update_proxies = sn_muscles_update_proxies,
    .apply = sn_muscles_apply,
    .self_collides = self_collides,
    .check_attachment = sn_muscles_check_attachment,
    .attachment_pill = sn_muscles_attachment_pill,
    .attachment_state = sn_muscles_attachment_state,
};
