// Pictures as PNG files.
#ifndef SN_RENDER_PNG_H
#define SN_RENDER_PNG_H

#include <stdbool.h>
#include <stdio.h>

// Writes width * height pixels of red, green and blue bytes, the upper left first. False without memory; errors of the
// stream are left to whoever closes it.
bool png_write(FILE *out, const unsigned char *pixels, int width, int height);

#endif
