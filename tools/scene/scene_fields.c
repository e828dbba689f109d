// The keys of a scene file: what each may hold, its limits, and a line of explanation that goes into the schema.
#include "scene/scene_fields.h"
#include "scene/scene_kinds.h"
#include "sinew/sinew.h"

static const char *const solver_names[] = {"direct", "xpbd", "jacobi", NULL};        // as sn_solver
static const char *const hold_names[] = {"centre", "scale", "frame", "clamp", NULL}; // bit i: as sn_hold
static const char *const motion_names[] = {"centre", "scale", "frame", "clamp", NULL};
static const char *const profile_names[] = {"constant", "bump", NULL};
static const char *const scatter_names[] = {"upright", "random", NULL};
static const char *const interpolation_names[] = {"linear", "smooth", NULL};
static const char *const joint_names[] = {"point", "direction", "weld", NULL}; // as sn_joint_kind
static const char *const bundle_names[] = {"similar", "rigid", NULL};          // as sn_bundle_kind
static const char *const activate_names[] = {"length", "force", NULL};         // as sn_activate

// --- parts that several objects share ---

#define SHAPE(type, curve)                                                                                             \
    KEY("points", FIELD_VECS, AT(type, curve.points), "the points themselves, m", .min_count = 2,                      \
        .max_count = 4000000),                                                                                         \
        KEY("line", FIELD_OBJECT, AT(type, curve.line), "a straight line", .table = &line_table),                      \
        KEY("helix", FIELD_OBJECT, AT(type, curve.helix), "a coil", .table = &helix_table),                            \
        KEY("circle", FIELD_OBJECT, AT(type, curve.circle), "a closed loop", .table = &circle_table),                  \
        KEY("path", FIELD_LIST, AT(type, curve.path), "pieces that follow each other", .table = &path_piece_table,     \
            .min_count = 1, .max_count = 10000)

static const field_row rotation_fields[] = {
    KEY("axis", FIELD_VEC3, AT(rotation_spec, axis), "axis of rotation, of any length but 0", .flags = FIELD_REQUIRED),
    KEY("degrees", FIELD_NUMBER, AT(rotation_spec, degrees), "angle; more than a turn is fine in keyframes",
        .flags = FIELD_REQUIRED),
    END,
};
const field_table scene_rotation_table = {.name = "rotation",
                                          .help = "A rotation about an axis, right-handed.",
                                          .size = sizeof(rotation_spec),
                                          .fields = rotation_fields};

// --- curves ---

static void axis_default(double axis[3], double x, double y, double z) {
    axis[0] = x;
    axis[1] = y;
    axis[2] = z;
}

#define SEGMENTS(type)                                                                                                 \
    KEY("segments", FIELD_INT, AT(type, segments), "how many segments the curve has", .flags = FIELD_REQUIRED,         \
        .min = 1, .max = 1000000)

static const field_row line_fields[] = {
    KEY("from", FIELD_VEC3, AT(line_spec, from), "start, m; default the origin, in a path the end of the piece before"),
    KEY("to", FIELD_VEC3, AT(line_spec, to), "end, m", .flags = FIELD_REQUIRED),
    SEGMENTS(line_spec),
    END,
};
static const field_table line_table = {
    .name = "line", .help = "A straight line.", .size = sizeof(line_spec), .fields = line_fields};

static void helix_defaults(void *object) {
    helix_spec *helix = object;
    axis_default(helix->axis, 0, 1, 0);
}
static const field_row helix_fields[] = {
    KEY("centre", FIELD_VEC3, AT(helix_spec, centre), "where the axis starts, m; default the origin"),
    KEY("axis", FIELD_VEC3, AT(helix_spec, axis), "direction the coil advances in; default up, [0, 1, 0]"),
    KEY("radius", FIELD_NUMBER, AT(helix_spec, radius), "of the coil, m", .flags = FIELD_REQUIRED | FIELD_ABOVE_MIN,
        .max = 1e6),
    KEY("pitch", FIELD_NUMBER, AT(helix_spec, pitch), "advance per turn, m", .flags = FIELD_REQUIRED, .max = 1e6),
    KEY("turns", FIELD_NUMBER, AT(helix_spec, turns), "how often it goes round; negative winds the other way",
        .flags = FIELD_REQUIRED, .min = -1e5, .max = 1e5),
    SEGMENTS(helix_spec),
    END,
};
static const field_table helix_table = {.name = "helix",
                                        .help = "A coil, such as a spring.",
                                        .size = sizeof(helix_spec),
                                        .fields = helix_fields,
                                        .defaults = helix_defaults};

static void circle_defaults(void *object) {
    circle_spec *circle = object;
    axis_default(circle->axis, 0, 0, 1);
}
static const field_row circle_fields[] = {
    KEY("centre", FIELD_VEC3, AT(circle_spec, centre), "m; default the origin"),
    KEY("axis", FIELD_VEC3, AT(circle_spec, axis), "at right angles to the circle; default [0, 0, 1]"),
    KEY("radius", FIELD_NUMBER, AT(circle_spec, radius), "m", .flags = FIELD_REQUIRED | FIELD_ABOVE_MIN, .max = 1e6),
    KEY("segments", FIELD_INT, AT(circle_spec, segments), "how many segments the circle has", .flags = FIELD_REQUIRED,
        .min = 3, .max = 1000000),
    END,
};
static const field_table circle_table = {.name = "circle",
                                         .help = "A closed loop.",
                                         .size = sizeof(circle_spec),
                                         .fields = circle_fields,
                                         .defaults = circle_defaults};

static const field_row path_piece_fields[] = {
    KEY("line", FIELD_OBJECT, AT(path_piece_spec, line), "a straight piece", .table = &line_table),
    KEY("helix", FIELD_OBJECT, AT(path_piece_spec, helix), "a coiled piece, moved to start where the piece before ends",
        .table = &helix_table),
    END,
};
static const field_table path_piece_table = {.name = "path_piece",
                                             .help = "One piece of a path: a line or a helix.",
                                             .size = sizeof(path_piece_spec),
                                             .fields = path_piece_fields};

