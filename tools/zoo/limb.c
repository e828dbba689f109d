// An arm by itself, hanging with its palm to the front, and the simplest thing that bends: a tube with an elbow.
//
//      ( )   upper arm       the tube: rings of vertices around the y axis, 0.6 m long and 0.1 m across, closed by
//      | |                   hemispheres; its weights blend from one bone to the other within 60 mm around the joint
//      | |   elbow
//       V    hand
#include "mesh/maths.h"
#include "zoo/body_internal.h"
#include <stdlib.h>
#include <string.h>

static const body_flesh flesh[] = {
    {"upper-arm", {{0, 0.750, -0.004}, 0.046, {0, 0.640, -0.004}, 0.040}},
    {"upper-arm", {{0, 0.640, -0.004}, 0.038, {0, 0.450, -0.004}, 0.035}},
    {"forearm", {{0, 0.450, -0.004}, 0.037, {0.004, 0.350, 0.000}, 0.036}},
    {"forearm", {{0.004, 0.350, 0.000}, 0.033, {0, 0.200, 0.000}, 0.025}},
    {"hand", {{-0.014, 0.195, 0.000}, 0.018, {-0.024, 0.120, 0.004}, 0.018}}, // palm
    {"hand", {{0.014, 0.195, 0.000}, 0.018, {0.024, 0.120, 0.004}, 0.018}},
    {"hand", {{0, 0.190, 0.000}, 0.019, {0, 0.115, 0.004}, 0.018}},
    {"hand", {{-0.024, 0.120, 0.004}, 0.013, {-0.022, 0.045, 0.008}, 0.010}}, // fingers
    {"hand", {{0, 0.115, 0.004}, 0.014, {0, 0.028, 0.010}, 0.010}},
    {"hand", {{0.024, 0.120, 0.004}, 0.013, {0.022, 0.040, 0.008}, 0.010}},
    {"hand", {{0.020, 0.175, 0.006}, 0.016, {0.052, 0.125, 0.018}, 0.012}}, // thumb
    {"hand", {{0.052, 0.125, 0.018}, 0.012, {0.062, 0.090, 0.022}, 0.010}},
};

static const body_muscle muscles[] = {
    {"biceps",
     {"upper-arm", "forearm"},
     {{0.006, 0.752, 0.032}, {0.004, 0.405, 0.024}},
     {0.002, 0.590, 0.046},
     {1, 0, 0},
     1,
     0},
    {"triceps-long",
     {"upper-arm", "forearm"},
     {{-0.004, 0.730, -0.036}, {0, 0.452, -0.036}},
     {-0.002, 0.600, -0.050},
     {1, 0, 0},
     1.2,
     0},
    {"brachioradialis",
     {"upper-arm", "forearm"},
     {{0.028, 0.520, 0.008}, {0.020, 0.212, 0.012}},
     {0.036, 0.400, 0.022},
     {0, 0, 1},
     1,
     1},
    {"wrist-extensor",
     {"upper-arm", "hand"},
     {{0.026, 0.470, -0.018}, {0.008, 0.196, -0.016}},
     {0.030, 0.380, -0.024},
     {0.5, 0, -0.5},
     1,
     1},
};

enum { FLESH = sizeof flesh / sizeof *flesh, MUSCLES = sizeof muscles / sizeof *muscles };

const body_plan *zoo_limb_plan(void) {
    static const body_plan plan = {flesh, FLESH, 0.010, 0.007, true};
    return &plan;
}

static bool add_bones(zoo_body *body, const double joint[4][3], int count) {
    static const char *const names[3] = {"upper-arm", "forearm", "hand"};
    bool good = true;
    for (int b = 0; b < count; b++) good = good && zoo_add_bone(body, names[b], b - 1, joint[b], joint[b + 1], b == 1);
    return good;
}

bool zoo_limb_assemble(zoo_body *body) {
    static const double joint[4][3] = {{0, 0.750, -0.004}, {0, 0.450, -0.004}, {0, 0.200, 0}, {0, 0.020, 0.008}};
    bool good = add_bones(body, joint, 3) && zoo_add_collider(body, 0, joint[0], 0.018, joint[1], 0.017) &&
                zoo_add_collider(body, 1, joint[1], 0.018, joint[2], 0.014);
    for (int i = 0; i < MUSCLES && good; i++) good = zoo_add_muscle(body, &muscles[i], "", 1);
    return good;
}

