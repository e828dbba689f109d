// The nodes of the file:
//
//     body ─┬─ joint 0        a node per body that holds its joints side by side: position, rotation and scale each
//           ├─ joint 1
//           └─ ...
//     mesh                    a node with the body's mesh and skin; joints alone place it
//
// A joint that flattens, x -> position + rotation axes (scale (axes^-1 x)), lies in a node 'axes' of its own, with position, rotation axes
// and scale; its own node rotates back by axes^-1. A body's nodes are first those that lie in it, then the joints within these.
//
// With shared joints there is one node, 'joints', that holds those of all bodies, before all nodes of meshes: importers that make
// an armature of each such node, as Blender does, make one.
//
// A body that deforms is a mesh node without joints: the mesh is that of the first frame, each further frame that is
// kept is a morph target (added to positions and normals), and animated weights blend from one to the next. Those of few
// vertices are skinned like the others (glb_deform.h).
//
// Bodies with the same view_mesh share vertices and inverse bind matrices; those that also share a colour share the
// mesh. The node of a joint has its pose in the first frame, and only joints that leave it are animated. Keyframes are
// chosen for each channel of each joint, and channels with the same keyframes share the list of times.
//
// Frames come from a spool on disk and the binary buffer goes to one; memory holds the text, a block of tracks and one
// frame.
#include "formats/glb_write.h"
#include "base/math/vec.h"
#include "formats/glb_buffer.h"
#include "formats/glb_deform.h"
#include "formats/keyframes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Where a view_mesh is in the file.
typedef struct {
    int position, normal, uv, colour, joints, weights, indices, inverse; // accessors; -1: none
    double size, reach; // of the mesh at rest: its diagonal; the largest distance of a vertex from one of its joints
    int *kept;          // if it deforms: the frames that are kept, the first one is the mesh itself
    int kept_count;     // 0: it never moves
    int targets;        // accessor of the first morph target; then of its normals, of the next target, ...
} mesh_part;

// A mesh of the file: a view_mesh in a colour.
typedef struct {
    int mesh;
    float colour[3];
} coloured_mesh;

// A list of times that channels share.
typedef struct {
    uint64_t hash;
    int accessor, count;
    size_t offset; // into the binary buffer
} time_list;

typedef struct {
    const view_model *model;
    const view_spool *joints;   // frames of the model's joints
    const view_spool *vertices; // frames of the vertices of bodies that deform
    const double *times;
    int frame_count;
    double tolerance;
    glb_buffer binary;
    glb_text json, samplers, channels;
    int sampler_count, channel_count;
    mesh_part *parts; // of each view_mesh
    coloured_mesh *meshes;
    int *mesh_of_body;
    int mesh_count;
    bool shared_joints;
    int *joint_node, *mesh_node; // of each body: the nodes of its first joint and of its mesh
    joint_pose *tracks;          // a block of tracks, see track_of
    joint_pose *split;           // a track of a joint that flattens: of its outer and of its own node
    int track_first, track_count, track_capacity;
    bool *keep;
    int *stack;
    float *key_times;
    time_list *lists; // a hash table, at most half full
    size_t list_count, list_capacity;
    int keys_view;     // the view of all keys
    size_t keys_start; // where it starts
    bool failed;       // `error` says why; if it is empty: out of memory
    char error[256];
} writer;

static void fail_reading(writer *w) {
    w->failed = true;
    if (errno != ENOMEM) snprintf(w->error, sizeof w->error, "%s", strerror(errno));
}

// --- meshes ---

static int add_joints(writer *w, const view_mesh *skin) {
    size_t start = w->binary.size;
    int size = skin->joint_count <= 256 ? 1 : 2;
    for (int v = 0; v < skin->mesh.vertex_count; v++) {
        for (int k = 0; k < 4; k++) { // unused joints have index 0
            glb_write_int(&w->binary, skin->mesh.weight[v][k] > 0 ? (uint64_t)skin->mesh.joint[v][k] : 0, size);
        }
    }
    int view = glb_end_view(&w->binary, start, GLB_VERTICES);
    int accessor = glb_add_accessor(&w->binary, view, 0, size == 1 ? GLB_BYTE : GLB_UNSIGNED_SHORT, false, "VEC4",
                                    (size_t)skin->mesh.vertex_count);
    glb_end_accessor(&w->binary);
    return accessor;
}

