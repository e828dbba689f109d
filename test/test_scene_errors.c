// links: tools
// Every kind of error in a scene is said with its place, in words that help.
#include "capture/recording.h"
#include "formats/muscle_rig.h"
#include "scene_text.h"
#include "test.h"

// '^' in a text marks the place of an error and is taken out before reading; '^' in what is said stands for "x.json:LINE:COLUMN"
// of the first mark, then the second, and so on.
typedef struct {
    const char *text;
    const char *wanted; // the whole of what is said, or its beginning if it ends with "..."
} error_case;

// Takes the marks out of a text and puts their places into what is wanted. Both results are to be freed.
static void place_marks(const error_case *given, char **text, char **wanted) {
    json_place places[8] = {{0, 0}}, here = {1, 1};
    int marks = 0, used = 0;
    char *to = *text = malloc(strlen(given->text) + 1);
    for (const char *from = given->text; *from; from++) {
        if (*from == '^') {
            places[marks++] = here;
            continue;
        }
        *to++ = *from;
        here.column++;
        if (*from == '\n') here = (json_place){here.line + 1, 1};
    }
    *to = '\0';
    size_t length = 0;
    FILE *out = open_memstream(wanted, &length);
    for (const char *c = given->wanted; *c; c++) {
        if (*c == '^') {
            fprintf(out, "x.json:%d:%d", places[used].line, places[used].column);
            used++;
        } else {
            fputc(*c, out);
        }
    }
    fclose(out);
}

static void check_cases(const error_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *text, *wanted;
        place_marks(&cases[i], &text, &wanted);
        char *said = scene_complaints(text, strlen(text));
        size_t length = strlen(wanted);
        bool open = length > 3 && strcmp(wanted + length - 3, "...") == 0;
        bool good = said && (open ? strncmp(said, wanted, length - 3) == 0 : strcmp(said, wanted) == 0);
        if (!CHECK(good)) fprintf(stderr, "text:   %s\nsaid:   %swanted: %s\n", text, said, wanted);
        free(said);
        free(wanted);
        free(text);
    }
}

#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof *(cases))

// A scene with one rod, to be filled in.
#define ROD(more) "{\"bodies\": [{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4}" more "}]}"
#define WITH(more)                                                                                                     \
    "{" more ",\n\"bodies\": [{\"kind\": \"rod\", \"name\": \"r\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4}}]}"

// Places are those of Jansson: the last character it took.
TEST(what_is_not_json) {
    static const error_case cases[] = {
        {"", "x.json:1:1: error: not JSON: ..."},
        {"{\"bodies\": [", "x.json:1:12: error: not JSON: ..."},
        {"{\n  \"a\": 1,\n}", "x.json:3:1: error: not JSON: string or '}' expected near '}'\n"},
        {"[1, 2", "x.json:1:5: error: not JSON: ']' expected near end of file\n"},
        {"{\"a\": 1} x", "x.json:1:10: error: not JSON: end of file expected near 'x'\n"},
        {"{\"a\": \"\xff\"}", "x.json:1:7: error: not JSON: unable to decode byte 0xff..."},
        {"{\"a\": 1e999}", "x.json:1:11: error: not JSON: real number overflow near '1e999'\n"},
        {"{\"a\": NaN}", "x.json:1:9: error: not JSON: invalid token near 'NaN'\n"},
        {"{\"a\": \"\\u0000\"}", "x.json:1:14: error: not JSON: ..."},
        {"{\"a\": \"x\ny\"}", "x.json:1:8: error: not JSON: unexpected newline..."},
    };
    CHECK_CASES(cases);
}

TEST(a_nul_byte_is_no_json) {
    static const char text[] = "{\n \"a\": \0 1}";
    char *said = scene_complaints(text, sizeof text - 1);
    CHECK_STRING(said, "x.json:2:7: error: a NUL byte; expected JSON text\n");
    free(said);
}

// Before Jansson takes a hundred times the text's size of memory for it.
TEST(deep_nesting_is_refused) {
    static char text[100000];
    memset(text, '[', sizeof text);
    char *said = scene_complaints(text, sizeof text);
    tool_error error;
    CHECK(said && strstr(said, "x.json:1:65: error: too deep: more than 64 nested brackets"));
    free(said);
    muscle_rig rig;
    CHECK(!muscle_rig_parse("x.rig.json", text, sizeof text, &rig, &error));
    CHECK(strstr(error.text, "x.rig.json:1:65: too deep"));
    recording record;
    CHECK(!recording_parse(text, sizeof text, &record, &error));
    CHECK(strstr(error.text, "line 1: too deep"));
}

