// MDD, big-endian: number of frames, number of points, the time of each frame in seconds; then the points of each
// frame as x, y, z.
#include "formats/vertex_cache.h"

bool mdd_write(FILE *out, const recording *take) {
    vertex_cache_write_int(out, take->frame_count, true);
    vertex_cache_write_int(out, recording_vertex_count(take), true);
    for (int i = 0; i < take->frame_count; i++) vertex_cache_write_float(out, take->times[i], true);
    bool good = true;
    for (int i = 0; good && i < take->frame_count && !ferror(out); i++) {
        good = vertex_cache_write_frame(out, take, i, true);
    }
    return good;
}
