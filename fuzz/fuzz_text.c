// Fuzzes the readers of our own texts: the first letter says which, the rest is the file.
//
//     m  a muscle as rods and a skin (io/muscle_rig.h)      r  the record of a run (capture/recording.h)
//     a  a medial mesh (io/medial_file.h)                   e  an embedding (io/tet_embed_file.h)
//
// Whatever it says, reading must not crash, leak, or take more than 100 times its size of memory; it ends with a file that
// is sound, or with a sentence. fuzz/corpus/fuzz_text has good ones. See README.md for how to build and run it.
// covers: tools/formats/muscle_rig.c tools/formats/medial_file.c tools/formats/tet_embed_file.c tools/capture/recording.c
// beyond: *_write* compiler file_value: writes
// beyond: *_read: files on disk
#include "capture/recording.h"
#include "counted_memory.h"
#include "formats/medial_file.h"
#include "formats/muscle_rig.h"
#include "formats/tet_embed_file.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good, const char *text, const char *error) {
    if (good) return;
    fprintf(stderr, "not so: %s (%s)\n", text, error);
    abort();
}

static bool read_rig(const char *text, size_t size, tool_error *error) {
    muscle_rig rig;
    const bool good = muscle_rig_parse("x.rig.json", text, size, &rig, error);
    counting = false;
    for (int i = 0; good && i < rig.rod_count * rig.slice_count; i++)
        check(rig.radii[i] > 0 && isfinite(rig.points[i][0]), "a radius and a place", error->text);
    for (int i = 0; good && i < 3 * rig.skin.triangle_count; i++) {
        const int v = (&rig.skin.triangle[0][0])[i];
        check(v >= 0 && v < rig.skin.vertex_count, "a vertex", error->text);
    }
    counting = true;
    muscle_rig_free(&rig);
    return good;
}

static bool read_medial(const char *text, size_t size, tool_error *error) {
    sn_medial_mesh mesh;
    const bool good = medial_file_parse("x.ma", text, size, &mesh, error);
    counting = false;
    for (int i = 0; good && i < mesh.cone_count; i++)
        for (int k = 0; k < 2; k++)
            check(mesh.cone[i][k] >= 0 && mesh.cone[i][k] < mesh.sphere_count, "a sphere of a cone", error->text);
    for (int i = 0; good && i < mesh.slab_count; i++)
        for (int k = 0; k < 3; k++)
            check(mesh.slab[i][k] >= 0 && mesh.slab[i][k] < mesh.sphere_count, "a sphere of a slab", error->text);
    counting = true;
    if (good) sn_medial_mesh_free(&mesh);
    return good;
}

static bool read_record(const char *text, size_t size, tool_error *error) {
    recording record;
    const bool good = recording_parse(text, size, &record, error);
    counting = false;
    check(!good || file_set_find(&record.files, record.scene), "the scene is among the files", error->text);
    counting = true;
    if (good) recording_free(&record);
    return good;
}

static bool read_embedding(const char *text, size_t size, tool_error *error) {
    sn_tet_point *places = NULL;
    int count = 0, tets = 0;
    const bool good = tet_embed_parse("x.embedding", text, size, &places, &count, &tets, error);
    counting = false;
    for (int i = 0; i < count; i++)
        check(places[i].tet >= 0 && places[i].tet < tets, "a tetrahedron there is", error->text);
    counting = true;
    free(places);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    char *text = malloc(size);
    tool_error error = {0};
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0; // readers of files get a NUL behind, which does not count
    bool good = true;
    listen();
    live = peak = 0;
    counting = true;
    switch (data[0]) {
    case 'm':
        good = read_rig(text, size - 1, &error);
        break;
    case 'a':
        good = read_medial(text, size - 1, &error);
        break;
    case 'r':
        good = read_record(text, size - 1, &error);
        break;
    case 'e':
        good = read_embedding(text, size - 1, &error);
        break;
    default:
        break;
    }
    counting = false;
    check(live == 0, "nothing is left behind", error.text);
    check(peak <= 100 * (size > 1024 ? size : 1024), "at most 100 times the size of memory", error.text);
    check(good || error.text[0], "a file, or a sentence", error.text);
    free(text);
    return 0;
}
