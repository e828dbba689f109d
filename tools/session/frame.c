// A frame: the state as bytes for a page. See docs/session-protocol.md.
#include "session/session_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MAGIC 0x34464E53u
enum { FIXED_WORDS = 54, JOINT_WORDS = 15, SHOT_WORDS = 8, CONTACT_WORDS = 7, EDIT_WORDS = 4, MAX_CONTACTS = 20000 };
enum { BOX_WORDS = 6, STEPS = 65535 };
enum { FLAG_PLAYING = 1, FLAG_HELD = 2, FLAG_OVER = 4, FLAG_SLOW = 8, FLAG_FAILED = 16 };

// Writes 32-bit words.
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

static int read_contacts(session *s) {
    if (!(s->watch & WATCH_CONTACTS)) return 0;
    int count = sn_world_get_contacts(s->world, NULL, 0);
    count = count < MAX_CONTACTS ? count : MAX_CONTACTS;
    if (count > s->contact_capacity) {
        sn_contact *more = realloc(s->contacts, (size_t)count * sizeof *more);
        if (!more) return 0;
        s->contacts = more, s->contact_capacity = count;
    }
    sn_world_get_contacts(s->world, s->contacts, count);
    return count;
}

static void put_costs(session *s, writer *w) {
    const double n = s->counted ? s->counted : 1;
    const sn_profile profile = sn_world_profile(s->world);
    put_f(w, s->step_ms / n);
    for (int i = 0; i < 8; i++) put_f(w, s->stage_ms[i] / n);
    if (s->counted) {
        s->step_ms = 0, s->counted = 0;
        memset(s->stage_ms, 0, sizeof s->stage_ms);
    }
    put_u(w, (uint32_t)profile.pairs);
    put_u(w, (uint32_t)profile.contacts);
    put_u(w, (uint32_t)sn_world_dof_count(s->world));
    put_u(w, s->diverged);
}

static void put_measures(session *s, writer *w) {
    if (!(s->watch & WATCH_MEASURES)) {
        for (int i = 0; i < 5; i++) put_f(w, (double)NAN);
        return;
    }
    const sn_energy energy = sn_world_energy(s->world);
    double volume = 0;
    for (int i = 0; i < s->rod_count; i++) volume += sn_body_volume(s->world, s->rods[i].id);
    for (int i = 0; i < s->soft_count; i++) {
        const view_kind *kind = view_kind_of(s->soft[i].id);
        if (kind->is_solid(s->world, s->soft[i].id)) volume += sn_body_volume(s->world, s->soft[i].id);
    }
    put_f(w, energy.kinetic), put_f(w, energy.elastic), put_f(w, energy.potential);
    put_f(w, s->rest_volume > 0 ? volume / s->rest_volume : 1);
    put_f(w, sn_world_penetration(s->world));
}

