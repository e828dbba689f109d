// Capture: writes a run to files while it goes. Memory does not grow with the run.
//
//     .glb            an animation with skins           .pc2 .mdd    vertex caches, with their mesh beside them
//     .pvd            a series for ParaView             .obj .vtp    the end of the run
//     .usda           skeletons and point caches        .png         a picture of the end
//     .mp4            a film (needs ffmpeg)
//
// docs/export.md describes them. Files are complete or absent.
#ifndef SINEW_TOOLS_CAPTURE_H
#define SINEW_TOOLS_CAPTURE_H

#include "scene.h"

// A capture. Opaque; used by one thread at a time.
typedef struct sn_capture sn_capture;

// How a run is captured. Start from sn_capture_def_default().
typedef struct {
    double fps;         // frames per simulated second; default 30
    bool skins;         // show skins where bodies have some; false: what is simulated; default true
    int width, height;  // of pictures and films, pixels; default 0 = what suits
    int samples;        // rays per pixel; default 0 = what suits
    int threads;        // that draw; default 1. Does not affect the result
    const char *camera; // name or index of one of the scene's; default null: the first, or one that sees everything
    sn_progress_fn *progress; // of drawing a film; stage is null at its end; default null
    void *progress_user;      // passed to progress
    uint32_t init_mark;       // set by sn_capture_def_default, always checked
} sn_capture_def;

// The defaults named above.
SN_API sn_capture_def sn_capture_def_default(void);

// Starts a capture of a world that a scene has built; the scene must outlive it. 'def' null: the defaults.
SN_API sn_status sn_capture_create(const sn_scene *scene, const sn_capture_def *def, sn_capture **out, sn_error *error);

// Opens a file; the extension chooses the format. Add all files before the first frame. SN_ERR_DEF: no such format or
// camera. SN_ERR_FILE: it cannot be written.
SN_API sn_status sn_capture_add_file(sn_capture *capture, const char *path, sn_error *error);

// Writes a frame to all files if one is due at the world's time. Call it once before the first step and after every step.
SN_API sn_status sn_capture_frame(sn_capture *capture, const sn_world *world, sn_error *error);

// Writes the last frame if the world has moved since, and puts the files in place. A file that fails does not affect the
// others; the error is about the first that did.
SN_API sn_status sn_capture_finish(sn_capture *capture, const sn_world *world, sn_error *error);

// Frees a capture; files that are not finished leave nothing behind. Null is fine.
SN_API void sn_capture_destroy(sn_capture *capture);

#endif
