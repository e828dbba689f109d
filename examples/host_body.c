// Couples bodies of another engine with Sinew, both ways. The host below knows balls, gravity and nothing else; a net of threads in Sinew
// catches two of them. The heavy one is kinematic and gets back what it bore; the light one is dynamic during the step and gets back how
// its velocity changed.
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>

// ---- the host: a ball with a velocity

typedef struct {
    double at[3], velocity[3], mass, radius;
    double bore[3]; // N, in the step before
} host_ball;

static void host_fall(host_ball *ball, double dt) {
    ball->velocity[1] -= 9.81 * dt;
}
static void host_move(host_ball *ball, double dt) {
    for (int k = 0; k < 3; k++) ball->at[k] += dt * ball->velocity[k];
}

static sn_vec3 to_vec(const double v[3]) {
    return (sn_vec3){(sn_real)v[0], (sn_real)v[1], (sn_real)v[2]};
}

static sn_body mirror(sn_world *world, const host_ball *ball, bool dynamic) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = (sn_real)ball->radius;
    def.position = to_vec(ball->at), def.dynamic = dynamic, def.mass = (sn_real)ball->mass;
    sn_body body = {0, 0, 0};
    sn_rigid_create(world, &def, &body);
    return body;
}

// ---- one step of both

static const sn_quat no_turn = {0, 0, 0, 1};
static const sn_vec3 no_spin = {0, 0, 0};

static int step(sn_world *world, host_ball *heavy, sn_body kinematic, host_ball *light, sn_body dynamic, double dt) {
    // The heavy one goes where the host takes it, and bears what it meets there.
    host_fall(heavy, dt), host_move(heavy, dt);
    sn_rigid_move(world, kinematic, to_vec(heavy->at), no_turn);
    // The light one is Sinew's for the step: gravity too.
    sn_rigid_move(world, dynamic, to_vec(light->at), no_turn);
    sn_rigid_set_velocity(world, dynamic, to_vec(light->velocity), no_spin);
    if (sn_world_step(world, (sn_real)dt, 4) != SN_OK) return 1;

    sn_vec3 force, torque, at, velocity, spin;
    sn_quat turn;
    sn_rigid_get_reaction(world, kinematic, &force, &torque);
    const double f[3] = {(double)force.x, (double)force.y, (double)force.z};
    for (int k = 0; k < 3; k++) {
        // The mean force of a step is half a step old at its end: as it changed before, so it goes on.
        heavy->velocity[k] += dt / heavy->mass * (f[k] + 0.5 * (f[k] - heavy->bore[k]));
        heavy->bore[k] = f[k];
    }
    sn_rigid_get_pose(world, dynamic, &at, &turn), sn_rigid_get_velocity(world, dynamic, &velocity, &spin);
    light->at[0] = (double)at.x, light->at[1] = (double)at.y, light->at[2] = (double)at.z;
    light->velocity[0] = (double)velocity.x, light->velocity[1] = (double)velocity.y,
    light->velocity[2] = (double)velocity.z;
    return 0;
}

int main(void) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    if (sn_world_create(&def, &world) != SN_OK) return 1;
    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.corner = (sn_vec3){-1, 1, -1}, cloth.across = (sn_vec3){2, 0, 0}, cloth.down = (sn_vec3){0, 0, 2};
    cloth.structural = (sn_spring_params){4000, 20}, cloth.mass = 1;
    sn_spring_net net;
    if (sn_springs_make_cloth(&cloth, NULL, &net) != SN_OK) return 1;
    for (int i = 0; i < 21; i++) net.masses[i] = net.masses[20 * 21 + i] = 0; // held at two sides
    const sn_springs_def cloth_def = sn_springs_def_of(&net);
    sn_body cloth_body;
    if (sn_springs_create(world, &cloth_def, &cloth_body) != SN_OK) return 1;
    sn_spring_net_free(&net);

    host_ball heavy = {{-0.3, 1.5, 0}, {0, 0, 0}, 20, 0.2, {0, 0, 0}},
              light = {{0.5, 1.3, 0}, {0, 0, 0}, 0.2, 0.1, {0, 0, 0}};
    const sn_body kinematic = mirror(world, &heavy, false), dynamic = mirror(world, &light, true);
    for (int i = 0; i < 360; i++)
        if (step(world, &heavy, kinematic, &light, dynamic, 1.0 / 60)) return 1;
    printf("after 6 s the heavy ball is at %.2f m, the light one at %.2f m\n", heavy.at[1], light.at[1]);
    sn_world_destroy(world);
    return !(heavy.at[1] > -0.5 && heavy.at[1] < 1.2 && light.at[1] > 0 && light.at[1] < 1.5);
}
