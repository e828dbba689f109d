// Films: pictures piped into ffmpeg, which encodes them as MP4 (H.264).
#ifndef SN_RENDER_FILM_H
#define SN_RENDER_FILM_H

#include "mesh/error.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct film film;

// Whether ffmpeg is installed. False: 'error' says what to do.
bool film_possible(tool_error *error);

// Starts ffmpeg, which overwrites 'file'. Pictures are width * height RGB pixels. Null: the error is set.
film *film_start(const char *file, int width, int height, double fps, tool_error *error);

// Adds a picture. False: ffmpeg has exited; film_finish returns the reason.
bool film_add(film *f, const unsigned char *pixels);

// Waits for ffmpeg and frees the film. False: 'error' holds ffmpeg's message, and the caller removes the file.
bool film_finish(film *f, tool_error *error);

// Kills ffmpeg and frees the film. Null is allowed.
void film_abort(film *f);

#endif
