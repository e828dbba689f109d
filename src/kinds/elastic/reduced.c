// The coupling of handles, their elimination order, and the values of the reduced matrices.
//
// The graph of the handles is a bit matrix. Eliminating a handle connects all its remaining neighbours; the one with
// the fewest columns among its neighbours is eliminated first (minimum degree). Its neighbours then are the structure
// of its block column of the factor. A postorder of the elimination tree does not change the fill but brings chains
// together that can share a panel.
#include "kinds/elastic/reduced.h"
#include "kinds/elastic/subspace.h"
#include <string.h>

enum {
    MAX_WIDTH = 64, // of a panel: wider ones are no faster
};

typedef struct {
    int n;
    size_t words;   // per row
    uint64_t *bits; // n rows
} table;

static bool has(const table *t, int i, int j) {
    return t->bits[(size_t)i * t->words + (size_t)j / 64] >> (j % 64) & 1;
}
static void set(table *t, int i, int j) {
    t->bits[(size_t)i * t->words + (size_t)j / 64] |= (uint64_t)1 << (j % 64);
}
static void clear(table *t, int i, int j) {
    t->bits[(size_t)i * t->words + (size_t)j / 64] &= ~((uint64_t)1 << (j % 64));
}

// The set bits of a row, ascending.
static int members(const table *t, int i, int *out) {
    int count = 0;
    for (size_t w = 0; w < t->words; w++)
        for (uint64_t bits = t->bits[(size_t)i * t->words + w]; bits; bits &= bits - 1)
            out[count++] = (int)(w * 64) + __builtin_ctzll(bits);
    return count;
}

// Couples handles that have weights in the same tetrahedron.
static void find_adjacency(const sn_elastic_asset *a, table *t, int *list) {
    for (int i = 0; i < a->tet_count; i++) {
        int count = 0;
        for (int k = 0; k < 4; k++) {
            const int v = a->tets[i][k];
            for (int e = a->first[v]; e < a->first[v + 1]; e++) {
                int m = 0;
                while (m < count && list[m] != a->handle[e]) m++;
                if (m == count && count < t->n) list[count++] = a->handle[e];
            }
        }
        for (int k = 0; k < count; k++)
            for (int m = 0; m < count; m++) set(t, list[k], list[m]);
    }
    for (int j = 0; j < t->n; j++) set(t, j, j);
}

// Minimum degree elimination. below[j]: the remaining neighbours of j when it is eliminated.
static void eliminate(const sn_elastic_asset *a, table *graph, table *below, int *order, int *list, int *degree) {
    const int n = graph->n;
    for (int j = 0; j < n; j++) clear(graph, j, j);
    for (int j = 0; j < n; j++) {
        const int count = members(graph, j, list);
        degree[j] = 0;
        for (int k = 0; k < count; k++) degree[j] += sn_elastic_columns(a, list[k]);
    }
    for (int step = 0; step < n; step++) {
        int best = -1;
        for (int j = 0; j < n; j++)
            if (degree[j] >= 0 && (best < 0 || degree[j] < degree[best])) best = j;
        order[step] = best, degree[best] = -1;
        const int count = members(graph, best, list);
        const uint64_t *mine = graph->bits + (size_t)best * graph->words;
        memcpy(below->bits + (size_t)best * below->words, mine, graph->words * sizeof *mine);
        for (int k = 0; k < count; k++) {
            uint64_t *other = graph->bits + (size_t)list[k] * graph->words;
            for (size_t w = 0; w < graph->words; w++) other[w] |= mine[w];
            clear(graph, list[k], best), clear(graph, list[k], list[k]);
        }
        for (int k = 0; k < count; k++) {
            degree[list[k]] = 0;
            const uint64_t *other = graph->bits + (size_t)list[k] * graph->words;
            for (size_t w = 0; w < graph->words; w++)
                for (uint64_t bits = other[w]; bits; bits &= bits - 1)
                    degree[list[k]] += sn_elastic_columns(a, (int)(w * 64) + __builtin_ctzll(bits));
        }
    }
}

