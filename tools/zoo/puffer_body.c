// Builds the tetrahedra and the spheres of the puffer ball from its surface. The order of the surface's vertices
// (puffer.c) identifies the strings: first come those of a divided icosahedron, with strings moved to their tips; then,
// for each vertex of a tip's rim, those of its line from the ball upward.
//
//        t            t: centre of the tip
//       /|\           v: its rim, the upper ends of lines
//      v-o-v          o: the string's axis, one new vertex per ring
//      | | |          a wedge between two lines and the axis, from ring to ring, is three tetrahedra
//      x-o-x          x: the lower ends of lines, on the ball
//     (  ball  )
//
// The ball is filled by the Delaunay tetrahedra of its surface and of shells of points, coarser towards the centre.
#include "zoo/puffer_body.h"
#include "mesh/maths.h"
#include "mesh/mesh_query.h"
#include "tets/delaunay.h"
#include "tets/tet_improve.h"
#include "zoo/surfaces.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NET = 5762, LINES = 3840, STRINGS = 642, NODES = 3, BALLS = 7 };
enum { SHELL_CUTS = 3, SHELL = 10 * SHELL_CUTS * SHELL_CUTS + 2, SHELL_SLABS = 20 * SHELL_CUTS * SHELL_CUTS };
enum { FIRST_STRING = BALLS + SHELL };
// Thickness of the ball's shell, and how far its spheres protrude at the corners to compensate for the flat slabs.
static const double ball = 0.5, shell = 0.18, shell_more = 0.005;

void zoo_puffer_body_free(zoo_puffer_body *body) {
    sn_mesh_free(&body->surface);
    sn_tet_mesh_free(&body->tets);
    sn_medial_mesh_free(&body->medial);
    free(body->handle);
    *body = (zoo_puffer_body){0};
}

typedef struct {
    const sn_mesh *surface;
    int rings;               // per line: vertices below the rim
    int line[NET];           // of each net vertex on a rim, else -1
    int tip[NET];            // the string whose tip centre it is, else -1
    int corner[STRINGS][6];  // rim vertices in order
    int corners[STRINGS];    // 6, or 5 at the icosahedron's own corners
    int tip_vertex[STRINGS]; // net vertex at the tip's centre
    int axis;                // first new vertex: (rings + 1) per string
    double centre[3];
} puffer;

// Finds the rims and tips among the net's vertices.
static bool find_parts(puffer *p) {
    const sn_mesh *s = p->surface;
    bool rim[NET] = {false};
    p->rings = (s->vertex_count - NET) / LINES;
    if (s->vertex_count != NET + LINES * p->rings || p->rings < 2) return false;
    for (int v = 0; v < NET; v++) p->line[v] = p->tip[v] = -1;
    for (int t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++) { // adjacent to the upper end of a line
            const int v = s->triangle[t][k];
            for (int m = 0; m < 3; m++)
                if (v < NET && s->triangle[t][m] >= NET && (s->triangle[t][m] - NET) % p->rings == p->rings - 1)
                    rim[v] = true;
        }
    int lines = 0, strings = 0;
    for (int v = 0; v < NET; v++)
        if (rim[v]) p->line[v] = lines++;
    for (int t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int v = s->triangle[t][k], a = s->triangle[t][(k + 1) % 3], b = s->triangle[t][(k + 2) % 3];
            if (v >= NET || rim[v] || a >= NET || b >= NET || !rim[a] || !rim[b]) continue;
            if (p->tip[v] < 0) {
                if (strings == STRINGS) return false;
                p->tip[v] = strings, p->tip_vertex[strings] = v, p->corners[strings++] = 0;
            }
            ++p->corners[p->tip[v]];
        }
    if (lines != LINES || strings != STRINGS) return false;
    // Order the rims: from each, the triangle of the tip that starts there gives the next.
    for (int t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int v = s->triangle[t][k];
            if (v < NET && p->tip[v] >= 0) p->corner[p->tip[v]][0] = s->triangle[t][(k + 1) % 3];
        }
    for (int i = 1; i < 6; i++)
        for (int t = 0; t < s->triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                const int v = s->triangle[t][k];
                if (v < NET && p->tip[v] >= 0 && i < p->corners[p->tip[v]] &&
                    s->triangle[t][(k + 1) % 3] == p->corner[p->tip[v]][i - 1])
                    p->corner[p->tip[v]][i] = s->triangle[t][(k + 2) % 3];
            }
    return true;
}

