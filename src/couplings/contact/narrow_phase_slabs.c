// The narrow phase of slabs: contacts of triangles with a thickness against pills, slabs and colliders.
//
// The nearest points of two slabs (geometry/slab.h) give one contact. Faces that lie on each other would rock on a
// single one, so corners of about the same depth replace it: a corner of one side on the face of the other, at most two
// per pair. Only the slab that owns a corner or edge makes its contacts (geometry/proxy.h).
#include "base/assert.h"
#include "couplings/contact/contact.h"
#include "geometry/triangle.h"

// Smaller weights count as 0.
#define NO_WEIGHT ((sn_real)1e-5)

// The bit of the corner or edge that weights lie on; 0: the inside.
static uint32_t feature_of(const sn_real weight[3]) {
    const bool has[3] = {weight[0] > NO_WEIGHT, weight[1] > NO_WEIGHT, weight[2] > NO_WEIGHT};
    const int count = has[0] + has[1] + has[2];
    if (count == 3) return 0;
    if (count == 2) return !has[2] ? 1u << 3 : !has[0] ? 1u << 4 : 1u << 5;
    return has[0] ? 1u : has[1] ? 2u : 4u;
}

static bool owns(const sn_node_slab *slab, const sn_real weight[3]) {
    const uint32_t feature = feature_of(weight);
    return feature == 0 || (slab->owns & feature);
}

sn_sphere sn_slab_ball(const sn_slab *s) {
    sn_vec3 middle = sn_mul((sn_real)1 / 3, sn_add(s->c[0], sn_add(s->c[1], s->c[2])));
    sn_real max = 0;
    for (int k = 0; k < 3; k++) max = sn_max(max, sn_length(sn_sub(s->c[k], middle)) + s->r[k]);
    return (sn_sphere){middle, max * (sn_real)1.00001};
}

// A lower bound of the gap of two slabs: the largest separation of their boxes along an axis. Cheap, and enough for
// most pairs.
static sn_real box_separation(const sn_slab *a, const sn_slab *b) {
    sn_real max = -1;
    for (int axis = 0; axis < 3; axis++) {
        sn_real a_low = 0, a_high = 0, b_low = 0, b_high = 0;
        for (int k = 0; k < 3; k++) {
            const sn_real x = sn_along(a->c[k], axis), y = sn_along(b->c[k], axis);
            a_low = k == 0 ? x - a->r[k] : sn_min(a_low, x - a->r[k]);
            a_high = k == 0 ? x + a->r[k] : sn_max(a_high, x + a->r[k]);
            b_low = k == 0 ? y - b->r[k] : sn_min(b_low, y - b->r[k]);
            b_high = k == 0 ? y + b->r[k] : sn_max(b_high, y + b->r[k]);
        }
        max = sn_max(max, sn_max(a_low - b_high, b_low - a_high));
    }
    return max;
}

static sn_slab ball_slab(sn_vec3 centre, sn_real radius) {
    return (sn_slab){{centre, centre, centre}, {radius, radius, radius}};
}

static sn_slab corner_slab(const sn_slab *s, int k) {
    return ball_slab(s->c[k], s->r[k]);
}

static sn_slab pill_slab(const sn_pill *p) {
    return (sn_slab){{p->a, p->b, p->b}, {p->ra, p->rb, p->rb}};
}

static sn_real radius_of(const sn_slab *s, const sn_real weight[3]) { // at the contact point
    return weight[0] * s->r[0] + weight[1] * s->r[1] + weight[2] * s->r[2];
}

static void corner_weights(sn_real weight[3], int k) {
    weight[0] = weight[1] = weight[2] = 0;
    weight[k] = 1;
}

// Keeps the two deepest contacts; of equals, the first found.
typedef struct {
    sn_slab_contact *out;
    int count;
} deepest;

static void offer(deepest *best, const sn_slab_contact *contact) {
    if (best->count < 2) {
        best->out[best->count++] = *contact;
        return;
    }
    const int worse = best->out[1].distance >= best->out[0].distance ? 1 : 0;
    if (contact->distance < best->out[worse].distance) best->out[worse] = *contact;
}

