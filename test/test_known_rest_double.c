#include "test_known_rest.c"
