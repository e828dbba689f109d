// Text to Jansson values, with limits checked first and mistakes listed in our words.
#ifndef SN_IO_JSON_LOAD_H
#define SN_IO_JSON_LOAD_H

#include "io/mistakes.h"
#include <jansson.h>

// Parses list->text. At most 'most_values' values may be in it. Null: it is no JSON, and a mistake says where and why. A key
// that stands twice in an object is listed as a mistake too, but the rest is returned so that it can be checked as well.
json_t *json_load_text(mistake_list *list, size_t most_values);

#endif