// Postorder: rank parents (the first eliminated of those below) after all their descendants.
static void postorder(const table *below, const int *order, int *rank, int *parent, int *work) {
    const int n = below->n;
    int *when = work, *child = work + n, *sibling = work + 2 * n, *stack = work + 3 * n;
    for (int k = 0; k < n; k++) when[order[k]] = k;
    for (int j = 0; j < n; j++) child[j] = -1;
    for (int k = n - 1; k >= 0; --k) { // backwards, so that lists of children are ascending
        const int j = order[k];
        parent[j] = -1;
        for (int i = 0; i < n; i++)
            if (has(below, j, i) && (parent[j] < 0 || when[i] < when[parent[j]])) parent[j] = i;
        if (parent[j] >= 0) sibling[j] = child[parent[j]], child[parent[j]] = j;
    }
    int next = 0;
    for (int k = 0; k < n; k++) {
        if (parent[order[k]] >= 0) continue;
        int depth = 0;
        stack[depth++] = order[k];
        while (depth > 0) {
            const int j = stack[depth - 1];
            if (child[j] >= 0) {
                stack[depth++] = child[j];
                child[j] = sibling[child[j]];
            } else {
                rank[j] = next++, --depth;
            }
        }
    }
}

// The nonzero blocks of A.
static sn_status make_pairs(sn_memory *memory, const sn_elastic_asset *a, const table *adjacent, const int *by_rank,
                            sn_reduced *r) {
    const int n = r->handle_count;
    r->pair_first = sn_alloc(memory, (size_t)n + 1, sizeof *r->pair_first);
    if (!r->pair_first) return SN_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                if (!has(adjacent, by_rank[i], by_rank[j])) continue;
                if (pass == 1) {
                    r->pair_other[count] = j, r->pair_at[count] = r->pair_size;
                    r->pair_size +=
                        (size_t)sn_elastic_columns(a, by_rank[i]) * (size_t)sn_elastic_columns(a, by_rank[j]);
                }
                count++;
            }
            r->pair_first[i + 1] = count;
        }
        if (pass == 1) break;
        r->pair_other = sn_alloc(memory, (size_t)count, sizeof *r->pair_other);
        r->pair_at = sn_alloc(memory, (size_t)count, sizeof *r->pair_at);
        if (!r->pair_other || !r->pair_at) return SN_ERR_MEMORY;
    }
    r->mass = sn_alloc(memory, r->pair_size, sizeof *r->mass);
    r->stiff = sn_alloc(memory, r->pair_size, sizeof *r->stiff);
    r->ghost = sn_alloc(memory, r->pair_size, sizeof *r->ghost);
    return r->mass && r->stiff && r->ghost ? SN_OK : SN_ERR_MEMORY;
}

// Rows of A below the block column of a handle.
static int rows_below(const sn_elastic_asset *a, const table *below, int handle) {
    int rows = 0;
    for (int i = 0; i < below->n; i++)
        if (has(below, handle, i)) rows += sn_elastic_columns(a, i);
    return rows;
}

// Merges runs of handles to panels as long as this adds few zeros. Each handle but the last has the next as its parent,
// so its rows below are rows of the next handle and some of those below it.
static sn_status make_panels(sn_memory *memory, const sn_elastic_asset *a, const table *below, const int *by_rank,
                             const int *parent, sn_reduced *r) {
    const int n = r->handle_count;
    int *start = sn_alloc(memory, (size_t)n + 1, sizeof *start), *list = sn_alloc(memory, (size_t)n, sizeof *list);
    r->panel_first = sn_alloc(memory, (size_t)n + 1, sizeof *r->panel_first);
    r->panel_below_first = sn_alloc(memory, (size_t)n + 1, sizeof *r->panel_below_first);
    r->panel_at = sn_alloc(memory, (size_t)n, sizeof *r->panel_at);
    bool good = start && list && r->panel_first && r->panel_below_first && r->panel_at;
    for (int i = 0; good && i < n;) {
        int width = sn_elastic_columns(a, by_rank[i]), last = i;
        size_t filled = (size_t)width * (size_t)(width + rows_below(a, below, by_rank[i])); // possible nonzeros
        while (last + 1 < n && parent[by_rank[last]] == by_rank[last + 1]) {
            const int more = sn_elastic_columns(a, by_rank[last + 1]), rows = rows_below(a, below, by_rank[last + 1]);
            const size_t whole = (size_t)(width + more) * (size_t)(width + more + rows);
            const size_t with = filled + (size_t)more * (size_t)(more + rows);
            if (width + more > MAX_WIDTH) break;
            if (width >= 16 && (double)(whole - with) > 0.25 * (double)whole + (double)(width * width)) break;
            width += more, filled = with, ++last;
        }
        start[r->panel_count] = i;
        r->panel_first[r->panel_count++] = r->row_first[i];
        i = last + 1;
    }
    for (int pass = 0; good && pass < 2; pass++) {
        int count = 0;
        start[r->panel_count] = n, r->panel_first[r->panel_count] = r->columns;
        for (int p = 0; p < r->panel_count; p++) {
            const int handle = by_rank[start[p + 1] - 1], found = members(below, handle, list);
            for (int k = 1; k < found; k++) { // by rank; the lists are short
                const int it = list[k];
                int m = k;
                for (; m > 0 && r->rank[list[m - 1]] > r->rank[it]; --m) list[m] = list[m - 1];
                list[m] = it;
            }
            for (int k = 0; k < found; k++)
                for (int c = 0; c < sn_elastic_columns(a, list[k]); c++) {
                    if (pass == 1) r->below[count] = r->row_first[r->rank[list[k]]] + c;
                    count++;
                }
            r->panel_below_first[p + 1] = count;
            if (pass == 0) continue;
            const int width = r->panel_first[p + 1] - r->panel_first[p];
            const int rows = (width + count - r->panel_below_first[p] + 15) / 16 * 16;
            r->panel_at[p] = r->size, r->size += (size_t)rows * (size_t)width;
            if (rows > r->max_rows) r->max_rows = rows;
        }
        if (pass == 1) break;
        r->below = sn_alloc(memory, (size_t)count, sizeof *r->below);
        good = r->below != NULL;
    }
    sn_free(memory, start, (size_t)n + 1, sizeof *start);
    sn_free(memory, list, (size_t)n, sizeof *list);
    return good ? SN_OK : SN_ERR_MEMORY;
}

