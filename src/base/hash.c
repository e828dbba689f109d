// A 64-bit hash of words. Each step is a bijection of the running hash for a given word, and of the word for a given
// hash: a single changed word always changes the result, and chance collisions stay at one in 2^64.
#include "base/hash.h"
#include <string.h>

// Odd multipliers from the digits of the golden ratio and of pi; any odd number with well mixed bits would do.
#define MULTIPLY_1 UINT64_C(0x9E3779B97F4A7C15)
#define MULTIPLY_2 UINT64_C(0x243F6A8885A308D3)

uint64_t sn_hash_u64(uint64_t hash, uint64_t word) {
    // Multiplication carries bits upward only, so shifts bring the high half down in between. The added constant keeps
    // a stream of zeros from staying zero.
    hash = (hash ^ word) + MULTIPLY_2;
    hash = (hash ^ (hash >> 32)) * MULTIPLY_1;
    hash = (hash ^ (hash >> 29)) * MULTIPLY_2;
    return hash ^ (hash >> 32);
}

uint64_t sn_hash_reals(uint64_t hash, const sn_real *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sn_real value = values[i];
        uint64_t word;
        if (value == 0) {
            word = 0;
        } else if (value != value) {
            word = UINT64_MAX; // NaNs have different bits on different processors
        } else {
#ifdef SN_DOUBLE
            memcpy(&word, &value, sizeof word);
#else
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            word = bits;
#endif
        }
        hash = sn_hash_u64(hash, word);
    }
    return hash;
}

uint64_t sn_hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    for (size_t left = count; left > 0;) {
        size_t taken = left < 8 ? left : 8;
        uint64_t word = 0; // little-endian on every machine
        for (size_t i = 0; i < taken; i++) word |= (uint64_t)next[i] << (8 * i);
        hash = sn_hash_u64(hash, word);
        next += taken;
        left -= taken;
    }
    return sn_hash_u64(hash, count); // distinguishes trailing zeros from padding
}
