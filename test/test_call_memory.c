// Whichever allocation of a public call fails: the call returns SN_ERR_MEMORY, or its log says so if it returns no status, nothing
// is lost, the world is as it was, and the same call succeeds afterwards.
#define _GNU_SOURCE // RTLD_NEXT
#include "all_kinds.h"
#include "implicit_tube.h"
#include <dlfcn.h>
#include <pthread.h>

typedef struct {
    counter memory;
    int lines; // of errors in the log
    all_kinds all;
    sn_body rods[2], box;
    unsigned char *bytes; // of models
    size_t size;
} place;

static void count_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)field, (void)text;
    *(int *)user += level == SN_LOG_ERROR && code == SN_ERR_MEMORY;
}

// ---- the calls. Those without a status return SN_OK

static sn_status make_springs(place *p) {
    sn_spring_cloth cloth = sn_spring_cloth_default();
    sn_spring_net net;
    cloth.columns = cloth.rows = 3;
    const sn_allocator allocator = counted(&p->memory);
    sn_status status = sn_springs_make_cloth(&cloth, &allocator, &net);
    if (status != SN_OK) return status;
    sn_springs_def def = sn_springs_def_of(&net);
    sn_body id;
    status = sn_springs_create(p->all.world, &def, &id);
    sn_spring_net_free(&net);
    return status;
}

static sn_status make_elastic(place *p) {
    sn_elastic_def def = sn_elastic_def_default();
    def.model = p->all.model, def.self_collide = true;
    sn_body id;
    return sn_elastic_create(p->all.world, &def, &id);
}

static sn_status make_muscles(place *p) {
    const sn_transform poses[2] = {{{0, 1, 6}, {0, 0, 0, 1}}, {{R(0.3), 1, 6}, {0, 0, 0, 1}}};
    const sn_implicit_muscle_bone bone = {0, {{0, 0, 0}, {R(0.25), 0, 0}}, {R(0.02), R(0.02)}, {0, 0}};
    sn_implicit_muscle_def muscle = sn_implicit_muscle_def_default();
    muscle.bone[1] = 1, muscle.end[0] = muscle.end[1] = (sn_vec3){R(0.05), R(0.05), 0};
    muscle.volume = R(1e-4), muscle.points = 6;
    sn_implicit_muscles_def def = sn_implicit_muscles_def_default();
    def.poses = poses, def.bone_count = 2, def.bones = &bone, def.collider_count = 1;
    def.muscles = &muscle, def.muscle_count = 1;
    sn_body id;
    return sn_implicit_muscles_create(p->all.world, &def, &id);
}

static sn_status make_rod(place *p) {
    sn_vec3 points[4];
    sn_rod_def def = chain_def(points, 4);
    sn_body id;
    return sn_rod_create(p->all.world, &def, &id);
}

static sn_status make_bundle(place *p) {
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = p->rods, def.rod_count = 2;
    sn_bundle id;
    return sn_bundle_create(p->all.world, &def, &id);
}

static sn_status make_joint(place *p) {
    sn_joint_def def = sn_joint_def_default();
    def.body_a = p->all.rod, def.segment_a = 2;
    sn_joint id;
    return sn_joint_create(p->all.world, &def, &id);
}

static sn_status make_slider(place *p) {
    sn_joint_def def = sn_joint_def_default();
    def.kind = SN_JOINT_SLIDER, def.body_a = p->box, def.axis = (sn_vec3){0, 1, 0}, def.position.y = 3;
    def.limited = true, def.upper = 1, def.motor.damping = 1;
    sn_joint id;
    return sn_joint_create(p->all.world, &def, &id);
}

static sn_status make_box(place *p) {
    const sn_real side = p->box.slot1 ? 2 : 0; // beside the one that there is
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_BOX, def.half = (sn_vec3){R(0.1), R(0.1), R(0.1)};
    def.position = (sn_vec3){side, 3, 0}, def.dynamic = true;
    return sn_rigid_create(p->all.world, &def, &p->box);
}

