// See live.h. A step is: what the scene does at that time (calls), the world's own step, and now and then a saved
// state. Steps have the scene's length, whatever the speed: speed only says how many are done in a second, so a run is
// the same at every speed and on every machine as long as nobody touches it.
#include "base/math/vec.h"
#include "session/session_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A hand pulls like a spring on which the body would swing this often a second, and not harder than this many times its
// weight on Earth.
#define HAND_HERTZ  3.0
#define HAND_WEIGHT 60.0

// What messages add to the numbers of pills that were shot, and to those of bodies that deform.
#define SHOT_BODY    0x80000000u
#define SURFACE_BODY 0x40000000u

// Real time that may be owed, s: after a pause of the machine the run goes on, it does not catch up.
#define MOST_DEBT 0.1

static double clock_now(const live *at) {
    return at->options.clock ? at->options.clock() : 0;
}

// --- opening ---

static bool part_fits(const bake_header *bake, bake_part part, size_t element) {
    return part.offset % 8 == 0 && part.offset >= sizeof *bake && part.offset <= bake->size &&
           part.size <= bake->size - part.offset && part.size % element == 0;
}

static bool header_good(const void *bytes, size_t size) {
    bake_header h;
    if (!bytes || size < sizeof h) return false;
    memcpy(&h, bytes, sizeof h);
    return memcmp(h.magic, BAKE_MAGIC, sizeof h.magic) == 0 && h.version == BAKE_VERSION && h.size == size &&
           part_fits(&h, h.table, 1) && part_fits(&h, h.world, 1) && part_fits(&h, h.calls, 4) &&
           part_fits(&h, h.rods, sizeof(bake_rod)) && part_fits(&h, h.moves, sizeof(sn_body)) &&
           part_fits(&h, h.surfaces, sizeof(bake_surface)) && part_fits(&h, h.places, 4) &&
           part_fits(&h, h.characters, sizeof(bake_character)) && part_fits(&h, h.models, 4) && h.step >= 1e-7 &&
           h.step <= 1 && h.substeps >= 1 && h.substeps <= 1000 && h.solver <= SN_SOLVER_JACOBI && h.iterations >= 1 &&
           h.iterations <= 1000 && h.sweeps >= 1 && h.sweeps <= 100 && isfinite(h.gravity[0]) &&
           isfinite(h.gravity[1]) && isfinite(h.gravity[2]);
}

typedef struct {
    uint32_t step, count;
} call_block;

// Whether blocks of calls are whole and in order.
static bool calls_good(const live *at) {
    const unsigned char *here = at->baked + at->bake->calls.offset, *end = here + at->bake->calls.size;
    uint32_t last = 0;
    while (here < end) {
        call_block block;
        if ((size_t)(end - here) < sizeof block) return false;
        memcpy(&block, here, sizeof block);
        here += sizeof block;
        if (block.step < last || block.count > (size_t)(end - here) / sizeof(scene_call)) return false;
        last = block.step;
        here += block.count * sizeof(scene_call);
    }
    return true;
}

void live_find_calls(live *at) {
    at->calls = at->baked + at->bake->calls.offset;
    at->calls_end = at->calls + at->bake->calls.size;
    while (at->calls < at->calls_end) {
        call_block block;
        memcpy(&block, at->calls, sizeof block);
        if (block.step >= at->step) break;
        at->calls += sizeof block + block.count * sizeof(scene_call);
    }
}

// What a rod is made of.
static bool take_material(live *at, live_rod *rod) {
    const size_t n = (size_t)rod->points;
    rod->materials = malloc(n * sizeof *rod->materials);
    sn_real *numbers = malloc(n * sizeof *numbers);
    const bool good = rod->materials && numbers;
    if (good) {
        sn_rod_get_materials(at->world, rod->id, rod->materials, rod->points);
        sn_body_get_contact(at->world, rod->id, &rod->surface, &rod->collide, &rod->self);
        sn_body_get_masses(at->world, rod->id, numbers, rod->points);
        for (int i = 0; i < rod->points; i++) rod->mass += (double)numbers[i];
        sn_rod_get_radii(at->world, rod->id, numbers, rod->points);
        for (int i = 0; i < rod->points; i++) at->mean_radius += (double)numbers[i]; // divided later
        at->rest_volume += sn_body_rest_volume(at->world, rod->id);
    }
    free(numbers);
    return good;
}

