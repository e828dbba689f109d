// links: tools
// Collisions of elastic bodies against brute force: every vertex of one against every triangle of the other.
#include "elastic_bodies.h"
#include "geometry/triangle.h"
#include "medial/elastic_collide.h"

typedef struct {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_elastic_bounds bounds;
    sn_elastic_hull hull;
} model;

typedef struct {
    const model *model;
    sn_memory memory;
    sn_elastic_bounds_state bound;
    sn_real *q;
    sn_vec3 *x;
} body;

enum { TUBE, PLATE, LONG_TUBE, COARSE_PLATE };

static bool make_model(model *m, int kind) {
    *m = (model){0};
    sn_memory_init(&m->memory, NULL);
    bool made = kind == TUBE        ? make_tube(&m->memory, &m->asset, 7, 36, 16, 1, 0.12, 1, 3, -1e9)
                : kind == LONG_TUBE ? make_tube(&m->memory, &m->asset, 25, 120, 12, 3, 0.1, 1, 4, -1e9)
                : kind == PLATE     ? make_plate(&m->memory, &m->asset, 3, 18, 0.08, 0)
                                    : make_plate(&m->memory, &m->asset, 1, 1, 0.02, 0);
    return made && sn_elastic_bounds_init(&m->memory, &m->asset, &m->bounds) == SN_OK &&
           sn_elastic_hull_init(&m->memory, &m->bounds, &m->hull) == SN_OK;
}

static void free_model(model *m) {
    sn_elastic_hull_free(&m->memory, &m->hull);
    sn_elastic_bounds_free(&m->memory, &m->bounds);
    sn_elastic_asset_free(&m->memory, &m->asset);
    CHECK_INT(m->memory.used_bytes, 0);
}

static bool make_body(body *b, const model *m) {
    *b = (body){.model = m};
    sn_memory_init(&b->memory, NULL);
    b->q = sn_alloc(&b->memory, (size_t)shape_columns(&m->asset), 3 * sizeof *b->q);
    b->x = sn_alloc(&b->memory, (size_t)m->asset.vertex_count, sizeof *b->x);
    return b->q && b->x && sn_elastic_bounds_state_init(&b->memory, &m->bounds, &b->bound) == SN_OK;
}

static void free_body(body *b) {
    sn_free(&b->memory, b->q, (size_t)shape_columns(&b->model->asset), 3 * sizeof *b->q);
    sn_free(&b->memory, b->x, (size_t)b->model->asset.vertex_count, sizeof *b->x);
    sn_elastic_bounds_state_free(&b->memory, &b->model->bounds, &b->bound);
    CHECK_INT(b->memory.used_bytes, 0);
}

static void move_body(body *b, const motion *m) {
    follow_motion(&b->model->asset, m, b->q);
    place_vertices(&b->model->asset, &b->model->bounds, b->q, b->x);
    sn_elastic_bounds_update(&b->model->bounds, interleaved(b->q), SN_BOUNDS_DEFORMATION, NULL, &b->bound);
}

static sn_elastic_collider collider(const body *b, bool self) {
    return (sn_elastic_collider){&b->model->hull, &b->bound, b->x, self};
}

// --- brute force ---

static sn_triangle triangle_of(const body *b, int t) {
    const int *c = b->model->asset.triangles[t];
    return (sn_triangle){b->x[c[0]], b->x[c[1]], b->x[c[2]]};
}

// The winding number of a surface about a point: 1 inside, 0 outside.
static double winding(const body *b, sn_vec3 x) {
    double sum = 0;
    for (int t = 0; t < b->model->asset.triangle_count; t++) {
        sn_triangle s = triangle_of(b, t);
        double p[3][3] = {{(double)s.a.x - x.x, (double)s.a.y - x.y, (double)s.a.z - x.z},
                          {(double)s.b.x - x.x, (double)s.b.y - x.y, (double)s.b.z - x.z},
                          {(double)s.c.x - x.x, (double)s.c.y - x.y, (double)s.c.z - x.z}};
        double l[3], d[3];
        for (int k = 0; k < 3; k++) {
            const double *u = p[k], *v = p[(k + 1) % 3];
            l[k] = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            d[k] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        }
        double det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                     p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                     p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        sum += 2 * atan2(det, l[0] * l[1] * l[2] + d[0] * l[2] + d[1] * l[0] + d[2] * l[1]);
    }
    return sum / (4 * 3.14159265358979323846);
}

