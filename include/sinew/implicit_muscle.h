// Implicit muscles: spindles of constant volume swept along lines between two bones, that bulge, slide over bones and
// each other, and jiggle (Dynamic Implicit Muscles, Roussellet et al. 2018). A set of them moves on the bones of one
// character, which you move; a skin over them is sinew/implicit_skin.h.
#ifndef SINEW_MUSCLES_H
#define SINEW_MUSCLES_H

#include "bundle.h"

// What muscles keep out of: a pill that goes with a bone.
typedef struct {
    int bone;
    sn_vec3 ends[2];  // in the bone's coordinates, m
    sn_real radii[2]; // m
} sn_implicit_muscle_bone;

// How thick a muscle is along its length: s^(alpha - 1) (1 - s)^(beta - 1), s from 0 to 1, scaled so that the volume is
// what was asked for. Larger alpha: thin for longer from the origin on; larger beta: from the insertion on.
typedef struct {
    sn_real alpha, beta;  // 2 to 9
    sn_real eccentricity; // of the cross-section: 0 a circle, below 0.995; the long half axis lies along the normal
} sn_implicit_muscle_profile;

// What a muscle is. Start from sn_implicit_muscle_def_default().
typedef struct {
    int bone[2];       // that the origin and the insertion are on
    sn_vec3 end[2];    // where, in the bones' coordinates, m
    sn_vec3 normal[2]; // directions of the long half axis there, in the bones' coordinates; 0: none is preferred
    sn_vec3 via;       // how the axis starts: by this place (in the coordinates of the first bone), if 'bowed'
    bool bowed;        //
    int points;        // of the axis, 3 to 128; default 30
    sn_implicit_muscle_profile rest;   // default 3, 3, round
    sn_implicit_muscle_profile active; // default 4, 7, round
    sn_real volume;                    // m^3
    sn_real density;                   // kg/m^3; default 1060
    sn_real hertz;                     // it jiggles so often a second; default 6
    sn_real damping;                   // jiggling dies down as exp(-damping t / 2), 1/s; default 12
    sn_real tendon;                    // part of the length at either end that does not stretch; default 0.1
    sn_real friction;                  // on bones and muscles; default 0.3
    bool touch_bones;                  // default true
    bool touch_muscles;                // default true
    bool in_skin;                      // stays inside of the skin that was bound to it, if one was; default true
    int group; // muscles of the same group, but 0, pass through each other: fibres of one; default 0
} sn_implicit_muscle_def;

// The defaults named above.
SN_API sn_implicit_muscle_def sn_implicit_muscle_def_default(void);

// How the muscles of a character are made. Start from sn_implicit_muscles_def_default(). Arrays are copied.
typedef struct {
    const sn_transform *poses;            // of all bones, at rest
    int bone_count;                       // 1 or more
    const sn_implicit_muscle_bone *bones; // what muscles keep out of; or null
    int shape_count;                      //
    const sn_implicit_muscle_def *muscles;
    int muscle_count;
    sn_vec3 gravity;    // m/s^2; default 0: muscles rest as they lie at creation
    int substeps;       // of a step, whatever the world's are; default 4
    int passes;         // of contacts in a substep; default 2
    bool collide;       // with other bodies, which muscles give way to and bones do not; and shapes; default true
    sn_surface surface; // friction and the like; default sn_surface_default()
    sn_real cover;      // how thick skin and fat are over bones and muscles, for those others, m; default 0
    uint64_t label;     // yours; reported when a muscle had to be put back
    uint32_t init_mark; // set by sn_implicit_muscles_def_default, always checked
} sn_implicit_muscles_def;

// The defaults named above.
SN_API sn_implicit_muscles_def sn_implicit_muscles_def_default(void);

// Makes the muscles, at rest between their ends. Mistakes: SN_ERR_DEF and a log line for every bad field, naming the
// muscle and the field; the id is then null.
SN_API sn_status sn_implicit_muscles_create(sn_world *world, const sn_implicit_muscles_def *def, sn_body *out);

// How many muscles and bones it has; 0 if the id is stale.
SN_API int sn_implicit_muscles_count(const sn_world *world, sn_body muscles);
SN_API int sn_implicit_muscles_bone_count(const sn_world *world, sn_body muscles);

