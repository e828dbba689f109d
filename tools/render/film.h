// Films: pictures piped into ffmpeg, which makes an MP4 (H.264) of them.
#ifndef SN_RENDER_FILM_H
#define SN_RENDER_FILM_H

#include "mesh/error.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct film film;

// Whether ffmpeg is there to be called; else 'why' says what to do.
bool film_possible(tool_error *error);

// Starts ffmpeg, which writes over 'file'. Pictures have width * height pixels of red, green and blue. Null: 'why'
// says why.
film *film_start(const char *file, int width, int height, double fps, tool_error *error);

// One picture. False: ffmpeg has ended, film_finish says why.
bool film_add(film *f, const unsigned char *pixels);

// Waits for ffmpeg and frees the film. False: 'why' says why, in ffmpeg's words. What it wrote is the caller's to
// remove.
bool film_finish(film *f, tool_error *error);

// Ends ffmpeg and frees the film. Null is fine.
void film_abort(film *f);

#endif
