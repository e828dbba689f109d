// Anchors as people write them.
#include "prepare/elastic_bake.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// "a,b,c" into numbers; returns how many, -1: something else is there.
static int read_numbers(const char *text, double *out, int most) {
    for (int i = 0; i < most; ++i) {
        char *behind;
        out[i] = strtod(text, &behind);
        if (behind == text || !isfinite(out[i])) return -1;
        if (*behind == '\0') return i + 1;
        if (*behind != ',') return -1;
        text = behind + 1;
    }
    return -1;
}

static bool parse_plane(const char *text, elastic_anchor *out) {
    double number[4];
    *out = (elastic_anchor){.kind = ELASTIC_ANCHOR_PLANE};
    if (text[0] >= 'x' && text[0] <= 'z' && (text[1] == '<' || text[1] == '>')) {
        const double sign = text[1] == '>' ? 1 : -1;
        if (read_numbers(text + 2, number, 1) != 1) return false;
        out->a[text[0] - 'x'] = sign, out->b[0] = sign * number[0];
        return true;
    }
    if (read_numbers(text, number, 4) != 4) return false;
    memcpy(out->a, number, sizeof out->a);
    out->b[0] = number[3];
    return number[0] != 0 || number[1] != 0 || number[2] != 0;
}

bool elastic_anchor_parse(const char *text, elastic_anchor *out) {
    double number[6];
    if (strncmp(text, "plane:", 6) == 0) return parse_plane(text + 6, out);
    if (strncmp(text, "box:", 4) == 0) {
        *out = (elastic_anchor){.kind = ELASTIC_ANCHOR_BOX};
        if (read_numbers(text + 4, number, 6) != 6) return false;
        for (int k = 0; k < 3; ++k) {
            out->a[k] = fmin(number[k], number[3 + k]);
            out->b[k] = fmax(number[k], number[3 + k]);
        }
        return true;
    }
    if (read_numbers(text, number, 4) != 4 || !(number[3] > 0)) return false;
    *out = (elastic_anchor){ELASTIC_ANCHOR_BALL, {number[0], number[1], number[2]}, {number[3]}};
    return true;
}

bool elastic_anchor_holds(const elastic_anchor *anchor, const double p[3]) {
    const double *a = anchor->a, *b = anchor->b;
    if (anchor->kind == ELASTIC_ANCHOR_PLANE) return a[0] * p[0] + a[1] * p[1] + a[2] * p[2] > b[0];
    double far = 0;
    for (int k = 0; k < 3; ++k) {
        if (anchor->kind == ELASTIC_ANCHOR_BOX && (p[k] < a[k] || p[k] > b[k])) return false;
        far += (p[k] - a[k]) * (p[k] - a[k]);
    }
    return anchor->kind == ELASTIC_ANCHOR_BOX || far <= b[0] * b[0];
}