static void put_joints(session *s, writer *w) {
    poses_read(s->poses, s->world, s->joints, s->scales);
    const int rods = s->joint_count - s->moving_count;
    for (int i = 0; i < s->moving_count; i++) {
        sn_joint_pose *pose = &s->joints[rods + i];
        *pose = (sn_joint_pose){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
        const view_kind *kind = view_kind_of(s->moving[i]);
        if (kind && kind->pose) kind->pose(s->world, s->moving[i], &pose->position, &pose->rotation);
        s->scales[rods + i] = 1;
    }
    for (int i = 0; i < s->joint_count; i++) {
        const sn_joint_pose *pose = &s->joints[i];
        put_v(w, pose->position);
        put_f(w, (double)pose->rotation.x), put_f(w, (double)pose->rotation.y);
        put_f(w, (double)pose->rotation.z), put_f(w, (double)pose->rotation.w);
        put_v(w, pose->scale);
        put_f(w, (double)s->scales[i]);
        const sn_quat q = pose->axes;
        const bool none = q.x == 0 && q.y == 0 && q.z == 0 && q.w == 0;
        put_f(w, (double)q.x), put_f(w, (double)q.y), put_f(w, (double)q.z), put_f(w, none ? 1 : (double)q.w);
    }
}

static void put_shot(const session *s, writer *w, sn_body shot) {
    sn_vec3 centres[2] = {{0, 0, 0}, {0, 0, 0}};
    sn_real radii[2] = {0, 0};
    sn_body_get_points(s->world, shot, centres, 2);
    view_kind_of(shot)->radii(s->world, shot, radii, 2);
    for (int k = 0; k < 2; k++) put_v(w, centres[k]), put_f(w, (double)radii[k]);
}

// Two vertices of a deforming body take three words: 16 bits per coordinate, relative to their bounding box.
static size_t surface_words(const session *s) {
    size_t words = 0;
    for (int i = 0; i < s->surface_count; i++) words += BOX_WORDS + (3 * (size_t)s->surfaces[i].vertex_count + 1) / 2;
    return words;
}

static void put_surface(session *s, writer *w, const view_surface *surface) {
    const int n = surface->vertex_count;
    float low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, by[3];
    if (!session_read_surface(s, surface, s->vertices)) memset(s->vertices, 0, (size_t)n * sizeof *s->vertices);
    for (int v = 0; v < n; v++) {
        for (int k = 0; k < 3; k++) {
            const float x = s->vertices[v][k];
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
        const float place = (s->vertices[i / 3][i % 3] - low[i % 3]) * by[i % 3] + 0.5f;
        const uint16_t step = place >= STEPS ? STEPS : place > 0 ? (uint16_t)place : 0; // not a number: 0
        memcpy(w->at, &step, 2);
        w->at += 2;
    }
    if (3 * n % 2) memset(w->at, 0, 2), w->at += 2;
}

const void *session_frame(session *s, size_t *size) {
    const session_edit *edits = NULL;
    sn_body shot[MAX_SHOTS];
    const int shots = session_get_shots(s, shot), contacts = read_contacts(s);
    const int edited = s->characters ? s->character_ops->get_edits(s->characters, &edits) : 0;
    *size = 4 * ((size_t)FIXED_WORDS + JOINT_WORDS * (size_t)s->joint_count + SHOT_WORDS * (size_t)shots +
                 CONTACT_WORDS * (size_t)contacts + EDIT_WORDS * (size_t)edited + surface_words(s));
    if (*size > s->frame_capacity) {
        unsigned char *more = realloc(s->frame, *size);
        if (!more) return NULL;
        s->frame = more, s->frame_capacity = *size;
    }
    const sn_profile profile = sn_world_profile(s->world);
    const uint64_t hash = sn_world_hash(s->world);
    sn_vec3 held = {0, 0, 0};
    const bool holds = session_held_point(s, &held);
    writer w = {s->frame};
    put_u(&w, FRAME_MAGIC);
    put_u(&w, ++s->frames);
    put_u(&w, (s->playing || s->pending ? FLAG_PLAYING : 0u) | (holds ? FLAG_HELD : 0u) |
                  (s->step >= s->page->steps ? FLAG_OVER : 0u) | (s->slow ? FLAG_SLOW : 0u) |
                  (s->failed ? FLAG_FAILED : 0u));
    put_u(&w, s->step);
    put_d(&w, s->step * s->page->step);
    put_u(&w, (uint32_t)hash), put_u(&w, (uint32_t)(hash >> 32));
    put_u(&w, (uint32_t)s->joint_count), put_u(&w, (uint32_t)shots), put_u(&w, (uint32_t)contacts);
    put_u(&w, (uint32_t)profile.asleep);
    put_f(&w, s->speed);
    put_f(&w, s->rate);
    put_costs(s, &w);
    put_measures(s, &w);
    put_u(&w, s->past_count ? s->past[0].step : s->step);
    const uint32_t last = s->past_count ? s->past[s->past_count - 1].step : s->step;
    put_u(&w, last > s->step ? last : s->step);
    put_u(&w, (uint32_t)s->past_count);
    for (int i = 0; i < SET_COUNT; i++) put_f(&w, (double)s->set[i]);
    put_v(&w, held), put_v(&w, s->hand_at);
    put_u(&w, (uint32_t)s->surface_count), put_u(&w, (uint32_t)s->vertex_count);
    put_u(&w, (uint32_t)edited);
    put_joints(s, &w);
    for (int i = 0; i < shots; i++) put_shot(s, &w, shot[i]);
    for (int i = 0; i < contacts; i++) {
        put_v(&w, s->contacts[i].point), put_v(&w, s->contacts[i].normal);
        put_f(&w, (double)s->contacts[i].force);
    }
    for (int i = 0; i < edited; i++) {
        put_u(&w, edits[i].character), put_u(&w, edits[i].muscle), put_u(&w, edits[i].number);
        put_f(&w, (double)edits[i].value);
    }
    for (int i = 0; i < s->surface_count; i++) put_surface(s, &w, &s->surfaces[i]);
    s->changed = false;
    return s->frame;
}
