// links: tools
// Characters in scenes: the implicit skin folds where skinning goes through itself, comes back to rest, does not depend
// on the number of workers; muscles keep their volume and keep out of bones; what files get wrong is said.
#include "base/math/vec.h"
#include "capture/scene_view.h"
#include "formats/body_glb.h"
#include "mesh/self_intersection.h"
#include "scene/scene_character.h"
#include "scene_text.h"
#include "test.h"
#include <math.h>
#include <unistd.h>

static void run(sn_scene *scene, sn_world *world, double until) {
    const double dt = scene->spec.step;
    for (int64_t i = (int64_t)sn_world_step_count(world); i < scene_step_count(scene, until); i++) {
        CHECK_INT(scene_drive(scene, world, (double)i * dt, dt), SN_OK);
        CHECK_INT(sn_world_step(world, (sn_real)dt, scene->spec.substeps), SN_OK);
    }
}

// The mesh of a character as it is now; to be freed.
static bool shown(const sn_scene *scene, const sn_world *world, int i, sn_mesh *out) {
    const sn_mesh *from = scene_character_mesh(scene, i);
    if (!sn_mesh_alloc(out, from->vertex_count, from->triangle_count, 0)) return false;
    memcpy(out->triangle, from->triangle, (size_t)from->triangle_count * sizeof *from->triangle);
    return scene_character_vertices(scene, world, i, out->position);
}

static long long crossings(const sn_scene *scene, const sn_world *world, int i) {
    sn_self_intersections report = {.pairs = -1};
    sn_mesh mesh = {0};
    if (shown(scene, world, i, &mesh)) sn_self_intersection_find(&mesh, &report, NULL);
    sn_mesh_free(&mesh);
    return report.pairs;
}

// How deep vertices of one half of the tube are on the other side of the plane that halves its bend, at the inner side.
// The joint is at (0, 0.4, z); the lower half bends toward +z.
static double depth(const sn_scene *scene, const sn_world *world, int i, double degrees, double z) {
    const double half = degrees * 3.14159265358979 / 360;
    const sn_mesh *rest = scene_character_mesh(scene, i);
    sn_mesh mesh = {0};
    double deepest = -1;
    if (shown(scene, world, i, &mesh)) deepest = 0;
    for (int v = 0; deepest >= 0 && v < mesh.vertex_count; v++) {
        const double up = (double)mesh.position[v][1] - 0.4, front = (double)mesh.position[v][2] - z;
        const double at = (double)rest->position[v][1] - 0.4;
        // Toward the bend's inner side, and across the plane: the upper half is on the positive side.
        const double inner = front * cos(half) + up * sin(half), across = up * cos(half) - front * sin(half);
        if (inner < 0 || fabs(at) < 0.0125) continue;
        deepest = fmax(deepest, at > 0 ? -across : across);
    }
    sn_mesh_free(&mesh);
    return deepest;
}

static const char elbow[] =
    "{\"gravity\": [0, 0, 0], \"bodies\": ["
    "{\"kind\": \"character\", \"zoo\": \"elbow\", \"bend\": {\"degrees\": %d, \"seconds\": 0.75}},"
    "{\"kind\": \"character\", \"zoo\": \"elbow\", \"bend\": {\"degrees\": %d, \"seconds\": "
    "0.75}, \"skin\": \"dual-quaternion\", \"position\": [0, 0, 1]},"
    "{\"kind\": \"character\", \"zoo\": \"elbow\", \"bend\": {\"degrees\": %d, \"seconds\": "
    "0.75}, \"skin\": \"linear\", \"position\": [0, 0, 2]}]}";

TEST(an_elbow_folds_where_skinning_goes_through_itself) {
    static const int bends[] = {90, 120, 135};
    static const double most[] = {0.001, 0.01, 0.05}; // of the radius
    for (int k = 0; k < 3; k++) {
        char text[1000];
        sn_scene *scene;
        snprintf(text, sizeof text, elbow, bends[k], bends[k], bends[k]);
        sn_world *world = scene_world(text, &scene);
        REQUIRE(world);
        run(scene, world, 0.8);
        CHECK(depth(scene, world, 0, bends[k], 0) < most[k] * 0.05);
        if (k > 0) CHECK(depth(scene, world, 1, bends[k], 1) > 0.1 * 0.05);
        if (k > 0) CHECK(depth(scene, world, 2, bends[k], 2) > 0.1 * 0.05);
        if (k == 0) {
            CHECK_INT(crossings(scene, world, 0), 0);
            CHECK(crossings(scene, world, 1) > 20);
            CHECK(crossings(scene, world, 2) > 20);
        }
        scene_end(scene, world);
    }
}

