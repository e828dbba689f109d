// links: tools
// Damaged mesh files: whatever the bytes, reading ends with a mesh or a sentence, soon, within 50 times the file's size
// of memory, and leaves none behind.
#include "counted_memory.h"
#include "formats/mesh_file.h"
#include "mesh/mesh_repair.h"
#include "mesh_bytes.h"
#include "scene/random.h"
#include "test.h"
#include <time.h>

// Reads bytes that lie at the end of a block of just their size, so that sanitizers see a byte too much. Whether it was
// good.
static bool survive(const char *name, const unsigned char *from, size_t size) {
    unsigned char *exact = malloc(size ? size : 1);
    tool_error error = {0};
    mesh_file file;
    if (!exact) abort();
    memcpy(exact, from, size);
    live = peak = 0;
    counting = true;
    const bool good = mesh_parse(name, exact, size, NULL, &file, &error);
    counting = false;
    CHECK(good == (error.text[0] == '\0'));
    CHECK(good || strstr(error.text, "error: "));
    CHECK(peak <= 50 * (size > 128 ? size : 128));
    if (good) { // what was read is sound
        sn_mesh all, repaired;
        mesh_repair_report report;
        const mesh_repair_options options = mesh_repair_options_default();
        for (int i = 0; i < file.mesh_count; i++) {
            const sn_mesh *mesh = &file.mesh[i].mesh;
            for (int k = 0; k < 3 * mesh->triangle_count; k++) {
                const int v = mesh->triangle[k / 3][k % 3];
                CHECK(v >= 0 && v < mesh->vertex_count);
            }
            for (int k = 0; k < 3 * mesh->vertex_count; k++) CHECK(isfinite(mesh->position[k / 3][k % 3]));
        }
        if (CHECK(mesh_file_merge(&file, &all)) && CHECK(mesh_repair(&all, &options, &repaired, NULL, &report)))
            sn_mesh_free(&repaired);
        sn_mesh_free(&all);
    }
    counting = true;
    mesh_file_free(&file);
    counting = false;
    CHECK_INT(live, 0);
    free(exact);
    return good;
}

TEST(the_counter_counts) {
    listen();
    live = peak = 0;
    counting = true;
    char *volatile block = malloc(100000);
    counting = false;
    CHECK(block && peak >= 100000 && peak < 101000);
    counting = true;
    free(block);
    counting = false;
    CHECK_INT(live, 0);
}

static void mutate(random_stream *random, bytes *b) {
    static const char *const pieces[] = {"-1",   "4294967295", "1e38", "nan", "\n", " ", "/",        "{",
                                         "}",    "[",          "]",    "\"",  ",",  "0", "99999999", "\xff\xff\xff\xff",
                                         "\\\n", "f 1 1 1\n",  "65536"};
    const int changes = 1 + (int)(random_next(random) % 4);
    for (int i = 0; i < changes && b->size > 8; i++) {
        const size_t at = random_next(random) % (b->size - 4), length = random_next(random) % 4 + 1;
        const char *piece = pieces[random_next(random) % (sizeof pieces / sizeof *pieces)];
        unsigned char *bytes_at = b->at + at;
        switch (random_next(random) % 6) {
        case 0:
            *bytes_at = (unsigned char)random_next(random);
            break;
        case 1: // one bit
            *bytes_at ^= (unsigned char)(1u << random_next(random) % 8);
            break;
        case 2:
            memmove(bytes_at, bytes_at + length, b->size - at - length);
            b->size -= length;
            break;
        case 3: { // in between
            const size_t more = strlen(piece);
            bytes_add(b, piece, more); // makes room
            memmove(b->at + at + more, b->at + at, b->size - more - at);
            memcpy(b->at + at, piece, more);
            break;
        }
        case 4: { // over it
            const size_t more = strlen(piece) < b->size - at ? strlen(piece) : b->size - at;
            memcpy(bytes_at, piece, more);
            break;
        }
        default: // a part moved
            memmove(bytes_at, b->at + random_next(random) % (b->size - 4), length);
        }
    }
    if (random_next(random) % 4 == 0) b->size = random_next(random) % (b->size + 1);
}

static void check_damage(const char *name, bytes seed, int rounds) {
    listen();
    const clock_t start = clock();
    CHECK(survive(name, seed.at, seed.size)); // the seed itself is fine
    random_stream random = random_start(4711, seed.size);
    int refused = 0;
    for (int i = 0; i < rounds; i++) {
        bytes b = {0};
        bytes_add(&b, seed.at, seed.size);
        mutate(&random, &b);
        refused += !survive(name, b.at, b.size);
        bytes_free(&b);
    }
    CHECK(refused > rounds / 4 && refused < rounds);
    CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 60); // far more than it takes, even under sanitizers
    bytes_free(&seed);
}

static void check_truncation(const char *name, bytes seed) {
    listen();
    for (size_t size = 0; size < seed.size; size++) survive(name, seed.at, size);
    bytes_free(&seed);
}

