// Files of baked elastic bodies. The bytes are read and written by libsinew (src/assets/elastic_format.h).
#include "formats/elastic_file.h"
#include "assets/elastic_format.h"
#include "formats/atomic_file.h"
#include "formats/mesh_reader.h"
#include <stdlib.h>
#include <string.h>

unsigned char *elastic_file_bytes(const sn_elastic_asset *asset, size_t *size) {
    *size = sn_elastic_asset_write(asset, NULL, 0);
    unsigned char *bytes = malloc(*size);
    if (bytes) sn_elastic_asset_write(asset, bytes, *size);
    return bytes;
}

bool elastic_file_write(const char *name, const sn_elastic_asset *asset, tool_error *error) {
    size_t size;
    atomic_file file;
    unsigned char *bytes = elastic_file_bytes(asset, &size);
    if (!bytes) return tool_error_set(error, "cannot write %.300s: out of memory", name);
    bool good = atomic_file_open(&file, name);
    if (good) {
        fwrite(bytes, 1, size, file.out); // the commit reports errors
        good = atomic_file_commit(&file);
    }
    if (!good && error) *error = file.error;
    atomic_file_abort(&file);
    free(bytes);
    return good;
}

bool elastic_name_is_known(const char *name) {
    const size_t length = strlen(name);
    return length > 8 && strcmp(name + length - 8, ".elastic") == 0;
}

bool elastic_file_parse(const char *name, const void *bytes, size_t size, sn_memory *memory, sn_elastic_asset *out,
                        tool_error *error) {
    mesh_reader r = {.name = name, .bytes = bytes, .size = size, .error = error};
    sn_asset_error fault;
    if (sn_elastic_asset_read(bytes, size, memory, out, &fault)) return true;
    return reader_fail(&r, fault.offset, "%s", fault.text);
}

bool elastic_file_read(const char *name, const file_source *files, sn_memory *memory, sn_elastic_asset *out,
                       tool_error *error) {
    tool_error reason;
    char *text;
    size_t size;
    *out = (sn_elastic_asset){0};
    if (!file_text_read(name, files, (size_t)1 << 32, &text, &size, &reason))
        return tool_error_set(error, "%.300s: error: %s", name, reason.text);
    const bool good = elastic_file_parse(name, text, size, memory, out, error);
    free(text);
    return good;
}
