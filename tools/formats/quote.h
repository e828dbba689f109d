// Quotes words of a user's file or command line in messages: short, and without control characters, which would reach a
// terminal.
#ifndef SN_FORMATS_QUOTE_H
#define SN_FORMATS_QUOTE_H

#include <stdbool.h>

#define QUOTE_SIZE 128

// Writes "word" with its quotes into out and returns out. Long words end in "...".
const char *quote(const char *word, char out[QUOTE_SIZE]);

// The candidate closest to a misspelt word; null: none is close. Candidates end with a null pointer.
const char *suggest(const char *word, const char *const *candidates);

// Whether `candidate` is within fewer than *best edits of `word` (start with suggest_reach); updates *best. For
// candidates that are not in one array.
int suggest_reach(const char *word);
bool suggest_nearer(const char *word, const char *candidate, int *best);

#endif
