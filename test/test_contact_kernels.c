// The lane kernels of contacts in the common solve against a scalar twin in double: gap, slip, forces, slopes and energies in
// node space, and forces against finite differences of the energy. A double twin of this file is sharper.
#include "couplings/contact/contact_block.h"
#include "mixed_world.h"
#include "test.h"
#include <float.h>
#include <math.h>

enum { NODES = 6, SLOTS = NODES * SN_BLOCK, CONTACTS = 13, DOFS = 5 }; // the last lanes of the block are empty

#ifdef SN_DOUBLE
#define CLOSE 1e-11
#else
#define CLOSE 2e-5
#endif

static uint32_t random_state = 1;
static double noise(void) { // -1 to 1
    random_state = random_state * 1664525u + 1013904223u;
    return (double)(random_state >> 8) / 8388608.0 - 1;
}

typedef struct {
    sn_node nodes[SLOTS];
    sn_node_pill pills[SLOTS];
    sn_proxies proxies;
    sn_contact_block block;
} contacts;

typedef struct {
    double quads[4 * SLOTS], spin[SLOTS];
} vector; // of node space

typedef struct {
    sn_real quads[4 * SLOTS], spin[SLOTS];
} real_vector;

static sn_node_vector of(real_vector *v) {
    return (sn_node_vector){v->quads, v->spin};
}
static double *number(vector *v, int slot, int k) {
    return k < 4 ? &v->quads[4 * slot + k] : &v->spin[slot];
}

// ---- nodes of a contact: 0, 1 of side a, 2, 3 of side b, 4 and 5 third corners

static bool has_node(sn_contact_form form, int k) {
    return k < 2 || (k < 4 ? sn_form_both(form) : sn_form_third(form, k - 4));
}
static int side_of(int k) {
    return k < 2 || k == 4 ? 0 : 1;
}
static int slot_of(const sn_contact_block *b, int i, int k) {
    return k < 4 ? b->slot[k][i] : b->third_slot[k - 4][i];
}
static double radius_of(const sn_contact_block *b, int i, int k) {
    return (double)(k < 4 ? b->r[k][i] : b->third_r[k - 4][i]);
}
static double weight_of(const sn_contact_block *b, int i, int k) {
    const double second[2] = {(double)b->alpha[i], (double)b->beta[i]};
    const int side = side_of(k);
    const double third = sn_form_third(b->form, side) ? (double)b->third[side][i] : 0;
    const double weight = k >= 4 ? third : k % 2 ? second[side] : 1 - second[side] - third;
    return side ? -weight : weight;
}
static bool can_spin(sn_contact_form form, int side) {
    return !sn_form_third(form, side) && (side == 0 || sn_form_both(form));
}

// ---- the twin

typedef struct {
    double gap, slip[3];
} opening;

// Gap and slip are linear in the displacement of nodes and the spin of pills, 'sides' says whose.
static opening motion_of(const sn_contact_block *b, int i, const vector *d, int sides) {
    opening o = {0, {0}};
    for (int k = 0; k < NODES; k++) {
        if (!has_node(b->form, k) || !(sides & (1 << side_of(k)))) continue;
        const double *move = d->quads + 4 * slot_of(b, i, k), weight = weight_of(b, i, k);
        double along = 0;
        for (int x = 0; x < 3; x++) along += (double)b->n[x][i] * move[x];
        o.gap += weight * along - fabs(weight) * radius_of(b, i, k) * move[3];
        for (int x = 0; x < 3; x++) o.slip[x] += weight * (move[x] - along * (double)b->n[x][i]);
    }
    for (int side = 0; side < 2; side++) {
        if (!can_spin(b->form, side) || !(sides & (1 << side))) continue;
        const double spin = d->spin[slot_of(b, i, 2 * side + 1)];
        for (int x = 0; x < 3; x++) o.slip[x] += spin * (side ? -(double)b->arm_b[x][i] : (double)b->arm_a[x][i]);
    }
    return o;
}

