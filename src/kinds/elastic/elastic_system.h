// All elastic bodies of a world: slots with generations; the subspaces of the models in use, shared by their bodies;
// and the data of each body besides its state (elastic_body.h).
//
// Contacts see the medial spheres as nodes, with slabs and cones between them, and move points of the material around them
// (medial_spheres.c, elastic_couple.c).
#ifndef SN_KINDS_ELASTIC_ELASTIC_SYSTEM_H
#define SN_KINDS_ELASTIC_ELASTIC_SYSTEM_H

#include "base/host.h"
#include "base/slots.h"
#include "geometry/proxy.h"
#include "kinds/elastic/elastic_body.h"
#include "kinds/elastic/surface_points.h"
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
    sn_surface_points surface;
    uint32_t *self_pairs; // a bit for each two elements: separated at rest, may collide; null: not computed yet
    bool listed;          // while sorting
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
    sn_vec3 *centre, *start;
    sn_real *radius;
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

// elastic_system.c: calls fn for every body that is awake; large ones one after the other, with the pool.
typedef void sn_elastic_item_fn(void *context, int slot, sn_elastic_item *item, sn_pool *pool);
void sn_elastic_run(const sn_elastic_system *system, const sn_stage *stage, sn_elastic_item_fn *fn, void *context);
// elastic_couple.c
bool sn_elastic_couple(void *system, const sn_stage *stage, const struct sn_solve *solve, int first_body,
                       int first_node, int op);

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
bool sn_elastic_anchored_ball(void *system, int slot, const int32_t node[3], const sn_real weight[3], sn_vec3 *centre,
                              sn_real *radius);
void sn_elastic_contact_point(void *system, int slot, const sn_contact_where *where, sn_contact_point_at *out);
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
