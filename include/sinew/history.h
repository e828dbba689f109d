// Between two steps: a game draws when it likes, and steps at a rate of its own. A history keeps the last two states that were recorded
// and gives what lies between them.
#ifndef SINEW_HISTORY_H
#define SINEW_HISTORY_H

#include "body.h"

// The points and poses of all bodies after the last two steps.
typedef struct sn_history sn_history;

// Creates a history with the world's allocator and records the world. On failure *out is null.
SN_API sn_status sn_history_create(const sn_world *world, sn_history **out);

// Destroys a history, before or after its world; null is ignored.
SN_API void sn_history_destroy(sn_history *history);

// Records the world; call it after each step. Bodies that are new, or that were cut, have been where they are.
SN_API sn_status sn_history_record(sn_history *history, const sn_world *world);

// Forgets where a body was before, for one that was put elsewhere since the last record: nothing is drawn on its way there.
SN_API sn_status sn_history_cut(sn_history *history, sn_body body);

// The points of sn_body_get_points at t from the record before the last (0) to the last (1); beyond 1 they go on as they went. Writes at
// most 'capacity' and returns how many there are; 0 if the body was not there.
SN_API int sn_history_get_points(const sn_history *history, sn_body body, sn_real t, sn_vec3 *out, int capacity);

// The pose of a rigid body likewise; rotations the shortest way, at an even rate. SN_ERR_STALE_ID: it was not there; SN_ERR_KIND: it
// has no pose.
SN_API sn_status sn_history_get_pose(const sn_history *history, sn_body body, sn_real t, sn_vec3 *position,
                                     sn_quat *rotation);

#endif
