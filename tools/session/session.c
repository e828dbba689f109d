// See session.h. A step applies the scene's calls for that time, steps the world, and from time to time saves a state.
// Steps have the scene's length at every speed: speed only sets how many are done in a second, so that a run without user
// input is the same at every speed and on every machine.
#include "base/math/vec.h"
#include "kind_list.h"
#include "session/page_message.h"
#include "session/session_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The hand is a spring: the body's frequency on it, Hz, and its largest force as a multiple of the body's weight on Earth.
#define HAND_HERTZ  3.0
#define HAND_WEIGHT 60.0

// Bits that messages add to the index of a shot pill and of a deforming surface.
#define SHOT_BODY    0x80000000u
#define SURFACE_BODY 0x40000000u

// Largest backlog of real time, s. After a pause of the machine the session does not catch up.
#define MAX_DEBT 0.1

static double clock_now(const session *s) {
    return s->options.clock ? s->options.clock() : 0;
}

// --- opening ---

static bool part_fits(const page_header *header, page_part part, size_t element) {
    return part.offset % 8 == 0 && part.offset >= sizeof *header && part.offset <= header->size &&
           part.size <= header->size - part.offset && part.size % element == 0;
}

static bool header_is_valid(const void *bytes, size_t size) {
    page_header h;
    if (!bytes || size < sizeof h) return false;
    memcpy(&h, bytes, sizeof h);
    return memcmp(h.magic, PAGE_MAGIC, sizeof h.magic) == 0 && h.version == PAGE_VERSION && h.size == size &&
           part_fits(&h, h.table, 1) && part_fits(&h, h.world, 1) && part_fits(&h, h.calls, 4) &&
           part_fits(&h, h.rods, sizeof(page_rod)) && part_fits(&h, h.moves, sizeof(sn_body)) &&
           part_fits(&h, h.surfaces, sizeof(page_surface)) && part_fits(&h, h.places, 4) &&
           part_fits(&h, h.characters, sizeof(page_character)) && part_fits(&h, h.models, 4) && h.step >= 1e-7 &&
           h.step <= 1 && h.substeps <= 1000 && h.solver <= SN_SOLVER_JACOBI && h.iterations >= 1 &&
           h.iterations <= 1000 && h.sweeps >= 1 && h.sweeps <= 100 && isfinite(h.gravity[0]) &&
           isfinite(h.gravity[1]) && isfinite(h.gravity[2]);
}

typedef struct {
    uint32_t step, count;
} call_block;

