// Particles: balls with mass, radius and velocity under gravity, without rotation. The smallest kind of body there is: a pattern for
// new kinds, and a test that a kind is its folder and one row in each table.
//
//     particle.c         the system, stages, proxies, saving, and these calls: row of src/world/kinds.c
//     scene_particle.c   how a scene file describes it: row of tools/scene/scene_kinds.c
//     view_particle.c    how it is seen: row of tools/view/view_kinds.c
#ifndef SN_KINDS_PARTICLE_PARTICLE_H
#define SN_KINDS_PARTICLE_PARTICLE_H

#include "sinew/sinew.h"

enum { SN_KIND_PARTICLE = 64 };

// The definition of a body of particles. Start from sn_particles_def_default().
typedef struct {
    const sn_vec3 *points;     // m
    int point_count;           //
    sn_real radius;            // m; default 0.01
    sn_real density;           // kg/m^3; default 1000
    const sn_vec3 *velocities; // m/s; null: zero
    sn_surface surface;        //
    bool collide;              // default true
    bool self_collide;         // default true
    uint64_t label;
    uint32_t init_mark; // set by sn_particles_def_default, always checked
} sn_particles_def;

sn_particles_def sn_particles_def_default(void);

// Creates a body of particles. Errors in the definition: SN_ERR_DEF and a log line for every bad field.
sn_status sn_particles_create(sn_world *world, const sn_particles_def *def, sn_body *out);

// The radius of a body's particles, m; 0: no such body.
sn_real sn_particles_radius(const sn_world *world, sn_body body);

// Adds an impulse (N s) to a particle.
sn_status sn_particles_add_impulse(sn_world *world, sn_body body, int point, sn_vec3 impulse);

#endif
