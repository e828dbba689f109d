// The kernels of contacts in double precision: the same checks, and sharper.
#include "test_contact_kernels.c"
