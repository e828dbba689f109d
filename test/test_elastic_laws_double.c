// The same in double precision.
#include "test_elastic_laws.c"
