// Builds a subspace: sorted vertices, rows, patches, chunks; see subspace.h.
#include "kinds/elastic/subspace.h"
#include "kinds/elastic/elastic_kernels.h"
#include <string.h>

enum { ROW = SN_ELASTIC_ROW, TETS = SN_ELASTIC_CHUNK * SN_ELASTIC_ROW };

// Prefix sums: counts at 1 .. n become offsets.
static void sum_up(int *first, int n) {
    for (int i = 0; i < n; i++) first[i + 1] += first[i];
}

static int *ints(sn_memory *memory, size_t count) {
    return sn_alloc(memory, count, sizeof(int));
}
static sn_real *reals(sn_memory *memory, size_t count) {
    return sn_alloc(memory, count, sizeof(sn_real));
}

// ---- geometry of tetrahedra

// The inverse of the matrix with the edges from corner 0 as columns, stored by rows, and the volume: row k is the
// gradient of corner k + 1's shape function.
static double edges_of(const sn_elastic_asset *a, int tet, double inverse[9]) {
    double e[9];
    const sn_vec3 o = a->rest[a->tets[tet][0]];
    for (int k = 0; k < 3; k++) {
        const sn_vec3 p = a->rest[a->tets[tet][k + 1]];
        e[k] = (double)p.x - (double)o.x, e[3 + k] = (double)p.y - (double)o.y, e[6 + k] = (double)p.z - (double)o.z;
    }
    const double c[9] = {e[4] * e[8] - e[5] * e[7], e[2] * e[7] - e[1] * e[8], e[1] * e[5] - e[2] * e[4],
                         e[5] * e[6] - e[3] * e[8], e[0] * e[8] - e[2] * e[6], e[2] * e[3] - e[0] * e[5],
                         e[3] * e[7] - e[4] * e[6], e[1] * e[6] - e[0] * e[7], e[0] * e[4] - e[1] * e[3]};
    const double six = e[0] * c[0] + e[1] * c[3] + e[2] * c[6];
    for (int k = 0; k < 9; k++) inverse[k] = c[k] / six;
    return six / 6;
}

// The volume of each vertex, a quarter of its tetrahedra's, and the diagonal of the stiffness at the surface.
static void lump(const sn_elastic_asset *a, double *share, double *skin, double *whole) {
    *whole = 0;
    for (int i = 0; i < a->tet_count; i++) {
        double g[9];
        const double volume = edges_of(a, i, g);
        *whole += volume;
        for (int k = 0; k < 4; k++) share[a->tets[i][k]] += 0.25 * volume;
        for (int k = 0; k < 3; k++)
            skin[a->tets[i][k + 1]] +=
                volume * (g[3 * k] * g[3 * k] + g[3 * k + 1] * g[3 * k + 1] + g[3 * k + 2] * g[3 * k + 2]);
        double o[3];
        for (int m = 0; m < 3; m++) o[m] = g[m] + g[3 + m] + g[6 + m];
        skin[a->tets[i][0]] += volume * (o[0] * o[0] + o[1] * o[1] + o[2] * o[2]);
    }
}

// ---- vertices

static sn_status order_vertices(sn_elastic_space *s) {
    const sn_elastic_asset *a = s->asset;
    const size_t places = (size_t)s->row_count * ROW;
    s->sorted_index = ints(s->memory, (size_t)a->vertex_count), s->vertex = ints(s->memory, places);
    s->rest = reals(s->memory, 3 * places);
    if (!s->sorted_index || !s->vertex || !s->rest) return SN_ERR_MEMORY;
    const sn_status status = sn_morton_order(s->memory, a->rest, a->vertex_count, s->vertex);
    if (status != SN_OK) return status;
    for (int p = 0; p < s->row_count * ROW; p++) {
        const int v = s->vertex[p < a->vertex_count ? p : a->vertex_count - 1];
        if (p < a->vertex_count)
            s->sorted_index[v] = p;
        else
            s->vertex[p] = -1;
        sn_real *row = s->rest + (size_t)(p / ROW) * 3 * ROW + p % ROW;
        row[0] = a->rest[v].x, row[ROW] = a->rest[v].y, row[2 * ROW] = a->rest[v].z;
    }
    return SN_OK;
}

