// Skins of recorded rods: meshes with weights of their points. False: 'why' says why.
#ifndef SN_CAPTURE_RECORDING_SKINS_H
#define SN_CAPTURE_RECORDING_SKINS_H

#include "scene/scene.h"
#include "view/recording.h"

// The octopus of the zoo, in the size that the scene gives it.
bool recorded_octopus_skin(recorded_shape *shape, const octopus_spec *spec, double scale, char why[256]);

// A mesh that the scene names, around the rod of n points as it lies before it is placed. A glTF skin that has a joint
// for each point keeps its painted weights.
bool recorded_file_skin(recorded_shape *shape, const sn_scene *scene, const char *file, const sn_vec3 *local,
                        const sn_real *radii, const int *parents, int n, double scale, char why[256]);

#endif
