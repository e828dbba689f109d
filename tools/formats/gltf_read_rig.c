// Nodes, skins and animations of a glTF file. Nodes are sorted so that parents come before their children. A hierarchy
// that is no tree (a node with two parents, or one that is its own ancestor) is an error.
#include "formats/gltf_read.h"
#include "formats/mesh_pose.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- nodes -----------------------------------------------------------------------------------------------------------

// The unit quaternion of a rotation matrix, given by its columns. The largest component is found first, to avoid
// division by a small number.
static void quaternion_of(double m[3][3], double q[4]) {
    const double square[4] = {1 + m[0][0] - m[1][1] - m[2][2], 1 - m[0][0] + m[1][1] - m[2][2],
                              1 - m[0][0] - m[1][1] + m[2][2], 1 + m[0][0] + m[1][1] + m[2][2]};
    int max = 3;
    for (int k = 0; k < 3; k++)
        if (square[k] > square[max]) max = k;
    const double s = sqrt(fmax(square[max], 1e-30)) * 2;
    if (max == 3) {
        q[0] = (m[1][2] - m[2][1]) / s, q[1] = (m[2][0] - m[0][2]) / s, q[2] = (m[0][1] - m[1][0]) / s, q[3] = s / 4;
    } else {
        const int i = max, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = s / 4, q[j] = (m[i][j] + m[j][i]) / s, q[k] = (m[i][k] + m[k][i]) / s, q[3] = (m[j][k] - m[k][j]) / s;
    }
}

// Decomposes a matrix into translation, rotation and scale. Shear is lost here; node->local keeps it.
static void decompose(mesh_node *node) {
    const float *local = node->local;
    double m[3][3], q[4];
    for (int c = 0; c < 3; c++) {
        double length = 0;
        for (int r = 0; r < 3; r++) length += (double)local[4 * c + r] * local[4 * c + r];
        length = sqrt(length);
        node->scale[c] = (float)length;
        node->translation[c] = local[12 + c];
        for (int r = 0; r < 3; r++) m[c][r] = length > 0 ? local[4 * c + r] / length : c == r;
    }
    const double volume = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                          m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                          m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    if (volume < 0) { // a reflection: one axis gets a negative scale
        node->scale[0] = -node->scale[0];
        for (int r = 0; r < 3; r++) m[0][r] = -m[0][r];
    }
    quaternion_of(m, q);
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) node->rotation[k] = length > 0 ? (float)(q[k] / length) : k == 3;
}

static bool read_transform(gltf *g, const json_t *object, const json_path *path, mesh_node *node) {
    const float identity[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1};
    memcpy(node->local, identity, sizeof identity);
    node->rotation[3] = 1;
    for (int k = 0; k < 3; k++) node->scale[k] = 1;
    if (json_object_get(object, "matrix")) {
        if (!gltf_numbers(g, object, path, "matrix", 16, node->local)) return false;
        decompose(node);
        return true;
    }
    if (!gltf_numbers(g, object, path, "translation", 3, node->translation) ||
        !gltf_numbers(g, object, path, "rotation", 4, node->rotation) ||
        !gltf_numbers(g, object, path, "scale", 3, node->scale))
        return false;
    double length = 0;
    for (int k = 0; k < 4; k++) length += (double)node->rotation[k] * node->rotation[k];
    length = sqrt(length);
    const json_path here = {path, "rotation", 0};
    if (!(length > 1e-6)) return gltf_fail(g, &here, "a quaternion of length 0");
    if (fabs(length - 1) > 1e-5) // else it stays bitwise equal
        for (int k = 0; k < 4; k++) node->rotation[k] = (float)(node->rotation[k] / length);
    matrix_compose(node->translation, node->rotation, node->scale, node->local);
    return true;
}

// Parents of all nodes, by the file's indices.
static bool read_parents(gltf *g, const json_t *nodes, int *parent) {
    const json_path list = {NULL, "nodes", 0};
    const size_t count = json_array_size(nodes);
    for (size_t i = 0; i < count; i++) parent[i] = -1;
    for (size_t i = 0; i < count; i++) {
        json_t *children;
        const json_path path = {&list, NULL, i}, here = {&path, "children", 0};
        if (!gltf_list(g, json_array_get(nodes, i), &path, "children", &children)) return false;
        for (size_t k = 0; k < json_array_size(children); k++) {
            const json_path item = {&here, NULL, k};
            const json_t *value = json_array_get(children, k);
            const json_int_t child = json_is_integer(value) ? json_integer_value(value) : -1;
            if (child < 0 || (size_t)child >= count) return gltf_fail(g, &item, "must be a node, 0 to %zu", count - 1);
            if (parent[child] >= 0) return gltf_fail(g, &item, "node %lld has two parents", (long long)child);
            parent[child] = (int)i;
        }
    }
    return true;
}

