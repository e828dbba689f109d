// Weights are local, so each handle is a small separate problem. A handle's cell is the tetrahedra that follow it most.
// In a number of random poses p, the forces f of the cell's tetrahedra on the handle's own columns, and their work
// along random motions of all handles, sum to b_p; a few of them, weighted by x >= 0, should give the same sum:
//
//     min  sum over p of |sum over t of x_t f_t,p - b_p|^2 / |b_p|^2  +  (sum x_t V_t / V - 1)^2
//
// with forces and work each normalised by their own size. The last term preserves the volume, for strains that no pose
// has. Tetrahedra are chosen greedily among candidates, always the one best aligned with the residual; after each
// choice the x are recomputed under x >= 0 (Lawson and Hanson's non-negative least squares).
#include "reference/cubature.h"
#include "kinds/elastic/subspace.h"
#include <string.h>

enum { MAX_SAMPLES = 256, CANDIDATES = 3, CORNER = SN_ELASTIC_QUADRATIC, MOTIONS = 12, ROWS = 3 * CORNER + MOTIONS };

sn_elastic_cubature_def sn_elastic_cubature_def_default(void) {
    return (sn_elastic_cubature_def){.samples = 24, .poses = 16, .strain = 0.2, .seed = 1};
}

void sn_elastic_cubature_free(sn_memory *memory, sn_elastic_cubature *c) {
    sn_free(memory, c->tet, (size_t)c->count, sizeof *c->tet);
    sn_free(memory, c->volume, (size_t)c->count, sizeof *c->volume);
    *c = (sn_elastic_cubature){0};
}

typedef struct {
    sn_memory *memory;
    const sn_elastic_asset *asset;
    const sn_hyper *material;
    sn_elastic_cubature_def def;
    int *cell;                // of each tetrahedron, -1: nothing moves it
    int *start, *member;      // tetrahedra of each cell
    int *first_candidate;     // of each cell, plus one
    int *candidate;           // tetrahedra
    int *place;               // index of each tetrahedron among the candidates, -1: none
    size_t *at;               // of each cell: first of its candidates' forces, plus one
    double *force;            // by candidate, pose, row: 3 x columns, and work along the motions
    double *wanted;           // by cell, pose, row: ROWS each
    double (*motion)[3];      // by motion, vertex
    double (*x)[3];           // of vertices, in a pose
    double (*map)[CORNER][3]; // of handles, in a pose
    uint64_t state;
} job;

static double random_unit(job *j) { // -1 to 1
    j->state = j->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(j->state >> 11) / 4503599627370496.0 - 1;
}

static double weight_of(const sn_elastic_asset *a, int vertex, int handle) {
    for (int i = a->first[vertex]; i < a->first[vertex + 1]; i++)
        if (a->handle[i] == handle) return (double)a->weight[i];
    return 0;
}

// --- cells -----------------------------------------------------------------------------------------------------------

static int strongest(const sn_elastic_asset *a, const int corner[4]) {
    int best = -1;
    double max_count = 0;
    for (int k = 0; k < 4; k++)
        for (int i = a->first[corner[k]]; i < a->first[corner[k] + 1]; i++) {
            double sum = 0;
            for (int m = 0; m < 4; m++) sum += weight_of(a, corner[m], a->handle[i]);
            if (sum > max_count || (sum == max_count && a->handle[i] < best)) max_count = sum, best = a->handle[i];
        }
    return best;
}

