// See atomic_file.h. atomic_file_posix.c and atomic_file_windows.c put files in place.
#include "formats/atomic_file.h"
#include <string.h>

bool atomic_file_write(const char *name, atomic_file_writer *write, const void *what, tool_error *error) {
    atomic_file file;
    if (atomic_file_open(&file, name)) {
        tool_error reason = {.text = ""};
        if (!write(file.out, what, &reason)) {
            const int failure = atomic_file_failure(&file); // the writer may not know
            atomic_file_abort(&file);
            tool_error_set(error, "cannot write %.300s: %.300s", name, failure ? strerror(failure) : reason.text);
            if (error) error->out_of_memory = reason.out_of_memory && !failure;
            return false;
        }
        if (atomic_file_commit(&file)) return true;
    }
    if (error) *error = file.error;
    return false;
}

bool atomic_file_write_bytes(FILE *out, const void *what, tool_error *error) {
    (void)error;
    const atomic_file_bytes *of = what;
    fwrite(of->bytes, 1, of->size, out);
    return true;
}
