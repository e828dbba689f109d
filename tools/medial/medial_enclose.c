// Enlarges the spheres until every point is inside. A point at the distance d outside gets inside when the spheres of
// its closest primitive, with weights w at the closest place, grow such that the sum of w dr >= d; the least such
// growth is dr = d w / (sum of w^2). Growth for one point helps others, so the farthest points come first, and each
// adds only what is still missing. One pass is enough: radii only grow.
#include "medial/medial_internal.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
    sn_medial_hit hit;
    int index;
} outside_point;

static int compare(const void *a, const void *b) {
    const outside_point *x = a, *y = b;
    if (x->hit.distance != y->hit.distance) return x->hit.distance > y->hit.distance ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

bool medial_enclose(sn_medial_mesh *mesh, const double (*points)[3], int count, double margin, int *outside,
                    double *farthest) {
    sn_medial_field *field = sn_medial_field_make(mesh);
    outside_point *list = malloc(((size_t)count + 1) * sizeof *list);
    double *growth = calloc((size_t)mesh->sphere_count + 1, sizeof *growth);
    const bool good = field && list && growth;
    int listed = 0;
    *outside = 0;
    *farthest = 0;
    for (int i = 0; i < count && good && mesh->sphere_count; i++) {
        outside_point *o = &list[listed];
        o->index = i;
        sn_medial_field_evaluate(field, points[i], &o->hit);
        *outside += o->hit.distance > 0;
        *farthest = fmax(*farthest, o->hit.distance);
        listed += o->hit.distance > -margin;
    }
    if (good) qsort(list, (size_t)listed, sizeof *list, compare);
    for (int i = 0; i < listed && good; i++) {
        const sn_medial_hit *hit = &list[i].hit;
        double missing = hit->distance + margin, squares = 0;
        for (int k = 0; k < 3; k++) {
            missing -= hit->weight[k] * growth[hit->sphere[k]];
            squares += hit->weight[k] * hit->weight[k];
        }
        for (int k = 0; k < 3 && missing > 0; k++) growth[hit->sphere[k]] += missing * hit->weight[k] / squares;
    }
    for (int i = 0; i < mesh->sphere_count && good; i++) mesh->radius[i] += growth[i];
    sn_medial_field_free(field);
    free(list);
    free(growth);
    return good;
}
