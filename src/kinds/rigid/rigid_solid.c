// Dynamic bodies from their geometry: the nodes, pills and slabs that collide, relative to the centre of mass.
//
//     sphere    a pill between two nodes at its centre
//     pill      two nodes
//     box       eight nodes, 'rounding' inside of the corners and of that radius, and twelve slabs: faces are where those of the box
//               are, edges and corners are rounded
//     hull      its vertices, moved inward so that the planes of their faces move by 'rounding', a slab a face, and a node in its middle
#include "base/math/double3.h"
#include "base/math/vec.h"
#include "geometry/slab_owners.h"
#include "kinds/rigid/rigid.h"
#include <math.h>

enum { BOX_CORNERS = 8, BOX_SLABS = 12 };
#define ROUNDING ((sn_real)0.02) // of the smallest half edge, unless given

static bool reserve(sn_memory *memory, sn_rigid_solid *s, int nodes, int slabs) {
    s->node_count = nodes, s->slab_count = slabs;
    s->node = sn_alloc(memory, (size_t)nodes, sizeof *s->node);
    s->radius = sn_alloc(memory, (size_t)nodes, sizeof *s->radius);
    s->pill_from = sn_alloc(memory, (size_t)nodes, sizeof *s->pill_from);
    s->slab = sn_alloc(memory, (size_t)slabs + 1, sizeof *s->slab);
    s->owns = sn_alloc(memory, (size_t)slabs + 1, sizeof *s->owns);
    s->slab_first = sn_alloc(memory, (size_t)slabs + 1, sizeof *s->slab_first);
    s->slab_end = sn_alloc(memory, (size_t)slabs + 1, sizeof *s->slab_end);
    s->core = sn_alloc(memory, (size_t)slabs + 1, sizeof *s->core);
    s->under = sn_alloc(memory, (size_t)slabs + 1, sizeof *s->under);
    return s->node && s->radius && s->pill_from && s->slab && s->owns && s->slab_first && s->slab_end && s->core &&
           s->under;
}

void sn_rigid_free_dynamic(sn_memory *memory, sn_rigid_dynamic *body) {
    if (!body) return;
    sn_rigid_solid *s = &body->solid;
    sn_free(memory, s->node, (size_t)s->node_count, sizeof *s->node);
    sn_free(memory, s->radius, (size_t)s->node_count, sizeof *s->radius);
    sn_free(memory, s->pill_from, (size_t)s->node_count, sizeof *s->pill_from);
    sn_free(memory, s->slab, (size_t)s->slab_count + 1, sizeof *s->slab);
    sn_free(memory, s->owns, (size_t)s->slab_count + 1, sizeof *s->owns);
    sn_free(memory, s->slab_first, (size_t)s->slab_count + 1, sizeof *s->slab_first);
    sn_free(memory, s->slab_end, (size_t)s->slab_count + 1, sizeof *s->slab_end);
    sn_free(memory, s->core, (size_t)s->slab_count + 1, sizeof *s->core);
    sn_free(memory, s->under, (size_t)s->slab_count + 1, sizeof *s->under);
    sn_free(memory, body, 1, sizeof *body);
}

static void put_node(sn_rigid_dynamic *body, int i, sn_vec3 at, sn_real radius, int pill_from) {
    const double *c = body->mass.centre;
    const sn_vec3 p = {(sn_real)((double)at.x - c[0]), (sn_real)((double)at.y - c[1]), (sn_real)((double)at.z - c[2])};
    body->solid.node[i] = p, body->solid.radius[i] = radius, body->solid.pill_from[i] = pill_from;
    body->extent = sn_max(body->extent, sn_length(p) + radius);
}

static void put_thickness(sn_rigid_dynamic *body, sn_real thickness) {
    body->thickness = body->thickness > 0 ? sn_min(body->thickness, thickness) : thickness;
}

static void put_pill(sn_rigid_dynamic *body, int first, const sn_vec3 ends[2], const sn_real radii[2]) {
    put_node(body, first, ends[0], radii[0], -1);
    put_node(body, first + 1, ends[1], radii[1], first);
    put_thickness(body, sn_max(radii[0], radii[1]));
}

// Slabs from 'first' to 'end' are a convex part around a node.
static void put_solid(sn_rigid_solid *s, int first, int end, int core, sn_real under) {
    for (int i = first; i < end; i++)
        s->slab_first[i] = first, s->slab_end[i] = end, s->core[i] = core, s->under[i] = under;
}

