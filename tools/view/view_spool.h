// The frames of a run in a temporary file, for exporters that have to read them more than once. Memory does not grow
// with the run, except for the time of each frame.
//
// The file has no name: it lies beside the output, on the same disk, and disappears when it is closed, also after a
// crash. A frame is its poses, then its vertices, in the byte order of the machine:
//
//     frame 0: joint_pose[joint_count], float[vertex_count][3]    frame 1: ...
#ifndef SN_VIEW_VIEW_SPOOL_H
#define SN_VIEW_VIEW_SPOOL_H

#include "view/view_model.h"
#include <stdio.h>

typedef struct view_spool view_spool;

// Opens a spool for frames of the model beside the file `path`; null, or where nothing can be created: in the system's
// folder for temporary files. Null: errno is set.
view_spool *view_spool_create(const view_model *model, const char *path);
void view_spool_free(view_spool *spool);

// Opens another spool at the same place.
view_spool *view_spool_create_like(const view_spool *spool, const view_model *model);

// Appends a frame. False: errno is set.
bool view_spool_write(view_spool *spool, const view_frame *frame);

int view_spool_count(const view_spool *spool);
const double *view_spool_times(const view_spool *spool); // s; one per frame

// Reads a frame back. These are false if the file cannot be read; errno is set.
bool view_spool_read(const view_spool *spool, int index, view_frame *out);

// Reads joints or vertices [first, first + count) of a frame.
bool view_spool_read_poses(const view_spool *spool, int index, int first, int count, joint_pose *out);
bool view_spool_read_vertices(const view_spool *spool, int index, int first, int count, float (*out)[3]);

// Reads the tracks of joints [first, first + count): all frames of the first joint, then all of the next.
bool view_spool_read_tracks(const view_spool *spool, int first, int count, joint_pose *out);

// How many tracks view_spool_read_tracks should read at once, so that they take 8 MB or are one.
int view_spool_tracks_at_once(const view_spool *spool);

// Another file without a name at the same place, opened for writing and reading. Null: errno is set.
FILE *view_spool_scratch(const view_spool *spool);

// Appends all of a scratch file to a stream. False: it cannot be read, or out of memory;
// errors of `out` are left to its owner.
bool scratch_file_copy(FILE *scratch, FILE *out);

#endif
