// links: tools
// Fields of bones: Hermite functions are what they were fitted to be, and the engine's fields are theirs.
// compilers: all
#include "implicit_limb.h"
#include "skin/implicit/implicit_fit.h"
#include "skin/implicit/implicit_internal.h"
#include "test.h"

// Samples of a cylinder about x of radius 1, spread by a golden angle, and both caps.
static int cylinder(int samples, double length, double (*points)[3], double (*normals)[3]) {
    for (int i = 0; i < samples; i++) {
        const double a = 2.39996323 * i, x = length * ((i + 0.5) / samples - 0.5);
        const double p[3] = {x, cos(a), sin(a)}, n[3] = {0, cos(a), sin(a)};
        memcpy(points[i], p, sizeof p);
        memcpy(normals[i], n, sizeof n);
    }
    for (int end = 0; end < 2; end++) {
        const double side = end ? 1 : -1, p[3] = {side * (length / 2 + 1), 0, 0}, n[3] = {side, 0, 0};
        memcpy(points[samples + end], p, sizeof p);
        memcpy(normals[samples + end], n, sizeof n);
    }
    return samples + 2;
}

TEST(a_field_has_its_samples_and_normals) {
    double points[102][3], normals[102][3];
    const double scale = 0.05; // a limb, in metres
    const int count = cylinder(100, 5, points, normals);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) points[i][k] *= scale;
    sn_memory memory;
    sn_hermite h;
    sn_memory_init(&memory, NULL);
    REQUIRE(sn_hermite_fit(&memory, (const double(*)[3])points, (const double(*)[3])normals, count, &h));
    for (int i = 0; i < count; i++) {
        double g[3];
        CHECK_NEAR(sn_hermite_at(&h, points[i], g), 0, 1e-8);
        for (int k = 0; k < 3; k++) CHECK_NEAR(g[k], normals[i][k], 1e-8);
    }
    sn_hermite_free(&h);
}

TEST(gradients_are_those_of_the_values) {
    double points[52][3], normals[52][3];
    sn_memory memory;
    sn_hermite h;
    sn_memory_init(&memory, NULL);
    REQUIRE(sn_hermite_fit(&memory, (const double(*)[3])points, (const double(*)[3])normals,
                           cylinder(50, 5, points, normals), &h));
    for (int i = 0; i < 200; i++) {
        double p[3] = {3 * sin(i * 1.7), 1.5 * cos(i * 2.3), 1.5 * sin(i * 0.9)}, g[3];
        sn_hermite_at(&h, p, g);
        for (int k = 0; k < 3; k++) {
            const double x = p[k], e = 1e-5;
            p[k] = x + e;
            const double up = sn_hermite_at(&h, p, NULL);
            p[k] = x - e;
            const double down = sn_hermite_at(&h, p, NULL);
            p[k] = x;
            CHECK_NEAR((up - down) / (2 * e), g[k], 1e-7);
        }
    }
    sn_hermite_free(&h);
}

TEST(fifty_samples_are_a_cylinder_within_a_five_hundredth) {
    double points[52][3], normals[52][3], sum = 0;
    sn_memory memory;
    sn_hermite h;
    sn_memory_init(&memory, NULL);
    REQUIRE(sn_hermite_fit(&memory, (const double(*)[3])points, (const double(*)[3])normals,
                           cylinder(50, 5, points, normals), &h));
    for (int i = 0; i < 1000; i++) { // one step of Newton's from the true surface is the distance
        const double a = i * 0.777, p[3] = {2.2 * (i / 500.0 - 1), cos(a), sin(a)};
        double g[3];
        const double d = sn_hermite_at(&h, p, g);
        sum += fabs(d) / sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / 1000;
    }
    CHECK(sum < 0.2 / 50); // 0.2 mm of a radius of 50 mm
    CHECK(sum > 0);
    sn_hermite_free(&h);
}

TEST(samples_that_make_no_surface_are_refused) {
    double points[8][3] = {{0}}, normals[8][3] = {{0}};
    sn_memory memory;
    sn_hermite h;
    sn_memory_init(&memory, NULL);
    for (int i = 0; i < 8; i++) normals[i][0] = 1;
    CHECK(!sn_hermite_fit(&memory, (const double(*)[3])points, (const double(*)[3])normals, 8, &h)); // all in one place
    for (int i = 0; i < 8; i++) points[i][0] = i < 7 ? i : 3;
    CHECK(!sn_hermite_fit(&memory, (const double(*)[3])points, (const double(*)[3])normals, 8, &h)); // two in one place
    CHECK(!sn_hermite_fit(&memory, (const double(*)[3])points, (const double(*)[3])normals, 3, &h));
}

