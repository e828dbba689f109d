// All elastic bodies of a world: slots with generations; the subspaces of the models in use, shared by their bodies; and
// for each body what the world knows of it besides its state (body.h).
//
// Contacts see the medial spheres as nodes, and slabs and cones between them. A handle's sphere moves with the handle's
// translation and has the mass m_j that this moves. Other spheres are led (shape/proxy.h) by the handles that they follow
// most: what touches them pushes these handles' spheres. So what contacts think has moved is what the body then does,
// however many spheres follow a handle.
//
// A sphere that is partly anchored is its own leader, since leaders' weights add up to 1. It shares handles with others,
// and with them mass: with w_ij sphere i's weight of handle j and s_j = sum_i w_ij over all spheres that move by
// themselves, it is shown with the inverse mass
//
//     sum_j w_ij^2 s_j / m_j
//
// as if every handle's mass were dealt out among them. If contacts push them all alike, they move as the body then does; if
// only one, the body yields less than was thought, and the next turn makes up for it. It never yields more.
#ifndef SN_KINDS_ELASTIC_ELASTIC_SYSTEM_H
#define SN_KINDS_ELASTIC_ELASTIC_SYSTEM_H

#include "base/host.h"
#include "base/slots.h"
#include "geometry/proxy.h"
#include "kinds/elastic/elastic_body.h"
#include "sinew/elastic.h"
#include <stdatomic.h>

struct sn_elastic_model {
    sn_memory memory;
    atomic_int users; // worlds
    bool owned;       // it was read with a world, and goes with its last body
    sn_elastic_asset asset;
};

// A model as a world uses it.
typedef struct sn_elastic_use {
    sn_elastic_model *model;
    sn_elastic_space *space;
    int bodies;
    // Slabs as contacts see them: the medial mesh's, and its cones that are no edge of one, as edges.
    int (*elements)[3];
    uint32_t *owns;
    int element_count;
    sn_node_driver *lead; // by sphere: the spheres that lead it
    sn_real *crowd;       // by handle: s_j
    uint32_t *apart;      // a bit for two elements: they are apart at rest; null: not asked for yet
    bool listed;          // while they are put in order
    struct sn_elastic_use *next;
} sn_elastic_use;

typedef struct {
    sn_body_base base;
    sn_elastic_use *use;
    sn_elastic_body *body;
    sn_elastic_def def; // its model, position, rotation, velocity and spin do not count
    sn_vec3 *loads;     // by vertex, N; null: none yet
    sn_vec3 anchor_to, anchor_from;
    sn_quat turn_to, turn_from;
    bool anchors_move;
    bool diverged; // in the last step
    // as contacts see it
    int first_node, first_slab;
    sn_vec3 *centre, *start, *moved; // by sphere
    sn_real *radius, *yield, *part;  // part: by sphere, what of a displacement the body is told; see above
} sn_elastic_item;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    sn_slots slots; // of sn_elastic_item
    int body_count;
    int64_t dofs;
    sn_elastic_use
        *uses; // in the order of the first bodies that have them, so that saved worlds do not tell how they came
} sn_elastic_system;

// Who is in a slot, null: nobody.
static inline sn_elastic_item *sn_elastic_in(const sn_elastic_system *system, int slot) {
    return system->slots.at[slot].item;
}

extern const sn_kind_ops sn_elastic_kind;

static inline sn_elastic_system *sn_world_elastics(const sn_world *world) {
    return sn_world_system(world, SN_KIND_ELASTIC);
}

// elastic_points.c: the rows of the kind's table that are about one body.
int sn_elastic_get_points(void *system, int slot, sn_vec3 *out, int capacity);
double sn_elastic_mass(void *system, int slot);
double sn_elastic_volume(void *system, int slot, bool at_rest);
sn_energy sn_elastic_energy(void *system, int slot, sn_vec3 gravity);
sn_box3 sn_elastic_box(void *system, int slot);
sn_status sn_elastic_set_contact(void *system, int slot, const sn_contact_settings *settings);
int sn_elastic_check_attachment(void *system, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                                const sn_log *log);
bool sn_elastic_attachment_pill(void *system, int slot, const sn_attachment *at, sn_attachment_pill *out);
sn_attachment_state sn_elastic_attachment_state(void *system, int slot, const sn_attachment *at, bool start);

static inline bool sn_elastic_leads_itself(const sn_elastic_use *use, int sphere) {
    return use->lead[sphere].node[0] == sphere;
}

// model.c
// Gives a model up: it goes at once, or with its last body.
void sn_elastic_model_release(sn_elastic_model *model);
sn_status sn_elastic_asset_copy(sn_memory *memory, const sn_elastic_asset *from, sn_elastic_asset *to);
sn_elastic_use *sn_elastic_use_model(sn_elastic_system *system, sn_elastic_model *model, sn_status *status);
void sn_elastic_unuse_model(sn_elastic_system *system, sn_elastic_use *use);
void sn_elastic_order_uses(sn_elastic_system *system); // after a body came or went that is not the last
bool sn_elastic_use_apart(sn_elastic_system *system, sn_elastic_use *use); // fills 'apart'; false without memory

// The item of an id, null if it is stale.
sn_elastic_item *sn_elastic_find(const sn_elastic_system *system, sn_body id);
// What a law has besides Young's modulus and Poisson's ratio.
static inline sn_real sn_elastic_law_shape(const sn_elastic_def *def) {
    return def->law == SN_LAW_MOONEY_RIVLIN ? def->mooney : def->law == SN_LAW_ARRUDA_BOYCE ? def->lock : 0;
}
// Says a line for every bad field besides the model; how many there are.
int sn_elastic_errors(const sn_log *log, const sn_elastic_def *def);
sn_status sn_elastic_add(sn_elastic_system *system, const sn_elastic_def *def, sn_body *id);
// The same into a slot that is free, for reading.
sn_status sn_elastic_put(sn_elastic_system *system, const sn_elastic_def *def, int slot);
void sn_elastic_remove(void *system, int slot);

// proxy.c
int sn_elastic_count_nodes(void *system, int *colliding);
int sn_elastic_count_slabs(void *system);
void sn_elastic_write_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool);
void sn_elastic_update_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool start);
void sn_elastic_apply(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool shift);
bool sn_elastic_self_collides(void *system, int slot, int a, int b);
void sn_elastic_normalised_speeds(void *system, sn_real gravity, sn_real *out);

// account.c
void sn_elastic_measure(void *system, sn_vec3 gravity, sn_totals *totals);
uint64_t sn_elastic_hash(void *system, uint64_t hash);
void sn_elastic_save(void *system, sn_stream *stream);
double sn_elastic_volume_of(const sn_elastic_asset *asset, const sn_vec3 *vertices);

#endif