static sn_status make_mesh(place *p) {
    static const sn_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    static const int32_t triangles[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_MESH, def.vertices = vertices, def.vertex_count = 4;
    def.triangles = triangles, def.triangle_count = 4;
    sn_body id;
    return sn_rigid_create(p->all.world, &def, &id);
}

static sn_status pull_bundle(place *p) {
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = p->rods, def.rod_count = 2, def.activate = SN_ACTIVATE_FORCE;
    sn_bundle id;
    return sn_bundle_create(p->all.world, &def, &id);
}

static sn_status look(place *p) {
    sn_snapshot *snapshot = NULL;
    sn_status status = sn_snapshot_create(p->all.world, &snapshot);
    if (status == SN_OK) status = sn_snapshot_update(snapshot, p->all.world);
    sn_snapshot_destroy(snapshot);
    return status;
}

static sn_status record(place *p) {
    sn_history *history = NULL;
    sn_status status = sn_history_create(p->all.world, &history);
    if (status == SN_OK) status = sn_history_record(history, p->all.world);
    sn_history_destroy(history);
    return status;
}

static sn_status drive_muscle(place *p) {
    return sn_implicit_muscles_set_bundle(p->all.world, p->all.muscles, 0, p->all.bundle);
}

static sn_status collide_rod(place *p) {
    const sn_surface surface = sn_surface_default();
    return sn_body_set_contact(p->all.world, p->all.rod, &surface, true, true);
}

static sn_status collide_elastic(place *p) {
    const sn_surface surface = sn_surface_default();
    return sn_body_set_contact(p->all.world, p->all.elastic, &surface, true, true);
}

static sn_status push_elastic(place *p) {
    return sn_elastic_set_force(p->all.world, p->all.elastic, 3, (sn_vec3){1, 2, 3});
}

static sn_status check_energy(place *p) {
    return sn_world_set_energy_check(p->all.world, true);
}

static sn_status shrink(place *p) {
    return sn_world_shrink_overlaps(p->all.world, &p->all.rod, 1);
}

static sn_status load_elastic(place *p) {
    sn_elastic_model_def def = sn_elastic_model_def_default();
    def.allocator = counted(&p->memory);
    sn_elastic_model *model = NULL, *copy = NULL;
    p->size = sn_elastic_model_save(p->all.model, NULL, 0);
    p->bytes = realloc(p->bytes, p->size);
    sn_elastic_model_save(p->all.model, p->bytes, p->size);
    sn_status status = sn_elastic_model_load(&def, p->bytes, p->size, &model);
    def.asset = sn_elastic_model_asset(model);
    if (status == SN_OK) status = sn_elastic_model_create(&def, &copy);
    sn_elastic_model_destroy(model), sn_elastic_model_destroy(copy);
    return status;
}

static sn_status make_skin(place *p) {
    sn_vec3 positions[4];
    uint16_t handles[4 * SN_SKIN_INFLUENCES] = {0};
    float weights[4 * SN_SKIN_INFLUENCES] = {0};
    for (int i = 0; i < 4; i++) {
        positions[i] = (sn_vec3){R(0.1 * i), R(1.05), 8};
        handles[i * SN_SKIN_INFLUENCES] = (uint16_t)i, weights[i * SN_SKIN_INFLUENCES] = 1;
    }
    sn_skin_def def = sn_skin_def_default();
    def.positions = positions, def.vertex_count = 4, def.handles = handles, def.weights = weights;
    def.handle_count = ALL_FIBRE_POINTS, def.allocator = counted(&p->memory);
    sn_skin *skin = NULL;
    sn_skin_instance *copy = NULL;
    sn_status status = sn_skin_create(&def, &skin);
    if (status == SN_OK) status = sn_skin_instance_create(skin, &copy);
    if (status == SN_OK) status = sn_skin_instance_bind_bundle(copy, p->all.world, p->all.bundle, NULL);
    sn_skin_instance_destroy(copy);
    sn_skin_destroy(skin);
    return status;
}

static sn_status make_implicit(place *p) {
    sn_implicit_model *model = NULL, *copy = NULL;
    sn_implicit_skin *skin = NULL;
    const sn_allocator allocator = counted(&p->memory);
    sn_status status = tube_model(&allocator, &model);
    if (status == SN_OK) {
        sn_implicit_model_def def = sn_implicit_model_def_default();
        def.allocator = allocator;
        const size_t size = sn_implicit_model_save(model, NULL, 0);
        p->bytes = realloc(p->bytes, size);
        sn_implicit_model_save(model, p->bytes, size);
        status = sn_implicit_model_restore(&def, p->bytes, size, &copy);
    }
    if (status == SN_OK) status = sn_implicit_skin_create(model, &skin);
    sn_implicit_skin_destroy(skin);
    sn_implicit_model_destroy(copy), sn_implicit_model_destroy(model);
    return status;
}

static sn_status save_and_restore(place *p) {
    const size_t size = sn_world_save(p->all.world, NULL, 0);
    p->bytes = realloc(p->bytes, size);
    sn_world_save(p->all.world, p->bytes, size);
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&p->memory);
    sn_world *copy = NULL;
    const sn_status status = sn_world_restore(&def, p->bytes, size, &copy);
    CHECK((status == SN_OK) == (copy != NULL));
    if (copy) CHECK(sn_world_hash(copy) == sn_world_hash(p->all.world));
    sn_world_destroy(copy);
    return status;
}

// ---- readers without a status

static sn_status read_vertices(place *p) {
    sn_vec3 points[64];
    sn_elastic_get_vertices(p->all.world, p->all.elastic, points, 3);
    sn_elastic_get_drawn(p->all.world, p->all.elastic, points, 64);
    return SN_OK;
}

static sn_status read_numbers(place *p) {
    sn_body_volume(p->all.world, p->all.elastic), sn_body_energy(p->all.world, p->all.elastic);
    return SN_OK;
}

static sn_status read_totals(place *p) {
    sn_world_energy(p->all.world), sn_world_momentum(p->all.world);
    return SN_OK;
}

