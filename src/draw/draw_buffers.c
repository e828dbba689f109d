// Debug drawing into vertex buffers. A pill is a surface of revolution: its outline goes around the ball at end a, along the cone that
// touches both balls, and around the ball at end b,
//
//     x(f) = axis c + r (sin f along + cos f across),   f from -90 degrees to the cone at a, from the cone to 90 degrees at b,
//
// where the cone leaves both balls at the same angle: sin f = (r_a - r_b) / length.
#include "base/math/trig.h"
#include "base/math/vec.h"
#include "sinew/draw.h"

static void put(sn_draw_vertex *array, int capacity, int *count, sn_vec3 at, sn_vec3 normal, uint32_t colour) {
    if (array && *count < capacity)
        array[*count] = (sn_draw_vertex){
            {(float)at.x, (float)at.y, (float)at.z}, {(float)normal.x, (float)normal.y, (float)normal.z}, colour};
    ++*count;
}

static void put_corner(sn_draw_buffers *b, sn_vec3 at, sn_vec3 normal, uint32_t colour) {
    put(b->triangles, b->triangle_capacity, &b->triangle_count, at, normal, colour);
}

static void put_triangle(void *user, sn_vec3 p, sn_vec3 q, sn_vec3 r, uint32_t colour) {
    const sn_vec3 n = sn_normalize(sn_cross(sn_sub(q, p), sn_sub(r, p)), sn_v3(0, 1, 0));
    put_corner(user, p, n, colour), put_corner(user, q, n, colour), put_corner(user, r, n, colour);
}

static void put_line(void *user, sn_vec3 p, sn_vec3 q, uint32_t colour) {
    sn_draw_buffers *b = user;
    const sn_vec3 none = {0, 0, 0};
    put(b->lines, b->line_capacity, &b->line_count, p, none, colour);
    put(b->lines, b->line_capacity, &b->line_count, q, none, colour);
}

// A circle of the outline: its centre, radius, and how far its normals lean along the axis.
typedef struct {
    sn_vec3 centre;
    sn_real radius, lean, out;
} ring;

typedef struct {
    sn_vec3 along, across[2];
    int sides;
} round_frame;

static ring ring_at(const round_frame *f, sn_vec3 c, sn_real r, sn_real sine, sn_real cosine) {
    return (ring){sn_mul_add(c, r * sine, f->along), r * cosine, sine, cosine};
}

static sn_vec3 around(const round_frame *f, int k) {
    sn_real sine, cosine;
    sn_sincos(2 * SN_PI * (sn_real)(k % f->sides) / (sn_real)f->sides, &sine, &cosine);
    return sn_mul_add(sn_mul(cosine, f->across[0]), sine, f->across[1]);
}

static void put_band(sn_draw_buffers *b, const round_frame *f, const ring *low, const ring *high, uint32_t colour) {
    const ring *const of[6] = {low, low, high, low, high, high};
    const int step[6] = {0, 1, 1, 0, 1, 0};
    for (int k = 0; k < f->sides; k++)
        for (int i = 0; i < 6; i++) {
            const sn_vec3 side = around(f, k + step[i]);
            put_corner(b, sn_mul_add(of[i]->centre, of[i]->radius, side),
                       sn_mul_add(sn_mul(of[i]->lean, f->along), of[i]->out, side), colour);
        }
}

static void put_pill(void *user, sn_vec3 a, sn_vec3 b, sn_real ra, sn_real rb, uint32_t colour) {
    sn_draw_buffers *to = user;
    const sn_vec3 u = sn_sub(b, a);
    const sn_real length = sn_length(u);
    if (!(length > sn_abs(ra - rb))) { // one ball holds the other
        if (rb > ra) a = b, ra = rb;
        b = a, rb = ra;
    }
    round_frame f = {.along = sn_normalize(u, sn_v3(0, 1, 0)),
                     .sides = to->sides >= 3 && to->sides <= 64 ? to->sides : 8};
    sn_tangents(f.along, &f.across[0], &f.across[1]);
    const sn_real slope = length > sn_abs(ra - rb) ? (ra - rb) / length : 0;
    const sn_real cone = sn_atan2(slope, sn_sqrt(1 - slope * slope)), quarter = (sn_real)0.5 * SN_PI;
    const int rings = f.sides / 4 + 1;
    ring last = {0};
    for (int i = 0; i <= 2 * rings + 1; i++) {
        const bool second = i > rings;
        const sn_real part = (sn_real)(second ? i - rings - 1 : i) / (sn_real)rings;
        sn_real sine, cosine;
        sn_sincos(second ? cone + part * (quarter - cone) : -quarter + part * (cone + quarter), &sine, &cosine);
        const ring now = ring_at(&f, second ? b : a, second ? rb : ra, sine, cosine);
        if (i > 0) put_band(to, &f, &last, &now, colour);
        last = now;
    }
}

sn_debug_draw sn_draw_into(sn_draw_buffers *buffers) {
    sn_debug_draw draw = sn_debug_draw_default();
    if (!buffers) return draw;
    draw.pill = put_pill, draw.triangle = put_triangle, draw.line = put_line, draw.user = buffers;
    return draw;
}
