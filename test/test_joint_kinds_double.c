// Joints between kinds, in double precision.
#include "test_joint_kinds.c"
