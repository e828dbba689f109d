// The widths of SIMD lanes: which of them this build has kernels for, which this machine can run, and which is best.
//
// A kernel file is compiled once for each width, its functions named sn_..._w1, _w4, _w8, _w16. A table of them for each
// width is made by SN_EACH_WIDTH, and one of the tables is chosen by a function that SN_CHOOSE_KERNELS makes.
#ifndef SN_BASE_SIMD_LANES_H
#define SN_BASE_SIMD_LANES_H

#include "base/log.h"

// X(w) for every width that is built: SN_ONLY_LANES is the sum of those, and each is a bit of it.
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

// The widest of these that fills a register.
int sn_best_lanes_here(void);

// Says what is wrong with the lanes of a definition, in which 0 means the best; returns 1 then.
int sn_def_lanes_error(const sn_log *log, int lanes);

// const kernels *name(int lanes): one of kernels_w1, kernels_w4 ..., which are declared before; 0: of the best width.
// Null: this width is not here.
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
