// The scenes that the viewer offers: those of a folder, and the one that was named. They are baked when somebody asks
// for them, once.
#ifndef SN_APP_VIEW_SCENES_H
#define SN_APP_VIEW_SCENES_H

#include "mesh/error.h"
#include <stddef.h>

typedef struct view_scenes view_scenes;

// 'folder' may be null. Null: no memory.
view_scenes *scenes_find(const char *folder);
void scenes_free(view_scenes *scenes);

// Adds a scene file that may lie elsewhere. Its name, valid as long as the list; null: no memory.
const char *scenes_add_file(view_scenes *scenes, const char *file);

int scenes_count(const view_scenes *scenes);
bool scenes_has(const view_scenes *scenes, const char *name);

// The name nearest to a misspelt one, or null.
const char *scenes_near(const view_scenes *scenes, const char *name);

// The list for pages: [{"name", "title", "about"}] as JSON; valid as long as the list. Null: no memory.
const char *scenes_list(view_scenes *scenes);

// A scene, baked; valid as long as the list. May be called by several threads. Null: it cannot be; errors in the
// file are also printed with their places.
const void *scenes_baked(view_scenes *scenes, const char *name, size_t *size, tool_error *error);

#endif
