// Exporters: the files that a run writes, frame by frame. The extension of a file's name chooses the exporter.
//
// To add one:
//   1. Write tools/capture/export_NAME.c, which defines `const exporter export_NAME`.
//   2. Declare it at the end of this file and add it to the table in exporters.c.
// Help texts, completion and docs/export.md list the extensions by hand; nothing else knows them.
//
// The calls of an exporter, in order: `open` before the run, so that a missing folder or program is reported at once;
// `write` for every frame; then either `finish`, which puts the file in place, or `abort`, which leaves nothing behind.
// Both free what `open` returned. An exporter holds no frames in memory. One that has to see them twice sets `needs` to
// EXPORT_SPOOL and reads them from run->frames in `finish`.
#ifndef SN_CAPTURE_EXPORTER_H
#define SN_CAPTURE_EXPORTER_H

#include "formats/atomic_file.h"
#include "mesh/error.h"
#include "scene/scene.h"
#include "sinew/sinew.h"
#include "view/view_spool.h"

// What exporters know besides the run itself.
typedef struct {
    const sn_scene *scene;      // for its title and cameras
    double fps;                 // frames per simulated second
    int width, height, samples; // of pictures; 0: the default of a picture or a film
    int threads;                //
    bool shared_joints;         // of .glb: one node holds the joints of all bodies
    const char *camera;         // name or index of one of the scene's; null: the first, or one that sees everything
    bool (*is_stopped)(void);   // whether to give up drawing
    // Reports the progress of `finish`, from 0 to 1; text is null at its end.
    void (*progress)(void *user, double fraction, const char *text);
    void *user;
} export_options;

typedef struct {
    const export_options *options;
    const sn_world *world;
    double time;              // s
    const view_model *model;  // EXPORT_FRAMES and EXPORT_SPOOL
    const view_frame *frame;  // the same; the latest
    const view_spool *frames; // EXPORT_SPOOL: all so far
} export_run;

typedef enum { EXPORT_WORLD, EXPORT_FRAMES, EXPORT_SPOOL } export_needs;

// All but `open` return false after a failure; `error` then says why, with the name of the file.
typedef struct {
    const char *extension;
    const char *companion; // or null: the extension of a second file that it writes
    export_needs needs;
    void *(*open)(const char *path, const export_options *options, tool_error *error); // null: failed
    bool (*write)(void *self, const export_run *run, tool_error *error);               // or null: only the end matters
    bool (*finish)(void *self, const export_run *run, tool_error *error);
    void (*abort)(void *self);
} exporter;

// The exporter for a path. Null: there is none, `error` lists the extensions.
const exporter *exporter_find(const char *path, tool_error *error);

// The path of the companion; the caller frees it. Null: the exporter has none, or out of memory.
char *exporter_companion(const exporter *format, const char *path);

// --- for exporters that write one file ---

// An output that is one file and nothing else.
typedef struct {
    atomic_file file;
} export_file;

void *export_file_open(const char *path, const export_options *options, tool_error *error);
void export_file_abort(void *self);

// Opens or commits a file; the message of a failure goes to `error`.
bool export_open(atomic_file *file, const char *path, tool_error *error);
bool export_commit(atomic_file *file, tool_error *error);

// Ends a file whose contents could not be made: removes it and returns false with "cannot write NAME: reason".
bool export_give_up(atomic_file *file, const char *reason, tool_error *error);

// Ends a file whose contents were written, or not, for lack of memory. `number` is errno after writing: a stream does
// not report later why it failed.
bool export_end(atomic_file *file, bool written, int number, tool_error *error);

// The camera that options->camera names. Null: there is none, `error` says which there are.
const camera_spec *export_find_camera(const export_options *options, tool_error *error);

extern const exporter export_glb, export_pc2, export_mdd, export_obj, export_vtp, export_pvd, export_usda, export_png,
    export_mp4;

#endif
