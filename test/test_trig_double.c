// The tests of test_trig.c in double precision.
#include "test_trig.c"
