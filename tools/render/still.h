// A recording's first frame as files: a picture, or a .glb to look at.
#ifndef SN_RENDER_STILL_H
#define SN_RENDER_STILL_H

#include "render/render.h"

// Files are whole or not there. False: 'why' says why.
bool still_write_glb(const char *name, const recording *view, const char *title, char why[256]);
bool still_write_picture(const char *name, const recording *view, const render_settings *settings, char why[256]);

#endif
