#include "test_rod_energy.c"
