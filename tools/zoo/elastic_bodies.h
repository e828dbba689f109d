// Elastic bodies of the zoo: their source, and good settings for baking them.
#ifndef SN_ZOO_ELASTIC_BODIES_H
#define SN_ZOO_ELASTIC_BODIES_H

#include "bake/elastic_bake.h"

typedef enum {
    ZOO_ELASTIC_CREATURE,     // 1.5 m long
    ZOO_ELASTIC_CACTUS,       // 1.5 m high, its base anchored
    ZOO_ELASTIC_CACTUS_LIGHT, // the same with fewer tetrahedra and handles, for the background
    ZOO_ELASTIC_SHIP,         // 2 m long, half a million tetrahedra
    ZOO_ELASTIC_PUFFER,       // a ball with 642 strings
    ZOO_ELASTIC_MARSHMALLOW,  // 1 m across
    ZOO_ELASTIC_TORUS,
    ZOO_ELASTIC_BLOCK, // 1 x 0.6 x 0.6 m with rounded edges, to be compressed
    ZOO_ELASTIC_KINDS
} zoo_elastic_kind;

// "creature", "cactus", "cactus-light", "ship", "puffer", "marshmallow", "torus", "block".
const char *zoo_elastic_name(zoo_elastic_kind kind);
// -1: no such name.
int zoo_elastic_find(const char *name);

// A body's source with everything it refers to.
typedef struct {
    sn_mesh surface;
    sn_tet_mesh tets;      // empty: built by the bake
    sn_medial_mesh medial; // empty: built by the bake
    int *handle;
    int handle_count;
} zoo_elastic;

// False: no memory; the body is empty.
bool zoo_elastic_make(zoo_elastic_kind kind, zoo_elastic *out);
void zoo_elastic_free(zoo_elastic *body);

// Arguments of elastic_bake: the body's parts, and good settings; threads and progress have their defaults.
elastic_source zoo_elastic_source(const zoo_elastic *body);
elastic_bake_options zoo_elastic_options(zoo_elastic_kind kind);

#endif
