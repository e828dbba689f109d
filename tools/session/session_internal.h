// Shared by the files of tools/session.
#ifndef SN_SESSION_SESSION_INTERNAL_H
#define SN_SESSION_SESSION_INTERNAL_H

#include "scene/calls.h"
#include "session/characters.h"
#include "session/page_format.h"
#include "session/session.h"
#include "view/poses.h"
#include "view/view_kinds.h"

// Parameters that the viewer sets, in the order of docs/session-protocol.md.
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

// Shots have labels from here on; scenes use smaller ones.
#define SHOT_LABEL ((uint64_t)0xF000000000000000u)
enum { MAX_SHOTS = 64 };

// A body of pills, with the settings that the scene gave it.
typedef struct {
    sn_body id;
    int points;
    void *made; // see view_kind
    double mass;
} session_rod;

// Another body, with the settings that the scene gave it.
typedef struct {
    sn_body id;
    void *made; // see copy_settings of view_kind
} session_body;

// The points of a body (not a rod) that the hand pulls: those around the grabbed one, with weights that fall with distance.
typedef struct {
    sn_body body; // null: nothing
    int point;    // the grabbed one
    int *points;
    sn_real *masses;         // kg, times the weight
    int count;               //
    double max_acceleration; // m/s^2
} session_pull;

// A saved state.
typedef struct {
    uint32_t step;
    unsigned char *bytes;
    size_t size;
    unsigned char *skins; // of characters, and edits of their muscles
    size_t skins_size;
    float set[SET_COUNT];
    sn_joint hand;
} session_past;

struct session {
    session_options options;
    unsigned char *bytes;
    const page_header *page; // at the start of bytes
    sn_world *world;
    uint32_t step;

    // the contents
    session_rod *rods;
    session_body *soft;             // bodies that deform, and chains
    session_body *rigid;            // static ones too
    view_surface *surfaces;         // those that deform
    session_characters *characters; // null: none
    const session_character_ops *character_ops;
    const sn_body *moving;
    sn_joint_pose **rest; // of each distinct form of the page
    view_poses *poses;
    sn_joint_pose *joints;
    sn_real *scales;
    int rod_count, rigid_count, moving_count, rest_count, joint_count, soft_count, surface_count, vertex_count;
    double rest_volume, mean_radius;

    // the calls of the scene
    const unsigned char *calls; // the next block
    const unsigned char *calls_end;

    // set by messages
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
    session_pull pull;
    uint64_t shots; // so far

    // the history, in order of steps
    session_past *past;
    int past_count, past_capacity;
    size_t past_bytes;
    uint32_t past_stride;

    // timing
    double step_ms, stage_ms[8]; // summed over counted steps
    int counted;
    uint32_t diverged;
    bool failed;                          // the last step did not happen: too many pairs, or no memory
    double window_real, window_run, rate; // real-time factor
    bool slow;

    // frames
    unsigned char *frame;
    size_t frame_capacity;
    float (*vertices)[3]; // of the largest surface
    uint32_t frames;
    bool changed;
    sn_contact *contacts;
    int contact_capacity;
};

// settings.c: sets a parameter; sets again all that differ from the start, for a world at the start.
void session_init_settings(session *s);
void session_set(session *s, int which, float value);
void session_reapply_settings(session *s);

// history.c: saves the state if it is due; restores one; drops everything after the present.
bool session_save_state(session *s, bool now);
sn_status session_restore_state(session *s, uint32_t step,
                                bool edits); // with the edits of muscles of that time, or the present ones
void session_drop_future(session *s);
void session_clear_history(session *s);

// shots.c: all shots, and how many there are; removes the oldest until at most `max_count` are left; shoots.
int session_get_shots(const session *s, sn_body out[MAX_SHOTS]);
void session_clear_shots(session *s, int max_count);
void session_shoot(session *s, sn_vec3 from, sn_vec3 velocity, float radius, float density);

// session.c: the world was exchanged, or moved to another step.
void session_find_calls(session *s);
void session_release(session *s);

// The vertices of a deforming surface now.
bool session_read_surface(const session *s, const view_surface *surface, float (*out)[3]);

// The point that the hand holds.
bool session_held_point(const session *s, sn_vec3 *out);

// pull.c: grabs a point of a body that is not a rod; pulls, before each step; releases it. The grabbed point.
void session_pull_start(session *s, sn_body body, int point);
void session_pull_step(session *s);
void session_pull_end(session *s);
bool session_pull_point(const session *s, sn_vec3 *point, sn_vec3 *velocity);

#endif
