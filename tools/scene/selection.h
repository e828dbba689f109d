// Which points of a body an entry of a scene is about.
#ifndef SN_SCENE_SELECTION_H
#define SN_SCENE_SELECTION_H

#include "scene/scene_spec.h"

// Lists errors: more than one way, points that the body does not have. 'need' says that some way must be given.
bool selection_check(const selection_spec *select, const void *object, int point_count, bool need, error_list *errors,
                     const json_path *path);

// The points of a selection without errors.
typedef struct {
    int count;
    int first;        // where the points follow each other
    const int *items; // else these, negative ones counted from the end
    int point_count;
} selection;

selection selection_of(const selection_spec *select, const void *object, int point_count);
int selection_at(const selection *selected, int i);

#endif
