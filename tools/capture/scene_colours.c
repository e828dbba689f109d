// See scene_colours.h.
#include "capture/scene_colours.h"
#include "scene/random.h"
#include "scene/scene_character.h"
#include "scene/scene_muscle.h"
#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

// Corals, ambers, greens and blues.
static const float palette[][3] = {
    {0.84f, 0.18f, 0.12f}, {0.05f, 0.37f, 0.42f}, {0.92f, 0.50f, 0.10f}, {0.14f, 0.18f, 0.52f}, {0.78f, 0.22f, 0.34f},
    {0.16f, 0.48f, 0.24f}, {0.90f, 0.66f, 0.22f}, {0.34f, 0.16f, 0.46f}, {0.10f, 0.46f, 0.66f}, {0.80f, 0.36f, 0.24f},
};
static const float stone[3] = {0.52f, 0.50f, 0.47f};
static const float ivory[3] = {0.80f, 0.74f, 0.60f};
static const float flesh[][3] = {
    {0.56f, 0.075f, 0.055f},
    {0.66f, 0.125f, 0.085f},
    {0.47f, 0.055f, 0.05f},
    {0.60f, 0.16f, 0.12f},
};
static const float skin_tones[][3] = {
    {0.62f, 0.44f, 0.34f},
    {0.42f, 0.27f, 0.19f},
    {0.70f, 0.52f, 0.42f},
    {0.30f, 0.18f, 0.12f},
};

void colour_of_muscle(int index, float out[3]) {
    memcpy(out, flesh[index % COUNT(flesh)], sizeof *flesh);
}

void colour_of_rigid(bool bone, float out[3]) {
    memcpy(out, bone ? ivory : stone, sizeof stone);
}

// In scenes with few entries copies have different colours. Many entries are usually rows or groups, and have one
// colour each.
void colour_of_body(const sn_scene *scene, int entry, int index, float out[3]) {
    if (entry >= 0 && scene_character_of(&scene->bodies[entry])) {
        memcpy(out, skin_tones[index % COUNT(skin_tones)], sizeof *skin_tones);
        return;
    }
    if (entry >= 0 && scene_muscle_of(&scene->bodies[entry])) {
        colour_of_muscle(entry, out);
        return;
    }
    int which = entry >= 0 && scene->spec.bodies.count > 5 ? entry : index;
    if (which >= COUNT(palette)) { // random after the first few, to avoid stripes in grids
        random_stream stream = random_start(7, (uint64_t)which);
        which = (int)(random_next(&stream) % (uint64_t)COUNT(palette));
    }
    memcpy(out, palette[which % COUNT(palette)], sizeof *palette);
}