// The vertex of a rim's line in a ring: 0 on the ball, 'rings' the rim itself.
static int line_vertex(const puffer *p, int rim, int ring) {
    return ring == p->rings ? rim : NET + p->line[rim] * p->rings + ring;
}

static int axis_vertex(const puffer *p, int string, int ring) {
    return p->axis + string * (p->rings + 1) + ring;
}

// ---- points

// Shells of points inside the ball, spread by the golden angle; with 'out' null only counts them.
static int shells(const double centre[3], double (*out)[3]) {
    const double golden = 2.39996322972865332;
    double gap = 0.034, radius = ball - 0.85 * gap;
    int count = 0;
    while (radius > 0.6 * gap) {
        const int points = (int)(4 * 3.14159265358979323846 * radius * radius / (0.87 * gap * gap) + 0.5);
        for (int i = 0; i < points; i++, count++) {
            if (!out) continue;
            const double z = 1 - (2 * i + 1.0) / points, across = sqrt(1 - z * z), angle = golden * i;
            out[count][0] = centre[0] + radius * across * own_cos(angle);
            out[count][1] = centre[1] + radius * z;
            out[count][2] = centre[2] + radius * across * own_sin(angle);
        }
        gap = fmin(1.4 * gap, 0.1);
        radius -= 0.82 * gap;
    }
    return count;
}

static bool create_points(puffer *p, sn_tet_mesh *mesh) {
    const sn_mesh *s = p->surface;
    float low[3], high[3];
    sn_mesh_box(s, low, high);
    for (int k = 0; k < 3; k++) p->centre[k] = 0.5 * ((double)low[k] + (double)high[k]);
    p->axis = s->vertex_count;
    const int axes = STRINGS * (p->rings + 1), inner = shells(p->centre, NULL) + 1;
    if (!sn_tet_mesh_alloc(mesh, p->axis + axes + inner, 0)) return false;
    for (int i = 0; i < 3 * s->vertex_count; i++) mesh->position[i / 3][i % 3] = (double)s->position[i / 3][i % 3];
    for (int n = 0; n < STRINGS; n++)
        for (int r = 0; r <= p->rings; r++) {
            double *at = mesh->position[axis_vertex(p, n, r)], length = 0;
            for (int c = 0; c < p->corners[n]; c++)
                for (int k = 0; k < 3; k++)
                    at[k] += mesh->position[line_vertex(p, p->corner[n][c], r)][k] / p->corners[n];
            for (int k = 0; k < 3; k++) length += (at[k] - p->centre[k]) * (at[k] - p->centre[k]);
            for (int k = 0; k < 3 && r == 0; k++) // on the ball
                at[k] = p->centre[k] + (at[k] - p->centre[k]) * ball / sqrt(length);
        }
    memcpy(mesh->position[p->axis + axes], p->centre, sizeof p->centre);
    shells(p->centre, mesh->position + p->axis + axes + 1);
    return true;
}

// ---- tetrahedra

typedef struct {
    int (*tet)[4];
    size_t count, capacity;
    bool failed;
} list;

static void add(list *l, const sn_tet_mesh *mesh, int a, int b, int c, int d) {
    if (l->count == l->capacity) {
        const size_t capacity = 2 * l->capacity + 4096;
        int(*more)[4] = realloc(l->tet, capacity * sizeof *more);
        if (!more) {
            l->failed = true;
            return;
        }
        l->tet = more, l->capacity = capacity;
    }
    const bool inverted = sn_tet_volume(mesh->position[a], mesh->position[b], mesh->position[c], mesh->position[d]) < 0;
    const int tet[4] = {a, inverted ? c : b, inverted ? b : c, d};
    memcpy(l->tet[l->count++], tet, sizeof tet);
}

