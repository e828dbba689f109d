// links: tools
// Files of medial meshes: what is written is read again, errors are said with their place.
#include "formats/medial_file.h"
#include "scene/random.h"
#include "test.h"
#include <stdlib.h>

static sn_medial_mesh mesh;
static tool_error error;

static bool parse(const char *text) {
    return medial_file_parse("x.ma", text, strlen(text), &mesh, &error);
}

static void refused(const char *text, const char *words) {
    CHECK(!parse(text));
    CHECK_STRING(error.text, words);
    CHECK(mesh.sphere_count == 0 && mesh.centre == NULL);
}

static const char good[] = "# a comment\n3 1 1\nv 0 0 0 1\nv 2 0 0 0.5\nv 0 2.5 0 0\ne 1 0\nf 0 1 2\n";

TEST(a_file_is_read) {
    REQUIRE(parse(good));
    CHECK_INT(mesh.sphere_count, 3);
    CHECK_INT(mesh.cone_count, 3); // edges of slabs are cones
    CHECK_INT(mesh.slab_count, 1);
    CHECK_NEAR(mesh.centre[2][1], 2.5, 0);
    CHECK_NEAR(mesh.radius[1], 0.5, 0);
    CHECK(mesh.cone[0][0] == 0 && mesh.cone[0][1] == 1 && mesh.cone[2][0] == 1 && mesh.cone[2][1] == 2);
    sn_medial_mesh_free(&mesh);
}

TEST(what_is_written_is_read_again) {
    char *text = NULL;
    size_t size = 0;
    REQUIRE(parse(good));
    mesh.centre[0][0] = 1.0 / 3;
    FILE *out = open_memstream(&text, &size);
    medial_file_write(out, &mesh);
    fclose(out);
    sn_medial_mesh_free(&mesh);
    REQUIRE(medial_file_parse("x.ma", text, size, &mesh, &error));
    CHECK_INT(mesh.sphere_count, 3);
    CHECK_INT(mesh.cone_count, 3);
    CHECK_NEAR(mesh.centre[0][0], 1.0 / 3, 1e-10);
    sn_medial_mesh_free(&mesh);
    free(text);
}

TEST(errors_are_said_with_their_place) {
    refused("", "x.ma:1:1: error: the count of spheres is missing; the first line is \"spheres cones slabs\"");
    refused("1 0\n# nothing\n",
            "x.ma:1:4: error: the count of slabs is missing; the first line is \"spheres cones slabs\"");
    refused("900 0 0\n", "x.ma:1:1: error: 900 spheres do not fit into a file of 8 bytes");
    refused("0 0 0\n", "x.ma:1:1: error: a medial mesh has at least one sphere");
    refused("1 0 0\nw 0 0 0 1\n", "x.ma:2:1: error: \"w\" where \"v\" of sphere 0 of 1 is expected");
    refused("1 0 0\nv 0 0 0\n", "x.ma:2:8: error: a sphere is \"v x y z radius\"");
    refused("1 0 0\nv 0 0 0 -1\n", "x.ma:2:9: error: a radius must be at least 0, is -1");
    refused("1 0 0\nv 0 0 0 1 7\n", "x.ma:2:11: error: \"7\" where the line should end");
    refused("1 1 0\nv 0 0 0 1\ne 0 1\n", "x.ma:3:5: error: a cone names sphere 1; the file has 0 to 0");
    refused("2 1 0\nv 0 0 0 1\nv 1 0 0 1\ne 1 1\n", "x.ma:4:5: error: a cone names sphere 1 twice");
    refused("1 0 1\nv 0 0 0 1\n", "x.ma:3:1: error: the file ends where \"f\" of slab 0 of 1 is expected");
    refused("1 0 0\nv 0 0 0 1\ne 0 0\n", "x.ma:3:1: error: \"e\" where the file should end");
    CHECK(!parse("1 0 0\nv 0 zero 0 1\n"));
    CHECK(strncmp(error.text, "x.ma:2:5: error: ", 17) == 0);
    CHECK(!medial_file_read("nowhere/x.ma", &disk_files, &mesh, &error));
    CHECK(strncmp(error.text, "nowhere/x.ma: error: ", 21) == 0);
}

// Any bytes are a mesh or a sentence.
TEST(damaged_files_do_no_harm) {
    random_stream stream = random_start(3, 3);
    for (int n = 0; n < 3000; n++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        size_t size = sizeof good - 1;
        for (int i = 0; i < 1 + n % 4; i++) {
            const size_t at = (size_t)(random_unit(&stream) * (double)size);
            text[at] = n % 2 ? (char)(random_next(&stream) & 127) : "0123456789 -.\nvef"[random_next(&stream) % 17];
        }
        if (n % 5 == 0) size = (size_t)(random_unit(&stream) * (double)size);
        error.text[0] = '\0';
        if (medial_file_parse("x.ma", text, size, &mesh, &error))
            for (int e = 0; e < mesh.cone_count; e++)
                CHECK(mesh.cone[e][0] >= 0 && mesh.cone[e][0] < mesh.cone[e][1] && mesh.cone[e][1] < mesh.sphere_count);
        else
            CHECK(strncmp(error.text, "x.ma:", 5) == 0);
        sn_medial_mesh_free(&mesh);
    }
}
