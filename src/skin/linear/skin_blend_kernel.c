// Blending: transforms vertices by their handles.
//
// Linear: M = sum w_i M_i, position M x. Normals use the cofactors of M's 3 x 3 part, which keep them perpendicular to
// the surface under stretch.
//
// Dual (Kavan et al. 2007, with stretch): first the stretches, y = (sum w_i S_i) x, then one rigid motion, the
// normalized sum of the handles' dual quaternions, each with the sign closer to the first.
#include "base/simd/lane_math.h"
#include "skin/linear/skin.h"

enum { L = SN_LANES };

sn_blend_fn SN_LANE_NAME(sn_skin_linear);
sn_blend_fn SN_LANE_NAME(sn_skin_dual);

#if SN_LANES > 1 && !defined(SN_DOUBLE)
#define QUADS // copies four numbers at a time; does not affect results

typedef float quad __attribute__((vector_size(16)));
typedef quad quad_anywhere __attribute__((may_alias, aligned(4)));
typedef float pair_anywhere __attribute__((vector_size(8), may_alias, aligned(4)));

SN_INLINE void transpose(quad r[4]) {
    const quad a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    const quad c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5), d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5), r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
#endif

// The numbers of one influence: of the common handle of all lanes, or of each lane's own, gathered in `gathered`.
SN_INLINE const sn_real *find(const uint16_t *handle, bool mixed, const sn_real *ready, int size, sn_real *gathered) {
    if (!mixed) return ready + (size_t)handle[0] * (size_t)size;
#ifdef QUADS // sizes are multiples of four
    for (int lane = 0; lane < L; lane += 4)
        for (int k = 0; k < size; k += 4) {
            quad r[4];
            for (int i = 0; i < 4; i++)
                r[i] = *(const quad_anywhere *)(ready + (size_t)handle[lane + i] * (size_t)size + k);
            transpose(r);
            for (int i = 0; i < 4; i++) *(quad_anywhere *)(gathered + (k + i) * L + lane) = r[i];
        }
#else
    for (int lane = 0; lane < L; lane++)
        for (int k = 0; k < size; k++) gathered[k * L + lane] = ready[(size_t)handle[lane] * (size_t)size + (size_t)k];
#endif
    return gathered;
}

SN_INLINE vreal value(const sn_real *from, bool mixed, int k) {
    return mixed ? v_load(from + k * L) : v_set(from[k]);
}

SN_INLINE v3 at(const vreal m[12], v3 x) {
    return (v3){m[0] * x.x + m[1] * x.y + m[2] * x.z + m[3], m[4] * x.x + m[5] * x.y + m[6] * x.z + m[7],
                m[8] * x.x + m[9] * x.y + m[10] * x.z + m[11]};
}

// The cofactors of m times n.
SN_INLINE v3 transported(const vreal m[12], v3 n) {
    v3 a = {m[0], m[1], m[2]}, b = {m[4], m[5], m[6]}, c = {m[8], m[9], m[10]};
    return (v3){v3_dot(v3_cross(b, c), n), v3_dot(v3_cross(c, a), n), v3_dot(v3_cross(a, b), n)};
}

// n / |n|, or the rest normal if n vanishes.
SN_INLINE v3 unit_or(v3 n, v3 rest) {
    vreal length2 = v3_dot(n, n);
    vmask good = v_less(v_set(K(1e-37)), length2);
    vreal k = K(1) / v_sqrt(v_select(good, length2, v_set(1)));
    return v3_select(good, v3_mul(k, n), rest);
}

SN_INLINE v3 load3(const sn_real *row) {
    return (v3){v_load(row), v_load(row + L), v_load(row + 2 * L)};
}

// Writes each lane's vector to its vertex.
SN_INLINE void scatter(v3 v, const int *vertex, sn_real *out, size_t stride) {
    sn_real rows[3 * L] __attribute__((aligned(64)));
    v_store(rows, v.x), v_store(rows + L, v.y), v_store(rows + 2 * L, v.z);
    SN_UNROLL for (int lane = 0; lane < L; lane++) {
        sn_real *to = (sn_real *)((char *)out + (size_t)vertex[lane] * stride);
        to[0] = rows[lane], to[1] = rows[L + lane], to[2] = rows[2 * L + lane];
    }
}

// The same for positions and normals that are adjacent, as in most vertex buffers: transposed four by four, so that a
// vertex takes two stores.
#ifdef QUADS
SN_INLINE void put_vertex(char *to, quad front, quad back, bool high) {
    *(quad_anywhere *)to = front;
    *(pair_anywhere *)(to + 16) =
        high ? __builtin_shufflevector(back, back, 2, 3) : __builtin_shufflevector(back, back, 0, 1);
}