// The engine's field against the sum over the rig's centres in double, with the map that has two derivatives at its
// ends.
TEST(the_engine_s_field_is_the_mapped_function_in_every_width) {
    limb l;
    REQUIRE(limb_make(&l, &plain_limb, NULL, 0));
    const int widths[] = {1, 4, 8, 16};
    const sn_implicit_bone *bone = &l.model.def.bones[1];
    sn_hermite h = {.count = bone->centre_count};
    double centre[64][3], alpha[64], beta[64][3];
    REQUIRE(h.count <= 64);
    for (int i = 0; i < h.count; i++) {
        const int at = bone->first_centre + i;
        const double c[3] = {(double)l.model.def.centres[at].x, (double)l.model.def.centres[at].y,
                             (double)l.model.def.centres[at].z};
        const double b[3] = {(double)l.model.def.betas[at].x, (double)l.model.def.betas[at].y,
                             (double)l.model.def.betas[at].z};
        memcpy(centre[i], c, sizeof c);
        memcpy(beta[i], b, sizeof b);
        alpha[i] = (double)l.model.def.alphas[at];
    }
    h.centre = centre, h.alpha = alpha, h.beta = beta;
    sn_transform poses[2];
    limb_pose(&plain_limb, 40, poses);
    REQUIRE(sn_implicit_reset(l.state, poses, SN_START_DUAL) == SN_OK);
    const sn_implicit_frame frame = {l.rig, l.state, NULL, NULL};
    double worst = 0, worst_slope = 0;
    int inside = 0;
    for (int n = 0; n < 60; n++) {
        sn_real q[3][16] __attribute__((aligned(64))), first[4][16] __attribute__((aligned(64)));
        bool have_first = false;
        for (int i = 0; i < 16; i++) {
            const double s = n * 16 + i;
            q[0][i] = (sn_real)(0.2 * sin(s * 0.37)), q[1][i] = (sn_real)(0.12 + 0.12 * sin(s * 0.83));
            q[2][i] = (sn_real)(0.1 * sin(s * 1.31));
        }
        for (int w = 0; w < 4; w++) {
            const sn_implicit_kernels *kernels = sn_implicit_kernels_for(widths[w]);
            sn_real out[4][16] __attribute__((aligned(64)));
            if (!kernels) continue;
            kernels->field(&frame, 1, (const sn_real *const[3]){q[0], q[1], q[2]}, out[0],
                           (sn_real *const[3]){out[1], out[2], out[3]});
            if (have_first)
                CHECK(memcmp(first, out, sizeof out) == 0);
            else
                memcpy(first, out, sizeof out), have_first = true;
        }
        for (int i = 0; i < 16; i++) {
            const double angle = -40 * 3.14159265358979 / 180, x = (double)q[0][i], y = (double)q[1][i];
            const double p[3] = {cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y, (double)q[2][i]};
            double g[3];
            const double d = sn_hermite_at(&h, p, g), s = d / (double)bone->reach, c = fmin(fmax(s, -1), 1);
            const double f = 0.5 - c * (15 - c * c * (10 - 3 * c * c)) / 16;
            const double by = fabs(s) < 1 ? -15 / (16 * (double)bone->reach) * (1 - s * s) * (1 - s * s) : 0;
            inside += f > 0;
            worst = fmax(worst, fabs(f - (double)first[0][i]));
            const double gx = cos(angle) * g[0] + sin(angle) * g[1]; // back to the world
            worst_slope = fmax(worst_slope, fabs(by * gx - (double)first[1][i]) * (double)bone->reach);
        }
    }
    CHECK(inside > 100);
    CHECK(worst < 5e-4);
    CHECK(worst_slope < 2e-2); // linear between the nodes of a grid
    limb_free(&l);
}

