// Reading a whole file into memory, within a limit. Every file that a scene names is read here, so here a run can be
// recorded with its files, and run again from the record where they are not.
#ifndef SN_FORMATS_FILE_TEXT_H
#define SN_FORMATS_FILE_TEXT_H

#include "formats/file_set.h"

// Reads all of a file; *text is freed by the caller and ends with a NUL that *size does not count. On failure *text is
// null and 'why' says why, in words that follow the file's name.
bool file_text_read(const char *name, size_t limit, char **text, size_t *size, char *why, size_t why_capacity);

// Whether a file can be read.
bool file_text_there(const char *name);

// From now on, 'kept' gets a copy of every file that is read, and files come from 'served' alone. Null: no more. Returns
// what was set before, for those who read something that is not of the scene.
typedef struct {
    file_set *kept;
    const file_set *served;
} file_tap;
file_tap file_text_tap(file_tap tap);

#endif
