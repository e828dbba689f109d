// The memory layout of an implicit skin.
//
// Vertices are sorted into rows of 16 with one owner, close together: nearby bones and muscles are the same for all
// lanes of a row. Every vertex has a slot; incomplete rows repeat their first vertex in slots that are never read.
// Numbers of a slot that other slots read are quads (x, y, z, w), so that lanes gather them in one load.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_INTERNAL_H
#define SN_SKIN_IMPLICIT_IMPLICIT_INTERNAL_H

#include "skin/implicit/implicit_grid.h"
#include "skin/implicit/implicit_operators.h"
#include "skin/implicit/implicit_skin.h"

typedef struct sn_implicit_kernels sn_implicit_kernels;

// The allocations of a rig or a state, freed together.
typedef struct {
    sn_memory *memory;
    struct {
        void *at;
        size_t count, size;
    } block[56];
    int count;
    bool failed;
} sn_blocks;
void *sn_blocks_alloc(sn_blocks *blocks, size_t count, size_t size);
void sn_blocks_free(sn_blocks *blocks);

// A centre of a field: c, alpha, 3 beta, 3 alpha.
enum { SN_CENTRE_SIZE = 8 };

// How the field of one bone acts on vertices of another.
typedef enum {
    SN_INTERACT_UNION = SN_FOLD_UNION, // the kinds of joints come first
    SN_INTERACT_ELBOW = SN_FOLD_ELBOW,
    SN_INTERACT_FINGER = SN_FOLD_FINGER,
    SN_INTERACT_CONTACT, // not joined, and separated at rest: contact only
    // Union also applies to bones that overlap at rest without a joint. Their fields are mixed by skin weights.
} sn_interaction;

struct sn_implicit_rig {
    sn_blocks blocks;
    const sn_implicit_kernels *kernels;
    int bones, centre_count, count, rows, slots;
    int words; // of 64 bits, to hold a bit for each bone

    sn_implicit_bone *bone;
    sn_real *centres;           // SN_CENTRE_SIZE for each
    sn_implicit_grid *grid;     // of each bone
    unsigned char *interaction; // sn_interaction of owner * bones + other
    sn_real *tables;            // clean union, then detail

    int *owner;         // of each row, -1: none
    int *filled;        // vertices in each row, in its first slots
    int *vertex;        // of each slot
    sn_real *rest;      // quads
    int32_t *influence; // of each row: SN_IMPLICIT_INFLUENCES times 16
    sn_real *weight;    // the same
    sn_real *level;     // of each slot: the value of the blend at rest
    sn_real *flesh;     // what of it is due to muscles
    sn_real *residual;  // F0
    sn_real *side;      // lower bound of f_o - f_x, at most 0
    sn_real *fold;      // opposition c of neighbouring bones' fields at rest, 0 to 1
    sn_real *contact;   // amount of contact at rest
    // Bones that are mixed into a row's own field, and their weights.
    int *first_mix; // rows + 1
    int *mix_bone;
    sn_real *mix; // 16 for each
    sn_real *own; // of each slot: the weight of its own bone; all add up to 1
    // Bones other than by hinges that a row is inside of at rest, and how much of the contact with them counts.
    int *first_inside; // rows + 1
    int *inside_bone;
    sn_real *separation; // 16 for each

    // Edges: entries of each row, 16 lanes each; padding points to the vertex itself with weight 0.
    int *first_entry; // rows + 1
    int32_t *other;
    sn_real *stiff;     // cotangents
    sn_real *edge;      // 3 for each entry: rows x, y, z of 16, from the vertex to the other at rest
    sn_real *ring;      // mean value coordinates
    sn_real *stiff_sum; // of each slot
    sn_real *uniform;   // of each slot: 1 / its number of neighbours, 0: none
    sn_real *area;      // of each slot: of the surface around it at rest
    sn_real *normal;    // quads: outward, at rest; 0: none
    // Neighbouring rows of each row.
    int *first_neighbour, *neighbour;
    int neighbour_count;
};

struct sn_implicit_state {
    sn_blocks blocks;
    const sn_implicit_rig *rig;
    sn_transform *now;      // of the last frame
    sn_transform *pair;     // of owner * bones + other: the other in the owner's frame when it last counted as moved
    unsigned char *changed; // the same: it has moved now
    sn_real *frame;         // 12 for each bone: rotation by rows, position
    sn_real *ball;          // 4 for each bone: around the box of its field, in the world
    sn_real *dual_rest;     // 8 for each bone: its motion since rest, as a dual quaternion
    uint64_t *near_bones;   // of each row: bones whose fields reach it
    uint64_t *near_muscles;
    int muscle_words;    // of 64 bits, to hold a bit for each muscle
    int muscle_capacity; // words in near_muscles
    sn_real *point;      // quads; w: amount of contact that is not there at rest (0 to 1)
    sn_real *next;       // quads
    sn_real *aim;        // quads: where skinning places the vertices
    sn_real *normal;     // quads: outward there
    sn_real *offset;     // quads: from there to the points, in the frame of the row's bone
    sn_real *level;      // of each slot: the value of the blend where skinning places it, and with its muscles
    sn_real *slope;      // quads: the last gradient of F; w: amount of contact, where that of points has spread
    sn_real *rotation;   // quads: the rotation of the surface around a vertex since rest
    sn_real *rotation_next;
    sn_real *output; // quads: the smoothed copy; w: amount of smoothing
    sn_real *output_next;
    unsigned char *changed_row; // rows whose bones or muscles have moved relative to each other
    unsigned char *active;      // rows being updated: those and their neighbours
    unsigned char *busy;        // rows that fields may move: in contact, or with muscles
    unsigned char *close;       // rows that may be in contact
    unsigned char *doubtful;    // rows in which displacements do harm
    unsigned char *converged;   // rows that one step has brought to their levels
    unsigned char *settled;     // rows that have been updated
    unsigned char *smooth;      // rows to smooth
    unsigned char *smooth_next;
    sn_real *max_error; // of each row
    int *row_missed;    // of each row
    int *row_contacts;  // of each row
    int *row_evaluations;
};