static double energy_of(const sn_contact_block *b, int i, const vector *d) {
    const opening o = motion_of(b, i, d, 3);
    const double depth = (double)b->target[i] - ((double)b->gap[i] + o.gap);
    double slip2 = 0;
    for (int x = 0; x < 3; x++) slip2 += pow((double)b->slip[x][i] + o.slip[x], 2);
    // friction: a spring up to its largest force, then that force
    const double k = (double)b->k[i], max = (double)b->friction_max[i], slip = sqrt(slip2);
    const double rubs = k * slip < max ? 0.5 * k * slip2 : k > 0 ? max * (slip - 0.5 * max / k) : 0;
    return 0.5 * k * (depth > 0 ? depth * depth : 0) + rubs;
}

static void add(vector *to, const vector *d, double times) {
    for (int i = 0; i < 4 * SLOTS; i++) to->quads[i] += times * d->quads[i];
    for (int i = 0; i < SLOTS; i++) to->spin[i] += times * d->spin[i];
}

// What the matrices of the bodies know of a contact, as p^T K p: of an exact side k j j^T; of a nodal side a block diagonal.
static double known_of(const sn_contact_block *b, int i, const vector *p) {
    double sum = 0;
    for (int side = 0; side < (sn_form_both(b->form) ? 2 : 1); side++) {
        const double pre = (double)b->pre[i], friction = (double)b->friction_k[i];
        if (!(b->nodal[side][i] > 0)) {
            const opening o = motion_of(b, i, p, 1 << side);
            sum += pre * o.gap * o.gap;
            for (int x = 0; x < 3; x++) sum += friction * o.slip[x] * o.slip[x];
            continue;
        }
        const double twice = can_spin(b->form, side) ? 2 : 1; // nodes and spin are two parts
        for (int k = 0; k < NODES; k++) {
            if (!has_node(b->form, k) || side_of(k) != side) continue;
            const double *move = p->quads + 4 * slot_of(b, i, k), size = fabs(weight_of(b, i, k));
            double along = 0, across = 0;
            for (int x = 0; x < 3; x++) along += (double)b->n[x][i] * move[x];
            for (int x = 0; x < 3; x++) across += pow(move[x] - along * (double)b->n[x][i], 2);
            sum += pre * size * pow((side ? -along : along) - radius_of(b, i, k) * move[3], 2);
            sum += twice * friction * size * across;
        }
        const double spin = can_spin(b->form, side) ? p->spin[slot_of(b, i, 2 * side + 1)] : 0;
        for (int x = 0; x < 3; x++) sum += twice * friction * pow(spin * (double)(side ? b->arm_b : b->arm_a)[x][i], 2);
    }
    return sum;
}

// ---- a block of contacts that share no node

static void set_node(contacts *c, int i, int k, int node) {
    sn_contact_block *b = &c->block;
    if (k < 4)
        b->node[k][i] = b->driver[k][i] = b->slot[k][i] = node;
    else
        b->third_node[k - 4][i] = b->third_driver[k - 4][i] = b->third_slot[k - 4][i] = node;
}

static void fill_nodes(contacts *c) {
    memset(c->nodes, 0, sizeof c->nodes);
    memset(c->pills, 0, sizeof c->pills);
    for (int i = 0; i < SLOTS; i++) {
        sn_node *n = &c->nodes[i];
        sn_real *numbers[6] = {&n->c.x, &n->c.y, &n->c.z, &n->c0.x, &n->c0.y, &n->c0.z};
        for (int k = 0; k < 6; k++) *numbers[k] = (sn_real)noise();
        n->s = (sn_real)(1 + 0.2 * noise()), n->s0 = 1;
        n->w = n->ws = n->squeeze = 1, n->radius = (sn_real)(0.2 + 0.1 * noise());
        if (i % 7 == 0) n->ws = 0; // its scale is fixed
        double axis[3] = {noise(), noise(), noise()};
        const double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        c->pills[i] = (sn_node_pill){.a = 0, .b = i, .w_spin = i % 5 ? 1 : 0, .spin = (sn_real)(0.3 * noise())};
        c->pills[i].axis = (sn_vec3){(sn_real)(axis[0] / size), (sn_real)(axis[1] / size), (sn_real)(axis[2] / size)};
    }
    c->proxies = (sn_proxies){.nodes = c->nodes, .pills = c->pills, .count = SLOTS};
}

