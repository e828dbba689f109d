// A chart of a run over time: energy, volume and penetration, summed over all bodies or, if the scene asks for it, of
// each body.
#ifndef SN_CAPTURE_PLOT_SCENE_H
#define SN_CAPTURE_PLOT_SCENE_H

#include "scene/scene.h"
#include <stdio.h>

typedef struct scene_plot scene_plot;

// For a run of `steps` steps of a world that was just built. Null: out of memory. The scene must outlive it.
scene_plot *scene_plot_new(const sn_scene *scene, const sn_world *world, int64_t steps);
void scene_plot_free(scene_plot *plot);

// Adds the world at time t. The caller passes sn_world_penetration, which it has already computed.
void scene_plot_add(scene_plot *plot, const sn_world *world, double t, double penetration);

// Writes the chart of everything added so far as SVG.
void scene_plot_write(FILE *out, scene_plot *plot);

#endif
