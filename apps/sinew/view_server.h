// The web server of the viewer: the page's files, baked scenes, and a WebSocket at /session. It listens on 127.0.0.1 only
// and answers who has the key (view_access.h). Everything that a client can fill is bounded: connections, heads,
// messages, what waits for it, and how long it may take.
#ifndef SN_APP_VIEW_SERVER_H
#define SN_APP_VIEW_SERVER_H

#include "view_access.h"
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

// The address with the key, for the terminal; or with the ticket that is good once, for a browser's command line.
enum { SERVER_ADDRESS_SIZE = 100 };
void server_address(const view_server *server, bool ticket, char out[SERVER_ADDRESS_SIZE]);

// Ends all connections; call view_session_close first, so that pages are told.
void server_stop(view_server *server);

#endif
