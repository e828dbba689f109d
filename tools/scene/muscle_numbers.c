// See muscle_numbers.h.
#include "scene/muscle_numbers.h"
#include "base/math/vec.h"

static const struct {
    const char *name;
    float low, high;
} numbers[MUSCLE_NUMBERS] = {
    {"alpha", 2, 9},
    {"beta", 2, 9},
    {"active_alpha", 2, 9},
    {"active_beta", 2, 9},
    {"eccentricity", 0, 0.99f},
    {"width", 0.05f, 5},
    {"activation", 0, 1},
    {"hertz", 0.1f, 100},
    {"damping", 0, 1000},
    {"origin", 0, 0},
    {"insertion", 0, 0},
};

bool muscle_number_range(int number, const char **name, float *low, float *high) {
    if (number < 0 || number >= MUSCLE_NUMBERS) return false;
    *name = numbers[number].name, *low = numbers[number].low, *high = numbers[number].high;
    return true;
}

static sn_real *field_of(sn_implicit_muscle_def *def, int number) {
    sn_real *const fields[MUSCLE_NUMBERS] = {[MUSCLE_ALPHA] = &def->rest.alpha,
                                             [MUSCLE_BETA] = &def->rest.beta,
                                             [MUSCLE_ACTIVE_ALPHA] = &def->active.alpha,
                                             [MUSCLE_ACTIVE_BETA] = &def->active.beta,
                                             [MUSCLE_HERTZ] = &def->hertz,
                                             [MUSCLE_DAMPING] = &def->damping};
    return fields[number];
}

// A round muscle has no wide direction: chooses one across its axis as it is now, in the axes of both bones.
static sn_status give_normals(sn_world *world, sn_body id, int muscle, sn_implicit_muscle_def *def) {
    sn_vec3 axis[128];
    sn_transform poses[512];
    const int points = sn_implicit_muscles_get_axis(world, id, muscle, axis, 128);
    const int bones = sn_implicit_muscles_get_poses(world, id, poses, 512);
    if (points < 2 || bones > 512) return SN_ERR_RANGE;
    const sn_vec3 across = sn_perpendicular(sn_sub(axis[points - 1], axis[0]));
    for (int k = 0; k < 2; k++) def->normal[k] = sn_q_rotate(sn_q_conj(poses[def->bone[k]].rotation), across);
    return sn_implicit_muscles_set_muscle(world, id, muscle, def);
}

static sn_status set_key(sn_world *world, sn_body id, int muscle, int number, sn_real value) {
    sn_implicit_muscle_keys keys;
    sn_implicit_muscle_def def;
    sn_status status = sn_implicit_muscles_get_keys(world, id, muscle, &keys);
    if (status == SN_OK) status = sn_implicit_muscles_get_muscle(world, id, muscle, &def);
    if (status != SN_OK) return status;
    if (number == MUSCLE_WIDTH) keys.exaggeration = value;
    if (number == MUSCLE_ACTIVATION) keys.activation = value;
    if (number == MUSCLE_ECCENTRICITY) keys.eccentricity = value;
    if (number == MUSCLE_ECCENTRICITY && value > 0 && !(sn_length2(def.normal[0]) > 0))
        status = give_normals(world, id, muscle, &def);
    return status == SN_OK ? sn_implicit_muscles_set_keys(world, id, muscle, &keys) : status;
}

sn_status muscle_number_set(sn_world *world, sn_body id, int muscle, int number, const float value[3]) {
    if (number < 0 || number >= MUSCLE_NUMBERS) return SN_ERR_RANGE;
    const bool place = number >= MUSCLE_ORIGIN;
    if (!place && !(value[0] >= numbers[number].low && value[0] <= numbers[number].high)) return SN_ERR_RANGE;
    sn_implicit_muscle_def def;
    const sn_status status = sn_implicit_muscles_get_muscle(world, id, muscle, &def);
    if (status != SN_OK) return status;
    if (place) {
        def.end[number - MUSCLE_ORIGIN] = sn_v3((sn_real)value[0], (sn_real)value[1], (sn_real)value[2]);
    } else {
        sn_real *field = field_of(&def, number);
        if (!field) return set_key(world, id, muscle, number, (sn_real)value[0]);
        if (*field == (sn_real)value[0]) return SN_OK;
        *field = (sn_real)value[0];
    }
    return sn_implicit_muscles_set_muscle(world, id, muscle, &def);
}

float muscle_number_get(const sn_world *world, sn_body id, int muscle, int number) {
    sn_implicit_muscle_def def;
    sn_implicit_muscle_keys keys;
    if (number < 0 || number >= MUSCLE_ORIGIN || sn_implicit_muscles_get_muscle(world, id, muscle, &def) != SN_OK ||
        sn_implicit_muscles_get_keys(world, id, muscle, &keys) != SN_OK)
        return 0;
    if (number == MUSCLE_WIDTH) return (float)keys.exaggeration;
    if (number == MUSCLE_ACTIVATION) return (float)keys.activation;
    if (number != MUSCLE_ECCENTRICITY) return (float)*field_of(&def, number);
    const sn_real own = def.rest.eccentricity + keys.activation * (def.active.eccentricity - def.rest.eccentricity);
    return (float)(keys.eccentricity >= 0 ? keys.eccentricity : own);
}

sn_status muscle_call(sn_world *world, const scene_call *call) {
    const sn_body muscles = {SN_KIND_IMPLICIT_MUSCLE, call->slot1, call->gen};
    const float *v = call->v;
    if (call->type == CALL_BONE) {
        const sn_transform pose = {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
        return sn_implicit_muscles_move_bone(world, muscles, call->index, &pose);
    }
    if (call->type == CALL_MUSCLE_KEYS) {
        const sn_implicit_muscle_keys keys = {v[0], v[1], v[2]};
        return sn_implicit_muscles_set_keys(world, muscles, call->index, &keys);
    }
    const int number = v[3] >= 0 && v[3] < MUSCLE_NUMBERS ? (int)v[3] : -1;
    return muscle_number_set(world, muscles, call->index, number, v);
}
