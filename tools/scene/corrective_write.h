// Writes baked corrective shapes: the character's own glTF file with morph targets, the drivers of the targets as JSON, and
// the bytes for sn_correctives_open.
#ifndef SN_SCENE_CORRECTIVE_WRITE_H
#define SN_SCENE_CORRECTIVE_WRITE_H

#include "scene/corrective_bake.h"

// Writes `output`, which ends in .glb, and beside it *.correctives and *.correctives.json, whose names it returns. `input` is
// the file of the character. False: the error is set; files may be missing, but none is damaged.
bool corrective_write(const char *input, const file_source *files, character *c, const corrective_bake *bake,
                      const char *output, char names[2][1024], tool_error *error);

#endif