TEST(folded_and_unfolded_a_character_comes_back) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"elbow\", "
                                  "\"position\": [1, 2, 3], \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 90}, "
                                  "\"bend\": {\"degrees\": 135, \"seconds\": 0.6, \"hold\": 0.1}}]}",
                                  &scene);
    REQUIRE(world);
    sn_mesh before = {0}, after = {0};
    REQUIRE(shown(scene, world, 0, &before));
    run(scene, world, 2.2);
    REQUIRE(shown(scene, world, 0, &after));
    double most = 0;
    for (int v = 0; v < before.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs((double)after.position[v][k] - (double)before.position[v][k]));
    CHECK(most < 0.0005);
    // It stands where the scene puts it: turned by 90 degrees about y its front, +z, looks along +x.
    const float *rest = scene_character_mesh(scene, 0)->position[0];
    CHECK_NEAR(before.position[0][0], 1 + rest[2], 1e-4);
    CHECK_NEAR(before.position[0][1], 2 + rest[1], 1e-4);
    CHECK_NEAR(before.position[0][2], 3 - rest[0], 1e-4);
    sn_mesh_free(&before);
    sn_mesh_free(&after);
    scene_end(scene, world);
}

static const char curl[] = "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"limb\", "
                           "\"vertices\": 1200, \"motion\": \"biceps-curl\"}]}";

// The volume of a muscle by counting places inside of it, m^3: what overlaps where it bends counts once.
static double counted(const sn_world *world, sn_body set, int muscle) {
    sn_vec3 axis[128], low = {10, 10, 10}, high = {-10, -10, -10};
    const int n = sn_implicit_muscles_get_axis(world, set, muscle, axis, 128);
    const sn_real wide = (sn_real)0.06, cell = (sn_real)0.003;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            sn_real *lo = (sn_real *)&low + k, *hi = (sn_real *)&high + k;
            const sn_real x = ((sn_real *)&axis[i])[k];
            *lo = sn_min(*lo, x - wide), *hi = sn_max(*hi, x + wide);
        }
    int inside = 0;
    for (sn_real x = low.x; x < high.x; x += cell)
        for (sn_real y = low.y; y < high.y; y += cell)
            for (sn_real z = low.z; z < high.z; z += cell)
                inside += sn_implicit_muscles_field(world, set, muscle, sn_v3(x, y, z), NULL) < 0;
    return inside * (double)(cell * cell * cell);
}

TEST(a_biceps_that_curls_keeps_its_volume_and_out_of_bones) {
    sn_scene *scene;
    sn_world *world = scene_world(curl, &scene);
    REQUIRE(world);
    const sn_body set = scene_character_muscles(scene, 0);
    const double rest = counted(world, set, 0);
    sn_vec3 axis[128];
    const int n = sn_implicit_muscles_get_axis(world, set, 0, axis, 128);
    const sn_real length = sn_length(sn_sub(axis[n - 1], axis[0]));
    double deepest = 0;
    for (int i = 1; i <= 3; i++) {
        run(scene, world, 0.4 * i);
        CHECK_NEAR(counted(world, set, 0) / rest, 1, 0.03);
        deepest = fmax(deepest, (double)sn_implicit_muscles_penetration(world, set));
    }
    CHECK(deepest < 0.0005);
    sn_implicit_muscles_get_axis(world, set, 0, axis, 128);
    CHECK(sn_length(sn_sub(axis[n - 1], axis[0])) < (sn_real)0.8 * length); // it did shorten
    scene_end(scene, world);
}

// A muscle that works shows: the skin over the biceps goes out when it is activated, and not elsewhere.
TEST(the_skin_bulges_over_an_active_muscle) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"limb\", "
                                  "\"vertices\": 1200, \"activation\": [{\"muscle\": \"biceps\", \"keys\": [{\"t\": 0, "
                                  "\"value\": 0}, {\"t\": 0.3, \"value\": 1}]}]}]}",
                                  &scene);
    REQUIRE(world);
    sn_mesh before = {0}, after = {0};
    REQUIRE(shown(scene, world, 0, &before));
    run(scene, world, 0.6);
    REQUIRE(shown(scene, world, 0, &after));
    double most = 0, elsewhere = 0;
    for (int v = 0; v < before.vertex_count; v++) {
        const double out = (double)after.position[v][2] - (double)before.position[v][2];
        if (before.position[v][1] > 0.5f && before.position[v][2] > 0.02f) most = fmax(most, out);
        if (before.position[v][1] < 0.15f) elsewhere = fmax(elsewhere, fabs(out));
    }
    CHECK(most > 0.002);
    CHECK(elsewhere < 0.0002);
    sn_mesh_free(&before);
    sn_mesh_free(&after);
    scene_end(scene, world);
}

