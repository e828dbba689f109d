// Fuzzes the readers of tetrahedra: the first byte chooses the format, the rest is the file; of TetGen's two files the
// second follows behind a NUL. Whatever it says, reading must not crash, leak, or take more than 50 times its size of
// memory, and what was read must be sound enough to be measured and embedded in; a body of it is touched, stepped,
// saved, restored and stepped again. It needs no corpus: an input too short to be a file is replaced by a good one. See README.md for how to build and run it.
// covers: tools/formats/tet_*.c
// beyond: *_write with_ending unknown tet_name_is_known: writes and names of files
// beyond: tet_read tet_embed_read read_bytes: files on disk
#include "counted_memory.h"
#include "formats/tet_embed_file.h"
#include "formats/tet_file.h"
#include "fuzz_world.h"
#include "tet_samples.h"
#include "tets/tet_embed.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"x.msh", "x.mesh", "x.vtk", "x.node", "x.embedding"};
enum { FORMATS = sizeof names / sizeof *names };
static const char embedding[] = "sinew-embedding 1\n2 3\n0 1 0 0 0\n2 0.5 0.5 -1 1\n";

static void check(bool good, const char *text, const char *error) {
    if (good) return;
    fprintf(stderr, "not so: %s (%s)\n", text, error);
    abort();
}

static size_t put(uint8_t *data, size_t at, size_t most, const char *text, size_t size) {
    const size_t fits = most - at < size ? most - at : size;
    memcpy(data + at, text, fits);
    return at + fits;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if ((size < 30 || seed % 50 == 0) && most > 1) {
        const unsigned which = seed / 50 % (TET_SAMPLES + 1);
        if (which == TET_SAMPLES) {
            data[0] = FORMATS - 1;
            size = put(data, 1, most, embedding, sizeof embedding - 1);
        } else {
            const tet_sample *s = &tet_samples[which];
            for (uint8_t f = 0; f < FORMATS; f++)
                if (strcmp(names[f], s->name) == 0) data[0] = f;
            size = put(data, 1, most, s->text, strlen(s->text) + (s->elements ? 1 : 0));
            if (s->elements) size = put(data, size, most, s->elements, strlen(s->elements));
        }
    }
    return LLVMFuzzerMutate(data, size, most);
}

// A body of springs along the edges.
static void step_body(const sn_tet_mesh *mesh) {
    enum { MAX = 400 };
    static sn_vec3 points[MAX];
    if (mesh->vertex_count > MAX || mesh->tet_count > MAX) return;
    for (int v = 0; v < mesh->vertex_count; v++)
        points[v] =
            (sn_vec3){(sn_real)mesh->position[v][0], (sn_real)mesh->position[v][1], (sn_real)mesh->position[v][2]};
    sn_spring_solid solid = sn_spring_solid_default();
    solid.points = points, solid.count = mesh->vertex_count;
    solid.tets = mesh->tet ? mesh->tet[0] : NULL, solid.tet_count = mesh->tet_count;
    sn_spring_net net;
    if (sn_springs_make_solid(&solid, NULL, &net) == SN_OK) {
        sn_world *world = fuzz_world();
        const sn_springs_def def = sn_springs_def_of(&net);
        sn_body body = {0};
        sn_springs_create(world, &def, &body); // may be refused: points may be too far away
        fuzz_try(world, body);
    }
    sn_spring_net_free(&net);
}

// Sanitizers tell whether an index was wrong.
static void use(const sn_tet_mesh *mesh) {
    tool_error error;
    sn_mesh surface;
    sn_tet_point place;
    sn_tet_embed_report report;
    const float point[1][3] = {{0.1f, 0.2f, 0.3f}};
    int *part = malloc(((size_t)mesh->tet_count + 1) * sizeof *part);
    sn_tet_mesh_measure(mesh);
    sn_tet_mesh_is_conforming(mesh, &error);
    if (part) sn_tet_mesh_components(mesh, part);
    if (sn_tet_mesh_boundary(mesh, &surface, NULL, NULL)) sn_mesh_free(&surface);
    if (sn_tet_embed(mesh, point, 1, &place, &report))
        check(place.tet >= 0 && place.tet < mesh->tet_count, "a place", "");
    free(part);
    step_body(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    const unsigned format = data[0] % FORMATS;
    const uint8_t *split = format == 3 ? memchr(data + 1, 0, size - 1) : NULL;
    const size_t length = split ? (size_t)(split - data) - 1 : size - 1, more = split ? size - 2 - length : 0;
    char *bytes = malloc(length ? length : 1), *elements = malloc(more ? more : 1);
    tool_error error = {0};
    if (!bytes || !elements) abort();
    memcpy(bytes, data + 1, length);
    if (more) memcpy(elements, split + 1, more);
    tet_file file = {0};
    sn_tet_point *places = NULL;
    int count = 0, tets = 0;
    listen();
    live = peak = 0;
    counting = true;
    const bool good = format == FORMATS - 1
                          ? tet_embed_parse(names[format], bytes, length, &places, &count, &tets, &error)
                          : tet_parse(names[format], bytes, length, split ? elements : NULL, more, &file, &error);
    counting = false;
    check(peak <= 50 * (size > 128 ? size : 128), "at most 50 times the size of memory", error.text);
    check(good == (error.text[0] == '\0') && (good || strstr(error.text, "error: ")), "a file, or a sentence",
          error.text);
    for (int i = 0; i < count; i++)
        check(places[i].tet >= 0 && places[i].tet < tets, "a tetrahedron there is", error.text);
    if (good && file.mesh.tet) use(&file.mesh);
    counting = true;
    free(places);
    tet_file_free(&file);
    counting = false;
    check(live == 0, "nothing is left behind", error.text);
    free(bytes);
    free(elements);
    return 0;
}