// Sorts the nodes of the file with parents first: roots, then the children of each.
static bool order_nodes(gltf *g, const json_t *nodes, const int *parent, int *order) {
    const json_path list = {NULL, "nodes", 0};
    const int count = (int)json_array_size(nodes);
    int have = 0;
    for (int i = 0; i < count; i++)
        if (parent[i] < 0) order[have++] = i;
    for (int done = 0; done < have; done++) {
        const json_t *children = json_object_get(json_array_get(nodes, (size_t)order[done]), "children");
        for (size_t k = 0; k < json_array_size(children); k++)
            order[have++] = (int)json_integer_value(json_array_get(children, k));
    }
    return have == count || gltf_fail(g, &list, "a node is its own ancestor");
}

// Marks the nodes of the scene: all, if there is no scene.
static bool mark_scene(gltf *g) {
    const json_t *scenes = gltf_top(g, "scenes");
    const int count = g->r->out->node_count;
    const json_path list = {NULL, "scenes", 0};
    int64_t scene;
    json_t *roots = NULL;
    if (!gltf_whole(g, g->root, NULL, "scene", 0, (int64_t)json_array_size(scenes) - 1, 0, &scene)) return false;
    const json_path path = {&list, NULL, (size_t)scene}, here = {&path, "nodes", 0};
    if (!gltf_list(g, json_array_get(scenes, (size_t)scene), &path, "nodes", &roots)) return false;
    for (size_t i = 0; i < json_array_size(roots); i++) {
        const json_path item = {&here, NULL, i};
        const json_t *value = json_array_get(roots, i);
        const json_int_t node = json_is_integer(value) ? json_integer_value(value) : -1;
        if (node < 0 || node >= count) return gltf_fail(g, &item, "must be a node, 0 to %d", count - 1);
        g->shown[g->node_of[node]] = true;
    }
    for (int i = 0; i < count; i++) {
        const int parent = g->r->out->node[i].parent;
        g->shown[i] = g->shown[i] || !roots || (parent >= 0 && g->shown[parent]);
    }
    return true;
}

static bool fill_nodes(gltf *g, const json_t *nodes, const int *parent, const int *order) {
    const json_path list = {NULL, "nodes", 0};
    mesh_file *out = g->r->out;
    const int64_t meshes = (int64_t)json_array_size(gltf_top(g, "meshes"));
    const int64_t skins = (int64_t)json_array_size(gltf_top(g, "skins"));
    for (int i = 0; i < out->node_count; i++) {
        const int from = order[i];
        const json_t *object = json_array_get(nodes, (size_t)from);
        const json_path path = {&list, NULL, (size_t)from};
        int64_t mesh, skin;
        g->node_of[from] = i;
        gltf_name(object, out->node[i].name);
        out->node[i].parent = parent[from] < 0 ? -1 : g->node_of[parent[from]];
        if (!read_transform(g, object, &path, &out->node[i]) ||
            !gltf_whole(g, object, &path, "mesh", 0, meshes - 1, -1, &mesh) ||
            !gltf_whole(g, object, &path, "skin", 0, skins - 1, -1, &skin))
            return false;
        g->mesh_of[i] = (int)mesh;
        g->skin_of[i] = (int)skin;
    }
    return true;
}

bool gltf_read_nodes(gltf *g) {
    const json_t *nodes = gltf_top(g, "nodes");
    const size_t count = json_array_size(nodes);
    mesh_reader *r = g->r;
    if (count == 0) return true;
    int *parent = reader_alloc(r, count, sizeof *parent), *order = reader_alloc(r, count, sizeof *order);
    bool good = parent && order && (g->node_of = reader_alloc(r, count, sizeof *g->node_of)) &&
                (g->mesh_of = reader_alloc(r, count, sizeof *g->mesh_of)) &&
                (g->skin_of = reader_alloc(r, count, sizeof *g->skin_of)) &&
                (g->shown = reader_alloc(r, count, sizeof *g->shown)) &&
                (r->out->node = reader_alloc(r, count, sizeof *r->out->node));
    if (good) r->out->node_count = (int)count;
    good = good && read_parents(g, nodes, parent) && order_nodes(g, nodes, parent, order) &&
           fill_nodes(g, nodes, parent, order) && mark_scene(g);
    reader_free(r, parent, count, sizeof *parent);
    reader_free(r, order, count, sizeof *order);
    return good;
}