// How far the skin of the upper arm goes out to the front over the biceps, m: the farthest of its vertices.
static double front_of_arm(const sn_scene *scene, const sn_world *world) {
    const sn_mesh *rest = scene_character_mesh(scene, 0);
    sn_mesh mesh = {0};
    double most = 0;
    if (shown(scene, world, 0, &mesh))
        for (int v = 0; v < mesh.vertex_count; v++)
            if (rest->position[v][1] > 0.5f && rest->position[v][1] < 0.68f)
                most = fmax(most, (double)mesh.position[v][2]);
    sn_mesh_free(&mesh);
    return most;
}

// The muscle slides over the bone and is pushed off it as it gets short and thick. If it may go through bones it lies
// across the bent joint, in the arm, and hardly anything shows.
TEST(without_collisions_the_bulge_of_a_curl_vanishes) {
    double bulge[2];
    for (int collide = 0; collide < 2; collide++) {
        char text[300];
        sn_scene *scene;
        snprintf(
            text, sizeof text,
            "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"limb\", \"vertices\": 1200, "
            "\"motion\": \"biceps-curl\", \"collide\": %s}]}",
            collide ? "true" : "false");
        sn_world *world = scene_world(text, &scene);
        REQUIRE(world);
        const double before = front_of_arm(scene, world);
        run(scene, world, 1.2);
        bulge[collide] = front_of_arm(scene, world) - before;
        scene_end(scene, world);
    }
    printf("bulge %g %g\n", bulge[0], bulge[1]);
    printf("bulge %g %g\n", bulge[0], bulge[1]);
    CHECK(bulge[1] > 0.004);
    CHECK(bulge[0] < 0.5 * bulge[1]);
}

// Vertices with an edge more than 2.5 times as long as at rest, and edges that have become sharper by more than 70
// degrees.
typedef struct {
    int stretched, sharp;
} flaws;

static void normal_of(const sn_mesh *mesh, const float (*p)[3], int t, double n[3]) {
    const float *a = p[mesh->triangle[t][0]], *b = p[mesh->triangle[t][1]], *c = p[mesh->triangle[t][2]];
    double e[3], f[3], length = 0;
    for (int k = 0; k < 3; k++) e[k] = (double)(b[k] - a[k]), f[k] = (double)(c[k] - a[k]);
    for (int k = 0; k < 3; k++) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    for (int k = 0; k < 3; k++) length += n[k] * n[k];
    for (int k = 0; k < 3; k++) n[k] /= sqrt(fmax(length, 1e-30));
}

static double angle_at(const sn_mesh *mesh, const float (*p)[3], int s, int t) {
    double m[3], n[3];
    normal_of(mesh, p, s, m);
    normal_of(mesh, p, t, n);
    return acos(fmin(fmax(m[0] * n[0] + m[1] * n[1] + m[2] * n[2], -1), 1));
}

// beside: the triangle on the other side of each edge.
static flaws flaws_of(const sn_mesh *rest, const int (*beside)[3], const float (*now)[3], unsigned char *mark) {
    flaws out = {0, 0};
    memset(mark, 0, (size_t)rest->vertex_count);
    for (int t = 0; t < rest->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int a = rest->triangle[t][k], b = rest->triangle[t][(k + 1) % 3], other = beside[t][k];
            double was = 0, is = 0;
            for (int c = 0; c < 3; c++) {
                was += pow((double)(rest->position[a][c] - rest->position[b][c]), 2);
                is += pow((double)(now[a][c] - now[b][c]), 2);
            }
            if (is > 2.5 * 2.5 * was) mark[a] = mark[b] = 1;
            if (other < t) continue;
            const float(*at_rest)[3] = (const float(*)[3])rest->position;
            out.sharp += angle_at(rest, now, t, other) > angle_at(rest, at_rest, t, other) + 1.22;
        }
    for (int v = 0; v < rest->vertex_count; v++) out.stretched += mark[v];
    return out;
}

