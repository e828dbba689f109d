// The rows of joints in the common solve: joint_rows.c for what holds, joint_free.c for what is left free.
#ifndef SN_COUPLINGS_JOINT_JOINT_ROWS_H
#define SN_COUPLINGS_JOINT_JOINT_ROWS_H

#include "couplings/joint/joint.h"

// Positions are measured in double, with what rounding left of them: a joint is so stiff that the last digit of a float is a force.
static inline double sn_coordinate(sn_vec3 v, int k) {
    return (double)(k == 0 ? v.x : k == 1 ? v.y : v.z);
}
static inline double sn_node_at(const sn_node *node, int k) {
    return sn_coordinate(node->c, k) + sn_coordinate(node->low, k);
}

// The rotation vector of a rotation; exact enough up to half a turn, where it is longest.
static inline sn_vec3 sn_rotation_vector(sn_quat q) {
    sn_real sign = q.w < 0 ? -2 : 2, sine2 = q.x * q.x + q.y * q.y + q.z * q.z;
    sn_real stretch = 1 + sine2 * ((sn_real)(1.0 / 6) + (sn_real)0.075 * sine2); // of asin(x)/x
    return sn_mul(sign * stretch, sn_v3(q.x, q.y, q.z));
}

// A joint where the bodies are, at a share of the step.
typedef struct {
    const sn_contacts *c;
    const sn_solve *solve;
    sn_joint_body *joint;
    int number;
    sn_real share, h;
} sn_joint_now;

// joint_rows.c
sn_quat sn_joint_frame_of_b(const sn_contacts *c, const sn_joint_body *joint, sn_real share);
double sn_joint_point_of_b(const sn_contacts *c, const sn_joint_body *joint, sn_real share, int k);
sn_quat sn_joint_frame_of_a(const sn_joint_now *now);
// From where side b is held to where side a is; the levers are those of the two bodies up to there.
void sn_joint_measure_offset(const sn_joint_now *now, double offset[3], sn_vec3 lever[2]);
// A row of a's displacement along a direction, less b's, at these levers; and of a's rotation about one, less b's.
void sn_joint_row_along(const sn_joint_now *now, sn_joint_row *row, sn_vec3 direction, const sn_vec3 lever[2]);
void sn_joint_row_about(const sn_joint_now *now, sn_joint_row *row, sn_vec3 axis);
// All rows of a joint; returns how many there are: sn_joint_row_count.
int sn_joint_measure(const sn_joint_now *now, sn_joint_row *rows);

// joint_free.c: rows of sliders and distances, limits, motors and friction.
int sn_joint_measure_slider(const sn_joint_now *now, sn_joint_row *rows);
int sn_joint_measure_free(const sn_joint_now *now, sn_joint_row *rows);

#endif
