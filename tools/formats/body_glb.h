// A character of the zoo as binary glTF 2.0: a skinned mesh on a skeleton of nodes, with its motions as clips. What any
// program makes of a character that an artist has rigged.
#ifndef SN_FORMATS_BODY_GLB_H
#define SN_FORMATS_BODY_GLB_H

#include "mesh/error.h"
#include "zoo/body.h"
#include <stdio.h>

// Writes it, every length times 'size'. False: out of memory. Errors of the stream are left to whoever
// closes it.
bool body_write_glb(FILE *out, const zoo_body *body, double size, tool_error *error);

#endif
