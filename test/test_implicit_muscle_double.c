// The tests of test_implicit_muscle.c in double precision.
#include "test_implicit_muscle.c"