static int add_weights(writer *w, const view_mesh *skin) {
    size_t start = w->binary.size;
    for (int v = 0; v < skin->mesh.vertex_count; v++) {
        for (int k = 0; k < 4; k++) glb_write_float(&w->binary, (double)skin->mesh.weight[v][k]);
    }
    int view = glb_end_view(&w->binary, start, GLB_VERTICES);
    int accessor = glb_add_accessor(&w->binary, view, 0, GLB_FLOAT, false, "VEC4", (size_t)skin->mesh.vertex_count);
    glb_end_accessor(&w->binary);
    return accessor;
}

static int add_uv(writer *w, const sn_mesh *mesh) {
    const size_t start = w->binary.size;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 2; k++) glb_write_float(&w->binary, (double)mesh->uv[v][k]);
    const int view = glb_end_view(&w->binary, start, GLB_VERTICES);
    const int accessor = glb_add_accessor(&w->binary, view, 0, GLB_FLOAT, false, "VEC2", (size_t)mesh->vertex_count);
    glb_end_accessor(&w->binary);
    return accessor;
}

static int add_indices(writer *w, const sn_mesh *mesh) {
    size_t start = w->binary.size;
    int size = mesh->vertex_count <= 65535 ? 2 : 4; // the largest value of a type is not allowed
    for (int t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) glb_write_int(&w->binary, (uint64_t)mesh->triangle[t][k], size);
    }
    int view = glb_end_view(&w->binary, start, GLB_INDICES);
    int accessor = glb_add_accessor(&w->binary, view, 0, size == 2 ? GLB_UNSIGNED_SHORT : GLB_UNSIGNED_INT, false,
                                    "SCALAR", 3 * (size_t)mesh->triangle_count);
    glb_end_accessor(&w->binary);
    return accessor;
}

// Inverse bind matrices, from the mesh to each joint's axes: (T R S)^-1 by columns.
static int add_inverses(writer *w, const view_mesh *skin) {
    size_t start = w->binary.size;
    for (int j = 0; j < skin->joint_count; j++) {
        const joint_pose *rest = &skin->rest[j];
        sn_quat back = sn_q_conj(rest->rotation);
        sn_vec3 columns[4] = {sn_v3(1, 0, 0), sn_v3(0, 1, 0), sn_v3(0, 0, 1), sn_mul(-1, rest->position)};
        for (int c = 0; c < 4; c++) {
            sn_vec3 column = sn_q_rotate(back, columns[c]);
            column = sn_v3(column.x / rest->scale.x, column.y / rest->scale.y, column.z / rest->scale.z);
            glb_write_float(&w->binary, (double)column.x);
            glb_write_float(&w->binary, (double)column.y);
            glb_write_float(&w->binary, (double)column.z);
            glb_write_float(&w->binary, c == 3);
        }
    }
    int accessor = glb_add_accessor(&w->binary, glb_end_view(&w->binary, start, 0), 0, GLB_FLOAT, false, "MAT4",
                                    (size_t)skin->joint_count);
    glb_end_accessor(&w->binary);
    return accessor;
}

static void measure(const view_mesh *skin, mesh_part *part) {
    const sn_mesh *mesh = &skin->mesh;
    float low[3], high[3];
    sn_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) part->size += (double)(high[k] - low[k]) * (double)(high[k] - low[k]);
    part->size = sqrt(part->size);
    for (int v = 0; v < mesh->vertex_count && skin->joint_count; v++) {
        for (int k = 0; k < 4; k++) {
            if (!(mesh->weight[v][k] > 0)) continue;
            sn_vec3 at = {(sn_real)mesh->position[v][0], (sn_real)mesh->position[v][1], (sn_real)mesh->position[v][2]};
            double off = (double)sn_length(sn_sub(at, skin->rest[mesh->joint[v][k]].position));
            part->reach = off > part->reach ? off : part->reach;
        }
    }
}

// Chooses the frames of a deforming body that become morph targets. False: w->error says why, or out of memory.
static bool choose_frames(writer *w, int body, mesh_part *part) {
    const int n = w->model->meshes[w->model->bodies[body].mesh].mesh.vertex_count;
    const double target = 24.0 * n, fit = GLB_MAX_TARGET_BYTES / (target > 0 ? target : 1);
    const int max = fit < GLB_MAX_TARGETS ? (int)fit : GLB_MAX_TARGETS;
    int count = 0;
    if (w->frame_count > 1)
        count = glb_choose_targets(w->model, w->vertices, body, w->tolerance * part->size, max, w->keep, w->stack);
    if (count < 0) {
        fail_reading(w);
        return false;
    }
    if (count > max) {
        snprintf(w->error, sizeof w->error,
                 "%.24s deforms in more than %d frames of %.3g MB; %d and %.0f MB fit: use a smaller "
                 "--fps or --seconds, or .pc2",
                 w->model->bodies[body].name, max, target / 1e6, GLB_MAX_TARGETS, GLB_MAX_TARGET_BYTES / 1e6);
        return false;
    }
    part->kept = malloc(((size_t)count + 1) * sizeof *part->kept);
    if (!part->kept) return false;
    for (int f = 0; count && f < w->frame_count; f++)
        if (w->keep[f]) part->kept[part->kept_count++] = f;
    return true;
}

