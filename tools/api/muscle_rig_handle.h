// The muscle rig behind the public handle: the text of the file, and what it says.
#ifndef SN_API_MUSCLE_RIG_HANDLE_H
#define SN_API_MUSCLE_RIG_HANDLE_H

#include "formats/muscle_rig.h"
#include "sinew/tools/asset.h"

struct sn_muscle_rig {
    muscle_rig rig;
    char *text; // owned
    size_t size;
};

// Parses the text, whose memory it takes also on failure.
sn_status muscle_rig_handle_make(const char *name, char *text, size_t size, sn_muscle_rig **out, sn_error *error);

#endif
