// A build without Embree (SN_BUILD_PICTURES off): no pictures. See tracer.h.
#include "render/tracer.h"

tracer *tracer_new(const view_model *model, int threads, tool_error *error) {
    (void)model, (void)threads;
    tool_error_set(error, "this build of Sinew draws no pictures: it was made without Embree");
    return NULL;
}

void tracer_free(tracer *t) {
    (void)t;
}

bool tracer_set_frame(tracer *t, const view_frame *frame, tool_error *error) {
    (void)t, (void)frame, (void)error;
    return false;
}

bool tracer_first(const tracer *t, sn_vec3 from, sn_vec3 direction, float max_distance, tracer_hit *out) {
    (void)t, (void)from, (void)direction, (void)max_distance, (void)out;
    return false;
}

bool tracer_blocked(const tracer *t, sn_vec3 from, sn_vec3 direction, float max_distance) {
    (void)t, (void)from, (void)direction, (void)max_distance;
    return false;
}
