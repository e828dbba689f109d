// The keys of a character.
#include "scene/muscle_numbers.h"
#include "scene/scene_character.h"
#include "scene/scene_fields.h"
#include "scene/scene_kinds.h"

static const char *const skin_names[] = {"implicit", "dual-quaternion", "linear", NULL}; // as character_skin
static const char *const old_skin_names[] = {NULL, "dual", NULL, NULL};

static const field_row end_fields[] = {
    KEY("bone", FIELD_TEXT, AT(muscle_end_spec, bone), "name of the bone that it is attached to",
        .flags = FIELD_REQUIRED),
    KEY("position", FIELD_VEC3, AT(muscle_end_spec, position), "in the character's own space at rest, m", .old = "at",
        .flags = FIELD_REQUIRED),
    END,
};
static const field_table end_table = {.name = "muscle_end",
                                      .help = "The origin or the insertion of a muscle of a character.",
                                      .size = sizeof(muscle_end_spec),
                                      .fields = end_fields};

#define SHAPE_NUMBER(name, help) KEY(#name, FIELD_NUMBER, AT(character_muscle_spec, name), help, .min = 2, .max = 9)
#define ROUNDNESS(name, help)    KEY(#name, FIELD_NUMBER, AT(character_muscle_spec, name), help, .max = 0.99)
static const field_row muscle_fields[] = {
    KEY("name", FIELD_TEXT, AT(character_muscle_spec, name), "a name that activation, muscle_keys and bundles use",
        .flags = FIELD_REQUIRED),
    KEY("preset", FIELD_TEXT, AT(character_muscle_spec, preset),
        "biceps, triceps, deltoid, gastrocnemius, ...: values to start from; other keys override them"),
    KEY("origin", FIELD_OBJECT, AT(character_muscle_spec, origin), "where it starts", .flags = FIELD_REQUIRED,
        .table = &end_table),
    KEY("insertion", FIELD_OBJECT, AT(character_muscle_spec, insertion), "where it ends", .flags = FIELD_REQUIRED,
        .table = &end_table),
    KEY("via", FIELD_VEC3, AT(character_muscle_spec, via), "waypoint of its axis at rest, as 'position' of its ends"),
    KEY("normal", FIELD_VEC3, AT(character_muscle_spec, normal), "direction in which flat muscles are wide"),
    SHAPE_NUMBER(alpha, "2 to 9: the larger, the longer it stays thin near its origin; default 3"),
    SHAPE_NUMBER(beta, "2 to 9: the same near its insertion; default 3"),
    SHAPE_NUMBER(active_alpha, "alpha at full activation; default 4"),
    SHAPE_NUMBER(active_beta, "beta at full activation; default 7"),
    ROUNDNESS(eccentricity, "of its cross-section: 0 round, the default; 0.8 flat"),
    ROUNDNESS(active_eccentricity, "eccentricity at full activation"),
    KEY("volume", FIELD_NUMBER, AT(character_muscle_spec, volume), "m^3; a biceps has 0.0002", .flags = FIELD_ABOVE_MIN,
        .max = 1e3),
    KEY("width", FIELD_NUMBER, AT(character_muscle_spec, width), "instead of volume: its largest width at rest, m",
        .flags = FIELD_ABOVE_MIN, .max = 100),
    KEY("hertz", FIELD_NUMBER, AT(character_muscle_spec, hertz), "natural frequency of its jiggling, Hz; default 6",
        .flags = FIELD_ABOVE_MIN, .max = 1000),
    KEY("damping", FIELD_NUMBER, AT(character_muscle_spec, damping),
        "jiggling decays as exp(-damping t / 2), 1/s; default 12", .max = 1e4),
    KEY("tendon", FIELD_NUMBER, AT(character_muscle_spec, tendon),
        "fraction of its length at either end that does not stretch; default 0.1", .max = 0.45),
    KEY("friction", FIELD_NUMBER, AT(character_muscle_spec, friction), "on bones and muscles; default 0.3", .max = 10),
    KEY("points", FIELD_INT, AT(character_muscle_spec, points), "of its axis; default 30", .min = 3, .max = 128),
    KEY("group", FIELD_INT, AT(character_muscle_spec, group),
        "muscles of the same group do not collide, such as heads of one muscle; default 0: no group", .max = 1e6),
    END,
};
static const field_table muscle_table = {.name = "character_muscle",
                                         .help = "A muscle of a character, of constant volume.",
                                         .size = sizeof(character_muscle_spec),
                                         .fields = muscle_fields};

static const field_row key_fields[] = {
    KEY("t", FIELD_NUMBER, AT(character_key, at.t), "s", .flags = FIELD_REQUIRED, .max = 1e9),
    KEY("value", FIELD_NUMBER, AT(character_key, value), "0 relaxed, 1 flexed", .flags = FIELD_REQUIRED, .max = 1),
    END,
};
static const field_table key_table = {
    .name = "character_key", .help = "Activation at a time.", .size = sizeof(character_key), .fields = key_fields};

