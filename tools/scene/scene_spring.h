// Spring bodies in scene files: an entry of kind "spring".
#ifndef SN_SCENE_SCENE_SPRING_H
#define SN_SCENE_SCENE_SPRING_H

#include "mesh/mesh.h"
#include "scene/scene_kinds.h"

// A line of points.
typedef struct {
    fields_head head;
    double from[3], to[3];
    int points;
    double density; // kg/m
    double stretch; // N: force over strain
} chain_spec;

// A grid of points around the origin.
typedef struct {
    fields_head head;
    double across[3], down[3]; // its sides, m
    int columns, rows;
} cloth_spec;

// The vertices and edges of a surface, perhaps with virtual shells.
typedef struct {
    fields_head head;
    const char *file; // beside the scene; or
    const char *zoo;  // a surface of the zoo
    int triangles;    // of the zoo's; 0: its default
    int shells;
    double spacing; // m; negative: inside
} net_spec;

// Tetrahedra.
typedef struct {
    fields_head head;
    const char *file; // of tetrahedra, or of a surface that is filled with them; or
    const char *zoo;  // a surface of the zoo; or
    box_spec box;
    double cell; // m, edge of the cubes that the tetrahedra are cut from
    bool skin;   // draw the surface that was filled, not the faces of tetrahedra
} solid_spec;

// Properties of cloth and nets: force per width and strain, independent of the resolution of the mesh.
typedef struct {
    fields_head head;
    double density;              // kg/m^2
    double stretch, shear, bend; // N/m
} fabric_spec;

typedef struct {
    fields_head head;
    selection_spec select;
    bool corners; // of a cloth
    vec_list box; // two corners, in the body's own coordinates
} spring_hold_spec;

typedef struct {
    fields_head head;
    selection_spec select;
    double velocity[3];
} spring_initial_spec;

// Has exactly one of chain, cloth, net and solid.
typedef struct {
    body_spec body;
    chain_spec chain;
    cloth_spec cloth;
    net_spec net;
    solid_spec solid;
    fabric_spec fabric;   // of cloth and nets
    const char *material; // of solids
    double damping;       // s: a spring's damper over its stiffness
    double drag;          // 1/s
    double radius;
    int integrator; // an sn_spring_integrator
    double tolerance;
    int iterations;
    double wind[3], air;
    double strain;
    bool keep_lengths, keep_volumes;
    int rounds;
    double penalty;
    bool naive;
    int family;
    fields_list hold; // spring_hold_spec
    double velocity[3], angular_velocity[3];
    fields_list initial; // spring_initial_spec
    surface_spec surface;
    bool collide, self_collide;
} springs_spec;

// What the copies of an entry share: the scaled body at the origin.
typedef struct spring_form {
    sn_spring_net net;
    sn_real bulk;  // Pa, of a solid's volume springs
    sn_real drag;  // 1/s, of its material
    bool *held;    // of each point
    bool encloses; // it has a volume: tetrahedra, or a closed surface
    sn_mesh skin;  // of a solid made from a surface: that surface; empty: none
} spring_form;

extern const field_table scene_spring_table;

// The fields of a body of springs, null for other kinds.
const springs_spec *scene_springs_of(const scene_body *body);

// Its form.
static inline const spring_form *scene_spring_form(const scene_body *body) {
    return body->form;
}

// Makes the form of an entry. Null: errors were listed.
spring_form *spring_form_make(sn_scene *scene, const springs_spec *spec, const json_path *path);
void spring_form_free(spring_form *form); // null is fine

// Set the stiffness of every spring of a net: see scene_spring_stiffness.c. False: out of memory.
bool spring_stiffness_chain(sn_spring_net *net, const chain_spec *chain);
bool spring_stiffness_cloth(sn_spring_net *net, const fabric_spec *fabric, const cloth_spec *cloth);
bool spring_stiffness_net(sn_spring_net *net, const fabric_spec *fabric, int surface_points, int layers);
bool spring_stiffness_solid(sn_spring_net *net, double mu, double lambda, sn_real *bulk);

extern const scene_tracks scene_spring_tracks;
extern const scene_skins scene_spring_skins;

#endif