// How many joints it has; 0: the bake is wrong.
static int joints_of(const live *at, const bake_rod *from) {
    if (from->form == BAKE_MUSCLE)
        return sn_bundle_get_sections(at->world, (sn_bundle){from->slot1, from->gen}, NULL, 0);
    const sn_body id = {from->kind, from->slot1, from->gen};
    const view_kind *kind = view_kind_of(id);
    if (!kind || (kind->joints == NULL) != (from->form == BAKE_CHAIN)) return 0;
    if (kind->joints) return kind->points(at->world, id, NULL, 0);
    int32_t *points, *parents;
    const int count = view_chain(at->world, id, &points, &parents);
    free(points);
    free(parents);
    return count;
}

// A rod, a chain or a muscle.
static bool take_rod(live *at, const bake_rod *from, bool *filled) {
    const int joints = joints_of(at, from);
    sn_joint_pose **rest = &at->rest[from->shape];
    if (!*rest) *rest = calloc((size_t)joints, sizeof **rest);
    pose_body posed = {.body = {from->kind, from->slot1, from->gen},
                       .first = at->joint_count,
                       .skinned = from->form == BAKE_SKIN || from->form == BAKE_MUSCLE,
                       .position = {from->position[0], from->position[1], from->position[2]},
                       .rotation = {from->turn[0], from->turn[1], from->turn[2], from->turn[3]},
                       .rest = *rest,
                       .fill_rest = !filled[from->shape]};
    bool good = *rest != NULL;
    if (from->form == BAKE_MUSCLE) {
        posed.bundle = (sn_bundle){from->slot1, from->gen};
    } else if (from->form != BAKE_CHAIN) {
        live_rod *rod = &at->rods[at->rod_count++];
        rod->id = (sn_body){SN_KIND_ROD, from->slot1, from->gen};
        rod->points = joints;
        good = good && take_material(at, rod);
    }
    filled[from->shape] = true;
    at->joint_count += joints;
    return good && poses_add(at->poses, at->world, &posed);
}

// Rods of the same shape must have as many joints: they share those at rest. Rods come first, so that numbers of bodies
// are their numbers.
static bool shapes_agree(const live *at, const bake_rod *rods, int count) {
    int *joints = calloc((size_t)count + 1, sizeof *joints);
    bool good = joints;
    for (int i = 0; good && i < count; i++) {
        const bool ordered = i == 0 || (rods[i - 1].form <= BAKE_SKIN ? 0 : rods[i - 1].form) <=
                                           (rods[i].form <= BAKE_SKIN ? 0 : rods[i].form);
        const int n = rods[i].form < BAKE_FORMS ? joints_of(at, &rods[i]) : 0;
        good = n > 0 && ordered && rods[i].shape < (uint32_t)count &&
               (joints[rods[i].shape] == 0 || joints[rods[i].shape] == n);
        if (good) joints[rods[i].shape] = n;
    }
    free(joints);
    return good;
}

// A skin of a character, or a muscle.
static bool take_character_surface(live *at, const bake_surface *from) {
    view_surface *made = &at->surfaces[at->surface_count++];
    const int muscle = from->kind == BAKE_OF_SKIN ? -1 : (int)(from->gen & INT32_MAX);
    if (from->vertices > INT32_MAX / 16) return false;
    *made = (view_surface){.body = {from->kind, from->slot1, (uint32_t)muscle}, .vertex_count = (int)from->vertices};
    at->vertex_count += made->vertex_count;
    return live_characters_fit(at->characters, at->world, from->slot1, muscle, made->vertex_count);
}

bool live_read_surface(const live *at, const view_surface *surface, float (*out)[3]) {
    if (surface->body.kind < BAKE_OF_SKIN) return view_surface_read(at->world, surface, out);
    return live_characters_read(at->characters, at->world, surface->body.slot1, (int)surface->body.gen, out,
                                surface->vertex_count);
}

