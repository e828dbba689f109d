// Harmonic fields: as smooth as can be between vertices where they are given.
#ifndef SN_FIELDS_HARMONIC_H
#define SN_FIELDS_HARMONIC_H

#include "mesh/error.h"
#include "tets/tet_mesh.h"

// What is given: a list of vertices and the field's values there.
typedef struct {
    const int *vertex;
    const double *value;
    int count;
} sn_dirichlet_values;

// The harmonic field in a body, or on a surface, with given values: 'out' gets a value for each vertex, from the least
// to the largest given up to what obtuse angles do. Every piece needs a given vertex; vertices that belong to nothing
// get 0. False: 'why' says why.
bool sn_harmonic_tets(const sn_tet_mesh *mesh, const sn_dirichlet_values *given, double *out, tool_error *error);
bool sn_harmonic_surface(const sn_mesh *mesh, const sn_dirichlet_values *given, double *out, tool_error *error);

// The field between two sets: 0 on the source, 1 on the sink, and never beyond. Every piece needs both.
bool sn_harmonic_between(const sn_tet_mesh *mesh, const int *source, int source_count, const int *sink, int sink_count,
                         double *out, tool_error *error);

#endif
