// The same as hello_rod.c, in C++: a vector of points and a world that frees itself.
#include <cstdio>
#include <memory>
#include <sinew/sinew.h>
#include <vector>

struct destroy_world {
    void operator()(sn_world *world) const { sn_world_destroy(world); }
};

int main() {
    sn_world_def world_def = sn_world_def_default();
    world_def.log = [](void *, sn_log_level, sn_status code, const char *field, const char *text) {
        std::fprintf(stderr, "sinew: %s: %s: %s\n", sn_status_name(code), field, text);
    };
    sn_world *made = nullptr;
    if (sn_world_create(&world_def, &made) != SN_OK) return 1;
    std::unique_ptr<sn_world, destroy_world> world(made);

    std::vector<sn_vec3> points;
    for (int i = 0; i < 11; i++) points.push_back({sn_real(i) * sn_real(0.05), 1, 0});
    sn_rod_def rod_def = sn_rod_def_default();
    rod_def.points = points.data();
    rod_def.point_count = int(points.size());
    rod_def.radius = sn_real(0.02);
    rod_def.clamp_first = true;
    sn_body rod;
    if (sn_rod_create(world.get(), &rod_def, &rod) != SN_OK) return 1;

    for (int frame = 0; frame < 60; frame++) {
        if (sn_world_step(world.get(), sn_real(1.0 / 60), 4) != SN_OK) return 1;
    }
    sn_body_get_points(world.get(), rod, points.data(), int(points.size()));
    std::printf("tip %.4f %.4f %.4f\n", double(points[10].x), double(points[10].y), double(points[10].z));
    return 0;
}