// Where all bones are to be at the end of the next step; substeps move them there evenly.
SN_API sn_status sn_implicit_muscles_move(sn_world *world, sn_body muscles, const sn_transform *poses, int count);

// The same for one of them.
SN_API sn_status sn_implicit_muscles_move_bone(sn_world *world, sn_body muscles, int bone, const sn_transform *pose);

// Puts the bones there at once, and the muscles along with them, without velocity: after a cut.
SN_API sn_status sn_implicit_muscles_put(sn_world *world, sn_body muscles, const sn_transform *poses, int count);

// Where the bones are.
SN_API int sn_implicit_muscles_get_poses(const sn_world *world, sn_body muscles, sn_transform *out, int capacity);

// Where the bones are to be at the end of the next step.
SN_API int sn_implicit_muscles_get_targets(const sn_world *world, sn_body muscles, sn_transform *out, int capacity);

// What may be changed of a muscle while it runs, from the next step on.
typedef struct {
    sn_real activation;   // 0 to 1
    sn_real exaggeration; // times its width, above 0; 1: as its volume asks
    sn_real eccentricity; // below 0: that of its shapes
} sn_implicit_muscle_keys;

// Changes these, and tells them. SN_ERR_RANGE: there is no such muscle, or a key is out of its range.
SN_API sn_status sn_implicit_muscles_set_keys(sn_world *world, sn_body muscles, int muscle,
                                              const sn_implicit_muscle_keys *keys);
SN_API sn_status sn_implicit_muscles_get_keys(const sn_world *world, sn_body muscles, int muscle,
                                              sn_implicit_muscle_keys *out);

// Changes what a muscle is like (ends, sizes, shapes, jiggling; its points and bones must stay) while it runs. Allocates
// nothing, so that it may be done every step.
SN_API sn_status sn_implicit_muscles_set_muscle(sn_world *world, sn_body muscles, int muscle,
                                                const sn_implicit_muscle_def *def);
SN_API sn_status sn_implicit_muscles_get_muscle(const sn_world *world, sn_body muscles, int muscle,
                                                sn_implicit_muscle_def *out);

// Lets a bundle of rods take a muscle's place: after each step the muscle has the bundle's cross-sections, as thick as
// the rods in them are together, and everything that looks at it, other muscles and skins, sees those. A null bundle:
// the muscle moves by itself again; so it does when the bundle is destroyed. SN_ERR_RANGE: there is no such muscle, or
// the bundle has fewer than 2 or more than 128 cross-sections.
SN_API sn_status sn_implicit_muscles_set_bundle(sn_world *world, sn_body muscles, int muscle, sn_bundle bundle);
SN_API sn_bundle sn_implicit_muscles_get_bundle(const sn_world *world, sn_body muscles, int muscle);

// The points of a muscle's axis, and its radius at each (of the circle of the same area), m. They write at most
// 'capacity' elements and return how many there are, 0 if there is no such muscle.
SN_API int sn_implicit_muscles_get_axis(const sn_world *world, sn_body muscles, int muscle, sn_vec3 *out, int capacity);
SN_API int sn_implicit_muscles_get_radii(const sn_world *world, sn_body muscles, int muscle, sn_real *out,
                                         int capacity);

// Points on its surface: around each point of the axis a ring of 'around' (3 to 1000) of them, counterclockwise as seen
// from the insertion. Writes at most 'capacity' and returns how many there are: around times the axis' points; 0 if
// there is no such muscle.
SN_API int sn_implicit_muscles_get_surface(const sn_world *world, sn_body muscles, int muscle, int around, sn_vec3 *out,
                                           int capacity);

// Volume of a muscle as its axis and radii have it, m^3.
SN_API double sn_implicit_muscles_volume(const sn_world *world, sn_body muscles, int muscle);

// Signed distance of a point to a muscle's surface, less than 0 inside, and its gradient (may be null), m.
SN_API sn_real sn_implicit_muscles_field(const sn_world *world, sn_body muscles, int muscle, sn_vec3 point,
                                         sn_vec3 *gradient);

// How deep a muscle's points are in a bone at most, after the last step, m.
SN_API sn_real sn_implicit_muscles_penetration(const sn_world *world, sn_body muscles);

#endif