static void find_beside(const sn_mesh *mesh, int (*beside)[3]) {
    // Of each vertex the triangles around it are few: a list by its first corner is enough.
    int *first = malloc((size_t)mesh->vertex_count * sizeof *first);
    int *next = malloc(3 * (size_t)mesh->triangle_count * sizeof *next);
    for (int v = 0; first && v < mesh->vertex_count; v++) first[v] = -1;
    for (int e = 0; first && next && e < 3 * mesh->triangle_count; e++) {
        const int from = mesh->triangle[e / 3][e % 3];
        beside[e / 3][e % 3] = -1, next[e] = first[from], first[from] = e;
    }
    for (int e = 0; first && next && e < 3 * mesh->triangle_count; e++) {
        const int from = mesh->triangle[e / 3][e % 3], to = mesh->triangle[e / 3][(e % 3 + 1) % 3];
        for (int o = first[to]; o >= 0; o = next[o])
            if (mesh->triangle[o / 3][(o % 3 + 1) % 3] == from) beside[e / 3][e % 3] = o / 3;
    }
    free(first);
    free(next);
}

// A body that jumps: shoulders, hips and collar have no creases or spikes, muscles keep out of bones. (Before fields were
// mixed by skin weights 300 vertices of the larger body were stretched so, and 270 edges sharp.)
TEST(a_body_jumps_without_creases) { // once
    sn_scene *scene;
    sn_world *world = scene_world("{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"body\", "
                                  "\"vertices\": 6000, \"motion\": \"jump\"}]}",
                                  &scene);
    REQUIRE(world);
    const sn_mesh *rest = scene_character_mesh(scene, 0);
    const size_t count = (size_t)rest->vertex_count;
    unsigned char *mark = malloc(count);
    float(*now)[3] = malloc(count * sizeof *now);
    int(*beside)[3] = malloc((size_t)rest->triangle_count * sizeof *beside);
    REQUIRE(mark && now && beside);
    find_beside(rest, beside);
    flaws worst = {0, 0};
    double deepest = 0;
    for (int i = 1; i <= 7; i++) {
        run(scene, world, 0.15 * i);
        CHECK(scene_character_vertices(scene, world, 0, now));
        const flaws f = flaws_of(rest, (const int(*)[3])beside, (const float(*)[3])now, mark);
        if (f.stretched > worst.stretched) worst.stretched = f.stretched;
        if (f.sharp > worst.sharp) worst.sharp = f.sharp;
        deepest = fmax(deepest, (double)sn_implicit_muscles_penetration(world, scene_character_muscles(scene, 0)));
    }
    CHECK(worst.stretched < 20);
    CHECK(worst.sharp < 40);
    CHECK(deepest < 0.0005);
    free(mark);
    free(now);
    free(beside);
    scene_end(scene, world);
}

TEST(no_muscle_of_a_running_body_gets_into_a_bone) { // once
    sn_scene *scene;
    sn_world *world = scene_world("{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"body\", "
                                  "\"vertices\": 6000, \"motion\": \"run\"}]}",
                                  &scene);
    REQUIRE(world);
    double deepest = 0;
    for (int i = 1; i <= 60; i++) { // every step of a second
        run(scene, world, i / 60.0);
        deepest = fmax(deepest, (double)sn_implicit_muscles_penetration(world, scene_character_muscles(scene, 0)));
    }
    CHECK(deepest < 0.0005);
    scene_end(scene, world);
}

// The widest radius of a muscle, and where along it that is, 0 to 1.
static double widest(const sn_world *world, sn_body set, int muscle, double *where) {
    sn_real radii[128];
    const int n = sn_implicit_muscles_get_radii(world, set, muscle, radii, 128);
    int best = 0;
    for (int i = 1; i < n; i++)
        if (radii[i] > radii[best]) best = i;
    *where = (double)best / (n - 1);
    return (double)radii[best];
}

