// The kinds of bodies: a new one is its folder, a name in world.h and a line here.
#include "world/world.h"

const sn_kind *const sn_kinds[KIND_COUNT] = {
    [KIND_ROD] = &sn_rod_kind,
    [KIND_SPRINGS] = &sn_springs_kind,
    [KIND_ELASTIC] = &sn_elastic_kind,
    [KIND_MUSCLES] = &sn_muscles_kind,
};
