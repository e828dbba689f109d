// A probe against one element of a body: how far they are from each other, and when they meet.
#ifndef SN_QUERY_PROBE_H
#define SN_QUERY_PROBE_H

#include "geometry/pill.h"
#include "geometry/slab.h"
#include "geometry/slab_point.h"

typedef enum { SN_QUERY_PILL, SN_QUERY_SLAB, SN_QUERY_BOX, SN_QUERY_PLANE, SN_QUERY_TRIANGLE } sn_query_form;

typedef struct {
    sn_query_form form;
    union {
        sn_pill pill;
        sn_slab slab;
        sn_box box;
        sn_plane plane;
        sn_triangle triangle;
    } as;
} sn_query_primitive;

// A probe in the frame of a body: in double, because elements may be far from where it starts.
typedef struct {
    sn_point a, b, motion;
    sn_real ra, rb;
} sn_query_probe;

// A meeting. Weights are those of the corners of the element: of ends of a pill, corners of a slab or a triangle.
typedef struct {
    double at; // of the motion
    sn_real gap;
    sn_vec3 normal; // from the element to the probe
    sn_point point; // on the element's surface
    sn_real weight[3];
} sn_query_contact;

// The box of an element, rounded outwards; infinite for a plane.
sn_bounds sn_query_bounds(const sn_query_primitive *primitive);

// The gap at some of the motion.
void sn_query_measure(const sn_query_primitive *primitive, const sn_query_probe *probe, double at,
                      sn_query_contact *out);

// The first time, up to 'max' of the motion, at which they meet.
bool sn_query_cast(const sn_query_primitive *primitive, const sn_query_probe *probe, double max, sn_query_contact *out);

#endif