TEST(numbers_and_ends_of_muscles_are_driven_in_time) {
    static const char text[] =
        "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"limb\", \"vertices\": 800, "
        "\"jiggle\": 2, \"muscle_keys\": ["
        "{\"muscle\": \"biceps\", \"what\": \"alpha\", \"keys\": [{\"t\": 0, \"value\": 3}, {\"t\": 0.4, \"value\": "
        "7}]},"
        "{\"muscle\": \"biceps\", \"what\": \"width\", \"keys\": [{\"t\": 0, \"value\": 1}, {\"t\": 0.4, \"value\": "
        "1.2}]},"
        "{\"muscle\": \"biceps\", \"what\": \"eccentricity\", \"keys\": [{\"t\": 0, \"value\": 0}, {\"t\": 0.4, "
        "\"value\": 0.8}]},"
        "{\"muscle\": \"triceps\", \"what\": \"hertz\", \"keys\": [{\"t\": 0, \"value\": 4}, {\"t\": 0.4, \"value\": "
        "8}]},"
        "{\"muscle\": \"triceps\", \"what\": \"activation\", \"keys\": [{\"t\": 0.1, \"value\": 0}, {\"t\": 0.3, "
        "\"value\": 0.5}]},"
        "{\"muscle\": \"triceps\", \"what\": \"origin\", \"keys\": [{\"t\": 0, \"position\": [0, 0.7, -0.03]}, {\"t\": "
        "0.4, "
        "\"position\": "
        "[0, 0.65, -0.04]}]}]}]}";
    sn_scene *scene;
    sn_world *world = scene_world(text, &scene);
    REQUIRE(world);
    const sn_body set = scene_character_muscles(scene, 0);
    const double volume = sn_implicit_muscles_volume(world, set, 0);
    double where, later;
    const double before = widest(world, set, 0, &where);
    run(scene, world, 0.2);
    sn_implicit_muscle_def def;
    sn_implicit_muscle_keys keys;
    sn_vec3 axis[128];
    CHECK(sn_implicit_muscles_get_muscle(world, set, 0, &def) == SN_OK &&
          sn_implicit_muscles_get_keys(world, set, 0, &keys) == SN_OK);
    CHECK_NEAR(def.rest.alpha, 5, 1e-4);
    CHECK_NEAR(keys.exaggeration, 1.1, 1e-4);
    CHECK_NEAR(keys.eccentricity, 0.4, 1e-4);
    CHECK(sn_implicit_muscles_get_muscle(world, set, 1, &def) == SN_OK &&
          sn_implicit_muscles_get_keys(world, set, 1, &keys) == SN_OK);
    CHECK_NEAR(def.hertz, 2 * 6, 1e-4); // times the character's jiggle
    CHECK_NEAR(keys.activation, 0.25, 1e-4);
    sn_implicit_muscles_get_axis(world, set, 1, axis, 128);
    CHECK_NEAR(axis[0].y, 0.675, 1e-5);
    CHECK_NEAR(axis[0].z, -0.035, 1e-5);
    run(scene, world, 0.5);
    CHECK(widest(world, set, 0, &later) > 1.1 * before);
    CHECK_NEAR(where, 2.0 / 4, 0.05); // (alpha - 1) / (alpha + beta - 2)
    CHECK_NEAR(later, 6.0 / 8, 0.05);
    CHECK_NEAR(sn_implicit_muscles_volume(world, set, 0) / volume, 1.2 * 1.2, 0.02); // only the width changes it
    scene_end(scene, world);
}

// A bundle of rods in the place of the biceps: it shortens and swells, keeps its volume, stays out of the bone, and the
// skin over it does what it does over the implicit one.
TEST(rods_under_a_skin_do_as_an_implicit_muscle) {
    static const char text[] =
        "{\"gravity\": [0, 0, 0], \"substeps\": 4, \"bodies\": ["
        "{\"kind\": \"character\", \"zoo\": \"limb\", \"vertices\": 1200, \"motion\": \"biceps-curl\"},"
        "{\"kind\": \"character\", \"zoo\": \"limb\", \"vertices\": 1200, \"motion\": \"biceps-curl\", \"position\": "
        "[0.5, 0, 0], \"bundles\": [{\"muscle\": \"biceps\"}]}]}";
    sn_scene *scene;
    sn_world *world = scene_world(text, &scene);
    REQUIRE(world);
    CHECK_INT(sn_world_kind_count(world, SN_KIND_ROD), 7);
    CHECK_INT(sn_world_bundle_count(world), 1);
    const sn_body implicit = scene_character_muscles(scene, 0), rods = scene_character_muscles(scene, 1);
    const sn_bundle bundle = sn_implicit_muscles_get_bundle(world, rods, 0);
    CHECK(bundle.slot1 && !sn_implicit_muscles_get_bundle(world, implicit, 0).slot1);
    double where;
    const double rest = sn_bundle_volume(world, bundle), thin = widest(world, rods, 0, &where);
    CHECK_NEAR(rest / sn_implicit_muscles_volume(world, implicit, 0), 1, 0.15); // the ends of rods are not points
    run(scene, world, 0.9);                                                     // bent
    CHECK_NEAR(sn_bundle_volume(world, bundle) / rest, 1, 0.08);
    CHECK_NEAR(sn_implicit_muscles_volume(world, rods, 0) / rest, 1, 0.1);
    CHECK(widest(world, rods, 0, &where) > 1.08 * thin);
    sn_mesh a = {0}, b = {0};
    REQUIRE(shown(scene, world, 0, &a) && shown(scene, world, 1, &b));
    double most = 0;
    for (int v = 0; v < a.vertex_count; v++) most = fmax(most, fabs((double)(a.position[v][2] - b.position[v][2])));
    CHECK_NEAR(most, 0, 0.02); // everywhere; limbs are 0.1 m thick
    CHECK(most > 1e-4);        // and yet it is another muscle
    int missed, touching;
    scene_character_tracked(scene, 1, &missed, &touching);
    CHECK(missed < b.vertex_count / 50);
    sn_mesh_free(&a);
    sn_mesh_free(&b);
    scene_end(scene, world);
}

