// Packs scenes into pages for the viewer: page_format.h, docs/session-protocol.md.
#ifndef SN_SESSION_PAGE_PACK_H
#define SN_SESSION_PAGE_PACK_H

#include "scene/scene.h"

typedef struct {
    unsigned char *bytes; // the caller frees them
    size_t size;
    int bodies, all_bodies; // copies in the page, and in the scene
} packed_page;

// Reads a scene like scene_read, with fewer copies of its bodies if it has more than about `max_points` points; 0: no
// limit.
sn_scene *page_read_scene(const char *file, int64_t max_points, int *all_bodies);

// Builds a scene and packs it. For `all_bodies` see page_read_scene. False: the error is set, or scene->errors has
// errors.
bool page_pack(sn_scene *scene, int all_bodies, packed_page *out, tool_error *error);

#endif
