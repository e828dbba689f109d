// The tests of test_spring.c in double precision.
#include "test_spring.c"
