#include "test_known_stiffness.c"