TEST(too_many_values_are_refused) {
    size_t size = 2 * (SCENE_MAX_VALUES + 10);
    char *text = malloc(size);
    REQUIRE(text != NULL);
    for (size_t i = 0; i < size; i++) text[i] = i % 2 ? ',' : '1';
    text[0] = '[';
    char *said = scene_complaints(text, size);
    CHECK(said && strstr(said, "too large: more than 5000000 values"));
    free(said);
    free(text);
}

TEST(wrong_types) {
    static const error_case cases[] = {
        {WITH("\"rigid_bodies\": [{\"sphere\": ^0.1}]"),
         "^: error: rigid_bodies[0].sphere: must be an object, is 0.1; its keys are radius\n"},
        {"{\"bodies\": ^3}", "^: error: bodies: must be a list, is 3\n"},
        {"{\"bodies\": [^7]}", "^: error: bodies[0]: must be an object, is 7\n"},
        {WITH("\"title\": ^5"), "^: error: title: must be text, is 5\n"},
        {ROD(", \"material\": ^{\"young\": 1}"),
         "^: error: bodies[0].material: must be text, is an object: one of materials, or a preset; default rubber\n"},
        {WITH("\"gravity\": ^9.81"), "^: error: gravity: must be a list of three numbers, is 9.81\n"},
        {WITH("\"gravity\": ^[0, -9.81]"), "^: error: gravity: must have three numbers, has 2\n"},
        {WITH("\"gravity\": [0, ^\"g\", 0]"), "^: error: gravity[1]: must be a number, is \"g\"\n"},
        {WITH("\"substeps\": ^2.5"), "^: error: substeps: must be a whole number, is 2.5\n"},
        {WITH("\"seed\": ^-1"), "^: error: seed: must be a whole number of at least 0, is -1\n"},
        {ROD(", \"clamp_first\": ^1"), "^: error: bodies[0].clamp_first: must be true or false, is 1\n"},
        {WITH("\"materials\": ^[]"), "^: error: materials: must be an object of names, is a list\n"},
    };
    CHECK_CASES(cases);
}

TEST(out_of_range) {
    static const error_case cases[] = {
        {WITH("\"materials\": {\"skin\": {\"young\": ^-3}}"),
         "^: error: materials.skin.young: must be greater than 0, is -3\n"},
        {WITH("\"materials\": {\"skin\": {\"young\": 1e5,\n\"poisson\": ^0.5}}"),
         "^: error: materials.skin.poisson: must be at most 0.4999, is 0.5\n"},
        {WITH("\"step\": ^0"), "^: error: step: must be at least 1e-07, is 0\n"},
        {WITH("\"step\": ^2"), "^: error: step: must be at most 1, is 2\n"},
        {WITH("\"duration\": ^0"), "^: error: duration: must be greater than 0, is 0\n"},
        {WITH("\"iterations\": ^0"), "^: error: iterations: must be at least 1, is 0\n"},
        {WITH("\"duration\": ^1000, \"step\": 1e-6"),
         "^: error: duration: 1000 s in steps of 1e-06 s are more than 10000000 steps\n"},
        {ROD(", \"radius\": ^0"), "^: error: bodies[0].radius: must be greater than 0, is 0\n"},
        {"^{\"bodies\": [], \"rigid_bodies\": [{\"plane\": true}]}",
         "^: error: the scene: nothing moves: needs \"bodies\", or a dynamic one of \"rigid_bodies\"\n"},
    };
    CHECK_CASES(cases);
}

