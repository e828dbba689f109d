// Between steps several threads read a world of all kinds at the same time, and get what one thread gets.
// The preset tsan runs this with the thread sanitizer.
#include "all_kinds.h"
#include "base/hash.h"
#include <pthread.h>

enum { THREADS = 4, STEPS = 4, POINTS = 256 };

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    return sn_hash_bytes(hash, bytes, size);
}
static uint64_t mix_number(uint64_t hash, double number) {
    return mix(hash, &number, sizeof number);
}

// What all bodies have.
static uint64_t read_body(const sn_world *w, sn_body b, uint64_t hash) {
    sn_vec3 v[POINTS] = {{0, 0, 0}};
    sn_real s[POINTS] = {0};
    const int n = sn_body_get_points(w, b, v, POINTS);
    hash = mix(hash, v, (size_t)n * sizeof *v);
    const int moving = sn_body_get_velocities(w, b, v, POINTS);
    hash = mix(hash, v, (size_t)moving * sizeof *v);
    hash = mix(hash, s, (size_t)sn_body_get_masses(w, b, s, POINTS) * sizeof *s);
    hash = mix_number(hash, sn_body_mass(w, b));
    hash = mix_number(hash, sn_body_volume(w, b));
    hash = mix_number(hash, sn_body_rest_volume(w, b));
    const sn_energy e = sn_body_energy(w, b);
    hash = mix_number(mix_number(mix_number(hash, e.kinetic), e.elastic), e.potential);
    const sn_box3 box = sn_body_bounds(w, b);
    hash = mix(hash, &box, sizeof box);
    sn_surface surface;
    bool collide, self;
    CHECK_INT(sn_body_get_contact(w, b, &surface, &collide, &self), SN_OK);
    return mix_number(hash, (double)surface.friction_static + (double)sn_body_asleep(w, b));
}

static uint64_t read_kinds(const all_kinds *all, uint64_t hash) {
    const sn_world *w = all->world;
    sn_vec3 v[POINTS], gradient;
    sn_real s[POINTS];
    sn_quat q[POINTS];
    sn_spring springs[POINTS];
    sn_transform poses[4];
    hash = mix(hash, s, (size_t)sn_rod_get_radii(w, all->rod, s, POINTS) * sizeof *s);
    hash = mix(hash, q, (size_t)sn_rod_get_frames(w, all->rod, q, POINTS) * sizeof *q);
    hash = mix(hash, v, (size_t)sn_rod_get_spins(w, all->rod, v, POINTS) * sizeof *v);
    hash = mix_number(hash, sn_rod_length(w, all->rod));
    CHECK_INT(sn_rod_get_force(w, all->rod, 1, v), SN_OK);
    const int count = sn_springs_get_springs(w, all->springs, springs, POINTS);
    hash = mix(hash, springs, (size_t)(count < POINTS ? count : POINTS) * sizeof *springs);
    hash = mix_number(hash, sn_springs_last_solve(w, all->springs).residual);
    hash = mix(hash, v, (size_t)sn_elastic_get_vertices(w, all->elastic, v, POINTS) * sizeof *v);
    hash = mix(hash, v, (size_t)sn_elastic_get_drawn(w, all->elastic, v, POINTS) * sizeof *v);
    hash = mix(hash, s, (size_t)sn_elastic_get_radii(w, all->elastic, s, POINTS) * sizeof *s);
    hash = mix(hash, v, (size_t)sn_implicit_muscles_get_axis(w, all->muscles, 0, v, POINTS) * sizeof *v);
    hash = mix_number(hash, (double)sn_implicit_muscles_field(w, all->muscles, 0, v[2], &gradient));
    hash = mix(hash, v, (size_t)sn_implicit_muscles_get_surface(w, all->muscles, 0, 5, v, POINTS) * sizeof *v);
    hash = mix(hash, poses, (size_t)sn_implicit_muscles_get_poses(w, all->muscles, poses, 4) * sizeof *poses);
    hash = mix_number(hash, sn_implicit_muscles_volume(w, all->muscles, 0));
    CHECK_INT(sn_rigid_get_pose(w, all->rigid, v, q), SN_OK);
    return hash;
}

