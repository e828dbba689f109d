// The web server of the viewer: the page's files, baked scenes, and a WebSocket at /session. It answers this machine
// only, and only pages that it served itself: requests with another Host (DNS rebinding) or another Origin (a page from
// elsewhere) are refused, and so is everything unknown.
#ifndef SN_APP_VIEW_SERVER_H
#define SN_APP_VIEW_SERVER_H

#include "view_scenes.h"
#include "view_session.h"

typedef struct view_server view_server;

typedef struct {
    const char *page; // folder with index.html
    view_scenes *scenes;
    view_session *session;
    int port; // 0: any free one
} server_settings;

// Null: the error is set. Copies `settings`, but not what they point to.
view_server *server_start(const server_settings *settings, tool_error *error);
int server_port(const view_server *server);

// Waits for all connections to end; call view_session_close first.
void server_stop(view_server *server);

#endif
