// See view_server.h. One thread serves all connections; nothing in it waits but poll.
//
// There are as many slots as connections may be. When all are taken, a new connection replaces the oldest that has not
// sent its request yet, or was answered, so that connections that say nothing keep nobody out.
#define _GNU_SOURCE // accept4
#include "view_server.h"
#include "view_connection.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 64, BACKLOG = 128, POLL_MS = 250, THROTTLED_MS = 10 };

struct view_server {
    server_state state;
    int listener;
    bool rests; // no connection could be accepted: try again after a while
    atomic_bool stop;
    pthread_t thread;
    view_connection slots[MAX_CONNECTIONS];
};

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- connections ---

// A free slot; else that of the oldest connection without a request, or with its answer; else of the oldest answer on its
// way. Null: there are only pages.
static view_connection *find_slot(view_server *server) {
    view_connection *oldest = NULL;
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        view_connection *c = &server->slots[i];
        if (c->file < 0) return c;
        if (c->page) continue;
        const bool answers = c->stage == CONNECTION_ANSWER,
                   oldest_answers = oldest && oldest->stage == CONNECTION_ANSWER;
        if (!oldest || (!answers && oldest_answers) || (answers == oldest_answers && c->since < oldest->since))
            oldest = c;
    }
    if (oldest) connection_end(oldest, &server->state);
    return oldest;
}

static void serve(view_server *server, view_connection *c, bool ready, double now) {
    bool good = true;
    if (ready) good = connection_read(c, &server->state, now);
    good = good && connection_write(c, &server->state, now);
    if (!good || !connection_in_time(c, now)) connection_end(c, &server->state);
}

static void accept_all(view_server *server, double now) {
    for (int i = 0; i < BACKLOG; i++) {
        const int file = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (file < 0) {
            server->rests = errno != EAGAIN && errno != EWOULDBLOCK && errno != ECONNABORTED && errno != EINTR;
            return;
        }
        const int on = 1;
        setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        view_connection *c = find_slot(server);
        if (!c) {
            close(file);
            continue;
        }
        connection_start(c, file, now);
        serve(server, c, true, now); // a browser's request is usually there
    }
}

static void *server_main(void *argument) {
    view_server *server = argument;
    view_session *session = server->state.settings.session;
    struct pollfd files[MAX_CONNECTIONS + 2];
    while (!server->stop) {
        bool throttled = false;
        for (int i = 0; i < MAX_CONNECTIONS; i++) {
            const view_connection *c = &server->slots[i];
            files[i] = (struct pollfd){.fd = c->file, .events = c->file < 0 ? (short)0 : connection_events(c)};
            throttled = throttled || (c->file >= 0 && connection_is_throttled(c));
        }
        files[MAX_CONNECTIONS] = (struct pollfd){.fd = view_session_wake(session), .events = POLLIN};
        files[MAX_CONNECTIONS + 1] = (struct pollfd){.fd = server->rests ? -1 : server->listener, .events = POLLIN};
        server->rests = false;
        poll(files, MAX_CONNECTIONS + 2, throttled ? THROTTLED_MS : POLL_MS);
        const double now = now_seconds();
        if (files[MAX_CONNECTIONS].revents) view_session_clear_wake(session);
        for (int i = 0; i < MAX_CONNECTIONS; i++) {
            view_connection *c = &server->slots[i];
            if (c->file < 0) continue;
            const bool waits = connection_is_throttled(c);
            if (waits) connection_refill(c, now);
            serve(server, c, waits || (files[i].revents & (POLLIN | POLLHUP | POLLERR)), now);
        }
        if (files[MAX_CONNECTIONS + 1].revents) accept_all(server, now);
    }
    for (int i = 0; i < MAX_CONNECTIONS; i++)
        if (server->slots[i].file >= 0) connection_end(&server->slots[i], &server->state);
    return NULL;
}

// --- start and stop ---

// Listens on this machine. Negative: the error is set.
static int listen_at(int port, int *chosen, tool_error *error) {
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bool good = file >= 0 && setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                bind(file, (const struct sockaddr *)&address, sizeof address) == 0 && listen(file, BACKLOG) == 0 &&
                getsockname(file, (struct sockaddr *)&address, &size) == 0;
    *chosen = ntohs(address.sin_port);
    if (good) return file;
    tool_error_set(error, "cannot open port %d: %s", port, strerror(errno));
    if (file >= 0) close(file);
    return -1;
}

view_server *server_start(const server_settings *settings, tool_error *error) {
    view_server *server = calloc(1, sizeof *server);
    tool_error_out_of_memory(error);
    if (!server) return NULL;
    server->state.settings = *settings;
    for (int i = 0; i < MAX_CONNECTIONS; i++) server->slots[i].file = -1;
    server->listener = -1;
    if (access_init(&server->state.access, error)) {
        server->listener = listen_at(settings->port, &server->state.port, error);
        if (server->listener >= 0 && pthread_create(&server->thread, NULL, server_main, server) == 0) return server;
        if (server->listener >= 0) tool_error_set(error, "cannot start a thread");
    }
    if (server->listener >= 0) close(server->listener);
    free(server);
    return NULL;
}

void server_address(const view_server *server, bool ticket, char out[SERVER_ADDRESS_SIZE]) {
    const view_access *access = &server->state.access;
    snprintf(out, SERVER_ADDRESS_SIZE, "http://127.0.0.1:%d/?token=%s", server->state.port,
             ticket ? access->ticket : access->key);
}

void server_stop(view_server *server) {
    if (!server) return;
    server->stop = true; // seen within a poll
    pthread_join(server->thread, NULL);
    close(server->listener);
    free(server);
}