static bool take_surface(live *at, const bake_surface *from) {
    if (from->kind == BAKE_OF_SKIN || from->kind == BAKE_OF_MUSCLE) return take_character_surface(at, from);
    const bake_part places = at->bake->places;
    const size_t each = from->embedded ? sizeof(view_place) : sizeof(int32_t);
    if (from->vertices > INT32_MAX / 16 || from->offset % 4 || from->offset > places.size ||
        from->vertices > (places.size - from->offset) / each)
        return false;
    const void *list = at->baked + places.offset + from->offset;
    view_surface *made = &at->surfaces[at->surface_count++];
    *made = (view_surface){.body = {from->kind, from->slot1, from->gen}, .vertex_count = (int)from->vertices};
    if (from->embedded)
        made->places = list;
    else
        made->points = list;
    at->vertex_count += made->vertex_count;
    return view_surface_fits(at->world, made);
}

// Everything that is neither rod nor shape.
static bool take_soft(live *at, sn_body id) {
    live_soft *soft = &at->soft[at->soft_count++];
    const view_kind *kind = view_kind_of(id);
    soft->id = id;
    if (kind->is_solid(at->world, id)) at->rest_volume += sn_body_rest_volume(at->world, id);
    if (kind->copy_settings) soft->made = kind->copy_settings(at->world, id);
    return soft->made || !kind->copy_settings;
}

static sn_status take_surfaces(live *at) {
    const int count = (int)(at->bake->surfaces.size / sizeof(bake_surface)), soft = view_count(at->world, VIEW_SURFACE);
    const bake_surface *all = (const bake_surface *)(const void *)(at->baked + at->bake->surfaces.offset);
    int most = 0;
    at->surfaces = calloc((size_t)count + 1, sizeof *at->surfaces);
    at->soft = calloc((size_t)soft + 1, sizeof *at->soft);
    if (!at->surfaces || !at->soft) return SN_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        if (!take_surface(at, &all[i])) return SN_ERR_FORMAT;
        most = at->surfaces[i].vertex_count > most ? at->surfaces[i].vertex_count : most;
    }
    for (int i = 0; i < soft; i++)
        if (!take_soft(at, view_at(at->world, VIEW_SURFACE, i))) return SN_ERR_MEMORY;
    at->vertices = calloc((size_t)most + 1, sizeof *at->vertices);
    return at->vertices ? SN_OK : SN_ERR_MEMORY;
}

// The size of pills that are shot where there are no rods: a part of what deforms.
static double radius_of_surfaces(live *at) {
    double size = 0;
    for (int i = 0; i < at->surface_count; i++) {
        float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
        if (!live_read_surface(at, &at->surfaces[i], at->vertices)) break;
        for (int v = 0; v < at->surfaces[i].vertex_count; v++)
            for (int k = 0; k < 3; k++) {
                const float x = at->vertices[v][k];
                low[k] = v == 0 || x < low[k] ? x : low[k];
                high[k] = v == 0 || x > high[k] ? x : high[k];
            }
        for (int k = 0; k < 3; k++) size = fmax(size, (double)(high[k] - low[k]));
    }
    return size > 0 ? size / 25 : 0.05;
}

static sn_status take_bodies(live *at) {
    const bake_header *bake = at->bake;
    const int count = (int)(bake->rods.size / sizeof(bake_rod));
    const bake_rod *rods = (const bake_rod *)(const void *)(at->baked + bake->rods.offset);
    if (!shapes_agree(at, rods, count)) return SN_ERR_FORMAT;
    at->moving = (const sn_body *)(const void *)(at->baked + bake->moves.offset);
    at->moving_count = (int)(bake->moves.size / sizeof *at->moving);
    at->shape_count = sn_world_kind_count(at->world, SN_KIND_RIGID);
    at->rods = calloc((size_t)count + 1, sizeof *at->rods);
    at->rest = calloc((size_t)count + 1, sizeof *at->rest);
    at->shapes = calloc((size_t)at->shape_count + 1, sizeof *at->shapes);
    at->poses = poses_new();
    bool *filled = calloc((size_t)count + 1, sizeof *filled);
    bool good = at->rods && at->rest && at->shapes && at->poses && filled;
    at->rest_count = count;
    for (int i = 0; good && i < count; i++) good = take_rod(at, &rods[i], filled);
    for (int i = 0; good && i < at->shape_count; i++) {
        at->shapes[i].id = sn_world_kind_at(at->world, SN_KIND_RIGID, i);
        sn_body_get_surface(at->world, at->shapes[i].id, &at->shapes[i].surface);
    }
    free(filled);
    const sn_status status = good ? take_surfaces(at) : SN_ERR_MEMORY;
    if (status != SN_OK) return status;
    int points = 0;
    for (int i = 0; i < at->rod_count; i++) points += at->rods[i].points;
    at->mean_radius = points ? at->mean_radius / points : radius_of_surfaces(at);
    at->joint_count += at->moving_count;
    at->joints = calloc((size_t)at->joint_count + 1, sizeof *at->joints);
    at->scales = calloc((size_t)at->joint_count + 1, sizeof *at->scales);
    return at->joints && at->scales ? SN_OK : SN_ERR_MEMORY;
}

