// Pill against box: the closed form against a search along the pill, in double on the same numbers.
#include "pill_cases.h"

typedef struct {
    dvec c0, u, half;
    double ra, dr;
} box_oracle;

static dvec d_rotate_back(sn_quat q, dvec v) { // by the conjugate
    dvec axis = {-q.x, -q.y, -q.z};
    double w = q.w;
    dvec t = {2 * (axis.y * v.z - axis.z * v.y), 2 * (axis.z * v.x - axis.x * v.z), 2 * (axis.x * v.y - axis.y * v.x)};
    return (dvec){v.x + w * t.x + axis.y * t.z - axis.z * t.y, v.y + w * t.y + axis.z * t.x - axis.x * t.z,
                  v.z + w * t.z + axis.x * t.y - axis.y * t.x};
}

static box_oracle box_oracle_of(const sn_pill *pill, const sn_box *box) {
    return (box_oracle){
        d_rotate_back(box->rotation, d_sub(d_of(pill->a), d_of(box->centre))),
        d_rotate_back(box->rotation, d_sub(d_of(pill->b), d_of(pill->a))),
        d_of(box->half),
        pill->ra,
        (double)pill->rb - pill->ra,
    };
}

static double box_objective(const box_oracle *o, double t) {
    dvec c = d_axpy(o->c0, t, o->u);
    double q[3] = {fabs(c.x) - o->half.x, fabs(c.y) - o->half.y, fabs(c.z) - o->half.z};
    double largest = fmax(q[0], fmax(q[1], q[2]));
    dvec out = {fmax(q[0], 0), fmax(q[1], 0), fmax(q[2], 0)};
    return (largest > 0 ? d_length(out) : largest) - (o->ra + t * o->dr);
}

static double box_minimum(const box_oracle *o) {
    const double golden = 0.61803398874989484820;
    double lo = 0, hi = 1, best = fmin(box_objective(o, 0), box_objective(o, 1));
    for (int i = 0; i < 60; i++) {
        double x1 = hi - golden * (hi - lo), x2 = lo + golden * (hi - lo);
        double f1 = box_objective(o, x1), f2 = box_objective(o, x2);
        best = fmin(best, fmin(f1, f2));
        if (f1 < f2) {
            hi = x2;
        } else {
            lo = x1;
        }
    }
    return best;
}

static sn_quat some_rotation(rng *r) {
    return sn_q_normalize((sn_quat){(sn_real)between(r, -1, 1), (sn_real)between(r, -1, 1), (sn_real)between(r, -1, 1),
                                    (sn_real)between(r, -1, 1)});
}

TEST(pill_box_against_search) {
    rng r = {2024};
    double worst = 0, worst_report = 0;
    for (int i = 0; i < PAIR_COUNT / 5; i++) {
        sn_pill pill, other;
        make_case(&r, i % CASE_COUNT, &pill, &other);
        double size = 0.2 + d_length(d_sub(d_of(pill.b), d_of(pill.a))) + pill.ra + pill.rb;
        sn_box box = {
            sn_add(pill.a, in_cube(&r, size)), some_rotation(&r),
            sn_v3((sn_real)(between(&r, 0, size)), (sn_real)(between(&r, 0, size)), (sn_real)(between(&r, 0, size)))};
        if (i % 3 == 0) box.rotation = sn_q_identity(); // with pills along its faces
        if (i % 6 == 0) pill.b.y = pill.a.y;
        if (i % 12 == 0) pill.b.z = pill.a.z;
        if (i % 7 == 0) box.half.y = 0;
        sn_contact_point t = sn_pill_box(&pill, &box);
        box_oracle o = box_oracle_of(&pill, &box);
        double excess = (box_objective(&o, t.alpha) - box_minimum(&o)) / size;
        double report = fabs(t.distance - box_objective(&o, t.alpha)) / size;
        worst = fmax(worst, excess);
        worst_report = fmax(worst_report, report);
        bool good = t.alpha >= 0 && t.alpha <= 1 && fabs(d_length(d_of(t.normal)) - 1) < 2e-6 && sn_finite3(t.point);
        if (!good) CHECK(good);
    }
    printf("pill-box: worse than the search by at most %.2g of the size\n", worst);
    CHECK_NEAR(worst, 0, 1e-5);
    CHECK_NEAR(worst_report, 0, 1e-5);
}

// Moving the pill along the normal by the depth takes it out.
TEST(the_normal_points_out) {
    rng r = {7};
    for (int i = 0; i < 20000; i++) {
        sn_box box = {in_cube(&r, 3), some_rotation(&r), {0.5f, 0.7f, 0.2f}};
        sn_pill pill = some_pill(&r, 0.5);
        pill.a = sn_add(pill.a, box.centre);
        pill.b = sn_add(pill.b, box.centre);
        sn_contact_point t = sn_pill_box(&pill, &box);
        if (t.distance >= -1e-3f) continue;
        // To first order; inside, where the deepest place is on a ridge, several times.
        double start = t.distance;
        for (int k = 0; k < 60 && t.distance < -1e-4f; k++) {
            sn_vec3 way = sn_mul(-t.distance, t.normal);
            pill.a = sn_add(pill.a, way);
            pill.b = sn_add(pill.b, way);
            t = sn_pill_box(&pill, &box);
        }
        CHECK(t.distance >= -1e-4f && t.distance > start);
    }
}

TEST(lying_on_a_box_has_two_contacts) {
    sn_box box = {{10, 0, 0}, {0, 0, 0, 1}, {1, 0.5f, 1}};
    sn_contact_point t[2];
    sn_pill lying = {{9.5f, 0.6f, 0}, {10.5f, 0.6f, 0.3f}, 0.1f, 0.1f};
    REQUIRE(sn_pill_box_contacts(&lying, &box, 0.01f, t) == 2);
    CHECK_NEAR(t[0].alpha, 0, 1e-6);
    CHECK_NEAR(t[1].alpha, 1, 1e-6);
    CHECK_NEAR(t[0].normal.y, 1, 1e-6);
    CHECK_NEAR(t[0].point.y, 0.5, 1e-6);
    sn_pill over = {{9.5f, 0.6f, 0}, {12.5f, 0.6f, 0}, 0.1f, 0.1f}; // half of it beyond the edge
    REQUIRE(sn_pill_box_contacts(&over, &box, 0.01f, t) == 2);
    CHECK_NEAR(t[1].alpha, 0.5, 1e-5);
    sn_pill standing = {{10, 0.6f, 0}, {10, 2, 0}, 0.1f, 0.1f};
    CHECK_INT(sn_pill_box_contacts(&standing, &box, 0.01f, t), 1);
    sn_pill on_edge = {{10.5f, 1, -2}, {11.5f, 0, -2}, 0.1f, 0.1f}; // past its end
    CHECK_INT(sn_pill_box_contacts(&on_edge, &box, 0.01f, t), 0);
}
