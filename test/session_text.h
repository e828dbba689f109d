// Baked scenes from texts, for tests.
#ifndef SN_TEST_SESSION_TEXT_H
#define SN_TEST_SESSION_TEXT_H

#include "session/page_pack.h"
#include "session/session.h"
#include "test.h"
#include <stdlib.h>
#include <string.h>

// Of a text that must be fine; its bytes are freed by the caller.
static inline packed_page pack_text(const char *of) {
    sn_scene *scene = scene_parse("test.json", of, strlen(of), &disk_files);
    packed_page baked = {0};
    tool_error error = {0};
    if (!scene || !page_pack(scene, scene->body_count, &baked, &error)) {
        if (scene) errors_print(&scene->errors, stderr);
        fprintf(stderr, "%s\n", error.text);
    }
    scene_free(scene);
    return baked;
}

static inline session *open_text(const char *of) {
    packed_page baked = pack_text(of);
    session *at = NULL;
    CHECK_INT(session_open(baked.bytes, baked.size, NULL, &at), SN_OK);
    free(baked.bytes);
    return at;
}

#endif