static sn_status open_baked(live *at, const void *baked, size_t size) {
    at->baked = malloc(size);
    if (!at->baked) return SN_ERR_MEMORY;
    memcpy(at->baked, baked, size);
    at->bake = (const bake_header *)(const void *)at->baked;
    if (!calls_good(at)) return SN_ERR_FORMAT;
    sn_world_def def = sn_world_def_default();
    def.worker_count = at->options.workers > 0 ? at->options.workers : 1;
    sn_status status = sn_world_restore(&def, at->baked + at->bake->world.offset, at->bake->world.size, &at->world);
    if (status == SN_OK) status = live_characters_open(at->baked, at->bake, at->world, &at->characters);
    if (status == SN_OK) status = take_bodies(at);
    if (status != SN_OK) return status;
    live_settings_start(at);
    live_find_calls(at);
    at->speed = 1;
    at->changed = true;
    return live_keep(at, true) ? SN_OK : SN_ERR_MEMORY;
}

sn_status live_open(const void *baked, size_t size, const live_options *options, live **out) {
    *out = NULL;
    if (!header_good(baked, size)) return SN_ERR_FORMAT;
    live *made = calloc(1, sizeof *made);
    if (!made) return SN_ERR_MEMORY;
    if (options) made->options = *options;
    sn_status status = open_baked(made, baked, size);
    if (status != SN_OK) {
        live_close(made);
        return status;
    }
    *out = made;
    return SN_OK;
}

void live_close(live *at) {
    if (!at) return;
    live_forget_all(at);
    poses_free(at->poses);
    for (int i = 0; i < at->rod_count; i++) free(at->rods[i].materials);
    for (int i = 0; at->rest && i < at->rest_count; i++) free(at->rest[i]);
    free(at->rest);
    for (int i = 0; i < at->soft_count; i++) free(at->soft[i].made);
    live_pull_end(at);
    free(at->soft);
    free(at->surfaces);
    free(at->vertices);
    free(at->rods);
    free(at->shapes);
    free(at->joints);
    free(at->scales);
    free(at->frame);
    free(at->contacts);
    sn_world_destroy(at->world);
    live_characters_close(at->characters);
    free(at->baked);
    free(at);
}

sn_world *live_world(live *at) {
    return at->world;
}

// --- time ---

static void make_calls(live *at) {
    while (at->calls < at->calls_end) {
        call_block block;
        memcpy(&block, at->calls, sizeof block);
        if (block.step > at->step) return;
        at->calls += sizeof block;
        for (uint32_t i = 0; i < block.count; i++, at->calls += sizeof(scene_call)) {
            scene_call call;
            memcpy(&call, at->calls, sizeof call);
            scene_call_apply(at->world, &call); // what is gone, for instance a broken joint, is not moved
        }
    }
}

static void one_step(live *at) {
    live_forget_later(at);
    make_calls(at);
    live_characters_edit_again(at->characters, at->world);
    live_pull_step(at);
    sn_world_step(at->world, (sn_real)at->bake->step, (int)at->set[SET_SUBSTEPS]);
    live_characters_follow(at->characters, at->world);
    at->step++;
    at->changed = true;
    const sn_profile profile = sn_world_profile(at->world);
    at->step_ms += profile.step_ms;
    for (int i = 0; i < 8; i++) at->stage_ms[i] += profile.stage_ms[i];
    at->counted++;
    at->diverged += (uint32_t)profile.diverged;
    live_keep(at, false);
}