static double distance_to(const body *b, sn_vec3 x) {
    double least = HUGE_VAL;
    for (int t = 0; t < b->model->asset.triangle_count; t++) {
        sn_triangle s = triangle_of(b, t);
        sn_real beta, gamma;
        sn_vec3 offset;
        least = fmin(least, (double)sn_point_triangle(x, &s, &beta, &gamma, &offset));
    }
    return sqrt(least);
}

static const sn_elastic_contact *contact_of(const sn_elastic_detector *d, int which, int vertex) {
    for (int i = 0; i < d->contact_count; i++) {
        if (d->contacts[i].body == which && d->contacts[i].vertex == vertex) return &d->contacts[i];
    }
    return NULL;
}

// Every vertex of 'from' that is inside 'of' must have a contact with the nearest place of the surface, and no other.
static void check_against_brute_force(const sn_elastic_detector *d, const body *from, int which, const body *of,
                                      int *inside, int *wrong) {
    for (int v = 0; v < from->model->asset.vertex_count; v++) {
        sn_vec3 x = from->x[v];
        bool is_inside = winding(of, x) > 0.5;
        const sn_elastic_contact *c = contact_of(d, which, v);
        if (!is_inside) {
            if (c && !c->crossing) CHECK(c->depth < 1e-6);
            continue;
        }
        double distance = distance_to(of, x);
        if (distance < 1e-6) continue;
        ++*inside;
        if (!CHECK(c != NULL) || c->crossing) continue;
        CHECK(c->depth >= distance - 1e-6);
        if (c->depth > distance + 1e-5) ++*wrong;
        CHECK_NEAR(sn_length(c->normal), 1, 1e-5);
        CHECK_NEAR(c->weight[0] + c->weight[1] + c->weight[2], 1, 1e-5);
        // It leads to the place that it names.
        sn_triangle t = triangle_of(of, c->triangle);
        sn_vec3 place = sn_add(sn_mul(c->weight[0], t.a), sn_add(sn_mul(c->weight[1], t.b), sn_mul(c->weight[2], t.c)));
        CHECK_NEAR(sn_length(sn_sub(sn_mul_add(x, c->depth, c->normal), place)), 0, 2e-5);
    }
}

TEST(vertices_inside_against_brute_force) {
    model m[2];
    REQUIRE(make_model(&m[0], TUBE));
    REQUIRE(make_model(&m[1], PLATE));
    dice d = {31337};
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_elastic_detector detector;
    sn_elastic_detector_init(&detector, &memory);
    int inside = 0, wrong = 0, touching = 0;
    for (int round = 0; round < 12; round++) {
        body b[2];
        REQUIRE(make_body(&b[0], &m[round % 2]));
        REQUIRE(make_body(&b[1], &m[round / 2 % 2]));
        for (int i = 0; i < 2; i++) {
            motion move = random_motion(&d, 0.3);
            for (int k = 0; k < 3; k++) move.shift[k] *= 0.03;
            move_body(&b[i], &move);
        }
        sn_elastic_collider both[2] = {collider(&b[0], false), collider(&b[1], false)};
        REQUIRE(sn_elastic_detect(&detector, both, 2, NULL) == SN_OK);
        int before = inside;
        check_against_brute_force(&detector, &b[0], 0, &b[1], &inside, &wrong);
        check_against_brute_force(&detector, &b[1], 1, &b[0], &inside, &wrong);
        touching += inside > before;
        free_body(&b[0]);
        free_body(&b[1]);
    }
    printf("%d vertices inside in %d pairs of bodies; %d found a place that is not the nearest\n", inside, touching,
           wrong);
    CHECK(inside > 300 && touching > 6);
    CHECK(wrong <= inside / 25); // downhill ends in a valley, not always the lowest
    sn_elastic_detector_free(&detector);
    CHECK_INT(memory.used_bytes, 0);
    free_model(&m[0]);
    free_model(&m[1]);
}

TEST(separated_bodies_cost_a_box) {
    model m;
    REQUIRE(make_model(&m, TUBE));
    body b[3];
    sn_elastic_collider all[3];
    for (int i = 0; i < 3; i++) {
        REQUIRE(make_body(&b[i], &m));
        motion move = no_motion();
        move.shift[1] = 0.6 * i;
        move_body(&b[i], &move);
        all[i] = collider(&b[i], false);
    }
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_elastic_detector detector;
    sn_elastic_detector_init(&detector, &memory);
    REQUIRE(sn_elastic_detect(&detector, all, 3, NULL) == SN_OK);
    CHECK_INT(detector.contact_count, 0);
    CHECK_INT(detector.stats.slabs, 0);
    CHECK(detector.stats.boxes <= 3);
    sn_elastic_detector_free(&detector);
    for (int i = 0; i < 3; i++) free_body(&b[i]);
    free_model(&m);
}

