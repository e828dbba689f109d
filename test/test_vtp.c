// links: tools
// What is written as .vtp reads back as it was: arrays, counts, lines of chains, loops and trees.
#include "formats/base64.h"
#include "formats/vtp.h"
#include "scene_text.h"
#include "test.h"
#include <ctype.h>

// Decodes base64; returns the number of bytes, or -1.
static int decode(const char *text, size_t length, unsigned char *out) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int count = 0, letters = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const char *found = strchr(alphabet, text[i]);
        if (!found || !text[i]) return -1;
        bits = bits << 6 | (unsigned)(found - alphabet);
        if (++letters % 4 != 1)
            out[count++] = (unsigned char)(bits >> (letters % 4 == 0 ? 0 : letters % 4 == 3 ? 2 : 4));
    }
    return count;
}

static char *written(const sn_world *world) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CHECK(vtp_write(out, world));
    fclose(out);
    return text;
}

// The numbers of an array; returns how many 32-bit words there are.
static int read_array(const char *text, const char *name, void *out, int capacity) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    const char *at = strstr(text, wanted);
    if (!CHECK(at != NULL)) return -1;
    at = strchr(at, '>') + 1;
    while (isspace((unsigned char)*at)) at++;
    size_t length = strcspn(at, " \n<");
    unsigned char *bytes = malloc(length + 1);
    int count = decode(at, length, bytes);
    uint64_t said = 0;
    for (int i = 7; i >= 0; i--) said = said << 8 | bytes[i];
    CHECK_INT(said, count - 8);
    CHECK(count - 8 <= 4 * capacity);
    for (int i = 0; i < (count - 8) / 4 && i < capacity; i++) {
        const unsigned char *b = bytes + 8 + 4 * i;
        uint32_t word = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        memcpy((char *)out + 4 * i, &word, 4);
    }
    free(bytes);
    return (count - 8) / 4;
}

TEST(base64_of_every_length) {
    static const unsigned char bytes[] = {0, 255, 16, 131, 16, 81};
    for (size_t n = 0; n <= sizeof bytes; n++) {
        char *text = NULL;
        size_t size = 0;
        unsigned char back[32] = {0};
        FILE *out = open_memstream(&text, &size);
        base64_write_counted(out, bytes, n, 1);
        fclose(out);
        CHECK_INT(size % 4, 0);
        CHECK_INT(decode(text, size, back), 8 + (int)n);
        CHECK_INT(back[0], (int)n);
        CHECK(memcmp(back + 8, bytes, n) == 0);
        free(text);
    }
}

TEST(a_chain_reads_back) {
    sn_scene *scene;
    sn_world *world =
        scene_world("{\"bodies\": [{\"kind\": \"rod\", \"line\": {\"to\": [1, 0.3, 0], \"segments\": 5}, \"velocity\": "
                    "[1, 2, 3], \"radii\": [0.1, 0.2]}, {\"kind\": \"rod\", \"line\": {\"to\": [0, 0, 1], "
                    "\"segments\": 2}}]}",
                    &scene);
    REQUIRE(world != NULL);
    CHECK_INT(sn_world_step(world, (sn_real)0.01, 1), SN_OK);
    char *text = written(world);
    float points[27], radii[9], velocities[27], scales[9];
    int32_t connectivity[9], offsets[2], bodies[2];
    CHECK(strstr(text, "NumberOfPoints=\"9\"") && strstr(text, "NumberOfLines=\"2\""));
    CHECK_INT(read_array(text, "Points", points, 27), 27);
    CHECK_INT(read_array(text, "radius", radii, 9), 9);
    CHECK_INT(read_array(text, "scale", scales, 9), 9);
    CHECK_INT(read_array(text, "velocity", velocities, 27), 27);
    CHECK_INT(read_array(text, "connectivity", connectivity, 9), 9);
    CHECK_INT(read_array(text, "offsets", offsets, 2), 2);
    CHECK_INT(read_array(text, "body", bodies, 2), 2);
    sn_vec3 centres[6], v[6];
    sn_real r[6], s[6];
    sn_body_get_points(world, scene->ids[0], centres, 6);
    sn_body_get_velocities(world, scene->ids[0], v, 6);
    sn_rod_get_radii(world, scene->ids[0], r, 6);
    sn_rod_get_scales(world, scene->ids[0], s, 6);
    for (int i = 0; i < 6; i++) {
        CHECK(points[3 * i] == (float)centres[i].x && points[3 * i + 1] == (float)centres[i].y);
        CHECK(points[3 * i + 2] == (float)centres[i].z && velocities[3 * i] == (float)v[i].x);
        CHECK(radii[i] == (float)r[i] && scales[i] == (float)s[i]);
        CHECK_INT(connectivity[i], i);
    }
    CHECK(offsets[0] == 6 && offsets[1] == 9 && bodies[0] == 0 && bodies[1] == 1);
    free(text);
    sn_world_destroy(world);
    scene_free(scene);
}