// Whether blocks of calls are complete and in order.
static bool calls_are_valid(const session *s) {
    const unsigned char *here = s->bytes + s->page->calls.offset, *end = here + s->page->calls.size;
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

void session_find_calls(session *s) {
    s->calls = s->bytes + s->page->calls.offset;
    s->calls_end = s->calls + s->page->calls.size;
    while (s->calls < s->calls_end) {
        call_block block;
        memcpy(&block, s->calls, sizeof block);
        if (block.step >= s->step) break;
        s->calls += sizeof block + block.count * sizeof(scene_call);
    }
}

// Reads the settings of a body of pills.
static bool read_settings(session *s, session_rod *rod) {
    const view_kind *kind = view_kind_of(rod->id);
    sn_real *numbers = malloc((size_t)rod->points * sizeof *numbers);
    if (!numbers) return false;
    sn_body_get_masses(s->world, rod->id, numbers, rod->points);
    for (int i = 0; i < rod->points; i++) rod->mass += (double)numbers[i];
    kind->radii(s->world, rod->id, numbers, rod->points);
    for (int i = 0; i < rod->points; i++) s->mean_radius += (double)numbers[i]; // divided later
    s->rest_volume += sn_body_rest_volume(s->world, rod->id);
    free(numbers);
    if (kind->copy_settings) rod->made = kind->copy_settings(s->world, rod->id);
    return rod->made || !kind->copy_settings;
}

// The number of joints; 0: the page is invalid.
static int joints_of(const session *s, const page_rod *from) {
    if (from->form == PAGE_MUSCLE)
        return sn_bundle_get_sections(s->world, (sn_bundle){from->slot1, from->gen}, NULL, 0);
    const sn_body id = {from->kind, from->slot1, from->gen};
    const view_kind *kind = view_kind_of(id);
    if (!kind || (kind->joints == NULL) != (from->form == PAGE_CHAIN)) return 0;
    if (kind->joints) return kind->points(s->world, id, NULL, 0);
    int32_t *points, *parents;
    const int count = view_chain(s->world, id, &points, &parents);
    free(points);
    free(parents);
    return count;
}

// A rod, a chain or a muscle.
static bool open_rod(session *s, const page_rod *from, bool *filled) {
    const int joints = joints_of(s, from);
    sn_joint_pose **rest = &s->rest[from->shape];
    if (!*rest) *rest = calloc((size_t)joints, sizeof **rest);
    pose_body posed = {.body = {from->kind, from->slot1, from->gen},
                       .first = s->joint_count,
                       .skinned = from->form == PAGE_SKIN || from->form == PAGE_MUSCLE,
                       .position = {from->position[0], from->position[1], from->position[2]},
                       .rotation = {from->rotation[0], from->rotation[1], from->rotation[2], from->rotation[3]},
                       .rest = *rest,
                       .fill_rest = !filled[from->shape]};
    bool good = *rest != NULL;
    if (from->form == PAGE_MUSCLE) {
        posed.bundle = (sn_bundle){from->slot1, from->gen};
    } else if (from->form != PAGE_CHAIN) {
        session_rod *rod = &s->rods[s->rod_count++];
        rod->id = posed.body;
        rod->points = joints;
        good = good && read_settings(s, rod);
    }
    filled[from->shape] = true;
    s->joint_count += joints;
    return good && poses_add(s->poses, s->world, &posed);
}

// Rods of the same shape must have the same number of joints, since they share those at rest. Rods come first, so that
// indices of bodies are those of rods.
static bool shapes_agree(const session *s, const page_rod *rods, int count) {
    int *joints = calloc((size_t)count + 1, sizeof *joints);
    bool good = joints;
    for (int i = 0; good && i < count; i++) {
        const bool ordered = i == 0 || (rods[i - 1].form <= PAGE_SKIN ? 0 : rods[i - 1].form) <=
                                           (rods[i].form <= PAGE_SKIN ? 0 : rods[i].form);
        const int n = rods[i].form < PAGE_FORMS ? joints_of(s, &rods[i]) : 0;
        good = n > 0 && ordered && rods[i].shape < (uint32_t)count &&
               (joints[rods[i].shape] == 0 || joints[rods[i].shape] == n);
        if (good) joints[rods[i].shape] = n;
    }
    free(joints);
    return good;
}

// A skin of a character, or a muscle.
static bool open_character_surface(session *s, const page_surface *from) {
    view_surface *made = &s->surfaces[s->surface_count++];
    const int muscle = from->kind == PAGE_OF_SKIN ? -1 : (int)(from->gen & INT32_MAX);
    if (from->vertices > INT32_MAX / 16) return false;
    *made = (view_surface){.body = {from->kind, from->slot1, (uint32_t)muscle}, .vertex_count = (int)from->vertices};
    s->vertex_count += made->vertex_count;
    return s->characters && s->character_ops->fits(s->characters, s->world, from->slot1, muscle, made->vertex_count);
}

bool session_read_surface(const session *s, const view_surface *surface, float (*out)[3]) {
    if (surface->body.kind < PAGE_OF_SKIN) return view_surface_read(s->world, surface, out);
    return s->character_ops->read(s->characters, s->world, surface->body.slot1, (int)surface->body.gen, out,
                                  surface->vertex_count);
}

static bool open_surface(session *s, const page_surface *from) {
    if (from->kind == PAGE_OF_SKIN || from->kind == PAGE_OF_MUSCLE) return open_character_surface(s, from);
    const page_part places = s->page->places;
    const size_t each = from->embedded ? sizeof(view_place) : sizeof(int32_t);
    if (from->vertices > INT32_MAX / 16 || from->offset % 4 || from->offset > places.size ||
        from->vertices > (places.size - from->offset) / each)
        return false;
    const void *list = s->bytes + places.offset + from->offset;
    view_surface *made = &s->surfaces[s->surface_count++];
    *made = (view_surface){.body = {from->kind, from->slot1, from->gen}, .vertex_count = (int)from->vertices};
    if (from->embedded)
        made->places = list;
    else
        made->points = list;
    s->vertex_count += made->vertex_count;
    return view_surface_fits(s->world, made);
}

static bool open_body(session *s, session_body *body, sn_body id) {
    const view_kind *kind = view_kind_of(id);
    body->id = id;
    if (kind->copy_settings) body->made = kind->copy_settings(s->world, id);
    return body->made || !kind->copy_settings;
}

static bool open_soft(session *s, sn_body id) {
    if (view_kind_of(id)->is_solid(s->world, id)) s->rest_volume += sn_body_rest_volume(s->world, id);
    return open_body(s, &s->soft[s->soft_count++], id);
}

static sn_status open_surfaces(session *s) {
    const int count = (int)(s->page->surfaces.size / sizeof(page_surface)), soft = view_count(s->world, VIEW_SURFACE);
    const page_surface *all = (const page_surface *)(const void *)(s->bytes + s->page->surfaces.offset);
    int max_vertices = 0;
    s->surfaces = calloc((size_t)count + 1, sizeof *s->surfaces);
    s->soft = calloc((size_t)soft + 1, sizeof *s->soft);
    if (!s->surfaces || !s->soft) return SN_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        if (!open_surface(s, &all[i])) return SN_ERR_FORMAT;
        max_vertices = s->surfaces[i].vertex_count > max_vertices ? s->surfaces[i].vertex_count : max_vertices;
    }
    for (int i = 0; i < soft; i++)
        if (!open_soft(s, view_at(s->world, VIEW_SURFACE, i))) return SN_ERR_MEMORY;
    s->vertices = calloc((size_t)max_vertices + 1, sizeof *s->vertices);
    return s->vertices ? SN_OK : SN_ERR_MEMORY;
}

