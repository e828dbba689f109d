// Rigid bodies of several geometries, hulls and closed meshes: mass, contact, what is inside of them, saving.
#include "base/math/vec.h"
#include "geometry/hull.h"
#include "known.h"
#include "mixed_world.h"

#define CHECK_REL(a, b, part) CHECK_NEAR(a, b, (part)*fabs((double)(b)))

static const sn_vec3 cube[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int32_t cube_faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static sn_body add(sn_world *world, const sn_rigid_def *def) {
    sn_body body = {0};
    CHECK_INT(sn_rigid_create(world, def, &body), SN_OK);
    return body;
}

static sn_rigid_def dynamic_def(sn_geometry_kind geometry) {
    sn_rigid_def def = sn_rigid_def_default();
    def.dynamic = true, def.geometry = geometry;
    return def;
}

static void corners_of(sn_vec3 out[8], sn_vec3 half) {
    for (int i = 0; i < 8; i++) out[i] = (sn_vec3){half.x * cube[i].x, half.y * cube[i].y, half.z * cube[i].z};
}

static void run(sn_world *world, double seconds) {
    bool good = true;
    for (int i = 0; i < (int)(seconds * 60 + 0.5); i++) good = sn_world_step(world, R(1.0 / 60), 0) == SN_OK && good;
    CHECK(good);
}

static sn_world *ground(double gravity) {
    sn_world *world = world_with(gravity);
    sn_rigid_def floor = sn_rigid_def_default();
    add(world, &floor);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    return world;
}

static sn_vec3 place_of(const sn_world *world, sn_body body) {
    sn_vec3 c = {0, 0, 0};
    CHECK_INT(sn_rigid_get_centre(world, body, &c), SN_OK);
    return c;
}

// ---- hulls

static double random_part(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

TEST(a_hull_of_a_cube_has_its_corners) {
    sn_memory memory;
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_vec3 points[8 + 300];
    uint64_t seed = 1;
    for (int i = 0; i < 8; i++) points[37 * i] = cube[i];
    for (int i = 0; i < 308; i++)
        if (i % 37 != 0 || i / 37 > 7)
            points[i] =
                vec(2 * random_part(&seed) - 1, 2 * random_part(&seed) - 1, i % 5 ? 2 * random_part(&seed) - 1 : 1);
    sn_hull hull;
    CHECK_INT(sn_hull_build(&memory, points, 308, &hull), SN_OK);
    CHECK_INT(hull.vertex_count, 8);
    CHECK_INT(hull.face_count, 12);
    CHECK(sn_hull_is_convex(&hull));
    sn_hull_free(&memory, &hull);
}

// Every point is below every face, but for what more than 64 vertices would hold.
TEST(hulls_hold_their_points) {
    sn_memory memory;
    sn_memory_init(&memory, &(sn_allocator){0});
    enum { MOST = 400 };
    sn_vec3 points[MOST];
    uint64_t seed = 7;
    for (int round = 0; round < ROUNDS(200); round++) {
        const int count = 4 + (int)(random_part(&seed) * (round % 4 == 0 ? 396 : 30)), form = round % 3;
        const double scale = pow(10, 6 * random_part(&seed) - 3);
        for (int i = 0; i < count; i++) {
            double x[3];
            for (int k = 0; k < 3; k++) x[k] = 2 * random_part(&seed) - 1;
            if (form == 1) // a grid: many in a plane, and some the same
                for (int k = 0; k < 3; k++) x[k] = floor(2 * x[k]);
            const double size = form == 2 ? sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) : 1;
            points[i] = vec(scale * x[0] / size, scale * x[1] / size, scale * x[2] / size);
        }
        sn_hull hull;
        const sn_status status = sn_hull_build(&memory, points, count, &hull);
        CHECK(status == SN_OK || (form == 1 && status == SN_ERR_RANGE));
        if (status != SN_OK) continue;
        CHECK(sn_hull_is_convex(&hull));
        double out = 0;
        for (int f = 0; f < hull.face_count; f++) {
            const sn_vec3 a = hull.vertices[hull.faces[f][0]], b = hull.vertices[hull.faces[f][1]],
                          c = hull.vertices[hull.faces[f][2]];
            const sn_vec3 n = sn_normalize(sn_cross(sn_sub(b, a), sn_sub(c, a)), (sn_vec3){0, 0, 0});
            for (int i = 0; i < count; i++) out = fmax(out, (double)sn_dot(n, sn_sub(points[i], a)) / scale);
        }
        CHECK(out < (hull.vertex_count == SN_HULL_VERTICES ? 0.2 : 1e-4));
        sn_hull_free(&memory, &hull);
    }
}

TEST(flat_points_have_no_hull) {
    sn_memory memory;
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_hull hull;
    CHECK_INT(sn_hull_build(&memory, cube, 4, &hull), SN_ERR_RANGE);
    CHECK_INT(sn_hull_build(&memory, cube, 3, &hull), SN_ERR_RANGE);
    const sn_vec3 same[5] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    CHECK_INT(sn_hull_build(&memory, same, 5, &hull), SN_ERR_RANGE);
    CHECK_INT(hull.vertex_count, 0);
}

// ---- mass

// The same box as a box, a hull, a mesh that faces in or out, and two boxes: mass, centre, angular momentum.
TEST(a_box_weighs_the_same_however_it_is_made) {
    sn_world *world = world_with(0);
    const sn_vec3 half = vec(0.1, 0.2, 0.3), at = vec(0.5, -0.25, 1);
    sn_vec3 corner[8];
    int32_t inward[36];
    corners_of(corner, half);
    for (int i = 0; i < 8; i++) corner[i] = sn_add(corner[i], at);
    for (int i = 0; i < 36; i++) inward[i] = cube_faces[i % 3 == 1 ? i + 1 : i % 3 == 2 ? i - 1 : i];
    sn_rigid_def def[5];
    for (int i = 0; i < 5; i++) {
        def[i] = dynamic_def(i == 0 ? SN_GEOMETRY_BOX : i == 1 ? SN_GEOMETRY_HULL : SN_GEOMETRY_MESH);
        def[i].half = half, def[i].position = i == 0 ? at : vec(0, 0, 0);
        def[i].vertices = corner, def[i].vertex_count = 8;
        def[i].triangles = i == 2 ? cube_faces : inward, def[i].triangle_count = 12;
        def[i].angular_velocity = vec(1, 2, 3), def[i].density = 500;
    }
    const sn_rigid_part parts[2] = {
        {.geometry = SN_GEOMETRY_BOX, .half = vec(0.1, 0.2, 0.1), .position = vec(0.5, -0.25, 0.8)},
        {.geometry = SN_GEOMETRY_BOX, .half = vec(0.1, 0.2, 0.2), .position = vec(0.5, -0.25, 1.1)}};
    def[4].parts = parts, def[4].part_count = 2;
    sn_vec3 wanted = {0, 0, 0};
    for (int i = 0; i < 5; i++) {
        const sn_body body = add(world, &def[i]);
        sn_vec3 l, c = place_of(world, body);
        CHECK_REL(sn_body_mass(world, body), 500 * 8 * 0.1 * 0.2 * 0.3, 1e-6);
        CHECK_REL(sn_body_volume(world, body), 8 * 0.1 * 0.2 * 0.3, 1e-6);
        CHECK(sn_length(sn_sub(c, at)) < R(1e-6));
        CHECK_INT(sn_rigid_get_angular_momentum(world, body, &l), SN_OK);
        if (i == 0) wanted = l;
        CHECK(sn_length(sn_sub(l, wanted)) < R(1e-5) * sn_length(wanted));
        const sn_box3 box = sn_body_bounds(world, body);
        CHECK(sn_length(sn_sub(box.max, sn_add(at, half))) < R(1e-5));
    }
    sn_world_destroy(world);
}

// A tetrahedron of density 1 with three edges of length 1 along the axes: 1/6, centre at 1/4, moments 2/60 about the corner.
TEST(a_tetrahedron_has_its_moments) {
    sn_world *world = world_with(0);
    const sn_vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_rigid_def def = dynamic_def(SN_GEOMETRY_HULL);
    def.vertices = corner, def.vertex_count = 4, def.density = 1, def.angular_velocity = vec(1, 0, 0);
    const sn_body body = add(world, &def);
    const sn_vec3 c = place_of(world, body);
    sn_vec3 l;
    CHECK_REL(sn_body_mass(world, body), 1.0 / 6, 1e-6);
    CHECK(sn_length(sn_sub(c, vec(0.25, 0.25, 0.25))) < R(1e-6));
    CHECK_INT(sn_rigid_get_angular_momentum(world, body, &l), SN_OK);
    CHECK_REL(l.x, 2.0 / 60 - 2.0 / 16 / 6, 1e-5);
    CHECK_REL(l.y, 0.25 * 0.25 / 6 - 1.0 / 120, 1e-5);
    sn_world_destroy(world);
}

// A dumbbell of a lead and a wooden ball: centre of mass, and the moment across its axis.
TEST(parts_have_densities_of_their_own) {
    sn_world *world = world_with(0);
    const sn_rigid_part parts[2] = {
        {.geometry = SN_GEOMETRY_SPHERE, .radii = {R(0.1)}, .position = vec(1, 0, 0), .density = 11340},
        {.geometry = SN_GEOMETRY_SPHERE, .radii = {R(0.2)}, .position = vec(-1, 0, 0)}};
    sn_rigid_def def = dynamic_def(SN_GEOMETRY_PLANE);
    def.parts = parts, def.part_count = 2, def.density = 600, def.angular_velocity = vec(0, 3, 0);
    const sn_body body = add(world, &def);
    const double v = 4 * PI / 3, a = 11340 * v * 1e-3, b = 600 * v * 8e-3, m = a + b, x = (a - b) / m;
    sn_vec3 l;
    CHECK_REL(sn_body_mass(world, body), m, 1e-5);
    CHECK_NEAR(place_of(world, body).x, x, 1e-6);
    CHECK_INT(sn_rigid_get_angular_momentum(world, body, &l), SN_OK);
    CHECK_REL(l.y, 3 * (0.4 * a * 0.01 + 0.4 * b * 0.04 + a * (1 - x) * (1 - x) + b * (1 + x) * (1 + x)), 1e-5);
    sn_world_destroy(world);
}

TEST(wrong_parts_are_refused) {
    sn_world *world = world_with(0);
    const sn_rigid_part good = {.geometry = SN_GEOMETRY_SPHERE, .radii = {R(0.1)}};
    sn_rigid_part part[2] = {good, good};
    sn_rigid_def def = dynamic_def(SN_GEOMETRY_PLANE);
    sn_body body;
    for (int k = 0; k < 10; k++) {
        part[1] = good;
        def.parts = part, def.part_count = 2, def.dynamic = true;
        if (k == 0) part[1].geometry = SN_GEOMETRY_PLANE;
        if (k == 1) part[1].radii[0] = 0;
        if (k == 2) part[1].position.y = R(NAN);
        if (k == 3) part[1].rotation.x = R(INFINITY);
        if (k == 4) part[1].density = -1;
        if (k == 5) part[1].geometry = SN_GEOMETRY_HULL;
        if (k == 6) part[1] = (sn_rigid_part){.geometry = SN_GEOMETRY_HULL, .vertices = cube, .vertex_count = 4};
        if (k == 7) def.part_count = -1;
        if (k == 8) def.parts = NULL;
        if (k == 9) def.dynamic = false;
        CHECK_INT(sn_rigid_create(world, &def, &body), SN_ERR_DEF);
    }
    def = dynamic_def(SN_GEOMETRY_MESH); // without its last triangle
    def.vertices = cube, def.vertex_count = 8, def.triangles = cube_faces, def.triangle_count = 11;
    CHECK_INT(sn_rigid_create(world, &def, &body), SN_ERR_DEF);
    CHECK_INT(sn_world_body_count(world), 0);
    sn_world_destroy(world);
}

// ---- contact

TEST(hulls_and_parts_stand_where_a_box_would) {
    sn_world *world = ground(-9.81);
    sn_vec3 corner[8];
    corners_of(corner, vec(0.2, 0.1, 0.2));
    sn_rigid_def hull = dynamic_def(SN_GEOMETRY_HULL), table = dynamic_def(SN_GEOMETRY_PLANE);
    hull.vertices = corner, hull.vertex_count = 8;
    sn_body stack[4];
    for (int i = 0; i < 4; i++) hull.position = vec(0.01 * (i % 2), 0.1 + 0.201 * i, 0), stack[i] = add(world, &hull);
    sn_rigid_part parts[5] = {{.geometry = SN_GEOMETRY_BOX, .half = vec(0.3, 0.02, 0.3), .position = vec(0, 0.5, 0)}};
    for (int i = 1; i < 5; i++)
        parts[i] = (sn_rigid_part){.geometry = SN_GEOMETRY_PILL,
                                   .ends = {{R(i % 2 ? 0.25 : -0.25), R(0.03), R(i > 2 ? 0.25 : -0.25)},
                                            {R(i % 2 ? 0.25 : -0.25), R(0.5), R(i > 2 ? 0.25 : -0.25)}},
                                   .radii = {R(0.03), R(0.03)}};
    table.parts = parts, table.part_count = 5, table.position = vec(2, 0, 0);
    const sn_body stands = add(world, &table);
    hull.position = vec(2, 0.62, 0);
    const sn_body on_table = add(world, &hull);
    const sn_vec3 before = place_of(world, stands);
    run(world, 3);
    for (int i = 0; i < 4; i++) CHECK_NEAR(place_of(world, stack[i]).y, 0.1 + 0.2 * i, 1e-3);
    CHECK(sn_length(sn_sub(place_of(world, stands), before)) < R(1e-3));
    CHECK_NEAR(place_of(world, on_table).y, 0.62, 1e-3);
    sn_world_destroy(world);
}

// Rocks with many faces fall into a heap: nothing gets into the ground or another, no energy is made, all comes to rest.
TEST(rocks_come_to_rest) {
    enum { ROCKS = 12, POINTS = 30 };
    sn_world *world = ground(-9.81);
    sn_body rock[ROCKS];
    uint64_t seed = 3;
    for (int i = 0; i < ROCKS; i++) {
        sn_vec3 points[POINTS];
        for (int k = 0; k < POINTS; k++) {
            double x[3], size = 0;
            for (int n = 0; n < 3; n++) x[n] = 2 * random_part(&seed) - 1, size += x[n] * x[n];
            for (int n = 0; n < 3; n++) x[n] *= 0.2 / sqrt(size);
            points[k] = vec(x[0], 0.7 * x[1], x[2]);
        }
        sn_rigid_def def = dynamic_def(SN_GEOMETRY_HULL);
        def.vertices = points, def.vertex_count = POINTS;
        def.position = vec(0.3 * (i % 2), 0.3 + 0.35 * (i / 2), 0.2 * (i % 3));
        rock[i] = add(world, &def);
    }
    double highest = 0;
    bool good = true;
    for (int i = 0; i < 300; i++) {
        good = sn_world_step(world, R(1.0 / 60), 0) == SN_OK && good; // a rise of energy would warn
        sn_energy e = sn_world_energy(world);
        highest = fmax(highest, e.kinetic + e.potential);
    }
    CHECK(good);
    for (int i = 0; i < ROCKS; i++) {
        const sn_box3 box = sn_body_bounds(world, rock[i]);
        CHECK(box.min.y > R(-0.004));
        sn_vec3 v, w;
        CHECK_INT(sn_rigid_get_velocity(world, rock[i], &v, &w), SN_OK);
        CHECK(sn_length(v) < R(0.02));
    }
    sn_world_destroy(world);
}

// A heap of hulls, wheels and dumbbells that resist rolling, on a rod: the same for any number of workers and lanes.
static uint64_t heap_hash(int workers, int lanes) {
    sn_world_def settings = sn_world_def_default();
    settings.worker_count = workers, settings.lanes = lanes;
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&settings, &world), SN_OK);
    sn_rigid_def floor = sn_rigid_def_default();
    add(world, &floor);
    for (int i = 0; i < 12; i++) {
        sn_vec3 corner[8];
        corners_of(corner, vec(0.1, 0.05 + 0.01 * (i % 5), 0.08));
        const sn_rigid_part parts[2] = {
            {.geometry = SN_GEOMETRY_SPHERE, .radii = {R(0.09)}, .position = vec(0.1, 0, 0)},
            {.geometry = SN_GEOMETRY_HULL,
             .vertices = corner,
             .vertex_count = 8,
             .rotation = turn_about(0, 0, 1, 0.4)}};
        sn_rigid_def def = dynamic_def(SN_GEOMETRY_HULL);
        def.vertices = corner, def.vertex_count = 8;
        if (i % 2) def.parts = parts, def.part_count = 2;
        def.surface.rolling = R(0.001 * (i % 3)), def.surface.torsion = R(0.002);
        def.position = vec(0.13 * (i % 3), 0.2 + 0.14 * i, 0.07 * (i % 2)), def.angular_velocity = vec(i % 4, 1, i % 3);
        add(world, &def);
    }
    sn_vec3 points[9];
    sn_rod_def rod = chain_def(points, 9);
    line_of(points, 9, vec(-0.2, 0.1, 0.05), R(0.08));
    sn_body id;
    CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    run(world, 1.2);
    const uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