TEST(unknown_and_missing_keys) {
    static const error_case cases[] = {
        {"^{}", "^: error: the scene: nothing moves: needs \"bodies\", or a dynamic one of \"rigid_bodies\"\n"},
        {ROD(",\n  ^\"raduis\": 0.1"), "^: error: bodies[0].raduis: unknown key; did you mean \"radius\"?\n"},
        {WITH("\"rigid_bodies\": [{^\"cylinder\": {\"radius\": 1}}]"),
         "^: error: rigid_bodies[0].cylinder: unknown key; known are name, position, rotation, plane, sphere, box, "
         "pill, hull, mesh, "
         "parts, repeat, motion, dynamic, material, density, mass, rounding, velocity, angular_velocity, surface\n"},
        {WITH("^\"camera\": []"), "^: error: camera: unknown key; did you mean \"cameras\"?\n"},
        {"{\"bodies\": [{\"kind\": \"rod\", \"line\": ^{\"segments\": 4}}]}",
         "^: error: bodies[0].line: needs \"to\"\n"},
        {"{\"bodies\": [^{\"name\": \"a\"}]}", "^: error: bodies[0]: needs \"kind\"\n"},
        {"{\"bodies\": [{\"kind\": ^\"rud\"}]}", "^: error: bodies[0].kind: must be \"rod\", \"muscle\", \"spring\", "
                                                 "\"elastic\" or \"character\", is \"rud\"; did you mean \"rod\"?\n"},
        {"{\"bodies\": [^{\"kind\": \"rod\"}]}",
         "^: error: bodies[0]: needs one of \"points\", \"line\", \"helix\", \"circle\", \"path\" and \"octopus\"\n"},
        {"{\"bodies\": [^{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4},\n"
         "\"circle\": {\"radius\": 1, \"segments\": 8}}]}",
         "^: error: bodies[0]: needs only one of \"points\", \"line\", \"helix\", \"circle\", \"path\" and "
         "\"octopus\"\n"},
        {WITH("\"materials\": {\"m\": ^{\"density\": 1000}}"),
         "^: error: materials.m: needs \"young\" or \"preset\"\n"},
        {WITH("\"solver\": ^\"directt\""), "^: error: solver: must be \"direct\", \"xpbd\" or \"jacobi\", is "
                                           "\"directt\"; did you mean \"direct\"?\n"},
    };
    CHECK_CASES(cases);
}

TEST(duplicate_keys_and_everything_else) {
    static const error_case cases[] = {
        {WITH("\"step\": 0.01, \"substeps\": ^-1,\n ^\"step\": 0.02"),
         "^: error: substeps: must be at least 0, is -1\n"
         "^: error: step: appears twice, first in line 1, column 2\n"},
    };
    CHECK_CASES(cases);
}

TEST(names_that_mean_nothing) {
    static const error_case cases[] = {
        {ROD(", \"material\": ^\"ruber\""),
         "^: error: bodies[0].material: no material or preset is called \"ruber\"; did you mean \"rubber\"?\n"},
        {WITH("\"materials\": {\"m\": {\"preset\": ^\"musle\"}}"),
         "^: error: materials.m.preset: no preset is called \"musle\"; did you mean \"muscle\"?\n"},
        {WITH("\"loads\": [{\"body\": ^\"q\", \"keys\": [{\"t\": 0}]}]"),
         "^: error: loads[0].body: no body is called \"q\"; did you mean \"r\"?\n"},
        {"{\"bodies\": [{\"kind\": \"rod\", \"name\": \"r\", \"line\": {\"to\": [1, 0, 0], \"segments\": 1}},\n"
         "{\"kind\": \"rod\", \"name\": ^\"r\", \"line\": {\"to\": [1, 0, 0], \"segments\": 1}}]}",
         "^: error: bodies[1].name: bodies[0] already has the name \"r\"\n"},
    };
    CHECK_CASES(cases);
}

