// Base64: of little-endian numbers, as VTK's XML files want them; of bytes; and back.
#ifndef SN_FORMATS_BASE64_H
#define SN_FORMATS_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Writes the bytes' count as a 64-bit number followed by 'count' values of 'size' bytes (1, 2, 4 or 8), all little-endian, as one
// base64 text.
void base64_write_counted(FILE *out, const void *values, size_t count, size_t size);

// The text of some bytes, with a NUL, freed by the caller. Null: out of memory.
char *base64_encode(const void *bytes, size_t size);

// The bytes of a text; 'out' has room for 3 for each 4 letters that were begun. Returns how many there are; -1 if a letter
// is none, which *letter then counts from 1.
int64_t base64_decode(const char *text, unsigned char *out, size_t *letter);

#endif
