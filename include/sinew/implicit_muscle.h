// Implicit muscles: spindles of constant volume along an axis between two bones. They bulge, slide over bones and each other,
// and jiggle (Dynamic Implicit Muscles, Roussellet et al. 2018). One body holds the muscles of one character; you move its
// bones. sinew/implicit_skin.h is the skin over them.
#ifndef SINEW_MUSCLES_H
#define SINEW_MUSCLES_H

#include "bundle.h"

// A collider of a bone: a pill that muscles stay out of.
typedef struct {
    int bone;
    sn_vec3 ends[2];  // in the bone's frame, m
    sn_real radii[2]; // m
    sn_real flesh[2]; // thickness of what lies over it, for contacts with other bodies, m; 0: the cover alone
} sn_implicit_muscle_bone;

// The radius along a muscle: s^(alpha - 1) (1 - s)^(beta - 1), s from 0 to 1, scaled to the muscle's volume. A larger alpha
// makes it thinner towards the origin, a larger beta towards the insertion.
typedef struct {
    sn_real alpha, beta;  // 2 to 9
    sn_real eccentricity; // of the cross-section: 0 a circle, below 0.995; the long half axis lies along the normal
} sn_implicit_muscle_profile;

// The definition of a muscle. Start from sn_implicit_muscle_def_default().
typedef struct {
    int bone[2];       // bones of the origin and the insertion
    sn_vec3 end[2];    // origin and insertion, in these bones' frames, m
    sn_vec3 normal[2]; // directions of the long half axis at the ends, in the bones' frames; 0: no preference
    sn_vec3 via;       // initial waypoint of the axis in the first bone's frame, m; used if 'bowed'
    bool bowed;        //
    int points;        // on the axis, 3 to 128; default 30
    sn_implicit_muscle_profile rest;   // default 3, 3, round
    sn_implicit_muscle_profile active; // default 4, 7, round
    sn_real volume;                    // m^3
    sn_real density;                   // kg/m^3; default 1060
    sn_real hertz;                     // jiggle frequency; default 6
    sn_real damping;                   // jiggling decays as exp(-damping t / 2), 1/s; default 12
    sn_real tendon;                    // fraction of the length at either end that does not stretch; default 0.1
    sn_real friction;                  // with bones and muscles; default 0.3
    bool collide_bones;                // default true
    bool collide_muscles;              // default true
    bool in_skin;                      // stays inside the skin that covers it, if any; default true
    int group;                         // muscles of the same nonzero group do not collide with each other; default 0
} sn_implicit_muscle_def;

// Returns the defaults named above.
SN_API sn_implicit_muscle_def sn_implicit_muscle_def_default(void);

// The definition of a character's muscles. Start from sn_implicit_muscles_def_default(). Arrays are copied.
typedef struct {
    const sn_transform *poses;            // of all bones, at rest
    int bone_count;                       // 1 or more
    const sn_implicit_muscle_bone *bones; // what muscles keep out of; or null
    int collider_count;                   //
    const sn_implicit_muscle_def *muscles;
    int muscle_count;
    sn_vec3 gravity;    // m/s^2; default 0: muscles are at rest at creation
    int substeps;       // per step, independent of the world's; default 4
    int passes;         // contact passes per substep; default 2
    bool collide;       // with other bodies; these move muscles but not bones; default true
    sn_surface surface; // default sn_surface_default()
    sn_real cover;      // thickness of skin and fat over bones and muscles in contacts with other bodies, m; default 0
    uint64_t label;     // yours; reported when a muscle diverges
    uint32_t init_mark; // set by sn_implicit_muscles_def_default, always checked
} sn_implicit_muscles_def;

// Returns the defaults named above.
SN_API sn_implicit_muscles_def sn_implicit_muscles_def_default(void);

// Creates the muscles, at rest between their ends. Errors in the definition: SN_ERR_DEF and a log line for every bad field of
// every muscle; *out is then null.
SN_API sn_status sn_implicit_muscles_create(sn_world *world, const sn_implicit_muscles_def *def, sn_body *out);

// The number of muscles and of bones; 0 if the handle is stale.
SN_API int sn_implicit_muscles_count(const sn_world *world, sn_body muscles);
SN_API int sn_implicit_muscles_bone_count(const sn_world *world, sn_body muscles);

// Sets the poses of all bones at the end of the next step; substeps move them there evenly.
SN_API sn_status sn_implicit_muscles_move(sn_world *world, sn_body muscles, const sn_transform *poses, int count);

// The same for one bone.
SN_API sn_status sn_implicit_muscles_move_bone(sn_world *world, sn_body muscles, int bone, const sn_transform *pose);

// Teleports the bones, and the muscles with them, without velocity.
SN_API sn_status sn_implicit_muscles_put(sn_world *world, sn_body muscles, const sn_transform *poses, int count);

// Writes at most 'capacity' poses of bones and returns how many there are.
SN_API int sn_implicit_muscles_get_poses(const sn_world *world, sn_body muscles, sn_transform *out, int capacity);

// Writes at most 'capacity' poses that the bones have at the end of the next step, and returns how many there are.
SN_API int sn_implicit_muscles_get_targets(const sn_world *world, sn_body muscles, sn_transform *out, int capacity);

// The animated parameters of a muscle.
typedef struct {
    sn_real activation;   // 0 to 1
    sn_real exaggeration; // factor of its width, above 0; 1 preserves the volume
    sn_real eccentricity; // below 0: that of its profiles
} sn_implicit_muscle_keys;

// The keys; a change takes effect in the next step. SN_ERR_RANGE: no such muscle, or a key out of range.
SN_API sn_status sn_implicit_muscles_set_keys(sn_world *world, sn_body muscles, int muscle,
                                              const sn_implicit_muscle_keys *keys);
SN_API sn_status sn_implicit_muscles_get_keys(const sn_world *world, sn_body muscles, int muscle,
                                              sn_implicit_muscle_keys *out);

// The definition of a muscle. A change must keep the number of points and the bones. Allocates nothing, so it may be changed
// every step.
SN_API sn_status sn_implicit_muscles_set_muscle(sn_world *world, sn_body muscles, int muscle,
                                                const sn_implicit_muscle_def *def);
SN_API sn_status sn_implicit_muscles_get_muscle(const sn_world *world, sn_body muscles, int muscle,
                                                sn_implicit_muscle_def *out);

// Drives a muscle by a bundle of rods: after each step its axis and radii are those of the bundle's cross-sections, for other
// muscles and skins too. A null bundle, or destroying the bundle, makes the muscle move by itself again. SN_ERR_RANGE: no
// such muscle, or the bundle has fewer than 2 or more than 128 cross-sections.
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

// The volume of a muscle, from its axis and radii, m^3.
SN_API double sn_implicit_muscles_volume(const sn_world *world, sn_body muscles, int muscle);

// The signed distance of a point to a muscle's surface, negative inside, m; and its gradient, which may be null.
SN_API sn_real sn_implicit_muscles_field(const sn_world *world, sn_body muscles, int muscle, sn_vec3 point,
                                         sn_vec3 *gradient);

// The largest penetration of a muscle's points into a bone after the last step, m.
SN_API sn_real sn_implicit_muscles_penetration(const sn_world *world, sn_body muscles);

#endif
