// Scenes: JSON files that describe a world and what happens in it (docs/scenes.md).
//
//     sn_scene_load      reads and checks a file
//     sn_scene_build     creates the world
//     sn_scene_step      moves what the timeline moves, then steps the world
//
// Everything in the world is reached by the calls of libsinew: sn_world_body_at iterates the bodies.
#ifndef SINEW_TOOLS_SCENE_H
#define SINEW_TOOLS_SCENE_H

#include "../body.h"
#include "types.h"

// A scene. Opaque; used by one thread at a time.
typedef struct sn_scene sn_scene;

// Reads and checks a scene. 'log' (may be null) receives a line for every error and warning, as
// "file:line:column: error: ..."; 'error' gets the first error. SN_ERR_FORMAT: the scene has errors. Files that the scene
// names are searched beside it.
SN_API sn_status sn_scene_load(const char *path, sn_log_fn *log, void *log_user, sn_scene **out, sn_error *error);

// The same for a text in memory under a name; files are searched beside that name.
SN_API sn_status sn_scene_parse(const char *name, const char *text, size_t size, sn_log_fn *log, void *log_user,
                                sn_scene **out, sn_error *error);

// Frees a scene, whose worlds must be destroyed before it; null is fine.
SN_API void sn_scene_destroy(sn_scene *scene);

// Creates the world of a scene. 'def' gives hooks, workers and lanes, the scene gives everything else; null: the defaults.
// The scene must outlive the world. The timeline belongs to the world built last. Elastic bodies that are not baked yet
// are baked, which takes seconds.
SN_API sn_status sn_scene_build(sn_scene *scene, const sn_world_def *def, sn_world **out, sn_error *error);

// Does one step of sn_scene_step_length: moves, loads, activates and releases what the timeline says, then steps the world.
// SN_WARN_DIVERGED: done, but see sn_world_diverged.
SN_API sn_status sn_scene_step(sn_scene *scene, sn_world *world, sn_error *error);

// What the file says: length of a step, s; substeps (0: sn_world_step chooses); how long the scene lasts, s, and in steps.
SN_API double sn_scene_step_length(const sn_scene *scene);
SN_API int sn_scene_substeps(const sn_scene *scene);
SN_API double sn_scene_duration(const sn_scene *scene);
SN_API int64_t sn_scene_step_count(const sn_scene *scene);

// The first body of a copy (from 0) of the entry of "bodies" with a name; null: there is none. A muscle has a body for each
// rod; they have the same label.
SN_API sn_body sn_scene_find_body(const sn_scene *scene, const sn_world *world, const char *name, int copy);

// Writes a readable name of a body, such as: rod "arm", copy 3. Returns false, with an empty text, if the body is not an
// entry of "bodies".
SN_API bool sn_scene_body_name(const sn_scene *scene, const sn_world *world, sn_body body, char *out, size_t capacity);

#endif
