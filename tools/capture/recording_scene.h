// Recordings of scenes: what a world that was built from a scene looks like.
#ifndef SN_CAPTURE_RECORDING_SCENE_H
#define SN_CAPTURE_RECORDING_SCENE_H

#include "scene/scene.h"
#include "view/poses.h"
#include "view/recording.h"
#include "view/surfaces.h"

typedef struct scene_recorder scene_recorder;

// Takes shapes, bodies and planes of a world as it stands at the start. Muscles and models of the zoo get their skins,
// if wanted.
// Null: 'why' says why. The scene must outlive it; the recording is the recorder's.
scene_recorder *scene_recorder_new(const sn_scene *scene, const sn_world *world, bool skins, char why[256]);

// The same with skins, and besides them with the rods that muscles are made of: these can be taken hold of.
scene_recorder *scene_recorder_new_with_rods(const sn_scene *scene, const sn_world *world, char why[256]);

// Takes one frame. False: no memory, or the frames of bodies that deform would take too much (RECORDING_MOST_BYTES).
bool scene_recorder_add(scene_recorder *recorder, const sn_world *world, double t);

const recording *scene_recorder_take(const scene_recorder *recorder);

// What the bodies are: the first ones are the rods, chains and muscles of 'poses', in order; the next ones shapes that
// move; the last ones surfaces, null past the end.
const live_poses *scene_recorder_poses(const scene_recorder *recorder);
const sn_body *scene_recorder_moving(const scene_recorder *recorder, int *count);
const live_surface *scene_recorder_surface(const scene_recorder *recorder, int i);

// Whether a body is a rod of a muscle that is shown with its skin too.
bool scene_recorder_covered(const scene_recorder *recorder, int body);

// Null is fine.
void scene_recorder_free(scene_recorder *recorder);

#endif
