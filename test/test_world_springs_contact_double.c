#include "test_world_springs_contact.c"