// Where a corner of a slab is in the solid that another slab is a face of, or has come through it: as seen from the corner, if either
// has an inside and knows. 'solid', 'mine': the elements of the other slab and of this one where they are of solids, else -1.
static sn_solid_place crossed_at(const sn_contacts *c, int solid, int mine, const sn_slab *slab, int corner,
                                 const sn_slab *other, sn_slab_contact *out) {
    if (solid >= 0) return sn_contacts_in_solid(c, solid, slab->c[corner], out);
    return mine >= 0 && sn_contacts_came_through(c, mine, corner, other, out) ? SN_UNDER_THIS_FACE : SN_OUTSIDE;
}

// Offers the corners a slab owns, on another slab; 'first': the corners are side a.
static void offer_corners(deepest *best, const sn_node_slab *who, const sn_slab *slab, const sn_slab *other, bool first,
                          sn_real max, const sn_contacts *c, int solid, int mine) {
    for (int k = 0; k < 3; k++) {
        if (!(who->owns >> k & 1) || (k == 2 && who->node[2] == who->node[1])) continue;
        const sn_slab ball = corner_slab(slab, k);
        sn_slab_contact inside = {0};
        const sn_solid_place place = crossed_at(c, solid, mine, slab, k, other, &inside);
        if (place == SN_UNDER_ANOTHER_FACE) continue;
        sn_slab_pair found;
        sn_slab_slab(other, &ball, &found);
        if (place == SN_UNDER_THIS_FACE) {
            for (int i = 0; i < 3; i++) found.a[i] = inside.b[i];
            found.normal = sn_mul(-1, inside.normal); // from the corner to the face
            found.gap = inside.distance - slab->r[k] - radius_of(other, inside.b);
        }
        if (found.gap > max) continue;
        sn_slab_contact contact = {.distance = found.gap, .normal = first ? sn_mul(-1, found.normal) : found.normal};
        sn_real *of_corner = first ? contact.a : contact.b, *theirs = first ? contact.b : contact.a;
        corner_weights(of_corner, k);
        for (int i = 0; i < 3; i++) theirs[i] = found.a[i];
        offer(best, &contact);
    }
}

// Lines that go through a solid, with both ends outside: a pill, or the edges that a slab owns. Offers the middle of what is inside.
// Returns whether any does, under this face or another.
static bool offer_line(deepest *best, const sn_contacts *c, int solid, const sn_slab *line, int from, int to,
                       bool first) {
    sn_real where;
    sn_slab_contact inside = {0};
    if (!sn_contacts_line_in_solid(c, solid, line->c[from], line->c[to], &where)) return false;
    const sn_vec3 middle = sn_lerp(line->c[from], line->c[to], where);
    if (sn_contacts_in_solid(c, solid, middle, &inside) != SN_UNDER_THIS_FACE) return true;
    const sn_slab *face = &c->slab_at[solid - c->proxies.count];
    const sn_real radius = line->r[from] + where * (line->r[to] - line->r[from]);
    sn_slab_contact contact = {.distance = inside.distance - radius - radius_of(face, inside.b),
                               .normal = first ? inside.normal : sn_mul(-1, inside.normal)};
    sn_real *mine = first ? contact.a : contact.b, *theirs = first ? contact.b : contact.a;
    mine[from] = 1 - where, mine[to] = where;
    for (int k = 0; k < 3; k++) theirs[k] = inside.b[k];
    offer(best, &contact);
    return true;
}

static bool offer_lines(deepest *best, const sn_contacts *c, const sn_node_slab *who, const sn_slab *slab, int solid,
                        bool first) {
    bool any = false;
    for (int k = 0; k < 3; k++)
        if (who->owns >> (3 + k) & 1) any = offer_line(best, c, solid, slab, k, (k + 1) % 3, first) || any;
    return any;
}

// Whether a corner of a slab is inside of a solid, or one of the solid's face has come through it. Its neighbours have the contact.
static bool is_crossed_by(const sn_contacts *c, int solid, const sn_slab *slab) {
    const sn_slab *face = &c->slab_at[solid - c->proxies.count];
    sn_slab_contact inside;
    for (int k = 0; k < 3; k++)
        if (sn_contacts_in_solid(c, solid, slab->c[k], &inside) != SN_OUTSIDE ||
            crossed_at(c, -1, solid, face, k, slab, &inside) != SN_OUTSIDE)
            return true;
    return false;
}

