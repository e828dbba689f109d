// The Hungarian method: rows are matched one at a time. Prices p of rows and q of columns satisfy cost - p - q >= 0,
// with equality on matched pairs, which proves that the matching is optimal. A new row searches for a free column along
// pairs with zero reduced cost, changing matches along the path:
//
//     new row - column = row - column = row ... - free column        - added, = removed
//
// If there is none, prices change by the smallest amount that creates one (Dijkstra's shortest path).
#include "bake/viperize_internal.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
    const double *cost;
    int count;
    double *row_price, *column_price, *slack;
    int *row_of,
        *previous; // of a column: its row, and the previous column on the path; paths start at column 'count'
    bool *visited;
} matching;

// Finds a free column from the row matched to column 'count', and changes the matches along the path.
static void match_row(matching *m) {
    const int n = m->count;
    int column = n;
    for (int j = 0; j <= n; j++) m->slack[j] = INFINITY, m->visited[j] = false;
    while (m->row_of[column] >= 0) {
        const int row = m->row_of[column];
        int next = -1;
        m->visited[column] = true;
        for (int j = 0; j < n; j++) {
            if (m->visited[j]) continue;
            const double reduced = m->cost[(long long)n * row + j] - m->row_price[row] - m->column_price[j];
            if (reduced < m->slack[j]) m->slack[j] = reduced, m->previous[j] = column;
            if (next < 0 || m->slack[j] < m->slack[next]) next = j;
        }
        const double step = m->slack[next];
        for (int j = 0; j <= n; j++) {
            if (m->visited[j])
                m->row_price[m->row_of[j]] += step, m->column_price[j] -= step;
            else
                m->slack[j] -= step;
        }
        column = next;
    }
    while (column != n) {
        m->row_of[column] = m->row_of[m->previous[column]];
        column = m->previous[column];
    }
    m->row_of[n] = -1;
}

bool sn_hungarian(const double *cost, int count, int *match) {
    const size_t size = (size_t)count + 1;
    double *doubles = calloc(3 * size, sizeof *doubles);
    int *ints = malloc(2 * size * sizeof *ints);
    bool *visited = malloc(size * sizeof *visited);
    const bool good = doubles && ints && visited;
    if (good) {
        matching m = {cost, count, doubles, doubles + size, doubles + 2 * size, ints, ints + size, visited};
        for (int j = 0; j <= count; j++) m.row_of[j] = -1, m.previous[j] = count;
        for (int row = 0; row < count; row++) {
            m.row_of[count] = row;
            match_row(&m);
        }
        for (int j = 0; j < count; j++) match[m.row_of[j]] = j;
    }
    free(doubles), free(ints), free(visited);
    return good;
}
