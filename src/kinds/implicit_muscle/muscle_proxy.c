// Collision proxies of a character: a pill for each segment of a muscle's axis and the pills of its bones, all inflated
// by the thickness of the cover.
//
// Muscles make their whole step, in their own substeps, before the world finds contacts. Within the world's step a node
// moves linearly between the two positions:
//
//     c(t) = from + t (to - from) + displacement by contacts so far,        t from 0 to 1
//
// Bones are kinematic. The inner points of a muscle share its mass and respond to contacts: at the end of the step
// their displacement and velocity change are applied, and the muscle is moved out of bones again. Muscles of one
// character collide in muscle_pairs.c and not here. If a bundle of rods drives a muscle, its rods collide, not the
// muscle.
#include "kinds/implicit_muscle/implicit_muscle.h"
#include "kinds/implicit_muscle/muscle_body.h"

// Fraction of the maximum radius below which a segment gets no pill: the ends of a muscle are as thin as a thread.
#define THIN ((sn_real)0.1)

int sn_muscles_node_count(const sn_muscles_item *item) {
    int count = 2 * item->collider_count;
    for (int m = 0; m < item->muscle_count; m++) count += item->muscles[m].points;
    return count;
}

int sn_muscles_count_nodes(void *what, int *colliding) {
    sn_implicit_muscle_kind_system *s = what;
    int nodes = 0;
    *colliding = 0;
    for (int i = 0; i < s->slots.count; i++) {
        sn_muscles_item *item = sn_muscles_in(s, i);
        if (!item) continue;
        item->first_node = nodes;
        nodes += item->base.contact.collide ? item->node_count : 0;
        *colliding += item->base.contact.collide;
    }
    return nodes;
}

// Writes the positions of all nodes of an item: those of bones in the given poses, then those of muscles.
static void write_nodes(const sn_muscles_item *item, const sn_transform *poses, sn_vec3 *out, size_t stride) {
    const sn_muscle_system *system = item->system;
    char *at = (char *)out;
    for (int i = 0; i < item->collider_count; i++)
        for (int k = 0; k < 2; ++k, at += stride)
            *(sn_vec3 *)at = sn_bone_point(&poses[item->bones[i].bone], item->bones[i].ends[k]);
    for (int m = 0; m < item->muscle_count; m++) {
        const sn_muscle_spindle *spindle = &system->muscles[m].spindle;
        for (int i = 0; i < spindle->points; ++i, at += stride) *(sn_vec3 *)at = spindle->axis[i];
    }
}

void sn_muscles_before(sn_muscles_item *item) {
    write_nodes(item, item->system->to, &item->nodes->from, sizeof *item->nodes);
}

void sn_muscles_after(sn_muscles_item *item) {
    write_nodes(item, item->system->to, &item->nodes->to, sizeof *item->nodes);
    for (int i = 0; i < item->node_count; i++) item->nodes[i].moved = item->nodes[i].velocity_change = sn_v3(0, 0, 0);
    item->was_moved = false;
}

// An upper bound of a muscle point's motion in the step: that of its bones plus its own velocity.
static sn_real reach_of(const sn_muscles_item *item, const sn_muscle_body *muscle, sn_real dt) {
    sn_real bones = 0, swing = 0;
    for (int k = 0; k < 2; k++) {
        const int b = muscle->def.bone[k];
        for (int i = 0; i < 2; i++) {
            const sn_vec3 p = muscle->spindle.axis[i ? muscle->spindle.points - 1 : 0];
            const sn_vec3 q = sn_bone_point(&item->to[b], sn_bone_local(&item->system->to[b], p));
            bones = sn_max(bones, sn_length(sn_sub(q, p)));
        }
    }
    for (int i = 0; i < muscle->spindle.points; i++) swing = sn_max(swing, sn_length(muscle->velocity[i]));
    return bones + dt * swing + (sn_real)0.5 * muscle->spindle.max_radius;
}

static sn_node *set_node(const sn_proxy_writer *writer, int at, int body, sn_vec3 c, sn_real radius, sn_real w,
                         sn_real reach) {
    sn_node *node = &writer->proxies->nodes[at];
    *node = (sn_node){.c = c, .s = 1, .c0 = c, .s0 = 1, .w = w, .radius = radius};
    writer->proxies->pills[at] = (sn_node_pill){.a = -1, .b = -1, .body = body, .surface = body};
    writer->reach[at] = reach;
    return node;
}

static void set_pill(const sn_proxy_writer *writer, int at) {
    sn_node_pill *pill = &writer->proxies->pills[at];
    pill->a = at - 1, pill->b = at;
    pill->axis = sn_normalize(sn_sub(writer->proxies->nodes[at].c, writer->proxies->nodes[at - 1].c), sn_v3(0, 0, 1));
}