static bool read_body(writer *w, int frame, int body, float (*positions)[3], float (*normals)[3]) {
    const sn_mesh *mesh = &w->model->meshes[w->model->bodies[body].mesh].mesh;
    if (!view_spool_read_vertices(w->vertices, frame, w->model->bodies[body].first, mesh->vertex_count, positions)) {
        fail_reading(w);
        return false;
    }
    view_mesh_normals(mesh, (const float(*)[3])positions, normals);
    return true;
}

// Writes the mesh of the first frame, and the differences of the other frames.
static bool add_deforming(writer *w, int body, mesh_part *part) {
    const int n = w->model->meshes[w->model->bodies[body].mesh].mesh.vertex_count;
    const size_t size = ((size_t)n + 1) * 3 * sizeof(float);
    float(*base)[3] = malloc(size), (*normals)[3] = malloc(size), (*x)[3] = malloc(size), (*m)[3] = malloc(size);
    bool good = base && normals && x && m && choose_frames(w, body, part) && read_body(w, 0, body, base, normals);
    if (good) {
        part->position = glb_add_vectors(&w->binary, (const float(*)[3])base, n, true);
        part->normal = glb_add_vectors(&w->binary, (const float(*)[3])normals, n, false);
    }
    for (int i = 1; good && i < part->kept_count; i++) {
        good = read_body(w, part->kept[i], body, x, m);
        if (!good) break;
        for (int k = 0; k < 3 * n; k++) x[k / 3][k % 3] -= base[k / 3][k % 3], m[k / 3][k % 3] -= normals[k / 3][k % 3];
        const int added = glb_add_vectors(&w->binary, (const float(*)[3])x, n, true);
        if (i == 1) part->targets = added;
        glb_add_vectors(&w->binary, (const float(*)[3])m, n, false);
    }
    free(base);
    free(normals);
    free(x);
    free(m);
    return good;
}

static int body_of_mesh(const view_model *model, int mesh) {
    int body = 0;
    while (body < model->body_count && model->bodies[body].mesh != mesh) body++;
    return body;
}

static void add_mesh(writer *w, int index) {
    const view_mesh *skin = &w->model->meshes[index];
    const sn_mesh *mesh = &skin->mesh;
    mesh_part *part = &w->parts[index];
    *part = (mesh_part){.uv = -1, .colour = -1, .joints = -1, .weights = -1, .inverse = -1};
    measure(skin, part);
    if (skin->deforming) {
        w->failed = !add_deforming(w, body_of_mesh(w->model, index), part) || w->failed;
    } else {
        part->position = glb_add_vectors(&w->binary, (const float(*)[3])mesh->position, mesh->vertex_count, true);
        part->normal = glb_add_vectors(&w->binary, (const float(*)[3])mesh->normal, mesh->vertex_count, false);
    }
    if (mesh->uv) part->uv = add_uv(w, mesh);
    if (mesh->colour)
        part->colour = glb_add_vectors(&w->binary, (const float(*)[3])mesh->colour, mesh->vertex_count, false);
    part->indices = add_indices(w, mesh);
    if (!skin->joint_count) return;
    part->joints = add_joints(w, skin);
    part->weights = add_weights(w, skin);
    part->inverse = add_inverses(w, skin);
}

// The file's mesh of a body. Equal bodies follow each other, so only the last few are compared.
static int find_mesh(writer *w, const view_body *body) {
    int first = w->mesh_count > 64 ? w->mesh_count - 64 : 0;
    for (int i = first; i < w->mesh_count; i++) {
        const coloured_mesh *mesh = &w->meshes[i];
        if (mesh->mesh == body->mesh && memcmp(mesh->colour, body->colour, sizeof mesh->colour) == 0) return i;
    }
    coloured_mesh *mesh = &w->meshes[w->mesh_count];
    mesh->mesh = body->mesh;
    memcpy(mesh->colour, body->colour, sizeof mesh->colour);
    return w->mesh_count++;
}

