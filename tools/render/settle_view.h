// Shapes of an elastic body side by side, to be looked at: a recording of one frame.
#ifndef SN_RENDER_SETTLE_VIEW_H
#define SN_RENDER_SETTLE_VIEW_H

#include "kinds/elastic/elastic_asset.h"
#include "render/render.h"
#include "view/recording.h"

// The surface that is drawn of the asset, 'count' times from left to right, with the vertices at x[i] (three numbers each).
// False: no memory. recording_free takes it.
bool settle_view_make(const sn_elastic_asset *asset, const double *const *x, int count, recording *out);

#endif