// Whether something of a slab is inside of the solid that another is a face of, however far from the face: one of its corners.
static bool has_corner_inside(const sn_contacts *c, int solid, const sn_slab *slab) {
    sn_slab_contact inside;
    for (int k = 0; k < 3 && solid >= 0; k++)
        if (sn_contacts_in_solid(c, solid, slab->c[k], &inside) == SN_UNDER_THIS_FACE) return true;
    return false;
}

// Contacts within this part of the smaller radius of the deepest count as equally deep.
#define ALIKE ((sn_real)0.01)
// So near each other, as a part of the radii, faces of solids have crossed or may have.
#define CROSSED ((sn_real)0.9)

static int contact_slabs(const sn_contacts *c, sn_pair pair, sn_real margin, sn_slab_contact out[2], sn_real *gap) {
    const sn_node_slab *who_a = sn_element_slab(c, pair.a), *who_b = sn_element_slab(c, pair.b);
    const sn_slab *a = &c->slab_at[pair.a - c->proxies.count], *b = &c->slab_at[pair.b - c->proxies.count];
    sn_slab_pair found;
    const int solid_a = sn_contacts_is_solid(c, pair.a) ? pair.a : -1;
    const int solid_b = sn_contacts_is_solid(c, pair.b) ? pair.b : -1;
    const bool solids = solid_a >= 0 && solid_b >= 0;
    *gap = box_separation(a, b);
    bool away = *gap > margin;
    if (!away) {
        sn_slab_slab(a, b, &found);
        *gap = found.gap;
        away = *gap > margin;
    }
    if (away) {
        if (!has_corner_inside(c, solid_b, a) && !has_corner_inside(c, solid_a, b)) return 0;
        *gap = 0;
    }
    deepest best = {out, 0};
    const sn_real alike = *gap + ALIKE * sn_min(a->r[0], b->r[0]);
    offer_corners(&best, who_a, a, b, true, alike, c, solid_b, solid_a);
    offer_corners(&best, who_b, b, a, false, alike, c, solid_a, solid_b);
    if (best.count > 0 || away) return best.count;
    const bool crossed = found.gap < -CROSSED * (a->r[0] + b->r[0]);
    if (solids && crossed) return sn_contacts_solid_edges(c, pair, out);
    if (solid_b >= 0 && !solids && is_crossed_by(c, pair.b, a)) return 0;
    if (solid_a >= 0 && !solids && is_crossed_by(c, pair.a, b)) return 0;
    if (solid_b >= 0 && crossed && offer_lines(&best, c, who_a, a, pair.b, true)) return best.count;
    if (solid_a >= 0 && crossed && offer_lines(&best, c, who_b, b, pair.a, false)) return best.count;
    // Within a body the owner may be a neighbour, which does not collide; or a joint filter excludes the owner.
    const bool within = who_a->body == who_b->body;
    if (!within && (!owns(who_a, found.a) || !owns(who_b, found.b)) && !sn_contacts_excluded_near(c, pair.a, pair.b))
        return 0;
    out[0] = (sn_slab_contact){.distance = found.gap, .normal = found.normal};
    for (int k = 0; k < 3; k++) out[0].a[k] = found.a[k], out[0].b[k] = found.b[k];
    return 1;
}

// An end of a pill that is inside of a solid, or the middle of what is, of one that goes through. Returns whether there is any, under
// this face or another.
static bool offer_pill_inside(deepest *best, const sn_contacts *c, sn_pair pair, const sn_slab *pill) {
    const sn_slab *face = &c->slab_at[pair.b - c->proxies.count];
    bool any = false;
    for (int k = 0; k < 2; k++) {
        sn_slab_contact contact = {0};
        const sn_solid_place place = sn_contacts_in_solid(c, pair.b, pill->c[k], &contact);
        any = any || place != SN_OUTSIDE;
        if (place != SN_UNDER_THIS_FACE) continue;
        if (k == 0 && sn_has_own_pill(c, pair.a) && !sn_contacts_excluded_near(c, pair.a, pair.b)) continue;
        contact.distance -= pill->r[k] + radius_of(face, contact.b);
        corner_weights(contact.a, k);
        offer(best, &contact);
    }
    return any || offer_line(best, c, pair.b, pill, 0, 1, true);
}