sn_status sn_reduced_create(sn_memory *memory, const sn_elastic_asset *a, sn_reduced *r) {
    const int n = a->handle_count;
    const size_t words = ((size_t)n + 63) / 64, size = (size_t)n * words, work_size = 8 * (size_t)n;
    memset(r, 0, sizeof *r);
    r->handle_count = n;
    for (int j = 0; j < n; j++) r->columns += sn_elastic_columns(a, j);
    table adjacent = {n, words, sn_alloc(memory, size, sizeof(uint64_t))}, graph = adjacent, below = adjacent;
    graph.bits = sn_alloc(memory, size, sizeof(uint64_t)), below.bits = sn_alloc(memory, size, sizeof(uint64_t));
    int *work = sn_alloc(memory, work_size, sizeof *work);
    r->rank = sn_alloc(memory, (size_t)n, sizeof *r->rank);
    r->row_of_column = sn_alloc(memory, (size_t)r->columns, sizeof *r->row_of_column);
    r->row_first = sn_alloc(memory, (size_t)n + 1, sizeof *r->row_first);
    sn_status status = SN_ERR_MEMORY;
    r->centre = sn_alloc(memory, (size_t)n, sizeof *r->centre);
    if (adjacent.bits && graph.bits && below.bits && work && r->rank && r->row_of_column && r->row_first && r->centre) {
        int *order = work, *parent = work + n, *by_rank = work + 2 * n, *rest = work + 3 * n;
        find_adjacency(a, &adjacent, rest);
        memcpy(graph.bits, adjacent.bits, size * sizeof *adjacent.bits);
        eliminate(a, &graph, &below, order, rest, rest + n);
        postorder(&below, order, r->rank, parent, rest);
        for (int j = 0; j < n; j++) {
            const sn_vec3 c = sn_elastic_handle_centre(a, j);
            double *to = r->centre[r->rank[j]];
            by_rank[r->rank[j]] = j, to[0] = (double)c.x, to[1] = (double)c.y, to[2] = (double)c.z;
        }
        for (int i = 0; i < n; i++) r->row_first[i + 1] = r->row_first[i] + sn_elastic_columns(a, by_rank[i]);
        for (int j = 0, column = 0; j < n; j++)
            for (int c = 0; c < sn_elastic_columns(a, j); c++)
                r->row_of_column[column++] = r->row_first[r->rank[j]] + c;
        status = make_pairs(memory, a, &adjacent, by_rank, r);
        if (status == SN_OK) status = make_panels(memory, a, &below, by_rank, parent, r);
    }
    sn_free(memory, adjacent.bits, size, sizeof(uint64_t));
    sn_free(memory, graph.bits, size, sizeof(uint64_t));
    sn_free(memory, below.bits, size, sizeof(uint64_t));
    sn_free(memory, work, work_size, sizeof *work);
    if (status != SN_OK) sn_reduced_free(memory, r);
    return status;
}

