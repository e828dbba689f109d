// Files of tetrahedra: every format comes back as it was, those of other programs are read, errors are placed, and no
// bytes crash a reader or make it take much memory.
// links: tools
#include "counted_memory.h"
#include "formats/tet_file.h"
#include "test.h"
#include "tet_samples.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sn_tet_mesh two_tets(void) {
    static const double position[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.0 / 3}, {0.1, 0.2, -1e-9}};
    static const int tet[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    sn_tet_mesh mesh;
    if (!sn_tet_mesh_alloc(&mesh, 5, 2)) abort();
    memcpy(mesh.position, position, sizeof position);
    memcpy(mesh.tet, tet, sizeof tet);
    return mesh;
}

static bool same(const sn_tet_mesh *a, const sn_tet_mesh *b) {
    return a->vertex_count == b->vertex_count && a->tet_count == b->tet_count &&
           memcmp(a->position, b->position, (size_t)a->vertex_count * sizeof *a->position) == 0 &&
           memcmp(a->tet, b->tet, (size_t)a->tet_count * sizeof *a->tet) == 0;
}

TEST(every_format_comes_back_as_it_was) {
    static const char *const endings[] = {".msh", ".mesh", ".node", ".ele", ".vtk"};
    char folder[] = "test_tet_file_XXXXXX", file[64];
    tool_error error;
    sn_tet_mesh mesh = two_tets();
    REQUIRE(mkdtemp(folder));
    for (int i = 0; i < 5; i++) {
        tet_file back;
        snprintf(file, sizeof file, "%s/x%s", folder, endings[i]);
        CHECK(tet_name_is_known(file));
        if (!CHECK(tet_write(file, &mesh, &error))) puts(error.text);
        if (CHECK(tet_read(file, &disk_files, &back, &error))) {
            CHECK(same(&mesh, &back.mesh));
            CHECK_INT(back.turned, 0);
            tet_file_free(&back);
        } else {
            puts(error.text);
        }
    }
    static const char *const made[] = {"x.msh", "x.mesh", "x.node", "x.ele", "x.vtk"};
    for (int i = 0; i < 5; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, made[i]);
        CHECK_INT(unlink(file), 0);
    }
    CHECK_INT(rmdir(folder), 0); // nothing else was left
    CHECK(!tet_write("x.obj", &mesh, &error));
    CHECK(strstr(error.text, ".msh"));
    CHECK(!tet_write("no/such/folder/x.msh", &mesh, &error));
    CHECK(strstr(error.text, "no/such/folder"));
    sn_tet_mesh_free(&mesh);
}

TEST(files_of_other_programs_are_read) {
    for (int i = 0; i < TET_SAMPLES; i++) {
        const tet_sample *s = &tet_samples[i];
        tet_file file;
        tool_error error = {0};
        if (!CHECK(tet_parse(s->name, s->text, strlen(s->text), s->elements, s->elements ? strlen(s->elements) : 0,
                             &file, &error))) {
            printf("sample %d: %s\n", i, error.text);
            continue;
        }
        CHECK_INT(file.mesh.vertex_count, 4);
        CHECK_INT(file.mesh.tet_count, 1);
        CHECK_INT(file.skipped, s->skipped);
        CHECK_INT(file.turned, s->turned);
        CHECK_NEAR(sn_tet_mesh_measure(&file.mesh).volume, 1.0 / 6, 1e-15);
        tet_file_free(&file);
    }
}

static void refuse(const char *name, const char *text, const char *elements, const char *words) {
    tet_file file;
    tool_error error = {0};
    CHECK(!tet_parse(name, text, strlen(text), elements, elements ? strlen(elements) : 0, &file, &error));
    CHECK_STRING(error.text, words);
}

