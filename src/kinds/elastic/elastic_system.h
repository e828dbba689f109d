// All elastic bodies of a world: slots with generations; the subspaces of the models in use, shared by their bodies;
// and the data of each body besides its state (elastic_body.h).
//
// Contacts see the medial spheres as nodes, with slabs and cones between them. A handle's sphere moves with the
// handle's translation and has its mass m_j. Other spheres are driven (geometry/proxy.h) by the handles with the
// largest weights: contacts with them act on the spheres of these handles. So the motion that contacts assume is the
// motion of the body, however many spheres follow a handle.
//
// A partly anchored sphere is independent, since drivers' weights add up to 1. It shares handles, and so mass, with
// other spheres: with w_ij sphere i's weight of handle j and s_j = sum_i w_ij over all independent spheres, its inverse
// mass is
//
//     sum_j w_ij^2 s_j / m_j
//
// as if each handle's mass were divided among them. If contacts move them all alike, this is exact; if they move only
// one, the body moves less than assumed, and the next iteration corrects it. It never moves more.
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
    bool owned;       // loaded with a world: freed with its last body
    sn_elastic_asset asset;
};

// Checks the mark of the definition and allocates a model without an asset.
sn_status sn_elastic_model_begin(const sn_elastic_model_def *def, sn_elastic_model **out);

// A model in use by a world.
typedef struct sn_elastic_use {
    sn_elastic_model *model;
    sn_elastic_space *space;
    int bodies;
    // Slabs for contacts: those of the medial mesh, and its cones that are not an edge of one, as degenerate slabs.
    int (*elements)[3];
    uint32_t *owns;
    int element_count;
    sn_node_driver *drivers; // by sphere
    sn_real *handle_share;   // by handle: s_j
    uint32_t *self_pairs;    // a bit for each two elements: separated at rest, may collide; null: not computed yet
    bool listed;             // while sorting
    struct sn_elastic_use *next;
} sn_elastic_use;

typedef struct {
    sn_body_base base;
    sn_elastic_use *use;
    sn_elastic_body *body;
    sn_elastic_def def; // model, position, rotation, velocity and spin are unused
    sn_vec3 *loads;     // by vertex, N; null: none yet
    sn_vec3 anchor_position_to, anchor_position_from;
    sn_quat anchor_rotation_to, anchor_rotation_from;
    bool anchors_move;
    bool diverged; // in the last step
    // for contacts, by sphere
    int first_node, first_slab;
    sn_vec3 *centre, *start, *moved;
    sn_real *radius, *inverse_mass;
    sn_real *displacement_scale; // multiplies displacements by contacts; see above
} sn_elastic_item;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    sn_slots slots; // of sn_elastic_item
    int body_count;
    int64_t dofs;
    sn_elastic_use *uses; // in the order of their first bodies, so that saved worlds do not depend on history
} sn_elastic_system;

// The item in a slot, or null.
static inline sn_elastic_item *sn_elastic_in(const sn_elastic_system *system, int slot) {
    return system->slots.at[slot].item;
}

extern const sn_kind_ops sn_elastic_kind;

static inline sn_elastic_system *sn_world_elastics(const sn_world *world) {
    return sn_world_system(world, SN_KIND_ELASTIC);
}

// elastic_points.c: operations of the kind's table that read one body.
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

static inline bool sn_elastic_is_independent(const sn_elastic_use *use, int sphere) {
    return use->drivers[sphere].node[0] == sphere;
}

// elastic_model.c
// Releases a model: frees it now, or with its last body.
void sn_elastic_model_release(sn_elastic_model *model);
sn_status sn_elastic_asset_copy(sn_memory *memory, const sn_elastic_asset *from, sn_elastic_asset *to);
sn_elastic_use *sn_elastic_use_model(sn_elastic_system *system, sn_elastic_model *model, sn_status *status);
void sn_elastic_unuse_model(sn_elastic_system *system, sn_elastic_use *use);
void sn_elastic_order_uses(sn_elastic_system *system); // after adding or removing a body other than the last
bool sn_elastic_use_find_self_pairs(sn_elastic_system *system, sn_elastic_use *use); // false: out of memory

// The item of a handle; null if it is stale.
sn_elastic_item *sn_elastic_find(const sn_elastic_system *system, sn_body id);
// The parameter of a material besides Young's modulus and Poisson's ratio.
static inline sn_real sn_elastic_material_parameter(const sn_elastic_def *def) {
    return def->law == SN_LAW_MOONEY_RIVLIN ? def->mooney : def->law == SN_LAW_ARRUDA_BOYCE ? def->lock : 0;
}
// Logs a line for every bad field except the model; returns their number.
int sn_elastic_def_errors(const sn_log *log, const sn_elastic_def *def);
sn_status sn_elastic_add(sn_elastic_system *system, const sn_elastic_def *def, sn_body *id);
// The same into a free slot, for loading.
sn_status sn_elastic_put(sn_elastic_system *system, const sn_elastic_def *def, int slot);
void sn_elastic_remove(void *system, int slot);

// elastic_proxy.c
int sn_elastic_count_nodes(void *system, int *colliding);
int sn_elastic_count_slabs(void *system);
void sn_elastic_write_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool);
void sn_elastic_update_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool start);
void sn_elastic_apply(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool shift);
bool sn_elastic_self_collides(void *system, int slot, int a, int b);
void sn_elastic_normalised_speeds(void *system, sn_real gravity, sn_real *out);

// elastic_work.c: work of loads and of anchors that move, in the substep.
double sn_elastic_work(void *system, const sn_stage *stage);
// elastic_energy.c and elastic_save.c
void sn_elastic_measure(void *system, sn_vec3 gravity, sn_totals *totals);
uint64_t sn_elastic_hash(void *system, uint64_t hash);
void sn_elastic_save(void *system, sn_stream *stream);
double sn_elastic_asset_volume(const sn_elastic_asset *asset, const sn_vec3 *vertices);

#endif
