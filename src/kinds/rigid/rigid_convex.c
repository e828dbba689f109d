// The convex parts of a dynamic body, from its definition: pills, and hulls of boxes, points and closed meshes, all in the body's frame.
// A sphere is a pill of no length.
#include "base/math/double3.h"
#include "base/math/vec.h"
#include "base/validate.h"
#include "kinds/rigid/rigid.h"
#include <math.h>

enum { MAX_PARTS = 1024 };

static bool is_size(sn_real x) {
    return sn_between(x, (sn_real)1e-7, (sn_real)1e7);
}

static sn_transform pose_of(const sn_rigid_part *p) {
    const sn_quat q = p->rotation, none = {0, 0, 0, 1};
    const bool turned = q.x != 0 || q.y != 0 || q.z != 0 || q.w != 0;
    return (sn_transform){p->position, turned ? sn_q_normalize(q) : none};
}

// The only part of a body that is a hull or a mesh.
static sn_rigid_part only_part(const sn_rigid_def *d) {
    return (sn_rigid_part){.geometry = d->geometry,
                           .vertices = d->vertices,
                           .vertex_count = d->vertex_count,
                           .triangles = d->triangles,
                           .triangle_count = d->triangle_count};
}

int sn_rigid_part_count(const sn_rigid_def *d) {
    const bool one = d->geometry == SN_GEOMETRY_HULL || d->geometry == SN_GEOMETRY_MESH;
    return d->part_count > 0 ? d->part_count : d->dynamic && one ? 1 : 0;
}

static sn_rigid_part part_at(const sn_rigid_def *d, int i) {
    return d->part_count > 0 ? d->parts[i] : only_part(d);
}

// ---- errors

#define PART(i, text) count += sn_def_error(log, "parts", "[%d]: " text, i)

// Whether a mesh is closed: its triangles' areas, as vectors, sum to 0, and they hold a volume.
static bool is_closed(const sn_rigid_part *p) {
    double sum[3] = {0}, size = 0, volume = 0;
    const sn_vec3 o = p->vertices[p->triangles[0]];
    for (int i = 0; i < p->triangle_count; i++) {
        double v[3][3], u[3], w[3], n[3];
        for (int k = 0; k < 3; k++) {
            const sn_vec3 x = p->vertices[p->triangles[3 * i + k]];
            v[k][0] = (double)x.x - (double)o.x, v[k][1] = (double)x.y - (double)o.y;
            v[k][2] = (double)x.z - (double)o.z;
        }
        d3_sub(v[1], v[0], u), d3_sub(v[2], v[0], w), d3_cross(u, w, n);
        for (int k = 0; k < 3; k++) sum[k] += n[k];
        size += sqrt(d3_dot(n, n));
        volume += d3_dot(n, v[0]);
    }
    return sqrt(d3_dot(sum, sum)) <= 1e-4 * size && fabs(volume) > 0;
}

static bool has_indices(const sn_rigid_part *p) {
    for (int i = 0; i < 3 * p->triangle_count; i++)
        if (p->triangles[i] < 0 || p->triangles[i] >= p->vertex_count) return false;
    return true;
}

static int point_errors(const sn_log *log, const sn_rigid_part *p, const char *vertices, const char *triangles) {
    const bool mesh = p->geometry == SN_GEOMETRY_MESH;
    if (!p->vertices || p->vertex_count < 4) return sn_def_error(log, vertices, "a solid needs at least 4 vertices");
    for (int i = 0; i < p->vertex_count; i++)
        if (!(sn_length2(p->vertices[i]) < (sn_real)1e14))
            return sn_def_error(log, vertices, "must be finite and within 1e7 m of the body's origin");
    if (!mesh) return 0;
    if (!p->triangles || p->triangle_count < 4)
        return sn_def_error(log, triangles, "a solid needs at least 4 triangles");
    if (!has_indices(p)) return sn_def_error(log, triangles, "a vertex index is out of range");
    return is_closed(p) ? 0 : sn_def_error(log, triangles, "of a dynamic body must be closed");
}

static int part_errors(const sn_log *log, const sn_rigid_part *p, int i) {
    int count = 0;
    const sn_real turned = sn_q_dot(p->rotation, p->rotation);
    if (!(sn_length2(p->position) < (sn_real)1e14)) PART(i, "position must be finite and within 1e7 m");
    if (!(turned == 0 || (turned > (sn_real)1e-12 && sn_finite(turned)))) PART(i, "rotation must be a quaternion");
    if (!(p->density == 0 || sn_between(p->density, (sn_real)1e-3, (sn_real)1e6)))
        PART(i, "density must be 0 or from 1e-3 to 1e6 kg/m^3");
    switch (p->geometry) {
    case SN_GEOMETRY_PILL:
        if (!(sn_length2(p->ends[0]) < (sn_real)1e14) || !(sn_length2(p->ends[1]) < (sn_real)1e14))
            PART(i, "ends must be finite and within 1e7 m");
        if (!is_size(p->radii[0]) || !is_size(p->radii[1])) PART(i, "radii must be from 1e-7 to 1e7 m");
        break;
    case SN_GEOMETRY_SPHERE:
        if (!is_size(p->radii[0])) PART(i, "radii[0] must be from 1e-7 to 1e7 m");
        break;
    case SN_GEOMETRY_BOX:
        if (!is_size(p->half.x) || !is_size(p->half.y) || !is_size(p->half.z))
            PART(i, "half must be from 1e-7 to 1e7 m");
        break;
    case SN_GEOMETRY_HULL:
    case SN_GEOMETRY_MESH:
        count += point_errors(log, p, "parts", "parts");
        break;
    default:
        PART(i, "geometry must be a sphere, pill, box, hull or mesh");
    }
    return count;
}

