// Joints of scene files. An entry of "joints" creates a joint for each copy of side a's body, or for one.
#include "scene/scene_joints.h"
#include "base/math/vec.h"
#include "formats/quote.h"
#include "scene/scene_check.h"
#include "scene/scene_drive.h"
#include "scene/scene_kinds.h"
#include "scene/scene_pose_track.h"
#include "scene/scene_rigid.h"
#include <string.h>

sn_status scene_find_point_place(sn_scene *scene, const sn_world *world, const scene_body *body,
                                 const joint_side_spec *side, int copy, scene_place *out) {
    const size_t n = (size_t)body->points_per_copy;
    sn_vec3 *points = sn_alloc(&scene->memory, n, sizeof *points);
    if (!points) return SN_ERR_MEMORY;
    out->body = scene->ids[body->first + copy];
    out->index = side->point < 0 ? side->point + (int)n : side->point;
    sn_body_get_points(world, out->body, points, (int)n);
    out->position = points[out->index];
    sn_free(&scene->memory, points, n, sizeof *points);
    return SN_OK;
}

// The number of joints of an entry.
static int copies_of(const sn_scene *scene, const joint_spec *joint) {
    int copies = 1;
    if (fields_has(&joint->a, "copy")) return 1;
    if (joint->a.rigid_body)
        scene_find_rigid(scene, joint->a.rigid_body, &copies);
    else
        copies = scene_find_body(scene, joint->a.body)->copies;
    return copies;
}

// --- checks ---

static bool check_copy(sn_scene *scene, const joint_side_spec *side, int copies, const json_path *path) {
    json_path at = {path, "copy", 0};
    if (!fields_has(side, "copy") || side->copy < copies) return true;
    error_at(&scene->errors, &at, "must be less than the number of copies, %d, is %d", copies, side->copy);
    return false;
}

// Whether a scene cannot name points of the body: a joint then holds the point closest to a position.
static bool attaches_by_position(const scene_body *body) {
    return !body->kind->find_place;
}

// The body of a side, with its place checked; null after an error.
static const scene_body *check_place(sn_scene *scene, const joint_side_spec *side, const json_path *path) {
    char quoted[QUOTE_SIZE];
    json_path at = {path, "body", 0};
    const scene_body *body = scene_find_body(scene, side->body);
    if (!body) {
        if (json_object_get(scene->rigid_names, side->body))
            error_at(&scene->errors, &at, "%s is a rigid body; use \"rigid_body\"", quote(side->body, quoted));
        else if (!scene->nameless)
            error_at(&scene->errors, &at, "no body is called %s", quote(side->body, quoted));
        return NULL;
    }
    int points = body->points_per_copy;
    bool point = fields_has(side, "point"), segment = fields_has(side, "segment");
    if (body->copies > 0 && attaches_by_position(body)) {
        if (point || segment || fields_has(side, "along")) {
            error_at(&scene->errors, path, "%s is attached by \"position\", at its point closest to there",
                     body->kind->one);
            return NULL;
        }
        return check_copy(scene, side, body->copies, path) ? body : NULL;
    }
    if (points == 0) return NULL; // it has errors of its own
    if (fields_has(side, "position")) {
        json_path position_at = {path, "position", 0};
        error_at(&scene->errors, &position_at, "a body is attached by \"point\" or \"segment\"");
        return NULL;
    }
    if (point == segment || (point && fields_has(side, "along"))) {
        error_at(&scene->errors, path, "needs \"point\", or \"segment\" and \"along\"");
        return NULL;
    }
    int number = point ? side->point : side->segment, k = number < 0 ? points + number : number;
    json_path number_at = {path, point ? "point" : "segment", 0};
    if (k < 0 || k >= points) {
        error_at(&scene->errors, &number_at, "must be from %d to %d, is %d", -points, points - 1, number);
        return NULL;
    }
    if (segment && !body->kind->has_segment) {
        error_at(&scene->errors, &number_at, "%s is attached by \"point\"", body->kind->one);
        return NULL;
    }
    if (segment && !body->kind->has_segment(body, k)) {
        error_at(&scene->errors, &number_at, "point %d has no segment: it is the root", k);
        return NULL;
    }
    return check_copy(scene, side, body->copies, path) ? body : NULL;
}

