// Writes PNG files: eight bits per channel, sRGB. Each row is stored as differences to its neighbours, by the one of
// PNG's five filters with the smallest sum of differences.
#include "render/png.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint32_t crc_add(uint32_t crc, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
    }
    return crc;
}

static void put_big_endian(unsigned char out[4], uint32_t value) {
    for (int i = 0; i < 4; i++) out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void write_chunk(FILE *out, const char *type, const unsigned char *bytes, size_t count) {
    unsigned char bytes4[4];
    put_big_endian(bytes4, (uint32_t)count);
    fwrite(bytes4, 1, 4, out);
    fwrite(type, 1, 4, out);
    if (count) fwrite(bytes, 1, count, out);
    uint32_t crc = crc_add(0xFFFFFFFFu, (const unsigned char *)type, 4);
    put_big_endian(bytes4, ~crc_add(crc, bytes, count));
    fwrite(bytes4, 1, 4, out);
}

// The Paeth predictor: the one of left, above and upper left closest to left + above - upper left.
static int paeth(int a, int b, int c) {
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static long filter_row(int type, const unsigned char *row, const unsigned char *above, size_t bytes,
                       unsigned char *out) {
    long sum = 0;
    out[0] = (unsigned char)type;
    for (size_t i = 0; i < bytes; i++) {
        int a = i >= 3 ? row[i - 3] : 0, b = above ? above[i] : 0, c = above && i >= 3 ? above[i - 3] : 0;
        int guess = type == 1 ? a : type == 2 ? b : type == 3 ? (a + b) / 2 : type == 4 ? paeth(a, b, c) : 0;
        out[i + 1] = (unsigned char)(row[i] - guess);
        sum += abs((signed char)out[i + 1]);
    }
    return sum;
}

static unsigned char *filter_picture(const unsigned char *pixels, int width, int height, size_t *count) {
    size_t row_bytes = 3 * (size_t)width;
    *count = (row_bytes + 1) * (size_t)height;
    unsigned char *rows = malloc(*count), *tried = malloc(row_bytes + 1);
    for (int y = 0; rows && tried && y < height; y++) {
        const unsigned char *row = pixels + row_bytes * (size_t)y, *above = y ? row - row_bytes : NULL;
        unsigned char *out = rows + (row_bytes + 1) * (size_t)y;
        long best = filter_row(0, row, above, row_bytes, out);
        for (int type = 1; type <= 4; type++) {
            long sum = filter_row(type, row, above, row_bytes, tried);
            if (sum < best) {
                best = sum;
                memcpy(out, tried, row_bytes + 1);
            }
        }
    }
    if (!tried) {
        free(rows);
        rows = NULL;
    }
    free(tried);
    return rows;
}

// The zlib container around deflate: two bytes before, a checksum after.
static unsigned char *zlib_bytes(const unsigned char *bytes, size_t count, size_t *size) {
    size_t packed_size;
    unsigned char *packed = deflate_bytes(bytes, count, &packed_size);
    unsigned char *all = packed ? malloc(packed_size + 6) : NULL;
    if (all) {
        uint32_t a = 1, b = 0;
        for (size_t i = 0; i < count; i++) {
            a = (a + bytes[i]) % 65521;
            b = (b + a) % 65521;
        }
        all[0] = 0x78, all[1] = 0xDA;
        memcpy(all + 2, packed, packed_size);
        put_big_endian(all + 2 + packed_size, b << 16 | a);
        *size = packed_size + 6;
    }
    free(packed);
    return all;
}

bool png_write(FILE *out, const unsigned char *pixels, int width, int height) {
    size_t count, size;
    unsigned char *rows = filter_picture(pixels, width, height, &count);
    unsigned char *packed = rows ? zlib_bytes(rows, count, &size) : NULL, header[13] = {0};
    bool good = packed != NULL;
    if (good) {
        put_big_endian(header, (uint32_t)width);
        put_big_endian(header + 4, (uint32_t)height);
        header[8] = 8, header[9] = 2; // bits per channel; RGB
        fwrite("\x89PNG\r\n\x1a\n", 1, 8, out);
        write_chunk(out, "IHDR", header, sizeof header);
        write_chunk(out, "sRGB", (const unsigned char *)"", 1);
        write_chunk(out, "IDAT", packed, size);
        write_chunk(out, "IEND", NULL, 0);
    }
    free(rows);
    free(packed);
    return good;
}
