// links: tools
// Pictures: independent of the number of threads, with the right positions, colours and shadows; PNG and its
// compression are reversible.
#include "base/math/vec.h"
#include "render/png.h"
#include "render/render.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// --- one pill over a ground ---

typedef struct {
    view_model model;
    view_mesh mesh;
    view_body body;
    view_plane plane;
    joint_pose rest[2];
    int parents[2];
    sn_real radii[2];
} stage;

static void stage_make(stage *s) {
    *s = (stage){.parents = {-1, 0}, .radii = {0.3f, 0.3f}, .plane = {{0, 0, 0}, {0, 1, 0}}};
    for (int k = 0; k < 2; k++) s->rest[k] = (joint_pose){{k - 0.5f, 0.8f, 0}, {0, 0, 0, 1}, {1, 1, 1}, {0, 0, 0, 1}};
    s->mesh = (view_mesh){.joint_count = 2, .rest = s->rest, .parents = s->parents, .radii = s->radii};
    s->body = (view_body){.colour = {0.8f, 0.05f, 0.05f}};
    s->model = (view_model){.meshes = &s->mesh,
                            .bodies = &s->body,
                            .planes = &s->plane,
                            .mesh_count = 1,
                            .body_count = 1,
                            .plane_count = 1,
                            .joint_count = 2};
}

enum { WIDTH = 96, HEIGHT = 64 };

static bool draw(stage *s, int threads, unsigned char *out) {
    tool_error error = {0};
    render_settings settings = {.width = WIDTH, .height = HEIGHT, .samples = 8, .threads = threads};
    settings.camera = (render_camera){{0, 1.2f, 5}, {0, 0.8f, 0}, {0, 1, 0}, 40};
    const view_frame frame = {.poses = s->rest};
    render_extent extent = {.any = false};
    render_extent_add(&extent, &s->model, &frame);
    renderer *painter = renderer_new(&s->model, &extent, &settings, &error);
    const unsigned char *pixels = painter ? renderer_draw(painter, &frame, &error) : NULL;
    if (pixels) memcpy(out, pixels, 3 * WIDTH * HEIGHT);
    renderer_free(painter);
    return CHECK(pixels != NULL);
}

static const unsigned char *pixel(const unsigned char *picture, int x, int y) {
    return picture + 3 * (y * WIDTH + x);
}

TEST(a_picture_does_not_depend_on_threads_and_repeats) {
    stage s;
    unsigned char one[3 * WIDTH * HEIGHT], three[3 * WIDTH * HEIGHT], again[3 * WIDTH * HEIGHT];
    stage_make(&s);
    if (draw(&s, 1, one) && draw(&s, 3, three) && draw(&s, 1, again)) {
        CHECK(memcmp(one, three, sizeof one) == 0);
        CHECK(memcmp(one, again, sizeof one) == 0);
    }
}

TEST(bodies_ground_and_shadows_are_where_they_belong) {
    stage s;
    unsigned char picture[3 * WIDTH * HEIGHT];
    stage_make(&s);
    if (draw(&s, 1, picture)) {
        const unsigned char *middle = pixel(picture, WIDTH / 2, HEIGHT / 2), *sky = pixel(picture, WIDTH / 2, 1);
        CHECK(middle[0] > 120 && middle[1] < middle[0] / 2 && middle[2] < middle[0] / 2); // red
        CHECK(sky[2] >= sky[0] && sky[1] > 150);                                          // bright and bluish
        int darkest = 255, brightest = 0;
        for (int i = 0; i < WIDTH * 20; i++) { // ground, below the pill
            int green = picture[3 * (WIDTH * (HEIGHT - 20) + i) + 1];
            darkest = green < darkest ? green : darkest;
            brightest = green > brightest ? green : brightest;
        }
        CHECK(brightest > 180);
        CHECK(darkest < brightest - 40);
        // The pill is 1.6 m long and 0.6 m high in a picture 3.64 m high at its distance: 42 and 11 pixels (with round
        // ends).
        int wide = 0, high = 0;
        for (int x = 0; x < WIDTH; x++) wide += pixel(picture, x, HEIGHT / 2)[0] > 2 * pixel(picture, x, HEIGHT / 2)[1];
        for (int y = 0; y < HEIGHT; y++) high += pixel(picture, WIDTH / 2, y)[0] > 2 * pixel(picture, WIDTH / 2, y)[1];
        CHECK_NEAR(wide, 1.6 / 3.68 * HEIGHT, 2.5);
        CHECK_NEAR(high, 0.6 / 3.68 * HEIGHT, 2.5);
    }
}