TEST(a_body_collides_with_itself) {
    model m;
    REQUIRE(make_model(&m, LONG_TUBE));
    body b;
    REQUIRE(make_body(&b, &m));
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_elastic_detector detector;
    sn_elastic_detector_init(&detector, &memory);
    // At rest and bent a little it does not.
    motion move = no_motion();
    for (int i = 0; i < 2; i++) {
        move.bend = i * 1.0;
        move_body(&b, &move);
        sn_elastic_collider one = collider(&b, true);
        REQUIRE(sn_elastic_detect(&detector, &one, 1, NULL) == SN_OK);
        CHECK_INT(detector.contact_count, 0);
    }
    // Bent into more than a full circle, one end is in the other.
    move.bend = 2.2;
    move_body(&b, &move);
    sn_elastic_collider one = collider(&b, true);
    REQUIRE(sn_elastic_detect(&detector, &one, 1, NULL) == SN_OK);
    CHECK(detector.contact_count > 10);
    int ends = 0;
    for (int i = 0; i < detector.contact_count; i++) {
        const sn_elastic_contact *c = &detector.contacts[i];
        sn_vec3 from = m.asset.rest[c->vertex], to = m.asset.rest[m.asset.triangles[c->triangle][0]];
        CHECK(sn_abs(from.x - to.x) > 1); // far from each other along the tube
        ends += c->depth > 0.01f;
        CHECK(c->depth < 0.25f);
    }
    CHECK(ends > 5);
    // Every vertex with a winding number of 2 is inside twice, and found.
    int twice = 0;
    for (int v = 0; v < m.asset.vertex_count; v++) {
        if (winding(&b, sn_mul_add(b.x[v], 0, b.x[v])) < 1.2) continue; // on its own surface it is a half more
        twice++;
        CHECK(contact_of(&detector, 0, v) != NULL);
    }
    CHECK(twice > 10);
    sn_elastic_detector_free(&detector);
    free_body(&b);
    free_model(&m);
}

// Two plates of a few large triangles, crossed: no vertex is inside of the other.
TEST(triangles_cross_where_no_vertex_is_inside) {
    model m;
    REQUIRE(make_model(&m, COARSE_PLATE));
    body b[2];
    REQUIRE(make_body(&b[0], &m));
    REQUIRE(make_body(&b[1], &m));
    motion move = no_motion();
    move_body(&b[0], &move);
    double upright[3][3] = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
    memcpy(move.turn, upright, sizeof upright);
    move.shift[0] = 0.45, move.shift[1] = 0.5, move.shift[2] = 0.45;
    move_body(&b[1], &move);
    sn_elastic_collider both[2] = {collider(&b[0], true), collider(&b[1], true)};
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_elastic_detector detector;
    sn_elastic_detector_init(&detector, &memory);
    REQUIRE(sn_elastic_detect(&detector, both, 2, NULL) == SN_OK);
    int of[2] = {0};
    for (int i = 0; i < detector.contact_count; i++) {
        const sn_elastic_contact *c = &detector.contacts[i];
        CHECK(c->crossing && c->body != c->other && c->depth >= 0);
        // The triangles that are named cross one of the vertex's.
        sn_triangle t = triangle_of(&b[c->other], c->triangle);
        bool crosses = false;
        for (int k = 0; k < m.asset.triangle_count; k++) {
            const int *corner = m.asset.triangles[k];
            if (corner[0] != c->vertex && corner[1] != c->vertex && corner[2] != c->vertex) continue;
            sn_triangle s = triangle_of(&b[c->body], k);
            crosses = crosses || sn_triangle_triangle(&s, &t);
        }
        CHECK(crosses);
        of[c->body]++;
    }
    CHECK(of[0] > 0 && of[1] > 0);
    sn_elastic_detector_free(&detector);
    free_body(&b[0]);
    free_body(&b[1]);
    free_model(&m);
}

