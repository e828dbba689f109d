// links: tools
// Places in JSON texts: lines, columns and paths.
#include "formats/json_where.h"
#include "test.h"
#include <stdio.h>

static const char text[] = "{\n"
                           "  \"a\": 1,\n"
                           "  \"ä\\\"x\": [10, {\"k\": [true, null]}, \"}],\"],\n"
                           "  \"b\\u0041\": {\"deep\": {\"er\": -3}}\n"
                           "}\n";

static bool is_at(const json_path *path, bool of_key, int line, int column) {
    json_place place;
    bool found = json_where(text, sizeof text - 1, path, of_key, &place);
    return CHECK(found) && CHECK_INT(place.line, line) && CHECK_INT(place.column, column);
}

TEST(values_and_keys_have_places) {
    json_path a = {NULL, "a", 0};
    CHECK(is_at(NULL, false, 1, 1));
    CHECK(is_at(&a, false, 2, 8));
    CHECK(is_at(&a, true, 2, 3));
}

TEST(columns_count_characters) {
    json_path list = {NULL, "ä\"x", 0}, second = {&list, NULL, 1}, k = {&second, "k", 0}, null = {&k, NULL, 1};
    CHECK(is_at(&list, true, 3, 3));
    CHECK(is_at(&list, false, 3, 11));
    CHECK(is_at(&second, false, 3, 16));
    CHECK(is_at(&null, false, 3, 29));
}

TEST(escaped_keys_are_found) {
    json_path b = {NULL, "bA", 0}, deep = {&b, "deep", 0}, er = {&deep, "er", 0};
    CHECK(is_at(&er, false, 4, 30));
}

TEST(a_missing_path_gives_the_place_above) {
    json_path a = {NULL, "ä\"x", 0}, tenth = {&a, NULL, 10};
    json_place place;
    CHECK(!json_where(text, sizeof text - 1, &tenth, false, &place));
    CHECK_INT(place.line, 3);
    CHECK_INT(place.column, 11);
}

TEST(paths_read_well) {
    char words[80];
    json_path bodies = {NULL, "bodies", 0}, second = {&bodies, NULL, 2}, radius = {&second, "radius", 0};
    json_path materials = {NULL, "materials", 0}, soft = {&materials, "soft skin", 0}, young = {&soft, "young", 0};
    json_path_text(&radius, words, sizeof words);
    CHECK_STRING(words, "bodies[2].radius");
    json_path_text(&young, words, sizeof words);
    CHECK_STRING(words, "materials.\"soft skin\".young");
    json_path_text(NULL, words, sizeof words);
    CHECK_STRING(words, "the scene");
    json_path_text(&young, words, 8); // cut, not overrun
    CHECK_STRING(words, "materia");
}

typedef struct {
    int count;
    char said[200];
} duplicates;

static void take_duplicate(void *user, const json_path *path, json_place first, json_place again) {
    duplicates *all = user;
    char words[60];
    size_t used = strlen(all->said);
    json_path_text(path, words, sizeof words);
    snprintf(all->said + used, sizeof all->said - used, "%s %d:%d %d:%d;", words, first.line, first.column, again.line,
             again.column);
    all->count++;
}

TEST(every_duplicate_is_found) {
    static const char twice[] = "{\"a\": {\"x\": 1, \"y\": [{\"z\": 1, \"z\": 2}]},\n \"a\": 2, \"b\": {\"a\": 1}}";
    duplicates all = {0};
    json_find_duplicates(twice, sizeof twice - 1, take_duplicate, &all);
    CHECK_INT(all.count, 2);
    CHECK_STRING(all.said, "a.y[0].z 1:23 1:31;a 1:2 2:2;");
}
