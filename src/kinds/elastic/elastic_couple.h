// What an elastic body keeps for the common solve: see elastic_couple.c.
#ifndef SN_KINDS_ELASTIC_ELASTIC_COUPLE_H
#define SN_KINDS_ELASTIC_ELASTIC_COUPLE_H

#include "kinds/elastic/elastic_body.h"

enum { SN_ELASTIC_COUPLE_VECTORS = 11 };
enum { SN_ELASTIC_MAX_ROWS = 160 }; // of contacts in M: they are factored as a dense matrix

typedef struct sn_elastic_stiffness {
    int node, half; // half: where its contact node is among those that are in M
    double k, direction[3];
    double rotation[3]; // Y^T j
    double part;        // scratch of a solve
} sn_elastic_stiffness;

typedef struct sn_elastic_coupling {
    bool active;    // takes part in the running substep
    bool evaluated; // x and force of the body are those of q
    sn_real *vectors;
    double energy, trial_energy;   // of q and of the trial state
    sn_real trial_share;           // of the step; below 0: there is none
    double moved[3];               // volume times the way of the centre of mass that couplings moved it
    double spin_inverse[3][3];     // S^-1
    double rotation_inverse[3][3]; // (Z^T A_s Z)^-1
    double *stiff_rotation;        // A_s y, by row of A
    // What M knows of contacts: row k has stiffness k along 'direction' of contact node 'node' (counted from the body's first).
    struct sn_elastic_stiffness *stiff;
    int stiff_count, stiff_capacity;
    double *compliance; // of contact nodes with each other: u_i A^-1 u_j
    int compliance_capacity;
    sn_real *half;                                   // L^-1 u of each, without zeros
    int half_capacity, *half_row, half_row_capacity; // half_row: where the numbers of 'half' are
    int half_end[SN_ELASTIC_MAX_ROWS];
    int half_count, half_node[SN_ELASTIC_MAX_ROWS]; // the contact nodes that are in M
    int *half_of, half_of_capacity;                 // by contact node; -1: it is not
    double motion[3];                               // scratch of a solve
    double *factor;                                 // of K^-1 + J M^-1 J^T, lower triangle by rows
    int factor_capacity;
    // The rows of contact nodes, in their order.
    int row_count, row_capacity, column_capacity, value_capacity;
    int *row_end;
    sn_elastic_point_row entries;
} sn_elastic_coupling;

sn_elastic_coupling *sn_elastic_coupling_create(sn_memory *memory, const sn_elastic_space *space);
void sn_elastic_coupling_free(sn_memory *memory, const sn_elastic_space *space, sn_elastic_coupling *coupling);

#endif
