// Reading a whole file into memory, within a limit.
#ifndef SN_IO_FILE_TEXT_H
#define SN_IO_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// Reads all of a file; *text is freed by the caller and ends with a NUL that *size does not count. On failure *text is
// null and 'why' says why, in words that follow the file's name.
bool file_text_read(const char *name, size_t limit, char **text, size_t *size, char *why, size_t why_capacity);

#endif