static sn_mesh small(void) {
    return shape_ball(3, 4);
}

#define DAMAGE(title, name, make)                                                                                      \
    static void damage_##title(void) {                                                                                 \
        sn_mesh mesh = small();                                                                                        \
        check_damage(name, make, 1000);                                                                                \
        check_truncation(name, make);                                                                                  \
        sn_mesh_free(&mesh);                                                                                           \
    }

DAMAGE(obj, "x.obj", as_obj(&mesh))
DAMAGE(off, "x.off", as_off(&mesh))
DAMAGE(ply_text, "x.ply", as_ply(&mesh, PLY_TEXT))
DAMAGE(ply_little, "x.ply", as_ply(&mesh, PLY_LITTLE))
DAMAGE(ply_big, "x.ply", as_ply(&mesh, PLY_BIG))
DAMAGE(stl_text, "x.stl", as_stl(&mesh, true))
DAMAGE(stl_binary, "x.stl", as_stl(&mesh, false))
DAMAGE(glb, "x.glb", as_mesh_glb(&mesh, ",\"translation\":[1,2,3]"))
DAMAGE(gltf, "x.gltf", as_mesh_gltf(&mesh))
DAMAGE(rig, "x.glb", as_rig_glb())

TEST(damaged_obj_is_survived) {
    damage_obj();
}
TEST(damaged_off_is_survived) {
    damage_off();
}
TEST(damaged_ply_text_is_survived) {
    damage_ply_text();
}
TEST(damaged_ply_binary_is_survived) {
    damage_ply_little();
    damage_ply_big();
}
TEST(damaged_stl_is_survived) {
    damage_stl_text();
    damage_stl_binary();
}
TEST(damaged_glb_is_survived) {
    damage_glb();
}
TEST(damaged_gltf_is_survived) {
    damage_gltf();
}
TEST(damaged_rig_is_survived) {
    damage_rig();
}

// Files made to cost much: each is honest by its grammar.
TEST(costly_files_stay_within_the_limit) {
    listen();
    bytes b = {0};
    bytes_print(&b, "v 0 0 0\nvt 0\nvn 0 0 1\nf");
    for (int i = 0; i < 20000; i++) bytes_print(&b, " 1"); // one polygon
    CHECK(survive("x.obj", b.at, b.size));
    bytes_free(&b);
    for (int i = 0; i < 100; i++) bytes_print(&b, "v 0 0 %d 1 1 1\nvt %d\n", i, i);
    bytes_print(&b, "f");
    for (int i = 0; i < 10000; i++) bytes_print(&b, " %d/%d", i / 100 + 1, i % 100 + 1); // every corner another
    survive("x.obj", b.at, b.size);
    bytes_free(&b);
    bytes_print(&b, "v 0 0 0\n");
    for (int i = 0; i < 3000; i++) bytes_print(&b, "g %d\nf 1 1 1\n", i); // a mesh for every face
    survive("x.obj", b.at, b.size);
    bytes_free(&b);
    bytes_print(&b, "ply\nformat binary_little_endian 1.0\nelement vertex 200\nproperty char x\nproperty char y\n"
                    "property char z\nelement tristrips 1\nproperty list int uchar vertex_indices\nend_header\n");
    for (int i = 0; i < 600; i++) bytes_number(&b, (uint64_t)i, 1, false);
    bytes_number(&b, 20000, 4, false);
    for (int i = 0; i < 20000; i++) bytes_number(&b, (uint64_t)i % 200, 1, false);
    CHECK(survive("x.ply", b.at, b.size));
    bytes_free(&b);
    static const char *const fillers[] = {"{},",         "[],",       "0,",   "\"\",",
                                          "{\"a\":{}},", "[[[[]]]],", "1e9,", "{\"a\":1},"};
    for (size_t f = 0; f < sizeof fillers / sizeof *fillers; f++) {
        bytes_print(&b, "{\"asset\":{\"version\":\"2.0\"},\"extras\":[");
        for (int i = 0; i < 5000; i++) bytes_print(&b, "%s", fillers[f]);
        bytes_print(&b, "0],\"nodes\":[{\"name\":\"a\"}]}");
        survive("x.gltf", b.at, b.size);
        bytes_free(&b);
    }
    bytes_print(&b, "{\"asset\":{\"version\":\"2.0\"},\"extras\":{");
    for (int i = 0; i < 5000; i++) bytes_print(&b, "\"%x\":0,", i);
    bytes_print(&b, "\"z\":0},\"nodes\":[{\"name\":\"a\"}]}");
    survive("x.gltf", b.at, b.size);
    bytes_free(&b);
    for (int i = 0; i < 5000; i++) bytes_print(&b, "{\"asset\":"); // deeper than any stack should go
    survive("x.gltf", b.at, b.size);
    bytes_free(&b);
}
