// Dynamic bodies from their geometry: the nodes, pills and slabs that collide, relative to the centre of mass.
//
//     sphere    a pill between two nodes at its centre
//     pill      two nodes
//     box       eight nodes, 'rounding' inside of the corners and of that radius, and twelve slabs: faces are where those of the box
//               are, edges and corners are rounded
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
    return s->node && s->radius && s->pill_from && s->slab && s->owns;
}

void sn_rigid_free_dynamic(sn_memory *memory, sn_rigid_dynamic *body) {
    if (!body) return;
    sn_rigid_solid *s = &body->solid;
    sn_free(memory, s->node, (size_t)s->node_count, sizeof *s->node);
    sn_free(memory, s->radius, (size_t)s->node_count, sizeof *s->radius);
    sn_free(memory, s->pill_from, (size_t)s->node_count, sizeof *s->pill_from);
    sn_free(memory, s->slab, (size_t)s->slab_count + 1, sizeof *s->slab);
    sn_free(memory, s->owns, (size_t)s->slab_count + 1, sizeof *s->owns);
    sn_free(memory, body, 1, sizeof *body);
}

static void put_node(sn_rigid_dynamic *body, int i, sn_vec3 at, sn_real radius, int pill_from) {
    const double *c = body->mass.centre;
    const sn_vec3 p = {(sn_real)((double)at.x - c[0]), (sn_real)((double)at.y - c[1]), (sn_real)((double)at.z - c[2])};
    body->solid.node[i] = p, body->solid.radius[i] = radius, body->solid.pill_from[i] = pill_from;
    body->extent = sn_max(body->extent, sn_length(p) + radius);
}

static void put_pill(sn_rigid_dynamic *body, sn_vec3 a, sn_vec3 b, sn_real ra, sn_real rb) {
    const int first = SN_RIGID_FRAME_NODES;
    put_node(body, first, a, ra, -1);
    put_node(body, first + 1, b, rb, first);
    body->thickness = sn_max(ra, rb);
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
    body->thickness = sn_min(half.x, sn_min(half.y, half.z));
    return sn_slab_owners(memory, body->solid.node_count, body->solid.slab[0], BOX_SLABS, body->solid.owns);
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
static void set_mass(sn_rigid_dynamic *body, const sn_collider *geometry, const sn_rigid_def *def) {
    body->mass = sn_rigid_mass_of(geometry);
    sn_rigid_mass *m = &body->mass;
    const double scale = def->mass > 0 ? (double)def->mass / m->mass : (double)def->density;
    m->mass *= scale;
    const double given[3] = {(double)def->inertia.x, (double)def->inertia.y, (double)def->inertia.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->inertia[i][j] = given[0] > 0 ? (i == j ? given[i] : 0) : scale * m->inertia[i][j];
    sn_rigid_invert(m->inertia, body->inverse_inertia);
}

bool sn_rigid_build_solid(sn_memory *memory, sn_rigid_body *body) {
    sn_rigid_dynamic *d = body->dynamic;
    const sn_collider *c = &body->collider;
    const bool box = c->kind == SN_GEOMETRY_BOX;
    if (!reserve(memory, &d->solid, SN_RIGID_FRAME_NODES + (box ? BOX_CORNERS : 2), box ? BOX_SLABS : 0)) return false;
    const sn_vec3 origin = {0, 0, 0};
    bool good = true;
    if (c->kind == SN_GEOMETRY_SPHERE) put_pill(d, origin, origin, c->radii[0], c->radii[0]);
    if (c->kind == SN_GEOMETRY_PILL) put_pill(d, c->ends[0], c->ends[1], c->radii[0], c->radii[1]);
    if (box) {
        const sn_real smallest = sn_min(c->half.x, sn_min(c->half.y, c->half.z));
        good = put_box(memory, d, c->half, body->rounding > 0 ? body->rounding : ROUNDING * smallest);
    }
    put_frame(d);
    return good;
}

bool sn_rigid_make_dynamic(sn_rigid_system *system, sn_rigid_body *body, const sn_rigid_def *def) {
    sn_rigid_dynamic *d = body->dynamic = sn_alloc(system->memory, 1, sizeof *d);
    if (!d) return false;
    *d = (sn_rigid_dynamic){0};
    body->rounding = def->rounding;
    set_mass(d, &body->collider, def);
    if (!sn_rigid_build_solid(system->memory, body)) return false;
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
    return true;
}
