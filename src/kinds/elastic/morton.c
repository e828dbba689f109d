// Sorts points along a Morton curve: the bits of their three coordinates interleaved, 21 each, and a stable radix sort
// of these keys, eight bits per pass.
#include "kinds/elastic/subspace.h"

// Spreads the lowest 21 bits to every third bit.
static uint64_t spread(uint64_t x) {
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t key_of(sn_vec3 p, sn_vec3 low, double scale) {
    const double max = 2097151; // 2^21 - 1
    const uint64_t x = (uint64_t)(((double)p.x - (double)low.x) * scale * max);
    const uint64_t y = (uint64_t)(((double)p.y - (double)low.y) * scale * max);
    const uint64_t z = (uint64_t)(((double)p.z - (double)low.z) * scale * max);
    return spread(x) | spread(y) << 1 | spread(z) << 2;
}

typedef struct {
    uint64_t key;
    int index;
} item;

sn_status sn_morton_order(sn_memory *memory, const sn_vec3 *points, int count, int *order) {
    item *a = sn_alloc(memory, (size_t)count, sizeof *a), *b = sn_alloc(memory, (size_t)count, sizeof *b);
    const bool good = a && b;
    if (good && count > 0) {
        sn_vec3 low = points[0], high = points[0];
        for (int i = 1; i < count; i++) {
            low = sn_v3(sn_min(low.x, points[i].x), sn_min(low.y, points[i].y), sn_min(low.z, points[i].z));
            high = sn_v3(sn_max(high.x, points[i].x), sn_max(high.y, points[i].y), sn_max(high.z, points[i].z));
        }
        const double side = sn_max(sn_max(high.x - low.x, high.y - low.y), high.z - low.z);
        const double scale = side > 0 ? 1 / (side * 1.000001) : 0;
        for (int i = 0; i < count; i++) a[i] = (item){key_of(points[i], low, scale), i};
        for (int shift = 0; shift < 64; shift += 8) {
            int start[257] = {0};
            for (int i = 0; i < count; i++) ++start[(a[i].key >> shift & 255) + 1];
            for (int k = 0; k < 256; k++) start[k + 1] += start[k];
            for (int i = 0; i < count; i++) b[start[a[i].key >> shift & 255]++] = a[i];
            item *swap = a;
            a = b, b = swap;
        }
        for (int i = 0; i < count; i++) order[i] = a[i].index;
    }
    sn_free(memory, a, (size_t)count, sizeof *a);
    sn_free(memory, b, (size_t)count, sizeof *b);
    return good ? SN_OK : SN_ERR_MEMORY;
}