// Normalises weights, so that rigid motions are exact; computes anchor weights.
static sn_status put_weights_right(sn_elastic_space *s) {
    const sn_elastic_asset *a = s->asset;
    s->weight = reals(s->memory, (size_t)a->first[a->vertex_count]);
    if (!s->weight) return SN_ERR_MEMORY;
    bool any = false;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1 && !any) break;
        if (pass == 1 && !(s->anchor_weight = reals(s->memory, (size_t)s->row_count * ROW))) return SN_ERR_MEMORY;
        for (int v = 0; v < a->vertex_count; v++) {
            double sum = 0;
            for (int k = a->first[v]; k < a->first[v + 1]; k++) sum += (double)a->weight[k];
            const bool whole = sum > 1 - 2e-4; // the tolerance of the asset check
            for (int k = a->first[v]; k < a->first[v + 1]; k++)
                s->weight[k] = (sn_real)((double)a->weight[k] / (whole ? sum : 1));
            any = any || !whole;
            if (pass == 1 && !whole) s->anchor_weight[s->sorted_index[v]] = (sn_real)(1 - sum);
        }
    }
    return SN_OK;
}

// The entries of a row: handles of its vertices, in order of occurrence.
static int row_handles(const sn_elastic_space *s, int row, int *stamp, int *list) {
    const sn_elastic_asset *a = s->asset;
    int count = 0;
    for (int lane = 0; lane < ROW; lane++) {
        const int v = s->vertex[row * ROW + lane];
        for (int k = v < 0 ? 0 : a->first[v]; v >= 0 && k < a->first[v + 1]; k++)
            if (s->weight[k] != 0 && stamp[a->handle[k]] != row + 1)
                stamp[a->handle[k]] = row + 1, list[count++] = a->handle[k];
    }
    return count;
}

static sn_status make_entries(sn_elastic_space *s, int *stamp, int *list, int *at) {
    const sn_elastic_asset *a = s->asset;
    s->entry_first = ints(s->memory, (size_t)s->row_count + 1);
    if (!s->entry_first) return SN_ERR_MEMORY;
    for (int row = 0; row < s->row_count; row++) s->entry_first[row + 1] = row_handles(s, row, stamp, list);
    sum_up(s->entry_first, s->row_count);
    const size_t entries = (size_t)s->entry_first[s->row_count];
    s->entry_handle = ints(s->memory, entries), s->entry_weight = reals(s->memory, entries * ROW);
    if (!s->entry_handle || !s->entry_weight) return SN_ERR_MEMORY;
    memset(stamp, 0, (size_t)a->handle_count * sizeof *stamp);
    for (int row = 0; row < s->row_count; row++) {
        const int first = s->entry_first[row], count = row_handles(s, row, stamp, s->entry_handle + first);
        for (int k = 0; k < count; k++) at[s->entry_handle[first + k]] = first + k;
        for (int lane = 0; lane < ROW; lane++) {
            const int v = s->vertex[row * ROW + lane];
            for (int k = v < 0 ? 0 : a->first[v]; v >= 0 && k < a->first[v + 1]; k++)
                if (s->weight[k] != 0) s->entry_weight[(size_t)at[a->handle[k]] * ROW + (size_t)lane] = s->weight[k];
        }
    }
    return SN_OK;
}

static int rows_end(const sn_elastic_space *s, int patch) {
    const int end = (patch + 1) * SN_ELASTIC_PATCH;
    return end < s->row_count ? end : s->row_count;
}

