// The triangle tree against going through all triangles.
#include "geometry/triangle_bvh.h"
#include "pill_cases.h"
#include "scarce_memory.h"
#include <stdlib.h>

typedef struct {
    sn_vec3 *vertices;
    int32_t *corners;
    int vertex_count, triangle_count;
} mesh;

// A bumpy grid, or loose triangles of all sizes, or all in one place; moved by 'offset'.
static mesh make_mesh(rng *r, int kind, int side, sn_vec3 offset) {
    mesh m = {0};
    if (kind == 0) {
        m.vertex_count = (side + 1) * (side + 1);
        m.triangle_count = 2 * side * side;
    } else {
        m.triangle_count = 2 * side * side;
        m.vertex_count = 3 * m.triangle_count;
    }
    m.vertices = malloc(sizeof *m.vertices * (size_t)m.vertex_count);
    m.corners = malloc(sizeof *m.corners * 3 * (size_t)m.triangle_count);
    if (kind == 0) {
        for (int i = 0; i < m.vertex_count; i++) {
            double x = i % (side + 1), z = i / (side + 1);
            m.vertices[i] =
                sn_add(offset, sn_v3((sn_real)(x / side * 10), (sn_real)between(r, 0, 0.3), (sn_real)(z / side * 10)));
        }
        for (int i = 0; i < side * side; i++) {
            int a = i / side * (side + 1) + i % side, b = a + 1, c = a + side + 1, d = c + 1;
            const int32_t pair[6] = {a, c, b, b, c, d};
            memcpy(&m.corners[6 * i], pair, sizeof pair);
        }
    } else {
        for (int i = 0; i < m.triangle_count; i++) {
            sn_vec3 middle = kind == 1 ? in_cube(r, 5) : sn_v3(0, 0, 0);
            double size = kind == 3 ? 0 : magnitude(r, 0.01, 2);
            for (int k = 0; k < 3; k++) {
                m.vertices[3 * i + k] = sn_add(offset, sn_add(middle, in_cube(r, size)));
                m.corners[3 * i + k] = 3 * i + k;
            }
        }
    }
    return m;
}

static sn_triangle corners_of(const mesh *m, int i) {
    const int32_t *c = &m->corners[3 * i];
    return (sn_triangle){m->vertices[c[0]], m->vertices[c[1]], m->vertices[c[2]]};
}

static void free_mesh(mesh *m) {
    free(m->vertices);
    free(m->corners);
}

static bool overlaps(const sn_triangle *t, const sn_bounds *b) {
    return fmin(t->a.x, fmin(t->b.x, t->c.x)) <= b->hi.x && fmax(t->a.x, fmax(t->b.x, t->c.x)) >= b->lo.x &&
           fmin(t->a.y, fmin(t->b.y, t->c.y)) <= b->hi.y && fmax(t->a.y, fmax(t->b.y, t->c.y)) >= b->lo.y &&
           fmin(t->a.z, fmin(t->b.z, t->c.z)) <= b->hi.z && fmax(t->a.z, fmax(t->b.z, t->c.z)) >= b->lo.z;
}

static int by_number(const void *a, const void *b) {
    return *(const int32_t *)a - *(const int32_t *)b;
}

typedef struct {
    int32_t *out;
    int count;
} collection;

static bool collect(void *user, int triangle, const sn_triangle *corners) {
    collection *c = user;
    (void)corners;
    c->out[c->count++] = triangle;
    return true;
}

static bool stop(void *user, int triangle, const sn_triangle *corners) {
    (void)triangle, (void)corners;
    ++*(int *)user;
    return false;
}

