// The table of couplings, in the order in which a step calls them (CMake writes the list into kind_list.h).
#include "base/coupling.h"
#include "kind_list.h"

#define DECLARE(name) extern const sn_coupling_ops sn_##name##_coupling;
SN_COUPLING_LIST(DECLARE)

#define ROW(name) &sn_##name##_coupling,
const sn_coupling_ops *const sn_couplings[SN_COUPLING_CAPACITY] = {SN_COUPLING_LIST(ROW)};

#define ONE(name) +1
const int sn_coupling_count = SN_COUPLING_LIST(ONE);