static void find_cells(job *j) {
    const sn_elastic_asset *a = j->asset;
    const int cells = a->handle_count, tries = CANDIDATES * j->def.samples;
    for (int t = 0; t < a->tet_count; t++) {
        j->cell[t] = strongest(a, a->tets[t]), j->place[t] = -1;
        if (j->cell[t] >= 0) ++j->start[j->cell[t] + 1];
    }
    for (int c = 0; c < cells; c++) j->start[c + 1] += j->start[c];
    for (int t = a->tet_count - 1, *end = j->start; t >= 0; --t) // backwards: start[c + 1] decreases to start[c]
        if (j->cell[t] >= 0) j->member[--end[j->cell[t] + 1]] = t;
    for (int c = 0; c < cells; c++) j->start[c] = j->start[c + 1]; // restore the starts
    int used = 0;
    for (int t = 0; t < a->tet_count; t++) used += j->cell[t] >= 0;
    j->start[cells] = used;
    for (int c = 0, next = 0; c < cells; c++) {
        const int count = j->start[c + 1] - j->start[c], allocate = count < tries ? count : tries;
        j->first_candidate[c] = next;
        for (int i = 0; i < allocate; i++) { // one from each of equal parts
            const int low = (int)((int64_t)count * i / allocate), high = (int)((int64_t)count * (i + 1) / allocate);
            const double r = 0.5 * (random_unit(j) + 1);
            int pick = low + (int)(r * (high - low));
            if (pick >= high) pick = high - 1;
            const int t = j->member[j->start[c] + pick];
            j->place[t] = next, j->candidate[next++] = t;
        }
        j->first_candidate[c + 1] = next;
    }
}

// --- poses -----------------------------------------------------------------------------------------------------------

// The whole body is strained by an affine map, and every handle by an additional one.
static void make_pose(job *j) {
    const sn_elastic_asset *a = j->asset;
    double all[9];
    for (int i = 0; i < 9; i++) all[i] = j->def.strain * random_unit(j);
    for (int h = 0; h < a->handle_count; h++) {
        double c[3];
        sn_to_doubles(sn_elastic_handle_centre(a, h), c);
        const double size = (double)a->radius[a->handle_sphere[h]] + 1e-9;
        for (int k = 0; k < 3; k++) {
            j->map[h][0][k] = c[k] + 0.5 * j->def.strain * size * random_unit(j);
            for (int m = 0; m < 3; m++) {
                j->map[h][0][k] += all[3 * k + m] * c[m];
                j->map[h][1 + m][k] = (k == m) + all[3 * k + m] + 0.5 * j->def.strain * random_unit(j);
            }
            for (int m = 4; m < CORNER; m++) j->map[h][m][k] = 0.3 * j->def.strain / size * random_unit(j);
        }
    }
    for (int v = 0; v < a->vertex_count; v++) {
        double at[3], sum = 0;
        sn_to_doubles(a->rest[v], at);
        for (int i = a->first[v]; i < a->first[v + 1]; i++) sum += (double)a->weight[i];
        for (int k = 0; k < 3; k++) j->x[v][k] = (1 - sum) * at[k];
        for (int i = a->first[v]; i < a->first[v + 1]; i++) {
            double c[3], d[3], value[CORNER];
            const int h = a->handle[i], columns = sn_elastic_columns(a, h);
            sn_to_doubles(sn_elastic_handle_centre(a, h), c);
            for (int k = 0; k < 3; k++) d[k] = at[k] - c[k];
            sn_elastic_monomials(d, SN_ELASTIC_QUADRATIC, value);
            for (int m = 0; m < columns; m++)
                for (int k = 0; k < 3; k++) j->x[v][k] += (double)a->weight[i] * value[m] * j->map[h][m][k];
        }
    }
}

static double invert(const double e[9], double out[9]) {
    const double cof[9] = {e[4] * e[8] - e[5] * e[7], e[2] * e[7] - e[1] * e[8], e[1] * e[5] - e[2] * e[4],
                           e[5] * e[6] - e[3] * e[8], e[0] * e[8] - e[2] * e[6], e[2] * e[3] - e[0] * e[5],
                           e[3] * e[7] - e[4] * e[6], e[1] * e[6] - e[0] * e[7], e[0] * e[4] - e[1] * e[3]};
    const double det = e[0] * cof[0] + e[1] * cof[3] + e[2] * cof[6];
    for (int i = 0; i < 9; i++) out[i] = cof[i] / det;
    return det;
}

