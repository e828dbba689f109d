// See character_repair.h.
#include "scene/character_repair.h"
#include "formats/mesh_pose.h"
#include "mesh/error.h"
#include "mesh/mesh_query.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void note(repair_notes *notes, const char *format, ...) {
    va_list list;
    if (notes->count >= REPAIR_MAX_NOTES) return;
    va_start(list, format);
    vsnprintf(notes->text[notes->count++], REPAIR_NOTE_SIZE, format, list);
    va_end(list);
}

// --- skins ---

// The skin with most joints among those that meshes use; -1: none.
static int main_skin(const mesh_file *file) {
    int best = -1;
    for (int i = 0; i < file->mesh_count; i++) {
        const int skin = file->mesh[i].skin;
        if (skin >= 0 && (best < 0 || file->skin[skin].joint_count > file->skin[best].joint_count)) best = skin;
    }
    return best;
}

static int find_joint(const mesh_skin *skin, int node) {
    for (int j = 0; j < skin->joint_count; j++)
        if (skin->joint[j] == node) return j;
    return -1;
}

// Whether two matrices are equal within float precision.
static bool alike(const float a[16], const float b[16]) {
    double size = 0, difference = 0;
    for (int i = 0; i < 16; i++) {
        size = fmax(size, fabs((double)a[i]));
        difference = fmax(difference, fabs((double)a[i] - (double)b[i]));
    }
    return difference <= 1e-3 * size;
}

// Moves a mesh with another skin to the main one, by the nodes of its joints.
static bool merge_skin(mesh_file *file, int number, int to, repair_notes *notes, tool_error *error) {
    mesh_item *item = &file->mesh[number];
    const mesh_skin *from = &file->skin[item->skin], *main = &file->skin[to];
    sn_mesh *mesh = &item->mesh;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 4; k++) {
            if (!(mesh->weight[v][k] > 0)) continue;
            const int old = mesh->joint[v][k], joint = find_joint(main, from->joint[old]);
            if (joint < 0)
                return tool_error_set(
                    error,
                    "mesh %d \"%.40s\" is bound to joint \"%.40s\", which is not among the %d joints of the main "
                    "skin; a character has one skeleton: join its skins",
                    number, mesh->name, file->node[from->joint[old]].name, main->joint_count);
            if (!alike(from->inverse_bind[old], main->inverse_bind[joint]))
                return tool_error_set(
                    error,
                    "meshes have different bind poses: joint \"%.40s\" has another inverse bind matrix "
                    "for mesh %d \"%.40s\"; export them in one pose",
                    file->node[from->joint[old]].name, number, mesh->name);
            mesh->joint[v][k] = joint;
        }
    note(notes, "mesh %d \"%.60s\" has its own skin on the same joints; it was merged with the others", number,
         mesh->name);
    item->skin = to;
    return true;
}

// --- meshes without a skin ---

// The inverse of a matrix of translation, rotation and scale. False: it is singular.
static bool invert(const float m[16], float out[16]) {
    double a[3][3], det = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) a[r][c] = (double)m[4 * c + r];
    double cofactor[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cofactor[r][c] = a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1];
        }
    for (int c = 0; c < 3; c++) det += a[0][c] * cofactor[0][c];
    if (!(fabs(det) > 1e-30) || !isfinite(det)) return false;
    for (int r = 0; r < 3; r++) {
        double t = 0;
        for (int c = 0; c < 3; c++) {
            out[4 * c + r] = (float)(cofactor[c][r] / det);
            t -= cofactor[c][r] / det * (double)m[12 + c];
        }
        out[12 + r] = (float)t;
        out[4 * r + 3] = 0;
    }
    out[15] = 1;
    return true;
}

static void apply(const float m[16], const float v[3], double w, float out[3]) {
    for (int r = 0; r < 3; r++)
        out[r] = (float)((double)m[r] * (double)v[0] + (double)m[4 + r] * (double)v[1] +
                         (double)m[8 + r] * (double)v[2] + w * (double)m[12 + r]);
}

// Binds a mesh that its node places to a joint, by moving it into the bind pose.
static bool hang(mesh_file *file, int number, int skin, int joint, const float (*world)[16], tool_error *error) {
    mesh_item *item = &file->mesh[number];
    const mesh_skin *on = &file->skin[skin];
    sn_mesh made, *old = &item->mesh;
    float there[16], back[16];
    matrix_multiply(world[on->joint[joint]], on->inverse_bind[joint], there);
    if (!invert(there, back))
        return tool_error_set(error, "joint \"%.60s\" shrinks its vertices to nothing",
                              file->node[on->joint[joint]].name);
    const unsigned parts =
        MESH_SKIN | (old->normal ? MESH_NORMAL : 0u) | (old->uv ? MESH_UV : 0u) | (old->colour ? MESH_COLOUR : 0u);
    if (!sn_mesh_alloc(&made, old->vertex_count, old->triangle_count, parts)) return tool_error_out_of_memory(error);
    const size_t n = (size_t)old->vertex_count;
    memcpy(made.triangle, old->triangle, (size_t)old->triangle_count * sizeof *made.triangle);
    if (old->uv) memcpy(made.uv, old->uv, n * sizeof *made.uv);
    if (old->colour) memcpy(made.colour, old->colour, n * sizeof *made.colour);
    for (size_t v = 0; v < n; v++) {
        apply(back, old->position[v], 1, made.position[v]);
        if (old->normal) apply(back, old->normal[v], 0, made.normal[v]);
        for (int k = 0; k < 4; k++) made.joint[v][k] = k ? 0 : joint, made.weight[v][k] = k ? 0 : 1;
    }
    memcpy(made.name, old->name, sizeof made.name);
    sn_mesh_free(old);
    *old = made;
    item->skin = skin;
    return true;
}

