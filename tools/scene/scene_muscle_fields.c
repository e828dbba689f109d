// The keys of a muscle made of rods.
#include "scene/scene_fields.h"
#include "scene/scene_muscle.h"

static const char *const bundle_names[] = {"similar", "rigid", "soft", NULL}; // as sn_bundle_kind
static const char *const activate_names[] = {"length", "force", NULL};        // as sn_activate

static void fusiform_defaults(void *object) {
    fusiform_spec *fusiform = object;
    fusiform->rods = 7;
    fusiform->slices = 9;
    fusiform->tendon = 0.35;
    fusiform->flat = 1;
}
static const field_row fusiform_fields[] = {
    KEY("from", FIELD_VEC3, AT(fusiform_spec, from), "middle of the first cross-section, m", .flags = FIELD_REQUIRED),
    KEY("through", FIELD_VECS, AT(fusiform_spec, through), "points of its centre line in between, m",
        .max_count = 1000),
    KEY("to", FIELD_VEC3, AT(fusiform_spec, to), "middle of the last cross-section, m", .flags = FIELD_REQUIRED),
    KEY("rods", FIELD_INT, AT(fusiform_spec, rods), "default 7", .min = 1, .max = 1000),
    KEY("slices", FIELD_INT, AT(fusiform_spec, slices), "cross-sections, both ends included; default 9", .min = 2,
        .max = 1000),
    KEY("radius", FIELD_NUMBER, AT(fusiform_spec, radius), "of a circle with the area of the thickest cross-section, m",
        .flags = FIELD_REQUIRED | FIELD_ABOVE_MIN, .max = 1e6),
    KEY("tendon", FIELD_NUMBER, AT(fusiform_spec, tendon), "radius at the ends, as a fraction of that; default 0.35",
        .flags = FIELD_ABOVE_MIN, .max = 10),
    KEY("flat", FIELD_NUMBER, AT(fusiform_spec, flat), "width of cross-sections over their thickness; default 1",
        .min = 1, .max = 100),
    KEY("across", FIELD_VEC3, AT(fusiform_spec, across), "direction of the width at the start; default arbitrary"),
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
    KEY("bulge", FIELD_VEC3, AT(fan_spec, bulge), "offset of its middle from a straight line, m; default none"),
    KEY("rods", FIELD_INT, AT(fan_spec, rods), "number of rods; default 8", .min = 2, .max = 1000),
    KEY("slices", FIELD_INT, AT(fan_spec, slices), "cross-sections, both ends included; default 9", .min = 2,
        .max = 1000),
    KEY("radius", FIELD_NUMBER, AT(fan_spec, radius), "of the rods, m; default 0.01", .flags = FIELD_ABOVE_MIN,
        .max = 1e6),
    KEY("radii", FIELD_NUMBERS, AT(fan_spec, radii), "instead of radius: spread evenly over the cross-sections",
        .flags = FIELD_ABOVE_MIN, .max = 1e6, .min_count = 2, .max_count = 1000),
    END,
};
static const field_table fan_table = {.name = "fan",
                                      .help = "A sheet of adjacent rods.",
                                      .size = sizeof(fan_spec),
                                      .fields = fan_fields,
                                      .defaults = fan_defaults};

