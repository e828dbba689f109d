// The tests of test_spring_penalty.c in double precision.
#include "test_spring_penalty.c"
