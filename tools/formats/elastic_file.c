// Files of baked elastic bodies. The bytes are read and written by libsinew (src/assets/elastic_format.h).
#include "formats/elastic_file.h"
#include "assets/elastic_format.h"
#include "formats/atomic_file.h"
#include "formats/file_text.h"
#include "formats/mesh_reader.h"
#include <stdlib.h>
#include <string.h>

unsigned char *elastic_file_bytes(const sn_elastic_asset *asset, size_t *size) {
    *size = sn_elastic_asset_write(asset, NULL, 0);
    unsigned char *bytes = malloc(*size);
    if (bytes) sn_elastic_asset_write(asset, bytes, *size);
    return bytes;
}

bool elastic_file_write(const char *name, const sn_elastic_asset *asset, char why[MESH_WHY_SIZE]) {
    size_t size;
    atomic_file file;
    unsigned char *bytes = elastic_file_bytes(asset, &size);
    if (!bytes) {
        snprintf(why, MESH_WHY_SIZE, "cannot write %.300s: out of memory", name);
        return false;
    }
    bool good = atomic_file_open(&file, name);
    if (good) {
        fwrite(bytes, 1, size, file.out); // errors come back at the commit
        good = atomic_file_commit(&file);
    }
    if (!good) snprintf(why, MESH_WHY_SIZE, "%s", file.why);
    atomic_file_abort(&file);
    free(bytes);
    return good;
}

bool elastic_name_is_known(const char *name) {
    const size_t length = strlen(name);
    return length > 8 && strcmp(name + length - 8, ".elastic") == 0;
}

bool elastic_file_parse(const char *name, const void *bytes, size_t size, sn_memory *memory, sn_elastic_asset *out,
                        char why[MESH_WHY_SIZE]) {
    mesh_reader r = {.name = name, .bytes = bytes, .size = size, .why = why};
    sn_asset_error error;
    why[0] = '\0';
    if (sn_elastic_asset_read(bytes, size, memory, out, &error)) return true;
    return reader_fail(&r, error.offset, "%s", error.text);
}

bool elastic_file_read(const char *name, sn_memory *memory, sn_elastic_asset *out, char why[MESH_WHY_SIZE]) {
    char *text, words[256];
    size_t size;
    *out = (sn_elastic_asset){0};
    if (!file_text_read(name, (size_t)1 << 32, &text, &size, words, sizeof words)) {
        snprintf(why, MESH_WHY_SIZE, "%.300s: error: %s", name, words);
        return false;
    }
    const bool good = elastic_file_parse(name, text, size, memory, out, why);
    free(text);
    return good;
}
