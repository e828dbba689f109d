// USD in text (.usda): skinned meshes with skeletons and their animation, and point caches for bodies that deform.
#ifndef SN_FORMATS_USD_WRITE_H
#define SN_FORMATS_USD_WRITE_H

#include "mesh/error.h"
#include "view/view_spool.h"
#include <stdio.h>

// Writes all frames of the spool (one at least). `title` is null or goes into the file. One frame of one body is in memory at a
// time. False: out of memory, or the spool cannot be read; `error` says which. Errors of `out` are left to its owner.
bool usd_write(FILE *out, const view_model *model, const view_spool *frames, double fps, const char *title,
               tool_error *error);

#endif
