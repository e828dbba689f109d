// The Embree scene of a view. Geometry 0 contains every pill of every body, as round linear curves (two vertices with
// radii each). Skins and static bodies are triangle geometries, one per body: Embree keeps a BVH for each, which is
// refitted when the body deforms, and a small BVH over these that is rebuilt in each frame.
#include "render/tracer.h"
#include "base/math/vec.h"
#include <embree3/rtcore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PILLS = 0, MESHES = 1 }; // Embree ids: the pills, and the first body's mesh

struct tracer {
    const view_model *model;
    RTCDevice device;
    RTCScene scene;
    RTCGeometry pills, *meshes; // of each body; null: it has pills
    float (*ends)[4];           // two per pill, with radius
    unsigned *first_end;        // of each pill
    int *body_of_pill;
    int *first_vertex;    // of each body with a mesh
    float (*vertices)[3]; // of all meshes, with one more for padding
    float (*normals)[3];
    int pill_count, vertex_count;
};

static const view_mesh *mesh_of(const tracer *t, int body) {
    return &t->model->meshes[t->model->bodies[body].mesh];
}

static bool shows_pills(const view_mesh *skin) {
    return skin->parents && !skin->skinned;
}

static bool allocate(tracer *t) {
    size_t bodies = (size_t)t->model->body_count + 1;
    t->meshes = calloc(bodies, sizeof *t->meshes);
    t->first_vertex = calloc(bodies, sizeof *t->first_vertex);
    if (!t->meshes || !t->first_vertex) return false;
    for (int i = 0; i < t->model->body_count; i++) {
        const view_mesh *skin = mesh_of(t, i);
        bool pills = shows_pills(skin);
        for (int k = 0; pills && k < skin->joint_count; k++) t->pill_count += skin->parents[k] >= 0;
        t->first_vertex[i] = t->vertex_count;
        if (!pills) t->vertex_count += skin->mesh.vertex_count;
    }
    size_t pills = (size_t)t->pill_count + 1, vertices = (size_t)t->vertex_count + 1;
    t->ends = calloc(2 * pills, sizeof *t->ends);
    t->first_end = calloc(pills, sizeof *t->first_end);
    t->body_of_pill = calloc(pills, sizeof *t->body_of_pill);
    t->vertices = calloc(vertices + 1, sizeof *t->vertices);
    t->normals = calloc(vertices, sizeof *t->normals);
    return t->ends && t->first_end && t->body_of_pill && t->vertices && t->normals;
}

static bool make_pills(tracer *t) {
    int pill = 0;
    for (int i = 0; i < t->model->body_count; i++) {
        const view_mesh *skin = mesh_of(t, i);
        for (int k = 0; shows_pills(skin) && k < skin->joint_count; k++) {
            if (skin->parents[k] < 0) continue;
            t->first_end[pill] = 2 * (unsigned)pill;
            t->body_of_pill[pill++] = i;
        }
    }
    if (!pill) return true;
    t->pills = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    if (!t->pills) return false;
    rtcSetSharedGeometryBuffer(t->pills, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, t->ends, 0, sizeof *t->ends,
                               2 * (size_t)pill);
    rtcSetSharedGeometryBuffer(t->pills, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, t->first_end, 0,
                               sizeof *t->first_end, (size_t)pill);
    rtcAttachGeometryByID(t->scene, t->pills, PILLS);
    return true;
}

static bool make_mesh(tracer *t, int body) {
    const sn_mesh *mesh = &mesh_of(t, body)->mesh;
    RTCGeometry geometry = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) return false;
    t->meshes[body] = geometry;
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               t->vertices + t->first_vertex[body], 0, sizeof *t->vertices, (size_t)mesh->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->triangle, 0,
                               sizeof *mesh->triangle, (size_t)mesh->triangle_count);
    rtcAttachGeometryByID(t->scene, geometry, MESHES + (unsigned)body);
    return true;
}