TEST(points_that_are_not_there) {
    static const error_case cases[] = {
        {ROD(", \"hold\": [{\"point\": ^5}]"),
         "^: error: bodies[0].hold[0].point: must be from -5 to 4 (the body has 5 points), is 5\n"},
        {ROD(", \"hold\": [^{}]"), "^: error: bodies[0].hold[0]: needs one of \"point\", \"points\" and \"range\"\n"},
        {ROD(", \"hold\": [^{\"point\": 1, \"range\": [0, 1]}]"),
         "^: error: bodies[0].hold[0]: needs only one of \"point\", \"points\" and \"range\"\n"},
        {ROD(", \"hold\": [{\"range\": ^[3, 1]}]"),
         "^: error: bodies[0].hold[0].range: must go from the smaller to the larger\n"},
        {ROD(", \"hold\": [{\"point\": 1, \"what\": ^[\"clamp\"]}]"),
         "^: error: bodies[0].hold[0].what: point 1 is not clamped; set \"clamp_first\" or \"clamp_last\"\n"},
        {ROD(", \"hold\": [{\"point\": 0, \"what\": ^[\"frame\"]}]"),
         "^: error: bodies[0].hold[0].what: point 0 has no segment whose frame could be held\n"},
        {WITH("\"motion\": [^{\"body\": \"r\", \"point\": 0, \"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}]}]"),
         "^: error: motion[0]: the centre of point 0 is not held; name it in the body's \"hold\"\n"},
        {WITH("\"activation\": [{\"body\": \"r\", \"point\": ^0, \"keys\": [{\"t\": 0, \"length\": 1}]}]"),
         "^: error: activation[0].point: point 0 has no segment: it is the root\n"},
        {WITH("\"release\": [{\"body\": \"r\", \"copy\": ^1, \"t\": 0}]"),
         "^: error: release[0].copy: must be less than the number of copies, 1, is 1\n"},
    };
    CHECK_CASES(cases);
}

TEST(keys_of_motion) {
    static const error_case cases[] = {
        {WITH("\"loads\": [{\"body\": \"r\", \"keys\": [{\"t\": 1}, {\"t\": ^0.5}]}]"),
         "^: error: loads[0].keys[1].t: must be later than the key before, 1, is 0.5\n"},
        {WITH("\"motion\": [{\"body\": \"r\", \"keys\": [^{\"t\": 1, \"scale\": 1}]}]"),
         "^: error: motion[0].keys[0]: needs \"position\" or \"offset\", and nothing else but \"t\"\n"},
        {WITH("\"motion\": [{\"body\": \"r\", \"what\": \"frame\",\n"
              "\"keys\": [{\"t\": 1, \"rotation\": ^{\"axis\": [0, 0, 1]}}]}]"),
         "^: error: motion[0].keys[0].rotation: needs \"degrees\"\n"},
    };
    CHECK_CASES(cases);
}

TEST(claims_beyond_the_limits) {
    static const error_case cases[] = {
        {"{\"bodies\": [^{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4},\n"
         "\"repeat\": {\"count\": [1000000000, 1, 1], \"spacing\": [1, 0, 0]}}]}",
         "^: error: bodies[0]: has 1000000000 copies; the limit of a scene is 1000000 bodies\n"},
        {"{\"bodies\": [^{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4},\n"
         "\"repeat\": {\"count\": [1000000000, 1000000000, 1000000000], \"spacing\": [1, 0, 0]}}]}",
         "^: error: bodies[0]: has 1000000000000000..."},
        {"{\"bodies\": [^{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4},\n"
         "\"repeat\": {\"count\": [1000, 1000, 1], \"spacing\": [1, 0, 0]}}]}",
         "^: error: bodies[0]: has 5000000 points; the limit of a scene is 4000000 points\n"},
        {"{\"bodies\": [^{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4},\n"
         "\"scatter\": {\"count\": 1000000000, \"box\": [[0, 0, 0], [1, 1, 1]]}}]}",
         "^: error: bodies[0]: has 1000000000 copies; the limit of a scene is 1000000 bodies\n"},
        {"{\"bodies\": [{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": ^2000000}}]}",
         "^: error: bodies[0].line.segments: must be at most 1000000, is 2000000\n"},
    };
    CHECK_CASES(cases);
}

TEST(forms_that_do_not_fit) {
    static const error_case cases[] = {
        {"{\"bodies\": [{\"kind\": \"rod\", \"helix\": {\"radius\": 1, \"pitch\": 1, \"turns\": 1, \"segments\": 8, "
         "\"axis\": ^[0, 0, 0]}}]}",
         "^: error: bodies[0].helix.axis: must have a direction, is [0, 0, 0]\n"},
        {ROD(", \"rest\": ^{\"line\": {\"to\": [1, 0, 0], \"segments\": 5}}"),
         "^: error: bodies[0].rest: must have as many points as the body, 5, has 6\n"},
        {ROD(", \"radii\": ^[1, 1, 1, 1, 1, 1]"),
         "^: error: bodies[0].radii: must have at most as many elements as there are points, 5, has 6\n"},
        {ROD(", ^\"parents\": ^[-1, 0]"),
         "^: error: bodies[0].parents: needs \"points\"\n"
         "^: error: bodies[0].parents: must have as many elements as there are points, 5, has 2\n"},
        {"{\"bodies\": [{\"kind\": \"rod\", \"points\": [[0, 0, 0], [1, 0, 0]], \"parents\": [-1, ^2]}]}",
         "^: error: bodies[0].parents[1]: must be less than the number of points, 2, is 2\n"},
        {ROD(", \"repeat\": {\"count\": [1, 1, 1], \"spacing\": [1, 0, 0]},\n"
             "^\"scatter\": {\"count\": 1, \"box\": [[0, 0, 0], [1, 1, 1]]}"),
         "^: error: bodies[0].scatter: cannot be combined with \"repeat\"\n"},
    };
    CHECK_CASES(cases);
}

