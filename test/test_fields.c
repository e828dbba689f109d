// links: tools
// Fields on meshes: what is known of them exactly, and how they come nearer to it on finer meshes.
#include "fields/biharmonic.h"
#include "fields/csr_matrix.h"
#include "fields/harmonic.h"
#include "fields/laplacian.h"
#include "fields/smooth.h"
#include "fields/tet_laplacian.h"
#include "test.h"
#include "zoo/surfaces.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static double uneven(uint64_t i) { // -0.5 to 0.5, the same each time
    i = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    i = (i ^ (i >> 31)) * UINT64_C(0xBF58476D1CE4E5B9);
    return (double)((i ^ (i >> 29)) >> 11) * 0x1p-53 - 0.5;
}

// The unit cube as n^3 small ones of six tetrahedra each; vertices inside are moved by up to half of 'jitter' of a
// cube.
static sn_tet_mesh cube(int n, double jitter) {
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    sn_tet_mesh mesh;
    const int side = n + 1;
    if (!sn_tet_mesh_alloc(&mesh, side * side * side, 6 * n * n * n)) abort();
    for (int v = 0; v < mesh.vertex_count; v++) {
        const int at[3] = {v % side, v / side % side, v / side / side};
        bool inside = true;
        for (int k = 0; k < 3; k++) inside = inside && at[k] > 0 && at[k] < n;
        for (int k = 0; k < 3; k++)
            mesh.position[v][k] = (at[k] + (inside ? jitter * uneven(3 * (uint64_t)v + (uint64_t)k) : 0)) / n;
    }
    const int step[3] = {1, side, side * side};
    for (int c = 0, t = 0; c < n * n * n; c++) {
        const int corner = c % n + c / n % n * side + c / n / n * side * side;
        for (int o = 0; o < 6; o++, t++) {
            int *tet = mesh.tet[t];
            tet[0] = corner;
            for (int k = 0; k < 3; k++) tet[k + 1] = tet[k] + step[order[o][k]];
            if (o < 3) continue;
            const int swap = tet[1]; // the other three turn the other way
            tet[1] = tet[2], tet[2] = swap;
        }
    }
    return mesh;
}

static bool on_border(const double p[3]) {
    for (int k = 0; k < 3; k++)
        if (p[k] < 1e-9 || p[k] > 1 - 1e-9) return true;
    return false;
}

// Gives f on the cube's border and returns the largest error inside; 'mean' becomes the root mean square.
static double solve_error(const sn_tet_mesh *mesh, double (*f)(const double p[3]), double *mean) {
    int *vertex = malloc((size_t)mesh->vertex_count * sizeof *vertex), count = 0;
    double *value = malloc((size_t)mesh->vertex_count * sizeof *value), most = 0, sum = 0;
    double *out = malloc((size_t)mesh->vertex_count * sizeof *out);
    tool_error error;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (on_border(mesh->position[v])) vertex[count] = v, value[count++] = f(mesh->position[v]);
    if (!CHECK(sn_harmonic_tets(mesh, &(sn_dirichlet_values){vertex, value, count}, out, &error))) puts(error.text);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double off = fabs(out[v] - f(mesh->position[v]));
        most = fmax(most, off);
        sum += off * off / (mesh->vertex_count - count);
    }
    *mean = sqrt(sum);
    free(vertex), free(value), free(out);
    return most;
}

static double linear(const double p[3]) {
    return 0.3 + 2 * p[0] - 1.5 * p[1] + 0.7 * p[2];
}

// Has no Laplacian: -4 - 4 + 8.
static double wavy(const double p[3]) {
    return sin(2 * p[0]) * sin(2 * p[1]) * cosh(sqrt(8.0) * p[2]);
}

TEST(linear_functions_are_harmonic_in_tetrahedra) {
    sn_tet_mesh mesh = cube(8, 0.4);
    CHECK_INT(sn_tet_mesh_measure(&mesh).inverted, 0);
    double mean;
    CHECK(solve_error(&mesh, linear, &mean) < 1e-10);
    sn_tet_mesh_free(&mesh);
}

TEST(harmonic_fields_converge_with_the_square_of_the_edge) {
    double error[3];
    for (int i = 0; i < 3; i++) {
        sn_tet_mesh mesh = cube(5 << i, 0);
        for (int v = 0; v < mesh.vertex_count; v++) { // bent, so that nothing cancels by symmetry
            double *p = mesh.position[v], bend = 0.15;
            for (int k = 0; k < 3; k++) bend *= sin(3.14159265358979 * p[k]);
            for (int k = 0; k < 3; k++) p[k] += bend * (k + 1) / 3;
        }
        solve_error(&mesh, wavy, &error[i]);
        sn_tet_mesh_free(&mesh);
    }
    const double first = log2(error[0] / error[1]), second = log2(error[1] / error[2]);
    CHECK(first > 1.85 && first < 2.15);
    CHECK(second > 1.9 && second < 2.1);
}

