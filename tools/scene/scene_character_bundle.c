// A bundle of rods drives a muscle of a character: VIPER rods that are simulated and collide in the world. Their
// cross-sections define the field of the muscle (sn_implicit_muscles_set_bundle), under the same skin.
//
//     cross-section k at s_k along the muscle's axis, as wide as the muscle is there (but no thinner than TENDON of its
//     belly): one rod in the middle, the others around it. Each has the part 1 / rods of the area, so the volume is the
//     muscle's.
//
// The ends are held and follow the bones. The bones are pills in the world, over which the rods slide. Pills leave out
// the fifth of a bone next to its ends, and rods ignore the bone of their insertion: a closing joint would crush the
// tendon that passes there. So the rods ignore those bones and muscles of their own character that other bodies collide
// with (sinew/implicit_muscle.h).
#include "base/math/vec.h"
#include "mesh/maths.h"
#include "scene/scene_character_internal.h"
#include "scene/scene_drive.h"
#include "scene/scene_material.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TENDON      0.3
#define NEAR_JOINTS 0.2
enum { MAX_POINTS = 128, MAX_RODS = 100 };

bool character_is_named(const character *c, int muscle, const char *start) {
    return strncmp(c->muscle_names[muscle], start, strlen(start)) == 0;
}

// The last entry that names a muscle; null: none.
static const character_bundle_spec *spec_of(const struct scene_character *one, int muscle) {
    const character_spec *spec = (const character_spec *)one->body->spec;
    const character_bundle_spec *all = spec->bundles.items, *found = NULL;
    for (int i = 0; i < spec->bundles.count; i++)
        if (character_is_named(&one->form->is, muscle, all[i].muscle)) found = &all[i];
    return found;
}

int character_bundles_count(const struct scene_character *one) {
    int count = 0;
    for (int m = 0; m < one->form->is.muscle_count; m++) count += spec_of(one, m) != NULL;
    return count;
}

sn_vec3 *character_axes(const sn_world *world, const struct scene_character *one) {
    const int count = one->form->is.muscle_count;
    sn_vec3 *axes = calloc((size_t)count * MAX_POINTS + 1, sizeof *axes);
    for (int m = 0; axes && m < count; m++)
        sn_implicit_muscles_get_axis(world, one->id, m, axes + (size_t)m * MAX_POINTS, MAX_POINTS);
    return axes;
}

// A cross-section of the muscle: centre, radius, and two directions across.
typedef struct {
    sn_vec3 centre, x, y;
    double radius;
} slice;

// The point at a fraction of the length of a chain: its segment, and the position on it.
static int along(const sn_vec3 *axis, int points, double part, double *t) {
    double all = 0, done = 0;
    for (int i = 0; i + 1 < points; i++) all += (double)sn_length(sn_sub(axis[i + 1], axis[i]));
    for (int i = 0; i + 1 < points; i++) {
        const double step = (double)sn_length(sn_sub(axis[i + 1], axis[i]));
        if (done + step >= part * all || i + 2 == points) {
            *t = step > 0 ? fmin(fmax((part * all - done) / step, 0), 1) : 0;
            return i;
        }
        done += step;
    }
    *t = 0;
    return 0;
}

// Directions are transported along the axis without twist.
static void cut(const sn_vec3 *axis, const sn_real *radii, int points, int slices, slice *out) {
    double max = 0;
    for (int i = 0; i < points; i++) max = fmax(max, (double)radii[i]);
    sn_vec3 across = sn_perpendicular(sn_sub(axis[1], axis[0]));
    for (int k = 0; k < slices; k++) {
        double t;
        const int i = along(axis, points, (double)k / (slices - 1), &t);
        const sn_vec3 tangent = sn_normalize(sn_sub(axis[i + 1], axis[i]), sn_v3(0, 1, 0));
        across = sn_normalize(sn_mul_add(across, -sn_dot(across, tangent), tangent), sn_perpendicular(tangent));
        const double radius = (double)radii[i] + t * ((double)radii[i + 1] - (double)radii[i]);
        out[k] = (slice){sn_lerp(axis[i], axis[i + 1], (sn_real)t), across, sn_cross(tangent, across),
                         fmax(radius, TENDON * max)};
    }
}

// Moves cross-sections out of the bones: rods collide with them, and tendons of implicit muscles do not.
static void put_on_bones(const character *c, const sn_transform *poses, slice *slices, int count) {
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 2 * c->collider_count; i++) { // twice: leaving one may enter another
            const sn_implicit_muscle_bone *shape = &c->shapes[i % c->collider_count];
            const sn_transform *pose = &poses[shape->bone];
            const sn_vec3 a = sn_add(pose->position, sn_q_rotate(pose->rotation, shape->ends[0]));
            const sn_vec3 b = sn_add(pose->position, sn_q_rotate(pose->rotation, shape->ends[1]));
            const sn_vec3 along = sn_sub(b, a), from = sn_sub(slices[k].centre, a);
            const sn_real t = sn_clamp(sn_dot(from, along) / sn_max(sn_dot(along, along), (sn_real)1e-12), 0, 1);
            const sn_vec3 off = sn_sub(from, sn_mul(t, along));
            const double reach =
                slices[k].radius + (double)shape->radii[0] + (double)t * (double)(shape->radii[1] - shape->radii[0]);
            const double far = (double)sn_length(off);
            if (far < reach)
                slices[k].centre = sn_mul_add(slices[k].centre, (sn_real)(reach - far), sn_normalize(off, slices[k].x));
        }
}