static const field_row fibre_fields[] = {
    KEY("points", FIELD_VECS, AT(fibre_spec, points), "one per cross-section, m", .flags = FIELD_REQUIRED,
        .min_count = 2, .max_count = 1000),
    KEY("radius", FIELD_NUMBER, AT(fibre_spec, radius), "m", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("radii", FIELD_NUMBERS, AT(fibre_spec, radii), "instead of radius: one per point, m", .flags = FIELD_ABOVE_MIN,
        .max = 1e6, .min_count = 2, .max_count = 1000),
    END,
};
static const field_table fibre_table = {
    .name = "fibre", .help = "A rod of a muscle.", .size = sizeof(fibre_spec), .fields = fibre_fields};

static void bundle_defaults(void *object) {
    bundle_spec *bundle = object;
    bundle->kind = (int)sn_bundle_def_default().kind;
}
static const field_row bundle_fields[] = {
    KEY("kind", FIELD_CHOICE, AT(bundle_spec, kind),
        "cross-sections may grow and flatten, or only grow (similar), or neither (rigid); default soft",
        .choices = bundle_names),
    KEY("hertz", FIELD_NUMBER, AT(bundle_spec, hertz),
        "frequency at which flattened cross-sections recover, Hz; default 0: by the material's shear", .max = 1e6),
    END,
};
static const field_table bundle_table = {.name = "bundle",
                                         .help = "How cross-sections keep their shape.",
                                         .size = sizeof(bundle_spec),
                                         .fields = bundle_fields,
                                         .defaults = bundle_defaults};

static void activate_defaults(void *object) {
    activate_spec *activate = object;
    sn_bundle_def usual = sn_bundle_def_default();
    activate->shortest = (double)usual.shortest;
    activate->stress = (double)usual.stress;
    activate->optimal = (double)usual.optimal;
    activate->max_speed = (double)usual.max_speed;
    activate->rise = (double)usual.rise;
    activate->fall = (double)usual.fall;
    activate->to = 1;
}
static const field_row activate_fields[] = {
    KEY("by", FIELD_CHOICE, AT(activate_spec, by), "whether fibres get a shorter rest length, or pull; default length",
        .choices = activate_names),
    KEY("shortest", FIELD_NUMBER, AT(activate_spec, shortest),
        "length at full activation without load, over that at rest; default 0.7", .min = 0.2, .max = 1),
    KEY("stress", FIELD_NUMBER, AT(activate_spec, stress),
        "by force: stress at full activation and optimal length, Pa; default 3e5", .max = 1e9),
    KEY("optimal", FIELD_NUMBER, AT(activate_spec, optimal),
        "by force: length at which fibres pull most, over that at rest; default 1", .min = 0.1, .max = 10),
    KEY("max_speed", FIELD_NUMBER, AT(activate_spec, max_speed),
        "by force: optimal lengths a second at which fibres shorten without load; default 10; 0: any speed",
        .max = 1000),
    KEY("rise", FIELD_NUMBER, AT(activate_spec, rise), "by force: time in which activation rises, s; default 0.012",
        .max = 1000),
    KEY("fall", FIELD_NUMBER, AT(activate_spec, fall), "by force: time in which it falls, s; default 0.045",
        .max = 1000),
    KEY("from", FIELD_NUMBER, AT(activate_spec, from),
        "part of the fibres that is active, from 0, their first point, to 1, their last; default 0", .max = 1),
    KEY("to", FIELD_NUMBER, AT(activate_spec, to), "default 1", .max = 1),
    END,
};
static const field_table activate_table = {.name = "activate",
                                           .help = "The effect of activation.",
                                           .size = sizeof(activate_spec),
                                           .fields = activate_fields,
                                           .defaults = activate_defaults};

static const field_row attach_end_fields[] = {
    KEY("rigid_body", FIELD_TEXT, AT(attach_end_spec, rigid_body),
        "rigid body that it is attached to; default none: it stays where it is", .old = "shape"),
    KEY("body", FIELD_TEXT, AT(attach_end_spec, body), "the same"),
    KEY("copy", FIELD_INT, AT(attach_end_spec, copy),
        "which copy of it, from 0; default the only one or that of the muscle's index", .max = 1e6),
    END,
};
static const field_table attach_end_table = {.name = "end",
                                             .help = "Attachment of one end of a muscle.",
                                             .size = sizeof(attach_end_spec),
                                             .fields = attach_end_fields};
static const field_row attach_fields[] = {
    KEY("first", FIELD_OBJECT, AT(attach_spec, first), "the first cross-section", .table = &attach_end_table),
    KEY("last", FIELD_OBJECT, AT(attach_spec, last), "the last cross-section", .table = &attach_end_table),
    END,
};
static const field_table attach_table = {.name = "attach",
                                         .help = "Attachments of the ends of a muscle.",
                                         .size = sizeof(attach_spec),
                                         .fields = attach_fields};

static void muscle_defaults(void *object) {
    muscle_spec *muscle = object;
    muscle->body.scale = 1;
    muscle->collide = true;
    muscle->skin = true;
    scene_surface_defaults(&muscle->surface);
    bundle_defaults(&muscle->bundle);
    activate_defaults(&muscle->activate);
}
static const field_row muscle_fields[] = {
    BODY(muscle_spec),
    KEY("material", FIELD_TEXT, AT(muscle_spec, material), "one of materials, or a preset; default muscle"),
    KEY("rig", FIELD_TEXT, AT(muscle_spec, rig), "a file of 'sinew viperize', beside the scene"),
    KEY("fusiform", FIELD_OBJECT, AT(muscle_spec, fusiform), "a spindle", .table = &fusiform_table),
    KEY("fan", FIELD_OBJECT, AT(muscle_spec, fan), "a sheet", .table = &fan_table),
    KEY("rods", FIELD_LIST, AT(muscle_spec, rods), "a list of rods", .table = &fibre_table, .min_count = 1,
        .max_count = 1000),
    KEY("bundle", FIELD_OBJECT, AT(muscle_spec, bundle), "how cross-sections keep their shape", .table = &bundle_table),
    KEY("activate", FIELD_OBJECT, AT(muscle_spec, activate), "the effect of activation", .table = &activate_table),
    KEY("attach", FIELD_OBJECT, AT(muscle_spec, attach), "attachments of its ends; default none",
        .table = &attach_table),
    KEY("surface", FIELD_OBJECT, AT(muscle_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    KEY("collide", FIELD_BOOL, AT(muscle_spec, collide), "whether it collides with other bodies; default true",
        .old = "touches"),
    KEY("skin", FIELD_BOOL, AT(muscle_spec, skin), "whether it is drawn as one body, if possible; default true"),
    END,
};
const field_table scene_muscle_table = {.name = "muscle",
                                        .help = "A muscle made of rods.",
                                        .size = sizeof(muscle_spec),
                                        .fields = muscle_fields,
                                        .defaults = muscle_defaults};
