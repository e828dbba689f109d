// A frame: the state as bytes for a page. See docs/live-protocol.md.
#include "session/session_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MAGIC 0x33464E53u
enum { FIXED_WORDS = 54, JOINT_WORDS = 11, SHOT_WORDS = 8, CONTACT_WORDS = 7, EDIT_WORDS = 4, MOST_CONTACTS = 20000 };
enum { BOX_WORDS = 6, STEPS = 65535 };
enum { FLAG_PLAYING = 1, FLAG_HELD = 2, FLAG_OVER = 4, FLAG_SLOW = 8 };

// Words one after the other.
typedef struct {
    unsigned char *at;
} writer;

static void put_u(writer *w, uint32_t value) {
    memcpy(w->at, &value, 4);
    w->at += 4;
}

static void put_f(writer *w, double value) {
    const float f = (float)value;
    memcpy(w->at, &f, 4);
    w->at += 4;
}

static void put_d(writer *w, double value) {
    memcpy(w->at, &value, 8);
    w->at += 8;
}

static void put_v(writer *w, sn_vec3 v) {
    put_f(w, (double)v.x), put_f(w, (double)v.y), put_f(w, (double)v.z);
}

static int count_shots(const live *at) {
    int count = 0;
    for (int i = 0; i < sn_world_kind_count(at->world, SN_KIND_ROD); i++)
        count += sn_body_label(at->world, sn_world_kind_at(at->world, SN_KIND_ROD, i)) >= SHOT_LABEL;
    return count;
}

static int read_contacts(live *at) {
    if (!(at->watch & WATCH_CONTACTS)) return 0;
    int count = sn_world_get_contacts(at->world, NULL, 0);
    count = count < MOST_CONTACTS ? count : MOST_CONTACTS;
    if (count > at->contact_capacity) {
        sn_contact *more = realloc(at->contacts, (size_t)count * sizeof *more);
        if (!more) return 0;
        at->contacts = more, at->contact_capacity = count;
    }
    sn_world_get_contacts(at->world, at->contacts, count);
    return count;
}

static void put_costs(live *at, writer *w) {
    const double n = at->counted ? at->counted : 1;
    const sn_profile profile = sn_world_profile(at->world);
    put_f(w, at->step_ms / n);
    for (int i = 0; i < 8; i++) put_f(w, at->stage_ms[i] / n);
    if (at->counted) {
        at->step_ms = 0, at->counted = 0;
        memset(at->stage_ms, 0, sizeof at->stage_ms);
    }
    put_u(w, (uint32_t)profile.pairs);
    put_u(w, (uint32_t)profile.contacts);
    put_u(w, (uint32_t)sn_world_dof_count(at->world));
    put_u(w, at->diverged);
}

static void put_measures(live *at, writer *w) {
    if (!(at->watch & WATCH_MEASURES)) {
        for (int i = 0; i < 5; i++) put_f(w, (double)NAN);
        return;
    }
    const sn_energy energy = sn_world_energy(at->world);
    double volume = 0;
    for (int i = 0; i < at->rod_count; i++) volume += sn_body_volume(at->world, at->rods[i].id);
    for (int i = 0; i < at->soft_count; i++) {
        const view_kind *kind = view_kind_of(at->soft[i].id);
        if (kind->is_solid(at->world, at->soft[i].id)) volume += sn_body_volume(at->world, at->soft[i].id);
    }
    put_f(w, energy.kinetic), put_f(w, energy.elastic), put_f(w, energy.potential);
    put_f(w, at->rest_volume > 0 ? volume / at->rest_volume : 1);
    put_f(w, sn_world_penetration(at->world));
}

