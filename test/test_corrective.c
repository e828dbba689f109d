// Corrective shapes as the library evaluates them: the weights are those of the formula, the bind pose is exact whatever the
// frame of the model, and bytes that are not shapes are refused.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

enum { JOINTS = 2, VERTICES = 4 };

// Two shapes of joint 1: the first has the weight x, the second x y + z^3.
typedef struct {
    sn_corrective_target targets[2];
    sn_corrective_row rows[3];
    sn_correctives set;
} sample;

static void make_sample(sample *s) {
    *s = (sample){.rows = {{0, {1000, 0, 0, 0}}, {3, {0, 2000, 0, 0}}, {3, {0, 0, -500, 0}}}};
    for (int i = 0; i < 2; i++) {
        s->targets[i] = (sn_corrective_target){.joint = 1, .parent = 0, .reach = 0.8f, .scale = 1e-5f};
        s->targets[i].rest[2] = 0.6f, s->targets[i].rest[3] = 0.8f; // the forearm stands askew on the upper arm
    }
    s->targets[0].coefficients[0] = 1, s->targets[0].count = 2;
    s->targets[1].coefficients[6] = 1, s->targets[1].coefficients[11] = 1, s->targets[1].first = 2,
    s->targets[1].count = 1;
    s->set = (sn_correctives){JOINTS, VERTICES, 2, s->targets, 3, s->rows};
}

static sn_quat times(sn_quat a, sn_quat b) {
    return (sn_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

// Poses in which the joint has turned by (x, y, z) of a quaternion since the bind pose, and the whole model by `all`.
static void angle(const sample *s, sn_quat all, float x, float y, float z, float sign, sn_transform out[JOINTS]) {
    const float w = sqrtf(1 - x * x - y * y - z * z), *r = s->targets[0].rest;
    const sn_quat rest = {r[0], r[1], r[2], r[3]}, own = {sign * x, sign * y, sign * z, sign * w};
    out[0] = (sn_transform){{1, 2, 3}, all};
    out[1] = (sn_transform){{0, 0, 0}, times(times(all, rest), own)};
}

TEST(weights_are_the_polynomials_of_the_rotation) {
    sample s;
    sn_transform poses[JOINTS];
    float w[2];
    make_sample(&s);
    const sn_quat alls[] = {{0, 0, 0, 1}, {0.5f, 0.5f, -0.5f, 0.5f}};
    for (int i = 0; i < 2; i++)
        for (int sign = -1; sign <= 1; sign += 2) { // q and -q are the same rotation
            angle(&s, alls[i], 0.3f, -0.2f, 0.5f, (float)sign, poses);
            REQUIRE(sn_correctives_weights(&s.set, poses, JOINTS, w) == SN_OK);
            CHECK_NEAR(w[0], 0.3, 1e-6);
            CHECK_NEAR(w[1], 0.3 * -0.2 + 0.5 * 0.5 * 0.5, 1e-6);
            angle(&s, alls[i], 0, 0, 0, (float)sign, poses); // the bind pose
            REQUIRE(sn_correctives_weights(&s.set, poses, JOINTS, w) == SN_OK);
            CHECK_NEAR(w[0], 0, 1e-7);
            CHECK_NEAR(w[1], 0, 1e-7);
        }
    angle(&s, alls[0], 0.96f, 0, 0, 1, poses); // farther than they were made for
    REQUIRE(sn_correctives_weights(&s.set, poses, JOINTS, w) == SN_OK);
    CHECK_NEAR(w[0], 0.8, 1e-6);
}

TEST(shapes_add_up_in_any_stride) {
    sample s;
    make_sample(&s);
    float at[VERTICES][5] = {{0}};
    for (int v = 0; v < VERTICES; v++) at[v][0] = (float)v, at[v][3] = at[v][4] = 7;
    const float w[2] = {0.5f, 2};
    REQUIRE(sn_correctives_apply(&s.set, w, at[0], sizeof at[0], VERTICES) == SN_OK);
    CHECK_NEAR(at[0][0], 0.005, 1e-8);
    CHECK(at[1][0] == 1 && at[1][1] == 0 && at[2][0] == 2);
    CHECK_NEAR(at[3][1], 0.01, 1e-8);
    CHECK_NEAR(at[3][2], -0.01, 1e-8);
    for (int v = 0; v < VERTICES; v++) CHECK(at[v][3] == 7 && at[v][4] == 7);
    CHECK_INT(sn_correctives_apply(&s.set, w, at[0], 8, VERTICES), SN_ERR_RANGE);
    CHECK_INT(sn_correctives_apply(&s.set, w, at[0], 13, VERTICES), SN_ERR_RANGE);
    CHECK_INT(sn_correctives_apply(&s.set, w, at[0], 12, VERTICES - 1), SN_ERR_RANGE);
}

TEST(poses_that_are_none_are_refused) {
    sample s;
    sn_transform poses[JOINTS];
    float w[2] = {5, 5};
    make_sample(&s);
    angle(&s, (sn_quat){0, 0, 0, 1}, 0.1f, 0, 0, 1, poses);
    CHECK_INT(sn_correctives_weights(&s.set, poses, JOINTS - 1, w), SN_ERR_RANGE);
    CHECK_INT(sn_correctives_weights(&s.set, NULL, JOINTS, w), SN_ERR_RANGE);
    poses[1].rotation = (sn_quat){0, 0, 0, 0};
    CHECK_INT(sn_correctives_weights(&s.set, poses, JOINTS, w), SN_ERR_RANGE);
    poses[1].rotation.x = (sn_real)NAN;
    CHECK_INT(sn_correctives_weights(&s.set, poses, JOINTS, w), SN_ERR_RANGE);
    CHECK(w[0] == 5 && w[1] == 5);
}

TEST(saved_shapes_come_back_and_damaged_bytes_do_not) {
    sample s;
    sn_correctives back;
    make_sample(&s);
    const size_t size = sn_correctives_save(&s.set, NULL, 0);
    unsigned char *bytes = malloc(size + 4);
    REQUIRE(bytes && size > 0 && sn_correctives_save(&s.set, bytes, size) == size);
    REQUIRE(sn_correctives_open(bytes, size, &back) == SN_OK);
    CHECK(back.joint_count == JOINTS && back.vertex_count == VERTICES && back.target_count == 2 && back.row_count == 3);
    CHECK(memcmp(back.targets, s.targets, sizeof s.targets) == 0 && memcmp(back.rows, s.rows, sizeof s.rows) == 0);
    CHECK_INT(sn_correctives_open(bytes, size - 1, &back), SN_ERR_FORMAT);
    CHECK_INT(back.target_count, 0);
    for (size_t i = 0; i < size; i++) { // no byte may change
        bytes[i] ^= 16;
        CHECK_INT(sn_correctives_open(bytes, size, &back), SN_ERR_FORMAT);
        bytes[i] ^= 16;
    }
    memmove(bytes + 1, bytes, size);
    CHECK_INT(sn_correctives_open(bytes + 1, size, &back), SN_ERR_FORMAT); // not aligned
    free(bytes);
    s.rows[1].vertex = VERTICES;
    CHECK_INT(sn_correctives_save(&s.set, NULL, 0), 0);
    s.rows[1].vertex = 1, s.targets[1].first = 3;
    CHECK_INT(sn_correctives_save(&s.set, NULL, 0), 0);
    s.targets[1].first = 2, s.targets[0].rest[0] = INFINITY;
    CHECK_INT(sn_correctives_save(&s.set, NULL, 0), 0);
}
