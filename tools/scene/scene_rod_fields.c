// The keys of a rod.
#include "scene/scene_fields.h"
#include "scene/scene_rod.h"

static const char *const hold_names[] = {"centre", "scale", "frame", "clamp", NULL}; // bit i: as sn_hold
static const char *const profile_names[] = {"constant", "bump", NULL};

#define SHAPE(type, curve)                                                                                             \
    KEY("points", FIELD_VECS, AT(type, curve.points), "the points themselves, m", .min_count = 2,                      \
        .max_count = 4000000),                                                                                         \
        KEY("line", FIELD_OBJECT, AT(type, curve.line), "a straight line", .table = &line_table),                      \
        KEY("helix", FIELD_OBJECT, AT(type, curve.helix), "a coil", .table = &helix_table),                            \
        KEY("circle", FIELD_OBJECT, AT(type, curve.circle), "a closed loop", .table = &circle_table),                  \
        KEY("path", FIELD_LIST, AT(type, curve.path), "pieces that follow each other", .table = &path_piece_table,     \
            .min_count = 1, .max_count = 10000)

// --- curves ---

#define SEGMENTS(type)                                                                                                 \
    KEY("segments", FIELD_INT, AT(type, segments), "how many segments the curve has", .flags = FIELD_REQUIRED,         \
        .min = 1, .max = 1000000)

static const field_row line_fields[] = {
    KEY("from", FIELD_VEC3, AT(line_spec, from),
        "start, m; default the origin, or in a path the end of the piece before"),
    KEY("to", FIELD_VEC3, AT(line_spec, to), "end, m", .flags = FIELD_REQUIRED),
    SEGMENTS(line_spec),
    END,
};
static const field_table line_table = {
    .name = "line", .help = "A straight line.", .size = sizeof(line_spec), .fields = line_fields};

static void helix_defaults(void *object) {
    helix_spec *helix = object;
    helix->axis[1] = 1;
}
static const field_row helix_fields[] = {
    KEY("centre", FIELD_VEC3, AT(helix_spec, centre), "where the axis starts, m; default the origin"),
    KEY("axis", FIELD_VEC3, AT(helix_spec, axis), "direction of the coil; default up, [0, 1, 0]"),
    KEY("radius", FIELD_NUMBER, AT(helix_spec, radius), "of the coil, m", .flags = FIELD_REQUIRED | FIELD_ABOVE_MIN,
        .max = 1e6),
    KEY("pitch", FIELD_NUMBER, AT(helix_spec, pitch), "advance per turn, m", .flags = FIELD_REQUIRED, .max = 1e6),
    KEY("turns", FIELD_NUMBER, AT(helix_spec, turns), "number of turns; negative for the opposite handedness",
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
    circle->axis[2] = 1;
}
static const field_row circle_fields[] = {
    KEY("centre", FIELD_VEC3, AT(circle_spec, centre), "m; default the origin"),
    KEY("axis", FIELD_VEC3, AT(circle_spec, axis), "normal of the circle; default [0, 0, 1]"),
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
    KEY("helix", FIELD_OBJECT, AT(path_piece_spec, helix), "a coiled piece, moved to the end of the piece before",
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
    KEY("scale", FIELD_NUMBER, AT(rest_spec, scale), "factor on the size of that shape, or of the body's own",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    END,
};
static const field_table rest_table = {.name = "rest",
                                       .help = "The unstrained shape, with as many points as the body.",
                                       .size = sizeof(rest_spec),
                                       .fields = rest_fields,
                                       .defaults = rest_defaults};

// --- parts of rods ---

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
    KEY("what", FIELD_CHOICES, AT(hold_spec, what), "what is held; default the centre", .choices = hold_names),
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
        "constant over the points, or a smooth bump with its maximum in the middle", .choices = profile_names),
    KEY("velocity", FIELD_VEC3, AT(initial_spec, velocity), "m/s"),
    KEY("angular_velocity", FIELD_VEC3, AT(initial_spec, spin), "of the frames, rad/s", .old = "spin"),
    KEY("scale", FIELD_NUMBER, AT(initial_spec, scale), "radius over rest radius", .flags = FIELD_ABOVE_MIN,
        .max = 100),
    KEY("scale_rate", FIELD_NUMBER, AT(initial_spec, scale_rate), "change of scale, 1/s", .min = -1e6, .max = 1e6),
    END,
};
static const field_table initial_table = {
    .name = "initial", .help = "Initial state of some points.", .size = sizeof(initial_spec), .fields = initial_fields};

// --- rods ---

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
    KEY("octopus", FIELD_OBJECT, AT(rod_spec, shape.octopus), "an octopus, with its own radii",
        .table = &octopus_table),
    KEY("skin", FIELD_TEXT, AT(rod_spec, skin),
        "a mesh to draw instead of it, in its own coordinates: a file beside the scene"),
    KEY("closed", FIELD_BOOL, AT(rod_spec, closed),
        "whether the last point is connected to the first; circles always are"),
    KEY("parents", FIELD_INTS, AT(rod_spec, parents),
        "with points: the parent of each point, -1 for the root, which makes a tree", .min = -1, .max = 4e6),
    KEY("radius", FIELD_NUMBER, AT(rod_spec, radius), "m, default 0.01", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("radii", FIELD_NUMBERS, AT(rod_spec, radii), "m, one per point, or fewer, spread evenly along a curve",
        .flags = FIELD_ABOVE_MIN, .max = 1e6, .min_count = 2, .max_count = 4000000),
    KEY("rest", FIELD_OBJECT, AT(rod_spec, rest), "the unstrained shape, if it differs", .table = &rest_table),
    KEY("rest_twist", FIELD_NUMBER, AT(rod_spec, rest_twist), "twist of the unstrained shape, rad/m", .min = -1e6,
        .max = 1e6),
    KEY("parts", FIELD_LIST, AT(rod_spec, parts), "points with another material or radius", .table = &part_table),
    KEY("end_caps", FIELD_BOOL, AT(rod_spec, end_caps),
        "whether the half balls at its ends count in mass and volume; default false"),
    KEY("clamp_first", FIELD_BOOL, AT(rod_spec, clamp_first), "hold position and direction of the first point"),
    KEY("clamp_last", FIELD_BOOL, AT(rod_spec, clamp_last), "hold position and direction of the last point"),
    KEY("hold", FIELD_LIST, AT(rod_spec, hold), "points that move only by motion", .table = &hold_table),
    KEY("velocity", FIELD_VEC3, AT(rod_spec, velocity), "of every point at the start, m/s"),
    KEY("angular_velocity", FIELD_VEC3, AT(rod_spec, angular_velocity), "about the middle at the start, rad/s"),
    KEY("initial", FIELD_LIST, AT(rod_spec, initial), "initial state of some points", .table = &initial_table),
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