static void count_rate(live *at, double passed, int steps) {
    at->window_real += passed;
    at->window_run += steps * at->bake->step;
    if (at->window_real < 0.5) return;
    at->rate = at->window_run / at->window_real;
    at->window_real = at->window_run = 0;
}

int live_advance(live *at, double passed, double most) {
    const double start = clock_now(at);
    int steps = 0;
    if (!(passed >= 0 && passed < 1e6)) passed = 0;
    if (at->pending > 0) {
        while (at->pending > 0 && (steps == 0 || clock_now(at) - start < most)) one_step(at), steps++, at->pending--;
        at->playing = false;
        at->debt = 0;
    } else if (at->playing) {
        at->debt += passed * at->speed;
        at->slow = false;
        while (at->debt >= at->bake->step) {
            if (steps > 0 && clock_now(at) - start >= most) {
                at->slow = at->debt > MOST_DEBT * at->speed;
                if (at->slow) at->debt = 0;
                break;
            }
            one_step(at), steps++;
            at->debt -= at->bake->step;
        }
        count_rate(at, passed, steps);
    }
    return steps;
}

// --- hands and shots ---

void live_let_go(live *at) {
    if (at->hand.slot1) sn_joint_destroy(at->world, at->hand);
    at->hand = (sn_joint){0, 0};
    live_pull_end(at);
}

bool live_held_point(const live *at, sn_vec3 *out) {
    if (live_pull_point(at, out, NULL)) return true;
    if (!at->hand.slot1 || !sn_joint_exists(at->world, at->hand)) return false;
    const int n = sn_body_point_count(at->world, at->held);
    sn_vec3 *centres = n > 0 ? malloc((size_t)n * sizeof *centres) : NULL;
    if (!centres) return false;
    sn_body_get_points(at->world, at->held, centres, n);
    const sn_vec3 a = centres[at->held_parent], b = centres[at->held_segment];
    *out = sn_lerp(a, b, at->held_along);
    free(centres);
    return true;
}

// The i-th pill that was shot, and how many points a body has.
static sn_body find_body(const live *at, uint32_t body, double *mass) {
    if (!(body & SHOT_BODY)) {
        if (body >= (uint32_t)at->rod_count) return (sn_body){0};
        *mass = at->rods[body].mass;
        return at->rods[body].id;
    }
    uint32_t left = body & ~SHOT_BODY;
    for (int i = 0; i < sn_world_kind_count(at->world, SN_KIND_ROD); i++) {
        const sn_body rod = sn_world_kind_at(at->world, SN_KIND_ROD, i);
        if (sn_body_label(at->world, rod) < SHOT_LABEL || left-- > 0) continue;
        sn_real masses[2];
        sn_body_get_masses(at->world, rod, masses, 2);
        *mass = (double)masses[0] + (double)masses[1];
        return rod;
    }
    return (sn_body){0};
}

static bool find_parent(live *at, sn_body rod, uint32_t segment, int *parent) {
    const int n = sn_body_point_count(at->world, rod);
    if (segment >= (uint32_t)n) return false;
    int *parents = malloc((size_t)n * sizeof *parents);
    if (!parents) return false;
    sn_rod_get_parents(at->world, rod, parents, n);
    *parent = parents[segment];
    free(parents);
    return *parent >= 0;
}

// A vertex of what deforms: the point that it is, or the one that has most to say.
static int point_of_vertex(const view_surface *surface, uint32_t vertex) {
    if (vertex >= (uint32_t)surface->vertex_count) return -1;
    if (!surface->places) return surface->points ? surface->points[vertex] : (int)vertex;
    const view_place *place = &surface->places[vertex];
    int most = 0;
    for (int k = 1; k < 4; k++)
        if (place->weight[k] > place->weight[most]) most = k;
    return place->corner[most];
}

