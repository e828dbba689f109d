// See view_connection.h.
#include "view_connection.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// Seconds: for a request's head, for an answer, for the end; without a word from a page, after which it is pinged, and
// after which it counts as gone.
#define HEAD_SECONDS   5.0
#define ANSWER_SECONDS 60.0
#define END_SECONDS    1.0
#define PING_SECONDS   20.0
#define GONE_SECONDS   60.0

// Messages of a page: a pointer moves a few hundred times a second.
#define MESSAGES_PER_SECOND 1000.0
#define MESSAGES_AT_ONCE    2000.0
#define TEXT_COST           50.0 // in messages: texts are rare, and may be told to all pages

enum { MAX_DRAIN = 1 << 18 };

static void enter_stage(view_connection *c, connection_stage stage, double now) {
    c->stage = stage;
    c->since = now;
}

void connection_start(view_connection *c, int file, double now) {
    // The buffers need not be zero.
    c->file = file;
    enter_stage(c, CONNECTION_HEAD, now);
    c->heard = c->pinged = c->refilled = now;
    c->budget = MESSAGES_AT_ONCE;
    c->drained = c->in_size = c->head_size = c->body_size = c->sent = 0;
    c->pong_size = -1;
    c->owned = NULL;
    c->page = NULL;
    c->posting = c->becomes_socket = false;
}

static void drop_output(view_connection *c) {
    free(c->owned);
    if (c->posting) view_session_posted(&c->post);
    c->owned = NULL;
    c->posting = false;
    c->head_size = c->body_size = c->sent = 0;
}

static void leave(view_connection *c, const server_state *state) {
    if (c->page) view_session_leave(state->settings.session, c->page);
    c->page = NULL;
}

void connection_end(view_connection *c, const server_state *state) {
    drop_output(c);
    leave(c, state);
    close(c->file);
    c->file = -1;
}

short connection_events(const view_connection *c) {
    const bool sends = c->sent < c->head_size + c->body_size;
    switch (c->stage) {
    case CONNECTION_HEAD:
    case CONNECTION_DRAIN:
        return POLLIN;
    case CONNECTION_SOCKET:
        return (short)((c->budget >= 1 ? POLLIN : 0) | (sends ? POLLOUT : 0));
    default:
        return POLLOUT;
    }
}

bool connection_is_throttled(const view_connection *c) {
    return c->stage == CONNECTION_SOCKET && c->budget < 1;
}

void connection_refill(view_connection *c, double now) {
    c->budget += (now - c->refilled) * MESSAGES_PER_SECOND;
    if (c->budget > MESSAGES_AT_ONCE) c->budget = MESSAGES_AT_ONCE;
    c->refilled = now;
}

bool connection_in_time(const view_connection *c, double now) {
    const double passed = now - c->since;
    switch (c->stage) {
    case CONNECTION_HEAD:
        return passed < HEAD_SECONDS;
    case CONNECTION_ANSWER:
        return passed < ANSWER_SECONDS;
    case CONNECTION_SOCKET:
        return now - c->heard < GONE_SECONDS;
    default:
        return passed < END_SECONDS;
    }
}

// --- requests ---

static void start_answer(view_connection *c, server_state *state, view_answer answer, double now) {
    if (answer.status == 101 && !(c->page = view_session_enter(state->settings.session)))
        answer = answer_refusal(503, "Too many pages are open.\n");
    c->head_size = answer_head(state, &answer, (char *)c->head);
    c->body = answer.body;
    c->body_size = answer.head_only ? 0 : answer.size;
    c->owned = answer.owned;
    c->becomes_socket = answer.status == 101;
    enter_stage(c, CONNECTION_ANSWER, now);
}

static void read_head(view_connection *c, server_state *state, double now) {
    const size_t size = request_head_size((const char *)c->in, c->in_size);
    view_request request;
    if (size > 0) {
        const bool good = request_parse((char *)c->in, size, &request);
        start_answer(c, state, good ? answer_request(state, &request) : answer_refusal(400, "Not a request.\n"), now);
        c->in_size -= size;
        memmove(c->in, c->in + size, c->in_size);
    } else if (c->in_size == sizeof c->in) {
        start_answer(c, state, answer_refusal(431, "The request is too large.\n"), now);
    }
}

// --- messages ---

// Sends the reason after what is on its way, and ends.
static void close_socket(view_connection *c, int code, double now) {
    unsigned char *at = c->pong;
    at[0] = (unsigned char)(code >> 8), at[1] = (unsigned char)code;
    c->pong_size = 2;
    enter_stage(c, CONNECTION_LAST, now);
}

// False: the connection closes.
static bool apply_message(view_connection *c, const server_state *state, const socket_message *message, double now) {
    view_session *session = state->settings.session;
    bool good = true;
    switch (message->opcode) {
    case SOCKET_BINARY:
        good = view_session_binary(session, c->page, message->content, message->size);
        break;
    case SOCKET_TEXT:
        good = view_session_text(session, c->page, (const char *)message->content, message->size);
        break;
    case SOCKET_PING: // the newest replaces one that was not answered
        memcpy(c->pong, message->content, message->size);
        c->pong_size = (int)message->size;
        break;
    case SOCKET_CLOSE:
        leave(c, state);
        close_socket(c, CLOSE_NORMAL, now);
        return false;
    case SOCKET_PONG:
        break;
    }
    if (good) return true;
    leave(c, state);
    close_socket(c, CLOSE_BUSY, now);
    return false;
}

