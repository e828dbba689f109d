// Interpolation as glTF defines it. Linear rotations are slerps along the shorter arc; cubic ones are Hermite splines
// of the four components, normalised:
//   v(s) = (2s^3 - 3s^2 + 1) v0 + d (s^3 - 2s^2 + s) out0 + (3s^2 - 2s^3) v1 + d (s^3 - s^2) in1,  d = t1 - t0.
#include "formats/mesh_pose.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void make_unit(double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] = length > 0 ? q[k] / length : k == 3;
}

static void slerp(const float *a, const float *b, double s, double out[4]) {
    double cosine = 0;
    for (int k = 0; k < 4; k++) cosine += (double)a[k] * b[k];
    const double sign = cosine < 0 ? -1 : 1;
    cosine = fmin(cosine * sign, 1);
    double first = 1 - s, second = s;
    if (cosine < 0.9999) {
        const double angle = own_acos(cosine), sine = own_sin(angle);
        first = own_sin((1 - s) * angle) / sine;
        second = own_sin(s * angle) / sine;
    }
    for (int k = 0; k < 4; k++) out[k] = first * a[k] + sign * second * b[k];
}

void mesh_channel_sample(const mesh_channel *channel, double seconds, float out[4]) {
    const int n = channel->path == MESH_ROTATION ? 4 : 3, cubic = channel->interpolation == MESH_CUBIC;
    const int row = cubic ? 3 * n : n, shift = cubic ? n : 0; // numbers of a key, and the offset of its value
    int low = 0, high = channel->key_count - 1;               // the last key that is not later
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if ((double)channel->time[middle] <= seconds)
            low = middle;
        else
            high = middle - 1;
    }
    const float *a = channel->value + (size_t)low * (size_t)row + shift, *b = a + row;
    double value[4] = {0, 0, 0, 1};
    const bool last = low + 1 >= channel->key_count || seconds <= (double)channel->time[low];
    if (last || channel->interpolation == MESH_STEP) {
        for (int k = 0; k < n; k++) value[k] = a[k];
    } else {
        const double d = (double)channel->time[low + 1] - channel->time[low];
        const double s = (seconds - channel->time[low]) / d;
        if (cubic) {
            const double s2 = s * s, s3 = s2 * s;
            for (int k = 0; k < n; k++)
                value[k] = (2 * s3 - 3 * s2 + 1) * a[k] + d * (s3 - 2 * s2 + s) * a[k + n] + (3 * s2 - 2 * s3) * b[k] +
                           d * (s3 - s2) * b[k - n];
        } else if (n == 4) {
            slerp(a, b, s, value);
        } else {
            for (int k = 0; k < n; k++) value[k] = (1 - s) * a[k] + s * b[k];
        }
    }
    if (n == 4) make_unit(value);
    for (int k = 0; k < n; k++) out[k] = (float)value[k];
}

void matrix_multiply(const float a[16], const float b[16], float out[16]) {
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) sum += (double)a[4 * k + r] * b[4 * c + k];
            out[4 * c + r] = (float)sum;
        }
}

void matrix_compose(const float translation[3], const float rotation[4], const float scale[3], float out[16]) {
    const double x = rotation[0], y = rotation[1], z = rotation[2], w = rotation[3];
    const double axes[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)}, // by columns
                               {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
                               {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) out[4 * c + r] = (float)(axes[c][r] * scale[c]);
        out[4 * c + 3] = 0;
        out[12 + c] = translation[c];
    }
    out[15] = 1;
}

void matrix_point(const float m[16], const float point[3], float out[3]) {
    double to[3];
    for (int r = 0; r < 3; r++)
        to[r] = (double)m[r] * point[0] + (double)m[4 + r] * point[1] + (double)m[8 + r] * point[2] + m[12 + r];
    for (int r = 0; r < 3; r++) out[r] = (float)to[r];
}

void mesh_pose(const mesh_file *file, const mesh_clip *clip, double seconds, float (*world)[16]) {
    int next = 0;
    for (int i = 0; i < file->node_count; i++) {
        const mesh_node *node = &file->node[i];
        float local[16], part[3][4];
        memcpy(local, node->local, sizeof local);
        memcpy(part[MESH_TRANSLATION], node->translation, sizeof node->translation);
        memcpy(part[MESH_ROTATION], node->rotation, sizeof node->rotation);
        memcpy(part[MESH_SCALE], node->scale, sizeof node->scale);
        const int before = next;
        for (; clip && next < clip->channel_count && clip->channel[next].node == i; next++)
            mesh_channel_sample(&clip->channel[next], seconds, part[clip->channel[next].path]);
        if (next > before) matrix_compose(part[MESH_TRANSLATION], part[MESH_ROTATION], part[MESH_SCALE], local);
        if (node->parent < 0)
            memcpy(world[i], local, sizeof local);
        else
            matrix_multiply(world[node->parent], local, world[i]);
    }
}

void mesh_pose_skin(const mesh_skin *skin, const float (*world)[16], float (*out)[16]) {
    for (int j = 0; j < skin->joint_count; j++) matrix_multiply(world[skin->joint[j]], skin->inverse_bind[j], out[j]);
}

bool mesh_pose_vertices(const mesh_file *file, const mesh_item *item, const float (*world)[16], float (*out)[3]) {
    const sn_mesh *mesh = &item->mesh;
    if (item->skin < 0) {
        memcpy(out, mesh->position, (size_t)mesh->vertex_count * sizeof *out);
        return true;
    }
    const mesh_skin *skin = &file->skin[item->skin];
    float(*joint)[16] = malloc((size_t)skin->joint_count * sizeof *joint);
    if (!joint) return false;
    mesh_pose_skin(skin, world, joint);
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum[3] = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            float moved[3];
            matrix_point(joint[mesh->joint[v][k]], mesh->position[v], moved);
            for (int i = 0; i < 3; i++) sum[i] += (double)mesh->weight[v][k] * moved[i];
        }
        for (int i = 0; i < 3; i++) out[v][i] = (float)sum[i];
    }
    free(joint);
    return true;
}

bool mesh_show_at_rest(mesh_file *file) {
    float(*world)[16] = malloc(((size_t)file->node_count + 1) * sizeof *world);
    bool good = world != NULL;
    if (good) mesh_pose(file, NULL, 0, world);
    for (int i = 0; i < file->mesh_count && good; i++) {
        sn_mesh *mesh = &file->mesh[i].mesh;
        float(*moved)[3] = malloc(((size_t)mesh->vertex_count + 1) * sizeof *moved);
        good = moved && mesh_pose_vertices(file, &file->mesh[i], (const float(*)[16])world, moved);
        if (good) memcpy(mesh->position, moved, (size_t)mesh->vertex_count * sizeof *moved);
        free(moved);
    }
    free(world);
    return good;
}

bool mesh_merge_at_rest(mesh_file *file, sn_mesh *out) {
    return mesh_show_at_rest(file) && mesh_file_merge(file, out);
}
