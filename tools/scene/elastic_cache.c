// See elastic_cache.h. A file is 8 bytes "SNBAKED1", the key (8 bytes, little-endian), and an .elastic file. One that is
// damaged, of another version or of another key is baked and written again. The surface of a body
// of the zoo is made each time, since its bytes are part of the key; that takes a second at most.
#include "scene/elastic_cache.h"
#include "formats/atomic_file.h"
#include "formats/elastic_file.h"
#include "formats/file_text.h"
#include "formats/quote.h"
#include "system/system.h"
#include "zoo/elastic_bodies.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t key;
    sn_elastic_asset asset;
} entry;

struct elastic_cache {
    sn_memory memory;
    char *folder;
    entry **entries; // each allocated separately, because assets must not move
    int count;
};

elastic_cache *elastic_cache_new(const char *folder) {
    elastic_cache *cache = calloc(1, sizeof *cache);
    if (!cache) return NULL;
    sn_memory_init(&cache->memory, NULL);
    cache->folder = folder ? malloc(strlen(folder) + 1) : NULL;
    if (folder && !cache->folder) {
        free(cache);
        return NULL;
    }
    if (folder) strcpy(cache->folder, folder);
    return cache;
}

void elastic_cache_free(elastic_cache *cache) {
    if (!cache) return;
    for (int i = 0; i < cache->count; i++) {
        sn_elastic_asset_free(&cache->memory, &cache->entries[i]->asset);
        free(cache->entries[i]);
    }
    free(cache->entries);
    free(cache->folder);
    free(cache);
}

// Creates a folder and its parents.
static void make_folder(const char *folder) {
    char path[1024];
    const size_t length = strlen(folder);
    if (length >= sizeof path) return;
    memcpy(path, folder, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\\' && path[i] != '\0') continue;
        const char was = path[i];
        path[i] = '\0';
        system_make_folder(path); // it may exist
        path[i] = was;
    }
}

static bool file_name(const elastic_cache *cache, uint64_t key, char out[1100]) {
    if (!cache->folder) return false;
    return snprintf(out, 1100, "%s/%016" PRIx64 ".baked", cache->folder, key) < 1100;
}

enum { HEADER = 16 };

static void make_header(uint64_t key, unsigned char out[HEADER]) {
    memcpy(out, "SNBAKED1", 8);
    for (int i = 0; i < 8; i++) out[8 + i] = (unsigned char)(key >> 8 * i);
}

// False: there is no such file, or it is not what was baked with this key.
static bool read_baked(elastic_cache *cache, const char *name, uint64_t key, sn_elastic_asset *out) {
    unsigned char header[HEADER];
    char *bytes;
    size_t size;
    tool_error reason;
    make_header(key, header);
    // The cache is not a file of the scene: it is always on the disk.
    if (!file_text_read(name, &disk_files, (size_t)1 << 32, &bytes, &size, &reason)) return false;
    const bool good = size > HEADER && memcmp(bytes, header, HEADER) == 0 &&
                      elastic_file_parse(name, bytes + HEADER, size - HEADER, &cache->memory, out, &reason);
    free(bytes);
    return good;
}

// Another run will bake it again if that fails.
static void write_baked(const char *name, uint64_t key, const sn_elastic_asset *asset) {
    unsigned char header[HEADER];
    size_t size;
    atomic_file file;
    unsigned char *bytes = elastic_file_bytes(asset, &size);
    make_header(key, header);
    if (bytes && atomic_file_open(&file, name)) {
        fwrite(header, 1, HEADER, file.out);
        fwrite(bytes, 1, size, file.out);
        atomic_file_commit(&file);
    }
    free(bytes);
}

static entry *add_entry(elastic_cache *cache, uint64_t key) {
    entry **more = realloc(cache->entries, ((size_t)cache->count + 1) * sizeof(entry *));
    if (!more) return NULL;
    cache->entries = more;
    entry *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->key = key;
    cache->entries[cache->count++] = e;
    return e;
}

const sn_elastic_asset *elastic_cache_get(elastic_cache *cache, const elastic_source *source,
                                          const elastic_bake_options *options, elastic_origin *origin,
                                          elastic_report *report, tool_error *error) {
    const uint64_t key = elastic_bake_key(source, options);
    char name[1100];
    elastic_report own;
    if (!report) report = &own;
    *report = (elastic_report){0};
    for (int i = 0; i < cache->count; i++)
        if (cache->entries[i]->key == key) {
            *origin = ELASTIC_FROM_MEMORY;
            return &cache->entries[i]->asset;
        }
    entry *e = add_entry(cache, key);
    if (!e) {
        tool_error_out_of_memory(error);
        return NULL;
    }
    const bool filed = file_name(cache, key, name);
    if (filed && read_baked(cache, name, key, &e->asset)) {
        *origin = ELASTIC_FROM_FILE;
        return &e->asset;
    }
    *origin = ELASTIC_BAKED;
    if (!elastic_bake(&cache->memory, source, options, &e->asset, report, error)) {
        free(e);
        --cache->count;
        return NULL;
    }
    if (filed) {
        make_folder(cache->folder);
        write_baked(name, key, &e->asset);
    }
    return &e->asset;
}

static void change_options(elastic_bake_options *o, const elastic_bake_options *change) {
    if (change->spheres > 0) o->spheres = change->spheres;
    if (change->extra > 0) o->extra = change->extra;
    if (change->handles > 0) o->handles = change->handles;
    if (change->tets > 0) o->tets = change->tets, o->spacing = 0;
    if (change->spacing > 0) o->spacing = change->spacing;
    if (change->max_weights > 0) o->max_weights = change->max_weights;
    if (change->coarse > 0) o->coarse = change->coarse;
    if (change->patch > 0) o->patch = change->patch;
    if (change->anchor_count > 0) {
        o->anchor_count = change->anchor_count;
        memcpy(o->anchor, change->anchor, sizeof o->anchor);
    }
    if (change->threads > 0) o->threads = change->threads;
    o->progress = change->progress, o->context = change->context;
}

const sn_elastic_asset *elastic_cache_zoo(elastic_cache *cache, const char *name, const elastic_bake_options *change,
                                          elastic_origin *origin, elastic_report *report, tool_error *error) {
    const char *names[ZOO_ELASTIC_KINDS + 1] = {0};
    char quoted[QUOTE_SIZE];
    zoo_elastic body;
    const int kind = zoo_elastic_find(name);
    if (kind < 0) {
        for (int i = 0; i < ZOO_ELASTIC_KINDS; i++) names[i] = zoo_elastic_name((zoo_elastic_kind)i);
        const char *near = suggest(name, names);
        tool_error_set(error, "the zoo has no body %s%s%s%s", quote(name, quoted), near ? "; did you mean \"" : "",
                       near ? near : "", near ? "\"?" : "");
        return NULL;
    }
    elastic_bake_options options = zoo_elastic_options((zoo_elastic_kind)kind);
    if (change) change_options(&options, change);
    if (!zoo_elastic_make((zoo_elastic_kind)kind, &body)) {
        tool_error_out_of_memory(error);
        return NULL;
    }
    const elastic_source source = zoo_elastic_source(&body);
    const sn_elastic_asset *asset = elastic_cache_get(cache, &source, &options, origin, report, error);
    zoo_elastic_free(&body);
    return asset;
}