static int contact_pill(const sn_contacts *c, sn_pair pair, sn_real margin, sn_slab_contact out[2], sn_real *gap) {
    const sn_node_slab *who = sn_element_slab(c, pair.b);
    const sn_slab *slab = &c->slab_at[pair.b - c->proxies.count];
    const sn_pill *pill = &c->pill_at[pair.a];
    const bool within = who->body == c->proxies.pills[pair.a].body;
    sn_slab_pair found;
    sn_slab_pill(slab, pill, &found);
    *gap = found.gap;
    if (sn_contacts_is_solid(c, pair.b)) {
        const sn_slab as_slab = pill_slab(pill);
        deepest best = {out, 0};
        if (offer_pill_inside(&best, c, pair, &as_slab)) {
            *gap = sn_min(*gap, 0);
            return best.count;
        }
    }
    if (found.gap > margin) return 0;
    // The deepest point, then the end farther from it, so that a pill that lies on a slab does not rock.
    const sn_real farther = found.b[1] > (sn_real)0.5 ? 0 : 1;
    int count = 0;
    for (int k = 0; k < 2; k++) {
        if (k == 1) {
            const sn_slab ball = farther > 0 ? ball_slab(pill->b, pill->rb) : ball_slab(pill->a, pill->ra);
            if (found.b[1] == farther) break;
            sn_slab_slab(slab, &ball, &found);
            found.b[0] = 1 - farther, found.b[1] = farther;
            if (found.gap > margin) break;
        }
        if (!within && (!owns(who, found.a) || (found.b[1] < NO_WEIGHT && sn_has_own_pill(c, pair.a))) &&
            !sn_contacts_excluded_near(c, pair.a, pair.b))
            continue;
        out[count] = (sn_slab_contact){.a = {found.b[0], found.b[1], 0},
                                       .b = {found.a[0], found.a[1], found.a[2]},
                                       .distance = found.gap,
                                       .normal = sn_mul(-1, found.normal)};
        count++;
    }
    return count;
}

// ---- colliders

// Offers the contact of a slab with a thin triangle or edge of a collider.
static void offer_edge(deepest *best, const sn_node_slab *who, const sn_slab *slab, const sn_slab *edge,
                       sn_real margin) {
    sn_slab_pair found;
    sn_slab_slab(slab, edge, &found);
    const uint32_t feature = feature_of(found.a);
    // Corners were tested against the whole collider, which knows its inside.
    if (found.gap > margin || (feature & 7) || !owns(who, found.a)) return;
    sn_slab_contact contact = {.distance = found.gap, .normal = found.normal};
    for (int k = 0; k < 3; k++) contact.a[k] = found.a[k];
    offer(best, &contact);
}

static void offer_box_edges(deepest *best, const sn_node_slab *who, const sn_slab *slab, const sn_collider *collider,
                            const sn_transform *pose, sn_real margin) {
    for (int axis = 0; axis < 3; axis++)
        for (int corner = 0; corner < 4; corner++) {
            sn_real at[3] = {collider->half.x, collider->half.y, collider->half.z};
            at[(axis + 1) % 3] *= corner & 1 ? 1 : -1;
            at[(axis + 2) % 3] *= corner & 2 ? 1 : -1;
            const sn_vec3 from = sn_v3(at[0], at[1], at[2]);
            at[axis] = -at[axis];
            const sn_vec3 to = sn_v3(at[0], at[1], at[2]);
            const sn_pill edge = {sn_transform_point(pose, from), sn_transform_point(pose, to), 0, 0};
            const sn_slab thin = pill_slab(&edge);
            offer_edge(best, who, slab, &thin, margin);
        }
}

typedef struct {
    deepest *best;
    const sn_node_slab *who;
    sn_slab slab; // in the frame of the mesh
    sn_real margin;
} mesh_search;

static bool near_triangle(void *user, int triangle, const sn_triangle *t) {
    (void)triangle;
    mesh_search *s = user;
    const sn_slab thin = {{t->a, t->b, t->c}, {0, 0, 0}};
    offer_edge(s->best, s->who, &s->slab, &thin, s->margin);
    return true;
}

