// Windows: films are not written there yet. See film.h.
#include "render/film.h"

bool film_possible(tool_error *error) {
    return tool_error_set(error, "films are not written on Windows; write .png or .glb");
}

film *film_start(const char *file, int width, int height, double fps, tool_error *error) {
    (void)file, (void)width, (void)height, (void)fps;
    film_possible(error);
    return NULL;
}

bool film_add(film *f, const unsigned char *pixels) {
    (void)f, (void)pixels;
    return false;
}

bool film_finish(film *f, tool_error *error) {
    (void)f;
    return film_possible(error);
}

void film_abort(film *f) {
    (void)f;
}