static void write_item(const sn_muscles_item *item, const sn_proxy_writer *writer, int body) {
    const sn_muscle_system *system = item->system;
    int at = writer->first + item->first_node;
    for (int i = 0; i < item->collider_count; i++) {
        const sn_implicit_muscle_bone *b = &item->bones[i];
        for (int k = 0; k < 2; k++, at++) {
            const sn_vec3 p = sn_bone_point(&system->to[b->bone], b->ends[k]);
            const sn_vec3 q = sn_bone_point(&item->to[b->bone], b->ends[k]);
            const sn_real radius = b->radii[k] + b->flesh[k] + item->cover;
            set_node(writer, at, body, p, radius, 0, sn_length(sn_sub(q, p)) + (sn_real)0.05 * radius);
        }
        set_pill(writer, at - 1);
    }
    for (int m = 0; m < item->muscle_count; m++) {
        const sn_muscle_body *muscle = &system->muscles[m];
        const sn_muscle_spindle *spindle = &muscle->spindle;
        const sn_real reach = reach_of(item, muscle, writer->dt);
        const sn_real w = (sn_real)(spindle->points - 2) / (muscle->def.density * muscle->def.volume);
        for (int i = 0; i < spindle->points; i++, at++) {
            const bool thin = item->drivers[m].count > 0 || spindle->radius[i] < THIN * spindle->max_radius;
            set_node(writer, at, body, spindle->axis[i], spindle->radius[i] + item->cover,
                     muscle->collides[i] && !thin ? w : 0, reach);
            if (i > 0 && !thin && spindle->radius[i - 1] >= THIN * spindle->max_radius) set_pill(writer, at);
        }
    }
}

// ---- joints: a body's points are its nodes

static sn_vec3 point_at(const sn_muscles_item *item, int point) {
    const sn_muscle_system *system = item->system;
    if (point < 2 * item->collider_count) {
        const sn_implicit_muscle_bone *b = &item->bones[point / 2];
        return sn_bone_point(&system->to[b->bone], b->ends[point % 2]);
    }
    point -= 2 * item->collider_count;
    int m = 0;
    while (point >= system->muscles[m].spindle.points) point -= system->muscles[m++].spindle.points;
    return system->muscles[m].spindle.axis[point];
}

// The bone that a point is on, and its rotations at the start and the end of the step; false: the point is a muscle's.
static bool bone_rotation(const sn_muscles_item *item, int point, sn_quat rotation[2]) {
    if (point >= 2 * item->collider_count) return false;
    const int bone = item->bones[point / 2].bone;
    rotation[0] = item->system->to[bone].rotation;
    rotation[1] = sn_q_normalize(item->to[bone].rotation);
    return true;
}

static int point_count(const sn_muscles_item *item) {
    return item->base.contact.collide ? item->node_count : 0;
}

int sn_muscles_get_points(void *what, int slot, sn_vec3 *out, int capacity) {
    const sn_muscles_item *item = sn_muscles_in(what, slot);
    const int count = point_count(item);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = point_at(item, i);
    return count;
}

sn_box3 sn_muscles_bounds(void *what, int slot) {
    const sn_muscles_item *item = sn_muscles_in(what, slot);
    const sn_real far = (sn_real)1e30;
    sn_box3 box = {sn_v3(far, far, far), sn_v3(-far, -far, -far)};
    for (int i = 0; i < 2 * item->collider_count; i++)
        sn_box3_add(&box, point_at(item, i), item->bones[i / 2].radii[i % 2] + item->bones[i / 2].flesh[i % 2]);
    for (int m = 0; m < item->muscle_count; m++) {
        const sn_muscle_spindle *muscle = &item->system->muscles[m].spindle;
        for (int i = 0; i < muscle->points; i++) sn_box3_add(&box, muscle->axis[i], muscle->radius[i]);
    }
    return box;
}

int sn_muscles_check_attachment(void *what, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                                const sn_log *log) {
    return sn_point_attachment_errors(point_count(sn_muscles_in(what, slot)), at, fields, log);
}

bool sn_muscles_attachment_pill(void *what, int slot, const sn_attachment *at, sn_attachment_pill *out) {
    const sn_muscles_item *item = sn_muscles_in(what, slot);
    if (at->point < 0 || at->point >= point_count(item)) return false;
    *out = (sn_attachment_pill){.pill = item->first_node + at->point, .along = 1, .is_point = true};
    out->has_frame = bone_rotation(item, at->point, out->frame);
    return true;
}