// The radius of shots in a scene without rods: a fraction of the size of its surfaces.
static double radius_of_surfaces(session *s) {
    double size = 0;
    for (int i = 0; i < s->surface_count; i++) {
        float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
        if (!session_read_surface(s, &s->surfaces[i], s->vertices)) break;
        for (int v = 0; v < s->surfaces[i].vertex_count; v++)
            for (int k = 0; k < 3; k++) {
                const float x = s->vertices[v][k];
                low[k] = v == 0 || x < low[k] ? x : low[k];
                high[k] = v == 0 || x > high[k] ? x : high[k];
            }
        for (int k = 0; k < 3; k++) size = fmax(size, (double)(high[k] - low[k]));
    }
    return size > 0 ? size / 25 : 0.05;
}

static sn_status open_bodies(session *s) {
    const page_header *header = s->page;
    const int count = (int)(header->rods.size / sizeof(page_rod));
    const page_rod *rods = (const page_rod *)(const void *)(s->bytes + header->rods.offset);
    if (!shapes_agree(s, rods, count)) return SN_ERR_FORMAT;
    s->moving = (const sn_body *)(const void *)(s->bytes + header->moves.offset);
    s->moving_count = (int)(header->moves.size / sizeof *s->moving);
    const int rigid = view_count(s->world, VIEW_RIGID);
    s->rods = calloc((size_t)count + 1, sizeof *s->rods);
    s->rest = calloc((size_t)count + 1, sizeof *s->rest);
    s->rigid = calloc((size_t)rigid + 1, sizeof *s->rigid);
    s->poses = poses_new();
    bool *filled = calloc((size_t)count + 1, sizeof *filled);
    bool good = s->rods && s->rest && s->rigid && s->poses && filled;
    s->rest_count = count;
    for (int i = 0; good && i < count; i++) good = open_rod(s, &rods[i], filled);
    for (int i = 0; good && i < rigid; i++)
        good = open_body(s, &s->rigid[s->rigid_count++], view_at(s->world, VIEW_RIGID, i));
    free(filled);
    const sn_status status = good ? open_surfaces(s) : SN_ERR_MEMORY;
    if (status != SN_OK) return status;
    int points = 0;
    for (int i = 0; i < s->rod_count; i++) points += s->rods[i].points;
    s->mean_radius = points ? s->mean_radius / points : radius_of_surfaces(s);
    s->joint_count += s->moving_count;
    s->joints = calloc((size_t)s->joint_count + 1, sizeof *s->joints);
    s->scales = calloc((size_t)s->joint_count + 1, sizeof *s->scales);
    return s->joints && s->scales ? SN_OK : SN_ERR_MEMORY;
}

