// The same in double precision.
#include "test_elastic_parts.c"
