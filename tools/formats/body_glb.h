// A character of the zoo as binary glTF 2.0, like a character that an artist has rigged: a skinned mesh, a skeleton of
// nodes, and its motions as clips.
#ifndef SN_FORMATS_BODY_GLB_H
#define SN_FORMATS_BODY_GLB_H

#include "mesh/error.h"
#include "zoo/body.h"
#include <stdio.h>

// Writes the character with every length times `size`. False: out of memory. Errors of the stream are left to its
// owner.
bool body_write_glb(FILE *out, const zoo_body *body, double size, tool_error *error);

#endif
