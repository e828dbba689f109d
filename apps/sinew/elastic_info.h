// What sinew info says of baked elastic bodies.
#ifndef SN_APP_ELASTIC_INFO_H
#define SN_APP_ELASTIC_INFO_H

#include <stdbool.h>

// Prints; returns the exit code.
int elastic_info(const char *name, bool json);

#endif
