// Baked elastic bodies that are kept: in memory while a program runs, and in a folder from run to run, so that a body
// is baked once. Files are called KEY.elastic by what they were baked from (elastic_bake_key).
#ifndef SN_SCENE_ELASTIC_CACHE_H
#define SN_SCENE_ELASTIC_CACHE_H

#include "bake/elastic_bake.h"

typedef struct elastic_cache elastic_cache;

// Where a body came from.
typedef enum { ELASTIC_FROM_MEMORY, ELASTIC_FROM_FILE, ELASTIC_BAKED } elastic_origin;

// 'folder' may be null: nothing is kept in files. It is made when the first file is written; one that cannot be written
// is no error, bodies are then baked again next time. Null: no memory.
elastic_cache *elastic_cache_new(const char *folder);
void elastic_cache_free(elastic_cache *cache); // with all bodies

// The body of these parts and options; it belongs to the cache. The report (may be null) is empty but for
// ELASTIC_BAKED. Null: the error says why.
const sn_elastic_asset *elastic_cache_get(elastic_cache *cache, const elastic_source *source,
                                          const elastic_bake_options *options, elastic_origin *origin,
                                          elastic_report *report, tool_error *error);

// The zoo's body of this name ("cactus", see zoo/elastic_bodies.h); 'change' (may be null) gives what is other than the
// zoo's own settings: numbers above 0, anchors if there are any, threads and progress always.
const sn_elastic_asset *elastic_cache_zoo(elastic_cache *cache, const char *name, const elastic_bake_options *change,
                                          elastic_origin *origin, elastic_report *report, tool_error *error);

#endif