static void offer_mesh(deepest *best, const sn_node_slab *who, const sn_slab *slab, const sn_collider *collider,
                       const sn_transform *pose, sn_real margin) {
    mesh_search search = {best, who, *slab, margin};
    sn_bounds box = {0};
    for (int k = 0; k < 3; k++) {
        const sn_vec3 p = search.slab.c[k] = sn_transform_inverse_point(pose, slab->c[k]);
        const sn_real wide = slab->r[k] + margin;
        const sn_vec3 lo = sn_sub(p, sn_v3(wide, wide, wide)), hi = sn_add(p, sn_v3(wide, wide, wide));
        if (k == 0) box = (sn_bounds){lo, hi};
        box.lo = sn_v3(sn_min(box.lo.x, lo.x), sn_min(box.lo.y, lo.y), sn_min(box.lo.z, lo.z));
        box.hi = sn_v3(sn_max(box.hi.x, hi.x), sn_max(box.hi.y, hi.y), sn_max(box.hi.z, hi.z));
    }
    const int before = best->count;
    sn_triangle_bvh_visit(&collider->bvh, &box, near_triangle, &search);
    for (int k = before; k < best->count; k++) best->out[k].normal = sn_q_rotate(pose->rotation, best->out[k].normal);
}

static int contact_collider(const sn_contacts *c, int element, const sn_collider *collider, const sn_transform *pose,
                            const sn_slab *slab, sn_real margin, sn_slab_contact out[2]) {
    const sn_node_slab *who = sn_element_slab(c, element);
    deepest best = {out, 0};
    if (collider->kind == SN_GEOMETRY_SPHERE || collider->kind == SN_GEOMETRY_PILL) {
        const sn_pill pill = sn_collider_pill(collider, pose);
        sn_slab_pair found;
        sn_slab_pill(slab, &pill, &found);
        if (found.gap > margin || !owns(who, found.a)) return 0;
        out[0] = (sn_slab_contact){.distance = found.gap, .normal = found.normal};
        for (int k = 0; k < 3; k++) out[0].a[k] = found.a[k];
        return 1;
    }
    for (int k = 0; k < 3; k++) {
        if (!(who->owns >> k & 1) || (k == 2 && who->node[2] == who->node[1])) continue;
        const sn_pill ball = {slab->c[k], slab->c[k], slab->r[k], slab->r[k]};
        sn_contact_point points[2];
        if (sn_collider_contacts(collider, pose, &ball, margin, points) == 0) continue;
        sn_slab_contact contact = {.distance = points[0].distance, .normal = points[0].normal};
        corner_weights(contact.a, k);
        offer(&best, &contact);
    }
    if (best.count > 0) return best.count; // corners suffice; if none has a contact, an edge may poke between them
    if (collider->kind == SN_GEOMETRY_BOX) offer_box_edges(&best, who, slab, collider, pose, margin);
    if (collider->kind == SN_GEOMETRY_MESH) offer_mesh(&best, who, slab, collider, pose, margin);
    return best.count;
}

// ---- gaps and contacts of pairs

sn_real sn_contacts_slab_gap(const sn_contacts *c, sn_pair pair, sn_real max) {
    const sn_slab *b = &c->slab_at[pair.b - c->proxies.count];
    const sn_slab a = sn_is_slab(c, pair.a) ? c->slab_at[pair.a - c->proxies.count] : pill_slab(&c->pill_at[pair.a]);
    sn_real separation = box_separation(&a, b);
    if (!(separation > max)) {
        sn_slab_pair found;
        sn_slab_slab(&a, b, &found);
        separation = found.gap;
    }
    if (!(separation > max)) return separation;
    const int solid_a = sn_contacts_is_solid(c, pair.a) ? pair.a : -1;
    const int solid_b = sn_contacts_is_solid(c, pair.b) ? pair.b : -1;
    return has_corner_inside(c, solid_b, &a) || has_corner_inside(c, solid_a, b) ? 0 : separation;
}

