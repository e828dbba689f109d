// Shots: pills that pages shoot at a scene. A shot is a rod of two points, recognised by its label.
#include "base/math/vec.h"
#include "session/session_internal.h"

int session_get_shots(const session *s, sn_body out[MAX_SHOTS]) {
    int count = 0;
    for (int i = 0; i < sn_world_kind_count(s->world, SN_KIND_ROD) && count < MAX_SHOTS; i++) {
        const sn_body rod = sn_world_kind_at(s->world, SN_KIND_ROD, i);
        if (sn_body_label(s->world, rod) >= SHOT_LABEL) out[count++] = rod;
    }
    return count;
}

void session_clear_shots(session *s, int max_count) {
    for (;;) {
        sn_body shots[MAX_SHOTS];
        const int count = session_get_shots(s, shots);
        if (count <= max_count) return;
        int oldest = 0;
        for (int i = 1; i < count; i++)
            if (sn_body_label(s->world, shots[i]) < sn_body_label(s->world, shots[oldest])) oldest = i;
        if (shots[oldest].slot1 == s->held.slot1 && shots[oldest].gen == s->held.gen) session_release(s);
        sn_body_destroy(s->world, shots[oldest]);
    }
}

void session_shoot(session *s, sn_vec3 from, sn_vec3 velocity, float radius, float density) {
    session_clear_shots(s, MAX_SHOTS - 1);
    const sn_real r = radius > 0 ? radius : (sn_real)(1.5 * s->mean_radius);
    const sn_vec3 along = sn_mul((sn_real)0.75 * r, sn_normalize(velocity, sn_v3(0, 1, 0)));
    const sn_vec3 points[2] = {sn_sub(from, along), sn_add(from, along)};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = 2, def.radius = r;
    def.material = sn_material_make((sn_real)1e6, (sn_real)0.45, density > 0 ? density : 1000);
    def.velocity = velocity;
    def.label = SHOT_LABEL + s->shots++;
    sn_body made;
    sn_rod_create(s->world, &def, &made);
}
