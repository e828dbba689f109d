#include "test_known_flight.c"
