// Text to Jansson values, with limits checked first and errors listed in our words.
#ifndef SN_FORMATS_JSON_LOAD_H
#define SN_FORMATS_JSON_LOAD_H

#include "formats/error_list.h"
#include "mesh/error.h"
#include <jansson.h>

// Whether Jansson may see a text: it has at most 'max_values' values, and brackets are not within each other deeper than our
// files ever have them (an open one is a byte, for which Jansson takes over a hundred). Otherwise where it goes too far,
// and why.
bool json_fits(const char *text, size_t size, size_t max_values, size_t *at, tool_error *error);

// Parses list->text. At most 'max_values' values may be in it. Null: it is no JSON, and an error says where and why. A key
// that stands twice in an object is listed as an error too, but the rest is returned so that it can be checked as well.
json_t *json_load_text(error_list *list, size_t max_values);

#endif