// --- skins -----------------------------------------------------------------------------------------------------------

static bool read_skin(gltf *g, const json_t *object, const json_path *path, mesh_skin *skin) {
    json_t *joints;
    const json_path here = {path, "joints", 0}, bind = {path, "inverseBindMatrices", 0};
    const int64_t accessors = (int64_t)json_array_size(gltf_top(g, "accessors"));
    int64_t index;
    gltf_rows rows;
    if (!gltf_list(g, object, path, "joints", &joints)) return false;
    const size_t count = json_array_size(joints);
    if (count == 0) return gltf_fail(g, path, "a skin needs \"joints\"");
    gltf_name(object, skin->name);
    skin->joint_count = (int)count;
    if (!(skin->joint = reader_alloc(g->r, count, sizeof *skin->joint)) ||
        !(skin->inverse_bind = reader_alloc(g->r, count, sizeof *skin->inverse_bind)))
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_path item = {&here, NULL, i};
        const json_t *value = json_array_get(joints, i);
        const json_int_t node = json_is_integer(value) ? json_integer_value(value) : -1;
        if (node < 0 || node >= g->r->out->node_count)
            return gltf_fail(g, &item, "must be a node, 0 to %d", g->r->out->node_count - 1);
        skin->joint[i] = g->node_of[node];
        for (int k = 0; k < 16; k += 5) skin->inverse_bind[i][k] = 1;
    }
    if (!gltf_whole(g, object, path, "inverseBindMatrices", 0, accessors - 1, -1, &index)) return false;
    if (index < 0) return true;
    if (!gltf_accessor(g, index, &bind, &rows)) return false;
    if (rows.width != 16 || rows.component != 5126 || (size_t)rows.count < count)
        return gltf_fail(g, &bind, "its accessor has %d rows of %d numbers; %zu matrices of floats are needed",
                         rows.count, rows.width, count);
    rows.count = (int)count;
    rows.sparse_count = 0;
    return gltf_floats(g, &rows, &bind, 16, skin->inverse_bind[0]);
}

bool gltf_read_skins(gltf *g) {
    const json_t *list = gltf_top(g, "skins");
    const json_path skins = {NULL, "skins", 0};
    const size_t count = json_array_size(list);
    if (count == 0) return true;
    if (!(g->r->out->skin = reader_alloc(g->r, count, sizeof *g->r->out->skin))) return false;
    g->r->out->skin_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        const json_path path = {&skins, NULL, i};
        if (!read_skin(g, json_array_get(list, i), &path, &g->r->out->skin[i])) return false;
    }
    return true;
}

// --- clips -----------------------------------------------------------------------------------------------------------

static bool read_keys(gltf *g, const json_t *sampler, const json_path *path, mesh_channel *channel) {
    static const char *const interpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    const json_path input = {path, "input", 0}, output = {path, "output", 0},
                    interpolation_path = {path, "interpolation", 0};
    const int64_t accessors = (int64_t)json_array_size(gltf_top(g, "accessors"));
    const char *interpolation = json_string_value(json_object_get(sampler, "interpolation"));
    int64_t times, values;
    gltf_rows time, value;
    channel->interpolation = MESH_LINEAR;
    int found = interpolation ? -1 : MESH_LINEAR;
    for (int i = 0; interpolation && i < 3; i++)
        if (strcmp(interpolation, interpolations[i]) == 0) found = i;
    if (found < 0) return gltf_fail(g, &interpolation_path, "must be STEP, LINEAR or CUBICSPLINE");
    channel->interpolation = (mesh_interpolation)found;
    if (!gltf_whole(g, sampler, path, "input", 0, accessors - 1, GLTF_NEEDED, &times) ||
        !gltf_whole(g, sampler, path, "output", 0, accessors - 1, GLTF_NEEDED, &values) ||
        !gltf_accessor(g, times, &input, &time) || !gltf_accessor(g, values, &output, &value))
        return false;
    const int width = channel->path == MESH_ROTATION ? 4 : 3, rows = channel->interpolation == MESH_CUBIC ? 3 : 1;
    if (time.width != 1 || time.component != 5126) return gltf_fail(g, &input, "times must be single floats");
    if (value.width != width || value.count != (int64_t)time.count * rows)
        return gltf_fail(g, &output, "its accessor has %d rows of %d numbers; %lld of %d are needed", value.count,
                         value.width, (long long)time.count * rows, width);
    channel->key_count = time.count;
    if (!(channel->time = reader_alloc(g->r, (size_t)time.count, sizeof *channel->time)) ||
        !(channel->value = reader_alloc(g->r, (size_t)value.count * (size_t)width, sizeof *channel->value)))
        return false;
    if (!gltf_floats(g, &time, &input, 1, channel->time) || !gltf_floats(g, &value, &output, width, channel->value))
        return false;
    for (int i = 1; i < time.count; i++)
        if (channel->time[i] < channel->time[i - 1])
            return gltf_fail(g, &input, "time %d is earlier than the one before", i);
    return true;
}

