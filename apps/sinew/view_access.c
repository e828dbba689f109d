// See view_access.h. Each check alone would stop a page from elsewhere; browsers differ in what they send.
#include "view_access.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

static bool make_key(char out[ACCESS_KEY_SIZE], tool_error *error) {
    unsigned char bytes[(ACCESS_KEY_SIZE - 1) / 2];
    ssize_t size;
    do size = getrandom(bytes, sizeof bytes, 0);
    while (size < 0 && errno == EINTR);
    if (size != (ssize_t)sizeof bytes) return tool_error_set(error, "no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool access_init(view_access *access, tool_error *error) {
    *access = (view_access){0};
    return make_key(access->key, error) && make_key(access->ticket, error);
}

// Whether the first `size` characters of `text` are the key. Takes the same time wherever they differ.
static bool is_key(const char *text, size_t size, const char key[ACCESS_KEY_SIZE]) {
    if (size != ACCESS_KEY_SIZE - 1) return false;
    unsigned char differ = 0;
    for (size_t i = 0; i < size; i++) differ |= (unsigned char)(text[i] ^ key[i]);
    return differ == 0;
}

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

// A name that is resolved to this machine by somebody else's server (DNS rebinding) is in Host; a page from elsewhere is
// in Origin and Sec-Fetch-Site. Programs that are not browsers send neither of the two.
static bool from_here(const view_request *request, int port) {
    static const char scheme[] = "http://";
    int count;
    const char *host = request_get(request, "Host", &count);
    if (!host || !is_here(host, port)) return false;
    const char *origin = request_get(request, "Origin", &count);
    if (count > 1 ||
        (origin && (strncasecmp(origin, scheme, sizeof scheme - 1) != 0 || !is_here(origin + sizeof scheme - 1, port))))
        return false;
    const char *site = request_get(request, "Sec-Fetch-Site", &count);
    return count == 0 || (site && (strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0));
}

static bool has_cookie(const view_access *access, const view_request *request, int port) {
    char name[32];
    int count;
    const size_t length = (size_t)snprintf(name, sizeof name, "sinew-%d=", port);
    const char *at = request_get(request, "Cookie", &count);
    while (at && *at) {
        const char *end = strchr(at, ';');
        const size_t size = end ? (size_t)(end - at) : strlen(at);
        if (size > length && strncmp(at, name, length) == 0 && is_key(at + length, size - length, access->key))
            return true;
        at = end ? end + 1 + strspn(end + 1, " ") : NULL;
    }
    return false;
}

static access_answer check_address(view_access *access, const char *query, const char **reason) {
    static const char name[] = "token=";
    const char *key = query + sizeof name - 1;
    if (strncmp(query, name, sizeof name - 1) != 0) {
        *reason = "Open the address that sinew view printed: it contains the key.\n";
        return ACCESS_REFUSED;
    }
    if (is_key(key, strlen(key), access->key)) return ACCESS_FIRST_VISIT;
    const bool ticket = is_key(key, strlen(key), access->ticket);
    if (ticket && !access->ticket_used) {
        access->ticket_used = true;
        return ACCESS_FIRST_VISIT;
    }
    *reason = ticket
                  ? "This address was used before, and is good only once. Open the one that sinew view printed. If it "
                    "was not you who used it, end sinew view.\n"
                  : "This address has another key: sinew view was started anew. Open the address that it printed.\n";
    return ACCESS_REFUSED;
}

access_answer access_check(view_access *access, const view_request *request, int port, const char **reason) {
    *reason = "Only pages of this server have access. If you followed a link, paste the address instead.\n";
    if (!from_here(request, port)) return ACCESS_REFUSED;
    const bool cookie = has_cookie(access, request, port), start = strcmp(request->path, "/") == 0;
    if (start && request->query) {
        const access_answer answer = check_address(access, request->query, reason);
        // Whoever has the cookie needs no key in the address.
        return answer == ACCESS_REFUSED && cookie ? ACCESS_GRANTED : answer;
    }
    *reason = "Open the address that sinew view printed: it contains the key.\n";
    return cookie ? ACCESS_GRANTED : ACCESS_REFUSED;
}
