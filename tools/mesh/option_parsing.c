// Parsing of option values: see option_parsing.h.
#include "mesh/option_parsing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int parse_numbers(const char *text, double *out, int max_count) {
    for (int i = 0; i < max_count; i++) {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text || !isfinite(out[i])) return -1;
        if (*end == '\0') return i + 1;
        if (*end != ',') return -1;
        text = end + 1;
    }
    return -1;
}

bool parse_plane(const char *text, double normal[3], double *offset) {
    double number[4];
    if (text[0] >= 'x' && text[0] <= 'z' && (text[1] == '<' || text[1] == '>')) {
        const double sign = text[1] == '>' ? 1 : -1;
        if (parse_numbers(text + 2, number, 1) != 1) return false;
        for (int k = 0; k < 3; k++) normal[k] = text[0] - 'x' == k ? sign : 0;
        *offset = sign * number[0];
        return true;
    }
    if (parse_numbers(text, number, 4) != 4) return false;
    memcpy(normal, number, 3 * sizeof *normal);
    *offset = number[3];
    return number[0] != 0 || number[1] != 0 || number[2] != 0;
}
