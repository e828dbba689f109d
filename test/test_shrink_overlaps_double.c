// Shrunk overlaps, in double precision.
#include "test_shrink_overlaps.c"
