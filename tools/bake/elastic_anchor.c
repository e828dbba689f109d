// Anchors as people write them.
#include "bake/elastic_bake.h"
#include "mesh/option_parsing.h"
#include <math.h>
#include <string.h>

bool elastic_anchor_parse(const char *text, elastic_anchor *out) {
    double number[6];
    if (strncmp(text, "plane:", 6) == 0) {
        *out = (elastic_anchor){.kind = ELASTIC_ANCHOR_PLANE};
        return parse_plane(text + 6, out->a, out->b);
    }
    if (strncmp(text, "box:", 4) == 0) {
        *out = (elastic_anchor){.kind = ELASTIC_ANCHOR_BOX};
        if (parse_numbers(text + 4, number, 6) != 6) return false;
        for (int k = 0; k < 3; k++) {
            out->a[k] = fmin(number[k], number[3 + k]);
            out->b[k] = fmax(number[k], number[3 + k]);
        }
        return true;
    }
    if (parse_numbers(text, number, 4) != 4 || !(number[3] > 0)) return false;
    *out = (elastic_anchor){ELASTIC_ANCHOR_BALL, {number[0], number[1], number[2]}, {number[3]}};
    return true;
}

bool elastic_anchor_holds(const elastic_anchor *anchor, const double p[3]) {
    const double *a = anchor->a, *b = anchor->b;
    if (anchor->kind == ELASTIC_ANCHOR_PLANE) return a[0] * p[0] + a[1] * p[1] + a[2] * p[2] > b[0];
    double far = 0;
    for (int k = 0; k < 3; k++) {
        if (anchor->kind == ELASTIC_ANCHOR_BOX && (p[k] < a[k] || p[k] > b[k])) return false;
        far += (p[k] - a[k]) * (p[k] - a[k]);
    }
    return anchor->kind == ELASTIC_ANCHOR_BOX || far <= b[0] * b[0];
}
