// links: tools
// Scenes of version 0.1 load: each key or value that has a new name gives one warning that names it, and the world is
// the same as that of the new names.
#include "scene_text.h"
#include "test.h"

// `old|new` stands for either name, with " for the quotes of JSON.
static const char both[] =
    "{'step': 0.01, 'substeps': 2, 'gravity': [0, -9.81, 0],"
    " `shapes|rigid_bodies`: [{'plane': true, 'position': [0, -0.5, 0]},"
    "  {'name': 'post', `ball|sphere`: {'radius': 0.05}, 'position': [0, -0.05, 0]}],"
    " 'bodies': ["
    "  {'kind': 'rod', 'name': 'r', 'line': {'from': [-0.2, 0.1, 0], 'to': [0.2, 0.1, 0], 'segments': 8},"
    "   `touches|collide`: true, `touches_itself|self_collide`: true,"
    "   'initial': [{'point': 3, `spin|angular_velocity`: [0, 2, 0]}]},"
    "  {'kind': `springs|spring`, 'name': 's', 'solid': {'box': {'half': [0.1, 0.1, 0.1]}, 'cell': 0.1},"
    "   'position': [1, 0, 0], 'penalty': 100, `naive|penalty_naive`: true, `touches|collide`: true,"
    "   `touches_itself|self_collide`: false, `start|initial`: [{'point': 2, 'velocity': [0, 1, 0]}]},"
    "  {'kind': 'muscle', 'name': 'm', 'fusiform': {'from': [-1, 0, 0], 'to': [-1, 0.3, 0], 'radius': 0.03},"
    "   `touches|collide`: false, 'attach': {'first': {`shape|rigid_body`: 'post'}}},"
    "  {'kind': 'character', 'zoo': 'limb', 'vertices': 800, 'position': [0, 0, 2], `collide|bone_contact`: true,"
    "   `touches|body_contact`: false, 'skin': `dual|dual-quaternion`,"
    "   'muscle_keys': [{'muscle': 'triceps', 'what': 'origin', 'keys': [{'t': 0, `at|position`: [0, 0.7, -0.03]}]}],"
    "   'bundles': [{'muscle': 'biceps', 'rods': 3, `touches|collide`: false}]}],"
    " 'joints': [{'kind': 'weld', 'a': {'body': 'r', 'segment': 1}, 'b': {`shape|rigid_body`: 'post'},"
    "   'keep_offset': true, `touch|collide`: false, `turn_compliance|angular_compliance`: 0.5,"
    "   `most_force|max_force`: 40}]}";

// Writes one of the two texts. Returns the text with a line '"old" is now called "new"' for each different pair.
static char *spell(bool old, char *out) {
    static char lines[4000];
    char *to = out, line[200];
    lines[0] = '\0';
    for (const char *from = both; *from; from++) {
        if (*from != '`') {
            *to++ = *from == '\'' ? '"' : *from;
            continue;
        }
        const char *bar = strchr(from, '|'), *end = strchr(bar, '`');
        const int first = (int)(bar - from) - 1, second = (int)(end - bar) - 1;
        to += sprintf(to, "\"%.*s\"", old ? first : second, old ? from + 1 : bar + 1);
        snprintf(line, sizeof line, "\"%.*s\" is now called \"%.*s\"\n", first, from + 1, second, bar + 1);
        if (!strstr(lines, line)) strncat(lines, line, sizeof lines - strlen(lines) - 1);
        from = end;
    }
    *to = '\0';
    return lines;
}

static int count_lines(const char *text) {
    int count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

TEST(old_keys_give_one_warning_each_and_the_same_world) {
    static char text[2][2 * sizeof both];
    const char *lines = spell(true, text[0]);
    char wanted[4000];
    snprintf(wanted, sizeof wanted, "%s", lines);
    spell(false, text[1]);
    uint64_t hash[2] = {0, 1};
    for (int i = 0; i < 2; i++) {
        sn_scene *scene;
        sn_world *world = scene_world(text[i], &scene);
        REQUIRE(world);
        CHECK_INT(scene->errors.count, 0);
        CHECK_INT(scene->errors.warning_count, i == 0 ? count_lines(wanted) : 0);
        char *printed = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&printed, &size);
        REQUIRE(out);
        warnings_print(&scene->errors, out);
        fclose(out);
        for (char *at = wanted; i == 0 && *at; at = strchr(at, '\n') + 1) {
            char line[200];
            snprintf(line, sizeof line, "x.json:1:");
            CHECK(strstr(printed, line));
            snprintf(line, sizeof line, "warning: %.*s\n", (int)(strchr(at, '\n') - at), at);
            if (!CHECK(strstr(printed, line))) fprintf(stderr, "no %s", line);
        }
        free(printed);
        scene_run(scene, world, 0.1);
        hash[i] = sn_world_hash(world);
        scene_end(scene, world);
    }
    CHECK(hash[0] == hash[1]);
}

TEST(a_key_in_both_spellings_is_an_error) {
    static const char twice[] = "{\"shapes\": [], \"rigid_bodies\": [], \"bodies\": [{\"kind\": \"rod\", \"line\": "
                                "{\"to\": [1, 0, 0], \"segments\": 4}}]}";
    char *said = scene_complaints(twice, sizeof twice - 1);
    CHECK(said && strstr(said, "x.json:1:2: error: shapes: unknown key"));
    free(said);
}
