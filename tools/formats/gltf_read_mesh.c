// Meshes of a glTF file: each node with a mesh becomes a mesh of ours. Its primitives (one for each material) are
// merged; those with the same attributes share vertices. A mesh without a skin is placed by its node. One with a skin
// stays in its bind pose, because its joints place it.
#include "formats/gltf_read.h"
#include "formats/mesh_pose.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 4 }; // of joints and weights; each vertex keeps four

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

typedef struct {
    int64_t position, normal, uv, colour, joint[MAX_SETS], weight[MAX_SETS]; // accessors; -1: none
} attribute_set;

typedef struct {
    json_path path; // of the primitive; the caller sets its parent
    attribute_set set;
    int64_t indices, mode;
    int first, vertices; // its vertices in our mesh
    bool shares;         // they belong to an earlier primitive
    int triangles;
    bool skipped;
} primitive;

static bool read_set(gltf *g, const json_t *object, const json_path *path, attribute_set *set) {
    static const char *const joints[] = {"JOINTS_0", "JOINTS_1", "JOINTS_2", "JOINTS_3"};
    static const char *const weights[] = {"WEIGHTS_0", "WEIGHTS_1", "WEIGHTS_2", "WEIGHTS_3"};
    const int64_t last = (int64_t)json_array_size(gltf_top(g, "accessors")) - 1;
    bool good = gltf_whole(g, object, path, "POSITION", 0, last, -1, &set->position) &&
                gltf_whole(g, object, path, "NORMAL", 0, last, -1, &set->normal) &&
                gltf_whole(g, object, path, "TEXCOORD_0", 0, last, -1, &set->uv) &&
                gltf_whole(g, object, path, "COLOR_0", 0, last, -1, &set->colour);
    for (int i = 0; i < MAX_SETS; i++)
        good = good && gltf_whole(g, object, path, joints[i], 0, last, -1, &set->joint[i]) &&
               gltf_whole(g, object, path, weights[i], 0, last, -1, &set->weight[i]);
    return good;
}

// The accessor of an attribute, which must have as many rows as the positions, with `min` to `max` numbers each.
static bool attribute_rows(gltf *g, const primitive *p, const char *name, int64_t accessor, int min, int max,
                           gltf_rows *out) {
    const json_path attributes = {&p->path, "attributes", 0}, path = {&attributes, name, 0};
    if (!gltf_accessor(g, accessor, &path, out)) return false;
    if (out->width < min || out->width > max)
        return gltf_fail(g, &path, "its accessor has rows of %d numbers; it must have %d", out->width, min);
    if (p->vertices > 0 && out->count != p->vertices)
        return gltf_fail(g, &path, "its accessor has %d rows, but POSITION has %d", out->count, p->vertices);
    return true;
}

static bool measure(gltf *g, const json_t *object, primitive *p) {
    const json_t *attributes = json_object_get(object, "attributes");
    const json_path path = {&p->path, "attributes", 0}, indices_path = {&p->path, "indices", 0};
    const int64_t last = (int64_t)json_array_size(gltf_top(g, "accessors")) - 1;
    gltf_rows rows;
    json_t *targets;
    if (!json_is_object(attributes)) return gltf_fail(g, &p->path, "needs \"attributes\"");
    if (!gltf_whole(g, object, &p->path, "mode", 0, 6, MODE_TRIANGLES, &p->mode) ||
        !gltf_whole(g, object, &p->path, "indices", 0, last, -1, &p->indices) ||
        !gltf_list(g, object, &p->path, "targets", &targets) || !read_set(g, attributes, &path, &p->set))
        return false;
    if (!reader_charge(g->r, 32)) return false; // many nodes may have a mesh of many primitives: that is limited too
    g->r->out->skipped += (int)json_array_size(targets);
    if (p->mode < MODE_TRIANGLES || p->set.position < 0) {
        g->r->out->skipped++;
        p->skipped = true;
        return true;
    }
    if (!attribute_rows(g, p, "POSITION", p->set.position, 3, 3, &rows)) return false;
    p->vertices = rows.count;
    int corners = rows.count;
    if (p->indices >= 0) {
        if (!gltf_accessor(g, p->indices, &indices_path, &rows)) return false;
        if (rows.width != 1 || rows.component == 5126 || rows.sparse_count)
            return gltf_fail(g, &indices_path, "indices must be single whole numbers");
        corners = rows.count;
    }
    if (p->mode == MODE_TRIANGLES && corners % 3)
        return gltf_fail(g, p->indices >= 0 ? &indices_path : &p->path, "%d corners, which is not a multiple of 3",
                         corners);
    p->triangles = p->mode == MODE_TRIANGLES ? corners / 3 : corners < 3 ? 0 : corners - 2;
    return true;
}