// The partial sums of each patch, their members, and the partial sums of each handle.
static sn_status make_partials(sn_elastic_space *s, int *stamp, int *list) {
    const int handles = s->asset->handle_count, entries = s->entry_first[s->row_count];
    s->partial_first = ints(s->memory, (size_t)s->patch_count + 1);
    s->member = ints(s->memory, 2 * (size_t)entries);
    s->handle_partial_first = ints(s->memory, (size_t)handles + 1);
    if (!s->partial_first || !s->member || !s->handle_partial_first) return SN_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        int partials = 0;
        memset(stamp, 0, (size_t)handles * sizeof *stamp);
        for (int patch = 0; patch < s->patch_count; patch++) {
            int count = 0;
            const int begin = s->entry_first[patch * SN_ELASTIC_PATCH], end = s->entry_first[rows_end(s, patch)];
            for (int e = begin; e < end; e++)
                if (stamp[s->entry_handle[e]] != patch + 1)
                    stamp[s->entry_handle[e]] = patch + 1, list[count++] = s->entry_handle[e];
            for (int k = 0; pass == 1 && k < count; k++) s->partial_handle[partials + k] = list[k];
            partials += count;
            s->partial_first[patch + 1] = partials;
        }
        s->partial_count = partials;
        if (pass == 1) break;
        s->partial_handle = ints(s->memory, (size_t)partials),
        s->partial_column = ints(s->memory, (size_t)partials + 1);
        s->member_first = ints(s->memory, (size_t)partials + 1), s->handle_partial = ints(s->memory, (size_t)partials);
        if (!s->partial_handle || !s->partial_column || !s->member_first || !s->handle_partial) return SN_ERR_MEMORY;
    }
    for (int patch = 0; patch < s->patch_count; patch++) {
        for (int t = s->partial_first[patch]; t < s->partial_first[patch + 1]; t++) stamp[s->partial_handle[t]] = t;
        const int begin = s->entry_first[patch * SN_ELASTIC_PATCH], end = s->entry_first[rows_end(s, patch)];
        for (int e = begin; e < end; e++) ++s->member_first[stamp[s->entry_handle[e]] + 1];
    }
    sum_up(s->member_first, s->partial_count);
    for (int patch = 0; patch < s->patch_count; patch++) {
        for (int t = s->partial_first[patch]; t < s->partial_first[patch + 1]; t++)
            stamp[s->partial_handle[t]] = s->member_first[t];
        for (int row = patch * SN_ELASTIC_PATCH; row < rows_end(s, patch); row++)
            for (int e = s->entry_first[row]; e < s->entry_first[row + 1]; e++) {
                int *member = s->member + 2 * (size_t)stamp[s->entry_handle[e]]++;
                member[0] = row, member[1] = e;
            }
    }
    for (int t = 0; t < s->partial_count; t++) {
        const int handle = s->partial_handle[t];
        s->partial_column[t + 1] = s->partial_column[t] + sn_elastic_columns(s->asset, handle);
        s->handle_partial_first[handle + 1]++;
    }
    sum_up(s->handle_partial_first, handles);
    memcpy(stamp, s->handle_partial_first, (size_t)handles * sizeof *stamp);
    for (int t = 0; t < s->partial_count; t++) s->handle_partial[stamp[s->partial_handle[t]]++] = t;
    return SN_OK;
}

// Centres of handles, and Û^T times the volumes.
static sn_status make_handles(sn_elastic_space *s, const double *share) {
    const sn_elastic_asset *a = s->asset;
    const size_t handles = (size_t)a->handle_count, max_count = handles * SN_ELASTIC_QUADRATIC;
    s->column = ints(s->memory, handles + 1);
    s->centre = reals(s->memory, 4 * handles);
    double *moment = sn_alloc(s->memory, max_count, sizeof *moment);
    bool good = s->column && s->centre && moment;
    for (int j = 0; good && j < a->handle_count; j++) {
        const sn_vec3 c = sn_elastic_handle_centre(a, j);
        s->column[j + 1] = s->column[j] + sn_elastic_columns(a, j);
        s->centre[4 * j] = c.x, s->centre[4 * j + 1] = c.y, s->centre[4 * j + 2] = c.z;
    }
    for (int v = 0; good && v < a->vertex_count; v++)
        for (int k = a->first[v]; k < a->first[v + 1]; k++) {
            const int handle = a->handle[k], columns = sn_elastic_columns(a, handle);
            const sn_vec3 d = sn_sub(a->rest[v], sn_elastic_handle_centre(a, handle));
            double column[SN_ELASTIC_QUADRATIC];
            sn_elastic_monomials((const double[3]){(double)d.x, (double)d.y, (double)d.z}, columns, column);
            for (int c = 0; c < columns; c++)
                moment[s->column[handle] + c] += share[v] * (double)s->weight[k] * column[c];
        }
    if (good) {
        s->columns = s->column[a->handle_count];
        s->moment = reals(s->memory, (size_t)s->columns);
        good = s->moment != NULL;
        for (int c = 0; good && c < s->columns; c++) s->moment[c] = (sn_real)moment[c];
    }
    sn_free(s->memory, moment, max_count, sizeof *moment);
    return good ? SN_OK : SN_ERR_MEMORY;
}

// ---- tetrahedra

// Samples evenly along the curve: the middle one of each equal part.
static void sample_curve(sn_elastic_space *s, const int *order, int samples, int *chosen, double *volume) {
    const sn_elastic_asset *a = s->asset;
    s->tet_count = samples > 0 && samples < a->tet_count ? samples : a->tet_count;
    for (int k = 0; k < s->tet_count; k++) {
        const int begin = (int)((int64_t)k * a->tet_count / s->tet_count);
        const int end = (int)((int64_t)(k + 1) * a->tet_count / s->tet_count);
        double inverse[9];
        chosen[k] = order[(begin + end) / 2], volume[k] = 0;
        for (int i = begin; i < end; i++) volume[k] += edges_of(a, order[i], inverse);
    }
}

