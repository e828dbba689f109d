// Compression by the rules of RFC 1951, as PNG needs it.
#ifndef SN_RENDER_DEFLATE_H
#define SN_RENDER_DEFLATE_H

#include <stddef.h>

// Compresses into memory that the caller frees; null without memory.
unsigned char *deflate_bytes(const unsigned char *bytes, size_t count, size_t *size);

#endif
