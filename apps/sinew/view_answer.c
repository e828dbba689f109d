// See view_answer.h. Exactly the files listed here are served. No request makes the server work for long: scenes are
// baked when the engine opens them, not when they are fetched.
#include "view_answer.h"
#include "formats/file_text.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_FILE = 64 << 20, MAX_NAME = 256 };

// Scripts and styles are files of the page; none is written into it or made from a string. Nothing is fetched from
// elsewhere, and no other page may frame this one. Pictures and films that the page keeps are blobs; the sliders' icons
// are a font in the style.
#define CONTENT_POLICY                                                                                                 \
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src data:; img-src 'self' data: blob:; "            \
    "media-src blob:; connect-src 'self' ws://127.0.0.1:%d ws://localhost:%d; base-uri 'none'; form-action 'none'; "   \
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

view_answer answer_refusal(int status, const char *words) {
    return (view_answer){.status = status, .type = "text/plain; charset=utf-8", .body = words, .size = strlen(words)};
}

static const char *reason_of(int status) {
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {101, "Switching Protocols"}, {200, "OK"},
        {303, "See Other"},           {400, "Bad Request"},
        {403, "Forbidden"},           {404, "Not Found"},
        {405, "Method Not Allowed"},  {413, "Content Too Large"},
        {426, "Upgrade Required"},    {431, "Request Header Fields Too Large"},
        {503, "Service Unavailable"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status) return reasons[i].reason;
    return "";
}

size_t answer_head(const server_state *state, const view_answer *answer, char out[ANSWER_MAX_HEAD]) {
    const int port = state->port;
    if (answer->status == 101)
        return (size_t)snprintf(out, ANSWER_MAX_HEAD,
                                "HTTP/1.1 101 %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                "Sec-WebSocket-Accept: %s\r\n\r\n",
                                reason_of(101), answer->accept);
    char more[160] = "";
    if (answer->first_visit)
        snprintf(more, sizeof more, "Location: /\r\nSet-Cookie: sinew-%d=%s; Path=/; HttpOnly; SameSite=Strict\r\n",
                 port, state->access.key);
    return (size_t)snprintf(out, ANSWER_MAX_HEAD,
                            "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                            "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                            "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                            "Cross-Origin-Opener-Policy: same-origin\r\nContent-Security-Policy: " CONTENT_POLICY
                            "\r\n%s%s\r\n",
                            answer->status, reason_of(answer->status), answer->type, answer->size, port, port, more,
                            answer->status == 405 ? "Allow: GET, HEAD\r\n" : "");
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

static view_answer answer_file(const server_state *state, const char *name) {
    const char *type = plain_name(name) ? type_of(name) : NULL;
    char path[4096], *bytes;
    size_t size;
    const int length = snprintf(path, sizeof path, "%s/%s", state->settings.page, name);
    if (!type || length >= (int)sizeof path || !file_text_read(path, &disk_files, MAX_FILE, &bytes, &size, NULL))
        return answer_refusal(404, "No such file.\n");
    return (view_answer){.status = 200, .type = type, .body = bytes, .size = size, .owned = bytes};
}

static int digit_of(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// Decodes %41 and the like. False: malformed, too long, or with a NUL.
static bool decode(const char *text, char out[MAX_NAME]) {
    size_t length = 0;
    for (; *text; text++, length++) {
        if (length + 1 >= MAX_NAME) return false;
        out[length] = *text;
        if (*text != '%') continue;
        const int high = digit_of(text[1]), low = high < 0 ? -1 : digit_of(text[2]);
        if (low < 0 || (high == 0 && low == 0)) return false;
        out[length] = (char)(16 * high + low);
        text += 2;
    }
    out[length] = 0;
    return true;
}

static view_answer answer_scene(const server_state *state, const char *file) {
    static const char ending[] = ".snb";
    char name[MAX_NAME];
    size_t size = 0;
    const void *baked = NULL;
    if (decode(file, name)) {
        const size_t length = strlen(name), end = sizeof ending - 1;
        const bool good = length > end && strcmp(name + length - end, ending) == 0;
        if (good) name[length - end] = 0;
        if (good) baked = scenes_baked(state->settings.scenes, name, &size);
    }
    if (!baked) return answer_refusal(404, "No such scene is open.\n");
    return (view_answer){.status = 200, .type = "application/octet-stream", .body = baked, .size = size};
}

// --- requests ---

// The connection may list several words.
static bool lists(const char *value, const char *word) {
    const size_t length = strlen(word);
    while (value && *value) {
        value += strspn(value, ", \t");
        const size_t size = strcspn(value, ", \t");
        if (size == length && strncasecmp(value, word, size) == 0) return true;
        value += size;
    }
    return false;
}

static view_answer answer_socket(const server_state *state, const view_request *request) {
    int count;
    view_answer answer = {.status = 101};
    const char *upgrade = request_get(request, "Upgrade", &count);
    if (!upgrade || strcasecmp(upgrade, "websocket") != 0) return answer_refusal(426, "This is a WebSocket.\n");
    const char *key = request_get(request, "Sec-WebSocket-Key", &count);
    const char *version = request_get(request, "Sec-WebSocket-Version", &count);
    if (!request_get(request, "Origin", &count)) return answer_refusal(403, "A WebSocket needs an Origin.\n");
    if (strcmp(request->method, "GET") != 0 || !lists(request_get(request, "Connection", &count), "upgrade") || !key ||
        !version || strcmp(version, "13") != 0 || !socket_accept(key, answer.accept))
        return answer_refusal(400, "Not the handshake of a WebSocket.\n");
    if (view_session_full(state->settings.session)) return answer_refusal(503, "Too many pages are open.\n");
    return answer;
}

view_answer answer_request(server_state *state, const view_request *request) {
    static const char scenes[] = "/scenes/";
    int lengths, codings;
    const char *path = request->path, *reason, *length = request_get(request, "Content-Length", &lengths);
    const access_answer access = access_check(&state->access, request, state->port, &reason);
    const bool head = strcmp(request->method, "HEAD") == 0;
    request_get(request, "Transfer-Encoding", &codings);
    view_answer answer;
    if (access == ACCESS_REFUSED)
        answer = answer_refusal(403, reason);
    else if (!head && strcmp(request->method, "GET") != 0)
        answer = answer_refusal(405, "Only GET and HEAD are supported.\n");
    else if (codings > 0 || lengths > 1 || (length && strcmp(length, "0") != 0))
        answer = answer_refusal(413, "Requests have no content.\n");
    else if (access == ACCESS_FIRST_VISIT)
        answer = (view_answer){.status = 303, .type = "text/plain", .body = "", .first_visit = true};
    else if (strcmp(path, "/session") == 0)
        answer = answer_socket(state, request);
    else if (strncmp(path, scenes, sizeof scenes - 1) == 0)
        answer = answer_scene(state, path + sizeof scenes - 1);
    else
        answer = answer_file(state, strcmp(path, "/") == 0 ? "index.html" : path + 1);
    answer.head_only = head;
    return answer;
}
