// Selections of points of a body.
#ifndef SN_SCENE_SELECTION_H
#define SN_SCENE_SELECTION_H

#include "scene/scene_spec.h"

// Lists errors: more than one form, or points that the body does not have. `need`: a selection is required.
bool selection_check(const selection_spec *select, const void *object, int point_count, bool need, error_list *errors,
                     const json_path *path);

// The points of a selection without errors.
typedef struct {
    int count;
    int first;        // first of consecutive points
    const int *items; // else these; negative ones count from the end
    int point_count;
} selection;

selection selection_of(const selection_spec *select, const void *object, int point_count);
int selection_at(const selection *selected, int i);

#endif
