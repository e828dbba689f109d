// The volume inside the skins of muscles: what is seen of them, rods and the room between these.
#ifndef SN_APP_ENVELOPE_H
#define SN_APP_ENVELOPE_H

#include "mesh/mesh.h"
#include "scene/scene.h"

typedef struct {
    const sn_scene *scene;
    sn_mesh *skins;       // of each muscle of the scene, placed in the world; no vertices: it has none
    double *first;        // volume at the start, m^3
    sn_section *sections; // for one muscle, as the next two
    struct envelope_section *maps;
    sn_vec3 *vertices;
    int muscles;
} envelopes;

// False: out of memory.
bool envelopes_open(envelopes *out, const sn_scene *scene, const sn_world *world);
void envelopes_free(envelopes *envelopes);

// The volume of a muscle's skin over that at the start; 0: it has none.
double envelope_volume(const envelopes *envelopes, const sn_world *world, int muscle);

#endif