static void put_joints(live *at, writer *w) {
    poses_read(at->poses, at->world, at->joints, at->scales);
    const int rods = at->joint_count - at->moving_count;
    for (int i = 0; i < at->moving_count; i++) {
        sn_joint_pose *pose = &at->joints[rods + i];
        *pose = (sn_joint_pose){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
        sn_rigid_get_pose(at->world, at->moving[i], &pose->position, &pose->rotation);
        at->scales[rods + i] = 1;
    }
    for (int i = 0; i < at->joint_count; i++) {
        const sn_joint_pose *pose = &at->joints[i];
        put_v(w, pose->position);
        put_f(w, (double)pose->rotation.x), put_f(w, (double)pose->rotation.y);
        put_f(w, (double)pose->rotation.z), put_f(w, (double)pose->rotation.w);
        put_v(w, pose->scale);
        put_f(w, (double)at->scales[i]);
    }
}

static void put_shots(const live *at, writer *w) {
    for (int i = 0; i < sn_world_kind_count(at->world, SN_KIND_ROD); i++) {
        const sn_body rod = sn_world_kind_at(at->world, SN_KIND_ROD, i);
        if (sn_body_label(at->world, rod) < SHOT_LABEL) continue;
        sn_vec3 centres[2] = {{0, 0, 0}, {0, 0, 0}};
        sn_real radii[2] = {0, 0};
        sn_body_get_points(at->world, rod, centres, 2);
        sn_rod_get_radii(at->world, rod, radii, 2);
        for (int k = 0; k < 2; k++) put_v(w, centres[k]), put_f(w, (double)radii[k]);
    }
}

// Vertices of a body that deforms take three words for two: 65,536 places along each side of the box around them.
static size_t surface_words(const live *at) {
    size_t words = 0;
    for (int i = 0; i < at->surface_count; i++) words += BOX_WORDS + (3 * (size_t)at->surfaces[i].vertex_count + 1) / 2;
    return words;
}

static void put_surface(live *at, writer *w, const view_surface *surface) {
    const int n = surface->vertex_count;
    float low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, by[3];
    if (!live_read_surface(at, surface, at->vertices)) memset(at->vertices, 0, (size_t)n * sizeof *at->vertices);
    for (int v = 0; v < n; v++) {
        for (int k = 0; k < 3; k++) {
            const float x = at->vertices[v][k];
            low[k] = v == 0 || x < low[k] ? x : low[k];
            high[k] = v == 0 || x > high[k] ? x : high[k];
        }
    }
    for (int k = 0; k < 3; k++) put_f(w, (double)low[k]);
    for (int k = 0; k < 3; k++) {
        const float size = high[k] - low[k];
        by[k] = size > 0 ? STEPS / size : 0;
        put_f(w, (double)(size / STEPS));
    }
    for (int i = 0; i < 3 * n; i++) {
        const float place = (at->vertices[i / 3][i % 3] - low[i % 3]) * by[i % 3] + 0.5f;
        const uint16_t step = place >= STEPS ? STEPS : place > 0 ? (uint16_t)place : 0; // not a number: 0
        memcpy(w->at, &step, 2);
        w->at += 2;
    }
    if (3 * n % 2) memset(w->at, 0, 2), w->at += 2;
}

const void *live_frame(live *at, size_t *size) {
    const live_edit *edits;
    const int shots = count_shots(at), contacts = read_contacts(at);
    const int edited = live_characters_edits(at->characters, &edits);
    *size = 4 * ((size_t)FIXED_WORDS + JOINT_WORDS * (size_t)at->joint_count + SHOT_WORDS * (size_t)shots +
                 CONTACT_WORDS * (size_t)contacts + EDIT_WORDS * (size_t)edited + surface_words(at));
    if (*size > at->frame_capacity) {
        unsigned char *more = realloc(at->frame, *size);
        if (!more) return NULL;
        at->frame = more, at->frame_capacity = *size;
    }
    const sn_profile profile = sn_world_profile(at->world);
    const uint64_t hash = sn_world_hash(at->world);
    sn_vec3 held = {0, 0, 0};
    const bool holds = live_held_point(at, &held);
    writer w = {at->frame};
    put_u(&w, FRAME_MAGIC);
    put_u(&w, ++at->frames);
    put_u(&w, (at->playing || at->pending ? FLAG_PLAYING : 0u) | (holds ? FLAG_HELD : 0u) |
                  (at->step >= at->bake->steps ? FLAG_OVER : 0u) | (at->slow ? FLAG_SLOW : 0u));
    put_u(&w, at->step);
    put_d(&w, at->step * at->bake->step);
    put_u(&w, (uint32_t)hash), put_u(&w, (uint32_t)(hash >> 32));
    put_u(&w, (uint32_t)at->joint_count), put_u(&w, (uint32_t)shots), put_u(&w, (uint32_t)contacts);
    put_u(&w, (uint32_t)profile.asleep);
    put_f(&w, at->speed);
    put_f(&w, at->rate);
    put_costs(at, &w);
    put_measures(at, &w);
    put_u(&w, at->past_count ? at->past[0].step : at->step);
    const uint32_t last = at->past_count ? at->past[at->past_count - 1].step : at->step;
    put_u(&w, last > at->step ? last : at->step);
    put_u(&w, (uint32_t)at->past_count);
    for (int i = 0; i < SET_COUNT; i++) put_f(&w, (double)at->set[i]);
    put_v(&w, held), put_v(&w, at->hand_at);
    put_u(&w, (uint32_t)at->surface_count), put_u(&w, (uint32_t)at->vertex_count);
    put_u(&w, (uint32_t)edited);
    put_joints(at, &w);
    put_shots(at, &w);
    for (int i = 0; i < contacts; i++) {
        put_v(&w, at->contacts[i].point), put_v(&w, at->contacts[i].normal);
        put_f(&w, (double)at->contacts[i].force);
    }
    for (int i = 0; i < edited; i++) {
        put_u(&w, edits[i].character), put_u(&w, edits[i].muscle), put_u(&w, edits[i].number);
        put_f(&w, (double)edits[i].value);
    }
    for (int i = 0; i < at->surface_count; i++) put_surface(at, &w, &at->surfaces[i]);
    at->changed = false;
    return at->frame;
}
