// See view_session.h. One lock guards everything; sending and stepping happen outside it.
#include "view_session.h"
#include "session/page_message.h"
#include "session/page_text.h"
#include "sinew/sinew.h"
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE_WORDS = 16384 }; // of messages for the engine

typedef struct {
    atomic_int users;
    uint32_t number;
    size_t size;
    unsigned char bytes[];
} shared_frame;

struct view_page {
    view_page *next;
    bool wants;     // has drawn its last frame
    uint32_t sent;  // index of its last frame; 0: none of this scene
    uint32_t watch; // contents of its frames
    bool greet;     // must be sent a hello
    bool said_goodbye;
    char *trouble; // an error to send, or null
};

struct view_session {
    pthread_mutex_t lock;
    pthread_cond_t engine_stir, left; // messages, or pages that wait for frames; a page has left
    int wake;                         // for the server's thread
    const char *scenes;
    view_page *pages; // in order of arrival
    view_page *driver;
    int page_count;
    shared_frame *newest;
    bool changed_watch, closing;
    char scene[PAGE_TEXT_SCENE];                            // the current one; empty: none yet
    char wanted[PAGE_TEXT_SCENE], opening[PAGE_TEXT_SCENE]; // to be opened, handed to the engine
    const view_page *asker;
    uint32_t queue[QUEUE_WORDS], taken[QUEUE_WORDS];
    int queue_words, last_entry; // where the last message starts, -1: none
};

view_session *view_session_new(const char *scenes) {
    view_session *session = calloc(1, sizeof *session);
    if (!session) return NULL;
    session->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (session->wake < 0) {
        free(session);
        return NULL;
    }
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
    close(session->wake);
    free(session);
}

int view_session_wake(const view_session *session) {
    return session->wake;
}

void view_session_clear_wake(view_session *session) {
    eventfd_t count;
    eventfd_read(session->wake, &count);
}

// --- with the lock held ---

static void stir_server(view_session *session) {
    eventfd_write(session->wake, 1);
}

static void greet_all(view_session *session) {
    for (view_page *p = session->pages; p; p = p->next) p->greet = true;
    stir_server(session);
}

// The newest error replaces one that has not been sent.
static void tell(view_session *session, view_page *page, const char *words) {
    json_t *trouble = json_pack("{s:s}", "error", words);
    free(page->trouble);
    page->trouble = trouble ? json_dumps(trouble, JSON_COMPACT) : NULL;
    json_decref(trouble);
    stir_server(session);
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
    free(page->trouble);
    free(page);
}

bool view_session_binary(view_session *session, view_page *page, const void *bytes, size_t size) {
    page_message message;
    tool_error error;
    const bool valid = page_message_read(bytes, size, &message, &error);
    const uint32_t *words = message.u;
    bool good = true;
    pthread_mutex_lock(&session->lock);
    if (!valid) {
        tell(session, page, error.text);
    } else if (words[0] == MESSAGE_ACK) {
        if (words[1] == 0) page->sent = 0; // it starts this scene
        if (words[1] == page->sent) page->wants = true;
        if (wants_newest(session, page)) stir_server(session);
        stir_engine(session);
    } else if (words[0] == MESSAGE_WATCH) {
        page->watch = words[1];
        session->changed_watch = true;
        stir_engine(session);
    } else if (page == session->driver) {
        good = enqueue(session, words, message.words);
    }
    pthread_mutex_unlock(&session->lock);
    return good;
}

bool view_session_text(view_session *session, view_page *page, const char *text, size_t size) {
    page_text said;
    tool_error error;
    const bool valid = page_text_read(text, size, &said, &error);
    bool good = true;
    pthread_mutex_lock(&session->lock);
    if (!valid) {
        tell(session, page, error.text);
    } else if (said.drive && session->driver != page) {
        session->driver = page;
        uint32_t drop = MESSAGE_DROP;
        good = enqueue(session, &drop, 1);
        greet_all(session);
    }
    if (valid && said.open[0] && session->driver == page) {
        memcpy(session->wanted, said.open, sizeof said.open);
        session->asker = page;
        stir_engine(session);
    } else if (valid && said.open[0]) {
        tell(session, page, "another page is in control; only that one opens scenes");
    }
    pthread_mutex_unlock(&session->lock);
    return good;
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
    if (page->said_goodbye) return false;
    if (session->closing) {
        page->said_goodbye = true;
        *post = (view_session_post){.kind = POST_GOODBYE};
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

bool view_session_next_post(view_session *session, view_page *page, view_session_post *post) {
    pthread_mutex_lock(&session->lock);
    const bool found = find_post(session, page, post);
    pthread_mutex_unlock(&session->lock);
    return found;
}

void view_session_posted(const view_session_post *post) {
    if (post->kind == POST_FRAME) let_go(post->holder);
    if (post->kind == POST_TEXT) free(post->holder);
}

// --- engine ---

static bool page_lacks_frame(const view_session *session) {
    for (const view_page *p = session->pages; p; p = p->next)
        if (p->wants && !wants_newest(session, p)) return true;
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
        .driver = session->driver,
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
    stir_server(session);
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
    for (view_page *p = session->pages; p; p = p->next)
        if (!asker || p == asker) tell(session, p, words);
    pthread_mutex_unlock(&session->lock);
}

void view_session_close(view_session *session) {
    pthread_mutex_lock(&session->lock);
    session->closing = true;
    stir_server(session);
    stir_engine(session);
    const struct timespec until = in_seconds(1);
    while (session->page_count > 0 && pthread_cond_timedwait(&session->left, &session->lock, &until) == 0) {
    }
    pthread_mutex_unlock(&session->lock);
}