// Reads an attribute into a list of floats of the mesh.
static bool fill_floats(gltf *g, const primitive *p, const char *name, int64_t accessor, int width, int max,
                        float *out) {
    gltf_rows rows;
    const json_path attributes = {&p->path, "attributes", 0}, path = {&attributes, name, 0};
    return attribute_rows(g, p, name, accessor, width, max, &rows) &&
           gltf_floats(g, &rows, &path, width, out + (size_t)p->first * (size_t)width);
}

// Keeps the four largest weights of a vertex and normalises them. False: all are 0; the vertex is bound to the first
// joint.
static bool keep_four(int count, int *joint, double *weight, int out_joint[4], float out_weight[4]) {
    for (int k = 0; k < 4; k++) {
        int max = k;
        for (int i = k + 1; i < count; i++)
            if (weight[i] > weight[max]) max = i;
        if (count > 4 && max != k) { // up to four keep the order of the file
            const int j = joint[k];
            const double w = weight[k];
            joint[k] = joint[max], weight[k] = weight[max];
            joint[max] = j, weight[max] = w;
        }
    }
    const double sum = weight[0] + weight[1] + weight[2] + weight[3];
    for (int k = 0; k < 4; k++) {
        out_joint[k] = weight[k] > 0 ? joint[k] : 0;
        out_weight[k] = !(sum > 0) ? k == 0 : fabs(sum - 1) < 1e-6 ? (float)weight[k] : (float)(weight[k] / sum);
    }
    return sum > 0;
}

// Notes a vertex without weights.
static bool add_bare(gltf *g, int vertex) {
    mesh_item *item = &g->r->out->mesh[g->r->out->mesh_count - 1];
    const int n = item->bare_count;
    if ((n & (n - 1)) == 0) { // doubles the list
        int *more = reader_alloc(g->r, n ? 2 * (size_t)n : 1, sizeof *more);
        if (!more) return false;
        if (n) memcpy(more, item->bare, (size_t)n * sizeof *more);
        reader_free(g->r, item->bare, (size_t)n, sizeof *more);
        item->bare = more;
    }
    item->bare[item->bare_count++] = vertex;
    return true;
}

static bool fill_skin(gltf *g, const primitive *p, int joints, sn_mesh *mesh) {
    const json_path attributes = {&p->path, "attributes", 0}, path = {&attributes, "JOINTS_0", 0},
                    weights_path = {&attributes, "WEIGHTS_0", 0};
    gltf_rows joint[MAX_SETS], weight[MAX_SETS];
    int sets = 0;
    for (; sets < MAX_SETS && p->set.joint[sets] >= 0 && p->set.weight[sets] >= 0; sets++)
        if (!attribute_rows(g, p, "JOINTS_0", p->set.joint[sets], 4, 4, &joint[sets]) ||
            !attribute_rows(g, p, "WEIGHTS_0", p->set.weight[sets], 4, 4, &weight[sets]))
            return false;
    for (int v = 0; v < p->vertices; v++) {
        int all[4 * MAX_SETS];
        double amount[4 * MAX_SETS];
        for (int i = 0; i < 4 * sets; i++) {
            const double index = gltf_value(&joint[i / 4], v, i % 4);
            amount[i] = gltf_value(&weight[i / 4], v, i % 4);
            if (!(amount[i] >= 0 && amount[i] < 1e6))
                return gltf_fail(g, &weights_path, "vertex %d has a weight of %g; it must be 0 to 1", v, amount[i]);
            if (amount[i] > 0 && !(index >= 0 && index < joints))
                return gltf_fail(g, &path, "vertex %d is bound to joint %g; its skin has %d joints", v, index, joints);
            all[i] = index >= 0 && index < joints ? (int)index : 0;
        }
        if (!keep_four(4 * sets, all, amount, mesh->joint[p->first + v], mesh->weight[p->first + v]) &&
            !add_bare(g, p->first + v))
            return false;
    }
    return true;
}