static void check_other(sn_scene *scene, const joint_spec *joint, const scene_body *a, const json_path *path) {
    const joint_side_spec *side = &joint->b;
    json_path at = {path, "b", 0}, shape_at = {&at, "rigid_body", 0};
    char quoted[QUOTE_SIZE];
    int wanted = copies_of(scene, joint), copies = 0;
    if (side->body && side->rigid_body) {
        error_at(&scene->errors, &shape_at, "cannot be combined with \"body\"");
        return;
    }
    if (side->body) {
        const scene_body *body = check_place(scene, side, &at);
        if (!body) return;
        copies = body->copies;
        bool itself = body == a && !fields_has(side, "copy") == !fields_has(&joint->a, "copy") &&
                      (!fields_has(side, "copy") || side->copy == joint->a.copy);
        if (itself && fields_has(side, "point") && fields_has(&joint->a, "point") && side->point == joint->a.point) {
            error_at(&scene->errors, &at, "is at the same place as side a");
        }
    } else if (side->rigid_body) {
        if (scene_find_rigid(scene, side->rigid_body, &copies) < 0) {
            if (json_object_get(scene->rigid_names, side->rigid_body)) return; // rigid bodies have errors
            error_at(&scene->errors, &shape_at, "no rigid body is called %s", quote(side->rigid_body, quoted));
            return;
        }
        if (!check_copy(scene, side, copies, &at)) return;
    }
    if (copies > 1 && !fields_has(side, "copy") && copies != wanted) {
        error_at(&scene->errors, &at, "has %d copies and side a has %d; it needs \"copy\"", copies, wanted);
    }
}

// Side a on a rigid body: a dynamic one, at a position. Side b is then at the same position.
static bool check_rigid_side(sn_scene *scene, const joint_spec *joint, const json_path *path) {
    const joint_side_spec *side = &joint->a;
    json_path at = {path, "rigid_body", 0};
    char quoted[QUOTE_SIZE];
    int copies = 0;
    const int first = scene_find_rigid(scene, side->rigid_body, &copies);
    if (first < 0) {
        if (!json_object_get(scene->rigid_names, side->rigid_body))
            error_at(&scene->errors, &at, "no rigid body is called %s", quote(side->rigid_body, quoted));
        return false;
    }
    if (!((const rigid_spec *)scene->spec.rigid_bodies.items)[first].dynamic)
        error_at(&scene->errors, &at, "is not dynamic: only side b may be");
    else if (!fields_has(side, "position"))
        error_at(&scene->errors, path, "needs \"position\": where the rigid body is held");
    else if (joint->b.head.type && fields_has(&joint->b, "position") && !joint->b.body &&
             joint->kind != SN_JOINT_DISTANCE)
        error_at(&scene->errors, path, "has the \"position\" of both sides: side b cannot have another");
    else
        return check_copy(scene, side, copies, path);
    return false;
}

static void check_keys(sn_scene *scene, const motor_spec *motor, const json_path *path) {
    const json_path at = {path, "motor", 0}, list = {&at, "keys", 0};
    const motor_key *keys = motor->keys.items;
    for (int i = 1; i < motor->keys.count; i++) {
        const json_path key = {&list, NULL, (size_t)i}, time = {&key, "t", 0};
        if (keys[i].head.bad || keys[i - 1].head.bad || keys[i].t > keys[i - 1].t) continue;
        error_at(&scene->errors, &time, "must be later than the key before, %.9g, is %.9g", keys[i - 1].t, keys[i].t);
    }
}

static void check_free(sn_scene *scene, const joint_spec *joint, const json_path *path) {
    const json_path limits = {path, "limits", 0};
    check_keys(scene, &joint->motor, path);
    if (joint->limits.count == 2 && !(joint->limits.items[0] <= joint->limits.items[1]))
        error_at(&scene->errors, &limits, "the first must be at most the second, %g, is %g", joint->limits.items[1],
                 joint->limits.items[0]);
}

