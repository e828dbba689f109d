// The same in double, where derivatives of the reduced energy can be checked by differences.
#include "test_elastic_materials.c"
