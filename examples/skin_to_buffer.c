// A skin written straight into a vertex buffer, as a renderer wants it: positions and normals interleaved. A tube around
// a hanging rod follows it as it swings.
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>

enum { POINTS = 16, AROUND = 12, VERTICES = POINTS * AROUND };

// What the buffer of a graphics program might look like.
typedef struct {
    sn_real position[3], normal[3];
    float u, v;
} vertex;

int main(void) {
    sn_world_def world_def = sn_world_def_default();
    sn_world *world;
    if (sn_world_create(&world_def, &world) != SN_OK) return 1;

    sn_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) points[i] = (sn_vec3){(sn_real)0.04 * (sn_real)i, 1, 0};
    sn_rod_def rod_def = sn_rod_def_default();
    rod_def.points = points, rod_def.point_count = POINTS, rod_def.radius = (sn_real)0.02;
    sn_body rod;
    if (sn_rod_create(world, &rod_def, &rod) != SN_OK) return 1;
    sn_rod_hold(world, rod, 0, SN_HOLD_CENTRE);

    // The mesh at rest: a ring of vertices around every point, each hanging on that point alone.
    static sn_vec3 positions[VERTICES], normals[VERTICES];
    static uint16_t handles[VERTICES][SN_SKIN_INFLUENCES];
    static float weights[VERTICES][SN_SKIN_INFLUENCES];
    static vertex buffer[VERTICES];
    for (int i = 0; i < VERTICES; i++) {
        double turn = 6.2831853 * (i % AROUND) / AROUND;
        sn_vec3 out = {0, (sn_real)cos(turn), (sn_real)sin(turn)}, middle = points[i / AROUND];
        normals[i] = out;
        positions[i] = (sn_vec3){middle.x, middle.y + (sn_real)0.02 * out.y, middle.z + (sn_real)0.02 * out.z};
        handles[i][0] = (uint16_t)(i / AROUND);
        weights[i][0] = 1;
        buffer[i].u = (float)(i % AROUND) / AROUND, buffer[i].v = (float)(i / AROUND) / POINTS;
    }
    sn_skin_def def = sn_skin_def_default();
    def.positions = positions, def.normals = normals, def.vertex_count = VERTICES;
    def.handles = &handles[0][0], def.weights = &weights[0][0], def.handle_count = POINTS;
    sn_skin *skin;
    sn_skin_instance *copy;
    if (sn_skin_create(&def, &skin) != SN_OK || sn_skin_instance_create(skin, &copy) != SN_OK) return 1;
    if (sn_skin_instance_bind(copy, world, &rod, 1, NULL) != SN_OK) return 1;

    const sn_skin_output out = {copy, buffer[0].position, sizeof(vertex), buffer[0].normal, sizeof(vertex)};
    for (int frame = 0; frame < 45; frame++) {
        sn_world_step(world, (sn_real)(1.0 / 60), 4);
        if (sn_skin_update(world, &out, 1) != SN_OK) return 1; // here the buffer is ready to be drawn
    }
    sn_body_get_points(world, rod, points, POINTS);
    double off = 0; // vertices of the last ring from the rod's tip
    for (int i = VERTICES - AROUND; i < VERTICES; i++) {
        const sn_real *p = buffer[i].position;
        double x = (double)(p[0] - points[POINTS - 1].x), y = (double)(p[1] - points[POINTS - 1].y),
               z = (double)(p[2] - points[POINTS - 1].z);
        off = fmax(off, fabs(sqrt(x * x + y * y + z * z) - 0.02));
    }
    printf("tip at %.3f %.3f, its ring within %.4f m of the rod's radius\n", (double)points[POINTS - 1].x,
           (double)points[POINTS - 1].y, off);
    sn_skin_instance_destroy(copy);
    sn_skin_destroy(skin);
    sn_world_destroy(world);
    return off < 0.002 ? 0 : 1;
}
