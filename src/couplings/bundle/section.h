// The pose of a cross-section: see section.c.
#ifndef SN_COUPLINGS_BUNDLE_SECTION_H
#define SN_COUPLINGS_BUNDLE_SECTION_H

// x -> centre + scale rotation U (x - rest).
typedef struct {
    double rest[3];     // mean of the points at rest
    double centre[3];   // mean of the points now
    double rotation[4]; // unit quaternion, w last
    double scale;
    double across[2]; // a, b of the stretch U in the section's plane
} sn_section_pose;

// The plane of a section at rest: two unit vectors, or zeros: it has none, and U = 1. 'middle': some point near its points.
typedef struct {
    double u[3], v[3], middle[3];
} sn_section_plane;

// The plane across a direction.
sn_section_plane sn_section_plane_across(const double normal[3], const double middle[3]);

// U x, and U^-1 x.
void sn_section_stretch(const sn_section_plane *plane, const double across[2], const double x[3], double out[3]);
void sn_section_unstretch(const sn_section_plane *plane, const double across[2], const double x[3], double out[3]);
// How U x changes with a and b.
void sn_section_stretch_rates(const sn_section_plane *plane, const double across[2], const double x[3],
                              double out[2][3]);
// scale rotation U (x - rest).
void sn_section_lever(const sn_section_pose *pose, const sn_section_plane *plane, const double x[3], double out[3]);

// The principal axes of U, as a rotation (along the section's plane x and y, across it z), and how much each stretches.
void sn_section_axes(const sn_section_plane *plane, const double across[2], double axes[4], double stretch[2]);

// p q of quaternions, w last.
void sn_section_multiply(const double p[4], const double q[4], double out[4]);
void sn_section_make_unit(double q[4]);
// The mean of a section's rotation and that of the one before; returns the length of their sum.
double sn_section_mean_rotation(const double own[4], const double before[4], double out[4]);
// The same, and its rotation as the two rotate.
void sn_section_mean_rates(const double own[4], const double before[4], double mean[4], double own_rate[3][3],
                           double before_rate[3][3]);

#endif
