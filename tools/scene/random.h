// Random numbers that are the same on every machine: splitmix64, a counter and a mixing function.
#ifndef SN_SCENE_RANDOM_H
#define SN_SCENE_RANDOM_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} random_stream;

static inline uint64_t random_next(random_stream *stream) {
    uint64_t z = stream->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// In [0, 1).
static inline double random_unit(random_stream *stream) {
    return (double)(random_next(stream) >> 11) * 0x1p-53;
}

// A stream of a seed; streams with different numbers are independent.
static inline random_stream random_start(uint64_t seed, uint64_t number) {
    random_stream stream = {seed};
    stream.state = random_next(&stream) ^ number;
    stream.state = random_next(&stream);
    return stream;
}

#endif
