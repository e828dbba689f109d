// SIMD lanes, written once for any width: a 'vreal' holds SN_LANES numbers, arithmetic acts on each. Compiler vectors
// do the work, so the same source gives SSE2, AVX2, AVX-512, NEON or WebAssembly code, and plain scalars for one lane.
//
// Every operation here is exact IEEE, lane by lane: a lane's result never depends on the width or on its neighbours.
// That is why there is no reciprocal estimate, no fused multiply-add and no horizontal sum.
//
// Files named *_kernel.c include this and are compiled once per width; SN_LANE_NAME gives their symbols the width.
#ifndef SN_BASE_SIMD_SIMD_H
#define SN_BASE_SIMD_SIMD_H

#include "base/math/real.h"
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef SN_LANES
#error "only *_kernel.c files include simd.h: the build compiles them once per lane width, with SN_LANES set"
#endif

#define SN_JOIN2(name, lanes) name##_w##lanes
#define SN_JOIN(name, lanes)  SN_JOIN2(name, lanes)
#define SN_LANE_NAME(name)    SN_JOIN(name, SN_LANES)

#define SN_INLINE static inline __attribute__((always_inline))

// Unrolls a short loop, so that arrays indexed by its counter stay in registers.
#if defined(__clang__)
#define SN_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SN_UNROLL _Pragma("GCC unroll 16")
#endif

#if SN_LANES == 1
typedef sn_real vreal;
typedef sn_real_bits vmask; // all bits set, or none
SN_INLINE vmask v_less(vreal a, vreal b) {
    return -(sn_real_bits)(a < b);
}
SN_INLINE vreal v_select(vmask m, vreal a, vreal b) {
    return m ? a : b;
}
SN_INLINE vreal v_set(sn_real x) {
    return x;
}
SN_INLINE bool v_any(vmask m) {
    return m != 0;
}
SN_INLINE sn_real v_lane(vreal v, int lane) {
    return (void)lane, v;
}
SN_INLINE bool v_mask_lane(vmask m, int lane) {
    return (void)lane, m != 0;
}
#else
typedef sn_real vreal __attribute__((vector_size(sizeof(sn_real) * SN_LANES)));
typedef sn_real_bits vmask __attribute__((vector_size(sizeof(sn_real) * SN_LANES)));
SN_INLINE vmask v_less(vreal a, vreal b) {
    return (vmask)(a < b);
}
SN_INLINE vreal v_select(vmask m, vreal a, vreal b) {
    return (vreal)(((vmask)a & m) | ((vmask)b & ~m));
}
SN_INLINE vreal v_set(sn_real x) {
    return x - (vreal){0};
}
SN_INLINE bool v_any(vmask m) {
#if SN_LANES == 4 && !defined(SN_DOUBLE) && defined(__wasm_simd128__) // clang would go through memory
    return wasm_v128_any_true((v128_t)m);
#elif SN_LANES == 4 && !defined(SN_DOUBLE) && defined(__SSE2__)       // gcc would take out lane by lane
    return _mm_movemask_ps((__m128)m) != 0;
#elif SN_LANES == 8 && !defined(SN_DOUBLE) && defined(__AVX__)
    return _mm256_movemask_ps((__m256)m) != 0;
#elif SN_LANES == 16 && !defined(SN_DOUBLE) && defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)m, (__m512i)m) != 0;
#else
    sn_real_bits any = 0;
    for (int i = 0; i < SN_LANES; i++) any |= m[i];
    return any != 0;
#endif
}
SN_INLINE sn_real v_lane(vreal v, int lane) {
    return v[lane];
}
SN_INLINE bool v_mask_lane(vmask m, int lane) {
    return m[lane] != 0;
}
#endif

// A literal in the build's precision.
#define K(x) ((sn_real)(x))

SN_INLINE vreal v_min(vreal a, vreal b) {
    return v_select(v_less(a, b), a, b);
}
SN_INLINE vreal v_max(vreal a, vreal b) {
    return v_select(v_less(b, a), a, b);
}
SN_INLINE vreal v_abs(vreal a) {
    return v_max(a, -a);
}

// -a where m, else a.
SN_INLINE vreal v_negate_if(vmask m, vreal a) {
    return v_select(m, -a, a);
}

// Set where x is a number: NaN and infinities fail the comparison.
SN_INLINE vmask v_finite(vreal x) {
    return v_less(v_abs(x - x), v_set(1));
}

#if SN_LANES > 1 && !defined(SN_DOUBLE) && defined(__SSE2__)
#if SN_LANES == 4
SN_INLINE vreal v_sqrt(vreal a) {
    return (vreal)_mm_sqrt_ps((__m128)a);
}
#elif SN_LANES == 8 && defined(__AVX__)
SN_INLINE vreal v_sqrt(vreal a) {
    return (vreal)_mm256_sqrt_ps((__m256)a);
}
#elif SN_LANES == 16 && defined(__AVX512F__)
SN_INLINE vreal v_sqrt(vreal a) {
    return (vreal)_mm512_sqrt_ps((__m512)a);
}
#else
#define SN_SQRT_BY_LANE
#endif
#elif SN_LANES == 4 && !defined(SN_DOUBLE) && defined(__wasm_simd128__)
SN_INLINE vreal v_sqrt(vreal a) {
    return (vreal)wasm_f32x4_sqrt((v128_t)a);
}
#elif SN_LANES == 1
SN_INLINE vreal v_sqrt(vreal a) {
    return sn_sqrt(a);
}
#else
#define SN_SQRT_BY_LANE
#endif
#ifdef SN_SQRT_BY_LANE
SN_INLINE vreal v_sqrt(vreal a) {
    vreal r = a;
    for (int i = 0; i < SN_LANES; i++) r[i] = sn_sqrt(a[i]);
    return r;
}
#endif

// Rows: SN_LANES numbers side by side in memory, aligned to their own size (memory.h aligns blocks to 64 bytes).
typedef vreal __attribute__((may_alias, aligned(SN_LANES * sizeof(sn_real) < 64 ? SN_LANES * sizeof(sn_real) : 64)))
vrow;
SN_INLINE vreal v_load(const sn_real *row) {
    return *(const vrow *)row;
}
SN_INLINE void v_store(sn_real *row, vreal v) {
    *(vrow *)row = v;
}

#endif
