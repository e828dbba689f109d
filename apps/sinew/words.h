// Words that several commands say.
#ifndef SN_APP_WORDS_H
#define SN_APP_WORDS_H

#include "prepare/mesh_care.h"

// What care has done to a mesh, a line each; the first one begins with the label.
void print_care(const char *label, const mesh_report *report);

#endif
