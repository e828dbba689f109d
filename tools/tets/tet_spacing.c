// Measures a solid, to choose the lattice spacing. The thickness at a surface point is the length of a ray from there
// straight inward to the next hit. The volume of a closed surface is computed directly; of others it is estimated by
// the share of points in the box whose winding number is more than a half.
#include "tets/tet_spacing.h"
#include "mesh/maths.h"
#include "mesh/sort.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THIN_SHARE    0.05
#define TETS_PER_CUBE 12

static void measure_thickness(const sn_mesh *mesh, const sn_mesh_query *query, sn_tet_thickness *out) {
    double passed = 0, n[3];
    const double all = sn_mesh_area(mesh);
    int sample = 0;
    for (int t = 0; t < mesh->triangle_count && all > 0; t++) {
        const double area = sn_mesh_triangle_area(mesh, t);
        sn_mesh_area_vector(mesh, t, n);
        passed += area;
        // Samples are spread evenly by area; a large triangle has several.
        for (int i = 0; sample < TET_SPACING_SAMPLES && (sample + 0.5) / TET_SPACING_SAMPLES * all <= passed;
             ++sample, ++i) {
            const double r = i == 0 ? 1.0 / 3 : fmod(i * 0.7548776662, 1),
                         s = i == 0 ? 1.0 / 3 : fmod(i * 0.5698402910, 1);
            const double v = r + s > 1 ? 1 - r : r, w = r + s > 1 ? 1 - s : s, u = 1 - v - w;
            double p[3], inward[3];
            for (int k = 0; k < 3; k++) {
                p[k] = u * mesh->position[mesh->triangle[t][0]][k] + v * mesh->position[mesh->triangle[t][1]][k] +
                       w * mesh->position[mesh->triangle[t][2]][k];
                inward[k] = -n[k] / (2 * area);
                p[k] += 1e-6 * out->diagonal * inward[k];
            }
            sn_mesh_hit hit;
            if (area > 0 && sn_mesh_query_cast_ray(query, p, inward, INFINITY, &hit))
                out->thickness[out->count++] = hit.distance;
        }
    }
    qsort(out->thickness, (size_t)out->count, sizeof *out->thickness, compare_double);
}

static bool is_closed_enough(const sn_mesh *mesh, const sn_winding *winding, const float low[3], const float high[3]) {
    // The winding number of a closed surface is 0 just outside of the box's corners, edges and faces.
    for (int i = 0; i < 27; i++) {
        const int at[3] = {i % 3, i / 3 % 3, i / 9};
        double p[3];
        if (at[0] == 1 && at[1] == 1 && at[2] == 1) continue;
        for (int k = 0; k < 3; k++)
            p[k] = 0.5 * ((double)low[k] + high[k]) + 0.55 * (at[k] - 1) * ((double)high[k] - low[k]);
        if (fabs(sn_winding_evaluate(winding, p)) > 0.05) return false;
    }
    return sn_mesh_volume(mesh) > 0;
}

void sn_tet_thickness_measure(const sn_mesh *mesh, const sn_mesh_query *query, const sn_winding *winding,
                              sn_tet_thickness *out) {
    float low[3], high[3];
    double box = 1, square = 0;
    memset(out, 0, sizeof *out);
    sn_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) {
        const double side = (double)high[k] - low[k];
        box *= side, square += side * side;
    }
    out->diagonal = sqrt(square);
    measure_thickness(mesh, query, out);
    if (is_closed_enough(mesh, winding, low, high)) {
        out->volume = sn_mesh_volume(mesh);
        return;
    }
    enum { POINTS = 8192 };
    int inside = 0;
    for (int i = 0; i < POINTS; i++) { // a low-discrepancy sequence
        const double share[3] = {fmod(i * 0.8191725133961645, 1), fmod(i * 0.6710436067037893, 1),
                                 fmod(i * 0.5497004779019703, 1)};
        double p[3];
        for (int k = 0; k < 3; k++) p[k] = low[k] + share[k] * ((double)high[k] - low[k]);
        inside += sn_winding_evaluate(winding, p) > 0.5;
    }
    out->volume = box * inside / POINTS;
}

double sn_tet_thickness_share(const sn_tet_thickness *found, double limit) {
    int count = 0;
    while (count < found->count && found->thickness[count] < limit) count++;
    return found->count ? (double)count / found->count : 0;
}

double sn_tet_spacing(const sn_tet_thickness *found, double min_tets, double max_tets, sn_tet_spacing_reason *reason) {
    sn_tet_spacing_reason unused;
    if (!reason) reason = &unused;
    *reason = TET_SPACING_FEW;
    if (!(found->volume > 0)) return 0;
    const double coarse = own_cbrt(TETS_PER_CUBE * found->volume / min_tets),
                 fine = own_cbrt(TETS_PER_CUBE * found->volume / max_tets);
    double spacing = coarse;
    if (found->count > 0) {
        spacing = 0.5 * found->thickness[(int)(THIN_SHARE * found->count)];
        *reason = TET_SPACING_THIN;
    }
    if (spacing >= coarse) *reason = TET_SPACING_FEW, spacing = coarse;
    if (spacing <= fine) *reason = TET_SPACING_MANY, spacing = fine;
    return spacing;
}
