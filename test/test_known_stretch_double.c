#include "test_known_stretch.c"
