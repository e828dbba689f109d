// Builds the grids of bones.
#include "skin/implicit/implicit_grid.h"
#include "skin/implicit/implicit_internal.h"

enum { ROW = SN_IMPLICIT_ROW, STEPS = 6, MAX_SIDE = 72 };

// Sets the step and the numbers of nodes: six per limb radius, at most 72 along the longest side of the box.
static void lay_out(const sn_implicit_bone *bone, sn_implicit_grid *grid) {
    const sn_vec3 size = sn_sub(bone->high, bone->low);
    const sn_real longest = sn_max(size.x, sn_max(size.y, size.z));
    const sn_real side[3] = {size.x, size.y, size.z};
    grid->step = sn_max(bone->radius / STEPS, longest / (MAX_SIDE - 2));
    grid->per = 1 / grid->step;
    grid->low[0] = bone->low.x, grid->low[1] = bone->low.y, grid->low[2] = bone->low.z;
    for (int k = 0; k < 3; k++) grid->size[k] = (int)(side[k] * grid->per) + 2; // the last is on or outside the face
}

static size_t count_of(const sn_implicit_grid *grid) {
    return (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2];
}

static void fill(const sn_implicit_rig *rig, int bone, sn_implicit_grid *grid) {
    sn_real q[3][SN_IMPLICIT_ROW] __attribute__((aligned(64))), g[3][SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    sn_real d[SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    const size_t count = count_of(grid), x = (size_t)grid->size[0], y = (size_t)grid->size[1];
    for (size_t first = 0; first < count; first += ROW) {
        for (size_t i = 0; i < ROW; i++) {
            const size_t at = first + i < count ? first + i : count - 1;
            q[0][i] = grid->low[0] + grid->step * (sn_real)(at % x);
            q[1][i] = grid->low[1] + grid->step * (sn_real)(at / x % y);
            q[2][i] = grid->low[2] + grid->step * (sn_real)(at / (x * y));
        }
        rig->kernels->distance(rig, bone, (const sn_real *const[3]){q[0], q[1], q[2]}, d,
                               (sn_real *const[3]){g[0], g[1], g[2]});
        for (size_t i = 0; i < ROW && first + i < count; i++) {
            sn_real *node = grid->node + (first + i) * 4;
            node[0] = d[i], node[1] = g[0][i], node[2] = g[1][i], node[3] = g[2][i];
        }
    }
}

bool sn_implicit_build_grids(sn_implicit_rig *rig) {
    size_t all = 0;
    rig->grid = sn_blocks_alloc(&rig->blocks, (size_t)rig->bones, sizeof *rig->grid);
    if (!rig->grid) return false;
    for (int b = 0; b < rig->bones; b++) {
        if (rig->bone[b].centre_count == 0) continue;
        lay_out(&rig->bone[b], &rig->grid[b]);
        all += count_of(&rig->grid[b]) * 4;
    }
    sn_real *node = sn_blocks_alloc(&rig->blocks, all, sizeof *node);
    if (!node) return false;
    for (int b = 0; b < rig->bones; b++) {
        if (rig->bone[b].centre_count == 0) continue;
        rig->grid[b].node = node;
        fill(rig, b, &rig->grid[b]);
        node += count_of(&rig->grid[b]) * 4;
    }
    return true;
}
