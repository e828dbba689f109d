// What the files of this room share: a run that people watch.
#ifndef SN_SESSION_SESSION_INTERNAL_H
#define SN_SESSION_SESSION_INTERNAL_H

#include "scene/calls.h"
#include "session/characters.h"
#include "session/page_format.h"
#include "session/session.h"
#include "view/poses.h"
#include "view/view_kinds.h"

// Parameters that pages set, in the order of docs/live-protocol.md.
enum {
    SET_GRAVITY,
    SET_SUBSTEPS,
    SET_ITERATIONS,
    SET_SWEEPS,
    SET_STIFFNESS,
    SET_VOLUME,
    SET_DAMPING,
    SET_FRICTION,
    SET_ACTIVATION,
    SET_SLEEPING,
    SET_COUNT
};

enum { WATCH_CONTACTS = 1, WATCH_MEASURES = 2 };

// Pills that were shot have these labels, counted up; scenes use smaller ones.
#define SHOT_LABEL ((uint64_t)0xF000000000000000u)
enum { MOST_SHOTS = 64 };

// A rod as the scene made it.
typedef struct {
    sn_body id;
    int points;
    sn_material *materials;
    sn_surface surface;
    bool collide, self;
    double mass;
} live_rod;

typedef struct {
    sn_body id;
    sn_surface surface;
} live_shape;

// A body that deforms, or a chain, and what the scene made it of.
typedef struct {
    sn_body id;
    void *made; // see view_kind
} live_soft;

// What a hand pulls of a body that is not a rod: points around the one that was taken, less the farther away.
typedef struct {
    sn_body body; // null: nothing
    int point;    // the one that was taken
    int *points;
    sn_real *masses; // kg, times how much it is pulled
    int count;       //
    double most;     // m/s^2
} live_pull;

// A saved state.
typedef struct {
    uint32_t step;
    unsigned char *bytes;
    size_t size;
    unsigned char *skins; // of characters, and edits of their muscles
    size_t skins_size;
    float set[SET_COUNT];
    sn_joint hand;
} live_past;

struct live {
    live_options options;
    unsigned char *baked;
    const bake_header *bake;
    sn_world *world;
    uint32_t step;

    // what there is
    live_rod *rods;
    live_shape *shapes; // all, also those that stand still
    live_soft *soft;
    view_surface *surfaces; // those that deform
    live_characters *characters;
    const sn_body *moving;
    sn_joint_pose **rest; // of each of the bake's shapes
    view_poses *poses;
    sn_joint_pose *joints;
    sn_real *scales;
    int rod_count, shape_count, moving_count, rest_count, joint_count, soft_count, surface_count, vertex_count;
    double rest_volume, mean_radius;

    // the course of the scene
    const unsigned char *calls; // the next block
    const unsigned char *calls_end;

    // what pages asked for
    float set[SET_COUNT], start_set[SET_COUNT];
    bool playing;
    uint32_t pending; // steps to do at once
    double speed, debt;
    uint32_t watch;
    sn_joint hand;
    sn_body held;
    int held_segment, held_parent;
    float held_along;
    sn_vec3 hand_at;
    live_pull pull;
    uint64_t shots; // so far

    // the past, in order of steps
    live_past *past;
    int past_count, past_capacity;
    size_t past_bytes;
    uint32_t past_stride;

    // what it costs
    double step_ms, stage_ms[8]; // summed over counted steps
    int counted;
    uint32_t diverged;
    double window_real, window_run, rate; // real-time factor
    bool slow;

    // frames
    unsigned char *frame;
    size_t frame_capacity;
    float (*vertices)[3]; // room for those of the largest surface
    uint32_t frames;
    bool changed;
    sn_contact *contacts;
    int contact_capacity;
};

// settings.c: puts a parameter to a value; all of those that differ from the start, for a world at the start.
void live_settings_start(live *at);
void live_set(live *at, int which, float value);
void live_set_again(live *at);
bool live_setting_range(int which, float *low, float *high);

// history.c: keeps the state if it is time to; goes back; forgets everything after the present.
bool live_keep(live *at, bool now);
sn_status live_return(live *at, uint32_t step, bool edits); // edits of muscles as they were then, or as they are
void live_forget_later(live *at);
void live_forget_all(live *at);

// live.c: the world was exchanged, or moved to another step.
void live_find_calls(live *at);
void live_let_go(live *at);

// Vertices of what deforms, as they are now.
bool live_read_surface(const live *at, const view_surface *surface, float (*out)[3]);

// Where the hand holds.
bool live_held_point(const live *at, sn_vec3 *out);

// pull.c: takes hold of a point of a body that is not a rod; pulls, before each step; lets go. Where it holds.
void live_pull_start(live *at, sn_body body, int point);
void live_pull_step(live *at);
void live_pull_end(live *at);
bool live_pull_point(const live *at, sn_vec3 *point, sn_vec3 *velocity);

#endif
