// Hash: fixed values on every platform, -0 like 0, and every bit of the input spreads over the whole output.
// compilers: all
#include "base/hash.h"
#include "test.h"

TEST(same_values_everywhere) {
    CHECK_INT(sn_hash_u64(0, 0), INT64_C(1323633563645082407));
    CHECK_INT(sn_hash_u64(1, 2), INT64_C(7568578417080613786));
    CHECK_INT(sn_hash_bytes(0, "sinew", 5), INT64_C(-1418046125236525309));
    const sn_real values[3] = {1, (sn_real)-0.5, 1000};
    CHECK_INT(sn_hash_reals(0, values, 3), INT64_C(-198523919313041298));
}

TEST(reals_hash_by_value) {
    sn_real plus[2] = {0, 1}, minus[2] = {-(sn_real)0, 1};
    CHECK(sn_hash_reals(5, plus, 2) == sn_hash_reals(5, minus, 2));
    sn_real nan_1 = (sn_real)NAN, nan_2 = -nan_1;
    CHECK(sn_hash_reals(5, &nan_1, 1) == sn_hash_reals(5, &nan_2, 1));
    sn_real one = 1, next = 1 + SN_REAL_EPSILON;
    CHECK(sn_hash_reals(5, &one, 1) != sn_hash_reals(5, &next, 1));
    sn_real forward[2] = {1, 2}, backward[2] = {2, 1};
    CHECK(sn_hash_reals(5, forward, 2) != sn_hash_reals(5, backward, 2));
    CHECK(sn_hash_reals(5, forward, 0) == 5);
}

TEST(bytes_know_their_length) {
    const char zeros[16] = {0};
    uint64_t seen[17];
    for (int i = 0; i <= 16; i++) {
        seen[i] = sn_hash_bytes(1, zeros, (size_t)i);
        for (int k = 0; k < i; k++) CHECK(seen[i] != seen[k]);
    }
}

// A flipped bit of the word or of the hash before flips about half of the bits after, whichever it is.
TEST(every_bit_spreads) {
    const int samples = 2000;
    for (int side = 0; side < 2; side++) {
        for (int bit = 0; bit < 64; bit++) {
            int flipped = 0;
            uint64_t hash = 12345, word = 999;
            for (int i = 0; i < samples; i++) {
                hash = sn_hash_u64(hash, (uint64_t)i);
                word = sn_hash_u64(word, (uint64_t)i + 77);
                uint64_t flip = UINT64_C(1) << bit;
                uint64_t other = side ? sn_hash_u64(hash ^ flip, word) : sn_hash_u64(hash, word ^ flip);
                flipped += __builtin_popcountll(sn_hash_u64(hash, word) ^ other);
            }
            CHECK_NEAR((double)flipped / samples, 32, 2.5);
        }
    }
}

TEST(no_collisions_among_small_words) {
    enum { N = 4096 };
    static uint64_t table[N * 4];
    memset(table, 0, sizeof table);
    for (int i = 0; i < N; i++) {
        uint64_t hash = sn_hash_u64(0, (uint64_t)i);
        size_t slot = hash % (N * 4);
        while (table[slot] != 0 && table[slot] != hash) slot = (slot + 1) % (N * 4);
        CHECK(table[slot] == 0);
        table[slot] = hash;
    }
}
