// Compression as of RFC 1951. Matches of up to 258 bytes are searched in the last 32 KB by a hash of three bytes and
// chains of earlier positions with the same hash. The output (bytes, or lengths with distances) is written in blocks,
// each with its own Huffman codes. Codes have at most 15 bits; longer ones are shortened by raising the counts of rare
// symbols.
#include "render/png.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 32768,
    MIN_LENGTH = 3,
    MAX_LENGTH = 258,
    MAX_CHAIN = 48,
    GOOD_LENGTH = 64,
    HASH_BITS = 15,
    BLOCK = 65536
};
enum { LITERALS = 286, DISTANCES = 30, CODE_LENGTHS = 19, END_OF_BLOCK = 256, MAX_BITS = 15 };

static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                           33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_extra[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                           6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

// A byte (distance 0), or a match.
typedef struct {
    uint16_t value, distance;
} token;

typedef struct {
    unsigned char *data;
    size_t size, capacity;
    uint32_t bits;
    int bit_count;
    bool failed;
} bit_writer;

static void put_bits(bit_writer *w, uint32_t value, int count) {
    w->bits |= value << w->bit_count; // at most 7 pending bits and 16 new ones
    w->bit_count += count;
    while (w->bit_count >= 8) {
        if (w->size == w->capacity) {
            size_t capacity = w->capacity ? 2 * w->capacity : 65536;
            unsigned char *grown = w->failed ? NULL : realloc(w->data, capacity);
            if (!grown) {
                w->failed = true;
                w->size = 0; // keep overwriting the buffer; the result is discarded
                if (!w->data) {
                    w->bit_count = 0;
                    return;
                }
            } else {
                w->data = grown;
                w->capacity = capacity;
            }
        }
        w->data[w->size++] = (unsigned char)w->bits;
        w->bits >>= 8;
        w->bit_count -= 8;
    }
}

typedef struct {
    uint8_t length[LITERALS];
    uint16_t code[LITERALS]; // with reversed bits
} huffman;

// Code lengths of a Huffman tree: repeatedly joins the two rarest nodes. Returns the longest length.
static int tree_lengths(const uint32_t *counts, int n, uint8_t *lengths) {
    uint64_t weight[2 * LITERALS];
    int parent[2 * LITERALS], active[2 * LITERALS], active_count = 0, nodes = n, longest = 0;
    for (int i = 0; i < n; i++) {
        weight[i] = counts[i];
        parent[i] = -1;
        lengths[i] = 0;
        if (counts[i]) active[active_count++] = i;
    }
    while (active_count > 1) {
        int rare[2];
        for (int k = 0; k < 2; k++) {
            int best = 0;
            for (int i = 1; i < active_count; i++) {
                if (weight[active[i]] < weight[active[best]]) best = i;
            }
            rare[k] = active[best];
            active[best] = active[--active_count];
        }
        weight[nodes] = weight[rare[0]] + weight[rare[1]];
        parent[nodes] = -1;
        parent[rare[0]] = parent[rare[1]] = nodes;
        active[active_count++] = nodes++;
    }
    for (int i = 0; i < n; i++) {
        if (!counts[i]) continue;
        int length = 0;
        for (int k = i; parent[k] >= 0; k = parent[k]) length++;
        lengths[i] = (uint8_t)(length ? length : 1); // a single symbol still takes one bit
        longest = lengths[i] > longest ? lengths[i] : longest;
    }
    return longest;
}

static void huffman_make(huffman *h, uint32_t *counts, int n, int max_bits) {
    while (tree_lengths(counts, n, h->length) > max_bits) {
        for (int i = 0; i < n; i++) counts[i] = counts[i] ? (counts[i] >> 2) + 1 : 0;
    }
    int of_length[MAX_BITS + 1] = {0}, next[MAX_BITS + 2] = {0};
    for (int i = 0; i < n; i++) of_length[h->length[i]]++;
    of_length[0] = 0;
    for (int bits = 1; bits <= MAX_BITS; bits++) next[bits + 1] = (next[bits] + of_length[bits]) << 1;
    for (int i = 0; i < n; i++) {
        int code = h->length[i] ? next[h->length[i]]++ : 0, reversed = 0;
        for (int b = 0; b < h->length[i]; b++) reversed |= (code >> b & 1) << (h->length[i] - 1 - b);
        h->code[i] = (uint16_t)reversed;
    }
}

static void put_symbol(bit_writer *w, const huffman *h, int symbol) {
    put_bits(w, h->code[symbol], h->length[symbol]);
}

static int find_base(const uint16_t *bases, int count, int value) {
    int low = 0, high = count - 1; // the last base that is not above the value
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (bases[middle] <= value) low = middle;
        if (bases[middle] > value) high = middle - 1;
    }
    return low;
}

