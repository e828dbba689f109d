// Slots: ids of what is gone are stale for good, free slots are used again, and a list that was bent is noticed.
#include "base/slots.h"
#include "test.h"

static int put(sn_slots *slots, sn_memory *memory, void *item) {
    const int slot = sn_slots_next(slots, memory);
    slots->at[slot].item = item;
    sn_slots_acquire(slots, slot);
    return slot;
}

TEST(ids_of_what_is_gone_are_stale) {
    sn_memory memory;
    sn_slots slots = {.free = -1};
    int things[3];
    sn_memory_init(&memory, NULL);
    for (int i = 0; i < 3; i++) CHECK_INT(put(&slots, &memory, &things[i]), i);
    const uint32_t gen = slots.at[1].gen;
    CHECK(sn_slots_find(&slots, 2, gen) == &things[1]);
    CHECK(!sn_slots_find(&slots, 0, gen) && !sn_slots_find(&slots, 4, gen) && !sn_slots_find(&slots, 2, gen + 1));
    sn_slots_drop(&slots, 1);
    CHECK(!sn_slots_find(&slots, 2, gen) && !sn_slots_find(&slots, 2, slots.at[1].gen));
    CHECK_INT(sn_slots_nth(&slots, 1), 2);
    CHECK_INT(sn_slots_nth(&slots, 2), -1);
    CHECK_INT(put(&slots, &memory, &things[0]), 1); // used again, by another name
    CHECK(!sn_slots_find(&slots, 2, gen) && sn_slots_find(&slots, 2, slots.at[1].gen) == &things[0]);
    slots.at[1].gen = UINT32_MAX; // generations begin anew, but never with 0, which no id has
    sn_slots_drop(&slots, 1);
    CHECK(slots.at[1].gen == 1);
    sn_slots_free(&slots, &memory);
    CHECK_INT(memory.used_bytes, 0);
}

TEST(a_slot_that_was_not_taken_stays_free) {
    sn_memory memory;
    sn_slots slots = {.free = -1};
    sn_memory_init(&memory, NULL);
    CHECK_INT(sn_slots_next(&slots, &memory), 0);
    CHECK_INT(sn_slots_next(&slots, &memory), 0);
    CHECK_INT(slots.count, 1);
    sn_slots_free(&slots, &memory);
}

static void visit(sn_slots *slots, sn_memory *memory, sn_stream *stream) {
    if (!sn_slots_visit(slots, memory, stream)) return;
    for (int i = 0; i < slots->count; i++) sn_slots_visit_one(slots, i, stream);
    sn_slots_check_list(slots, stream);
}

TEST(lists_that_were_bent_are_noticed) {
    sn_memory memory;
    sn_slots slots = {.free = -1};
    int thing;
    sn_memory_init(&memory, NULL);
    for (int i = 0; i < 4; i++) put(&slots, &memory, &thing);
    for (int i = 3; i >= 0; --i) sn_slots_drop(&slots, i); // 0, 1, 2, 3
    for (int next = -2; next <= 4; next++) {
        unsigned char bytes[64];
        slots.at[3].next_free = next; // -1 is right; 0 to 3 make a circle; the others lead out
        sn_stream out = {.mode = SN_STREAM_WRITE, .write = bytes, .end = sizeof bytes};
        if (sn_slots_visit(&slots, &memory, &out))
            for (int i = 0; i < slots.count; i++) {
                sn_visit_u32(&out, &slots.at[i].gen);
                sn_visit_int(&out, &slots.at[i].next_free);
                sn_visit_bool(&out, &(bool){false}); // no item
            }
        REQUIRE(!out.bad);
        sn_slots back = {.free = -1};
        sn_stream in = {.mode = SN_STREAM_READ, .read = bytes, .end = out.at + 8}; // room for what would follow
        visit(&back, &memory, &in);
        CHECK(in.bad == (next != -1));
        if (!in.bad) CHECK(back.count == 4 && back.free == 0 && back.at[2].gen == slots.at[2].gen);
        sn_slots_free(&back, &memory);
    }
    sn_slots_free(&slots, &memory);
    CHECK_INT(memory.used_bytes, 0);
}