static void fill_block(contacts *c, sn_contact_form form) {
    sn_contact_block *b = &c->block;
    memset(b, 0, sizeof *b);
    b->form = form, b->count = CONTACTS;
    for (int i = 0; i < SN_BLOCK; i++) {
        for (int k = 0; k < NODES; k++) set_node(c, i, k, NODES * i + k);
        double n[3] = {noise(), noise(), noise()};
        const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int x = 0; x < 3; x++) {
            b->n[x][i] = (sn_real)(n[x] / size);
            b->anchor[x][i] = (sn_real)noise(), b->drift[x][i] = (sn_real)(0.1 * noise());
            b->stretch[x][i] = (sn_real)(0.1 * noise());
        }
        for (int side = 0; side < 2; side++) {
            const double second = 0.5 + 0.4 * noise();
            (side ? b->beta : b->alpha)[i] = b->spot[side][0][i] = (sn_real)second;
            if (sn_form_third(form, side))
                b->third[side][i] = b->spot[side][1][i] = (sn_real)((1 - second) * (0.5 + 0.4 * noise()));
            b->nodal[side][i] = (sn_real)((i >> side) & 1);
        }
        b->k[i] = (sn_real)(100 * (2 + noise()));
        b->stick[i] = (sn_real)0.5, b->slide[i] = (sn_real)0.4;
        b->load[i] = (sn_real)(i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 1e4); // frictionless, sliding, sticking
        b->island[i] = i % 3;
    }
}

// Some press and some do not, near enough to the edge that a step changes it.
static void set_targets(contacts *c) {
    for (int i = 0; i < SN_BLOCK; i++) c->block.target[i] = c->block.gap[i] + (sn_real)(0.2 * noise());
}

static contacts prepared(const sn_contact_kernels *kernels, sn_contact_form form) {
    static contacts c;
    random_state = 77 + (uint32_t)form;
    fill_nodes(&c);
    fill_block(&c, form);
    c.proxies.nodes = c.nodes, c.proxies.pills = c.pills;
    kernels->prepare(&c.block, 1, &c.proxies);
    set_targets(&c);
    return c;
}

static void random_vector(vector *d, real_vector *r, double size) {
    for (int i = 0; i < 4 * SLOTS; i++) r->quads[i] = (sn_real)(size * noise()), d->quads[i] = (double)r->quads[i];
    for (int i = 0; i < SLOTS; i++) r->spin[i] = (sn_real)(size * noise()), d->spin[i] = (double)r->spin[i];
}

static void check_vector(const real_vector *found, vector *expected, double scale) {
    double worst = 0;
    for (int slot = 0; slot < SLOTS; slot++)
        for (int k = 0; k < DOFS; k++) {
            const double value = (double)(k < 4 ? found->quads[4 * slot + k] : found->spin[slot]);
            worst = fmax(worst, fabs(value - *number(expected, slot, k)));
        }
    CHECK(worst <= CLOSE * scale);
    if (worst > CLOSE * scale) printf("off by %g of %g\n", worst, scale);
}

#define EACH_FORM(kernels, form)                                                                                       \
    int widths[4], width_count = lane_widths(widths);                                                                  \
    for (int w_ = 0; w_ < width_count; w_++)                                                                           \
        for (const sn_contact_kernels *kernels = sn_contact_kernels_for(widths[w_]); kernels; kernels = NULL)          \
            for (sn_contact_form form = 0; form < SN_CONTACT_FORM_COUNT; form++)

// ---- tests

