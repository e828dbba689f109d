// See slots.h.
#include "base/slots.h"

static const sn_slot new_slot = {NULL, 1, -1};

static bool reserve(sn_slots *slots, sn_memory *memory, int count) {
    return sn_reserve(memory, (void **)&slots->at, &slots->capacity, count, sizeof *slots->at);
}

void sn_slots_free(sn_slots *slots, sn_memory *memory) {
    sn_free(memory, slots->at, (size_t)slots->capacity, sizeof *slots->at);
    *slots = (sn_slots){.free = -1};
}

void *sn_slots_find(const sn_slots *slots, uint32_t slot1, uint32_t gen) {
    if (slot1 == 0 || slot1 > (uint32_t)slots->count) return NULL;
    const sn_slot *slot = &slots->at[slot1 - 1];
    return slot->gen == gen ? slot->item : NULL;
}

int sn_slots_nth(const sn_slots *slots, int i) {
    for (int k = 0; k < slots->count && i >= 0; k++)
        if (slots->at[k].item && i-- == 0) return k;
    return -1;
}

int sn_slots_next(sn_slots *slots, sn_memory *memory) {
    if (slots->free >= 0) return slots->free;
    if (!reserve(slots, memory, slots->count + 1)) return -1;
    slots->at[slots->count] = new_slot;
    return slots->free = slots->count++;
}

void sn_slots_cancel(sn_slots *slots, int slot) {
    if (slot + 1 < slots->count || slots->at[slot].gen != new_slot.gen) return; // it was there before
    slots->count = slot;
    slots->free = -1;
}

void sn_slots_acquire(sn_slots *slots, int slot) {
    slots->free = slots->at[slot].next_free;
}

void sn_slots_drop(sn_slots *slots, int slot) {
    const uint32_t gen = slots->at[slot].gen + 1;
    slots->at[slot] = (sn_slot){NULL, gen ? gen : 1, slots->free};
    slots->free = slot;
}

int sn_slots_count_if(const sn_slots *slots, sn_slots_test_fn *ask, uint64_t *labels, int capacity) {
    int count = 0;
    for (int i = 0; i < slots->count; i++) {
        uint64_t label;
        if (!slots->at[i].item || !ask(slots->at[i].item, &label)) continue;
        if (count < capacity) labels[count] = label;
        count++;
    }
    return count;
}

bool sn_slots_visit(sn_slots *slots, sn_memory *memory, sn_stream *stream) {
    int count = slots->count, first = slots->free;
    sn_visit_int(stream, &count);
    sn_visit_int(stream, &first);
    if (!sn_stream_check(stream,
                         count >= 0 && first >= -1 && first < count && sn_stream_holds(stream, (size_t)count, 9)))
        return false;
    if (stream->mode != SN_STREAM_READ) return true;
    if (!sn_stream_need(stream, reserve(slots, memory, count))) return false;
    slots->count = count;
    slots->free = first;
    for (int i = 0; i < count; i++) slots->at[i] = new_slot;
    return true;
}

bool sn_slots_visit_one(sn_slots *slots, int slot, sn_stream *stream) {
    sn_slot *s = &slots->at[slot];
    bool lives = s->item != NULL;
    sn_visit_u32(stream, &s->gen);
    sn_visit_int(stream, &s->next_free);
    sn_visit_bool(stream, &lives);
    return sn_stream_check(stream, s->gen != 0 && s->next_free >= -1 && s->next_free < slots->count) && lives;
}

void sn_slots_check_list(const sn_slots *slots, sn_stream *stream) {
    if (stream->mode != SN_STREAM_READ) return;
    int seen = 0;
    for (int i = slots->free; i >= 0 && !stream->bad; i = slots->at[i].next_free)
        sn_stream_check(stream, !slots->at[i].item && ++seen <= slots->count);
}
