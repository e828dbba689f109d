// The tests of test_band.c in double precision.
#include "test_band.c"