// --- keys ---

static bool grow_lists(writer *w) {
    size_t capacity = w->list_capacity ? 2 * w->list_capacity : 64;
    time_list *grown = calloc(capacity, sizeof *grown);
    if (!grown) return false;
    for (size_t i = 0; i < w->list_capacity; i++) {
        if (!w->lists[i].count) continue;
        size_t at = w->lists[i].hash % capacity;
        while (grown[at].count) at = (at + 1) % capacity;
        grown[at] = w->lists[i];
    }
    free(w->lists);
    w->lists = grown;
    w->list_capacity = capacity;
    return true;
}

// Returns the accessor of the times of the frames in w->keep.
static int times_accessor(writer *w, int count) {
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < w->frame_count; i++) hash = (hash ^ w->keep[i]) * 1099511628211u;
    if (2 * w->list_count >= w->list_capacity && !grow_lists(w)) {
        w->failed = true;
        return 0;
    }
    for (int i = 0, k = 0; i < w->frame_count; i++)
        if (w->keep[i]) w->key_times[k++] = (float)w->times[i];
    size_t at = hash % w->list_capacity;
    for (; w->lists[at].count; at = (at + 1) % w->list_capacity) {
        const time_list *list = &w->lists[at];
        if (list->hash == hash && list->count == count &&
            glb_has_floats(&w->binary, list->offset, w->key_times, (size_t)count))
            return list->accessor;
    }
    const size_t start = w->binary.size;
    for (int i = 0; i < count; i++) glb_write_float(&w->binary, (double)w->key_times[i]);
    int accessor =
        glb_add_accessor(&w->binary, w->keys_view, start - w->keys_start, GLB_FLOAT, false, "SCALAR", (size_t)count);
    glb_print(&w->binary.accessors, ",\"min\":[%.9g],\"max\":[%.9g]", (double)w->key_times[0],
              (double)w->key_times[count - 1]);
    glb_end_accessor(&w->binary);
    w->lists[at] = (time_list){hash, accessor, count, start};
    w->list_count++;
    return accessor;
}

// The track of a joint. Tracks are read in blocks; joints are asked for in order. Null: w->failed.
static const joint_pose *track_of(writer *w, int joint) {
    const size_t frames = (size_t)w->frame_count;
    if (joint < w->track_first || joint >= w->track_first + w->track_count) {
        const int left = w->model->joint_count - joint;
        const int count = left < w->track_capacity ? left : w->track_capacity;
        w->track_count = 0;
        if (!view_spool_read_tracks(w->joints, joint, count, w->tracks)) {
            fail_reading(w);
            return NULL;
        }
        w->track_first = joint, w->track_count = count;
    }
    return w->tracks + (size_t)(joint - w->track_first) * frames;
}

// The pose of the outer node of a joint that flattens, and of its own. Rotations are on the side of those 'before'.
static joint_pose split_pose(const joint_pose *pose, bool inner, const joint_pose *before) {
    joint_pose out = inner ? joint_pose_inner(pose) : joint_pose_outer(pose);
    if (before && sn_q_dot(out.rotation, before->rotation) < 0)
        out.rotation = (sn_quat){-out.rotation.x, -out.rotation.y, -out.rotation.z, -out.rotation.w};
    return out;
}

static int16_t to_short(sn_real x) {
    return (int16_t)lrint(32767 * (double)sn_clamp(x, -1, 1));
}

static void write_key(writer *w, const joint_pose *pose, joint_channel channel, bool short_rotations) {
    const sn_real rotation[4] = {pose->rotation.x, pose->rotation.y, pose->rotation.z, pose->rotation.w};
    if (channel == CHANNEL_ROTATION) {
        for (int k = 0; k < 4; k++) {
            if (short_rotations) glb_write_int(&w->binary, (uint16_t)to_short(rotation[k]), 2);
            if (!short_rotations) glb_write_float(&w->binary, (double)rotation[k]);
        }
        return;
    }
    sn_vec3 v = channel == CHANNEL_POSITION ? pose->position : pose->scale;
    glb_write_float(&w->binary, (double)v.x);
    glb_write_float(&w->binary, (double)v.y);
    glb_write_float(&w->binary, (double)v.z);
}