// Builds without implicit muscles refuse pages with characters.
static sn_status open_characters(session *s) {
    if (s->page->characters.size == 0) return SN_OK;
#ifdef SN_HAS_IMPLICIT_MUSCLE
    s->character_ops = &session_character_table;
    return s->character_ops->open(s->bytes, s->page, s->world, &s->characters);
#else
    return SN_ERR_FORMAT;
#endif
}

static sn_status open_page(session *s, const void *page, size_t size) {
    s->bytes = malloc(size);
    if (!s->bytes) return SN_ERR_MEMORY;
    memcpy(s->bytes, page, size);
    s->page = (const page_header *)(const void *)s->bytes;
    if (!calls_are_valid(s)) return SN_ERR_FORMAT;
    sn_world_def def = sn_world_def_default();
    def.worker_count = s->options.workers > 0 ? s->options.workers : 1;
    sn_status status = sn_world_restore(&def, s->bytes + s->page->world.offset, s->page->world.size, &s->world);
    if (status == SN_OK) status = open_characters(s);
    if (status == SN_OK) status = open_bodies(s);
    if (status != SN_OK) return status;
    session_init_settings(s);
    session_find_calls(s);
    s->speed = 1;
    s->changed = true;
    return session_save_state(s, true) ? SN_OK : SN_ERR_MEMORY;
}

sn_status session_open(const void *page, size_t size, const session_options *options, session **out) {
    *out = NULL;
    if (!header_is_valid(page, size)) return SN_ERR_FORMAT;
    session *made = calloc(1, sizeof *made);
    if (!made) return SN_ERR_MEMORY;
    if (options) made->options = *options;
    sn_status status = open_page(made, page, size);
    if (status != SN_OK) {
        session_close(made);
        return status;
    }
    *out = made;
    return SN_OK;
}

void session_close(session *s) {
    if (!s) return;
    session_clear_history(s);
    poses_free(s->poses);
    for (int i = 0; i < s->rod_count; i++) free(s->rods[i].made);
    for (int i = 0; s->rest && i < s->rest_count; i++) free(s->rest[i]);
    free(s->rest);
    for (int i = 0; i < s->soft_count; i++) free(s->soft[i].made);
    for (int i = 0; i < s->rigid_count; i++) free(s->rigid[i].made);
    session_pull_end(s);
    free(s->soft);
    free(s->surfaces);
    free(s->vertices);
    free(s->rods);
    free(s->rigid);
    free(s->joints);
    free(s->scales);
    free(s->frame);
    free(s->contacts);
    sn_world_destroy(s->world);
    if (s->characters) s->character_ops->close(s->characters);
    free(s->bytes);
    free(s);
}

sn_world *session_world(session *s) {
    return s->world;
}

// --- time ---

static void make_calls(session *s) {
    while (s->calls < s->calls_end) {
        call_block block;
        memcpy(&block, s->calls, sizeof block);
        if (block.step > s->step) return;
        s->calls += sizeof block;
        for (uint32_t i = 0; i < block.count; i++, s->calls += sizeof(scene_call)) {
            scene_call call;
            memcpy(&call, s->calls, sizeof call);
            scene_call_apply(s->world, &call); // calls to what no longer exists, such as a broken joint, have no effect
        }
    }
}

// False: the step did not happen. Then the session stops, and the frames say so until one does.
static bool one_step(session *s) {
    session_drop_future(s);
    make_calls(s);
    if (s->characters) s->character_ops->reapply(s->characters, s->world);
    session_pull_step(s);
    const sn_status status = sn_world_step(s->world, (sn_real)s->page->step, (int)s->set[SET_SUBSTEPS]);
    s->failed = status != SN_OK && status != SN_WARN_DIVERGED && status != SN_WARN_ENERGY;
    if (s->failed) {
        s->playing = false, s->pending = 0, s->debt = 0;
        return false;
    }
    if (s->characters) s->character_ops->follow(s->characters, s->world);
    s->step++;
    s->changed = true;
    const sn_profile profile = sn_world_profile(s->world);
    s->step_ms += profile.step_ms;
    for (int i = 0; i < 8; i++) s->stage_ms[i] += profile.stage_ms[i];
    s->counted++;
    s->diverged += (uint32_t)profile.diverged;
    session_save_state(s, false);
    return true;
}

