// Three bytes become four characters of a 64-character alphabet; '=' pads the last group.
#include "formats/base64.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    FILE *out;
    unsigned char group[3];
    int in_group;
    char letters[4096];
    size_t used;
} encoder;

// Encodes up to three bytes as four characters.
static void letters_of(const unsigned char *bytes, size_t count, char out[4]) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0;
    for (size_t i = 0; i < 3; i++) bits = bits << 8 | (i < count ? bytes[i] : 0u);
    for (size_t i = 0; i < 4; i++) out[i] = i <= count ? alphabet[bits >> (18 - 6 * i) & 63] : '=';
}

static void put_group(encoder *to) {
    letters_of(to->group, (size_t)to->in_group, to->letters + to->used);
    to->used += 4;
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

// Little-endian, whatever the order of the machine.
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

char *base64_encode(const void *bytes, size_t size) {
    char *text = malloc((size + 2) / 3 * 4 + 1), *at = text;
    if (!text) return NULL;
    for (size_t i = 0; i < size; i += 3, at += 4) letters_of((const unsigned char *)bytes + i, size - i, at);
    *at = '\0';
    return text;
}

static int letter_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

int64_t base64_decode(const char *text, unsigned char *out, size_t *letter) {
    size_t length = strlen(text);
    int64_t size = 0;
    unsigned bits = 0;
    while (length > 0 && text[length - 1] == '=') --length;
    for (size_t i = 0; i < length; i++) {
        const int value = letter_value(text[i]);
        *letter = i + 1;
        if (value < 0) return -1;
        bits = bits << 6 | (unsigned)value;
        if (i % 4) out[size++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    return size;
}
