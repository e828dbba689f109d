// Chooses the reader and writer of a file of tetrahedra by its name.
#include "formats/tet_file.h"
#include "formats/atomic_file.h"
#include "formats/tet_reader.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *ending;
    tet_format format;
} endings[] = {{".msh", TET_MSH}, {".mesh", TET_MEDIT}, {".node", TET_TETGEN}, {".ele", TET_TETGEN}, {".vtk", TET_VTK}};

static int find_format(const char *name) {
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t m = strlen(endings[i].ending);
        bool same = n > m;
        for (size_t k = 0; k < m && same; k++) {
            char c = name[n - m + k];
            if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
            same = c == endings[i].ending[k];
        }
        if (same) return (int)endings[i].format;
    }
    return -1;
}

bool tet_name_is_known(const char *file) {
    return find_format(file) >= 0;
}

static bool unknown(const char *name, tool_error *error) {
    return tool_error_set(
        error, "%.300s: error: unknown file type; tetrahedra are in .msh, .mesh, .node, .ele or .vtk files", name);
}

// The name of a file of TetGen's pair from that of either. Null: out of memory.
static char *with_ending(const char *name, const char *ending) {
    const size_t n = strlen(name) - (strrchr(name, '.') ? strlen(strrchr(name, '.')) : 0);
    char *made = malloc(n + strlen(ending) + 1);
    if (made) memcpy(made, name, n), strcpy(made + n, ending);
    return made;
}

void tet_file_free(tet_file *file) {
    sn_tet_mesh_free(&file->mesh);
    *file = (tet_file){.words = ""};
}

static tet_reader make_reader(const char *name, const void *bytes, size_t size, tet_file *out, tool_error *error) {
    return (tet_reader){
        {.name = name, .bytes = bytes, .size = size, .memory = 48 * size + 256, .text = true, .error = error}, out};
}

static void orient_tets(tet_file *file) {
    for (int t = 0; t < file->mesh.tet_count; t++) {
        int *v = file->mesh.tet[t];
        double(*p)[3] = file->mesh.position;
        if (!(sn_tet_volume(p[v[0]], p[v[1]], p[v[2]], p[v[3]]) < 0)) continue;
        const int swapped = v[2];
        v[2] = v[3], v[3] = swapped;
        file->turned++;
    }
}

static bool parse_pair(const char *name, const void *bytes, size_t size, const char *ele_name, const void *elements,
                       size_t elements_size, tet_file *out, tool_error *error) {
    const int format = find_format(name);
    *out = (tet_file){.format = (tet_format)(format < 0 ? 0 : format), .words = "", .size = size};
    if (format < 0) return unknown(name, error);
    tet_reader r = make_reader(name, bytes, size, out, error),
               e = make_reader(ele_name, elements, elements_size, out, error);
    bool good = true;
    if (size > INT_MAX / 2 || elements_size > INT_MAX / 2) good = reader_fail(&r.text, 0, "larger than 1 GB");
    if (good && format == TET_MSH) good = tet_msh_read(&r);
    if (good && format == TET_MEDIT) good = tet_medit_read(&r);
    if (good && format == TET_VTK) good = tet_vtk_read(&r);
    if (good && format == TET_TETGEN) good = tet_tetgen_read(&r, &e), out->size += elements_size;
    if (good && out->mesh.tet_count == 0) good = reader_fail(&r.text, 0, "the file has no tetrahedra");
    if (good)
        orient_tets(out);
    else
        tet_file_free(out);
    return good;
}

bool tet_parse(const char *name, const void *bytes, size_t size, const void *elements, size_t elements_size,
               tet_file *out, tool_error *error) {
    return parse_pair(name, bytes, size, name, elements ? elements : "", elements ? elements_size : 0, out, error);
}

static bool read_bytes(const char *name, const file_source *files, char **bytes, size_t *size, tool_error *error) {
    tool_error reason;
    if (file_text_read(name, files, (size_t)1 << 30, bytes, size, &reason)) return true;
    return tool_error_set(error, "%.300s: error: %s", name, reason.text);
}

bool tet_read(const char *file, const file_source *files, tet_file *out, tool_error *error) {
    const int format = find_format(file);
    char *bytes = NULL, *elements = NULL, *node = NULL, *ele = NULL;
    size_t size = 0, elements_size = 0;
    *out = (tet_file){.words = ""};
    if (format < 0) return unknown(file, error);
    bool good = true;
    if (format == TET_TETGEN) {
        node = with_ending(file, ".node"), ele = with_ending(file, ".ele");
        if (!node || !ele) tool_error_set(error, "%.300s: error: out of memory", file);
        good = node && ele && read_bytes(node, files, &bytes, &size, error) &&
               read_bytes(ele, files, &elements, &elements_size, error);
    } else {
        good = read_bytes(file, files, &bytes, &size, error);
    }
    good = good && parse_pair(node ? node : file, bytes, size, ele ? ele : file, elements ? elements : "",
                              elements_size, out, error);
    free(bytes), free(elements), free(node), free(ele);
    return good;
}

bool tet_write(const char *file, const sn_tet_mesh *mesh, tool_error *error) {
    typedef void writer(FILE * out, const sn_tet_mesh *m);
    static writer *const writers[] = {tet_msh_write, tet_medit_write, tet_node_write, tet_vtk_write}; // as tet_format
    const int format = find_format(file);
    if (format < 0) return unknown(file, error);
    atomic_file out[2] = {{0}};
    char *names[2] = {NULL, NULL};
    const int count = format == TET_TETGEN ? 2 : 1;
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        if (count == 2) names[i] = with_ending(file, i ? ".ele" : ".node");
        if (count == 2 && !names[i]) {
            good = tool_error_out_of_memory(&out[i].error);
        }
        good = good && atomic_file_open(&out[i], names[i] ? names[i] : file);
        if (good) (i ? tet_ele_write : writers[format])(out[i].out, mesh);
    }
    for (int i = 0; i < count && good; i++) good = atomic_file_commit(&out[i]);
    for (int i = 0; i < count && !good; i++) {
        if (out[i].error.text[0] && error) *error = out[i].error;
        if (out[i].name || out[i].out) atomic_file_abort(&out[i]);
    }
    free(names[0]), free(names[1]);
    return good;
}