// Bodies that deform and chains. False: it is none of them.
static bool grab_soft(live *at, uint32_t body, uint32_t segment, float along) {
    if (!(body & SHOT_BODY) && (body & SURFACE_BODY)) {
        const uint32_t number = body & ~SURFACE_BODY;
        // Characters are led by their motion, and cannot be pulled.
        if (number >= (uint32_t)at->surface_count || at->surfaces[number].body.kind >= BAKE_OF_SKIN) return true;
        live_pull_start(at, at->surfaces[number].body, point_of_vertex(&at->surfaces[number], segment));
        return true;
    }
    if (body < (uint32_t)at->rod_count || body >= (uint32_t)poses_count(at->poses)) return false;
    const pose_body *posed = poses_body(at->poses, (int)body);
    if (!poses_chain(at->poses, (int)body) || segment >= (uint32_t)poses_joints(at->poses, (int)body)) return true;
    const int parent = poses_parents(at->poses, (int)body)[segment];
    const int joint = along < 0.5f && parent >= 0 ? parent : (int)segment;
    live_pull_start(at, posed->body, poses_chain(at->poses, (int)body)[joint]);
    return true;
}

static void grab(live *at, uint32_t body, uint32_t segment, float along, sn_vec3 hand) {
    live_let_go(at);
    at->hand_at = hand;
    if (grab_soft(at, body, segment, along)) return;
    double mass = 0;
    const sn_body rod = find_body(at, body, &mass);
    int parent;
    if (!rod.slot1 || !find_parent(at, rod, segment, &parent)) return;
    const double swing = 2 * 3.14159265358979 * HAND_HERTZ;
    sn_joint_def def = sn_joint_def_default();
    def.body_a = rod;
    def.segment_a = (int)segment;
    def.along_a = along < 0 ? 0 : along > 1 ? 1 : along;
    def.position = hand;
    def.compliance = (sn_real)(1 / (mass * swing * swing));
    def.max_force = (sn_real)(mass * 9.81 * HAND_WEIGHT);
    if (sn_joint_create(at->world, &def, &at->hand) != SN_OK) return;
    at->held = rod, at->held_segment = (int)segment, at->held_parent = parent, at->held_along = (float)def.along_a;
}

// Removes pills that were shot, the oldest ones, until at most 'most' are left.
static void clear_shots(live *at, int most) {
    for (;;) {
        sn_body oldest = {0};
        uint64_t least = UINT64_MAX;
        int count = 0;
        for (int i = 0; i < sn_world_kind_count(at->world, SN_KIND_ROD); i++) {
            const sn_body rod = sn_world_kind_at(at->world, SN_KIND_ROD, i);
            const uint64_t label = sn_body_label(at->world, rod);
            if (label < SHOT_LABEL) continue;
            count++;
            if (label < least) least = label, oldest = rod;
        }
        if (count <= most) return;
        if (oldest.slot1 == at->held.slot1 && oldest.gen == at->held.gen) live_let_go(at);
        sn_body_destroy(at->world, oldest);
    }
}

static void shoot(live *at, sn_vec3 from, sn_vec3 velocity, float radius, float density) {
    clear_shots(at, MOST_SHOTS - 1);
    const sn_real r = radius > 0 ? radius : (sn_real)(1.5 * at->mean_radius);
    const sn_vec3 along = sn_mul((sn_real)0.75 * r, sn_normalize(velocity, sn_v3(0, 1, 0)));
    const sn_vec3 points[2] = {sn_sub(from, along), sn_add(from, along)};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = 2, def.radius = r;
    def.material = sn_material_make((sn_real)1e6, (sn_real)0.45, density > 0 ? density : 1000);
    def.velocity = velocity;
    def.label = SHOT_LABEL + at->shots++;
    sn_body made;
    sn_rod_create(at->world, &def, &made);
}

// --- messages ---

enum {
    SAY_ACK = 1,
    SAY_PLAY,
    SAY_STEP,
    SAY_RESET,
    SAY_SPEED,
    SAY_SET,
    SAY_GRAB,
    SAY_DRAG,
    SAY_DROP,
    SAY_SHOOT,
    SAY_SCRUB,
    SAY_WATCH,
    SAY_CLEAR,
    SAY_MUSCLE,
    SAY_MUSCLE_BACK,
    SAY_TYPES
};