TEST(a_heap_of_parts_is_the_same_for_any_workers_and_lanes) {
    const uint64_t first = heap_hash(1, 1);
    int widths[4];
    const int count = lane_widths(widths);
    for (int k = 0; k < count; k++) CHECK(heap_hash(1 + k % 3, widths[k]) == first);
}

// ---- what is inside

// A rod that starts within a solid, an end of it, or through it, comes out at the nearest side and stays out.
static void try_rod_inside(bool hull, sn_vec3 from, sn_vec3 to) {
    sn_world *world = world_with(0);
    sn_vec3 corner[8], points[5];
    const sn_vec3 half = vec(0.2, 0.1, 0.2);
    corners_of(corner, half);
    sn_rigid_def box = dynamic_def(hull ? SN_GEOMETRY_HULL : SN_GEOMETRY_BOX);
    box.half = half, box.vertices = corner, box.vertex_count = 8;
    const sn_body solid = add(world, &box);
    sn_rod_def rod = sn_rod_def_default();
    for (int i = 0; i < 5; i++) points[i] = sn_lerp(from, to, R(i / 4.0));
    rod.points = points, rod.point_count = 5, rod.radius = R(0.005);
    sn_body id;
    CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    run(world, 12); // what overlaps by more than its rounding comes out slowly
    sn_vec3 at, now[5];
    sn_quat q;
    CHECK_INT(sn_rigid_get_pose(world, solid, &at, &q), SN_OK);
    sn_body_get_points(world, id, now, 5);
    for (int i = 0; i < 5; i++) {
        const sn_vec3 p = sn_q_rotate(sn_q_conj(q), sn_sub(now[i], at));
        const sn_real out = sn_max(sn_max(sn_abs(p.x) - half.x, sn_abs(p.y) - half.y), sn_abs(p.z) - half.z);
        CHECK(out > R(0.0045));
    }
    sn_world_destroy(world);
}

