// Base64: encodes little-endian numbers (for VTK's XML files) and bytes, and decodes bytes.
#ifndef SN_FORMATS_BASE64_H
#define SN_FORMATS_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Writes one base64 text: the number of bytes as a 64-bit number, then `count` values of `size` bytes (1, 2, 4 or 8),
// all little-endian.
void base64_write_counted(FILE *out, const void *values, size_t count, size_t size);

// Encodes bytes. The caller frees the text, which ends with a NUL. Null: out of memory.
char *base64_encode(const void *bytes, size_t size);

// Decodes a text. `out` has 3 bytes for every 4 characters, rounded up. Returns the number of bytes; -1 if a character
// is not base64: *letter is then its position, from 1.
int64_t base64_decode(const char *text, unsigned char *out, size_t *letter);

#endif