static void add_sampler(writer *w, int times, int values, int node, const char *path) {
    glb_print_comma(&w->samplers, w->sampler_count);
    glb_print(&w->samplers, "{\"input\":%d,\"output\":%d}", times, values);
    glb_print_comma(&w->channels, w->channel_count++);
    glb_print(&w->channels, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", w->sampler_count++, node,
              path);
}

static void add_channel(writer *w, const joint_pose *poses, int node, joint_channel channel, double tolerance,
                        bool short_rotations) {
    static const char *const paths[] = {"translation", "rotation", "scale"};
    const joint_track track = {poses, w->times, w->frame_count};
    int count = keyframes_choose(&track, channel, tolerance, w->keep, w->stack);
    if (count == 0) return;
    int times = times_accessor(w, count);
    size_t start = w->binary.size;
    bool rotation = channel == CHANNEL_ROTATION, is_short = rotation && short_rotations;
    for (int i = 0; i < w->frame_count; i++) {
        if (w->keep[i]) write_key(w, &poses[i], channel, short_rotations);
    }
    int values = glb_add_accessor(&w->binary, w->keys_view, start - w->keys_start, is_short ? GLB_SHORT : GLB_FLOAT,
                                  is_short, rotation ? "VEC4" : "VEC3", (size_t)count);
    glb_end_accessor(&w->binary);
    add_sampler(w, times, values, node, paths[channel]);
}

// Weights of morph targets: at each kept frame the weight of its target is 1, the others are 0; at the first all are 0.
static void add_weight_channel(writer *w, const mesh_part *part, int node) {
    const int count = part->kept_count;
    if (count == 0) return;
    memset(w->keep, 0, (size_t)w->frame_count * sizeof *w->keep);
    for (int i = 0; i < count; i++) w->keep[part->kept[i]] = true;
    const int times = times_accessor(w, count);
    const size_t start = w->binary.size;
    for (int i = 0; i < count; i++)
        for (int target = 1; target < count; target++) glb_write_float(&w->binary, target == i);
    const int values = glb_add_accessor(&w->binary, w->keys_view, start - w->keys_start, GLB_FLOAT, false, "SCALAR",
                                        (size_t)count * (size_t)(count - 1));
    glb_end_accessor(&w->binary);
    add_sampler(w, times, values, node, "weights");
}

// Animates the joints of a body, whose nodes start at `node`.
static void add_joint_channels(writer *w, const view_body *body, int node) {
    const mesh_part *part = &w->parts[body->mesh];
    const double tolerance = w->tolerance * part->size, reach = part->reach;
    const double angle = reach > 0 ? tolerance / reach : 1e-3;
    const bool short_rotations = 6.2e-5 * reach <= tolerance; // a rotation in 16 bits is off by up to 6e-5 rad
    for (int k = 0; k < w->model->meshes[body->mesh].joint_count && !w->failed; k++) {
        const joint_pose *track = track_of(w, body->first + k);
        if (!track) return;
        if (w->model->meshes[body->mesh].flattens) {
            joint_pose *own = w->split + w->frame_count;
            for (int i = 0; i < w->frame_count; i++) {
                w->split[i] = split_pose(&track[i], false, i ? &w->split[i - 1] : NULL);
                own[i] = split_pose(&track[i], true, i ? &own[i - 1] : NULL);
            }
            track = w->split;
            add_channel(w, own, node + w->model->meshes[body->mesh].joint_count + k, CHANNEL_ROTATION, angle,
                        short_rotations);
        }
        add_channel(w, track, node + k, CHANNEL_POSITION, tolerance, false);
        add_channel(w, track, node + k, CHANNEL_ROTATION, angle, short_rotations);
        add_channel(w, track, node + k, CHANNEL_SCALE, angle, false);
    }
}

static int joint_count(const writer *w, int body) {
    return w->model->meshes[w->model->bodies[body].mesh].joint_count;
}

static bool flattens(const writer *w, int body) {
    return w->model->meshes[w->model->bodies[body].mesh].flattens;
}

static int joint_nodes(const writer *w, int body) {
    return joint_count(w, body) * (flattens(w, body) ? 2 : 1);
}

// The node that a joint is.
static int node_of(const writer *w, int body, int joint) {
    return w->joint_node[body] + joint + (flattens(w, body) ? joint_count(w, body) : 0);
}

// The node that holds a body's joints.
static int holder_of(const writer *w, int body) {
    return w->shared_joints ? 0 : w->joint_node[body] - 1;
}

