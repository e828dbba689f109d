// Bowyer and Watson's algorithm: points are inserted one by one. The tetrahedra whose circumsphere contains the new
// point form a connected cavity, which is replaced by new tetrahedra between the point and the cavity's faces.
//
//     locate         walk from the last tetrahedron towards the point, through any face that has it on the other side
//     find_cavity    from there to all neighbours whose sphere contains the point
//     fill_cavity    a new tetrahedron on each face; neighbours are matched by their common edge
//
// The outside consists of tetrahedra too: each face of the hull has one with the corner AT_INFINITY, whose 'sphere' is
// the open half space outside of the face together with the inside of the face's circle. Points on a sphere count as
// outside of it. With these rules and exact signs the cavity is always star-shaped around the point, and no new
// tetrahedron is flat: if the point were in the plane of a face of the cavity, it would be inside the face's circle,
// which both spheres at the face share, and both tetrahedra would be in the cavity.
//
// Insertion order: random rounds of doubling size, so that the cloud is sampled early and cavities stay small, and
// along a Hilbert curve within a round, so that walks are short and memory stays in cache.
#include "tets/delaunay.h"
#include "mesh/array.h"
#include "mesh/curve_order.h"
#include "mesh/exact_predicates.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { AT_INFINITY = -1, NO_TET = -1 };

typedef struct {
    int corner[4]; // AT_INFINITY is always the last
    int next[4];   // across the face opposite to each corner
    int mark;      // 2 * the point it was last tested for, + 1 if it is in its cavity; -1: free
} cell;

// An edge of the cavity's boundary, and the new face at it that still lacks its neighbour.
typedef struct {
    int low, high, cell, face, stamp;
} edge_slot;

typedef struct {
    const double (*point)[3];
    cell *cells;
    int cell_count, cell_capacity, free_count, free_capacity;
    int *free_list;
    int *cavity; // cells to be removed
    int cavity_count, cavity_capacity;
    edge_slot *edges;
    int edge_capacity, stamp; // capacity: a power of two
    int last;                 // where walks start
    uint32_t random;
} triangulation;

// ---- memory

static int allocate_cell(triangulation *t) {
    if (t->free_count) return t->free_list[--t->free_count];
    if (!ARRAY_RESERVE(t->cells, t->cell_capacity, t->cell_count + 1)) return NO_TET;
    return t->cell_count++;
}

// ---- geometry

static const double *at(const triangulation *t, int corner) {
    return t->point[corner];
}

// The side of a face of a cell: positive where the opposite corner is.
static int side(const triangulation *t, const cell *c, int face, const double p[3]) {
    const double *x[4];
    for (int k = 0; k < 4; k++) x[k] = k == face ? p : at(t, c->corner[k]);
    return exact_orient3d(x[0], x[1], x[2], x[3]);
}

static bool in_conflict(const triangulation *t, int index, const double p[3]) {
    const cell *c = &t->cells[index];
    if (c->corner[3] == AT_INFINITY) {
        const int s = side(t, c, 3, p);
        if (s != 0) return s > 0;
        c = &t->cells[c->next[3]]; // coplanar: both spheres at the face intersect its plane in the same circle
    }
    return exact_insphere(at(t, c->corner[0]), at(t, c->corner[1]), at(t, c->corner[2]), at(t, c->corner[3]), p) > 0;
}

// Finds the cell that contains the point or, outside of the hull, an outer cell whose face sees it.
static int locate(triangulation *t, const double p[3]) {
    int now = t->last, from = NO_TET;
    if (t->cells[now].corner[3] == AT_INFINITY) now = t->cells[now].next[3];
    for (;;) {
        const cell *c = &t->cells[now];
        if (c->corner[3] == AT_INFINITY) return now;
        t->random = t->random * 1664525u + 1013904223u; // start at a random face, so that walks cannot cycle
        const int start = (int)(t->random >> 30);
        int face = 0;
        for (; face < 4; face++) {
            const int f = (start + face) & 3;
            if (c->next[f] == from || side(t, c, f, p) >= 0) continue;
            from = now;
            now = c->next[f];
            break;
        }
        if (face == 4) return now;
    }
}

