// Harmonic fields: the smoothest interpolation of given values.
#ifndef SN_FIELDS_HARMONIC_H
#define SN_FIELDS_HARMONIC_H

#include "mesh/error.h"
#include "tets/tet_mesh.h"

// Dirichlet conditions: vertices and the field's values there.
typedef struct {
    const int *vertex;
    const double *value;
    int count;
} sn_dirichlet_values;

// Computes the harmonic field with given values in a body or on a surface: a value for each vertex, between the least
// and the largest given value except for small overshoots due to obtuse angles. Every component needs a given vertex;
// isolated vertices get 0.
bool sn_harmonic_tets(const sn_tet_mesh *mesh, const sn_dirichlet_values *given, double *out, tool_error *error);
bool sn_harmonic_surface(const sn_mesh *mesh, const sn_dirichlet_values *given, double *out, tool_error *error);

// The field between two sets of vertices: 0 on the source, 1 on the sink, clamped to 0..1. Every component needs both.
bool sn_harmonic_between(const sn_tet_mesh *mesh, const int *source, int source_count, const int *sink, int sink_count,
                         double *out, tool_error *error);

#endif
