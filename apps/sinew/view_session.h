// Connects pages and the engine. The server's thread adds pages and their messages; the engine's thread handles messages
// and posts frames. Neither waits for the other: the engine keeps only its newest frame, and each page gets it when it
// has drawn the one before. Whatever waits for a page is bounded: a hello, an error and a frame.
//
//     pages  --messages-->  queue  -->  engine
//     pages  <--newest frame (shared, counted)--  engine
//
// One page is in control: its messages reach the engine, and it opens scenes. It is the first page, or the last that
// took control.
#ifndef SN_APP_VIEW_SESSION_H
#define SN_APP_VIEW_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct view_session view_session;
typedef struct view_page view_page;

enum {
    VIEW_SESSION_MAX_PAGES = 16,
    VIEW_SESSION_MAX_MESSAGE = 4096, // bytes; longer ones are refused before they are read
};

// `scenes` is the list for pages, as JSON, which must outlive the session. Null: out of memory or files.
view_session *view_session_new(const char *scenes);
void view_session_free(view_session *session);

// --- pages ---

// A descriptor that becomes readable when there may be messages to pages; view_session_clear_wake makes it unreadable.
int view_session_wake(const view_session *session);
void view_session_clear_wake(view_session *session);

bool view_session_full(view_session *session);

// Null: too many pages, or out of memory.
view_page *view_session_enter(view_session *session);
void view_session_leave(view_session *session, view_page *page);

// Handles a message of a page. An invalid one has no effect, and the page is told why. False: the engine is too busy to
// take it.
bool view_session_binary(view_session *session, view_page *page, const void *bytes, size_t size);
bool view_session_text(view_session *session, view_page *page, const char *text, size_t size);

// The next message to a page.
typedef enum { POST_TEXT, POST_FRAME, POST_GOODBYE } post_kind;
typedef struct {
    post_kind kind;
    const void *bytes; // null: out of memory; the page should reconnect
    size_t size;
    void *holder; // owner of the bytes
} view_session_post;

// The next message to a page, which it removes from what waits. False: there is none. Return it with view_session_posted.
bool view_session_next_post(view_session *session, view_page *page, view_session_post *post);
void view_session_posted(const view_session_post *post);

// --- engine ---

// The next work of the engine.
typedef struct {
    bool quit;
    bool frame;         // a page waits for one: make it if something has changed
    bool first_frame;   // make it in any case: there is none yet
    bool anybody;       // somebody watches
    const char *open;   // the scene to open, or null; valid until the next call
    const void *asker;  // the page that asked, for view_session_report_error
    const void *driver; // the page in control
    const void *bytes;  // messages, each as its size in bytes and its words
    size_t size;        // of all
} view_session_orders;

// Waits for work, at most `seconds`.
view_session_orders view_session_wait_orders(view_session *session, double seconds);

// Posts a frame to all pages that are ready. It is copied. False: out of memory.
bool view_session_show(view_session *session, const void *frame, size_t size);

// Call it when a scene was opened: pages are told and restart.
void view_session_opened(view_session *session, const char *name);

// Sends an error to the page that asked; null: to all.
void view_session_report_error(view_session *session, const void *asker, const char *words);

// --- the end ---

// Closes all connections and tells the engine to quit. Waits for pages to leave, at most a second.
void view_session_close(view_session *session);

#endif
