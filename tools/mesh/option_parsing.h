// Lists of numbers and planes as written on a command line or in a scene.
#ifndef SN_MESH_OPTION_PARSING_H
#define SN_MESH_OPTION_PARSING_H

#include <stdbool.h>

// Parses "a,b,c". Returns the count; -1: not a list of numbers, or more than 'max_count'.
int parse_numbers(const char *text, double *out, int max_count);

// Parses "y>0.1", "x<2" or "nx,ny,nz,offset": the half space normal . x > offset. False: none of these.
bool parse_plane(const char *text, double normal[3], double *offset);

#endif
