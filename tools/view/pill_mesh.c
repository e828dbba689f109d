// A tube is a row of rings around a line of points:
//
//       .-o--o--o--o--o-.
//      ( o|  |  |  |  |o )      caps: rings on the sphere, from the circle where the cone touches it to the pole
//       `-o--o--o--o--o-'       between points: rings whose radius, place and weights are interpolated
//
// Axes are transported from ring to ring with the smallest rotation, so the tube has no twist. After a loop they may be
// rotated by some angle, which is distributed over all rings.
#include "view/pill_mesh.h"
#include "base/math/vec.h"
#include "mesh/maths.h"
#include <stdlib.h>
#include <string.h>

enum { SIDES = 16, CAP_RINGS = 4, MAX_RINGS_BETWEEN = 4 };

typedef struct {
    sn_mesh *mesh;
    int vertex_capacity, triangle_capacity;
    bool skinned;
} mesh_maker;

static bool grow(void **array, int capacity, size_t size) {
    void *grown = realloc(*array, (size_t)capacity * size);
    if (grown) *array = grown;
    return grown != NULL;
}

// Reserves memory for more vertices and triangles.
static bool reserve(mesh_maker *maker, int vertices, int triangles) {
    sn_mesh *mesh = maker->mesh;
    if (vertices > INT32_MAX / 4 - mesh->vertex_count || triangles > INT32_MAX / 4 - mesh->triangle_count) return false;
    if (mesh->vertex_count + vertices > maker->vertex_capacity) {
        int capacity = 2 * (mesh->vertex_count + vertices);
        bool good = grow((void **)&mesh->position, capacity, sizeof *mesh->position);
        if (maker->skinned) {
            good = good && grow((void **)&mesh->joint, capacity, sizeof *mesh->joint);
            good = good && grow((void **)&mesh->weight, capacity, sizeof *mesh->weight);
        }
        if (!good) return false;
        maker->vertex_capacity = capacity;
    }
    if (mesh->triangle_count + triangles > maker->triangle_capacity) {
        int capacity = 2 * (mesh->triangle_count + triangles);
        if (!grow((void **)&mesh->triangle, capacity, sizeof *mesh->triangle)) return false;
        maker->triangle_capacity = capacity;
    }
    return true;
}

