// Parses and evaluates anchors.
#include "bake/elastic_bake.h"
#include "mesh/option_parsing.h"
#include <math.h>
#include <string.h>

bool elastic_anchor_parse(const char *text, elastic_anchor *out) {
    double value[6];
    if (strncmp(text, "plane:", 6) == 0) {
        *out = (elastic_anchor){.kind = ELASTIC_ANCHOR_PLANE};
        return parse_plane(text + 6, out->a, out->b);
    }
    if (strncmp(text, "box:", 4) == 0) {
        *out = (elastic_anchor){.kind = ELASTIC_ANCHOR_BOX};
        if (parse_numbers(text + 4, value, 6) != 6) return false;
        for (int k = 0; k < 3; k++) {
            out->a[k] = fmin(value[k], value[3 + k]);
            out->b[k] = fmax(value[k], value[3 + k]);
        }
        return true;
    }
    if (parse_numbers(text, value, 4) != 4 || !(value[3] > 0)) return false;
    *out = (elastic_anchor){ELASTIC_ANCHOR_BALL, {value[0], value[1], value[2]}, {value[3]}};
    return true;
}

bool elastic_anchor_contains(const elastic_anchor *anchor, const double p[3]) {
    const double *a = anchor->a, *b = anchor->b;
    if (anchor->kind == ELASTIC_ANCHOR_PLANE) return a[0] * p[0] + a[1] * p[1] + a[2] * p[2] > b[0];
    double distance2 = 0;
    for (int k = 0; k < 3; k++) {
        if (anchor->kind == ELASTIC_ANCHOR_BOX && (p[k] < a[k] || p[k] > b[k])) return false;
        distance2 += (p[k] - a[k]) * (p[k] - a[k]);
    }
    return anchor->kind == ELASTIC_ANCHOR_BOX || distance2 <= b[0] * b[0];
}
