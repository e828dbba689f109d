// The tests of test_spring_bodies.c in double precision.
#include "test_spring_bodies.c"
