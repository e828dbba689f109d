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

typedef struct view_room view_room;
typedef struct view_page view_page;

enum {
    ROOM_MOST_PAGES = 16,
    ROOM_MOST_MESSAGE = 64 * 1024, // bytes; longer ones are refused
};

// 'scenes' is the list that pages are told, a text in JSON; it must stay. Null: no memory.
view_room *room_new(const char *scenes);
void room_free(view_room *room);

// --- pages ---

bool room_full(view_room *room);

// Null: the room is full, or there is no memory.
view_page *room_enter(view_room *room);
void room_leave(view_room *room, view_page *page);

// What a page said. False: it is not to be understood, and the page is to be sent away.
bool room_binary(view_room *room, view_page *page, const void *bytes, size_t size);
bool room_text(view_room *room, view_page *page, const char *text, size_t size);
bool room_ping(view_room *room, view_page *page, const void *bytes, size_t size);

// What a page is to be sent next.
typedef enum { POST_TEXT, POST_FRAME, POST_PONG, POST_GOODBYE, POST_END } post_kind;
typedef struct {
    post_kind kind;
    const void *bytes;
    size_t size;
    void *holder; // what keeps the bytes
} room_post;

// Waits until there is something for a page. POST_END: it was told to end. Given back with room_posted.
room_post room_next_post(view_room *room, view_page *page);
void room_posted(room_post post, view_room *room, view_page *page, bool good);

// Makes room_next_post return POST_END.
void room_end_posts(view_room *room, view_page *page);

// --- engine ---

// What the engine is to do next.
typedef struct {
    bool quit;
    bool frame;        // a page waits for one: make it if anything has changed
    bool first_frame;  // make it in any case: there is none yet
    bool anybody;      // somebody watches
    const char *open;  // the scene to open, or null; valid until the next call
    const void *asker; // who wants it opened, for room_trouble
    const void *bytes; // messages one after the other, in words: size in bytes, then the message
    size_t size;       // of all
} room_orders;

// Waits until something is to be done, 'seconds' at most.
room_orders room_take_orders(view_room *room, double seconds);

// A frame for everybody who is ready; copied. False: no memory.
bool room_show(view_room *room, const void *frame, size_t size);

// A scene was opened: pages are told and start anew.
void room_opened(view_room *room, const char *name);

// Something went wrong that the page who asked should know; null: everybody.
void room_trouble(view_room *room, const void *asker, const char *words);

// --- the end ---

// Pages are sent away, and the engine is told to quit. Waits for pages to be gone, a second at most.
void room_close(view_room *room);

#endif
