// The same in double precision.
#include "test_elastic_models.c"
