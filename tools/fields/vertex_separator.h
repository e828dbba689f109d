// A graph cut in two by few of its vertices; for nested dissection.
#ifndef SN_FIELDS_VERTEX_SEPARATOR_H
#define SN_FIELDS_VERTEX_SEPARATOR_H

#include <stdbool.h>

// An undirected graph: the neighbours of vertex v are neighbour[start[v]] to neighbour[start[v + 1]].
typedef struct {
    int count;
    int *start, *neighbour;
    int *edge;   // how many edges of the original graph each stands for; null: one
    int *weight; // how many vertices of the original graph each stands for; null: one
} sn_graph;

enum { SN_SIDE_A, SN_SIDE_B, SN_SEPARATOR };

// Puts each vertex on one of the sides or into the separator: no edge joins the two sides. The sides have at most
// six tenths of the vertices each, where that is possible. The same graph gives the same answer. False: out of memory.
bool sn_vertex_separator(const sn_graph *graph, unsigned char *side);

// Accepts what is empty.
void sn_graph_free(sn_graph *graph);

#endif
