// The table of kinds: one row for each name of SN_KINDS (CMake writes the list into kind_list.h).
#include "base/kind.h"
#include "kind_list.h"

#define DECLARE(name) extern const sn_kind_ops sn_##name##_kind;
SN_KIND_LIST(DECLARE)

#define ROW(name) &sn_##name##_kind,
const sn_kind_ops *const sn_kinds[SN_KIND_CAPACITY] = {SN_KIND_LIST(ROW)};

#define ONE(name) +1
const int sn_kind_count = SN_KIND_LIST(ONE);
