// See view_session.h. One lock guards everything; sending and stepping happen outside it.
#include "view_session.h"
#include "sinew/sinew.h"
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    QUEUE_WORDS = 16384, // of messages for the engine
    NAME_SIZE = 256,     // of scenes
    MAX_PING = 125,      // bytes, the limit of the standard
};

// Types of messages that are handled here; docs/session-protocol.md has them all.
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
    bool wants;     // has drawn its last frame
    uint32_t sent;  // index of its last frame; 0: none of this scene
    uint32_t watch; // contents of its frames
    bool greet;     // must be sent a hello
    bool end, broken, said_goodbye;
    char *trouble; // an error to send, or null
    int ping_size; // -1: none pending
    unsigned char ping[MAX_PING];
};

struct view_session {
    pthread_mutex_t lock;
    pthread_cond_t engine_stir, left; // messages, or pages that wait for frames; a page has left
    const char *scenes;
    view_page *pages; // in order of arrival
    view_page *driver;
    int page_count;
    shared_frame *newest;
    bool changed_watch, closing;
    char scene[NAME_SIZE];                      // the current one; empty: none yet
    char wanted[NAME_SIZE], opening[NAME_SIZE]; // to be opened, handed to the engine
    const view_page *asker;
    uint32_t queue[QUEUE_WORDS], taken[QUEUE_WORDS];
    int queue_words, last_entry; // where the last message starts, -1: none
};

