// Writes a run to files: opens the exporters, passes them every frame, and puts the files in place at the end. Memory
// does not grow with the run: frames that are needed again are on disk (view_spool.h).
#ifndef SN_CAPTURE_CAPTURE_H
#define SN_CAPTURE_CAPTURE_H

#include "capture/exporter.h"

typedef struct capture capture;

// The options must outlive it. Null: out of memory.
capture *capture_new(const export_options *options);

// Opens a file. False: the error is set, and *bad_input tells whether the extension or an option is wrong.
bool capture_add_file(capture *c, const char *path, bool *bad_input, tool_error *error);

// Makes the model of the world, if a file needs it; `skins` as in scene_view_new. Call it before the first frame.
bool capture_start(capture *c, const sn_world *world, bool skins, tool_error *error);

// Writes a frame of all files. False: the error is set.
bool capture_frame(capture *c, const sn_world *world, double time, tool_error *error);

// Puts the i-th file in place, with the world at its end. False: the error is set; the other files are not affected.
bool capture_finish_file(capture *c, int i, const sn_world *world, tool_error *error);

// The companion of the i-th file (NAME.rest.obj of NAME.pc2); the caller frees it. Null: none.
char *capture_companion(const capture *c, int i);

// Files that are not finished leave nothing behind. Null is fine.
void capture_free(capture *c);

#endif
