// compilers: all
#define SN_LANES 4
#include "test_lane_math.c"