static void place_nodes(writer *w) {
    int node = 0;
    if (w->shared_joints) {
        for (int i = 0; i < w->model->body_count; i++) {
            w->joint_node[i] = node + 1;
            node += joint_nodes(w, i);
        }
        if (node > 0) node++; // the one that holds them
        for (int i = 0; i < w->model->body_count; i++) w->mesh_node[i] = node++;
        return;
    }
    for (int i = 0; i < w->model->body_count; i++) {
        const int joints = joint_nodes(w, i);
        w->joint_node[i] = node + 1;
        w->mesh_node[i] = joints ? node + joints + 1 : node;
        node = w->mesh_node[i] + 1;
    }
}

// All keys are in one view, whose index is the next.
static void add_keys(writer *w) {
    w->keys_start = w->binary.size;
    w->keys_view = w->binary.view_count;
    for (int i = 0; i < w->model->body_count && !w->binary.error && !w->failed; i++) {
        const view_body *body = &w->model->bodies[i];
        add_weight_channel(w, &w->parts[body->mesh], w->mesh_node[i]);
        add_joint_channels(w, body, w->joint_node[i]);
    }
    if (w->sampler_count) glb_end_view(&w->binary, w->keys_start, 0);
}

// --- the text ---

// 'within': the node in this one, or -1.
static void print_joint(glb_text *b, const view_body *body, int joint, const joint_pose *pose, int within) {
    char name[96];
    snprintf(name, sizeof name, "%s-%s%d", body->name, within < 0 ? "" : "axes-", joint);
    glb_print(b, ",{\"name\":");
    glb_print_string(b, name);
    if (within >= 0) glb_print(b, ",\"children\":[%d]", within);
    glb_print(b, ",\"translation\":[%.9g,%.9g,%.9g]", (double)pose->position.x, (double)pose->position.y,
              (double)pose->position.z);
    glb_print(b, ",\"rotation\":[%.9g,%.9g,%.9g,%.9g]", (double)pose->rotation.x, (double)pose->rotation.y,
              (double)pose->rotation.z, (double)pose->rotation.w);
    glb_print(b, ",\"scale\":[%.9g,%.9g,%.9g]}", (double)pose->scale.x, (double)pose->scale.y, (double)pose->scale.z);
}

static void print_mesh_node(writer *w, int i, int *skin) {
    glb_text *b = &w->json;
    glb_print(b, "{\"name\":");
    glb_print_string(b, w->model->bodies[i].name);
    glb_print(b, ",\"mesh\":%d", w->mesh_of_body[i]);
    if (joint_count(w, i)) glb_print(b, ",\"skin\":%d", (*skin)++);
    glb_print(b, "}");
}

// The node that holds joints, and the joints of bodies [first, end).
static void print_joints(writer *w, const char *name, int first, int end, const joint_pose *poses) {
    glb_text *b = &w->json;
    bool any = false;
    glb_print(b, "{\"name\":");
    glb_print_string(b, name);
    glb_print(b, ",\"children\":[");
    for (int i = first; i < end; i++)
        for (int k = 0; k < joint_count(w, i); k++, any = true)
            glb_print(b, "%s%d", any ? "," : "", w->joint_node[i] + k);
    glb_print(b, "]}");
    for (int i = first; i < end; i++)
        for (int k = 0; k < joint_nodes(w, i); k++) {
            const view_body *body = &w->model->bodies[i];
            const int joint = k % joint_count(w, i);
            const joint_pose *pose = &poses[body->first + joint];
            const bool inner = k != joint;
            const joint_pose part = flattens(w, i) ? split_pose(pose, inner, NULL) : *pose;
            print_joint(b, body, joint, &part, flattens(w, i) && !inner ? node_of(w, i, joint) : -1);
        }
}

// A moving body has a node for its joints, the joints, and one for its mesh; a still one only that of its mesh.
static void print_nodes(writer *w, const joint_pose *poses) {
    const int bodies = w->model->body_count;
    int skin = 0;
    if (w->shared_joints && w->mesh_node[0] > 0) print_joints(w, "joints", 0, bodies, poses), glb_print(&w->json, ",");
    for (int i = 0; i < bodies; i++) {
        char name[96];
        glb_print_comma(&w->json, i);
        snprintf(name, sizeof name, "%s-joints", w->model->bodies[i].name);
        if (!w->shared_joints && joint_count(w, i)) print_joints(w, name, i, i + 1, poses), glb_print(&w->json, ",");
        print_mesh_node(w, i, &skin);
    }
}

