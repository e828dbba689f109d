// Vertex caches: the vertices of each frame, for programs that play them on a mesh with the same vertices (Blender's
// Mesh Cache modifier, 3ds Max, Houdini, LightWave): PC2 and MDD files, and the mesh itself as OBJ. They hold the
// bodies that move, one after the other, so vertex indices agree between all three.
#ifndef SN_FORMATS_VERTEX_CACHE_H
#define SN_FORMATS_VERTEX_CACHE_H

#include "view/view_model.h"
#include <stdio.h>

typedef enum { CACHE_PC2, CACHE_MDD } vertex_cache_format;

typedef struct vertex_cache vertex_cache;

// Starts a cache that is written to `out` frame by frame. Frames that have to wait for the end are in a temporary file
// beside `path` (see view_spool.h). Null: errno is set.
vertex_cache *vertex_cache_open(FILE *out, vertex_cache_format format, const view_model *model, const char *path);

// Adds a frame. False: out of memory. Errors of `out` are left to its owner.
bool vertex_cache_write(vertex_cache *cache, const view_frame *frame);

// Writes the number of frames into the header and frees the cache. False: the temporary file failed, errno is set.
bool vertex_cache_finish(vertex_cache *cache);
void vertex_cache_free(vertex_cache *cache);

// Writes the mesh of one frame; all bodies are groups of one object, or with `still` each is an object. `still` adds the bodies that do not move, at the end. False: out
// of memory.
bool obj_frame_write(FILE *out, const view_model *model, const view_frame *frame, bool still);

#endif
