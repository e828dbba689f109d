// See view_socket.h. The handshake needs SHA-1 (FIPS 180-4), which is not used as a secret here.
#include "view_socket.h"
#include "formats/base64.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- handshake ---

static uint32_t rotate(uint32_t x, int by) {
    return x << by | x >> (32 - by);
}

static void add_block(uint32_t state[5], const unsigned char block[64]) {
    uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        const uint32_t f = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999u
                           : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1u
                           : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCu
                                    : (b ^ c ^ d) + 0xCA62C1D6u;
        const uint32_t next = rotate(a, 5) + f + e + w[i];
        e = d, d = c, c = rotate(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

// Of a text that fits into two blocks.
static void sha1(const char *text, size_t size, unsigned char out[20]) {
    uint32_t state[5] = {0x67452301u, 0xEFCDAB89u, 0x98BADCFEu, 0x10325476u, 0xC3D2E1F0u};
    unsigned char blocks[128] = {0};
    const size_t end = size + 9 > 64 ? 128 : 64;
    memcpy(blocks, text, size);
    blocks[size] = 0x80;
    blocks[end - 2] = (unsigned char)(size * 8 >> 8), blocks[end - 1] = (unsigned char)(size * 8);
    for (size_t i = 0; i < end; i += 64) add_block(state, blocks + i);
    for (int i = 0; i < 20; i++) out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

bool socket_accept(const char *key, char out[SOCKET_ACCEPT_SIZE]) {
    unsigned char hash[20];
    char joined[64];
    if (strlen(key) != 24) return false; // 16 bytes in base64
    const int length = snprintf(joined, sizeof joined, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    sha1(joined, (size_t)length, hash);
    char *text = base64_encode(hash, sizeof hash);
    if (text) memcpy(out, text, SOCKET_ACCEPT_SIZE);
    free(text);
    return text != NULL;
}

// --- frames ---

int socket_read(unsigned char *bytes, size_t size, size_t max, socket_message *out) {
    if (size < 2) return 0;
    const int opcode = bytes[0] & 15;
    const bool control = opcode >= SOCKET_CLOSE, whole = (bytes[0] & 0xF0) == 0x80, masked = bytes[1] & 0x80;
    if (!whole || !masked || (opcode != SOCKET_TEXT && opcode != SOCKET_BINARY && !control) || opcode > SOCKET_PONG)
        return CLOSE_PROTOCOL;
    uint64_t length = bytes[1] & 127;
    size_t head = 2;
    if (length > SOCKET_MAX_CONTROL) {
        const size_t more = length == 126 ? 2 : 8;
        if (control) return CLOSE_PROTOCOL;
        if (size < head + more) return 0;
        length = 0;
        for (size_t i = 0; i < more; i++) length = length << 8 | bytes[head + i];
        head += more;
    }
    if (length > max) return CLOSE_TOO_BIG;
    if (size < head + 4 + length) return 0;
    unsigned char *content = bytes + head + 4;
    for (size_t i = 0; i < length; i++) content[i] ^= bytes[head + i % 4];
    *out = (socket_message){(socket_opcode)opcode, content, (size_t)length, head + 4 + (size_t)length};
    return 1;
}

size_t socket_head(socket_opcode opcode, size_t size, unsigned char out[SOCKET_MAX_HEAD]) {
    const size_t more = size < 126 ? 0 : size < 65536 ? 2 : 8;
    out[0] = (unsigned char)(0x80 | (int)opcode);
    out[1] = (unsigned char)(more == 0 ? size : more == 2 ? 126 : 127);
    for (size_t i = 0; i < more; i++) out[2 + i] = (unsigned char)((uint64_t)size >> (8 * (more - 1 - i)));
    return 2 + more;
}
