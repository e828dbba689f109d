// The two-sided error of a medial mesh, measured with points spread evenly over both surfaces. Points in a triangle
// come from a low-discrepancy sequence (multiples of powers of the plastic number), so the same mesh gives the same
// points.
#include "medial/medial_internal.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>

// ---- samples of the surface

static double triangle_area(const double a[3], const double b[3], const double c[3]) {
    double u[3], v[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
    const double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

static void sample_triangle(int index, const double a[3], const double b[3], const double c[3], double out[3]) {
    double u = fmod(0.5 + 0.7548776662466927 * index, 1), v = fmod(0.5 + 0.5698402909980532 * index, 1);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    for (int k = 0; k < 3; k++) out[k] = a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]);
}

bool medial_samples_make(const sn_mesh *surface, int count, medial_samples *out) {
    double total = 0, sum = 0.5;
    *out = (medial_samples){.point = malloc(((size_t)count + 2) * sizeof *out->point)};
    if (!out->point) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int t = 0; t < surface->triangle_count; t++) {
            double p[3][3];
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) p[i][k] = (double)surface->position[surface->triangle[t][i]][k];
            const double area = triangle_area(p[0], p[1], p[2]);
            if (pass == 0) total += area;
            if (pass == 0 || !(total > 0)) continue;
            for (sum += area / total * count; sum >= 1 && out->count <= count; sum -= 1, ++out->count)
                sample_triangle(out->count, p[0], p[1], p[2], out->point[out->count]);
        }
    }
    return true;
}

void medial_samples_free(medial_samples *samples) {
    free(samples->point);
    *samples = (medial_samples){0};
}

// ---- samples of the medial mesh

// Accumulates the distances of points that are in no other primitive, that is, on the surface of the union.
typedef struct {
    const sn_medial_mesh *mesh;
    const sn_medial_field *field;
    const sn_mesh_query *query;
    double sum, max_distance;
    int count;
} distance_sum;

static void add_point(distance_sum *m, const double p[3]) {
    sn_mesh_hit hit;
    if (sn_medial_field_contains(m->field, p, 1e-7) || !sn_mesh_query_closest_point(m->query, p, INFINITY, &hit))
        return;
    m->sum += hit.distance;
    m->max_distance = fmax(m->max_distance, hit.distance);
    m->count++;
}

// Points of a sphere.
static void sphere_points(distance_sum *m, int i, double per_area) {
    const double r = m->mesh->radius[i], *c = m->mesh->centre[i];
    const int count = (int)(12.566370614359172 * r * r * per_area) + 1;
    for (int n = 0; n < count; n++) { // along a spiral
        const double z = 1 - (2 * n + 1.0) / count, s = sqrt(1 - z * z), angle = 2.399963229728653 * n;
        const double p[3] = {c[0] + r * s * own_cos(angle), c[1] + r * s * own_sin(angle), c[2] + r * z};
        add_point(m, p);
    }
}

static void cone_points(distance_sum *m, int a, int b, double per_area) {
    const double ra = m->mesh->radius[a], rb = m->mesh->radius[b], *from = m->mesh->centre[a];
    double axis[3], u[3], v[3], l = 0;
    for (int k = 0; k < 3; k++) axis[k] = m->mesh->centre[b][k] - from[k], l += axis[k] * axis[k];
    l = sqrt(l);
    if (!(l > fabs(ra - rb))) return;
    for (int k = 0; k < 3; k++) axis[k] /= l;
    const double pole[3] = {fabs(axis[0]) < 0.6, fabs(axis[0]) >= 0.6, 0};
    for (int k = 0; k < 3; k++) u[k] = axis[(k + 1) % 3] * pole[(k + 2) % 3] - axis[(k + 2) % 3] * pole[(k + 1) % 3];
    const double lu = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++) u[k] /= lu;
    for (int k = 0; k < 3; k++) v[k] = axis[(k + 1) % 3] * u[(k + 2) % 3] - axis[(k + 2) % 3] * u[(k + 1) % 3];
    const double sine = (ra - rb) / l, cosine = sqrt(1 - sine * sine);
    const int count = (int)(3.141592653589793 * (ra + rb) * l * cosine * per_area) + 1;
    for (int n = 0; n < count; n++) {
        const double t = (n + 0.5) / count, r = ra + t * (rb - ra), angle = 2.399963229728653 * n;
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = from[k] + t * l * axis[k] +
                   r * (sine * axis[k] + cosine * (own_cos(angle) * u[k] + own_sin(angle) * v[k]));
        add_point(m, p);
    }
}

static void slab_points(distance_sum *m, const int slab[3], double per_area) {
    double normal[2][3], p[3][3], point[3];
    if (!sn_medial_slab_normals(m->mesh, slab, normal)) return;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                p[i][k] = m->mesh->centre[slab[i]][k] + m->mesh->radius[slab[i]] * normal[side][k];
        const int count = (int)(triangle_area(p[0], p[1], p[2]) * per_area) + 1;
        for (int n = 0; n < count; n++) {
            sample_triangle(n, p[0], p[1], p[2], point);
            add_point(m, point);
        }
    }
}

bool medial_measure(const sn_medial_mesh *mesh, const medial_samples *samples, const sn_mesh_query *query, int count,
                    medial_distances *out) {
    *out = (medial_distances){0};
    sn_medial_field *field = sn_medial_field_make(mesh);
    if (!field) return false;
    for (int i = 0; i < samples->count; i++) {
        const double d = fabs(sn_medial_field_evaluate(field, samples->point[i], NULL));
        out->surface_mean += d / samples->count;
        out->surface_max = fmax(out->surface_max, d);
    }
    distance_sum m = {.mesh = mesh, .field = field, .query = query};
    double area = 0;
    for (int i = 0; i < mesh->sphere_count; i++) area += mesh->radius[i] * mesh->radius[i];
    area *= 12.566370614359172;
    for (int e = 0; e < mesh->cone_count; e++) {
        const int a = mesh->cone[e][0], b = mesh->cone[e][1];
        double l2 = 0;
        for (int k = 0; k < 3; k++) l2 += own_pow(mesh->centre[a][k] - mesh->centre[b][k], 2);
        area += 3.141592653589793 * (mesh->radius[a] + mesh->radius[b]) * sqrt(l2);
    }
    for (int f = 0; f < mesh->slab_count; f++) {
        const int *s = mesh->slab[f];
        area += 2 * triangle_area(mesh->centre[s[0]], mesh->centre[s[1]], mesh->centre[s[2]]);
    }
    const double per_area = area > 0 ? count / area : 0;
    for (int i = 0; i < mesh->sphere_count; i++) sphere_points(&m, i, per_area);
    for (int e = 0; e < mesh->cone_count; e++) cone_points(&m, mesh->cone[e][0], mesh->cone[e][1], per_area);
    for (int f = 0; f < mesh->slab_count; f++) slab_points(&m, mesh->slab[f], per_area);
    out->mesh_mean = m.count ? m.sum / m.count : 0;
    out->mesh_max = m.max_distance;
    sn_medial_field_free(field);
    return true;
}