int sn_contacts_slab_contacts(const sn_contacts *c, sn_pair pair, sn_slab_contact out[2], sn_real *gap) {
    sn_real margin = c->margin[pair.a];
    if (pair.b >= c->elements) {
        const sn_collider *collider = c->colliders[pair.b - c->elements];
        const sn_slab *s = &c->slab_at[pair.a - c->proxies.count];
        sn_real moved = 0;
        for (int k = 0; k < 3 && collider->moves; k++)
            moved = sn_max(moved, sn_length(sn_collider_motion(&collider->from, &collider->until, s->c[k])));
        margin += moved;
        return contact_collider(c, pair.a, collider, &collider->from, &c->slab_at[pair.a - c->proxies.count], margin,
                                out);
    }
    margin = sn_contacts_slab_margin(c, pair);
    return sn_is_slab(c, pair.a) ? contact_slabs(c, pair, margin, out, gap) : contact_pill(c, pair, margin, out, gap);
}

// A side of a contact now. If the contact is at a corner or at an end of a pill, it stays at that sphere.
static sn_slab side_now(const sn_contacts *c, int element, const sn_real weight[3], bool *ball) {
    if (sn_is_slab(c, element)) {
        const sn_slab *s = &c->slab_now[element - c->proxies.count];
        *ball = feature_of(weight) & 7;
        return *ball ? corner_slab(s, weight[0] > NO_WEIGHT ? 0 : weight[1] > NO_WEIGHT ? 1 : 2) : *s;
    }
    const sn_pill *p = &c->pill_now[element];
    *ball = weight[1] <= 0 || weight[1] >= 1;
    return *ball ? (weight[1] <= 0 ? ball_slab(p->a, p->ra) : ball_slab(p->b, p->rb)) : pill_slab(p);
}

static void put_weights(const sn_contacts *c, sn_contact_block *b, int i, int side, const sn_real weight[3]) {
    sn_real *second = (side ? b->beta : b->alpha) + i;
    if (!sn_form_third(b->form, side)) {
        *second = weight[1] + weight[2];
        return;
    }
    const int32_t driver[3] = {b->driver[2 * side][i], b->driver[2 * side + 1][i], b->third_driver[side][i]};
    sn_real share[3];
    sn_contacts_weigh_drivers(c, b->pill[side][i], weight, driver, share);
    *second = share[1], b->third[side][i] = share[2];
    b->spot[side][0][i] = weight[1], b->spot[side][1][i] = weight[2];
}

// Weights of the contact point on a side.
static void spot_of(const sn_contact_block *b, int i, int side, sn_real weight[3]) {
    const bool third = sn_form_third(b->form, side);
    weight[1] = third ? b->spot[side][0][i] : (side ? b->beta : b->alpha)[i];
    weight[2] = third ? b->spot[side][1][i] : 0;
    weight[0] = 1 - weight[1] - weight[2];
}

// ---- drivers

void sn_contacts_find_drivers(const sn_contacts *c, int element, const sn_real spot[3], int32_t driver[3]) {
    const sn_node_slab *who = sn_element_slab(c, element);
    for (int k = 0; k < 3; k++) driver[k] = who->node[k];
    if (!who->driven) return;
    int32_t node[3 * SN_DRIVERS];
    sn_real weight[3 * SN_DRIVERS];
    int count = 0;
    for (int k = 0; k < (who->node[1] == who->node[2] ? 2 : 3); k++) {
        const sn_node_driver *from = &c->proxies.drivers[who->node[k]];
        const sn_real share = k == 1 && who->node[1] == who->node[2] ? spot[1] + spot[2] : spot[k];
        for (int i = 0; i < SN_DRIVERS; i++) {
            int at = 0;
            while (at < count && node[at] != from->node[i]) at++;
            if (at == count) node[count] = from->node[i], weight[count++] = 0;
            weight[at] += share * from->weight[i];
        }
    }
    for (int k = 0; k < 3; k++) { // the largest weights; of equals, the first found
        int best = -1;
        for (int i = 0; i < count; i++)
            if (node[i] >= 0 && (best < 0 || weight[i] > weight[best])) best = i;
        SN_ASSERT(best >= 0); // drivers are different nodes, at least three (geometry/proxy.h)
        driver[k] = node[best], node[best] = -1;
    }
}