static void check_mesh(int kind, int side, sn_vec3 offset) {
    rng r = {(uint64_t)(kind + 1) * 7919 + (uint64_t)side};
    mesh m = make_mesh(&r, kind, side, offset);
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_triangle_bvh tree;
    CHECK_INT(sn_triangle_bvh_build(&memory, m.vertices, m.vertex_count, m.corners, m.triangle_count, &tree), SN_OK);
    int32_t *found = malloc(sizeof *found * (size_t)m.triangle_count);
    for (int query = 0; query < 60; query++) {
        sn_vec3 at = sn_add(
            offset, sn_v3((sn_real)between(&r, -6, 12), (sn_real)between(&r, -3, 3), (sn_real)between(&r, -6, 12)));

        // Overlap: the same set, each once.
        double half = magnitude(&r, 0.01, 5);
        sn_bounds box = {sn_sub(at, in_cube(&r, half)), at};
        box = (sn_bounds){{sn_min(box.lo.x, at.x), sn_min(box.lo.y, at.y), sn_min(box.lo.z, at.z)},
                          {sn_max(box.lo.x, at.x), sn_max(box.lo.y, at.y), sn_max(box.lo.z, at.z)}};
        collection all = {found, 0};
        sn_triangle_bvh_visit(&tree, &box, collect, &all);
        const int count = all.count;
        int expected = 0, one = 0;
        qsort(found, (size_t)count, sizeof *found, by_number);
        for (int i = 0; i < m.triangle_count; i++) {
            sn_triangle t = corners_of(&m, i);
            if (!overlaps(&t, &box)) continue;
            if (expected < count) CHECK_INT(found[expected], i);
            expected++;
        }
        CHECK_INT(count, expected);
        sn_triangle_bvh_visit(&tree, &box, stop, &one); // the search ends when it is told to
        CHECK_INT(one, expected > 0);

        // Nearest.
        double best = INFINITY;
        for (int i = 0; i < m.triangle_count; i++) {
            sn_triangle t = corners_of(&m, i);
            sn_real beta, gamma;
            sn_vec3 off;
            best = fmin(best, sn_point_triangle(at, &t, &beta, &gamma, &off));
        }
        best = sqrt(best);
        sn_triangle_bvh_hit hit;
        REQUIRE(sn_triangle_bvh_nearest(&tree, at, 1e6f, &hit));
        CHECK_NEAR(hit.distance, best, 1e-6 * (1 + best));
        CHECK(hit.triangle >= 0 && hit.triangle < m.triangle_count);
        CHECK_NEAR(sn_length(sn_sub(at, hit.point)), best, 1e-5 * (1 + best) + 1e-6 * (double)sn_length(offset));
        if (best > 1e-3) CHECK(!sn_triangle_bvh_nearest(&tree, at, (sn_real)(0.99 * best), &hit));
        CHECK(sn_triangle_bvh_nearest(&tree, at, (sn_real)(1.01 * best + 1e-6), &hit));
    }
    free(found);
    sn_triangle_bvh_free(&memory, &tree);
    CHECK_INT(memory.used_bytes, 0);
    free_mesh(&m);
}

TEST(bumpy_ground) {
    check_mesh(0, 20, sn_v3(0, 0, 0));
    check_mesh(0, 33, sn_v3(1000, -2000, 500));
}

TEST(loose_triangles) {
    check_mesh(1, 25, sn_v3(0, 0, 0));
    check_mesh(1, 1, sn_v3(3, 0, 0));
}

TEST(all_in_one_place) {
    check_mesh(2, 20, sn_v3(0, 0, 0));
    check_mesh(3, 20, sn_v3(1, 2, 3)); // 800 times the same point
}

TEST(same_mesh_same_tree) {
    rng r1 = {5}, r2 = {5};
    mesh m1 = make_mesh(&r1, 1, 30, sn_v3(0, 0, 0)), m2 = make_mesh(&r2, 1, 30, sn_v3(0, 0, 0));
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_triangle_bvh t1, t2;
    sn_triangle_bvh_build(&memory, m1.vertices, m1.vertex_count, m1.corners, m1.triangle_count, &t1);
    sn_triangle_bvh_build(&memory, m2.vertices, m2.vertex_count, m2.corners, m2.triangle_count, &t2);
    REQUIRE(t1.node_count == t2.node_count);
    CHECK(memcmp(t1.nodes, t2.nodes, sizeof *t1.nodes * (size_t)t1.node_count) == 0);
    CHECK(memcmp(t1.source, t2.source, sizeof *t1.source * (size_t)t1.triangle_count) == 0);
    sn_triangle_bvh_free(&memory, &t1);
    sn_triangle_bvh_free(&memory, &t2);
    free_mesh(&m1);
    free_mesh(&m2);
}

TEST(bad_meshes_are_refused) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_triangle_bvh tree;
    sn_vec3 v[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t good[3] = {0, 1, 2}, high[3] = {0, 1, 3}, low[3] = {0, -1, 2};
    CHECK_INT(sn_triangle_bvh_build(&memory, v, 3, high, 1, &tree), SN_ERR_RANGE);
    CHECK_INT(sn_triangle_bvh_build(&memory, v, 3, low, 1, &tree), SN_ERR_RANGE);
    CHECK_INT(sn_triangle_bvh_build(&memory, v, 3, good, -1, &tree), SN_ERR_RANGE);
    v[1].x = (sn_real)NAN;
    CHECK_INT(sn_triangle_bvh_build(&memory, v, 3, good, 1, &tree), SN_ERR_RANGE);
    CHECK_INT(sn_triangle_bvh_build(&memory, NULL, 0, NULL, 0, &tree), SN_OK);
    sn_triangle_bvh_hit hit;
    CHECK(!sn_triangle_bvh_nearest(&tree, v[0], 10, &hit));
    int seen = 0;
    sn_triangle_bvh_visit(&tree, &(sn_bounds){v[0], v[2]}, stop, &seen);
    CHECK_INT(seen, 0);
    sn_triangle_bvh_free(&memory, &tree);
    CHECK_INT(memory.used_bytes, 0);
}

TEST(no_memory_leaves_nothing) {
    for (int allowed = 0; allowed < 4; allowed++) {
        int left = allowed;
        sn_memory memory;
        sn_memory_init(&memory, &SCARCE(&left));
        sn_triangle_bvh tree;
        const sn_vec3 v[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        const int32_t corners[3] = {0, 1, 2};
        CHECK_INT(sn_triangle_bvh_build(&memory, v, 3, corners, 1, &tree), SN_ERR_MEMORY);
        CHECK_INT(memory.used_bytes, 0);
    }
}
