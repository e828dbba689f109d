// The scenes of the viewer: those of a folder, and the one of the command line. Each is baked once, when it is opened.
#ifndef SN_APP_VIEW_SCENES_H
#define SN_APP_VIEW_SCENES_H

#include "mesh/error.h"
#include <stddef.h>

typedef struct view_scenes view_scenes;

// `folder` may be null. Null: out of memory.
view_scenes *scenes_find(const char *folder);
void scenes_free(view_scenes *scenes);

// Adds a scene file outside the folder. Returns its name, valid as long as the list. Null: out of memory.
const char *scenes_add_file(view_scenes *scenes, const char *file);

int scenes_count(const view_scenes *scenes);
bool scenes_has(const view_scenes *scenes, const char *name);

// The name closest to a misspelt one, or null.
const char *scenes_near(const view_scenes *scenes, const char *name);

// The list for pages: [{"name", "title", "about"}] as JSON; valid as long as the list. Null: out of memory.
const char *scenes_list(view_scenes *scenes);

// Bakes a scene, once; only the engine's thread does, since it can take seconds. False: the error is set; errors of the
// file are printed with their places.
bool scenes_bake(view_scenes *scenes, const char *name, tool_error *error);

// A baked scene; valid as long as the list. Any thread may call it. Null: it was not baked.
const void *scenes_baked(view_scenes *scenes, const char *name, size_t *size);

#endif
