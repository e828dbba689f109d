// Rays against one frame of a view: pills and meshes. Embree finds the intersections.
#ifndef SN_RENDER_TRACER_H
#define SN_RENDER_TRACER_H

#include "mesh/error.h"
#include "view/view_model.h"

typedef struct tracer tracer;

// Where a ray meets a surface. The normal is smooth over a mesh; 'flat' is that of the geometry itself.
typedef struct {
    sn_vec3 point, normal, flat, colour;
    float distance;
} tracer_hit;

// 'threads' may build; any number of threads may ask at the same time. Null: `error` says why.
tracer *tracer_new(const view_model *model, int threads, tool_error *error);
void tracer_free(tracer *t);

// Moves everything to its place in a frame.
bool tracer_set_frame(tracer *t, const view_frame *frame, tool_error *error);

// The first surface along a ray, within a distance.
bool tracer_first(const tracer *t, sn_vec3 from, sn_vec3 direction, float max_distance, tracer_hit *out);

// Whether anything is in the way.
bool tracer_blocked(const tracer *t, sn_vec3 from, sn_vec3 direction, float max_distance);

#endif
