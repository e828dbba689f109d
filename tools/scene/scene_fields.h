// What tables of keys have in common: how a row is written, and objects that several kinds of bodies use.
#ifndef SN_SCENE_SCENE_FIELDS_H
#define SN_SCENE_SCENE_FIELDS_H

#include "scene/scene_spec.h"
#include <stddef.h>

#define END                                                                                                            \
    { .name = NULL }
#define AT(type, name) offsetof(type, name)

// A row of a table; after the help come limits by name.
#define KEY(key, kind, where, words, ...)                                                                              \
    { .name = key, .type = kind, .offset = where, .help = words, ##__VA_ARGS__ }

// Which points an entry is about; the record calls its selection 'select'.
#define SELECTION(type)                                                                                                \
    KEY("point", FIELD_INT, AT(type, select.point), "one point; -1 is the last", .min = -4e6, .max = 4e6),             \
        KEY("points", FIELD_INTS, AT(type, select.points), "several points; -1 is the last", .min = -4e6, .max = 4e6,  \
            .least = 1),                                                                                               \
        KEY("range", FIELD_INTS, AT(type, select.range), "from one point to another, both included; -1 is the last",   \
            .min = -4e6, .max = 4e6, .least = 2, .most = 2)

// What bodies of every kind have; the record calls it 'body'.
#define BODY(type)                                                                                                     \
    KEY("kind", FIELD_TEXT, AT(type, body.kind), "what sort of body this is", .flags = FIELD_REQUIRED),                \
        KEY("name", FIELD_TEXT, AT(type, body.name), "a name that motion, loads and activation use"),                  \
        KEY("position", FIELD_VEC3, AT(type, body.position), "where the shape's origin goes, m"),                      \
        KEY("rotation", FIELD_RECORD, AT(type, body.rotation), "turn about the shape's origin",                        \
            .record = &scene_rotation_type),                                                                           \
        KEY("scale", FIELD_NUMBER, AT(type, body.scale), "size of the shape, radii included",                          \
            .flags = FIELD_ABOVE_MIN, .max = 1e6),                                                                     \
        KEY("repeat", FIELD_RECORD, AT(type, body.repeat), "copies in a grid", .record = &scene_repeat_type),          \
        KEY("scatter", FIELD_RECORD, AT(type, body.scatter), "copies at random", .record = &scene_scatter_type)

extern const record_type scene_rotation_type; // rotation_spec
extern const record_type scene_repeat_type;   // repeat_spec
extern const record_type scene_scatter_type;  // scatter_spec
extern const record_type scene_surface_type;  // surface_spec
extern const record_type scene_box_type;      // box_spec

void scene_surface_defaults(void *record); // surface_spec

#endif
