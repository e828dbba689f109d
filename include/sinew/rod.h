// Rods: elastic curves with a frame per segment and a radius that swells and thins so that volume is kept. A body is a
// chain of points, a tree of them, or a loop (possibly with branches).
#ifndef SINEW_ROD_H
#define SINEW_ROD_H

#include "body.h"
#include "material.h"

// How a rod is made. Start from sn_rod_def_default(). Arrays are copied.
//
// Points are numbered as given. Segment k (for the per-segment calls below) is the one between point k and its parent:
// in a chain points k - 1 and k, so segments are numbered from 1 and there is no segment 0, except in a loop where
// segment 0 closes it.
typedef struct {
    const sn_vec3 *points; // centres, metres
    int point_count;       // 2 or more; 3 or more for a loop
    const sn_real *radii;  // one per point, metres, at rest; or null
    sn_real radius;        // used where radii is null; default 0.01 m
    const int *parents;    // null: a chain. Else the point each point hangs on; one point has -1 (a tree), or exactly
                           // one cycle goes through point 0 (a loop with branches)
    bool closed;           // chain only: the last point is joined to the first
    const sn_vec3 *rest_points;   // the shape without strain, if it is not that of points; or null
    sn_real rest_twist;           // twist of the shape without strain, rad/m
    sn_material material;         // default rubber
    const sn_material *materials; // one per point (of the segment towards its parent); or null: material for all
    bool clamp_first;             // hold the position and direction of point 0 (not for loops)
    bool clamp_last;              // hold those of the last point (not for loops; a tree's last point must be a tip)
    sn_vec3 velocity;             // of every point at the start, m/s
    uint64_t label;               // yours; reported when the rod diverges
    uint32_t init_mark;           // set by sn_rod_def_default, always checked
    sn_surface surface;           // friction and the like; default sn_surface_default()
    bool collide;                 // with other bodies and shapes; default true
    bool self_collide; // also its own segments, save neighbours and those that overlap at rest; default false
} sn_rod_def;

// The defaults named above.
SN_API sn_rod_def sn_rod_def_default(void);

// Makes a rod. Mistakes: SN_ERR_DEF and a log line for every bad field, naming it; the id is then null.
SN_API sn_status sn_rod_create(sn_world *world, const sn_rod_def *def, sn_body *out);

// The parent of each point as the engine sees it (a chain: i - 1; the root: -1, or the point that closes the loop). All
// of these readers write at most 'capacity' elements and return the number of points, 0 if the id is stale.
SN_API int sn_rod_get_parents(const sn_world *world, sn_body rod, int *out, int capacity);
SN_API int sn_rod_get_scales(const sn_world *world, sn_body rod, sn_real *out, int capacity); // radius / rest radius
SN_API int sn_rod_get_radii(const sn_world *world, sn_body rod, sn_real *out, int capacity);  // m, as they are now
SN_API int sn_rod_get_frames(const sn_world *world, sn_body rod, sn_quat *out, int capacity); // of segment k at k
SN_API int sn_rod_get_scale_rates(const sn_world *world, sn_body rod, sn_real *out, int capacity); // 1/s
SN_API int sn_rod_get_spins(const sn_world *world, sn_body rod, sn_vec3 *out, int capacity); // rad/s, segment k at k

// Puts points, scales or velocities where they are told (count = the number of points); frames follow the points with
// the least turn. Not for use in every step: to lead a rod along, hold points and move them.
SN_API sn_status sn_rod_set_centres(sn_world *world, sn_body rod, const sn_vec3 *centres, int count);
SN_API sn_status sn_rod_set_velocities(sn_world *world, sn_body rod, const sn_vec3 *velocities, int count);
SN_API sn_status sn_rod_set_scales(sn_world *world, sn_body rod, const sn_real *scales, int count);
SN_API sn_status sn_rod_set_scale_rates(sn_world *world, sn_body rod, const sn_real *rates, int count); // 1/s
SN_API sn_status sn_rod_set_spins(sn_world *world, sn_body rod, const sn_vec3 *spins,
                                  int count); // rad/s, segment k at k

