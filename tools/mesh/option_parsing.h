// Numbers and planes as people write them on a command line or in a scene.
#ifndef SN_MESH_OPTION_PARSING_H
#define SN_MESH_OPTION_PARSING_H

#include <stdbool.h>

// "a,b,c" into numbers; returns how many, -1: something else is there, or more than 'most'.
int parse_numbers(const char *text, double *out, int max_count);

// "y>0.1", "x<2" or "nx,ny,nz,offset": where normal . x > offset. False: it is none of these.
bool parse_plane(const char *text, double normal[3], double *offset);

#endif