// Samples of a list, in the order of the curve.
static void sample_list(sn_elastic_space *s, const int *order, const sn_elastic_space_def *def, int *chosen,
                        double *volume, int *which) {
    for (int i = 0; i < s->asset->tet_count; i++) which[i] = -1;
    for (int k = 0; k < def->samples; k++) which[def->sample[k]] = k;
    s->tet_count = 0;
    for (int i = 0; i < s->asset->tet_count; i++) {
        const int k = which[order[i]];
        if (k >= 0) chosen[s->tet_count] = order[i], volume[s->tet_count++] = def->sample_volume[k];
    }
}

// The tetrahedra in use, along the curve, with the volumes they represent.
static sn_status choose_tets(sn_elastic_space *s, const sn_elastic_space_def *def, int *chosen, double *volume) {
    const sn_elastic_asset *a = s->asset;
    const size_t all = (size_t)a->tet_count;
    sn_vec3 *centre = sn_alloc(s->memory, all, sizeof *centre);
    int *order = ints(s->memory, 2 * all);
    sn_status status = centre && order ? SN_OK : SN_ERR_MEMORY;
    for (int i = 0; status == SN_OK && i < a->tet_count; i++) {
        centre[i] = sn_v3(0, 0, 0);
        for (int k = 0; k < 4; k++) centre[i] = sn_mul_add(centre[i], (sn_real)0.25, a->rest[a->tets[i][k]]);
    }
    if (status == SN_OK) status = sn_morton_order(s->memory, centre, a->tet_count, order);
    if (status == SN_OK) {
        if (def && def->sample)
            sample_list(s, order, def, chosen, volume, order + all);
        else
            sample_curve(s, order, def ? def->samples : 0, chosen, volume);
    }
    sn_free(s->memory, centre, all, sizeof *centre);
    sn_free(s->memory, order, 2 * all, sizeof *order);
    return status;
}

static void pack_tet(sn_elastic_space *s, int at, int tet, double volume, const int *number) {
    double inverse[9];
    edges_of(s->asset, tet, inverse);
    const size_t row = (size_t)(at / ROW), lane = (size_t)(at % ROW);
    for (size_t k = 0; k < 4; k++)
        s->tet_corner[(row * 4 + k) * ROW + lane] = (uint16_t)number[s->sorted_index[s->asset->tets[tet][k]]];
    sn_real *edges = s->tet_gradient + row * SN_ELASTIC_GRADIENT * ROW + lane;
    for (size_t k = 0; k < 9; k++) edges[k * ROW] = (sn_real)inverse[k];
    edges[9 * ROW] = (sn_real)volume;
}

static sn_status make_tets(sn_elastic_space *s, const int *chosen, const double *volume) {
    const sn_elastic_asset *a = s->asset;
    const int places = s->row_count * ROW;
    s->tet_row_count = (s->tet_count + ROW - 1) / ROW;
    s->chunk_count = (s->tet_row_count + SN_ELASTIC_CHUNK - 1) / SN_ELASTIC_CHUNK;
    const size_t rows = (size_t)s->tet_row_count;
    s->tet = ints(s->memory, rows * ROW);
    s->tet_corner = sn_alloc(s->memory, rows * 4 * ROW, sizeof *s->tet_corner);
    s->tet_gradient = reals(s->memory, rows * SN_ELASTIC_GRADIENT * ROW);
    s->local_first = ints(s->memory, (size_t)s->chunk_count + 1);
    s->slot_first = ints(s->memory, (size_t)places + 1);
    int *stamp = ints(s->memory, (size_t)places), *number = ints(s->memory, (size_t)places);
    bool good = s->tet && s->tet_corner && s->tet_gradient && s->local_first && s->slot_first && stamp && number;
    for (int pass = 0; good && pass < 2; pass++) {
        int locals = 0;
        memset(stamp, 0, (size_t)places * sizeof *stamp);
        for (int chunk = 0; chunk < s->chunk_count; chunk++) {
            const int end = (chunk + 1) * TETS < s->tet_count ? (chunk + 1) * TETS : s->tet_count;
            for (int i = chunk * TETS; i < end; i++)
                for (int k = 0; k < 4; k++) {
                    const int p = s->sorted_index[a->tets[chosen[i]][k]];
                    if (stamp[p] == chunk + 1) continue;
                    stamp[p] = chunk + 1, number[p] = locals - s->local_first[chunk];
                    if (pass == 0)
                        s->slot_first[p + 1]++;
                    else
                        s->local[locals] = p;
                    locals++;
                }
            for (int i = chunk * TETS; pass == 1 && i < end; i++)
                s->tet[i] = chosen[i], pack_tet(s, i, chosen[i], volume[i], number);
            s->local_first[chunk + 1] = locals;
            // Pad an incomplete row with copies of the last tetrahedron, without volume.
            for (int i = end; pass == 1 && end == s->tet_count && i < s->tet_row_count * ROW; i++)
                s->tet[i] = -1, pack_tet(s, i, chosen[end - 1], 0, number);
        }
        if (pass == 1) break;
        s->local = ints(s->memory, (size_t)locals), s->slot = ints(s->memory, (size_t)locals);
        good = s->local && s->slot;
    }
    if (good) {
        sum_up(s->slot_first, places);
        memcpy(number, s->slot_first, (size_t)places * sizeof *number);
        for (int i = 0; i < s->local_first[s->chunk_count]; i++) s->slot[number[s->local[i]]++] = i;
    }
    sn_free(s->memory, stamp, (size_t)places, sizeof *stamp);
    sn_free(s->memory, number, (size_t)places, sizeof *number);
    return good ? SN_OK : SN_ERR_MEMORY;
}