// The engine's own complaints come back with the place of the body.
TEST(surfaces_meshes_and_courses_that_do_not_fit) {
    static const error_case cases[] = {
        {WITH("\"rigid_bodies\": [{\"plane\": true, \"surface\": {\"group\": [1, ^32]}}]"),
         "^: error: rigid_bodies[0].surface.group[1]: must be at most 31, is 32\n"},
        {WITH("\"rigid_bodies\": [{\"mesh\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 0, 1]],"
              "\"triangles\": [[0, 1, 2], ^[0, 2, 3]]}}]"),
         "^: error: rigid_bodies[0].mesh.triangles[1]: must be indices of vertices, 0 to 2, has 3\n"},
        {WITH("\"rigid_bodies\": [{\"mesh\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 0, 1]],"
              "\"triangles\": [^[0, 1, 1.5]]}}]"),
         "^: error: rigid_bodies[0].mesh.triangles[0]: must be indices of vertices, 0 to 2, has 1.5\n"},
        {WITH("\"rigid_bodies\": [{\"mesh\": ^{\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 0, 1]]}}]"),
         "^: error: rigid_bodies[0].mesh: needs \"file\", or \"vertices\" and \"triangles\"\n"},
        {WITH("\"rigid_bodies\": [{\"mesh\": ^{\"file\": \"x.obj\", \"triangles\": [[0, 1, 2]]}}]"),
         "^: error: rigid_bodies[0].mesh: needs \"file\", or \"vertices\" and \"triangles\"\n"},
        {WITH("\"rigid_bodies\": [{\"mesh\": {\"file\": ^\"not there.obj\"}}]"),
         "^: error: rigid_bodies[0].mesh.file: cannot be read: not there.obj: ..."},
        {WITH("\"rigid_bodies\": [{\"pill\": ^{\"to\": [0, 1, 0]}}]"),
         "^: error: rigid_bodies[0].pill: needs one of \"radius\" and \"radii\"\n"},
        {WITH("\"rigid_bodies\": [{\"name\": \"s\", \"plane\": true}, {\"name\": ^\"s\", \"plane\": true}]"),
         "^: error: rigid_bodies[1].name: another rigid body already has the name \"s\"\n"},
        {WITH("\"rigid_bodies\": [^{\"sphere\": {\"radius\": 1}, \"repeat\": {\"count\": [1000, 1000, 1], \"spacing\": "
              "[1, 1, "
              "1]}}]"),
         "^: error: rigid_bodies[0]: has 1000000 copies; the limit of a scene is 100000 rigid bodies\n"},
        {WITH("\"rigid_bodies\": [{\"plane\": true, \"motion\": {\"keys\": [{\"t\": 1, \"offset\": [0, 0, 0]},"
              "{\"t\": ^1, \"offset\": [0, 1, 0]}]}}]"),
         "^: error: rigid_bodies[0].motion.keys[1].t: must be later than the key before, 1, is 1\n"},
        {WITH("\"rigid_bodies\": [{\"plane\": true, \"motion\": {\"keys\": ^[{\"t\": 0, \"offset\": [0, 0, 0]},"
              "{\"t\": 1, \"position\": [0, 1, 0]}]}}]"),
         "^: error: rigid_bodies[0].motion.keys: all keys need the same: ..."},
        {WITH("\"rigid_bodies\": [{\"plane\": true, \"motion\": {\"loop\": true, \"keys\": ^[{\"t\": 0, \"offset\": "
              "[0, 0, "
              "0]}]}}]"),
         "^: error: rigid_bodies[0].motion.keys: a loop needs at least two keys\n"},
    };
    CHECK_CASES(cases);
}

