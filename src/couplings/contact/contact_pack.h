// Contacts as the narrow phase finds them, before they are packed into blocks (contact_pack.c).
#ifndef SN_COUPLINGS_CONTACT_CONTACT_PACK_H
#define SN_COUPLINGS_CONTACT_CONTACT_PACK_H

#include "couplings/contact/contact.h"

enum { SN_CONTACT_CHUNK = 128 }; // pairs

// A contact of a pair.
typedef struct {
    int32_t pair, which;
    sn_real alpha, beta, distance;
    sn_real third[2]; // of slabs: weights of the third corners
    sn_vec3 normal;
    int32_t driver[2][3]; // of slabs: the nodes that move, see sn_contacts_find_drivers
    bool far;             // it will hardly close in the substep
    int32_t covered;      // of nearest points: bits of the features that stand in for them where they reach an end
    int32_t group, place; // place: block * SN_BLOCK + lane, within the group
} sn_found_contact;

typedef struct {
    sn_contacts *contacts;
    sn_found_contact *found;   // SN_FEATURES * SN_CONTACT_CHUNK a chunk
    int *found_count;          // by chunk
    sn_found_contact **sorted; // by group
    sn_found_contact **placed; // by block and lane; only lanes below the block's count
    unsigned char *lanes;      // by contact: lanes used in the block of that index in its group
    unsigned char *form;       // and its sn_contact_form
} sn_contact_search;

sn_contact_form sn_contact_form_of(const sn_contacts *contacts, const sn_found_contact *contact);
// Sorts the found contacts into groups, and the groups into blocks.
sn_status sn_contacts_pack(sn_contacts *contacts, sn_contact_search *search, int chunks);

// hand_over.c: gives the forces of contacts that are not found any more to new ones beside them.
sn_status sn_contacts_hand_over(sn_contacts *contacts, const sn_contact_search *search, int chunks);

static inline void sn_block_put(sn_block_row rows[3], int lane, sn_vec3 v) {
    rows[0][lane] = v.x, rows[1][lane] = v.y, rows[2][lane] = v.z;
}

#endif