int sn_rigid_part_errors(const sn_log *log, const sn_rigid_def *d) {
    if (d->part_count == 0) {
        const sn_rigid_part only = only_part(d);
        return sn_rigid_part_count(d) > 0 ? point_errors(log, &only, "vertices", "triangles") : 0;
    }
    if (!d->parts || d->part_count < 0 || d->part_count > MAX_PARTS)
        return sn_def_error(log, "parts", "must be 1 to %d, with their number in part_count", MAX_PARTS);
    if (!d->dynamic) return sn_def_error(log, "parts", "are of a dynamic body: make a body of each");
    int count = 0;
    for (int i = 0; i < d->part_count; i++) count += part_errors(log, &d->parts[i], i);
    return count;
}

// ---- geometry and mass

static sn_status build_box(sn_memory *memory, sn_vec3 half, const sn_transform *pose, sn_hull *out) {
    static const int32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    sn_vec3 corner[8];
    int32_t face[12][3];
    for (int k = 0; k < 8; k++)
        corner[k] = sn_transform_point(
            pose, sn_v3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z));
    for (int k = 0; k < 36; k++) face[k / 3][k % 3] = faces[k / 3][k % 3];
    const sn_hull box = {corner, face, 8, 12};
    return sn_hull_copy(memory, &box, out);
}

static sn_status build_hull(sn_memory *memory, const sn_rigid_part *p, const sn_transform *pose, sn_hull *out) {
    const sn_status status = sn_hull_build(memory, p->vertices, p->vertex_count, out);
    for (int i = 0; status == SN_OK && i < out->vertex_count; i++)
        out->vertices[i] = sn_transform_point(pose, out->vertices[i]);
    return status;
}

// Of a closed mesh in a pose: vertices go through the pose one by one, so there is no copy of them.
static sn_rigid_mass mass_of_mesh(const sn_rigid_part *p, const sn_transform *pose) {
    sn_rigid_mass_sum sum = {.origin = sn_transform_point(pose, p->vertices[p->triangles[0]])};
    for (int i = 0; i < p->triangle_count; i++) {
        sn_vec3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = sn_transform_point(pose, p->vertices[p->triangles[3 * i + k]]);
        sn_rigid_mass_triangle(&sum, corner);
    }
    return sn_rigid_mass_end(&sum);
}

static sn_rigid_mass mass_of_hull(const sn_hull *hull) {
    sn_rigid_mass_sum sum = {.origin = hull->vertices[0]};
    for (int i = 0; i < hull->face_count; i++) {
        sn_vec3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = hull->vertices[hull->faces[i][k]];
        sn_rigid_mass_triangle(&sum, corner);
    }
    return sn_rigid_mass_end(&sum);
}

static sn_status build_part(sn_memory *memory, const sn_rigid_part *p, sn_rigid_convex *out, sn_rigid_mass *mass) {
    const sn_transform pose = pose_of(p);
    const bool sphere = p->geometry == SN_GEOMETRY_SPHERE;
    if (sphere || p->geometry == SN_GEOMETRY_PILL) {
        for (int k = 0; k < 2; k++) {
            out->ends[k] = sphere ? pose.position : sn_transform_point(&pose, p->ends[k]);
            out->radii[k] = p->radii[sphere ? 0 : k];
        }
        const sn_collider pill = {
            .kind = SN_GEOMETRY_PILL, .ends = {out->ends[0], out->ends[1]}, .radii = {out->radii[0], out->radii[1]}};
        *mass = sn_rigid_mass_of(&pill);
        return SN_OK;
    }
    const sn_status status = p->geometry == SN_GEOMETRY_BOX ? build_box(memory, p->half, &pose, &out->hull)
                                                            : build_hull(memory, p, &pose, &out->hull);
    if (status == SN_OK) *mass = p->geometry == SN_GEOMETRY_MESH ? mass_of_mesh(p, &pose) : mass_of_hull(&out->hull);
    return status;
}

void sn_rigid_free_parts(sn_memory *memory, sn_rigid_body *body) {
    for (int i = 0; i < body->convex_count; i++) sn_hull_free(memory, &body->convex[i].hull);
    sn_free(memory, body->convex, (size_t)body->convex_count, sizeof *body->convex);
    body->convex = NULL, body->convex_count = 0;
}

sn_status sn_rigid_build_parts(sn_memory *memory, const sn_log *log, const sn_rigid_def *d, sn_rigid_body *body,
                               sn_rigid_mass *mass, double *volume) {
    const int count = sn_rigid_part_count(d);
    *mass = (sn_rigid_mass){0}, *volume = 0;
    body->convex = sn_alloc(memory, (size_t)count, sizeof *body->convex);
    if (!body->convex) return SN_ERR_MEMORY;
    body->convex_count = count;
    for (int i = 0; i < count; i++) {
        const sn_rigid_part part = part_at(d, i);
        sn_rigid_mass more;
        const sn_status status = build_part(memory, &part, &body->convex[i], &more);
        const bool thin = status == SN_ERR_RANGE || (status == SN_OK && !(more.mass > 0));
        if (thin && d->part_count > 0) sn_def_error(log, "parts", "[%d]: vertices are all in one plane", i);
        if (thin && d->part_count == 0) sn_def_error(log, "vertices", "of a solid must not be all in one plane");
        if (thin) return SN_ERR_DEF;
        if (status != SN_OK) return status;
        *volume += more.mass;
        sn_rigid_mass_add(mass, &more, part.density > 0 ? (double)part.density / (double)d->density : 1);
    }
    return SN_OK;
}
