// The puffer ball: a ball with a string at every vertex of an icosahedron whose edges are divided into eight.
//
// Its triangles are those of an icosahedron with edges divided into 8 * 3 q, projected onto the ball. Around each of
// the 642 string positions, the triangles within q edges are the string's tip: they are moved outward, and rings of
// quads close the gap.
//
//          ___            tip: the moved triangles, rounded
//         |   |           rings: 6 q vertices each (5 q at the icosahedron's own corners), tapering
//     ____|   |____       ball
//
// Finally everything is twisted about y by an angle that grows with the distance. Such a twist is one-to-one, so the
// strings do not cross.
#include "mesh/maths.h"
#include "zoo/puffer_body.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRINGS_EDGE = 8, STRINGS = 10 * STRINGS_EDGE * STRINGS_EDGE + 2 };

static const double ball = 0.5, string_length = 0.34, string_taper = 0.55, whirl = 0.35;

// Corners: the poles, and two rings of five.
static void icosahedron_corner(int i, double out[3]) {
    const double angle = 0.2 * 3.14159265358979323846 * (i <= 5 ? 2 * i : 2 * i + 1), level = 1 / sqrt(5.0);
    out[0] = i == 0 || i == 11 ? 0 : 2 * level * own_cos(angle);
    out[1] = i == 0 ? 1 : i == 11 ? -1 : i <= 5 ? level : -level;
    out[2] = i == 0 || i == 11 ? 0 : -2 * level * own_sin(angle);
}

static const int icosahedron[20][3] = {{0, 1, 2},  {0, 2, 3},  {0, 3, 4},  {0, 4, 5},   {0, 5, 1},
                                       {1, 6, 2},  {2, 7, 3},  {3, 8, 4},  {4, 9, 5},   {5, 10, 1},
                                       {2, 6, 7},  {3, 7, 8},  {4, 8, 9},  {5, 9, 10},  {1, 10, 6},
                                       {11, 7, 6}, {11, 8, 7}, {11, 9, 8}, {11, 10, 9}, {11, 6, 10}};

// Vertices of the divided icosahedron: on a face, i steps towards its second corner and j towards its third. Vertices
// on edges and corners are shared by faces and numbered once.
typedef struct {
    int cuts;
    int edge_first[12][12]; // first vertex of the edge between two corners, counted from the smaller corner
    int inner_first;        // first inner vertex of the first face
} net;

static int net_count(int cuts) {
    return 10 * cuts * cuts + 2;
}

static void net_make(net *n, int cuts) {
    int next = 12;
    memset(n, 0, sizeof *n);
    n->cuts = cuts;
    for (int f = 0; f < 20; f++)
        for (int k = 0; k < 3; k++) {
            const int a = icosahedron[f][k], b = icosahedron[f][(k + 1) % 3];
            if (a > b) continue; // every edge is in two faces, once in each direction
            n->edge_first[a][b] = next;
            next += cuts - 1;
        }
    n->inner_first = next;
}

static int on_edge(const net *n, int a, int b, int steps) {
    if (steps == 0) return a;
    if (steps == n->cuts) return b;
    return a < b ? n->edge_first[a][b] + steps - 1 : n->edge_first[b][a] + n->cuts - steps - 1;
}

static int net_vertex(const net *n, int face, int i, int j) {
    const int *c = icosahedron[face];
    if (j == 0) return on_edge(n, c[0], c[1], i);
    if (i == 0) return on_edge(n, c[0], c[2], j);
    if (i + j == n->cuts) return on_edge(n, c[1], c[2], j);
    const int inner = (n->cuts - 1) * (n->cuts - 2) / 2, rows = j - 1; // row j has cuts - 1 - j of them
    return n->inner_first + face * inner + rows * (n->cuts - 2) - rows * (rows - 1) / 2 + i - 1;
}

static void unit(double v[3]) {
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) v[k] /= length;
}

