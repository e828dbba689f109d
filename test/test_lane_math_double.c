#include "test_lane_math.c"
