// Elastic bodies of the zoo: what they are made of, and how they are best baked.
#ifndef SN_ZOO_ELASTIC_BODIES_H
#define SN_ZOO_ELASTIC_BODIES_H

#include "bake/elastic_bake.h"

typedef enum {
    ZOO_ELASTIC_CREATURE,     // 1.5 m long
    ZOO_ELASTIC_CACTUS,       // 1.5 m high, its foot anchored
    ZOO_ELASTIC_CACTUS_LIGHT, // the same with fewer tetrahedra and handles, for those in the background
    ZOO_ELASTIC_SHIP,         // 2 m long, half a million tetrahedra
    ZOO_ELASTIC_PUFFER,       // a ball with 642 strings
    ZOO_ELASTIC_MARSHMALLOW,  // 1 m across
    ZOO_ELASTIC_TORUS,
    ZOO_ELASTIC_BLOCK, // 1 x 0.6 x 0.6 m with round edges, to be squeezed
    ZOO_ELASTIC_KINDS
} zoo_elastic_kind;

// "creature", "cactus", "cactus-light", "ship", "puffer", "marshmallow", "torus", "block".
const char *zoo_elastic_name(zoo_elastic_kind kind);
// -1: there is none of this name.
int zoo_elastic_find(const char *name);

// A body's source with all it holds.
typedef struct {
    sn_mesh surface;
    sn_tet_mesh tets;      // empty: made by baking
    sn_medial_mesh medial; // the same
    int *handle;
    int handle_count;
} zoo_elastic;

// False: no memory; the body is then empty.
bool zoo_elastic_make(zoo_elastic_kind kind, zoo_elastic *out);
void zoo_elastic_free(zoo_elastic *body);

// What elastic_bake takes: the body's parts, and settings that suit it; threads and progress are as by default.
elastic_source zoo_elastic_source(const zoo_elastic *body);
elastic_bake_options zoo_elastic_options(zoo_elastic_kind kind);

#endif
