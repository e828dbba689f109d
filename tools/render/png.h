// PNG files, and the compression they need (RFC 1951).
#ifndef SN_RENDER_PNG_H
#define SN_RENDER_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Writes width * height RGB pixels, one byte per channel, from the upper left. False: no memory. Stream errors are left
// to the caller.
bool png_write(FILE *out, const unsigned char *pixels, int width, int height);

// Compresses with deflate. The caller frees the result. Null: no memory.
unsigned char *deflate_bytes(const unsigned char *bytes, size_t count, size_t *size);

#endif