TEST(a_mesh_that_is_no_rig_yet_is_told_the_command) {
    static const error_case cases[] = {
        {"{\"bodies\": [{\"kind\": \"muscle\", \"rig\": ^\"not there.obj\"}]}",
         "^: error: bodies[0].rig: cannot be read: not there.obj: cannot be opened: No such file or directory; "
         "'sinew viperize' makes a rig of a mesh\n"},
    };
    CHECK_CASES(cases);
}

TEST(joints_that_do_not_fit) {
    static const error_case cases[] = {
        {WITH("\"joints\": [{\"a\": {\"body\": ^\"q\", \"point\": 0}}]"),
         "^: error: joints[0].a.body: no body is called \"q\"\n"},
        {"{\"bodies\": [{\"kind\": \"elastic\", \"name\": \"e\", \"zoo\": \"torus\"}], \"joints\": [{\"a\": "
         "^{\"body\": "
         "\"e\", \"point\": 0}}]}",
         "^: error: joints[0].a: an elastic body is attached by \"position\", at its point closest to there\n"},
        {"{\"bodies\": [{\"kind\": \"elastic\", \"name\": \"e\", \"zoo\": \"torus\"}], \"joints\": [{\"a\": "
         "^{\"body\": "
         "\"e\"}}]}",
         "^: error: joints[0].a: needs \"position\": the joint holds the point of the body closest to there\n"},
        {"{\"bodies\": [{\"kind\": \"elastic\", \"name\": \"e\", \"zoo\": \"torus\"}], \"motion\": [{\"body\": ^\"e\", "
         "\"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}]}]}",
         "^: error: motion[0].body: \"e\" is an elastic body, which has no points to name\n"},
        {"{\"bodies\": [{\"kind\": \"elastic\", \"name\": \"e\", \"zoo\": \"torus\"}], \"release\": [{\"body\": "
         "^\"e\", "
         "\"t\": 1}]}",
         "^: error: release[0].body: \"e\" is an elastic body, which has no points to name\n"},
        {WITH("\"joints\": [{\"a\": ^{\"body\": \"r\"}}]"),
         "^: error: joints[0].a: needs \"point\", or \"segment\" and \"along\"\n"},
        {WITH("\"rigid_bodies\": [{\"plane\": true, \"dynamic\": ^true}]"),
         "^: error: rigid_bodies[0].dynamic: needs \"sphere\", \"pill\", \"box\", \"hull\", \"mesh\" or \"parts\"\n"},
        {WITH("\"rigid_bodies\": [{\"sphere\": {\"radius\": 1}, \"mass\": ^2}]"),
         "^: error: rigid_bodies[0].mass: is of a dynamic body: it needs \"dynamic\": true\n"},
        {WITH("\"rigid_bodies\": [{\"sphere\": {\"radius\": 1}, \"dynamic\": true, \"material\": ^\"cheese\"}]"),
         "^: error: rigid_bodies[0].material: must be \"wood\", \"bone\", \"iron\", \"water-filled\" or \"lead\", is "
         "\"cheese\"\n"},
        {WITH("\"rigid_bodies\": [{\"name\": \"s\", \"sphere\": {\"radius\": 1}}], \"joints\": [{\"a\": "
              "{\"rigid_body\": ^\"s\", \"position\": [0, 0, 0]}}]"),
         "^: error: joints[0].a.rigid_body: is not dynamic: only side b may be\n"},
        {WITH("\"joints\": [{\"a\": ^{\"position\": [0, 0, 0]}}]"),
         "^: error: joints[0].a: must be on a \"body\" or on a dynamic \"rigid_body\"\n"},
        {WITH("\"joints\": [{\"a\": {\"body\": \"r\", \"point\": 0, \"position\": ^[0, 0, 0]}}]"),
         "^: error: joints[0].a.position: a body is attached by \"point\" or \"segment\"\n"},
        {WITH("\"joints\": [{\"a\": {\"body\": \"r\", \"point\": ^5}}]"),
         "^: error: joints[0].a.point: must be from -5 to 4, is 5\n"},
        {WITH("\"joints\": [{\"a\": {\"body\": \"r\", \"segment\": ^0}}]"),
         "^: error: joints[0].a.segment: point 0 has no segment: it is the root\n"},
        {WITH("\"joints\": [{\"a\": {\"body\": \"r\", \"point\": 0, \"copy\": ^1}}]"),
         "^: error: joints[0].a.copy: must be less than the number of copies, 1, is 1\n"},
        {WITH("\"joints\": [{\"a\": {\"body\": \"r\", \"point\": 0}, \"b\": {\"rigid_body\": ^\"s\"}}]"),
         "^: error: joints[0].b.rigid_body: no rigid body is called \"s\"\n"},
        {WITH("\"joints\": [{\"a\": {\"body\": \"r\", \"point\": 0}, \"b\": ^{\"body\": \"r\", \"point\": 0}}]"),
         "^: error: joints[0].b: is at the same place as side a\n"},
        {WITH("\"rigid_bodies\": [{\"name\": \"s\", \"sphere\": {\"radius\": 1}, \"repeat\": {\"count\": [2, 1, 1], "
              "\"spacing\": [3, 0, 0]}}],"
              "\"joints\": [{\"a\": {\"body\": \"r\", \"point\": 0}, \"b\": ^{\"rigid_body\": \"s\"}}]"),
         "^: error: joints[0].b: has 2 copies and side a has 1; it needs \"copy\"\n"},
        {WITH("\"rigid_bodies\": [{\"name\": \"s\", \"plane\": true}],"
              "\"joints\": [{\"a\": {\"body\": \"r\", \"point\": 0}, \"b\": {\"rigid_body\": \"s\"},"
              "\"motion\": ^{\"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}]}}]"),
         "^: error: joints[0].motion: only a point of space can be moved, and side b is on a body\n"},
        {WITH("\"joints\": [{\"a\": {\"body\": \"r\", \"point\": 0}, \"collide\": ^\"no\"}]"),
         "^: error: joints[0].collide: must be true or false, is \"no\"\n"},
        {WITH("\"joints\": [^{\"a\": {\"body\": \"r\", \"segment\": 1}, \"b\": {\"body\": \"r\", \"segment\": 1, "
              "\"along\": 1}}]"),
         "^: error: joints[0]: segment_b: a segment cannot be joined to itself\n"},
    };
    CHECK_CASES(cases);
}

