// Growable arrays: a plain pointer beside a count and a capacity, as in
//
//     int *list = NULL, count = 0, capacity = 0;
//     if (!ARRAY_RESERVE(list, capacity, count + 1)) return false;
//     list[count++] = value;
#ifndef SN_MESH_ARRAY_H
#define SN_MESH_ARRAY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Resizes the array whose pointer 'array' points to. False: out of memory, and the array is unchanged.
static inline bool array_resize(void *array, size_t count, size_t size) {
    void *old, *resized;
    memcpy(&old, array, sizeof old); // a T ** is not a void **
    resized = realloc(old, (count ? count : 1) * size);
    if (!resized) return false;
    memcpy(array, &resized, sizeof resized);
    return true;
}

// Grows the array by half, so that it holds 'needed' elements. False: out of memory, and nothing has changed.
static inline bool array_reserve(void *array, int *capacity, int64_t needed, size_t size) {
    if (needed <= *capacity) return true;
    const int64_t grown = needed + needed / 2 + 64;
    if (grown > INT_MAX || !array_resize(array, (size_t)grown, size)) return false;
    *capacity = (int)grown;
    return true;
}

#define ARRAY_RESERVE(array, capacity, needed) array_reserve(&(array), &(capacity), (needed), sizeof *(array))

#endif