TEST(workers_change_no_bit_and_warm_calls_allocate_nothing) {
    model m;
    REQUIRE(make_model(&m, LONG_TUBE));
    enum { BODIES = 6 };
    body b[BODIES];
    sn_elastic_collider all[BODIES];
    dice d = {4};
    for (int i = 0; i < BODIES; i++) {
        REQUIRE(make_body(&b[i], &m));
        motion move = random_motion(&d, 1);
        for (int k = 0; k < 3; k++) move.shift[k] *= 0.3;
        move_body(&b[i], &move);
        all[i] = collider(&b[i], true);
    }
    sn_elastic_contact *first = NULL;
    int count = 0;
    for (int workers = 0; workers <= 3; workers++) {
        sn_memory memory, apart;
        sn_memory_init(&memory, NULL);
        sn_memory_init(&apart, NULL);
        sn_pool *pool = NULL;
        if (workers) REQUIRE(sn_pool_create(&apart, &(sn_tasks){0}, workers, &pool) == SN_OK);
        sn_elastic_detector detector;
        sn_elastic_detector_init(&detector, &memory);
        for (int i = 0; i < 4; i++) REQUIRE(sn_elastic_detect(&detector, all, BODIES, pool) == SN_OK);
        uint64_t allocations = memory.allocations;
        REQUIRE(sn_elastic_detect(&detector, all, BODIES, pool) == SN_OK);
        REQUIRE(sn_elastic_detect(&detector, all, BODIES, pool) == SN_OK);
        CHECK_INT(memory.allocations, allocations);
        CHECK(detector.contact_count > 100);
        if (!first) {
            count = detector.contact_count;
            first = malloc((size_t)count * sizeof *first);
            memcpy(first, detector.contacts, (size_t)count * sizeof *first);
        }
        CHECK_INT(detector.contact_count, count);
        for (int i = 0; i < count && i < detector.contact_count; i++) {
            const sn_elastic_contact *p = &first[i], *q = &detector.contacts[i];
            CHECK(p->body == q->body && p->vertex == q->vertex && p->other == q->other && p->triangle == q->triangle);
            CHECK(memcmp(p->weight, q->weight, sizeof p->weight) == 0 && p->depth == q->depth);
            CHECK(memcmp(&p->normal, &q->normal, sizeof p->normal) == 0);
        }
        sn_elastic_detector_free(&detector);
        if (pool) sn_pool_destroy(&apart, pool);
    }
    free(first);
    for (int i = 0; i < BODIES; i++) free_body(&b[i]);
    free_model(&m);
}

// --- the tree ---

typedef struct {
    int count;
    unsigned char seen[60][60];
} seen_pairs;

static void see(void *user, int a, int b) {
    seen_pairs *s = user;
    ++s->seen[a][b];
    s->count++;
}

TEST(trees_find_every_pair_once) {
    dice d = {8};
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    for (int round = 0; round < 40; round++) {
        enum { MOST = 60 };
        sn_bounds rest[2][MOST], now[2][MOST], nodes[2][2 * MOST];
        int count[2] = {(int)(roll(&d) * MOST), (int)(roll(&d) * MOST)};
        sn_medial_bvh tree[2];
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < count[k]; i++) {
                sn_vec3 lo = {(sn_real)roll(&d), (sn_real)roll(&d), (sn_real)roll(&d)};
                sn_vec3 side = {(sn_real)(0.3 * roll(&d)), (sn_real)(0.3 * roll(&d)), (sn_real)(0.3 * roll(&d))};
                rest[k][i] = (sn_bounds){lo, sn_add(lo, side)};
                sn_vec3 shift = {(sn_real)(0.2 * roll(&d)), (sn_real)(0.2 * roll(&d)), (sn_real)(0.2 * roll(&d))};
                now[k][i] = (sn_bounds){sn_add(rest[k][i].lo, shift), sn_add(rest[k][i].hi, shift)};
            }
            REQUIRE(sn_medial_bvh_build(&memory, rest[k], count[k], &tree[k]) == SN_OK);
            sn_medial_bvh_refit(&tree[k], now[k], nodes[k]);
        }
        seen_pairs between = {0}, within = {0};
        sn_medial_bvh_find_pairs(&tree[0], nodes[0], &tree[1], nodes[1], see, &between);
        sn_medial_bvh_find_self_pairs(&tree[0], nodes[0], see, &within);
        for (int i = 0; i < count[0]; i++) {
            for (int j = 0; j < count[1]; j++) {
                CHECK_INT(between.seen[i][j], sn_bounds_overlap(&now[0][i], &now[1][j]));
            }
            for (int j = 0; j < count[0]; j++) {
                CHECK_INT(within.seen[i][j] + within.seen[j][i],
                          i == j ? 0 : sn_bounds_overlap(&now[0][i], &now[0][j]));
            }
        }
        for (int k = 0; k < 2; k++) sn_medial_bvh_free(&memory, &tree[k]);
    }
    CHECK_INT(memory.used_bytes, 0);
}

