#include "test_rod_api_motion.c"
