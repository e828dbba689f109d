// PC2, little-endian: "POINTCACHE2\0", version 1, number of points, first frame, frames per sample, number of samples;
// then the points of each sample as x, y, z.
#include "formats/vertex_cache.h"

bool pc2_write(FILE *out, const recording *take) {
    fwrite("POINTCACHE2", 1, 12, out);
    vertex_cache_write_int(out, 1, false);
    vertex_cache_write_int(out, recording_vertex_count(take), false);
    vertex_cache_write_float(out, 0, false);
    vertex_cache_write_float(out, 1, false);
    vertex_cache_write_int(out, take->frame_count, false);
    bool good = true;
    for (int i = 0; good && i < take->frame_count && !ferror(out); i++) {
        good = vertex_cache_write_frame(out, take, i, false);
    }
    return good;
}