// Force of a tetrahedron on the columns of its cell's handle, 3 x columns; returns its volume.
static double tet_force(const job *j, int t, int columns, double *out) {
    const sn_elastic_asset *a = j->asset;
    const int *corner = a->tets[t];
    double rest[4][3], e[9], now[9], inverse[9], f[9], p[9], centre[3];
    for (int k = 0; k < 4; k++) sn_to_doubles(a->rest[corner[k]], rest[k]);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            e[3 * k + c] = rest[c + 1][k] - rest[0][k];
            now[3 * k + c] = j->x[corner[c + 1]][k] - j->x[corner[0]][k];
        }
    const double volume = invert(e, inverse) / 6;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            f[3 * r + c] = now[3 * r] * inverse[c] + now[3 * r + 1] * inverse[3 + c] + now[3 * r + 2] * inverse[6 + c];
    sn_hyper_stress(j->material, f, p);
    double force[4][3] = {{0}};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            for (int d = 0; d < 3; d++) force[c + 1][k] += volume * p[3 * k + d] * inverse[3 * c + d];
            force[0][k] -= force[c + 1][k];
        }
    sn_to_doubles(sn_elastic_handle_centre(a, j->cell[t]), centre);
    memset(out, 0, (3 * (size_t)columns + MOTIONS) * sizeof *out);
    for (int k = 0; k < 4; k++) {
        double d[3], value[CORNER];
        for (int i = 0; i < 3; i++) d[i] = rest[k][i] - centre[i];
        sn_elastic_monomials(d, SN_ELASTIC_QUADRATIC, value);
        const double w = weight_of(a, corner[k], j->cell[t]);
        for (int m = 0; m < columns; m++)
            for (int i = 0; i < 3; i++) out[3 * m + i] += w * value[m] * force[k][i];
        for (int m = 0; m < MOTIONS; m++) {
            const double *direction = j->motion[(size_t)m * (size_t)a->vertex_count + (size_t)corner[k]];
            out[3 * columns + m] +=
                force[k][0] * direction[0] + force[k][1] * direction[1] + force[k][2] * direction[2];
        }
    }
    return volume;
}

static void train(job *j) {
    const sn_elastic_asset *a = j->asset;
    for (int m = 0; m < MOTIONS; m++) { // differences of poses
        double(*to)[3] = j->motion + (size_t)m * (size_t)a->vertex_count;
        for (int half = 0; half < 2; half++) {
            make_pose(j);
            for (int v = 0; v < a->vertex_count; v++)
                for (int k = 0; k < 3; k++) to[v][k] = half ? to[v][k] - j->x[v][k] : j->x[v][k];
        }
    }
    for (int p = 0; p < j->def.poses; p++) {
        make_pose(j);
        for (int t = 0; t < a->tet_count; t++) {
            const int c = j->cell[t];
            double own[ROWS];
            if (c < 0) continue;
            const int columns = sn_elastic_columns(a, c), rows = 3 * columns + MOTIONS;
            tet_force(j, t, columns, own);
            double *sum = j->wanted + ((size_t)c * (size_t)j->def.poses + (size_t)p) * ROWS;
            for (int i = 0; i < rows; i++) sum[i] += own[i];
            if (j->place[t] < 0) continue;
            const size_t k = (size_t)(j->place[t] - j->first_candidate[c]);
            memcpy(j->force + j->at[c] + (k * (size_t)j->def.poses + (size_t)p) * (size_t)rows, own,
                   (size_t)rows * sizeof *own);
        }
    }
}

// --- one cell --------------------------------------------------------------------------------------------------------

typedef struct {
    double *product; // candidates x candidates: inner products of their forces
    double *side;    // with the target
    double *x;       // of candidates, 0: not chosen
    double *l, *y;   // of the passive set
    int *passive;
    int count; // of these
} choice;

// Solves for the passive set, into y. False: linearly dependent.
static bool solve_passive(choice *s, int candidates) {
    const int n = s->count;
    for (int i = 0; i < n; i++) {
        const double *row = s->product + (size_t)s->passive[i] * (size_t)candidates;
        for (int k = 0; k <= i; k++) {
            double sum = row[s->passive[k]];
            for (int m = 0; m < k; m++) sum -= s->l[i * n + m] * s->l[k * n + m];
            if (k < i)
                s->l[i * n + k] = sum / s->l[k * n + k];
            else if (!(sum > 1e-12 * row[s->passive[i]]))
                return false;
            else
                s->l[i * n + i] = __builtin_sqrt(sum);
        }
    }
    for (int i = 0; i < n; i++) {
        double sum = s->side[s->passive[i]];
        for (int k = 0; k < i; k++) sum -= s->l[i * n + k] * s->y[k];
        s->y[i] = sum / s->l[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; k++) s->y[i] -= s->l[k * n + i] * s->y[k];
        s->y[i] /= s->l[i * n + i];
    }
    return true;
}

