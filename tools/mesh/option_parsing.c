// See written.h.
#include "mesh/option_parsing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int written_numbers(const char *text, double *out, int most) {
    for (int i = 0; i < most; i++) {
        char *behind;
        out[i] = strtod(text, &behind);
        if (behind == text || !isfinite(out[i])) return -1;
        if (*behind == '\0') return i + 1;
        if (*behind != ',') return -1;
        text = behind + 1;
    }
    return -1;
}

bool written_plane(const char *text, double normal[3], double *offset) {
    double number[4];
    if (text[0] >= 'x' && text[0] <= 'z' && (text[1] == '<' || text[1] == '>')) {
        const double sign = text[1] == '>' ? 1 : -1;
        if (written_numbers(text + 2, number, 1) != 1) return false;
        for (int k = 0; k < 3; k++) normal[k] = text[0] - 'x' == k ? sign : 0;
        *offset = sign * number[0];
        return true;
    }
    if (written_numbers(text, number, 4) != 4) return false;
    memcpy(normal, number, 3 * sizeof *normal);
    *offset = number[3];
    return number[0] != 0 || number[1] != 0 || number[2] != 0;
}
