// The tests of test_spring_implicit.c in double precision.
#include "test_spring_implicit.c"
