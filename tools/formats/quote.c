// Quoting and "did you mean". The distance of words is the number of letters inserted, deleted, replaced or swapped
// (optimal string alignment).
#include "formats/quote.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *quote(const char *word, char out[QUOTE_SIZE]) {
    const size_t max = 60; // bytes shown of the word
    size_t length = strlen(word), n = 0;
    size_t shown = length > max ? max : length;
    while (shown < length && shown > 0 && ((unsigned char)word[shown] & 0xC0) == 0x80)
        shown--; // do not split a character
    out[n++] = '"';
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)word[i];
        out[n++] = c < 32 || c == 127 ? '?' : (char)c;
    }
    if (shown < length) {
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n++] = '"';
    out[n] = '\0';
    return out;
}

#define LONGEST 40

// Compares at most LONGEST letters of each, ignoring case.
static int edits(const char *a, const char *b) {
    int rows[3][LONGEST + 1];
    int na = (int)strnlen(a, LONGEST), nb = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= nb; j++) rows[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int min = before[j - 1] + (ca != cb);
            if (before[j] + 1 < min) min = before[j] + 1;
            if (now[j - 1] + 1 < min) min = now[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) && cb == tolower((unsigned char)a[i - 2]) &&
                earlier[j - 2] + 1 < min) {
                min = earlier[j - 2] + 1;
            }
            now[j] = min;
        }
    }
    return rows[na % 3][nb];
}

int suggest_reach(const char *word) {
    size_t length = strnlen(word, LONGEST);
    return (int)(length / 3) + 2; // one letter in three may be wrong, and one more
}

bool suggest_nearer(const char *word, const char *candidate, int *best) {
    int distance = edits(word, candidate);
    if (distance >= *best) return false;
    *best = distance;
    return true;
}

const char *suggest(const char *word, const char *const *candidates) {
    int best = suggest_reach(word);
    const char *found = NULL;
    for (; *candidates; candidates++) {
        if (suggest_nearer(word, *candidates, &best)) found = *candidates;
    }
    return found;
}
