// Files of baked elastic bodies (.elastic). src/assets/elastic_format.h describes the bytes.
#ifndef SN_FORMATS_ELASTIC_FILE_H
#define SN_FORMATS_ELASTIC_FILE_H

#include "formats/mesh_file.h"
#include "kinds/elastic/elastic_asset.h"

// Writes a file, complete or not at all. The error has the file's name.
bool elastic_file_write(const char *name, const sn_elastic_asset *asset, tool_error *error);
// The same in memory; the caller frees it. Null: out of memory.
unsigned char *elastic_file_bytes(const sn_elastic_asset *asset, size_t *size);

// False: nothing was read; the error is "file:offset N: error: ...". What was read is valid (sn_elastic_asset_check).
bool elastic_file_read(const char *name, const file_source *files, sn_memory *memory, sn_elastic_asset *out,
                       tool_error *error);
bool elastic_file_parse(const char *name, const void *bytes, size_t size, sn_memory *memory, sn_elastic_asset *out,
                        tool_error *error);

bool elastic_name_is_known(const char *name); // ends with .elastic

#endif
