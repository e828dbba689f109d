// What is built of rods and joints: a bridge, a rope ladder, a chain, a net, a marionette. Five seconds each.
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>

static const double gravity = 9.81;

// Two ropes of 4 m, clamped at both ends, carry 20 planks on joints.
static void make_bridge(coupling_run *run) {
    enum { PLANKS = 20 };
    sn_material rope = sn_material_preset(SN_PRESET_ROPE), wood = coupling_material(1e9, 600);
    sn_vec3 points[2 * PLANKS + 1];
    sn_body sides[2];
    for (int k = 0; k < 2; k++) {
        double z = k ? 0.4 : -0.4;
        sn_rod_def def = coupling_line_def(points, vec(-2, 1, z), vec(2, 1, z), 2 * PLANKS, 0.02, rope);
        def.clamp_first = def.clamp_last = true;
        sides[k] = coupling_rod(run, &def);
    }
    for (int i = 0; i < PLANKS; i++) {
        double x = -1.9 + 0.2 * i;
        sn_body plank = coupling_line(run, vec(x, 1, -0.4), vec(x, 1, 0.4), 2, 0.04, wood);
        coupling_join(run, plank, 0, sides[0], 2 * i + 1);
        coupling_join(run, plank, 2, sides[1], 2 * i + 1);
    }
}

static void make_bare_bridge(coupling_run *run) {
    make_bridge(run);
    run->scale = coupling_total_mass(run->world) * gravity * 1;
}

static void make_loaded_bridge(coupling_run *run) {
    make_bridge(run);
    coupling_weight(run, vec(-0.3, 1.4, 0), vec(0.3, 1.4, 0), 2, 0.1, 1e9, 100);
    run->scale = coupling_total_mass(run->world) * gravity * 1;
}

// Two ropes of 3 m with ten rungs; a man's weight hangs on the lowest.
static void make_ladder(coupling_run *run) {
    enum { RUNGS = 10 };
    sn_material rope = sn_material_preset(SN_PRESET_ROPE), wood = coupling_material(1e9, 600);
    sn_body sides[2];
    for (int k = 0; k < 2; k++) {
        double x = k ? 0.2 : -0.2;
        sides[k] = coupling_line(run, vec(x, 4, 0), vec(x, 1, 0), 3 * RUNGS, 0.01, rope);
        coupling_pin(run, sides[k], 0);
    }
    for (int i = 0; i < RUNGS; i++) {
        double y = 4 - 0.3 * i - 0.2;
        sn_body rung = coupling_line(run, vec(-0.2, y, 0), vec(0.2, y, 0), 2, 0.02, wood);
        coupling_join(run, rung, 0, sides[0], 3 * i + 2);
        coupling_join(run, rung, 2, sides[1], 3 * i + 2);
        if (i < RUNGS - 1) continue;
        sn_body man = coupling_weight(run, vec(0, y, 0), vec(0, y - 0.8, 0), 4, 0.12, 1e7, 80);
        coupling_join(run, man, 0, rung, 1);
    }
    run->scale = coupling_total_mass(run->world) * gravity * 1;
}

// Forty short rods of steel, end to end, level, held at one end.
static void make_jointed_chain(coupling_run *run) {
    enum { LINKS = 40 };
    const double size = 0.05;
    sn_body last = {0};
    for (int i = 0; i < LINKS; i++) {
        sn_body link = coupling_line(run, vec(size * i, 3, 0), vec(size * (i + 1), 3, 0), 2, 0.005,
                                     sn_material_preset(SN_PRESET_STEEL));
        if (i == 0) {
            coupling_pin(run, link, 0);
        } else {
            coupling_join(run, link, 0, last, 2);
        }
        last = link;
    }
    run->scale = coupling_total_mass(run->world) * gravity * 0.5 * size * LINKS;
}

// Forty rings of steel wire through each other, every second one turned by a right angle; the first is held at its top. An oval
// of 5 cm by 3 cm; each hangs 1 mm higher than where it would lie in the one above.
static void make_linked_chain(coupling_run *run) {
    enum { LINKS = 40, POINTS = 16 };
    const double wire = 0.003, straight = 0.02, bend = 0.012; // an oval: two half circles and two straight sides
    const double inner = straight + 2 * (bend - wire), pitch = inner - 0.001;
    for (int i = 0; i < LINKS; i++) {
        sn_vec3 points[POINTS];
        for (int k = 0; k < POINTS; k++) {
            double angle = 6.283185307179586 * (k + 0.5) / POINTS;
            double across = bend * cos(angle), up = bend * sin(angle) + (sin(angle) > 0 ? 0.5 : -0.5) * straight;
            double y = 3 - pitch * i + up;
            points[k] = i % 2 ? vec(0, y, across) : vec(across, y, 0);
        }
        sn_rod_def def = sn_rod_def_default();
        def.points = points;
        def.point_count = POINTS;
        def.closed = true;
        def.radius = (sn_real)wire;
        def.material = sn_material_preset(SN_PRESET_STEEL);
        sn_body link = coupling_rod(run, &def);
        if (i > 0) continue;
        coupling_pin(run, link, POINTS / 4 - 1);
        coupling_pin(run, link, POINTS / 4);
    }
    run->scale = coupling_total_mass(run->world) * gravity * 0.5 * pitch * LINKS;
}

