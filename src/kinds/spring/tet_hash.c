// The spatial hash of tetrahedra. See tet_hash.h.
#include "kinds/spring/tet_hash.h"
#include "kinds/spring/spring_body.h"
#include <string.h>

#define CELLS_MAX (1 << 20) // larger cell numbers along an axis are clamped

void sn_tet_grid_init(sn_tet_grid *grid, sn_memory *memory) {
    *grid = (sn_tet_grid){.memory = memory};
}

void sn_tet_grid_free(sn_tet_grid *grid) {
    sn_free(grid->memory, grid->boxes, (size_t)grid->box_capacity, sizeof *grid->boxes);
    sn_free(grid->memory, grid->first, (size_t)grid->first_capacity, sizeof *grid->first);
    sn_free(grid->memory, grid->items, (size_t)grid->item_capacity, sizeof *grid->items);
    sn_free(grid->memory, grid->seen, (size_t)grid->seen_capacity, sizeof *grid->seen);
    sn_tet_grid_init(grid, grid->memory);
}

sn_tet_box sn_tet_box_of(const sn_real *x, const int corner[4]) {
    sn_tet_box box = {sn_spring_quad(x, corner[0]), sn_spring_quad(x, corner[0])};
    for (int k = 1; k < 4; k++) {
        const sn_vec3 p = sn_spring_quad(x, corner[k]);
        box.low = sn_v3(sn_min(box.low.x, p.x), sn_min(box.low.y, p.y), sn_min(box.low.z, p.z));
        box.high = sn_v3(sn_max(box.high.x, p.x), sn_max(box.high.y, p.y), sn_max(box.high.z, p.z));
    }
    return box;
}

typedef struct {
    int low[3], high[3];
} cells;

static int cell_number(double x) {
    const double f = floor(x);
    if (!(f > -CELLS_MAX)) return -CELLS_MAX; // NaN too: it overlaps no box
    return f < CELLS_MAX ? (int)f : CELLS_MAX;
}

static cells cells_of(const sn_tet_grid *grid, const sn_tet_box *box) {
    const double low[3] = {(double)box->low.x, (double)box->low.y, (double)box->low.z};
    const double high[3] = {(double)box->high.x, (double)box->high.y, (double)box->high.z};
    cells c;
    for (int k = 0; k < 3; k++)
        c.low[k] = cell_number(low[k] / grid->cell), c.high[k] = cell_number(high[k] / grid->cell);
    return c;
}

static int bucket_of(const sn_tet_grid *grid, int x, int y, int z) {
    const uint32_t mixed = ((uint32_t)x * 0x8da6b343u) ^ ((uint32_t)y * 0xd8163841u) ^ ((uint32_t)z * 0xcb1ab31fu);
    return (int)((mixed * 0x9e3779b1u) >> (32 - grid->table_bits));
}

#define EACH_CELL(c, x, y, z)                                                                                          \
    for (int z = (c).low[2]; z <= (c).high[2]; z++)                                                                    \
        for (int y = (c).low[1]; y <= (c).high[1]; y++)                                                                \
            for (int x = (c).low[0]; x <= (c).high[0]; x++)

bool sn_tet_grid_build(sn_tet_grid *grid, const sn_real *x, const int (*tets)[4], int count) {
    grid->count = 0;
    int bits = 4;
    while (bits < 24 && (1 << bits) < 2 * count) bits++;
    if (!sn_reserve(grid->memory, (void **)&grid->boxes, &grid->box_capacity, count, sizeof *grid->boxes) ||
        !sn_reserve(grid->memory, (void **)&grid->seen, &grid->seen_capacity, count, sizeof *grid->seen) ||
        !sn_reserve(grid->memory, (void **)&grid->first, &grid->first_capacity, (1 << bits) + 1, sizeof *grid->first))
        return false;
    double sum = 0, max = 0;
    int finite = 0;
    for (int t = 0; t < count; t++) {
        grid->boxes[t] = sn_tet_box_of(x, tets[t]);
        const sn_vec3 size = sn_sub(grid->boxes[t].high, grid->boxes[t].low);
        const double extent = (double)sn_max(size.x, sn_max(size.y, size.z));
        if (!(extent <= 1e18)) { // NaN: is in no cell
            grid->boxes[t] = (sn_tet_box){{1, 1, 1}, {-1, -1, -1}};
            continue;
        }
        sum += extent, max = extent > max ? extent : max, ++finite;
    }
    grid->cell = finite ? sum / finite : 1;
    if (grid->cell < max / 8) grid->cell = max / 8; // a few huge tetrahedra must not fill the table
    if (!(grid->cell > 0)) grid->cell = 1;
    grid->table_bits = bits;
    grid->query = 0;
    memset(grid->seen, 0, (size_t)count * sizeof *grid->seen);

    const int buckets = 1 << bits;
    memset(grid->first, 0, ((size_t)buckets + 1) * sizeof *grid->first);
    for (int t = 0; t < count; t++) {
        const cells c = cells_of(grid, &grid->boxes[t]);
        EACH_CELL(c, cx, cy, cz)++ grid->first[bucket_of(grid, cx, cy, cz)];
    }
    int total = 0;
    for (int b = 0; b <= buckets; b++) grid->first[b] = total += grid->first[b];
    if (!sn_reserve(grid->memory, (void **)&grid->items, &grid->item_capacity, total, sizeof *grid->items))
        return false;
    for (int t = count - 1; t >= 0; --t) {
        const cells c = cells_of(grid, &grid->boxes[t]);
        EACH_CELL(c, cx, cy, cz)
        grid->items[--grid->first[bucket_of(grid, cx, cy, cz)]] = t;
    }
    grid->count = count;
    return true;
}

static bool boxes_overlap(const sn_tet_box *a, const sn_tet_box *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

void sn_tet_grid_visit(sn_tet_grid *grid, const sn_tet_box *box, sn_tet_visit_fn *visit, void *context) {
    if (grid->count == 0) return;
    const cells c = cells_of(grid, box);
    const double asked =
        ((double)c.high[0] - c.low[0] + 1) * ((double)c.high[1] - c.low[1] + 1) * ((double)c.high[2] - c.low[2] + 1);
    if (asked > (double)grid->count) { // for a box this large, testing every tetrahedron is cheaper
        for (int t = 0; t < grid->count; t++)
            if (boxes_overlap(&grid->boxes[t], box) && !visit(context, t)) return;
        return;
    }
    grid->query++;
    EACH_CELL(c, x, y, z) {
        const int bucket = bucket_of(grid, x, y, z);
        for (int k = grid->first[bucket]; k < grid->first[bucket + 1]; k++) {
            const int t = grid->items[k];
            if (grid->seen[t] == grid->query || !boxes_overlap(&grid->boxes[t], box)) continue;
            grid->seen[t] = grid->query;
            if (!visit(context, t)) return;
        }
    }
}
