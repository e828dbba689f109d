// The tests of test_implicit_muscle_motion.c in double precision.
#include "test_implicit_muscle_motion.c"
