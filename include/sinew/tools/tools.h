// libsinew-tools: meshes, baking, scenes and exports. Include this one for all of it.
//
// Link `sinew::tools` (CMake) or `sinew-tools` (pkg-config). Programs that only simulate need libsinew alone:
// sinew/sinew.h.
#ifndef SINEW_TOOLS_H
#define SINEW_TOOLS_H

#include "../sinew.h"
#include "asset.h"
#include "bake.h"
#include "capture.h"
#include "mesh.h"
#include "scene.h"
#include "types.h"
#include "volume.h"

#endif
