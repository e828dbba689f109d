#include "base/stream.h"
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "saved worlds are little-endian: a big-endian machine needs byte swapping here"
#endif

void sn_visit_bytes(sn_stream *stream, void *data, size_t size) {
    if (stream->bad || size == 0) return;
    if (stream->mode != SN_STREAM_COUNT && size > stream->end - stream->at) {
        stream->bad = true;
        return;
    }
    if (stream->mode == SN_STREAM_WRITE) memcpy(stream->write + stream->at, data, size);
    if (stream->mode == SN_STREAM_READ) memcpy(data, stream->read + stream->at, size);
    stream->at += size;
}

void sn_visit_u32(sn_stream *stream, uint32_t *value) {
    sn_visit_bytes(stream, value, sizeof *value);
}

void sn_visit_u64(sn_stream *stream, uint64_t *value) {
    sn_visit_bytes(stream, value, sizeof *value);
}

void sn_visit_double(sn_stream *stream, double *value) {
    sn_visit_bytes(stream, value, sizeof *value);
    sn_stream_check(stream, *value - *value == 0);
}

void sn_visit_int(sn_stream *stream, int *value) {
    int32_t fixed = *value;
    sn_visit_bytes(stream, &fixed, sizeof fixed);
    if (stream->mode == SN_STREAM_READ) *value = fixed;
}

void sn_visit_bool(sn_stream *stream, bool *value) {
    unsigned char byte = *value;
    sn_visit_bytes(stream, &byte, 1);
    if (sn_stream_check(stream, byte <= 1) && stream->mode == SN_STREAM_READ) *value = byte != 0;
}

void sn_visit_reals(sn_stream *stream, sn_real *values, size_t count) {
    sn_visit_bytes(stream, values, count * sizeof *values);
    if (stream->mode != SN_STREAM_READ) return;
    for (size_t i = 0; i < count && !stream->bad; i++) sn_stream_check(stream, sn_finite(values[i]));
}

bool sn_stream_check(sn_stream *stream, bool ok) {
    if (!ok) stream->bad = true;
    return !stream->bad;
}

bool sn_stream_need(sn_stream *stream, bool given) {
    if (!given && !stream->bad) stream->starved = true;
    return sn_stream_check(stream, given);
}

bool sn_stream_holds(const sn_stream *stream, size_t count, size_t size) {
    return !stream->bad && (stream->mode != SN_STREAM_READ || count <= (stream->end - stream->at) / size);
}