static bool fill_vertices(gltf *g, const primitive *p, int joints, sn_mesh *mesh) {
    if (!fill_floats(g, p, "POSITION", p->set.position, 3, 3, mesh->position[0])) return false;
    if (mesh->normal && !fill_floats(g, p, "NORMAL", p->set.normal, 3, 3, mesh->normal[0])) return false;
    if (mesh->uv && !fill_floats(g, p, "TEXCOORD_0", p->set.uv, 2, 2, mesh->uv[0])) return false;
    if (mesh->colour && !fill_floats(g, p, "COLOR_0", p->set.colour, 3, 4, mesh->colour[0])) return false;
    return !mesh->joint || fill_skin(g, p, joints, mesh);
}

static bool fill_triangles(gltf *g, const primitive *p, sn_mesh *mesh, int at) {
    const json_path path = {&p->path, "indices", 0};
    gltf_rows rows = {0};
    if (p->indices >= 0 && !gltf_accessor(g, p->indices, &path, &rows)) return false;
    for (int t = 0; t < p->triangles; t++)
        for (int k = 0; k < 3; k++) {
            int corner = 3 * t + k;
            if (p->mode == MODE_STRIP) corner = t + (t % 2 && k < 2 ? 1 - k : k);
            if (p->mode == MODE_FAN) corner = k == 0 ? 0 : t + k;
            const double vertex = p->indices >= 0 ? gltf_value(&rows, corner, 0) : corner;
            if (!(vertex >= 0 && vertex < p->vertices))
                return gltf_fail(g, &path, "index %d is %g; there are vertices 0 to %d", corner, vertex,
                                 p->vertices - 1);
            mesh->triangle[at + t][k] = p->first + (int)vertex;
        }
    return true;
}

static void make_unit(float n[3]) {
    const double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
    for (int k = 0; k < 3; k++) n[k] = length > 0 ? (float)(n[k] / length) : k == 1;
}

// Places a mesh by its node. Normals use the cofactor matrix, and a reflection flips the triangles.
static bool place(gltf *g, const float m[16], sn_mesh *mesh) {
    double cofactor[3][3], volume = 0;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            const int c1 = (c + 1) % 3, c2 = (c + 2) % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3;
            cofactor[c][r] = (double)m[4 * c1 + r1] * m[4 * c2 + r2] - (double)m[4 * c1 + r2] * m[4 * c2 + r1];
        }
    for (int r = 0; r < 3; r++) volume += m[r] * cofactor[0][r];
    for (int v = 0; v < mesh->vertex_count; v++) {
        matrix_point(m, mesh->position[v], mesh->position[v]);
        for (int k = 0; k < 3; k++)
            if (!isfinite(mesh->position[v][k]))
                return gltf_fail(g, NULL, "vertex %d of mesh \"%s\" is not finite once its node has placed it", v,
                                 mesh->name);
        if (!mesh->normal) continue;
        const double n[3] = {mesh->normal[v][0], mesh->normal[v][1], mesh->normal[v][2]};
        const double sign = volume < 0 ? -1 : 1;
        for (int r = 0; r < 3; r++)
            mesh->normal[v][r] =
                (float)(sign * (cofactor[0][r] * n[0] + cofactor[1][r] * n[1] + cofactor[2][r] * n[2]));
    }
    for (int t = 0; t < mesh->triangle_count && volume < 0; t++) {
        const int first = mesh->triangle[t][1];
        mesh->triangle[t][1] = mesh->triangle[t][2];
        mesh->triangle[t][2] = first;
    }
    return true;
}

