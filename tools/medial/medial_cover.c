// Adds spheres of the raw axis where the simplification went too far. While a sample is too far outside: take the worst
// sample; of the largest raw spheres that contain it choose the one that contains most of the other samples outside;
// and connect it by a cone to the nearest sphere that is reached without leaving the solid.
#include "medial/medial_internal.h"
#include "medial/medial_voronoi.h"
#include "mesh/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 24 };

static double distance(const double a[3], const double b[3]) {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

// Chooses the raw sphere to add for a sample; -1: none contains it.
static int choose_sphere(const sn_medial_mesh *axis, const medial_samples *samples, const double *outside, double reach,
                         const double p[3]) {
    int candidate[CANDIDATES], count = 0, best = -1, max_spheres = -1;
    for (int i = 0; i < axis->sphere_count; i++) { // the largest spheres that contain it, sorted
        const double r = axis->radius[i];
        if ((count == CANDIDATES && r <= axis->radius[candidate[count - 1]]) ||
            distance(axis->centre[i], p) > r + 0.25 * reach)
            continue;
        int at = count < CANDIDATES ? count++ : count - 1;
        for (; at > 0 && axis->radius[candidate[at - 1]] < r; --at) candidate[at] = candidate[at - 1];
        candidate[at] = i;
    }
    for (int c = 0; c < count; c++) {
        int covered = 0;
        for (int i = 0; i < samples->count; i++)
            covered += outside[i] > 0.5 * reach && distance(axis->centre[candidate[c]], samples->point[i]) <
                                                       axis->radius[candidate[c]] + 0.5 * reach;
        if (covered > max_spheres) max_spheres = covered, best = candidate[c];
    }
    return best;
}

// Chooses the sphere to connect a new one to: the nearest that is reached inside the solid, else the nearest.
static int choose_anchor(const sn_medial_mesh *mesh, const sn_winding *winding, const double c[3]) {
    enum { MAX_NEAREST = 12 };
    int nearest[MAX_NEAREST], count = 0;
    double distances[MAX_NEAREST];
    for (int i = 0; i < mesh->sphere_count; i++) {
        const double d = distance(mesh->centre[i], c) - 0.5 * mesh->radius[i];
        if (count == MAX_NEAREST && d >= distances[count - 1]) continue;
        int at = count < MAX_NEAREST ? count++ : count - 1;
        for (; at > 0 && distances[at - 1] > d; --at) nearest[at] = nearest[at - 1], distances[at] = distances[at - 1];
        nearest[at] = i, distances[at] = d;
    }
    for (int i = 0; i < count; i++)
        if (medial_segment_is_inside(winding, mesh->centre[nearest[i]], c)) return nearest[i];
    return nearest[0];
}

static bool reserve(sn_medial_mesh *mesh, int spheres, int cones) {
    return array_resize(&mesh->centre, (size_t)spheres, sizeof *mesh->centre) &&
           array_resize(&mesh->radius, (size_t)spheres, sizeof *mesh->radius) &&
           array_resize(&mesh->cone, (size_t)cones, sizeof *mesh->cone);
}

bool medial_cover(sn_medial_mesh *mesh, const sn_medial_mesh *axis, const medial_samples *samples,
                  const sn_winding *winding, double reach, int max_spheres, int *added) {
    *added = 0;
    if (mesh->sphere_count >= max_spheres || mesh->sphere_count == 0) return true;
    double *outside = malloc(((size_t)samples->count + 1) * sizeof *outside);
    sn_medial_field *field = sn_medial_field_make(mesh);
    bool good = outside && field && reserve(mesh, max_spheres, mesh->cone_count + max_spheres - mesh->sphere_count);
    for (int i = 0; i < samples->count && good; i++)
        outside[i] = sn_medial_field_evaluate(field, samples->point[i], NULL);
    while (good && mesh->sphere_count < max_spheres) {
        int worst = 0;
        for (int i = 1; i < samples->count; i++)
            if (outside[i] > outside[worst]) worst = i;
        if (samples->count == 0 || outside[worst] <= reach) break;
        const int from = choose_sphere(axis, samples, outside, reach, samples->point[worst]);
        // thinner than the raw axis resolves: a sphere of almost no radius
        const double *centre = from < 0 ? samples->point[worst] : axis->centre[from];
        const int to = choose_anchor(mesh, winding, centre), added_sphere = mesh->sphere_count++;
        memcpy(mesh->centre[added_sphere], centre, sizeof *mesh->centre);
        mesh->radius[added_sphere] = from < 0 ? 0.25 * reach : axis->radius[from];
        mesh->cone[mesh->cone_count][0] = to;
        mesh->cone[mesh->cone_count++][1] = added_sphere;
        for (int i = 0; i < samples->count; i++)
            outside[i] = fmin(outside[i], sn_medial_cone_distance(mesh, to, added_sphere, samples->point[i], NULL));
        if (outside[worst] > reach) outside[worst] = 0;
        ++*added;
    }
    sn_medial_field_free(field);
    free(outside);
    return good;
}
