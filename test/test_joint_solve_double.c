#include "test_joint_solve.c" // the same in double precision, where W is symmetric to rounding
