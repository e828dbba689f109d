// A world under measurement, and short calls to fill it.
#ifndef SN_COUPLING_RUN_H
#define SN_COUPLING_RUN_H

#include "coupling.h"
#include "sinew/tools/scene.h"
#include <math.h>

// Bars of what every case measures; 0: only measured.
typedef struct {
    double energy; // energy made over the scale
    double volume; // largest change of a body's volume over its volume at rest
    double
        impact;  // largest overlap over the smaller radius, at any time; not counted is what overlaps from the start on
    double rest; // the same in the last tenth of the time
    double speed; // of the fastest point at the end, m/s
} coupling_bars;

typedef struct coupling_run coupling_run;
typedef void coupling_hook(coupling_run *run);

struct coupling_run {
    sn_world *world;
    coupling_result *result;
    const coupling_settings *settings;
    sn_scene *scene; // steps the world by itself; or null
    double dt;       // s; default 1/60
    int substeps;    // default the settings'
    double duration; // s; default 5
    double scale;    // J: what energy made is compared with
    coupling_bars bars;
    coupling_hook *before; // a step: moves what is driven; or null
    coupling_hook *after;  // a step: adds to 'work', measures; or null
    void *user;
    bool failed; // something could not be created; it was said on stderr

    int step;    // steps done
    double time; // s, at the end of them
    double work; // J, done so far on the world from outside (at most, where the calls do not say more)
    bool finite; // until now

    double energy_start, energy_low; // J; low: of energy minus work
    double made, rise;               // J, largest so far: above the start, above an earlier low
    double volume_min, volume_max;   // over the volume at rest
    double volume_end;               // largest change of a body's, now
    double overlap;                  // over the smaller radius, before the first step
    bool separated;                  // since then nothing overlapped by more than a hundredth
    double impact, rest;             // largest overlap: since it was separated (or ever), at the end
    double speed;                    // m/s, of the fastest point
    int diverged;                    // steps that reset a body
    double *step_ms;
};

// Creates the world with the defaults. The caller fills it, then runs it.
void coupling_begin(coupling_run *run, const coupling_settings *settings, coupling_result *result);

// Replaces the world by that of a scene file, which then steps itself: with so many substeps, whatever it says; 0: the default. Returns
// false if there is no such file; a file with errors sets run->failed.
bool coupling_load(coupling_run *run, const char *path, int substeps);

// Steps for the duration, measures, and adds the figures to the result. Stops early when the energy is 1e6 times the scale, when
// something is not finite, and when its processor time is over. The world stays for further readings.
void coupling_simulate(coupling_run *run);

// Destroys the world.
void coupling_end(coupling_run *run);

// ---- filling a world

static inline sn_vec3 vec(double x, double y, double z) {
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

// A material as in a scene file that gives no more than these: Poisson's ratio 0.49.
sn_material coupling_material(double young, double density);

// The definition of a straight rod, whose points are written to 'points' (segments + 1).
sn_rod_def coupling_line_def(sn_vec3 *points, sn_vec3 from, sn_vec3 to, int segments, double radius,
                             sn_material material);

// Creates a rod; a null body, and run->failed, if that does not work.
sn_body coupling_rod(coupling_run *run, const sn_rod_def *def);
sn_body coupling_line(coupling_run *run, sn_vec3 from, sn_vec3 to, int segments, double radius, sn_material material);

// A straight rod of a mass, whatever the engine counts as its volume: its density follows.
sn_body coupling_weight(coupling_run *run, sn_vec3 from, sn_vec3 to, int segments, double radius, double young,
                        double mass);

// A static or kinematic box; a plane at a height.
sn_body coupling_box(coupling_run *run, sn_vec3 position, sn_vec3 half);
sn_body coupling_floor(coupling_run *run, double y);

// Joints between points of chains, which are pulled together; to space: where the point is now, or elsewhere.
sn_joint coupling_join(coupling_run *run, sn_body a, int point_a, sn_body b, int point_b);
sn_joint coupling_pin(coupling_run *run, sn_body a, int point);
sn_joint coupling_pin_at(coupling_run *run, sn_body a, int point, sn_vec3 position);

// ---- readings

double coupling_energy(const sn_world *world);
sn_vec3 coupling_point(const sn_world *world, sn_body body, int point);
sn_vec3 coupling_velocity(const sn_world *world, sn_body body); // of the centre of mass
double coupling_total_mass(const sn_world *world);

// The work that contacts with a moving rigid body did in this step at most: normal force and friction, times the speed of its
// surface there. 'velocity' and 'spin' (rad/s, about 'centre') are those of the step.
double coupling_rigid_work(const coupling_run *run, sn_body rigid, sn_vec3 centre, sn_vec3 velocity, sn_vec3 spin);

// Uniform numbers in [0, 1).
double coupling_random(uint64_t *state);

// ---- elastic answers

// The stretch (length over rest length) of a rod with free sides under a tension (N): the minimum over the scale s of
//     A/2 [young (x - 1)^2 + 2 shear (s - 1)^2 + volume (x s^2 - 1)^2] - tension x
double coupling_stretch(const sn_material *material, double radius, double tension);

#endif
