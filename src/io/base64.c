// Three bytes become four letters of a 64-letter alphabet; the last group is filled up with '='.
#include "io/base64.h"
#include <stdint.h>
#include <string.h>

typedef struct {
    FILE *out;
    unsigned char group[3];
    int in_group;
    char letters[4096];
    size_t used;
} encoder;

static void put_group(encoder *to) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = to->in_group; i < 3; i++) to->group[i] = 0;
    unsigned bits = (unsigned)to->group[0] << 16 | (unsigned)to->group[1] << 8 | to->group[2];
    for (int i = 0; i < 4; i++) {
        to->letters[to->used++] = i <= to->in_group ? alphabet[bits >> (18 - 6 * i) & 63] : '=';
    }
    to->in_group = 0;
    if (to->used == sizeof to->letters) {
        fwrite(to->letters, 1, to->used, to->out);
        to->used = 0;
    }
}

static void put_byte(encoder *to, unsigned char byte) {
    to->group[to->in_group++] = byte;
    if (to->in_group == 3) put_group(to);
}

// The lowest byte first, whatever the machine's own order.
static void put_number(encoder *to, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; i++) put_byte(to, (unsigned char)(bits >> (8 * i)));
}

static uint64_t load(const unsigned char *at, size_t size) {
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 2:
        memcpy(&two, at, 2);
        return two;
    case 4:
        memcpy(&four, at, 4);
        return four;
    case 8:
        memcpy(&eight, at, 8);
        return eight;
    default:
        return *at;
    }
}

void base64_write_counted(FILE *out, const void *values, size_t count, size_t size) {
    encoder to = {.out = out};
    const unsigned char *bytes = values;
    put_number(&to, (uint64_t)count * size, 8);
    for (size_t i = 0; i < count; i++) put_number(&to, load(bytes + i * size, size), size);
    if (to.in_group) put_group(&to);
    fwrite(to.letters, 1, to.used, out);
}