// Splits a wedge into tetrahedra. Each of its quads is split from the smaller of its two lower corners, so that
// neighbours, which see the same indices, split alike.
static void add_wedge(list *l, const sn_tet_mesh *mesh, const int below[3], const int above[3]) {
    int o[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (below[o[k]] > below[o[k + 1]]) {
                const int x = o[k];
                o[k] = o[k + 1], o[k + 1] = x;
            }
    add(l, mesh, below[o[0]], below[o[1]], below[o[2]], above[o[2]]);
    add(l, mesh, below[o[0]], below[o[1]], above[o[1]], above[o[2]]);
    add(l, mesh, below[o[0]], above[o[0]], above[o[1]], above[o[2]]);
}

static void add_string(const puffer *p, const sn_tet_mesh *mesh, int n, list *l) {
    for (int c = 0; c < p->corners[n]; c++) {
        const int a = p->corner[n][c], b = p->corner[n][(c + 1) % p->corners[n]];
        for (int r = 0; r < p->rings; r++) {
            const int below[3] = {axis_vertex(p, n, r), line_vertex(p, a, r), line_vertex(p, b, r)};
            const int above[3] = {axis_vertex(p, n, r + 1), line_vertex(p, a, r + 1), line_vertex(p, b, r + 1)};
            add_wedge(l, mesh, below, above);
        }
        add(l, mesh, axis_vertex(p, n, p->rings), a, b, p->tip_vertex[n]);
    }
}

// Tetrahedralises the ball: net vertices outside strings, lower ends of lines and axes, and the shells.
static bool add_ball(const puffer *p, const sn_tet_mesh *mesh, list *l) {
    const int inner = p->axis + STRINGS * (p->rings + 1), max_count = NET + mesh->vertex_count - inner;
    int *vertex = malloc((size_t)max_count * sizeof *vertex), count = 0;
    double(*point)[3] = malloc((size_t)max_count * sizeof *point);
    sn_delaunay d;
    bool good = vertex && point;
    for (int v = 0; v < NET && good; v++) {
        if (p->tip[v] >= 0)
            vertex[count++] = axis_vertex(p, p->tip[v], 0);
        else
            vertex[count++] = p->line[v] >= 0 ? line_vertex(p, v, 0) : v;
    }
    for (int v = inner; v < mesh->vertex_count && good; v++) vertex[count++] = v;
    for (int i = 0; i < count && good; i++) memcpy(point[i], mesh->position[vertex[i]], sizeof *point);
    good = good && sn_delaunay_make((const double(*)[3])point, count, &d) == DELAUNAY_OK;
    if (good) {
        for (int t = 0; t < d.tet_count; t++)
            add(l, mesh, vertex[d.tet[t][0]], vertex[d.tet[t][1]], vertex[d.tet[t][2]], vertex[d.tet[t][3]]);
        sn_delaunay_free(&d);
    }
    free(vertex), free(point);
    return good;
}

// Improves the tetrahedra of the ball: vertices move, those on its surface along it.
static bool improve_ball(sn_tet_mesh *mesh, const list *l) {
    sn_mesh boundary = {0};
    sn_mesh_query *query = NULL;
    sn_tet_mesh only = {mesh->position, mesh->vertex_count, l->tet, (int)l->count};
    const bool good = sn_tet_mesh_boundary(&only, &boundary, NULL, NULL) &&
                      (query = sn_mesh_query_build(&boundary)) != NULL && sn_tet_improve(&only, query, 0.15, 4) >= 0;
    sn_mesh_query_free(query);
    sn_mesh_free(&boundary);
    return good;
}

static bool fill(const puffer *p, sn_tet_mesh *mesh) {
    list l = {0};
    const bool good = add_ball(p, mesh, &l) && improve_ball(mesh, &l);
    for (int n = 0; n < STRINGS && good; n++) add_string(p, mesh, n, &l);
    if (!good || l.failed) {
        free(l.tet);
        return false;
    }
    free(mesh->tet);
    mesh->tet = l.tet, mesh->tet_count = (int)l.count;
    // removes vertices without tetrahedra; there are none unless points coincide
    bool *keep = malloc(l.count + 1);
    if (keep) memset(keep, 1, l.count);
    const bool kept = keep && sn_tet_mesh_keep(mesh, keep);
    free(keep);
    return kept;
}

// ---- spheres

static double distance_between(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Corners of an icosahedron, like the one of puffer.c up to a rotation.
static void icosahedron_corner(int i, double out[3]) {
    const double golden = 1.61803398874989485, scale = 1 / sqrt(1 + golden * golden);
    for (int k = 0; k < 3; k++) out[k] = 0;
    out[(i / 4 + 1) % 3] = i & 1 ? scale : -scale;
    out[(i / 4 + 2) % 3] = (i & 2 ? golden : -golden) * scale;
}

static void add_shell_sphere(const puffer *p, const double from[3], sn_medial_mesh *m, int *index) {
    double at[3], length = distance_between(from, (const double[3]){0, 0, 0});
    for (int k = 0; k < 3; k++) at[k] = p->centre[k] + (ball - shell) * from[k] / length;
    for (*index = BALLS; *index < m->sphere_count; ++*index)
        if (distance_between(at, m->centre[*index]) < 1e-6 * ball) return;
    memcpy(m->centre[m->sphere_count], at, sizeof at);
    m->radius[m->sphere_count++] = shell + shell_more;
}

// The collision geometry of the ball: slabs on the faces of an icosahedron whose edges are divided into three.
static void add_shell(const puffer *p, sn_medial_mesh *m) {
    double c[12][3];
    for (int i = 0; i < 12; i++) icosahedron_corner(i, c[i]);
    for (int a = 0; a < 12; a++)
        for (int b = a + 1; b < 12; b++)
            for (int d = b + 1; d < 12; d++) {
                if (distance_between(c[a], c[b]) > 1.2 || distance_between(c[b], c[d]) > 1.2 ||
                    distance_between(c[d], c[a]) > 1.2)
                    continue;
                int at[SHELL_CUTS + 1][SHELL_CUTS + 1];
                for (int i = 0; i <= SHELL_CUTS; i++)
                    for (int j = 0; i + j <= SHELL_CUTS; j++) {
                        double position[3];
                        for (int k = 0; k < 3; k++)
                            position[k] = (SHELL_CUTS - i - j) * c[a][k] + i * c[b][k] + j * c[d][k];
                        add_shell_sphere(p, position, m, &at[i][j]);
                    }
                for (int i = 0; i < SHELL_CUTS; i++)
                    for (int j = 0; i + j < SHELL_CUTS; j++)
                        for (int up = 0; up < (i + j + 1 < SHELL_CUTS ? 2 : 1); up++) {
                            int *to = m->slab[m->slab_count++];
                            to[0] = up ? at[i + 1][j + 1] : at[i][j], to[1] = at[i + 1][j], to[2] = at[i][j + 1];
                        }
            }
}

// A chain of cones per string. It starts inside the ball's shell without a connection to it: a cone from the ball to a
// string would contain the whole ball, and whatever collides with the ball would collide with 642 of them.
static bool build_medial(const puffer *p, const sn_tet_mesh *points, zoo_puffer_body *out) {
    sn_medial_mesh *m = &out->medial;
    out->handle = malloc((BALLS + 2 * STRINGS) * sizeof *out->handle);
    if (!out->handle ||
        !sn_medial_mesh_alloc(m, FIRST_STRING + NODES * STRINGS, BALLS - 1 + (NODES - 1) * STRINGS, SHELL_SLABS))
        return false;
    int cones = 0;
    for (int i = 0; i < BALLS; i++) { // handles; well inside the shell, to stop anything that gets through
        out->handle[out->handle_count++] = i;
        memcpy(m->centre[i], p->centre, sizeof *m->centre);
        m->radius[i] = (i == 0 ? 0.6 : 0.3) * ball;
        if (i == 0) continue;
        m->centre[i][(i - 1) / 2] += (i % 2 ? 0.5 : -0.5) * ball;
        m->cone[cones][0] = 0, m->cone[cones++][1] = i;
    }
    m->sphere_count = BALLS, m->slab_count = 0;
    add_shell(p, m);
    if (m->sphere_count != FIRST_STRING || m->slab_count != SHELL_SLABS) return false;
    m->sphere_count = FIRST_STRING + NODES * STRINGS;
    for (int n = 0; n < STRINGS; n++)
        for (int k = 0; k < NODES; k++) {
            const int i = FIRST_STRING + NODES * n + k, ring = (k * p->rings + (NODES - 1) / 2) / (NODES - 1);
            const double *at = points->position[axis_vertex(p, n, ring)];
            memcpy(m->centre[i], at, sizeof *m->centre);
            for (int c = 0; c < p->corners[n]; c++)
                m->radius[i] =
                    fmax(m->radius[i], distance_between(points->position[line_vertex(p, p->corner[n][c], ring)], at));
            if (k == NODES - 1)
                m->radius[i] = fmax(m->radius[i], distance_between(points->position[p->tip_vertex[n]], at));
            if (k > 0) m->cone[cones][0] = i - 1, m->cone[cones++][1] = i;
            if (k > 0) out->handle[out->handle_count++] = i;
        }
    m->cone_count = cones;
    return true;
}

bool zoo_puffer_body_make(int triangles, zoo_puffer_body *out) {
    *out = (zoo_puffer_body){.strings = STRINGS};
    puffer *p = malloc(sizeof *p);
    bool good = p && triangles >= 36000 && triangles <= 160000 && zoo_surface(ZOO_PUFFER, triangles, &out->surface);
    if (good) {
        p->surface = &out->surface;
        good = find_parts(p) && create_points(p, &out->tets) && build_medial(p, &out->tets, out) && fill(p, &out->tets);
    }
    free(p);
    if (!good) zoo_puffer_body_free(out);
    return good;
}
