// The same in double, where momentum is kept to rounding.
#include "test_bundle.c"
