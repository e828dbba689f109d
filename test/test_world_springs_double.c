#include "test_world_springs.c"