static uint64_t read_couplings(const all_kinds *all, sn_skin_instance *instance, uint64_t hash) {
    const sn_world *w = all->world;
    sn_section sections[ALL_FIBRE_POINTS] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0, 1}, 0, 0, {0, 0, 0, 0}}};
    sn_contact contacts[64];
    sn_vec3 positions[ALL_VERTICES];
    sn_handle handles[ALL_FIBRE_POINTS];
    sn_joint_pose now[ALL_FIBRE_POINTS];
    CHECK_INT(sn_bundle_get_sections(w, all->bundle, sections, ALL_FIBRE_POINTS), ALL_FIBRE_POINTS);
    hash = mix(hash, sections, sizeof sections);
    hash = mix_number(hash, sn_bundle_volume(w, all->bundle));
    hash = mix_number(hash, (double)sn_joint_force(w, all->joint));
    hash = mix_number(hash, sn_world_get_contacts(w, contacts, 64));
    const sn_skin_output out = {instance, &positions[0].x, sizeof *positions, NULL, 0};
    CHECK_INT(sn_skin_update(w, &out, 1), SN_OK);
    CHECK_INT(sn_skin_instance_get_handles(instance, w, handles, ALL_FIBRE_POINTS), ALL_FIBRE_POINTS);
    CHECK_INT(sn_skin_instance_get_joints(instance, w, NULL, now, ALL_FIBRE_POINTS), ALL_FIBRE_POINTS);
    return mix(mix(hash, positions, sizeof positions), handles, sizeof handles);
}

static uint64_t read_world(const sn_world *w, uint64_t hash) {
    const sn_energy e = sn_world_energy(w);
    const sn_momentum m = sn_world_momentum(w);
    hash = mix_number(mix_number(mix_number(hash, e.kinetic), e.elastic), e.potential);
    hash = mix(hash, &m, sizeof m);
    const uint64_t state = sn_world_hash(w);
    hash = mix(hash, &state, sizeof state);
    hash = mix_number(hash, sn_world_time(w) + (double)sn_world_dof_count(w) + sn_world_diverged(w, NULL, 0));
    const size_t size = sn_world_save(w, NULL, 0);
    unsigned char *bytes = malloc(size);
    if (!CHECK(bytes && sn_world_save(w, bytes, size) == size)) return 0;
    hash = mix(hash, bytes, size);
    free(bytes);
    return hash;
}

typedef struct {
    const all_kinds *all;
    sn_skin_instance *instance; // of this thread
    uint64_t hash;
} reader;

static void *read_all(void *context) {
    reader *r = context;
    const sn_world *w = r->all->world;
    uint64_t hash = 0;
    for (int i = 0; i < sn_world_body_count(w); i++) hash = read_body(w, sn_world_body_at(w, i), hash);
    hash = read_kinds(r->all, hash);
    hash = read_couplings(r->all, r->instance, hash);
    r->hash = read_world(w, hash);
    return NULL;
}

static void compare(int workers) {
    all_kinds all;
    sn_world_def def = sn_world_def_default();
    def.worker_count = workers;
    REQUIRE(all_kinds_begin(&all, &def));
    reader readers[THREADS];
    for (int t = 0; t < THREADS; t++) {
        readers[t] = (reader){.all = &all};
        CHECK_INT(sn_skin_instance_create(all.skin, &readers[t].instance), SN_OK);
        CHECK_INT(sn_skin_instance_bind_bundle(readers[t].instance, all.world, all.bundle, NULL), SN_OK);
    }
    for (int step = 0; step < STEPS; step++) {
        CHECK_INT(sn_world_step(all.world, R(1.0 / 60), 2), SN_OK);
        reader alone = {.all = &all, .instance = all.instance};
        read_all(&alone);
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; t++) CHECK_INT(pthread_create(&threads[t], NULL, read_all, &readers[t]), 0);
        for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
        for (int t = 0; t < THREADS; t++) CHECK(readers[t].hash == alone.hash);
    }
    for (int t = 0; t < THREADS; t++) sn_skin_instance_destroy(readers[t].instance);
    all_kinds_end(&all);
}

TEST(one_worker) {
    compare(1);
}

TEST(two_workers) {
    compare(2);
}