TEST(the_laplacian_of_tetrahedra_is_what_it_is) {
    sn_tet_mesh mesh = cube(4, 0.5);
    sn_tet_laplacian l;
    sn_csr_matrix rows;
    REQUIRE(sn_tet_laplacian_make(&mesh, &l));
    REQUIRE(sn_csr_matrix_build(l.count, l.entries, l.entry_count, &rows));
    double *x = malloc((size_t)l.count * sizeof *x), *y = malloc((size_t)l.count * sizeof *y), mass = 0, energy = 0;
    for (int v = 0; v < l.count; v++) x[v] = 1, mass += l.mass[v];
    CHECK_NEAR(mass, 1, 1e-12); // the cube's volume
    sn_csr_matrix_multiply(&rows, x, y);
    for (int v = 0; v < l.count; v++) CHECK_NEAR(y[v], 0, 1e-12);
    for (int v = 0; v < l.count; v++) x[v] = linear(mesh.position[v]);
    sn_csr_matrix_multiply(&rows, x, y);
    for (int v = 0; v < l.count; v++) energy += x[v] * y[v];
    CHECK_NEAR(energy, 4 + 2.25 + 0.49, 1e-11); // the integral of the gradient squared
    free(x), free(y);
    sn_csr_matrix_free(&rows), sn_tet_laplacian_free(&l), sn_tet_mesh_free(&mesh);
}

TEST(flat_tetrahedra_do_no_harm) {
    sn_tet_mesh mesh = cube(4, 0);
    for (int k = 0; k < 3; k++) mesh.position[31][k] = mesh.position[32][k]; // an inner vertex onto its neighbour
    int vertex[2] = {0, mesh.vertex_count - 1};
    double value[2] = {0, 1}, out[125];
    tool_error error;
    REQUIRE(sn_harmonic_tets(&mesh, &(sn_dirichlet_values){vertex, value, 2}, out, &error));
    for (int v = 0; v < 125; v++) CHECK(out[v] > -0.01 && out[v] < 1.01);
    sn_tet_mesh_free(&mesh);
}

TEST(the_field_between_two_ends_goes_from_0_to_1) {
    sn_tet_mesh mesh = cube(8, 0.4);
    int low[81], high[81], lows = 0, highs = 0;
    for (int v = 0; v < mesh.vertex_count; v++) {
        if (mesh.position[v][2] < 1e-9) low[lows++] = v;
        if (mesh.position[v][2] > 1 - 1e-9) high[highs++] = v;
    }
    double *out = malloc((size_t)mesh.vertex_count * sizeof *out);
    tool_error error;
    REQUIRE(sn_harmonic_between(&mesh, low, lows, high, highs, out, &error));
    for (int v = 0; v < mesh.vertex_count; v++) CHECK_NEAR(out[v], mesh.position[v][2], 1e-10); // sides let nothing out
    // Errors are said.
    CHECK(!sn_harmonic_between(&mesh, low, lows, low, 1, out, &error) &&
          strstr(error.text, "in the source and in the sink"));
    CHECK(!sn_harmonic_between(&mesh, low, lows, high, 0, out, &error) && strstr(error.text, "has no sink"));
    const int far = 100000;
    CHECK(!sn_harmonic_between(&mesh, low, lows, &far, 1, out, &error) && strstr(error.text, "100000"));
    free(out);
    sn_tet_mesh_free(&mesh);
}

