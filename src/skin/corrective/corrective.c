// Correctives (sinew/corrective.h): the position of a vertex before linear skinning is
//
//     x = rest + sum over shapes k of  w_k d_k,      w_k = c_k . m(v)
//
// with the rotation v of the shape's joint and its monomials m (corrective_terms.h). The bytes of a file are used as they
// lie: shapes, then rows.
#include "base/file_header.h"
#include "skin/corrective/corrective_terms.h"

enum { MAX_JOINTS = 65535, MAX_TARGETS = 4096, MAX_VERTICES = 1 << 26 };
static const sn_file_header header = {"SNCORREC", 1, "correctives"};
_Static_assert(sizeof(sn_corrective_target) == 4 * (10 + SN_CORRECTIVE_TERMS), "shapes lie in files as in memory");
_Static_assert(sizeof(sn_corrective_row) == 12, "rows lie in files as in memory");

static bool is_valid(const sn_correctives *c) {
    if (c->joint_count < 1 || c->joint_count > MAX_JOINTS || c->vertex_count < 1 || c->vertex_count > MAX_VERTICES ||
        c->target_count < 0 || c->target_count > MAX_TARGETS || c->row_count < 0 ||
        (c->target_count > 0 && !c->targets) || (c->row_count > 0 && !c->rows))
        return false;
    for (int i = 0; i < c->target_count; i++) {
        const sn_corrective_target *s = &c->targets[i];
        float sum = s->scale + s->reach;
        for (int k = 0; k < 4; k++) sum += s->rest[k];
        for (int k = 0; k < SN_CORRECTIVE_TERMS; k++) sum += s->coefficients[k];
        if (!(sum - sum == 0) || s->joint < 0 || s->joint >= c->joint_count || s->parent < 0 ||
            s->parent >= c->joint_count || s->count < 0 || s->first < 0 || s->first > c->row_count - s->count)
            return false;
    }
    for (int i = 0; i < c->row_count; i++)
        if (c->rows[i].vertex < 0 || c->rows[i].vertex >= c->vertex_count) return false;
    return true;
}

static void visit_counts(sn_stream *stream, sn_correctives *c) {
    sn_visit_int(stream, &c->joint_count);
    sn_visit_int(stream, &c->vertex_count);
    sn_visit_int(stream, &c->target_count);
    sn_visit_int(stream, &c->row_count);
}

// Words of four bytes, or rows; all numbers are little-endian.
static void visit_all(void *what, sn_stream *stream) {
    sn_correctives *c = what;
    visit_counts(stream, c);
    sn_visit_bytes(stream, (void *)(uintptr_t)c->targets, (size_t)c->target_count * sizeof *c->targets);
    sn_visit_bytes(stream, (void *)(uintptr_t)c->rows, (size_t)c->row_count * sizeof *c->rows);
}

size_t sn_correctives_save(const sn_correctives *correctives, void *dst, size_t capacity) {
    if (!correctives || !is_valid(correctives)) return 0;
    sn_correctives copy = *correctives;
    return sn_file_header_save(&header, visit_all, &copy, dst, capacity);
}

sn_status sn_correctives_open(const void *bytes, size_t size, sn_correctives *out) {
    sn_stream stream;
    sn_correctives c = {0};
    if (!out) return SN_ERR_RANGE;
    *out = c;
    if (!bytes) return SN_ERR_FORMAT;
    const sn_log silent = {NULL, NULL};
    const sn_status status = sn_file_header_open(&header, &silent, bytes, size, &stream);
    if (status != SN_OK) return status;
    visit_counts(&stream, &c);
    if (stream.bad || c.target_count < 0 || c.row_count < 0) return SN_ERR_FORMAT;
    const size_t targets = (size_t)c.target_count * sizeof *c.targets, rows = (size_t)c.row_count * sizeof *c.rows;
    const unsigned char *at = stream.read + stream.at;
    if ((uintptr_t)at % 4 != 0 || targets + rows != stream.end - stream.at) return SN_ERR_FORMAT;
    c.targets = (const sn_corrective_target *)(const void *)at;
    c.rows = (const sn_corrective_row *)(const void *)(at + targets);
    if (!is_valid(&c)) return SN_ERR_FORMAT;
    *out = c;
    return SN_OK;
}

sn_status sn_correctives_weights(const sn_correctives *c, const sn_transform *poses, int count, float *weights) {
    if (!c || !poses || !weights || count != c->joint_count) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++) {
        const sn_quat q = poses[i].rotation;
        const sn_real length2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (!(length2 > (sn_real)1e-12) || !sn_finite(length2)) return SN_ERR_RANGE;
    }
    for (int i = 0; i < c->target_count; i++) {
        const sn_corrective_target *s = &c->targets[i];
        float v[3], m[SN_CORRECTIVE_TERMS], sum = 0;
        sn_corrective_rotation(s, poses, v);
        sn_corrective_terms(v, m);
        for (int k = 0; k < SN_CORRECTIVE_TERMS; k++) sum += s->coefficients[k] * m[k];
        weights[i] = sum;
    }
    return SN_OK;
}

sn_status sn_correctives_apply(const sn_correctives *c, const float *weights, float *positions, size_t stride,
                               int count) {
    if (!c || !weights || !positions || count != c->vertex_count || stride < 3 * sizeof(float) ||
        stride % sizeof(float) != 0)
        return SN_ERR_RANGE;
    const size_t step = stride / sizeof(float);
    for (int i = 0; i < c->target_count; i++) {
        const float by = weights[i] * c->targets[i].scale;
        const sn_corrective_row *row = c->rows + c->targets[i].first, *end = row + c->targets[i].count;
        for (; by != 0 && row < end; row++) {
            float *p = positions + (size_t)row->vertex * step;
            for (int k = 0; k < 3; k++) p[k] += by * (float)row->offset[k];
        }
    }
    return SN_OK;
}
