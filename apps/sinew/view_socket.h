// The framing of WebSockets (RFC 6455), as far as the page uses it: messages of one frame each.
//
//     byte 0: final bit, opcode; byte 1: mask bit, length; 2 or 8 more bytes of length; 4 bytes of mask; content
#ifndef SN_APP_VIEW_SOCKET_H
#define SN_APP_VIEW_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { SOCKET_TEXT = 1, SOCKET_BINARY = 2, SOCKET_CLOSE = 8, SOCKET_PING = 9, SOCKET_PONG = 10 } socket_opcode;

// Reasons to close.
enum { CLOSE_NORMAL = 1000, CLOSE_GOING = 1001, CLOSE_PROTOCOL = 1002, CLOSE_TOO_BIG = 1009, CLOSE_BUSY = 1013 };

enum { SOCKET_MAX_HEAD = 10, SOCKET_MAX_CONTROL = 125, SOCKET_ACCEPT_SIZE = 29 };

typedef struct {
    socket_opcode opcode;
    unsigned char *content;
    size_t size;
    size_t frame; // bytes of the whole frame
} socket_message;

// The answer to the key of a handshake. False: it is not one.
bool socket_accept(const char *key, char out[SOCKET_ACCEPT_SIZE]);

// Reads the message at the start of some bytes and unmasks it in place. Returns 1; 0: it is not complete; else the reason
// to close. A message above `max` is refused by its head, before its content comes.
int socket_read(unsigned char *bytes, size_t size, size_t max, socket_message *out);

// Writes the head of a message from the server and returns its size.
size_t socket_head(socket_opcode opcode, size_t size, unsigned char out[SOCKET_MAX_HEAD]);

#endif
