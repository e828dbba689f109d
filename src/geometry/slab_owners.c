// Corners are assigned point after point, each to the triangle around it that owns the fewest. A closed surface has two
// triangles per point, so nearly all own at most one. Edges are found through the list of triangles around their lower
// point.
#include "geometry/slab_owners.h"

static int corners_of(uint32_t owns) {
    return (int)(owns & 1) + (int)(owns >> 1 & 1) + (int)(owns >> 2 & 1);
}

bool sn_slab_owners(sn_memory *memory, int points, const int32_t *triangles, int count, uint32_t *owns) {
    const size_t ends = (size_t)points + 1, uses = 3 * (size_t)count;
    int *first = sn_alloc(memory, ends, sizeof *first);
    int *use = sn_alloc(memory, uses + 1, sizeof *use); // 3 * triangle + corner, point after point
    if (first && use) {
        for (size_t i = 0; i < ends; i++) first[i] = 0;
        for (size_t i = 0; i < uses; i++) ++first[triangles[i]];
        for (int i = 0, sum = 0; i <= points; i++) {
            const int here = i < points ? first[i] : 0;
            first[i] = sum += here; // filled from the end
        }
        for (size_t i = uses; i-- > 0;) use[--first[triangles[i]]] = (int)i;
        for (int i = 0; i < count; i++) owns[i] = 0;
        for (int p = 0; p < points; p++) {
            int best = -1;
            for (int k = first[p]; k < first[p + 1]; k++)
                if (best < 0 || corners_of(owns[use[k] / 3]) < corners_of(owns[best / 3])) best = use[k];
            if (best >= 0) owns[best / 3] |= 1u << best % 3;
        }
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) {
                const int32_t *t = triangles + 3 * (size_t)i, a = t[k], b = t[(k + 1) % 3], low = a < b ? a : b;
                bool mine = true; // unless an earlier triangle has both points
                for (int n = first[low]; n < first[low + 1] && use[n] / 3 < i && mine; n++) {
                    const int32_t *other = triangles + 3 * (size_t)(use[n] / 3), high = a < b ? b : a;
                    mine = other[0] != high && other[1] != high && other[2] != high;
                }
                if (mine) owns[i] |= 8u << k;
            }
        for (int i = 0; i < count; i++) { // edges without a triangle
            const int32_t *t = triangles + 3 * (size_t)i;
            if (t[1] == t[2]) owns[i] |= 7u << 3 | ((owns[i] & 6) ? 6u : 0);
        }
    }
    const bool good = first && use;
    if (first) sn_free(memory, first, ends, sizeof *first);
    if (use) sn_free(memory, use, uses + 1, sizeof *use);
    return good;
}
