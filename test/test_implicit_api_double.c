#include "test_implicit_api.c" // the same in double precision
