// Particles of scene files: the keys of an entry of kind "particle", checking it, and making its copies. Either a list of points, or
// 'count' points at random in a box about the origin.
#include "base/math/vec.h"
#include "particle.h"
#include "scene/placement.h"
#include "scene/random.h"
#include "scene/scene_fields.h"
#include "scene/scene_kinds.h"
#include "scene/scene_rigid.h"

typedef struct {
    body_spec body;
    vec_list points;
    int count;
    box_spec box;
    uint64_t seed;
    double radius, density, velocity[3];
    surface_spec surface;
    bool collide, self_collide;
} particle_spec;

static void set_defaults(void *object) {
    particle_spec *spec = object;
    spec->body.scale = 1;
    spec->radius = 0.01;
    spec->density = 1000;
    spec->collide = spec->self_collide = true;
    scene_surface_defaults(&spec->surface);
}

static const field_row fields[] = {
    BODY(particle_spec),
    KEY("points", FIELD_VECS, AT(particle_spec, points), "where the particles are, m", .min_count = 1),
    KEY("count", FIELD_INT, AT(particle_spec, count), "or so many at random", .min = 1, .max = 1e6),
    KEY("box", FIELD_OBJECT, AT(particle_spec, box), "in this box about the origin", .table = &scene_box_table),
    KEY("seed", FIELD_SEED, AT(particle_spec, seed), "of the random points, default 0"),
    KEY("radius", FIELD_NUMBER, AT(particle_spec, radius), "m, default 0.01", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("density", FIELD_NUMBER, AT(particle_spec, density), "kg/m^3, default 1000", .flags = FIELD_ABOVE_MIN,
        .max = 1e6),
    KEY("velocity", FIELD_VEC3, AT(particle_spec, velocity), "m/s"),
    KEY("surface", FIELD_OBJECT, AT(particle_spec, surface), "how it meets others", .table = &scene_surface_table),
    KEY("collide", FIELD_BOOL, AT(particle_spec, collide), "with other bodies, default true"),
    KEY("self_collide", FIELD_BOOL, AT(particle_spec, self_collide), "with each other, default true"),
    END,
};

extern const field_table scene_particle_table;
extern const scene_kind scene_particle_kind;

const field_table scene_particle_table = {.name = "particle",
                                          .help = "Balls that move on their own.",
                                          .size = sizeof(particle_spec),
                                          .fields = fields,
                                          .defaults = set_defaults};

static int64_t check(const scene_checker *checker, const body_spec *body) {
    const particle_spec *spec = (const particle_spec *)body;
    error_list *errors = &checker->scene->errors;
    scene_surface_check(&spec->surface, errors, checker->path);
    if ((spec->points.count > 0) == (spec->count > 0))
        error_at(errors, checker->path, "needs exactly one of \"points\" and \"count\"");
    else if (spec->count > 0 && !spec->box.head.type)
        error_at(errors, checker->path, "\"count\" needs \"box\"");
    else
        return spec->count > 0 ? spec->count : spec->points.count;
    return 0;
}

// Random points are the same in every copy.
static void place(const particle_spec *spec, const placement *at, int count, sn_vec3 *out) {
    random_stream stream = random_start(spec->seed, 0);
    for (int i = 0; i < count; i++) {
        double point[3];
        for (int k = 0; k < 3; k++)
            point[k] = spec->count > 0 ? (2 * random_unit(&stream) - 1) * spec->box.half[k] : spec->points.items[i][k];
        out[i] = placement_apply(at, point);
    }
}

static sn_status make_copy(sn_scene *scene, sn_world *world, const scene_body *body, int copy, sn_vec3 *points,
                           sn_vec3 *velocities) {
    const particle_spec *spec = (const particle_spec *)body->spec;
    const placement at = placement_of_copy(body->spec, scene->spec.seed, body->index, copy);
    place(spec, &at, body->points_per_copy, points);
    for (int i = 0; i < body->points_per_copy; i++)
        velocities[i] = sn_v3((sn_real)spec->velocity[0], (sn_real)spec->velocity[1], (sn_real)spec->velocity[2]);
    sn_particles_def def = sn_particles_def_default();
    def.points = points, def.velocities = velocities, def.point_count = body->points_per_copy;
    def.radius = (sn_real)(spec->radius * at.scale), def.density = (sn_real)spec->density;
    def.surface = scene_surface(&spec->surface);
    def.collide = spec->collide, def.self_collide = spec->self_collide;
    def.label = scene_label(body->index, copy);
    return sn_particles_create(world, &def, &scene->ids[body->first + copy]);
}

static sn_status build(sn_scene *scene, sn_world *world, scene_body *body) {
    const size_t n = (size_t)body->points_per_copy;
    sn_arena arena;
    sn_arena_init(&arena, &scene->memory);
    sn_vec3 *points = sn_arena_alloc(&arena, n, sizeof *points),
            *velocities = sn_arena_alloc(&arena, n, sizeof *points);
    sn_status status = points && velocities ? SN_OK : SN_ERR_MEMORY;
    for (int copy = 0; copy < body->copies && status == SN_OK; copy++) {
        scene->building_copy = copy;
        status = make_copy(scene, world, body, copy, points, velocities);
    }
    sn_arena_free(&arena);
    return status;
}

const scene_kind scene_particle_kind = {.table = &scene_particle_table,
                                        .one = "a body of particles",
                                        .many = "particles",
                                        .check = check,
                                        .build = build,
                                        .find_place = scene_find_point_place};
