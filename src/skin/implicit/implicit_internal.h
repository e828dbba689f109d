// How an implicit skin lies in memory, for the files of this room.
//
// Vertices are taken out of their order and put into rows of 16, each of one owner and close together: what is near a
// row (bones, muscles) is the same for all its lanes. Every vertex has a slot; rows that are not full repeat their
// first vertex in slots that nobody reads. Numbers of a slot that others read are quads (x, y, z, w), so that lanes
// gather them whole.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_INTERNAL_H
#define SN_SKIN_IMPLICIT_IMPLICIT_INTERNAL_H

#include "skin/implicit/implicit_grid.h"
#include "skin/implicit/implicit_operators.h"
#include "skin/implicit/implicit_skin.h"

typedef struct sn_implicit_kernels sn_implicit_kernels;

// The memory of a rig or a state, to be given back at once.
typedef struct {
    sn_memory *memory;
    struct {
        void *at;
        size_t count, size;
    } block[40];
    int count;
    bool failed;
} sn_blocks;
void *sn_blocks_take(sn_blocks *blocks, size_t count, size_t size);
void sn_blocks_free(sn_blocks *blocks);

// A centre of a field: c, alpha, 3 beta, 3 alpha.
enum { SN_CENTRE_SIZE = 8 };

// What the field of one bone is to vertices of another.
typedef enum {
    SN_MEET_UNION = SN_FOLD_UNION, // the kinds of joints come first
    SN_MEET_ELBOW = SN_FOLD_ELBOW,
    SN_MEET_FINGER = SN_FOLD_FINGER,
    SN_MEET_TOUCH, // far in the skeleton, and apart at rest: contact only
    // Union is not only for joints: also for bones that overlap at rest. Their fields are mixed by skin weights.
} sn_meeting;

struct sn_implicit_rig {
    sn_blocks blocks;
    const sn_implicit_kernels *kernels;
    int bones, centre_count, count, rows, slots;
    int words; // of 64 bits, to hold a bit for each bone

    sn_implicit_bone *bone;
    sn_real *centres;       // SN_CENTRE_SIZE for each
    sn_implicit_grid *grid; // of each bone
    unsigned char *meeting; // sn_meeting of owner * bones + other
    sn_real *tables;        // clean union, then detail

    int *owner;         // of each row, -1: none
    int *filled;        // slots of each row that are vertices, the first ones
    int *vertex;        // of each slot
    sn_real *rest;      // quads
    int32_t *influence; // of each row: SN_IMPLICIT_INFLUENCES times 16
    sn_real *weight;    // the same
    sn_real *level;     // of each slot: iso, the value of the blend at rest
    sn_real *residual;  // F0
    sn_real *side;      // how far it may be on the side of another bone, at most 0
    sn_real *fold;      // how much fields of neighbours in the skeleton were opposite its own at rest, 0 to 1
    // Bones that a row's own field is mixed with, and how much of each is in it.
    int *first_mix; // rows + 1
    int *mix_bone;
    sn_real *mix;   // 16 for each
    sn_real *own;   // of each slot: the part of its own bone; with those of the others 1
    sn_real *bends; // as weight, but 0 for bones that the heaviest is not joined to by a hinge

    // Edges: slots of entries for each row, 16 lanes each; those that a vertex has not lead to itself and weigh 0.
    int *first_entry; // rows + 1
    int32_t *other;
    sn_real *stiff;     // cotangents
    sn_real *edge;      // 3 for each entry: rows x, y, z of 16, from the vertex to the other at rest
    sn_real *ring;      // mean value coordinates
    sn_real *stiff_sum; // of each slot
    sn_real *uniform;   // 1 / number of others of each slot, 0: it has none
    // Rows that have others' vertices as neighbours.
    int *first_beside, *beside;
    int beside_count;
};

struct sn_implicit_state {
    sn_blocks blocks;
    const sn_implicit_rig *rig;
    sn_transform *pose;     // of the last frame
    sn_transform *now;      // of this frame, or part of it
    sn_transform *goal;     // at its end
    sn_transform *pair;     // of owner * bones + other: the other in the owner's axes, when it last counted as moved
    unsigned char *changed; // the same: it has moved now
    sn_real *frame;         // 12 for each bone: rotation by rows, position
    bool on_the_way;        // this is a part of a frame, but not the last
    sn_real *ahead;         // then 12 for each bone: the motion from here to where it will be at the end of the frame
    sn_real *ball;          // 4 for each bone: around the box of its field, in the world
    sn_real *dual_step;     // 8 for each bone: since the last frame, as dual quaternions
    sn_real *dual_rest;     // since rest
    uint64_t *near_bones;   // of each row: whose fields reach it
    uint64_t *near_muscles;
    int muscle_words; // of 64 bits, to hold a bit for each muscle
    int muscle_room;  // words in near_muscles
    sn_real *point;   // quads; w: how much it touches (0 to 1)
    sn_real *next;    // quads
    sn_real *slope;   // quads: the gradient of F where it was last evaluated
    sn_real *turn;    // quads: the rotation of the surface around a vertex since rest
    sn_real *turn_next;
    sn_real *given; // quads: the smoothed copy; w: how much it is to be smoothed
    sn_real *given_next;
    unsigned char *active;  // rows worked on
    unsigned char *calm;    // rows that one step has brought to their levels
    unsigned char *settled; // rows that hardly moved when last worked on
    unsigned char *smooth;  // rows to smooth
    unsigned char *smooth_next;
    sn_real *miss;     // of each row: the largest error
    int *row_missed;   // of each row
    int *row_touching; //
    int *row_evaluations;
};