static void leave(choice *s, int i) {
    s->x[s->passive[i]] = 0;
    for (; i + 1 < s->count; i++) s->passive[i] = s->passive[i + 1];
    --s->count;
}

// Chooses candidates until there are enough or nothing more is gained.
static void choose(choice *s, int candidates, int max_count, bool *tried) {
    s->count = 0;
    memset(s->x, 0, (size_t)candidates * sizeof *s->x);
    memset(tried, 0, (size_t)candidates * sizeof *tried);
    for (int iteration = 0; iteration < 8 * max_count && s->count < max_count; iteration++) {
        int best = -1;
        double gain = 1e-12;
        for (int c = 0; c < candidates; c++) {
            const double *row = s->product + (size_t)c * (size_t)candidates;
            double left = s->side[c];
            if (s->x[c] > 0 || tried[c]) continue;
            for (int i = 0; i < s->count; i++) left -= row[s->passive[i]] * s->x[s->passive[i]];
            const double own = left > 0 && row[c] > 0 ? left * left / row[c] : 0;
            if (own > gain) gain = own, best = c;
        }
        if (best < 0) return;
        s->passive[s->count++] = best;
        s->x[best] = 0;
        while (s->count > 0) {
            if (!solve_passive(s, candidates)) { // nearly linearly dependent
                leave(s, s->count - 1);
                tried[best] = true;
                break;
            }
            double step = 1;
            int worst = -1;
            for (int i = 0; i < s->count; i++) {
                const double x = s->x[s->passive[i]];
                if (s->y[i] > 0) continue;
                const double reach = x > s->y[i] ? x / (x - s->y[i]) : 0;
                if (reach <= step) step = reach, worst = i;
            }
            if (worst >= 0 && s->passive[worst] == best && s->x[best] <= 0)
                tried[best] = true; // it would become negative
            for (int i = 0; i < s->count; i++) s->x[s->passive[i]] += step * (s->y[i] - s->x[s->passive[i]]);
            if (worst < 0) break;
            leave(s, worst);
        }
    }
}

static double volume_of(const job *j, int t) {
    double e[9], o[3], p[3], inverse[9];
    sn_to_doubles(j->asset->rest[j->asset->tets[t][0]], o);
    for (int c = 0; c < 3; c++) {
        sn_to_doubles(j->asset->rest[j->asset->tets[t][c + 1]], p);
        for (int k = 0; k < 3; k++) e[3 * k + c] = p[k] - o[k];
    }
    return invert(e, inverse) / 6;
}

static const double *wanted_of(const job *j, int cell, int pose) {
    return j->wanted + ((size_t)cell * (size_t)j->def.poses + (size_t)pose) * ROWS;
}

static const double *force_of(const job *j, int cell, int candidate, int pose, int rows) {
    return j->force + j->at[cell] + ((size_t)candidate * (size_t)j->def.poses + (size_t)pose) * (size_t)rows;
}

// Reciprocals of the sizes of forces and of work.
static void scales_of(const double *wanted, int rows, double scale[2]) {
    double size[2] = {0};
    for (int i = 0; i < rows; i++) size[i >= rows - MOTIONS] += wanted[i] * wanted[i];
    for (int k = 0; k < 2; k++) scale[k] = size[k] > 0 ? 1 / size[k] : 0;
}

static double product_of(const double *a, const double *b, int rows, const double scale[2]) {
    double sum[2] = {0};
    for (int i = 0; i < rows - MOTIONS; i++) sum[0] += a[i] * b[i];
    for (int i = rows - MOTIONS; i < rows; i++) sum[1] += a[i] * b[i];
    return scale[0] * sum[0] + scale[1] * sum[1];
}

