// The widths of SIMD lanes: which of them this build has kernels for, which this machine can run, and which is best.
//
// A kernel file is compiled once for each width, its functions named sn_..._w1, _w4, _w8, _w16. Choosing one of them is
//
//     #define CHOOSE(w) if (lanes == w) return &kernels_w##w;
//     if (!sn_lanes_here(lanes)) return NULL;
//     SN_EACH_WIDTH(CHOOSE)
#ifndef SN_BASE_LANES_H
#define SN_BASE_LANES_H

#include <stdbool.h>

// X(w) for every width that is built.
#if !defined(SN_ONLY_LANES)
#define SN_EACH_WIDTH(X) X(1) X(4) X(8) X(16)
#elif SN_ONLY_LANES == 1
#define SN_EACH_WIDTH(X) X(1)
#elif SN_ONLY_LANES == 4
#define SN_EACH_WIDTH(X) X(4)
#elif SN_ONLY_LANES == 8
#define SN_EACH_WIDTH(X) X(8)
#else
#define SN_EACH_WIDTH(X) X(16)
#endif

// Whether the build has this width and the machine can run it.
bool sn_lanes_here(int lanes);

// The widest of these that fills a register.
int sn_best_lanes_here(void);

#endif
