// See view_server.h. CivetWeb implements the protocols. Its file server is not used, so that exactly the files listed
// here are served.
//
// Each page has two threads: CivetWeb's, which reads, and one of ours, which writes. A page that does not read blocks
// only its own writer.
#include "view_server.h"
#include "formats/file_text.h"
#include <civetweb.h>
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_FILE = 64 << 20, MAX_NAME = 256 };

// Scripts and workers are files of the page, or created by them. Nothing is fetched from elsewhere, and no other page
// may frame this one. WebAssembly counts as script.
#define CONTENT_POLICY                                                                                                 \
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src 'self' blob:; "        \
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src blob:; font-src 'self' data:; "           \
    "connect-src 'self' data: blob: ws://127.0.0.1:%d ws://localhost:%d; base-uri 'none'; form-action 'none'; "        \
    "frame-ancestors 'none'"

struct view_server {
    server_settings settings;
    struct mg_context *context;
    atomic_int port; // written when threads already run
    char said[200];  // CivetWeb's last message, in case it does not start
};

// --- answers ---

static view_server *server_of(const struct mg_connection *connection) {
    return mg_get_user_data(mg_get_context(connection));
}

static void send_head(struct mg_connection *to, int status, const char *reason, const char *type, size_t size) {
    int port = server_of(to)->port;
    mg_printf(to,
              "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
              "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
              "Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: " CONTENT_POLICY "\r\n%s\r\n",
              status, reason, type, size, port, port, status == 405 ? "Allow: GET, HEAD\r\n" : "");
}

static int answer(struct mg_connection *to, int status, const char *reason, const char *type, const void *body,
                  size_t size) {
    send_head(to, status, reason, type, size);
    if (strcmp(mg_get_request_info(to)->request_method, "HEAD") != 0) mg_write(to, body, size);
    return status;
}

static int refuse(struct mg_connection *to, int status, const char *reason, const char *words) {
    return answer(to, status, reason, "text/plain; charset=utf-8", words, strlen(words));
}

// --- who may ask ---

// Whether `text` is a name of this machine with our port.
static bool is_here(const char *text, int port) {
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char full[64];
        snprintf(full, sizeof full, "%s:%d", names[i], port);
        if (strcasecmp(text, full) == 0) return true;
        if (port == 80 && strcasecmp(text, names[i]) == 0) return true;
    }
    return false;
}

// Every header of a name must be valid: given two, another program may use the other.
static bool headers_good(const struct mg_request_info *request, const char *name, const char *prefix, int port,
                         bool needed) {
    int count = 0;
    size_t length = strlen(prefix);
    for (int i = 0; i < request->num_headers; i++) {
        if (strcasecmp(request->http_headers[i].name, name) != 0) continue;
        const char *value = request->http_headers[i].value;
        if (strncasecmp(value, prefix, length) != 0 || !is_here(value + length, port)) return false;
        count++;
    }
    return needed ? count == 1 : count <= 1;
}

// --- files ---

static const char *type_of(const char *name) {
    static const struct {
        const char *ending, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".wasm", "application/wasm"},
        {".woff2", "font/woff2"},
        {".txt", "text/plain; charset=utf-8"},
    };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (strcmp(dot, types[i].ending) == 0) return types[i].type;
    return NULL;
}

// A file of the page is in its folder, not below, and has a plain name.
static bool plain_name(const char *name) {
    size_t length = 0;
    for (; name[length]; length++) {
        unsigned char c = (unsigned char)name[length];
        if (!isalnum(c) && c != '-' && c != '_' && !(c == '.' && length > 0)) return false;
    }
    return length > 0 && length < MAX_NAME;
}

static int send_file(struct mg_connection *to, const view_server *server, const char *name) {
    const char *type = plain_name(name) ? type_of(name) : NULL;
    if (!type) return refuse(to, 404, "Not Found", "No such file.\n");
    char path[4096], *bytes;
    size_t size;
    int length = snprintf(path, sizeof path, "%s/%s", server->settings.page, name);
    if (length >= (int)sizeof path || !file_text_read(path, &disk_files, MAX_FILE, &bytes, &size, NULL))
        return refuse(to, 404, "Not Found", "No such file.\n");
    int status = answer(to, 200, "OK", type, bytes, size);
    free(bytes);
    return status;
}

