// links: tools
// The gauge of skins: it sees crossings, stretched and squeezed edges, and volume; and not what overlaps at rest.
#include "implicit_limb.h"
#include "scene/character_gauge.h"
#include "test.h"

// A model's mesh alone, which is all that the gauge reads.
typedef struct {
    sn_mesh mesh;
    sn_vec3 *vertices, *moved;
    sn_implicit_asset asset;
} thing;

static bool make(thing *t, int copies, double gap) {
    sn_mesh one;
    const limb_shape shape = plain_limb;
    if (!limb_mesh(&shape, &one)) return false;
    const int n = one.vertex_count, m = one.triangle_count;
    *t = (thing){0};
    if (!sn_mesh_alloc(&t->mesh, copies * n, copies * m, 0)) return false;
    t->vertices = malloc((size_t)(copies * n) * sizeof *t->vertices);
    t->moved = malloc((size_t)(copies * n) * sizeof *t->moved);
    for (int i = 0; i < copies * n; i++) {
        const float *x = one.position[i % n];
        t->vertices[i] = sn_v3((sn_real)x[0], (sn_real)x[1] + (sn_real)(gap * (i / n)), (sn_real)x[2]);
    }
    for (int i = 0; i < copies * m; i++)
        for (int k = 0; k < 3; k++) t->mesh.triangle[i][k] = one.triangle[i % m][k] + n * (i / m);
    t->asset = (sn_implicit_asset){.vertex_count = copies * n,
                                   .vertices = t->vertices,
                                   .triangle_count = copies * m,
                                   .triangles = t->mesh.triangle};
    sn_mesh_free(&one);
    return t->vertices && t->moved;
}

static void drop(thing *t) {
    sn_mesh_free(&t->mesh);
    free(t->vertices);
    free(t->moved);
}

static skin_reading read_scaled(thing *t, skin_gauge *gauge, double x, double others) {
    skin_reading reading = {0};
    for (int i = 0; i < t->asset.vertex_count; i++)
        t->moved[i] = sn_v3((sn_real)x * t->vertices[i].x, (sn_real)others * t->vertices[i].y,
                            (sn_real)others * t->vertices[i].z);
    CHECK(skin_gauge_read(gauge, t->moved, &reading));
    return reading;
}

TEST(nothing_is_wrong_at_rest_and_scales_are_seen) {
    thing t;
    skin_gauge gauge;
    tool_error error;
    REQUIRE(make(&t, 1, 0));
    REQUIRE(skin_gauge_make(&t.asset, &gauge, &error));
    skin_reading r = read_scaled(&t, &gauge, 1, 1);
    CHECK(r.crossings == 0 && r.stretched == 0 && r.squeezed == 0 && fabs(r.volume) < 1e-6);
    r = read_scaled(&t, &gauge, 2.6, 2.6);
    CHECK(r.stretched == gauge.edge_count && r.squeezed == 0);
    r = read_scaled(&t, &gauge, 0.25, 0.25);
    CHECK(r.squeezed == gauge.edge_count && r.stretched == 0);
    r = read_scaled(&t, &gauge, 2.4, 1);
    CHECK(r.stretched == 0 && r.squeezed == 0);
    CHECK(fabs(r.volume - 1.4) < 1e-4);
    skin_gauge_free(&gauge);
    drop(&t);
}

TEST(crossings_are_counted_but_not_those_at_rest) {
    thing t;
    skin_gauge gauge;
    tool_error error;
    REQUIRE(make(&t, 2, 0.15)); // two tubes of radius 0.05 beside each other
    REQUIRE(skin_gauge_make(&t.asset, &gauge, &error));
    CHECK(read_scaled(&t, &gauge, 1, 1).crossings == 0);
    skin_reading r = {0};
    const int half = t.asset.vertex_count / 2;
    for (int i = 0; i < 2 * half; i++)
        t.moved[i] = sn_add(t.vertices[i], sn_v3(0, i < half ? (sn_real)0.08 : 0, 0)); // into each other
    CHECK(skin_gauge_read(&gauge, t.moved, &r) && r.crossings > 50);
    skin_gauge_free(&gauge);
    drop(&t);
    REQUIRE(make(&t, 2, 0.07)); // the same overlap at rest
    REQUIRE(skin_gauge_make(&t.asset, &gauge, &error));
    CHECK(read_scaled(&t, &gauge, 1, 1).crossings == 0);
    skin_gauge_free(&gauge);
    drop(&t);
}
