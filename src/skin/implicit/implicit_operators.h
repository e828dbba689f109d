// Operators that combine two fields. All fields are 1 deep inside, 0 far outside and 1/2 on the surface.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_OPERATORS_H
#define SN_SKIN_IMPLICIT_IMPLICIT_OPERATORS_H

#include "base/math/real.h"

// A value and its derivatives by the two fields.
typedef struct {
    double value, by_first, by_second;
} sn_mixed;

// The arc family: level C is the lines f1 = C and f2 = C, joined by an arc about (k, k) of radius C - k. `t` from 0,
// the fullest blend, to 1, where it is max(f1, f2).
sn_mixed sn_arc(double f1, double f2, double t);        // k = t C up to 1/2, then straight to (0.7, 0.7): closed form
sn_mixed sn_arc_smooth(double f1, double f2, double t); // k = C (t + (1 - t) S((C - 1/2)/0.2)): solved

// Union of the muscles of one bone: its surface is exactly that of max, smooth everywhere else.
sn_mixed sn_clean_union(double f1, double f2);

// Combines a bone's field with that of its muscles.
sn_mixed sn_detail(double bone, double muscle);

// The opening t of two bones from the cosine of the angle between their gradients. The kinds are those of sn_fold_kind.
double sn_opening(int kind, double cosine);

// Tables of the last two, for lanes: (value, by first, by second, 0) at SN_TABLE_SIDE^2 points of [0, 1]^2, the first
// field fastest.
enum { SN_TABLE_SIDE = 129, SN_TABLE_SIZE = SN_TABLE_SIDE * SN_TABLE_SIDE * 4 };
void sn_fill_table(sn_real *table, sn_mixed (*mix)(double, double));

#endif