static bool make_geometries(tracer *t) {
    t->scene = rtcNewScene(t->device);
    if (!t->scene) return false;
    rtcSetSceneFlags(t->scene, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(t->scene, RTC_BUILD_QUALITY_LOW); // otherwise Embree builds a single BVH over all triangles
    bool good = make_pills(t);
    for (int i = 0; good && i < t->model->body_count; i++) good = shows_pills(mesh_of(t, i)) || make_mesh(t, i);
    return good && rtcGetDeviceError(t->device) == RTC_ERROR_NONE;
}

tracer *tracer_new(const view_model *model, int threads, tool_error *error) {
    tracer *t = calloc(1, sizeof *t);
    char settings[64];
    snprintf(settings, sizeof settings, "threads=%d,set_affinity=0", threads);
    if (t) {
        t->model = model;
        t->device = rtcNewDevice(settings);
    }
    if (t && t->device && allocate(t) && make_geometries(t)) return t;
    if (t && !t->device)
        tool_error_set(error, "Embree failed to start");
    else
        tool_error_out_of_memory(error);
    tracer_free(t);
    return NULL;
}

void tracer_free(tracer *t) {
    if (!t) return;
    if (t->pills) rtcReleaseGeometry(t->pills);
    for (int i = 0; t->meshes && i < t->model->body_count; i++) {
        if (t->meshes[i]) rtcReleaseGeometry(t->meshes[i]);
    }
    if (t->scene) rtcReleaseScene(t->scene);
    if (t->device) rtcReleaseDevice(t->device);
    free(t->meshes);
    free(t->first_vertex);
    free(t->ends);
    free(t->first_end);
    free(t->body_of_pill);
    free(t->vertices);
    free(t->normals);
    free(t);
}

static void put_end(float out[4], const joint_pose *pose, sn_real radius) {
    out[0] = (float)pose->position.x;
    out[1] = (float)pose->position.y;
    out[2] = (float)pose->position.z;
    out[3] = (float)(radius * joint_pose_scale(pose));
}

static bool move_mesh(tracer *t, const view_frame *frame, int body) {
    int first = t->first_vertex[body];
    if (!view_body_vertices(t->model, frame, body, t->vertices + first, t->normals + first)) return false;
    rtcUpdateGeometryBuffer(t->meshes[body], RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(t->meshes[body]);
    return true;
}

bool tracer_set_frame(tracer *t, const view_frame *frame, tool_error *error) {
    int pill = 0;
    bool good = true;
    for (int i = 0; good && i < t->model->body_count; i++) {
        const view_mesh *skin = mesh_of(t, i);
        const joint_pose *poses = frame->poses + t->model->bodies[i].first;
        if (!shows_pills(skin)) good = move_mesh(t, frame, i);
        for (int k = 0; shows_pills(skin) && k < skin->joint_count; k++) {
            int parent = skin->parents[k];
            if (parent < 0) continue;
            put_end(t->ends[2 * pill], &poses[parent], skin->radii[parent]);
            put_end(t->ends[2 * pill + 1], &poses[k], skin->radii[k]);
            if (parent == k)
                t->ends[2 * pill + 1][1] += 1e-3f * t->ends[2 * pill + 1][3]; // a ball: pills need a length
            pill++;
        }
    }
    if (t->pills) {
        rtcUpdateGeometryBuffer(t->pills, RTC_BUFFER_TYPE_VERTEX, 0);
        rtcCommitGeometry(t->pills);
    }
    if (good) rtcCommitScene(t->scene);
    good = good && rtcGetDeviceError(t->device) == RTC_ERROR_NONE;
    if (!good) tool_error_out_of_memory(error);
    return good;
}

static struct RTCRay ray_of(sn_vec3 from, sn_vec3 direction, float max_distance) {
    return (struct RTCRay){.org_x = from.x,
                           .org_y = from.y,
                           .org_z = from.z,
                           .dir_x = direction.x,
                           .dir_y = direction.y,
                           .dir_z = direction.z,
                           .tfar = max_distance,
                           .mask = ~0u};
}

static sn_vec3 blend(const float (*values)[3], const int *corner, float u, float v) {
    float out[3];
    for (int k = 0; k < 3; k++) {
        out[k] = (1 - u - v) * values[corner[0]][k] + u * values[corner[1]][k] + v * values[corner[2]][k];
    }
    return sn_v3(out[0], out[1], out[2]);
}

bool tracer_first(const tracer *t, sn_vec3 from, sn_vec3 direction, float max_distance, tracer_hit *out) {
    struct RTCRayHit ray = {.ray = ray_of(from, direction, max_distance)};
    struct RTCIntersectContext context;
    ray.hit.geomID = ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcInitIntersectContext(&context);
    rtcIntersect1(t->scene, &context, &ray);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    bool pill = ray.hit.geomID == PILLS;
    int body = pill ? t->body_of_pill[ray.hit.primID] : (int)(ray.hit.geomID - MESHES);
    const float *colour = t->model->bodies[body].colour;
    out->distance = ray.ray.tfar;
    out->point = sn_mul_add(from, ray.ray.tfar, direction);
    out->flat = sn_normalize(sn_v3(ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z), sn_mul(-1, direction));
    out->colour = sn_v3(colour[0], colour[1], colour[2]);
    out->normal = out->flat;
    if (!pill) {
        const sn_mesh *mesh = &mesh_of(t, body)->mesh;
        const int *corner = mesh->triangle[ray.hit.primID];
        const float(*normals)[3] = (const float(*)[3])(t->normals + t->first_vertex[body]);
        out->normal = sn_normalize(blend(normals, corner, ray.hit.u, ray.hit.v), out->flat);
        if (mesh->colour) {
            sn_vec3 poses = blend((const float(*)[3])mesh->colour, corner, ray.hit.u, ray.hit.v);
            out->colour = sn_v3(poses.x * colour[0], poses.y * colour[1], poses.z * colour[2]);
        }
    }
    if (sn_dot(out->flat, direction) > 0) out->flat = sn_mul(-1, out->flat); // towards the viewer
    if (sn_dot(out->normal, out->flat) < 0) out->normal = sn_mul(-1, out->normal);
    return true;
}

bool tracer_blocked(const tracer *t, sn_vec3 from, sn_vec3 direction, float max_distance) {
    struct RTCRay ray = ray_of(from, direction, max_distance);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(t->scene, &context, &ray);
    return ray.tfar < 0;
}