// ---- the tube

static const double tube_radius = 0.05, tube_top = 0.7, tube_middle = 0.4, tube_bottom = 0.1, tube_blend = 0.06;

// Height and radius of a ring at a fraction (0 to 1) of the path from the top pole to the bottom pole: down a quarter
// circle, along the tube, and down another.
static void tube_ring(double at, double *y, double *radius) {
    const double arc = 0.5 * 3.14159265358979323846 * tube_radius, straight = tube_top - tube_bottom;
    const double along = at * (2 * arc + straight);
    const double angle = along < arc              ? (arc - along) / tube_radius
                         : along > arc + straight ? (along - arc - straight) / tube_radius
                                                  : 0;
    *radius = tube_radius * own_cos(angle);
    *y = along < arc              ? tube_top + tube_radius * own_sin(angle)
         : along > arc + straight ? tube_bottom - tube_radius * own_sin(angle)
                                  : tube_top - (along - arc);
}

bool zoo_elbow_make(int vertices, zoo_body *body) {
    static const double joint[4][3] = {{0, 0.7, 0}, {0, 0.4, 0}, {0, 0.1, 0}, {0, 0, 0}};
    // The rings are as far apart as the vertices of a ring.
    int around = (int)(sqrt(vertices * 2 * 3.14159265358979323846 * tube_radius / (0.6 + 3.14 * tube_radius)) + 0.5);
    around -= around % 2;
    const int rings = (vertices - 2) / around, count = rings * around + 2;
    if (!add_bones(body, joint, 2) || !zoo_add_collider(body, 0, joint[0], 0.015, joint[1], 0.015) ||
        !zoo_add_collider(body, 1, joint[1], 0.015, joint[2], 0.015))
        return false;
    sn_mesh *mesh = &body->mesh;
    if (!sn_mesh_alloc(mesh, count, 2 * rings * around, MESH_UV | MESH_SKIN)) return false;
    for (int v = 0; v < count; v++) {
        const int ring = v / around, step = v % around;
        double y, radius, at = (ring + 1.0) / (rings + 1);
        if (v >= count - 2) at = v == count - 1;
        tube_ring(at, &y, &radius);
        const double angle = 2 * 3.14159265358979323846 * (step + 0.5 * (ring % 2)) / around;
        if (v >= count - 2) radius = 0;
        mesh->position[v][0] = (float)(radius * own_sin(angle));
        mesh->position[v][1] = (float)y;
        mesh->position[v][2] = (float)(radius * own_cos(angle));
        mesh->uv[v][0] = (float)step / (float)around;
        mesh->uv[v][1] = (float)(1 - at);
        const double u = zoo_clamp(0.5 + (tube_middle - y) / (2 * tube_blend), 0, 1), w = u * u * (3 - 2 * u);
        const int main = w > 0.5;
        mesh->joint[v][0] = main, mesh->weight[v][0] = (float)(main ? w : 1 - w);
        if (w > 0 && w < 1) mesh->joint[v][1] = !main, mesh->weight[v][1] = 1 - mesh->weight[v][0];
    }
    int t = 0;
    for (int ring = 0; ring <= rings; ring++)
        for (int k = 0; k < around; k++) {
            const int next = (k + 1) % around, top = (ring - 1) * around, low = ring * around;
            if (ring == 0 || ring == rings) {
                int *f = mesh->triangle[t++];
                f[0] = ring ? count - 1 : count - 2;
                f[1] = ring ? top + next : low + k, f[2] = ring ? top + k : low + next;
                continue;
            }
            // Every second ring is rotated by half a step.
            const int odd = (ring - 1) % 2;
            int *f = mesh->triangle[t++], *g = mesh->triangle[t++];
            f[0] = top + k, f[1] = low + (odd ? next : k), f[2] = top + next;
            g[0] = low + k, g[1] = low + next, g[2] = odd ? top + k : top + next;
        }
    return sn_mesh_make_normals(mesh);
}
