// Slots of the bodies of a kind: an id is the number of a slot, from 1, and its generation, which is another for whoever
// comes after, so that stale ids are known. Free slots are a list.
#ifndef SN_BASE_SLOTS_H
#define SN_BASE_SLOTS_H

#include "base/memory.h"
#include "base/stream.h"

typedef struct {
    void *item; // null: free
    uint32_t gen;
    int next_free; // -1: none
} sn_slot;

typedef struct {
    sn_slot *at;
    int count, capacity;
    int free; // the first of the list, -1: none. It is so at first
} sn_slots;

void sn_slots_free(sn_slots *slots, sn_memory *memory); // not the items

// What an id names; null: nothing any more.
void *sn_slots_find(const sn_slots *slots, uint32_t slot1, uint32_t gen);

// The i-th slot that is taken, -1: there are fewer.
int sn_slots_nth(const sn_slots *slots, int i);

// The next slot to take, made if there is none; it stays free. -1: no memory.
int sn_slots_next(sn_slots *slots, sn_memory *memory);
// Takes this slot out of the list. Its item is set by the caller.
void sn_slots_acquire(sn_slots *slots, int slot);
// Makes a slot free, for others.
void sn_slots_drop(sn_slots *slots, int slot);

// How many items say yes; writes the labels of the first of them.
typedef bool sn_slots_test_fn(const void *item, uint64_t *label);
int sn_slots_count_if(const sn_slots *slots, sn_slots_test_fn *ask, uint64_t *labels, int capacity);

// Streams. First how many there are, which makes room for them when reading: false, the stream is bad. Then of each its
// generation and place in the list, and whether it has an item, which then follows. After all of them, when reading, the list is walked once: a hostile one may name a
// living slot or run in a circle.
bool sn_slots_visit(sn_slots *slots, sn_memory *memory, sn_stream *stream);
bool sn_slots_visit_one(sn_slots *slots, int slot, sn_stream *stream);
void sn_slots_check_list(const sn_slots *slots, sn_stream *stream);

#endif