static const field_row activation_fields[] = {
    KEY("muscle", FIELD_TEXT, AT(character_activation_spec, muscle), "start of the names of the muscles",
        .flags = FIELD_REQUIRED),
    KEY("keys", FIELD_LIST, AT(character_activation_spec, keys), "values in order of time; linear in between",
        .flags = FIELD_REQUIRED, .table = &key_table, .min_count = 1),
    END,
};
static const field_table activation_table = {.name = "character_activation",
                                             .help =
                                                 "Activation of muscles of a character; overrides that of its motion.",
                                             .size = sizeof(character_activation_spec),
                                             .fields = activation_fields};

static const field_row muscle_key_fields[] = {
    KEY("t", FIELD_NUMBER, AT(muscle_key, at.t), "s", .flags = FIELD_REQUIRED, .max = 1e9),
    KEY("value", FIELD_NUMBER, AT(muscle_key, value), "value of the number", .max = 1e6),
    KEY("position", FIELD_VEC3, AT(muscle_key, position), "position of an origin or insertion, as in add_muscles",
        .old = "at"),
    END,
};
static const field_table muscle_key_table = {.name = "muscle_key",
                                             .help = "A number of a muscle at a time.",
                                             .size = sizeof(muscle_key),
                                             .fields = muscle_key_fields};

static const char *const number_names[] = {"alpha",        "beta",   "active_alpha", "active_beta",
                                           "eccentricity", "width",  "activation",   "hertz",
                                           "damping",      "origin", "insertion",    NULL}; // as muscle_number
_Static_assert(sizeof number_names / sizeof *number_names == MUSCLE_NUMBERS + 1, "a name for each number");
static const field_row muscle_track_fields[] = {
    KEY("muscle", FIELD_TEXT, AT(muscle_track_spec, muscle), "start of the names of the muscles",
        .flags = FIELD_REQUIRED),
    KEY("what", FIELD_CHOICE, AT(muscle_track_spec, what),
        "a number: alpha, beta, active_alpha, active_beta, eccentricity, width (a factor), activation, hertz, "
        "damping; or a position: origin, insertion",
        .flags = FIELD_REQUIRED, .choices = number_names),
    KEY("keys", FIELD_LIST, AT(muscle_track_spec, keys), "values in order of time; linear in between",
        .flags = FIELD_REQUIRED, .table = &muscle_key_table, .min_count = 1),
    END,
};
static const field_table muscle_track_table = {.name = "character_track",
                                               .help = "Animates a number of muscles of a character.",
                                               .size = sizeof(muscle_track_spec),
                                               .fields = muscle_track_fields};

static void bundle_defaults(void *object) {
    character_bundle_spec *spec = object;
    spec->rods = 7, spec->slices = 15;
    spec->shortest = 0.7;
    spec->collide = true;
}
static const field_row bundle_fields[] = {
    KEY("muscle", FIELD_TEXT, AT(character_bundle_spec, muscle), "start of the names of the muscles",
        .flags = FIELD_REQUIRED),
    KEY("rods", FIELD_INT, AT(character_bundle_spec, rods), "number of rods; default 7", .min = 1, .max = 100),
    KEY("slices", FIELD_INT, AT(character_bundle_spec, slices), "points of each rod; default 15", .min = 4, .max = 128),
    KEY("material", FIELD_TEXT, AT(character_bundle_spec, material), "one of materials, or a preset; default muscle"),
    KEY("shortest", FIELD_NUMBER, AT(character_bundle_spec, shortest),
        "length of its fibres at full activation over that at rest; default 0.7", .min = 0.2, .max = 1),
    KEY("hertz", FIELD_NUMBER, AT(character_bundle_spec, hertz),
        "frequency at which flattened cross-sections recover, Hz; default 0: by the material's shear", .max = 1e6),
    KEY("collide", FIELD_BOOL, AT(character_bundle_spec, collide),
        "whether it collides with bones and other bodies; default true", .old = "touches"),
    END,
};
static const field_table bundle_table = {.name = "character_bundle",
                                         .help = "Simulates muscles of a character as bundles of rods.",
                                         .size = sizeof(character_bundle_spec),
                                         .fields = bundle_fields,
                                         .defaults = bundle_defaults};

