// One bit for each lane of a mask. For *_kernel.c only.
#ifndef SN_GEOMETRY_LANE_BITS_H
#define SN_GEOMETRY_LANE_BITS_H

#include "base/simd/simd.h"

#define ALL_BITS ((1u << SN_LANES) - 1)

#if !defined(SN_DOUBLE) && SN_LANES == 4 && defined(__SSE2__)
SN_INLINE uint32_t v_bits(vmask m) {
    return (uint32_t)_mm_movemask_ps((__m128)m);
}
#elif !defined(SN_DOUBLE) && SN_LANES == 8 && defined(__AVX__)
SN_INLINE uint32_t v_bits(vmask m) {
    return (uint32_t)_mm256_movemask_ps((__m256)m);
}
#elif !defined(SN_DOUBLE) && SN_LANES == 16 && defined(__AVX512F__)
SN_INLINE uint32_t v_bits(vmask m) {
    return (uint32_t)_mm512_test_epi32_mask((__m512i)m, (__m512i)m);
}
#elif !defined(SN_DOUBLE) && SN_LANES == 4 && defined(__wasm_simd128__)
SN_INLINE uint32_t v_bits(vmask m) {
    return wasm_i32x4_bitmask((v128_t)m);
}
#else
SN_INLINE uint32_t v_bits(vmask m) {
    uint32_t bits = 0;
    for (int i = 0; i < SN_LANES; i++) bits |= (uint32_t)v_mask_lane(m, i) << i;
    return bits;
}
#endif

// A row at any address.
SN_INLINE vreal v_load_any(const sn_real *from) {
    vreal v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

#endif
