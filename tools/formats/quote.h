// Showing words from a user's file or command line in a message: quoted, short, and without control characters that would
// reach a terminal.
#ifndef SN_FORMATS_QUOTE_H
#define SN_FORMATS_QUOTE_H

#include <stdbool.h>

#define QUOTE_SIZE 128

// Writes "word" with its quotes into out and returns out. Long words end in "...".
const char *quote(const char *word, char out[QUOTE_SIZE]);

// The candidate nearest to a misspelt word, or null when none is near. Candidates end with a null pointer.
const char *suggest(const char *word, const char *const *candidates);

// Whether 'candidate' is nearer to 'word' than *best edits (start with suggest_reach); keeps *best. For candidates that
// are not in one array.
int suggest_reach(const char *word);
bool suggest_nearer(const char *word, const char *candidate, int *best);

#endif
