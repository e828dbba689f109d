// Frames in a spool, read back for tests.
#ifndef SN_TEST_VIEW_FRAMES_H
#define SN_TEST_VIEW_FRAMES_H

#include "test.h"
#include "view/view_spool.h"

// Vertices of a body in a frame, and normals unless null.
static inline bool frame_vertices(const view_model *model, const view_spool *frames, int index, int body,
                                  float (*positions)[3], float (*normals)[3]) {
    view_frame frame;
    if (!view_frame_alloc(&frame, model)) return false;
    const bool good =
        view_spool_read(frames, index, &frame) && view_body_vertices(model, &frame, body, positions, normals);
    view_frame_free(&frame);
    return good;
}

// A joint in a frame.
static inline joint_pose frame_pose(const view_spool *frames, int index, int joint) {
    joint_pose pose = {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}, {0, 0, 0, 1}};
    CHECK(view_spool_read_poses(frames, index, joint, 1, &pose));
    return pose;
}

#endif
