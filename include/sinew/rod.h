// Rods: elastic curves with a frame per segment and a radius per point that changes to preserve volume. A rod is a chain of
// points, a tree of them, or a loop (possibly with branches).
#ifndef SINEW_ROD_H
#define SINEW_ROD_H

#include "body.h"
#include "material.h"

// The definition of a rod. Start from sn_rod_def_default(). Arrays are copied.
//
// Segment k joins point k to its parent: in a chain, points k - 1 and k. So segments start at 1; there is a segment 0 only in a
// loop, where it closes the loop.
typedef struct {
    const sn_vec3 *points; // centres, metres
    int point_count;       // 2 or more; 3 or more for a loop
    const sn_real *radii;  // rest radius of each point, metres; or null
    sn_real radius;        // rest radius if radii is null; default 0.01 m
    const int *parents; // parent of each point; null: a chain. One point has -1 (a tree), or exactly one cycle passes
                        // through point 0 (a loop with branches)
    bool closed;        // chain only: joins the last point to the first
    const sn_vec3 *rest_points;   // unstrained positions; null: points
    sn_real rest_twist;           // unstrained twist, rad/m
    sn_material material;         // default rubber
    const sn_material *materials; // material of each point's segment; null: material for all
    bool end_caps;      // half balls round off the ends where one segment ends; they count in mass and volume;
                        // default false
    bool clamp_first;   // hold the position and direction of point 0 (not for loops)
    bool clamp_last;    // hold those of the last point (not for loops; a tree's last point must be a leaf)
    sn_vec3 velocity;   // initial velocity of every point, m/s
    uint64_t label;     // yours; reported when the rod diverges
    uint32_t init_mark; // set by sn_rod_def_default, always checked
    sn_surface surface; // default sn_surface_default()
    bool collide;       // with other bodies; default true
    bool self_collide;  // with its own segments, except neighbours and those that overlap at rest; default false
} sn_rod_def;

// Returns the defaults named above.
SN_API sn_rod_def sn_rod_def_default(void);

// Creates a rod. Errors in the definition: SN_ERR_DEF and a log line for every bad field; *out is then null.
SN_API sn_status sn_rod_create(sn_world *world, const sn_rod_def *def, sn_body *out);

// The parent of each point (in a chain: i - 1; of the root: -1, or the point that closes the loop). These getters write at
// most 'capacity' elements and return the number of points; 0 if the handle is stale.
SN_API int sn_rod_get_parents(const sn_world *world, sn_body rod, int *out, int capacity);
SN_API int sn_rod_get_scales(const sn_world *world, sn_body rod, sn_real *out, int capacity); // radius / rest radius
SN_API int sn_rod_get_radii(const sn_world *world, sn_body rod, sn_real *out, int capacity);  // m
SN_API int sn_rod_get_frames(const sn_world *world, sn_body rod, sn_quat *out, int capacity); // index k: segment k
SN_API int sn_rod_get_scale_rates(const sn_world *world, sn_body rod, sn_real *out, int capacity); // 1/s
SN_API int sn_rod_get_spins(const sn_world *world, sn_body rod, sn_vec3 *out,
                            int capacity); // rad/s, index k: segment k

// Sets positions, velocities or scales; count = the number of points. Frames follow the points by the smallest rotation. Not
// meant for every step: to drive a rod, hold points and move them.
SN_API sn_status sn_rod_set_centres(sn_world *world, sn_body rod, const sn_vec3 *centres, int count);
SN_API sn_status sn_rod_set_velocities(sn_world *world, sn_body rod, const sn_vec3 *velocities, int count);
SN_API sn_status sn_rod_set_scales(sn_world *world, sn_body rod, const sn_real *scales, int count);
SN_API sn_status sn_rod_set_scale_rates(sn_world *world, sn_body rod, const sn_real *rates, int count); // 1/s
SN_API sn_status sn_rod_set_spins(sn_world *world, sn_body rod, const sn_vec3 *spins,
                                  int count); // rad/s, index k: segment k

// The held degrees of freedom of a point: they have infinite mass and move only by the sn_rod_move_* calls.
typedef enum {
    SN_HOLD_NONE = 0,
    SN_HOLD_CENTRE = 1, // position of the point: a pin
    SN_HOLD_SCALE = 2,  // radius of the point
    SN_HOLD_FRAME = 4,  // rotation of segment k
    SN_HOLD_CLAMP = 8,  // direction at an end point, through a half-segment spring; only for ends clamped at creation
} sn_hold;