// --- trees of slabs ---

enum { SLABS = 60 };

static sn_slab random_slab(dice *d, int kind) { // a slab, a cone, a sphere
    sn_slab s;
    const sn_vec3 at = {(sn_real)roll(d), (sn_real)roll(d), (sn_real)roll(d)};
    for (int c = 0; c < 3; c++) {
        const sn_vec3 off = {(sn_real)(0.2 * roll(d)), (sn_real)(0.2 * roll(d)), (sn_real)(0.2 * roll(d))};
        s.c[c] = c > 0 && c > kind ? s.c[c - 1] : sn_add(at, off);
        s.r[c] = c > 0 && c > kind ? s.r[c - 1] : (sn_real)(0.05 * roll(d));
    }
    return s;
}

static void move_slab(dice *d, sn_slab *s) {
    for (int c = 0; c < 3; c++) {
        s->c[c].x += (sn_real)(0.01 * roll(d)), s->c[c].y -= (sn_real)(0.01 * roll(d));
        s->r[c] = sn_max(s->r[c] + (sn_real)(0.002 * (roll(d) - 0.5)), 0);
    }
}

typedef struct {
    seen_pairs pairs;
    sn_medial_cached_gap notes[2][16 * SLABS * SLABS];
    int now, count; // which are written, and how many
} search_memory;

static void see_slabs(void *user, int a, int b) {
    search_memory *m = user;
    see(&m->pairs, a, b);
}

static void keep(void *user, const sn_medial_cached_gap *note) {
    search_memory *m = user;
    if (CHECK(m->count < 16 * SLABS * SLABS)) m->notes[m->now][m->count++] = *note;
}

static bool skip_few(void *user, int a, int b) {
    (void)user;
    return a % 7 == 0 && b % 7 == 0;
}

// A node holds the spheres of its items: those of all nodes from it on to the end of its second child.
static void check_cover(const sn_medial_bvh *tree, const sn_slab *items, const sn_slab *nodes) {
    for (int i = 0; i < tree->node_count; i++) {
        int last = i;
        while (tree->nodes[last].item < 0) last = tree->nodes[last].other;
        for (int j = i; j <= last; j++) {
            for (int c = 0; c < 3 && tree->nodes[j].item >= 0; c++) {
                const sn_slab *s = &items[tree->nodes[j].item];
                CHECK(sn_slab_distance(&nodes[i], s->c[c], NULL) + s->r[c] <= 1e-6);
            }
        }
    }
}

// Where the gap is not next to nothing.
static void check_pair(const sn_slab *a, const sn_slab *b, bool ever, int seen) {
    sn_slab_pair near;
    sn_slab_slab(a, b, &near);
    if (sn_abs(near.gap) > (sn_real)1e-5) CHECK_INT(seen, ever && near.gap < 0);
}

