// How each kind of body is drawn: one row per kind. Exports, pictures and pages know only this table.
//
// To add a kind: write tools/view/view_KIND.c, which defines `const view_kind view_KIND`, and add KIND to the list in
// view_kinds.c.
//
// The form says what is drawn:
//   VIEW_PILLS    pills between the points, which form a tree or a loop. Each point is a joint, with an orientation
//   VIEW_SURFACE  triangles between the points, or between points embedded in the body's tetrahedra; pills along its
//                 lines, if it has no triangles (see view_chain)
//   VIEW_COVERED  a skin of the scene; the tubes below it are drawn only on request
//   VIEW_RIGID    a mesh of the scene, at the body's pose
#ifndef SN_VIEW_VIEW_KINDS_H
#define SN_VIEW_VIEW_KINDS_H

#include "sinew/sinew.h"

// Points of each ring of a tube.
enum { VIEW_TUBE_SIDES = 10 };

typedef enum { VIEW_PILLS, VIEW_SURFACE, VIEW_COVERED, VIEW_RIGID } view_form;

typedef struct view_joints view_joints; // see view_joints.h

// What sliders do to settings: factors, but `damping` (1/s) is added. A kind uses those that it has.
typedef struct {
    float stiffness, volume, damping, friction;
} view_factors;

// Readers write at most `capacity` elements and return how many there are, 0 if the body is gone. A row has the functions
// of its form, unless the comment permits null. Some are only for files: see VIEW_FOR_FILES.
typedef struct {
    uint32_t kind; // of sn_body
    view_form form;

    // Pills and surfaces. `scales` may be null: they are 1.
    int (*points)(const sn_world *world, sn_body body, sn_vec3 *out, int capacity);
    int (*radii)(const sn_world *world, sn_body body, sn_real *out, int capacity);  // half the thickness at each point
    int (*scales)(const sn_world *world, sn_body body, sn_real *out, int capacity); // radius over that at rest
    bool (*is_solid)(const sn_world *world, sn_body body);                          // whether it has a volume

    // Pills: the point before each point, or -1, and the poses of joints.
    int (*parents)(const sn_world *world, sn_body body, int *out, int capacity);
    const view_joints *joints;

    // Surfaces. Null: there are none.
    int (*triangles)(const sn_world *world, sn_body body, int32_t (*out)[3], int capacity);
    // A line from a point to itself is a ball.
    int (*lines)(const sn_world *world, sn_body body, int32_t (*out)[2], int capacity);

    // Tubes under a skin: rings of VIEW_TUBE_SIDES points from one end to the other.
    int (*tube_count)(const sn_world *world, sn_body body);
    int (*tube_points)(const sn_world *world, sn_body body, int tube, sn_vec3 *out, int capacity);
    double (*tube_volume)(const sn_world *world, sn_body body, int tube); // m^3
    double (*tube_penetration)(const sn_world *world, sn_body body);      // the largest penetration of a bone, m

    // Rigid bodies.
    sn_status (*pose)(const sn_world *world, sn_body body, sn_vec3 *position, sn_quat *rotation);

    // Its length, m. Null: it has none.
    double (*length)(const sn_world *world, sn_body body);

    // For hands and sliders of pages; or null. copy_settings returns a copy, which the caller frees (null: out of
    // memory); scale_settings sets it times factors. contract sets the rest length of segments, over that at rest.
    sn_status (*add_impulse)(sn_world *world, sn_body body, int point, sn_vec3 impulse); // N s
    void *(*copy_settings)(const sn_world *world, sn_body body);
    void (*scale_settings)(sn_world *world, sn_body body, const void *settings, const view_factors *factors);
    void (*contract)(sn_world *world, sn_body body, float length);
} view_kind;

// Functions that only files need. The engine of pages leaves them out (SN_VIEW_FILES is 0), to be small.
#ifndef SN_VIEW_FILES
#define SN_VIEW_FILES 1
#endif
#define VIEW_FOR_FILES(function) (SN_VIEW_FILES ? (function) : NULL)

// The row of a body. Null: there is no such kind.
const view_kind *view_kind_of(sn_body body);

// All bodies of a form, in the order of kinds.
int view_count(const sn_world *world, view_form form);
sn_body view_at(const sn_world *world, view_form form, int i);

// --- surfaces ---

// A vertex between four points.
typedef struct {
    int32_t corner[4];
    float weight[4];
} view_place;

// The vertices that are drawn of a body. One of the two lists; neither: the vertices are the body's points.
typedef struct {
    sn_body body;
    int vertex_count;
    const int32_t *points;    // the point of each vertex
    const view_place *places; // the place of each vertex
} view_surface;

// Reads the vertices. False: out of memory, or the body is gone or has other points; `out` is then unchanged.
bool view_surface_read(const sn_world *world, const view_surface *surface, float (*out)[3]);

// Whether all indices of points exist.
bool view_surface_fits(const sn_world *world, const view_surface *surface);

// The points that triangles use, in order, and the triangles with indices into them; the caller frees both. Returns the
// number of points; 0: there are no triangles; -1: out of memory.
int view_outline(const sn_world *world, sn_body body, int32_t **points, int32_t (**triangles)[3], int *triangle_count);

// A body without triangles as pills between joints: pill k connects joint k to joint parents[k], unless that is -1, and
// is a ball if that is k. A joint is at a point of the body; a point from which several lines lead down has further
// joints. The caller frees both lists. Returns the number of joints; 0: there are no lines; -1: out of memory.
int view_chain(const sn_world *world, sn_body body, int32_t **points, int32_t **parents);

#endif
