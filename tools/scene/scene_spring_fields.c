// The keys of a body of springs.
#include "scene/scene_fields.h"
#include "scene/scene_kinds.h"
#include "scene/scene_spring.h"

// As sn_spring_integrator.
static const char *const integrator_names[] = {"implicit-euler", "explicit-euler", "symplectic-euler", "runge-kutta-2",
                                               "runge-kutta-4",  "verlet",         "verlet-corrected", NULL};

static void chain_defaults(void *object) {
    chain_spec *chain = object;
    chain->density = 0.1;
    chain->stretch = 1000;
    chain->points = 11;
}
static const field_row chain_fields[] = {
    KEY("from", FIELD_VEC3, AT(chain_spec, from), "first point, m; default the origin"),
    KEY("to", FIELD_VEC3, AT(chain_spec, to), "last point, m", .flags = FIELD_REQUIRED),
    KEY("points", FIELD_INT, AT(chain_spec, points), "number of points, both ends included; default 11", .min = 2,
        .max = 1e6),
    KEY("density", FIELD_NUMBER, AT(chain_spec, density), "kg/m, default 0.1", .flags = FIELD_ABOVE_MIN, .max = 1e9),
    KEY("stretch", FIELD_NUMBER, AT(chain_spec, stretch), "force over strain, N; default 1000", .max = 1e12),
    END,
};
static const field_table chain_table = {.name = "chain",
                                        .help = "A line of points.",
                                        .size = sizeof(chain_spec),
                                        .fields = chain_fields,
                                        .defaults = chain_defaults};

static void cloth_defaults(void *object) {
    cloth_spec *cloth = object;
    cloth->across[0] = 1;
    cloth->down[2] = 1;
    cloth->columns = cloth->rows = 31;
}
static const field_row cloth_fields[] = {
    KEY("across", FIELD_VEC3, AT(cloth_spec, across), "one side, m; default [1, 0, 0]"),
    KEY("down", FIELD_VEC3, AT(cloth_spec, down), "the other side, m; default [0, 0, 1]"),
    KEY("columns", FIELD_INT, AT(cloth_spec, columns), "points across, default 31", .min = 2, .max = 4000),
    KEY("rows", FIELD_INT, AT(cloth_spec, rows), "points down, default 31", .min = 2, .max = 4000),
    END,
};
static const field_table cloth_table = {.name = "cloth",
                                        .help = "A grid of points, centred at the origin.",
                                        .size = sizeof(cloth_spec),
                                        .fields = cloth_fields,
                                        .defaults = cloth_defaults};

static void net_defaults(void *object) {
    ((net_spec *)object)->spacing = -0.02;
}
static const field_row net_fields[] = {
    KEY("file", FIELD_TEXT, AT(net_spec, file), "a mesh beside the scene"),
    KEY("zoo", FIELD_TEXT, AT(net_spec, zoo), "or a surface of the zoo, such as creature or torus"),
    KEY("triangles", FIELD_INT, AT(net_spec, triangles), "approximate number of triangles of the zoo's surface",
        .min = 1, .max = 4e6),
    KEY("shells", FIELD_INT, AT(net_spec, shells), "copies of the surface that give it a thickness, default 0",
        .max = 16),
    KEY("spacing", FIELD_NUMBER, AT(net_spec, spacing), "from shell to shell, m; negative is inward; default -0.02",
        .min = -1e6, .max = 1e6),
    END,
};
static const field_table net_table = {.name = "net",
                                      .help = "The vertices and edges of a surface.",
                                      .size = sizeof(net_spec),
                                      .fields = net_fields,
                                      .defaults = net_defaults};