TEST(a_fitted_camera_sees_all) {
    stage s;
    stage_make(&s);
    joint_pose later[2] = {s.rest[0], s.rest[1]};
    later[1].position = sn_v3(9, 4, -2); // far away in a later frame
    const view_frame two[2] = {{0, s.rest, NULL}, {1, later, NULL}};
    view_spool *frames = view_spool_create(&s.model, NULL);
    render_camera camera;
    if (CHECK(frames && view_spool_write(frames, &two[0]) && view_spool_write(frames, &two[1])) &&
        CHECK(render_camera_fit(&s.model, frames, 160, 90, &camera))) {
        sn_vec3 forward = sn_normalize(sn_sub(camera.target, camera.eye), sn_v3(0, 0, -1));
        sn_vec3 right = sn_normalize(sn_cross(forward, camera.up), sn_v3(1, 0, 0)), up = sn_cross(right, forward);
        double half = tan(camera.degrees * 3.14159265358979 / 360);
        for (int f = 0; f < 2; f++) {
            for (int k = 0; k < 2; k++) {
                sn_vec3 p = sn_sub(two[f].poses[k].position, camera.eye);
                double z = (double)sn_dot(p, forward);
                CHECK(z > 0.3);
                CHECK((fabs((double)sn_dot(p, up)) + 0.3) / z < half * 1.05);
                CHECK((fabs((double)sn_dot(p, right)) + 0.3) / z < half * 160 / 90 * 1.05);
            }
        }
    }
    view_spool_free(frames);
}

// --- compression: a small RFC 1951 decoder ---

typedef struct {
    const unsigned char *bytes;
    size_t size, at;
    int bit;
    bool bad;
} bits_in;

static int read_bits(bits_in *in, int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (in->at >= in->size) {
            in->bad = true;
            return 0;
        }
        value |= (in->bytes[in->at] >> in->bit & 1) << i;
        if (++in->bit == 8) in->bit = 0, in->at++;
    }
    return value;
}

typedef struct {
    int count[16], symbol[320];
} code_book;

static void book_make(code_book *book, const unsigned char *lengths, int n) {
    int first[17] = {0};
    memset(book->count, 0, sizeof book->count);
    for (int i = 0; i < n; i++) book->count[lengths[i]]++;
    book->count[0] = 0;
    for (int l = 1; l < 16; l++) first[l + 1] = first[l] + book->count[l];
    for (int i = 0; i < n; i++) {
        if (lengths[i]) book->symbol[first[lengths[i]]++] = i;
    }
}