TEST(distances_for_muscles_are_the_function_itself) {
    limb l;
    REQUIRE(limb_make(&l, &plain_limb, NULL, 0));
    sn_transform poses[2];
    limb_pose(&plain_limb, 90, poses);
    const sn_implicit_distance context = {l.rig, 1, poses[1]};
    sn_real rows[7][16] __attribute__((aligned(64)));
    for (int i = 0; i < 16; i++) { // on the skin of the second bone, which now goes along y
        rows[0][i] = (sn_real)(-0.05 * cos(i)), rows[1][i] = (sn_real)(0.1 + 0.004 * i),
        rows[2][i] = (sn_real)(0.05 * sin(i));
    }
    sn_implicit_distances(&context, 16, (const sn_real *const[3]){rows[0], rows[1], rows[2]}, rows[3],
                          (sn_real *const[3]){rows[4], rows[5], rows[6]});
    for (int i = 0; i < 16; i++) {
        CHECK_NEAR(rows[3][i], 0, 1e-3);
        CHECK_NEAR(rows[4][i], -cos(i), 0.05);
        CHECK_NEAR(rows[6][i], sin(i), 0.05);
    }
    limb_free(&l);
}

// The grid that the engine looks d up on: near the skin it is the sum over all centres within a thousandth of the
// limb's radius, and its gradient within a degree. Beyond its box it goes on without a jump and grows.
TEST(a_grid_represents_the_function) {
    limb l;
    REQUIRE(limb_make(&l, &plain_limb, NULL, 0));
    const sn_implicit_bone *bone = &l.rig->bone[1];
    double worst = 0, least_cosine = 1;
    int near_skin = 0, widths = 0;
    for (int n = 0; n < 200; n++) {
        sn_real q[3][16] __attribute__((aligned(64))), sum[4][16] __attribute__((aligned(64)));
        sn_real grid[4][16] __attribute__((aligned(64))), first[4][16] __attribute__((aligned(64)));
        const sn_real *const at[3] = {q[0], q[1], q[2]};
        for (int i = 0; i < 16; i++) {
            const double s = n * 16 + i, r = 0.05 + 0.02 * sin(s * 0.71);
            q[0][i] = (sn_real)(0.12 + 0.1 * sin(s * 0.37));
            q[1][i] = (sn_real)(r * cos(s)), q[2][i] = (sn_real)(r * sin(s));
        }
        l.rig->kernels->distance(l.rig, 1, at, sum[0], (sn_real *const[3]){sum[1], sum[2], sum[3]});
        widths = 0;
        for (int lanes = 1; lanes <= 16; lanes *= 2) {
            const sn_implicit_kernels *kernels = sn_implicit_kernels_for(lanes);
            if (!kernels) continue;
            kernels->depth(l.rig, 1, at, grid[0], (sn_real *const[3]){grid[1], grid[2], grid[3]});
            if (widths++ == 0) memcpy(first, grid, sizeof grid);
            CHECK(memcmp(first, grid, sizeof grid) == 0);
        }
        for (int i = 0; i < 16; i++) {
            const sn_vec3 a = {sum[1][i], sum[2][i], sum[3][i]}, b = {grid[1][i], grid[2][i], grid[3][i]};
            if (fabs((double)sum[0][i]) > 0.3 * (double)bone->radius) continue;
            near_skin++;
            worst = fmax(worst, fabs((double)(sum[0][i] - grid[0][i])) / (double)bone->radius);
            least_cosine = fmin(least_cosine, (double)(sn_dot(a, b) / (sn_length(a) * sn_length(b))));
        }
    }
    CHECK(near_skin > 1000 && widths > 0);
    CHECK(worst < 1e-3);
    CHECK(least_cosine > 0.99985);
    sn_real q[3][16] __attribute__((aligned(64))), d[4][16] __attribute__((aligned(64)));
    for (int i = 0; i < 16; i++) { // across the upper side of the box
        q[0][i] = (sn_real)0.1, q[1][i] = bone->high.y + (sn_real)(1e-3 * (i - 7.5)), q[2][i] = 0;
    }
    l.rig->kernels->depth(l.rig, 1, (const sn_real *const[3]){q[0], q[1], q[2]}, d[0],
                          (sn_real *const[3]){d[1], d[2], d[3]});
    for (int i = 1; i < 16; i++) CHECK(d[0][i] > d[0][i - 1] && d[0][i] < d[0][i - 1] + (sn_real)5e-3);
    limb_free(&l);
}
