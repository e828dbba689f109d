// Implicit muscles as contacts see them: see swept_proxy.c.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_PROXY_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_PROXY_H

#include "geometry/proxy.h"

typedef struct {
    sn_vec3 from, to; // where it is at the start of the step, and where it gets by itself
    sn_vec3 moved;    // by contacts, in this step
    sn_vec3 kick;     // and how much faster that has made it
} sn_swept_node;

#endif