// ---- inserting

// Collects the cavity of the point into t->cavity. False: out of memory.
static bool find_cavity(triangulation *t, int start, int index, const double p[3], int *faces) {
    const int seen = 2 * index, inside = seen + 1;
    t->cavity_count = 0;
    *faces = 0;
    if (!ARRAY_RESERVE(t->cavity, t->cavity_capacity, 1)) return false;
    t->cells[start].mark = inside;
    t->cavity[t->cavity_count++] = start;
    for (int i = 0; i < t->cavity_count; i++) {
        for (int k = 0; k < 4; k++) {
            const int other = t->cells[t->cavity[i]].next[k];
            int *mark = &t->cells[other].mark;
            if (*mark != seen && *mark != inside) {
                *mark = in_conflict(t, other, p) ? inside : seen;
                if (*mark == inside) {
                    if (!ARRAY_RESERVE(t->cavity, t->cavity_capacity, t->cavity_count + 1)) return false;
                    t->cavity[t->cavity_count++] = other;
                }
            }
            *faces += *mark == seen;
        }
    }
    return true;
}

// Connects the face of a new cell, with the new point and the edge a b, to the other new face at that edge.
static void connect_face(triangulation *t, int a, int b, int index, int face) {
    const int low = a < b ? a : b, high = a < b ? b : a;
    uint32_t slot = ((uint32_t)low * 2654435761u) ^ ((uint32_t)high * 2246822519u);
    slot ^= slot >> 15;
    for (;; slot++) {
        edge_slot *e = &t->edges[slot & (uint32_t)(t->edge_capacity - 1)];
        if (e->stamp != t->stamp) {
            *e = (edge_slot){low, high, index, face, t->stamp};
            return;
        }
        if (e->low != low || e->high != high) continue;
        t->cells[index].next[face] = e->cell;
        t->cells[e->cell].next[e->face] = index;
        return;
    }
}

// Resizes the edge table for a cavity with this many faces, so that it is at most half full.
static bool reserve_edges(triangulation *t, int faces) {
    int capacity = t->edge_capacity ? t->edge_capacity : 256;
    while (capacity < 3 * faces) capacity *= 2;
    if (capacity == t->edge_capacity) return true;
    edge_slot *created = calloc((size_t)capacity, sizeof *created);
    if (!created) return false;
    free(t->edges);
    t->edges = created;
    t->edge_capacity = capacity;
    t->stamp = 0;
    return true;
}

static bool fill_cavity(triangulation *t, int index, int faces) {
    const int inside = 2 * index + 1;
    if (!reserve_edges(t, faces)) return false;
    if (!ARRAY_RESERVE(t->free_list, t->free_capacity, t->free_count + t->cavity_count + faces)) return false;
    t->stamp++;
    for (int i = 0; i < t->cavity_count; i++) {
        const cell old = t->cells[t->cavity[i]];
        for (int k = 0; k < 4; k++) {
            if (t->cells[old.next[k]].mark == inside) continue;
            const int created = allocate_cell(t);
            if (created == NO_TET) return false;
            cell *c = &t->cells[created], *beyond = &t->cells[old.next[k]];
            *c = (cell){.mark = 2 * index};
            for (int m = 0; m < 4; m++) c->corner[m] = m == k ? index : old.corner[m];
            c->next[k] = old.next[k];
            int back = 0; // the face of the outer neighbour towards the cavity
            while (beyond->next[back] != t->cavity[i]) back++;
            beyond->next[back] = created;
            for (int m = 0; m < 4; m++) {
                if (m == k) continue;
                int edge[2], n = 0;
                for (int j = 0; j < 4; j++)
                    if (j != k && j != m) edge[n++] = c->corner[j];
                connect_face(t, edge[0], edge[1], created, m);
            }
            t->last = created;
        }
    }
    for (int i = 0; i < t->cavity_count; i++) { // only now: the marks were needed above
        t->cells[t->cavity[i]].mark = -1;
        t->free_list[t->free_count++] = t->cavity[i];
    }
    return true;
}