// Writes the lengths of both codes, themselves Huffman-coded; runs of zeros are run-length encoded.
static void put_lengths(bit_writer *w, const uint8_t *lengths, int count) {
    static const uint8_t order[CODE_LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t symbols[LITERALS + DISTANCES], runs[LITERALS + DISTANCES];
    uint32_t counts[CODE_LENGTHS] = {0};
    int n = 0;
    for (int i = 0; i < count; n++) {
        int run = 1;
        while (i + run < count && lengths[i + run] == 0 && run < 138) run++;
        bool zeros = lengths[i] == 0 && run >= 3;
        symbols[n] = zeros ? (run < 11 ? 17 : 18) : lengths[i];
        runs[n] = (uint8_t)run;
        counts[symbols[n]]++;
        i += zeros ? run : 1;
    }
    huffman h;
    huffman_make(&h, counts, CODE_LENGTHS, 7);
    put_bits(w, CODE_LENGTHS - 4, 4);
    for (int i = 0; i < CODE_LENGTHS; i++) put_bits(w, h.length[order[i]], 3);
    for (int i = 0; i < n; i++) {
        put_symbol(w, &h, symbols[i]);
        if (symbols[i] == 17) put_bits(w, (uint32_t)runs[i] - 3, 3);
        if (symbols[i] == 18) put_bits(w, (uint32_t)runs[i] - 11, 7);
    }
}

static void put_block(bit_writer *w, const token *tokens, int count, bool last) {
    uint32_t literal_counts[LITERALS] = {0}, distance_counts[DISTANCES] = {0};
    huffman literals, distances;
    for (int i = 0; i < count; i++) {
        if (!tokens[i].distance) {
            literal_counts[tokens[i].value]++;
            continue;
        }
        literal_counts[257 + find_base(length_base, 29, tokens[i].value)]++;
        distance_counts[find_base(distance_base, 30, tokens[i].distance)]++;
    }
    literal_counts[END_OF_BLOCK] = 1;
    bool none = true;
    for (int i = 0; i < DISTANCES; i++) none = none && !distance_counts[i];
    if (none) distance_counts[0] = 1; // the format requires a code
    huffman_make(&literals, literal_counts, LITERALS, MAX_BITS);
    huffman_make(&distances, distance_counts, DISTANCES, MAX_BITS);
    uint8_t lengths[LITERALS + DISTANCES];
    memcpy(lengths, literals.length, LITERALS);
    memcpy(lengths + LITERALS, distances.length, DISTANCES);
    put_bits(w, last, 1);
    put_bits(w, 2, 2); // dynamic Huffman codes
    put_bits(w, LITERALS - 257, 5);
    put_bits(w, DISTANCES - 1, 5);
    put_lengths(w, lengths, LITERALS + DISTANCES);
    for (int i = 0; i < count; i++) {
        if (!tokens[i].distance) {
            put_symbol(w, &literals, tokens[i].value);
            continue;
        }
        int l = find_base(length_base, 29, tokens[i].value), d = find_base(distance_base, 30, tokens[i].distance);
        put_symbol(w, &literals, 257 + l);
        put_bits(w, (uint32_t)(tokens[i].value - length_base[l]), length_extra[l]);
        put_symbol(w, &distances, d);
        put_bits(w, (uint32_t)(tokens[i].distance - distance_base[d]), distance_extra[d]);
    }
    put_symbol(w, &literals, END_OF_BLOCK);
}

typedef struct {
    const unsigned char *bytes;
    size_t count;
    int64_t *head;   // last position of each hash; -1: none
    int64_t *before; // previous position with the same hash, by position modulo the window
} matcher;

static uint32_t hash_at(const matcher *m, size_t at) {
    uint32_t three = (uint32_t)m->bytes[at] | (uint32_t)m->bytes[at + 1] << 8 | (uint32_t)m->bytes[at + 2] << 16;
    return three * 2654435761u >> (32 - HASH_BITS);
}

static void insert(matcher *m, size_t at) {
    if (at + MIN_LENGTH > m->count) return;
    uint32_t hash = hash_at(m, at);
    m->before[at % WINDOW] = m->head[hash];
    m->head[hash] = (int64_t)at;
}

static int longest_repeat(const matcher *m, size_t at, int *distance) {
    if (at + MIN_LENGTH > m->count) return 0;
    int best = MIN_LENGTH - 1, max_length = m->count - at < MAX_LENGTH ? (int)(m->count - at) : MAX_LENGTH;
    int64_t position = m->head[hash_at(m, at)];
    for (int attempt = 0; position >= 0 && (int64_t)at - position <= WINDOW && attempt < MAX_CHAIN; attempt++) {
        const unsigned char *a = m->bytes + at, *b = m->bytes + position;
        if (a[best < max_length ? best : 0] == b[best < max_length ? best : 0]) {
            int length = 0;
            while (length < max_length && a[length] == b[length]) length++;
            if (length > best) best = length, *distance = (int)((int64_t)at - position);
            if (best >= GOOD_LENGTH || best == max_length) break;
        }
        int64_t earlier = m->before[(size_t)position % WINDOW];
        if (earlier >= position) break; // overwritten since
        position = earlier;
    }
    return best >= MIN_LENGTH ? best : 0;
}

unsigned char *deflate_bytes(const unsigned char *bytes, size_t count, size_t *size) {
    matcher m = {bytes, count, malloc(sizeof(int64_t) << HASH_BITS), malloc(WINDOW * sizeof(int64_t))};
    token *tokens = malloc(BLOCK * sizeof *tokens);
    bit_writer w = {.failed = !m.head || !m.before || !tokens};
    if (!w.failed) {
        for (size_t i = 0; i < (size_t)1 << HASH_BITS; i++) m.head[i] = -1;
        int n = 0;
        for (size_t at = 0; at < count;) {
            int distance = 0, length = longest_repeat(&m, at, &distance);
            tokens[n++] = length ? (token){(uint16_t)length, (uint16_t)distance} : (token){bytes[at], 0};
            for (int k = 0; k < (length ? length : 1); k++) insert(&m, at++);
            if (n == BLOCK) put_block(&w, tokens, n, false), n = 0;
        }
        put_block(&w, tokens, n, true);
        put_bits(&w, 0, 7); // pad the last byte
    }
    free(m.head);
    free(m.before);
    free(tokens);
    *size = w.size;
    if (!w.failed) return w.data;
    free(w.data);
    return NULL;
}
