// What joints tie, touching elsewhere, in double precision.
#include "test_joint_touch.c"
