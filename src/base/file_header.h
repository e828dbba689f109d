// Bytes that are saved, with a head by which they are known again and damage is noticed:
//
//     8 letters  version  bytes of a number  length of the body  hash of the body  |  body
#ifndef SN_BASE_FILE_HEADER_H
#define SN_BASE_FILE_HEADER_H

#include "base/log.h"
#include "base/stream.h"

typedef struct {
    const char *letters; // 8
    uint32_t version;
    const char *what; // it is: "a world"
} sn_file_header;

// How many bytes 'what' takes; with a body as 'visit' visits it. Written to dst if there is room for them.
size_t sn_file_header_save(const sn_file_header *header, void (*visit)(void *what, sn_stream *stream), void *what,
                           void *dst, size_t capacity);

// A stream that reads the body of these bytes, if they are whole. SN_ERR_FORMAT: they are not, which is said.
sn_status sn_file_header_open(const sn_file_header *header, const sn_log *log, const void *bytes, size_t size,
                              sn_stream *out);

#endif