// Moving nodes and rotating pills changes gap and slip as the rows in node space say.
TEST(gap_and_slip_follow_the_nodes) {
    static vector d;
    static real_vector move;
    EACH_FORM(kernels, form) {
        static contacts c, moved;
        c = prepared(kernels, form);
        random_vector(&d, &move, 0.05);
        moved = c;
        for (int i = 0; i < SLOTS; i++) {
            sn_node *n = &moved.nodes[i];
            n->c.x += move.quads[4 * i], n->c.y += move.quads[4 * i + 1], n->c.z += move.quads[4 * i + 2];
            if (n->ws > 0) n->s += move.quads[4 * i + 3];
            if (moved.pills[i].w_spin > 0) moved.pills[i].spin += move.spin[i];
        }
        moved.proxies.nodes = moved.nodes, moved.proxies.pills = moved.pills;
        kernels->prepare(&moved.block, 1, &moved.proxies);
        for (int i = 0; i < CONTACTS; i++) {
            const opening o = motion_of(&c.block, i, &d, 3);
            CHECK_NEAR((double)moved.block.gap[i] - (double)c.block.gap[i], o.gap, 10 * CLOSE);
            // arms are of the radii at the start: they change a little
            for (int x = 0; x < 3; x++)
                CHECK_NEAR((double)moved.block.slip[x][i] - (double)c.block.slip[x][i], o.slip[x], 0.01);
            double across = 0;
            for (int x = 0; x < 3; x++) across += (double)c.block.n[x][i] * (double)c.block.slip[x][i];
            CHECK_NEAR(across, 0, CLOSE);
        }
    }
}

// A ball on a ball, by hand.
TEST(a_gap_is_the_distance_less_the_radii) {
    EACH_FORM(kernels, form) {
        if (form != SN_PILL_PILL) continue;
        static contacts c;
        c = prepared(kernels, form);
        for (int k = 0; k < 4; k++) {
            sn_node *n = &c.nodes[k];
            n->c = n->c0 = (sn_vec3){k < 2 ? 2 : 0, 100, -100}, n->s = 1, n->radius = (sn_real)(k < 2 ? 0.5 : 0.25);
        }
        c.block.n[0][0] = 1, c.block.n[1][0] = c.block.n[2][0] = 0;
        c.proxies.nodes = c.nodes, c.proxies.pills = c.pills;
        kernels->prepare(&c.block, 1, &c.proxies);
        CHECK_NEAR(c.block.gap[0], 1.25, CLOSE);
    }
}

TEST(forces_are_the_gradient_of_the_energy) {
    static real_vector force;
    static vector expected, d;
    EACH_FORM(kernels, form) {
        static contacts c;
        c = prepared(kernels, form);
        memset(&force, 0, sizeof force);
        const sn_node_vector f = of(&force);
        kernels->linearise(&c.block, 1, &f);
        memset(&expected, 0, sizeof expected);
        memset(&d, 0, sizeof d);
        const double h = 1e-4; // the energy is a square: central differences are exact on one side of its edge
        for (int i = 0; i < CONTACTS; i++)
            for (int k = 0; k < NODES; k++)
                for (int m = 0; m < DOFS && has_node(form, k); m++) {
                    double *at = number(&d, slot_of(&c.block, i, k), m);
                    *at = h;
                    const double up = energy_of(&c.block, i, &d);
                    *at = -h;
                    const double down = energy_of(&c.block, i, &d);
                    *at = 0;
                    *number(&expected, slot_of(&c.block, i, k), m) = (down - up) / (2 * h);
                }
        check_vector(&force, &expected, fmax(100, 1e-8 / CLOSE));
    }
}

// Coulomb's law with an elastic stick.
TEST(friction_sticks_within_its_cone_and_slides_on_it) {
    static real_vector force;
    int stuck = 0, slid = 0;
    EACH_FORM(kernels, form) {
        static contacts c;
        c = prepared(kernels, form);
        const sn_node_vector f = of(&force);
        kernels->linearise(&c.block, 1, &f);
        const sn_contact_block *b = &c.block;
        for (int i = 0; i < CONTACTS; i++) {
            double slip = 0;
            for (int x = 0; x < 3; x++) slip += pow((double)b->slip[x][i], 2);
            const double k = (double)b->k[i], load = (double)b->load[i], pull = (double)b->friction_k[i] * sqrt(slip);
            if (!(load > 0)) {
                CHECK(pull == 0);
            } else if (k * sqrt(slip) < (double)b->stick[i] * load) {
                CHECK(b->friction_k[i] == b->k[i]);
                stuck++;
            } else {
                CHECK_NEAR(pull, (double)b->slide[i] * load, CLOSE * load);
                slid++;
            }
        }
    }
    CHECK(stuck > 0 && slid > 0);
}