static void count_rate(session *s, double passed, int steps) {
    s->window_real += passed;
    s->window_run += steps * s->page->step;
    if (s->window_real < 0.5) return;
    s->rate = s->window_run / s->window_real;
    s->window_real = s->window_run = 0;
}

int session_advance(session *s, double passed, double max_work) {
    const double start = clock_now(s);
    int steps = 0;
    if (!(passed >= 0 && passed < 1e6)) passed = 0;
    if (s->pending > 0) {
        while (s->pending > 0 && (steps == 0 || clock_now(s) - start < max_work) && one_step(s)) steps++, s->pending--;
        s->playing = false;
        s->debt = 0;
    } else if (s->playing) {
        s->debt += passed * s->speed;
        s->slow = false;
        while (s->debt >= s->page->step) {
            if (steps > 0 && clock_now(s) - start >= max_work) {
                s->slow = s->debt > MAX_DEBT * s->speed;
                if (s->slow) s->debt = 0;
                break;
            }
            if (!one_step(s)) break;
            steps++;
            s->debt -= s->page->step;
        }
        count_rate(s, passed, steps);
    }
    return steps;
}

// --- hands and shots ---

void session_release(session *s) {
    if (s->hand.slot1) sn_joint_destroy(s->world, s->hand);
    s->hand = (sn_joint){0, 0};
    session_pull_end(s);
}

bool session_held_point(const session *s, sn_vec3 *out) {
    if (session_pull_point(s, out, NULL)) return true;
    if (!s->hand.slot1 || !sn_joint_exists(s->world, s->hand)) return false;
    const int n = sn_body_point_count(s->world, s->held);
    sn_vec3 *centres = n > 0 ? malloc((size_t)n * sizeof *centres) : NULL;
    if (!centres) return false;
    sn_body_get_points(s->world, s->held, centres, n);
    const sn_vec3 a = centres[s->held_parent], b = centres[s->held_segment];
    *out = sn_lerp(a, b, s->held_along);
    free(centres);
    return true;
}

// The body that a message names, and its mass.
static sn_body find_body(const session *s, uint32_t body, double *mass) {
    if (!(body & SHOT_BODY)) {
        if (body >= (uint32_t)s->rod_count) return (sn_body){0};
        *mass = s->rods[body].mass;
        return s->rods[body].id;
    }
    sn_body shots[MAX_SHOTS];
    const uint32_t index = body & ~SHOT_BODY;
    if (index >= (uint32_t)session_get_shots(s, shots)) return (sn_body){0};
    *mass = sn_body_mass(s->world, shots[index]);
    return shots[index];
}

static bool find_parent(session *s, sn_body rod, uint32_t segment, int *parent) {
    const int n = sn_body_point_count(s->world, rod);
    if (segment >= (uint32_t)n) return false;
    int *parents = malloc((size_t)n * sizeof *parents);
    if (!parents) return false;
    view_kind_of(rod)->parents(s->world, rod, parents, n);
    *parent = parents[segment];
    free(parents);
    return *parent >= 0;
}

// The point of a vertex of a deforming surface: its own, or the one with the largest weight.
static int point_of_vertex(const view_surface *surface, uint32_t vertex) {
    if (vertex >= (uint32_t)surface->vertex_count) return -1;
    if (!surface->places) return surface->points ? surface->points[vertex] : (int)vertex;
    const view_place *place = &surface->places[vertex];
    int heaviest = 0;
    for (int k = 1; k < 4; k++)
        if (place->weight[k] > place->weight[heaviest]) heaviest = k;
    return place->corner[heaviest];
}

// Grabs a deforming body or a chain. False: it is neither.
static bool grab_soft(session *s, uint32_t body, uint32_t segment, float along) {
    if (!(body & SHOT_BODY) && (body & SURFACE_BODY)) {
        const uint32_t number = body & ~SURFACE_BODY;
        // Characters are driven by their motion and cannot be pulled.
        if (number >= (uint32_t)s->surface_count || s->surfaces[number].body.kind >= PAGE_OF_SKIN) return true;
        session_pull_start(s, s->surfaces[number].body, point_of_vertex(&s->surfaces[number], segment));
        return true;
    }
    if (body < (uint32_t)s->rod_count || body >= (uint32_t)poses_count(s->poses)) return false;
    const pose_body *posed = poses_body(s->poses, (int)body);
    if (!poses_chain(s->poses, (int)body) || segment >= (uint32_t)poses_joints(s->poses, (int)body)) return true;
    const int parent = poses_parents(s->poses, (int)body)[segment];
    const int joint = along < 0.5f && parent >= 0 ? parent : (int)segment;
    session_pull_start(s, posed->body, poses_chain(s->poses, (int)body)[joint]);
    return true;
}

