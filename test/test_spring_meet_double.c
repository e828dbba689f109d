// The tests of test_spring_meet.c in double precision.
#include "test_spring_meet.c"
