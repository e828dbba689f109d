// The shape of an implicit muscle (Roussellet et al. 2018, section 5): a spindle along an axis.
//
//              R = w Phi(s) r(theta)         axis: a polyline p_0 .. p_N, s = 0 .. 1 along its length
//           .---------.                      Phi: thickness along the axis, a blend of two profiles, at rest and active
//     p_0 --+---------+-- p_N                r: the cross-section, a circle or an ellipse with the area of a unit circle
//           `---------'                      w = sqrt(V / (pi l)): keeps the volume V at every length l
//
// Its field is f(q) = |q - C| - R, where C is the foot point of q on the axis: negative inside, 0 on the surface, and
// scaled like a distance. The planes that bisect the angles of the axis separate the foot points of its segments,
//
//     a = (q - p_i) . T_i >= 0 > (q - p_i+1) . T_i+1 = -b,     t = a / (a + b),     C = p_i + t (p_i+1 - p_i),
//
// with T_i the tangent at p_i, so C moves along the axis without jumps, also on the inner side of a bend. If q lies
// between the planes of several segments, the closest of them counts; beyond the ends C is the end.
//
// The radius is stored at the points of the axis and interpolated by a cubic with the given slopes. It can come from
// the two profiles or from anywhere else, e.g. the cross-sections of a bundle of rods.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SPINDLE_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SPINDLE_H

#include "base/math/vec.h"
#include "base/memory.h"
#include "base/stream.h"
#include "sinew/bundle.h"
#include "sinew/implicit_muscle.h"

#define SN_MUSCLE_MAX_POINTS       128 // of an axis
#define SN_MUSCLE_MIN_EXPONENT     2   // alpha and beta
#define SN_MUSCLE_MAX_EXPONENT     9
#define SN_MUSCLE_MAX_ECCENTRICITY ((sn_real)0.995)
#define SN_MUSCLE_MAX_RADIUS       ((sn_real)1e12) // m; limits the radii of diverged bundles and of files

// ---- thickness along the axis

// s^(alpha-1) (1-s)^(beta-1), interpolated between integer exponents; see muscle_profile.c.
typedef struct {
    int alpha, beta;
    bool whole; // c = 1, 0, 0, 0
    double c[2][2];
} sn_muscle_bump;

// Both profiles with their precomputed constants.
typedef struct {
    sn_implicit_muscle_profile rest, active;
    sn_muscle_bump bump[2];
    double scale[2]; // 1 / sqrt(B(2 alpha - 1, 2 beta - 1)) for integers
    double overlap;  // K: the integral of the product of both profiles
} sn_muscle_profile;

// False: an alpha or beta is not 2 to 9, or an eccentricity is not in [0, SN_MUSCLE_MAX_ECCENTRICITY].
bool sn_muscle_profile_init(sn_implicit_muscle_profile rest, sn_implicit_muscle_profile active, sn_muscle_profile *out);

// alpha = beta = 3 at rest and 4, 7 active, round.
sn_muscle_profile sn_muscle_profile_default(void);

// Phi and its slope at s for an activation from 0 to 1. The integral of Phi^2 is 1.
sn_real sn_muscle_profile_eval(const sn_muscle_profile *profile, sn_real activation, sn_real s, sn_real *slope);

// The same in two stages, for many s: the weights of both profiles, then Phi.
typedef struct {
    double rest, active;
} sn_muscle_profile_mix;
sn_muscle_profile_mix sn_muscle_profile_get_mix(const sn_muscle_profile *profile, sn_real activation);
sn_real sn_muscle_profile_eval_mix(const sn_muscle_profile *profile, sn_muscle_profile_mix mix, sn_real s,
                                   sn_real *slope);

// The Beta function of integers, x and y from 1 to 33.
double sn_muscle_beta_function(int x, int y);

// ---- the spindle

// Numbers per segment in the kernel's arrays; see muscle_field_kernel.c.
#define SN_MUSCLE_SCAN_STRIDE    12
#define SN_MUSCLE_SEGMENT_STRIDE 24