void scene_joints_check(sn_scene *scene) {
    const joint_spec *joints = scene->spec.joints.items;
    double total = 0;
    for (int i = 0; i < scene->spec.joints.count; i++) {
        const joint_spec *joint = &joints[i];
        json_path list = {NULL, "joints", 0}, path = {&list, NULL, (size_t)i}, a = {&path, "a", 0};
        json_path motion = {&path, "motion", 0};
        if (joint->head.bad || joint->a.head.bad || joint->b.head.bad) continue;
        pose_track_check(scene, &joint->motion, &path);
        check_free(scene, joint, &path);
        if (pose_track_given(&joint->motion) && (joint->b.body || joint->b.rigid_body)) {
            error_at(&scene->errors, &motion, "only a point of space can be moved, and side b is on a body");
        }
        if (!joint->a.body == !joint->a.rigid_body) {
            error_at(&scene->errors, &a, "must be on a \"body\" or on a dynamic \"rigid_body\"");
            continue;
        }
        const scene_body *body = joint->a.body ? check_place(scene, &joint->a, &a) : NULL;
        if (joint->a.body ? !body : !check_rigid_side(scene, joint, &a)) continue;
        if (body && attaches_by_position(body) && !fields_has(&joint->a, "position")) {
            error_at(&scene->errors, &a, "needs \"position\": the joint holds the point of the body closest to there");
            continue;
        }
        if (joint->b.head.type) check_other(scene, joint, body, &path);
        total += copies_of(scene, joint);
        if (total > SCENE_MAX_JOINTS) {
            error_at(&scene->errors, &path, "the limit of a scene is %d joints", SCENE_MAX_JOINTS);
            return;
        }
    }
    scene->joint_count = (int)total;
}

// --- making ---

// The point of a body that is closest to a position.
static sn_status find_closest(sn_scene *scene, const sn_world *world, const scene_body *body, int copy, sn_vec3 to,
                              scene_place *out) {
    out->body = scene->ids[body->first + copy * body->ids_per_copy];
    const int n = sn_body_point_count(world, out->body);
    if (n == 0) return SN_OK; // sn_joint_create reports it
    sn_vec3 *points = sn_alloc(&scene->memory, (size_t)n, sizeof *points);
    if (!points) return SN_ERR_MEMORY;
    sn_body_get_points(world, out->body, points, n);
    for (int i = 1; i < n; i++) {
        const sn_vec3 was = sn_sub(points[out->index], to), is = sn_sub(points[i], to);
        if (sn_length2(is) < sn_length2(was)) out->index = i;
    }
    out->position = points[out->index];
    sn_free(&scene->memory, points, (size_t)n, sizeof *points);
    return SN_OK;
}

