// The slots of a kind's bodies. A handle is the number of a slot, from 1, and its generation, which changes when the
// slot is reused, so that stale handles are detected. Free slots form a list.
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
    int free; // head of the free list, -1: empty. Initialise to -1
} sn_slots;

void sn_slots_free(sn_slots *slots, sn_memory *memory); // does not free the items

// The item of a handle; null if the handle is stale.
void *sn_slots_find(const sn_slots *slots, uint32_t slot1, uint32_t gen);

// The i-th used slot; -1 if there are fewer.
int sn_slots_nth(const sn_slots *slots, int i);

// The next free slot, added if there is none; it stays in the free list. -1: out of memory.
int sn_slots_next(sn_slots *slots, sn_memory *memory);
// Takes back a slot that 'next' added, for a body that could not be made: the slots are as they were.
void sn_slots_cancel(sn_slots *slots, int slot);
// Removes this slot from the free list. The caller sets its item.
void sn_slots_acquire(sn_slots *slots, int slot);
// Frees a slot and starts its next generation.
void sn_slots_drop(sn_slots *slots, int slot);

// Counts the items for which 'ask' is true and writes the labels of the first of them.
typedef bool sn_slots_test_fn(const void *item, uint64_t *label);
int sn_slots_count_if(const sn_slots *slots, sn_slots_test_fn *ask, uint64_t *labels, int capacity);

// Visits slots in a stream: first their number (reading allocates them; false: the stream is bad), then for each its
// generation, its link in the free list and whether it has an item, which follows. After reading, sn_slots_check_list
// walks the free list once: a hostile one may link used slots or form a cycle.
bool sn_slots_visit(sn_slots *slots, sn_memory *memory, sn_stream *stream);
bool sn_slots_visit_one(sn_slots *slots, int slot, sn_stream *stream);
void sn_slots_check_list(const sn_slots *slots, sn_stream *stream);

#endif
