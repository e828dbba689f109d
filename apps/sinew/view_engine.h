// The engine's thread, which owns the session that pages watch and advances it in real time.
#ifndef SN_APP_VIEW_ENGINE_H
#define SN_APP_VIEW_ENGINE_H

#include "view_scenes.h"
#include "view_session.h"

typedef struct view_engine view_engine;

// Opens a scene and starts the thread. Null: the error is set. The thread ends after view_session_close.
view_engine *engine_start(view_session *view, view_scenes *scenes, const char *scene, int workers, tool_error *error);
void engine_join(view_engine *engine);

#endif