// What of a point is held: it then moves only by the sn_rod_move_* calls, as if of infinite mass.
typedef enum {
    SN_HOLD_NONE = 0,
    SN_HOLD_CENTRE = 1, // position of the point: a pin
    SN_HOLD_SCALE = 2,  // radius of the point
    SN_HOLD_FRAME = 4,  // rotation of segment k
    SN_HOLD_CLAMP = 8,  // direction at an end point, through a half-segment spring; only for points given as clamped
} sn_hold;

// Holds or frees; 'what' is a sum of sn_hold. A clamped end starts as SN_HOLD_CENTRE + SN_HOLD_CLAMP.
SN_API sn_status sn_rod_hold(sn_world *world, sn_body rod, int point, int what);
SN_API int sn_rod_held(const sn_world *world, sn_body rod, int point);

// Where a held thing is to be at the end of the next step; substeps move it there evenly. SN_ERR_RANGE if it is not
// held.
SN_API sn_status sn_rod_move_centre(sn_world *world, sn_body rod, int point, sn_vec3 to);
SN_API sn_status sn_rod_move_scale(sn_world *world, sn_body rod, int point, sn_real to);
SN_API sn_status sn_rod_move_frame(sn_world *world, sn_body rod, int segment, sn_quat to);
// Turns a clamped end: 'turn' is relative to the direction it had at creation, in the world.
SN_API sn_status sn_rod_move_clamp(sn_world *world, sn_body rod, int point, sn_quat turn);

// The targets that the calls above set. SN_ERR_RANGE if it is not held.
SN_API sn_status sn_rod_get_centre_target(const sn_world *world, sn_body rod, int point, sn_vec3 *out);
SN_API sn_status sn_rod_get_scale_target(const sn_world *world, sn_body rod, int point, sn_real *out);
SN_API sn_status sn_rod_get_frame_target(const sn_world *world, sn_body rod, int segment, sn_quat *out);
SN_API sn_status sn_rod_get_clamp_target(const sn_world *world, sn_body rod, int point, sn_quat *out);

// External loads; they stay until changed. Force on a point (N), torque on a segment (N m), radial force on a point:
// the sum of forces on the cross-section times their distance along it from the centre, per unit scale (N m).
SN_API sn_status sn_rod_set_force(sn_world *world, sn_body rod, int point, sn_vec3 force);
SN_API sn_status sn_rod_set_torque(sn_world *world, sn_body rod, int segment, sn_vec3 torque);
SN_API sn_status sn_rod_set_radial_force(sn_world *world, sn_body rod, int point, sn_real force);
SN_API sn_status sn_rod_get_force(const sn_world *world, sn_body rod, int point, sn_vec3 *out);
SN_API sn_status sn_rod_get_torque(const sn_world *world, sn_body rod, int segment, sn_vec3 *out);
SN_API sn_status sn_rod_get_radial_force(const sn_world *world, sn_body rod, int point, sn_real *out);

// Changes a segment while running: its stiffness (all of it) and rest length, as multiples of what it was made with
// (0 to 1000, and 0.01 to 100). The rest volume stays, so a shortened segment bulges: this is how muscles contract.
SN_API sn_status sn_rod_set_segment(sn_world *world, sn_body rod, int segment, sn_real stiffness, sn_real length);
SN_API sn_status sn_rod_get_segment(const sn_world *world, sn_body rod, int segment, sn_real *stiffness,
                                    sn_real *length);

// The materials of all points (of the segment towards the parent), and other ones from now on, count = the number of
// points. SN_ERR_DEF and a log line for each that cannot be: mass stays, so density must be what it was; volume_in_bend
// too, and scale_bend cannot become more than 0 in a rod that was made without.
SN_API int sn_rod_get_materials(const sn_world *world, sn_body rod, sn_material *out, int capacity);
SN_API sn_status sn_rod_set_materials(sn_world *world, sn_body rod, const sn_material *materials, int count);

// Length of the rod's segments now, m.
SN_API double sn_rod_length(const sn_world *world, sn_body rod);

#endif