// Adds the squared relative residual and the squared forces of the cell.
static void solve_cell(job *j, int cell, choice *s, bool *tried, sn_elastic_cubature *out, double *left, double *all) {
    const int first = j->first_candidate[cell], n = j->first_candidate[cell + 1] - first;
    const int rows = 3 * sn_elastic_columns(j->asset, cell) + MOTIONS, poses = j->def.poses;
    double volume = 0, kept = 0;
    if (n == 0) return;
    for (int i = j->start[cell]; i < j->start[cell + 1]; i++) volume += volume_of(j, j->member[i]);
    for (int a = 0; a < n; a++) {
        s->side[a] = volume_of(j, j->candidate[first + a]) / volume;
        for (int b = 0; b <= a; b++)
            s->product[a * n + b] = s->side[a] * s->side[b]; // the volume row; its right-hand side is 1
    }
    for (int p = 0; p < poses; p++) {
        double scale[2];
        scales_of(wanted_of(j, cell, p), rows, scale);
        for (int a = 0; a < n; a++) {
            const double *fa = force_of(j, cell, a, p, rows);
            s->side[a] += product_of(fa, wanted_of(j, cell, p), rows, scale);
            for (int b = 0; b <= a; b++)
                s->product[a * n + b] += product_of(fa, force_of(j, cell, b, p, rows), rows, scale);
        }
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++) s->product[b * n + a] = s->product[a * n + b];
    choose(s, n, j->def.samples, tried);
    for (int i = 0; i < s->count; i++) kept += s->x[s->passive[i]] * volume_of(j, j->candidate[first + s->passive[i]]);
    if (!(kept > 0)) { // nothing fits: one tetrahedron represents all
        s->count = 1, s->passive[0] = 0, s->x[0] = volume / volume_of(j, j->candidate[first]);
    }
    for (int p = 0; p < poses; p++) {
        double scale[2], rest[ROWS];
        scales_of(wanted_of(j, cell, p), rows, scale);
        memcpy(rest, wanted_of(j, cell, p), (size_t)rows * sizeof *rest);
        for (int m = 0; m < s->count; m++) {
            const double *f = force_of(j, cell, s->passive[m], p, rows);
            for (int i = 0; i < rows; i++) rest[i] -= s->x[s->passive[m]] * f[i];
        }
        *left += product_of(rest, rest, rows, scale);
        *all += (scale[0] > 0) + (scale[1] > 0);
    }
    for (int i = 0; i < s->count; i++) {
        const int t = j->candidate[first + s->passive[i]];
        out->tet[out->count] = t;
        out->volume[out->count++] = s->x[s->passive[i]] * volume_of(j, t);
    }
}

// --- cubature --------------------------------------------------------------------------------------------------------

static void *allocate(job *j, size_t count, size_t size, bool *good) {
    void *block = *good ? sn_alloc(j->memory, count, size) : NULL;
    *good = block != NULL;
    return block;
}

// Copies the choice into blocks of the right size.
static sn_status update_passive(sn_memory *memory, const sn_elastic_cubature *from, sn_elastic_cubature *out) {
    const size_t n = (size_t)from->count;
    out->tet = sn_alloc(memory, n, sizeof *out->tet);
    out->volume = sn_alloc(memory, n, sizeof *out->volume);
    out->count = from->count;
    if (!out->tet || !out->volume) {
        sn_elastic_cubature_free(memory, out);
        return SN_ERR_MEMORY;
    }
    memcpy(out->tet, from->tet, n * sizeof *out->tet);
    memcpy(out->volume, from->volume, n * sizeof *out->volume);
    return SN_OK;
}

