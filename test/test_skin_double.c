// The tests of test_skin.c in double precision.
#include "test_skin.c"
