// The table. See scene_kinds.h.
#include "scene/scene_kinds.h"
#include "kind_list.h"

// The kinds of scenes are those of users: a muscle is a bundle of rods, a character has implicit muscles.
#define SCENE_KINDS(KIND) KIND(rod) KIND(muscle) KIND(spring) KIND(elastic) KIND(character) SN_EXTRA_KIND_LIST(KIND)

#define DECLARE(kind)                                                                                                  \
    extern const field_table scene_##kind##_table;                                                                     \
    extern const scene_kind scene_##kind##_kind;
SCENE_KINDS(DECLARE)

#define ROW(kind) &scene_##kind##_kind,
const scene_kind *const scene_kinds[] = {SCENE_KINDS(ROW) NULL};

#define TABLE(kind) &scene_##kind##_table,
const field_table *const scene_kind_tables[] = {SCENE_KINDS(TABLE) NULL};

extern const scene_list scene_rigid_list;
const scene_list *const scene_lists[SCENE_LIST_COUNT] = {[SCENE_RIGID_BODIES] = &scene_rigid_list};