sn_attachment_state sn_muscles_attachment_state(void *what, int slot, const sn_attachment *at, bool start) {
    (void)start;
    const sn_muscles_item *item = sn_muscles_in(what, slot);
    sn_quat rotation[2] = {sn_q_identity(), sn_q_identity()};
    bone_rotation(item, at->point, rotation);
    return (sn_attachment_state){point_at(item, at->point), rotation[0]};
}

// ---- contacts

void sn_muscles_write_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool) {
    const sn_implicit_muscle_kind_system *s = what;
    (void)pool;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_muscles_item *item = sn_muscles_in(s, i);
        sn_contact_settings *settings = &writer->settings[writer->first_body + i];
        *settings = (sn_contact_settings){.asleep = true};
        if (!item || !item->base.contact.collide) continue;
        *settings = item->base.contact;
        write_item(item, writer, writer->first_body + i);
    }
}

typedef struct {
    const sn_implicit_muscle_kind_system *system;
    const sn_proxy_writer *writer;
    bool flag; // start, or shift
} job;

static void write_now(void *context, int slot, int worker) {
    const job *j = context;
    const sn_muscles_item *item = sn_muscles_in(j->system, slot);
    (void)worker;
    if (!item || !item->base.contact.collide) return;
    const int first = j->writer->first + item->first_node;
    sn_node *nodes = j->writer->proxies->nodes + first;
    sn_node_pill *pills = j->writer->proxies->pills + first;
    for (int i = 0; i < item->node_count; i++) {
        const sn_muscle_node *n = &item->nodes[i];
        if (j->flag) nodes[i].c0 = sn_add(sn_lerp(n->from, n->to, item->fraction_before), n->moved);
        nodes[i].c = sn_add(sn_lerp(n->from, n->to, item->fraction), n->moved);
        if (pills[i].b >= 0) pills[i].axis = sn_normalize(sn_sub(nodes[i].c, nodes[i - 1].c), pills[i].axis);
    }
}

void sn_muscles_update_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool start) {
    job j = {what, writer, start};
    sn_parallel_for(pool, j.system->slots.count, 1, write_now, &j);
}

static void acquire_slot(void *context, int slot, int worker) {
    const job *j = context;
    sn_muscles_item *item = sn_muscles_in(j->system, slot);
    const int shift = j->writer->shift[j->writer->first_body + slot];
    (void)worker;
    if (!item || !item->base.contact.collide || shift == INT32_MIN) return;
    for (int i = 2 * item->collider_count; i < item->node_count; i++) {
        const sn_real *moved = j->writer->moved + 4 * (size_t)(j->writer->first + item->first_node + i + shift);
        const sn_vec3 d = {moved[0], moved[1], moved[2]};
        if ((d.x == 0 && d.y == 0 && d.z == 0) || !sn_finite3(d)) continue;
        item->nodes[i].moved = sn_add(item->nodes[i].moved, d);
        if (!j->flag) item->nodes[i].velocity_change = sn_mul_add(item->nodes[i].velocity_change, 1 / j->writer->h, d);
        item->was_moved = true;
    }
}

void sn_muscles_apply(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool shift) {
    job j = {what, writer, shift};
    sn_parallel_for(pool, j.system->slots.count, 1, acquire_slot, &j);
}

void sn_muscles_apply_contacts(sn_muscles_item *item) {
    if (!item->was_moved) return;
    const sn_muscle_system *system = item->system;
    const sn_muscle_node *node = item->nodes + 2 * item->collider_count;
    for (int m = 0; m < item->muscle_count; m++) {
        sn_muscle_body *muscle = &system->muscles[m];
        bool moved = false, valid = true;
        for (int i = 0; i < muscle->spindle.points; i++)
            valid = valid && sn_valid3(sn_add(muscle->spindle.axis[i], node[i].moved));
        if (!valid) { // discard the moves
            item->diverged = true;
            node += muscle->spindle.points;
            continue;
        }
        for (int i = 0; i < muscle->spindle.points; i++, node++) {
            if (node->moved.x == 0 && node->moved.y == 0 && node->moved.z == 0) continue;
            muscle->previous[i] = muscle->spindle.axis[i]; // friction on bones is relative to this
            muscle->spindle.axis[i] = sn_add(muscle->spindle.axis[i], node->moved);
            muscle->velocity[i] = sn_add(muscle->velocity[i], node->velocity_change);
            moved = true;
        }
        if (!moved) continue;
        sn_muscle_body_build(system, muscle);
        sn_muscle_find_bones(system, muscle);
        sn_muscle_collide_bones(system, muscle);
        sn_muscle_body_build(system, muscle);
        muscle->penetration = sn_muscle_bone_penetration(system, muscle);
    }
}
