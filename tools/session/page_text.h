// Text messages of a page to its server: {"open": "SCENE"} and {"drive": true}.
#ifndef SN_SESSION_PAGE_TEXT_H
#define SN_SESSION_PAGE_TEXT_H

#include "mesh/error.h"
#include <stddef.h>

enum { PAGE_TEXT_SCENE = 256 }; // bytes of a scene's name, with its end

typedef struct {
    char open[PAGE_TEXT_SCENE]; // the scene to open; empty: none
    bool drive;                 // the page takes control
} page_text;

// False: the text is invalid, and the error says what would be right.
bool page_text_read(const char *text, size_t size, page_text *out, tool_error *error);

#endif