sn_status sn_elastic_cubature_make(sn_memory *memory, const sn_elastic_asset *asset, const sn_hyper *material,
                                   const sn_elastic_cubature_def *def, sn_elastic_cubature *out, double *error) {
    *out = (sn_elastic_cubature){0};
    if (def->samples < 1 || def->samples > MAX_SAMPLES || def->poses < 1 || def->poses > 1024 ||
        !(def->strain > 0 && def->strain < 1))
        return SN_ERR_RANGE;
    job j = {.memory = memory, .asset = asset, .material = material, .def = *def, .state = def->seed};
    const size_t tets = (size_t)asset->tet_count, cells = (size_t)asset->handle_count,
                 m = (size_t)(CANDIDATES * def->samples);
    const size_t max_count = cells * m < tets ? cells * m : tets, poses = (size_t)def->poses;
    bool good = true;
    choice s = {0};
    sn_elastic_cubature all = {0};
    j.cell = allocate(&j, tets, sizeof *j.cell, &good);
    j.place = allocate(&j, tets, sizeof *j.place, &good);
    j.member = allocate(&j, tets, sizeof *j.member, &good);
    j.start = allocate(&j, cells + 1, sizeof *j.start, &good);
    j.first_candidate = allocate(&j, cells + 1, sizeof *j.first_candidate, &good);
    j.candidate = allocate(&j, max_count, sizeof *j.candidate, &good);
    j.at = allocate(&j, cells + 1, sizeof *j.at, &good);
    j.wanted = allocate(&j, cells * poses * ROWS, sizeof *j.wanted, &good);
    j.x = allocate(&j, (size_t)asset->vertex_count, sizeof *j.x, &good);
    j.map = allocate(&j, cells, sizeof *j.map, &good);
    j.motion = allocate(&j, MOTIONS * (size_t)asset->vertex_count, sizeof *j.motion, &good);
    s.product = allocate(&j, m * m, sizeof *s.product, &good);
    s.side = allocate(&j, m, sizeof *s.side, &good);
    s.x = allocate(&j, m, sizeof *s.x, &good);
    s.l = allocate(&j, (size_t)def->samples * (size_t)def->samples, sizeof *s.l, &good);
    s.y = allocate(&j, (size_t)def->samples, sizeof *s.y, &good);
    s.passive = allocate(&j, (size_t)def->samples, sizeof *s.passive, &good);
    bool *tried = allocate(&j, m, sizeof *tried, &good);
    all.tet = allocate(&j, max_count, sizeof *all.tet, &good);
    all.volume = allocate(&j, max_count, sizeof *all.volume, &good);
    size_t size = 0;
    if (good) {
        find_cells(&j);
        for (size_t c = 0; c < cells; c++) {
            j.at[c] = size;
            size += (size_t)(j.first_candidate[c + 1] - j.first_candidate[c]) * poses *
                    (size_t)(3 * sn_elastic_columns(asset, (int)c) + MOTIONS);
        }
    }
    j.force = allocate(&j, size, sizeof *j.force, &good);
    sn_status status = good ? SN_OK : SN_ERR_MEMORY;
    if (good) {
        double left = 0, forces = 0;
        train(&j);
        for (int c = 0; c < asset->handle_count; c++) solve_cell(&j, c, &s, tried, &all, &left, &forces);
        if (error) *error = forces > 0 ? __builtin_sqrt(left / forces) : 0;
        status = all.count > 0 ? update_passive(memory, &all, out) : SN_ERR_RANGE;
    }
    sn_free(memory, j.cell, tets, sizeof *j.cell);
    sn_free(memory, j.place, tets, sizeof *j.place);
    sn_free(memory, j.member, tets, sizeof *j.member);
    sn_free(memory, j.start, cells + 1, sizeof *j.start);
    sn_free(memory, j.first_candidate, cells + 1, sizeof *j.first_candidate);
    sn_free(memory, j.candidate, max_count, sizeof *j.candidate);
    sn_free(memory, j.at, cells + 1, sizeof *j.at);
    sn_free(memory, j.wanted, cells * poses * ROWS, sizeof *j.wanted);
    sn_free(memory, j.x, (size_t)asset->vertex_count, sizeof *j.x);
    sn_free(memory, j.map, cells, sizeof *j.map);
    sn_free(memory, j.motion, MOTIONS * (size_t)asset->vertex_count, sizeof *j.motion);
    sn_free(memory, j.force, size, sizeof *j.force);
    sn_free(memory, s.product, m * m, sizeof *s.product);
    sn_free(memory, s.side, m, sizeof *s.side);
    sn_free(memory, s.x, m, sizeof *s.x);
    sn_free(memory, s.l, (size_t)def->samples * (size_t)def->samples, sizeof *s.l);
    sn_free(memory, s.y, (size_t)def->samples, sizeof *s.y);
    sn_free(memory, s.passive, (size_t)def->samples, sizeof *s.passive);
    sn_free(memory, tried, m, sizeof *tried);
    sn_free(memory, all.tet, max_count, sizeof *all.tet);
    sn_free(memory, all.volume, max_count, sizeof *all.volume);
    return status;
}