// ---- the subspace

// Reorders from asset vertices to sorted vertices; surface stiffness is 0 inside.
static sn_status place_shares(sn_elastic_space *s, const double *share, double *skin) {
    const sn_elastic_asset *a = s->asset;
    const size_t places = (size_t)s->row_count * ROW;
    s->vertex_volume = reals(s->memory, places), s->surface_stiffness = reals(s->memory, places);
    unsigned char *outside = sn_alloc(s->memory, (size_t)a->vertex_count, 1);
    if (s->vertex_volume && s->surface_stiffness && outside) {
        for (int i = 0; i < a->triangle_count; i++)
            for (int k = 0; k < 3; k++) outside[a->triangles[i][k]] = 1;
        for (int v = 0; v < a->vertex_count; v++) {
            if (!outside[v]) skin[v] = 0;
            s->vertex_volume[s->sorted_index[v]] = (sn_real)share[v],
            s->surface_stiffness[s->sorted_index[v]] = (sn_real)skin[v];
        }
    }
    const bool good = s->vertex_volume && s->surface_stiffness && outside;
    sn_free(s->memory, outside, (size_t)a->vertex_count, 1);
    return good ? SN_OK : SN_ERR_MEMORY;
}

static sn_status build(sn_elastic_space *s, const sn_elastic_space_def *def) {
    const sn_elastic_asset *a = s->asset;
    const size_t handles = (size_t)a->handle_count, vertices = (size_t)a->vertex_count, tets = (size_t)a->tet_count;
    int *work = ints(s->memory, 3 * handles), *chosen = ints(s->memory, tets);
    double *share = sn_alloc(s->memory, 2 * vertices, sizeof *share),
           *volume = sn_alloc(s->memory, tets, sizeof *volume);
    sn_status status = work && chosen && share && volume ? SN_OK : SN_ERR_MEMORY;
    if (status == SN_OK) lump(a, share, share + vertices, &s->volume);
    if (status == SN_OK) status = order_vertices(s);
    if (status == SN_OK) status = put_weights_right(s);
    if (status == SN_OK) status = place_shares(s, share, share + vertices);
    if (status == SN_OK) status = make_handles(s, share);
    if (status == SN_OK) status = make_entries(s, work, work + handles, work + 2 * handles);
    if (status == SN_OK) status = make_partials(s, work, work + handles);
    if (status == SN_OK) status = choose_tets(s, def, chosen, volume);
    if (status == SN_OK) status = make_tets(s, chosen, volume);
    if (status == SN_OK) status = sn_reduced_create(s->memory, a, &s->reduced);
    if (status == SN_OK)
        status = sn_reduced_fill(s->memory, a, s->weight, chosen, volume, s->tet_count, share, share + vertices,
                                 &s->reduced);
    sn_free(s->memory, work, 3 * handles, sizeof *work);
    sn_free(s->memory, chosen, tets, sizeof *chosen);
    sn_free(s->memory, share, 2 * vertices, sizeof *share);
    sn_free(s->memory, volume, tets, sizeof *volume);
    return status;
}