// False: out of memory. A point at the position of another is left out.
static bool insert(triangulation *t, int index, int *same) {
    const double *p = at(t, index);
    const int start = locate(t, p);
    for (int k = 0; k < 4; k++) {
        const int corner = t->cells[start].corner[k];
        if (corner == AT_INFINITY || at(t, corner)[0] != p[0] || at(t, corner)[1] != p[1] || at(t, corner)[2] != p[2])
            continue;
        *same = corner;
        return true;
    }
    int faces;
    return find_cavity(t, start, index, p, &faces) && fill_cavity(t, index, faces);
}

// ---- the order

// The index along a Hilbert curve through a cube of 2^16 cells a side (after Skilling: the bits of the coordinates are
// rotated and swapped from the top down, then Gray-coded).
static uint64_t hilbert(uint32_t x[3]) {
    for (uint32_t q = 1u << 15; q > 1; q >>= 1) {
        const uint32_t below = q - 1;
        for (int i = 0; i < 3; i++) {
            if (x[i] & q) {
                x[0] ^= below;
            } else {
                const uint32_t t = (x[0] ^ x[i]) & below;
                x[0] ^= t;
                x[i] ^= t;
            }
        }
    }
    for (int i = 1; i < 3; i++) x[i] ^= x[i - 1];
    uint32_t t = 0;
    for (uint32_t q = 1u << 15; q > 1; q >>= 1)
        if (x[2] & q) t ^= q - 1;
    uint64_t key = 0;
    for (int bit = 15; bit >= 0; --bit)
        for (int i = 0; i < 3; i++) key = key << 1 | ((x[i] ^ t) >> bit & 1);
    return key;
}

static void sort_points(const double (*points)[3], int count, curve_entry *order) {
    double low[3], high[3], longest = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = points[0][k];
        for (int i = 1; i < count; i++) {
            if (points[i][k] < low[k]) low[k] = points[i][k];
            if (points[i][k] > high[k]) high[k] = points[i][k];
        }
        if (high[k] - low[k] > longest) longest = high[k] - low[k];
    }
    int rounds = 0;
    while ((count >> rounds) > 1000) rounds++;
    for (int i = 0; i < count; i++) {
        uint32_t x[3], random = (uint32_t)i * 2654435761u;
        for (int k = 0; k < 3; k++) x[k] = longest > 0 ? (uint32_t)((points[i][k] - low[k]) / longest * 65535) : 0;
        random ^= random >> 16, random *= 2246822519u, random ^= random >> 13;
        int round = rounds; // half of all points are in the last round, a quarter in the one before, ...
        while (round > 0 && random & 1) --round, random >>= 1;
        order[i] = (curve_entry){(uint64_t)round << 48 | hilbert(x), i};
    }
    curve_sort(order, count);
}

// ---- first tetrahedron and result

static bool are_collinear(const double a[3], const double b[3], const double c[3]) {
    // coplanar with a point off each axis in turn: no plane is defined
    const double far = 1 + fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
    for (int k = 0; k < 3; k++) {
        double off[3] = {a[0], a[1], a[2]};
        off[k] += far;
        if (exact_orient3d(a, b, c, off) != 0) return false;
    }
    return true;
}

