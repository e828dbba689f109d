// See file_header.h.
#include "base/file_header.h"
#include "base/hash.h"
#include <string.h>

enum { LETTERS = 8, HEAD_SIZE = LETTERS + 4 + 4 + 8 + 8 };

static void visit_head(const sn_file_header *header, sn_stream *stream, uint64_t *length, uint64_t *hash) {
    unsigned char letters[LETTERS];
    uint32_t version = header->version, number = sizeof(sn_real);
    memcpy(letters, header->letters, LETTERS);
    sn_visit_bytes(stream, letters, LETTERS);
    sn_visit_u32(stream, &version);
    sn_visit_u32(stream, &number);
    sn_visit_u64(stream, length);
    sn_visit_u64(stream, hash);
    sn_stream_check(stream, memcmp(letters, header->letters, LETTERS) == 0 && version == header->version &&
                                number == sizeof(sn_real));
}

size_t sn_file_header_save(const sn_file_header *header, void (*visit)(void *what, sn_stream *stream), void *what,
                           void *dst, size_t capacity) {
    sn_stream stream = {.mode = SN_STREAM_COUNT};
    visit(what, &stream);
    uint64_t length = stream.at;
    const size_t size = HEAD_SIZE + stream.at;
    if (!dst || capacity < size) return size;
    stream = (sn_stream){.mode = SN_STREAM_WRITE, .write = dst, .at = HEAD_SIZE, .end = size};
    visit(what, &stream);
    uint64_t hash = sn_hash_bytes(0, (unsigned char *)dst + HEAD_SIZE, (size_t)length);
    stream.at = 0;
    visit_head(header, &stream, &length, &hash);
    return size;
}

sn_status sn_file_header_open(const sn_file_header *header, const sn_log *log, const void *bytes, size_t size,
                              sn_stream *out) {
    *out = (sn_stream){.mode = SN_STREAM_READ, .read = bytes, .end = size};
    uint64_t length = 0, hash = 0;
    visit_head(header, out, &length, &hash);
    if (out->bad)
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes", "not %s saved by this version of the library",
                    header->what);
    else if (length != size - HEAD_SIZE)
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes", "too few or too many bytes");
    else if (sn_hash_bytes(0, (const unsigned char *)bytes + HEAD_SIZE, (size_t)length) != hash)
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes", "damaged: the checksum does not match");
    else
        return SN_OK;
    return SN_ERR_FORMAT;
}