view_session *view_session_new(const char *scenes) {
    view_session *session = calloc(1, sizeof *session);
    if (!session) return NULL;
    session->scenes = scenes;
    session->last_entry = -1;
    pthread_mutex_init(&session->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&session->engine_stir, &monotonic);
    pthread_cond_init(&session->left, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return session;
}

static void let_go(shared_frame *frame) {
    if (frame && atomic_fetch_sub(&frame->users, 1) == 1) free(frame);
}

void view_session_free(view_session *session) {
    if (!session) return;
    let_go(session->newest);
    pthread_cond_destroy(&session->engine_stir);
    pthread_cond_destroy(&session->left);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

// --- with the lock held ---

static void greet_all(view_session *session) {
    for (view_page *p = session->pages; p; p = p->next) {
        p->greet = true;
        pthread_cond_signal(&p->stir);
    }
}

static void stir_engine(view_session *session) {
    pthread_cond_signal(&session->engine_stir);
}

static bool enqueue(view_session *session, const uint32_t *words, int count) {
    // Only the last position of a hand matters: replaces an earlier drag in the queue.
    int last = session->last_entry;
    if (words[0] == MESSAGE_DRAG && last >= 0 && session->queue[last + 1] == MESSAGE_DRAG) {
        memcpy(session->queue + last + 1, words, (size_t)count * sizeof *words);
        return true;
    }
    if (session->queue_words + 1 + count > QUEUE_WORDS) return false;
    uint32_t *to = session->queue + session->queue_words;
    to[0] = (uint32_t)count * 4;
    memcpy(to + 1, words, (size_t)count * sizeof *words);
    session->last_entry = session->queue_words;
    session->queue_words += 1 + count;
    stir_engine(session);
    return true;
}

static bool wants_newest(const view_session *session, const view_page *page) {
    return page->wants && session->newest && page->sent != session->newest->number;
}

// --- pages ---

static bool full(const view_session *session) {
    return session->page_count >= VIEW_SESSION_MAX_PAGES || session->closing;
}

bool view_session_full(view_session *session) {
    pthread_mutex_lock(&session->lock);
    bool answer = full(session);
    pthread_mutex_unlock(&session->lock);
    return answer;
}

view_page *view_session_enter(view_session *session) {
    view_page *page = calloc(1, sizeof *page);
    if (!page) return NULL;
    page->ping_size = -1;
    pthread_cond_init(&page->stir, NULL);
    pthread_mutex_lock(&session->lock);
    bool let_in = !full(session);
    if (let_in) {
        view_page **end = &session->pages;
        while (*end) end = &(*end)->next;
        *end = page;
        session->page_count++;
        if (!session->driver) session->driver = page;
        greet_all(session);
        stir_engine(session);
    }
    pthread_mutex_unlock(&session->lock);
    if (let_in) return page;
    pthread_cond_destroy(&page->stir);
    free(page);
    return NULL;
}

void view_session_leave(view_session *session, view_page *page) {
    pthread_mutex_lock(&session->lock);
    view_page **at = &session->pages;
    while (*at != page) at = &(*at)->next;
    *at = page->next;
    session->page_count--;
    session->changed_watch = true;
    if (session->asker == page) session->asker = NULL;
    if (session->driver == page) {
        session->driver = session->pages;
        uint32_t drop = MESSAGE_DROP; // releases what it held
        enqueue(session, &drop, 1);
    }
    greet_all(session);
    stir_engine(session);
    pthread_cond_signal(&session->left);
    pthread_mutex_unlock(&session->lock);
    pthread_cond_destroy(&page->stir);
    free(page->trouble);
    free(page);
}

bool view_session_binary(view_session *session, view_page *page, const void *bytes, size_t size) {
    uint32_t words[16] = {0};
    if (size % 4 != 0 || size < 4 || size > sizeof words) return false;
    memcpy(words, bytes, size);
    int count = (int)(size / 4);
    if (words[0] >= MESSAGE_TYPES || message_words[words[0]] != count) return false;
    bool good = true;
    pthread_mutex_lock(&session->lock);
    if (words[0] == MESSAGE_ACK) {
        if (words[1] == 0) page->sent = 0; // it starts this scene
        if (words[1] == page->sent) page->wants = true;
        if (wants_newest(session, page)) pthread_cond_signal(&page->stir);
        stir_engine(session);
    } else if (words[0] == MESSAGE_WATCH) {
        page->watch = words[1];
        session->changed_watch = true;
        stir_engine(session);
    } else if (page == session->driver) {
        good = enqueue(session, words, count);
    }
    good = good && !page->broken;
    pthread_mutex_unlock(&session->lock);
    return good;
}

bool view_session_text(view_session *session, view_page *page, const char *text, size_t size) {
    json_error_t error;
    json_t *said = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    const char *open = json_string_value(json_object_get(said, "open"));
    bool drive = json_is_true(json_object_get(said, "drive"));
    bool good = (open && strlen(open) < NAME_SIZE) || drive;
    pthread_mutex_lock(&session->lock);
    if (good && drive && session->driver != page) {
        session->driver = page;
        uint32_t drop = MESSAGE_DROP;
        enqueue(session, &drop, 1);
        greet_all(session);
    }
    if (good && open && session->driver == page) {
        memcpy(session->wanted, open, strlen(open) + 1);
        session->asker = page;
        stir_engine(session);
    }
    pthread_mutex_unlock(&session->lock);
    json_decref(said);
    return good;
}

bool view_session_ping(view_session *session, view_page *page, const void *bytes, size_t size) {
    if (size > MAX_PING) return false;
    pthread_mutex_lock(&session->lock);
    memcpy(page->ping, bytes, size);
    page->ping_size = (int)size;
    pthread_cond_signal(&page->stir);
    pthread_mutex_unlock(&session->lock);
    return true;
}

// The message to new pages, and after changes. Null: out of memory.
static char *hello_text(const view_session *session, const view_page *page) {
    int version = sn_version();
    char number[40];
    snprintf(number, sizeof number, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    json_t *hello = json_pack("{s:{s:s, s:o, s:s, s:b, s:i}}", "hello", "version", number, "scenes",
                              json_loads(session->scenes, 0, NULL), "scene", session->scene, "driving",
                              page == session->driver, "watchers", session->page_count);
    char *text = hello ? json_dumps(hello, JSON_COMPACT) : NULL;
    json_decref(hello);
    return text;
}

static view_session_post text_post(char *text) {
    return (view_session_post){POST_TEXT, text, text ? strlen(text) : 0, text};
}

static bool find_post(view_session *session, view_page *page, view_session_post *post) {
    if (page->end) {
        *post = (view_session_post){.kind = POST_END};
    } else if (page->broken || page->said_goodbye) {
        return false;
    } else if (session->closing) {
        page->said_goodbye = true;
        *post = (view_session_post){.kind = POST_GOODBYE};
    } else if (page->ping_size >= 0) {
        *post = (view_session_post){.kind = POST_PONG, .bytes = page->ping, .size = (size_t)page->ping_size};
        page->ping_size = -1;
    } else if (page->greet && session->scene[0]) {
        page->greet = false;
        *post = text_post(hello_text(session, page));
    } else if (page->trouble) {
        *post = text_post(page->trouble);
        page->trouble = NULL;
    } else if (wants_newest(session, page)) {
        shared_frame *frame = session->newest;
        atomic_fetch_add(&frame->users, 1);
        page->wants = false;
        page->sent = frame->number;
        *post = (view_session_post){POST_FRAME, frame->bytes, frame->size, frame};
    } else {
        return false;
    }
    return true;
}

view_session_post view_session_next_post(view_session *session, view_page *page) {
    view_session_post post;
    pthread_mutex_lock(&session->lock);
    while (!find_post(session, page, &post)) pthread_cond_wait(&page->stir, &session->lock);
    pthread_mutex_unlock(&session->lock);
    return post;
}

void view_session_posted(view_session_post post, view_session *session, view_page *page, bool good) {
    if (post.kind == POST_FRAME) let_go(post.holder);
    if (post.kind == POST_TEXT) free(post.holder);
    if (good) return;
    pthread_mutex_lock(&session->lock);
    page->broken = true;
    pthread_mutex_unlock(&session->lock);
}

void view_session_end_posts(view_session *session, view_page *page) {
    pthread_mutex_lock(&session->lock);
    page->end = true;
    pthread_cond_signal(&page->stir);
    pthread_mutex_unlock(&session->lock);
}

// --- engine ---

static bool page_lacks_frame(const view_session *session) {
    for (const view_page *p = session->pages; p; p = p->next)
        if (p->wants && !p->broken && !wants_newest(session, p)) return true;
    return false;
}

static void add_watch(view_session *session) {
    uint32_t watch[2] = {MESSAGE_WATCH, 0};
    for (const view_page *p = session->pages; p; p = p->next) watch[1] |= p->watch;
    if (enqueue(session, watch, 2)) session->changed_watch = false;
}

static struct timespec in_seconds(double seconds) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t nanoseconds = t.tv_nsec + (int64_t)(seconds * 1e9);
    t.tv_sec += (time_t)(nanoseconds / 1000000000);
    t.tv_nsec = (long)(nanoseconds % 1000000000);
    return t;
}

view_session_orders view_session_wait_orders(view_session *session, double seconds) {
    const struct timespec until = in_seconds(seconds);
    pthread_mutex_lock(&session->lock);
    bool in_time = true;
    while (in_time && !session->closing && !session->wanted[0] && session->queue_words == 0 &&
           !session->changed_watch && !(page_lacks_frame(session) && !session->newest)) {
        in_time = pthread_cond_timedwait(&session->engine_stir, &session->lock, &until) == 0;
    }
    if (session->changed_watch) add_watch(session);
    memcpy(session->taken, session->queue, (size_t)session->queue_words * sizeof *session->queue);
    memcpy(session->opening, session->wanted, sizeof session->opening);
    view_session_orders orders = {
        .quit = session->closing,
        .frame = page_lacks_frame(session),
        .anybody = session->page_count > 0,
        .open = session->opening[0] ? session->opening : NULL,
        .asker = session->asker,
        .bytes = session->taken,
        .size = (size_t)session->queue_words * sizeof *session->queue,
    };
    orders.first_frame = orders.frame && !session->newest;
    session->wanted[0] = 0;
    session->queue_words = 0;
    session->last_entry = -1;
    pthread_mutex_unlock(&session->lock);
    return orders;
}

bool view_session_show(view_session *session, const void *bytes, size_t size) {
    shared_frame *frame = malloc(sizeof *frame + size);
    if (!frame) return false;
    atomic_init(&frame->users, 1);
    frame->size = size;
    memcpy(frame->bytes, bytes, size);
    memcpy(&frame->number, frame->bytes + 4, 4);
    pthread_mutex_lock(&session->lock);
    let_go(session->newest);
    session->newest = frame;
    for (view_page *p = session->pages; p; p = p->next)
        if (wants_newest(session, p)) pthread_cond_signal(&p->stir);
    pthread_mutex_unlock(&session->lock);
    return true;
}

void view_session_opened(view_session *session, const char *name) {
    pthread_mutex_lock(&session->lock);
    snprintf(session->scene, sizeof session->scene, "%s", name);
    let_go(session->newest);
    session->newest = NULL;
    session->changed_watch = true; // the new session does not know it yet
    for (view_page *p = session->pages; p; p = p->next) {
        p->wants = false; // until it has fetched the scene
        p->sent = UINT32_MAX;
    }
    greet_all(session);
    pthread_mutex_unlock(&session->lock);
}

void view_session_report_error(view_session *session, const void *asker, const char *words) {
    pthread_mutex_lock(&session->lock);
    for (view_page *p = session->pages; p; p = p->next) {
        if (asker && p != asker) continue;
        json_t *trouble = json_pack("{s:s}", "error", words);
        free(p->trouble);
        p->trouble = trouble ? json_dumps(trouble, JSON_COMPACT) : NULL;
        json_decref(trouble);
        pthread_cond_signal(&p->stir);
    }
    pthread_mutex_unlock(&session->lock);
}

void view_session_close(view_session *session) {
    pthread_mutex_lock(&session->lock);
    session->closing = true;
    for (view_page *p = session->pages; p; p = p->next) pthread_cond_signal(&p->stir);
    stir_engine(session);
    const struct timespec until = in_seconds(1);
    while (session->page_count > 0 && pthread_cond_timedwait(&session->left, &session->lock, &until) == 0) {
    }
    pthread_mutex_unlock(&session->lock);
}