// A rope from the limb to a torus: joints hold what of each is nearest to where they are told.
TEST(joints_hold_characters_and_elastic_bodies_by_a_position) {
    static const char text[] =
        "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"name\": \"limb\", \"zoo\": \"limb\", "
        "\"vertices\": 1200, \"motion\": \"biceps-curl\"}, {\"kind\": \"elastic\", \"name\": \"torus\", \"zoo\": "
        "\"torus\", \"tets\": 1000, \"scale\": 0.3, \"position\": [0, 2, 0]}, {\"kind\": \"rod\", \"name\": \"rope\", "
        "\"collide\": false, \"radius\": 0.005, \"points\": [[0, 0, 0], [0, 0.4, 0], [0, 0.8, 0], [0, 1.2, 0], [0, "
        "1.6, "
        "0], [0, 2, 0]]}], \"joints\": [{\"a\": {\"body\": \"rope\", \"point\": 0}, \"b\": {\"body\": \"limb\"}}, "
        "{\"a\": {\"body\": \"torus\", \"position\": [0.1, 2, 0]}, \"b\": {\"body\": \"rope\", \"point\": -1}}]}";
    sn_scene *scene;
    sn_world *world = scene_world(text, &scene);
    REQUIRE(world);
    run(scene, world, 0.5);
    const sn_body rope = sn_world_kind_at(world, SN_KIND_ROD, 0);
    sn_vec3 ends[6], limb[256], torus[256];
    sn_body_get_points(world, rope, ends, 6);
    const int limbs = sn_body_get_points(world, sn_world_kind_at(world, SN_KIND_IMPLICIT_MUSCLE, 0), limb, 256);
    const int spheres = sn_body_get_points(world, sn_world_kind_at(world, SN_KIND_ELASTIC, 0), torus, 256);
    double nearest[2] = {1e9, 1e9};
    for (int i = 0; i < limbs && i < 256; i++)
        nearest[0] = fmin(nearest[0], (double)sn_length(sn_sub(limb[i], ends[0])));
    for (int i = 0; i < spheres && i < 256; i++)
        nearest[1] = fmin(nearest[1], (double)sn_length(sn_sub(torus[i], ends[5])));
    CHECK(limbs > 0 && spheres > 0);
    CHECK(nearest[0] < 0.005 && nearest[1] < 0.005);
    scene_end(scene, world);
}

TEST(characters_do_not_depend_on_the_number_of_workers) {
    uint64_t hash[2];
    sn_mesh mesh[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
        sn_scene *scene = scene_parse("x.json", curl, strlen(curl), &disk_files);
        sn_world_def def = sn_world_def_default();
        sn_world *world = NULL;
        def.worker_count = 1 + k;
        REQUIRE(scene && scene_build(scene, &def, &world) == SN_OK);
        for (int i = 1; i <= 10; i++) { // read at other times, it is the same
            run(scene, world, 0.05 * i);
            if (k == 0 && i % 3 == 0) {
                sn_mesh now = {0};
                CHECK(shown(scene, world, 0, &now));
                sn_mesh_free(&now);
            }
        }
        hash[k] = sn_world_hash(world);
        CHECK(shown(scene, world, 0, &mesh[k]));
        scene_end(scene, world);
    }
    CHECK(hash[0] == hash[1]);
    CHECK(memcmp(mesh[0].position, mesh[1].position, (size_t)mesh[0].vertex_count * sizeof *mesh[0].position) == 0);
    sn_mesh_free(&mesh[0]);
    sn_mesh_free(&mesh[1]);
}

TEST(a_view_has_the_skin_of_every_frame) {
    char text[1000];
    sn_scene *scene;
    snprintf(text, sizeof text, elbow, 90, 90, 90);
    sn_world *world = scene_world(text, &scene);
    REQUIRE(world);
    scene_view *view = scene_view_new(scene, world, true, NULL);
    REQUIRE(view);
    const view_model *model = scene_view_model(view);
    const view_frame *frame = scene_view_read(view, world, 0);
    CHECK_INT(model->body_count, 3);
    const int n = model->meshes[model->bodies[0].mesh].mesh.vertex_count;
    float(*before)[3] = malloc((size_t)n * sizeof *before), (*got)[3] = malloc((size_t)n * sizeof *got);
    sn_mesh now = {0};
    REQUIRE(frame && before && got && view_body_vertices(model, frame, 0, before, NULL));
    run(scene, world, 0.2);
    frame = scene_view_read(view, world, 0.2);
    REQUIRE(frame && shown(scene, world, 0, &now));
    CHECK(view_body_vertices(model, frame, 0, got, NULL));
    CHECK(memcmp(got, now.position, (size_t)n * sizeof *got) == 0);
    CHECK(memcmp(before, now.position, (size_t)n * sizeof *got) != 0);
    free(before);
    free(got);
    sn_mesh_free(&now);
    scene_view_free(view);
    scene_end(scene, world);
}

