// See view_spool.h. Tracks are read in blocks of neighbouring joints: one read per frame and block.
#define _GNU_SOURCE // O_TMPFILE
#include "view/view_spool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)8 << 20)

struct view_spool {
    int file, count, capacity;
    size_t joint_count, vertex_count;
    double *times;
    char *path; // beside which it lies; or null
};

// Creates a file without a name, or one whose name is removed at once. -1: errno is set.
static int open_unnamed(const char *path) {
    const size_t size = strlen(path) + 16;
    char *name = malloc(size);
    if (!name) return -1;
#ifdef O_TMPFILE
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    const int nameless = open(name, O_TMPFILE | O_RDWR, 0600);
    if (nameless >= 0) {
        free(name);
        return nameless;
    }
#endif
    snprintf(name, size, "%s.tmp-XXXXXX", path);
    const int file = mkstemp(name);
    if (file >= 0) unlink(name);
    free(name);
    return file;
}

FILE *scratch_file_open(const char *path) {
    const int file = path ? open_unnamed(path) : -1;
    if (file < 0) return tmpfile();
    FILE *opened = fdopen(file, "w+b");
    if (!opened) close(file);
    return opened;
}

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
    FILE *opened = spool ? scratch_file_open(path) : NULL;
    if (!opened) {
        free(spool);
        return NULL;
    }
    spool->file = dup(fileno(opened));
    fclose(opened);
    spool->joint_count = (size_t)model->joint_count;
    spool->vertex_count = (size_t)model->vertex_count;
    if (path) spool->path = strdup(path);
    if (spool->file >= 0 && (spool->path || !path)) return spool;
    view_spool_free(spool);
    return NULL;
}

view_spool *view_spool_create_like(const view_spool *spool, const view_model *model) {
    return view_spool_create(model, spool->path);
}

void view_spool_free(view_spool *spool) {
    if (!spool) return;
    const int error = errno;
    if (spool->file >= 0) close(spool->file);
    free(spool->times);
    free(spool->path);
    free(spool);
    errno = error;
}

FILE *view_spool_scratch(const view_spool *spool) {
    return scratch_file_open(spool->path);
}

static size_t frame_size(const view_spool *spool) {
    return spool->joint_count * sizeof(joint_pose) + spool->vertex_count * 3 * sizeof(float);
}

static bool write_all(int file, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = write(file, (const char *)bytes + done, size - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return true;
}

static bool read_all(int file, void *bytes, size_t size, size_t offset) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(file, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = EIO;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

bool view_spool_write(view_spool *spool, const view_frame *frame) {
    if (spool->count == spool->capacity) {
        const int capacity = spool->capacity ? 2 * spool->capacity : 64;
        double *times = realloc(spool->times, (size_t)capacity * sizeof *times);
        if (!times) return false;
        spool->times = times;
        spool->capacity = capacity;
    }
    if (!write_all(spool->file, frame->poses, spool->joint_count * sizeof *frame->poses) ||
        !write_all(spool->file, frame->vertices, spool->vertex_count * sizeof *frame->vertices))
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
    return read_all(spool->file, out, (size_t)count * sizeof *out, offset);
}

bool view_spool_read_vertices(const view_spool *spool, int index, int first, int count, float (*out)[3]) {
    const size_t start = (size_t)index * frame_size(spool) + spool->joint_count * sizeof(joint_pose);
    return read_all(spool->file, out, (size_t)count * sizeof *out, start + (size_t)first * sizeof *out);
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
