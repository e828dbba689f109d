// Motions of characters: joint rotations over time, as an animator would key them.
//
// Hip and knee angles are in the sagittal plane. Feet on the ground stay in place, so the root follows from them.
// Bodies without legs (an arm) move only what they have.
#include "mesh/maths.h"
#include "zoo/body_internal.h"
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const struct {
    const char *name;
    double duration;
} motions[ZOO_MOTION_KINDS] = {
    [ZOO_MOTION_JUMP] = {"jump", 2.2},
    [ZOO_MOTION_RUN] = {"run", 0.7},
    [ZOO_MOTION_SHAKE] = {"arm-shake", 1.0},
    [ZOO_MOTION_CURL] = {"biceps-curl", 2.4},
};

const char *zoo_motion_name(zoo_motion motion) {
    return motions[motion].name;
}

int zoo_motion_find(const char *name) {
    for (int i = 0; i < ZOO_MOTION_KINDS; i++)
        if (strcmp(name, motions[i].name) == 0) return i;
    return -1;
}

bool zoo_motion_is_supported(const zoo_body *body, zoo_motion motion) {
    const bool legs = zoo_body_bone(body, "thigh", "left") >= 0, arms = zoo_body_bone(body, "forearm", "left") >= 0;
    return motion == ZOO_MOTION_SHAKE || (motion == ZOO_MOTION_CURL ? arms : legs);
}

double zoo_motion_duration(zoo_motion motion) {
    return motions[motion].duration;
}

// ---- rotations

typedef struct {
    double x, y, z, w;
} rotation;

static rotation rotation_about(double x, double y, double z, double degrees) {
    const double half = degrees * pi / 360, length = sqrt(x * x + y * y + z * z), k = own_sin(half) / length;
    return (rotation){k * x, k * y, k * z, own_cos(half)};
}