// --- files ---

typedef struct {
    char folder[64], glb[96], json[96];
} place;

static bool place_make(place *p) {
    snprintf(p->folder, sizeof p->folder, "/tmp/sinew-character-XXXXXX");
    if (!mkdtemp(p->folder)) return false;
    snprintf(p->glb, sizeof p->glb, "%s/x.glb", p->folder);
    snprintf(p->json, sizeof p->json, "%s/x.json", p->folder);
    return true;
}

static void place_remove(const place *p) {
    unlink(p->glb);
    rmdir(p->folder);
}

static const char of_file[] = "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"file\": \"x.glb\", "
                              "\"bend\": {\"bone\": \"forearm\", \"degrees\": 90, \"seconds\": 0.5}}]}";

// What is said about a scene with the file.
static char *said_of(const place *p, const char *text) {
    char *said = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&said, &length);
    sn_scene *scene = scene_parse(p->json, text, strlen(text), &disk_files);
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    if (scene && out) {
        scene_build(scene, &def, &world);
        errors_print(&scene->errors, out);
    }
    scene_end(scene, world);
    if (out) fclose(out);
    return said;
}

static bool says(const place *p, const char *text, const char *what) {
    char *said = said_of(p, text);
    const bool good = said && (what ? strstr(said, what) != NULL : said[0] == 0);
    if (!good) fprintf(stderr, "said: %s", said ? said : "nothing");
    free(said);
    return good;
}

static bool write_glb(const place *p, const zoo_body *body) {
    tool_error error;
    FILE *f = fopen(p->glb, "wb");
    const bool good = f && body_write_glb(f, body, 1, &error);
    return f && fclose(f) == 0 && good;
}

// Changes numbers of the inverse bind matrix of the forearm in a .glb file.
static bool patch_matrix(const char *file, int at, float value) {
    FILE *f = fopen(file, "r+b");
    float m[16];
    bool done = false;
    for (long i = 0; f && !done && fseek(f, i, SEEK_SET) == 0 && fread(m, sizeof m, 1, f) == 1; i += 4)
        if (m[0] == 1 && m[5] == 1 && m[10] == 1 && m[15] == 1 && m[13] == -0.4f) {
            m[at] = value;
            fseek(f, i, SEEK_SET);
            done = fwrite(m, sizeof m, 1, f) == 1;
        }
    if (f) fclose(f);
    return done;
}

TEST(a_file_is_a_character_like_the_zoo_has_it) {
    place p;
    zoo_body body;
    char text[600];
    REQUIRE(place_make(&p) && zoo_body_make(ZOO_ELBOW, 1000, &body));
    CHECK(write_glb(&p, &body));
    zoo_body_free(&body);
    sn_scene *scene = scene_parse(p.json, of_file, strlen(of_file), &disk_files), *other;
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    REQUIRE(scene && scene_build(scene, &def, &world) == SN_OK);
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"elbow\", "
             "\"vertices\": 1000, \"bend\": {\"degrees\": 90, \"seconds\": 0.5}}]}");
    sn_world *zoo = scene_world(text, &other);
    REQUIRE(zoo);
    run(scene, world, 0.6);
    run(other, zoo, 0.6);
    sn_mesh a = {0}, b = {0};
    REQUIRE(shown(scene, world, 0, &a) && shown(other, zoo, 0, &b));
    REQUIRE(a.vertex_count == b.vertex_count);
    double most = 0; // where a bone ends is told by its tip in the zoo, by its skin in the file
    for (int v = 0; v < a.vertex_count; v++)
        for (int k = 0; k < 3; k++) most = fmax(most, fabs((double)a.position[v][k] - (double)b.position[v][k]));
    CHECK(most < 0.004);
    CHECK_INT(crossings(scene, world, 0), 0);
    sn_mesh_free(&a);
    sn_mesh_free(&b);
    scene_end(scene, world);
    scene_end(other, zoo);
    place_remove(&p);
}

