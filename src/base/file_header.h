// The header of saved bytes, to recognise them and detect damage:
//
//     8 letters  version  bytes of a number  length of the body  hash of the body  |  body
#ifndef SN_BASE_FILE_HEADER_H
#define SN_BASE_FILE_HEADER_H

#include "base/log.h"
#include "base/stream.h"

typedef struct {
    const char *letters; // 8 characters
    uint32_t version;
    const char *what; // what the bytes hold: "a world"
} sn_file_header;

// Saves a body through 'visit' and returns the size in bytes. Writes only if dst has capacity for all of it.
size_t sn_file_header_save(const sn_file_header *header, void (*visit)(void *what, sn_stream *stream), void *what,
                           void *dst, size_t capacity);

// Checks the header and returns a stream that reads the body. Logs and returns SN_ERR_FORMAT if the bytes are not
// intact.
sn_status sn_file_header_open(const sn_file_header *header, const sn_log *log, const void *bytes, size_t size,
                              sn_stream *out);

#endif
