// Shared by tables of keys: macros for rows, and objects that several kinds of bodies use.
#ifndef SN_SCENE_SCENE_FIELDS_H
#define SN_SCENE_SCENE_FIELDS_H

#include "scene/scene_spec.h"
#include <stddef.h>

#define END                                                                                                            \
    { .name = NULL }
#define AT(type, name) offsetof(type, name)

// A row of a table; the help is followed by limits, by name.
#define KEY(key, kind, where, words, ...)                                                                              \
    { .name = key, .type = kind, .offset = where, .help = words, ##__VA_ARGS__ }

// A selection of points; the struct has it as `select`.
#define SELECTION(type)                                                                                                \
    KEY("point", FIELD_INT, AT(type, select.point), "one point; -1 is the last", .min = -4e6, .max = 4e6),             \
        KEY("points", FIELD_INTS, AT(type, select.points), "several points; -1 is the last", .min = -4e6, .max = 4e6,  \
            .min_count = 1),                                                                                           \
        KEY("range", FIELD_INTS, AT(type, select.range), "first and last point; -1 is the last of the body",           \
            .min = -4e6, .max = 4e6, .min_count = 2, .max_count = 2)

// The keys of bodies of every kind; the struct has them as `body`.
#define BODY(type)                                                                                                     \
    KEY("kind", FIELD_TEXT, AT(type, body.kind), "the kind of body", .flags = FIELD_REQUIRED),                         \
        KEY("name", FIELD_TEXT, AT(type, body.name), "a name that motion, loads and activation use"),                  \
        KEY("position", FIELD_VEC3, AT(type, body.position), "position of the body's origin, m"),                      \
        KEY("rotation", FIELD_OBJECT, AT(type, body.rotation), "rotation about the body's origin",                     \
            .table = &scene_rotation_table),                                                                           \
        KEY("scale", FIELD_NUMBER, AT(type, body.scale), "factor on its size, radii included",                         \
            .flags = FIELD_ABOVE_MIN, .max = 1e6),                                                                     \
        KEY("repeat", FIELD_OBJECT, AT(type, body.repeat), "copies in a grid", .table = &scene_repeat_table),          \
        KEY("scatter", FIELD_OBJECT, AT(type, body.scatter), "copies at random", .table = &scene_scatter_table)

extern const field_table scene_rotation_table; // rotation_spec
extern const field_table scene_repeat_table;   // repeat_spec
extern const field_table scene_scatter_table;  // scatter_spec
extern const field_table scene_surface_table;  // surface_spec
extern const field_table scene_box_table;      // box_spec

void scene_surface_defaults(void *object); // surface_spec

#endif
