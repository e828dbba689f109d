// Sinew: volumetric soft bodies and muscles in real time, on the CPU. Include this one.
//
// Units are metres, kilograms, seconds, radians and pascals. Every call that can fail returns a status and changes
// nothing when it does; the library never exits, aborts or prints. A world is used by one thread at a time; different
// worlds may be used by different threads.
#ifndef SINEW_H
#define SINEW_H

#include "asset.h"
#include "body.h"
#include "bundle.h"
#include "contact.h"
#include "corrective.h"
#include "draw.h"
#include "elastic.h"
#include "history.h"
#include "implicit_muscle.h"
#include "implicit_skin.h"
#include "joint.h"
#include "material.h"
#include "maths.h"
#include "query.h"
#include "rigid.h"
#include "rod.h"
#include "skin.h"
#include "spring.h"
#include "surface.h"
#include "types.h"
#include "world.h"

#endif
