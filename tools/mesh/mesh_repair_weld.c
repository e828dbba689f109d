// Welding with a hash grid whose cells are as wide as the weld distance: all vertices within the distance are in the
// same cell or one of the 26 around it. Vertices are visited in order and join the first earlier vertex in range that
// is not itself welded. So the result is deterministic, chains of close vertices do not collapse, and cells hold few
// vertices.
#include "mesh/mesh_repair_internal.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int *head, *next; // hash chains of vertices, -1: end
    size_t slots;
} weld_table;

static size_t cell_slot(const weld_table *table, const double cell[3]) {
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15);
    for (int k = 0; k < 3; k++) {
        const uint64_t bits = (uint64_t)(int64_t)cell[k];
        hash = (hash ^ bits) * UINT64_C(0xBF58476D1CE4E5B9);
        hash ^= hash >> 29;
    }
    return (size_t)(hash >> 20) & (table->slots - 1);
}

// Cell indices are clamped to +-4e18.
static double cell_of(float x, double width) {
    const double cell = floor(x / width);
    return cell > 4e18 ? 4e18 : cell < -4e18 ? -4e18 : cell;
}

static int find_close(const weld_table *table, const float (*position)[3], const double cell[3], const float p[3],
                      double square) {
    int found = -1;
    for (int around = 0; around < (square > 0 ? 27 : 1); around++) {
        const int order = square > 0 ? around : 13; // 13: the cell itself
        const double close[3] = {cell[0] + order % 3 - 1, cell[1] + order / 3 % 3 - 1, cell[2] + order / 9 - 1};
        for (int v = table->head[cell_slot(table, close)]; v >= 0; v = table->next[v]) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += ((double)p[k] - position[v][k]) * ((double)p[k] - position[v][k]);
            if (sum <= square && (found < 0 || v < found)) found = v;
        }
    }
    return found;
}

bool weld_vertices(const float (*position)[3], int count, double distance, int *welded_to) {
    weld_table table = {.slots = 16};
    while (table.slots < 2 * (size_t)count) table.slots *= 2;
    table.head = malloc(table.slots * sizeof *table.head);
    table.next = malloc((size_t)(count > 0 ? count : 1) * sizeof *table.next);
    const bool good = table.head && table.next;
    for (size_t i = 0; i < table.slots && good; i++) table.head[i] = -1;
    for (int v = 0; v < count && good; v++) {
        double cell[3];
        for (int k = 0; k < 3; k++) {
            // Equal positions only: the cell is the float's bits, with -0 as 0.
            union {
                float value;
                int32_t bits;
            } coordinate = {position[v][k] + 0.0f};
            cell[k] = distance > 0 ? cell_of(position[v][k], distance) : (double)coordinate.bits;
        }
        const int close = find_close(&table, position, cell, position[v], distance * distance);
        welded_to[v] = close >= 0 ? close : v;
        if (close >= 0) continue;
        const size_t slot = cell_slot(&table, cell);
        table.next[v] = table.head[slot];
        table.head[slot] = v;
    }
    free(table.head);
    free(table.next);
    return good;
}