static void read_messages(view_connection *c, const server_state *state, double now) {
    size_t at = 0;
    while (c->budget >= 1) {
        socket_message message;
        const int got = socket_read(c->in + at, c->in_size - at, VIEW_SESSION_MAX_MESSAGE, &message);
        if (got == 0) break;
        if (got != 1) {
            leave(c, state);
            close_socket(c, got, now);
            return;
        }
        c->budget -= message.opcode == SOCKET_TEXT ? TEXT_COST : 1;
        at += message.frame;
        if (!apply_message(c, state, &message, now)) return;
    }
    c->in_size -= at;
    memmove(c->in, c->in + at, c->in_size);
}

bool connection_read(view_connection *c, server_state *state, double now) {
    if (c->stage == CONNECTION_ANSWER || c->stage == CONNECTION_LAST) return true;
    if (c->stage == CONNECTION_SOCKET) {
        connection_refill(c, now);
        if (c->budget < 1) return true;
        read_messages(c, state, now); // those that waited
        if (c->stage != CONNECTION_SOCKET) return true;
    }
    if (c->stage == CONNECTION_DRAIN) c->in_size = 0;
    if (c->in_size == sizeof c->in) return true; // messages that wait
    const ssize_t got = recv(c->file, c->in + c->in_size, sizeof c->in - c->in_size, 0);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (got == 0) return false;
    c->heard = now;
    c->in_size += (size_t)got;
    if (c->stage == CONNECTION_HEAD) read_head(c, state, now);
    if (c->stage == CONNECTION_SOCKET) read_messages(c, state, now);
    if (c->stage == CONNECTION_DRAIN) c->drained += (size_t)got;
    return c->drained <= MAX_DRAIN;
}

// --- output ---

// Sends as much as the other side takes. 1: all; 0: more is left; -1: the connection is broken.
static int flush(view_connection *c) {
    const size_t all = c->head_size + c->body_size;
    while (c->sent < all) {
        struct iovec parts[2];
        int count = 0;
        if (c->sent < c->head_size) parts[count++] = (struct iovec){c->head + c->sent, c->head_size - c->sent};
        if (c->body_size > 0) {
            const size_t from = c->sent > c->head_size ? c->sent - c->head_size : 0;
            parts[count++] = (struct iovec){(char *)c->body + from, c->body_size - from};
        }
        const struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)count};
        const ssize_t gone = sendmsg(c->file, &message, MSG_NOSIGNAL);
        if (gone < 0 && errno == EINTR) continue;
        if (gone < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
        c->sent += (size_t)gone;
    }
    drop_output(c);
    return 1;
}

static void send_control(view_connection *c, socket_opcode opcode, const void *content, size_t size) {
    c->head_size = socket_head(opcode, size, c->head);
    memcpy(c->head + c->head_size, content, size);
    c->head_size += size;
}

// The next thing to send to a page. False: there is nothing.
static bool find_output(view_connection *c, const server_state *state, double now) {
    if (c->pong_size >= 0) {
        send_control(c, SOCKET_PONG, c->pong, (size_t)c->pong_size);
        c->pong_size = -1;
        return true;
    }
    if (view_session_next_post(state->settings.session, c->page, &c->post)) {
        if (c->post.kind == POST_GOODBYE || !c->post.bytes) {
            close_socket(c, c->post.kind == POST_GOODBYE ? CLOSE_GOING : CLOSE_BUSY, now);
            return false;
        }
        c->posting = true;
        c->head_size = socket_head(c->post.kind == POST_TEXT ? SOCKET_TEXT : SOCKET_BINARY, c->post.size, c->head);
        c->body = c->post.bytes;
        c->body_size = c->post.size;
        return true;
    }
    if (now - c->heard < PING_SECONDS || now - c->pinged < PING_SECONDS) return false;
    c->pinged = now;
    send_control(c, SOCKET_PING, "", 0);
    return true;
}

// The answer is sent: the connection becomes a WebSocket or ends.
static void end_answer(view_connection *c, double now) {
    if (c->becomes_socket) {
        c->heard = now;
        enter_stage(c, CONNECTION_SOCKET, now);
        return;
    }
    shutdown(c->file, SHUT_WR);
    enter_stage(c, CONNECTION_DRAIN, now);
}

bool connection_write(view_connection *c, const server_state *state, double now) {
    if (c->stage == CONNECTION_HEAD || c->stage == CONNECTION_DRAIN) return true;
    if (c->stage == CONNECTION_ANSWER) {
        const int done = flush(c);
        if (done == 1) end_answer(c, now);
        if (done != 1) return done == 0;
    }
    while (c->stage == CONNECTION_SOCKET) {
        const int done = flush(c);
        if (done != 1) return done == 0;
        if (!find_output(c, state, now)) break;
    }
    if (c->stage != CONNECTION_LAST) return true;
    int done = flush(c);
    if (done == 1 && c->pong_size == 2) {
        send_control(c, SOCKET_CLOSE, c->pong, 2);
        c->pong_size = -1;
        done = flush(c);
    }
    if (done != 1) return done == 0;
    shutdown(c->file, SHUT_WR);
    enter_stage(c, CONNECTION_DRAIN, now);
    return true;
}
