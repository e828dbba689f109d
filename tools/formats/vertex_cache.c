// Frames of vertices, for either order of bytes.
#include "formats/vertex_cache.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void write_word(FILE *out, uint32_t word, bool big_endian) {
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++) bytes[big_endian ? 3 - i : i] = (unsigned char)(word >> (8 * i));
    fwrite(bytes, 1, 4, out);
}

void vertex_cache_write_int(FILE *out, int64_t value, bool big_endian) {
    write_word(out, (uint32_t)value, big_endian);
}

void vertex_cache_write_float(FILE *out, double value, bool big_endian) {
    float number = (float)value;
    uint32_t word;
    memcpy(&word, &number, 4);
    write_word(out, word, big_endian);
}

bool vertex_cache_write_frame(FILE *out, const recording *take, int frame, bool big_endian) {
    for (int i = 0; i < take->body_count; i++) {
        if (!recording_moves(take, i)) continue;
        size_t count = (size_t)take->shapes[take->bodies[i].shape].mesh.vertex_count;
        float(*positions)[3] = malloc((count + 1) * sizeof *positions);
        if (!positions) return false;
        bool good = recording_vertices(take, frame, i, positions, NULL);
        for (size_t v = 0; v < count && good; v++) {
            for (int k = 0; k < 3; k++) vertex_cache_write_float(out, (double)positions[v][k], big_endian);
        }
        free(positions);
        if (!good) return false;
    }
    return true;
}