SN_INLINE void scatter_both(v3 p, v3 n, const int *vertex, const sn_skin_output *out) {
    float rows[6 * L] __attribute__((aligned(64)));
    char *to = (char *)out->positions;
    const size_t stride = out->position_stride;
    v_store(rows, p.x), v_store(rows + L, p.y), v_store(rows + 2 * L, p.z);
    v_store(rows + 3 * L, n.x), v_store(rows + 4 * L, n.y), v_store(rows + 5 * L, n.z);
    SN_UNROLL for (int lane = 0; lane < L; lane += 4) {
        quad r[4], back[2];
        SN_UNROLL for (int k = 0; k < 4; k++) r[k] = *(const quad_anywhere *)(rows + k * L + lane);
        SN_UNROLL for (int k = 0; k < 2; k++) back[k] = *(const quad_anywhere *)(rows + (4 + k) * L + lane);
        transpose(r);
        const quad back0 = __builtin_shufflevector(back[0], back[1], 0, 4, 1, 5);
        const quad back1 = __builtin_shufflevector(back[0], back[1], 2, 6, 3, 7);
        const int *v = vertex + lane;
        put_vertex(to + (size_t)v[0] * stride, r[0], back0, false);
        put_vertex(to + (size_t)v[1] * stride, r[1], back0, true);
        put_vertex(to + (size_t)v[2] * stride, r[2], back1, false);
        put_vertex(to + (size_t)v[3] * stride, r[3], back1, true);
    }
}
#else
SN_INLINE void scatter_both(v3 p, v3 n, const int *vertex, const sn_skin_output *out) {
    scatter(p, vertex, out->positions, out->position_stride);
    scatter(n, vertex, out->normals, out->normal_stride);
}
#endif

typedef enum { POSITIONS, APART, TOGETHER } layout;

static layout layout_of(const sn_skin_output *out) {
    if (!out->normals) return POSITIONS;
    return out->normals == out->positions + 3 && out->normal_stride == out->position_stride ? TOGETHER : APART;
}

// Writes a batch.
SN_INLINE void put(v3 position, v3 normal, const int *vertex, layout to, const sn_skin_output *out) {
    if (to == TOGETHER) {
        scatter_both(position, normal, vertex, out);
        return;
    }
    scatter(position, vertex, out->positions, out->position_stride);
    if (to == APART) scatter(normal, vertex, out->normals, out->normal_stride);
}

// ---- linear

// A few batches go through two loops: the first transforms positions and normals, the second normalises and writes
// them. In one loop each batch would wait for the square root and division of the previous one.
enum { CHUNK = 16, MOVED = 6 };

// `count` influences, a compile-time constant: entry by entry, so that weights stay in registers.
SN_INLINE void linear_move(const sn_skin *skin, const sn_real *ready, int batch, bool mixed, int count,
                           sn_real *moved) {
    const sn_real *row = skin->rows + (size_t)batch * K_ROWS * L;
    const uint16_t *handle = skin->handle + (size_t)batch * SN_SKIN_INFLUENCES * L;
    sn_real gathered[SN_SKIN_INFLUENCES][LINEAR_SIZE * L] __attribute__((aligned(64)));
    const sn_real *from[SN_SKIN_INFLUENCES];
    vreal m[LINEAR_SIZE];
    SN_UNROLL for (int i = 0; i < count; i++) {
        from[i] = find(handle + i * L, mixed, ready, LINEAR_SIZE, gathered[i]);
    }
    SN_UNROLL for (int k = 0; k < LINEAR_SIZE; k++) {
        m[k] = v_load(row + K_W * L) * value(from[0], mixed, k);
        SN_UNROLL for (int i = 1; i < count; i++) m[k] += v_load(row + (K_W + i) * L) * value(from[i], mixed, k);
    }
    const v3 p = at(m, load3(row)), n = transported(m, load3(row + K_NX * L));
    v_store(moved, p.x), v_store(moved + L, p.y), v_store(moved + 2 * L, p.z);
    v_store(moved + 3 * L, n.x), v_store(moved + 4 * L, n.y), v_store(moved + 5 * L, n.z);
}