TEST(a_rod_inside_of_a_box_comes_out) {
    for (int hull = 0; hull < 2; hull++) {
        try_rod_inside(hull, vec(-0.1, 0.07, 0.02), vec(0.1, 0.07, 0.02)); // all of it
        try_rod_inside(hull, vec(0.05, 0.06, 0), vec(0.05, 0.4, 0.1));     // an end
        try_rod_inside(hull, vec(-0.3, 0.08, 0.01), vec(0.3, 0.06, 0.02)); // through
        try_rod_inside(hull, vec(0.15, -0.3, 0.16), vec(0.17, 0.3, 0.15)); // through, near an edge
    }
}

// A cloth that starts within a solid: all of it below its top, or pierced by the solid's corner. No part of it stays inside.
TEST(cloth_inside_of_a_solid_comes_out) {
    for (int way = 0; way < 4; way++) {
        sn_world *world = world_with(0);
        sn_vec3 corner[8];
        const sn_vec3 half = vec(0.2, 0.1, 0.2);
        corners_of(corner, half);
        sn_rigid_def box = dynamic_def(way % 2 ? SN_GEOMETRY_HULL : SN_GEOMETRY_BOX);
        box.half = half, box.vertices = corner, box.vertex_count = 8;
        if (way >= 2) // a corner up, 2 cm through the cloth
            box.position = vec(0.01, 0.07 - 0.3, 0.01), box.rotation = sn_q_between(vec(2, 1, 2), vec(0, 3, 0));
        const sn_body solid = add(world, &box);
        sn_spring_cloth plan = sn_spring_cloth_default();
        const double size = way >= 2 ? 0.6 : 0.2, y = way >= 2 ? 0.05 : 0.08;
        plan.corner = vec(-size / 2, y, -size / 2), plan.across = vec(size, 0, 0), plan.down = vec(0, 0, size);
        plan.mass = R(0.1), plan.columns = plan.rows = way >= 2 ? 12 : 6;
        sn_spring_net net;
        CHECK_INT(sn_springs_make_cloth(&plan, NULL, &net), SN_OK);
        sn_springs_def def = sn_springs_def_of(&net);
        def.radius = R(0.004);
        sn_body cloth;
        CHECK_INT(sn_springs_create(world, &def, &cloth), SN_OK);
        sn_spring_net_free(&net);
        CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
        run(world, 14);
        sn_vec3 at, points[144];
        sn_quat q;
        CHECK_INT(sn_rigid_get_pose(world, solid, &at, &q), SN_OK);
        const int count = sn_body_get_points(world, cloth, points, 144);
        double deepest = 1;
        for (int i = 0; i < count; i++) {
            const sn_vec3 p = sn_q_rotate(sn_q_conj(q), sn_sub(points[i], at));
            deepest =
                fmin(deepest, (double)sn_max(sn_max(sn_abs(p.x) - half.x, sn_abs(p.y) - half.y), sn_abs(p.z) - half.z));
        }
        CHECK(deepest > 0.003);
        if (way >= 2) { // the corner is below the cloth again
            const sn_vec3 tip = sn_add(at, sn_q_rotate(q, half));
            double nearest = 1, above = 0;
            for (int i = 0; i < count; i++) {
                const double d = (double)sn_length(sn_sub(points[i], tip));
                if (d < nearest) nearest = d, above = (double)(points[i].y - tip.y);
            }
            CHECK(above > -0.004 - nearest);
        }
        sn_world_destroy(world);
    }
}

