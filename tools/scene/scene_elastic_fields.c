// The keys of an elastic body.
#include "scene/scene_elastic.h"
#include "scene/scene_fields.h"
#include "scene/scene_kinds.h"

static void elastic_defaults(void *object) {
    elastic_spec *elastic = object;
    elastic->body.scale = 1;
    elastic->mooney = 0.8, elastic->lock = 3;
    elastic->iterations = 6;
    elastic->collide = true;
    scene_surface_defaults(&elastic->surface);
}

static const char *const law_names[] = {"projective",    "corotational", "stvk", "neo-hookean", // as sn_elastic_law
                                        "mooney-rivlin", "arruda-boyce", NULL};

static const field_row elastic_fields[] = {
    BODY(elastic_spec),
    KEY("zoo", FIELD_TEXT, AT(elastic_spec, zoo),
        "a body of the zoo: creature, cactus, cactus-light, ship, puffer, marshmallow, torus, block"),
    KEY("file", FIELD_TEXT, AT(elastic_spec, file),
        "or a file beside the scene: baked by 'sinew elastic' (.elastic), or a mesh, which is baked"),
    KEY("spheres", FIELD_INT, AT(elastic_spec, spheres), "maximum number of spheres of the medial mesh; default 100",
        .min = 2, .max = 5000),
    KEY("tets", FIELD_INT, AT(elastic_spec, tets), "approximate number of tetrahedra; default by the body's thickness",
        .min = 10, .max = 5e6),
    KEY("handles", FIELD_INT, AT(elastic_spec, handles), "maximum number of handles; default all spheres", .min = 1,
        .max = 5000),
    KEY("anchor", FIELD_VECS, AT(elastic_spec, anchor),
        "a box whose vertices are fixed: two opposite corners, in the body's coordinates, m", .min_count = 2,
        .max_count = 2),
    KEY("material", FIELD_TEXT, AT(elastic_spec, material), "one of materials, or a preset; default jelly"),
    KEY("law", FIELD_CHOICE, AT(elastic_spec, law), "its elastic energy; default projective", .choices = law_names),
    KEY("mooney", FIELD_NUMBER, AT(elastic_spec, mooney), "of mooney-rivlin: c10 / (c10 + c01), default 0.8",
        .min = 0.01, .max = 1),
    KEY("lock", FIELD_NUMBER, AT(elastic_spec, lock), "of arruda-boyce: the stretch at which chains lock, default 3",
        .min = 1.1, .max = 100),
    KEY("iterations", FIELD_INT, AT(elastic_spec, iterations), "solver iterations per substep, default 6", .min = 1,
        .max = 1000),
    KEY("family", FIELD_INT, AT(elastic_spec, family), "elastic bodies of one family do not collide; default 0: none",
        .max = 1e9),
    KEY("velocity", FIELD_VEC3, AT(elastic_spec, velocity), "at the start, m/s"),
    KEY("angular_velocity", FIELD_VEC3, AT(elastic_spec, angular_velocity), "about its origin at the start, rad/s"),
    KEY("surface", FIELD_OBJECT, AT(elastic_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    KEY("collide", FIELD_BOOL, AT(elastic_spec, collide), "whether it collides with other bodies; default true",
        .old = "touches"),
    KEY("self_collide", FIELD_BOOL, AT(elastic_spec, self_collide), "and itself; default false",
        .old = "touches_itself"),
    END,
};
const field_table scene_elastic_table = {.name = "elastic",
                                         .help =
                                             "An elastic body: tetrahedra that follow the spheres of its medial axis.",
                                         .size = sizeof(elastic_spec),
                                         .fields = elastic_fields,
                                         .defaults = elastic_defaults};
