// See view_room.h. One lock guards everything; what takes long (sending, stepping) happens outside it.
#include "view_session.h"
#include "sinew/sinew.h"
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    QUEUE_WORDS = 16384, // of messages that wait for the engine
    NAME_ROOM = 256,     // of scenes
    MOST_PING = 125,     // bytes, by the standard
};

// Types of messages that this room understands itself; docs/live-protocol.md has them all.
enum { MESSAGE_ACK = 1, MESSAGE_DRAG = 8, MESSAGE_DROP = 9, MESSAGE_WATCH = 12, MESSAGE_TYPES = 16 };

// Words of a message, the type included; 0: there is no such type.
static const unsigned char message_words[MESSAGE_TYPES] = {0, 2, 2, 2, 1, 2, 3, 7, 4, 1, 9, 2, 2, 1, 5, 3};

typedef struct {
    atomic_int users;
    uint32_t number;
    size_t size;
    unsigned char bytes[];
} shared_frame;

struct view_page {
    view_page *next;
    pthread_cond_t stir;
    bool wants;     // has drawn what it got
    uint32_t sent;  // number of the frame that it got last; 0: none of this scene
    uint32_t watch; // what frames shall carry for it
    bool greet;     // is to be told what has changed
    bool end, broken, said_goodbye;
    char *trouble; // to be told, or null
    int ping_size; // -1: none to be answered
    unsigned char ping[MOST_PING];
};

struct view_room {
    pthread_mutex_t lock;
    pthread_cond_t engine_stir, left; // messages, pages that wait for frames; a page has left
    const char *scenes;
    view_page *pages; // in the order they came
    view_page *driver;
    int page_count;
    shared_frame *newest;
    bool changed_watch, closing;
    char scene[NAME_ROOM];                      // the one that runs; empty: none yet
    char wanted[NAME_ROOM], opening[NAME_ROOM]; // to be opened, handed to the engine
    const view_page *asker;
    uint32_t queue[QUEUE_WORDS], taken[QUEUE_WORDS];
    int queue_words, last_entry; // where the last message starts, -1: none
};