// Merges all primitives of a mesh: counts first, then fills.
static bool make_mesh(gltf *g, const json_t *object, const json_path *path, primitive *list, size_t count, int skin,
                      int node, const float *world) {
    const json_path primitives = {path, "primitives", 0};
    unsigned parts = MESH_NORMAL | MESH_UV | MESH_COLOUR | (skin >= 0 ? MESH_SKIN : 0u);
    int64_t vertices = 0, triangles = 0;
    for (size_t i = 0; i < count; i++) {
        primitive *p = &list[i];
        *p = (primitive){.path = {&primitives, NULL, i}};
        if (!measure(g, json_array_get(json_object_get(object, "primitives"), i), p)) return false;
        if (p->skipped) continue;
        if (p->set.normal < 0) parts &= ~(unsigned)MESH_NORMAL;
        if (p->set.uv < 0) parts &= ~(unsigned)MESH_UV;
        if (p->set.colour < 0) parts &= ~(unsigned)MESH_COLOUR;
        if (skin >= 0 && (p->set.joint[0] < 0 || p->set.weight[0] < 0))
            return gltf_fail(g, &p->path, "needs JOINTS_0 and WEIGHTS_0, because its node has a skin");
        p->first = (int)vertices;
        if (i > 0 && !list[i - 1].skipped && memcmp(&list[i - 1].set, &p->set, sizeof p->set) == 0) {
            p->first = list[i - 1].first;
            p->shares = true;
        } else {
            vertices += p->vertices;
        }
        triangles += p->triangles;
        if (vertices > 0x7fffffff / 16 || triangles > 0x7fffffff / 16) return gltf_fail(g, &p->path, "too large");
    }
    if (triangles == 0) return true;
    mesh_item *item = reader_add_mesh(g->r, (int)vertices, (int)triangles, parts);
    if (!item) return false;
    sn_mesh *mesh = &item->mesh;
    item->skin = skin;
    item->node = node;
    gltf_name(object, mesh->name);
    if (!mesh->name[0] && node >= 0) memcpy(mesh->name, g->r->out->node[node].name, sizeof mesh->name);
    for (size_t i = 0, at = 0; i < count; i++) {
        if (list[i].skipped) continue;
        const int joints = skin >= 0 ? g->r->out->skin[skin].joint_count : 0;
        if (!list[i].shares && !fill_vertices(g, &list[i], joints, mesh)) return false;
        if (!fill_triangles(g, &list[i], mesh, (int)at)) return false;
        at += (size_t)list[i].triangles;
    }
    if (world && !place(g, world, mesh)) return false;
    for (int v = 0; v < mesh->vertex_count && mesh->normal; v++) make_unit(mesh->normal[v]);
    for (int i = 0; i < 3 * mesh->vertex_count && mesh->colour; i++)
        mesh->colour[i / 3][i % 3] = fminf(fmaxf(mesh->colour[i / 3][i % 3], 0), 1);
    return true;
}

static bool add_mesh(gltf *g, int index, int skin, int node, const float *world) {
    const json_path list = {NULL, "meshes", 0}, path = {&list, NULL, (size_t)index}, here = {&path, "primitives", 0};
    const json_t *object = json_array_get(gltf_top(g, "meshes"), (size_t)index);
    json_t *primitives;
    if (!gltf_list(g, object, &path, "primitives", &primitives) || !gltf_objects(g, primitives, &here)) return false;
    const size_t count = json_array_size(primitives);
    primitive *work = reader_alloc(g->r, count, sizeof *work);
    if (!work) return false;
    const int before = g->r->out->mesh_count;
    const bool good = make_mesh(g, object, &path, work, count, skin, node, world);
    if (g->r->out->mesh_count > before && !world) g->r->out->mesh[before].source = index;
    reader_free(g->r, work, count, sizeof *work);
    return good;
}

bool gltf_read_meshes(gltf *g) {
    mesh_file *out = g->r->out;
    const int nodes = out->node_count;
    bool good = true, any = false;
    float(*world)[16] = reader_alloc(g->r, (size_t)nodes, sizeof *world);
    if (!world) return false;
    mesh_pose(out, NULL, 0, world);
    for (int i = 0; i < nodes && good; i++) {
        if (g->mesh_of[i] < 0 || !g->shown[i]) continue;
        any = true;
        good = add_mesh(g, g->mesh_of[i], g->skin_of[i], i, g->skin_of[i] < 0 ? world[i] : NULL);
    }
    const size_t meshes = json_array_size(gltf_top(g, "meshes"));
    for (size_t i = 0; i < meshes && good && !any; i++) good = add_mesh(g, (int)i, -1, -1, NULL); // no scene has them
    reader_free(g->r, world, (size_t)nodes, sizeof *world);
    return good && (out->mesh_count || out->node_count || gltf_fail(g, NULL, "the file has neither meshes nor nodes"));
}
