// Worlds, rods and joints in a line each.
#include "coupling_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 512 };

static void report(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    coupling_run *run = user;
    (void)code;
    if (level == SN_LOG_ERROR) fprintf(stderr, "%s: %s: %s\n", run->result->name, field, text);
}

void coupling_begin(coupling_run *run, const coupling_settings *settings, coupling_result *result) {
    memset(run, 0, sizeof *run);
    run->settings = settings;
    run->result = result;
    run->dt = 1.0 / 60;
    run->duration = 5;
    sn_world_def def = sn_world_def_default();
    def.log = report;
    def.log_user = run;
    if (settings->workers > 0) def.worker_count = settings->workers;
    run->failed = sn_world_create(&def, &run->world) != SN_OK;
}

void coupling_end(coupling_run *run) {
    sn_world_destroy(run->world);
    sn_scene_destroy(run->scene);
    free(run->step_ms);
    run->world = NULL, run->scene = NULL, run->step_ms = NULL;
}

sn_material coupling_material(double young, double density) {
    return sn_material_make((sn_real)young, (sn_real)0.49, (sn_real)density);
}

sn_rod_def coupling_line_def(sn_vec3 *points, sn_vec3 from, sn_vec3 to, int segments, double radius,
                             sn_material material) {
    for (int i = 0; i <= segments; i++) {
        double t = (double)i / segments;
        points[i] = vec(from.x + t * (to.x - from.x), from.y + t * (to.y - from.y), from.z + t * (to.z - from.z));
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = segments + 1;
    def.radius = (sn_real)radius;
    def.material = material;
    return def;
}

sn_body coupling_rod(coupling_run *run, const sn_rod_def *def) {
    sn_body rod = {0};
    if (run->failed || sn_rod_create(run->world, def, &rod) != SN_OK) run->failed = true;
    return rod;
}

sn_body coupling_line(coupling_run *run, sn_vec3 from, sn_vec3 to, int segments, double radius, sn_material material) {
    sn_vec3 points[POINTS];
    sn_rod_def def = coupling_line_def(points, from, to, segments, radius, material);
    return coupling_rod(run, &def);
}

sn_body coupling_weight(coupling_run *run, sn_vec3 from, sn_vec3 to, int segments, double radius, double young,
                        double mass) {
    sn_body trial = coupling_line(run, from, to, segments, radius, coupling_material(young, 1000));
    double density = 1000 * mass / sn_body_mass(run->world, trial);
    if (run->failed || sn_body_destroy(run->world, trial) != SN_OK) run->failed = true;
    return coupling_line(run, from, to, segments, radius, coupling_material(young, density));
}

sn_body coupling_box(coupling_run *run, sn_vec3 position, sn_vec3 half) {
    sn_rigid_def def = sn_rigid_def_default();
    sn_body box = {0};
    def.geometry = SN_GEOMETRY_BOX;
    def.position = position;
    def.half = half;
    if (run->failed || sn_rigid_create(run->world, &def, &box) != SN_OK) run->failed = true;
    return box;
}

sn_body coupling_floor(coupling_run *run, double y) {
    sn_rigid_def def = sn_rigid_def_default();
    sn_body plane = {0};
    def.position = vec(0, y, 0);
    if (run->failed || sn_rigid_create(run->world, &def, &plane) != SN_OK) run->failed = true;
    return plane;
}

static sn_joint create_joint(coupling_run *run, sn_joint_def *def) {
    sn_joint joint = {0};
    if (run->failed || sn_joint_create(run->world, def, &joint) != SN_OK) run->failed = true;
    return joint;
}

// Point k is the far end of segment k; point 0 the near end of segment 1.
static int segment_of(int point) {
    return point > 0 ? point : 1;
}

sn_joint coupling_join(coupling_run *run, sn_body a, int point_a, sn_body b, int point_b) {
    sn_joint_def def = sn_joint_def_default();
    def.body_a = a;
    def.segment_a = segment_of(point_a);
    def.along_a = point_a > 0;
    def.body_b = b;
    def.segment_b = segment_of(point_b);
    def.along_b = point_b > 0;
    return create_joint(run, &def);
}

sn_joint coupling_pin_at(coupling_run *run, sn_body a, int point, sn_vec3 position) {
    sn_joint_def def = sn_joint_def_default();
    def.body_a = a;
    def.segment_a = segment_of(point);
    def.along_a = point > 0;
    def.position = position;
    return create_joint(run, &def);
}

sn_joint coupling_pin(coupling_run *run, sn_body a, int point) {
    return coupling_pin_at(run, a, point, run->failed ? vec(0, 0, 0) : coupling_point(run->world, a, point));
}

// ---- readings

double coupling_energy(const sn_world *world) {
    sn_energy energy = sn_world_energy(world);
    return energy.kinetic + energy.elastic + energy.potential;
}

sn_vec3 coupling_point(const sn_world *world, sn_body body, int point) {
    sn_vec3 points[POINTS];
    int count = sn_body_get_points(world, body, points, POINTS);
    return point < count && point < POINTS ? points[point] : vec(NAN, NAN, NAN);
}

sn_vec3 coupling_velocity(const sn_world *world, sn_body body) {
    sn_vec3 velocities[POINTS];
    sn_real masses[POINTS];
    double sum[3] = {0}, mass = 0;
    int count = sn_body_get_velocities(world, body, velocities, POINTS);
    sn_body_get_masses(world, body, masses, POINTS);
    for (int i = 0; i < count && i < POINTS; i++) {
        sum[0] += (double)masses[i] * (double)velocities[i].x;
        sum[1] += (double)masses[i] * (double)velocities[i].y;
        sum[2] += (double)masses[i] * (double)velocities[i].z;
        mass += (double)masses[i];
    }
    return vec(sum[0] / mass, sum[1] / mass, sum[2] / mass);
}

double coupling_total_mass(const sn_world *world) {
    double mass = 0;
    for (int i = 0; i < sn_world_body_count(world); i++) mass += sn_body_mass(world, sn_world_body_at(world, i));
    return mass;
}

static sn_vec3 surface_velocity(sn_vec3 point, sn_vec3 centre, sn_vec3 velocity, sn_vec3 spin) {
    sn_vec3 d = vec(point.x - centre.x, point.y - centre.y, point.z - centre.z);
    return vec(velocity.x + spin.y * d.z - spin.z * d.y, velocity.y + spin.z * d.x - spin.x * d.z,
               velocity.z + spin.x * d.y - spin.y * d.x);
}

double coupling_rigid_work(const coupling_run *run, sn_body rigid, sn_vec3 centre, sn_vec3 velocity, sn_vec3 spin) {
    enum { CONTACTS = 4096 };
    sn_contact *contacts = malloc(CONTACTS * sizeof *contacts);
    if (!contacts) return 0;
    int count = sn_world_get_contacts(run->world, contacts, CONTACTS);
    double work = 0;
    for (int i = 0; i < count && i < CONTACTS; i++) {
        const sn_contact *c = &contacts[i];
        bool is_a = memcmp(&c->body_a, &rigid, sizeof rigid) == 0, is_b = memcmp(&c->body_b, &rigid, sizeof rigid) == 0;
        if (!is_a && !is_b) continue;
        sn_surface surface;
        double friction = 0.5;
        if (sn_body_get_surface(run->world, is_a ? c->body_b : c->body_a, &surface) == SN_OK) {
            friction = (double)surface.friction_static;
        }
        sn_vec3 v = surface_velocity(c->point, centre, velocity, spin);
        double normal = (double)(v.x * c->normal.x + v.y * c->normal.y + v.z * c->normal.z) * (is_b ? 1 : -1);
        double speed = sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z));
        double across = sqrt(fmax(speed * speed - normal * normal, 0));
        work += run->dt * (double)c->force * (normal + friction * across);
    }
    free(contacts);
    return work;
}

double coupling_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

// ---- elastic answers

// The tension at a stretch, with the scale that is then at rest (found by bisection: it lies between 1/sqrt(x) and 1).
static double tension_at(const sn_material *m, double area, double x) {
    double low = 1 / sqrt(x), high = 1, k = 2 * (double)m->shear, kv = (double)m->volume;
    for (int i = 0; i < 60; i++) {
        double s = 0.5 * (low + high);
        if (k * (s - 1) + 2 * kv * x * s * (x * s * s - 1) > 0) {
            high = s;
        } else {
            low = s;
        }
    }
    return area * ((double)m->young * (x - 1) + kv * (x * low * low - 1) * low * low);
}

double coupling_stretch(const sn_material *material, double radius, double tension) {
    double area = 3.14159265358979 * radius * radius;
    if (!(tension > 0)) return 1;
    double low = 1, high = 1 + tension / (area * (double)material->young);
    for (int i = 0; i < 60; i++) {
        double x = 0.5 * (low + high);
        if (tension_at(material, area, x) > tension) {
            high = x;
        } else {
            low = x;
        }
    }
    return low;
}