static void solid_defaults(void *object) {
    ((solid_spec *)object)->skin = true;
}
static const field_row solid_fields[] = {
    KEY("file", FIELD_TEXT, AT(solid_spec, file),
        "a file of tetrahedra (.msh, .mesh, .vtk, .node) or a mesh that is filled with them, beside the scene"),
    KEY("zoo", FIELD_TEXT, AT(solid_spec, zoo), "or a surface of the zoo, such as creature or torus"),
    KEY("box", FIELD_OBJECT, AT(solid_spec, box), "or a box around the origin", .table = &scene_box_table),
    KEY("cell", FIELD_NUMBER, AT(solid_spec, cell),
        "edge of the cubes that tetrahedra are cut from, m; default for a surface an eighth of its longest side",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("skin", FIELD_BOOL, AT(solid_spec, skin), "draw the surface that was filled; default true"),
    END,
};
static const field_table solid_table = {.name = "solid",
                                        .help = "Tetrahedra.",
                                        .size = sizeof(solid_spec),
                                        .fields = solid_fields,
                                        .defaults = solid_defaults};

static void fabric_defaults(void *object) {
    fabric_spec *fabric = object;
    fabric->density = 0.2;
    fabric->stretch = 1000;
    fabric->shear = 300;
    fabric->bend = 10;
}
static const field_row fabric_fields[] = {
    KEY("density", FIELD_NUMBER, AT(fabric_spec, density), "kg/m^2, default 0.2", .flags = FIELD_ABOVE_MIN, .max = 1e9),
    KEY("stretch", FIELD_NUMBER, AT(fabric_spec, stretch), "force over width and strain, N/m; default 1000",
        .flags = FIELD_ABOVE_MIN, .max = 1e12),
    KEY("shear", FIELD_NUMBER, AT(fabric_spec, shear), "of a cloth, N/m; default 300", .max = 1e12),
    KEY("bend", FIELD_NUMBER, AT(fabric_spec, bend), "of springs between every other point, N/m; default 10",
        .max = 1e12),
    END,
};
static const field_table fabric_table = {.name = "fabric",
                                         .help = "Properties of cloth, independent of its resolution.",
                                         .size = sizeof(fabric_spec),
                                         .fields = fabric_fields,
                                         .defaults = fabric_defaults};

static const field_row hold_fields[] = {
    SELECTION(spring_hold_spec),
    KEY("corners", FIELD_BOOL, AT(spring_hold_spec, corners), "the four corners of a cloth"),
    KEY("box", FIELD_VECS, AT(spring_hold_spec, box),
        "all points in a box: two opposite corners, in the body's own coordinates, m", .min_count = 2, .max_count = 2),
    END,
};
static const field_table hold_table = {.name = "spring_hold",
                                       .help = "Points that move only by motion.",
                                       .size = sizeof(spring_hold_spec),
                                       .fields = hold_fields};

static const field_row initial_fields[] = {
    SELECTION(spring_initial_spec),
    KEY("velocity", FIELD_VEC3, AT(spring_initial_spec, velocity), "m/s", .flags = FIELD_REQUIRED),
    END,
};
static const field_table initial_table = {.name = "spring_initial",
                                          .help = "Initial velocity of some points.",
                                          .size = sizeof(spring_initial_spec),
                                          .fields = initial_fields};

static void springs_defaults(void *object) {
    springs_spec *springs = object;
    springs->body.scale = 1;
    springs->damping = 0.002;
    springs->radius = 0.005;
    springs->tolerance = 1e-3;
    springs->iterations = 200;
    springs->rounds = 10;
    springs->collide = true;
    fabric_defaults(&springs->fabric);
    scene_surface_defaults(&springs->surface);
}
static const field_row springs_fields[] = {
    BODY(springs_spec),
    KEY("chain", FIELD_OBJECT, AT(springs_spec, chain), "a line of points", .table = &chain_table),
    KEY("cloth", FIELD_OBJECT, AT(springs_spec, cloth), "a grid of points", .table = &cloth_table),
    KEY("net", FIELD_OBJECT, AT(springs_spec, net), "the vertices and edges of a surface", .table = &net_table),
    KEY("solid", FIELD_OBJECT, AT(springs_spec, solid), "tetrahedra", .table = &solid_table),
    KEY("fabric", FIELD_OBJECT, AT(springs_spec, fabric), "properties of a cloth or net", .table = &fabric_table),
    KEY("material", FIELD_TEXT, AT(springs_spec, material),
        "of a solid: one of materials, or a preset; default jelly. Poisson's ratio must be 0.25 or more"),
    KEY("damping", FIELD_NUMBER, AT(springs_spec, damping),
        "ratio of damping to stiffness of the springs, s; default 0.002", .max = 1e3),
    KEY("drag", FIELD_NUMBER, AT(springs_spec, drag), "velocities decay at this rate, 1/s; default 0", .max = 1e6),
    KEY("radius", FIELD_NUMBER, AT(springs_spec, radius), "half the thickness in contact, m; default 0.005",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("integrator", FIELD_CHOICE, AT(springs_spec, integrator), "default implicit-euler",
        .choices = integrator_names),
    KEY("tolerance", FIELD_NUMBER, AT(springs_spec, tolerance),
        "relative tolerance of the implicit solver; default 0.001", .min = 1e-12, .max = 0.5),
    KEY("iterations", FIELD_INT, AT(springs_spec, iterations), "maximum iterations of the implicit solver; default 200",
        .min = 1, .max = 1e6),
    KEY("wind", FIELD_VEC3, AT(springs_spec, wind), "m/s"),
    KEY("air", FIELD_NUMBER, AT(springs_spec, air),
        "density of the air that triangles move in, kg/m^3; default 0, "
        "with wind 1.2",
        .max = 1e5),
    KEY("strain", FIELD_NUMBER, AT(springs_spec, strain), "largest strain of a spring; default 0: no limit",
        .max = 1e3),
    KEY("keep_lengths", FIELD_BOOL, AT(springs_spec, keep_lengths), "springs are inextensible"),
    KEY("keep_volumes", FIELD_BOOL, AT(springs_spec, keep_volumes), "tetrahedra are incompressible"),
    KEY("rounds", FIELD_INT, AT(springs_spec, rounds), "iterations over strain, lengths and volumes, default 10",
        .min = 1, .max = 1000),
    KEY("penalty", FIELD_NUMBER, AT(springs_spec, penalty),
        "stiffness of penalty forces between solids that both have it, N/m, instead of contacts; default 0",
        .max = 1e12),
    KEY("penalty_naive", FIELD_BOOL, AT(springs_spec, naive), "move each point the shortest way out, for comparisons",
        .old = "naive"),
    KEY("family", FIELD_INT, AT(springs_spec, family),
        "spring bodies of one family do not collide with each other; "
        "default 0: none",
        .max = 1e9),
    KEY("hold", FIELD_LIST, AT(springs_spec, hold), "points that move only by motion", .table = &hold_table),
    KEY("velocity", FIELD_VEC3, AT(springs_spec, velocity), "of every point at the start, m/s"),
    KEY("angular_velocity", FIELD_VEC3, AT(springs_spec, angular_velocity), "about the middle at the start, rad/s"),
    KEY("initial", FIELD_LIST, AT(springs_spec, initial), "initial velocities of some points", .old = "start",
        .table = &initial_table),
    KEY("surface", FIELD_OBJECT, AT(springs_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    KEY("collide", FIELD_BOOL, AT(springs_spec, collide), "whether it collides with other bodies; default true",
        .old = "touches"),
    KEY("self_collide", FIELD_BOOL, AT(springs_spec, self_collide), "and itself; default false",
        .old = "touches_itself"),
    END,
};
const field_table scene_spring_table = {.name = "spring",
                                        .help = "Points joined by springs: chains, cloth, surfaces and solids.",
                                        .size = sizeof(springs_spec),
                                        .fields = springs_fields,
                                        .defaults = springs_defaults,
                                        .old = "springs"};
