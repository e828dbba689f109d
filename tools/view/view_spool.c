// See view_spool.h. Tracks are read in blocks of neighbouring joints: one read per frame and block.
#include "view/view_spool.h"
#include "system/system.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)8 << 20)

struct view_spool {
    FILE *file;
    int count, capacity;
    size_t joint_count, vertex_count;
    double *times;
    char *path; // beside which it lies; or null
};

bool scratch_file_copy(FILE *scratch, FILE *out) {
    enum { BYTES = 1 << 16 };
    char *buffer = malloc(BYTES);
    if (!buffer) return false;
    rewind(scratch);
    for (size_t got; (got = fread(buffer, 1, BYTES, scratch)) > 0 && !ferror(out);) fwrite(buffer, 1, got, out);
    free(buffer);
    return !ferror(scratch);
}

view_spool *view_spool_create(const view_model *model, const char *path) {
    view_spool *spool = calloc(1, sizeof *spool);
    if (spool) spool->file = system_scratch_open(path);
    if (!spool || !spool->file) {
        free(spool);
        return NULL;
    }
    spool->joint_count = (size_t)model->joint_count;
    spool->vertex_count = (size_t)model->vertex_count;
    if (path) spool->path = strdup(path);
    if (spool->path || !path) return spool;
    view_spool_free(spool);
    return NULL;
}

view_spool *view_spool_create_like(const view_spool *spool, const view_model *model) {
    return view_spool_create(model, spool->path);
}

void view_spool_free(view_spool *spool) {
    if (!spool) return;
    const int error = errno;
    fclose(spool->file);
    free(spool->times);
    free(spool->path);
    free(spool);
    errno = error;
}

FILE *view_spool_scratch(const view_spool *spool) {
    return system_scratch_open(spool->path);
}

static size_t frame_size(const view_spool *spool) {
    return spool->joint_count * sizeof(joint_pose) + spool->vertex_count * 3 * sizeof(float);
}

bool view_spool_write(view_spool *spool, const view_frame *frame) {
    if (spool->count == spool->capacity) {
        const int capacity = spool->capacity ? 2 * spool->capacity : 64;
        double *times = realloc(spool->times, (size_t)capacity * sizeof *times);
        if (!times) return false;
        spool->times = times;
        spool->capacity = capacity;
    }
    if (!system_append(spool->file, frame->poses, spool->joint_count * sizeof *frame->poses) ||
        !system_append(spool->file, frame->vertices, spool->vertex_count * sizeof *frame->vertices))
        return false;
    spool->times[spool->count++] = frame->time;
    return true;
}

int view_spool_count(const view_spool *spool) {
    return spool->count;
}

const double *view_spool_times(const view_spool *spool) {
    return spool->times;
}

bool view_spool_read_poses(const view_spool *spool, int index, int first, int count, joint_pose *out) {
    const size_t offset = (size_t)index * frame_size(spool) + (size_t)first * sizeof *out;
    return system_read_at(spool->file, out, (size_t)count * sizeof *out, offset);
}

bool view_spool_read_vertices(const view_spool *spool, int index, int first, int count, float (*out)[3]) {
    const size_t start = (size_t)index * frame_size(spool) + spool->joint_count * sizeof(joint_pose);
    return system_read_at(spool->file, out, (size_t)count * sizeof *out, start + (size_t)first * sizeof *out);
}

bool view_spool_read(const view_spool *spool, int index, view_frame *out) {
    out->time = spool->times[index];
    return view_spool_read_poses(spool, index, 0, (int)spool->joint_count, out->poses) &&
           view_spool_read_vertices(spool, index, 0, (int)spool->vertex_count, out->vertices);
}

int view_spool_tracks_at_once(const view_spool *spool) {
    const size_t track = ((size_t)spool->count + 1) * sizeof(joint_pose), fit = BLOCK_BYTES / track;
    return fit < 1 ? 1 : fit < spool->joint_count ? (int)fit : (int)spool->joint_count;
}

bool view_spool_read_tracks(const view_spool *spool, int first, int count, joint_pose *out) {
    joint_pose *row = malloc(((size_t)count + 1) * sizeof *row);
    bool good = row != NULL;
    for (int f = 0; good && f < spool->count; f++) {
        good = view_spool_read_poses(spool, f, first, count, row);
        for (int j = 0; good && j < count; j++) out[(size_t)j * (size_t)spool->count + (size_t)f] = row[j];
    }
    free(row);
    return good;
}
