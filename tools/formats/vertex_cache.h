// Recordings as vertices frame by frame, for programs that play them on a mesh of the same vertices (Blender's Mesh
// Cache modifier, 3ds Max, Houdini, LightWave): PC2 and MDD files, and the mesh itself as OBJ. Bodies that move stand
// in them one after the other, so that numbers agree between all three.
#ifndef SN_FORMATS_VERTEX_CACHE_H
#define SN_FORMATS_VERTEX_CACHE_H

#include "view/recording.h"
#include <stdio.h>

// Each is false without memory; errors of the stream are left to whoever closes it.
bool pc2_write(FILE *out, const recording *take);
bool mdd_write(FILE *out, const recording *take);

// The mesh as it is in one frame; the bodies are groups. 'still' adds those that do not move, at the end.
bool obj_frame_write(FILE *out, const recording *take, int frame, bool still);

// Vertices of the moving bodies in one frame as numbers of 4 bytes, little-endian or big-endian.
bool vertex_cache_write_frame(FILE *out, const recording *take, int frame, bool big_endian);
void vertex_cache_write_float(FILE *out, double value, bool big_endian);
void vertex_cache_write_int(FILE *out, int64_t value, bool big_endian);

#endif