static sn_status read_sections(place *p) {
    sn_section sections[16];
    sn_bundle_get_sections(p->all.world, p->all.bundle, sections, 16);
    return SN_OK;
}

static sn_status read_overlap(place *p) {
    sn_world_penetration(p->all.world);
    return SN_OK;
}

static const struct {
    const char *name;
    sn_status (*call)(place *p);
    bool changes; // the world, if it succeeds
} calls[] = {
    {"springs", make_springs, true},
    {"elastic", make_elastic, true},
    {"muscles", make_muscles, true},
    {"rod", make_rod, true},
    {"bundle", make_bundle, true},
    {"joint", make_joint, true},
    {"box", make_box, true},
    {"slider", make_slider, true},
    {"mesh", make_mesh, true},
    {"muscle that pulls", pull_bundle, true},
    {"snapshot", look, false},
    {"history", record, false},
    {"driven muscle", drive_muscle, true},
    {"rod that collides with itself", collide_rod, true},
    {"elastic that collides with itself", collide_elastic, true},
    {"force", push_elastic, true},
    {"energy check", check_energy, true},
    {"shrink", shrink, true},
    {"elastic model", load_elastic, false},
    {"skin", make_skin, false},
    {"implicit model", make_implicit, false},
    {"restore", save_and_restore, false},
    {"vertices", read_vertices, false},
    {"numbers", read_numbers, false},
    {"totals", read_totals, false},
    {"sections", read_sections, false},
    {"penetration", read_overlap, false},
};

static bool begin(place *p) {
    *p = (place){0};
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&p->memory), def.log = count_line, def.log_user = &p->lines;
    if (!all_kinds_begin(&p->all, &def)) return false;
    for (int i = 0; i < 2; i++) {
        sn_vec3 points[4];
        sn_rod_def def_of_rod = chain_def(points, 4);
        for (int k = 0; k < 4; k++) points[k].y = 1, points[k].z = R(10 + 0.05 * i);
        CHECK_INT(sn_rod_create(p->all.world, &def_of_rod, &p->rods[i]), SN_OK);
    }
    CHECK_INT(make_box(p), SN_OK);
    CHECK_INT(look(p), SN_OK); // the world keeps what snapshots work with
    CHECK_INT(sn_world_step(p->all.world, R(1.0 / 60), 1), SN_OK);
    return true;
}

static void finish(place *p) {
    all_kinds_end(&p->all);
    free(p->bytes);
    CHECK_INT(p->memory.live, 0);
    CHECK_INT(p->memory.wrong, 0);
}

// The k-th allocation of a call fails; false: it needs fewer.
static bool try_call(int number, long k) {
    place p;
    if (!begin(&p)) return false;
    saved before = save_of(p.all.world);
    const long live = p.memory.live;
    p.lines = 0, p.memory.calls = 0, p.memory.fail_at = k;
    sn_status status = calls[number].call(&p);
    const bool failed = p.memory.calls >= k;
    p.memory.fail_at = 0;
    if (failed) {
        bool good = CHECK(status == SN_ERR_MEMORY || (status == SN_OK && p.lines > 0));
        good = CHECK(unchanged(p.all.world, before)) && good;
        if (status == SN_ERR_MEMORY && !calls[number].changes) good = CHECK_INT(p.memory.live, live) && good;
        good = CHECK_INT(calls[number].call(&p), SN_OK) && good;
        if (!good) printf("%s: allocation %ld\n", calls[number].name, k);
    } else {
        CHECK_INT(status, SN_OK);
        if (calls[number].changes)
            free(before.bytes);
        else
            CHECK(unchanged(p.all.world, before));
    }
    status = sn_world_step(p.all.world, R(1.0 / 60), 1);
    if (!CHECK(status == SN_OK || status == SN_WARN_ENERGY))
        printf("%s: allocation %ld: %s\n", calls[number].name, k, sn_status_name(status));
    finish(&p);
    return failed;
}

TEST(no_allocation_of_a_call_fails_unnoticed) {
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++) {
        long k = 1;
        while (k < 3000 && try_call(i, k)) k += 1 + k / 16;
    }
}

// ---- threads

static int threads_left = -1; // -1: as many as are asked for

// In place of that of the C library.
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *argument) {
    typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    create_fn *next;
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&next, &found, sizeof next);
    if (threads_left == 0 || !next) return 11; // EAGAIN
    if (threads_left > 0) threads_left--;
    return next(thread, attributes, run, argument);
}

TEST(threads_that_are_refused_change_no_bit) {
    uint64_t expected = 0;
    for (int given = 3; given >= 0; given--) {
        sn_world_def def = sn_world_def_default();
        def.worker_count = 4;
        threads_left = given;
        sn_world *world = make_world(&def);
        threads_left = -1;
        REQUIRE(world);
        CHECK_INT(sn_world_workers(world), 1 + given);
        pile p = pile_build(world);
        pile_run(world, &p, 0, 10);
        if (given == 3) expected = sn_world_hash(world);
        CHECK(sn_world_hash(world) == expected);
        sn_world_destroy(world);
    }
}