// The arguments of the kernels in a frame.
typedef struct {
    const sn_implicit_rig *rig;
    sn_implicit_state *state;
    const sn_skin_muscle_table *muscles; // null: none
    const sn_implicit_options *options;
} sn_implicit_frame;

// One set for each lane width, with bitwise equal results.
struct sn_implicit_kernels {
    int lanes;
    // Writes the positions by skinning from rest, and the points that have the old displacement from them.
    void (*aim)(const sn_implicit_frame *frame, int row);
    // Evaluates the levels of a row there, and whether it is in contact or has muscles.
    void (*refer)(const sn_implicit_frame *frame, int row);
    // Moves them to their positions by skinning from rest.
    void (*reset)(const sn_implicit_frame *frame, int row, sn_implicit_start start);
    // One step to the level for all vertices; then further steps for those that have not reached it.
    void (*approach)(const sn_implicit_frame *frame, int row, bool first);
    void (*settle)(const sn_implicit_frame *frame, int row, bool relaxed); // whether it has moved since
    void (*limit)(const sn_implicit_frame *frame, int row);                // how far muscles move it
    // Evaluates the constants of a row at rest: levels, folds, residuals, sides.
    void (*bind)(const sn_implicit_frame *frame, sn_implicit_rig *rig, int row);
    void (*rotations)(const sn_implicit_frame *frame, int row); // from rotation to rotation_next
    void (*relax)(const sn_implicit_frame *frame, int row);     // from point to next
    // From `point` to `output` with the amount of smoothing; diffuses that, or smooths positions, from `output` to
    // `output_next`.
    void (*mark)(const sn_implicit_frame *frame, int row);
    void (*diffuse)(const sn_implicit_frame *frame, int row);
    void (*smooth)(const sn_implicit_frame *frame, int row);
    // Marks displacements that do harm; takes them back.
    void (*doubt)(const sn_implicit_frame *frame, int row);
    void (*revert)(const sn_implicit_frame *frame, int row, bool last);
    // The method of 2013: a step along the gradient, and one along the surface, from point to next.
    void (*march)(const sn_implicit_frame *frame, int row, bool first);
    void (*even)(const sn_implicit_frame *frame, int row);
    // The field of a bone with its muscles, at 16 points of the world.
    void (*field)(const sn_implicit_frame *frame, int bone, const sn_real *const q[3], sn_real *f,
                  sn_real *const gradient[3]);
    // d of a bone and its gradient at 16 points in its frame: by its sum, and by its grid, extended outside of its box
    // by the distance to the box.
    void (*distance)(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,
                     sn_real *const gradient[3]);
    void (*depth)(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,
                  sn_real *const gradient[3]);
    // sn_arc with sn_opening, and the tables, for tests: rows of 16.
    void (*arc)(const sn_real *f1, const sn_real *f2, const sn_real *t, sn_real *const out[3]);
    void (*opening)(int kind, const sn_real *cosine, sn_real *t);
    void (*table)(const sn_real *table, const sn_real *f1, const sn_real *f2, sn_real *const out[3]);
};

// The kernels of a lane width, 0: the widest. Null: this build or machine does not support it.
const sn_implicit_kernels *sn_implicit_kernels_for(int lanes);

bool sn_implicit_build_grids(sn_implicit_rig *rig); // false: out of memory

// Finds the bones and muscles near a row from the positions of its vertices.
void sn_implicit_find_near(const sn_implicit_frame *frame, int row);
// Sets rotations and positions of bones for the kernels from state->now.
void sn_implicit_set_frames(sn_implicit_state *state);
// The motion from one pose to another as a dual quaternion.
void sn_implicit_dual(const sn_transform *from, const sn_transform *to, sn_real out[8]);
// Computes the smoothed copy; writes quads to vertices.
void sn_implicit_smooth(const sn_implicit_frame *frame, sn_pool *pool);
void sn_implicit_write(const sn_implicit_state *state, const sn_real *quads, sn_vec3 *out);
sn_status sn_implicit_reserve_muscles(sn_implicit_state *state, int count);
bool sn_implicit_poses_are_valid(const sn_implicit_rig *rig, const sn_transform *poses);

// Runs over all rows on the pool, or serially if it is null.
static inline void sn_implicit_for_rows(const sn_implicit_frame *frame, sn_pool *pool, sn_iteration_fn *fn) {
    if (pool)
        sn_parallel_for(pool, frame->rig->rows, 8, fn, (void *)(uintptr_t)frame);
    else
        for (int row = 0; row < frame->rig->rows; row++) fn((void *)(uintptr_t)frame, row, 0);
}

#endif
