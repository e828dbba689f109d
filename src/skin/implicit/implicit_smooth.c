// The output of the skin, smoothed in self-contact (implicit_smooth_kernel.c). Only processes rows with marks and their
// neighbours; each pass may spread marks by one row.
#include "skin/implicit/implicit_internal.h"

enum { DIFFUSIONS = 4, REVERTS = 4, REVERT_EDGES = 3 };

static void mark_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    frame->rig->kernels->mark(frame, row);
}

static void widen_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    (void)worker;
    bool any = state->smooth[row] != 0;
    for (int i = rig->first_neighbour[row]; !any && i < rig->first_neighbour[row + 1]; i++)
        any = state->smooth[rig->neighbour[i]] != 0;
    state->smooth_next[row] = any;
}

static void diffuse_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->smooth[row]) frame->rig->kernels->diffuse(frame, row);
}

static void smooth_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->smooth[row]) frame->rig->kernels->smooth(frame, row);
}

static void doubt_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    sn_implicit_state *state = frame->state;
    (void)worker;
    if (state->smooth[row]) {
        frame->rig->kernels->doubt(frame, row);
        return;
    }
    state->doubtful[row] = 0;
    for (int slot = row * SN_IMPLICIT_ROW; slot < (row + 1) * SN_IMPLICIT_ROW; slot++) state->output[slot * 4 + 3] = 1;
}

static void revert_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    frame->rig->kernels->revert(frame, row, false);
}

static void revert_row_last(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    frame->rig->kernels->revert(frame, row, true);
}

static void swap_outputs(sn_implicit_state *state) {
    sn_real *swap = state->output;
    state->output = state->output_next, state->output_next = swap;
}

// Takes displacements back where they do harm.
static void revert(const sn_implicit_frame *frame, sn_pool *pool) {
    sn_implicit_state *state = frame->state;
    for (int round = 0; round < REVERTS; round++) {
        bool any = false;
        sn_implicit_for_rows(frame, pool, doubt_row);
        for (int row = 0; row < frame->rig->rows; row++) any = any || state->doubtful[row];
        if (!any) break;
        for (int i = 0; i < REVERT_EDGES; i++) {
            sn_implicit_for_rows(frame, pool, i == REVERT_EDGES - 1 ? revert_row_last : revert_row);
            swap_outputs(state);
        }
    }
}

// Skipped rows are the same in both copies: their positions, without marks.
void sn_implicit_smooth(const sn_implicit_frame *frame, sn_pool *pool) {
    sn_implicit_state *state = frame->state;
    const int rows = frame->rig->rows, passes = frame->options->smoothings > 0 ? frame->options->smoothings : 0;
    bool any = false;
    sn_implicit_for_rows(frame, pool, mark_row);
    for (int row = 0; row < rows; row++) any = any || state->smooth[row];
    for (int i = 0; any && i < DIFFUSIONS + passes && passes > 0; i++) {
        if (i < DIFFUSIONS) {
            sn_implicit_for_rows(frame, pool, widen_row);
            unsigned char *swap = state->smooth;
            state->smooth = state->smooth_next, state->smooth_next = swap;
        }
        sn_implicit_for_rows(frame, pool, i < DIFFUSIONS ? diffuse_row : smooth_row);
        swap_outputs(state);
    }
    revert(frame, pool);
    const sn_real pull = frame->options->pull;
    for (int i = 0; pull > 0 && i < 4 * frame->rig->slots; i++)
        state->output[i] += pull * (state->aim[i] - state->output[i]);
}
