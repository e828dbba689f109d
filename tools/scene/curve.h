// Curves of scene files: explicit points, lines, coils, circles, and paths of several pieces.
#ifndef SN_SCENE_CURVE_H
#define SN_SCENE_CURVE_H

#include "scene/scene_spec.h"

// How many forms of a curve the file has: it must be one.
int curve_form_count(const shape_spec *shape);

// Points of the curve; 0: there is none.
int64_t curve_point_count(const shape_spec *shape);

// Whether the last point is joined to the first.
bool curve_is_closed(const shape_spec *shape);

// Lists errors such as an axis without a direction. `path` is the object with the keys of the curve.
void curve_check(const shape_spec *shape, error_list *errors, const json_path *path);

// Whether it is a model of the zoo, which has its own radii and parents; and that model.
bool curve_is_model(const shape_spec *shape);
void curve_model(const shape_spec *shape, double (*points)[3], double *radii, int *parents);

// Writes curve_point_count points, of curves only.
void curve_points(const shape_spec *shape, double (*out)[3]);

#endif
