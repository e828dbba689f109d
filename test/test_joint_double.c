#include "test_joint.c" // the same in double precision, where momentum is kept to rounding