void sn_contacts_weigh_drivers(const sn_contacts *c, int element, const sn_real spot[3], const int32_t driver[3],
                               sn_real weight[3]) {
    const sn_node_slab *who = sn_element_slab(c, element);
    for (int k = 0; k < 3; k++) weight[k] = who->driven ? 0 : spot[k];
    if (!who->driven) return;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < SN_DRIVERS; i++)
            for (int at = 0; at < 3; at++)
                if (c->proxies.drivers[who->node[k]].node[i] == driver[at])
                    weight[at] += spot[k] * c->proxies.drivers[who->node[k]].weight[i];
    const sn_real sum = weight[0] + weight[1] + weight[2];
    for (int k = 0; k < 3; k++) weight[k] = sum > 0 ? weight[k] / sum : k == 0;
}

// ---- updating contacts

#define DEEP ((sn_real)0.25) // of the radii: so near each other the middles do not tell the normal well

void sn_contacts_refresh_slabs(const sn_contacts *c, sn_contact_block *b, sn_real same_side) {
    for (int i = 0; i < b->count; i++) {
        sn_real a[3], other[3];
        spot_of(b, i, 0, a), spot_of(b, i, 1, other);
        const sn_vec3 normal = sn_v3(b->n[0][i], b->n[1][i], b->n[2][i]);
        bool ball_a = false, ball_b = true;
        const sn_slab side_a = side_now(c, b->pill[0][i], a, &ball_a);
        sn_slab side_b;
        if (b->form == SN_SLAB_COLLIDER) {
            const sn_collider *collider = c->colliders[b->collider[i]];
            if (collider->kind != SN_GEOMETRY_SPHERE && collider->kind != SN_GEOMETRY_PILL)
                continue; // flat: the normal does not change
            const sn_pill pill = sn_collider_pill(collider, &collider->until);
            side_b = pill_slab(&pill);
        } else {
            side_b = side_now(c, b->pill[1][i], other, &ball_b);
        }
        sn_slab_pair found;
        sn_slab_slab(&side_a, &side_b, &found);
        if (!(sn_dot(found.normal, normal) >= same_side)) continue;
        if (found.gap < -DEEP * (radius_of(&side_a, found.a) + radius_of(&side_b, found.b))) continue;
        b->n[0][i] = found.normal.x, b->n[1][i] = found.normal.y, b->n[2][i] = found.normal.z;
        if (!ball_a) put_weights(c, b, i, 0, found.a);
        if (b->form != SN_SLAB_COLLIDER) {
            if (!ball_b) put_weights(c, b, i, 1, found.b);
            continue;
        }
        sn_vec3 centre = sn_v3(0, 0, 0);
        sn_real radius = 0;
        for (int k = 0; k < 3; k++) {
            centre = sn_mul_add(centre, found.a[k], side_a.c[k]);
            radius += found.a[k] * side_a.r[k];
        }
        const sn_vec3 anchor = sn_mul_add(centre, -(radius + found.gap), found.normal);
        b->anchor[0][i] = anchor.x, b->anchor[1][i] = anchor.y, b->anchor[2][i] = anchor.z;
    }
}

sn_real sn_contacts_slab_depth(const sn_contacts *c, sn_pair pair) {
    sn_slab_contact contact[2];
    if (pair.b >= c->elements) {
        const sn_collider *collider = c->colliders[pair.b - c->elements];
        const sn_slab *slab = &c->slab_at[pair.a - c->proxies.count];
        sn_real worst = 0;
        for (int k = contact_collider(c, pair.a, collider, &collider->now, slab, 0, contact) - 1; k >= 0; --k)
            worst = sn_max(worst, -contact[k].distance / sn_max(radius_of(slab, contact[k].a), (sn_real)1e-9));
        return worst;
    }
    const sn_slab *b = &c->slab_at[pair.b - c->proxies.count];
    const sn_slab a = sn_is_slab(c, pair.a) ? c->slab_at[pair.a - c->proxies.count] : pill_slab(&c->pill_at[pair.a]);
    sn_slab_pair found;
    sn_slab_slab(&a, b, &found);
    return sn_max(-found.gap, 0) / sn_max(sn_min(radius_of(&a, found.a), radius_of(b, found.b)), (sn_real)1e-9);
}
