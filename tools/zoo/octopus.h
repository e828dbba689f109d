// The octopus: a soft body of pills, our own design after the one in the VIPER paper.
#ifndef SN_ZOO_OCTOPUS_H
#define SN_ZOO_OCTOPUS_H

#include "mesh/mesh.h"
#include "sinew/types.h"

typedef struct {
    double size;      // scales all lengths; 1: about 4 m from arm to arm
    int arms;         // 3 to 16
    int arm_segments; // of each arm, 1 to 32
} zoo_octopus;

// Eight arms of four segments: 38 points and 38 pills.
zoo_octopus zoo_octopus_default(void);

// Number of points.
int zoo_octopus_points(const zoo_octopus *octopus);

// Fills zoo_octopus_points elements of each array. The head is a loop (parents[0] closes it) along y; the arms lie near
// the plane y = 0 with their undersides on it.
void zoo_octopus_fill(const zoo_octopus *octopus, double (*points)[3], double *radii, int *parents);

// Its skin: one closed surface around the pills, with normals and texture coordinates; about 6,200 vertices by default.
// False: no memory.
bool zoo_octopus_skin(const zoo_octopus *octopus, sn_mesh *out);

#endif