static sn_vec3 vec(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

// The place of a side on one copy of its body. `near` is the position of the other side.
static sn_status find_place(sn_scene *scene, const sn_world *world, const joint_side_spec *side, int copy, sn_vec3 near,
                            scene_place *out) {
    const scene_body *body = scene_find_body(scene, side->body);
    if (!attaches_by_position(body)) return body->kind->find_place(scene, world, body, side, copy, out);
    if (fields_has(side, "position")) near = vec(side->position);
    return find_closest(scene, world, body, copy, near, out);
}

// The place on a copy of a rigid body: as far from it as on the first.
static void find_rigid_place(const sn_scene *scene, const joint_side_spec *side, int copy, scene_place *out) {
    int copies = 0;
    const int first = scene_find_rigid(scene, side->rigid_body, &copies);
    const rigid_spec *spec = (const rigid_spec *)scene->spec.rigid_bodies.items + first;
    out->body = scene->rigid_bodies[first + copy];
    out->position = sn_add(vec(side->position), sn_sub(vec(spec[copy].position), vec(spec[0].position)));
}

static int copy_of_b(const joint_side_spec *side, int copies, int copy) {
    return fields_has(side, "copy") ? side->copy : copies > 1 ? copy : 0;
}

// Radians of a degree, where the joint leaves an angle free.
static double unit_of(const joint_spec *spec) {
    return spec->kind == SN_JOINT_SLIDER || spec->kind == SN_JOINT_DISTANCE ? 1 : 3.14159265358979323846 / 180;
}

// A motor at a time: linear between keys.
static sn_joint_motor motor_at(const joint_spec *spec, double t) {
    const motor_spec *m = &spec->motor;
    const motor_key *keys = m->keys.items;
    static const char *const names[5] = {"stiffness", "damping", "target", "speed", "max_force"};
    const double own[5] = {m->stiffness, m->damping, m->target, m->speed, m->max_force};
    double now[5];
    int next = 0;
    while (next < m->keys.count && keys[next].t <= t) next++;
    for (int k = 0; k < 5; k++) {
        double value[2] = {own[k], own[k]};
        for (int i = 0; i < 2 && m->keys.count > 0; i++) {
            const int at = next - 1 + i;
            const motor_key *key = &keys[at < 0 ? 0 : at < m->keys.count ? at : m->keys.count - 1];
            const double numbers[5] = {key->stiffness, key->damping, key->target, key->speed, key->max_force};
            if (fields_has(key, names[k])) value[i] = numbers[k];
        }
        const bool between = next > 0 && next < m->keys.count;
        const double part = between ? (t - keys[next - 1].t) / (keys[next].t - keys[next - 1].t) : 0;
        now[k] = value[0] + part * (value[1] - value[0]);
    }
    const double unit = unit_of(spec);
    return (sn_joint_motor){(sn_real)now[0], (sn_real)now[1], (sn_real)(unit * now[2]), (sn_real)(unit * now[3]),
                            (sn_real)now[4]};
}

static void fill_free(const joint_spec *spec, sn_joint_def *def) {
    const double unit = unit_of(spec);
    def->limited = spec->limits.count == 2;
    if (def->limited)
        def->lower = (sn_real)(unit * spec->limits.items[0]), def->upper = (sn_real)(unit * spec->limits.items[1]);
    def->swing = (sn_real)(spec->swing * 3.14159265358979323846 / 180);
    def->friction = (sn_real)spec->friction, def->break_torque = (sn_real)spec->break_torque;
    if (spec->motor.head.type) def->motor = motor_at(spec, 0);
    def->axis = (sn_vec3){(sn_real)spec->axis[0], (sn_real)spec->axis[1], (sn_real)spec->axis[2]};
}

// Where side b of a distance is held, if not at a point of a body.
static sn_vec3 far_position(const sn_scene *scene, const joint_spec *spec, int rigid, sn_vec3 usual) {
    const rigid_spec *shapes = scene->spec.rigid_bodies.items;
    if (spec->b.head.type && fields_has(&spec->b, "position")) return vec(spec->b.position);
    return rigid >= 0 && spec->a.rigid_body ? vec(shapes[rigid].position) : usual;
}

// Two bodies that are drawn together in the first step get the energy that this takes.
#define OPEN ((sn_real)1e-3) // m

static void warn_of_gap(sn_scene *scene, const joint_spec *spec, const scene_place *a, const scene_place *b) {
    const sn_real gap = sn_length(sn_sub(a->position, b->position));
    if (spec->keep_offset || spec->compliance > 0 || spec->kind == SN_JOINT_DISTANCE || spec->kind == SN_JOINT_SLIDER ||
        !(gap > OPEN))
        return;
    const json_path list = {NULL, "joints", 0}, path = {&list, NULL, (size_t)scene->building};
    warning_at(&scene->errors, &path,
               "its points are %.3g m from each other and are pulled together in the first step; "
               "place them together, or set \"keep_offset\"",
               (double)gap);
}

static sn_status build_joint(sn_scene *scene, sn_world *world, const joint_spec *spec, int copy, scene_joint *out) {
    sn_joint_def def = sn_joint_def_default();
    scene_place a = {0}, b = {0};
    *out = (scene_joint){0};
    sn_status status = SN_OK;
    if (spec->a.rigid_body)
        find_rigid_place(scene, &spec->a, copy, &a);
    else
        status = find_place(scene, world, &spec->a, copy, sn_v3(0, 0, 0), &a);
    def.body_a = a.body, def.segment_a = def.point_a = a.index, def.along_a = a.along;
    def.position = def.position_b = a.position;
    if (spec->b.head.type && spec->b.body) {
        int copies = scene_find_body(scene, spec->b.body)->copies;
        if (status == SN_OK)
            status = find_place(scene, world, &spec->b, copy_of_b(&spec->b, copies, copy), a.position, &b);
        def.body_b = b.body, def.segment_b = def.point_b = b.index, def.along_b = b.along;
        if (status == SN_OK && !spec->a.rigid_body) warn_of_gap(scene, spec, &a, &b);
    } else if (spec->b.head.type) {
        int copies = 0, first = spec->b.rigid_body ? scene_find_rigid(scene, spec->b.rigid_body, &copies) : -1;
        if (first >= 0) first += copy_of_b(&spec->b, copies, copy);
        def.position_b = far_position(scene, spec, first, a.position);
        if (spec->kind != SN_JOINT_DISTANCE && fields_has(&spec->b, "position")) def.position = vec(spec->b.position);
        if (first >= 0) def.body_b = scene->rigid_bodies[first];
    }
    def.kind = (sn_joint_kind)spec->kind;
    def.keep_offset = spec->keep_offset, def.collide = spec->collide;
    def.compliance = (sn_real)spec->compliance;
    def.angular_compliance = (sn_real)spec->angular_compliance;
    fill_free(spec, &def);
    def.max_force = (sn_real)spec->max_force;
    def.break_force = (sn_real)spec->break_force;
    const sn_vec3 goal = def.kind == SN_JOINT_DISTANCE ? def.position_b : def.position;
    const double start[3] = {(double)goal.x, (double)goal.y, (double)goal.z};
    memcpy(out->start, start, sizeof start);
    return status == SN_OK ? sn_joint_create(world, &def, &out->id) : status;
}

sn_status scene_joints_build(sn_scene *scene, sn_world *world) {
    const joint_spec *joints = scene->spec.joints.items;
    size_t count = (size_t)scene->joint_count;
    sn_status status = SN_OK;
    if (count == 0) return SN_OK;
    if (!scene->joints) scene->joints = sn_alloc(&scene->memory, count, sizeof *scene->joints);
    if (!scene->joints) return SN_ERR_MEMORY;
    int made = 0;
    scene->building_list = "joints";
    for (int i = 0; i < scene->spec.joints.count; i++) {
        int first = fields_has(&joints[i].a, "copy") ? joints[i].a.copy : 0, copies = copies_of(scene, &joints[i]);
        scene->building = i;
        for (int copy = first; copy < first + copies && status == SN_OK; copy++) {
            status = build_joint(scene, world, &joints[i], copy, &scene->joints[made++]);
        }
    }
    scene->building = -1;
    return status;
}

// --- in time ---

static void move(sn_scene *scene, const joint_spec *spec, sn_world *world, const scene_joint *joint, double t,
                 sn_status *worst) {
    double at[3];
    sn_quat rotation;
    pose_track_at(&spec->motion, t, joint->start, at, &rotation);
    sn_status status = SN_OK;
    const pose_key *keys = spec->motion.keys.items;
    if (fields_has(keys, "position") || fields_has(keys, "offset")) {
        scene_call call = {.type = CALL_JOINT_MOVE, .slot1 = joint->id.slot1, .gen = joint->id.gen};
        call_put_vector(&call, 0, vec(at));
        status = scene_drive_call(scene, world, &call);
    }
    if (status == SN_OK && fields_has(keys, "rotation")) {
        scene_call call = {.type = CALL_JOINT_ROTATE, .slot1 = joint->id.slot1, .gen = joint->id.gen};
        call_put_rotation(&call, 0, rotation);
        status = scene_drive_call(scene, world, &call);
    }
    if (status != SN_OK) *worst = status;
}

static void drive_motor(sn_scene *scene, const joint_spec *spec, sn_world *world, sn_joint id, double t,
                        sn_status *worst) {
    const sn_joint_motor m = motor_at(spec, t);
    const scene_call call = {
        .type = CALL_JOINT_MOTOR,
        .slot1 = id.slot1,
        .gen = id.gen,
        .v = {(float)m.stiffness, (float)m.damping, (float)m.target, (float)m.speed, (float)m.max_force}};
    const sn_status status = scene_drive_call(scene, world, &call);
    if (status != SN_OK) *worst = status;
}

// Whether its motor changes before time t.
static bool motor_changes(const motor_spec *motor, double t, double dt) {
    const motor_key *keys = motor->keys.items;
    return motor->keys.count > 0 && t <= keys[motor->keys.count - 1].t + 2 * dt;
}

sn_status scene_joints_drive(sn_scene *scene, sn_world *world, double t, double dt) {
    const joint_spec *joints = scene->spec.joints.items;
    sn_status worst = SN_OK;
    int made = 0;
    for (int i = 0; scene->joints && i < scene->spec.joints.count; i++) {
        const joint_spec *spec = &joints[i];
        int copies = copies_of(scene, spec);
        bool moves = pose_track_given(&spec->motion), ends = fields_has(spec, "until") && t + 1e-9 >= spec->until;
        const bool pulls = motor_changes(&spec->motor, t, dt);
        for (int k = made; (moves || ends || pulls) && k < made + copies; k++) {
            if (!sn_joint_exists(world, scene->joints[k].id)) continue; // broken or released
            if (ends) {
                const sn_joint id = scene->joints[k].id;
                const scene_call call = {.type = CALL_JOINT_DESTROY, .slot1 = id.slot1, .gen = id.gen};
                scene_drive_call(scene, world, &call);
                continue;
            }
            if (moves) move(scene, spec, world, &scene->joints[k], t + dt, &worst);
            if (pulls) drive_motor(scene, spec, world, scene->joints[k].id, t + dt, &worst);
        }
        made += copies;
    }
    return worst;
}