static void add_triangle(mesh_maker *maker, int a, int b, int c) {
    int *triangle = maker->mesh->triangle[maker->mesh->triangle_count++];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

// Two joints and the weight of the second.
typedef struct {
    int a, b;
    sn_real share;
} ring_skin;

static void add_vertex(mesh_maker *maker, sn_vec3 at, ring_skin skin) {
    sn_mesh *mesh = maker->mesh;
    int v = mesh->vertex_count++;
    mesh->position[v][0] = (float)at.x, mesh->position[v][1] = (float)at.y, mesh->position[v][2] = (float)at.z;
    if (!maker->skinned) return;
    memset(mesh->joint[v], 0, sizeof mesh->joint[v]);
    memset(mesh->weight[v], 0, sizeof mesh->weight[v]);
    float share = skin.a == skin.b ? 0 : (float)skin.share;
    mesh->joint[v][0] = skin.a;
    mesh->weight[v][0] = 1 - share;
    mesh->joint[v][1] = share > 0 ? skin.b : 0; // unused joints have index 0
    mesh->weight[v][1] = share;
}

// Directions of a ring: x and y span its plane.
typedef struct {
    sn_vec3 x, y;
} ring_axes;

static bool add_ring(mesh_maker *maker, sn_vec3 centre, sn_real radius, ring_axes axes, ring_skin skin) {
    if (!reserve(maker, SIDES + 1, 2 * SIDES)) return false;
    for (int i = 0; i < SIDES; i++) {
        double angle = 2 * 3.14159265358979323846 * i / SIDES;
        sn_vec3 out = sn_add(sn_mul((sn_real)own_cos(angle), axes.x), sn_mul((sn_real)own_sin(angle), axes.y));
        add_vertex(maker, sn_mul_add(centre, radius, out), skin);
    }
    return true;
}

// Quads between two rings that start at vertices a and b, b further along.
static void join_rings(mesh_maker *maker, int a, int b) {
    for (int i = 0; i < SIDES; i++) {
        int next = (i + 1) % SIDES;
        add_triangle(maker, a + i, a + next, b + next);
        add_triangle(maker, a + i, b + next, b + i);
    }
}

// A line of points with their properties.
typedef struct {
    const sn_vec3 *points;
    const sn_real *radii;
    const int *line; // indices of its points; a loop repeats the first at the end
    int count;
    bool closed;
    bool ball; // the line is one point twice
} tube;

// The poles of a ball are above each other, with a narrow band between the halves.
static sn_vec3 tube_point(const tube *t, int i) {
    sn_vec3 point = t->points[t->line[i]];
    if (t->ball && i > 0) point.y += (sn_real)1e-3 * t->radii[t->line[i]];
    return point;
}

static sn_real tube_radius(const tube *t, int i) {
    return t->radii[t->line[i]];
}

static sn_vec3 segment_direction(const tube *t, int i) {
    return sn_normalize(sn_sub(tube_point(t, i + 1), tube_point(t, i)), sn_v3(0, 0, 1));
}

// The direction of the tube at a point: between those of the segments beside it.
static sn_vec3 tangent(const tube *t, int i) {
    int last = t->count - 1;
    int before = i > 0 ? i - 1 : t->closed ? last - 1 : 0, after = i < last ? i : t->closed ? 0 : last - 1;
    sn_vec3 a = segment_direction(t, before), b = segment_direction(t, after);
    return sn_normalize(sn_add(a, b), b);
}

static ring_axes axes_along(sn_vec3 x, sn_vec3 direction) {
    x = sn_normalize(sn_mul_add(x, -sn_dot(x, direction), direction), sn_perpendicular(direction));
    return (ring_axes){x, sn_cross(direction, x)};
}

// Transports axes from one direction to the next with the smallest rotation.
static sn_vec3 carry(sn_vec3 x, sn_vec3 from, sn_vec3 to) {
    return sn_q_rotate(sn_q_between(from, to), x);
}

static ring_axes turned(ring_axes axes, sn_vec3 direction, double angle) {
    sn_vec3 x = sn_add(sn_mul((sn_real)own_cos(angle), axes.x), sn_mul((sn_real)own_sin(angle), axes.y));
    return axes_along(x, direction);
}

// The angle by which the axes are rotated after one transport around a loop.
static double loop_twist(const tube *t, sn_vec3 start) {
    sn_vec3 x = start;
    for (int i = 1; i < t->count; i++) x = carry(x, tangent(t, i - 1), tangent(t, i));
    ring_axes axes = axes_along(start, tangent(t, 0));
    return own_atan2((double)sn_dot(x, axes.y), (double)sn_dot(x, axes.x));
}

// The cap at an end: rings from the circle where the cone touches the sphere to the pole. `outward` points
// out of the tube. At the start rings are made from the pole on, so vertices are always ordered along the tube.
static bool add_cap(mesh_maker *maker, const tube *t, int end, sn_vec3 x, bool start) {
    int inner = start ? end + 1 : end - 1;
    sn_vec3 outward = sn_mul(start ? -1 : 1, segment_direction(t, start ? end : end - 1)), centre = tube_point(t, end);
    sn_real radius = tube_radius(t, end), length = sn_length(sn_sub(tube_point(t, inner), centre));
    sn_real sine = length > 0 ? sn_clamp((tube_radius(t, inner) - radius) / length, (sn_real)-0.9, (sn_real)0.9) : 0;
    double widest = own_acos((double)sine); // angle from the pole to the circle
    sn_vec3 along = start ? sn_mul(-1, outward) : outward;
    ring_axes axes = axes_along(x, along);
    ring_skin skin = {t->line[end], t->line[end], 0};
    for (int i = 0; i <= CAP_RINGS; i++) {
        int ring = start ? i : CAP_RINGS - i; // 0: the pole
        double angle = widest * ring / CAP_RINGS;
        sn_vec3 at = sn_mul_add(centre, radius * (sn_real)own_cos(angle), outward);
        int first = maker->mesh->vertex_count;
        if (ring == 0) {
            if (!reserve(maker, 1, SIDES)) return false;
            add_vertex(maker, at, skin);
        } else if (!add_ring(maker, at, radius * (sn_real)own_sin(angle), axes, skin)) {
            return false;
        }
        if (start && ring == 1) {
            for (int k = 0; k < SIDES; k++) add_triangle(maker, first - 1, first + (k + 1) % SIDES, first + k);
        } else if (!start && ring == 0) {
            for (int k = 0; k < SIDES; k++)
                add_triangle(maker, first - SIDES + k, first - SIDES + (k + 1) % SIDES, first);
        } else if (i > 0) {
            join_rings(maker, first - SIDES, first);
        }
    }
    return true;
}

// The number of rings of a segment between those of its points.
static int rings_between(const tube *t, int i) {
    sn_real length = sn_length(sn_sub(tube_point(t, i + 1), tube_point(t, i)));
    sn_real radius = sn_max(tube_radius(t, i), tube_radius(t, i + 1));
    sn_real wanted = radius > 0 ? length / radius : 0;
    return wanted > MAX_RINGS_BETWEEN ? MAX_RINGS_BETWEEN : (int)wanted;
}

static bool add_tube(mesh_maker *maker, const tube *t) {
    sn_vec3 direction = tangent(t, 0), x = sn_perpendicular(direction);
    int last = t->count - 1, first_ring = maker->mesh->vertex_count;
    double twist = t->closed ? loop_twist(t, x) : 0;
    if (!t->closed && !add_cap(maker, t, 0, x, true)) return false;
    for (int i = 0; i <= last; i++) {
        sn_vec3 next = tangent(t, i);
        x = i ? carry(x, direction, next) : x;
        direction = next;
        ring_axes axes = turned(axes_along(x, direction), direction, -twist * i / last);
        bool end = i == 0 || i == last;
        if (!end || (t->closed && i == 0)) { // the ends of an open tube are rings of the caps
            ring_skin skin = {t->line[i], t->line[i], 0};
            if (!add_ring(maker, tube_point(t, i), tube_radius(t, i), axes, skin)) return false;
            if (i > 0) join_rings(maker, maker->mesh->vertex_count - 2 * SIDES, maker->mesh->vertex_count - SIDES);
        }
        if (i == last) break;
        int between = rings_between(t, i);
        sn_vec3 end_direction = tangent(t, i + 1), end_x = carry(x, direction, end_direction);
        for (int k = 1; k <= between; k++) {
            sn_real f = (sn_real)k / (sn_real)(between + 1);
            sn_vec3 d = sn_normalize(sn_lerp(direction, end_direction, f), direction);
            ring_axes here = turned(axes_along(sn_lerp(x, end_x, f), d), d, -twist * ((double)i + (double)f) / last);
            sn_real radius = tube_radius(t, i) + f * (tube_radius(t, i + 1) - tube_radius(t, i));
            ring_skin skin = {t->line[i], t->line[i + 1], f};
            if (!add_ring(maker, sn_lerp(tube_point(t, i), tube_point(t, i + 1), f), radius, here, skin)) return false;
            join_rings(maker, maker->mesh->vertex_count - 2 * SIDES, maker->mesh->vertex_count - SIDES);
        }
    }
    if (t->closed) {
        if (!reserve(maker, 0, 2 * SIDES)) return false;
        join_rings(maker, maker->mesh->vertex_count - SIDES, first_ring);
        return true;
    }
    int before = maker->mesh->vertex_count - SIDES;
    if (!reserve(maker, 0, 2 * SIDES) || !add_cap(maker, t, last, x, false)) return false;
    if (!reserve(maker, 0, 2 * SIDES)) return false;
    join_rings(maker, before, before + SIDES);
    return true;
}

// Lines of a rod: the loop through point 0, if there is one, then from each tip up to the root or to a point that
// another line has, which of a ball is the point itself. children: how many, -1 once a line has the point.
static bool add_lines(mesh_maker *maker, tube *t, const int *parents, int n, int *line, int *children) {
    bool good = true;
    memset(children, 0, (size_t)n * sizeof *children);
    for (int i = 0; i < n; i++) {
        if (parents[i] >= 0 && parents[i] != i) children[parents[i]]++;
    }
    t->line = line;
    if (parents[0] > 0) {
        t->count = 0;
        int k = 0;
        do {
            line[t->count++] = k;
            children[k] = -1;
            k = parents[k];
        } while (k > 0 && t->count < n);
        line[t->count++] = 0;
        t->closed = true;
        good = add_tube(maker, t);
    }
    t->closed = false;
    for (int i = n; good && i-- > 0;) {
        if (children[i] != 0) continue;
        t->count = 0;
        for (int k = i; k >= 0; k = parents[k]) {
            bool seen = children[k] < 0;
            line[t->count++] = k;
            children[k] = -1;
            if (seen) break;
        }
        t->ball = parents[i] == i;
        if (t->count > 1) good = add_tube(maker, t);
    }
    return good;
}

static bool finish(mesh_maker *maker, bool good) {
    good = good && sn_mesh_make_normals(maker->mesh);
    if (!good) sn_mesh_free(maker->mesh);
    return good;
}

bool pill_mesh_rod(sn_mesh *out, const sn_vec3 *points, const sn_real *radii, const int *parents, int count) {
    *out = (sn_mesh){0};
    mesh_maker maker = {.mesh = out, .skinned = true};
    tube t = {.points = points, .radii = radii};
    int *line = malloc(2 * ((size_t)count + 1) * sizeof *line);
    bool good = line && add_lines(&maker, &t, parents, count, line, line + count + 1);
    free(line);
    return finish(&maker, good);
}

bool pill_mesh_pill(sn_mesh *out, sn_vec3 from, sn_vec3 to, sn_real from_radius, sn_real to_radius) {
    *out = (sn_mesh){0};
    mesh_maker maker = {.mesh = out};
    const int line[2] = {0, 1};
    const sn_vec3 points[2] = {from, to};
    const sn_real radii[2] = {from_radius, to_radius};
    tube t = {points, radii, line, 2, false, sn_length(sn_sub(to, from)) <= 0};
    return finish(&maker, add_tube(&maker, &t));
}

bool pill_mesh_box(sn_mesh *out, sn_vec3 centre, sn_quat rotation, sn_vec3 half) {
    if (!sn_mesh_alloc(out, 24, 12, MESH_NORMAL)) return false;
    const sn_real h[3] = {half.x, half.y, half.z};
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        sn_real sign = face % 2 ? 1 : -1, normal[3] = {0};
        normal[axis] = sign;
        sn_vec3 n = sn_q_rotate(rotation, sn_v3(normal[0], normal[1], normal[2]));
        for (int k = 0; k < 4; k++) {
            sn_real corner[3];
            corner[axis] = sign * h[axis];
            corner[u] = (k == 1 || k == 2) ? h[u] : -h[u];
            corner[v] = k >= 2 ? h[v] : -h[v];
            sn_vec3 at = sn_add(centre, sn_q_rotate(rotation, sn_v3(corner[0], corner[1], corner[2])));
            float *p = out->position[4 * face + k], *q = out->normal[4 * face + k];
            p[0] = (float)at.x, p[1] = (float)at.y, p[2] = (float)at.z;
            q[0] = (float)n.x, q[1] = (float)n.y, q[2] = (float)n.z;
        }
        int a = 4 * face, flip = sign < 0;
        for (int k = 0; k < 2; k++) {
            int *triangle = out->triangle[2 * face + k];
            triangle[0] = a;
            triangle[1] = a + k + (flip ? 2 : 1);
            triangle[2] = a + k + (flip ? 1 : 2);
        }
    }
    return true;
}