view_room *room_new(const char *scenes) {
    view_room *room = calloc(1, sizeof *room);
    if (!room) return NULL;
    room->scenes = scenes;
    room->last_entry = -1;
    pthread_mutex_init(&room->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&room->engine_stir, &monotonic);
    pthread_cond_init(&room->left, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return room;
}

static void let_go(shared_frame *frame) {
    if (frame && atomic_fetch_sub(&frame->users, 1) == 1) free(frame);
}

void room_free(view_room *room) {
    if (!room) return;
    let_go(room->newest);
    pthread_cond_destroy(&room->engine_stir);
    pthread_cond_destroy(&room->left);
    pthread_mutex_destroy(&room->lock);
    free(room);
}

// --- with the lock held ---

static void greet_all(view_room *room) {
    for (view_page *p = room->pages; p; p = p->next) {
        p->greet = true;
        pthread_cond_signal(&p->stir);
    }
}

static void stir_engine(view_room *room) {
    pthread_cond_signal(&room->engine_stir);
}

static bool enqueue(view_room *room, const uint32_t *words, int count) {
    // A hand that moves faster than the engine looks: only where it is now matters.
    int last = room->last_entry;
    if (words[0] == MESSAGE_DRAG && last >= 0 && room->queue[last + 1] == MESSAGE_DRAG) {
        memcpy(room->queue + last + 1, words, (size_t)count * sizeof *words);
        return true;
    }
    if (room->queue_words + 1 + count > QUEUE_WORDS) return false;
    uint32_t *to = room->queue + room->queue_words;
    to[0] = (uint32_t)count * 4;
    memcpy(to + 1, words, (size_t)count * sizeof *words);
    room->last_entry = room->queue_words;
    room->queue_words += 1 + count;
    stir_engine(room);
    return true;
}

static bool wants_newest(const view_room *room, const view_page *page) {
    return page->wants && room->newest && page->sent != room->newest->number;
}

// --- pages ---

static bool full(const view_room *room) {
    return room->page_count >= ROOM_MOST_PAGES || room->closing;
}

bool room_full(view_room *room) {
    pthread_mutex_lock(&room->lock);
    bool answer = full(room);
    pthread_mutex_unlock(&room->lock);
    return answer;
}

view_page *room_enter(view_room *room) {
    view_page *page = calloc(1, sizeof *page);
    if (!page) return NULL;
    page->ping_size = -1;
    pthread_cond_init(&page->stir, NULL);
    pthread_mutex_lock(&room->lock);
    bool let_in = !full(room);
    if (let_in) {
        view_page **end = &room->pages;
        while (*end) end = &(*end)->next;
        *end = page;
        room->page_count++;
        if (!room->driver) room->driver = page;
        greet_all(room);
        stir_engine(room);
    }
    pthread_mutex_unlock(&room->lock);
    if (let_in) return page;
    pthread_cond_destroy(&page->stir);
    free(page);
    return NULL;
}

void room_leave(view_room *room, view_page *page) {
    pthread_mutex_lock(&room->lock);
    view_page **at = &room->pages;
    while (*at != page) at = &(*at)->next;
    *at = page->next;
    room->page_count--;
    room->changed_watch = true;
    if (room->asker == page) room->asker = NULL;
    if (room->driver == page) {
        room->driver = room->pages;
        uint32_t drop = MESSAGE_DROP; // what it held would hang in the air
        enqueue(room, &drop, 1);
    }
    greet_all(room);
    stir_engine(room);
    pthread_cond_signal(&room->left);
    pthread_mutex_unlock(&room->lock);
    pthread_cond_destroy(&page->stir);
    free(page->trouble);
    free(page);
}

bool room_binary(view_room *room, view_page *page, const void *bytes, size_t size) {
    uint32_t words[16] = {0};
    if (size % 4 != 0 || size < 4 || size > sizeof words) return false;
    memcpy(words, bytes, size);
    int count = (int)(size / 4);
    if (words[0] >= MESSAGE_TYPES || message_words[words[0]] != count) return false;
    bool good = true;
    pthread_mutex_lock(&room->lock);
    if (words[0] == MESSAGE_ACK) {
        if (words[1] == 0) page->sent = 0; // it starts with this scene
        if (words[1] == page->sent) page->wants = true;
        if (wants_newest(room, page)) pthread_cond_signal(&page->stir);
        stir_engine(room);
    } else if (words[0] == MESSAGE_WATCH) {
        page->watch = words[1];
        room->changed_watch = true;
        stir_engine(room);
    } else if (page == room->driver) {
        good = enqueue(room, words, count);
    }
    good = good && !page->broken;
    pthread_mutex_unlock(&room->lock);
    return good;
}

bool room_text(view_room *room, view_page *page, const char *text, size_t size) {
    json_error_t error;
    json_t *said = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    const char *open = json_string_value(json_object_get(said, "open"));
    bool drive = json_is_true(json_object_get(said, "drive"));
    bool good = (open && strlen(open) < NAME_ROOM) || drive;
    pthread_mutex_lock(&room->lock);
    if (good && drive && room->driver != page) {
        room->driver = page;
        uint32_t drop = MESSAGE_DROP;
        enqueue(room, &drop, 1);
        greet_all(room);
    }
    if (good && open && room->driver == page) {
        memcpy(room->wanted, open, strlen(open) + 1);
        room->asker = page;
        stir_engine(room);
    }
    pthread_mutex_unlock(&room->lock);
    json_decref(said);
    return good;
}

bool room_ping(view_room *room, view_page *page, const void *bytes, size_t size) {
    if (size > MOST_PING) return false;
    pthread_mutex_lock(&room->lock);
    memcpy(page->ping, bytes, size);
    page->ping_size = (int)size;
    pthread_cond_signal(&page->stir);
    pthread_mutex_unlock(&room->lock);
    return true;
}

// What pages are told when they come and when something changes. Null: no memory.
static char *hello_text(const view_room *room, const view_page *page) {
    int version = sn_version();
    char number[40];
    snprintf(number, sizeof number, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    json_t *hello = json_pack("{s:{s:s, s:o, s:s, s:b, s:i}}", "hello", "version", number, "scenes",
                              json_loads(room->scenes, 0, NULL), "scene", room->scene, "driving", page == room->driver,
                              "watchers", room->page_count);
    char *text = hello ? json_dumps(hello, JSON_COMPACT) : NULL;
    json_decref(hello);
    return text;
}

static room_post text_post(char *text) {
    return (room_post){POST_TEXT, text, text ? strlen(text) : 0, text};
}

static bool find_post(view_room *room, view_page *page, room_post *post) {
    if (page->end) {
        *post = (room_post){.kind = POST_END};
    } else if (page->broken || page->said_goodbye) {
        return false;
    } else if (room->closing) {
        page->said_goodbye = true;
        *post = (room_post){.kind = POST_GOODBYE};
    } else if (page->ping_size >= 0) {
        *post = (room_post){.kind = POST_PONG, .bytes = page->ping, .size = (size_t)page->ping_size};
        page->ping_size = -1;
    } else if (page->greet && room->scene[0]) {
        page->greet = false;
        *post = text_post(hello_text(room, page));
    } else if (page->trouble) {
        *post = text_post(page->trouble);
        page->trouble = NULL;
    } else if (wants_newest(room, page)) {
        shared_frame *frame = room->newest;
        atomic_fetch_add(&frame->users, 1);
        page->wants = false;
        page->sent = frame->number;
        *post = (room_post){POST_FRAME, frame->bytes, frame->size, frame};
    } else {
        return false;
    }
    return true;
}

room_post room_next_post(view_room *room, view_page *page) {
    room_post post;
    pthread_mutex_lock(&room->lock);
    while (!find_post(room, page, &post)) pthread_cond_wait(&page->stir, &room->lock);
    pthread_mutex_unlock(&room->lock);
    return post;
}

void room_posted(room_post post, view_room *room, view_page *page, bool good) {
    if (post.kind == POST_FRAME) let_go(post.holder);
    if (post.kind == POST_TEXT) free(post.holder);
    if (good) return;
    pthread_mutex_lock(&room->lock);
    page->broken = true;
    pthread_mutex_unlock(&room->lock);
}

void room_end_posts(view_room *room, view_page *page) {
    pthread_mutex_lock(&room->lock);
    page->end = true;
    pthread_cond_signal(&page->stir);
    pthread_mutex_unlock(&room->lock);
}

// --- engine ---

static bool page_lacks_frame(const view_room *room) {
    for (const view_page *p = room->pages; p; p = p->next)
        if (p->wants && !p->broken && !wants_newest(room, p)) return true;
    return false;
}

static void add_watch(view_room *room) {
    uint32_t watch[2] = {MESSAGE_WATCH, 0};
    for (const view_page *p = room->pages; p; p = p->next) watch[1] |= p->watch;
    if (enqueue(room, watch, 2)) room->changed_watch = false;
}

static struct timespec in_seconds(double seconds) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t nanoseconds = t.tv_nsec + (int64_t)(seconds * 1e9);
    t.tv_sec += (time_t)(nanoseconds / 1000000000);
    t.tv_nsec = (long)(nanoseconds % 1000000000);
    return t;
}

room_orders room_take_orders(view_room *room, double seconds) {
    const struct timespec until = in_seconds(seconds);
    pthread_mutex_lock(&room->lock);
    bool in_time = true;
    while (in_time && !room->closing && !room->wanted[0] && room->queue_words == 0 && !room->changed_watch &&
           !(page_lacks_frame(room) && !room->newest)) {
        in_time = pthread_cond_timedwait(&room->engine_stir, &room->lock, &until) == 0;
    }
    if (room->changed_watch) add_watch(room);
    memcpy(room->taken, room->queue, (size_t)room->queue_words * sizeof *room->queue);
    memcpy(room->opening, room->wanted, sizeof room->opening);
    room_orders orders = {
        .quit = room->closing,
        .frame = page_lacks_frame(room),
        .anybody = room->page_count > 0,
        .open = room->opening[0] ? room->opening : NULL,
        .asker = room->asker,
        .bytes = room->taken,
        .size = (size_t)room->queue_words * sizeof *room->queue,
    };
    orders.first_frame = orders.frame && !room->newest;
    room->wanted[0] = 0;
    room->queue_words = 0;
    room->last_entry = -1;
    pthread_mutex_unlock(&room->lock);
    return orders;
}

bool room_show(view_room *room, const void *bytes, size_t size) {
    shared_frame *frame = malloc(sizeof *frame + size);
    if (!frame) return false;
    atomic_init(&frame->users, 1);
    frame->size = size;
    memcpy(frame->bytes, bytes, size);
    memcpy(&frame->number, frame->bytes + 4, 4);
    pthread_mutex_lock(&room->lock);
    let_go(room->newest);
    room->newest = frame;
    for (view_page *p = room->pages; p; p = p->next)
        if (wants_newest(room, p)) pthread_cond_signal(&p->stir);
    pthread_mutex_unlock(&room->lock);
    return true;
}

void room_opened(view_room *room, const char *name) {
    pthread_mutex_lock(&room->lock);
    snprintf(room->scene, sizeof room->scene, "%s", name);
    let_go(room->newest);
    room->newest = NULL;
    room->changed_watch = true; // the new run does not know it yet
    for (view_page *p = room->pages; p; p = p->next) {
        p->wants = false; // until it has fetched the scene
        p->sent = UINT32_MAX;
    }
    greet_all(room);
    pthread_mutex_unlock(&room->lock);
}

void room_trouble(view_room *room, const void *asker, const char *words) {
    pthread_mutex_lock(&room->lock);
    for (view_page *p = room->pages; p; p = p->next) {
        if (asker && p != asker) continue;
        json_t *trouble = json_pack("{s:s}", "error", words);
        free(p->trouble);
        p->trouble = trouble ? json_dumps(trouble, JSON_COMPACT) : NULL;
        json_decref(trouble);
        pthread_cond_signal(&p->stir);
    }
    pthread_mutex_unlock(&room->lock);
}

void room_close(view_room *room) {
    pthread_mutex_lock(&room->lock);
    room->closing = true;
    for (view_page *p = room->pages; p; p = p->next) pthread_cond_signal(&p->stir);
    stir_engine(room);
    const struct timespec until = in_seconds(1);
    while (room->page_count > 0 && pthread_cond_timedwait(&room->left, &room->lock, &until) == 0) {
    }
    pthread_mutex_unlock(&room->lock);
}
