// links: tools
// kinds: particle
// A kind from outside the tree (kinds/particle) in a session: pages get its points in every frame, throw it, and go back.
#include "kinds/particle/particle.h"
#include "scene_text.h"
#include "session_text.h"
#include <math.h>

enum { FIXED = 54, JOINT = 15, RODS = 5, PARTICLES = 3 }; // words of a frame before its joints, and of a joint

static const char *const text = "{\"step\": 0.02, \"duration\": 1, \"rigid_bodies\": [{\"plane\": true}], \"bodies\": ["
                                "{\"kind\": \"particle\", \"points\": [[0, 1, 0], [0.3, 2, 0], [0.6, 3, 0]], "
                                "\"radius\": 0.1, \"velocity\": [1, 0, 0]},"
                                "{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4}, \"radius\": 0.05, "
                                "\"position\": [0, 0.5, 0]}]}";

static void run(session *at, uint32_t steps) {
    const uint32_t message[2] = {3, steps};
    CHECK_INT(session_message(at, message, sizeof message), SN_OK);
    CHECK_INT(session_advance(at, 0, 1e9), steps);
}

static sn_body particles_in(session *at) {
    return sn_world_kind_at(session_world(at), SN_KIND_PARTICLE, 0);
}

TEST(a_frame_has_every_particle) {
    session *at = open_text(text);
    REQUIRE(at);
    run(at, 10);
    size_t size;
    const unsigned char *bytes = session_frame(at, &size);
    REQUIRE(bytes != NULL);
    uint32_t count;
    memcpy(&count, bytes + 4 * 8, 4);
    CHECK_INT(count, RODS + PARTICLES);
    REQUIRE(size >= 4 * (FIXED + JOINT * (size_t)count));
    sn_vec3 points[PARTICLES];
    CHECK_INT(sn_body_get_points(session_world(at), particles_in(at), points, PARTICLES), PARTICLES);
    for (int i = 0; i < PARTICLES; i++) {
        float joint[JOINT]; // position, rotation, scale, radius over that at rest
        memcpy(joint, bytes + 4 * (size_t)(FIXED + JOINT * (RODS + i)), sizeof joint);
        CHECK(joint[0] == (float)points[i].x && joint[1] == (float)points[i].y && joint[2] == (float)points[i].z);
        CHECK_NEAR(joint[6], 1, 0);
        CHECK_NEAR(joint[10], 1, 0);
    }
    CHECK_NEAR(points[2].x, 0.6 + 0.2, 1e-5);
    session_close(at);
}

TEST(a_session_is_the_scene_bit_for_bit_and_goes_back) {
    sn_scene *scene;
    sn_world *world = scene_world(text, &scene);
    session *at = open_text(text);
    REQUIRE(world && at);
    for (int i = 0; i < 40; i++)
        CHECK_INT(sn_world_step(world, (sn_real)scene->spec.step, scene->spec.substeps), SN_OK);
    run(at, 40);
    CHECK(sn_world_hash(world) == sn_world_hash(session_world(at)));
    const uint32_t back[2] = {11, 10}; // to the newest saved state that is not after step 10
    CHECK_INT(session_message(at, back, sizeof back), SN_OK);
    size_t size;
    uint32_t step;
    memcpy(&step, (const unsigned char *)session_frame(at, &size) + 4 * 3, 4);
    REQUIRE(step <= 10);
    CHECK(sn_world_hash(world) != sn_world_hash(session_world(at)));
    run(at, 40 - step);
    CHECK(sn_world_hash(world) == sn_world_hash(session_world(at)));
    session_close(at);
    sn_world_destroy(world);
    scene_free(scene);
}
