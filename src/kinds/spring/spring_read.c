// Operations of the kind's table that read one mass-spring body.
#include "kinds/spring/spring_system.h"

int sn_springs_get_points(void *what, int slot, sn_vec3 *out, int capacity) {
    const sn_spring_body *b = sn_springs_in(what, slot)->body;
    for (int i = 0; out && i < b->count && i < capacity; i++) out[i] = sn_spring_point(b, i);
    return b->count;
}

int sn_springs_get_velocities(void *what, int slot, sn_vec3 *out, int capacity) {
    const sn_spring_body *b = sn_springs_in(what, slot)->body;
    for (int i = 0; out && i < b->count && i < capacity; i++) out[i] = sn_spring_velocity(b, i);
    return b->count;
}

int sn_springs_get_masses(void *what, int slot, sn_real *out, int capacity) {
    const sn_spring_body *b = sn_springs_in(what, slot)->body;
    for (int i = 0; out && i < b->count && i < capacity; i++) out[i] = b->mass[i];
    return b->count;
}

double sn_springs_mass(void *what, int slot) {
    const sn_spring_body *b = sn_springs_in(what, slot)->body;
    double mass = 0;
    for (int i = 0; i < b->count; i++) mass += (double)b->mass[i];
    return mass;
}

double sn_springs_volume(void *what, int slot, bool at_rest) {
    const sn_springs_body *b = sn_springs_in(what, slot);
    return at_rest ? b->rest_volume : sn_springs_volume_of(b, NULL);
}

sn_box3 sn_springs_bounds(void *what, int slot) {
    const sn_springs_body *b = sn_springs_in(what, slot);
    const sn_real far = (sn_real)1e30;
    sn_box3 box = {sn_v3(far, far, far), sn_v3(-far, -far, -far)};
    for (int i = 0; i < b->body->count; i++) sn_box3_add(&box, sn_spring_point(b->body, i), b->radius);
    return box;
}

int sn_springs_check_attachment(void *what, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                                const sn_log *log) {
    return sn_point_attachment_errors(sn_springs_in(what, slot)->body->count, at, fields, log);
}

bool sn_springs_attachment_pill(void *what, int slot, const sn_attachment *at, sn_attachment_pill *out) {
    const sn_springs_body *b = sn_springs_in(what, slot);
    if (at->point < 0 || at->point >= b->body->count) return false;
    *out = (sn_attachment_pill){.pill = b->first_node + at->point, .along = 1, .is_point = true};
    return true;
}

sn_attachment_state sn_springs_attachment_state(void *what, int slot, const sn_attachment *at, bool start) {
    (void)start;
    return (sn_attachment_state){sn_spring_point(sn_springs_in(what, slot)->body, at->point), sn_q_identity()};
}
