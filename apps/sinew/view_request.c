// See view_request.h.
#include "view_request.h"
#include <string.h>
#include <strings.h>

size_t request_head_size(const char *bytes, size_t size) {
    for (size_t i = 3; i < size; i++)
        if (bytes[i] == '\n' && memcmp(bytes + i - 3, "\r\n\r\n", 4) == 0) return i + 1;
    return 0;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A character of a header's name.
static bool is_token(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || (c && strchr("!#$%&'*+-.^_`|~", c));
}

// The next line, without its end, which becomes a NUL. Null: it is malformed.
static char *next_line(char **at, const char *end) {
    char *line = *at;
    for (char *c = line; c + 1 < end; c++) {
        if (c[0] == '\r' && c[1] == '\n') {
            c[0] = 0;
            *at = c + 2;
            return line;
        }
        const unsigned char u = (unsigned char)*c;
        if ((u < 32 && u != '\t') || u == 127) return NULL;
    }
    return NULL;
}

static bool parse_first_line(char *line, view_request *out) {
    char *target = strchr(line, ' ');
    char *version = target ? strchr(target + 1, ' ') : NULL;
    if (!version) return false;
    *target++ = 0, *version++ = 0;
    if (!*line || target[0] != '/') return false;
    for (const char *c = line; *c; c++)
        if (!is_letter(*c)) return false;
    for (const char *c = target; *c; c++)
        if (*c <= ' ' || *c > '~') return false;
    char *question = strchr(target, '?');
    if (question) *question++ = 0;
    out->method = line, out->path = target, out->query = question;
    return strcmp(version, "HTTP/1.1") == 0 || strcmp(version, "HTTP/1.0") == 0;
}

static bool parse_header(char *line, view_request *out) {
    char *colon = line;
    while (is_token(*colon)) colon++;
    if (colon == line || *colon != ':' || out->header_count == REQUEST_MAX_HEADERS) return false;
    *colon = 0;
    char *value = colon + 1, *end = value + strlen(value);
    while (*value == ' ' || *value == '\t') value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t')) *--end = 0;
    out->headers[out->header_count++] = (request_header){line, value};
    return true;
}

bool request_parse(char *head, size_t size, view_request *out) {
    const char *end = head + size;
    char *at = head, *line = next_line(&at, end);
    *out = (view_request){0};
    if (!line || !parse_first_line(line, out)) return false;
    while ((line = next_line(&at, end)) && *line)
        if (!parse_header(line, out)) return false;
    return line && at == end;
}

const char *request_get(const view_request *request, const char *name, int *count) {
    const char *value = NULL;
    *count = 0;
    for (int i = 0; i < request->header_count; i++) {
        if (strcasecmp(request->headers[i].name, name) != 0) continue;
        value = request->headers[i].value;
        ++*count;
    }
    return *count == 1 ? value : NULL;
}
