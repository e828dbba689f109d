// Bodies: one handle for every kind, and the calls that all kinds share.
//
// A body is created by the call of its kind (sn_rod_create, sn_springs_create, sn_elastic_create,
// sn_implicit_muscles_create, sn_rigid_create). Calls particular to a kind take the same handle and return
// SN_ERR_KIND for a body of another kind.
#ifndef SINEW_BODY_H
#define SINEW_BODY_H

#include "surface.h"
#include "world.h"

// The kinds of bodies. A kind that the library was built without has no bodies.
typedef enum {
    SN_KIND_NONE = 0,
    SN_KIND_ROD = 1,             // rod.h
    SN_KIND_SPRING = 2,          // spring.h
    SN_KIND_ELASTIC = 3,         // elastic.h
    SN_KIND_IMPLICIT_MUSCLE = 4, // implicit_muscle.h: the muscles and bones of one character
    SN_KIND_RIGID = 5,           // rigid.h
} sn_kind;

// A body in a world. All zero means none. A handle is stale once its body is destroyed; every call checks that.
typedef struct {
    uint32_t kind, slot1, gen;
} sn_body;

// The name of a kind, such as "rod"; null if the library has no such kind.
SN_API const char *sn_kind_name(uint32_t kind);

// Returns whether the body exists.
SN_API bool sn_body_exists(const sn_world *world, sn_body body);

// Destroys a body, with the joints and bundles that hold it. Its handle is stale from then on.
SN_API sn_status sn_body_destroy(sn_world *world, sn_body body);

// The label given at creation; 0 if the handle is stale.
SN_API uint64_t sn_body_label(const sn_world *world, sn_body body);
SN_API sn_status sn_body_set_label(sn_world *world, sn_body body, uint64_t label);

// The user pointer: null at first, not saved, never used by the engine.
SN_API void *sn_body_user(const sn_world *world, sn_body body);
SN_API sn_status sn_body_set_user(sn_world *world, sn_body body, void *user);

// Iterates: all bodies kind by kind in order of slots, or those of one kind. The i-th body is null out of range.
SN_API int sn_world_body_count(const sn_world *world);
SN_API sn_body sn_world_body_at(const sn_world *world, int i);
SN_API int sn_world_kind_count(const sn_world *world, uint32_t kind);
SN_API sn_body sn_world_kind_at(const sn_world *world, uint32_t kind, int i);

// The points of a body: the points of a rod or a mass-spring body, the medial spheres of an elastic body, the joint points of
// implicit muscles (both ends of every bone's pill, then the axis of every muscle), the position of a rigid body. The
// getters write at most 'capacity' elements and return how many there are; 0 if the handle is stale.
SN_API int sn_body_point_count(const sn_world *world, sn_body body);
SN_API int sn_body_get_points(const sn_world *world, sn_body body, sn_vec3 *out, int capacity);     // m
SN_API int sn_body_get_velocities(const sn_world *world, sn_body body, sn_vec3 *out, int capacity); // m/s
SN_API int sn_body_get_masses(const sn_world *world, sn_body body, sn_real *out, int capacity);     // kg, 0: held

// The mass of the whole body, kg; 0 if the handle is stale or the mass is infinite.
SN_API double sn_body_mass(const sn_world *world, sn_body body);

// Volume now and at rest, m^3. Rods: length times the cross-section at the middle of each segment, without the round
// ends unless the rod has end_caps. Mass-spring bodies: their tetrahedra, or the volume their triangles enclose. Elastic bodies: their tetrahedra.
SN_API double sn_body_volume(const sn_world *world, sn_body body);
SN_API double sn_body_rest_volume(const sn_world *world, sn_body body);

// Energy, J; gravity's potential is zero at the origin.
SN_API sn_energy sn_body_energy(const sn_world *world, sn_body body);

// The box around the body's points, grown by their radii. Empty (min > max) if the handle is stale; infinite for a plane.
SN_API sn_box3 sn_body_bounds(const sn_world *world, sn_body body);

// The collision settings of a body: its surface, whether it collides, and whether it collides with itself (never for rigid
// bodies). Each pointer of the getter may be null.
SN_API sn_status sn_body_set_contact(sn_world *world, sn_body body, const sn_surface *surface, bool collide,
                                     bool self_collide);
SN_API sn_status sn_body_get_contact(const sn_world *world, sn_body body, sn_surface *surface, bool *collide,
                                     bool *self_collide);

// The surface alone.
SN_API sn_status sn_body_set_surface(sn_world *world, sn_body body, const sn_surface *surface);
SN_API sn_status sn_body_get_surface(const sn_world *world, sn_body body, sn_surface *surface);

// Wakes a body. A sleeping body keeps its state and is not simulated until something wakes it.
SN_API sn_status sn_body_wake(sn_world *world, sn_body body);
SN_API bool sn_body_asleep(const sn_world *world, sn_body body);

#endif
