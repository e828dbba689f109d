// From handles to vertices and back, in lanes: each lane is a vertex of a row. See subspace.h.
//
//     lift      x = sum_j w_j T_j(X - c_j)                              Û q
//     gather    g at each vertex from its tetrahedra and its inertia,   Û^T g
//               then for each handle  sum_v w_j(v) g(v) (1, d, ...)
//
// The columns are never stored: a weight and the rest position give all ten of them.
#include "base/simd/lane_gather.h"
#include "base/simd/lane_math.h"
#include "kinds/elastic/elastic_kernels.h"

enum { L = SN_LANES, ROW = SN_ELASTIC_ROW, PARTS = ROW / L };

SN_INLINE v3 rest_of(const sn_elastic_space *space, int row, int part) {
    const sn_real *rest = space->rest + ((size_t)row * 3 * ROW + (size_t)(part * L));
    return (v3){v_load(rest), v_load(rest + ROW), v_load(rest + 2 * ROW)};
}

SN_INLINE v3 from_centre(const sn_elastic_space *space, int handle, v3 rest) {
    const sn_real *c = space->centre + 4 * (size_t)handle;
    return (v3){rest.x - c[0], rest.y - c[1], rest.z - c[2]};
}

// A handle's map of one coordinate.
SN_INLINE vreal affine(const sn_real *q, v3 d) {
    return q[0] + q[1] * d.x + q[2] * d.y + q[3] * d.z;
}
SN_INLINE vreal quadratic(const sn_real *q, v3 d, const vreal square[6]) {
    vreal value = affine(q, d);
    SN_UNROLL
    for (int k = 0; k < 6; k++) value += q[4 + k] * square[k];
    return value;
}

void SN_LANE_NAME(sn_elastic_lift)(const sn_elastic_space *space, const sn_real *q, int stride, const sn_real *base,
                                   sn_real *to, int begin, int end);
void SN_LANE_NAME(sn_elastic_lift)(const sn_elastic_space *space, const sn_real *q, int stride, const sn_real *base,
                                   sn_real *to, int begin, int end) {
    for (int row = begin; row < end; row++)
        for (int part = 0; part < PARTS; part++) {
            const v3 rest = rest_of(space, row, part);
            int32_t index[SN_LANES];
            for (int lane = 0; lane < L; lane++) index[lane] = row * ROW + part * L + lane;
            vreal x[4] = {v_set(0), v_set(0), v_set(0), v_set(0)};
            if (base) gather_quads(base, 4, index, x);
            for (int e = space->entry_first[row]; e < space->entry_first[row + 1]; e++) {
                const int handle = space->entry_handle[e], column = space->column[handle];
                const sn_real *qx = q + column, *qy = qx + stride, *qz = qy + stride;
                const v3 d = from_centre(space, handle, rest);
                const vreal w = v_load(space->entry_weight + ((size_t)e * ROW + (size_t)(part * L)));
                if (space->column[handle + 1] - column == SN_ELASTIC_AFFINE) {
                    x[0] += w * affine(qx, d), x[1] += w * affine(qy, d), x[2] += w * affine(qz, d);
                } else {
                    const vreal square[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.y * d.z, d.z * d.x};
                    x[0] += w * quadratic(qx, d, square);
                    x[1] += w * quadratic(qy, d, square);
                    x[2] += w * quadratic(qz, d, square);
                }
            }
            scatter_quads(to, 4, index, L, x);
        }
}

typedef sn_real quad_vector __attribute__((vector_size(4 * sizeof(sn_real))));

SN_INLINE quad_vector quad_at(const sn_real *base, int index) {
    quad_vector r;
    __builtin_memcpy(&r, base + 4 * (ptrdiff_t)index, sizeof r);
    return r;
}

// The gradient at the vertices of a row.
SN_INLINE void gradient_of(const sn_elastic_gather *in, int row) {
    const sn_elastic_space *space = in->space;
    sn_real *out = in->gradient + (size_t)row * 3 * ROW;
    for (int lane = 0; lane < ROW; lane++) {
        const int index = row * ROW + lane;
        const sn_real m = in->inertia * space->vertex_volume[index];
        quad_vector g = m * (quad_at(in->x, index) - quad_at(in->target, index));
        for (int slot = space->slot_first[index]; slot < space->slot_first[index + 1]; slot++)
            g += quad_at(in->force, space->slot[slot]);
        if (in->extra) g += quad_at(in->extra, index);
        for (int k = 0; k < 3; k++) out[k * ROW + lane] = g[k];
    }
}