void sn_reduced_free(sn_memory *m, sn_reduced *r) {
    const size_t n = (size_t)r->handle_count, pairs = r->pair_first ? (size_t)r->pair_first[n] : 0;
    const size_t below = r->panel_below_first ? (size_t)r->panel_below_first[r->panel_count] : 0;
    sn_free(m, r->rank, n, sizeof *r->rank);
    sn_free(m, r->row_of_column, (size_t)r->columns, sizeof *r->row_of_column);
    sn_free(m, r->row_first, n + 1, sizeof *r->row_first);
    sn_free(m, r->centre, n, sizeof *r->centre);
    sn_free(m, r->pair_other, pairs, sizeof *r->pair_other);
    sn_free(m, r->pair_at, pairs, sizeof *r->pair_at);
    sn_free(m, r->pair_first, n + 1, sizeof *r->pair_first);
    sn_free(m, r->mass, r->pair_size, sizeof *r->mass);
    sn_free(m, r->stiff, r->pair_size, sizeof *r->stiff);
    sn_free(m, r->ghost, r->pair_size, sizeof *r->ghost);
    sn_free(m, r->below, below, sizeof *r->below);
    sn_free(m, r->panel_first, n + 1, sizeof *r->panel_first);
    sn_free(m, r->panel_below_first, n + 1, sizeof *r->panel_below_first);
    sn_free(m, r->panel_at, n, sizeof *r->panel_at);
    memset(r, 0, sizeof *r);
}

// ---- values

// Work space: a row of Û of one vertex, and a row of the full-space stiffness times Û.
typedef struct {
    const sn_elastic_asset *asset;
    const sn_real *weight;
    sn_reduced *reduced;
    double *product;  // by row of A
    int *stamp;       // by handle: the vertex that used it last, + 1
    int *used;        // handles in `product`
    double *coupling; // by vertex of the asset: entry of the stiffness
    int *near_stamp, *near;
} filling;

// The columns of a handle at a vertex, times its weight.
static int columns_at(const filling *f, int vertex, int entry, double out[SN_ELASTIC_QUADRATIC]) {
    const sn_elastic_asset *a = f->asset;
    const int handle = a->handle[entry], columns = sn_elastic_columns(a, handle);
    const sn_vec3 c = sn_elastic_handle_centre(a, handle), x = a->rest[vertex];
    const double d[3] = {(double)(x.x - c.x), (double)(x.y - c.y), (double)(x.z - c.z)};
    sn_elastic_monomials(d, columns, out);
    for (int k = 0; k < columns; k++) out[k] *= (double)f->weight[entry];
    return columns;
}

