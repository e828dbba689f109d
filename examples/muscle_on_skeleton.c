// A muscle on two bones: five rods bound into a bundle, their ends riding on an upper arm and a forearm that bends. The
// muscle is told to contract as it bends; it gets shorter and thicker, and keeps its volume.
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>

enum { RODS = 5, POINTS = 12, FRAMES = 90 };

static sn_body bone(sn_world *world, sn_vec3 from, sn_vec3 to) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_PILL;
    def.ends[0] = from, def.ends[1] = to;
    def.radii[0] = def.radii[1] = (sn_real)0.012;
    sn_body id = {0, 0};
    sn_rigid_create(world, &def, &id);
    return id;
}

int main(void) {
    sn_world_def world_def = sn_world_def_default();
    world_def.iterations = 4; // rods, their binding and their contacts take turns
    sn_world *world;
    if (sn_world_create(&world_def, &world) != SN_OK) return 1;

    // The upper arm lies along x up to the elbow at the origin; the forearm goes on from there.
    sn_body upper = bone(world, (sn_vec3){(sn_real)-0.3, 0, 0}, (sn_vec3){0, 0, 0});
    sn_body fore = bone(world, (sn_vec3){0, 0, 0}, (sn_vec3){(sn_real)0.25, 0, 0});

    // Spindles side by side above the bones: thin where they are tied to bone, thick in the middle.
    sn_body rods[RODS];
    sn_vec3 hold[RODS]; // where each is tied to the forearm
    for (int k = 0; k < RODS; k++) {
        sn_vec3 points[POINTS];
        sn_real radii[POINTS];
        for (int i = 0; i < POINTS; i++) {
            double along = (double)i / (POINTS - 1), belly = sin(3.14159265 * along), turn = 6.2831853 * k / RODS;
            double spread = 0.004 + 0.011 * belly;
            points[i] = (sn_vec3){(sn_real)(-0.26 + 0.3 * along), (sn_real)(0.032 + 0.012 * belly + spread * cos(turn)),
                                  (sn_real)(spread * sin(turn))};
            radii[i] = (sn_real)(0.004 + 0.006 * belly);
        }
        sn_rod_def def = sn_rod_def_default();
        def.points = points, def.radii = radii, def.point_count = POINTS;
        def.material = sn_material_preset(SN_PRESET_MUSCLE);
        if (sn_rod_create(world, &def, &rods[k]) != SN_OK) return 1;
        sn_rod_hold(world, rods[k], 0, SN_HOLD_CENTRE);
        sn_rod_hold(world, rods[k], POINTS - 1, SN_HOLD_CENTRE);
        hold[k] = points[POINTS - 1];
    }
    sn_bundle_def bundle_def = sn_bundle_def_default();
    bundle_def.rods = rods, bundle_def.rod_count = RODS;
    bundle_def.bone_first = upper, bundle_def.bone_last = fore;
    sn_bundle biceps;
    if (sn_bundle_create(world, &bundle_def, &biceps) != SN_OK) return 1;

    sn_section before[POINTS], after[POINTS];
    sn_bundle_get_sections(world, biceps, before, POINTS);
    for (int frame = 1; frame <= FRAMES; frame++) {
        double bent = 1.2 * frame / FRAMES, c = cos(bent), s = sin(bent); // radians
        sn_quat turn = {0, 0, (sn_real)sin(bent / 2), (sn_real)cos(bent / 2)};
        sn_rigid_move(world, fore, (sn_vec3){0, 0, 0}, turn);
        for (int k = 0; k < RODS; k++) {
            sn_vec3 h = hold[k];
            sn_vec3 to = {(sn_real)(c * h.x - s * h.y), (sn_real)(s * h.x + c * h.y), h.z};
            sn_rod_move_centre(world, rods[k], POINTS - 1, to);
        }
        sn_bundle_set_activation(world, biceps, (sn_real)0.6 * (sn_real)frame / FRAMES);
        if (sn_world_step(world, (sn_real)(1.0 / 60), 4) != SN_OK) return 1;
    }
    sn_bundle_get_sections(world, biceps, after, POINTS);
    double volume = sn_bundle_volume(world, biceps) / sn_bundle_rest_volume(world, biceps);
    double thick = (double)(after[POINTS / 2].scale / before[POINTS / 2].scale);
    printf("belly %.3f times as thick, volume %.4f of what it was\n", thick, volume);
    sn_world_destroy(world);
    return fabs(volume - 1) < 0.02 && thick > 1.02 ? 0 : 1;
}
