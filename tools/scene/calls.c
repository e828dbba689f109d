// See calls.h. One case for each call.
#include "scene/calls.h"
#include "kind_list.h"
#include "scene/muscle_numbers.h"

static sn_vec3 vector(const float *v) {
    return (sn_vec3){v[0], v[1], v[2]};
}

static sn_quat rotation(const float *v) {
    return (sn_quat){v[0], v[1], v[2], v[3]};
}

sn_status scene_call_apply(sn_world *world, const scene_call *call) {
    const sn_body rod = {SN_KIND_ROD, call->slot1, call->gen};
    const sn_body rigid = {SN_KIND_RIGID, call->slot1, call->gen};
    const sn_joint joint = {call->slot1, call->gen};
    const sn_bundle bundle = {call->slot1, call->gen};
    const sn_body springs = {SN_KIND_SPRING, call->slot1, call->gen};
    const int i = call->index;
    const float *v = call->v;
    switch ((call_type)call->type) {
    case CALL_CENTRE:
        return sn_rod_move_centre(world, rod, i, vector(v));
    case CALL_SCALE:
        return sn_rod_move_scale(world, rod, i, v[0]);
    case CALL_FRAME:
        return sn_rod_move_frame(world, rod, i, rotation(v));
    case CALL_CLAMP:
        return sn_rod_move_clamp(world, rod, i, rotation(v));
    case CALL_FORCE:
        return sn_rod_set_force(world, rod, i, vector(v));
    case CALL_TORQUE:
        return sn_rod_set_torque(world, rod, i, vector(v));
    case CALL_RADIAL:
        return sn_rod_set_radial_force(world, rod, i, v[0]);
    case CALL_SEGMENT:
        return sn_rod_set_segment(world, rod, i, v[0], v[1]);
    case CALL_BEND:
        return sn_rod_set_rest_curvature(world, rod, i, vector(v));
    case CALL_RELEASE:
        return sn_rod_hold(world, rod, i, SN_HOLD_NONE);
    case CALL_RIGID_MOVE:
        return sn_rigid_move(world, rigid, vector(v), rotation(v + 3));
    case CALL_JOINT_MOVE:
        return sn_joint_move(world, joint, vector(v));
    case CALL_JOINT_ROTATE:
        return sn_joint_rotate(world, joint, rotation(v));
    case CALL_JOINT_MOTOR:
        return sn_joint_set_motor(world, joint, &(sn_joint_motor){v[0], v[1], v[2], v[3], v[4]});
    case CALL_JOINT_DESTROY:
        return sn_joint_destroy(world, joint);
    case CALL_ACTIVATE:
        return sn_bundle_set_activation(world, bundle, v[0]);
    case CALL_SPRINGS_MOVE:
        return sn_springs_move(world, springs, i, vector(v));
    case CALL_SPRINGS_FORCE:
        return sn_springs_set_force(world, springs, i, vector(v));
    case CALL_SPRINGS_MASS:
        return sn_springs_set_mass(world, springs, i, v[0]);
#ifdef SN_HAS_IMPLICIT_MUSCLE
    case CALL_BONE:
    case CALL_MUSCLE_KEYS:
    case CALL_MUSCLE:
        return muscle_call(world, call);
#endif
    default:
        return SN_ERR_RANGE;
    }
}