// Sums sixteen numbers pairwise.
SN_INLINE sn_real add_up(const sn_real x[ROW]) {
    sn_real a[8], b[4];
    for (int i = 0; i < 8; i++) a[i] = x[i] + x[i + 8];
    for (int i = 0; i < 4; i++) b[i] = a[i] + a[i + 4];
    return (b[0] + b[2]) + (b[1] + b[3]);
}

// One coordinate of a partial sum: the sums of its columns.
SN_INLINE void sum_partial(const sn_elastic_gather *in, int partial, int coordinate, int columns) {
    const sn_elastic_space *space = in->space;
    const int handle = space->partial_handle[partial];
    _Alignas(64) sn_real total[SN_ELASTIC_QUADRATIC][ROW];
    for (int part = 0; part < PARTS; part++) {
        vreal sum[SN_ELASTIC_QUADRATIC];
        for (int k = 0; k < columns; k++) sum[k] = v_set(0);
        for (int m = space->member_first[partial]; m < space->member_first[partial + 1]; m++) {
            const int row = space->member[2 * m], entry = space->member[2 * m + 1];
            const v3 d = from_centre(space, handle, rest_of(space, row, part));
            const vreal g = v_load(in->gradient + ((size_t)(row * 3 + coordinate) * ROW + (size_t)(part * L)));
            const vreal s = g * v_load(space->entry_weight + ((size_t)entry * ROW + (size_t)(part * L)));
            const vreal sx = s * d.x, sy = s * d.y, sz = s * d.z;
            sum[0] += s, sum[1] += sx, sum[2] += sy, sum[3] += sz;
            if (columns == SN_ELASTIC_AFFINE) continue;
            sum[4] += sx * d.x, sum[5] += sy * d.y, sum[6] += sz * d.z;
            sum[7] += sx * d.y, sum[8] += sy * d.z, sum[9] += sz * d.x;
        }
        for (int k = 0; k < columns; k++) v_store(total[k] + part * L, sum[k]);
    }
    sn_real *to = in->sums + 3 * (size_t)space->partial_column[partial] + (size_t)(coordinate * columns);
    for (int k = 0; k < columns; k++) to[k] = add_up(total[k]);
}

void SN_LANE_NAME(sn_elastic_gather)(const sn_elastic_gather *in, int patch);
void SN_LANE_NAME(sn_elastic_gather)(const sn_elastic_gather *in, int patch) {
    const sn_elastic_space *space = in->space;
    const int begin = patch * SN_ELASTIC_PATCH;
    const int end = begin + SN_ELASTIC_PATCH < space->row_count ? begin + SN_ELASTIC_PATCH : space->row_count;
    // Prefetch the forces of a vertex's chunks and the weights of a handle's rows: their addresses are too irregular
    // for the hardware.
    for (int slot = space->slot_first[begin * ROW]; slot < space->slot_first[end * ROW]; slot++)
        __builtin_prefetch(in->force + 4 * (size_t)space->slot[slot]);
    for (int e = space->entry_first[begin]; e < space->entry_first[end]; e++)
        for (size_t k = 0; k < ROW; k += 64 / sizeof(sn_real))
            __builtin_prefetch(space->entry_weight + ((size_t)e * ROW + k));
    for (int row = begin; row < end; row++) gradient_of(in, row);
    for (int partial = space->partial_first[patch]; partial < space->partial_first[patch + 1]; partial++) {
        const int handle = space->partial_handle[partial];
        const bool affine_only = space->column[handle + 1] - space->column[handle] == SN_ELASTIC_AFFINE;
        for (int k = 0; k < 3; k++)
            if (affine_only)
                sum_partial(in, partial, k, SN_ELASTIC_AFFINE);
            else
                sum_partial(in, partial, k, SN_ELASTIC_QUADRATIC);
    }
}