TEST(errors_are_placed) {
    refuse("x.msh", "hello", NULL, "x.msh:1:1: error: \"hello\" where a section such as \"$Nodes\" is expected");
    refuse("x.msh", "$Nodes\n", NULL, "x.msh:1:1: error: \"$Nodes\" where \"$MeshFormat\" is expected");
    refuse("x.msh", "$MeshFormat\n2.2 1 8\n$EndMeshFormat\n", NULL,
           "x.msh:2:5: error: binary Gmsh files cannot be read; save the mesh as text (ASCII)");
    refuse("x.msh",
           "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 2\n", NULL,
           "x.msh:10:13: error: an element names node 2, which does not exist");
    refuse("x.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n99\n1 0 0 0\n", NULL,
           "x.msh:5:1: error: the count of nodes: 99 do not fit into a file of 53 bytes");
    refuse("x.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n", NULL,
           "x.msh:1:1: error: the file has no tetrahedra");
    refuse("x.mesh", "Mesh", NULL, "x.mesh:1:1: error: \"Mesh\" where \"MeshVersionFormatted\" is expected");
    refuse("x.mesh", "MeshVersionFormatted 2\nDimension 2\n", NULL,
           "x.mesh:2:11: error: the dimension must be 3, is 2");
    refuse("x.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n1\n0 0 0 0\nTetrahedra\n1\n1 1 1 2 0\n", NULL,
           "x.mesh:8:7: error: a tetrahedron names vertex 2; the file has 1 to 1");
    refuse("x.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n1\n0 x 0 0\n", NULL,
           "x.mesh:5:3: error: \"x\" is not a number");
    refuse("x.vtk", "# vtk\n", NULL, "x.vtk:1:1: error: the file does not begin with \"# vtk DataFile Version \"");
    refuse("x.vtk", "# vtk DataFile Version 3.0\nt\nBINARY\n", NULL,
           "x.vtk:3:1: error: binary VTK files cannot be read; save the mesh as text (ASCII)");
    refuse("x.node", "1 2 0 0\n", "", "x.node:1:3: error: the dimension must be 3, is 2");
    refuse("x.node", "1 3 0 0\n5 0 0 0\n", "",
           "x.node:2:1: error: vertex 5 where 0 is expected; numbers start at 0 or 1 and are consecutive");
    refuse("x.node", tet_samples[6].text, "1 4 0\n0 0 1 2 4\n",
           "x.node:2:9: error: a tetrahedron names vertex 4; the .node has 0 to 3");
    refuse("x.obj", "", NULL,
           "x.obj: error: unknown file type; tetrahedra are in .msh, .mesh, .node, .ele or .vtk files");
}

// --- any bytes ---

static void feed(const tet_sample *s, const char *text, size_t size) {
    tool_error error = {0};
    char *exact = malloc(size ? size : 1); // so that a byte too much is seen
    tet_file file;
    if (!exact) abort();
    memcpy(exact, text, size);
    const size_t more = s->elements ? strlen(s->elements) : 0;
    live = peak = 0;
    counting = true;
    const bool good = tet_parse(s->name, exact, size, s->elements, more, &file, &error);
    counting = false;
    CHECK(good == (error.text[0] == '\0'));
    CHECK(good || strstr(error.text, "error: "));
    CHECK(peak <= 50 * (size + more > 128 ? size + more : 128));
    if (good)
        for (int i = 0; i < 4 * file.mesh.tet_count; i++) {
            const int v = file.mesh.tet[i / 4][i % 4];
            CHECK(v >= 0 && v < file.mesh.vertex_count);
        }
    counting = true;
    tet_file_free(&file);
    counting = false;
    CHECK_INT(live, 0);
    free(exact);
}

TEST(cut_off_anywhere) {
    listen();
    for (int i = 0; i < TET_SAMPLES; i++)
        for (size_t size = 0; size <= strlen(tet_samples[i].text); size++)
            feed(&tet_samples[i], tet_samples[i].text, size);
}

TEST(with_bytes_changed) {
    static const char other[] = "0123456789-. \n$#ex~";
    unsigned seed = 1;
    listen();
    for (int i = 0; i < TET_SAMPLES; i++)
        for (int round = 0; round < 1500; round++) {
            char text[1024];
            const size_t size = strlen(tet_samples[i].text);
            memcpy(text, tet_samples[i].text, size);
            for (int change = 0; change <= round % 3; change++) {
                seed = seed * 1664525u + 1013904223u;
                text[(seed >> 8) % size] = other[(seed >> 3) % (sizeof other - 1)];
            }
            feed(&tet_samples[i], text, size);
        }
}