static bool equal(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Moves the first four points in the order that are not coplanar to its front.
static bool choose_first_tet(const double (*points)[3], int count, curve_entry *order) {
    int chosen = 1;
    for (int i = 1; i < count && chosen < 4; i++) {
        const double *p = points[order[i].index], *a = points[order[0].index], *b = points[order[1].index];
        const double *c = points[order[2 < count ? 2 : 1].index];
        const bool good = chosen == 1   ? !equal(a, p)
                          : chosen == 2 ? !are_collinear(a, b, p)
                                        : exact_orient3d(a, b, c, p) != 0;
        if (!good) continue;
        const curve_entry found = order[i];
        memmove(&order[chosen + 1], &order[chosen], (size_t)(i - chosen) * sizeof *order);
        order[chosen++] = found;
    }
    return chosen == 4;
}

static bool start(triangulation *t, const curve_entry *order) {
    int v[4] = {order[0].index, order[1].index, order[2].index, order[3].index};
    if (exact_orient3d(at(t, v[0]), at(t, v[1]), at(t, v[2]), at(t, v[3])) < 0) {
        const int first = v[0];
        v[0] = v[1], v[1] = first;
    }
    if (!ARRAY_RESERVE(t->cells, t->cell_capacity, 5)) return false;
    t->cells[0] =
        (cell){{v[0], v[1], v[2], v[3]}, {1, 2, 3, 4}, 2 * v[0]}; // marks of a point that is not inserted again
    // Cell k + 1 is outside of the face opposite to corner k, oriented so that outside is its positive side.
    static const int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int k = 0; k < 4; k++) {
        cell *c = &t->cells[k + 1];
        *c = (cell){.mark = 2 * v[0]};
        // opposite to corner j of the face is the outer cell of the face without j
        for (int i = 0; i < 3; i++) c->corner[i] = v[outward[k][i]], c->next[i] = outward[k][i] + 1;
        c->corner[3] = AT_INFINITY;
        c->next[3] = 0;
    }
    t->cell_count = 5;
    t->last = 0;
    return true;
}

// Copies the inner cells in their order.
static bool copy_result(triangulation *t, sn_delaunay *out) {
    int count = 0;
    for (int i = 0; i < t->cell_count; i++) {
        cell *c = &t->cells[i];
        const bool is_inner = c->mark >= 0 && c->corner[3] != AT_INFINITY;
        c->mark = is_inner ? count++ : -1;
    }
    out->tet = malloc((size_t)count * sizeof *out->tet);
    out->neighbour = malloc((size_t)count * sizeof *out->neighbour);
    if (!out->tet || !out->neighbour) return false;
    for (int i = 0; i < t->cell_count; i++) {
        const cell *c = &t->cells[i];
        for (int k = 0; k < 4 && c->mark >= 0; k++) {
            out->tet[c->mark][k] = c->corner[k];
            out->neighbour[c->mark][k] = t->cells[c->next[k]].mark;
        }
    }
    out->tet_count = count;
    return true;
}

delaunay_result sn_delaunay_make(const double (*points)[3], int count, sn_delaunay *out) {
    *out = (sn_delaunay){0};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(points[i][k]) <= 1e40)) return DELAUNAY_RANGE;
    if (count < 4) return DELAUNAY_FLAT;
    if (count > INT32_MAX / 16) return DELAUNAY_MEMORY;
    triangulation t = {.point = points, .random = 1};
    delaunay_result result = DELAUNAY_MEMORY;
    curve_entry *order = malloc((size_t)count * sizeof *order);
    out->duplicate_of = malloc((size_t)count * sizeof *out->duplicate_of);
    if (order && out->duplicate_of) {
        sort_points(points, count, order);
        bool good = choose_first_tet(points, count, order);
        result = good ? DELAUNAY_MEMORY : DELAUNAY_FLAT;
        good = good && start(&t, order);
        for (int i = 0; i < count; i++) out->duplicate_of[i] = i;
        for (int i = 4; i < count && good; i++) good = insert(&t, order[i].index, &out->duplicate_of[order[i].index]);
        for (int i = 0; i < count; i++) out->duplicate_count += out->duplicate_of[i] != i;
        if (good && copy_result(&t, out)) result = DELAUNAY_OK;
    }
    free(order);
    free(t.cells);
    free(t.free_list);
    free(t.cavity);
    free(t.edges);
    if (result != DELAUNAY_OK) sn_delaunay_free(out);
    return result;
}

void sn_delaunay_free(sn_delaunay *d) {
    free(d->tet);
    free(d->neighbour);
    free(d->duplicate_of);
    *d = (sn_delaunay){0};
}