static void bend_defaults(void *object) {
    bend_spec *bend = object;
    bend->axis[0] = -1;
    bend->degrees = 135;
    bend->seconds = 1;
}
static const field_row bend_fields[] = {
    KEY("bone", FIELD_TEXT, AT(bend_spec, bone), "bone that bends; default the first elbow or knee"),
    KEY("axis", FIELD_VEC3, AT(bend_spec, axis), "axis of the bend; default [-1, 0, 0]"),
    KEY("degrees", FIELD_NUMBER, AT(bend_spec, degrees), "default 135", .min = -180, .max = 180),
    KEY("seconds", FIELD_NUMBER, AT(bend_spec, seconds), "duration of the bend; default 1", .flags = FIELD_ABOVE_MIN,
        .max = 1e6),
    KEY("hold", FIELD_NUMBER, AT(bend_spec, hold), "time until it bends back, s; default 0: never", .max = 1e6),
    END,
};
static const field_table bend_table = {.name = "bend",
                                       .help = "Bends one joint of a character.",
                                       .size = sizeof(bend_spec),
                                       .fields = bend_fields,
                                       .defaults = bend_defaults};

static void character_defaults(void *object) {
    character_spec *spec = object;
    spec->body.scale = 1;
    spec->speed = spec->bulge = spec->jiggle = 1;
    spec->loop = spec->muscles = spec->bone_contact = spec->collide = true;
    spec->cover = 0.01;
    scene_surface_defaults(&spec->surface);
}

static const field_row character_fields[] = {
    BODY(character_spec),
    KEY("zoo", FIELD_TEXT, AT(character_spec, zoo), "a character of the zoo: body, limb, elbow"),
    KEY("file", FIELD_TEXT, AT(character_spec, file), "or a skinned glTF file beside the scene"),
    KEY("vertices", FIELD_INT, AT(character_spec, vertices), "approximate number of vertices of a character of the zoo",
        .min = 100, .max = 500000),
    KEY("motion", FIELD_TEXT, AT(character_spec, motion), "of the zoo: jump, run, arm-shake, biceps-curl"),
    KEY("clip", FIELD_TEXT, AT(character_spec, clip), "name of an animation of the file; default the first"),
    KEY("bend", FIELD_OBJECT, AT(character_spec, bend), "instead of a motion: bends one joint", .table = &bend_table),
    KEY("start", FIELD_NUMBER, AT(character_spec, start), "time at which the motion starts, s; default 0", .max = 1e6),
    KEY("speed", FIELD_NUMBER, AT(character_spec, speed), "speed of the motion; default 1", .max = 1000),
    KEY("loop", FIELD_BOOL, AT(character_spec, loop), "whether the motion repeats; default true"),
    KEY("skin", FIELD_CHOICE, AT(character_spec, skin),
        "implicit, the default; dual-quaternion and linear: skinning without muscles", .choices = skin_names,
        .old_choices = old_skin_names),
    KEY("muscles", FIELD_BOOL, AT(character_spec, muscles),
        "whether a character of the zoo has its muscles; default true"),
    KEY("bone_contact", FIELD_BOOL, AT(character_spec, bone_contact),
        "whether muscles collide with bones; default true", .old = "collide"),
    KEY("body_contact", FIELD_BOOL, AT(character_spec, collide),
        "whether its muscles and bones collide with other bodies; default true", .old = "touches"),
    KEY("surface", FIELD_OBJECT, AT(character_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    KEY("cover", FIELD_NUMBER, AT(character_spec, cover),
        "thickness of skin and fat over muscles and bones, for contacts, m; default 0.01, and 0 for a file, whose "
        "bones "
        "have flesh up to the skin",
        .max = 100),
    KEY("add_muscles", FIELD_LIST, AT(character_spec, add_muscles), "more muscles", .table = &muscle_table,
        .max_count = 1000),
    KEY("activation", FIELD_LIST, AT(character_spec, activation), "of muscles", .table = &activation_table,
        .max_count = 1000),
    KEY("muscle_keys", FIELD_LIST, AT(character_spec, muscle_keys), "animates numbers and ends of muscles",
        .table = &muscle_track_table, .max_count = 1000),
    KEY("bundles", FIELD_LIST, AT(character_spec, bundles), "muscles that are simulated as bundles of rods",
        .table = &bundle_table, .max_count = 1000),
    KEY("bulge", FIELD_NUMBER, AT(character_spec, bulge), "factor on the width of all muscles; default 1",
        .flags = FIELD_ABOVE_MIN, .max = 3),
    KEY("jiggle", FIELD_NUMBER, AT(character_spec, jiggle),
        "factor on the frequency of all muscles; less is softer; default 1", .flags = FIELD_ABOVE_MIN, .max = 100),
    KEY("points", FIELD_INT, AT(character_spec, points),
        "number of points of the axis of all muscles; default those of each muscle", .min = 3, .max = 128),
    END,
};
const field_table scene_character_table = {.name = "character",
                                           .help = "A skinned character with implicit muscles under its skin.",
                                           .size = sizeof(character_spec),
                                           .fields = character_fields,
                                           .defaults = character_defaults};