static double *block(const sn_reduced *r, double *values, int row, int column) {
    int low = r->pair_first[row], high = r->pair_first[row + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (r->pair_other[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return values + r->pair_at[low];
}

// Adds û_v^T times `product` (of the handles in `used`), the lower triangle.
static void add_products(const filling *f, int vertex, int used, double *values) {
    const sn_elastic_asset *a = f->asset;
    const sn_reduced *r = f->reduced;
    for (int e = a->first[vertex]; e < a->first[vertex + 1]; e++) {
        if (f->weight[e] == 0) continue;
        double mine[SN_ELASTIC_QUADRATIC];
        const int columns = columns_at(f, vertex, e, mine), row = r->rank[a->handle[e]];
        for (int k = 0; k < used; k++) {
            const int column = r->rank[f->used[k]], width = sn_elastic_columns(a, f->used[k]);
            if (column > row) continue;
            const double *from = f->product + r->row_first[column];
            double *to = block(r, values, row, column);
            for (int i = 0; i < columns; i++)
                for (int j = 0; j < width; j++) to[i * width + j] += mine[i] * from[j];
        }
    }
}

// product += k û_v.
static void add_row(const filling *f, int vertex, double k, int mark, int *used) {
    const sn_elastic_asset *a = f->asset;
    const sn_reduced *r = f->reduced;
    for (int e = a->first[vertex]; e < a->first[vertex + 1]; e++) {
        if (f->weight[e] == 0) continue;
        double mine[SN_ELASTIC_QUADRATIC];
        const int handle = a->handle[e], columns = columns_at(f, vertex, e, mine);
        double *to = f->product + r->row_first[r->rank[handle]];
        if (f->stamp[handle] != mark) {
            f->stamp[handle] = mark, f->used[(*used)++] = handle;
            memset(to, 0, (size_t)columns * sizeof *to);
        }
        for (int i = 0; i < columns; i++) to[i] += k * mine[i];
    }
}

typedef struct {
    double gradient[4][3]; // of the shape functions
    double volume;
} tet_gradient;

static void edges_of(const sn_elastic_asset *a, int tet, double volume, tet_gradient *out) {
    const int *corner = a->tets[tet];
    double x[4][3];
    for (int k = 0; k < 4; k++) {
        const sn_vec3 p = a->rest[corner[k]];
        x[k][0] = (double)p.x, x[k][1] = (double)p.y, x[k][2] = (double)p.z;
    }
    double e[3][3], six = 0;
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) e[k][m] = x[k + 1][m] - x[0][m];
    for (int m = 0; m < 3; m++) {
        const int p = (m + 1) % 3, q = (m + 2) % 3;
        for (int k = 0; k < 3; k++) {
            const double *u = e[(k + 1) % 3], *v = e[(k + 2) % 3];
            out->gradient[k + 1][m] = u[p] * v[q] - u[q] * v[p];
        }
    }
    for (int m = 0; m < 3; m++) six += e[0][m] * out->gradient[1][m];
    for (int m = 0; m < 3; m++) {
        for (int k = 1; k < 4; k++) out->gradient[k][m] /= six;
        out->gradient[0][m] = -out->gradient[1][m] - out->gradient[2][m] - out->gradient[3][m];
    }
    out->volume = volume;
}

// A row of the stiffness in full space: of `vertex` with each of its neighbours.
static int couple(const filling *f, const tet_gradient *tet_edges, const int *tets, const int *first, const int *at,
                  int vertex) {
    int count = 0;
    for (int t = first[vertex]; t < first[vertex + 1]; t++) {
        const int number = at[t] / 4, mine = at[t] % 4;
        const tet_gradient *edges = &tet_edges[number];
        for (int k = 0; k < 4; k++) {
            const int other = f->asset->tets[tets[number]][k];
            if (f->near_stamp[other] != vertex + 1)
                f->near_stamp[other] = vertex + 1, f->near[count++] = other, f->coupling[other] = 0;
            const double *g = edges->gradient[mine], *h = edges->gradient[k];
            f->coupling[other] += edges->volume * (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]);
        }
    }
    return count;
}

sn_status sn_reduced_fill(sn_memory *memory, const sn_elastic_asset *a, const sn_real *weight, const int *tets,
                          const double *volume, int tet_count, const double *share, const double *skin, sn_reduced *r) {
    const size_t vertices = (size_t)a->vertex_count, count = (size_t)tet_count, handles = (size_t)a->handle_count;
    filling f = {.asset = a, .weight = weight, .reduced = r};
    f.product = sn_alloc(memory, (size_t)r->columns, sizeof *f.product);
    f.stamp = sn_alloc(memory, 2 * handles, sizeof *f.stamp);
    f.coupling = sn_alloc(memory, vertices, sizeof *f.coupling);
    f.near_stamp = sn_alloc(memory, 2 * vertices, sizeof *f.near_stamp);
    int *first = sn_alloc(memory, vertices + 1, sizeof *first), *at = sn_alloc(memory, 4 * count, sizeof *at);
    tet_gradient *tet_edges = sn_alloc(memory, count, sizeof *tet_edges);
    const bool good = f.product && f.stamp && f.coupling && f.near_stamp && first && at && tet_edges;
    if (good) {
        f.used = f.stamp + handles, f.near = f.near_stamp + vertices;
        for (int i = 0; i < tet_count; i++) {
            edges_of(a, tets[i], volume[i], &tet_edges[i]);
            for (int k = 0; k < 4; k++) ++first[a->tets[tets[i]][k]];
        }
        int sum = 0;
        for (int v = 0; v <= a->vertex_count; v++) { // prefix sums: ends, which filling turns into offsets
            sum += v < a->vertex_count ? first[v] : 0;
            first[v] = sum;
        }
        for (int i = tet_count - 1; i >= 0; --i)
            for (int k = 3; k >= 0; --k) at[--first[a->tets[tets[i]][k]]] = 4 * i + k;
        int mark = 0;
        for (int v = 0; v < a->vertex_count; v++) {
            int used = 0;
            add_row(&f, v, share[v], ++mark, &used);
            add_products(&f, v, used, r->mass);
            if (skin[v] > 0) {
                used = 0, add_row(&f, v, skin[v], ++mark, &used);
                add_products(&f, v, used, r->ghost);
            }
            const int near = couple(&f, tet_edges, tets, first, at, v);
            used = 0, ++mark;
            for (int k = 0; k < near; k++) add_row(&f, f.near[k], f.coupling[f.near[k]], mark, &used);
            add_products(&f, v, used, r->stiff);
        }
    }
    sn_free(memory, f.product, (size_t)r->columns, sizeof *f.product);
    sn_free(memory, f.stamp, 2 * handles, sizeof *f.stamp);
    sn_free(memory, f.coupling, vertices, sizeof *f.coupling);
    sn_free(memory, f.near_stamp, 2 * vertices, sizeof *f.near_stamp);
    sn_free(memory, first, vertices + 1, sizeof *first);
    sn_free(memory, at, 4 * count, sizeof *at);
    sn_free(memory, tet_edges, count, sizeof *tet_edges);
    return good ? SN_OK : SN_ERR_MEMORY;
}
