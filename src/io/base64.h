// Base64 of little-endian numbers, as VTK's XML files want them.
#ifndef SN_IO_BASE64_H
#define SN_IO_BASE64_H

#include <stddef.h>
#include <stdio.h>

// Writes the bytes' count as a 64-bit number followed by 'count' values of 'size' bytes (1, 2, 4 or 8), all little-endian, as one
// base64 text.
void base64_write_counted(FILE *out, const void *values, size_t count, size_t size);

#endif
