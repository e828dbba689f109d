// Telling a caller why something cannot be done.
#ifndef SN_MESH_ERROR_MESSAGE_H
#define SN_MESH_ERROR_MESSAGE_H

#include <stdbool.h>

// Formats like printf into why; returns false, for whoever returns that.
__attribute__((format(printf, 2, 3))) bool why_not(char why[256], const char *format, ...);

#endif