SN_INLINE void linear_move_any(const sn_skin *skin, const sn_real *ready, int batch, sn_real *moved) {
    if (batch >= skin->uniform) {
        linear_move(skin, ready, batch, true, SN_SKIN_INFLUENCES, moved);
        return;
    }
    switch (skin->counts[batch]) {
    case 1:
        linear_move(skin, ready, batch, false, 1, moved);
        break;
    case 2:
        linear_move(skin, ready, batch, false, 2, moved);
        break;
    case 3:
        linear_move(skin, ready, batch, false, 3, moved);
        break;
    default:
        linear_move(skin, ready, batch, false, SN_SKIN_INFLUENCES, moved);
    }
}

SN_INLINE void linear_write(const sn_skin *skin, const sn_real *moved, int batch, layout to,
                            const sn_skin_output *out) {
    const v3 rest = load3(skin->rows + ((size_t)batch * K_ROWS + K_NX) * L);
    put(load3(moved), unit_or(load3(moved + 3 * L), rest), skin->vertex + (size_t)batch * L, to, out);
}

SN_INLINE void linear_batches(const sn_skin *skin, const sn_real *ready, int first, int last, layout to,
                              const sn_skin_output *out) {
    sn_real moved[CHUNK * MOVED * L] __attribute__((aligned(64)));
    for (int batch = first; batch < last; batch += CHUNK) {
        const int n = last - batch < CHUNK ? last - batch : CHUNK;
        for (int i = 0; i < n; i++) linear_move_any(skin, ready, batch + i, moved + i * MOVED * L);
        for (int i = 0; i < n; i++) linear_write(skin, moved + i * MOVED * L, batch + i, to, out);
    }
}

void SN_LANE_NAME(sn_skin_linear)(const sn_skin *skin, const sn_real *ready, int first, int last,
                                  const sn_skin_output *out) {
    const layout to = layout_of(out);
    if (to == TOGETHER)
        linear_batches(skin, ready, first, last, TOGETHER, out);
    else
        linear_batches(skin, ready, first, last, to, out);
}

// ---- dual

SN_INLINE void dual_batch(const sn_skin *skin, const sn_real *ready, int batch, bool mixed, layout to,
                          const sn_skin_output *out) {
    const sn_real *row = skin->rows + (size_t)batch * K_ROWS * L;
    const uint16_t *handle = skin->handle + (size_t)batch * SN_SKIN_INFLUENCES * L;
    const int *vertex = skin->vertex + (size_t)batch * L, count = skin->counts[batch];
    sn_real gathered[DUAL_SIZE * L] __attribute__((aligned(64)));
    vreal d[8], m[12], pivot[4];
    SN_UNROLL for (int k = 0; k < 8; k++) d[k] = v_set(0);
    SN_UNROLL for (int k = 0; k < 12; k++) m[k] = v_set(0);
    SN_UNROLL for (int k = 0; k < 4; k++) pivot[k] = v_set(0);
    for (int i = 0; i < count; i++) {
        const sn_real *from = find(handle + i * L, mixed, ready, DUAL_SIZE, gathered);
        vreal w = v_load(row + (K_W + i) * L), dot = v_set(0);
        SN_UNROLL for (int k = 0; k < 12; k++) m[k] += w * value(from, mixed, 8 + k);
        SN_UNROLL for (int k = 0; k < 4; k++) {
            if (i == 0) pivot[k] = value(from, mixed, k);
            dot += pivot[k] * value(from, mixed, k);
        }
        w = v_negate_if(v_less(dot, v_set(0)), w);
        SN_UNROLL for (int k = 0; k < 8; k++) d[k] += w * value(from, mixed, k);
    }
    vq q = {d[0], d[1], d[2], d[3]}, e = {d[4], d[5], d[6], d[7]};
    const vreal k = K(1) / v_sqrt(v_max(vq_dot(q, q), v_set(K(1e-30))));
    q = vq_scale(k, q), e = vq_scale(k, e);
    // The translation 2 e q*; the part of e along q, which blending leaves, cancels.
    const vq t = vq_mul(e, vq_conj(q));
    const v3 shift = v3_mul(v_set(2), (v3){t.x, t.y, t.z});
    const v3 rest = load3(row + K_NX * L), normal = vq_rotate(q, unit_or(transported(m, rest), rest));
    put(v3_add(vq_rotate(q, at(m, load3(row))), shift), normal, vertex, to, out);
}

void SN_LANE_NAME(sn_skin_dual)(const sn_skin *skin, const sn_real *ready, int first, int last,
                                const sn_skin_output *out) {
    const layout to = layout_of(out);
    for (int batch = first; batch < last; batch++) {
        if (batch < skin->uniform)
            dual_batch(skin, ready, batch, false, to, out);
        else
            dual_batch(skin, ready, batch, true, to, out);
    }
}