static int send_scene(struct mg_connection *to, const view_server *server, const char *file) {
    tool_error error;
    char name[MAX_NAME], words[TOOL_ERROR_SIZE + 2];
    int raw = (int)strnlen(file, (size_t)3 * MAX_NAME), length = mg_url_decode(file, raw, name, sizeof name, 0);
    size_t size;
    bool good = length > 4 && strlen(name) == (size_t)length && strcmp(name + length - 4, ".snb") == 0;
    if (good) {
        name[length - 4] = 0;
        good = scenes_has(server->settings.scenes, name);
    }
    if (!good) return refuse(to, 404, "Not Found", "No such scene.\n");
    const void *baked = scenes_baked(server->settings.scenes, name, &size, &error);
    if (baked) return answer(to, 200, "OK", "application/octet-stream", baked, size);
    snprintf(words, sizeof words, "%s\n", error.text);
    return refuse(to, 500, "Internal Server Error", words);
}

static bool wants_socket(const struct mg_connection *connection) {
    const char *upgrade = mg_get_header(connection, "Upgrade");
    return upgrade && strcasecmp(upgrade, "websocket") == 0;
}

// Handles every request first. Zero passes it on to the WebSocket functions below.
static int on_request(struct mg_connection *from) {
    static const char scenes[] = "/scenes/";
    const view_server *server = server_of(from);
    const struct mg_request_info *request = mg_get_request_info(from);
    const char *method = request->request_method, *path = request->local_uri_raw; // as it was sent
    if (!headers_good(request, "Host", "", server->port, true) ||
        !headers_good(request, "Origin", "http://", server->port, false))
        return refuse(from, 403, "Forbidden", "Only pages of this server have access.\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return refuse(from, 405, "Method Not Allowed", "Only GET and HEAD are supported.\n");
    if (!path) return refuse(from, 400, "Bad Request", "Invalid path.\n");
    if (strcmp(path, "/session") == 0) {
        if (wants_socket(from)) return 0;
        return refuse(from, 426, "Upgrade Required", "This is a WebSocket.\n");
    }
    if (strcmp(path, "/") == 0) return send_file(from, server, "index.html");
    if (strncmp(path, scenes, sizeof scenes - 1) == 0) return send_scene(from, server, path + sizeof scenes - 1);
    return send_file(from, server, path + 1);
}

// --- the WebSocket ---

// A page and the thread that writes to it.
typedef struct {
    view_server *server;
    view_page *page;
    struct mg_connection *connection;
    pthread_t writer;
    bool writing;
} visitor;

static int on_connect(const struct mg_connection *connection, void *user) {
    const view_server *server = user;
    if (!view_session_full(server->settings.session)) return 0;
    refuse((struct mg_connection *)connection, 503, "Service Unavailable", "Too many pages are open.\n");
    return 1;
}

static bool deliver(struct mg_connection *to, const view_session_post *post) {
    static const char going_away[] = {0x03, (char)0xe9}; // 1001
    switch (post->kind) {
    case POST_TEXT: // null: out of memory; the page should reconnect
        return post->bytes && mg_websocket_write(to, MG_WEBSOCKET_OPCODE_TEXT, post->bytes, post->size) > 0;
    case POST_FRAME:
        return mg_websocket_write(to, MG_WEBSOCKET_OPCODE_BINARY, post->bytes, post->size) > 0;
    case POST_PONG:
        return mg_websocket_write(to, MG_WEBSOCKET_OPCODE_PONG, post->bytes, post->size) > 0;
    case POST_GOODBYE:
        return mg_websocket_write(to, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, going_away, sizeof going_away) > 0;
    case POST_END:
        break;
    }
    return true;
}

static void *writer_main(void *argument) {
    visitor *v = argument;
    view_session *session = v->server->settings.session;
    for (;;) {
        view_session_post post = view_session_next_post(session, v->page);
        if (post.kind == POST_END) return NULL;
        view_session_posted(post, session, v->page, deliver(v->connection, &post));
    }
}

// From here on CivetWeb calls on_close; without a visitor, on_data closes the connection.
static void on_ready(struct mg_connection *connection, void *user) {
    view_server *server = user;
    visitor *v = calloc(1, sizeof *v);
    view_page *page = v ? view_session_enter(server->settings.session) : NULL;
    mg_set_user_connection_data(connection, NULL);
    if (!page) {
        free(v);
        return;
    }
    *v = (visitor){.server = server, .page = page, .connection = connection};
    v->writing = pthread_create(&v->writer, NULL, writer_main, v) == 0;
    mg_set_user_connection_data(connection, v);
}

// Zero closes the connection. CivetWeb has read the whole message by now, whatever its length (at most 2 GB). Only
// programs of this machine get that far, since other pages were refused before.
static int on_data(struct mg_connection *connection, int bits, char *bytes, size_t size, void *user) {
    view_session *session = ((view_server *)user)->settings.session;
    visitor *v = mg_get_user_connection_data(connection);
    int kind = bits & 15;
    bool whole = bits & 0x80, plain = (bits & 0x70) == 0; // our messages are not fragmented
    if (!v || !v->writing || !whole || !plain || size > VIEW_SESSION_MAX_MESSAGE) return 0;
    if (kind == MG_WEBSOCKET_OPCODE_BINARY) return view_session_binary(session, v->page, bytes, size);
    if (kind == MG_WEBSOCKET_OPCODE_TEXT) return view_session_text(session, v->page, bytes, size);
    if (kind == MG_WEBSOCKET_OPCODE_PING) return view_session_ping(session, v->page, bytes, size);
    return kind == MG_WEBSOCKET_OPCODE_PONG;
}

static void on_close(const struct mg_connection *connection, void *user) {
    (void)user;
    visitor *v = mg_get_user_connection_data(connection);
    if (!v) return;
    view_session_end_posts(v->server->settings.session, v->page);
    if (v->writing) pthread_join(v->writer, NULL);
    view_session_leave(v->server->settings.session, v->page);
    mg_set_user_connection_data(connection, NULL);
    free(v);
}

// --- start and stop ---

static int on_log(const struct mg_connection *connection, const char *message) {
    view_server *server = connection ? mg_get_user_data(mg_get_context(connection)) : NULL;
    if (server && !server->context) snprintf(server->said, sizeof server->said, "%s", message);
    return 1; // network errors are not printed
}

view_server *server_start(const server_settings *settings, tool_error *error) {
    view_server *server = calloc(1, sizeof *server);
    tool_error_out_of_memory(error);
    if (!server) return NULL;
    server->settings = *settings;
    char address[40];
    snprintf(address, sizeof address, "127.0.0.1:%d", settings->port);
    // More threads than pages, since files are requested too.
    const char *options[] = {
        "listening_ports",   address, "num_threads", "32", "tcp_nodelay", "1", "request_timeout_ms", "10000",
        "enable_keep_alive", "no",    "decode_url",  "no", NULL};
    const struct mg_callbacks callbacks = {.begin_request = on_request, .log_message = on_log};
    mg_init_library(0);
    struct mg_context *context = mg_start(&callbacks, server, options);
    if (!context) {
        tool_error_set(error, "cannot open port %d%s%s", settings->port, server->said[0] ? ": " : "", server->said);
        mg_exit_library();
        free(server);
        return NULL;
    }
    struct mg_server_port ports[1] = {0};
    mg_get_server_ports(context, 1, ports);
    server->port = ports[0].port;
    server->context = context;
    mg_set_websocket_handler(context, "/session", on_connect, on_ready, on_data, on_close, server);
    return server;
}

int server_port(const view_server *server) {
    return server->port;
}

void server_stop(view_server *server) {
    if (!server) return;
    mg_stop(server->context);
    mg_exit_library();
    free(server);
}
