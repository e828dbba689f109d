// The same in double precision.
#include "test_exchange.c"