TEST(a_piece_without_a_given_value_is_refused) {
    sn_tet_mesh one = cube(2, 0), two;
    REQUIRE(sn_tet_mesh_alloc(&two, 2 * one.vertex_count, 2 * one.tet_count));
    for (int v = 0; v < two.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            two.position[v][k] = one.position[v % one.vertex_count][k] + (v < one.vertex_count ? 0 : 3);
    for (int t = 0; t < two.tet_count; t++)
        for (int k = 0; k < 4; k++)
            two.tet[t][k] = one.tet[t % one.tet_count][k] + (t < one.tet_count ? 0 : one.vertex_count);
    double out[54], value[2] = {0, 1};
    int vertex[2] = {0, 1};
    tool_error error;
    CHECK(!sn_harmonic_tets(&two, &(sn_dirichlet_values){vertex, value, 2}, out, &error));
    CHECK(strstr(error.text, "2 pieces") && strstr(error.text, "vertex 27 "));
    const int handle[2] = {0, 1};
    double weight[108];
    const sn_biharmonic_options exact = sn_biharmonic_options_exact();
    CHECK(!sn_biharmonic_weights(&two, &(sn_weight_constraints){vertex, handle, 2, 2}, &exact, weight, &error));
    CHECK(strstr(error.text, "vertex 27 ") != NULL);
    sn_tet_mesh_free(&one), sn_tet_mesh_free(&two);
}

// The height y has the slope cos(turn) along a torus, turn being the angle around its tube: the integral of the slope
// squared is 2 pi^2 R r.
TEST(the_laplacian_of_a_surface_integrates_slopes) {
    sn_mesh torus;
    sn_laplacian l;
    sn_csr_matrix rows;
    const double pi = 3.14159265358979323846;
    REQUIRE(zoo_surface(ZOO_TORUS, 20000, &torus));
    REQUIRE(sn_laplacian_make(&torus, &l));
    REQUIRE(sn_csr_matrix_build(l.count, l.entries, l.entry_count, &rows));
    double *x = malloc((size_t)l.count * sizeof *x), *y = malloc((size_t)l.count * sizeof *y), energy = 0, area = 0;
    for (int i = 0; i < l.count; i++) x[i] = torus.position[l.vertex[i]][1];
    sn_csr_matrix_multiply(&rows, x, y);
    for (int i = 0; i < l.count; i++) energy += x[i] * y[i], area += l.mass[i];
    CHECK_NEAR(energy / (2 * pi * pi * 0.35 * 0.15), 1, 3e-3);
    CHECK_NEAR(area / (4 * pi * pi * 0.35 * 0.15), 1, 3e-3);
    free(x), free(y);
    sn_csr_matrix_free(&rows), sn_laplacian_free(&l), sn_mesh_free(&torus);
}

TEST(surface_fields_do_not_mind_seams) {
    // A strip whose triangles share no vertices: from 0 at one end to 1 at the other.
    enum { N = 20 };
    sn_mesh mesh;
    REQUIRE(sn_mesh_alloc(&mesh, 6 * N, 2 * N, 0));
    for (int i = 0; i < N; i++) {
        const float at[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
        for (int k = 0; k < 6; k++) {
            mesh.position[6 * i + k][0] = (float)i + at[k][0], mesh.position[6 * i + k][1] = at[k][1];
            mesh.triangle[2 * i + k / 3][k % 3] = 6 * i + k;
        }
    }
    const int vertex[4] = {0, 5, 6 * N - 5, 6 * N - 4};
    const double value[4] = {0, 0, 1, 1};
    double out[6 * N];
    tool_error error;
    REQUIRE(sn_harmonic_surface(&mesh, &(sn_dirichlet_values){vertex, value, 4}, out, &error));
    for (int v = 0; v < 6 * N; v++) CHECK_NEAR(out[v], (double)mesh.position[v][0] / N, 1e-10);
    sn_mesh_free(&mesh);
}

static double handle_weights(const sn_tet_mesh *mesh, const sn_weight_constraints *holds,
                             const sn_biharmonic_options *options, double *weight, double *least, double *most) {
    tool_error error;
    double off = 0;
    *least = 1e30, *most = -1e30;
    if (!CHECK(sn_biharmonic_weights(mesh, holds, options, weight, &error))) puts(error.text);
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum = 0;
        for (int h = 0; h < holds->handle_count; h++) {
            const double w = weight[h * mesh->vertex_count + v];
            sum += w;
            *least = fmin(*least, w), *most = fmax(*most, w);
        }
        off = fmax(off, fabs(sum - 1));
    }
    return off;
}

TEST(biharmonic_weights_interpolate_and_add_up_to_1) {
    enum { H = 20 };
    sn_tet_mesh mesh = cube(12, 0.4);
    int vertex[H + 1], handle[H + 1];
    double *weight = malloc((size_t)H * (size_t)mesh.vertex_count * sizeof *weight), least, most;
    for (int h = 0; h < H; h++) vertex[h] = (int)((uneven((uint64_t)h + 99) + 0.5) * mesh.vertex_count), handle[h] = h;
    const sn_weight_constraints holds = {vertex, handle, H, H};
    const sn_biharmonic_options exact = sn_biharmonic_options_exact(), lean = sn_biharmonic_options_pruned();
    CHECK(handle_weights(&mesh, &holds, &exact, weight, &least, &most) < 1e-9);
    for (int h = 0; h < H; h++)
        for (int i = 0; i < H; i++) CHECK_NEAR(weight[h * mesh.vertex_count + vertex[i]], h == i, 1e-12);
    CHECK(least < -0.01 && least > -1); // unbounded ones go beyond
    // A linear motion of the handles has no Laplacian inside: sums of weights times places are smooth, not exact.
    CHECK(handle_weights(&mesh, &holds, &lean, weight, &least, &most) < 1e-12);
    CHECK(least >= 0 && most <= 1 + 1e-12);
    int used = 0;
    for (int i = 0; i < H * mesh.vertex_count; i++) used += weight[i] > 0;
    CHECK(used < H * mesh.vertex_count * 3 / 4); // pruned
    for (int h = 0; h < H; h++) CHECK_NEAR(weight[h * mesh.vertex_count + vertex[h]], 1, 1e-12);
    // With an anchored vertex the sum is less, and 0 there.
    vertex[H] = 0, handle[H] = -1;
    for (int h = 0; h < H; h++) CHECK(vertex[h] != 0);
    const sn_weight_constraints anchored = {vertex, handle, H + 1, H};
    CHECK_NEAR(handle_weights(&mesh, &anchored, &exact, weight, &least, &most), 1, 1e-9);
    for (int h = 0; h < H; h++) CHECK_NEAR(weight[h * mesh.vertex_count], 0, 0);
    tool_error error;
    vertex[H] = vertex[3];
    CHECK(!sn_biharmonic_weights(&mesh, &anchored, &exact, weight, &error) && strstr(error.text, "held twice"));
    free(weight);
    sn_tet_mesh_free(&mesh);
}

TEST(smoothing_keeps_the_integral_and_removes_detail) {
    sn_tet_mesh mesh = cube(8, 0.3);
    sn_tet_laplacian l;
    REQUIRE(sn_tet_laplacian_make(&mesh, &l));
    double field[2 * 729], before[2] = {0}, after[2] = {0};
    for (int v = 0; v < 729; v++) {
        field[v] = cos(3.14159265358979 * mesh.position[v][0]); // half a wave: wavelength 2
        field[729 + v] = uneven((uint64_t)v);
        for (int c = 0; c < 2; c++) before[c] += l.mass[v] * field[c * 729 + v];
    }
    REQUIRE(sn_smooth_tets(&mesh, 0.1, field, 2));
    double kept = 0, rough = 0;
    for (int v = 0; v < 729; v++) {
        for (int c = 0; c < 2; c++) after[c] += l.mass[v] * field[c * 729 + v];
        kept = fmax(kept, fabs(field[v]));
        rough = fmax(rough, fabs(field[729 + v]));
    }
    for (int c = 0; c < 2; c++) CHECK_NEAR(before[c], after[c], 1e-12);
    CHECK_NEAR(kept, 1 / (1 + 0.01 * 3.14159265358979 * 3.14159265358979), 0.02); // 1 / (1 + (length k)^2)
    CHECK(rough < 0.35);
    sn_tet_laplacian_free(&l), sn_tet_mesh_free(&mesh);
}

TEST(smoothing_a_surface_keeps_its_volume) {
    sn_mesh mesh;
    REQUIRE(zoo_surface(ZOO_MARSHMALLOW, 4000, &mesh));
    for (int v = 0; v < mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            mesh.position[v][k] += 0.02f * (float)uneven(3 * (uint64_t)v + (uint64_t)k) * mesh.normal[v][k];
    const double before = sn_mesh_volume(&mesh);
    REQUIRE(sn_smooth_positions(&mesh, 0.05));
    CHECK_NEAR(sn_mesh_volume(&mesh) / before, 1, 1e-3);
    CHECK(mesh.normal != NULL);
    sn_mesh_free(&mesh);
}

TEST(sparse_rows_add_up_what_is_there_twice) {
    const sn_sparse_entry entries[] = {{0, 0, 2}, {1, 0, -1}, {0, 1, 99}, {1, 1, 3}, {1, 0, -1}, {2, 2, 5}};
    sn_csr_matrix rows;
    REQUIRE(sn_csr_matrix_build(4, entries, 6, &rows));
    const double x[4] = {1, 10, 100, 1000};
    double y[4];
    sn_csr_matrix_multiply(&rows, x, y); // the entry above the diagonal is not read
    CHECK_NEAR(y[0], -18, 0);
    CHECK_NEAR(y[1], 28, 0);
    CHECK_NEAR(y[2], 500, 0);
    CHECK_NEAR(y[3], 0, 0);
    int part[4];
    CHECK_INT(sn_csr_matrix_components(&rows, part), 3);
    CHECK(part[0] == part[1] && part[2] != part[0] && part[3] != part[2]);
    const double d[4] = {1, 2, 3, 4};
    size_t count;
    sn_sparse_entry *square = sn_csr_matrix_square(&rows, d, &count);
    REQUIRE(square != NULL);
    double found[3][3] = {{0}};
    for (size_t i = 0; i < count; i++) found[square[i].row][square[i].column] += square[i].value;
    CHECK_NEAR(found[0][0], 2 * 2 + 2 * 4, 0);
    CHECK_NEAR(found[1][0], -2 * 2 - 2 * 2 * 3, 0);
    CHECK_NEAR(found[1][1], 4 + 2 * 9, 0);
    CHECK_NEAR(found[2][2], 75, 0);
    free(square);
    sn_csr_matrix_free(&rows);
}
