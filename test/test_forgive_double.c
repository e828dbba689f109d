// Overlap that is forgiven, in double precision.
#include "test_forgive.c"
