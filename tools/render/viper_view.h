// A muscle turned into rods, to be looked at: a recording of one frame, for .glb files and pictures.
#ifndef SN_RENDER_VIPER_VIEW_H
#define SN_RENDER_VIPER_VIEW_H

#include "bake/viperize.h"
#include "view/recording.h"

// Upright, the source above, whatever way the surface lies, and its broad side seen. From left to right: the surface,
// coloured by its levels from red at the source to blue at the sink; the rods at their size; the same as thin lines
// with a ball where each slice is. False: no memory. recording_free takes it; medial_view_camera sees all of it.
bool viper_view_make(const sn_viper *viper, recording *out);

#endif
