// What a surface may be, for everything that has one.
#ifndef SN_GEOMETRY_CONTACT_SURFACE_H
#define SN_GEOMETRY_CONTACT_SURFACE_H

#include "base/log.h"
#include "sinew/surface.h"

// Says a line for every bad field, "surface.friction_static" and so on; how many there are.
int sn_surface_errors(const sn_log *log, const sn_surface *surface);
// Whether there are none, for those who read one.
bool sn_surface_is_fine(const sn_surface *surface);

#endif