// False: the error is set. A channel that moves no node (morph targets, extensions) leaves key_count 0.
static bool read_channel(gltf *g, const json_t *object, const json_path *path, const json_t *samplers,
                         const json_path *samplers_path, mesh_channel *channel) {
    static const char *const paths[] = {"translation", "rotation", "scale"};
    const json_t *target = json_object_get(object, "target");
    const json_path target_path = {path, "target", 0};
    const char *what = json_string_value(json_object_get(target, "path"));
    int64_t node, sampler;
    if (!json_is_object(target) || !what) return gltf_fail(g, path, "needs a \"target\" with a \"path\"");
    if (!gltf_whole(g, target, &target_path, "node", 0, g->r->out->node_count - 1, -1, &node) ||
        !gltf_whole(g, object, path, "sampler", 0, (int64_t)json_array_size(samplers) - 1, GLTF_NEEDED, &sampler))
        return false;
    const json_path sampler_path = {samplers_path, NULL, (size_t)sampler};
    for (int i = 0; i < 3; i++) {
        if (node < 0 || strcmp(what, paths[i]) != 0) continue;
        channel->node = g->node_of[node];
        channel->path = (mesh_path)i;
        return read_keys(g, json_array_get(samplers, (size_t)sampler), &sampler_path, channel);
    }
    g->r->out->skipped++;
    return true;
}

static int compare_channels(const void *one, const void *two) {
    const mesh_channel *a = one, *b = two;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    if (a->path != b->path) return a->path < b->path ? -1 : 1;
    return 0;
}

static bool read_clip(gltf *g, const json_t *object, const json_path *path, mesh_clip *clip) {
    json_t *channels, *samplers;
    const json_path channels_path = {path, "channels", 0}, samplers_path = {path, "samplers", 0};
    if (!gltf_list(g, object, path, "channels", &channels) || !gltf_list(g, object, path, "samplers", &samplers) ||
        !gltf_objects(g, channels, &channels_path) || !gltf_objects(g, samplers, &samplers_path))
        return false;
    gltf_name(object, clip->name);
    const size_t count = json_array_size(channels);
    if (!(clip->channel = reader_alloc(g->r, count, sizeof *clip->channel))) return false;
    for (size_t i = 0; i < count; i++) {
        const json_path here = {&channels_path, NULL, i};
        mesh_channel *channel = &clip->channel[clip->channel_count];
        clip->channel_count++; // so that its memory is freed
        if (!read_channel(g, json_array_get(channels, i), &here, samplers, &samplers_path, channel)) return false;
        if (channel->key_count == 0) --clip->channel_count;
    }
    qsort(clip->channel, (size_t)clip->channel_count, sizeof *clip->channel, compare_channels);
    for (int i = 0; i < clip->channel_count; i++) {
        const mesh_channel *channel = &clip->channel[i];
        clip->duration = fmax(clip->duration, (double)channel->time[channel->key_count - 1]);
        if (i > 0 && compare_channels(channel - 1, channel) == 0)
            return gltf_fail(g, &channels_path, "two channels animate the same property of node \"%s\"",
                             g->r->out->node[channel->node].name);
    }
    return true;
}

bool gltf_read_clips(gltf *g) {
    const json_t *list = gltf_top(g, "animations");
    const json_path clips = {NULL, "animations", 0};
    const size_t count = json_array_size(list);
    if (count == 0) return true;
    if (!(g->r->out->clip = reader_alloc(g->r, count, sizeof *g->r->out->clip))) return false;
    g->r->out->clip_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        const json_path path = {&clips, NULL, i};
        if (!read_clip(g, json_array_get(list, i), &path, &g->r->out->clip[i])) return false;
    }
    return true;
}