// Rod 0 in the middle, the others in a ring at the outside; many of them in several rings.
static sn_vec3 point_of(const slice *at, int rod, int rods, double radius) {
    const double part = rods > 1 ? sqrt((double)rod / (rods - 1)) : 0; // fraction of the radius
    const double rings = rods <= 7 ? (rod > 0) : part;
    const double angle = rods <= 7 ? 2 * 3.14159265358979 * (rod - 1) / fmax(rods - 1, 1) : 2.39996323 * rod;
    const double out = rings * (at->radius - radius);
    return sn_mul_add(sn_mul_add(at->centre, (sn_real)(out * own_cos(angle)), at->x), (sn_real)(out * own_sin(angle)),
                      at->y);
}

static uint32_t group_of(int bone) {
    return (uint32_t)1 << (31 - bone % 24);
}

static sn_status make_rods(const sn_scene *scene, sn_world *world, const struct scene_character *one,
                           character_bundle *bundle, const sn_vec3 *rest, const sn_transform *rest_poses) {
    slice now[MAX_POINTS], then[MAX_POINTS];
    sn_vec3 axis[MAX_POINTS], points[MAX_POINTS], rest_points[MAX_POINTS];
    sn_real radii[MAX_POINTS];
    const character_bundle_spec *spec = bundle->spec;
    const int n = spec->slices, m = bundle->muscle,
              count = sn_implicit_muscles_get_axis(world, one->id, m, axis, MAX_POINTS);
    sn_implicit_muscles_get_radii(world, one->id, m, radii, MAX_POINTS);
    cut(axis, radii, count, n, now);
    cut(rest, radii, count, n, then);
    if (one->shapes && spec->collide) {
        put_on_bones(&one->form->is, one->poses, now, n);
        put_on_bones(&one->form->is, rest_poses, then, n);
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.rest_points = rest_points, def.radii = radii, def.point_count = n;
    def.material = spec->material ? scene_material(scene, spec->material) : sn_material_preset(SN_PRESET_MUSCLE);
    def.collide = spec->collide;
    def.surface.group = CHARACTER_RODS;
    if (one->form->is.muscles[m].bone[0] != one->form->is.muscles[m].bone[1])
        def.surface.mask &= ~group_of(one->form->is.muscles[m].bone[1]);
    def.label = scene_label(one->body->index, one->copy);
    sn_status status = SN_OK;
    for (int rod = 0; rod < spec->rods && status == SN_OK; rod++) {
        for (int k = 0; k < n; k++) {
            const double radius = then[k].radius / sqrt(spec->rods);
            radii[k] = (sn_real)radius;
            points[k] = point_of(&now[k], rod, spec->rods, radius);
            rest_points[k] = point_of(&then[k], rod, spec->rods, radius);
        }
        status = sn_rod_create(world, &def, &bundle->rods[rod]);
        for (int end = 0; end < 2 && status == SN_OK; end++) {
            const sn_transform *pose = &one->poses[one->form->is.muscles[m].bone[end]];
            const sn_vec3 from = sn_sub(points[end ? n - 1 : 0], pose->position);
            bundle->at[2 * rod + end] = sn_q_rotate(sn_q_conj(pose->rotation), from);
            status = sn_rod_hold(world, bundle->rods[rod], end ? n - 1 : 0, SN_HOLD_CENTRE);
        }
    }
    return status;
}

// The first pill of a bone; null: it has none.
static sn_body shape_of(const struct scene_character *one, int bone) {
    const character *c = &one->form->is;
    for (int i = 0; one->shapes && i < c->collider_count; i++)
        if (c->shapes[i].bone == bone) return one->shapes[i];
    return (sn_body){0};
}

static sn_status make_bundle(const sn_scene *scene, sn_world *world, const struct scene_character *one,
                             character_bundle *bundle, const sn_vec3 *rest, const sn_transform *rest_poses) {
    const character_bundle_spec *spec = bundle->spec;
    const sn_implicit_muscle_def *muscle = &one->form->is.muscles[bundle->muscle];
    bundle->rods = calloc((size_t)spec->rods, sizeof *bundle->rods);
    bundle->at = calloc(2 * (size_t)spec->rods, sizeof *bundle->at);
    if (!bundle->rods || !bundle->at) return SN_ERR_MEMORY;
    sn_status status = make_rods(scene, world, one, bundle, rest, rest_poses);
    if (status != SN_OK) return status;
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = bundle->rods, def.rod_count = spec->rods;
    def.shortest = (sn_real)spec->shortest, def.hertz = (sn_real)spec->hertz;
    def.bone_first = shape_of(one, muscle->bone[0]), def.bone_last = shape_of(one, muscle->bone[1]);
    def.label = scene_label(one->body->index, one->copy);
    status = sn_bundle_create(world, &def, &bundle->id);
    return status == SN_OK ? sn_implicit_muscles_set_bundle(world, one->id, bundle->muscle, bundle->id) : status;
}

static sn_status make_bones(sn_world *world, struct scene_character *one) {
    const character *c = &one->form->is;
    sn_status status = SN_OK;
    one->shapes = calloc((size_t)c->collider_count + 1, sizeof *one->shapes);
    if (!one->shapes) return SN_ERR_MEMORY;
    for (int i = 0; i < c->collider_count && status == SN_OK; i++) {
        const sn_implicit_muscle_bone *bone = &c->shapes[i];
        sn_rigid_def def = sn_rigid_def_default();
        def.geometry = SN_GEOMETRY_PILL;
        def.position = one->poses[bone->bone].position, def.rotation = one->poses[bone->bone].rotation;
        for (int k = 0; k < 2; k++) {
            def.ends[k] = sn_lerp(bone->ends[k], bone->ends[1 - k], (sn_real)NEAR_JOINTS);
            def.radii[k] = bone->radii[k] + (sn_real)NEAR_JOINTS * (bone->radii[1 - k] - bone->radii[k]);
        }
        def.surface.group = group_of(bone->bone), def.surface.mask = CHARACTER_RODS;
        def.label = scene_label(one->body->index, one->copy);
        status = sn_rigid_create(world, &def, &one->shapes[i]);
    }
    return status;
}

sn_status character_bundles_make(sn_scene *scene, sn_world *world, struct scene_character *one, const sn_vec3 *rest,
                                 const sn_transform *rest_poses) {
    const character_spec *spec = (const character_spec *)one->body->spec;
    const int count = character_bundles_count(one);
    if (count == 0) return SN_OK;
    one->bundles = calloc((size_t)count, sizeof *one->bundles);
    if (!one->bundles) return SN_ERR_MEMORY;
    sn_status status = spec->bone_contact ? make_bones(world, one) : SN_OK;
    for (int m = 0; m < one->form->is.muscle_count && status == SN_OK; m++) {
        const character_bundle_spec *own = spec_of(one, m);
        if (!own) continue;
        character_bundle *bundle = &one->bundles[one->bundle_count++];
        *bundle = (character_bundle){.muscle = m, .spec = own};
        status = make_bundle(scene, world, one, bundle, rest + (size_t)m * MAX_POINTS, rest_poses);
    }
    return status;
}

void character_bundles_free(struct scene_character *one) {
    for (int i = 0; i < one->bundle_count; i++) {
        free(one->bundles[i].rods);
        free(one->bundles[i].at);
    }
    free(one->bundles);
    free(one->shapes);
}

// --- in time ---

static sn_status drive_bundle(sn_scene *scene, sn_world *world, struct scene_character *one, character_bundle *bundle) {
    const sn_implicit_muscle_def *muscle = &one->form->is.muscles[bundle->muscle];
    sn_status worst = SN_OK;
    for (int i = 0; i < 2 * bundle->spec->rods; i++) {
        const sn_body rod = bundle->rods[i / 2];
        const sn_transform *pose = &one->poses[muscle->bone[i % 2]];
        scene_call call = {
            .type = CALL_CENTRE, .slot1 = rod.slot1, .gen = rod.gen, .index = i % 2 ? bundle->spec->slices - 1 : 0};
        call_put_vector(&call, 0, sn_add(pose->position, sn_q_rotate(pose->rotation, bundle->at[i])));
        const sn_status status = scene_drive_call(scene, world, &call);
        if (status != SN_OK) worst = status;
    }
    const sn_real activation = one->keys[bundle->muscle].activation;
    if (activation != bundle->activation) {
        scene_call call = {.type = CALL_ACTIVATE, .slot1 = bundle->id.slot1, .gen = bundle->id.gen};
        call.v[0] = (float)activation;
        const sn_status status = scene_drive_call(scene, world, &call);
        if (status != SN_OK) worst = status;
        bundle->activation = activation;
    }
    return worst;
}

sn_status character_bundles_drive(sn_scene *scene, sn_world *world, struct scene_character *one) {
    const character *c = &one->form->is;
    sn_status worst = SN_OK;
    for (int i = 0; one->shapes && i < c->collider_count; i++) {
        const sn_transform *pose = &one->poses[c->shapes[i].bone];
        scene_call call = {.type = CALL_RIGID_MOVE, .slot1 = one->shapes[i].slot1, .gen = one->shapes[i].gen};
        call_put_vector(&call, 0, pose->position);
        call_put_rotation(&call, 3, pose->rotation);
        const sn_status status = scene_drive_call(scene, world, &call);
        if (status != SN_OK) worst = status;
    }
    for (int i = 0; i < one->bundle_count; i++) {
        const sn_status status = drive_bundle(scene, world, one, &one->bundles[i]);
        if (status != SN_OK) worst = status;
    }
    return worst;
}
