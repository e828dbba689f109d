// The tests of test_world_elastic.c in double precision.
#include "test_world_elastic.c"
