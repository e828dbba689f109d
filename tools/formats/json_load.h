// Parses JSON text with Jansson, after checking limits. Errors are listed with their places.
#ifndef SN_FORMATS_JSON_LOAD_H
#define SN_FORMATS_JSON_LOAD_H

#include "formats/error_list.h"
#include "mesh/error.h"
#include <jansson.h>

// Whether a text is within limits: it has at most `max_values` values, and brackets are not nested deeper than our
// files need. False: *at is the offset of the first excess.
bool json_fits(const char *text, size_t size, size_t max_values, size_t *at, tool_error *error);

// Parses list->text, which may have at most `max_values` values. Null: it is not JSON; an error says where and why. A
// key that an object has twice is an error too, but the values are returned, so that they can be checked as well.
json_t *json_load_text(error_list *list, size_t max_values);

#endif