static bool attach_unskinned(mesh_file *file, int *number, int skin, const float (*world)[16], repair_notes *notes,
                             tool_error *error) {
    mesh_item *item = &file->mesh[*number];
    int joint = -1;
    for (int up = item->node; up >= 0 && joint < 0; up = file->node[up].parent)
        joint = find_joint(&file->skin[skin], up);
    if (joint >= 0) {
        note(notes, "mesh %d \"%.60s\" has no skin; it was bound to joint \"%.60s\", an ancestor of its node", *number,
             item->mesh.name, file->node[file->skin[skin].joint[joint]].name);
        return hang(file, *number, skin, joint, world, error);
    }
    note(notes, "mesh %d \"%.60s\" has no skin and no joint above it; it was left out", *number, item->mesh.name);
    sn_mesh_free(&item->mesh);
    free(item->bare);
    memmove(item, item + 1, (size_t)(--file->mesh_count - *number) * sizeof *item);
    --*number;
    return true;
}

// --- vertices without weights ---

static bool give_weights(mesh_item *item, int number, repair_notes *notes, tool_error *error) {
    sn_mesh *mesh = &item->mesh;
    const size_t n = (size_t)mesh->vertex_count;
    bool *bare = calloc(n + 1, sizeof *bare);
    sn_mesh others;
    if (!bare || !sn_mesh_alloc(&others, mesh->vertex_count, mesh->triangle_count, 0)) {
        free(bare);
        return tool_error_out_of_memory(error);
    }
    for (int i = 0; i < item->bare_count; i++) bare[item->bare[i]] = true;
    memcpy(others.position, mesh->position, n * sizeof *others.position);
    int used = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangle[t];
        if (!bare[c[0]] && !bare[c[1]] && !bare[c[2]]) memcpy(others.triangle[used++], c, sizeof *others.triangle);
    }
    others.triangle_count = used;
    sn_mesh_query *query = used ? sn_mesh_query_build(&others) : NULL;
    bool good = query != NULL;
    for (int i = 0; good && i < item->bare_count; i++) {
        const int v = item->bare[i];
        const float *x = mesh->position[v];
        const double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
        sn_mesh_hit hit;
        if (!sn_mesh_query_closest_point(query, p, INFINITY, &hit)) continue;
        const int *c = others.triangle[hit.triangle];
        const int best =
            hit.bary[1] > hit.bary[0] ? (hit.bary[2] > hit.bary[1] ? 2 : 1) : (hit.bary[2] > hit.bary[0] ? 2 : 0);
        memcpy(mesh->joint[v], mesh->joint[c[best]], sizeof *mesh->joint);
        memcpy(mesh->weight[v], mesh->weight[c[best]], sizeof *mesh->weight);
    }
    if (good)
        note(notes,
             "mesh %d \"%.60s\": %d of %d vertices have no weights, the first is %d; they got those of the nearest "
             "vertex with weights",
             number, mesh->name, item->bare_count, mesh->vertex_count, item->bare[0]);
    else
        tool_error_set(error,
                       "mesh %d \"%.60s\": hardly any vertex has weights (the first without is %d); weights must add "
                       "up to 1",
                       number, mesh->name, item->bare[0]);
    sn_mesh_query_free(query);
    sn_mesh_free(&others);
    free(bare);
    return good;
}

// --- joints ---

static void tell_coincident(const mesh_file *file, const mesh_skin *skin, const float (*world)[16],
                            repair_notes *notes) {
    int count = 0, first[2] = {0, 0};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    for (int j = 0; j < skin->joint_count; j++)
        for (int k = 0; k < 3; k++) {
            const double x = (double)world[skin->joint[j]][12 + k];
            low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
            size = fmax(size, high[k] - low[k]);
        }
    for (int j = 0; j < skin->joint_count; j++) {
        const int up = file->node[skin->joint[j]].parent, parent = up >= 0 ? find_joint(skin, up) : -1;
        double far = 0;
        if (parent < 0) continue;
        for (int k = 0; k < 3; k++)
            far = fmax(far, fabs((double)world[skin->joint[j]][12 + k] - (double)world[up][12 + k]));
        if (far > 1e-5 * size) continue;
        if (count++ == 0) first[0] = up, first[1] = skin->joint[j];
    }
    if (count > 0)
        note(notes, "joints \"%.60s\" and \"%.60s\" coincide%s; bones of zero length reach as far as their skin",
             file->node[first[0]].name, file->node[first[1]].name, count > 1 ? ", and so do others" : "");
}

bool character_repair(mesh_file *file, int *skin, repair_notes *notes, tool_error *error) {
    notes->count = 0;
    *skin = main_skin(file);
    if (*skin < 0) return tool_error_set(error, "it has no skin: a character is a glTF file with a skinned mesh");
    if (file->skin[*skin].joint_count < 1) return tool_error_set(error, "its skin has no joints");
    float(*world)[16] = calloc((size_t)file->node_count + 1, sizeof *world);
    if (!world) return tool_error_out_of_memory(error);
    mesh_pose(file, NULL, 0, world);
    bool good = true;
    for (int i = 0; good && i < file->mesh_count; i++) {
        if (file->mesh[i].skin < 0)
            good = attach_unskinned(file, &i, *skin, (const float(*)[16])world, notes, error);
        else if (file->mesh[i].bare_count > 0)
            good = give_weights(&file->mesh[i], i, notes, error);
        if (good && i >= 0 && file->mesh[i].skin != *skin) good = merge_skin(file, i, *skin, notes, error);
    }
    if (good) tell_coincident(file, &file->skin[*skin], (const float(*)[16])world, notes);
    free(world);
    return good;
}