static int read_symbol(bits_in *in, const code_book *book) {
    int code = 0, first = 0, index = 0;
    for (int l = 1; l < 16 && !in->bad; l++) {
        code |= read_bits(in, 1);
        int count = book->count[l];
        if (code - count < first) return book->symbol[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    in->bad = true;
    return 0;
}

static void read_codes(bits_in *in, code_book *literals, code_book *distances) {
    static const int order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[320] = {0};
    code_book book;
    int n = read_bits(in, 5) + 257, m = read_bits(in, 5) + 1, k = read_bits(in, 4) + 4;
    for (int i = 0; i < k; i++) lengths[order[i]] = (unsigned char)read_bits(in, 3);
    book_make(&book, lengths, 19);
    memset(lengths, 0, sizeof lengths);
    for (int i = 0; i < n + m && !in->bad;) {
        int symbol = read_symbol(in, &book), run = 1;
        unsigned char value = symbol < 16 ? (unsigned char)symbol : symbol == 16 && i ? lengths[i - 1] : 0;
        if (symbol == 16) run = 3 + read_bits(in, 2);
        if (symbol == 17) run = 3 + read_bits(in, 3);
        if (symbol == 18) run = 11 + read_bits(in, 7);
        while (run-- && i < n + m) lengths[i++] = value;
    }
    book_make(literals, lengths, n);
    book_make(distances, lengths + n, m);
}

static size_t inflate_bytes(const unsigned char *bytes, size_t size, unsigned char *out, size_t largest) {
    bits_in in = {.bytes = bytes, .size = size};
    size_t done = 0;
    for (bool last = false; !last && !in.bad;) {
        code_book literals, distances;
        last = read_bits(&in, 1);
        if (read_bits(&in, 2) != 2) return 0; // we write no other blocks
        read_codes(&in, &literals, &distances);
        for (;;) {
            int symbol = read_symbol(&in, &literals);
            if (in.bad || symbol == 256) break;
            if (symbol < 256) {
                if (done == largest) return 0;
                out[done++] = (unsigned char)symbol;
                continue;
            }
            int l = symbol - 257, extra = l < 8 || l == 28 ? 0 : (l - 4) / 4;
            int length = l == 28 ? 258 : l < 8 ? 3 + l : 3 + ((4 + l % 4) << extra) + read_bits(&in, extra);
            int d = read_symbol(&in, &distances), more = d < 4 ? 0 : (d - 2) / 2;
            size_t distance = (size_t)(d < 4 ? 1 + d : 1 + ((2 + d % 2) << more) + read_bits(&in, more));
            if (distance > done || done + (size_t)length > largest) return 0;
            for (int i = 0; i < length; i++, done++) out[done] = out[done - distance];
        }
    }
    return in.bad ? 0 : done;
}

static void check_packing(const unsigned char *bytes, size_t count) {
    size_t size = 0;
    unsigned char *packed = deflate_bytes(bytes, count, &size), *back = malloc(count + 1);
    REQUIRE(packed != NULL && back != NULL);
    CHECK_INT(inflate_bytes(packed, size, back, count), count);
    CHECK(memcmp(bytes, back, count) == 0);
    free(packed);
    free(back);
}

TEST(compression_is_undone_by_reading) {
    enum { MAX_CODES = 300000 };
    unsigned char *bytes = malloc(MAX_CODES);
    REQUIRE(bytes != NULL);
    uint32_t state = 1;
    for (int kind = 0; kind < 4; kind++) {
        for (int i = 0; i < MAX_CODES; i++) {
            state = state * 1664525u + 1013904223u;
            bytes[i] = kind == 0   ? 0                                                                   // one long run
                       : kind == 1 ? (unsigned char)(state >> 24)                                        // noise
                       : kind == 2 ? (unsigned char)("sinew and muscle"[i % 16] + (state >> 29 == 0))    // matches
                                   : (unsigned char)(state >> 31 ? 0 : __builtin_ctz(state | 1u << 30)); // very skewed
        }
        check_packing(bytes, MAX_CODES);
        for (size_t n = 0; n < 6; n++) check_packing(bytes, n);
    }
    size_t size = 0;
    memset(bytes, 7, MAX_CODES);
    unsigned char *packed = deflate_bytes(bytes, MAX_CODES, &size);
    CHECK(packed != NULL && size < 1000); // it does compress
    free(packed);
    free(bytes);
}

static uint32_t big_endian(const unsigned char *b) {
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

TEST(a_png_reads_back_as_it_was) {
    enum { W = 61, H = 37 };
    unsigned char pixels[3 * W * H], rows[(3 * W + 1) * H];
    for (int i = 0; i < W * H; i++) {
        pixels[3 * i] = (unsigned char)(i % W * 4), pixels[3 * i + 1] = (unsigned char)(i / W * 6),
                   pixels[3 * i + 2] = (unsigned char)(i * i);
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CHECK(png_write(out, pixels, W, H));
    fclose(out);
    const unsigned char *file = (const unsigned char *)text;
    CHECK(memcmp(file, "\x89PNG\r\n\x1a\n", 8) == 0);
    CHECK_INT(big_endian(file + 16), W);
    CHECK_INT(big_endian(file + 20), H);
    size_t at = 8, found = 0;
    while (at + 12 <= size) {
        uint32_t length = big_endian(file + at);
        if (memcmp(file + at + 4, "IDAT", 4) == 0) found = inflate_bytes(file + at + 10, length - 6, rows, sizeof rows);
        at += 12 + length;
    }
    CHECK_INT(at, size);
    REQUIRE(found == sizeof rows);
    int wrong = 0;
    unsigned char before[3 * W] = {0};
    for (int y = 0; y < H; y++) {
        unsigned char *row = rows + (3 * W + 1) * y, type = *row++;
        for (int i = 0; i < 3 * W; i++) {
            int a = i >= 3 ? row[i - 3] : 0, b = before[i], c = i >= 3 ? before[i - 3] : 0, p = a + b - c;
            int close = abs(p - a) <= abs(p - b) && abs(p - a) <= abs(p - c) ? a : abs(p - b) <= abs(p - c) ? b : c;
            int guess[5] = {0, a, b, (a + b) / 2, close};
            row[i] = (unsigned char)(row[i] + guess[type % 5]);
            wrong += row[i] != pixels[3 * W * y + i];
        }
        memcpy(before, row, 3 * W);
    }
    CHECK_INT(wrong, 0);
    free(text);
}
