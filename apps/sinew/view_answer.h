// The answer to a request: a file of the page, a baked scene, the start of a WebSocket, or a refusal.
#ifndef SN_APP_VIEW_ANSWER_H
#define SN_APP_VIEW_ANSWER_H

#include "view_server.h"
#include "view_socket.h"

// What answers depend on.
typedef struct {
    server_settings settings;
    view_access access;
    int port;
} server_state;

enum { ANSWER_MAX_HEAD = 1536 };

typedef struct {
    int status; // 101: the connection becomes a WebSocket
    const char *type;
    const void *body;
    size_t size;
    void *owned;      // to be freed after the answer, or null
    bool head_only;   // the body is not sent
    bool first_visit; // sets the cookie
    char accept[SOCKET_ACCEPT_SIZE];
} view_answer;

view_answer answer_request(server_state *state, const view_request *request);

// A refusal in words.
view_answer answer_refusal(int status, const char *words);

// Writes the head of an answer and returns its size.
size_t answer_head(const server_state *state, const view_answer *answer, char out[ANSWER_MAX_HEAD]);

#endif