static void print_roots(writer *w) {
    if (w->shared_joints && w->mesh_node[0] > 0) glb_print(&w->json, "0,");
    for (int i = 0; i < w->model->body_count; i++) {
        glb_print_comma(&w->json, i);
        if (!w->shared_joints && joint_count(w, i)) glb_print(&w->json, "%d,", holder_of(w, i));
        glb_print(&w->json, "%d", w->mesh_node[i]);
    }
}

static void print_skins(writer *w) {
    bool any = false;
    for (int i = 0; i < w->model->body_count; i++) {
        int mesh = w->model->bodies[i].mesh, joints = w->model->meshes[mesh].joint_count;
        if (joints) {
            glb_print(&w->json, any ? "," : ",\"skins\":[");
            glb_print(&w->json, "{\"inverseBindMatrices\":%d,\"skeleton\":%d,\"joints\":[", w->parts[mesh].inverse,
                      holder_of(w, i));
            for (int k = 0; k < joints; k++) glb_print(&w->json, "%s%d", k ? "," : "", node_of(w, i, k));
            glb_print(&w->json, "]}");
            any = true;
        }
    }
    if (any) glb_print(&w->json, "]");
}

// A mesh and its material have the name of the first body that uses them.
static void print_name_of(writer *w, int mesh) {
    int body = 0;
    while (w->mesh_of_body[body] != mesh) body++;
    glb_print(&w->json, "{\"name\":");
    glb_print_string(&w->json, w->model->bodies[body].name);
}

