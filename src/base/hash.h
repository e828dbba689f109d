// Hash: 64 bits over a stream of 32- and 64-bit words; the same on every platform. Not for secrets.
#ifndef SN_BASE_HASH_H
#define SN_BASE_HASH_H

#include "base/math/real.h"

// Mixes one word into a running hash; start from any seed.
uint64_t sn_hash_u64(uint64_t hash, uint64_t word);

// Mixes count numbers by their bits. -0 counts as 0.
uint64_t sn_hash_reals(uint64_t hash, const sn_real *values, size_t count);

// Mixes bytes.
uint64_t sn_hash_bytes(uint64_t hash, const void *bytes, size_t count);

#endif
