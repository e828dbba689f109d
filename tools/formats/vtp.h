// Exports the simulated bodies as VTK PolyData (.vtp) for ParaView, and series of frames (.pvd).
#ifndef SN_FORMATS_VTP_H
#define SN_FORMATS_VTP_H

#include "mesh/error.h"
#include "sinew/sinew.h"
#include <stdbool.h>
#include <stdio.h>

// Writes all bodies of a world: of pills a polyline per branch, of surfaces their triangles (or lines, if they have
// none), with radius, scale and velocity of each point and the index of each cell's body: pills first. False: out of
// memory; errors of the stream are left to its owner.
bool vtp_write(FILE *out, const sn_world *world);

// A series of frames: NAME.pvd lists NAME/frame_00000.vtp and so on with their times. These files appear when the
// series is finished.
typedef struct vtp_series vtp_series;

// `name` ends in .pvd. Null: out of memory, or the folder cannot be created; `error` says which.
vtp_series *vtp_series_open(const char *name, tool_error *error);
bool vtp_series_add(vtp_series *series, const sn_world *world, double t, tool_error *error);

// Puts frames and list in place and frees the series, or removes everything and frees it. Frames of an earlier, longer
// series of the same name are deleted.
bool vtp_series_finish(vtp_series *series, tool_error *error);
void vtp_series_abort(vtp_series *series);

#endif
