// The head of an HTTP request, as browsers write it:
//
//     GET /page.js?query HTTP/1.1 CRLF
//     Host: 127.0.0.1:8383 CRLF
//     CRLF
//
// The parser is strict: what two programs may read differently is refused.
#ifndef SN_APP_VIEW_REQUEST_H
#define SN_APP_VIEW_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { REQUEST_MAX_HEAD = 8192, REQUEST_MAX_HEADERS = 64 };

typedef struct {
    const char *name, *value;
} request_header;

typedef struct {
    const char *method, *path;
    const char *query; // what follows the question mark; null: none
    int header_count;
    request_header headers[REQUEST_MAX_HEADERS];
} view_request;

// The size of a head with its empty line; 0: it is not complete.
size_t request_head_size(const char *bytes, size_t size);

// Parses a complete head in place; the request points into it. False: malformed.
bool request_parse(char *head, size_t size, view_request *out);

// The value of a header that must be there at most once. Null: it is missing, or there are several (*count).
const char *request_get(const view_request *request, const char *name, int *count);

#endif
