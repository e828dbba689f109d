// links: tools
// Pills fitted to the skin of any rig: a round limb gets its own radius, a flat chest several pills side by side, all of
// them reach to the skin and not beyond, in whatever frame and scale the bones are; bones with hardly any skin get none.
#include "base/math/vec.h"
#include "scene/character_flesh.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

enum { RINGS = 41, AROUND = 32, PART = RINGS * AROUND };

// An elliptic tube on two bones along a direction, cut in the middle; the second half is another part.
typedef struct {
    sn_mesh mesh;
    sn_rig_bone bones[3];
    sn_quat turn;
    double scale;
} rig;

static bool make_rig(double a, double b, double taper, double scale, sn_quat turn, rig *r) {
    *r = (rig){.turn = turn, .scale = scale};
    if (!sn_mesh_alloc(&r->mesh, PART, 2 * (RINGS - 1) * AROUND, MESH_SKIN)) return false;
    for (int v = 0; v < PART; v++) {
        const double t = (double)(v / AROUND) / (RINGS - 1), angle = 6.283185307179586 * (v % AROUND) / AROUND;
        const double size = scale * (1 + taper * (t - 0.5));
        const sn_vec3 x = sn_q_rotate(
            turn, sn_v3((sn_real)(size * a * cos(angle)), (sn_real)(scale * t), (sn_real)(size * b * sin(angle))));
        r->mesh.position[v][0] = (float)x.x, r->mesh.position[v][1] = (float)x.y, r->mesh.position[v][2] = (float)x.z;
        for (int k = 0; k < 4; k++) r->mesh.joint[v][k] = 0, r->mesh.weight[v][k] = 0;
        r->mesh.joint[v][1] = t > 0.5, r->mesh.weight[v][1] = 1;
    }
    for (int i = 0; i < PART - AROUND; i++) {
        const int next = i % AROUND == AROUND - 1 ? i + 1 - AROUND : i + 1,
                  t[6] = {i, i + AROUND, next, next, i + AROUND, next + AROUND};
        memcpy(r->mesh.triangle[2 * i], t, sizeof t);
    }
    for (int i = 0; i < 3; i++) { // frames of their own, as rigs have
        r->bones[i].parent = i - 1;
        r->bones[i].rest.rotation = sn_q_normalize((sn_quat){(sn_real)0.3, (sn_real)(0.1 * i), (sn_real)-0.5, 1});
        r->bones[i].rest.position = sn_q_rotate(turn, sn_v3(0, (sn_real)(0.5 * i * scale), 0));
    }
    return true;
}

// Signed distance of a vertex from all pills, negative inside, over the scale.
static double distance(const rig *r, const sn_implicit_muscle_bone *pills, int count, int vertex) {
    const float *p = r->mesh.position[vertex];
    const sn_vec3 x = sn_v3((sn_real)p[0], (sn_real)p[1], (sn_real)p[2]);
    double min = INFINITY;
    for (int i = 0; i < count; i++) {
        sn_vec3 end[2];
        for (int k = 0; k < 2; k++) end[k] = sn_transform_point(&r->bones[pills[i].bone].rest, pills[i].ends[k]);
        const sn_vec3 u = sn_sub(end[1], end[0]), d = sn_sub(x, end[0]);
        const double length2 = (double)sn_length2(u),
                     t = length2 > 0 ? fmin(fmax((double)sn_dot(d, u) / length2, 0), 1) : 0;
        const double radius[2] = {(double)(pills[i].radii[0] + pills[i].flesh[0]),
                                  (double)(pills[i].radii[1] + pills[i].flesh[1])};
        const double off = (double)sn_length(sn_sub(d, sn_mul((sn_real)t, u)));
        min = fmin(min, off - (radius[0] + t * (radius[1] - radius[0])));
    }
    return min / r->scale;
}

// Fits a tube and checks that its skin, without the ends, is at the surface of the pills within a fraction of its thickness.
static int check_tube(double a, double b, double taper, double scale, sn_quat turn, double within) {
    rig r;
    sn_implicit_muscle_bone *pills = NULL;
    int count = 0;
    if (!CHECK(make_rig(a, b, taper, scale, turn, &r))) return 0;
    if (CHECK(character_flesh_fit(&r.mesh, r.bones, 3, &pills, &count))) {
        double worst = 0, sum = 0;
        int seen = 0;
        for (int v = 0; v < PART; v++) {
            const double t = (double)(v / AROUND) / (RINGS - 1);
            if (fabs(t - 0.25) > 0.1 && fabs(t - 0.75) > 0.1) continue;
            const double d = fabs(distance(&r, pills, count, v));
            worst = fmax(worst, d), sum += d, seen++;
        }
        CHECK_NEAR(worst / fmin(a, b), 0, within);
        CHECK_NEAR(sum / seen / fmin(a, b), 0, within / 2);
        for (int i = 0; i < count; i++) {
            CHECK(pills[i].bone == 0 || pills[i].bone == 1); // the third has no skin
            for (int k = 0; k < 2; k++) CHECK(pills[i].radii[k] > 0 && pills[i].flesh[k] > pills[i].radii[k]);
        }
    }
    free(pills);
    sn_mesh_free(&r.mesh);
    return count;
}

TEST(a_round_limb_gets_a_pill_of_its_radius) {
    const sn_quat straight = {0, 0, 0, 1}, askew = sn_q_normalize((sn_quat){1, 2, (sn_real)-0.5, 3});
    CHECK_INT(check_tube(0.05, 0.05, 0, 1, straight, 0.05), 2);
    CHECK_INT(check_tube(0.05, 0.05, 0, 100, askew, 0.05), 2);
    CHECK_INT(check_tube(0.05, 0.05, 0, 0.01, askew, 0.05), 2);
    CHECK_INT(check_tube(0.06, 0.06, -0.6, 1, askew, 0.1), 2); // it tapers
}

TEST(a_flat_chest_gets_pills_side_by_side) {
    const sn_quat straight = {0, 0, 0, 1}, askew = sn_q_normalize((sn_quat){1, 2, (sn_real)-0.5, 3});
    const int pills = check_tube(0.2, 0.1, 0, 1, straight, 0.3);
    CHECK(pills >= 4 && pills <= 8);
    CHECK_INT(check_tube(0.2, 0.1, 0, 1, askew, 0.3), pills);
}
