// Widths of SIMD lanes: which of them this build has kernels for, which this machine can run, and which is best.
//
// A kernel file is compiled once per width, with functions named sn_..._w1, _w4, _w8, _w16. SN_EACH_WIDTH defines a
// table of them for each width; SN_CHOOSE_KERNELS defines a function that chooses one of the tables.
#ifndef SN_BASE_SIMD_LANES_H
#define SN_BASE_SIMD_LANES_H

#include "base/log.h"

// X(w) for every width in the build: SN_ONLY_LANES is the sum of those, each a bit.
#if !defined(SN_ONLY_LANES)
#define SN_ONLY_LANES (1 + 4 + 8 + 16)
#endif
#if SN_ONLY_LANES & 1
#define SN_WIDTH_1(X) X(1)
#else
#define SN_WIDTH_1(X)
#endif
#if SN_ONLY_LANES & 4
#define SN_WIDTH_4(X) X(4)
#else
#define SN_WIDTH_4(X)
#endif
#if SN_ONLY_LANES & 8
#define SN_WIDTH_8(X) X(8)
#else
#define SN_WIDTH_8(X)
#endif
#if SN_ONLY_LANES & 16
#define SN_WIDTH_16(X) X(16)
#else
#define SN_WIDTH_16(X)
#endif
#define SN_EACH_WIDTH(X) SN_WIDTH_1(X) SN_WIDTH_4(X) SN_WIDTH_8(X) SN_WIDTH_16(X)

// Whether the build has this width and the machine can run it.
bool sn_lanes_here(int lanes);

// The widest of them that fills a register.
int sn_best_lanes_here(void);

// Logs what is wrong with the lanes of a definition and returns 1, or returns 0. Lanes 0 means the best.
int sn_def_lanes_error(const sn_log *log, int lanes);

// const kernels *name(int lanes): one of kernels_w1, kernels_w4 ..., declared before; 0: the best width. Null: there is
// no such width.
#define SN_CHOOSE_ONE(w)                                                                                               \
    if (lanes == w) return &kernels_w##w;
#define SN_CHOOSE_KERNELS(kernels, name)                                                                               \
    const kernels *name(int lanes) {                                                                                   \
        if (lanes == 0) lanes = sn_best_lanes_here();                                                                  \
        if (sn_lanes_here(lanes)) {                                                                                    \
            SN_EACH_WIDTH(SN_CHOOSE_ONE)                                                                               \
        }                                                                                                              \
        return (void *)0;                                                                                              \
    }

#endif
