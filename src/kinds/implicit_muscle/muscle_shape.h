// The implicit muscle (Roussellet et al. 2018, section 5): a spindle swept along a line.
//
//              R = w Phi(s) r(theta)         axis: a chain of points p_0 .. p_N, s = 0 .. 1 along its length
//           .---------.                      Phi: how thick it is along the axis, of two shapes, at rest and active
//     p_0 --+---------+-- p_N                r: a circle or an ellipse across it, of the area of a unit circle
//           `---------'                      w = sqrt(V / (pi l)): its volume V is the same at every length l
//
// Its field is f(q) = |q - C| - R, where C is the place of the axis that q belongs to: negative inside, 0 on the
// surface, and as long as a distance. Places of the axis are separated by the planes that halve the chain's angles,
//
//     a = (q - p_i) . T_i >= 0 > (q - p_i+1) . T_i+1 = -b,     t = a / (a + b),     C = p_i + t (p_i+1 - p_i),
//
// with T_i the tangent at p_i, so that C goes along the axis without jumps also on the inner side of a bend. Where q
// lies between the planes of several segments, the nearest of them counts; beyond the ends C is the end.
//
// The radius is kept at the points of the axis and goes between them along a cubic that has its slope, so that it can
// be that of the two shapes, or any other (the cross-sections of a bundle of rods).
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SHAPE_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SHAPE_H

#include "base/math/vec.h"
#include "base/memory.h"
#include "sinew/implicit_muscle.h"

#define SN_SWEPT_MOST              128 // points of an axis
#define SN_SWEPT_LEAST_SHAPE       2   // of alpha and beta
#define SN_SWEPT_MOST_SHAPE        9
#define SN_SWEPT_MOST_ECCENTRICITY ((sn_real)0.995)
#define SN_SWEPT_MOST_RADIUS       ((sn_real)1e12) // m; what a bundle of wild rods may come to, and bytes may say

// --- how thick it is along its length ---

// A shape as its whole numbers and what it has of the neighbours; see swept_profile.c.
typedef struct {
    int alpha, beta;
    bool whole; // it is c = 1, 0, 0, 0
    double c[2][2];
} sn_swept_bump;

// Both shapes, made ready: what only depends on them.
typedef struct {
    sn_implicit_muscle_profile rest, active;
    sn_swept_bump bump[2];
    double scale[2]; // 1 / sqrt(B(2 alpha - 1, 2 beta - 1)), of whole numbers
    double overlap;  // K: the integral of both profiles' product
} sn_swept_profile;

// False: an alpha or beta that is not 2 to 9, or an eccentricity not in [0, SN_SWEPT_MOST_ECCENTRICITY].
bool sn_swept_profile_make(sn_implicit_muscle_profile rest, sn_implicit_muscle_profile active, sn_swept_profile *out);

// The default, alpha = beta = 3 at rest and 4, 7 active, round.
sn_swept_profile sn_swept_profile_default(void);

// Phi and its slope at s of a muscle that is activated by 'activation', 0 to 1. The integral of Phi^2 is 1.
sn_real sn_swept_phi(const sn_swept_profile *profile, sn_real activation, sn_real s, sn_real *slope);

// The same in two parts, for many s: how much of each shape there is, and Phi of that.
typedef struct {
    double rest, active;
} sn_swept_mix;
sn_swept_mix sn_swept_mix_of(const sn_swept_profile *profile, sn_real activation);
sn_real sn_swept_mixed(const sn_swept_profile *profile, sn_swept_mix mix, sn_real s, sn_real *slope);

// Integer Beta function, x and y from 1 to 33.
double sn_swept_beta(int x, int y);

// --- the primitive ---

// Numbers of a segment, for the field's loops; see swept_field_kernel.c.
#define SN_SWEPT_SCAN   12
#define SN_SWEPT_RECORD 24

typedef struct {
    int points;          // N + 1
    sn_vec3 *axis;       // p_i
    sn_vec3 *tangent;    // T_i, unit
    sn_vec3 *normal;     // n_i, unit, at right angles to T_i
    sn_real *along;      // s_i, 0 to 1
    sn_real *radius;     // w Phi(s_i), or any other
    sn_real *slope;      // its derivative by s
    sn_real *scan;       // of each point and the segment behind it: to find the segment of a place
    sn_real *record;     // of each segment: to evaluate it
    sn_real *planes;     // rows of all points' x, y, z and of their tangents' x, y, z, padded to whole rows of 16
    sn_real length;      // of the axis, m
    sn_real width;       // w, m; 0 if the radii were given
    sn_real twist;       // of the normals from one end to the other, radians; followed from frame to frame
    sn_real thin, thick; // u and v, half axes of the unit ellipse
    sn_real most;        // the largest radius, in any direction
    sn_vec3 from, to;    // a capsule around it: f(q) is never less than the distance to it
    sn_real around;      // its radius
} sn_swept;

// An axis of so many points, all zero. SN_ERR_RANGE: not 2 to SN_SWEPT_MOST.
sn_status sn_swept_init(sn_swept *muscle, sn_memory *memory, int points);
void sn_swept_free(sn_swept *muscle, sn_memory *memory);

// Shapes it around muscle->axis, which the caller has set: volume in m^3, exaggeration times the radius that the volume
// asks for (1: none). 'normals' are the directions of the long half axis at both ends; null, or at right angles to the
// ends or not, it takes what it can get.
void sn_swept_form(sn_swept *muscle, const sn_swept_profile *profile, sn_real activation, sn_real volume,
                   sn_real exaggeration, const sn_vec3 normals[2]);

// Only lengths, tangents and radii, around an axis that has hardly moved: normals and the field stay as they were.
void sn_swept_form_again(sn_swept *muscle, const sn_swept_profile *profile, sn_real activation, sn_real volume,
                         sn_real exaggeration);

// As sn_swept_form with a radius for each point of the axis, and one eccentricity; ends need not be thin.
void sn_swept_form_radii(sn_swept *muscle, const sn_real *radii, sn_real eccentricity, const sn_vec3 normals[2]);

// Rotates the normals' full turns out of the state, as after the muscle was put somewhere else.
void sn_swept_untwist(sn_swept *muscle);

// Volume of a straight one with these radii: pi l times the integral of the radius' square. Bends take what is counted
// twice where the muscle overlaps itself.
sn_real sn_swept_volume(const sn_swept *muscle);

// --- the field ---

size_t sn_swept_padded(int points); // how many there is room for in each row of 'planes'

#define SN_SWEPT_ROW 16 // points come in whole rows; arrays are aligned to 64 bytes

// f and its gradient (outward, exact but where places of the axis meet) at 'count' points, a multiple of SN_SWEPT_ROW.
// x, y, z and the gradient are arrays of their own. 'where' (may be null) gets the place on the axis: a segment's
// number plus t. Bitwise the same for every lane width.
typedef void sn_swept_field_fn(const sn_swept *muscle, int count, const sn_real *const q[3], sn_real *f,
                               sn_real *const gradient[3], sn_real *where);

// Null if this build or this machine does not have this width; 0: the widest.
sn_swept_field_fn *sn_swept_field_for(int lanes);

// The same at one point, plainly.
sn_real sn_swept_field(const sn_swept *muscle, sn_vec3 q, sn_vec3 *gradient, sn_real *where);

#endif