// Every segment must be in exactly one line.
static void check_segments(const char *body, int points, int lines) {
    char scene_text[1000];
    sn_scene *scene;
    snprintf(scene_text, sizeof scene_text, "{\"bodies\": [{\"kind\": \"rod\", %s}]}", body);
    sn_world *world = scene_world(scene_text, &scene);
    int parents[32] = {0}, seen[32] = {0};
    if (CHECK(world != NULL)) {
        char *text = written(world);
        int32_t connectivity[64], offsets[32];
        read_array(text, "connectivity", connectivity, 64);
        CHECK_INT(read_array(text, "offsets", offsets, 32), lines);
        sn_rod_get_parents(world, scene->ids[0], parents, 32);
        for (int line = 0, i = 0; line < lines; line++) {
            for (i = line ? offsets[line - 1] + 1 : 1; i < offsets[line]; i++) {
                int a = connectivity[i - 1], b = connectivity[i];
                CHECK(parents[a] == b || parents[b] == a);
                seen[parents[b] == a ? b : a]++;
            }
        }
        for (int i = 0; i < points; i++) CHECK_INT(seen[i], parents[i] >= 0);
        free(text);
    }
    sn_world_destroy(world);
    scene_free(scene);
}

TEST(loops_and_trees_are_whole) {
    check_segments("\"circle\": {\"radius\": 1, \"segments\": 12}", 12, 1);
    check_segments("\"points\": [[0,0,0],[1,0,0],[2,1,0],[2,-1,0],[3,1,0],[3,2,0]], \"parents\": [-1,0,1,1,2,2]", 6, 3);
    check_segments("\"points\": [[0,0,0],[1,0,0],[1,1,0],[0,1,0],[2,0,0],[2,1,0]], \"parents\": [3,0,1,2,1,4]", 6, 2);
}

// Six times the volume that a body's triangles enclose.
static double enclosed(const float *points, const int *corners, const int *bodies, int triangles, int body) {
    double sum = 0;
    for (int t = 0; t < triangles; t++) {
        const float *a = points + 3 * corners[3 * t], *b = points + 3 * corners[3 * t + 1],
                    *c = points + 3 * corners[3 * t + 2];
        if (bodies[t] != body) continue;
        sum += (double)a[0] * (b[1] * c[2] - b[2] * c[1]) + (double)a[1] * (b[2] * c[0] - b[0] * c[2]) +
               (double)a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum;
}

// The array of the triangles; those of the lines come before it.
static const char *polys(const char *text) {
    const char *at = strstr(text, "<Polys>");
    return at ? at : "";
}

TEST(the_muscles_of_a_character_are_closed_tubes) {
    enum { MANY = 60000 };
    sn_scene *scene;
    sn_world *world = scene_world("{\"bodies\": [{\"kind\": \"character\", \"zoo\": \"limb\"}]}", &scene);
    if (!CHECK(world != NULL)) return;
    char *text = written(world);
    float *points = malloc(3 * MANY * sizeof *points), *radii = malloc(MANY * sizeof *radii);
    int *corners = malloc(3 * MANY * sizeof *corners), *bodies = malloc(MANY * sizeof *bodies);
    const int n = read_array(text, "Points", points, 3 * MANY) / 3;
    const int triangles = read_array(polys(text), "connectivity", corners, 3 * MANY) / 3;
    CHECK_INT(read_array(text, "radius", radii, MANY), n);
    CHECK_INT(read_array(text, "body", bodies, MANY), triangles);
    CHECK(n > 100 && triangles > n);

    // Every edge has a triangle on both sides, so a sum over triangles of any constant vanishes.
    double area[3] = {0};
    for (int t = 0; t < triangles; t++) {
        const float *p[3];
        for (int k = 0; k < 3; k++) p[k] = points + 3 * corners[3 * t + k];
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            area[k] += (double)(p[1][i] - p[0][i]) * (double)(p[2][j] - p[0][j]) -
                       (double)(p[1][j] - p[0][j]) * (double)(p[2][i] - p[0][i]);
        }
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(area[k], 0, 1e-5);

    double volume = 0;
    for (int b = 0; b < sn_world_body_count(world); b++) {
        const sn_body body = sn_world_body_at(world, b);
        for (int m = 0; body.kind == SN_KIND_IMPLICIT_MUSCLE && m < sn_implicit_muscles_count(world, body); m++)
            volume += sn_implicit_muscles_volume(world, body, m);
    }
    const double found = enclosed(points, corners, bodies, triangles, 0) / 6;
    CHECK(volume > 0 && found > 0.85 * volume && found < 1.05 * volume); // rings of ten points
    free(points), free(radii), free(corners), free(bodies), free(text);
    scene_end(scene, world);
}