// Corner k has the signs of the bits of k. A face of axis x has its corners in the order 0, y, y + z, z.
static bool put_box(sn_memory *memory, sn_rigid_dynamic *body, sn_vec3 half, sn_real rounding) {
    const int first = SN_RIGID_FRAME_NODES;
    const sn_vec3 in = sn_sub(half, sn_v3(rounding, rounding, rounding));
    for (int k = 0; k < BOX_CORNERS; k++)
        put_node(body, first + k, sn_v3(k & 1 ? in.x : -in.x, k & 2 ? in.y : -in.y, k & 4 ? in.z : -in.z), rounding,
                 -1);
    int count = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            const int at = side << axis, y = 1 << (axis + 1) % 3, z = 1 << (axis + 2) % 3;
            const int corner[4] = {at, at + y, at + y + z, at + z};
            for (int half_face = 0; half_face < 2; half_face++, count++)
                for (int k = 0; k < 3; k++) body->solid.slab[count][k] = first + corner[k == 0 ? 0 : k + half_face];
        }
    put_thickness(body, sn_min(half.x, sn_min(half.y, half.z)));
    put_solid(&body->solid, 0, BOX_SLABS, 0, 0); // half a face is as large as what is nearest to it is deep
    return sn_slab_owners(memory, body->solid.node_count, body->solid.slab[0], BOX_SLABS, body->solid.owns);
}

// ---- hulls

typedef struct {
    double normal[SN_HULL_FACES][3]; // outward
    double core[3], thickness;       // distance of the nearest face
} hull_planes;

static void put3(double to[3], sn_vec3 v) {
    to[0] = (double)v.x, to[1] = (double)v.y, to[2] = (double)v.z;
}

static void measure_planes(const sn_hull *hull, hull_planes *out) {
    for (int k = 0; k < 3; k++) out->core[k] = 0;
    for (int i = 0; i < hull->vertex_count; i++) {
        double x[3];
        put3(x, hull->vertices[i]);
        for (int k = 0; k < 3; k++) out->core[k] += x[k] / hull->vertex_count;
    }
    out->thickness = INFINITY;
    for (int f = 0; f < hull->face_count; f++) {
        double a[3], u[3], v[3], *n = out->normal[f];
        put3(a, hull->vertices[hull->faces[f][0]]), put3(u, hull->vertices[hull->faces[f][1]]);
        put3(v, hull->vertices[hull->faces[f][2]]);
        d3_sub(u, a, u), d3_sub(v, a, v), d3_cross(u, v, n);
        const double size = sqrt(d3_dot(n, n));
        for (int k = 0; k < 3; k++) n[k] /= size;
        d3_sub(a, out->core, a);
        out->thickness = fmin(out->thickness, d3_dot(n, a));
    }
}

#define INSET_EVEN 1e-6 // keeps a vertex of nearly one plane from moving along it
#define MAX_INSET  4    // roundings: of a sharp edge

// Where a vertex is when the planes of its faces have moved inward: exactly for three of them, by least squares for more.
static sn_vec3 inset(const sn_hull *hull, const hull_planes *planes, int vertex, double rounding) {
    double m[3][3] = {{0}}, inverse[3][3], right[3] = {0}, d[3];
    int count = 0;
    for (int f = 0; f < hull->face_count; f++) {
        const int32_t *v = hull->faces[f];
        const double *n = planes->normal[f];
        if (v[0] != vertex && v[1] != vertex && v[2] != vertex) continue;
        count++;
        for (int i = 0; i < 3; i++) {
            right[i] -= rounding * n[i];
            for (int k = 0; k < 3; k++) m[i][k] += n[i] * n[k];
        }
    }
    for (int k = 0; k < 3; k++) m[k][k] += INSET_EVEN * count;
    sn_rigid_invert(m, inverse);
    for (int k = 0; k < 3; k++) d[k] = d3_dot(inverse[k], right);
    const double size = sqrt(d3_dot(d, d)), max = MAX_INSET * rounding, scale = size > max ? max / size : 1;
    const sn_vec3 x = hull->vertices[vertex];
    return sn_v3((sn_real)((double)x.x + scale * d[0]), (sn_real)((double)x.y + scale * d[1]),
                 (sn_real)((double)x.z + scale * d[2]));
}

static bool put_hull(sn_memory *memory, sn_rigid_dynamic *body, const sn_hull *hull, sn_real rounding, int first_node,
                     int first_slab) {
    sn_rigid_solid *s = &body->solid;
    hull_planes planes;
    measure_planes(hull, &planes);
    const double max = 0.5 * planes.thickness;
    const double inward = rounding > 0 ? fmin((double)rounding, max) : (double)ROUNDING * planes.thickness;
    for (int i = 0; i < hull->vertex_count; i++)
        put_node(body, first_node + i, inset(hull, &planes, i, inward), (sn_real)inward, -1);
    const int core = first_node + hull->vertex_count;
    put_node(body, core, sn_v3((sn_real)planes.core[0], (sn_real)planes.core[1], (sn_real)planes.core[2]),
             (sn_real)inward, -1);
    if (!sn_slab_owners(memory, hull->vertex_count, hull->faces[0], hull->face_count, s->owns + first_slab))
        return false;
    for (int f = 0; f < 3 * hull->face_count; f++)
        s->slab[first_slab + f / 3][f % 3] = first_node + hull->faces[f / 3][f % 3];
    put_solid(s, first_slab, first_slab + hull->face_count, core, (sn_real)(2 * planes.thickness));
    put_thickness(body, (sn_real)planes.thickness);
    return true;
}