// Along a direction the slope of the energy is what the kernels say, with what the bodies' matrices know of it.
TEST(slopes_are_those_of_the_energy) {
    static real_vector force, step;
    static vector p, at;
    EACH_FORM(kernels, form) {
        static contacts c;
        c = prepared(kernels, form);
        const sn_node_vector f = of(&force), s = of(&step);
        kernels->linearise(&c.block, 1, &f);
        random_vector(&p, &step, 0.1);
        kernels->rates(&c.block, 1, &s);
        double lacks[CONTACTS];
        for (int i = 0; i < CONTACTS; i++) lacks[i] = (double)c.block.slope_rate[i];
        const sn_real alpha[3] = {(sn_real)0.3, (sn_real)1.1, (sn_real)2.5};
        kernels->slope(&c.block, 1, alpha);
        for (int i = 0; i < CONTACTS; i++) {
            const double a = (double)alpha[c.block.island[i]], h = 1e-5;
            double slope[2];
            for (int end = 0; end < 2; end++) {
                double e[2];
                for (int k = 0; k < 2; k++) {
                    memset(&at, 0, sizeof at);
                    add(&at, &p, (end ? a : 0) + (k ? h : -h));
                    e[k] = energy_of(&c.block, i, &at);
                }
                slope[end] = (e[1] - e[0]) / (2 * h);
            }
            const double known = known_of(&c.block, i, &p);
            CHECK_NEAR(slope[1] - slope[0], (double)c.block.slope[i] + a * (lacks[i] + known),
                       fmax(2000 * CLOSE, 1e-5));
        }
    }
}

// What a matrix knows of a nodal side is at least what the side does: its block diagonal never makes a step too long.
TEST(a_nodal_side_is_never_too_soft) {
    static real_vector force, step;
    static vector p;
    EACH_FORM(kernels, form) {
        static contacts c;
        c = prepared(kernels, form);
        const sn_node_vector f = of(&force);
        kernels->linearise(&c.block, 1, &f);
        for (int round = 0; round < 50; round++) {
            random_vector(&p, &step, 1);
            for (int i = 0; i < CONTACTS; i++)
                for (int side = 0; side < (sn_form_both(form) ? 2 : 1); side++) {
                    if (!(c.block.nodal[side][i] > 0)) continue;
                    const opening o = motion_of(&c.block, i, &p, 1 << side);
                    double exact = (double)c.block.pre[i] * o.gap * o.gap;
                    for (int x = 0; x < 3; x++) exact += (double)c.block.friction_k[i] * o.slip[x] * o.slip[x];
                    CHECK(known_of(&c.block, i, &p) >= exact * (1 - 1e-6));
                }
        }
    }
}

static double known_slope(const sn_contact_block *b, int i, vector *p, int slot, int k) {
    const double h = 1e-3;
    double *at = number(p, slot, k), middle = *at;
    *at = middle + h;
    const double up = known_of(b, i, p);
    *at = middle - h;
    const double down = known_of(b, i, p);
    *at = middle;
    return (up - down) / (4 * h); // of 1/2 p^T K p
}

static double force_at(const sn_contact_block *b, int i, vector *d, int slot, int k) {
    const double h = 1e-6;
    double *at = number(d, slot, k), middle = *at;
    *at = middle + h;
    const double up = energy_of(b, i, d);
    *at = middle - h;
    const double down = energy_of(b, i, d);
    *at = middle;
    return (down - up) / (2 * h);
}