// Spherical interpolation: positions along great circles, which keeps edge lengths similar.
static void between(const double a[3], const double b[3], double t, double out[3]) {
    const double angle = own_acos(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    for (int k = 0; k < 3; k++) out[k] = (own_sin((1 - t) * angle) * a[k] + own_sin(t * angle) * b[k]) / own_sin(angle);
}

static void net_position(int face, double i, double j, double cuts, double out[3]) {
    double c[3][3], sum[3] = {0};
    const double t[3] = {(cuts - i - j) / cuts, i / cuts, j / cuts};
    for (int k = 0; k < 3; k++) icosahedron_corner(icosahedron[face][k], c[k]);
    // The mean over the three ways to interpolate in the triangle, which treats all corners equally.
    for (int k = 0; k < 3; k++) {
        double p[3], q[3], r[3];
        const double *a = c[k], *b = c[(k + 1) % 3], *d = c[(k + 2) % 3], remainder = 1 - t[k];
        if (remainder < 1e-12) {
            memcpy(out, a, 3 * sizeof *out);
            return;
        }
        between(a, b, remainder, p);
        between(a, d, remainder, q);
        const double cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        if (cosine > 1 - 1e-12)
            memcpy(r, p, sizeof r);
        else
            between(p, q, t[(k + 2) % 3] / remainder, r);
        for (int m = 0; m < 3; m++) sum[m] += r[m];
    }
    unit(sum);
    memcpy(out, sum, 3 * sizeof *out);
}

typedef struct {
    net n;
    int q, rings;
    double (*position)[3]; // of all vertices, on the unit sphere
    int *string;           // of each vertex: the centre of its string's tip, -1: on the ball
    int *ring;             // edges from that centre
} puffer;

// Finds the string of a vertex: strings are at multiples of 3 q steps; the distance on a triangular grid is the largest
// difference of the three coordinates that sum to 0.
static void find_string(puffer *p, int face, int i, int j) {
    const int step = 3 * p->q, v = net_vertex(&p->n, face, i, j);
    const int nearest_i = (i + step / 2) / step * step, nearest_j = (j + step / 2) / step * step;
    for (int a = nearest_i - step; a <= nearest_i + step; a += step)
        for (int b = nearest_j - step; b <= nearest_j + step; b += step) {
            if (a < 0 || b < 0 || a + b > p->n.cuts) continue;
            const int x = abs(i - a), y = abs(j - b), z = abs(i + j - a - b);
            const int distance = x > y ? (x > z ? x : z) : (y > z ? y : z);
            if (distance > p->q) continue;
            p->string[v] = net_vertex(&p->n, face, a, b);
            p->ring[v] = distance;
        }
}

static bool puffer_make(puffer *p, int q, int rings) {
    *p = (puffer){.q = q, .rings = rings};
    net_make(&p->n, STRINGS_EDGE * 3 * q);
    const size_t count = (size_t)net_count(p->n.cuts);
    p->position = malloc(count * sizeof *p->position);
    p->string = malloc(count * sizeof *p->string);
    p->ring = calloc(count, sizeof *p->ring);
    if (!p->position || !p->string || !p->ring) return false;
    for (size_t v = 0; v < count; v++) p->string[v] = -1;
    for (int face = 0; face < 20; face++)
        for (int j = 0; j <= p->n.cuts; j++)
            for (int i = 0; i + j <= p->n.cuts; i++) {
                net_position(face, i, j, p->n.cuts, p->position[net_vertex(&p->n, face, i, j)]);
                find_string(p, face, i, j);
            }
    return true;
}

static void puffer_free(puffer *p) {
    free(p->position);
    free(p->string);
    free(p->ring);
}

// Position of vertex 'v' of a string at height t, 0 to 1 along the string, in its ring or the tip.
static void string_position(const puffer *p, int v, double t, double out[3]) {
    const double *axis = p->position[p->string[v]];
    double radial[3], length = 0, along = 0;
    const double thick =
        ball * 0.36 / (STRINGS_EDGE * 1.0) * 0.92; // 0.92: an edge of the first division is 1.1 / 8 long
    for (int k = 0; k < 3; k++) along += p->position[v][k] * axis[k];
    for (int k = 0; k < 3; k++) radial[k] = p->position[v][k] - along * axis[k], length += radial[k] * radial[k];
    length = sqrt(length);
    const double part = (double)p->ring[v] / p->q; // 1 on rings, 0 at the centre of the tip
    const double radius = thick * (1 - (1 - string_taper) * t);
    const double tip = t < 1 ? 0 : radius * own_cos(0.5 * 3.14159265358979323846 * part);
    const double width = t < 1 ? radius : radius * own_sin(0.5 * 3.14159265358979323846 * part);
    for (int k = 0; k < 3; k++)
        out[k] = (ball + string_length * t + tip) * axis[k] + (length > 0 ? width * radial[k] / length : 0);
}

static void twist(const double p[3], float out[3]) {
    const double distance = (sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - ball) / string_length;
    const double angle = distance > 0 ? whirl * distance * distance : 0;
    out[0] = (float)(own_cos(angle) * p[0] + own_sin(angle) * p[2]);
    out[1] = (float)p[1];
    out[2] = (float)(own_cos(angle) * p[2] - own_sin(angle) * p[0]);
}

// Index of a string's rim vertex in ring r: 0 is on the ball, 'rings' is the tip's own.
static int ring_vertex(const puffer *p, const int *first, int v, int r) {
    if (r == p->rings) return v;
    return first[v] + r;
}

static void add(sn_mesh *mesh, int a, int b, int c) {
    int *t = mesh->triangle[mesh->triangle_count++];
    t[0] = a, t[1] = b, t[2] = c;
}

// A triangle of the net: on the ball, on a tip, or on the ball next to a string.
static void add_triangle(const puffer *p, const int *first, const int corner[3], sn_mesh *mesh) {
    int used[3];
    bool tip = p->string[corner[0]] >= 0;
    for (int k = 1; k < 3; k++) tip = tip && p->string[corner[k]] == p->string[corner[0]];
    for (int k = 0; k < 3; k++)
        used[k] = !tip && p->string[corner[k]] >= 0 ? ring_vertex(p, first, corner[k], 0) : corner[k];
    add(mesh, used[0], used[1], used[2]);
    for (int k = 0; k < 3 && tip; k++) { // the tip's rim: rings down to the ball
        const int a = corner[k], b = corner[(k + 1) % 3];
        if (p->ring[a] < p->q || p->ring[b] < p->q) continue;
        for (int r = 0; r < p->rings; r++) {
            const int a0 = ring_vertex(p, first, a, r), b0 = ring_vertex(p, first, b, r);
            const int a1 = ring_vertex(p, first, a, r + 1), b1 = ring_vertex(p, first, b, r + 1);
            add(mesh, a0, b0, b1);
            add(mesh, a0, b1, a1);
        }
    }
}

static bool puffer_mesh(const puffer *p, sn_mesh *out) {
    const int count = net_count(p->n.cuts);
    int *first = malloc((size_t)count * sizeof *first), vertices = count;
    if (!first) return false;
    for (int v = 0; v < count; v++) {
        first[v] = vertices;
        if (p->ring[v] == p->q) vertices += p->rings;
    }
    const int triangles = 20 * p->n.cuts * p->n.cuts + 2 * p->rings * (vertices - count) / p->rings;
    const bool good = sn_mesh_alloc(out, vertices, triangles, 0);
    out->triangle_count = 0;
    for (int v = 0; v < count && good; v++) {
        double at[3];
        if (p->string[v] < 0)
            for (int k = 0; k < 3; k++) at[k] = ball * p->position[v][k];
        else
            string_position(p, v, 1, at);
        twist(at, out->position[v]);
        for (int r = 0; r < p->rings && p->ring[v] == p->q; r++) {
            if (r == 0)
                for (int k = 0; k < 3; k++) at[k] = ball * p->position[v][k];
            else
                string_position(p, v, (double)r / p->rings, at);
            twist(at, out->position[first[v] + r]);
        }
    }
    for (int face = 0; face < 20 && good; face++)
        for (int j = 0; j < p->n.cuts; j++)
            for (int i = 0; i + j < p->n.cuts; i++) {
                const int a = net_vertex(&p->n, face, i, j), b = net_vertex(&p->n, face, i + 1, j),
                          c = net_vertex(&p->n, face, i, j + 1);
                add_triangle(p, first, (int[3]){a, b, c}, out);
                if (i + j + 2 > p->n.cuts) continue;
                add_triangle(p, first, (int[3]){b, net_vertex(&p->n, face, i + 1, j + 1), c}, out);
            }
    free(first);
    return good;
}

bool zoo_puffer(int triangles, sn_mesh *out) {
    // Finer strings as soon as there are enough triangles for four rings per step around.
    int q = 1;
    while (11520.0 * (q + 1) * (q + 1) + 7700.0 * (q + 1) * 4 * (q + 1) <= triangles) q++;
    double rings = floor((triangles - 11520.0 * q * q) / (7700.0 * q) + 0.5);
    rings = rings < 3 ? 3 : rings > 24 * q ? 24 * q : rings;
    puffer p;
    *out = (sn_mesh){0};
    const bool good = puffer_make(&p, q, (int)rings) && puffer_mesh(&p, out);
    puffer_free(&p);
    if (!good) sn_mesh_free(out);
    return good;
}