static bool put_parts(sn_memory *memory, sn_rigid_dynamic *d, const sn_rigid_body *body) {
    int nodes = SN_RIGID_FRAME_NODES, slabs = 0;
    for (int i = 0; i < body->convex_count; i++) {
        const sn_hull *hull = &body->convex[i].hull;
        nodes += hull->vertex_count > 0 ? hull->vertex_count + 1 : 2, slabs += hull->face_count;
    }
    if (!reserve(memory, &d->solid, nodes, slabs)) return false;
    nodes = SN_RIGID_FRAME_NODES, slabs = 0;
    for (int i = 0; i < body->convex_count; i++) {
        const sn_rigid_convex *part = &body->convex[i];
        if (part->hull.vertex_count == 0) {
            put_pill(d, nodes, part->ends, part->radii), nodes += 2;
            continue;
        }
        if (!put_hull(memory, d, &part->hull, body->rounding, nodes, slabs)) return false;
        nodes += part->hull.vertex_count + 1, slabs += part->hull.face_count;
    }
    return true;
}

// The frame's nodes: joints measure rotations by their difference, so they are as far from each other as the body is large.
static void put_frame(sn_rigid_dynamic *body) {
    const double(*i)[3] = (const double(*)[3])body->mass.inertia;
    const double gyration = sqrt((i[0][0] + i[1][1] + i[2][2]) / (2 * body->mass.mass));
    sn_rigid_solid *s = &body->solid;
    s->node[0] = sn_v3(0, 0, 0), s->node[1] = sn_v3(0, 0, (sn_real)gyration);
    s->radius[0] = s->radius[1] = s->radius[SN_RIGID_FRAME_NODES];
    s->pill_from[0] = -1, s->pill_from[1] = 0;
}

// The mass of the geometry, or what is given of it.
static sn_status set_mass(sn_rigid_system *system, sn_rigid_body *of, const sn_rigid_def *def) {
    sn_rigid_dynamic *body = of->dynamic;
    sn_rigid_mass *m = &body->mass;
    if (sn_rigid_part_count(def) > 0) {
        const sn_status status = sn_rigid_build_parts(system->memory, system->log, def, of, m, &body->volume);
        if (status != SN_OK) return status;
    } else {
        body->mass = sn_rigid_mass_of(&of->collider);
        body->volume = m->mass;
    }
    const double scale = def->mass > 0 ? (double)def->mass / m->mass : (double)def->density;
    m->mass *= scale;
    const double given[3] = {(double)def->inertia.x, (double)def->inertia.y, (double)def->inertia.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->inertia[i][j] = given[0] > 0 ? (i == j ? given[i] : 0) : scale * m->inertia[i][j];
    sn_rigid_invert(m->inertia, body->inverse_inertia);
    return SN_OK;
}

bool sn_rigid_build_solid(sn_memory *memory, sn_rigid_body *body) {
    sn_rigid_dynamic *d = body->dynamic;
    const sn_collider *c = &body->collider;
    const bool box = c->kind == SN_GEOMETRY_BOX;
    const int first = SN_RIGID_FRAME_NODES, nodes = first + (box ? BOX_CORNERS : 2), slabs = box ? BOX_SLABS : 0;
    bool good = body->convex_count > 0 ? put_parts(memory, d, body) : reserve(memory, &d->solid, nodes, slabs);
    if (!good) return false;
    const sn_vec3 middle[2] = {{0, 0, 0}, {0, 0, 0}};
    const sn_real radii[2] = {c->radii[0], c->radii[0]};
    if (c->kind == SN_GEOMETRY_SPHERE) put_pill(d, first, middle, radii);
    if (c->kind == SN_GEOMETRY_PILL) put_pill(d, first, c->ends, c->radii);
    if (box) {
        const sn_real smallest = sn_min(c->half.x, sn_min(c->half.y, c->half.z));
        good = put_box(memory, d, c->half, body->rounding > 0 ? body->rounding : ROUNDING * smallest);
    }
    put_frame(d);
    return good;
}

sn_status sn_rigid_make_dynamic(sn_rigid_system *system, sn_rigid_body *body, const sn_rigid_def *def) {
    sn_rigid_dynamic *d = body->dynamic = sn_alloc(system->memory, 1, sizeof *d);
    if (!d) return SN_ERR_MEMORY;
    *d = (sn_rigid_dynamic){0};
    body->rounding = def->rounding;
    const sn_status status = set_mass(system, body, def);
    if (status != SN_OK) return status;
    if (!sn_rigid_build_solid(system->memory, body)) return SN_ERR_MEMORY;
    sn_rigid_place(d, &body->collider.now);
    const double v[3] = {(double)def->velocity.x, (double)def->velocity.y, (double)def->velocity.z};
    const double w[3] = {(double)def->angular_velocity.x, (double)def->angular_velocity.y,
                         (double)def->angular_velocity.z};
    double inertia[3][3];
    sn_rigid_inertia(d, d->now.rotation, inertia);
    for (int i = 0; i < 3; i++) {
        d->now.velocity[i] = v[i];
        for (int k = 0; k < 3; k++) d->now.momentum[i] += inertia[i][k] * w[k];
    }
    d->start = d->goal = d->now;
    return SN_OK;
}