TEST(errors_that_only_the_engine_sees) {
    static const error_case cases[] = {
        {"{\"bodies\": [\n {\"kind\": \"rod\", \"points\": [[0, 0, 0], ^[0, 0, 0]]}]}",
         "^: error: bodies[0].points[1]: ..."},
        {"{\"bodies\": [\n {\"kind\": \"rod\", \"circle\": {\"radius\": 1, \"segments\": 8}, \"clamp_first\": ^true}]}",
         "^: error: bodies[0].clamp_first: ..."},
    };
    CHECK_CASES(cases);
}

TEST(a_scene_that_is_no_object_is_told_its_keys) {
    char *said = scene_complaints("[]", 2);
    CHECK(said &&
          strstr(said, "x.json:1:1: error: the scene: must be an object, is a list; its keys are $schema, title,"));
    free(said);
}

TEST(many_errors_are_counted) {
    char text[4000] = "{";
    for (int i = 0; i < 50; i++) snprintf(text + strlen(text), sizeof text - strlen(text), "\"unknown%d\": 0,\n", i);
    snprintf(text + strlen(text), sizeof text - strlen(text), "\"bodies\": 0}");
    char *said = scene_complaints(text, strlen(text));
    int lines = 0;
    for (const char *c = said; *c; c++) lines += *c == '\n';
    CHECK_INT(lines, ERRORS_MAX + 1);
    CHECK(strncmp(said, "x.json:1:2: error: unknown0: unknown key; known are $schema", 59) == 0);
    CHECK(strstr(said, "\nx.json:2:1: error: unknown1: unknown key; known are $schema") != NULL);
    CHECK(strstr(said, "x.json: error: 31 more errors are not shown\n") != NULL);
    free(said);
}

// Terminals must not be reached by what stands in a file.
TEST(odd_characters_are_shown_harmlessly) {
    static const char text[] = "{\"a\\u001b[31m\": 1, \"bodies\": 0}";
    char *said = scene_complaints(text, sizeof text - 1);
    CHECK(said && !strchr(said, '\033'));
    CHECK(said && strstr(said, "\"a?[31m\": unknown key"));
    free(said);
}