TEST(rigs_that_cannot_be_followed_are_refused) {
    place p;
    zoo_body body;
    REQUIRE(place_make(&p) && zoo_body_make(ZOO_ELBOW, 600, &body));
    CHECK(write_glb(&p, &body));
    CHECK(says(&p, of_file, NULL));
    CHECK(patch_matrix(p.glb, 0, 2));
    CHECK(says(&p, of_file, "x.json:1:") && says(&p, of_file, "the scale must be uniform"));
    CHECK(write_glb(&p, &body) && patch_matrix(p.glb, 13, -0.7f)); // both joints in one place
    CHECK(says(&p, of_file, NULL));
    CHECK(write_glb(&p, &body));
    CHECK(says(&p, "{\"bodies\": [{\"kind\": \"character\", \"file\": \"x.glb\", \"bend\": {\"bone\": \"nose\"}}]}",
               "there is no bone \"nose\"; there are upper-arm, forearm"));
    CHECK(says(&p, "{\"bodies\": [{\"kind\": \"character\", \"file\": \"x.glb\", \"clip\": \"dance\"}]}",
               "the file has no clip \"dance\""));
    CHECK(says(&p,
               "{\"bodies\": [{\"kind\": \"character\", \"file\": \"x.glb\", \"add_muscles\": [{\"name\": \"m\", "
               "\"width\": 0.03, \"origin\": {\"bone\": \"forearm\", \"position\": [0, 0.3, 0]}, \"insertion\": "
               "{\"bone\": \"forearm\", \"position\": [0, 0.3, 0]}}]}]}",
               "its origin and its insertion coincide"));
    for (int k = 0; k < 4; k++) body.mesh.weight[7][k] = 0; // readers hang it on the first joint
    CHECK(write_glb(&p, &body));
    CHECK(says(&p, of_file, NULL));
    FILE *f = fopen(p.glb, "wb");
    REQUIRE(f && fputs("not a model", f) >= 0 && fclose(f) == 0);
    CHECK(says(&p, of_file, "is not a usable character"));
    snprintf(p.glb, sizeof p.glb, "%s/x.obj", p.folder);
    f = fopen(p.glb, "wb");
    REQUIRE(f && fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", f) >= 0 && fclose(f) == 0);
    CHECK(says(&p, "{\"bodies\": [{\"kind\": \"character\", \"file\": \"x.obj\"}]}", "it has no skin"));
    unlink(p.glb);
    snprintf(p.glb, sizeof p.glb, "%s/x.glb", p.folder);
    zoo_body_free(&body);
    place_remove(&p);
}

TEST(errors_of_characters_are_said_where_they_are) {
    static const struct {
        const char *text, *what;
    } cases[] = {
        {"{\"kind\": \"character\"}", "needs exactly one of \"zoo\" and \"file\""},
        {"{\"kind\": \"character\", \"zoo\": \"horse\"}", "the zoo has no character \"horse\""},
        {"{\"kind\": \"character\", \"zoo\": \"elbow\", \"motion\": \"swim\"}", "the zoo has no motion \"swim\""},
        {"{\"kind\": \"character\", \"zoo\": \"elbow\", \"motion\": \"jump\"}", "does not fit \"elbow\""},
        {"{\"kind\": \"character\", \"zoo\": \"elbow\", \"clip\": \"a\"}", "needs \"file\""},
        {"{\"kind\": \"character\", \"file\": \"missing.glb\"}", "cannot open \"missing.glb\" beside the scene"},
        {"{\"kind\": \"character\", \"zoo\": \"elbow\", \"skin\": \"wet\"}", "skin"},
        {"{\"kind\": \"character\", \"zoo\": \"elbow\", \"bend\": {\"axis\": [0, 0, 0]}}", "must have a direction"},
        {"{\"kind\": \"character\", \"zoo\": \"elbow\", \"activation\": [{\"muscle\": \"biceps\", \"keys\": [{\"t\": "
         "0, "
         "\"value\": 1}]}]}",
         "no muscle whose name begins with \"biceps\""},
        {"{\"kind\": \"character\", \"zoo\": \"elbow\", \"add_muscles\": [{\"name\": \"m\", \"origin\": {\"bone\": "
         "\"forearm\", \"position\": [0, 0, 0]}, \"insertion\": {\"bone\": \"forearm\", \"position\": [0, 0.1, 0]}}]}",
         "needs a \"volume\", a \"width\" or a \"preset\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[800];
        const int size = snprintf(text, sizeof text, "{\"bodies\": [%s]}", cases[i].text);
        char *said = scene_complaints(text, (size_t)size);
        if (!CHECK(said && strstr(said, cases[i].what))) fprintf(stderr, "%s said: %s", cases[i].text, said);
        free(said);
    }
}