static rotation compose(rotation a, rotation b) { // b first
    return (rotation){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static void rotate(rotation q, const double v[3], double out[3]) {
    const double t[3] = {2 * (q.y * v[2] - q.z * v[1]), 2 * (q.z * v[0] - q.x * v[2]), 2 * (q.x * v[1] - q.y * v[0])};
    out[0] = v[0] + q.w * t[0] + q.y * t[2] - q.z * t[1];
    out[1] = v[1] + q.w * t[1] + q.z * t[0] - q.x * t[2];
    out[2] = v[2] + q.w * t[2] + q.x * t[1] - q.y * t[0];
}

// ---- angles of a pose, in degrees

typedef struct {
    double hip[2], knee[2], ankle[2]; // left, right; forward, bent, toes down
    double lean, twist;               // of the trunk: forward, to the left
    double arm[2], lower, elbow[2];   // arms: forward, towards the body; bent
    double head;                      // up
    double lift;                      // height of the root above where the feet put it, m
    double root_offset[3];            // of the root, m
    bool grounded;                    // the feet determine the position of the root
} angles;

enum { MAX_BONES = 64 };

// The bone of a side; in a body without sides, the left one.
static int side_bone(const zoo_body *body, const char *name, int side) {
    const int bone = zoo_body_bone(body, name, side ? "right" : "left");
    if (bone < 0) return -1;
    return side == 0 || strstr(body->bones[bone].name, "-right") ? bone : -1;
}

static void bend_joint(const zoo_body *body, rotation *local, const char *name, int side, double degrees,
                       double forward) {
    const int b = side_bone(body, name, side);
    if (b < 0) return;
    // About the axis that moves the bone straight forward or backward.
    const double *j = body->bones[b].joint, *t = body->bones[b].tip, d[3] = {t[0] - j[0], t[1] - j[1], t[2] - j[2]};
    local[b] = rotation_about(d[1] * forward, -d[0] * forward, 0, degrees);
}

static void set_rotation(const zoo_body *body, rotation *local, const char *name, int side, rotation q) {
    const int b = side_bone(body, name, side);
    if (b >= 0) local[b] = q;
}

static void forward_kinematics(const zoo_body *body, const rotation *local, rotation *world, double (*at)[3]) {
    for (int b = 0; b < body->bone_count; b++) {
        const zoo_joint *bone = &body->bones[b];
        if (bone->parent < 0) {
            world[b] = local[b];
            memcpy(at[b], bone->joint, sizeof at[b]);
            continue;
        }
        const double *p = body->bones[bone->parent].joint;
        const double arm[3] = {bone->joint[0] - p[0], bone->joint[1] - p[1], bone->joint[2] - p[2]};
        double reach[3];
        rotate(world[bone->parent], arm, reach);
        for (int k = 0; k < 3; k++) at[b][k] = at[bone->parent][k] + reach[k];
        world[b] = compose(world[bone->parent], local[b]);
    }
}

// Height of the lower one of a foot's heel and toes, relative to rest.
static double foot_height(const zoo_body *body, int foot, const rotation *world, double (*at)[3], double *forward) {
    const zoo_joint *bone = &body->bones[foot];
    double lowest = INFINITY;
    for (int ramp = 0; ramp < 2; ramp++) {
        const double ground = 0.03, rest[3] = {ramp ? bone->tip[0] - bone->joint[0] : 0, ground - bone->joint[1],
                                               ramp ? bone->tip[2] - bone->joint[2] : -0.05};
        double reach[3];
        rotate(world[foot], rest, reach);
        const double y = at[foot][1] + reach[1] - ground;
        if (y < lowest) lowest = y, *forward = at[foot][2] + reach[2] - bone->joint[2] - rest[2];
    }
    return lowest;
}

// 'moved' receives the displacement of the root from rest.
static void apply_angles(const zoo_body *body, const angles *a, sn_transform *poses, double moved[3]) {
    rotation local[MAX_BONES], world[MAX_BONES];
    double at[MAX_BONES][3];
    for (int b = 0; b < body->bone_count; b++) local[b] = (rotation){0, 0, 0, 1};
    for (int side = 0; side < 2; side++) {
        const double mirror = side ? -1 : 1;
        set_rotation(body, local, "thigh", side, rotation_about(1, 0, 0, -a->hip[side]));
        set_rotation(body, local, "shin", side, rotation_about(1, 0, 0, a->knee[side]));
        set_rotation(body, local, "foot", side, rotation_about(1, 0, 0, a->ankle[side]));
        const rotation down = rotation_about(0, 0, 1, -mirror * a->lower),
                       swing = rotation_about(1, 0, 0, -a->arm[side]);
        if (body->bone_count > 4) set_rotation(body, local, "upper-arm", side, compose(swing, down));
        bend_joint(body, local, "forearm", side, a->elbow[side], 1);
    }
    const int spine = zoo_body_bone(body, "spine", ""), chest = zoo_body_bone(body, "chest", "");
    const int head = zoo_body_bone(body, "head", ""), neck = zoo_body_bone(body, "neck", "");
    if (spine >= 0)
        local[spine] = compose(rotation_about(0, 1, 0, 0.5 * a->twist), rotation_about(1, 0, 0, 0.5 * a->lean));
    if (chest >= 0)
        local[chest] = compose(rotation_about(0, 1, 0, 0.5 * a->twist), rotation_about(1, 0, 0, 0.5 * a->lean));
    if (neck >= 0) local[neck] = rotation_about(1, 0, 0, -0.4 * a->head);
    if (head >= 0) local[head] = rotation_about(1, 0, 0, -0.6 * a->head);
    forward_kinematics(body, local, world, at);
    double move[3] = {a->root_offset[0], a->root_offset[1], a->root_offset[2]};
    const int feet[2] = {side_bone(body, "foot", 0), side_bone(body, "foot", 1)};
    if (a->grounded && feet[0] >= 0 && feet[1] >= 0) {
        double forward[2];
        const double left = foot_height(body, feet[0], world, at, &forward[0]);
        const double right = foot_height(body, feet[1], world, at, &forward[1]);
        move[1] += a->lift - fmin(left, right);
        if (a->hip[0] == a->hip[1]) move[2] -= 0.5 * (forward[0] + forward[1]);
    }
    for (int k = 0; k < 3 && moved; k++) moved[k] = move[k];
    for (int b = 0; b < body->bone_count; b++) {
        poses[b].position =
            sn_v3((sn_real)(at[b][0] + move[0]), (sn_real)(at[b][1] + move[1]), (sn_real)(at[b][2] + move[2]));
        poses[b].rotation = sn_q_normalize(
            (sn_quat){(sn_real)world[b].x, (sn_real)world[b].y, (sn_real)world[b].z, (sn_real)world[b].w});
    }
}

// ---- the motions

// Ramps from 0 at a to 1 at b: linear, and with zero slope at both ends.
static double ramp(double t, double a, double b) {
    return zoo_clamp((t - a) / (b - a), 0, 1);
}
static double smooth_ramp(double t, double a, double b) {
    const double u = ramp(t, a, b);
    return u * u * (3 - 2 * u);
}

// Depth of the squat, and how far the figure is on its toes.
typedef struct {
    double squat, toes, flight;
} jump_state;

static const double takeoff_time = 0.88, landing_time = 1.28;

static jump_state jump_at(double t) {
    jump_state s = {0};
    const double takeoff = ramp(t, 0.58, takeoff_time), down = 1 - ramp(t, landing_time, 1.56);
    if (t < takeoff_time)
        s.squat =
            smooth_ramp(t, 0.08, 0.52) * (1 - takeoff * takeoff); // starts at rest, leaves the ground at full speed
    else if (t > landing_time)
        s.squat = 0.75 * (1 - down * down) * (1 - smooth_ramp(t, 1.60, 2.15));
    s.toes = t < takeoff_time   ? ramp(t, 0.74, takeoff_time)
             : t > landing_time ? 1 - smooth_ramp(t, landing_time, 1.36)
                                : 1;
    s.flight = t > takeoff_time && t < landing_time ? t - takeoff_time : 0;
    return s;
}

static void jump(double t, double tuck, angles *a) {
    const jump_state s = jump_at(t);
    for (int side = 0; side < 2; side++) {
        a->hip[side] = 78 * s.squat + 22 * tuck;
        a->knee[side] = 98 * s.squat + 34 * tuck;
        a->ankle[side] = a->hip[side] - a->knee[side] + 32 * s.toes - 10 * tuck;
        a->arm[side] =
            -48 * s.squat * (t < takeoff_time) + 115 * smooth_ramp(t, 0.52, 1.05) * (1 - smooth_ramp(t, 1.2, 1.75));
        a->elbow[side] = 18 + 20 * s.squat;
    }
    a->lower = 22, a->lean = 46 * s.squat + 4, a->head = 26 * s.squat;
    a->lift = s.flight * 0.5 * 9.81 * (landing_time - takeoff_time - s.flight);
}

static void run(double t, angles *a) {
    const double phase = 2 * pi * t / motions[ZOO_MOTION_RUN].duration;
    for (int side = 0; side < 2; side++) {
        const double p = phase + side * pi;
        a->hip[side] = 14 + 36 * own_sin(p);
        a->knee[side] = 22 + 62 * (0.5 + 0.5 * own_cos(p + 0.35));
        a->ankle[side] = 14 * own_sin(p + 2.6);
        a->arm[side] = -6 - 34 * own_sin(p);
        a->elbow[side] = 88 - 14 * own_sin(p);
    }
    a->lower = 26, a->lean = 10, a->twist = 9 * own_sin(phase), a->head = 6;
    a->lift = 0.035 * (0.5 - 0.5 * own_cos(2 * phase + 0.6));
}

void zoo_body_pose(const zoo_body *body, zoo_motion motion, double time, sn_transform *poses) {
    angles a = {.grounded = true};
    const double t = fmod(fmax(time, 0), motions[motion].duration);
    switch (motion) {
    case ZOO_MOTION_JUMP:
        jump(t, 0, &a);
        break;
    case ZOO_MOTION_RUN:
        run(t, &a);
        break;
    case ZOO_MOTION_SHAKE:
        a.root_offset[1] = 0.030 * own_sin(2 * pi * 4 * t);
        break;
    default:
        a.elbow[0] = a.elbow[1] = 130 * smooth_ramp(t, 0.05, 1.05) * (1 - smooth_ramp(t, 1.3, 2.3));
        break;
    }
    if (body->bone_count > MAX_BONES) return;
    double moved[3];
    apply_angles(body, &a, poses, moved);
    if (motion != ZOO_MOTION_JUMP || jump_at(t).flight == 0) return;
    // In the air only gravity moves the root, computed with straight legs; the legs are then tucked under it.
    jump(t, own_sin(pi * jump_at(t).flight / (landing_time - takeoff_time)), &a);
    a.grounded = false;
    memcpy(a.root_offset, moved, sizeof a.root_offset);
    apply_angles(body, &a, poses, NULL);
}

// ---- activation

static bool starts_with(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

double zoo_body_activation(const zoo_body *body, zoo_motion motion, double time, int muscle) {
    const char *name = body->muscles[muscle].name;
    const double t = fmod(fmax(time, 0), motions[motion].duration);
    const bool thigh = starts_with(name, "rectus") || starts_with(name, "vastus"), seat = starts_with(name, "gluteus");
    const bool calf = starts_with(name, "gastrocnemius"), ham = starts_with(name, "hamstring");
    if (motion == ZOO_MOTION_CURL) {
        const double up = smooth_ramp(t, 0.05, 0.8) * (1 - smooth_ramp(t, 1.4, 2.3));
        if (starts_with(name, "biceps")) return up;
        return starts_with(name, "brachioradialis") ? 0.8 * up : starts_with(name, "wrist") ? 0.4 * up : 0.05;
    }
    if (motion == ZOO_MOTION_JUMP) {
        const double takeoff = smooth_ramp(t, 0.5, 0.75) * (1 - smooth_ramp(t, takeoff_time, 1.05));
        const double down = smooth_ramp(t, 1.2, landing_time) * (1 - smooth_ramp(t, 1.7, 2.1));
        if (thigh || seat) return fmax(takeoff, down);
        if (calf) return fmax(smooth_ramp(t, 0.66, 0.82) * (1 - smooth_ramp(t, takeoff_time, 1.0)), 0.7 * down);
        if (starts_with(name, "deltoid")) return 0.8 * smooth_ramp(t, 0.6, 0.9) * (1 - smooth_ramp(t, 1.2, 1.6));
        return ham ? 0.5 * takeoff : starts_with(name, "abdominal") ? 0.5 * fmax(takeoff, down) : 0.1;
    }
    if (motion == ZOO_MOTION_RUN) {
        const double phase = 2 * pi * t / motions[motion].duration + (strstr(name, "-right") ? pi : 0);
        if (thigh) return 0.5 + 0.5 * own_sin(phase + 0.6);
        if (seat || ham) return 0.5 - 0.5 * own_sin(phase - 0.3);
        if (calf) return 0.5 - 0.5 * own_sin(phase);
        return starts_with(name, "biceps") || starts_with(name, "deltoid") ? 0.4 : 0.15;
    }
    return 0;
}