// Words after the type, and from which on they are floats.
static const struct {
    int words, floats;
} forms[SAY_TYPES] = {[SAY_ACK] = {1, 1},   [SAY_PLAY] = {1, 1},   [SAY_STEP] = {1, 1},       [SAY_RESET] = {0, 0},
                      [SAY_SPEED] = {1, 0}, [SAY_SET] = {2, 1},    [SAY_GRAB] = {6, 2},       [SAY_DRAG] = {3, 0},
                      [SAY_DROP] = {0, 0},  [SAY_SHOOT] = {8, 0},  [SAY_SCRUB] = {1, 1},      [SAY_WATCH] = {1, 1},
                      [SAY_CLEAR] = {0, 0}, [SAY_MUSCLE] = {4, 3}, [SAY_MUSCLE_BACK] = {2, 2}};
enum { MOST_WORDS = 9 };

// Lengths and speeds that make sense; false for NaN.
static bool sane(const float *v, int count) {
    for (int i = 0; i < count; i++)
        if (!(v[i] >= -1e6f && v[i] <= 1e6f)) return false;
    return true;
}

static bool read_message(const void *bytes, size_t size, uint32_t *u, float *f) {
    if (!bytes || size < 4 || size % 4 != 0 || size > MOST_WORDS * 4) return false;
    memcpy(u, bytes, size);
    memcpy(f, bytes, size);
    if (u[0] < SAY_ACK || u[0] >= SAY_TYPES) return false;
    const int words = forms[u[0]].words, floats = forms[u[0]].floats;
    return size == 4 * (size_t)(words + 1) && sane(f + 1 + floats, words - floats);
}

sn_status live_message(live *at, const void *bytes, size_t size) {
    uint32_t u[MOST_WORDS] = {0};
    float f[MOST_WORDS] = {0}, low, high;
    if (!read_message(bytes, size, u, f)) return SN_ERR_FORMAT;
    sn_status status = SN_OK;
    switch (u[0]) {
    case SAY_PLAY:
        at->playing = u[1] != 0, at->pending = 0, at->debt = 0;
        break;
    case SAY_STEP:
        if (u[1] < 1 || u[1] > 100000) return SN_ERR_FORMAT;
        at->pending = u[1];
        break;
    case SAY_RESET: {
        float wanted[SET_COUNT];
        memcpy(wanted, at->set, sizeof wanted);
        status = live_return(at, 0, false);
        live_forget_later(at);
        memcpy(at->set, wanted, sizeof wanted);
        live_set_again(at);
        live_characters_edit_again(at->characters, at->world);
        at->pending = 0, at->debt = 0, at->diverged = 0;
        break;
    }
    case SAY_SPEED:
        if (!(f[1] >= 0.01f && f[1] <= 10)) return SN_ERR_FORMAT;
        at->speed = (double)f[1];
        break;
    case SAY_SET:
        if (u[1] >= SET_COUNT || !live_setting_range((int)u[1], &low, &high)) return SN_ERR_FORMAT;
        live_set(at, (int)u[1], f[2]);
        break;
    case SAY_GRAB:
        grab(at, u[1], u[2], f[3], sn_v3(f[4], f[5], f[6]));
        break;
    case SAY_DRAG:
        at->hand_at = sn_v3(f[1], f[2], f[3]);
        if (at->hand.slot1) sn_joint_move(at->world, at->hand, at->hand_at);
        break;
    case SAY_DROP:
        live_let_go(at);
        break;
    case SAY_SHOOT:
        shoot(at, sn_v3(f[1], f[2], f[3]), sn_v3(f[4], f[5], f[6]), f[7], f[8]);
        break;
    case SAY_SCRUB:
        live_keep(at, true); // so that one may come back to the present
        status = live_return(at, u[1], true);
        at->playing = false, at->pending = 0;
        break;
    case SAY_WATCH:
        at->watch = u[1];
        break;
    case SAY_CLEAR:
        clear_shots(at, 0);
        break;
    case SAY_MUSCLE:
        if (live_characters_edit(at->characters, at->world, u[1], u[2], u[3], f[4]) == SN_ERR_RANGE)
            return SN_ERR_FORMAT;
        break;
    case SAY_MUSCLE_BACK:
        live_characters_undo(at->characters, at->world, u[1], u[2]);
        break;
    default:
        return SN_OK; // an acknowledgement is for the host
    }
    at->changed = true;
    return status;
}

bool live_changed(const live *at) {
    return at->changed;
}
