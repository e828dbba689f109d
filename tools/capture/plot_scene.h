// What a run of a scene was like over time, as a chart: energy, volume and penetration, of all bodies together or of each
// where the scene asks for it.
#ifndef SN_CAPTURE_PLOT_SCENE_H
#define SN_CAPTURE_PLOT_SCENE_H

#include "scene/scene.h"
#include <stdio.h>

typedef struct scene_plot scene_plot;

// For a run of 'steps' steps. Null: out of memory. The scene must outlive it.
scene_plot *scene_plot_new(const sn_scene *scene, int64_t steps);
void scene_plot_free(scene_plot *plot);

// Takes the world as it is at time t; the penetration (sn_world_penetration) is the caller's, who has it already.
void scene_plot_add(scene_plot *plot, const sn_world *world, double t, double penetration);

// Writes the SVG of everything taken so far.
void scene_plot_write(FILE *out, scene_plot *plot);

#endif
