// Contacts of joined bodies, in double precision.
#include "test_joint_contact.c"
