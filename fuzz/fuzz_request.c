// Fuzzes what the view server reads of strangers: heads of requests, with the checks of who may ask (when the first byte is
// even), and frames of WebSockets (when it is odd). Requests are mutated by the words of HTTP.
// See README.md for how to build and run it.
// covers: apps/sinew/view_request.c apps/sinew/view_access.c apps/sinew/view_socket.c
// beyond: access_init make_key: random numbers of the system
// beyond: socket_head: writes
// links: view_request view_access view_socket
#include "view_access.h"
#include "view_socket.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PORT = 8383, MAX_MESSAGE = 4096 };

static void fail(const char *words) {
    fprintf(stderr, "%s\n", words);
    abort();
}

// --- mutation ---

static unsigned below(unsigned *seed, unsigned n) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static const char *const tokens[] = {"GET / HTTP/1.1\r\n",
                                         "GET /?token=00000000000000000000000000000001 HTTP/1.1\r\n",
                                         "Host: 127.0.0.1:8383\r\n",
                                         "Host: localhost:8383\r\n",
                                         "Origin: http://127.0.0.1:8383\r\n",
                                         "Sec-Fetch-Site: cross-site\r\n",
                                         "Sec-Fetch-Site: none\r\n",
                                         "Cookie: sinew-8383=00000000000000000000000000000001\r\n",
                                         "sinew-8383=",
                                         "; ",
                                         "\r\n",
                                         "\r\n\r\n",
                                         ": ",
                                         "?",
                                         "HEAD",
                                         "/session",
                                         "00000000000000000000000000000001"};
    const char *token = tokens[below(&seed, sizeof tokens / sizeof *tokens)];
    const size_t length = strlen(token);
    if (size < 1 || data[0] % 2 || below(&seed, 3) == 0 || size + length > most)
        return LLVMFuzzerMutate(data, size, most);
    const size_t at = 1 + below(&seed, (unsigned)size);
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, token, length);
    return size + length;
}

// --- trying ---

static bool has_text(const char *bytes, size_t size, const char *text) {
    const size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bytes + i, text, length) == 0) return true;
    return false;
}

// Whoever is let in has the key and names this machine.
static void try_request(const char *data, size_t size) {
    view_access access = {.key = "00000000000000000000000000000001", .ticket = "00000000000000000000000000000002"};
    char *bytes = malloc(size ? size : 1); // of just this size, so that a byte too much is seen
    if (!bytes) return;
    memcpy(bytes, data, size);
    const size_t head = request_head_size(bytes, size);
    view_request request;
    const char *reason;
    if (head > size) fail("a head longer than the bytes");
    if (head > 0 && request_parse(bytes, head, &request)) {
        if (request.path[0] != '/' || request.header_count > REQUEST_MAX_HEADERS) fail("a malformed request");
        for (int i = 0; i < request.header_count; i++)
            if (strpbrk(request.headers[i].name, ": \r\n") || strpbrk(request.headers[i].value, "\r\n"))
                fail("a malformed header");
        const access_answer answer = access_check(&access, &request, PORT, &reason);
        if (answer == ACCESS_REFUSED && !reason) fail("a refusal without a reason");
        if (answer != ACCESS_REFUSED && ((!has_text(data, head, access.key) && !has_text(data, head, access.ticket)) ||
                                         !has_text(data, head, ":8383")))
            fail("somebody is let in without the key");
    }
    free(bytes);
}

static void try_frames(const uint8_t *data, size_t size) {
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes) return;
    memcpy(bytes, data, size);
    for (size_t at = 0; at < size;) {
        socket_message message;
        const int got = socket_read(bytes + at, size - at, MAX_MESSAGE, &message);
        if (got != 1) break;
        if (message.size > MAX_MESSAGE || message.frame > size - at || message.content + message.size > bytes + size)
            fail("a message beyond the bytes");
        at += message.frame;
    }
    char key[25] = {0}, accept[SOCKET_ACCEPT_SIZE];
    memcpy(key, data, size < 24 ? size : 24);
    if (socket_accept(key, accept) && strlen(accept) != SOCKET_ACCEPT_SIZE - 1) fail("a malformed answer");
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    if (data[0] % 2)
        try_frames(data + 1, size - 1);
    else
        try_request((const char *)data + 1, size - 1);
    return 0;
}
