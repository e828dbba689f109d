// Embeddings: points inside and out are where their weights say, and follow an affine motion exactly; files of them.
// links: tools
#include "formats/tet_embed_file.h"
#include "mesh_bytes.h"
#include "test.h"
#include "tets/tet_embed.h"
#include "tets/tet_lattice.h"
#include <unistd.h>

static sn_tet_mesh ball_of_tets(void) {
    sn_mesh ball = shape_ball(20, 30);
    sn_mesh_query *query = sn_mesh_query_build(&ball);
    sn_winding *winding = sn_winding_make(&ball);
    const sn_tet_lattice_options options = {.spacing = 0.3, .threads = 1};
    sn_tet_mesh out = {0};
    tool_error error;
    if (!query || !winding || !sn_tet_lattice(&ball, query, winding, &options, &out, NULL, &error)) abort();
    sn_mesh_query_free(query);
    sn_winding_free(winding);
    sn_mesh_free(&ball);
    return out;
}

TEST(the_surface_follows_its_weights) {
    sn_tet_mesh tets = ball_of_tets();
    sn_mesh ball = shape_ball(20, 30);
    sn_tet_embed_report report;
    sn_tet_point *places = malloc((size_t)ball.vertex_count * sizeof *places);
    REQUIRE(places && sn_tet_embed(&tets, (const float(*)[3])ball.position, ball.vertex_count, places, &report));
    CHECK(report.outside > 0 && report.farthest < 0.1);
    // Then turned, stretched and shifted with the tetrahedra.
    for (int moved = 0; moved < 2; moved++) {
        for (int v = 0; v < ball.vertex_count; v++) {
            const float *x = ball.position[v];
            double p[3], sum = 0;
            sn_tet_point_position(&tets, &places[v], p);
            CHECK_NEAR(p[0], moved ? 2 * x[0] + 1 : x[0], 1e-6);
            CHECK_NEAR(p[1], moved ? 3 * x[2] - x[0] : x[1], 1e-6);
            CHECK_NEAR(p[2], moved ? -0.5 * x[1] : x[2], 1e-6);
            for (int k = 0; k < 4; k++) sum += places[v].weight[k];
            CHECK_NEAR(sum, 1, 1e-12);
        }
        for (int v = 0; v < tets.vertex_count; v++) {
            double *p = tets.position[v], q[3] = {2 * p[0] + 1, 3 * p[2] - p[0], -0.5 * p[1]};
            memcpy(p, q, sizeof q);
        }
    }
    free(places);
    sn_mesh_free(&ball);
    sn_tet_mesh_free(&tets);
}

TEST(points_inside_have_no_negative_weights) {
    sn_tet_mesh tets = ball_of_tets();
    float points[200][3];
    sn_tet_point places[200];
    sn_tet_embed_report report;
    for (int i = 0; i < 200; i++) {
        const double r = 0.9 * i / 200, a = 2.4 * i, b = 1.3 * i;
        points[i][0] = (float)(r * cos(a) * cos(b)), points[i][1] = (float)(r * sin(a) * cos(b));
        points[i][2] = (float)(r * sin(b));
    }
    memcpy(points[0], (float[3]){(float)tets.position[5][0], (float)tets.position[5][1], (float)tets.position[5][2]},
           sizeof points[0]); // a vertex
    REQUIRE(sn_tet_embed(&tets, (const float(*)[3])points, 200, places, &report));
    for (int i = 1; i < 200; i++)
        for (int k = 0; k < 4; k++) CHECK(places[i].weight[k] >= -1e-9);
    CHECK(report.outside <= 1);
    const float far[1][3] = {{NAN, 0, 0}};
    CHECK(sn_tet_embed(&tets, far, 1, places, &report)); // whatever comes of it
    CHECK(places[0].tet >= 0 && places[0].tet < tets.tet_count);
    sn_tet_mesh none = {0};
    CHECK(!sn_tet_embed(&none, (const float(*)[3])points, 200, places, &report));
    sn_tet_mesh_free(&tets);
}

TEST(files_come_back_as_they_were) {
    const sn_tet_point places[2] = {{3, {0.1, 0.2, 0.3, 0.4}}, {0, {1.5, -0.5, 1.0 / 3, -1.0 / 3}}};
    char file[] = "test_embed_XXXXXX";
    tool_error error;
    const int descriptor = mkstemp(file);
    REQUIRE(descriptor >= 0);
    close(descriptor);
    sn_tet_point *back;
    int count, tets;
    CHECK(tet_embed_write(file, places, 2, 4, &error));
    if (CHECK(tet_embed_read(file, &disk_files, &back, &count, &tets, &error))) {
        CHECK_INT(count, 2);
        CHECK_INT(tets, 4);
        for (int i = 0; i < 2; i++) {
            CHECK_INT(back[i].tet, places[i].tet);
            CHECK(memcmp(back[i].weight, places[i].weight, sizeof places[i].weight) == 0);
        }
        free(back);
    }
    unlink(file);
    CHECK(!tet_embed_write("no/such/folder/x", places, 2, 4, &error));
    CHECK(strstr(error.text, "no/such/folder/x"));
}

static void refuse(const char *text, const char *words) {
    sn_tet_point *places;
    int count, tets;
    tool_error error;
    CHECK(!tet_embed_parse("x", text, strlen(text), &places, &count, &tets, &error));
    CHECK_STRING(error.text, words);
    CHECK(places == NULL);
}

TEST(errors_are_placed) {
    refuse("", "x:1:1: error: the file ends where \"sinew-embedding\" is expected");
    refuse("hello", "x:1:1: error: \"hello\" where \"sinew-embedding\" is expected");
    refuse("sinew-embedding 2\n", "x:1:17: error: version 2; only version 1 can be read");
    refuse("sinew-embedding 1\n900 4\n", "x:2:1: error: the count of points: 900 do not fit into a file of 24 bytes");
    refuse("sinew-embedding 1\n1 4\n4 1 0 0 0\n", "x:3:1: error: tetrahedron 4; there are 0 to 3");
    refuse("sinew-embedding 1\n1 4\n3 1 0 0 0.5\n", "x:3:1: error: weights must add up to 1, add up to 1.5");
    refuse("sinew-embedding 1\n1 4\n3 1 0 0\n# the end", "x:4:10: error: the file ends where a weight is expected");
}