typedef struct {
    int points;               // N + 1
    sn_vec3 *axis;            // p_i
    sn_vec3 *tangent;         // T_i, unit
    sn_vec3 *normal;          // n_i, unit, perpendicular to T_i
    sn_real *along;           // s_i, 0 to 1
    sn_real *radius;          // w Phi(s_i), or given
    sn_real *slope;           // its derivative by s
    sn_real *scan;            // per point and the segment after it: to find the segment of a foot point
    sn_real *segments;        // per segment: to evaluate the field
    sn_real *planes;          // rows of all points' x, y, z and of their tangents' x, y, z, padded to whole rows of 16
    sn_real length;           // of the axis, m
    sn_real width;            // w, m; 0 if the radii were given
    sn_real twist;            // of the normals from one end to the other, radians; tracked from frame to frame
    sn_real thin, thick;      // u and v, half axes of the unit ellipse
    sn_real max_radius;       // in any direction
    sn_vec3 bound_a, bound_b; // bounding capsule: f(q) is never less than the distance to it
    sn_real bound_radius;
} sn_muscle_spindle;

// Allocates a spindle whose points are all zero. SN_ERR_RANGE: not 2 to SN_MUSCLE_MAX_POINTS points.
sn_status sn_muscle_spindle_init(sn_muscle_spindle *muscle, sn_memory *memory, int points);
void sn_muscle_spindle_free(sn_muscle_spindle *muscle, sn_memory *memory);
// Visits its arrays as plain bytes.
void sn_muscle_spindle_visit(sn_muscle_spindle *muscle, sn_stream *stream);

// Builds everything from muscle->axis, which the caller has set. The volume is in m^3; `exaggeration` scales the radius
// (1: as the volume requires). `normals` are the directions of the long half axis at both ends; they are projected onto
// the cross-section. Null: any.
void sn_muscle_spindle_build(sn_muscle_spindle *muscle, const sn_muscle_profile *profile, sn_real activation,
                             sn_real volume, sn_real exaggeration, const sn_vec3 normals[2]);

// Updates lengths, tangents and radii of an axis that has hardly moved; normals and the field stay the same.
void sn_muscle_spindle_update_radii(sn_muscle_spindle *muscle, const sn_muscle_profile *profile, sn_real activation,
                                    sn_real volume, sn_real exaggeration);

// Like sn_muscle_spindle_build with a radius for each point of the axis and one eccentricity; ends need not be thin.
void sn_muscle_spindle_build_from_radii(sn_muscle_spindle *muscle, const sn_real *radii, sn_real eccentricity,
                                        const sn_vec3 normals[2]);

// muscle_sections.c: builds axis and radii from the current cross-sections of a bundle (sn_bundle_get_sections).
// `radii` are those of the sections when the bundle was created: sqrt(area / pi). `normal` was the direction of the
// long half axis then, for sections that are not round; 0: none. SN_ERR_RANGE: fewer than two sections or a number that
// is not finite; nothing changes.
sn_status sn_muscle_spindle_build_from_sections(sn_muscle_spindle *muscle, const sn_section *sections, int count,
                                                const sn_real *radii, sn_real eccentricity, sn_vec3 normal);

// Drops multiples of 2 pi from the twist, for a muscle that was teleported.
void sn_muscle_spindle_reset_twist(sn_muscle_spindle *muscle);

// Volume of a straight spindle with these radii: pi l times the integral of the squared radius. In a bend the overlap
// of the muscle with itself counts twice.
sn_real sn_muscle_spindle_volume(const sn_muscle_spindle *muscle);

// ---- the field

size_t sn_muscle_padded_count(int points); // elements in each row of `planes`

#define SN_MUSCLE_ROW 16 // query points come in whole rows; arrays are aligned to 64 bytes

// f and its gradient (outward; exact except where feet of several segments meet) at `count` points, a multiple of
// SN_MUSCLE_ROW. x, y, z and the gradient are separate arrays. `where` (may be null) receives the foot point: the index
// of its segment plus t. Bitwise the same for every lane width.
typedef void sn_muscle_field_fn(const sn_muscle_spindle *muscle, int count, const sn_real *const q[3], sn_real *f,
                                sn_real *const gradient[3], sn_real *where);

// The kernel for a lane width, 0: the widest. Null: this build or machine does not support it.
sn_muscle_field_fn *sn_muscle_field_for(int lanes);

// The field at one point, without lanes.
sn_real sn_muscle_field(const sn_muscle_spindle *muscle, sn_vec3 q, sn_vec3 *gradient, sn_real *where);

#endif
