// Where pages and the engine meet. Network threads bring pages and what they say; the engine's thread takes that, and
// leaves frames. Nobody waits for anybody: the engine keeps only its newest frame, and each page gets the newest there
// is when it has drawn the one before.
//
//     pages  --messages-->  queue  -->  engine
//     pages  <--newest frame (shared, counted)--  engine
//
// One page drives: its messages reach the engine, and it opens scenes. It is the first that came, or the one that
// asked.
#ifndef SN_APP_VIEW_SESSION_H
#define SN_APP_VIEW_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct view_session view_session;
typedef struct view_page view_page;

enum {
    VIEW_SESSION_MAX_PAGES = 16,
    VIEW_SESSION_MAX_MESSAGE = 64 * 1024, // bytes; longer ones are refused
};

// 'scenes' is the list that pages are told, a text in JSON; it must stay. Null: no memory.
view_session *view_session_new(const char *scenes);
void view_session_free(view_session *session);

// --- pages ---

bool view_session_full(view_session *session);

// Null: there are too many pages, or there is no memory.
view_page *view_session_enter(view_session *session);
void view_session_leave(view_session *session, view_page *page);

// What a page said. False: it is not to be understood, and the page is to be sent away.
bool view_session_binary(view_session *session, view_page *page, const void *bytes, size_t size);
bool view_session_text(view_session *session, view_page *page, const char *text, size_t size);
bool view_session_ping(view_session *session, view_page *page, const void *bytes, size_t size);

// What a page is to be sent next.
typedef enum { POST_TEXT, POST_FRAME, POST_PONG, POST_GOODBYE, POST_END } post_kind;
typedef struct {
    post_kind kind;
    const void *bytes;
    size_t size;
    void *holder; // what keeps the bytes
} view_session_post;

// Waits until there is something for a page. POST_END: it was told to end. Given back with view_session_posted.
view_session_post view_session_next_post(view_session *session, view_page *page);
void view_session_posted(view_session_post post, view_session *session, view_page *page, bool good);

// Makes view_session_next_post return POST_END.
void view_session_end_posts(view_session *session, view_page *page);

// --- engine ---

// What the engine is to do next.
typedef struct {
    bool quit;
    bool frame;        // a page waits for one: make it if anything has changed
    bool first_frame;  // make it in any case: there is none yet
    bool anybody;      // somebody watches
    const char *open;  // the scene to open, or null; valid until the next call
    const void *asker; // who wants it opened, for view_session_report_error
    const void *bytes; // messages one after the other, in words: size in bytes, then the message
    size_t size;       // of all
} view_session_orders;

// Waits until something is to be done, 'seconds' at most.
view_session_orders view_session_wait_orders(view_session *session, double seconds);

// A frame for everybody who is ready; copied. False: no memory.
bool view_session_show(view_session *session, const void *frame, size_t size);

// A scene was opened: pages are told and start anew.
void view_session_opened(view_session *session, const char *name);

// Something went wrong that the page who asked should know; null: everybody.
void view_session_report_error(view_session *session, const void *asker, const char *words);

// --- the end ---

// Pages are sent away, and the engine is told to quit. Waits for pages to be gone, a second at most.
void view_session_close(view_session *session);

#endif