static bool good_samples(const sn_elastic_asset *asset, const sn_elastic_space_def *def) {
    if (def->samples < 0 || (def->sample && (def->samples == 0 || !def->sample_volume))) return false;
    for (int k = 0; def->sample && k < def->samples; k++)
        if (def->sample[k] < 0 || def->sample[k] >= asset->tet_count || !(def->sample_volume[k] > 0)) return false;
    return true;
}

sn_status sn_elastic_space_create(sn_memory *memory, const sn_elastic_asset *asset, const sn_elastic_space_def *def,
                                  sn_elastic_space **out) {
    const struct sn_elastic_kernels *kernels = sn_elastic_kernels_for(def ? def->lanes : 0);
    *out = NULL;
    if (!kernels || (def && !good_samples(asset, def))) return SN_ERR_RANGE;
    sn_elastic_space *s = sn_alloc(memory, 1, sizeof *s);
    if (!s) return SN_ERR_MEMORY;
    s->memory = memory, s->asset = asset, s->kernels = kernels;
    s->vertex_count = asset->vertex_count;
    s->row_count = (s->vertex_count + ROW - 1) / ROW;
    s->patch_count = (s->row_count + SN_ELASTIC_PATCH - 1) / SN_ELASTIC_PATCH;
    const sn_status status = build(s, def);
    if (status != SN_OK) {
        sn_elastic_space_destroy(s);
        return status;
    }
    *out = s;
    return SN_OK;
}

void sn_elastic_space_destroy(sn_elastic_space *s) {
    if (!s) return;
    sn_memory *m = s->memory;
    const sn_elastic_asset *a = s->asset;
    const size_t handles = (size_t)a->handle_count, places = (size_t)s->row_count * ROW;
    const size_t entries = s->entry_first ? (size_t)s->entry_first[s->row_count] : 0,
                 partials = (size_t)s->partial_count;
    const size_t rows = (size_t)s->tet_row_count, locals = s->local ? (size_t)s->local_first[s->chunk_count] : 0;
    sn_reduced_free(m, &s->reduced);
    sn_free(m, s->column, handles + 1, sizeof *s->column);
    sn_free(m, s->centre, 4 * handles, sizeof *s->centre);
    sn_free(m, s->moment, (size_t)s->columns, sizeof *s->moment);
    sn_free(m, s->sorted_index, (size_t)s->vertex_count, sizeof *s->sorted_index);
    sn_free(m, s->vertex, places, sizeof *s->vertex);
    sn_free(m, s->rest, 3 * places, sizeof *s->rest);
    sn_free(m, s->vertex_volume, places, sizeof *s->vertex_volume);
    sn_free(m, s->surface_stiffness, places, sizeof *s->surface_stiffness);
    sn_free(m, s->anchor_weight, places, sizeof *s->anchor_weight);
    sn_free(m, s->weight, (size_t)a->first[a->vertex_count], sizeof *s->weight);
    sn_free(m, s->entry_handle, entries, sizeof *s->entry_handle);
    sn_free(m, s->entry_weight, entries * ROW, sizeof *s->entry_weight);
    sn_free(m, s->entry_first, (size_t)s->row_count + 1, sizeof *s->entry_first);
    sn_free(m, s->partial_first, (size_t)s->patch_count + 1, sizeof *s->partial_first);
    sn_free(m, s->partial_handle, partials, sizeof *s->partial_handle);
    sn_free(m, s->partial_column, partials + 1, sizeof *s->partial_column);
    sn_free(m, s->member_first, partials + 1, sizeof *s->member_first);
    sn_free(m, s->member, 2 * entries, sizeof *s->member);
    sn_free(m, s->handle_partial_first, handles + 1, sizeof *s->handle_partial_first);
    sn_free(m, s->handle_partial, partials, sizeof *s->handle_partial);
    sn_free(m, s->tet, rows * ROW, sizeof *s->tet);
    sn_free(m, s->tet_corner, rows * 4 * ROW, sizeof *s->tet_corner);
    sn_free(m, s->tet_gradient, rows * SN_ELASTIC_GRADIENT * ROW, sizeof *s->tet_gradient);
    sn_free(m, s->local, locals, sizeof *s->local);
    sn_free(m, s->slot, locals, sizeof *s->slot);
    sn_free(m, s->local_first, (size_t)s->chunk_count + 1, sizeof *s->local_first);
    sn_free(m, s->slot_first, places + 1, sizeof *s->slot_first);
    sn_free(m, s, 1, sizeof *s);
}
