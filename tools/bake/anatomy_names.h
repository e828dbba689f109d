// What the names of bones and muscles say: which is which, on which side, and how known joints move.
#ifndef SN_BAKE_ANATOMY_NAMES_H
#define SN_BAKE_ANATOMY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { ANATOMY_BONE, ANATOMY_MUSCLE, ANATOMY_OTHER } anatomy_kind;

// "FMA37668_right_brachialis.stl" becomes "right brachialis": without folder, ending and number, in lower case. Empty if
// there was only a number; then 'number' has it.
void anatomy_clean_name(const char *file, char *out, size_t capacity, char number[32]);

// 'known' becomes false if no word of the name is known; then it is taken as a muscle.
anatomy_kind anatomy_kind_of(const char *name, bool *known);

// 'r', 'l', or 0.
char anatomy_side_of(const char *name);

// Metres that a bone of this name is long in an adult; 0: unknown.
double anatomy_length_of(const char *bone);

// How near to the trunk a bone is: the smaller, the nearer.
int anatomy_rank_of(const char *bone);

typedef enum { JOINT_FIXED, JOINT_HINGE, JOINT_BALL } anatomy_joint_kind;

typedef struct {
    const char *parent, *child; // words of their names
    anatomy_joint_kind kind;
    double degrees;      // how far it bends
    const char *flexors; // words of muscles that bend it, separated by commas; or null
} anatomy_joint;

// The joint between two bones; null: none is known by name.
const anatomy_joint *anatomy_joint_of(const char *parent, const char *child);

// Whether a muscle is one of those that bend a joint.
bool anatomy_is_flexor(const anatomy_joint *joint, const char *muscle);

#endif
