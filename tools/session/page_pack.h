// Scenes baked for the viewer: see live/bake.h and docs/session-protocol.md.
#ifndef SN_SESSION_PAGE_PACK_H
#define SN_SESSION_PAGE_PACK_H

#include "scene/scene.h"

typedef struct {
    unsigned char *bytes; // to be freed
    size_t size;
    int bodies, all_bodies; // copies baked, and those the scene has
} packed_page;

// Reads a scene with fewer copies of its bodies, so that it has about 'most_points' points at most; 0: all. As
// scene_read otherwise.
sn_scene *page_read_scene(const char *file, int64_t most_points, int *all_bodies);

// Builds a scene and bakes it. 'all_bodies': see page_read_scene. False: 'why' says why, or scene->errors has errors.
bool page_pack(sn_scene *scene, int all_bodies, packed_page *out, char why[256]);

#endif
