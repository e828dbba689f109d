// links: tools
// Damaged scenes: whatever the bytes, reading ends with errors or with a scene, never with a crash.
#include "scene/random.h"
#include "scene_text.h"
#include "test.h"

static const char seed_text[] =
    "{\"title\": \"\\u00e4\", \"gravity\": [0, -9.81, 0], \"step\": 0.01, \"duration\": 1e0, \"solver\": \"direct\", "
    "\"seed\": 3,\n"
    "\"materials\": {\"skin\": {\"young\": 1e5, \"poisson\": 0.4, \"volume\": 2e5}, \"b\": {\"preset\": \"fat\"}},\n"
    "\"cameras\": [{\"position\": [1, 2, 3], \"target\": [0, 0, 0]}],\n"
    "\"bodies\": [{\"kind\": \"rod\", \"name\": \"a\", \"material\": \"skin\", \"line\": {\"to\": [1, 0, 0], "
    "\"segments\": 6},\n"
    "\"hold\": [{\"points\": [0, -1], \"what\": [\"centre\", \"scale\"]}], \"rest\": {\"scale\": 0.9}, \"radii\": "
    "[0.1, 0.2]},\n"
    "{\"kind\": \"rod\", \"name\": \"t\", \"points\": [[0,0,0],[1,0,0],[1,1,0]], \"parents\": [-1, 0, 1], \"parts\": "
    "[{\"point\": 2, "
    "\"radius\": 0.05}]},\n"
    "{\"kind\": \"rod\", \"path\": [{\"helix\": {\"radius\": 1, \"pitch\": 0.5, \"turns\": 1, \"segments\": 9}}, "
    "{\"line\": {\"to\": "
    "[3, 3, 3], \"segments\": 2}}], \"scatter\": {\"count\": 3, \"box\": [[0,0,0],[1,1,1]], \"rotation\": "
    "\"random\"}}],\n"
    "\"motion\": [{\"body\": \"a\", \"range\": [0, 0], \"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}, {\"t\": 1, "
    "\"offset\": [0, 1, "
    "0]}]}],\n"
    "\"loads\": [{\"body\": \"t\", \"keys\": [{\"t\": 0, \"force\": [0, 0, 1]}]}],\n"
    "\"activation\": [{\"body\": \"a\", \"keys\": [{\"t\": 0, \"length\": 0.9}]}],\n"
    "\"release\": [{\"body\": \"a\", \"point\": 0, \"t\": 0.5}]}\n";

TEST(the_seed_is_fine) {
    char *said = scene_complaints(seed_text, sizeof seed_text - 1);
    CHECK_STRING(said, "");
    free(said);
}

TEST(every_truncation_is_survived) {
    for (size_t size = 0; size + 2 < sizeof seed_text; size++) {
        char *said = scene_complaints(seed_text, size);
        CHECK(said && strncmp(said, "x.json:", 7) == 0 && strstr(said, " error: "));
        free(said);
    }
}

// Bytes changed, removed, doubled, and pieces moved about.
static size_t damage(random_stream *random, char *text, size_t size, size_t capacity) {
    static const char *const pieces[] = {"-1", "1e308",   "null",   "[",     "]",    "{",   "}",    "\"",    "\\",
                                         ",",  "4000000", "[[[]]]", "\"a\"", "true", "0.5", "\xff", "1e-320"};
    int changes = 1 + (int)(random_next(random) % 4);
    for (int i = 0; i < changes && size > 8; i++) {
        size_t at = random_next(random) % (size - 4), length = random_next(random) % 4 + 1;
        const char *piece = pieces[random_next(random) % (sizeof pieces / sizeof *pieces)];
        size_t more = strlen(piece);
        switch (random_next(random) % 4) {
        case 0:
            text[at] = (char)random_next(random);
            break;
        case 1:
            memmove(text + at, text + at + length, size - at - length);
            size -= length;
            break;
        case 2:
            if (size + more > capacity) break;
            memmove(text + at + more, text + at, size - at);
            memcpy(text + at, piece, more);
            size += more;
            break;
        default:
            memmove(text + at, text + random_next(random) % (size - 4), length);
            break;
        }
    }
    return size;
}

TEST(random_damage_is_survived) {
    random_stream random = random_start(2024, 0);
    char text[sizeof seed_text + 100];
    int refused = 0;
    for (int round = 0; round < 3000; round++) {
        memcpy(text, seed_text, sizeof seed_text - 1);
        size_t size = damage(&random, text, sizeof seed_text - 1, sizeof text);
        char *said = scene_complaints(text, size);
        CHECK(said != NULL);
        refused += said && *said != '\0';
        free(said);
    }
    CHECK(refused > 1500 && refused < 3000); // some changes, such as in a title, do no harm
}
