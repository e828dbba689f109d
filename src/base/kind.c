// Code that kinds share. See kind.h.
#include "base/kind.h"

void sn_visit_body(sn_stream *stream, sn_body *body) {
    sn_visit_u32(stream, &body->kind);
    sn_visit_u32(stream, &body->slot1);
    sn_visit_u32(stream, &body->gen);
}

int sn_point_attachment_errors(int count, const sn_attachment *at, const sn_attachment_fields *fields,
                               const sn_log *log) {
    if (at->point >= 0 && at->point < count) return 0;
    if (count == 0) return sn_def_error(log, fields->body, "has no points: it does not collide");
    return sn_def_error(log, fields->point, "the body has points 0 to %d, not %d", count - 1, at->point);
}