// Advancing adds how forces change, less what the matrices know of that; then the energy is that of where it came to.
TEST(advancing_adds_what_matrices_do_not_know) {
    static real_vector force, step;
    static vector p, d, zero, expected;
    EACH_FORM(kernels, form) {
        static contacts c;
        c = prepared(kernels, form);
        memset(&force, 0, sizeof force);
        const sn_node_vector f = of(&force), s = of(&step);
        kernels->linearise(&c.block, 1, &f);
        random_vector(&p, &step, 0.1);
        kernels->rates(&c.block, 1, &s);
        memset(&force, 0, sizeof force);
        const sn_real alpha[3] = {(sn_real)0.3, (sn_real)1.1, (sn_real)2.5};
        kernels->advance(&c.block, 1, &s, &f, alpha);
        memset(&expected, 0, sizeof expected);
        for (int i = 0; i < CONTACTS; i++) {
            const double a = (double)alpha[c.block.island[i]];
            memset(&zero, 0, sizeof zero);
            memset(&d, 0, sizeof d);
            add(&d, &p, a);
            for (int k = 0; k < NODES; k++)
                for (int m = 0; m < DOFS && has_node(form, k); m++) {
                    const int slot = slot_of(&c.block, i, k);
                    *number(&expected, slot, m) = force_at(&c.block, i, &d, slot, m) -
                                                  force_at(&c.block, i, &zero, slot, m) +
                                                  a * known_slope(&c.block, i, &p, slot, m);
                }
            const opening o = motion_of(&c.block, i, &d, 3);
            CHECK_NEAR(c.block.gap_now[i], (double)c.block.gap[i] + o.gap, 10 * CLOSE);
            for (int x = 0; x < 3; x++)
                CHECK_NEAR(c.block.slip_now[x][i], (double)c.block.slip[x][i] + o.slip[x], 10 * CLOSE);
        }
        check_vector(&force, &expected, fmax(400, 1e-5 / CLOSE));
        const sn_real share[3] = {1, (sn_real)0.5, 0};
        kernels->energy(&c.block, 1, share);
        for (int i = 0; i < CONTACTS; i++) {
            memset(&d, 0, sizeof d);
            add(&d, &p, (double)alpha[c.block.island[i]] * (double)share[c.block.island[i]]);
            const double e = energy_of(&c.block, i, &d);
            CHECK_NEAR(c.block.slope[i], e, 20 * CLOSE * (1 + e));
        }
    }
}

// Every width comes to the same bits, and leaves the nodes of empty lanes alone.
TEST(all_widths_agree_to_the_bit) {
    int widths[4];
    const int count = lane_widths(widths);
    for (sn_contact_form form = 0; form < SN_CONTACT_FORM_COUNT; form++) {
        static contacts first, c;
        static real_vector force[2], step;
        static vector unused;
        for (int w = 0; w < count; w++) {
            const sn_contact_kernels *kernels = sn_contact_kernels_for(widths[w]);
            real_vector *f = &force[w > 0];
            c = prepared(kernels, form);
            memset(f, 0, sizeof *f);
            const sn_node_vector fv = of(f), s = of(&step);
            random_vector(&unused, &step, 0.1);
            const sn_real alpha[3] = {(sn_real)0.3, (sn_real)1.1, (sn_real)2.5};
            kernels->linearise(&c.block, 1, &fv);
            kernels->rates(&c.block, 1, &s);
            kernels->slope(&c.block, 1, alpha);
            kernels->advance(&c.block, 1, &s, &fv, alpha);
            kernels->energy(&c.block, 1, alpha);
            for (int i = 4 * NODES * CONTACTS; i < 4 * SLOTS; i++) CHECK(f->quads[i] == 0);
            for (int i = NODES * CONTACTS; i < SLOTS; i++) CHECK(f->spin[i] == 0);
            if (w == 0) {
                first = c;
                continue;
            }
            for (int i = 0; i < 4 * SLOTS; i++) CHECK(force[0].quads[i] == force[1].quads[i]);
            for (int i = 0; i < SLOTS; i++) CHECK(force[0].spin[i] == force[1].spin[i]);
            for (int i = 0; i < CONTACTS; i++)
                CHECK(first.block.gap_now[i] == c.block.gap_now[i] && first.block.slope[i] == c.block.slope[i]);
        }
    }
}
