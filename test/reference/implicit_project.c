// The method of 2013 (Vaillant et al.): vertices start from skinning, march along the gradient to their value, and stop
// where the gradient changes direction, that is, in contact. Steps along the surface keep triangles even. The result is
// smoothed where vertices stopped.
#include "reference/implicit_project.h"
#include "base/float_mode.h"
#include "skin/implicit/implicit_internal.h"
#include <string.h>

enum { ROW = SN_IMPLICIT_ROW, STEPS = 20 };

static void near_row(void *context, int row, int worker) {
    (void)worker;
    sn_implicit_find_near(context, row);
}

static void first_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    frame->rig->kernels->march(frame, row, true);
}

static void march_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    frame->rig->kernels->march(frame, row, false);
}

static void even_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->rig->owner[row] >= 0)
        frame->rig->kernels->even(frame, row);
    else
        memcpy(frame->state->next + (size_t)row * ROW * 4, frame->state->point + (size_t)row * ROW * 4,
               ROW * 4 * sizeof(sn_real));
}

sn_status implicit_project(sn_implicit_state *state, const sn_transform *poses, const sn_skin_muscle_table *muscles,
                           sn_implicit_start start, sn_pool *pool, sn_vec3 *out) {
    const sn_implicit_rig *rig = state->rig;
    const sn_implicit_options options = sn_implicit_options_default();
    const sn_implicit_frame frame = {rig, state, muscles, &options};
    const sn_status reserved = sn_implicit_reserve_muscles(state, muscles ? muscles->count : 0);
    if (reserved != SN_OK) return reserved;
    const sn_float_mode mode = sn_float_mode_enter();
    const sn_status placed = sn_implicit_reset(state, poses, start);
    if (placed == SN_OK) {
        sn_implicit_for_rows(&frame, pool, near_row);
        for (int i = 0; i < STEPS; i++) {
            sn_implicit_for_rows(&frame, pool, i == 0 ? first_row : march_row);
            sn_implicit_for_rows(&frame, pool, even_row);
            sn_real *swap = state->point;
            state->point = state->next, state->next = swap;
        }
        sn_implicit_smooth(&frame, pool);
        if (out) sn_implicit_write(state, state->output, out);
    }
    sn_float_mode_leave(mode);
    return placed;
}
