// Reads a whole file into memory, within a size limit. The caller says where files come from: a run can be recorded
// with the files that it reads, and repeated from the recording on a machine that lacks them.
#ifndef SN_FORMATS_FILE_TEXT_H
#define SN_FORMATS_FILE_TEXT_H

#include "formats/file_set.h"
#include "mesh/error.h"

// Where a reader finds files. Readers take a pointer to one; null: no file can be read.
typedef struct {
    const file_set *stored; // files come from here alone; null: from the disk
    file_set *copies;       // gets a copy of every file that is read; may be null
} file_source;

// The files of the disk.
extern const file_source disk_files;

// Reads a file. The caller frees *text, which ends with a NUL that *size does not count. False: *text is null; the error
// is written to follow the file's name.
bool file_text_read(const char *name, const file_source *files, size_t limit, char **text, size_t *size,
                    tool_error *error);

// Whether a file can be read.
bool file_text_exists(const char *name, const file_source *files);

#endif
