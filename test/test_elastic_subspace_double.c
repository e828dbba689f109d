// The same in double precision.
#include "test_elastic_subspace.c"
