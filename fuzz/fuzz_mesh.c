// Fuzzes the readers of meshes: the first byte chooses the format, the rest is the file. Whatever it says, reading must
// not crash, leak, or take more than 50 times its size of memory, and what was read must be sound enough to be posed
// and cared for. It needs no corpus: an input too short to be a file is replaced by a good one. See README.md for how
// to build and run it.
#include "counted_memory.h"
#include "formats/mesh_file.h"
#include "formats/mesh_pose.h"
#include "mesh/mesh_repair.h"
#include "mesh_bytes.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"x.obj", "x.ply", "x.stl", "x.off", "x.glb", "x.gltf"};
enum { FORMATS = sizeof names / sizeof *names };

static void check(bool good, const char *text, const char *error) {
    if (good) return;
    fprintf(stderr, "not so: %s (%s)\n", text, error);
    abort();
}

static bytes sample(unsigned seed, uint8_t *format) {
    sn_mesh mesh = seed & 1 ? shape_cube(0, 1) : shape_ball(3, 4);
    bytes b = {0};
    static const uint8_t formats[] = {0, 1, 1, 1, 2, 2, 3, 4, 4, 5};
    const unsigned which = seed / 2 % (sizeof formats);
    *format = formats[which];
    switch (which) {
    case 0:
        b = as_obj(&mesh);
        break;
    case 1:
    case 2:
    case 3:
        b = as_ply(&mesh, (ply_way)(which - 1));
        break;
    case 4:
    case 5:
        b = as_stl(&mesh, which == 4);
        break;
    case 6:
        b = as_off(&mesh);
        break;
    case 7:
        b = as_mesh_glb(&mesh, ",\"scale\":[1,-2,3]");
        break;
    case 8:
        b = as_rig_glb();
        break;
    default:
        b = as_mesh_gltf(&mesh);
    }
    sn_mesh_free(&mesh);
    return b;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if ((size < 30 || seed % 50 == 0) && most > 1) {
        bytes b = sample(seed / 50, data);
        size = b.size + 1 < most ? b.size + 1 : most;
        memcpy(data + 1, b.at, size - 1);
        bytes_free(&b);
    }
    return LLVMFuzzerMutate(data, size, most);
}

// Poses and care: sanitizers tell whether an index was wrong.
static void use(mesh_file *file) {
    float(*world)[16] = malloc(((size_t)file->node_count + 1) * sizeof *world);
    for (int c = -1; c < file->clip_count && world; c++) {
        mesh_pose(file, c < 0 ? NULL : &file->clip[c], c < 0 ? 0 : file->clip[c].duration / 3, world);
        for (int i = 0; i < file->mesh_count; i++) {
            float(*out)[3] = malloc(((size_t)file->mesh[i].mesh.vertex_count + 1) * sizeof *out);
            if (out) mesh_pose_vertices(file, &file->mesh[i], (const float(*)[16])world, out);
            free(out);
        }
    }
    free(world);
    sn_mesh all, repaired;
    mesh_repair_report report;
    const mesh_repair_options options = mesh_repair_options_default();
    if (!mesh_file_merge(file, &all)) return;
    if (mesh_repair(&all, &options, &repaired, NULL, &report)) sn_mesh_free(&repaired);
    sn_mesh_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    const size_t length = size - 1;
    uint8_t *file_bytes = malloc(length ? length : 1); // of just this size, so that a byte too much is seen
    if (!file_bytes) return 0;
    memcpy(file_bytes, data + 1, length);
    tool_error error = {0};
    mesh_file file;
    listen();
    live = peak = 0;
    counting = true;
    const bool good = mesh_parse(names[data[0] % FORMATS], file_bytes, length, NULL, &file, &error);
    counting = false;
    check(peak <= 50 * (length > 128 ? length : 128), "at most 50 times the size of memory", error.text);
    check(good == (error.text[0] == '\0') && (good || strstr(error.text, "error: ")), "a file, or a sentence",
          error.text);
    if (good) use(&file);
    counting = true;
    mesh_file_free(&file);
    counting = false;
    check(live == 0, "nothing is left behind", error.text);
    free(file_bytes);
    return 0;
}