// ---- saving

TEST(parts_are_saved) {
    sn_world *world = ground(-9.81);
    sn_rigid_part parts[3] = {{.geometry = SN_GEOMETRY_HULL, .vertices = cube, .vertex_count = 8, .density = 300},
                              {.geometry = SN_GEOMETRY_PILL, .ends = {{0, 0, 0}, {2, 0, 0}}, .radii = {R(0.3), R(0.2)}},
                              {.geometry = SN_GEOMETRY_SPHERE, .radii = {R(0.6)}, .position = vec(0, 1, 0)}};
    sn_rigid_def def = dynamic_def(SN_GEOMETRY_PLANE);
    def.parts = parts, def.part_count = 3, def.position = vec(0, 2.2, 0), def.rotation = turn_about(1, 0, 0, 0.4);
    def.rounding = R(0.05);
    const sn_body body = add(world, &def);
    run(world, 0.5);
    saved bytes = save_of(world);
    sn_world_def world_def = sn_world_def_default();
    sn_world *twin = NULL;
    CHECK_INT(sn_world_restore(&world_def, bytes.bytes, bytes.size, &twin), SN_OK);
    REQUIRE(twin);
    CHECK_INT(sn_world_set_energy_check(twin, true), SN_OK);
    CHECK_REL(sn_body_volume(twin, body), sn_body_volume(world, body), 1e-12);
    run(world, 1), run(twin, 1);
    CHECK(sn_world_hash(world) == sn_world_hash(twin));
    for (size_t size = bytes.size - 1; size > 64; size -= 61) { // cut
        sn_world *none = NULL;
        CHECK(sn_world_restore(&world_def, bytes.bytes, size, &none) != SN_OK);
    }
    free(bytes.bytes);
    sn_world_destroy(twin);
    sn_world_destroy(world);
}