// What a kernel sees of a frame.
typedef struct {
    const sn_implicit_rig *rig;
    sn_implicit_state *state;
    const sn_skin_muscle_table *muscles; // null: none
    const sn_implicit_options *options;
} sn_implicit_frame;

// One set for each lane width; all give bitwise the same. They work on rows begin <= row < end.
struct sn_implicit_kernels {
    int lanes;
    // Carries vertices along with the bones, and their turns; leaves a copy in 'given'.
    void (*carry)(const sn_implicit_frame *frame, int row);
    // Where skinning from rest would take them, and how much to pull them there, into 'given_next'.
    void (*aim)(const sn_implicit_frame *frame, int row);
    // Puts them where skinning from rest takes them.
    void (*place)(const sn_implicit_frame *frame, int row, sn_implicit_start start);
    // One step to the level for all vertices, with the pull; and then steps for those that have not reached it.
    void (*approach)(const sn_implicit_frame *frame, int row, bool pull);
    void (*settle)(const sn_implicit_frame *frame, int row);
    // The values that a row keeps, where it is: levels, folds, residuals, sides.
    void (*bind)(const sn_implicit_frame *frame, int row, sn_real *level, sn_real *fold, sn_real *residual,
                 sn_real *side);
    void (*turns)(const sn_implicit_frame *frame, int row); // from turn to turn_next
    void (*relax)(const sn_implicit_frame *frame, int row); // from point to next
    // From 'point' to 'given' with how much it is to be smoothed; from 'given' to 'given_next' that, or places.
    void (*mark)(const sn_implicit_frame *frame, int row);
    void (*diffuse)(const sn_implicit_frame *frame, int row);
    void (*smooth)(const sn_implicit_frame *frame, int row);
    // The method of 2013: a step along the gradient, and one along the surface, from point to next.
    void (*march)(const sn_implicit_frame *frame, int row, bool first);
    void (*even)(const sn_implicit_frame *frame, int row);
    // The field of a bone with its muscles, at 16 points of the world.
    void (*field)(const sn_implicit_frame *frame, int bone, const sn_real *const q[3], sn_real *f,
                  sn_real *const gradient[3]);
    // d of a bone and its gradient, at 16 points in its axes: by its sum, and by its grid, which outside of its box goes
    // on with the distance to that.
    void (*distance)(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,
                     sn_real *const gradient[3]);
    void (*depth)(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,
                  sn_real *const gradient[3]);
    // sn_arc with sn_opening, and the tables, for tests: rows of 16.
    void (*arc)(const sn_real *f1, const sn_real *f2, const sn_real *t, sn_real *const out[3]);
    void (*opening)(int kind, const sn_real *cosine, sn_real *t);
    void (*table)(const sn_real *table, const sn_real *f1, const sn_real *f2, sn_real *const out[3]);
};

// Null if this build or this machine does not have them; 0: the widest.
const sn_implicit_kernels *sn_implicit_kernels_for(int lanes);

bool sn_implicit_make_grids(sn_implicit_rig *rig); // false: no memory

// Which bones and muscles are near each row, from where its vertices are.
void sn_implicit_find_near(const sn_implicit_frame *frame, int row);
// Rotations and positions of bones for the kernels, from state->now.
void sn_implicit_set_frames(sn_implicit_state *state);
// The motion from one pose to another as a dual quaternion.
void sn_implicit_dual(const sn_transform *from, const sn_transform *to, sn_real out[8]);
// Writes the smoothed copy, or the vertices as they are.
void sn_implicit_smooth(const sn_implicit_frame *frame, sn_pool *pool);
void sn_implicit_give(const sn_implicit_state *state, const sn_real *quads, sn_vec3 *out);
sn_status sn_implicit_room_for_muscles(sn_implicit_state *state, int count);
bool sn_implicit_poses_fine(const sn_implicit_rig *rig, const sn_transform *poses);

// All rows, on the pool or, if there is none, here.
static inline void sn_implicit_rows(const sn_implicit_frame *frame, sn_pool *pool, sn_iteration_fn *fn) {
    if (pool)
        sn_parallel_for(pool, frame->rig->rows, 8, fn, (void *)(uintptr_t)frame);
    else
        for (int row = 0; row < frame->rig->rows; row++) fn((void *)(uintptr_t)frame, row, 0);
}

#endif
