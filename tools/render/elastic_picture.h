// A picture of deformed elastic bodies. See picture.h.
#ifndef SN_RENDER_ELASTIC_PICTURE_H
#define SN_RENDER_ELASTIC_PICTURE_H

#include "kinds/elastic/elastic_asset.h"
#include "view/view_model.h"

// The drawn surface of the asset, `count` times from left to right, with the vertices at x[i] (three numbers each).
// False: out of memory. Free the model with view_model_free.
bool elastic_picture_make(const sn_elastic_asset *asset, const double *const *x, int count, view_model *out);

#endif