// Ten ropes each way, tied where they cross, with its four corners held; a ball of 20 kg falls into it or none.
static void make_net(coupling_run *run) {
    enum { KNOTS = 10, BETWEEN = 2, SEGMENTS = (KNOTS - 1) * BETWEEN };
    const double mesh = 0.2, edge = mesh * (KNOTS - 1);
    sn_material rope = sn_material_preset(SN_PRESET_ROPE);
    sn_body rows[KNOTS];
    for (int i = 0; i < KNOTS; i++) {
        rows[i] = coupling_line(run, vec(0, 2, mesh * i), vec(edge, 2, mesh * i), SEGMENTS, 0.005, rope);
    }
    for (int i = 0; i < KNOTS; i++) {
        sn_body column = coupling_line(run, vec(mesh * i, 2, 0), vec(mesh * i, 2, edge), SEGMENTS, 0.005, rope);
        for (int k = 0; k < KNOTS; k++) coupling_join(run, column, BETWEEN * k, rows[k], BETWEEN * i);
    }
    for (int k = 0; k < 4; k++) coupling_pin(run, rows[k & 1 ? KNOTS - 1 : 0], k & 2 ? SEGMENTS : 0);
    run->scale = coupling_total_mass(run->world) * gravity * 1;
}

static void make_loaded_net(coupling_run *run) {
    make_net(run);
    coupling_weight(run, vec(0.85, 2.3, 0.9), vec(0.95, 2.3, 0.9), 1, 0.18, 1e7, 20);
    run->scale = coupling_total_mass(run->world) * gravity * 1;
}

// A limb of two rods from 'from' over 'middle' to 'to', jointed to a point of a body. Returns the two rods.
static void make_limb(coupling_run *run, sn_body body, int point, const sn_vec3 at[3], double radius, sn_body out[2]) {
    sn_material wood = coupling_material(1e8, 600);
    out[0] = coupling_line(run, at[0], at[1], 2, radius, wood);
    out[1] = coupling_line(run, at[1], at[2], 2, 0.8 * radius, wood);
    coupling_join(run, out[0], 0, body, point);
    coupling_join(run, out[1], 0, out[0], 2);
}

// A figure of twelve rods, let go with its arms spread, on strings of 3 mm to its head, hands and thighs.
static void make_marionette(coupling_run *run) {
    enum { STRINGS = 5, SEGMENTS = 12 };
    sn_material wood = coupling_material(1e8, 600);
    sn_body spine = coupling_line(run, vec(0, 1, 0), vec(0, 1.5, 0), 5, 0.04, wood);
    sn_body head = coupling_line(run, vec(0, 1.5, 0), vec(0, 1.7, 0), 2, 0.05, wood);
    sn_body shoulders = coupling_line(run, vec(-0.15, 1.4, 0), vec(0.15, 1.4, 0), 2, 0.03, wood);
    sn_body hips = coupling_line(run, vec(-0.1, 1, 0), vec(0.1, 1, 0), 2, 0.03, wood);
    coupling_join(run, head, 0, spine, 5);
    coupling_join(run, shoulders, 1, spine, 4);
    coupling_join(run, hips, 1, spine, 0);
    sn_body ends[STRINGS] = {head};
    sn_vec3 places[STRINGS] = {vec(0, 1.7, 0)};
    for (int k = 0; k < 2; k++) {
        double side = k ? 1 : -1;
        sn_vec3 arm[3] = {vec(0.15 * side, 1.4, 0), vec(0.4 * side, 1.4, 0), vec(0.65 * side, 1.4, 0)};
        sn_vec3 leg[3] = {vec(0.1 * side, 1, 0), vec(0.12 * side, 0.7, 0.08), vec(0.12 * side, 0.4, 0)};
        sn_body arms[2], legs[2];
        make_limb(run, shoulders, 2 * k, arm, 0.025, arms);
        make_limb(run, hips, 2 * k, leg, 0.03, legs);
        ends[1 + k] = arms[1], places[1 + k] = arm[2];
        ends[3 + k] = legs[0], places[3 + k] = vec(0.11 * side, 0.85, 0.04);
    }
    for (int k = 0; k < STRINGS; k++) {
        sn_vec3 top = vec((double)places[k].x, 2.6, (double)places[k].z);
        sn_body string = coupling_line(run, top, places[k], SEGMENTS, 0.0015, sn_material_preset(SN_PRESET_ROPE));
        coupling_pin(run, string, 0);
        coupling_join(run, ends[k], k < 3 ? 2 : 1, string, SEGMENTS);
    }
    run->scale = coupling_total_mass(run->world) * gravity * 1;
}

static const struct {
    const char *name;
    void (*make)(coupling_run *run);
} structures[] = {
    {"bridge.bare", make_bare_bridge},    {"bridge.log", make_loaded_bridge}, {"ladder", make_ladder},
    {"chain.joints", make_jointed_chain}, {"chain.rings", make_linked_chain}, {"net.bare", make_net},
    {"net.ball", make_loaded_net},        {"marionette", make_marionette},
};

static void title(int i, char *out, size_t capacity) {
    snprintf(out, capacity, "%s", structures[i].name);
}

static void run_structure(int i, const coupling_settings *settings, coupling_result *out) {
    coupling_run run;
    coupling_begin(&run, settings, out);
    structures[i].make(&run);
    run.bars = (coupling_bars){.energy = 1e-3, .volume = 0.03, .impact = 0.1, .rest = 0.01};
    coupling_simulate(&run);
    coupling_end(&run);
}

const coupling_family coupling_structures = {"", sizeof structures / sizeof *structures, title, run_structure};
