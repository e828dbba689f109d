// A step that fails leaves the world as it was: what it changes is kept before it, and put back.
#ifndef SN_WORLD_ROLLBACK_H
#define SN_WORLD_ROLLBACK_H

#include "world/world.h"

// Before anything moves; false: no memory.
bool sn_rollback_keep(sn_world *world);
void sn_rollback_restore(sn_world *world);
void sn_rollback_free(sn_world *world);

#endif