static void octopus_defaults(void *object) {
    octopus_spec *octopus = object;
    octopus->size = 1;
    octopus->arms = 8;
    octopus->arm_segments = 4;
}
static const field_row octopus_fields[] = {
    KEY("size", FIELD_NUMBER, AT(octopus_spec, size), "1, the default, is 4 m from arm to arm",
        .flags = FIELD_ABOVE_MIN, .max = 1e4),
    KEY("arms", FIELD_INT, AT(octopus_spec, arms), "default 8", .min = 3, .max = 16),
    KEY("arm_segments", FIELD_INT, AT(octopus_spec, arm_segments), "of each arm, default 4", .min = 1, .max = 32),
    END,
};
static const field_table octopus_table = {.name = "octopus",
                                          .help = "A soft octopus: a head and arms of pills.",
                                          .size = sizeof(octopus_spec),
                                          .fields = octopus_fields,
                                          .defaults = octopus_defaults};

static void rest_defaults(void *object) {
    ((rest_spec *)object)->scale = 1;
}
static const field_row rest_fields[] = {
    SHAPE(rest_spec, shape),
    KEY("scale", FIELD_NUMBER, AT(rest_spec, scale), "size of that shape, or of the body's own when none is given",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    END,
};
static const field_table rest_table = {.name = "rest",
                                       .help = "The shape without strain, with as many points as the body.",
                                       .size = sizeof(rest_spec),
                                       .fields = rest_fields,
                                       .defaults = rest_defaults};

// --- placement ---

static const field_row repeat_fields[] = {
    KEY("count", FIELD_INTS, AT(repeat_spec, count), "copies along x, y and z", .flags = FIELD_REQUIRED, .min = 1,
        .max = 1e9, .min_count = 3, .max_count = 3),
    KEY("spacing", FIELD_VEC3, AT(repeat_spec, spacing), "from copy to copy along x, y and z, m",
        .flags = FIELD_REQUIRED),
    KEY("centred", FIELD_BOOL, AT(repeat_spec, centred), "whether the grid's middle, not its corner, is at position"),
    END,
};
const field_table scene_repeat_table = {
    .name = "repeat", .help = "Copies in a grid.", .size = sizeof(repeat_spec), .fields = repeat_fields};

static const field_row scatter_fields[] = {
    KEY("count", FIELD_INT, AT(scatter_spec, count), "how many copies", .flags = FIELD_REQUIRED, .min = 1, .max = 1e9),
    KEY("box", FIELD_VECS, AT(scatter_spec, box), "two opposite corners of the box the copies lie in, from position, m",
        .flags = FIELD_REQUIRED, .min_count = 2, .max_count = 2),
    KEY("rotation", FIELD_CHOICE, AT(scatter_spec, rotation), "whether each copy gets a rotation of its own",
        .choices = scatter_names),
    KEY("seed", FIELD_SEED, AT(scatter_spec, seed), "start of the random numbers; default from the scene's seed"),
    END,
};
const field_table scene_scatter_table = {.name = "scatter",
                                         .help = "Copies at random, the same ones in every run.",
                                         .size = sizeof(scatter_spec),
                                         .fields = scatter_fields};

// --- materials ---

#define STIFFNESS(name, help) KEY(#name, FIELD_NUMBER, AT(material_spec, name), help, .max = 1e13)
static const field_row material_fields[] = {
    KEY("preset", FIELD_TEXT, AT(material_spec, preset), "a named material to start from, such as muscle or rubber"),
    KEY("young", FIELD_NUMBER, AT(material_spec, young), "Young's modulus, Pa; scales a preset",
        .flags = FIELD_ABOVE_MIN, .max = 1e13),
    KEY("poisson", FIELD_NUMBER, AT(material_spec, poisson), "Poisson's ratio, default 0.49", .max = 0.4999),
    KEY("density", FIELD_NUMBER, AT(material_spec, density), "kg/m^3, default 1000", .flags = FIELD_ABOVE_MIN,
        .max = 1e6),
    STIFFNESS(shear, "of twist and cross-section, Pa"),
    STIFFNESS(transverse, "shear of the cross-section against the centreline, Pa"),
    STIFFNESS(volume, "resistance of the volume, Pa; 0 is a standard rod whose radius stays"),
    STIFFNESS(scale_bend, "smoothness of the radius along the rod, N"),
    KEY("damping", FIELD_NUMBER, AT(material_spec, damping), "velocities fade by exp(-damping t), 1/s", .max = 1e6),
    KEY("volume_in_bend", FIELD_BOOL, AT(material_spec, volume_in_bend), "also keep the volume of bent cross-sections"),
    END,
};
static const field_table material_table = {
    .name = "material", .help = "What bodies are made of.", .size = sizeof(material_spec), .fields = material_fields};

// --- rods ---

static const field_row part_fields[] = {
    SELECTION(part_spec),
    KEY("material", FIELD_TEXT, AT(part_spec, material), "a material or preset, of each point's segment to its parent"),
    KEY("radius", FIELD_NUMBER, AT(part_spec, radius), "m", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    END,
};
static const field_table part_table = {.name = "part",
                                       .help = "Points with another material or radius.",
                                       .size = sizeof(part_spec),
                                       .fields = part_fields};

static const field_row hold_fields[] = {
    SELECTION(hold_spec),
    KEY("what", FIELD_CHOICES, AT(hold_spec, what), "what of each point is held; default its centre",
        .choices = hold_names),
    END,
};
static void hold_defaults(void *object) {
    ((hold_spec *)object)->what = SN_HOLD_CENTRE;
}
static const field_table hold_table = {.name = "hold",
                                       .help = "Points that move only by motion.",
                                       .size = sizeof(hold_spec),
                                       .fields = hold_fields,
                                       .defaults = hold_defaults};

static const field_row initial_fields[] = {
    SELECTION(initial_spec),
    KEY("profile", FIELD_CHOICE, AT(initial_spec, profile),
        "constant over the points, or a smooth bump that is highest in their middle", .choices = profile_names),
    KEY("velocity", FIELD_VEC3, AT(initial_spec, velocity), "m/s"),
    KEY("angular_velocity", FIELD_VEC3, AT(initial_spec, spin), "of the frames, rad/s", .old = "spin"),
    KEY("scale", FIELD_NUMBER, AT(initial_spec, scale), "radius over rest radius", .flags = FIELD_ABOVE_MIN,
        .max = 100),
    KEY("scale_rate", FIELD_NUMBER, AT(initial_spec, scale_rate), "change of scale, 1/s", .min = -1e6, .max = 1e6),
    END,
};
static const field_table initial_table = {.name = "initial",
                                          .help = "The state some points start in.",
                                          .size = sizeof(initial_spec),
                                          .fields = initial_fields};

// --- contact ---

void scene_surface_defaults(void *object) {
    surface_spec *surface = object;
    sn_surface usual = sn_surface_default();
    surface->friction_static = (double)usual.friction_static;
    surface->friction_dynamic = (double)usual.friction_dynamic;
}
static const field_row surface_fields[] = {
    KEY("friction_static", FIELD_NUMBER, AT(surface_spec, friction_static),
        "sticks up to this share of the normal force; default 0.5", .max = 100),
    KEY("friction_dynamic", FIELD_NUMBER, AT(surface_spec, friction_dynamic),
        "slides with this share, at most friction_static; default 0.4", .max = 100),
    KEY("restitution", FIELD_NUMBER, AT(surface_spec, restitution), "part of the impact speed given back; default 0",
        .max = 1),
    KEY("compliance", FIELD_NUMBER, AT(surface_spec, compliance), "m/N; default 0", .max = 1),
    KEY("group", FIELD_INTS, AT(surface_spec, group), "groups it belongs to, 0 to 31; default [0]", .max = 31,
        .max_count = 32),
    KEY("mask", FIELD_INTS, AT(surface_spec, mask), "groups it collides with, if their mask has it too; default all",
        .max = 31, .max_count = 32),
    END,
};
const field_table scene_surface_table = {.name = "surface",
                                         .help = "How surfaces behave in contact.",
                                         .size = sizeof(surface_spec),
                                         .fields = surface_fields,
                                         .defaults = scene_surface_defaults};

static const field_row sphere_fields[] = {
    KEY("radius", FIELD_NUMBER, AT(sphere_spec, radius), "m", .flags = FIELD_REQUIRED | FIELD_ABOVE_MIN, .max = 1e6),
    END,
};
static const field_table sphere_table = {.name = "sphere",
                                         .help = "A sphere around the body's position.",
                                         .size = sizeof(sphere_spec),
                                         .fields = sphere_fields};

static const field_row box_fields[] = {
    KEY("half", FIELD_VEC3, AT(box_spec, half), "half its edges, m", .flags = FIELD_REQUIRED | FIELD_ABOVE_MIN,
        .max = 1e6),
    END,
};
const field_table scene_box_table = {
    .name = "box", .help = "A solid box around the body's position.", .size = sizeof(box_spec), .fields = box_fields};

static const field_row pill_fields[] = {
    KEY("from", FIELD_VEC3, AT(pill_spec, from), "one end in the body's axes, m; default the origin"),
    KEY("to", FIELD_VEC3, AT(pill_spec, to), "the other end, m", .flags = FIELD_REQUIRED),
    KEY("radius", FIELD_NUMBER, AT(pill_spec, radius), "m", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("radii", FIELD_NUMBERS, AT(pill_spec, radii), "instead of radius: that of each end, m",
        .flags = FIELD_ABOVE_MIN, .max = 1e6, .min_count = 2, .max_count = 2),
    END,
};
const field_table scene_pill_table = {
    .name = "pill", .help = "A capsule: a post, a bone.", .size = sizeof(pill_spec), .fields = pill_fields};

static void mesh_defaults(void *object) {
    ((mesh_spec *)object)->scale = 1;
}
static const field_row mesh_fields[] = {
    KEY("file", FIELD_TEXT, AT(mesh_spec, file), "a mesh beside the scene: .obj, .ply, .stl, .off, .gltf, .glb"),
    KEY("scale", FIELD_NUMBER, AT(mesh_spec, scale),
        "of a file: metres in its unit, 0.001 if that is a millimetre; default 1", .flags = FIELD_ABOVE_MIN,
        .max = 1e6),
    KEY("origin", FIELD_VEC3, AT(mesh_spec, origin),
        "of a file: the point that is put at the body's position, in its unit, such as the joint a bone turns about"),
    KEY("vertices", FIELD_VECS, AT(mesh_spec, vertices), "instead, in the body's axes, m", .min_count = 3),
    KEY("triangles", FIELD_VECS, AT(mesh_spec, triangles), "of vertices: three of their numbers each, from 0",
        .min_count = 1),
    END,
};
static const field_table mesh_table = {.name = "mesh",
                                       .help = "Triangles, solid from both sides.",
                                       .size = sizeof(mesh_spec),
                                       .fields = mesh_fields,
                                       .defaults = mesh_defaults};

#define TIME(type, where) KEY("t", FIELD_NUMBER, AT(type, where), "time, s", .flags = FIELD_REQUIRED, .max = 1e6)

static const field_row pose_key_fields[] = {
    TIME(pose_key, at.t),
    KEY("position", FIELD_VEC3, AT(pose_key, position), "m"),
    KEY("offset", FIELD_VEC3, AT(pose_key, offset), "from where it was at the start, m"),
    KEY("rotation", FIELD_OBJECT, AT(pose_key, rotation), "from how it was at the start; 720 degrees are two turns",
        .table = &scene_rotation_table),
    END,
};
static const field_table pose_key_table = {
    .name = "pose_key", .help = "Where something is at a time.", .size = sizeof(pose_key), .fields = pose_key_fields};
static const field_row pose_track_fields[] = {
    KEY("interpolation", FIELD_CHOICE, AT(pose_track_spec, interpolation), "between keys; default linear",
        .choices = interpolation_names),
    KEY("loop", FIELD_BOOL, AT(pose_track_spec, loop), "whether it starts again after the last key"),
    KEY("keys", FIELD_LIST, AT(pose_track_spec, keys), "places in order of time", .flags = FIELD_REQUIRED,
        .min_count = 1, .table = &pose_key_table),
    END,
};
static const field_table pose_track_table = {.name = "pose_track",
                                             .help = "How a rigid body, or a joint's point of space, moves.",
                                             .size = sizeof(pose_track_spec),
                                             .fields = pose_track_fields};

static void rigid_defaults(void *object) {
    scene_surface_defaults(&((rigid_spec *)object)->surface);
}
static const field_row rigid_fields[] = {
    KEY("name", FIELD_TEXT, AT(rigid_spec, name), "a name that joints use"),
    KEY("position", FIELD_VEC3, AT(rigid_spec, position), "m; default the origin"),
    KEY("rotation", FIELD_OBJECT, AT(rigid_spec, rotation), "rotation about its position",
        .table = &scene_rotation_table),
    KEY("plane", FIELD_BOOL, AT(rigid_spec, plane), "true: solid below the plane that is level unless rotated"),
    KEY("sphere", FIELD_OBJECT, AT(rigid_spec, sphere), "a sphere", .old = "ball", .table = &sphere_table),
    KEY("box", FIELD_OBJECT, AT(rigid_spec, box), "a box", .table = &scene_box_table),
    KEY("pill", FIELD_OBJECT, AT(rigid_spec, pill), "a capsule", .table = &scene_pill_table),
    KEY("mesh", FIELD_OBJECT, AT(rigid_spec, mesh), "triangles", .table = &mesh_table),
    KEY("repeat", FIELD_OBJECT, AT(rigid_spec, repeat), "copies in a grid", .table = &scene_repeat_table),
    KEY("motion", FIELD_OBJECT, AT(rigid_spec, motion), "how it moves", .table = &pose_track_table),
    KEY("surface", FIELD_OBJECT, AT(rigid_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    END,
};
static const field_table rigid_table = {.name = "rigid_body",
                                        .help = "A static or moving obstacle.",
                                        .size = sizeof(rigid_spec),
                                        .fields = rigid_fields,
                                        .defaults = rigid_defaults};

static void rod_defaults(void *object) {
    rod_spec *rod = object;
    rod->body.scale = 1;
    rod->radius = 0.01;
    rod->collide = true;
    scene_surface_defaults(&rod->surface);
}
static const field_row rod_fields[] = {
    BODY(rod_spec),
    KEY("material", FIELD_TEXT, AT(rod_spec, material), "one of materials, or a preset; default rubber"),
    SHAPE(rod_spec, shape),
    KEY("octopus", FIELD_OBJECT, AT(rod_spec, shape.octopus), "a whole octopus, with its own radii",
        .table = &octopus_table),
    KEY("skin", FIELD_TEXT, AT(rod_spec, skin),
        "a mesh around it, in its own coordinates, for animations and pictures: a file beside the scene"),
    KEY("closed", FIELD_BOOL, AT(rod_spec, closed),
        "whether the last point is joined to the first; circles always are"),
    KEY("parents", FIELD_INTS, AT(rod_spec, parents),
        "with points: the point each one hangs on, -1 for the root; a tree", .min = -1, .max = 4e6),
    KEY("radius", FIELD_NUMBER, AT(rod_spec, radius), "m, default 0.01", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("radii", FIELD_NUMBERS, AT(rod_spec, radii), "m, one per point, or fewer to be spread evenly along a curve",
        .flags = FIELD_ABOVE_MIN, .max = 1e6, .min_count = 2, .max_count = 4000000),
    KEY("rest", FIELD_OBJECT, AT(rod_spec, rest), "the shape without strain, if it is another", .table = &rest_table),
    KEY("rest_twist", FIELD_NUMBER, AT(rod_spec, rest_twist), "twist of the shape without strain, rad/m", .min = -1e6,
        .max = 1e6),
    KEY("parts", FIELD_LIST, AT(rod_spec, parts), "points with another material or radius", .table = &part_table),
    KEY("clamp_first", FIELD_BOOL, AT(rod_spec, clamp_first), "hold position and direction of the first point"),
    KEY("clamp_last", FIELD_BOOL, AT(rod_spec, clamp_last), "hold position and direction of the last point"),
    KEY("hold", FIELD_LIST, AT(rod_spec, hold), "points that move only by motion", .table = &hold_table),
    KEY("velocity", FIELD_VEC3, AT(rod_spec, velocity), "of every point at the start, m/s"),
    KEY("angular_velocity", FIELD_VEC3, AT(rod_spec, angular_velocity), "about the middle at the start, rad/s"),
    KEY("initial", FIELD_LIST, AT(rod_spec, initial), "the state some points start in", .table = &initial_table),
    KEY("surface", FIELD_OBJECT, AT(rod_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    KEY("collide", FIELD_BOOL, AT(rod_spec, collide), "whether it collides with other bodies; default true",
        .old = "touches"),
    KEY("self_collide", FIELD_BOOL, AT(rod_spec, self_collide), "and its own segments; default false",
        .old = "touches_itself"),
    END,
};
const field_table scene_rod_table = {.name = "rod",
                                     .help = "An elastic rod that keeps its volume.",
                                     .size = sizeof(rod_spec),
                                     .fields = rod_fields,
                                     .defaults = rod_defaults};

// --- muscles ---

static void fusiform_defaults(void *object) {
    fusiform_spec *fusiform = object;
    fusiform->rods = 7;
    fusiform->slices = 9;
    fusiform->tendon = 0.35;
    fusiform->flat = 1;
}
static const field_row fusiform_fields[] = {
    KEY("from", FIELD_VEC3, AT(fusiform_spec, from), "middle of the first cross-section, m", .flags = FIELD_REQUIRED),
    KEY("through", FIELD_VECS, AT(fusiform_spec, through), "points that its middle line goes through on its way, m",
        .max_count = 1000),
    KEY("to", FIELD_VEC3, AT(fusiform_spec, to), "middle of the last cross-section, m", .flags = FIELD_REQUIRED),
    KEY("rods", FIELD_INT, AT(fusiform_spec, rods), "default 7", .min = 1, .max = 1000),
    KEY("slices", FIELD_INT, AT(fusiform_spec, slices), "cross-sections, both ends included; default 9", .min = 2,
        .max = 1000),
    KEY("radius", FIELD_NUMBER, AT(fusiform_spec, radius), "of the thickest cross-section if it were a circle, m",
        .flags = FIELD_REQUIRED | FIELD_ABOVE_MIN, .max = 1e6),
    KEY("tendon", FIELD_NUMBER, AT(fusiform_spec, tendon), "radius at the ends over that; default 0.35",
        .flags = FIELD_ABOVE_MIN, .max = 10),
    KEY("flat", FIELD_NUMBER, AT(fusiform_spec, flat), "width of cross-sections over their thickness; default 1",
        .min = 1, .max = 100),
    KEY("across", FIELD_VEC3, AT(fusiform_spec, across), "direction of the width at the start; default any"),
    END,
};
static const field_table fusiform_table = {.name = "fusiform",
                                           .help = "A spindle of rods around a line.",
                                           .size = sizeof(fusiform_spec),
                                           .fields = fusiform_fields,
                                           .defaults = fusiform_defaults};

static void fan_defaults(void *object) {
    fan_spec *fan = object;
    fan->rods = 8;
    fan->slices = 9;
    fan->radius = 0.01;
}
static const field_row fan_fields[] = {
    KEY("from", FIELD_VECS, AT(fan_spec, from), "the line it starts at: its two ends, m", .flags = FIELD_REQUIRED,
        .min_count = 2, .max_count = 2),
    KEY("to", FIELD_VECS, AT(fan_spec, to), "the line it ends at, m", .flags = FIELD_REQUIRED, .min_count = 2,
        .max_count = 2),
    KEY("bulge", FIELD_VEC3, AT(fan_spec, bulge), "how far the middle is off the straight way, m; default not"),
    KEY("rods", FIELD_INT, AT(fan_spec, rods), "side by side; default 8", .min = 2, .max = 1000),
    KEY("slices", FIELD_INT, AT(fan_spec, slices), "cross-sections, both ends included; default 9", .min = 2,
        .max = 1000),
    KEY("radius", FIELD_NUMBER, AT(fan_spec, radius), "of the rods, m; default 0.01", .flags = FIELD_ABOVE_MIN,
        .max = 1e6),
    KEY("radii", FIELD_NUMBERS, AT(fan_spec, radii), "instead of radius: spread evenly from the first cross-section on",
        .flags = FIELD_ABOVE_MIN, .max = 1e6, .min_count = 2, .max_count = 1000),
    END,
};
static const field_table fan_table = {.name = "fan",
                                      .help = "A sheet of rods side by side.",
                                      .size = sizeof(fan_spec),
                                      .fields = fan_fields,
                                      .defaults = fan_defaults};

static const field_row fibre_fields[] = {
    KEY("points", FIELD_VECS, AT(fibre_spec, points), "one in each cross-section, m", .flags = FIELD_REQUIRED,
        .min_count = 2, .max_count = 1000),
    KEY("radius", FIELD_NUMBER, AT(fibre_spec, radius), "m", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("radii", FIELD_NUMBERS, AT(fibre_spec, radii), "instead of radius: one a point, m", .flags = FIELD_ABOVE_MIN,
        .max = 1e6, .min_count = 2, .max_count = 1000),
    END,
};
static const field_table fibre_table = {
    .name = "fibre", .help = "A rod of a muscle.", .size = sizeof(fibre_spec), .fields = fibre_fields};

static const field_row bundle_fields[] = {
    KEY("kind", FIELD_CHOICE, AT(bundle_spec, kind),
        "cross-sections keep their shape and may grow, or are rigid; default similar", .choices = bundle_names),
    KEY("hertz", FIELD_NUMBER, AT(bundle_spec, hertz),
        "one out of shape swings back this often a second; default 0: it is never out of shape", .max = 1e6),
    END,
};
static const field_table bundle_table = {.name = "bundle",
                                         .help = "How cross-sections keep their shape.",
                                         .size = sizeof(bundle_spec),
                                         .fields = bundle_fields};

static void activate_defaults(void *object) {
    activate_spec *activate = object;
    sn_bundle_def usual = sn_bundle_def_default();
    activate->shortest = (double)usual.shortest;
    activate->stress = (double)usual.stress;
    activate->to = 1;
}
static const field_row activate_fields[] = {
    KEY("by", FIELD_CHOICE, AT(activate_spec, by), "fibres have a shorter rest length, or pull; default length",
        .choices = activate_names),
    KEY("shortest", FIELD_NUMBER, AT(activate_spec, shortest),
        "length at full activation that nothing resists, over that at rest; default 0.7", .min = 0.2, .max = 1),
    KEY("stress", FIELD_NUMBER, AT(activate_spec, stress),
        "by force: pull at full activation and best length, Pa; default 3e5", .max = 1e9),
    KEY("from", FIELD_NUMBER, AT(activate_spec, from),
        "what part of the fibres is active, 0 their first point and 1 their last; default 0", .max = 1),
    KEY("to", FIELD_NUMBER, AT(activate_spec, to), "default 1", .max = 1),
    END,
};
static const field_table activate_table = {.name = "activate",
                                           .help = "What activation does.",
                                           .size = sizeof(activate_spec),
                                           .fields = activate_fields,
                                           .defaults = activate_defaults};

static const field_row attach_end_fields[] = {
    KEY("rigid_body", FIELD_TEXT, AT(attach_end_spec, rigid_body), "what it moves with; default it stays where it is",
        .old = "shape"),
    KEY("copy", FIELD_INT, AT(attach_end_spec, copy),
        "which copy of the rigid body, from 0; default the only one or the one of the muscle's number", .max = 1e6),
    END,
};
static const field_table attach_end_table = {.name = "end",
                                             .help = "What one end of a muscle rides on.",
                                             .size = sizeof(attach_end_spec),
                                             .fields = attach_end_fields};
static const field_row attach_fields[] = {
    KEY("first", FIELD_OBJECT, AT(attach_spec, first), "the first cross-section", .table = &attach_end_table),
    KEY("last", FIELD_OBJECT, AT(attach_spec, last), "the last cross-section", .table = &attach_end_table),
    END,
};
static const field_table attach_table = {.name = "attach",
                                         .help = "What the ends of a muscle are held by.",
                                         .size = sizeof(attach_spec),
                                         .fields = attach_fields};

static void muscle_defaults(void *object) {
    muscle_spec *muscle = object;
    muscle->body.scale = 1;
    muscle->collide = true;
    muscle->skin = true;
    scene_surface_defaults(&muscle->surface);
    activate_defaults(&muscle->activate);
}
static const field_row muscle_fields[] = {
    BODY(muscle_spec),
    KEY("material", FIELD_TEXT, AT(muscle_spec, material), "one of materials, or a preset; default muscle"),
    KEY("rig", FIELD_TEXT, AT(muscle_spec, rig), "a file that sinew viperize made, beside the scene"),
    KEY("fusiform", FIELD_OBJECT, AT(muscle_spec, fusiform), "a spindle", .table = &fusiform_table),
    KEY("fan", FIELD_OBJECT, AT(muscle_spec, fan), "a sheet", .table = &fan_table),
    KEY("rods", FIELD_LIST, AT(muscle_spec, rods), "the rods themselves", .table = &fibre_table, .min_count = 1,
        .max_count = 1000),
    KEY("bundle", FIELD_OBJECT, AT(muscle_spec, bundle), "how cross-sections keep their shape", .table = &bundle_table),
    KEY("activate", FIELD_OBJECT, AT(muscle_spec, activate), "what activation does", .table = &activate_table),
    KEY("attach", FIELD_OBJECT, AT(muscle_spec, attach), "what its ends are held by; default nothing",
        .table = &attach_table),
    KEY("surface", FIELD_OBJECT, AT(muscle_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    KEY("collide", FIELD_BOOL, AT(muscle_spec, collide), "whether it collides with other bodies; default true",
        .old = "touches"),
    KEY("skin", FIELD_BOOL, AT(muscle_spec, skin), "whether it is shown as one body, if it can be; default true"),
    END,
};
const field_table scene_muscle_table = {.name = "muscle",
                                        .help = "Rods that are a muscle.",
                                        .size = sizeof(muscle_spec),
                                        .fields = muscle_fields,
                                        .defaults = muscle_defaults};

// --- skeletons ---

static void bone_defaults(void *object) {
    bone_spec *bone = object;
    bone->count = 1;
    scene_surface_defaults(&bone->surface);
}
static const field_row bone_fields[] = {
    KEY("joint", FIELD_TEXT, AT(bone_spec, joint), "name of a joint or node of the file", .flags = FIELD_REQUIRED),
    KEY("name", FIELD_TEXT, AT(bone_spec, name),
        "what muscles and joints call the rigid body; default the joint's name"),
    KEY("pills", FIELD_LIST, AT(bone_spec, pills), "in the joint's axes", .table = &scene_pill_table, .min_count = 1,
        .max_count = 100),
    KEY("fit", FIELD_BOOL, AT(bone_spec, fit), "true: instead, pills like the mesh that hangs on the joint"),
    KEY("count", FIELD_INT, AT(bone_spec, count), "with fit: how many, end to end; default 1", .min = 1, .max = 8),
    KEY("surface", FIELD_OBJECT, AT(bone_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    END,
};
static const field_table bone_table = {.name = "bone",
                                       .help = "Pills that follow a joint.",
                                       .size = sizeof(bone_spec),
                                       .fields = bone_fields,
                                       .defaults = bone_defaults};

static void skeleton_defaults(void *object) {
    skeleton_spec *skeleton = object;
    skeleton->scale = 1;
    skeleton->speed = 1;
}
static const field_row skeleton_fields[] = {
    KEY("file", FIELD_TEXT, AT(skeleton_spec, file), "a glTF file with the joints, beside the scene",
        .flags = FIELD_REQUIRED),
    KEY("clip", FIELD_TEXT, AT(skeleton_spec, clip), "name of the animation; default the first, if the file has any"),
    KEY("position", FIELD_VEC3, AT(skeleton_spec, position), "where the file's origin goes, m"),
    KEY("rotation", FIELD_OBJECT, AT(skeleton_spec, rotation), "rotation about the file's origin",
        .table = &scene_rotation_table),
    KEY("scale", FIELD_NUMBER, AT(skeleton_spec, scale), "metres in a unit of the file; default 1",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("start", FIELD_NUMBER, AT(skeleton_spec, start), "when the clip starts, s; default 0", .max = 1e6),
    KEY("speed", FIELD_NUMBER, AT(skeleton_spec, speed), "of the clip; default 1", .max = 1000),
    KEY("loop", FIELD_BOOL, AT(skeleton_spec, loop), "whether it starts again after its end"),
    KEY("bones", FIELD_LIST, AT(skeleton_spec, bones), "joints that carry rigid bodies", .flags = FIELD_REQUIRED,
        .table = &bone_table, .min_count = 1, .max_count = 10000),
    END,
};
static const field_table skeleton_table = {.name = "skeleton",
                                           .help = "Rigid bodies that follow the joints of an animated file.",
                                           .size = sizeof(skeleton_spec),
                                           .fields = skeleton_fields,
                                           .defaults = skeleton_defaults};

// --- joints ---

static void joint_side_defaults(void *object) {
    ((joint_side_spec *)object)->along = 0.5;
}
static const field_row joint_side_fields[] = {
    KEY("body", FIELD_TEXT, AT(joint_side_spec, body), "name of a body"),
    KEY("rigid_body", FIELD_TEXT, AT(joint_side_spec, rigid_body), "side b: or name of a rigid body", .old = "shape"),
    KEY("copy", FIELD_INT, AT(joint_side_spec, copy),
        "which copy, from 0; default side a every copy, side b the only one or the one of the same number", .max = 1e6),
    KEY("point", FIELD_INT, AT(joint_side_spec, point), "of the body; -1 is the last", .min = -4e6, .max = 4e6),
    KEY("segment", FIELD_INT, AT(joint_side_spec, segment), "or: a segment of the body, by the point at its end",
        .min = -4e6, .max = 4e6),
    KEY("along", FIELD_NUMBER, AT(joint_side_spec, along), "where on the segment, 0 to 1; default 0.5", .max = 1),
    KEY("position", FIELD_VEC3, AT(joint_side_spec, position),
        "side b on a rigid body or in space: where in the world, m; default where side a is. On an elastic body or a "
        "character: what of it is nearest to there is held"),
    END,
};
static const field_table joint_side_table = {.name = "side",
                                             .help = "One side of a joint.",
                                             .size = sizeof(joint_side_spec),
                                             .fields = joint_side_fields,
                                             .defaults = joint_side_defaults};

static const field_row joint_fields[] = {
    KEY("kind", FIELD_CHOICE, AT(joint_spec, kind), "what is held: default the point", .choices = joint_names),
    KEY("a", FIELD_OBJECT, AT(joint_spec, a), "a place on a body", .flags = FIELD_REQUIRED, .table = &joint_side_table),
    KEY("b", FIELD_OBJECT, AT(joint_spec, b),
        "a place on a body, a rigid body or in space; default where a is, in space", .table = &joint_side_table),
    KEY("keep_offset", FIELD_BOOL, AT(joint_spec, keep_offset), "hold both where they are instead of pulling together"),
    KEY("collide", FIELD_BOOL, AT(joint_spec, collide), "whether the two sides collide at the joint too; default false",
        .old = "touch"),
    KEY("compliance", FIELD_NUMBER, AT(joint_spec, compliance), "m/N; default 0", .max = 1000),
    KEY("angular_compliance", FIELD_NUMBER, AT(joint_spec, angular_compliance),
        "how far a direction or weld turns, rad/(N m); default 0", .old = "turn_compliance", .max = 1e6),
    KEY("max_force", FIELD_NUMBER, AT(joint_spec, max_force), "it never pulls harder, N; default no limit",
        .old = "most_force", .max = 1e12),
    KEY("break_force", FIELD_NUMBER, AT(joint_spec, break_force), "it breaks above, N; default never", .max = 1e12),
    KEY("until", FIELD_NUMBER, AT(joint_spec, until), "when it lets go, s; default never", .max = 1e6),
    KEY("motion", FIELD_OBJECT, AT(joint_spec, motion), "how the point of space moves", .table = &pose_track_table),
    END,
};
static const field_table joint_table = {.name = "joint",
                                        .help = "Ties a body to a body, a rigid body or a place.",
                                        .size = sizeof(joint_spec),
                                        .fields = joint_fields};

// --- what changes in time ---

#define BODY_OF(type)                                                                                                  \
    KEY("body", FIELD_TEXT, AT(type, body), "name of the body", .flags = FIELD_REQUIRED),                              \
        KEY("copy", FIELD_INT, AT(type, copy), "which copy, from 0; default all", .max = 1e6)

#define KEYS(key_table)                                                                                                \
    KEY("interpolation", FIELD_CHOICE, AT(track_spec, interpolation), "between keys; default linear",                  \
        .choices = interpolation_names),                                                                               \
        KEY("keys", FIELD_LIST, AT(track_spec, keys),                                                                  \
            "values in order of time; kept before the first and after the last", .flags = FIELD_REQUIRED,              \
            .min_count = 1, .table = &key_table)

static void motion_key_defaults(void *object) {
    ((motion_key *)object)->scale = 1;
}
static const field_row motion_key_fields[] = {
    TIME(motion_key, at.t),
    KEY("position", FIELD_VEC3, AT(motion_key, position), "of the points, m"),
    KEY("offset", FIELD_VEC3, AT(motion_key, offset), "from where each point was at the start, m"),
    KEY("rotation", FIELD_OBJECT, AT(motion_key, rotation), "from how each frame or clamp was at the start",
        .table = &scene_rotation_table),
    KEY("scale", FIELD_NUMBER, AT(motion_key, scale), "radius over rest radius", .flags = FIELD_ABOVE_MIN, .max = 100),
    END,
};
static const field_table motion_key_table = {.name = "motion_key",
                                             .help = "Where something held is at a time.",
                                             .size = sizeof(motion_key),
                                             .fields = motion_key_fields,
                                             .defaults = motion_key_defaults};

static const field_row motion_fields[] = {
    BODY_OF(track_spec),
    SELECTION(track_spec),
    KEY("what", FIELD_CHOICE, AT(track_spec, what), "what is moved; default the centre", .choices = motion_names),
    KEYS(motion_key_table),
    END,
};
static const field_table motion_table = {
    .name = "motion", .help = "Moves what is held.", .size = sizeof(track_spec), .fields = motion_fields};

static const field_row load_key_fields[] = {
    TIME(load_key, at.t),
    KEY("force", FIELD_VEC3, AT(load_key, force), "on each point, N"),
    KEY("torque", FIELD_VEC3, AT(load_key, torque), "on each segment, N m"),
    KEY("radial", FIELD_NUMBER, AT(load_key, radial), "on each cross-section, outward, N m"),
    END,
};
static const field_table load_key_table = {
    .name = "load_key", .help = "A load at a time.", .size = sizeof(load_key), .fields = load_key_fields};

static const field_row load_fields[] = {BODY_OF(track_spec), SELECTION(track_spec), KEYS(load_key_table), END};
static const field_table load_table = {
    .name = "load", .help = "Pushes and twists points.", .size = sizeof(track_spec), .fields = load_fields};

static void activation_key_defaults(void *object) {
    activation_key *key = object;
    key->length = 1;
    key->stiffness = 1;
}
static const field_row activation_key_fields[] = {
    TIME(activation_key, at.t),
    KEY("length", FIELD_NUMBER, AT(activation_key, length), "rest length, as a multiple of the first", .min = 0.01,
        .max = 100),
    KEY("stiffness", FIELD_NUMBER, AT(activation_key, stiffness), "as a multiple of the first", .max = 1000),
    KEY("value", FIELD_NUMBER, AT(activation_key, value), "of a muscle: how much it is activated, 0 to 1", .max = 1),
    END,
};
static const field_table activation_key_table = {.name = "activation_key",
                                                 .help = "How segments, or a muscle, are at a time.",
                                                 .size = sizeof(activation_key),
                                                 .fields = activation_key_fields,
                                                 .defaults = activation_key_defaults};

static const field_row activation_fields[] = {BODY_OF(track_spec), SELECTION(track_spec), KEYS(activation_key_table),
                                              END};
static const field_table activation_table = {.name = "activation",
                                             .help = "Contracts segments, or a muscle.",
                                             .size = sizeof(track_spec),
                                             .fields = activation_fields};

static const field_row release_fields[] = {BODY_OF(release_spec), SELECTION(release_spec), TIME(release_spec, t), END};
static const field_table release_table = {.name = "release",
                                          .help = "Frees everything held of some points.",
                                          .size = sizeof(release_spec),
                                          .fields = release_fields};

// --- the file ---

static void camera_defaults(void *object) {
    camera_spec *camera = object;
    axis_default(camera->up, 0, 1, 0);
    camera->degrees = 40;
}
static const field_row camera_fields[] = {
    KEY("name", FIELD_TEXT, AT(camera_spec, name), "to choose it by"),
    KEY("position", FIELD_VEC3, AT(camera_spec, position), "of the eye, m", .flags = FIELD_REQUIRED),
    KEY("target", FIELD_VEC3, AT(camera_spec, target), "the point in the middle of the picture, m; default the origin"),
    KEY("up", FIELD_VEC3, AT(camera_spec, up), "what is up in the picture; default [0, 1, 0]"),
    KEY("degrees", FIELD_NUMBER, AT(camera_spec, degrees), "height of the view, default 40", .flags = FIELD_ABOVE_MIN,
        .max = 170),
    END,
};
static const field_table camera_table = {.name = "camera",
                                         .help = "A view for pictures.",
                                         .size = sizeof(camera_spec),
                                         .fields = camera_fields,
                                         .defaults = camera_defaults};

static const field_row plot_fields[] = {
    KEY("bodies", FIELD_BOOL, AT(plot_spec, bodies), "a line for each body instead of sums over all"),
    KEY("logarithmic", FIELD_BOOL, AT(plot_spec, logarithmic), "energies of bodies by powers of ten"),
    END,
};
static const field_table plot_table = {.name = "plot",
                                       .help = "What the chart that sinew run --plot writes shows.",
                                       .size = sizeof(plot_spec),
                                       .fields = plot_fields};

static void scene_defaults(void *object) {
    scene_spec *scene = object;
    scene->gravity[1] = -9.81;
    scene->step = 1.0 / 60;
    scene->duration = 5;
    scene->substeps = 1;
    scene->iterations = 1;
    scene->contact_sweeps = 8;
    scene->solver = SN_SOLVER_DIRECT;
}
static const field_row scene_fields[] = {
    KEY("$schema", FIELD_TEXT, AT(scene_spec, schema), "where editors find this schema; not read"),
    KEY("title", FIELD_TEXT, AT(scene_spec, title), "a few words"),
    KEY("description", FIELD_TEXT, AT(scene_spec, description), "a sentence or two"),
    KEY("gravity", FIELD_VEC3, AT(scene_spec, gravity), "m/s^2, default [0, -9.81, 0]"),
    KEY("step", FIELD_NUMBER, AT(scene_spec, step), "s, default 1/60", .min = 1e-7, .max = 1),
    KEY("duration", FIELD_NUMBER, AT(scene_spec, duration), "s, default 5", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("substeps", FIELD_INT, AT(scene_spec, substeps), "equal parts of a step, default 1", .min = 1, .max = 1000),
    KEY("iterations", FIELD_INT, AT(scene_spec, iterations), "of the solver per substep, default 1", .min = 1,
        .max = 1000),
    KEY("contact_sweeps", FIELD_INT, AT(scene_spec, contact_sweeps), "over all contacts per iteration, default 8",
        .min = 1, .max = 100),
    KEY("solver", FIELD_CHOICE, AT(scene_spec, solver), "default direct", .choices = solver_names),
    KEY("seed", FIELD_SEED, AT(scene_spec, seed), "start of all random numbers, default 0"),
    KEY("plot", FIELD_OBJECT, AT(scene_spec, plot), "what a chart of the run shows", .table = &plot_table),
    KEY("cameras", FIELD_LIST, AT(scene_spec, cameras), "views for pictures", .table = &camera_table,
        .max_count = 1000),
    KEY("materials", FIELD_MAP, AT(scene_spec, materials), "materials by name", .table = &material_table,
        .max_count = 2000),
    KEY("bodies", FIELD_KINDS, AT(scene_spec, bodies), "what there is", .flags = FIELD_REQUIRED,
        .kinds = scene_kind_tables, .min_count = 1, .max_count = 100000),
    KEY("rigid_bodies", FIELD_LIST, AT(scene_spec, rigid_bodies), "static and moving obstacles", .old = "shapes",
        .table = &rigid_table, .max_count = 100000),
    KEY("motion", FIELD_LIST, AT(scene_spec, motion), "moves what is held", .table = &motion_table,
        .max_count = 100000),
    KEY("loads", FIELD_LIST, AT(scene_spec, loads), "pushes and twists points", .table = &load_table,
        .max_count = 100000),
    KEY("activation", FIELD_LIST, AT(scene_spec, activation), "contracts segments and muscles",
        .table = &activation_table, .max_count = 100000),
    KEY("release", FIELD_LIST, AT(scene_spec, release), "frees held points at a time", .table = &release_table,
        .max_count = 100000),
    KEY("joints", FIELD_LIST, AT(scene_spec, joints), "what is tied together", .table = &joint_table,
        .max_count = 100000),
    KEY("skeletons", FIELD_LIST, AT(scene_spec, skeletons), "rigid bodies that follow animated joints",
        .table = &skeleton_table, .max_count = 1000),
    END,
};
const field_table scene_table = {.name = "scene",
                                 .help = "A scene for Sinew.",
                                 .size = sizeof(scene_spec),
                                 .fields = scene_fields,
                                 .defaults = scene_defaults};