TEST(trees_of_slabs_find_every_pair_once) {
    dice d = {18};
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    search_memory *between = calloc(1, sizeof *between), *within = calloc(1, sizeof *within);
    REQUIRE(between && within);
    int64_t first = 0, later = 0, all = 0;
    for (int round = 0; round < 6; round++) {
        sn_slab slabs[2][SLABS], before[2][SLABS], nodes[2][2 * SLABS];
        sn_real path[2][2 * SLABS] = {{0}};
        sn_bounds boxes[SLABS];
        sn_medial_bvh tree[2];
        const int count[2] = {(int)(roll(&d) * SLABS), (int)(roll(&d) * SLABS)};
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < count[k]; i++) {
                slabs[k][i] = random_slab(&d, i % 3);
                boxes[i] = sn_slab_bounds(&slabs[k][i]);
            }
            REQUIRE(sn_medial_bvh_build(&memory, boxes, count[k], &tree[k]) == SN_OK);
        }
        for (int frame = 0; frame < 12; frame++) {
            memcpy(before, slabs, sizeof slabs);
            for (int k = 0; k < 2; k++) {
                for (int i = 0; i < count[k] && frame > 0; i++) move_slab(&d, &slabs[k][i]);
                sn_medial_bvh_fit_slabs(&tree[k], slabs[k], nodes[k]);
                sn_medial_bvh_add_motion(&tree[k], before[k], slabs[k], path[k]);
                if (frame == 11) check_cover(&tree[k], slabs[k], nodes[k]);
            }
            for (int k = 0; k < 2; k++) {
                search_memory *m = k ? within : between;
                m->pairs = (seen_pairs){0};
                m->now = frame % 2, m->count = 0;
                const sn_medial_search search = {.a = {&tree[0], nodes[0], path[0]},
                                                 .b = {&tree[!k], nodes[!k], path[!k]},
                                                 .skip = k ? skip_few : NULL,
                                                 .visit = see_slabs,
                                                 .save = keep,
                                                 .user = m,
                                                 .last = frame > 0 ? m->notes[!m->now] : NULL};
                *(frame > 0 ? &later : &first) += sn_medial_bvh_search(&search);
            }
            all += frame == 0 ? count[0] * count[1] + count[0] * (count[0] - 1) / 2 : 0;
            for (int i = 0; i < count[0]; i++) {
                for (int j = 0; j < count[1]; j++)
                    check_pair(&slabs[0][i], &slabs[1][j], true, between->pairs.seen[i][j]);
                for (int j = 0; j < i; j++)
                    check_pair(&slabs[0][i], &slabs[0][j], !skip_few(NULL, i, j),
                               within->pairs.seen[i][j] + within->pairs.seen[j][i]);
            }
        }
        for (int k = 0; k < 2; k++) sn_medial_bvh_free(&memory, &tree[k]);
    }
    printf("%lld tests of %lld pairs at first, %lld later\n", (long long)first, (long long)all, (long long)later / 11);
    CHECK(first < all);
    CHECK(later / 11 < first);
    free(between);
    free(within);
    CHECK_INT(memory.used_bytes, 0);
}

// Bodies that move on: what is remembered of the last call saves tests and changes nothing, whatever comes and goes.
TEST(what_is_remembered_changes_no_contact) {
    enum { BODIES = 5, FRAMES = 12 };
    dice d = {77};
    model m;
    body b[BODIES];
    sn_elastic_collider all[BODIES];
    motion where[BODIES];
    REQUIRE(make_model(&m, LONG_TUBE));
    for (int i = 0; i < BODIES; i++) {
        REQUIRE(make_body(&b[i], &m));
        where[i] = random_motion(&d, 0.5);
        for (int k = 0; k < 3; k++) where[i].shift[k] = roll_between(&d, -0.4, 0.4);
    }
    sn_elastic_detector keen, forgetful;
    sn_elastic_detector_init(&keen, &m.memory);
    sn_elastic_detector_init(&forgetful, &m.memory);
    forgetful.cache_disabled = true;
    int64_t tests[2] = {0, 0}, contacts = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        const int count = frame == 6 ? 3 : BODIES, swap = frame == 9; // some are gone, and two change places
        for (int i = 0; i < BODIES; i++) {
            for (int k = 0; k < 3; k++) where[i].shift[k] += 0.002 * (roll(&d) - 0.5);
            move_body(&b[i], &where[i]);
        }
        for (int i = 0; i < BODIES; i++) all[i] = collider(&b[swap && i < 2 ? 1 - i : i], true);
        REQUIRE(sn_elastic_detect(&keen, all, count, NULL) == SN_OK);
        REQUIRE(sn_elastic_detect(&forgetful, all, count, NULL) == SN_OK);
        CHECK_INT(keen.contact_count, forgetful.contact_count);
        CHECK_INT(keen.stats.overlaps, forgetful.stats.overlaps);
        for (int i = 0; i < keen.contact_count && i < forgetful.contact_count; i++) {
            const sn_elastic_contact *p = &keen.contacts[i], *q = &forgetful.contacts[i];
            CHECK(p->body == q->body && p->vertex == q->vertex && p->triangle == q->triangle && p->depth == q->depth);
        }
        tests[0] += keen.stats.slabs, tests[1] += forgetful.stats.slabs, contacts += keen.contact_count;
    }
    printf("%lld tests instead of %lld, %lld contacts\n", (long long)tests[0], (long long)tests[1],
           (long long)contacts);
    CHECK(contacts > 0);
    CHECK(3 * tests[0] < tests[1]);
    sn_elastic_detector_free(&keen);
    sn_elastic_detector_free(&forgetful);
    for (int i = 0; i < BODIES; i++) free_body(&b[i]);
    free_model(&m);
}
