// Where a body's handles are, as bounds want to know it.
#ifndef SN_KINDS_ELASTIC_ELASTIC_BOUNDS_BODY_H
#define SN_KINDS_ELASTIC_ELASTIC_BOUNDS_BODY_H

#include "kinds/elastic/elastic_body.h"
#include "kinds/elastic/elastic_bounds.h"

static inline sn_elastic_pose sn_elastic_pose_of(const sn_elastic_body *body) {
    return (sn_elastic_pose){
        .q = body->q,
        .column = 1,
        .axis = body->space->columns,
        .anchor_rotation = body->anchor_rotation,
        .anchor_position = body->anchor_position,
    };
}

#endif
