// Who may use the view: a browser that was given the address with the key, and only pages that this server sent it.
//
//     http://127.0.0.1:8383/?token=KEY    answers with the key as a cookie, and leads to the address without it
//     cookie sinew-8383=KEY               needed for everything else
//
// The key is for the terminal. The command line of the browser that is opened can be read by other users of the
// machine, so it contains a ticket instead, which is good once.
#ifndef SN_APP_VIEW_ACCESS_H
#define SN_APP_VIEW_ACCESS_H

#include "mesh/error.h"
#include "view_request.h"

enum { ACCESS_KEY_SIZE = 33 }; // 128 bits in hexadecimal digits, and the end

typedef struct {
    char key[ACCESS_KEY_SIZE];
    char ticket[ACCESS_KEY_SIZE];
    bool ticket_used;
} view_access;

typedef enum { ACCESS_REFUSED, ACCESS_GRANTED, ACCESS_FIRST_VISIT } access_answer;

// False: the system has no random numbers.
bool access_init(view_access *access, tool_error *error);

// On a first visit the request has the key or the ticket in its address: answer with the cookie. On refusal *reason says
// why, in a sentence.
access_answer access_check(view_access *access, const view_request *request, int port, const char **reason);

#endif