// Sets what is held of a point: a sum of sn_hold. A clamped end starts as SN_HOLD_CENTRE + SN_HOLD_CLAMP.
SN_API sn_status sn_rod_hold(sn_world *world, sn_body rod, int point, int what);
SN_API int sn_rod_held(const sn_world *world, sn_body rod, int point);

// Sets the value of a held degree of freedom at the end of the next step; substeps move it there evenly. SN_ERR_RANGE if it is
// not held.
SN_API sn_status sn_rod_move_centre(sn_world *world, sn_body rod, int point, sn_vec3 to);
SN_API sn_status sn_rod_move_scale(sn_world *world, sn_body rod, int point, sn_real to);
SN_API sn_status sn_rod_move_frame(sn_world *world, sn_body rod, int segment, sn_quat to);
// Rotates a clamped end, relative to its direction at creation, in the world's frame.
SN_API sn_status sn_rod_move_clamp(sn_world *world, sn_body rod, int point, sn_quat rotation);

// The targets that the calls above set. SN_ERR_RANGE if it is not held.
SN_API sn_status sn_rod_get_centre_target(const sn_world *world, sn_body rod, int point, sn_vec3 *out);
SN_API sn_status sn_rod_get_scale_target(const sn_world *world, sn_body rod, int point, sn_real *out);
SN_API sn_status sn_rod_get_frame_target(const sn_world *world, sn_body rod, int segment, sn_quat *out);
SN_API sn_status sn_rod_get_clamp_target(const sn_world *world, sn_body rod, int point, sn_quat *out);

// External loads; they persist until changed. Force on a point (N), torque on a segment (N m), radial force on a point: the
// generalised force of the scale, the sum of radial forces times their distance from the centre (N m).
SN_API sn_status sn_rod_set_force(sn_world *world, sn_body rod, int point, sn_vec3 force);
SN_API sn_status sn_rod_set_torque(sn_world *world, sn_body rod, int segment, sn_vec3 torque);
SN_API sn_status sn_rod_set_radial_force(sn_world *world, sn_body rod, int point, sn_real force);
SN_API sn_status sn_rod_get_force(const sn_world *world, sn_body rod, int point, sn_vec3 *out);
SN_API sn_status sn_rod_get_torque(const sn_world *world, sn_body rod, int segment, sn_vec3 *out);
SN_API sn_status sn_rod_get_radial_force(const sn_world *world, sn_body rod, int point, sn_real *out);

// Scales a segment's stiffnesses (0 to 1000) and rest length (0.01 to 100), relative to creation. The rest volume stays, so a
// shortened segment bulges: this is how muscles contract.
SN_API sn_status sn_rod_set_segment(sn_world *world, sn_body rod, int segment, sn_real stiffness, sn_real length);
SN_API sn_status sn_rod_get_segment(const sn_world *world, sn_body rod, int segment, sn_real *stiffness,
                                    sn_real *length);

// Bends and twists the rest shape where a segment meets its parent (or its clamp), beyond that at creation: a rod curls by itself, a worm
// crawls. The curvature is a vector in the axes of the segment's frame (sn_rod_get_frames): about x and y, and the twist about z, rad/m;
// by at most 2 rad at a joint, else SN_ERR_RANGE. Where there is no joint it has no effect.
SN_API sn_status sn_rod_set_rest_curvature(sn_world *world, sn_body rod, int segment, sn_vec3 curvature);
SN_API sn_status sn_rod_get_rest_curvature(const sn_world *world, sn_body rod, int segment, sn_vec3 *out);

// The material of each point's segment; count = the number of points. The density and volume_in_bend cannot change, and
// scale_bend cannot become positive in a rod created without it: SN_ERR_DEF and a log line for every bad field.
SN_API int sn_rod_get_materials(const sn_world *world, sn_body rod, sn_material *out, int capacity);
SN_API sn_status sn_rod_set_materials(sn_world *world, sn_body rod, const sn_material *materials, int count);

// The total length of the segments now, m.
SN_API double sn_rod_length(const sn_world *world, sn_body rod);

#endif
