// Ray tracing in one frame of a view, against pills and meshes, with Embree.
#ifndef SN_RENDER_TRACER_H
#define SN_RENDER_TRACER_H

#include "mesh/error.h"
#include "view/view_model.h"

typedef struct tracer tracer;

// A ray hit. 'normal' is interpolated over a mesh; 'flat' is the geometric normal.
typedef struct {
    sn_vec3 point, normal, flat, colour;
    float distance;
} tracer_hit;

// 'threads' is used for building; queries are thread-safe. Null: the error is set.
tracer *tracer_new(const view_model *model, int threads, tool_error *error);
void tracer_free(tracer *t);

// Moves everything to a frame.
bool tracer_set_frame(tracer *t, const view_frame *frame, tool_error *error);

// The first hit along a ray within a distance.
bool tracer_first(const tracer *t, sn_vec3 from, sn_vec3 direction, float max_distance, tracer_hit *out);

// Whether anything blocks the ray.
bool tracer_blocked(const tracer *t, sn_vec3 from, sn_vec3 direction, float max_distance);

#endif
