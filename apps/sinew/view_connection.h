// One connection of the server. It goes through stages, each with a limit of time:
//
//     head -> answer -> drain              a file
//     head -> answer -> socket -> last -> drain    a page
//
// Nothing here waits: a call does what is possible now.
#ifndef SN_APP_VIEW_CONNECTION_H
#define SN_APP_VIEW_CONNECTION_H

#include "view_answer.h"

typedef enum {
    CONNECTION_HEAD,   // the request comes
    CONNECTION_ANSWER, // the answer goes
    CONNECTION_SOCKET, // messages come and go
    CONNECTION_LAST,   // the last message goes
    CONNECTION_DRAIN,  // what still comes is thrown away, so that the other side gets the end of the answer
} connection_stage;

typedef struct {
    int file; // descriptor; -1: the slot is free
    connection_stage stage;
    double since;         // s, when the stage began
    double heard, pinged; // when bytes came, when a ping was sent
    double budget;        // messages that may come now
    double refilled;      // when the budget was filled up
    size_t drained;       // bytes thrown away

    // What has come.
    unsigned char in[REQUEST_MAX_HEAD];
    size_t in_size;
    unsigned char pong[SOCKET_MAX_CONTROL]; // to be sent
    int pong_size;                          // -1: none

    // What goes: a head, then a body. One thing at a time.
    unsigned char head[ANSWER_MAX_HEAD];
    size_t head_size;
    const void *body;
    size_t body_size;
    size_t sent;
    void *owned; // the body's memory, or null
    view_session_post post;
    bool posting;        // the body is that of `post`
    bool becomes_socket; // after the answer

    view_page *page; // null: none
} view_connection;

void connection_start(view_connection *c, int file, double now);
void connection_end(view_connection *c, const server_state *state);

// What poll should wait for.
short connection_events(const view_connection *c);

// Whether messages come faster than they are taken; they wait for connection_refill.
bool connection_is_throttled(const view_connection *c);

// Reads, writes, and looks at the clock. False: it must be ended.
bool connection_read(view_connection *c, server_state *state, double now);
bool connection_write(view_connection *c, const server_state *state, double now);
bool connection_in_time(const view_connection *c, double now);
void connection_refill(view_connection *c, double now);

#endif
