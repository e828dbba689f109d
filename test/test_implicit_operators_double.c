// The same in double precision.
#include "test_implicit_operators.c"
