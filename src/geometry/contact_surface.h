// Checks of contact surfaces, for everything that has one.
#ifndef SN_GEOMETRY_CONTACT_SURFACE_H
#define SN_GEOMETRY_CONTACT_SURFACE_H

#include "base/log.h"
#include "sinew/surface.h"

// Logs a line for every bad field, "surface.friction_static" and so on; returns their number.
int sn_surface_errors(const sn_log *log, const sn_surface *surface);
// Whether all fields are good, without logging.
bool sn_surface_is_fine(const sn_surface *surface);

#endif
