// PC2, little-endian: "POINTCACHE2\0", version 1, number of points, first frame, frames per sample, number of samples;
// then the points of each sample as x, y, z.
//
// MDD, big-endian: number of frames, number of points, the time of each frame in seconds; then the points of each frame
// as x, y, z.
//
// Both have the number of frames in the header. A PC2 file gets it at the end, in place. In an MDD file the header
// grows with the frames, and some streams cannot seek: frames are then collected in a temporary file.
#include "formats/vertex_cache.h"
#include "system/system.h"
#include "view/view_spool.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct vertex_cache {
    const view_model *model;
    FILE *out, *scratch; // scratch: frames until the end; or null: they go to `out`
    vertex_cache_format format;
    int count, capacity;
    float *times; // MDD
};

static void put_word(unsigned char *out, uint32_t word, bool big_endian) {
    for (int i = 0; i < 4; i++) out[big_endian ? 3 - i : i] = (unsigned char)(word >> (8 * i));
}

static void put_float(unsigned char *out, float value, bool big_endian) {
    uint32_t word;
    memcpy(&word, &value, 4);
    put_word(out, word, big_endian);
}

static void write_int(FILE *out, int64_t value, bool big_endian) {
    unsigned char bytes[4];
    put_word(bytes, (uint32_t)value, big_endian);
    fwrite(bytes, 1, 4, out);
}

static void write_float(FILE *out, float value, bool big_endian) {
    unsigned char bytes[4];
    put_float(bytes, value, big_endian);
    fwrite(bytes, 1, 4, out);
}

static void write_header(const vertex_cache *cache) {
    const int64_t points = view_moving_vertex_count(cache->model);
    if (cache->format == CACHE_MDD) {
        write_int(cache->out, cache->count, true);
        write_int(cache->out, points, true);
        for (int i = 0; i < cache->count; i++) write_float(cache->out, cache->times[i], true);
        return;
    }
    fwrite("POINTCACHE2", 1, 12, cache->out);
    write_int(cache->out, 1, false);
    write_int(cache->out, points, false);
    write_float(cache->out, 0, false);
    write_float(cache->out, 1, false);
    write_int(cache->out, cache->count, false);
}

vertex_cache *vertex_cache_open(FILE *out, vertex_cache_format format, const view_model *model, const char *path) {
    vertex_cache *cache = calloc(1, sizeof *cache);
    if (!cache) return NULL;
    *cache = (vertex_cache){.model = model, .out = out, .format = format};
    if (format == CACHE_MDD || fseek(out, 0, SEEK_CUR) != 0) {
        cache->scratch = system_scratch_open(path);
        if (!cache->scratch) {
            free(cache);
            return NULL;
        }
    } else {
        write_header(cache);
    }
    return cache;
}

void vertex_cache_free(vertex_cache *cache) {
    if (!cache) return;
    if (cache->scratch) fclose(cache->scratch);
    free(cache->times);
    free(cache);
}

static bool add_time(vertex_cache *cache, double time) {
    if (cache->count == cache->capacity) {
        const int capacity = cache->capacity ? 2 * cache->capacity : 64;
        float *times = realloc(cache->times, (size_t)capacity * sizeof *times);
        if (!times) return false;
        cache->times = times;
        cache->capacity = capacity;
    }
    cache->times[cache->count++] = (float)time;
    return true;
}

static bool write_body(const vertex_cache *cache, const view_frame *frame, int body, FILE *out) {
    const size_t count = (size_t)cache->model->meshes[cache->model->bodies[body].mesh].mesh.vertex_count;
    float(*positions)[3] = malloc((count + 1) * sizeof *positions);
    unsigned char *bytes = malloc(12 * count + 1);
    const bool good = positions && bytes && view_body_vertices(cache->model, frame, body, positions, NULL);
    for (size_t i = 0; good && i < 3 * count; i++)
        put_float(bytes + 4 * i, positions[i / 3][i % 3], cache->format == CACHE_MDD);
    if (good) fwrite(bytes, 1, 12 * count, out);
    free(positions);
    free(bytes);
    return good;
}

bool vertex_cache_write(vertex_cache *cache, const view_frame *frame) {
    FILE *out = cache->scratch ? cache->scratch : cache->out;
    bool good = add_time(cache, frame->time);
    for (int i = 0; good && i < cache->model->body_count && !ferror(out); i++)
        if (view_body_moves(cache->model, i)) good = write_body(cache, frame, i, out);
    return good && (out == cache->out || !ferror(out));
}

bool vertex_cache_finish(vertex_cache *cache) {
    bool good = true;
    if (cache->scratch) {
        write_header(cache);
        good = fflush(cache->scratch) == 0 && !ferror(cache->scratch) && scratch_file_copy(cache->scratch, cache->out);
    } else {
        const off_t end = ftello(cache->out);
        fseeko(cache->out, 0, SEEK_SET);
        write_header(cache);
        fseeko(cache->out, end, SEEK_SET);
    }
    const int error = errno;
    vertex_cache_free(cache);
    errno = error;
    return good;
}
