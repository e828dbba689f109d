// Streams: one visit function per struct counts, writes or reads its bytes, depending on the mode. Bytes are
// little-endian. After an error (past the end, a bad value) the stream is bad and every further visit does nothing.
#ifndef SN_BASE_STREAM_H
#define SN_BASE_STREAM_H

#include "base/math/real.h"

typedef enum { SN_STREAM_COUNT, SN_STREAM_WRITE, SN_STREAM_READ } sn_stream_mode;

typedef struct {
    sn_stream_mode mode;
    unsigned char *write;      // SN_STREAM_WRITE
    const unsigned char *read; // SN_STREAM_READ
    size_t at, end;            // position; where the bytes end
    bool bad;
    bool starved; // bad because memory ran out, not because of the bytes
} sn_stream;

void sn_visit_bytes(sn_stream *stream, void *data, size_t size);
void sn_visit_u32(sn_stream *stream, uint32_t *value);
void sn_visit_u64(sn_stream *stream, uint64_t *value);
void sn_visit_int(sn_stream *stream, int *value);
void sn_visit_bool(sn_stream *stream, bool *value);
void sn_visit_reals(sn_stream *stream, sn_real *values, size_t count);
void sn_visit_double(sn_stream *stream, double *value);

// Marks the stream bad unless ok; returns whether the stream is still good.
bool sn_stream_check(sn_stream *stream, bool ok);

// The same for an allocation.
bool sn_stream_need(sn_stream *stream, bool given);

// Whether 'count' elements of at least 'size' bytes can still follow. Call it before allocating memory for them.
bool sn_stream_holds(const sn_stream *stream, size_t count, size_t size);

#endif
