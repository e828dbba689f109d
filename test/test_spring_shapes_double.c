// The tests of test_spring_shapes.c in double precision.
#include "test_spring_shapes.c"