static void print_meshes(writer *w) {
    for (int i = 0; i < w->mesh_count; i++) {
        const mesh_part *part = &w->parts[w->meshes[i].mesh];
        glb_print_comma(&w->json, i);
        print_name_of(w, i);
        glb_print(&w->json, ",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d", part->position,
                  part->normal);
        if (part->uv >= 0) glb_print(&w->json, ",\"TEXCOORD_0\":%d", part->uv);
        if (part->colour >= 0) glb_print(&w->json, ",\"COLOR_0\":%d", part->colour);
        if (part->joints >= 0) glb_print(&w->json, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", part->joints, part->weights);
        glb_print(&w->json, "},\"indices\":%d,\"material\":%d", part->indices, i);
        for (int k = 1; k < part->kept_count; k++) {
            const int target = part->targets + 2 * (k - 1);
            glb_print(&w->json, "%s{\"POSITION\":%d,\"NORMAL\":%d}", k > 1 ? "," : ",\"targets\":[", target,
                      target + 1);
        }
        glb_print(&w->json, "%s}]}", part->kept_count > 1 ? "]" : "");
    }
}

static void print_materials(writer *w) {
    for (int i = 0; i < w->mesh_count; i++) {
        const float *c = w->meshes[i].colour;
        glb_print_comma(&w->json, i);
        print_name_of(w, i);
        glb_print(&w->json,
                  ",\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.4g,%.4g,%.4g,1],\"metallicFactor\":0,"
                  "\"roughnessFactor\":0.55}%s}",
                  (double)c[0], (double)c[1], (double)c[2],
                  w->model->meshes[w->meshes[i].mesh].open ? ",\"doubleSided\":true" : "");
    }
}

static void print_all(writer *w, const char *title, const joint_pose *poses) {
    glb_text *b = &w->json;
    glb_print(b, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"sinew %d.%d.%d\"},\"scene\":0,\"scenes\":[{",
              SN_VERSION_MAJOR, SN_VERSION_MINOR, SN_VERSION_PATCH);
    if (title) glb_print(b, "\"name\":"), glb_print_string(b, title);
    if (w->model->body_count) {
        glb_print(b, "%s\"nodes\":[", title ? "," : "");
        print_roots(w);
        glb_print(b, "]}],\"nodes\":[");
        print_nodes(w, poses);
        glb_print(b, "],\"meshes\":[");
        print_meshes(w);
        glb_print(b, "],\"materials\":[");
        print_materials(w);
        glb_print(b, "]");
        print_skins(w);
        if (w->sampler_count) {
            glb_print(b, ",\"animations\":[{\"name\":\"simulation\",\"samplers\":[");
            glb_append(b, &w->samplers);
            glb_print(b, "],\"channels\":[");
            glb_append(b, &w->channels);
            glb_print(b, "]}]");
        }
        glb_print(b, ",\"accessors\":[");
        glb_append(b, &w->binary.accessors);
        glb_print(b, "],\"bufferViews\":[");
        glb_append(b, &w->binary.views);
        glb_print(b, "],\"buffers\":[{\"byteLength\":%zu}]}", w->binary.size);
    } else {
        glb_print(b, "}]}");
    }
}

static bool writer_alloc(writer *w) {
    const size_t meshes = (size_t)w->model->mesh_count + 1, bodies = (size_t)w->model->body_count + 1;
    const size_t frames = (size_t)w->frame_count + 1;
    w->parts = calloc(meshes, sizeof *w->parts);
    w->meshes = calloc(bodies, sizeof *w->meshes);
    w->mesh_of_body = calloc(bodies, sizeof *w->mesh_of_body);
    w->joint_node = calloc(bodies, sizeof *w->joint_node);
    w->mesh_node = calloc(bodies, sizeof *w->mesh_node);
    w->track_capacity = view_spool_tracks_at_once(w->joints);
    w->tracks = malloc(((size_t)w->track_capacity * frames + 1) * sizeof *w->tracks);
    w->split = calloc(2 * frames, sizeof *w->split);
    w->keep = calloc(frames, sizeof *w->keep);
    w->stack = calloc(4 * frames, sizeof *w->stack);
    w->key_times = calloc(frames, sizeof *w->key_times);
    return w->parts && w->meshes && w->mesh_of_body && w->joint_node && w->mesh_node && w->tracks && w->split &&
           w->keep && w->stack && w->key_times;
}

static void writer_free(writer *w) {
    for (int i = 0; w->parts && i < w->model->mesh_count; i++) free(w->parts[i].kept);
    glb_buffer_free(&w->binary);
    free(w->json.data);
    free(w->samplers.data);
    free(w->channels.data);
    free(w->parts);
    free(w->meshes);
    free(w->mesh_of_body);
    free(w->joint_node);
    free(w->mesh_node);
    free(w->tracks);
    free(w->split);
    free(w->keep);
    free(w->stack);
    free(w->key_times);
    free(w->lists);
}

static void print_file(writer *w, const char *title) {
    const int joints = w->model->joint_count;
    joint_pose *poses = malloc(((size_t)joints + 1) * sizeof *poses);
    if (!poses || !view_spool_read_poses(w->joints, 0, 0, joints, poses)) fail_reading(w);
    if (!w->failed) print_all(w, title, poses);
    free(poses);
    w->failed = w->failed || w->json.failed;
}

static bool write_frames(FILE *out, writer *w, const char *title) {
    const view_model *model = w->model;
    w->binary.file = view_spool_scratch(w->joints);
    if (!w->binary.file) {
        fail_reading(w);
        return false;
    }
    if (!writer_alloc(w)) return false;
    place_nodes(w);
    for (int i = 0; i < model->mesh_count && !w->failed; i++) add_mesh(w, i);
    for (int i = 0; i < model->body_count; i++) w->mesh_of_body[i] = find_mesh(w, &model->bodies[i]);
    if (w->frame_count > 1 && !w->failed) add_keys(w);
    if (!w->failed) print_file(w, title);
    if (w->failed) return false;
    errno = 0;
    if (fflush(w->binary.file) != 0 && !w->binary.error) w->binary.error = errno ? errno : EIO;
    if (w->binary.error) {
        snprintf(w->error, sizeof w->error, "%s", strerror(w->binary.error));
        return false;
    }
    if ((double)w->binary.size + (double)w->json.size + 28 > 4294967295.0) {
        snprintf(w->error, sizeof w->error, "a .glb holds at most 4 GB; use fewer frames (--fps) or a shorter run");
        return false;
    }
    if (glb_write_chunks(out, &w->json, &w->binary)) return true;
    fail_reading(w);
    return false;
}

bool glb_write(FILE *out, const view_model *model, const view_spool *frames, const char *title, double tolerance,
               bool shared_joints, tool_error *error) {
    glb_skinned skinned = {0};
    writer w = {.model = model,
                .joints = frames,
                .vertices = frames,
                .times = view_spool_times(frames),
                .frame_count = view_spool_count(frames),
                .tolerance = tolerance,
                .shared_joints = shared_joints};
    bool good = true;
    if (glb_any_skinned(model)) {
        good = glb_skinned_make(model, frames, &skinned);
        if (!good) fail_reading(&w);
        w.model = &skinned.model, w.joints = skinned.frames;
    }
    good = good && write_frames(out, &w, title);
    if (!good && *w.error) tool_error_set(error, "%s", w.error);
    if (!good && !*w.error) tool_error_out_of_memory(error);
    writer_free(&w);
    glb_skinned_free(&skinned);
    return good;
}
