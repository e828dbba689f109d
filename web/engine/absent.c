// Kinds of bodies that pages do without: elastic bodies and implicit muscles, whose models are larger than a page should
// be. The engine is a third smaller so. Worlds have room for them, always empty; one that was saved with any in it is
// refused.
#include "session/characters.h"
#include "world/world.h"

// ---- a kind without bodies

static sn_status create_elastic(const sn_kind_setup *setup, void **system) {
    sn_elastic_system *s = sn_alloc(setup->memory, 1, sizeof *s);
    if (s) *s = (sn_elastic_system){.memory = setup->memory, .slots.free = -1};
    *system = s;
    return s ? SN_OK : SN_ERR_MEMORY;
}
static void destroy_elastic(void *system) {
    sn_elastic_system *s = system;
    sn_free(s->memory, s, 1, sizeof *s);
}
static sn_status create_muscles(const sn_kind_setup *setup, void **system) {
    sn_muscles_kind_system *s = sn_alloc(setup->memory, 1, sizeof *s);
    if (s) *s = (sn_muscles_kind_system){.memory = setup->memory, .slots.free = -1};
    *system = s;
    return s ? SN_OK : SN_ERR_MEMORY;
}
static void destroy_muscles(void *system) {
    sn_muscles_kind_system *s = system;
    sn_free(s->memory, s, 1, sizeof *s);
}
static void begin(void *system) {
    (void)system;
}
static void stage(void *system, const sn_stage *now) {
    (void)system, (void)now;
}
static int count_nodes(void *system, int *bodies, int *touching) {
    (void)system;
    *bodies = *touching = 0;
    return 0;
}
static void show(void *system, const sn_show *where, sn_pool *pool) {
    (void)system, (void)where, (void)pool;
}
static void show_or_take(void *system, const sn_show *where, sn_pool *pool, bool flag) {
    (void)system, (void)where, (void)pool, (void)flag;
}
static bool self(void *system, int body, int a, int b) {
    (void)system, (void)body, (void)a, (void)b;
    return false;
}
static int find(void *system, uint32_t slot1, uint32_t gen) {
    (void)system, (void)slot1, (void)gen;
    return -1;
}
static sn_rest *rest(void *system, int body) {
    (void)system, (void)body;
    return NULL;
}
static void pace(void *system, sn_real gravity, sn_real *out) {
    (void)system, (void)gravity, (void)out;
}
static void end(void *system, sn_profile *profile) {
    (void)system, (void)profile;
}
static int diverged(void *system, uint64_t *labels, int capacity) {
    (void)system, (void)labels, (void)capacity;
    return 0;
}
static void measure(void *system, sn_vec3 gravity, sn_totals *totals) {
    (void)system, (void)gravity, (void)totals;
}
static uint64_t hash(void *system, uint64_t before) {
    (void)system;
    return before;
}

// What an empty system of either kind writes: so many counts of 0, and no first free slot.
static void visit_empty(sn_stream *stream, int counts) {
    int free_slot = -1;
    for (int i = 0; i < counts; i++) {
        int count = 0;
        sn_visit_int(stream, &count);
        sn_stream_check(stream, count == 0);
    }
    sn_visit_int(stream, &free_slot);
    sn_stream_check(stream, free_slot == -1);
}
static void save_elastic(void *system, sn_stream *stream) {
    (void)system;
    visit_empty(stream, 2); // models, slots
}
static void save_muscles(void *system, sn_stream *stream) {
    (void)system;
    visit_empty(stream, 1); // slots
}

#define ABSENT(title, word)                                                                                            \
    {                                                                                                                  \
        .name = title, .create = create_##word, .destroy = destroy_##word, .begin = begin, .predict = stage,           \
        .solve = stage, .finish = stage, .count_nodes = count_nodes, .show = show, .show_motion = show_or_take,        \
        .take = show_or_take, .self = self, .find = find, .rest = rest, .pace = pace, .end = end,                      \
        .diverged = diverged, .measure = measure, .hash = hash, .save = save_##word                                    \
    }
const sn_kind sn_elastic_kind = ABSENT("elastic", elastic);
const sn_kind sn_muscles_kind = ABSENT("muscles", muscles);

// ---- what worlds and the page's side of the engine ask

void sn_world_lead_muscles(sn_world *world) {
    (void)world;
}
sn_status muscle_call(sn_world *world, const live_call *call) {
    (void)world, (void)call;
    return SN_ERR_STALE_ID;
}
sn_status live_characters_open(const unsigned char *baked, const bake_header *bake, sn_world *world,
                               live_characters **out) {
    (void)baked, (void)world;
    *out = NULL;
    return bake->characters.size == 0 ? SN_OK : SN_ERR_FORMAT;
}
void live_characters_close(live_characters *all) {
    (void)all;
}
void live_characters_follow(live_characters *all, const sn_world *world) {
    (void)all, (void)world;
}
bool live_characters_fit(const live_characters *all, const sn_world *world, uint32_t character, int muscle, int count) {
    (void)all, (void)world, (void)character, (void)muscle, (void)count;
    return false;
}
bool live_characters_read(const live_characters *all, const sn_world *world, uint32_t character, int muscle,
                          float (*out)[3], int count) {
    (void)all, (void)world, (void)character, (void)muscle, (void)out, (void)count;
    return false;
}
sn_status live_characters_edit(live_characters *all, sn_world *world, uint32_t character, uint32_t muscle,
                               uint32_t number, float value) {
    (void)all, (void)world, (void)character, (void)muscle, (void)number, (void)value;
    return SN_ERR_RANGE;
}
void live_characters_undo(live_characters *all, sn_world *world, uint32_t character, uint32_t muscle) {
    (void)all, (void)world, (void)character, (void)muscle;
}
int live_characters_edits(const live_characters *all, const live_edit **out) {
    (void)all;
    *out = NULL;
    return 0;
}
void live_characters_edit_again(live_characters *all, sn_world *world) {
    (void)all, (void)world;
}
bool live_characters_save(const live_characters *all, unsigned char **bytes, size_t *size) {
    (void)all;
    *bytes = NULL, *size = 0;
    return true;
}
void live_characters_return(live_characters *all, sn_world *world, const unsigned char *bytes, size_t size,
                            bool edits) {
    (void)all, (void)world, (void)bytes, (void)size, (void)edits;
}