static void grab(session *s, uint32_t body, uint32_t segment, float along, sn_vec3 hand) {
    session_release(s);
    s->hand_at = hand;
    if (grab_soft(s, body, segment, along)) return;
    double mass = 0;
    const sn_body rod = find_body(s, body, &mass);
    int parent;
    if (!rod.slot1 || !find_parent(s, rod, segment, &parent)) return;
    const double swing = 2 * 3.14159265358979 * HAND_HERTZ;
    sn_joint_def def = sn_joint_def_default();
    def.body_a = rod;
    def.segment_a = (int)segment;
    def.along_a = along < 0 ? 0 : along > 1 ? 1 : along;
    def.position = hand;
    def.compliance = (sn_real)(1 / (mass * swing * swing));
    def.max_force = (sn_real)(mass * 9.81 * HAND_WEIGHT);
    if (sn_joint_create(s->world, &def, &s->hand) != SN_OK) return;
    s->held = rod, s->held_segment = (int)segment, s->held_parent = parent, s->held_along = (float)def.along_a;
}

// --- messages ---

sn_status session_message(session *s, const void *bytes, size_t size) {
    page_message message;
    if (!page_message_read(bytes, size, &message, NULL)) return SN_ERR_FORMAT;
    const uint32_t *u = message.u;
    const float *f = message.f;
    sn_status status = SN_OK;
    switch (u[0]) {
    case MESSAGE_PLAY:
        s->playing = u[1] != 0, s->pending = 0, s->debt = 0;
        break;
    case MESSAGE_STEP:
        s->pending = u[1];
        break;
    case MESSAGE_RESET: {
        float wanted[SET_COUNT];
        memcpy(wanted, s->set, sizeof wanted);
        status = session_restore_state(s, 0, false);
        session_drop_future(s);
        memcpy(s->set, wanted, sizeof wanted);
        session_reapply_settings(s);
        if (s->characters) s->character_ops->reapply(s->characters, s->world);
        s->pending = 0, s->debt = 0, s->diverged = 0, s->failed = false;
        break;
    }
    case MESSAGE_SPEED:
        s->speed = (double)f[1];
        break;
    case MESSAGE_SET:
        session_set(s, (int)u[1], f[2]);
        break;
    case MESSAGE_GRAB:
        grab(s, u[1], u[2], f[3], sn_v3(f[4], f[5], f[6]));
        break;
    case MESSAGE_DRAG:
        s->hand_at = sn_v3(f[1], f[2], f[3]);
        if (s->hand.slot1) sn_joint_move(s->world, s->hand, s->hand_at);
        break;
    case MESSAGE_DROP:
        session_release(s);
        break;
    case MESSAGE_SHOOT:
        session_shoot(s, sn_v3(f[1], f[2], f[3]), sn_v3(f[4], f[5], f[6]), f[7], f[8]);
        break;
    case MESSAGE_SCRUB:
        session_save_state(s, true); // so that the user can return to the present
        status = session_restore_state(s, u[1], true);
        s->playing = false, s->pending = 0;
        break;
    case MESSAGE_WATCH:
        s->watch = u[1];
        break;
    case MESSAGE_CLEAR:
        session_clear_shots(s, 0);
        break;
    case MESSAGE_MUSCLE:
        if (!s->characters || s->character_ops->edit(s->characters, s->world, u[1], u[2], u[3], f[4]) == SN_ERR_RANGE)
            return SN_ERR_FORMAT;
        break;
    case MESSAGE_MUSCLE_BACK:
        if (s->characters) s->character_ops->undo(s->characters, s->world, u[1], u[2]);
        break;
    default:
        return SN_OK; // the host handles acknowledgements
    }
    s->changed = true;
    return status;
}

bool session_changed(const session *s) {
    return s->changed;
}
