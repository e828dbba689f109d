// See words.h.
#include "words.h"
#include <stdio.h>

void print_care(const char *label, const mesh_report *r) {
    const struct {
        int count;
        const char *what;
    } done[] = {{r->welded, "vertices joined to others at their place"},
                {r->unused, "vertices without a triangle left out"},
                {r->degenerate, "triangles with two equal corners left out"},
                {r->duplicate, "triangles that were there twice, or back to back, left out"},
                {r->turned, "triangles turned round"},
                {r->filled, "holes closed"}};
    for (size_t i = 0; i < sizeof done / sizeof *done; ++i) {
        if (done[i].count == 0) continue;
        printf("%-12s %d %s\n", label, done[i].count, done[i].what);
        label = "";
    }
}
