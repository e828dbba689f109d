// "point": one, "points": several, "range": [from, to]; negative numbers count from the end.
#include "scene/selection.h"

static int from_end(int point, int point_count) {
    return point < 0 ? point + point_count : point;
}

static bool check_point(int point, int point_count, error_list *errors, const json_path *path) {
    int i = from_end(point, point_count);
    if (i >= 0 && i < point_count) return true;
    error_at(errors, path, "must be from %d to %d (the body has %d points), is %d", -point_count, point_count - 1,
             point_count, point);
    return false;
}

static bool check_points(const int_list *list, int point_count, error_list *errors, const json_path *path) {
    bool fine = true;
    for (int i = 0; i < list->count; i++) {
        json_path at = {path, NULL, (size_t)i};
        fine = check_point(list->items[i], point_count, errors, &at) && fine;
    }
    return fine;
}

bool selection_check(const selection_spec *select, const void *object, int point_count, bool need, error_list *errors,
                     const json_path *path) {
    int given = fields_has(object, "point") + fields_has(object, "points") + fields_has(object, "range");
    if (given > 1 || (need && given == 0)) {
        error_at(errors, path, "needs %sone of \"point\", \"points\" and \"range\"", given > 1 ? "only " : "");
        return false;
    }
    json_path point = {path, "point", 0}, points = {path, "points", 0}, range = {path, "range", 0};
    if (fields_has(object, "point")) return check_point(select->point, point_count, errors, &point);
    if (fields_has(object, "points")) return check_points(&select->points, point_count, errors, &points);
    if (!fields_has(object, "range")) return true;
    if (!check_points(&select->range, point_count, errors, &range)) return false;
    if (from_end(select->range.items[0], point_count) > from_end(select->range.items[1], point_count)) {
        error_at(errors, &range, "must go from the smaller to the larger");
        return false;
    }
    return true;
}

selection selection_of(const selection_spec *select, const void *object, int point_count) {
    if (fields_has(object, "point")) return (selection){1, from_end(select->point, point_count), NULL, point_count};
    if (fields_has(object, "points")) return (selection){select->points.count, 0, select->points.items, point_count};
    if (!fields_has(object, "range")) return (selection){point_count, 0, NULL, point_count};
    int first = from_end(select->range.items[0], point_count), last = from_end(select->range.items[1], point_count);
    return (selection){last - first + 1, first, NULL, point_count};
}

int selection_at(const selection *selected, int i) {
    return selected->items ? from_end(selected->items[i], selected->point_count) : selected->first + i;
}
